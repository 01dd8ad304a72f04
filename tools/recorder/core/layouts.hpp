// Datatypes, in the words of the standard and as blocks of bytes.
#pragma once

#include "bounded.hpp"
#include "mpi.hpp"

namespace recorder {

struct Layout {
  std::uint32_t words = 0;  // a place in the texts
  std::uint64_t identity = 0;
  std::int64_t bytes = 0;
  std::int64_t extent = 0;
  std::int64_t lower_bound = 0;
  std::int64_t blocks = 0;       // -1: too many to count
  std::int64_t block_bytes = 0;  // of each; 0: they differ
  std::uint32_t first_offset = 0;
  std::uint32_t offsets = 0;
};

class Layouts {
 public:
  struct Offset {
    std::int64_t at;
    std::int64_t bytes;
  };

  Layouts();

  // The number of a datatype, or -1.
  std::int32_t number(MPI_Datatype type) {
    if (type == last_type_ && last_ != kUnknown) return last_;
    return look_up(type);
  }
  void freed(MPI_Datatype type) {
    handles_.erase(number_of(type));
    last_ = kUnknown;
  }
  // Bytes of one element.
  std::int64_t bytes(std::int32_t number) const {
    return number < 0 ? 0 : layouts_[static_cast<std::uint32_t>(number)].bytes;
  }

  std::uint32_t size() const { return layouts_.size(); }
  const Layout& operator[](std::uint32_t number) const { return layouts_[number]; }
  const Offset& offset(std::uint32_t place) const { return offsets_[place]; }
  const char* words(std::uint32_t place) const { return &texts_[place]; }
  std::uint64_t left_out() const { return left_out_; }

 private:
  static constexpr std::int32_t kUnknown = -2;
  std::int32_t look_up(MPI_Datatype type);
  std::int32_t decode(MPI_Datatype type);

  Bounded<Layout> layouts_;
  Bounded<Offset> offsets_;
  Bounded<char> texts_;
  HandleMap handles_;
  MPI_Datatype last_type_;
  std::int32_t last_ = kUnknown;
  std::uint64_t left_out_ = 0;
};

}  // namespace recorder
