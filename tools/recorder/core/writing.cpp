#include "writing.hpp"

#include "call.hpp"
#include "json.hpp"
#include "place.hpp"

#include <preload/behind.hpp>

#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace recorder {

namespace {

struct Process {
  Whose whose;
  char path[4200];
  char part[4300];
  char host[256];
  char executable[4096];
  char program[8192];  // words, each with a zero behind it
  std::size_t program_size;
  cpu_set_t cpus;
} process;

void cannot_write(const char* path) {
  char line[4600];
  int size = std::snprintf(line, sizeof(line), "halocline-preload: cannot write %s: %s\n", path,
                           std::strerror(errno));
  if (size > 0) (void)!write(STDERR_FILENO, line, static_cast<std::size_t>(size));
}

}  // namespace

void make_folder(const char* path) {
  char folder[4096];
  std::snprintf(folder, sizeof(folder), "%s", path);
  for (char* at = folder + 1; *at; ++at) {
    if (*at != '/') continue;
    *at = 0;
    mkdir(folder, 0777);
    *at = '/';
  }
  mkdir(folder, 0777);
}

void choose_file(const Recording& run, MPI_Comm world) {
  find_place(run, world, process.whose);
  const char* full = process.whose.folder;
  make_folder(full);
  if (access(full, W_OK | X_OK) != 0) {
    cannot_write(full);
    _exit(EXIT_FAILURE);
  }
  std::snprintf(process.path, sizeof(process.path), "%s/rank-%05d.jsonl", full, run.rank);
  std::snprintf(process.part, sizeof(process.part), "%s.%d", process.path,
                static_cast<int>(getpid()));
  // What an earlier launch left there does not belong to this one.
  unlink(process.path);
  if (run.rank == 0) {
    for (int rank = run.ranks;; ++rank) {
      char other[4200];
      std::snprintf(other, sizeof(other), "%s/rank-%05d.jsonl", full, rank);
      if (unlink(other) != 0) break;
    }
  }

  gethostname(process.host, sizeof(process.host) - 1);
  ssize_t length = readlink("/proc/self/exe", process.executable, sizeof(process.executable) - 1);
  if (length < 0) process.executable[0] = 0;
  int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    length = read(file, process.program, sizeof(process.program) - 1);
    process.program_size = length > 0 ? static_cast<std::size_t>(length) : 0;
    close(file);
  }
  sched_getaffinity(0, sizeof(process.cpus), &process.cpus);
}

// In a handler of signals, too.
bool is_written(int rank) {
  char path[4200], digits[12];
  std::size_t size = std::strlen(process.whose.folder);
  std::memcpy(path, process.whose.folder, size);
  std::memcpy(path + size, "/rank-", 6);
  char* at = path + size + 6;
  int count = 0;
  for (int rest = rank; rest > 0 || count < 5; rest /= 10) {
    digits[count++] = static_cast<char>('0' + rest % 10);
  }
  while (count > 0) *at++ = digits[--count];
  std::memcpy(at, ".jsonl", 7);
  return access(path, F_OK) == 0;
}

namespace {

void write_argument(Json& json, const char* key, std::int32_t value) {
  if (value == kAbsent) return;
  json.key(key);
  if (value == kAny) {
    json.value_text("any");
  } else if (value == kNull) {
    json.value_text("null");
  } else {
    json.value(value);
  }
}

// Names libraries that communicate unseen by the recorder.
void write_libraries(Json& json) {
  static const char* const kUnseen[] = {"libnccl", "librccl",    "liboshmem", "libsma",
                                        "libGPI2", "libnvshmem", "libucc_",   "libgaspi"};
  json.key("libraries").open('[');
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        const char* name = info->dlpi_name ? info->dlpi_name : "";
        if (const char* slash = std::strrchr(name, '/')) name = slash + 1;
        for (const char* unseen : kUnseen) {
          if (std::strncmp(name, unseen, std::strlen(unseen)) == 0)
            static_cast<Json*>(data)->value_text(name);
        }
        return 0;
      },
      &json);
  json.close(']');
}

