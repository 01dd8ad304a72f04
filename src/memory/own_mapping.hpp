#pragma once
// Memory of MPI's windows that stays when MPI takes its windows away, as its end does.

#include <cstddef>

namespace halocline::detail {

/// Pages of shared memory that MPI has mapped, once more at addresses of our own.
class OwnMapping {
 public:
  OwnMapping() = default;
  OwnMapping(const OwnMapping&) = delete;
  OwnMapping& operator=(const OwnMapping&) = delete;
  ~OwnMapping();

  /// Maps the pages that have these bytes. False: they cannot be, since they are MPI's alone (from
  /// its heap), or the system does not do it.
  bool map(std::byte* begin, std::size_t bytes) noexcept;
  /// Where a byte of MPI's mapping is in this one; there if nothing has been mapped.
  std::byte* at(std::byte* theirs) const noexcept { return theirs + apart_; }

 private:
  std::byte* begin_ = nullptr;
  std::size_t bytes_ = 0;
  std::ptrdiff_t apart_ = 0;  ///< from MPI's addresses to ours
};

}  // namespace halocline::detail
