// The halo by nonblocking messages: elements are packed for each neighbour, and arrive in place.

#include "halo.hpp"

namespace multigrid {

namespace {

class PlainHalo : public Halo {
 public:
  PlainHalo(MPI_Comm comm, const Level& level)
      : comm_(comm),
        lists_(level.halo),
        first_(level.points),
        message_(level.halo.sent.size()),
        requests_(2 * level.halo.neighbours.size()) {}

  void fill(Vector& x) override {
    MPI_Request* request = requests_.data();
    double* halo = x.data() + first_;
    for (std::size_t i = 0; i < lists_.neighbours.size(); ++i) {
      MPI_Irecv(halo, lists_.received_count[i], MPI_DOUBLE, lists_.neighbours[i], tag, comm_,
                request++);
      halo += lists_.received_count[i];
    }
    double* message = message_.data();
    const int* sent = lists_.sent.data();
    for (std::size_t i = 0; i < lists_.neighbours.size(); ++i) {
      const int count = lists_.sent_count[i];
      for (int j = 0; j < count; ++j) message[j] = x[sent[j]];
      MPI_Isend(message, count, MPI_DOUBLE, lists_.neighbours[i], tag, comm_, request++);
      message += count;
      sent += count;
    }
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

 private:
  static constexpr int tag = 99;
  MPI_Comm comm_;
  const HaloLists& lists_;
  int first_;  // of the halo
  std::vector<double> message_;
  std::vector<MPI_Request> requests_;
};

}  // namespace

std::unique_ptr<Halo> plain_halo(MPI_Comm comm, const Level& level) {
  return std::make_unique<PlainHalo>(comm, level);
}

}  // namespace multigrid
