// By nonblocking messages: numbers first where the receiver cannot know them, then what is packed.

#include "neighbours.hpp"

#include <algorithm>

namespace particles {

namespace {

class PlainNeighbours : public Neighbours {
 public:
  PlainNeighbours(MPI_Comm comm, const Regions& regions) : comm_(comm) {
    MPI_Comm_rank(comm, &me_);
    for (int axis = 0; axis < 3; ++axis)
      stages_[axis] = {regions.neighbour(axis, -1), regions.neighbour(axis, 1), regions.shift_down(axis), {}, 0, 0};
  }

  std::vector<Traveller> migrate(int axis, const std::vector<Traveller>& down,
                                 const std::vector<Traveller>& up) override {
    const Stage& stage = stages_[axis];
    std::vector<Traveller> come;
    if (stage.below == me_) {
      come = up;
      come.insert(come.end(), down.begin(), down.end());
      return come;
    }
    int out[] = {static_cast<int>(up.size()), static_cast<int>(down.size())}, in[2];
    MPI_Request requests[4];
    MPI_Irecv(&in[0], 1, MPI_INT, stage.below, upwards, comm_, &requests[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, stage.above, downwards, comm_, &requests[1]);
    MPI_Isend(&out[0], 1, MPI_INT, stage.above, upwards, comm_, &requests[2]);
    MPI_Isend(&out[1], 1, MPI_INT, stage.below, downwards, comm_, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    come.resize(static_cast<std::size_t>(in[0] + in[1]));
    constexpr int bytes = sizeof(Traveller);
    MPI_Irecv(come.data(), in[0] * bytes, MPI_BYTE, stage.below, upwards, comm_, &requests[0]);
    MPI_Irecv(come.data() + in[0], in[1] * bytes, MPI_BYTE, stage.above, downwards, comm_, &requests[1]);
    MPI_Isend(up.data(), out[0] * bytes, MPI_BYTE, stage.above, upwards, comm_, &requests[2]);
    MPI_Isend(down.data(), out[1] * bytes, MPI_BYTE, stage.below, downwards, comm_, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    return come;
  }

  void border(int axis, std::vector<int> sent, std::vector<Vec>& x) override {
    Stage& stage = stages_[axis];
    stage.sent = std::move(sent);
    stage.first = static_cast<int>(x.size());
    const int out = static_cast<int>(stage.sent.size());
    stage.count = out;
    if (stage.below != me_)
      MPI_Sendrecv(&out, 1, MPI_INT, stage.below, downwards, &stage.count, 1, MPI_INT, stage.above,
                   downwards, comm_, MPI_STATUS_IGNORE);
    x.resize(x.size() + static_cast<std::size_t>(stage.count));
    send_down(axis, x);
  }

  void positions(std::vector<Vec>& x) override {
    for (int axis = 0; axis < 3; ++axis) send_down(axis, x);
  }

  void forces(std::vector<Vec>& f) override {
    for (int axis = 2; axis >= 0; --axis) {
      const Stage& stage = stages_[axis];
      const Vec* come = f.data() + stage.first;
      if (stage.below != me_) {
        buffer_.resize(stage.sent.size());
        MPI_Request requests[2];
        MPI_Irecv(buffer_.data(), 3 * static_cast<int>(buffer_.size()), MPI_DOUBLE, stage.below,
                  upwards, comm_, &requests[0]);
        MPI_Isend(f.data() + stage.first, 3 * stage.count, MPI_DOUBLE, stage.above, upwards, comm_,
                  &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        come = buffer_.data();
      }
      for (const int i : stage.sent) {
        for (int part = 0; part < 3; ++part) f[i][part] += (*come)[part];
        ++come;
      }
    }
  }

 private:
  struct Stage {
    int below, above;
    double shift;
    std::vector<int> sent;
    int first, count;  // of the ghosts
  };

  void send_down(int axis, std::vector<Vec>& x) {
    const Stage& stage = stages_[axis];
    Vec* message = x.data() + stage.first;
    MPI_Request requests[2];
    if (stage.below != me_) {
      MPI_Irecv(message, 3 * stage.count, MPI_DOUBLE, stage.above, downwards, comm_, &requests[0]);
      buffer_.resize(stage.sent.size());
      message = buffer_.data();
    }
    for (const int i : stage.sent) {
      *message = x[i];
      (*message++)[axis] += stage.shift;
    }
    if (stage.below == me_) return;
    MPI_Isend(buffer_.data(), 3 * static_cast<int>(buffer_.size()), MPI_DOUBLE, stage.below,
              downwards, comm_, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }

  static constexpr int upwards = 1, downwards = 2;
  MPI_Comm comm_;
  int me_;
  std::array<Stage, 3> stages_;  // along each axis
  std::vector<Vec> buffer_;
};

}  // namespace

std::unique_ptr<Neighbours> plain_neighbours(MPI_Comm comm, const Regions& regions) {
  return std::make_unique<PlainNeighbours>(comm, regions);
}

}  // namespace particles
