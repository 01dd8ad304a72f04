#include "layer_sum.hpp"

namespace matmul {

using namespace halocline;

LayerSum::LayerSum(MPI_Comm comm, const Part& part, const Scheme& scheme) {
  const auto columns = static_cast<std::size_t>(part.columns.size());
  const auto rows = [&](int layer) { return static_cast<std::size_t>(part.sum(layer).size()); };
  const auto at = [&](int layer) {
    return static_cast<std::size_t>(part.sum(layer).begin - part.rows.begin) * columns;
  };
  std::size_t next = 0;
  Pattern pattern;
  if (!part.idle) {
    owned_ = {{part.sum(part.l), part.columns}, at(part.l)};
    next = static_cast<std::size_t>(part.rows.size()) * columns;
    const auto block = [&](std::size_t begin, int layer) {
      return Block{.offset = static_cast<std::ptrdiff_t>(begin),
                   .count = {1, rows(layer), columns},
                   .stride = {0, part.columns.size()}};
    };
    for (int layer = 0; layer < part.cut.k; ++layer) {
      if (layer == part.l) continue;
      const int peer = part.rank(part.i, part.j, layer);
      pattern.send(peer, block(at(layer), layer));
      pattern.receive(peer, block(next, part.l));
      next += owned_.box.size();
    }
  }
  words_ = static_cast<std::int64_t>(pattern.elements_sent());
  others_ = pattern.receives().size();
  memory_ = Array<double>(comm, next, scheme);
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
    const View view = exchange_->view(link, 0);
    for (std::int64_t i = 0; i < owned_.box.rows.size(); ++i) {
      const auto* const from = reinterpret_cast<const double*>(view.data + i * view.stride[1]);
      double* const to = sum + static_cast<std::size_t>(i) * row;
      for (std::size_t j = 0; j < row; ++j) to[j] += from[j];
    }
  }
}

}  // namespace matmul
