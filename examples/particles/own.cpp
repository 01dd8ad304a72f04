// A region that is its own neighbour, around the box: copies, for whatever exchange.

#include "neighbours.hpp"

namespace particles {

namespace {

class OwnNeighbours : public Neighbours {
 public:
  OwnNeighbours(const Regions& regions, int axis) : axis_(axis), length_(regions.length(axis)) {}

  std::vector<Traveller> migrate(const std::vector<Traveller>& down,
                                 const std::vector<Traveller>& up) override {
    std::vector<Traveller> come = up;
    come.insert(come.end(), down.begin(), down.end());
    return come;
  }

  void border(std::vector<int> sent, std::vector<Vec>& x) override {
    sent_ = std::move(sent);
    first_ = x.size();
    x.resize(first_ + sent_.size());
    positions(x);
  }

  void positions(std::vector<Vec>& x) override {
    for (std::size_t i = 0; i < sent_.size(); ++i) {
      x[first_ + i] = x[sent_[i]];
      x[first_ + i][axis_] += length_;
    }
  }

  void forces(std::vector<Vec>& f) override {
    for (std::size_t i = 0; i < sent_.size(); ++i)
      for (int part = 0; part < 3; ++part) f[sent_[i]][part] += f[first_ + i][part];
  }

 private:
  int axis_;
  double length_;
  std::vector<int> sent_;
  std::size_t first_ = 0;  // ghost
};

}  // namespace

std::unique_ptr<Neighbours> own_neighbours(const Regions& regions, int axis) {
  return std::make_unique<OwnNeighbours>(regions, axis);
}

}  // namespace particles
