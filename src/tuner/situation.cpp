#include "situation.hpp"

#include <halocline/topology.hpp>
#include <halocline/wait.hpp>

#include <unistd.h>
#include <algorithm>
#include <cmath>

namespace halocline::detail {

namespace {

constexpr const char* parts[] = {"machine", "job", "pattern"};
constexpr const char* sizes[] = {"links", "bytes", "largest", "runs", "copied", "field_bytes"};

/// What this rank sends and where it lies.
std::array<double, 6> sizes_of(const Setup& setup) {
  double bytes = 0, largest = 0, runs = 0, element_bytes = 0, field_bytes = 0;
  for (const Link& link : setup.pattern.sends()) {
    const Layout layout(link.blocks, setup.fields);
    bytes += static_cast<double>(layout.bytes());
    largest = std::max(largest, static_cast<double>(layout.bytes()));
    for (const Piece& piece : layout.pieces())
      runs += static_cast<double>(piece.planes * piece.rows);
  }
  for (const Field& field : setup.fields) {
    const std::size_t elements = field.elements ? field.elements : setup.pattern.extent();
    element_bytes += static_cast<double>(field.element_bytes);
    field_bytes += static_cast<double>(elements * field.element_bytes);
  }
  const auto copied = static_cast<double>(setup.pattern.copies_to().size()) * element_bytes;
  return {
      static_cast<double>(setup.pattern.sends().size()), bytes, largest, runs, copied, field_bytes};
}

}  // namespace

Json situation(const Setup& setup) {
  constexpr std::size_t count = std::size(sizes);
  const Islands islands(setup.comm, setup.scheme.islands());
  std::array<double, count + 3> most{};
  const auto mine = sizes_of(setup);
  std::copy(mine.begin(), mine.end(), most.begin());
  most[count] = mpi::size(islands.island());
  most[count + 1] = Patience::current().yield ? 1 : 0;
  for (const Field& field : setup.fields)
    most[count + 2] = std::max(most[count + 2], static_cast<double>(field.memory.kind()));
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, most.data(), static_cast<int>(most.size()), MPI_DOUBLE,
                MPI_MAX, setup.comm);

  Json all;
  all["machine"]["cpu"] = cpu_model();
  all["machine"]["cores"] = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  all["machine"]["mpi"] = mpi::library_version();
  all["job"]["ranks"] = mpi::size(setup.comm);
  all["job"]["ranks_per_island"] = most[count];
  all["job"]["yielding"] = most[count + 1] > 0;
  all["job"]["asked"] = setup.scheme.str();
  all["pattern"]["memory"] = name(static_cast<MemoryKind>(most[count + 2]));
  all["pattern"]["fields"] = static_cast<int>(setup.fields.size());
  all["pattern"]["two_way"] = setup.two_way;
  for (std::size_t i = 0; i < count; ++i) all["pattern"][sizes[i]] = most[i];
  return all;
}

Json situation_of(const Json& entry) {
  Json all;
  for (const char* part : parts) all[part] = entry[part];
  return all;
}

double distance(const Json& one, const Json& other) {
  Json a = situation_of(one), b = situation_of(other);
  double sum = 0;
  for (const char* size : sizes) {
    const double first = a["pattern"][size].number(), second = b["pattern"][size].number();
    sum += std::abs(std::log2((first + 1) / (second + 1)));
    a["pattern"].erase(size);
    b["pattern"].erase(size);
  }
  return a == b ? sum : -1;
}

}  // namespace halocline::detail
