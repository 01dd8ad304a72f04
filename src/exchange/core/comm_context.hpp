#pragma once
// The context of a communicator: what exchanges on it share.
//
// Communicators are few (MPICH has 2048), tags are many. So exchanges made on one communicator of
// the caller's send their messages on one duplicate of it, each with tags of its own.
//
// All ranks take in the same order, for they construct exchanges in the same order, and so they
// take the same without a word. They may give back in any order: what one rank has given back is
// taken again only when all have.

#include <halocline/more/channel.hpp>
#include <halocline/more/mpi.hpp>
#include "mpi/collectives.hpp"
#include "mpi/made_together.hpp"

#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <typeindex>
#include <utility>
#include <vector>

namespace halocline::detail {

using methods::Channel;

/// Lives as long as the communicator that it was made for, and as its last channel. Once a rank has
/// given up while something was made of its ranks, nothing more can be (mpi/own.hpp).
class CommContext : public std::enable_shared_from_this<CommContext> {
 public:
  /// That of `comm`, made when it is first asked for. Collective.
  static std::shared_ptr<CommContext> of(MPI_Comm comm);
  explicit CommContext(std::shared_ptr<Own> own);
  ~CommContext();
  CommContext(const CommContext&) = delete;
  CommContext& operator=(const CommContext&) = delete;

  Channel channel();

  template <class T, class... Arguments>
  T& shared(const std::string& name, const Arguments&... arguments) {
    for (const Thing& one : things_)
      if (one.type == typeid(T) && one.name == name) return *static_cast<T*>(one.thing.get());
    const auto made = std::make_shared<T>(own_->comm(), arguments...);
    things_.push_back({typeid(T), name, made});
    return *made;
  }

 private:
  friend Channel;
  void give_back(std::size_t number) noexcept { given_back_[number] = 1; }
  void find_more();
  /// On which a channel is.
  MPI_Comm comm_of(std::size_t number) const noexcept;

  std::shared_ptr<Own> own_;
  std::size_t each_;                      // channels of one communicator
  std::vector<mpi::Comm> further_;        // all like the first
  std::size_t fresh_ = 0;                 // the next number that has never been taken
  std::vector<std::size_t> again_;        // given back by all ranks, the next one at the end
  std::vector<std::uint8_t> given_back_;  // by this rank

  struct Thing {
    std::type_index type;
    std::string name;
    std::shared_ptr<void> thing;
  };
  std::vector<Thing> things_;
};

/// Things made collectively that several exchanges use, if on every rank they mean the same: each
/// rank has a key of its own to them. The oldest of many is forgotten, and lives as long as it is
/// used.
template <class Key, class Thing>
class Agreed {
 public:
  explicit Agreed(MPI_Comm comm) : comm_(comm) {}

  /// `make` is collective, and so is this.
  template <class Make>
  std::shared_ptr<Thing> find(const Key& key, Make&& make) {
    std::uint64_t same = 0;
    for (std::size_t i = 0; i < known_.size(); ++i)
      if (known_[i].second && known_[i].first == key) same |= std::uint64_t{1} << i;
    same = mpi::reduced(comm_, same, MPI_BAND);
    if (same != 0) return known_[static_cast<std::size_t>(std::countr_zero(same))].second;
    if (known_.size() == 64) known_.erase(known_.begin());
    return known_.emplace_back(key, mpi::ended_together(comm_, std::make_shared<Thing>(make())))
        .second;
  }
  /// An exchange that ends in the middle of a step leaves it in a state that others must not meet.
  /// Its place stays, for things have the same places on all ranks.
  void forget(const std::shared_ptr<Thing>& thing) {
    for (auto& one : known_)
      if (one.second == thing) one.second = nullptr;
  }

 private:
  MPI_Comm comm_;
  std::vector<std::pair<Key, std::shared_ptr<Thing>>> known_;
};

}  // namespace halocline::detail

namespace halocline::methods {

template <class T, class... Arguments>
T& Channel::shared(const std::string& name, const Arguments&... arguments) const {
  return context_->shared<T>(name, arguments...);
}

}  // namespace halocline::methods