// The recorder's own time in the calls that were looked at; others took their function's mean.
class OwnTimes {
 public:
  explicit OwnTimes(Calls& calls) {
    for (std::uint32_t at = 0; at < calls.size(); ++at) {
      of_[calls[at].signature.function].add(calls[at].own_sum, calls[at].looks);
    }
  }
  Ticks of(const CallLine& line) const {
    Mean mean = of_[line.signature.function];
    if (line.looks > 0) mean = {line.own_sum, line.looks};
    return mean.looks == 0 ? 0 : mean.sum * static_cast<Ticks>(line.times) / mean.looks;
  }

 private:
  struct Mean {
    Ticks sum = 0;
    Ticks looks = 0;
    void add(Ticks more, std::int64_t of) {
      sum += more;
      looks += of;
    }
  };
  Mean of_[kFunctions];
};

Ticks own_time_of(Recording& run) {
  OwnTimes own(run.calls);
  Ticks all = 0;
  for (std::uint32_t at = 0; at < run.calls.size(); ++at) all += own.of(run.calls[at]);
  for (const Thread* thread : run.threads) all += thread ? thread->own : 0;
  return all;
}

void write_run(Json& json, Recording& run, const char* how, bool in_signal) {
  json.line_begins();
  json.field("recording", 1);
  json.field("rank", run.rank);
  json.field("ranks", run.ranks);
  json.field("run", process.whose.run);
  json.field("launched", process.whose.launched);
  json.field("started", process.whose.started);
  if (*process.whose.job) json.field("job", process.whose.job);
  if (process.whose.named) json.key("named").value_raw("true");
  json.field("host", process.host);
  json.key("cpus").open('[');
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &process.cpus)) json.value(cpu);
  }
  json.close(']');
  json.field("pid", getpid());
  json.key("program").open('[');
  for (std::size_t at = 0; at < process.program_size; at += std::strlen(process.program + at) + 1) {
    json.value_text(process.program + at);
  }
  json.close(']');
  json.field("executable", process.executable);
  json.field("library", preload::library_version());
  json.field("interface", preload::own_interface());
  json.field("threads", run.threads_word);
  json.field_moment("begin", run.begin);
  json.field_moment("end", run.end);
  json.field("how", how);
  json.key("offset").open('[');
  for (int at = 0; at < run.offset_count; ++at) {
    json.open('[');
    json.value_seconds(run.offsets[at][0]);
    json.value_seconds(run.offsets[at][1]);
    json.close(']');
  }
  json.close(']');
  json.key("offset_within").value_seconds(run.offset_within);
  json.field("calls", static_cast<std::int64_t>(run.call_count));
  const Thread* first = run.threads[0];
  const Ticks unfinished = first && first->call ? run.end - first->call->entered() : 0;
  json.field_duration("in_mpi", first ? first->inside + unfinished : 0);
  json.field_duration("own", own_time_of(run));
  json.field_duration("timed", first ? first->timed : 0);
  json.key("processor").value_seconds(first ? first->processor : 0);
  json.key("left_out").open('{');
  json.field("signatures", static_cast<std::int64_t>(run.calls.left_out()));
  json.field("shapes", static_cast<std::int64_t>(run.shapes.left_out()));
  json.field("messages", static_cast<std::int64_t>(run.messages.left_out()));
  json.field("meetings", static_cast<std::int64_t>(run.meetings.left_out()));
  std::uint64_t sequence = 0;
  for (const Thread* thread : run.threads) sequence += thread ? thread->sequence->left_out() : 0;
  json.field("sequence", static_cast<std::int64_t>(sequence));
  json.field("sites", static_cast<std::int64_t>(run.sites.left_out()));
  json.field("layouts", static_cast<std::int64_t>(run.layouts.left_out()));
  json.field("communicators", static_cast<std::int64_t>(run.communicators.left_out()));
  json.field("windows", static_cast<std::int64_t>(run.windows.left_out()));
  json.field("requests", static_cast<std::int64_t>(run.requests.left_out()));
  json.close('}');
  if (smaller_by > 0) json.field("smaller", std::int64_t{1} << smaller_by);
  json.key("unseen").open('{');
  if (run.shared_windows > 0)
    json.field("shared windows", static_cast<std::int64_t>(run.shared_windows));
  if (run.spawned_processes > 0)
    json.field("spawns", static_cast<std::int64_t>(run.spawned_processes));
  json.close('}');
  if (!in_signal) write_libraries(json);
  json.line_ends();
}

