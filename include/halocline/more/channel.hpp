#pragma once
// Channels: a communicator that exchanges share, and tags on it for each.

#include <halocline/more/mpi.hpp>

#include <cstddef>
#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace halocline::detail {
class CommContext;
}

namespace halocline::methods {

/// A communicator that others use, too, and tags on it that nobody else uses.
class Channel {
 public:
  /// On the communicator that exchanges on `comm` share. Collective.
  static Channel on(MPI_Comm comm);
  /// On one that is nobody else's.
  Channel(mpi::Comm own);
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  Channel(Channel&& other) noexcept { *this = std::move(other); }
  Channel& operator=(Channel&& other) noexcept;
  ~Channel();

  /// What this rank does on it is left in the middle: nobody gets these tags any more, as messages
  /// may have been left behind, and what its ranks share stays until MPI ends.
  void keep() const noexcept;

  /// Another one of the same ranks. Collective.
  Channel another() const;

  /// The `T(comm, arguments...)` of this name that all channels of these ranks share, made when it
  /// is first asked for. Collective. (The library's own methods;
  /// src/exchange/core/comm_context.hpp.)
  template <class T, class... Arguments>
  T& shared(const std::string& name, const Arguments&... arguments) const;

  operator MPI_Comm() const noexcept { return comm_; }
  static constexpr int tags = 8;
  /// 0 <= which < tags.
  int tag(int which) const noexcept { return first_tag_ + which; }

 private:
  friend detail::CommContext;
  Channel(std::shared_ptr<detail::CommContext> context, MPI_Comm comm, std::size_t number,
          int first_tag);

  std::shared_ptr<detail::CommContext> context_{};
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::size_t number_ = 0;  // of these tags among all of the context
  int first_tag_ = 0;
  mutable bool kept_ = false;
};

}  // namespace halocline::methods

#pragma GCC visibility pop
