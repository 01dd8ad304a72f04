#include "pipeline.hpp"

#include <halocline/more/mpi.hpp>

#include <set>

namespace partdiff {

using namespace halocline;

Pipeline::Pipeline(MPI_Comm comm, const Domain& domain, const Array<double>& array,
                   const Scheme& scheme, int deep)
    : domain_(domain) {
  // Pairs (0,1), (2,3), ... along an axis first, then (1,2), (3,4), ...: nobody is in two at once.
  for (int axis = 0; axis < 2; ++axis)
    for (int parity = 0; parity < 2; ++parity) connect(comm, axis, parity, array, scheme, deep);
}

void Pipeline::connect(MPI_Comm comm, int axis, int parity, const Array<double>& array,
                       const Scheme& scheme, int deep) {
  const Grid& grid = domain_.grid();
  const int mine = grid.coordinates()[axis], across = grid.coordinates()[1 - axis];
  const bool is_before = mine % 2 == parity;
  const int before = is_before ? mine : mine - 1;
  const bool paired = before >= 0 && before + 1 < grid.dims()[axis];
  const int color = paired ? before * grid.dims()[1 - axis] + across : MPI_UNDEFINED;
  mpi::Comm pair = mpi::Comm::split(comm, color);
  if (!paired) return;

  // The line of points at `index`, a row (axis 0) or a column (axis 1).
  const auto line = [&](std::ptrdiff_t index) {
    return axis == 0 ? domain_.block(index, 0, 1, domain_.columns())
                     : domain_.block(0, index, domain_.rows(), 1);
  };
  const std::ptrdiff_t size = axis == 0 ? domain_.rows() : domain_.columns();
  Pattern forward, backward;
  const auto rows = [&](std::ptrdiff_t first) {
    return domain_.block(first, 0, deep, domain_.columns());
  };
  if (is_before) {
    forward.send(1, deep ? rows(size - deep) : line(size - 1));
    backward.receive(1, deep ? rows(size - deep) : line(size));
  } else {
    forward.receive(0, deep ? rows(-deep) : line(-1));
    backward.send(0, deep ? rows(-deep) : line(0));
  }
  Neighbour& there = is_before ? (axis == 0 ? down_ : right_) : (axis == 0 ? up_ : left_);
  // Several rows at a time are swept where they were received.
  const ExchangeOptions options{.halos = deep ? Halos::filled : Halos::in_place};
  there.forward.emplace(pair, forward, array, scheme, options);
  there.backward.emplace(pair, backward, array, scheme, options);
  there.comm = std::move(pair);
}

// Why no scheme can lock up, even if each of these calls waits for the peer's: give the call of
// sweep k on rank (p, q) the time 20 k + 10 (p + q), plus 0 (forward, vertical), 1 (forward,
// horizontal), 2 (backward, vertical) or 3 (backward, horizontal), where (p, q) is the pair's
// first rank. Every rank makes its calls in the order of these times, so the earliest call not yet
// made always has both its ranks ready.
//
// Why access=direct reads the right sweep: a row that a neighbour reads in place is computed anew
// only after a message from this neighbour which it sends after reading. My last row of sweep k is
// read before `send_to_before` of sweep k, which I await before sweep k+1; my first row of sweep k
// is read before the neighbour's forward message of sweep k+1, which I await before computing it.

void Pipeline::receive_from_before() {
  if (up_.forward) up_.forward->run();
  if (left_.forward) left_.forward->run();
}

void Pipeline::send_to_before() {
  if (up_.backward) up_.backward->run();
  if (left_.backward) left_.backward->run();
}

void Pipeline::exchange_with_after() {
  if (down_.forward) down_.forward->run();
  if (right_.forward) right_.forward->run();
  if (down_.backward) down_.backward->run();
  if (right_.backward) right_.backward->run();
}

Patch Pipeline::patch(double* array) const {
  Patch patch = domain_.patch(array);
  const auto side = [](const std::optional<Exchange>& exchange, Side& side) {
    if (!exchange || !exchange->direct()) return;
    const HaloView view = exchange->view(0, 0);
    side = {reinterpret_cast<const double*>(view.data),
            view.stride[1] / static_cast<std::ptrdiff_t>(sizeof(double))};
  };
  Side up{patch.up, 1}, down{patch.down, 1};
  side(up_.forward, up);
  side(left_.forward, patch.left);
  side(down_.backward, down);
  side(right_.backward, patch.right);
  patch.up = up.data;
  patch.down = down.data;
  return patch;
}

template <class Do>
void Pipeline::for_each(Do&& act) {
  for (Neighbour* neighbour : {&up_, &left_, &down_, &right_})
    for (auto* exchange : {&neighbour->forward, &neighbour->backward})
      if (*exchange) act(**exchange);
}

void Pipeline::measure(bool on) {
  for_each([on](Exchange& exchange) { exchange.measure(on); });
}
void Pipeline::reset_times() {
  for_each([](Exchange& exchange) { exchange.reset_times(); });
}
std::vector<std::string> Pipeline::schemes() const {
  std::set<std::string> names;
  const_cast<Pipeline*>(this)->for_each(
      [&](Exchange& exchange) { names.insert(exchange.scheme().str()); });
  return {names.begin(), names.end()};
}
ExchangeTimes Pipeline::times() const {
  ExchangeTimes sum;
  const_cast<Pipeline*>(this)->for_each([&](Exchange& exchange) { sum += exchange.times(); });
  return sum;
}

}  // namespace partdiff
