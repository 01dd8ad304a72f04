// What the interface forbids does not compile: each line that ends with `// error` is one, and what
// follows there is what the compiler says (says_each.sh).

#include <halocline/halocline.hpp>
#include <halocline/more/async_exchange.hpp>
#include <halocline/more/replicated.hpp>

#include <span>
#include <string>
#include <vector>

using namespace halocline;

// A field is given by its data.
void fields(const Pattern& pattern, std::vector<double>& x) {
  Exchange good(pattern, {field(x.data(), x.size())}, "p2p:persistent");
  // clang-format off
  Exchange vector(pattern, x, "p2p:persistent");  // error: give field(x.data(), x.size()) for a std::vector x
  Exchange pointer(pattern, x.data(), "p2p:persistent");  // error: give field(x, elements) for a pointer x
  Exchange span(pattern, std::span(x), "p2p:persistent");  // error: give field(x) for a view or a span x
  field(x);  // error: give field(x.data(), x.size()) for a std::vector x
  // clang-format on
}

// What holds a part of MPI has one owner.
void owners(Exchange& exchange, AsyncExchange& async, RaggedExchange& ragged, Environment& mpi) {
  Exchange moved(std::move(exchange));
  Exchange two(exchange);             // error: deleted
  AsyncExchange two_async(async);     // error: deleted
  RaggedExchange two_ragged(ragged);  // error: deleted
  Environment two_mpis(mpi);          // error: deleted
}

// Elements are moved as bytes.
template class halocline::Array<std::string>;       // error
template class halocline::Replicated<std::string>;  // error

// Who reads replicated data does not write it.
void readers(Replicated<double>& array) {
  array[0] = 1;         // error
  array.read()[0] = 1;  // error
}
