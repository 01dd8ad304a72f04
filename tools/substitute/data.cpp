#include "data.hpp"

#include <dlfcn.h>
#include <link.h>
#include <algorithm>
#include <atomic>
#include <climits>
#include <cstring>
#include <map>
#include <mutex>

namespace substitute {

namespace {

struct Facts {
  std::size_t size = 0;
  MPI_Aint lower_bound = 0, extent = 0;
  bool dense = false;
};

Facts look_at(MPI_Datatype type) {
  Facts facts;
  MPI_Count size = 0, lower_bound = 0, extent = 0, true_lower_bound = 0, true_extent = 0;
  MPI_Type_size_x(type, &size);
  MPI_Type_get_extent_x(type, &lower_bound, &extent);
  MPI_Type_get_true_extent_x(type, &true_lower_bound, &true_extent);
  facts.size = size > 0 ? static_cast<std::size_t>(size) : 0;
  facts.lower_bound = static_cast<MPI_Aint>(lower_bound);
  facts.extent = static_cast<MPI_Aint>(extent);
  // A type may have its bytes in another order and be as long as they are: only MPI's own are
  // taken to be in order, and what is built otherwise is packed.
  facts.dense = lower_bound == 0 && true_lower_bound == 0 && size == extent && size == true_extent;
  return facts;
}

/// MPI's own stay as they are; others may be freed and their handle be used again.
Facts facts_of(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return {};
  thread_local MPI_Datatype last = MPI_DATATYPE_NULL;
  thread_local Facts last_facts;
  if (type == last) return last_facts;
  Facts facts = look_at(type);
  if (is_named(type)) {
    last = type;
    last_facts = facts;
  } else {
    facts.dense = false;
  }
  return facts;
}

}  // namespace

bool is_named(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = MPI_COMBINER_NAMED;
  MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  return combiner == MPI_COMBINER_NAMED;
}

MPI_Aint extent_of(MPI_Datatype type) {
  return facts_of(type).extent;
}

std::size_t size_of(MPI_Datatype type) {
  return facts_of(type).size;
}

Data Data::of(const void* at, MPI_Count count, MPI_Datatype type) {
  const Facts facts = facts_of(type);
  return {.at = const_cast<void*>(at),
          .count = count,
          .type = type,
          .bytes = count > 0 ? static_cast<std::size_t>(count) * facts.size : 0,
          .dense = facts.dense};
}

Data Data::of(const void* buffer, MPI_Aint displaced, MPI_Count count, MPI_Datatype type) {
  return of(static_cast<const char*>(buffer) + displaced, count, type);
}

/// MPI counts bytes that it packs by an int: calls `one(at, count, packed)` for as many elements as
/// it can at a time. `packed` is where those begin.
template <class One>
static bool in_parts(const Data& data, One&& one) {
  const std::size_t size = data.bytes / static_cast<std::size_t>(data.count);
  if (size == 0 || size > INT_MAX) return false;
  const auto most = static_cast<MPI_Count>(INT_MAX / size);
  const MPI_Aint extent = extent_of(data.type);
  for (MPI_Count done = 0; done < data.count; done += most) {
    const auto count = static_cast<int>(std::min(most, data.count - done));
    char* const at = static_cast<char*>(data.at) + static_cast<MPI_Aint>(done) * extent;
    if (!one(at, count, static_cast<std::size_t>(done) * size)) return false;
  }
  return true;
}

bool Data::pack(std::byte* to) const {
  if (bytes == 0) return true;
  if (dense) {
    std::memcpy(to, at, bytes);
    return true;
  }
  return in_parts(*this, [&](const void* from, int number, std::size_t packed) {
    int size = 0, position = 0;
    MPI_Type_size(type, &size);
    size *= number;
    return MPI_Pack(from, number, type, to + packed, size, &position, MPI_COMM_SELF) ==
               MPI_SUCCESS &&
           position == size;
  });
}

bool Data::unpack(const std::byte* from) const {
  if (bytes == 0) return true;
  if (dense) {
    std::memcpy(at, from, bytes);
    return true;
  }
  return in_parts(*this, [&](void* to, int number, std::size_t packed) {
    int size = 0, position = 0;
    MPI_Type_size(type, &size);
    size *= number;
    return MPI_Unpack(from + packed, size, &position, to, number, type, MPI_COMM_SELF) ==
               MPI_SUCCESS &&
           position == size;
  });
}

bool Data::equals(const std::byte* packed) const {
  if (bytes == 0) return true;
  if (dense) return std::memcmp(at, packed, bytes) == 0;
  std::vector<std::byte> here(bytes);
  return pack(here.data()) && std::memcmp(here.data(), packed, bytes) == 0;
}

/// A buffer in which each byte says where it is, packed: byte by byte of the number.
bool runs_of(MPI_Count count, MPI_Datatype type, std::vector<Run>& runs) {
  constexpr MPI_Count farthest = MPI_Count{1} << 28;
  if (count <= 0 || size_of(type) == 0) return true;
  if (count > INT_MAX) return false;
  MPI_Count lower_bound = 0, extent = 0, true_lower_bound = 0, true_extent = 0;
  MPI_Type_get_extent_x(type, &lower_bound, &extent);
  MPI_Type_get_true_extent_x(type, &true_lower_bound, &true_extent);
  if (extent < 0 || extent > farthest || true_extent > farthest) return false;
  if (count > farthest || (count - 1) * extent + true_extent > farthest) return false;
  const auto span = static_cast<std::size_t>((count - 1) * extent + true_extent);
  const std::size_t bytes = static_cast<std::size_t>(count) * size_of(type);
  if (bytes > INT_MAX) return false;
  std::vector<unsigned char> numbered(span), packed(bytes);
  std::vector<std::uint32_t> places(bytes, 0);
  for (unsigned part = 0; part < 4; ++part) {
    for (std::size_t i = 0; i < span; ++i)
      numbered[i] = static_cast<unsigned char>(i >> (8 * part));
    int position = 0;
    if (MPI_Pack(numbered.data() - true_lower_bound, static_cast<int>(count), type, packed.data(),
                 static_cast<int>(bytes), &position, MPI_COMM_SELF) != MPI_SUCCESS ||
        static_cast<std::size_t>(position) != bytes)
      return false;
    for (std::size_t i = 0; i < bytes; ++i)
      places[i] |= static_cast<std::uint32_t>(packed[i]) << (8 * part);
  }
  for (std::size_t i = 0; i < bytes; ++i) {
    const std::int64_t at = places[i] + static_cast<std::int64_t>(true_lower_bound);
    if (i > 0 && runs.back().at + runs.back().bytes == at)
      ++runs.back().bytes;
    else
      runs.push_back({at, 1});
  }
  return true;
}

bool may_be_on_device() {
  // Looked for again when libraries have been loaded.
  static std::atomic<bool> seen{false};
  static std::atomic<unsigned long long> looked{0};
  if (seen.load(std::memory_order_relaxed)) return true;
  unsigned long long loaded = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* count) {
        *static_cast<unsigned long long*>(count) = info->dlpi_adds;
        return 1;
      },
      &loaded);
  if (looked.load(std::memory_order_relaxed) == loaded) return false;
  for (const char* name : {"libcuda.so.1", "libamdhip64.so", "libamdhip64.so.5", "libamdhip64.so.6",
                           "libamdhip64.so.7", "libze_loader.so.1"})
    if (void* const handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD)) {
      dlclose(handle);
      seen = true;
      return true;
    }
  looked = loaded;
  return false;
}

}  // namespace substitute
