#pragma once
// Exchanges: a pattern bound to memory and to a method; set up once, run many times.

#include <halocline/array.hpp>
#include <halocline/combine.hpp>
#include <halocline/device_stream.hpp>
#include <halocline/environment.hpp>
#include <halocline/field_list.hpp>
#include <halocline/pattern.hpp>
#include <halocline/scheme.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#pragma GCC visibility push(default)

namespace halocline {

/// Seconds spent in the parts of an exchange, summed since the last reset.
struct ExchangeTimes {
  double pack = 0;      ///< copying to and from message buffers
  double transfer = 0;  ///< calls that start communication
  double wait = 0;      ///< until the halos have arrived and the sent cells are free
  double copy = 0;      ///< between device and host
  ExchangeTimes& operator+=(const ExchangeTimes& other) noexcept {
    pack += other.pack;
    transfer += other.transfer;
    wait += other.wait;
    copy += other.copy;
    return *this;
  }
};

/// Bytes that exchanges of fields on a device have copied, since the last reset.
struct DeviceTraffic {
  std::uint64_t to_host = 0, to_device = 0;
  std::uint64_t within = 0;  ///< between devices
  std::uint64_t copies = 0;  ///< how many there were
  DeviceTraffic& operator+=(const DeviceTraffic& other) noexcept {
    to_host += other.to_host;
    to_device += other.to_device;
    within += other.within;
    copies += other.copies;
    return *this;
  }
};

/// Where a caller reads halos: in its own memory, or where `Exchange::view` finds them.
enum class Halos { filled, in_place };

/// Where the elements of a halo block can be read after `finish()`: in my own halo, or, with
/// Halos::in_place and `access=direct`, in the neighbour's memory.
struct HaloView {
  const std::byte* data;  ///< first element
  /// Bytes from plane to plane, from row to row, and from element to element.
  std::array<std::ptrdiff_t, 3> stride;
};

/// One of several patterns of an exchange, and the fields that it is of.
struct ExchangePart {
  Pattern pattern{};            ///< counts elements of each of the fields
  std::vector<Field> fields{};  ///< sent from and, unless there are others, received in
  std::vector<Field> to{};      ///< received in, where these are others
};

struct ExchangeOptions {
  Combine combine{};
  /// `Exchange::change` may replace the pattern by another one.
  bool changes = false;
  /// The most elements that you expect on a link when the pattern changes; the largest that any
  /// rank gives counts. A hint: more elements are sent, too.
  std::size_t capacity = 0;
  /// With Halos::in_place the caller promises to read halos only through `Exchange::view`, and to
  /// overwrite sent cells only when a later exchange in the other direction has finished. Otherwise
  /// every scheme fills the halos: `access=direct` is then `access=copy`, and `auto+access=any` is
  /// `auto`. An exchange that changes or combines, of several parts, or of fields whose elements do
  /// not follow each other, always fills its halos.
  Halos halos = Halos::filled;
  /// What arrives for one cell may be combined in any order. For numbers with a floating point a
  /// scheme that leaves the order to MPI (`rma:accumulate`) brings other last digits in each run,
  /// and is refused without this; `auto` does not try it then.
  bool any_order = false;
};

class Section;

namespace methods {
class Method;
}
namespace detail {
using namespace methods;
}  // namespace detail

/// Between `start` and `finish` a caller may read everything it owns and write what the pattern
/// does not send; it may not touch halos, which are all cells that the pattern receives, also those
/// that something is added to. A cell that is sent, and to which something is added as well, is
/// sent as it was at `start`. Starting a step twice, finishing one that has not started, starting
/// one after a step that threw, and using an exchange that has been moved from are Errors. An
/// exchange may be moved while a step is under way. When `finish` returns, the halos are this
/// step's and the caller may overwrite the sent cells (with Halos::in_place: once a later exchange
/// in the other direction has finished, as with two grids in turn). `run` is both.
///
/// Fields may lie on a device (MemoryKind::device, or any address that the opened device knows), on
/// all ranks alike. The device packs and unpacks them. The option `device=` of every scheme says
/// how messages are sent, and `scheme()` which way was chosen. Without a stream, `start` takes the
/// cells as they are, and after `finish` all streams find the halos. Exchanges that change or
/// combine need fields on the host.
///
/// An exchange is bound to the fields that it is made with, or it is made with `unbound<T>()` in
/// place of each, on all ranks alike, and is given arrays at each step: `run(field(x))`. All that
/// is set up serves any of them, and to give others costs nothing. Every scheme can; those that
/// work on the very arrays (pack=off, access=copy and direct, rma:accumulate) or whose requests are
/// bound to addresses (persistent, partitioned) then work on memory of the library, to which and
/// from which cells are copied, and `access=direct` fills halos. One bound takes its own only.
///
/// All ranks of `comm` construct, start and finish exchanges in the same order; several may be
/// under way at once. One thread at a time makes, runs and destroys the exchanges of one
/// communicator; threads with a communicator each (MPI_Comm_dup) may do so at the same time, if MPI
/// gives MPI_THREAD_MULTIPLE (docs/how-to/threads.md). After construction an exchange uses a
/// duplicate of `comm`, not `comm` itself. Construction checks the
/// pattern across ranks and throws the same Error on all of them if it does not fit: every send
/// needs a receive of the same size, every field holds what the pattern names, no field of constant
/// elements is received in, and unless the exchange combines, no received element may overlap
/// another received or a sent one. No two fields have bytes in common that are received.
///
/// Each rank destroys exchanges when it likes, in any order, whatever the scheme: also between
/// `start` and `finish`, as by an exception, after `comm` has been freed, and after MPI_Finalize.
/// That does not wait, and the caller's own memory is its own again. What MPI has of one that all
/// ranks have destroyed it gets back when they meet next on `comm`, to make something there, to
/// free it, or at the end of MPI. In the middle of a step late messages arrive in memory of the
/// library, or of the Array that they were meant for, which stays alive; what is sent from memory
/// of the caller's own is waited for up to a tenth of a second.
///
/// Others reach memory by windows (rma with pack=off, rma:accumulate) only where the library can
/// keep it, in an Array or an Arena. Elsewhere, cells go by way of messages (`memory_hint`).
///
/// Thousands of exchanges may be alive at once: those on the same communicator share what they need
/// of MPI and of shared memory until the communicator is freed and the last of them has ended.
/// Exchanges by rma have a window each, of which MPI has some two thousand (an Error says so when
/// there are no more).
class Exchange {
  friend class Section;

