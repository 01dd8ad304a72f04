#pragma once
// Requests under way, and the memory that they use: no message arrives in memory that has gone.

#include <halocline/more/mpi.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace halocline::mpi {

/// Requests of one kind and what they use. Those that are not complete when this ends do no harm.
///
/// Receives are cancelled. What cannot be (sends, collectives, partitioned messages, a message that
/// is arriving already) lives on with `uses` until it is complete, and nobody waits for it.
class UnderWay {
 public:
  enum Kind {
    receives,  ///< point-to-point
    others,
  };

  UnderWay() = default;
  /// `borrows`: some of the memory is the caller's own, so that `uses` does not keep it. Then the
  /// end of receives is waited for, which MPI promises, up to the time limit; others have a tenth
  /// of a second.
  UnderWay(Kind kind, std::size_t count, std::shared_ptr<const void> uses = nullptr,
           bool borrows = false)
      : kind_(kind),
        borrows_(borrows),
        requests_(count, MPI_REQUEST_NULL),
        uses_(std::move(uses)) {}
  UnderWay(UnderWay&& other) noexcept { *this = std::move(other); }
  UnderWay& operator=(UnderWay&& other) noexcept;
  ~UnderWay();

  operator std::span<MPI_Request>() noexcept { return requests_; }
  operator std::span<const MPI_Request>() const noexcept { return requests_; }
  MPI_Request& operator[](std::size_t i) noexcept { return requests_[i]; }
  MPI_Request* data() noexcept { return requests_.data(); }
  MPI_Request* begin() noexcept { return requests_.data(); }
  std::size_t size() const noexcept { return requests_.size(); }
  bool empty() const noexcept { return requests_.empty(); }
  /// A further one.
  MPI_Request& add() { return requests_.emplace_back(MPI_REQUEST_NULL); }
  /// All are complete.
  void clear() noexcept { requests_.clear(); }

 private:
  Kind kind_ = others;
  bool borrows_ = false;
  std::vector<MPI_Request> requests_{};
  std::shared_ptr<const void> uses_{};
};

/// A value that a request works on: `request()` must not be of a receive.
template <class T>
class Pending {
 public:
  explicit Pending(T value = T())
      : value_(std::make_shared<T>(std::move(value))), request_(UnderWay::others, 1, value_) {}
  T& operator*() const noexcept { return *value_; }
  T* operator->() const noexcept { return value_.get(); }
  MPI_Request& request() noexcept { return request_[0]; }

 private:
  std::shared_ptr<T> value_;
  UnderWay request_;
};

}  // namespace halocline::mpi

#pragma GCC visibility pop
