// By nonblocking messages: numbers first where the receiver cannot know them, then what is packed.

#include "neighbours.hpp"

namespace particles {

namespace {

class PlainNeighbours : public Neighbours {
 public:
  PlainNeighbours(MPI_Comm comm, const Regions& regions, int axis)
      : comm_(comm),
        below_(regions.neighbour(axis, -1)),
        above_(regions.neighbour(axis, 1)),
        axis_(axis),
        shift_(regions.shift_down(axis)) {}

  std::vector<Traveller> migrate(const std::vector<Traveller>& down,
                                 const std::vector<Traveller>& up) override {
    const int out[] = {static_cast<int>(up.size()), static_cast<int>(down.size())};
    int in[2];
    MPI_Request requests[4];
    MPI_Irecv(&in[0], 1, MPI_INT, below_, upwards, comm_, &requests[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, above_, downwards, comm_, &requests[1]);
    MPI_Isend(&out[0], 1, MPI_INT, above_, upwards, comm_, &requests[2]);
    MPI_Isend(&out[1], 1, MPI_INT, below_, downwards, comm_, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    std::vector<Traveller> come(in[0] + in[1]);
    constexpr int bytes = sizeof(Traveller);
    MPI_Irecv(come.data(), in[0] * bytes, MPI_BYTE, below_, upwards, comm_, &requests[0]);
    MPI_Irecv(come.data() + in[0], in[1] * bytes, MPI_BYTE, above_, downwards, comm_, &requests[1]);
    MPI_Isend(up.data(), out[0] * bytes, MPI_BYTE, above_, upwards, comm_, &requests[2]);
    MPI_Isend(down.data(), out[1] * bytes, MPI_BYTE, below_, downwards, comm_, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    return come;
  }

  void border(std::vector<int> sent, std::vector<Vec>& x) override {
    sent_ = std::move(sent);
    buffer_.resize(sent_.size());
    const int out = static_cast<int>(sent_.size());
    MPI_Sendrecv(&out, 1, MPI_INT, below_, downwards, &ghosts_, 1, MPI_INT, above_, downwards,
                 comm_, MPI_STATUS_IGNORE);
    first_ = x.size();
    x.resize(first_ + static_cast<std::size_t>(ghosts_));
    positions(x);
  }

  void positions(std::vector<Vec>& x) override {
    MPI_Request requests[2];
    MPI_Irecv(x.data() + first_, 3 * ghosts_, MPI_DOUBLE, above_, downwards, comm_, &requests[0]);
    for (std::size_t i = 0; i < sent_.size(); ++i) {
      buffer_[i] = x[sent_[i]];
      buffer_[i][axis_] += shift_;
    }
    MPI_Isend(buffer_.data(), 3 * static_cast<int>(buffer_.size()), MPI_DOUBLE, below_, downwards,
              comm_, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }

  void forces(std::vector<Vec>& f) override {
    MPI_Request requests[2];
    MPI_Irecv(buffer_.data(), 3 * static_cast<int>(buffer_.size()), MPI_DOUBLE, below_, upwards,
              comm_, &requests[0]);
    MPI_Isend(f.data() + first_, 3 * ghosts_, MPI_DOUBLE, above_, upwards, comm_, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (std::size_t i = 0; i < sent_.size(); ++i)
      for (int part = 0; part < 3; ++part) f[sent_[i]][part] += buffer_[i][part];
  }

 private:
  static constexpr int upwards = 1, downwards = 2;
  MPI_Comm comm_;
  int below_, above_, axis_;
  double shift_;
  std::vector<int> sent_;
  std::size_t first_ = 0;  // ghost
  int ghosts_ = 0;
  std::vector<Vec> buffer_;
};

}  // namespace

std::unique_ptr<Neighbours> plain_neighbours(MPI_Comm comm, const Regions& regions, int axis) {
  return std::make_unique<PlainNeighbours>(comm, regions, axis);
}

}  // namespace particles
