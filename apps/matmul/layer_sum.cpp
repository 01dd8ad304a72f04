#include "layer_sum.hpp"

namespace matmul {

using namespace halocline;

Pattern pattern_of_sum(const Part& part) {
  Pattern pattern;
  if (part.idle) return pattern;
  const auto columns = static_cast<std::size_t>(part.columns.size());
  const auto block = [&](std::size_t begin, int layer) {
    return Block{.offset = static_cast<std::ptrdiff_t>(begin),
                 .count = {1, static_cast<std::size_t>(part.sum(layer).size()), columns},
                 .stride = {0, part.columns.size()}};
  };
  std::size_t next = static_cast<std::size_t>(part.rows.size()) * columns;
  for (int layer = 0; layer < part.cut.k; ++layer) {
    if (layer == part.l) continue;
    const int peer = part.rank(part.i, part.j, layer);
    pattern.send(peer, block(part.row_of_sum(layer) * columns, layer));
    const Block coming = block(next, part.l);
    pattern.receive(peer, coming);
    next += coming.size();
  }
  return pattern;
}

LayerSum::LayerSum(MPI_Comm comm, const Part& part, const Scheme& scheme) {
  const auto columns = static_cast<std::size_t>(part.columns.size());
  const Pattern pattern = pattern_of_sum(part);
  std::size_t numbers = 0;
  if (!part.idle) {
    owned_ = {{part.sum(part.l), part.columns}, part.row_of_sum(part.l) * columns};
    const auto others = static_cast<std::size_t>(part.cut.k - 1);
    numbers = static_cast<std::size_t>(part.rows.size()) * columns + others * owned_.box.size();
  }
  words_ = static_cast<std::int64_t>(pattern.elements_sent());
  others_ = pattern.receives().size();
  memory_ = Array<double>(comm, numbers, scheme);
  if (part.cut.k > 1)
    exchange_ = std::make_unique<Exchange>(comm, pattern, memory_, scheme,
                                           ExchangeOptions{.halos = Halos::in_place});
}

void LayerSum::run() {
  if (!exchange_) return;
  exchange_->run();
  double* const sum = memory_.data() + owned_.at;
  const std::size_t row = static_cast<std::size_t>(owned_.box.columns.size());
  for (std::size_t link = 0; link < others_; ++link) {
    const HaloView view = exchange_->view(link, 0);
    for (std::int64_t i = 0; i < owned_.box.rows.size(); ++i) {
      const auto* const from = reinterpret_cast<const double*>(view.data + i * view.stride[1]);
      double* const to = sum + static_cast<std::size_t>(i) * row;
      for (std::size_t j = 0; j < row; ++j) to[j] += from[j];
    }
  }
}

}  // namespace matmul
