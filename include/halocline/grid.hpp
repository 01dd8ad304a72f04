#pragma once
// Grids: a cut of cells on a communicator.

#include <halocline/cut.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#pragma GCC visibility push(default)

namespace halocline {

namespace mpi {
class Comm;
}

/// A Cartesian grid of cells spread over the ranks of a communicator: its cut (`GridCut`), as this
/// rank sees it. All ranks compute the same and ask nobody, unless the grid renumbers, which is
/// collective; throws Error when a halo is wider than a subdomain.
class Grid {
 public:
  /// `cells` along each of one to five axes, of the whole grid, halos not counted.
  Grid(MPI_Comm comm, std::vector<std::int64_t> cells, GridOptions options = {});
  Grid(const Grid&) = default;
  Grid(Grid&&) = default;
  Grid& operator=(const Grid&) = default;
  Grid& operator=(Grid&&) = default;
  ~Grid() = default;

  /// The communicator given, which must outlive the grid; or, renumbered, one of the grid's own in
  /// whose order the parts are: row-major.
  MPI_Comm comm() const noexcept { return comm_; }
  /// What each rank of `comm()` has.
  const GridCut& cut() const noexcept { return cut_; }
  int axes() const noexcept { return cut_.axes(); }
  const std::vector<std::int64_t>& cells() const noexcept { return cut_.cells(); }
  const std::vector<int>& dims() const noexcept { return cut_.dims(); }
  const GridOptions& options() const noexcept { return options_; }
  // All that are of an axis throw Error if there is no such axis.
  HaloWidth width(int axis) const { return cut_.width(axis); }
  bool periodic(int axis) const { return cut_.periodic(axis); }

  bool idle() const noexcept { return coordinates_.empty(); }  ///< this rank owns no cell
  const std::vector<int>& coordinates() const noexcept { return coordinates_; }
  /// Cells of the whole grid that this rank owns along `axis`; {0, 0} on an idle rank.
  Range owned(int axis) const { return cut_.owned(me_, axis); }
  /// Cells of the local array along `axis`, halos included; 0 on an idle rank.
  std::int64_t local(int axis) const { return cut_.local(me_, axis); }
  /// Elements of the local array, halos included.
  std::size_t elements() const { return cut_.elements(me_); }
  /// Rank at my coordinates plus `offset` (one per axis), or MPI_PROC_NULL outside and on an idle
  /// rank.
  int neighbour(const std::vector<int>& offset) const;
  /// Cells that the rank with this coordinate owns along `axis`; throws Error if there is none.
  Range owned_by(int axis, int coordinate) const { return cut_.owned_by(axis, coordinate); }

  /// My halo's links: what I send to and receive from every neighbour. With corners it has stages,
  /// too, for schemes with `corners=forwarded`.
  Pattern halo() const { return cut_.halo(me_); }

  /// Which cells each rank owns, and where they lie in its array, for Pattern::between. `numbered`
  /// says whose rank numbers it uses: those of `comm()`, or those of the communicator given, for
  /// data that were read before the ranks were renumbered.
  Distribution distribution(MPI_Comm numbered) const;
  Distribution distribution() const { return distribution(comm_); }

  /// The grid of the faces along `axis` (GridCut::faces), on the same ranks.
  Grid faces(int axis) const;

  /// For a program that has read data before its ranks were renumbered: sends the data of rank r of
  /// the given communicator to rank r of `comm()`, and returns those that came for this rank.
  /// Collective.
  template <class T>
  std::vector<T> moved(const std::vector<T>& read) const {
    static_assert(std::is_trivially_copyable_v<T>,
                  "halocline: bytes are moved, so their type must be trivially copyable");
    std::vector<T> mine(moved_bytes(read.size() * sizeof(T)) / sizeof(T));
    move_bytes(std::as_bytes(std::span(read)), std::as_writable_bytes(std::span(mine)));
    return mine;
  }

 private:
  void renumber();
  std::size_t moved_bytes(std::size_t sent) const;
  void move_bytes(std::span<const std::byte> from, std::span<std::byte> to) const;

  MPI_Comm comm_;
  std::shared_ptr<mpi::Comm> renumbered_;  // where `comm_` is the grid's own
  MPI_Comm given_;
  int reader_;  // rank in `given_` of who has in `comm_` the number that I have there
  GridOptions options_;
  GridCut cut_;
  int me_ = 0;
  std::vector<int> coordinates_;
};

}  // namespace halocline

#pragma GCC visibility pop
