// The halo by Halocline: the lists become a pattern, and a scheme says how it is exchanged.

#include "halo.hpp"

#include <halocline/halocline.hpp>

#include <numeric>

namespace multigrid {

namespace {

halocline::Pattern pattern_of(const Level& level) {
  const HaloLists& lists = level.halo;
  std::vector<int> halo(level.extent - level.points);
  std::iota(halo.begin(), halo.end(), level.points);
  return halocline::Pattern::from_indices(lists.neighbours, lists.sent_count, lists.sent,
                                          lists.neighbours, lists.received_count, halo);
}

class HaloclineHalo : public Halo {
 public:
  HaloclineHalo(MPI_Comm comm, const Level& level, const std::string& scheme)
      : exchange_(comm, pattern_of(level), halocline::unbound<double>(), scheme) {}

  void fill(Vector& x) override { exchange_.run(halocline::field(x.data(), x.size())); }

 private:
  halocline::Exchange exchange_;
};

}  // namespace

std::unique_ptr<Halo> halocline_halo(MPI_Comm comm, const Level& level, const std::string& scheme) {
  return std::make_unique<HaloclineHalo>(comm, level, scheme);
}

}  // namespace multigrid
