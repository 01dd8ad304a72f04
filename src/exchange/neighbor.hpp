#pragma once
// What neighbourhood collectives share: the distributed graph and the arguments of alltoallw.

#include "messages.hpp"

namespace halocline::detail {

class Neighbors : public Method {
 protected:
  explicit Neighbors(Setup setup);

  void pack() {
    const auto time = packing();
    messages_.pack();
    copy_local();
  }
  void unpack() {
    const auto time = packing();
    messages_.unpack();
  }

  /// One side's arguments of MPI_Neighbor_alltoallw, with absolute addresses (MPI_BOTTOM).
  struct Side {
    std::vector<int> peers, counts;
    std::vector<MPI_Aint> addresses;
    std::vector<MPI_Datatype> types;
    Side(std::vector<int> peers, const std::vector<Message>& messages);
  };

 private:
  Messages messages_;

 protected:
  MPI_Comm graph() const noexcept { return *graph_; }
  Side sends_, receives_;

 private:
  std::shared_ptr<mpi::Comm> graph_;  // that of all exchanges with the same neighbours
};

}  // namespace halocline::detail