 public:
  /// A pattern and a field, or several that travel in the same messages: `u`, `{u, v}`. The pattern
  /// counts elements of each. Without `comm` on MPI_COMM_WORLD.
  Exchange(const Pattern& pattern, const FieldList& fields, const Scheme& scheme = {},
           const ExchangeOptions& options = {})
      : Exchange(world(), pattern, fields, scheme, options) {}
  Exchange(MPI_Comm comm, const Pattern& pattern, const FieldList& fields,
           const Scheme& scheme = {}, const ExchangeOptions& options = {});
  /// From some arrays into others, as when an array is to be spread over the ranks in another way:
  /// elements are sent from `from` and received in `to`; so are copies. The pattern counts elements
  /// of either. `to` has as many fields as `from`, of elements of the same sizes; no two overlap.
  Exchange(MPI_Comm comm, const Pattern& pattern, const FieldList& from, const FieldList& to,
           const Scheme& scheme = {}, const ExchangeOptions& options = {});
  /// Several patterns, each of fields of its own, with one message to a peer for all of them: faces
  /// and centres of a staggered grid, the levels of a hierarchy. Both ends of a link name the parts
  /// that it has in the same order. Either all parts are received in fields of their own
  /// (ExchangePart::to) or none.
  Exchange(MPI_Comm comm, std::vector<ExchangePart> parts, const Scheme& scheme = {},
           const ExchangeOptions& options = {});
  /// The same for a pattern whose blocks say of which part they are (Block::part), as one of
  /// several blocks a rank: block after block in the pattern's order, in the first field of each
  /// block's part, then in the second ones. So ranks may number their parts as they like, and may
  /// have none, as long as both ends of a link order its blocks alike; elements may stay on a rank
  /// that go from one part to another. `fields[i]` are those of part i.
  Exchange(MPI_Comm comm, const Pattern& pattern, const std::vector<std::vector<Field>>& fields,
           const Scheme& scheme = {}, const ExchangeOptions& options = {});
  ~Exchange();
  Exchange(Exchange&&) noexcept;
  Exchange& operator=(Exchange&&) noexcept;

