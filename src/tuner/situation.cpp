#include "situation.hpp"

#include "mpi/collectives.hpp"

#include <halocline/more/islands.hpp>
#include <halocline/more/processor.hpp>
#include <halocline/more/tuner.hpp>
#include <halocline/wait.hpp>

#include <unistd.h>
#include <algorithm>
#include <cmath>

namespace halocline::detail {

namespace {

using Sizes = decltype(Situation::Shape::sizes);

/// What this rank sends and where it lies, in the order of the names.
Sizes sizes_of(const Setup& setup, const Islands& islands) {
  double bytes = 0, largest = 0, runs = 0, field_bytes = 0, away = 0;
  for (const Link& link : setup.pattern.sends()) {
    const Layout layout = setup.send_layout(link);
    bytes += static_cast<double>(layout.bytes());
    largest = std::max(largest, static_cast<double>(layout.bytes()));
    if (islands.local_rank(link.peer) == MPI_UNDEFINED) away += static_cast<double>(layout.bytes());
    for (const Piece& piece : layout.pieces())
      runs += static_cast<double>(piece.planes * piece.rows);
  }
  for (std::size_t f = 0; f < setup.fields_in_message(); ++f) {
    const Field& field = setup.fields[f];
    const std::size_t bytes = field.elements == Field::unknown
                                  ? static_cast<std::size_t>(setup.reach(f).end)
                                  : field.elements * field.element_bytes;
    field_bytes += static_cast<double>(bytes);
  }
  const auto copied = static_cast<double>(setup.bytes(setup.pattern.copies_to()));
  return {static_cast<double>(setup.pattern.sends().size()),
          bytes,
          largest,
          runs,
          copied,
          field_bytes,
          away};
}

}  // namespace

Situation::Site this_site() {
  return {.cpu = cpu_model(),
          .cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)),
          .mpi = mpi::library_version(),
          .environment = mpi_environment()};
}

Situation situation(const Setup& setup) {
  constexpr std::size_t count = std::tuple_size_v<Sizes>;
  const auto islands_by = [&](const IslandSpec& by) -> const Islands& {
    return setup.comm.shared<Islands>(by.str(), by);
  };
  const Islands& islands = islands_by(setup.scheme.islands());
  std::vector<double> most(count + 3);
  const Sizes mine = sizes_of(setup, islands);
  std::copy(mine.begin(), mine.end(), most.begin());
  most[count] = mpi::size(islands.island());
  most[count + 1] = Patience::yields() ? 1 : 0;
  for (const Field& field : setup.fields)
    most[count + 2] = std::max(most[count + 2], static_cast<double>(field.memory.kind()));
  most = mpi::reduced(setup.comm, std::move(most), MPI_MAX);

  Situation all{
      .site = this_site(),
      .job = {.ranks = mpi::size(setup.comm),
              .nodes = islands_by(IslandSpec()).count(),
              .ranks_per_island = static_cast<int>(most[count]),
              .yielding = most[count + 1] > 0,
              .asked = setup.scheme.str()},
      .pattern = {.memory = std::string(to_string(static_cast<MemoryKind>(most[count + 2]))),
                  .fields = static_cast<int>(setup.fields_in_message()),
                  .two_way = setup.two_way}};
  std::copy_n(most.begin(), count, all.pattern.sizes.begin());
  return all;
}

double distance(const Situation& one, Situation other) {
  const Sizes sizes = std::exchange(other.pattern.sizes, one.pattern.sizes);
  if (one != other) return -1;
  double sum = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    sum += std::abs(std::log2((one.pattern.sizes[i] + 1) / (sizes[i] + 1)));
  return sum;
}

}  // namespace halocline::detail
