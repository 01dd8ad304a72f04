#include "layouts.hpp"

#include "clock.hpp"

#include <mpi_calls/calls.hpp>
#include <preload/behind.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace recorder {

namespace {

// A datatype taken apart.
struct Node {
  int combiner = MPI_COMBINER_NAMED;
  std::string name;
  std::vector<std::int64_t> numbers;    // counts and lengths
  std::vector<std::int64_t> distances;  // in bytes
  std::vector<Node> types;
  std::int64_t bytes = 0;
  std::int64_t extent = 0;
  std::int64_t lower_bound = 0;
  bool dense = false;  // its bytes are one block that begins at 0 and is as long as the extent
};

struct Parts {
  std::vector<std::int64_t> numbers, distances;
  std::vector<MPI_Datatype> types;
  int combiner = MPI_COMBINER_NAMED;
  bool large = false;  // numbers and distances came as one kind: all are in `numbers`
};

#ifdef HAS_MPI_Type_get_envelope_c
// Datatypes that were made with large counts can only be asked so.
bool take_apart_large(MPI_Datatype type, Parts& parts) {
  static bool there = preload::function("PMPI_Type_get_envelope_c") != nullptr;
  if (!there) return false;
  MPI_Count integers = 0, addresses = 0, large = 0, types = 0;
  if (PMPI(Type_get_envelope_c)(type, &integers, &addresses, &large, &types, &parts.combiner) !=
      MPI_SUCCESS) {
    return false;
  }
  if (large == 0) return false;
  std::vector<int> small(static_cast<std::size_t>(integers) + 1);
  std::vector<MPI_Aint> places(static_cast<std::size_t>(addresses) + 1);
  std::vector<MPI_Count> counts(static_cast<std::size_t>(large) + 1);
  parts.types.resize(static_cast<std::size_t>(types));
  parts.types.reserve(1);
  PMPI(Type_get_contents_c)
  (type, integers, addresses, large, types, small.data(), places.data(), counts.data(),
   parts.types.data());
  parts.large = true;
  parts.numbers.assign(counts.begin(), counts.end() - 1);
  parts.numbers.insert(parts.numbers.end(), small.begin(), small.end() - 1);
  return true;
}
#else
bool take_apart_large(MPI_Datatype, Parts&) {
  return false;
}
#endif

void take_apart(MPI_Datatype type, Parts& parts) {
  if (take_apart_large(type, parts)) return;
  int integers = 0, addresses = 0, types = 0;
  PMPI(Type_get_envelope)(type, &integers, &addresses, &types, &parts.combiner);
  if (parts.combiner == MPI_COMBINER_NAMED) return;
  std::vector<int> small(static_cast<std::size_t>(integers) + 1);
  std::vector<MPI_Aint> places(static_cast<std::size_t>(addresses) + 1);
  parts.types.resize(static_cast<std::size_t>(types));
  parts.types.reserve(1);
  // What Fortran's F90 datatypes were made from has no datatypes.
  PMPI(Type_get_contents)
  (type, integers, addresses, types, small.data(), places.data(), parts.types.data());
  parts.numbers.assign(small.begin(), small.end() - 1);
  parts.distances.assign(places.begin(), places.end() - 1);
}

bool is_named(int combiner) {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
         combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER
#ifdef HAS_MPI_Type_get_value_index
         || combiner == MPI_COMBINER_VALUE_INDEX
#endif
      ;
}

bool can_be_freed(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = MPI_COMBINER_NAMED;
  Parts parts;
  if (take_apart_large(type, parts)) {
    for (MPI_Datatype inner : parts.types) {
      if (can_be_freed(inner)) PMPI(Type_free)(&inner);
    }
    return true;
  }
  PMPI(Type_get_envelope)(type, &integers, &addresses, &types, &combiner);
  return !is_named(combiner);
}

Node node_of(MPI_Datatype type, int level) {
  Node node;
  MPI_Count size = 0, lower_bound = 0, extent = 0;
  PMPI(Type_size_x)(type, &size);
  PMPI(Type_get_extent_x)(type, &lower_bound, &extent);
  node.bytes = size;
  node.extent = extent;
  node.lower_bound = lower_bound;
  Parts parts;
  take_apart(type, parts);
  node.combiner = parts.combiner;
  if (is_named(node.combiner) || level > 32) {
    node.combiner = MPI_COMBINER_NAMED;
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length = 0;
    PMPI(Type_get_name)(type, name, &length);
    node.name = name[0] ? name : "unnamed";
    node.dense = node.bytes == node.extent && node.lower_bound == 0;
    return node;
  }
  node.numbers = std::move(parts.numbers);
  node.distances = std::move(parts.distances);
  for (MPI_Datatype inner : parts.types) {
    node.types.push_back(node_of(inner, level + 1));
    if (can_be_freed(inner)) PMPI(Type_free)(&inner);
  }
  if (parts.large) {
    // The same order as with small ones: which of the numbers are distances is known by the kind.
    std::size_t count = node.numbers.empty() ? 0 : static_cast<std::size_t>(node.numbers[0]);
    auto distances_from = [&](std::size_t first, std::size_t many) {
      first = std::min(first, node.numbers.size());
      many = std::min(many, node.numbers.size() - first);
      auto begin = node.numbers.begin() + static_cast<std::ptrdiff_t>(first);
      node.distances.assign(begin, begin + static_cast<std::ptrdiff_t>(many));
      node.numbers.erase(begin, begin + static_cast<std::ptrdiff_t>(many));
    };
    switch (node.combiner) {
      case MPI_COMBINER_HVECTOR: distances_from(2, 1); break;
      case MPI_COMBINER_HINDEXED: distances_from(1 + count, count); break;
      case MPI_COMBINER_HINDEXED_BLOCK: distances_from(2, count); break;
      case MPI_COMBINER_STRUCT: distances_from(1 + count, count); break;
      case MPI_COMBINER_RESIZED: distances_from(0, 2); break;
      // The number of dimensions, and the order, are small ones: they stand at the end.
      case MPI_COMBINER_SUBARRAY: {
        std::size_t dimensions = (node.numbers.size() - 2) / 3;
        std::int64_t order = node.numbers.back();
        node.numbers.pop_back();
        node.numbers.pop_back();
        node.numbers.insert(node.numbers.begin(), static_cast<std::int64_t>(dimensions));
        node.numbers.push_back(order);
        break;
      }
      // Only the lengths of the array are large, and stand before the rest.
      case MPI_COMBINER_DARRAY: {
        auto dimensions = static_cast<std::ptrdiff_t>((node.numbers.size() - 4) / 4);
        auto begin = node.numbers.begin();
        std::rotate(begin, begin + dimensions, begin + dimensions + 3);
        break;
      }
      default: break;
    }
  }
  return node;
}

// Blocks one after another, those that touch put together.
class Blocks {
 public:
  static constexpr std::size_t kKept = 64;
  static constexpr std::int64_t kSteps = 1'000'000;

