// By Halocline: what changes its length is ragged, and ghosts are a pattern that changes with the lists.

#include "neighbours.hpp"

#include <halocline/halocline.hpp>

#include <numeric>
#include <optional>
#include <utility>

namespace particles {

namespace {

/// Along one axis.
class Stage {
 public:
  Stage(MPI_Comm comm, int me, int below, int above, int axis, double shift,
        const halocline::Scheme& scheme)
      : alone_(below == me), axis_(axis), shift_(shift), below_(below), above_(above) {
    if (alone_) return;
    upwards_.emplace(comm, std::vector{above}, std::vector{below}, sizeof(Traveller), 100, scheme);
    downwards_.emplace(comm, std::vector{below}, std::vector{above}, sizeof(Traveller), 100, scheme);
    ghosts_.emplace(comm, std::vector{below}, std::vector{above}, sizeof(Vec), 1000, scheme);
    halocline::Pattern nothing_yet;
    nothing_yet.send_nothing(below);
    nothing_yet.receive_nothing(above);
    positions_.emplace(comm, nothing_yet, halocline::field<Vec>(nullptr), scheme,
                       halocline::ExchangeOptions{.changes = true, .capacity = 1000});
    forces_.emplace(comm, nothing_yet.reversed(), halocline::field<Vec>(nullptr), scheme,
                    halocline::ExchangeOptions{
                        .combine = halocline::Combine::sum, .changes = true, .capacity = 1000});
  }

  std::vector<Traveller> migrate(const std::vector<Traveller>& down,
                                 const std::vector<Traveller>& up) {
    std::vector<Traveller> come;
    if (alone_) {
      come = up;
      come.insert(come.end(), down.begin(), down.end());
      return come;
    }
    upwards_->send(0, std::span(up));
    downwards_->send(0, std::span(down));
    upwards_->start();
    downwards_->start();
    upwards_->finish();
    downwards_->finish();
    for (auto* const way : {&*upwards_, &*downwards_})
      for (const Traveller& one : way->received<Traveller>(0)) come.push_back(one);
    return come;
  }

  void border(std::vector<int> sent, std::vector<Vec>& x) {
    sent_ = std::move(sent);
    first_ = x.size();
    if (alone_) {
      x.resize(x.size() + sent_.size());
      positions(x);
      return;
    }
    const std::span<Vec> message = ghosts_->outgoing<Vec>(0, sent_.size());
    for (std::size_t i = 0; i < sent_.size(); ++i) {
      message[i] = x[sent_[i]];
    }
    ghosts_->run();
    for (Vec one : ghosts_->received<Vec>(0)) {
      one[axis_] += shift_;
      x.push_back(one);
    }
    using Lists = std::vector<std::vector<int>>;
    std::vector<int> halo(x.size() - first_);
    std::iota(halo.begin(), halo.end(), static_cast<int>(first_));
    pattern_ = halocline::Pattern::from_indices(std::vector{below_}, Lists{sent_},
                                                std::vector{above_}, Lists{halo});
    fresh_ = true;
  }

  void positions(std::vector<Vec>& x) {
    if (alone_) {
      for (std::size_t i = 0; i < sent_.size(); ++i) {
        x[first_ + i] = x[sent_[i]];
        x[first_ + i][axis_] += shift_;
      }
      return;
    }
    if (std::exchange(fresh_, false)) positions_->change(pattern_, {halocline::field(x.data(), x.size())});
    positions_->run();
    for (std::size_t i = first_; i < x.size() && i < first_ + pattern_.receives()[0].size(); ++i) x[i][axis_] += shift_;
  }

  void forces(std::vector<Vec>& f) {
    if (alone_) {
      for (std::size_t i = 0; i < sent_.size(); ++i)
        for (int part = 0; part < 3; ++part) f[sent_[i]][part] += f[first_ + i][part];
      return;
    }
    forces_->change(pattern_.reversed(), {halocline::field(f.data(), f.size())});
    forces_->run();
  }

 private:
  bool alone_, fresh_ = false;
  int axis_;
  double shift_;
  int below_, above_;
  std::vector<int> sent_;
  std::size_t first_ = 0;
  halocline::Pattern pattern_;
  std::optional<halocline::RaggedExchange> upwards_, downwards_, ghosts_;
  std::optional<halocline::Exchange> positions_, forces_;
};

class HaloclineNeighbours : public Neighbours {
 public:
  HaloclineNeighbours(MPI_Comm comm, const Regions& regions, const std::string& scheme) {
    int me;
    MPI_Comm_rank(comm, &me);
    for (int axis = 0; axis < 3; ++axis)
      stages_.emplace_back(comm, me, regions.neighbour(axis, -1), regions.neighbour(axis, 1), axis,
                           regions.mine[axis] + 1 == regions.ranks[axis] ? regions.length(axis) : 0.0, scheme);
  }
  std::vector<Traveller> migrate(int axis, const std::vector<Traveller>& down,
                                 const std::vector<Traveller>& up) override {
    return stages_[axis].migrate(down, up);
  }
  void border(int axis, std::vector<int> sent, std::vector<Vec>& x) override {
    stages_[axis].border(std::move(sent), x);
  }
  void positions(std::vector<Vec>& x) override {
    for (Stage& stage : stages_) stage.positions(x);
  }
  void forces(std::vector<Vec>& f) override {
    for (auto stage = stages_.rbegin(); stage != stages_.rend(); ++stage) stage->forces(f);
  }

 private:
  std::vector<Stage> stages_;
};

}  // namespace

std::unique_ptr<Neighbours> halocline_neighbours(MPI_Comm comm, const Regions& regions,
                                                 const std::string& scheme) {
  return std::make_unique<HaloclineNeighbours>(comm, regions, scheme);
}

}  // namespace particles
