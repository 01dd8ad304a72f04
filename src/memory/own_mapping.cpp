#include "own_mapping.hpp"

#include "cache_line.hpp"

#include <sys/mman.h>
#include <unistd.h>
#include <cstdint>

namespace halocline::detail {

OwnMapping::~OwnMapping() {
  if (begin_ != nullptr) munmap(begin_, bytes_);
}

bool OwnMapping::map([[maybe_unused]] std::byte* begin,
                     [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef MREMAP_MAYMOVE
  if (bytes == 0) return true;
  const auto system_page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t before = reinterpret_cast<std::uintptr_t>(begin) % system_page;
  const std::size_t whole = round_up(before + bytes, system_page);
  // Growing 0 bytes of a shared mapping makes a second mapping of the same pages.
  void* const again = mremap(begin - before, 0, whole, MREMAP_MAYMOVE);
  if (again == MAP_FAILED) return false;
  begin_ = static_cast<std::byte*>(again);
  bytes_ = whole;
  apart_ = begin_ - (begin - before);
  return true;
#else
  return false;
#endif
}

}  // namespace halocline::detail
