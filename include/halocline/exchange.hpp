#pragma once
// Exchanges: a pattern bound to memory and to a method; set up once, run many times.

#include <halocline/array.hpp>
#include <halocline/device.hpp>
#include <halocline/memory.hpp>
#include <halocline/mpi.hpp>
#include <halocline/pattern.hpp>
#include <halocline/scheme.hpp>
#include <halocline/wait.hpp>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace halocline {

/// Seconds spent in the parts of an exchange, summed since the last reset.
struct ExchangeTimes {
  double pack = 0;      ///< copying to and from message buffers
  double transfer = 0;  ///< calls that start communication
  double wait = 0;      ///< until the halos have arrived and the sent cells are free
  double copy = 0;      ///< between device and host
  ExchangeTimes& operator+=(const ExchangeTimes& other) noexcept {
    pack += other.pack, transfer += other.transfer, wait += other.wait, copy += other.copy;
    return *this;
  }
};

/// Bytes that exchanges of fields on a device have copied, since the last reset.
struct DeviceTraffic {
  std::uint64_t to_host = 0, to_device = 0;
  std::uint64_t within = 0;  ///< between devices
  std::uint64_t copies = 0;  ///< how many there were
  DeviceTraffic& operator+=(const DeviceTraffic& other) noexcept {
    to_host += other.to_host, to_device += other.to_device;
    within += other.within, copies += other.copies;
    return *this;
  }
};

/// Where a caller reads halos: in its own memory, or wherever `Exchange::view` finds them.
enum class Halos { landed, in_place };

/// Where the elements of a halo block can be read after `finish()`: in my own halo, or, with
/// Halos::in_place and `access=direct`, in the neighbour's memory.
struct View {
  const std::byte* data;                 ///< first element
  std::array<std::ptrdiff_t, 2> stride;  ///< bytes from plane to plane and from row to row
};

/// What becomes of what arrives: it replaces what is there, or is combined with it. Then a field's
/// elements must be numbers that are known (Field::number), and what arrives is combined in the
/// order of the pattern: local copies, then link by link, block by block. So sums have the same
/// bits whatever arrives first; but for `rma:accumulate`, where MPI adds, in an order of its own.
/// Both ends of a link hold the same numbers, which is checked when the exchange is made.
enum class Combine { replace, sum, min, max };

struct ExchangeOptions {
  Combine combine = Combine::replace;
  /// The pattern may be replaced by another one (`Exchange::change`).
  bool changes = false;
  /// Elements that a link is expected to carry at most when the pattern changes; more travel all
  /// the same. The same on all ranks.
  std::size_t capacity = 0;
  /// Halos::in_place is the caller's word that it reads halos through `Exchange::view` alone, and
  /// writes cells sent only when a later exchange in the other direction has finished. Without it
  /// every halo is filled, whatever scheme is typed or remembered: `access=direct` is then
  /// `access=copy`, and `auto+access=any` is `auto`. An exchange that changes or combines fills its
  /// halos in any case.
  Halos halos = Halos::landed;
};

namespace methods {
class Method;
}
namespace detail {
using namespace methods;
}

