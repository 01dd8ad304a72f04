// shm:message: an empty message says that cells may be read, and one in return that they have been.

#include "mpi/under_way.hpp"
#include "shm.hpp"

namespace halocline::detail {

namespace {

class ShmMessage final : public Shm {
 public:
  explicit ShmMessage(Setup s)
      : Shm(std::move(s)),
        arrivals_(UnderWay::receives, sources().size()),
        answers_(UnderWay::receives, targets().size()),
        sends_(UnderWay::others, targets().size() + sources().size()) {}

  void start() override {
    begin_step([&] { announce(); });
  }
  void finish() override {
    end_step([&](std::size_t source) { return arrived(source); },
             [&](std::size_t source) { release(source); }, [&] { return reclaimed(); });
  }

 private:
  void announce() {
    sent_ = 0;
    for (std::size_t i = 0; i < sources().size(); ++i)
      HALOCLINE_MPI(MPI_Irecv, nullptr, 0, MPI_BYTE, sources()[i], ready_tag(), comm(),
                    &arrivals_[i]);
    sync_release();
    for (std::size_t i = 0; i < targets().size(); ++i) {
      send(targets()[i], ready_tag());
      if (readers_notify())
        HALOCLINE_MPI(MPI_Irecv, nullptr, 0, MPI_BYTE, targets()[i], read_tag(), comm(),
                      &answers_[i]);
    }
  }

  bool arrived(std::size_t source) {
    int here = 0;
    HALOCLINE_MPI(MPI_Test, &arrivals_[source], &here, MPI_STATUS_IGNORE);
    if (here) sync_acquire();
    return here;
  }

  void release(std::size_t source) {
    if (!readers_notify()) return;
    sync_release();
    send(sources()[source], read_tag());
  }

  bool reclaimed() {
    for (UnderWay* requests : {&answers_, &sends_}) {
      int all = 0;
      HALOCLINE_MPI(MPI_Testall, static_cast<int>(requests->size()), requests->data(), &all,
                    MPI_STATUSES_IGNORE);
      if (!all) return false;
    }
    sync_acquire();
    return true;
  }

  int ready_tag() const noexcept { return tag(0); }
  int read_tag() const noexcept { return tag(1); }

  void send(int rank, int tag) {
    HALOCLINE_MPI(MPI_Isend, nullptr, 0, MPI_BYTE, rank, tag, comm(), &sends_[sent_++]);
  }

  UnderWay arrivals_, answers_;  // of each source, and of each target
  UnderWay sends_;
  std::size_t sent_ = 0;  // in this step
};

class DescribedMessage final : public ShmDescribedByPeer {
 public:
  DescribedMessage(const model::Links& links, bool readers_notify)
      : ShmDescribedByPeer(links, readers_notify, "notify", "notified") {}
};

}  // namespace

MethodFacts shm_message() {
  return shm_facts("shm:message",
                   "loads and stores, synchronised by empty MPI_Isend/MPI_Irecv and MPI_Win_sync",
                   make<ShmMessage>, describe_shm<DescribedMessage>);
}

}  // namespace halocline::detail
