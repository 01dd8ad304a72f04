// The file of a trace: a head by rank 0, then what each rank has, written by itself.
// docs/reference/trace-file.md describes it.

#include "base/lock_file.hpp"
#include "base/text.hpp"
#include "base/whole_file.hpp"
#include "mpi/collectives.hpp"
#include "recorder.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>

namespace halocline::trace {

namespace {

using namespace detail;

constexpr char magic[] = "halocline-trace\n";
constexpr std::size_t magic_bytes = sizeof magic - 1;
constexpr std::uint64_t version = 1;

using base::json_string;

template <class Items, class Say>
std::string list(const Items& items, Say&& say) {
  std::string json = "[";
  for (const char* between = ""; const auto& item : items) {
    json.append(between).append(say(item));
    between = ", ";
  }
  return json + "]";
}

std::string number(auto value) {
  return std::to_string(value);
}

/// What lies in the file begins at a multiple of 8 bytes.
void fill_up(std::string& text) {
  text.resize((text.size() + 7) / 8 * 8, ' ');
}

/// From this rank's ticks to nanoseconds since the trace began, by rank 0's clock.
class Time {
 public:
  explicit Time(Recorder& recorder) : began_(recorder.began), line_(recorder.clock->line()) {
    const Anchor now = Anchor::now();
    rate_ = (now.seconds - began_.seconds) / static_cast<double>(now.ticks - began_.ticks);
    zero_ = mpi::from_rank(recorder.comm, 0, line_.to_reference(began_.seconds));
  }
  std::int64_t of(Ticks ticks) const {
    const double local = began_.seconds + static_cast<double>(ticks - began_.ticks) * rate_;
    return std::llround((line_.to_reference(local) - zero_) * 1e9);
  }
  double seconds_a_tick() const { return rate_; }

 private:
  Anchor began_;
  ClockLine line_;
  double rate_ = 0, zero_ = 0;
};

/// A rank's part of the file.
struct Part {
  std::string description;
  std::vector<std::span<Record>> records;
  std::vector<float> sums;  ///< seconds

  std::uint64_t count() const {
    return std::accumulate(records.begin(), records.end(), std::uint64_t{0},
                           [](std::uint64_t sum, auto& some) { return sum + some.size(); });
  }
  std::uint64_t bytes() const {
    return description.size() + count() * sizeof(Record) +
           (sums.size() * sizeof(float) + 7) / 8 * 8;
  }
};

std::string described(const Described& one) {
  const auto links = [](const std::vector<Link>& all) {
    return list(all, [](const Link& link) {
      return std::string("[").append(number(link.peer)).append(", ").append(number(link.bytes)) +
             "]";
    });
  };
  return "{\"number\": " + number(one.number) + ", \"what\": " + json_string(one.what) +
         ", \"waits\": " + json_string(one.waits) +
         (one.ranks.empty()
              ? ""
              : ", \"ranks\": " + list(one.ranks, [](int rank) { return number(rank); })) +
         ", \"sends\": " + links(one.sends) + ", \"receives\": " + links(one.receives) + "}";
}

Part part_of(Recorder& recorder) {
  const Time time(recorder);
  Part part;
  std::string threads;
  for (const auto& buffer : Buffers::instance().all) {
    std::uint64_t count = 0, kept_first = 0;
    for (const std::span<Record> some : buffer->in_order()) {
      for (Record& record : some) {
        record.begin = time.of(record.begin);
        record.end = time.of(record.end);
        record.thread = buffer->number();
      }
      if (count == 0) kept_first = some.size();
      count += some.size();
      part.records.push_back(some);
    }
    threads += (threads.empty() ? "" : ", ") + ("{\"events\": " + number(count)) +
               ", \"dropped\": " + number(buffer->dropped()) +
               ", \"dropped_after\": " + number(kept_first) + ", \"regions\": " +
               list(buffer->regions(), [](const char* name) { return json_string(name); }) + "}";
  }
  const Buffer& main = *Buffers::instance().all.front();
  for (const Buffer::Row& row : main.rows())
    for (const float ticks : row)
      part.sums.push_back(static_cast<float>(ticks * time.seconds_a_tick()));
  part.description = "{\"host\": " + json_string(base::own_host()) + ", \"threads\": [" + threads +
                     "], \"steps\": " + number(main.steps()) +
                     ", \"steps_a_row\": " + number(main.steps_a_row()) +
                     ", \"exchanges\": " + list(recorder.exchanges, described) + "}";
  fill_up(part.description);
  return part;
}

/// One of several processes' hands on a file, which users know as `file`.
class Shared {
 public:
  Shared(const std::string& name, std::string file, int rank)
      : file_(std::move(file)),
        rank_(rank),
        descriptor_(::open(name.c_str(), O_WRONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) fail();
  }
  ~Shared() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  void write(const void* data, std::size_t bytes, std::uint64_t& place) const {
    const auto* next = static_cast<const char*>(data);
    while (bytes > 0) {
      const ssize_t done = ::pwrite(descriptor_, next, bytes, static_cast<off_t>(place));
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) fail();
      next += done, bytes -= static_cast<std::size_t>(done);
      place += static_cast<std::uint64_t>(done);
    }
  }
  void finish() {
    if (::close(std::exchange(descriptor_, -1)) != 0) fail();
  }

