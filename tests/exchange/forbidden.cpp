// What the interface forbids does not compile: each line that ends with `// error` is one, and what
// follows there is what the compiler says (says_each.sh).

#include <halocline/halocline.hpp>
#include <halocline/more/async_exchange.hpp>
#include <halocline/more/replicated.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace halocline;

// A field is given by its data.
void fields(const Pattern& pattern, std::vector<double>& x, Exchange& exchange,
            std::vector<float>& y, std::span<const std::int64_t> numbers) {
  Exchange good(pattern, {field(x.data(), x.size())}, "p2p:persistent");
  // clang-format off
  Exchange vector(pattern, x, "p2p:persistent");  // error: give field(x.data(), x.size()) for a std::vector x
  Exchange pointer(pattern, x.data(), "p2p:persistent");  // error: give field(x, elements) for a pointer x
  Exchange span(pattern, std::span(x), "p2p:persistent");  // error: give field(x) for a view or a span x
  Exchange constant(pattern, std::as_const(x).data(), "p2p:persistent");  // error: give field(x, elements) for a pointer x
  exchange.run(std::array<double, 3>());  // error: give field(x) for a view or a span x
  GatherScatter shared(world(), numbers, y, "p2p:persistent");  // error: give field(x.data(), x.size()) for a std::vector x
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
template class halocline::Array<std::string>;               // error: elements travel as bytes
template class halocline::Replicated<std::vector<double>>;  // error: their type must be trivially
void bytes(std::vector<int>* lists, RaggedExchange& ragged) {
  field(lists, 3);                      // error: elements travel as bytes
  ragged.outgoing<std::wstring>(0, 1);  // error: elements travel as bytes
}

// What elements are combined by.
struct Charge {
  double of;
};
void combining() {
  Combine::of<Charge>();                                      // error: the type has no +
  Combine::of<double>([](double here) { return here; });      // error: the function must take two
  Combine::of<float>([](float, float) { return Charge(); });  // error: the function must take two
  Combine::of<std::u16string>();                              // error: elements travel as bytes
}

// Options that there are not.
void options(const Pattern& pattern, const Field& x) {
  Exchange named(pattern, x, "p2p:persistent",
                 ExchangeOptions{.combin = Combine::sum});     // error: combin
  Grid grid(world(), {8, 8}, GridOptions{.periodc = {true}});  // error: periodc
  Grid unnamed(world(), {8, 8}, {.periodc = {true}});          // error: no matching
}

// A reader of replicated data does not write it.
void readers(Replicated<double>& array) {
  array[0] = 1;         // error
  array.read()[0] = 1;  // error
}
