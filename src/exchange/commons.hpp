#pragma once
// Commons: what exchanges over the same ranks share.
//
// Communicators are few (MPICH has 2048), tags are many. So exchanges made on one communicator of
// the caller's send their messages on one duplicate of it, each with tags of its own.
//
// All ranks take in the same order, for they construct exchanges in the same order, and so they
// take the same without a word. They may give back in any order: what one rank has given back is
// taken again only when all have.

#include <halocline/mpi.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace halocline::detail {

class Commons;

/// A communicator that others use, too, and tags on it that nobody else uses.
class Channel {
 public:
  /// On the communicator that exchanges on `comm` share. Collective.
  static Channel on(MPI_Comm comm);
  /// On one that is nobody else's.
  Channel(mpi::Comm own);
  Channel(Channel&& other) noexcept = default;
  Channel& operator=(Channel&& other) noexcept;
  ~Channel();

  /// Another one of the same ranks. Collective.
  Channel another() const;

  operator MPI_Comm() const noexcept { return comm_; }
  static constexpr int tags = 8;
  /// 0 <= which < tags.
  int tag(int which) const noexcept { return first_tag_ + which; }

 private:
  friend Commons;
  Channel(std::shared_ptr<Commons> commons, MPI_Comm comm, std::size_t number, int first_tag);

  std::shared_ptr<Commons> commons_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::size_t number_ = 0;  // of these tags among all of the commons
  int first_tag_ = 0;
};

/// Lives as long as the communicator that it was made for, and as its last channel.
class Commons : public std::enable_shared_from_this<Commons> {
 public:
  /// Those of `comm`, made when they are first asked for. Collective.
  static std::shared_ptr<Commons> of(MPI_Comm comm);
  explicit Commons(mpi::Comm comm);

  Channel channel();

 private:
  friend Channel;
  void give_back(std::size_t number) noexcept { given_back_[number] = 1; }
  void find_more();

  std::size_t each_;                      // channels of one communicator
  std::vector<mpi::Comm> comms_;          // all alike
  std::size_t fresh_ = 0;                 // the next number that has never been taken
  std::vector<std::size_t> again_;        // given back by all ranks, the next one at the end
  std::vector<std::uint8_t> given_back_;  // by this rank
};

}  // namespace halocline::detail
