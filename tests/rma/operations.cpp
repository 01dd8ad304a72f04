#include "operations.hpp"

#include "settings.hpp"
#include "watch.hpp"

#include <sched.h>
#include <unistd.h>
#include <algorithm>
#include <cstring>
#include <list>

namespace emulated {

namespace {

struct Piece {
  std::byte* here;    ///< at the origin
  std::byte* result;  ///< what was there before goes here; may be null
  std::size_t there;  ///< the place of the public copy
  std::size_t bytes;
};

struct Operation {
  Call call;
  Use* use = nullptr;
  MPI_Datatype number = MPI_BYTE;  ///< what accumulates are made of
  std::size_t number_bytes = 1;
  std::vector<Piece> pieces{};    ///< still to be carried out, the next one last
  std::size_t low = 0, high = 0;  ///< of places
  std::vector<std::byte> kept{};  ///< what is sent, once it is complete here
  std::vector<std::byte> compare{};
  enum Pace { soon, gradual, late } pace = late;
  int patience = -1;  ///< calls of MPI until it must end; not negative when its epoch is over

  bool fetches() const {
    return call.action == Action::get || (!pieces.empty() && pieces.front().result != nullptr);
  }
  bool writes() const { return call.action != Action::get && call.op != MPI_NO_OP; }
  bool is(const Window& window, std::optional<int> target) const {
    return call.window == &window && (!target || call.target == *target);
  }
};

struct Closing {
  Window* window;
  int target;
  std::uint64_t epoch;
};

/// In the order in which they began.
std::list<Operation> under_way;
std::list<Closing> closings;

// ---- pieces ----------------------------------------------------------------------------------

/// What several lists of runs have in common: bytes that follow each other in all of them.
template <class Visit>
void in_common(const std::vector<std::vector<Run>>& lists, Visit&& visit) {
  std::vector<std::size_t> run(lists.size(), 0), done(lists.size(), 0);
  while (run[0] < lists[0].size()) {
    std::size_t bytes = lists[0][run[0]].bytes - done[0];
    for (std::size_t l = 1; l < lists.size(); ++l)
      bytes = std::min(bytes, lists[l][run[l]].bytes - done[l]);
    std::vector<std::ptrdiff_t> offsets;
    for (std::size_t l = 0; l < lists.size(); ++l) {
      offsets.push_back(lists[l][run[l]].offset + static_cast<std::ptrdiff_t>(done[l]));
      done[l] += bytes;
      if (done[l] == lists[l][run[l]].bytes) ++run[l], done[l] = 0;
    }
    visit(offsets, bytes);
  }
}

/// Cuts a piece into up to four.
void cut(std::vector<Piece>& pieces, Piece whole, std::size_t unit) {
  for (int parts = roll(4); parts > 0 && whole.bytes > unit; --parts) {
    const std::size_t units = whole.bytes / unit;
    const std::size_t bytes = unit * (1 + static_cast<std::size_t>(roll(1 << 20)) % (units - 1));
    pieces.push_back({whole.here, whole.result, whole.there, bytes});
    whole.here += whole.here != nullptr ? bytes : 0;
    whole.result += whole.result != nullptr ? bytes : 0;
    whole.there += bytes;
    whole.bytes -= bytes;
  }
  pieces.push_back(whole);
}

void shuffle(std::vector<Piece>& pieces) {
  for (std::size_t i = pieces.size(); i > 1; --i)
    std::swap(pieces[i - 1], pieces[static_cast<std::size_t>(roll(static_cast<int>(i)))]);
}

std::size_t bytes_of(MPI_Datatype type) {
  int bytes = 0;
  PMPI_Type_size(type, &bytes);
  return static_cast<std::size_t>(bytes);
}

std::size_t bytes_of(const std::vector<Run>& runs) {
  std::size_t sum = 0;
  for (const Run& run : runs) sum += run.bytes;
  return sum;
}

// ---- carrying out ----------------------------------------------------------------------------

/// Ends the job where the target has promised that nobody puts.
void must_be_wanted(const Operation& one) {
  if (!one.writes() || one.call.gate == Gate::open) return;
  Window& window = *one.call.window;
  const Face& target = window.face(one.call.target);
  const int assertions = one.call.gate == Gate::fence
                             ? target.fence_assertions[one.call.epoch % 8].load()
                             : target.post_assertions[window.rank()].load();
  if ((assertions & MPI_MODE_NOPUT) != 0)
    end("illegal", std::string(one.call.name) + " to rank " + std::to_string(one.call.target) +
                       " of a window, which has asserted MPI_MODE_NOPUT");
}

/// In memory of its own, for a public copy may begin anywhere.
void combine(const Operation& one, const Piece& piece, std::byte* there) {
  std::vector<std::byte> with(piece.here, piece.here + piece.bytes);
  std::vector<std::byte> into(there, there + piece.bytes);
  PMPI_Reduce_local(with.data(), into.data(), static_cast<int>(piece.bytes / one.number_bytes),
                    one.number, one.call.op);
  std::memcpy(there, into.data(), piece.bytes);
}

void carry_out(Operation& one, std::size_t most) {
  Window& window = *one.call.window;
  if (one.pieces.empty() || most == 0) return;
  must_be_wanted(one);
  // What has opened the epoch orders what the target did before.
  const Face& target = window.face(one.call.target);
  if (one.call.gate == Gate::fence)
    window.listen_through(one.call.target, target.fence_times[one.call.epoch % 8]);
  if (one.call.gate == Gate::post)
    window.listen_through(one.call.target, target.post_times[window.rank()]);
  {
    const Alone guard(window.face(one.call.target));
    for (; most > 0 && !one.pieces.empty(); --most) {
      const Piece piece = one.pieces.back();
      one.pieces.pop_back();
      std::byte* const there = window.public_copy(one.call.target, piece.there);
      window.mark(one.call.target, piece.there, piece.bytes, one.use->access, one.call.name);
      const bool equal =
          one.compare.empty() || std::memcmp(one.compare.data(), there, one.compare.size()) == 0;
      std::byte* const arrives = one.call.action == Action::get ? piece.here : piece.result;
      if (arrives != nullptr) one.use->bring(arrives, there, piece.bytes);
      if (!one.writes() || !equal) continue;
      if (one.call.action == Action::put || one.call.op == MPI_REPLACE)
        std::memcpy(there, piece.here, piece.bytes);
      else
        combine(one, piece, there);
    }
  }
  if (one.writes()) done();
}

/// Whether the standard allows it now.
bool may_begin(const Operation& one) {
  Window& window = *one.call.window;
  const Face& target = window.face(one.call.target);
  if (one.call.gate == Gate::fence && target.fences < one.call.epoch) return false;
  if (one.call.gate == Gate::post && target.posts[window.rank()] < one.call.epoch) return false;
  if (one.call.action != Action::accumulate || !window.kind().ordered) return true;
  for (const Operation& before : under_way) {
    if (&before == &one) break;
    if (before.call.action == Action::accumulate && before.is(window, one.call.target) &&
        before.low < one.high && one.low < before.high && !before.pieces.empty())
      return false;
  }
  return true;
}

void tell_targets() {
  std::erase_if(closings, [](const Closing& one) {
    for (const Operation& left : under_way)
      if (left.is(*one.window, one.target) && left.call.gate == Gate::post &&
          left.call.epoch <= one.epoch)
        return false;
    if (!one_in(3)) return false;
    end_use([&](const Use& use) {
      return use.window == one.window && use.target == one.target && use.post != 0 &&
             use.post <= one.epoch;
    });
    speak();
    ++one.window->face(one.target).closed[one.window->rank()];
    done();
    return true;
  });
}

/// One kind of number.
std::uint8_t name_of(MPI_Datatype number) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  PMPI_Type_get_name(number, name, &length);
  return static_cast<std::uint8_t>(1 + std::hash<std::string>()(name) % 255);
}

/// Copies what is sent.
void keep(Operation& one) {
  if (!one.kept.empty()) return;
  std::size_t bytes = 0;
  for (const Piece& piece : one.pieces) bytes += piece.bytes;
  one.kept.reserve(bytes);
  for (Piece& piece : one.pieces) {
    std::byte* const copy = one.kept.data() + one.kept.size();
    one.kept.insert(one.kept.end(), piece.here, piece.here + piece.bytes);
    piece.here = copy;
  }
}

void forget_what_has_ended() {
  std::erase_if(under_way, [](const Operation& one) { return one.pieces.empty(); });
}

}  // namespace