void write_sites(Json& json, const Sites& sites) {
  for (std::uint32_t number = 0; number < sites.size(); ++number) {
    json.line_begins();
    json.field("site", number);
    json.key("frames").open('[');
    for (std::uint32_t at = 0; at < sites[number].frames; ++at) {
      const Frame& frame = sites.frame(sites[number].first_frame + at);
      json.open('[');
      json.value_text(sites.text(frame.object));
      json.value(static_cast<std::int64_t>(frame.address));
      json.value_text(sites.text(frame.symbol));
      json.close(']');
    }
    json.close(']');
    json.line_ends();
  }
}

void write_layouts(Json& json, const Layouts& layouts) {
  for (std::uint32_t number = 0; number < layouts.size(); ++number) {
    const Layout& layout = layouts[number];
    json.line_begins();
    json.field("layout", number);
    json.field("type", layouts.words(layout.words));
    json.field("bytes", layout.bytes);
    json.field("extent", layout.extent);
    if (layout.lower_bound != 0) json.field("lower_bound", layout.lower_bound);
    if (layout.blocks > 0) {
      json.field("blocks", layout.blocks);
      if (layout.block_bytes > 0) json.field("block_bytes", layout.block_bytes);
      json.key("offsets").open('[');
      for (std::uint32_t at = 0; at < layout.offsets; ++at) {
        const Layouts::Offset& offset = layouts.offset(layout.first_offset + at);
        json.open('[');
        json.value(offset.at);
        json.value(offset.bytes);
        json.close(']');
      }
      json.close(']');
    }
    json.line_ends();
  }
}

void write_members(Json& json, const Communicators& all, const char* key, std::int64_t first,
                   std::int32_t count) {
  if (first < 0) return;
  json.key(key).open('[');
  for (std::int32_t at = 0; at < count; ++at) json.value(all.member(first + at));
  json.close(']');
}

void write_topology(Json& json, const Communicators& all, const Communicator& comm) {
  if (comm.topology != MPI_CART && comm.topology != MPI_GRAPH && comm.topology != MPI_DIST_GRAPH)
    return;
  json.key("topology").open('{');
  if (comm.topology == MPI_CART) {
    json.field("kind", "cart");
    write_members(json, all, "dims", comm.first_topology, comm.dimensions);
    json.key("periodic").open('[');
    for (std::int32_t at = 0; at < comm.dimensions; ++at) {
      json.value_raw(all.member(comm.first_topology + comm.dimensions + at) ? "true" : "false");
    }
    json.close(']');
  } else {
    json.field("kind", comm.topology == MPI_GRAPH ? "graph" : "dist_graph");
    write_members(json, all, "sources", comm.first_source, comm.sources);
    write_members(json, all, "destinations", comm.first_destination, comm.destinations);
  }
  json.close('}');
}

void write_communicators(Json& json, Communicators& all) {
  for (std::uint32_t number = 0; number < all.size(); ++number) {
    const Communicator& comm = all[static_cast<std::int32_t>(number)];
    json.line_begins();
    json.field("comm", number);
    json.field("key", comm.key.words);
    json.field("rank", comm.rank);
    json.field("size", comm.size);
    write_members(json, all, "members", comm.first_member, comm.size);
    if (comm.remote_size > 0)
      write_members(json, all, "remote", comm.first_remote, comm.remote_size);
    write_topology(json, all, comm);
    json.field("made_by", kFunctionNames[static_cast<std::size_t>(comm.maker)]);
    if (comm.times > 1) json.field("made", comm.times);
    json.line_ends();
  }
}

void write_windows(Json& json, Windows& windows) {
  for (std::uint32_t number = 0; number < windows.size(); ++number) {
    const Window& window = windows[static_cast<std::int32_t>(number)];
    json.line_begins();
    json.field("window", number);
    json.field("key", window.key.words);
    json.field("comm", window.comm);
    json.field("flavour", window.flavour);
    json.field("bytes", window.bytes);
    if (window.times > 1) json.field("made", window.times);
    json.line_ends();
  }
}

