#pragma once
// What the shm methods share: the cells of peers in my island are copied with loads and stores (or
// read where they are), those of all others travel by the scheme that `outer` names. The methods
// differ only in how ranks notify each other that cells may be read and that they have been read.

#include "exchange/core/inner.hpp"
#include "exchange/core/method.hpp"
#include "exchange/core/registry.hpp"
#include "exchange/core/shared_pool.hpp"
#include "exchange/core/trade.hpp"
#include "island_links.hpp"

#include <cstdint>

namespace halocline::detail {

/// Where the source cells lie, how they are copied or viewed, and the links to other islands.
///
/// A source's cells are read in a message in the exchange's own shared memory (two copies); or,
/// with `access=copy`, in its field, if that is in the island's shared memory (one copy); or, with
/// `access=direct`, there, and they are not copied at all.
///
/// Two copies are felt less than one: whoever stores into a line that another core has read waits
/// for it, in the exchange or in the sweep that follows. A message can go past the caches instead.
class Shm : public Method {
 public:
  bool direct() const noexcept override { return access_ == Access::direct; }
  HaloView view(std::size_t link, std::size_t block, std::size_t field) const override;
  void rebound() override;
  std::size_t avoidable_bytes() const override;
  std::optional<std::size_t> lend_frames() override;
  std::byte* frame_to(int peer) override;
  std::byte* frame_from(int peer) override;
  std::vector<int> awaited() const override {
    std::vector<int> peers;
    for (const std::size_t source : pending_) peers.push_back(sources_[source]);
    return peers;
  }
  bool ends_alone() const override { return !outer_ || outer_.method().ends_alone(); }

  /// Windows on which to synchronise, so many of the ranks of `island`; their memory is not used.
  /// Collective over `all`, as make_windows; ranks that want none give MPI_COMM_NULL.
  static std::vector<mpi::Window> control_windows(MPI_Comm all, const Scheme& scheme,
                                                  MPI_Comm island, std::size_t count = 1);

 protected:
  /// `lines`: pairs of cache lines of its own, one and one for each source.
  enum class Lines { none, of_sources };
  explicit Shm(Setup setup, Lines lines = Lines::none);
  /// The first of them; the others follow.
  SharedPool::Place lines() const noexcept { return shared_.place(); }

  /// Peers in my island that I send to and receive from, as ranks of comm().
  const std::vector<int>& targets() const noexcept { return targets_; }
  const std::vector<int>& sources() const noexcept { return sources_; }
  /// The links with them, in the same order.
  const std::vector<Link>& sends() const noexcept { return sends_; }
  const std::vector<Link>& receives() const noexcept { return receives_; }
  const Islands& islands() const noexcept { return islands_; }
  /// Must a source wait until its target has read? Not if the target reads in place (the caller
  /// sees to that), nor if each side waits for the other anyway, for two message slots are used in
  /// turn: a peer reaches step k+2 only after it has seen that I have used its step k. The same on
  /// all ranks.
  bool readers_notify() const noexcept {
    return access_ == Access::copy || (access_ == Access::slots && !two_way_);
  }
  /// The message of this step, null if cells are read where they are. It begins a cache line, and
  /// what it leaves of its last line is free for the method's use, zero at first.
  std::byte* message_to(std::size_t target) const { return to_[target].slots[slot_]; }
  std::byte* message_from(std::size_t source) const { return from_[source].slots[slot_]; }

  const SharedPool& pool() const noexcept { return pool_; }

  /// MPI's synchronisation orders neither loads and stores outside its window nor those of the
  /// compiler: `sync_release` what I have written or read, `sync_acquire` what others have.
  void sync_release() const;
  void sync_acquire() const;

  /// Starts the links to other islands, fills my messages, and then has `announce()` say that my
  /// cells may be read. Cells that stay on this rank come last.
  template <class Announce>
  void begin_step(Announce&& announce) {
    if (outer_) outer_.start(measuring);
    fill_messages();
    maybe_delay();
    {
      const auto time = transferring();
      announce();
    }
    copy_own();
  }
  /// Copies the cells of each source into my halo as soon as `arrived(source)` says that they may
  /// be read, and has `release(source)` say that I have; waits until `reclaimed()` says that all
  /// targets have read mine; finishes the links to other islands.
  template <class Arrived, class Release, class Reclaimed>
  void end_step(Arrived&& arrived, Release&& release, Reclaimed&& reclaimed) {
    {
      const Waited waited(*this);
      take_all([&](std::size_t source) {
        if (!arrived(source)) return false;
        maybe_delay();
        take(source);
        maybe_delay();
        release(source);
        return true;
      });
      for (Waiting waiting(what()); !reclaimed();) waiting.again(comm());
    }
    if (outer_) outer_.finish(times);
  }

 private:
  /// While it lives, all time but that of `take` is waiting.
  class Waited {
   public:
    explicit Waited(Shm& shm) : shm_(shm), packed_(shm.times.pack), time_(shm.waiting()) {}
    ~Waited() { shm_.times.wait -= shm_.times.pack - packed_; }
    Waited(const Waited&) = delete;
    Waited& operator=(const Waited&) = delete;