Use& begin(const Call& call, const Buffer& origin, const std::optional<Buffer>& result,
           MPI_Aint displacement, int target_count, MPI_Datatype target_type) {
  const std::vector<Run> there = runs_of(target_type, target_count);
  const std::size_t place = call.window->place(call.target, displacement, there, call.name);
  Operation one{call};
  if (call.action == Action::accumulate) {
    one.number = number_of(target_type);
    one.number_bytes = bytes_of(one.number);
  }
  const bool sends = call.action != Action::accumulate || call.op != MPI_NO_OP;
  std::vector<std::vector<Run>> lists{there};
  if (sends) lists.push_back(runs_of(origin.type, origin.count));
  if (result) lists.push_back(runs_of(result->type, result->count));
  for (const std::vector<Run>& list : lists)
    if (bytes_of(list) != bytes_of(there))
      end("illegal", std::string(call.name) + ": as many bytes must be sent as there is room for");
  if (call.compare != nullptr) {
    const auto* const bytes = static_cast<const std::byte*>(call.compare);
    one.compare.assign(bytes, bytes + one.number_bytes);
  }
  one.low = static_cast<std::size_t>(-1);
  in_common(lists, [&](const std::vector<std::ptrdiff_t>& offsets, std::size_t bytes) {
    Piece piece{nullptr, nullptr, place + static_cast<std::size_t>(offsets[0]), bytes};
    if (sends) piece.here = static_cast<std::byte*>(origin.address) + offsets[1];
    if (result) piece.result = static_cast<std::byte*>(result->address) + offsets.back();
    std::byte* const arrives = call.action == Action::get ? piece.here : piece.result;
    if (arrives != nullptr) std::memset(arrives, 0xEE, bytes);
    one.low = std::min(one.low, piece.there);
    one.high = std::max(one.high, piece.there + bytes);
    cut(one.pieces, piece, one.number_bytes);
  });
  shuffle(one.pieces);
  Use use{call.name,      call.window, call.target, call.gate == Gate::post ? call.epoch : 0,
          {one.writes()}, there};
  if (call.action == Action::accumulate)
    use.access.number = name_of(one.number),
    use.access.number_bytes = static_cast<std::uint8_t>(one.number_bytes);
  for (Run& run : use.there) run.offset += static_cast<std::ptrdiff_t>(place);
  if (sends) use.add(origin.address, lists[1], call.action == Action::get);
  if (result) use.add(result->address, lists.back(), true);
  one.use = &begin_use(std::move(use));
  Use& begun = *one.use;
  one.pace = static_cast<Operation::Pace>(roll(3));
  under_way.push_back(std::move(one));
  move_on();
  return begun;
}