void write_calls(Json& json, Calls& calls) {
  static const char* const kOperations[] = {"MPI_SUM",     "MPI_MIN",   "MPI_MAX",    "MPI_PROD",
                                            "MPI_LAND",    "MPI_BAND",  "MPI_LOR",    "MPI_BOR",
                                            "MPI_LXOR",    "MPI_BXOR",  "MPI_MINLOC", "MPI_MAXLOC",
                                            "MPI_REPLACE", "MPI_NO_OP", "user"};
  const OwnTimes own(calls);
  for (std::uint32_t number = 0; number < calls.size(); ++number) {
    const CallLine& line = calls[number];
    const Signature& call = line.signature;
    json.line_begins();
    json.field("call", number);
    json.field("function", kFunctionNames[call.function]);
    if (call.comm != kAbsent) json.field("comm", call.comm);
    if (call.window != kAbsent) json.field("window", call.window);
    if (call.site >= 0) json.field("site", call.site);
    if (call.root != kAbsent) {
      json.field("peer", "root");
      json.field("root", call.root);
    } else {
      write_argument(json, "peer", call.peer);
    }
    write_argument(json, "tag", call.tag);
    if (call.partitions != kAbsent) json.field("partitions", call.partitions);
    if (call.count != kNoCount) json.field("count", call.count);
    if (call.layout >= 0) json.field("layout", call.layout);
    write_argument(json, "other_peer", call.other_peer);
    write_argument(json, "other_tag", call.other_tag);
    if (call.other_count != kNoCount) json.field("other_count", call.other_count);
    if (call.other_layout >= 0) json.field("other_layout", call.other_layout);
    if (call.operation != kAbsent) json.field("operation", kOperations[call.operation]);
    if (call.requests != kAbsent) json.field("requests", call.requests);
    if (call.found_tag != kAbsent) {
      json.key("found").open('[');
      if (call.found_peer == kNull) {
        json.value_text("null");
      } else {
        json.value(call.found_peer);
      }
      json.value(call.found_tag);
      json.close(']');
    }
    if (call.varied) json.key("varied").value_raw("true");
    json.field("times", static_cast<std::int64_t>(line.times));
    json.field_duration("seconds", line.inside);
    json.field_duration("least", line.least);
    json.field_duration("most", line.most);
    json.field_duration("outside", line.outside);
    json.field_duration("own", own.of(line));
    json.line_ends();
  }
}

void write_step(Json& json, const Bodies& bodies, const Step& step, int depth) {
  if (step.body == 0) {
    json.value(step.value);
    return;
  }
  json.open('[');
  json.value(step.value);
  json.open('[');
  std::uint32_t length = depth > 200 ? 0 : bodies.length(step.body - 1);
  for (std::uint32_t at = 0; at < length; ++at)
    write_step(json, bodies, bodies.steps(step.body - 1)[at], depth + 1);
  json.close(']');
  json.close(']');
}

// `thread` may be in the middle of a loop: what it has passed of one more turn is written, too.
void write_sequence(Json& json, const Bodies& bodies, const Thread& thread) {
  json.line_begins();
  json.key("sequence").open('[');
  const Sequence& sequence = *thread.sequence;
  for (const Step& step : sequence.steps()) write_step(json, bodies, step, 0);
  for (std::uint32_t level = 0; level < sequence.depth(); ++level) {
    const Sequence::Place& place = sequence.place(level);
    if (level > 0 && place.turn > 0) write_step(json, bodies, {place.body + 1, place.turn}, 0);
    for (std::uint32_t at = 0; at < place.at; ++at)
      write_step(json, bodies, bodies.steps(place.body)[at], 0);
  }
  json.close(']');
  json.field("thread", thread.number);
  json.line_ends();
}

const char* way_words(std::uint32_t way) {
  switch (way) {
    case kBlocking: return "blocking";
    case kNonblocking: return "nonblocking";
    case kPersistent: return "persistent";
    case kPartitioned: return "partitioned";
    case kNeighbor: return "neighbor";
    case kNeighborNonblocking: return "neighbor nonblocking";
    case kNeighborPersistent: return "neighbor persistent";
    case kFence: return "fence";
    case kPscw: return "pscw";
    case kLock: return "lock";
    default: return "mixed";
  }
}

void write_flags(Json& json, const char* key, std::uint32_t flags, const char* const* words,
                 const char* none) {
  json.key(key);
  if (flags == 0) {
    json.value_text(none);
    return;
  }
  if ((flags & (flags - 1)) == 0) {
    json.value_text(words[__builtin_ctz(flags)]);
    return;
  }
  json.open('[');
  for (int bit = 0; bit < 32; ++bit) {
    if (flags & (1U << bit)) json.value_text(words[bit]);
  }
  json.close(']');
}

