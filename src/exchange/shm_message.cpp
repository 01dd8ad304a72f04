// shm:message: an empty message says that cells may be read, and one in return that they have been.

#include "methods.hpp"
#include "shm.hpp"

namespace halocline::detail {

namespace {

class ShmMessage final : public ShmExchange<ShmMessage> {
 public:
  explicit ShmMessage(Setup s)
      : ShmExchange(std::move(s)),
        arrivals_(sources().size(), MPI_REQUEST_NULL),
        others_(2 * targets().size() + sources().size(), MPI_REQUEST_NULL) {}

 private:
  friend ShmExchange;

  void announce() {
    other_ = others_.begin();
    for (std::size_t i = 0; i < sources().size(); ++i)
      HALOCLINE_MPI(MPI_Irecv, nullptr, 0, MPI_BYTE, sources()[i], ready_tag(), comm(),
                    &arrivals_[i]);
    before_telling();
    for (std::size_t i = 0; i < targets().size(); ++i) {
      send(targets()[i], ready_tag());
      if (readers_tell())
        HALOCLINE_MPI(MPI_Irecv, nullptr, 0, MPI_BYTE, targets()[i], read_tag(), comm(),
                      &*other_++);
    }
  }

  bool arrived(std::size_t source) {
    int here = 0;
    HALOCLINE_MPI(MPI_Test, &arrivals_[source], &here, MPI_STATUS_IGNORE);
    if (here) after_hearing();
    return here;
  }

  void release(std::size_t source) {
    if (!readers_tell()) return;
    before_telling();
    send(sources()[source], read_tag());
  }

  bool reclaimed() {
    int all = 0;
    HALOCLINE_MPI(MPI_Testall, static_cast<int>(others_.size()), others_.data(), &all,
                  MPI_STATUSES_IGNORE);
    if (all) after_hearing();
    return all;
  }

  int ready_tag() const noexcept { return tag(0); }
  int read_tag() const noexcept { return tag(1); }

  void send(int rank, int tag) {
    HALOCLINE_MPI(MPI_Isend, nullptr, 0, MPI_BYTE, rank, tag, comm(), &*other_++);
  }

  std::vector<MPI_Request> arrivals_;         // one for each source
  std::vector<MPI_Request> others_;           // all others of this step
  std::vector<MPI_Request>::iterator other_;  // the next to use
};

}  // namespace

MethodFacts shm_message() {
  return shm_facts("shm:message",
                   "loads and stores, synchronised by empty MPI_Isend/MPI_Irecv and MPI_Win_sync",
                   make<ShmMessage>);
}

}  // namespace halocline::detail