void move_on() {
  for (Operation& one : under_way) {
    if (one.patience > 0) --one.patience;
    const bool must = one.patience == 0;
    if ((!must && one.pace == Operation::late) || !may_begin(one)) continue;
    const std::size_t all = one.pieces.size();
    const bool wholly = must || one.pace == Operation::soon;
    carry_out(one, wholly ? all : static_cast<std::size_t>(roll(static_cast<int>(all) + 1)));
  }
  forget_what_has_ended();
  tell_targets();
}

void wait_a_little() {
  looked();
  move_on();
  int there = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &there, MPI_STATUS_IGNORE);
  sched_yield();
}

namespace {
Uses of(Window& window, std::optional<int> target) {
  return [&window, target](const Use& use) {
    return use.window == &window && (!target || use.target == *target);
  };
}
}  // namespace

void complete(Window& window, std::optional<int> target) {
  for (;;) {
    // In any order that is allowed.
    bool left = false, some = false;
    for (Operation& one : under_way) {
      if (!one.is(window, target)) continue;
      left = true;
      if (!may_begin(one)) continue;
      some = true;
      if (one_in(2)) carry_out(one, one.pieces.size());
      if (one_in(4)) usleep(static_cast<unsigned>(roll(100)));  // others see what is there so far
    }
    forget_what_has_ended();
    if (!left) break;
    if (!some) wait_a_little();
  }
  end_use(of(window, target));
  speak();
}

void complete_here(Window& window, std::optional<int> target) {
  complete_here(of(window, target));
}

void complete_here(const Uses& which) {
  for (;;) {
    const auto left = std::find_if(under_way.begin(), under_way.end(), [&](const Operation& one) {
      return which(*one.use) && one.fetches();
    });
    if (left == under_way.end()) break;
    if (may_begin(*left))
      carry_out(*left, left->pieces.size());
    else
      wait_a_little();
    forget_what_has_ended();
  }
  for (Operation& one : under_way)
    if (which(*one.use)) keep(one);
  end_use([&](const Use& use) { return which(use) && !use.access.writes; });
  end_use_here(which);
}

std::set<MPI_Request>& requested() {
  static auto& all = *new std::set<MPI_Request>;
  return all;
}

void complete_here(MPI_Request request) {
  if (requested().erase(request) == 0) return;
  complete_here([&](const Use& use) { return use.request == request; });
  PMPI_Grequest_complete(request);
}

bool any(const Window& window) {
  return std::any_of(under_way.begin(), under_way.end(),
                     [&](const Operation& one) { return one.is(window, {}); });
}

void close(Window& window, int target, std::uint64_t epoch) {
  for (Operation& one : under_way)
    if (one.is(window, target) && one.patience < 0) one.patience = roll(40);
  closings.push_back({&window, target, epoch});
}

void settle() {
  while (!closings.empty()) wait_a_little();
}

}  // namespace emulated