void write_links(Json& json, const Shapes& shapes, const Shape& shape) {
  static const char* const kKinds[] = {"send", "receive", "put", "get", "accumulate"};
  json.key("links").open('[');
  for (std::uint32_t at = 0; at < shape.links; ++at) {
    const Link& link = shapes.link(shape.first_link + at);
    json.open('{');
    json.field("kind", kKinds[static_cast<int>(link.kind)]);
    if (link.comm != kAbsent) json.field("comm", link.comm);
    write_argument(json, "peer", link.peer);
    write_argument(json, "tag", link.tag);
    json.field("bytes",
               shape.varied ? link.bytes / static_cast<std::int64_t>(shape.times) : link.bytes);
    if (link.layout >= 0) json.field("layout", link.layout);
    json.field("count", link.count);
    json.field("call", link.call);
    json.close('}');
  }
  json.close(']');
}

// Nanoseconds; less than 0: not known.
void write_processor(Json& json, std::int64_t time) {
  if (time < 0)
    json.value_raw("null");
  else
    json.value_seconds(time);
}

void write_shapes(Json& json, const Shapes& shapes) {
  static const char* const kWays[] = {"blocking",
                                      "nonblocking",
                                      "persistent",
                                      "partitioned",
                                      "neighbor",
                                      "neighbor nonblocking",
                                      "neighbor persistent",
                                      "fence",
                                      "pscw",
                                      "lock"};
  static const char* const kFinishes[] = {"waitall", "wait", "waitany", "waitsome", "test"};
  for (std::uint32_t number = 0; number < shapes.size(); ++number) {
    const Shape& shape = shapes[number];
    json.line_begins();
    json.field("shape", number);
    json.key("calls").open('[');
    for (std::uint32_t at = 0; at < shape.calls; ++at)
      json.value(shapes.call(shape.first_call + at));
    json.close(']');
    json.field("way", way_words(shape.way));
    if ((shape.way & (shape.way - 1)) != 0) write_flags(json, "ways", shape.way, kWays, "none");
    write_flags(json, "finish", shape.finish, kFinishes, "none");
    write_links(json, shapes, shape);
    if (shape.varied) json.key("varied").value_raw("true");
    json.field("times", static_cast<std::int64_t>(shape.times));
    json.field_duration("start", shape.start);
    json.field_duration("finish_seconds", shape.finished);
    json.field_duration("inside", shape.inside);
    json.field_duration("before", shape.before);
    json.field_duration("own", shape.own);
    json.key("bytes").open('[');
    json.value(shape.least);
    json.value(shape.most);
    json.close(']');
    const Samples& samples = shape.samples;
    json.key("durations").open('[');
    for (std::uint32_t at = 0; at < samples.count; ++at)
      json.value_duration(static_cast<Ticks>(samples.first[at]));
    json.close(']');
    json.key("befores").open('[');
    for (std::uint32_t at = 0; at < samples.count; ++at)
      json.value_duration(static_cast<Ticks>(samples.second[at]));
    json.close(']');
    json.key("processors").open('[');
    for (std::uint32_t at = 0; at < samples.count; ++at)
      write_processor(json, static_cast<std::int64_t>(samples.third[at]));
    json.close(']');
    json.key("longest").open('[');
    for (std::uint32_t at = 0; at < shape.longest.count; ++at) {
      const Longest::One& one = shape.longest.some[at];
      json.open('[');
      json.value(static_cast<std::int64_t>(one.number));
      json.value_duration(one.time);
      write_processor(json, one.processor);
      json.close(']');
    }
    json.close(']');
    json.line_ends();
  }
}

