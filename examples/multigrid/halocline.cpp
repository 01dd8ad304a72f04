// The halo by Halocline: the lists become a pattern, and a scheme says how it is exchanged.

#include "halo.hpp"

#include <halocline/halocline.hpp>

#include <numeric>
#include <utility>
#include <vector>

namespace multigrid {

namespace {

halocline::Pattern pattern_of(const Level& level) {
  std::vector<std::vector<int>> send, receive;
  auto sent = level.halo.sent.begin();
  int halo = level.points;
  for (std::size_t i = 0; i < level.halo.neighbours.size(); ++i) {
    send.emplace_back(sent, sent + level.halo.sent_count[i]);
    sent += level.halo.sent_count[i];
    receive.emplace_back(level.halo.received_count[i]);
    std::iota(receive.back().begin(), receive.back().end(), halo);
    halo += level.halo.received_count[i];
  }
  return halocline::Pattern::from_indices(level.halo.neighbours, send, level.halo.neighbours, receive);
}

class HaloclineHalo : public Halo {
 public:
  HaloclineHalo(MPI_Comm comm, const Level& level, const std::string& scheme)
      : comm_(comm), pattern_(pattern_of(level)), scheme_(scheme) {}

  void fill(Vector& x) override {
    auto one = exchanges_.begin();
    while (one != exchanges_.end() && one->first != x.data()) ++one;
    if (one == exchanges_.end())
      one = exchanges_.emplace(
          one, x.data(),
          halocline::Exchange(comm_, pattern_, halocline::field(x.data(), x.size()), scheme_));
    one->second.run();
  }

 private:
  MPI_Comm comm_;
  halocline::Pattern pattern_;
  halocline::Scheme scheme_;
  std::vector<std::pair<double*, halocline::Exchange>> exchanges_;  // one for each vector
};

}  // namespace

std::unique_ptr<Halo> halocline_halo(MPI_Comm comm, const Level& level, const std::string& scheme) {
  return std::make_unique<HaloclineHalo>(comm, level, scheme);
}

}  // namespace multigrid
