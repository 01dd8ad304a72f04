// A matrix of complex numbers from rows to columns behind a C interface, so that a Python script
// can measure it in turn with libraries that it loads.

#include <halocline/halocline.hpp>

#include <complex>
#include <cstdio>

using namespace halocline;

namespace {

struct Transpose {
  Array<std::complex<double>> rows, columns;
  Exchange exchange;
};

}  // namespace

extern "C" {

/// Makes the transposition of a matrix of `height` x `width`, rows in sequence over the ranks.
/// Null, after a message on standard error, if the scheme cannot do it. Collective.
void* transpose_make(int height, int width, const char* scheme) try {
  const int ranks = mpi::size(world()), me = mpi::rank(world());
  const Distribution rows({height, width}, {ranks, 1}), columns({height, width}, {1, ranks});
  Array<std::complex<double>> from(world(), rows.elements(me), Scheme(scheme));
  Array<std::complex<double>> to(world(), columns.elements(me), Scheme(scheme));
  Exchange exchange(world(), Pattern::between(rows, columns, me), from, to, scheme);
  return new Transpose{std::move(from), std::move(to), std::move(exchange)};
} catch (const std::exception& problem) {
  std::fprintf(stderr, "transpose_for_peers: %s\n", problem.what());
  return nullptr;
}

void* transpose_rows(void* transpose) {
  return static_cast<Transpose*>(transpose)->rows.data();
}

void* transpose_columns(void* transpose) {
  return static_cast<Transpose*>(transpose)->columns.data();
}

void transpose_run(void* transpose) {
  static_cast<Transpose*>(transpose)->exchange.run();
}
}