void write_messages(Json& json, Recording& run) {
  for (std::uint32_t place = 0; place < run.messages.size(); ++place) {
    const Message& message = run.messages[static_cast<std::int32_t>(place)];
    if (message.stamp == 0 || message.done == 0 || message.number == kUnnumbered) continue;
    json.line_begins();
    json.field("message", message.sent ? "sent" : "received");
    json.field("comm", run.communicators[message.comm].key.words);
    json.field("peer", message.peer);
    json.field("tag", message.tag);
    json.field("number", static_cast<std::int64_t>(message.number));
    if (message.partitioned) json.key("partitioned").value_raw("true");
    if (message.shape >= 0) json.field("shape", message.shape);
    json.field_moment("posted", message.posted);
    json.field_moment("waited", message.waited);
    json.field_moment("done", message.done);
    json.line_ends();
  }
  for (std::uint32_t place = 0; place < run.meetings.size(); ++place) {
    const Meeting& meeting = run.meetings[static_cast<std::int32_t>(place)];
    if (meeting.stamp == 0 || meeting.leave == 0) continue;
    json.line_begins();
    json.field("meeting", meeting.window ? run.windows[meeting.comm].key.words
                                         : run.communicators[meeting.comm].key.words);
    json.field("number", static_cast<std::int64_t>(meeting.number));
    json.field(
        "function",
        kFunctionNames[run.calls[static_cast<std::uint32_t>(meeting.call)].signature.function]);
    json.field("call", meeting.call);
    json.field("bytes", meeting.bytes);
    json.field_moment("enter", meeting.enter);
    json.field_moment("leave", meeting.leave);
    json.line_ends();
  }
}

// Where each thread was when a run was ended: in which call, or since which; and what was still
// under way.
void write_last(Json& json, Recording& run) {
  constexpr int kMost = 64;
  for (const Thread* thread : run.threads) {
    if (!thread) continue;
    const Call* call = thread->call;
    json.line_begins();
    json.field("last", call ? kFunctionNames[static_cast<std::size_t>(call->function())] : "");
    json.field("thread", thread->number);
    json.field_moment("since", call ? call->entered() : thread->left);
    if (!call && thread->last_call >= 0) json.field("call", thread->last_call);
    if (call) {
      const Signature& signature = call->signature();
      if (signature.site >= 0) json.field("site", signature.site);
      if (call->comm() >= 0) json.field("comm", call->comm());
      if (signature.root != kAbsent) json.field("root", signature.root);
      const auto peer = [&](const char* key, std::int32_t value, int rank) {
        write_argument(
            json, key,
            value == kAbsent || value == kAny || value == kNull ? value : call->world(rank));
      };
      peer("peer", signature.peer, call->rank());
      write_argument(json, "tag", signature.tag);
      peer("other_peer", signature.other_peer, call->other_rank());
      write_argument(json, "other_tag", signature.other_tag);
    }
    json.line_ends();
  }
  int written = 0;
  for (std::uint32_t place = 0; place < run.requests.size() && written < kMost; ++place) {
    const Request& request = run.requests[static_cast<std::int32_t>(place)];
    if (!request.active || request.handle == 0 || request.no_peer) continue;
    const bool message = request.kind == RequestKind::kMessage;
    if (!message && request.kind != RequestKind::kExchange &&
        request.kind != RequestKind::kCollective) {
      continue;
    }
    json.line_begins();
    json.field("pending", !message                               ? "collective"
                          : request.link.kind == LinkKind::kSend ? "send"
                                                                 : "receive");
    if (request.link.comm >= 0) json.field("comm", request.link.comm);
    if (message) {
      write_argument(json, "peer", request.link.peer);
      write_argument(json, "tag", request.link.tag);
      json.field("bytes", request.link.bytes);
    }
    json.field_moment("since", request.posted);
    json.line_ends();
    ++written;
  }
}

}  // namespace

void write_file(Recording& run, const char* how, bool in_signal) {
  // A limit of the file's size (ulimit -f) is an error like others, and no end of the program.
  struct sigaction ignored {
  }, kept{};
  ignored.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &ignored, &kept);
  int file = open(process.part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) {
    cannot_write(process.path);
    return;
  }
  Json json(file);
  write_run(json, run, how, in_signal);
  write_sites(json, run.sites);
  write_layouts(json, run.layouts);
  write_communicators(json, run.communicators);
  write_windows(json, run.windows);
  write_calls(json, run.calls);
  for (const Thread* thread : run.threads) {
    if (thread) write_sequence(json, run.bodies, *thread);
  }
  write_shapes(json, run.shapes);
  write_messages(json, run);
  if (std::strcmp(how, "finalized") != 0) write_last(json, run);
  json.flush();
  if (json.error() != 0 || close(file) != 0 || rename(process.part, process.path) != 0) {
    if (json.error() != 0) errno = json.error();
    cannot_write(process.path);
    unlink(process.part);
  }
  sigaction(SIGXFSZ, &kept, nullptr);
}

}  // namespace recorder
