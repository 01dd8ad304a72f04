#include "plain_gaspi.hpp"

#include <halocline/more/method.hpp>
#include <halocline/more/mpi.hpp>

#include <algorithm>
#include <array>

#if HALOCLINE_HAVE_GASPI
#include <GASPI.h>
#include <GASPI_Ext.h>
#endif

namespace halometer {

using namespace halocline;

#if HALOCLINE_HAVE_GASPI

namespace {

void must(gaspi_return_t result, const char* call) {
  if (result != GASPI_SUCCESS)
    throw Error(std::string(plain_gaspi) + ": " + call + ": " + gaspi_error_str(result));
}

class PlainGaspi final : public Work {
 public:
  PlainGaspi(MPI_Comm comm, std::size_t bytes) : comm_(comm), bytes_(bytes) {
    halocline::prepare(Scheme("gaspi"));
    const int me = mpi::rank(comm);
    plays_ = me < 2;
    if (plays_) {
      const std::array<int, 1> other{1 - me};
      peer_ = static_cast<gaspi_rank_t>(mpi::translate(comm, other, world())[0]);
      must(gaspi_segment_alloc(segment, 2 * std::max<std::size_t>(bytes, 8), GASPI_MEM_INITIALIZED),
           "gaspi_segment_alloc");
      must(gaspi_segment_register(segment, peer_, GASPI_BLOCK), "gaspi_segment_register");
      if (me == 0) must(gaspi_connect(peer_, GASPI_BLOCK), "gaspi_connect");
      first_ = me == 0;
    }
    HALOCLINE_MPI(MPI_Barrier, comm);
  }
  ~PlainGaspi() override {
    if (plays_) gaspi_wait(queue, GASPI_BLOCK);
    MPI_Barrier(comm_);
    if (plays_) gaspi_segment_delete(segment);
  }

  void step() override {
    if (!plays_) return;
    if (first_) send();
    gaspi_notification_id_t come = 0;
    gaspi_notification_t value = 0;
    must(gaspi_notify_waitsome(segment, 0, 1, &come, GASPI_BLOCK), "gaspi_notify_waitsome");
    must(gaspi_notify_reset(segment, come, &value), "gaspi_notify_reset");
    if (!first_) send();
  }

 private:
  void send() {
    constexpr int seldom = 256;  // queues have room for 1024 requests
    if (++sent_ % seldom == 0) must(gaspi_wait(queue, GASPI_BLOCK), "gaspi_wait");
    if (bytes_ == 0)
      must(gaspi_notify(segment, peer_, 0, 1, queue, GASPI_BLOCK), "gaspi_notify");
    else
      must(gaspi_write_notify(segment, 0, peer_, segment, std::max<std::size_t>(bytes_, 8), bytes_,
                              0, 1, queue, GASPI_BLOCK),
           "gaspi_write_notify");
  }

  static constexpr gaspi_segment_id_t segment = 0;
  static constexpr gaspi_queue_id_t queue = 0;
  MPI_Comm comm_;
  std::size_t bytes_;
  gaspi_rank_t peer_ = 0;
  bool plays_ = false, first_ = false;
  int sent_ = 0;
};

}  // namespace

std::unique_ptr<Work> make_plain_gaspi(MPI_Comm comm, std::size_t bytes) {
  return std::make_unique<PlainGaspi>(comm, bytes);
}

#else

std::unique_ptr<Work> make_plain_gaspi(MPI_Comm, std::size_t) {
  throw Error(std::string(plain_gaspi) +
              ": halometer was built without GPI-2; --no-limit leaves it out");
}

#endif

}  // namespace halometer