  // False: enough.
  bool add(std::int64_t at, std::int64_t bytes) {
    if (bytes == 0) return true;
    if (++steps_ > kSteps) return false;
    if (count_ > 0 && last_.at + last_.bytes == at) {
      last_.bytes += bytes;
      return true;
    }
    put();
    last_ = {at, bytes};
    ++count_;
    return true;
  }
  void end() {
    put();
    last_ = {};
  }
  bool whole() const { return steps_ <= kSteps; }
  std::int64_t count() const { return count_; }
  std::int64_t each() const { return each_; }
  const std::vector<Layouts::Offset>& kept() const { return kept_; }

 private:
  void put() {
    if (count_ == 0) return;
    if (kept_.size() < kKept) kept_.push_back(last_);
    if (each_ < 0) each_ = last_.bytes;
    if (each_ != last_.bytes) each_ = 0;
  }

  std::vector<Layouts::Offset> kept_;
  Layouts::Offset last_{};
  std::int64_t count_ = 0;
  std::int64_t each_ = -1;
  std::int64_t steps_ = 0;
};

bool spread(const Node& node, std::int64_t at, Blocks& blocks);

// `count` of a datatype, one after another.
bool spread_many(const Node& node, std::int64_t at, std::int64_t count, Blocks& blocks) {
  if (node.dense) return blocks.add(at, count * node.bytes);
  if (node.bytes == 0) return true;
  for (std::int64_t one = 0; one < count; ++one) {
    if (!spread(node, at + one * node.extent, blocks)) return false;
  }
  return true;
}

// The part of an array that a datatype takes: in each dimension runs of indices.
struct Part {
  std::vector<std::int64_t> sizes;                                       // of the array
  std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>> runs;  // first index, length
  bool fortran = false;  // the first dimension is the fastest
};

Part part_of_subarray(const std::vector<std::int64_t>& numbers) {
  auto dimensions = static_cast<std::size_t>(numbers[0]);
  Part part;
  part.fortran = numbers[1 + 3 * dimensions] == MPI_ORDER_FORTRAN;
  for (std::size_t at = 1; at <= dimensions; ++at) {
    part.sizes.push_back(numbers[at]);
    part.runs.push_back({{numbers[at + 2 * dimensions], numbers[at + dimensions]}});
  }
  return part;
}

// The numbers: ranks, the own one, dimensions; and for each of these: lengths, how they are
// distributed, in which portions, among how many.
Part part_of_darray(const std::vector<std::int64_t>& numbers) {
  auto dimensions = static_cast<std::size_t>(numbers[2]);
  Part part;
  part.fortran = numbers[3 + 4 * dimensions] == MPI_ORDER_FORTRAN;
  std::int64_t ranks = numbers[0], rank = numbers[1];
  for (std::size_t at = 3; at < 3 + dimensions; ++at) {
    std::int64_t size = numbers[at], how = numbers[at + dimensions];
    std::int64_t portion = numbers[at + 2 * dimensions], among = numbers[at + 3 * dimensions];
    ranks /= among;
    std::int64_t own = rank / ranks;
    rank %= ranks;
    if (how == MPI_DISTRIBUTE_NONE) {
      own = 0;
      among = 1;
      portion = size;
    } else if (portion == MPI_DISTRIBUTE_DFLT_DARG) {
      portion = how == MPI_DISTRIBUTE_BLOCK ? (size + among - 1) / among : 1;
    }
    part.sizes.push_back(size);
    part.runs.emplace_back();
    for (std::int64_t first = own * portion; first < size; first += among * portion) {
      part.runs.back().emplace_back(first, std::min(portion, size - first));
      if (how == MPI_DISTRIBUTE_BLOCK) break;
    }
  }
  return part;
}

// Row by row, from the slowest dimension to the fastest.
bool spread_part(const Node& type, const Part& part, std::size_t level, std::int64_t index,
                 std::int64_t at, Blocks& blocks) {
  std::size_t dimensions = part.sizes.size();
  std::size_t dimension = part.fortran ? dimensions - 1 - level : level;
  index *= part.sizes[dimension];
  for (auto [first, length] : part.runs[dimension]) {
    if (level + 1 == dimensions) {
      if (!spread_many(type, at + (index + first) * type.extent, length, blocks)) return false;
      continue;
    }
    for (std::int64_t one = first; one < first + length; ++one) {
      if (!spread_part(type, part, level + 1, index + one, at, blocks)) return false;
    }
  }
  return true;
}

bool spread(const Node& node, std::int64_t at, Blocks& blocks) {
  const auto& n = node.numbers;
  const auto& d = node.distances;
  switch (node.combiner) {
    case MPI_COMBINER_NAMED: return blocks.add(at, node.bytes);
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED: return spread(node.types[0], at, blocks);
    case MPI_COMBINER_CONTIGUOUS: return spread_many(node.types[0], at, n[0], blocks);
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR: {
      std::int64_t stride =
          node.combiner == MPI_COMBINER_VECTOR ? n[2] * node.types[0].extent : d[0];
      for (std::int64_t one = 0; one < n[0]; ++one) {
        if (!spread_many(node.types[0], at + one * stride, n[1], blocks)) return false;
      }
      return true;
    }
    case MPI_COMBINER_INDEXED:
      for (std::int64_t one = 0; one < n[0]; ++one) {
        auto i = static_cast<std::size_t>(one), count = static_cast<std::size_t>(n[0]);
        if (!spread_many(node.types[0], at + n[1 + count + i] * node.types[0].extent, n[1 + i],
                         blocks)) {
          return false;
        }
      }
      return true;
    case MPI_COMBINER_HINDEXED:
      for (std::size_t i = 0; i < static_cast<std::size_t>(n[0]); ++i) {
        if (!spread_many(node.types[0], at + d[i], n[1 + i], blocks)) return false;
      }
      return true;
    case MPI_COMBINER_INDEXED_BLOCK:
      for (std::size_t i = 0; i < static_cast<std::size_t>(n[0]); ++i) {
        if (!spread_many(node.types[0], at + n[2 + i] * node.types[0].extent, n[1], blocks))
          return false;
      }
      return true;
    case MPI_COMBINER_HINDEXED_BLOCK:
      for (std::size_t i = 0; i < static_cast<std::size_t>(n[0]); ++i) {
        if (!spread_many(node.types[0], at + d[i], n[1], blocks)) return false;
      }
      return true;
    case MPI_COMBINER_STRUCT:
      for (std::size_t i = 0; i < static_cast<std::size_t>(n[0]); ++i) {
        if (!spread_many(node.types[i], at + d[i], n[1 + i], blocks)) return false;
      }
      return true;
    case MPI_COMBINER_SUBARRAY:
      return spread_part(node.types[0], part_of_subarray(n), 0, 0, at, blocks);
    case MPI_COMBINER_DARRAY:
      return spread_part(node.types[0], part_of_darray(n), 0, 0, at, blocks);
    default: return false;
  }
}

std::string listed(const std::vector<std::int64_t>& numbers, std::size_t first, std::size_t count) {
  std::string words = "[";
  for (std::size_t at = 0; at < count; ++at) {
    if (at > 0) words += ", ";
    if (at == 16) {
      words += "... " + std::to_string(count) + " in all";
      break;
    }
    words += std::to_string(numbers[first + at]);
  }
  return words + "]";
}

std::string words_of(const Node& node) {
  const auto& n = node.numbers;
  const auto& d = node.distances;
  auto number = [&](std::size_t at) { return std::to_string(n[at]); };
  auto count = [&] { return static_cast<std::size_t>(n[0]); };
  std::string inner = node.types.empty() ? "" : words_of(node.types[0]);
  switch (node.combiner) {
    case MPI_COMBINER_NAMED: return node.name;
    case MPI_COMBINER_DUP: return "dup(" + inner + ")";
    case MPI_COMBINER_RESIZED:
      return "resized(" + std::to_string(d[0]) + ", " + std::to_string(d[1]) + ", " + inner + ")";
    case MPI_COMBINER_CONTIGUOUS: return "contiguous(" + number(0) + ", " + inner + ")";
    case MPI_COMBINER_VECTOR:
      return "vector(" + number(0) + ", " + number(1) + ", " + number(2) + ", " + inner + ")";
    case MPI_COMBINER_HVECTOR:
      return "hvector(" + number(0) + ", " + number(1) + ", " + std::to_string(d[0]) + ", " +
             inner + ")";
    case MPI_COMBINER_INDEXED:
      return "indexed(" + listed(n, 1, count()) + ", " + listed(n, 1 + count(), count()) + ", " +
             inner + ")";
    case MPI_COMBINER_HINDEXED:
      return "hindexed(" + listed(n, 1, count()) + ", " + listed(d, 0, count()) + ", " + inner +
             ")";
    case MPI_COMBINER_INDEXED_BLOCK:
      return "indexed_block(" + number(1) + ", " + listed(n, 2, count()) + ", " + inner + ")";
    case MPI_COMBINER_HINDEXED_BLOCK:
      return "hindexed_block(" + number(1) + ", " + listed(d, 0, count()) + ", " + inner + ")";
    case MPI_COMBINER_STRUCT: {
      std::string types;
      for (std::size_t at = 0; at < node.types.size() && at < 16; ++at) {
        types += (at > 0 ? ", " : "") + words_of(node.types[at]);
      }
      return "struct(" + listed(n, 1, count()) + ", " + listed(d, 0, count()) + ", [" + types +
             "])";
    }
    case MPI_COMBINER_SUBARRAY:
      return "subarray(" + listed(n, 1, count()) + ", " + listed(n, 1 + count(), count()) + ", " +
             listed(n, 1 + 2 * count(), count()) + ", " +
             (n[1 + 3 * count()] == MPI_ORDER_FORTRAN ? "MPI_ORDER_FORTRAN" : "MPI_ORDER_C") +
             ", " + inner + ")";
    case MPI_COMBINER_DARRAY: return "darray(" + listed(n, 0, n.size()) + ", " + inner + ")";
    default: return "unknown";
  }
}

std::uint64_t identity_of(const Node& node) {
  std::uint64_t hash =
      mixed(static_cast<std::uint64_t>(node.combiner), hash_of(node.name.data(), node.name.size()));
  hash = mixed(hash, hash_of(node.numbers.data(), node.numbers.size() * sizeof(std::int64_t)));
  hash = mixed(hash, hash_of(node.distances.data(), node.distances.size() * sizeof(std::int64_t)));
  for (const Node& type : node.types) hash = mixed(hash, identity_of(type));
  return mixed(hash, static_cast<std::uint64_t>(node.extent));
}

}  // namespace