   private:
    Shm& shm_;
    double packed_;
    Timed time_;
  };
  /// Asks `taken(source)` of one source after the other, and again, until all have been. Other
  /// ranks may need my MPI library's progress to get there.
  template <class Taken>
  void take_all(Taken&& taken) {
    pending_.resize(sources_.size());
    for (std::size_t i = 0; i < pending_.size(); ++i) pending_[i] = i;
    for (Waiting waiting(what()); !pending_.empty(); waiting.again(comm()))
      for (std::size_t i = 0; i < pending_.size();)
        if (taken(pending_[i])) {
          pending_[i] = pending_.back();
          pending_.pop_back();
        } else {
          ++i;
        }
  }
  enum class Access { slots, copy, direct };
  /// A link's messages in turn; null if there are none, because cells are read where they are.
  using Slots = std::array<std::byte*, 2>;
  struct Source {
    Slots slots{};
    Bases bases;              // of its fields in my address space
    LayoutCopy copy{{}, {}};  // from its fields to mine
    bool in_place = false;    // no copy: the boxes have the shape of my halo's blocks
    Layout halo;              // where a message goes
    Layout boxes;             // its cells there; access=direct: a piece for each field and block
  };
  struct Target {
    Layout cells;
    Slots slots{};
  };
  void split_links();
  void make_outer(bool two_way);
  bool choose_access();
  void find_fields();
  void make_slots(std::size_t begin);
  void fill_messages();
  void fill(std::byte* message, const Layout& cells) const;
  void fill_frame(std::byte* message, const Layout& cells) const;
  /// Cells that stay on this rank, and a look at what `take` will need.
  void copy_own();
  /// Copies a source's cells into my halo.
  void take(std::size_t source);
  bool uses(MPI_Win window);
  void look_ahead() const;
  std::string spec() const { return scheme().islands().str(); }

  const Islands& islands_;
  SharedPool& pool_;
  std::vector<std::size_t> pending_;    // sources whose cells are still to come in this step
  std::vector<Link> sends_, receives_;  // within the island
  std::vector<int> targets_, sources_;
  Pattern outer_pattern_;
  std::vector<LinkPlace> places_;
  Inner outer_;

  Access access_ = Access::slots;
  bool out_of_reach_ = false;  // fields in which cells were to be read: there are slots instead
  bool two_way_ = false;  // every rank that I send to in my island sends to me; so for all ranks
  std::size_t most_in_caches_ = 0;  // bytes of a message that does not go past them
  std::vector<Target> to_;
  std::vector<Source> from_;
  std::size_t slot_ = 0;                       // the one of two that messages of this step use
  bool lent_ = false;                          // the caller writes and reads frames in slots
  SharedPool::Part shared_;                    // lines of the method's own, and my messages
  std::vector<MPI_Win> windows_;               // over all memory that others read
  std::vector<std::shared_ptr<void>> epochs_;  // in which MPI_Win_sync is allowed
};

/// What a step's description has of a method of its own: how it says that cells may be read, and
/// that they have been.
class ShmDescribed {
 public:
  /// The links within the island; `readers_notify` as Shm::readers_notify.
  ShmDescribed(const model::Links& links, bool readers_notify)
      : links_(links), readers_notify_(readers_notify) {}
  virtual ~ShmDescribed() = default;
  bool readers_notify() const noexcept { return readers_notify_; }
  /// My cells may be read.
  virtual void announce(model::Script&) const = 0;
  /// Until those of all sources may be read, or of this one.
  virtual void arrived(model::Script&) const {}
  virtual void arrived(model::Script&, const model::LinkSize&) const {}
  /// Where readers notify: I have read, and so have my targets.
  virtual void release(model::Script&) const = 0;

 protected:
  void notify_sources(model::Script& script, std::string_view cost) const;
  void await_targets(model::Script& script, std::string_view cost) const;

  const model::Links& links_;

 private:
  bool readers_notify_;
};

/// The same where each peer is notified and awaited by itself; `notify` and `await` name the costs.
class ShmDescribedByPeer : public ShmDescribed {
 public:
  ShmDescribedByPeer(const model::Links& links, bool readers_notify, const char* notify,
                     const char* await)
      : ShmDescribed(links, readers_notify), notify_(notify), await_(await) {}
  void announce(model::Script& script) const override;
  using ShmDescribed::arrived;
  void arrived(model::Script& script, const model::LinkSize& link) const override;
  void release(model::Script& script) const override;

 private:
  const char *notify_, *await_;
};

/// A step around `Described`, which derives from ShmDescribed.
model::Step describe_shm(const model::Chosen& chosen, const model::Links& inside,
                         const model::Links& outside, const ShmDescribed& method);
bool readers_notify(const model::Chosen& chosen, const model::Links& links);
template <class Described>
model::Step describe_shm(const model::Chosen& chosen, const model::Links& links) {
  const auto [inside, outside] = model::split(links);
  return describe_shm(chosen, inside, outside, Described(inside, readers_notify(chosen, links)));
}

/// A shm method's entry in the registry.
MethodFacts shm_facts(std::string name, std::string summary, std::unique_ptr<Method> (*make)(Setup),
                      model::Step (*describe)(const model::Chosen&, const model::Links&));

}  // namespace halocline::detail
