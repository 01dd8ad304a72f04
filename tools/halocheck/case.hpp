#pragma once
// A case: one random pattern with what every element must hold after an exchange, computed
// without the library (global index arithmetic for grids, the lists themselves for graphs).

#include <halocline/exchange.hpp>
#include <halocline/grid.hpp>
#include <halocline/more/mpi.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace halocheck {

enum class Role : unsigned char {
  owned,    ///< mine: I write it, the exchange must not
  halo,     ///< must hold the value of the cell `id` of another (or of my own) part
  outside,  ///< no cell of the problem: must keep its bytes
};

struct Element {
  Role role = Role::outside;
  std::uint64_t id = 0;  ///< of the global cell
};

/// Where a field's elements lie in its memory.
struct Places {
  halocline::FieldShape shape{};  ///< without axes: one after the other
  std::size_t first = 0;          ///< byte of element 0
  std::size_t bytes = 0;          ///< of the memory
};

/// One rank's part of a case.
struct Case {
  std::string text;  ///< what it is, for messages
  MPI_Comm comm = MPI_COMM_NULL;
  halocline::Pattern pattern;
  std::vector<Element> elements;
  std::vector<std::size_t> element_bytes;  ///< one for each field
  std::vector<Places> places;              ///< the same
  std::vector<Case> more;   ///< other patterns of the same exchange, each of its fields
  int grids = 1;            ///< 2: two sets of fields, exchanged in turn
  bool own_memory = false;  ///< in memory that the library knows nothing of
  bool mutual = true;       ///< every link of every rank has one in the other direction
};

/// The communicators that cases run on: all ranks, in reversed order, in pairs.
class Communicators {
 public:
  Communicators();
  struct Choice {
    MPI_Comm comm;
    const char* text;
  };
  const Choice& operator[](std::size_t i) const { return choices_[i]; }
  std::size_t size() const { return choices_.size(); }

 private:
  halocline::mpi::Comm all_, reversed_, pairs_;
  std::vector<Choice> choices_;
};

struct CaseOptions {
  unsigned seed = 1;
  /// Tiny extents, but for two cases of twelve; otherwise messages of up to a megabyte are common.
  bool small = true;
  int fields = 0;  ///< 0: one to three
};

/// Case number `index`, the same for every scheme. Collective; repeatable from seed and index.
Case make_case(const Communicators& communicators, const CaseOptions& options, int index);

}  // namespace halocheck
