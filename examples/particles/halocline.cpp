// By Halocline: what changes its length is ragged, and ghosts are a pattern that changes with the
// lists.

#include "neighbours.hpp"

#include <halocline/halocline.hpp>

#include <utility>

namespace particles {

namespace {

/// Both neighbours, and nothing for them yet.
halocline::Pattern no_ghosts(int below, int above) {
  halocline::Pattern pattern;
  pattern.send_nothing(below);
  pattern.receive_nothing(above);
  return pattern;
}

class HaloclineNeighbours : public Neighbours {
 public:
  HaloclineNeighbours(MPI_Comm comm, const Regions& regions, int axis,
                      const halocline::Scheme& scheme)
      : below_(regions.neighbour(axis, -1)),
        above_(regions.neighbour(axis, 1)),
        axis_(axis),
        shift_(regions.shift_from_above(axis)),
        travellers_(comm, {above_, below_}, {below_, above_}, sizeof(Traveller), 100, scheme),
        borders_(comm, {below_}, {above_}, sizeof(Vec), 1000, scheme),
        positions_(comm, no_ghosts(below_, above_), halocline::unbound<Vec>(), scheme,
                   {.changes = true, .capacity = 1000}),
        forces_(comm, no_ghosts(below_, above_).reversed(), halocline::unbound<Vec>(), scheme,
                {.combine = halocline::Combine::sum, .changes = true, .capacity = 1000}) {}

  std::vector<Traveller> migrate(const std::vector<Traveller>& down,
                                 const std::vector<Traveller>& up) override {
    travellers_.send(0, std::span(up));
    travellers_.send(1, std::span(down));
    travellers_.run();
    std::vector<Traveller> come;
    for (const std::size_t link : {0, 1})
      for (const Traveller& one : travellers_.received<Traveller>(link)) come.push_back(one);
    return come;
  }

  void border(std::vector<int> sent, std::vector<Vec>& x) override {
    const std::span<Vec> message = borders_.outgoing<Vec>(0, sent.size());
    for (std::size_t i = 0; i < sent.size(); ++i) message[i] = x[sent[i]];
    borders_.run();
    const std::span<const Vec> come = borders_.received<Vec>(0);
    const halocline::Block ghosts{.offset = std::ssize(x), .count = {1, 1, come.size()}};
    x.insert(x.end(), come.begin(), come.end());
    for (std::size_t i = x.size() - come.size(); i < x.size(); ++i) x[i][axis_] += shift_;

    std::vector<double> shift(3);
    shift[axis_] = shift_;
    halocline::Pattern pattern = no_ghosts(below_, above_);
    pattern.send(below_, sent);
    pattern.receive(above_, ghosts, shift);
    forces_.change(pattern.reversed());
    positions_.change(std::move(pattern));
  }

  void positions(std::vector<Vec>& x) override {
    positions_.run(halocline::field(x.data(), x.size()));
  }
  void forces(std::vector<Vec>& f) override { forces_.run(halocline::field(f.data(), f.size())); }

 private:
  int below_, above_, axis_;
  double shift_;
  halocline::RaggedExchange travellers_, borders_;
  halocline::Exchange positions_, forces_;
};

}  // namespace

std::unique_ptr<Neighbours> halocline_neighbours(MPI_Comm comm, const Regions& regions, int axis,
                                                 const std::string& scheme) {
  return std::make_unique<HaloclineNeighbours>(comm, regions, axis, scheme);
}

}  // namespace particles
