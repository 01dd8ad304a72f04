#pragma once
// What neighbourhood collectives share: the distributed graph and the arguments of alltoallw.

#include "exchange/p2p/messages.hpp"

namespace halocline::detail {

class Neighbors : public Method {
 public:
  void rebound() override;

 protected:
  explicit Neighbors(Setup setup);
  ~Neighbors() override;
  bool ends_alone() const override { return true; }

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
    void find(const std::vector<Message>& messages);  ///< their addresses

   private:
    std::vector<std::size_t> places_;  // of the messages among the peers
  };

 private:
  using Peers = std::pair<std::vector<int>, std::vector<int>>;
  using Graphs = Agreed<Peers, mpi::Comm>;
  std::shared_ptr<Messages> all_;
  Messages& messages_ = *all_;
  std::shared_ptr<mpi::Comm> graph_;  // that of all exchanges with the same neighbours

 protected:
  MPI_Comm graph() const noexcept { return *graph_; }
  Side sends_, receives_;
  UnderWay request_;
};

/// A neighbourhood collective is a message to each, begun by one call, which costs `call`, in the
/// step's `start`, or, where it blocks, in its `finish`.
model::Step describe_neighbor(const model::Chosen& chosen, const model::Links& links,
                              std::string_view call, bool blocks = false);

}  // namespace halocline::detail
