// Tables that never move and never grow beyond their bound: what a signal finds there is whole, and
// what a long run takes is known before it starts.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace recorder {

// Was room asked for in vain?
inline bool no_room = false;

// Pages come as they are touched; null if there is no room for them.
inline void* reserve(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory != MAP_FAILED) return memory;
  no_room = true;
  return nullptr;
}

// Where a process may not have much memory, tables are smaller by so many powers of two.
inline int smaller_by = 0;
inline std::uint32_t in_room(std::uint32_t entries) {
  constexpr std::uint32_t kLeast = 16;
  const std::uint32_t left = entries >> smaller_by;
  return left >= kLeast || entries < kLeast ? left : kLeast;
}
struct Exactly {
  std::uint32_t entries;
};

template <class T>
class Bounded {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit Bounded(std::uint32_t capacity) : Bounded(Exactly{in_room(capacity)}) {}
  explicit Bounded(Exactly capacity)
      : data_(static_cast<T*>(reserve(capacity.entries * sizeof(T)))),
        capacity_(data_ ? capacity.entries : 0) {}
  Bounded(const Bounded&) = delete;
  Bounded& operator=(const Bounded&) = delete;

  // False: it is full.
  bool add(const T& value) {
    if (size_ == capacity_) return false;
    data_[size_] = value;
    ++size_;
    return true;
  }
  // `count` values side by side; null: they do not fit.
  T* add_many(std::uint32_t count) {
    if (capacity_ - size_ < count) return nullptr;
    T* first = data_ + size_;
    size_ += count;
    return first;
  }
  void shrink(std::uint32_t size) { size_ = size; }

  std::uint32_t size() const { return size_; }
  std::uint32_t capacity() const { return capacity_; }
  bool full() const { return size_ == capacity_; }
  T& operator[](std::uint32_t index) { return data_[index]; }
  const T& operator[](std::uint32_t index) const { return data_[index]; }
  T& back() { return data_[size_ - 1]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

 private:
  T* data_;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_;
};

inline std::uint64_t mixed(std::uint64_t value) {
  value ^= value >> 32;
  value *= 0x9e3779b97f4a7c15U;
  value ^= value >> 29;
  value *= 0xbf58476d1ce4e5b9U;
  return value ^ (value >> 32);
}

inline std::uint64_t mixed(std::uint64_t seed, std::uint64_t value) {
  return mixed(seed * 0x9e3779b97f4a7c15U + value);
}

inline std::uint64_t hash_of(const void* bytes, std::size_t size) {
  const auto* byte = static_cast<const unsigned char*>(bytes);
  std::uint64_t hash = size;
  for (; size >= 8; size -= 8, byte += 8) {
    std::uint64_t word;
    __builtin_memcpy(&word, byte, 8);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 32;
  }
  std::uint64_t rest = 0;
  __builtin_memcpy(&rest, byte, size);
  return mixed(hash, rest);
}

// The capacity of a table in which so many entries are looked for by their hashes.
inline std::uint32_t capacity_for(std::uint32_t entries) {
  std::uint32_t capacity = 16;
  while (capacity < 2 * entries) capacity *= 2;
  return capacity;
}

// From keys to the places of their entries in a table of at most `entries`: where a key is looked
// for, the caller says whether an entry is it.
class Index {
 public:
  explicit Index(std::uint32_t entries) : Index(Exactly{in_room(entries)}) {}
  explicit Index(Exactly entries) : places_(Exactly{capacity_for(entries.entries)}) {
    mask_ = places_.capacity() - 1;
  }

  template <class Same>
  std::int64_t find(std::uint64_t hash, Same same) const {
    for (std::uint32_t at = hash & mask_;; at = (at + 1) & mask_) {
      std::uint32_t entry = places_[at];
      if (entry == 0) return -1;
      if (same(entry - 1)) return entry - 1;
    }
  }
  void insert(std::uint64_t hash, std::uint32_t entry) {
    std::uint32_t at = hash & mask_;
    while (places_[at] != 0) at = (at + 1) & mask_;
    places_[at] = entry + 1;
  }

 private:
  Bounded<std::uint32_t> places_;
  std::uint32_t mask_;
};

// From a handle of MPI to a number, in both directions of time: handles are freed and used again.
// A bounded hash of 64-bit keys; what is erased leaves no trace.
class HandleMap {
 public:
  explicit HandleMap(std::uint32_t entries)
      : slots_(Exactly{capacity_for(in_room(entries))}), most_(in_room(entries)) {
    mask_ = slots_.capacity() - 1;
  }

  // The number of a handle, or -1.
  std::int32_t find(std::uint64_t handle) const {
    for (std::uint32_t at = home(handle);; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (slot.number == 0) return -1;
      if (slot.handle == handle) return static_cast<std::int32_t>(slot.number - 1);
    }
  }
  bool set(std::uint64_t handle, std::uint32_t number) {
    std::uint32_t at = home(handle);
    while (slots_[at].number != 0 && slots_[at].handle != handle) at = (at + 1) & mask_;
    if (slots_[at].number == 0) {
      if (size_ == most_) return false;
      ++size_;
    }
    slots_[at] = {handle, number + 1};
    return true;
  }
  void erase(std::uint64_t handle) {
    std::uint32_t at = home(handle);
    while (slots_[at].number != 0 && slots_[at].handle != handle) at = (at + 1) & mask_;
    if (slots_[at].number == 0) return;
    --size_;
    for (std::uint32_t next = (at + 1) & mask_; slots_[next].number != 0;
         next = (next + 1) & mask_) {
      std::uint32_t wanted = home(slots_[next].handle);
      // May what stands at `next` move to the hole? Only if its home is not between both.
      if (((next - wanted) & mask_) >= ((next - at) & mask_)) {
        slots_[at] = slots_[next];
        at = next;
      }
    }
    slots_[at] = {};
  }

 private:
  struct Slot {
    std::uint64_t handle;
    std::uint32_t number;
  };
  std::uint32_t home(std::uint64_t handle) const {
    return static_cast<std::uint32_t>(handle * 0x9e3779b97f4a7c15U >> 32) & mask_;
  }

  Bounded<Slot> slots_;
  std::uint32_t mask_;
  std::uint32_t most_;
  std::uint32_t size_ = 0;
};

// A handle as a number, whatever its type is in this MPI.
template <class Handle>
std::uint64_t number_of(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<std::uintptr_t>(handle);
  } else {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(handle));
  }
}

}  // namespace recorder