/// Between `start` and `finish` a caller may read everything it owns and write what the pattern
/// does not send; it may not touch halos. A step that is begun twice, or finished without having
/// begun, or begun after one that threw, is an Error. When `finish` returns, the halos are this
/// step's and the cells sent may be written again (with Halos::in_place: once a later exchange in
/// the other direction has finished, as with two grids in turn). `run` is both.
///
/// Fields may lie on a device (MemoryKind::device, or any address that the opened device knows),
/// all ranks' alike. They are packed and unpacked there; the option `device=` of every scheme says
/// how the messages travel, and `scheme()` how they really do. Without a stream, `start` takes the
/// cells as they are, and after `finish` the halos are there for all streams. Exchanges that change
/// or combine are of fields on the host.
///
/// All ranks of `comm` construct, start and finish exchanges in the same order; several may be
/// under way at once. No two threads of a process are in calls of this library at the same time. An
/// exchange does not use `comm` itself after construction, but a duplicate of it. Construction
/// checks the pattern across ranks (every send has its receive with the same size, and unless what
/// arrives is combined, nothing lands where something else lands or leaves) and throws the same
/// Error on all of them if anything does not fit.
///
/// An exchange may end between `start` and `finish`, as when an exception passes, and after
/// MPI_Finalize. It waits for nobody then; messages that come late land in memory of its own, or of
/// the Array that they were meant for, which lives on. Where schemes work on fields as they lie
/// (pack=off, rma:accumulate), memory of the caller's own must stay until all ranks have ended it.
///
/// Thousands of exchanges may be alive at once: those on the same communicator share what they need
/// of MPI and of shared memory until the communicator is freed and the last of them has ended. By
/// rma each keeps a window of its own, of which MPI has some two thousand (Error says so when there
/// are no more), and all ranks end such exchanges in the same order; others end in any order.
class Exchange {
 public:
  /// Of several fields that travel together; `pattern` counts elements of each. Without `comm` on
  /// MPI_COMM_WORLD.
  Exchange(MPI_Comm comm, const Pattern& pattern, std::vector<Field> fields, const Scheme& scheme,
           const ExchangeOptions& options = {});
  Exchange(const Pattern& pattern, std::vector<Field> fields, const Scheme& scheme,
           const ExchangeOptions& options = {})
      : Exchange(world(), pattern, std::move(fields), scheme, options) {}
  Exchange(const Pattern& pattern, const Field& field, const Scheme& scheme,
           const ExchangeOptions& options = {})
      : Exchange(world(), pattern, std::vector<Field>{field}, scheme, options) {}
  Exchange(MPI_Comm comm, const Pattern& pattern, const Field& field, const Scheme& scheme,
           const ExchangeOptions& options = {})
      : Exchange(comm, pattern, std::vector<Field>{field}, scheme, options) {}
  Exchange(const Pattern& pattern, std::initializer_list<Field> fields, const Scheme& scheme,
           const ExchangeOptions& options = {})
      : Exchange(world(), pattern, std::vector<Field>(fields), scheme, options) {}
  Exchange(MPI_Comm comm, const Pattern& pattern, std::initializer_list<Field> fields,
           const Scheme& scheme, const ExchangeOptions& options = {})
      : Exchange(comm, pattern, std::vector<Field>(fields), scheme, options) {}
  /// A std::vector may move: it is no field.
  template <class T>  // clang-format off
    requires(!std::is_same_v<T, Field>)
  Exchange(const Pattern& pattern, const std::vector<T>&, const Scheme& scheme,
           const ExchangeOptions& options = {})  // clang-format on
      : Exchange(world(), pattern, std::vector<Field>(), scheme, options) {
    static_assert(sizeof(T) == 0, "halocline: give field(x.data(), x.size()) for a std::vector x");
  }
  template <class T>  // clang-format off
    requires(!std::is_same_v<T, Field>)
  Exchange(MPI_Comm comm, const Pattern& pattern, const std::vector<T>&, const Scheme& scheme,
           const ExchangeOptions& options = {})  // clang-format on
      : Exchange(comm, pattern, std::vector<Field>(), scheme, options) {
    static_assert(sizeof(T) == 0, "halocline: give field(x.data(), x.size()) for a std::vector x");
  }
  /// From some arrays into others, as when an array is spread over the ranks in another way: what
  /// leaves does so from `from`, and lands in `to`; so do copies. The pattern counts elements of
  /// either. `to` has as many fields as `from`, of elements of the same sizes; no two overlap.
  Exchange(MPI_Comm comm, const Pattern& pattern, std::vector<Field> from,
           const std::vector<Field>& to, const Scheme& scheme, const ExchangeOptions& options = {});
  Exchange(MPI_Comm comm, const Pattern& pattern, const Field& from, const Field& to,
           const Scheme& scheme, const ExchangeOptions& options = {})
      : Exchange(comm, pattern, std::vector<Field>{from}, std::vector<Field>{to}, scheme, options) {
  }
  ~Exchange();
  Exchange(Exchange&&) noexcept;
  Exchange& operator=(Exchange&&) noexcept;

  /// Of fields on a device, in the order of the caller's stream: the cells are those that it leaves
  /// there, and what it is given after `finish` finds the halos. Other streams are not waited for.
  void start(DeviceStream stream);
  void finish(DeviceStream stream);

  void start();   ///< the cells sent must stay as they are until `finish`
  void finish();  ///< waits; throws Timeout when nothing moves for too long
  void run() {
    start();
    finish();
  }

  /// In place of `start`: what leaves is marked ready part by part, and a part leaves at once where
  /// the method can send one (p2p:partitioned), elsewhere with the last of them. By one thread,
  /// before any calls `ready`.
  void open();
  /// Elements [first, first + count) of send link `link` (as in `Pattern::sends()`, in message
  /// order) are written. Every element is marked once in a step. By any threads at the same time,
  /// where MPI gives MPI_THREAD_MULTIPLE; exchanges that change or combine cannot tell parts apart.
  void ready(std::size_t link, std::size_t first, std::size_t count);
  /// Waits until elements of receive link `link` are in the halo, and returns true, where the
  /// method can tell parts apart; else false at once, and they are there after `finish`. By any
  /// threads at the same time. What is not asked for, `finish` waits for.
  bool await(std::size_t link, std::size_t first, std::size_t count);

  /// Other blocks, and other fields if their arrays have moved, for the same peers from the next
  /// step on; peers without blocks get nothing. Local: nobody waits here, and no window,
  /// communicator or message buffer is made anew while everything fits. That both ends of a link
  /// agree is checked when the next step's messages arrive. Throws Error if the exchange was not
  /// made with ExchangeOptions::changes, or knows a peer not. Returns the pattern until now, whose
  /// memory the next one may use again: a pattern moved in and out costs no copy. Where what lands
  /// does so in other fields, these follow those that leave.
  Pattern change(Pattern pattern);
  Pattern change(Pattern pattern, std::vector<Field> fields);

  const Scheme& scheme() const noexcept;    ///< of `auto`: what it has become
  std::size_t bytes_sent() const noexcept;  ///< by this rank in one step

  /// True when halos are read in the neighbour's memory (Halos::in_place and `access=direct`).
  bool direct() const noexcept;
  /// Block `block` of receive link `link` (as in `Pattern::receives()`) of field `field`.
  View view(std::size_t link, std::size_t block, std::size_t field = 0) const;
  /// Copies into the halos what `view` finds in neighbours' memory, for sweeps that read them
  /// beside their own cells. Between `finish` and the next `start`; nothing to do if not `direct`.
  void land() const;

  void measure(bool on) noexcept;               ///< keep `times()`; off by default
  const ExchangeTimes& times() const noexcept;  ///< seconds
  /// Always kept.
  const DeviceTraffic& device_traffic() const noexcept;
  void reset_times() noexcept;

 private:
  void describe(MPI_Comm comm);
  methods::Method& method() const;

  std::unique_ptr<methods::Method> method_;
  std::uint16_t traced_ = 0;  // its number in a trace
  std::uint32_t step_ = 0;
};

}  // namespace halocline