  /// The cells sent must stay as they are until `finish`. An unbound exchange is given the arrays
  /// of the step; one from some fields into others first those sent from, then those received in.
  /// They must stay where they are until `finish`; other ranks may give others, or the same again,
  /// as they like. Throws Error, on this rank alone, if they are not as many, of elements of the
  /// same sizes and types, and as large as when the exchange was made, or not in the host's memory.
  void start(const FieldList& fields = {});
  void finish();  ///< waits; throws Timeout when nothing moves for too long
  void run(const FieldList& fields = {}) {
    start(fields);
    finish();
  }
  /// For fields on a device, in the order of the caller's stream: `start` sends the cells as the
  /// work already in the stream leaves them, and work put into it after `finish` finds the halos.
  /// Other streams are not waited for.
  void start(DeviceStream stream);
  void finish(DeviceStream stream);

  /// In place of `start`: the caller marks elements ready part by part. A method that can
  /// (p2p:partitioned) sends each part at once, others send all with the last part. One thread
  /// calls it, before any thread calls `ready`.
  void open(const FieldList& fields = {});
  /// Elements [first, first + count) of send link `link` (as in `Pattern::sends()`, in message
  /// order) are ready. The caller marks every element once in a step. Several threads may call it
  /// at the same time if MPI gives MPI_THREAD_MULTIPLE. Exchanges that change or combine cannot
  /// distinguish parts.
  void ready(std::size_t link, std::size_t first, std::size_t count);
  /// If the method can distinguish parts, waits until these elements of receive link `link` are in
  /// the halo, and returns true. Otherwise returns false at once; the elements are there after
  /// `finish`. Several threads may call it at the same time. `finish` waits for the rest.
  bool await(std::size_t link, std::size_t first, std::size_t count);

  /// From the next step on exchanges other blocks with the same peers, and other fields if arrays
  /// have moved; peers without blocks get nothing. Local: it does not wait, and makes no window,
  /// communicator or message buffer while everything fits. The receiver checks that both ends of a
  /// link agree when the next step's messages arrive. Throws Error if the exchange was not made
  /// with ExchangeOptions::changes, or if it does not know a peer. Returns the old pattern, whose
  /// memory the next one may use again: moving a pattern in and out costs no copy. For an exchange
  /// from some fields into others, give first those sent from, then those received in.
  Pattern change(Pattern pattern);
  Pattern change(Pattern pattern, std::vector<Field> fields);

  /// The ranks that it is of, in their order: a duplicate of the communicator that it was made on,
  /// which the library sends on. Ask it for ranks, and send on one of your own.
  MPI_Comm comm() const;
  /// What is exchanged in the next step; of several parts one that says of each block which it is
  /// in.
  const Pattern& pattern() const;
  /// The fields that are sent from and then, if there are others, those that are received in.
  std::span<const Field> fields() const;
  const Scheme& scheme() const;    ///< of `auto`: what it has become
  std::size_t bytes_sent() const;  ///< by this rank in one step
  /// What memory that the library allocates would gain, as a sentence: how many bytes this rank
  /// copies in a step only because fields lie in memory of the caller's own, and what to allocate.
  /// Empty where it would gain nothing.
  std::string memory_hint() const;

  /// True if the caller reads halos in the neighbour's memory (Halos::in_place and
  /// `access=direct`).
  bool direct() const;
  /// Block `block` of receive link `link` (as in `Pattern::receives()`) of field `field`, one of
  /// those of the block's part. Throws Error if strides cannot say where its elements are: of a
  /// field with axes, a block that is no box of it.
  HaloView view(std::size_t link, std::size_t block, std::size_t field = 0) const;
  /// Copies what `view` finds in neighbours' memory into the halos, for sweeps that read them
  /// beside their own cells. Call it between `finish` and the next `start`; it does nothing if not
  /// `direct`.
  void fill_halos();

  void measure(bool on);               ///< keep `times()`; off by default
  const ExchangeTimes& times() const;  ///< seconds
  /// Always kept.
  const DeviceTraffic& device_traffic() const;
  void reset_times();

  /// A pointer to numbers is neither a stream nor a field, and says so.
  template <class T>  // clang-format off
    requires std::is_arithmetic_v<T>
  void start(T* numbers) { start(FieldList(numbers)); }  // clang-format on

 private:
  void describe(MPI_Comm comm);
  /// Begins a step, on these fields if there are any.
  template <class Begin>
  void begin_on(const char* call, std::span<const Field> fields, Begin&& begin);
  methods::Method& method() const;

  std::shared_ptr<methods::Method> method_;
  std::uint16_t traced_ = 0;  // its number in a trace
  std::uint32_t step_ = 0;
};

}  // namespace halocline

#pragma GCC visibility pop