Layouts::Layouts() : layouts_(2048), offsets_(2048 * 16), texts_(1 << 19), handles_(8192) {
  texts_.add(0);
}

std::int32_t Layouts::look_up(MPI_Datatype type) {
  std::int32_t found = handles_.find(number_of(type));
  if (found < 0) {
    if (type == MPI_DATATYPE_NULL) return -1;
    found = decode(type);
    if (found < 0 || !handles_.set(number_of(type), static_cast<std::uint32_t>(found)))
      return found;
  }
  last_type_ = type;
  last_ = found;
  return found;
}

std::int32_t Layouts::decode(MPI_Datatype type) {
  OwnTime own;
  Node node = node_of(type, 0);
  Layout layout;
  layout.identity = identity_of(node);
  for (std::uint32_t at = 0; at < layouts_.size(); ++at) {
    if (layouts_[at].identity == layout.identity) return static_cast<std::int32_t>(at);
  }
  layout.bytes = node.bytes;
  layout.extent = node.extent;
  layout.lower_bound = node.lower_bound;
  if (!node.dense && node.bytes > 0) {
    Blocks blocks;
    bool known = spread(node, 0, blocks);
    blocks.end();
    layout.blocks = known ? blocks.count() : -1;
    layout.block_bytes = known ? blocks.each() : 0;
    auto count = static_cast<std::uint32_t>(known ? blocks.kept().size() : 0);
    layout.first_offset = offsets_.size();
    if (Offset* room = offsets_.add_many(count)) {
      std::copy(blocks.kept().begin(), blocks.kept().begin() + count, room);
      layout.offsets = count;
    }
  }
  std::string words = words_of(node);
  if (words.size() > 2000) words = words.substr(0, 2000) + "...";
  layout.words = texts_.size();
  if (char* room = texts_.add_many(static_cast<std::uint32_t>(words.size()) + 1)) {
    std::copy(words.c_str(), words.c_str() + words.size() + 1, room);
  } else {
    layout.words = 0;
  }
  if (!layouts_.add(layout)) {
    ++left_out_;
    return -1;
  }
  return static_cast<std::int32_t>(layouts_.size() - 1);
}

}  // namespace recorder