 private:
  /// It may have failed here alone, where the file is not the one that rank 0 has made.
  [[noreturn]] void fail() const {
    throw Error("trace " + file_ + ": " + std::strerror(errno) + " (on rank " +
                std::to_string(rank_) + ", host " + base::own_host() + ")");
  }
  std::string file_;
  int rank_;
  int descriptor_;
};

std::string head_of(const Recorder& recorder, const std::vector<std::uint64_t>& parts) {
  std::string ranks;
  for (std::size_t i = 0; i + 3 < parts.size(); i += 4)
    ranks += (ranks.empty() ? "" : ", ") + ("{\"bytes\": " + number(parts[i])) +
             ", \"description_bytes\": " + number(parts[i + 1]) +
             ", \"events\": " + number(parts[i + 2]) + ", \"sums\": " + number(parts[i + 3]) + "}";
  std::string json =
      "{\"job\": " + base::utf8(recorder.job) +
      ", \"activities\": " + list(activity_names, [](auto& one) { return json_string(one); }) +
      ", \"clock\": {\"source\": \"" + (counts_tsc ? "tsc" : "steady clock") +
      "\", \"error_s\": " + base::text(recorder.clock->error()) + "}, \"ranks\": [" + ranks + "]}";
  fill_up(json);
  return json;
}

/// Collective.
void write_parts(Recorder& recorder, Part& part, const std::string& file) {
  const MPI_Comm comm = recorder.comm;
  const bool root = mpi::rank(comm) == 0;
  const auto all =
      mpi::at_root(comm, std::vector<std::uint64_t>{part.bytes(), part.description.size(),
                                                    part.count(), part.sums.size()});
  std::uint64_t place = mpi::sum_before(comm, part.bytes());  // after the parts of those before

  std::optional<base::WholeFile> whole;  // on rank 0
  std::uint64_t begin = 0;
  mpi::together(comm, [&] {
    if (!root) return;
    const std::string head = head_of(recorder, all);
    whole.emplace("trace", file, base::Writing::shared);
    const std::uint64_t numbers[] = {version, head.size()};
    for (const std::string_view part :
         {std::string_view(magic, magic_bytes),
          std::string_view(reinterpret_cast<const char*>(numbers), sizeof numbers),
          std::string_view(head)}) {
      whole->write_at(begin, part);
      begin += part.size();
    }
  });
  place += mpi::from_rank(comm, 0, begin);
  const std::string name = mpi::from_root(comm, whole ? whole->name() : "");
  mpi::together(comm, [&] {
    Shared out(name, file, mpi::rank(comm));
    out.write(part.description.data(), part.description.size(), place);
    for (const auto& some : part.records) out.write(some.data(), some.size_bytes(), place);
    part.sums.resize((part.sums.size() + 1) / 2 * 2);
    out.write(part.sums.data(), part.sums.size() * sizeof(float), place);
    out.finish();
  });
  mpi::together(comm, [&] {
    if (whole) whole->finish();
  });
}

}  // namespace

void write(MPI_Comm comm, const std::string& file) {
  mpi::expect_ranks(comm);
  Recorder& recorder = Recorder::instance();
  if (!recorder.described)
    throw Error("trace: nothing has been recorded; trace::begin comes first");
  int same = MPI_UNEQUAL;
  HALOCLINE_MPI(MPI_Comm_compare, comm, recorder.comm, &same);
  if (same == MPI_UNEQUAL) throw Error("trace: written by other ranks than those that began it");
  record(false);
  recorder.described = false;
  recorder.clock->refresh();
  Part part = part_of(recorder);
  write_parts(recorder, part, file);
  recorder.clock.reset();
  Buffers::instance().end();
  recorder.comm = {};
}

}  // namespace halocline::trace
