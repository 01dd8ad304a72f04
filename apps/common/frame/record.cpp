#include "record.hpp"

#include "facts.hpp"

#include <base/text.hpp>
#include <base/whole_file.hpp>
#include <halocline/more/islands.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <ctime>

extern char** environ;

namespace frame {

using nlohmann::json;
using nlohmann::ordered_json;
namespace base = halocline::base;
namespace mpi = halocline::mpi;

namespace {

std::string now() {
  const std::time_t time = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&time));
  return text;
}

/// Variables that change how an MPI, OpenMP or this library behaves.
ordered_json environment() {
  constexpr std::string_view prefixes[] = {
      "GLIBC_TUNABLES=", "OMPI_", "MPICH_", "MPIR_", "UCX_",  "FI_",
      "I_MPI_",          "OMP_",  "GOMP_",  "KMP_",  "PRTE_", "HALOCLINE_"};
  ordered_json set = ordered_json::object();
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text(*entry);
    const auto relevant = [&](std::string_view prefix) { return text.starts_with(prefix); };
    const std::size_t equals = text.find('=');
    if (equals != text.npos && std::any_of(std::begin(prefixes), std::end(prefixes), relevant))
      set[std::string(text.substr(0, equals))] = std::string(text.substr(equals + 1));
  }
  return set;
}

ordered_json machine_and_load() {
  ordered_json machine = facts::machine();
  double load[3] = {};
  if (getloadavg(load, 3) == 3) machine["load"] = load;
  return machine;
}

/// Ranks on every island.
std::vector<int> islands(MPI_Comm comm) {
  const halocline::Islands islands(comm);
  std::vector<int> sizes(static_cast<std::size_t>(islands.count()), 0);
  ++sizes[static_cast<std::size_t>(islands.index())];
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, sizes.data(), static_cast<int>(sizes.size()), MPI_INT,
                MPI_SUM, comm);
  return sizes;
}

/// The steps of one repetition, as the slowest rank of each saw them. Very many are joined into
/// groups of equal length, whose mean stands for each.
std::vector<double> slowest(MPI_Comm comm, const std::vector<double>& steps) {
  constexpr std::size_t most = 100'000;
  std::size_t count = steps.size();
  // Ranks without work may have taken none.
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &count, 1, MPI_UINT64_T, MPI_MAX, comm);
  const std::size_t group = std::max<std::size_t>(1, (count + most - 1) / most);
  std::vector<double> mine((count + group - 1) / group, 0.0);
  for (std::size_t begin = 0; begin < steps.size(); begin += group) {
    const std::size_t end = std::min(begin + group, steps.size());
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += steps[i];
    mine[begin / group] = sum / static_cast<double>(end - begin);
  }
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE,
                MPI_MAX, comm);
  return mine;
}

json pinned(const machine::Pinning& mine) {
  return mine.threads.empty() ? json{{"not_pinned", mine.why_not}} : json{{"cpus", mine.threads}};
}

ordered_json phases(MPI_Comm comm, const Phases& mine) {
  const std::array seconds{mine.compute, mine.pack,   mine.transfer,
                           mine.wait,    mine.reduce, mine.copy};
  constexpr std::array names{"compute_s", "pack_s", "transfer_s", "wait_s", "reduce_s", "copy_s"};
  constexpr int count = names.size();
  const auto ranks = static_cast<std::size_t>(mpi::size(comm));
  std::vector<double> all(count * ranks);
  HALOCLINE_MPI(MPI_Gather, seconds.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, 0,
                comm);
  ordered_json list = ordered_json::array();
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    ordered_json& entry = list.emplace_back(ordered_json{{"rank", rank}});
    for (std::size_t i = 0; i < count; ++i) {
      const double one = all[count * rank + i];
      const bool of_devices = i + 1 == count;
      if (!of_devices || one > 0) entry[names[i]] = one;
    }
  }
  return list;
}

}  // namespace

ordered_json head(MPI_Comm comm, const char* format, const Record& record) {
  ordered_json all = {{"format", format},
                      {"version", 1},
                      {"program", record.program},
                      {"arguments", record.arguments},
                      {"time", now()},
                      {"machine", machine_and_load()},
                      {"mpi", facts::mpi()},
                      {"build", facts::build()},
                      {"environment", environment()}};
  if (!record.scheme.empty()) all["scheme"] = record.scheme;
  if (!record.style.empty()) all["style"] = record.style;
  all["ranks"] = mpi::size(comm);
  all["threads"] = record.threads;
  all["islands"] = islands(comm);
  all["binding"] = facts::gather(comm, record.pinning.allowed);
  all["pinning"] = facts::gather(comm, pinned(record.pinning));
  all["parameters"] = record.parameters;
  return all;
}

void check_save(MPI_Comm comm, const std::string& file) {
  mpi::together(comm, [&] {
    if (mpi::rank(comm) == 0 && !file.empty()) base::check_file({"--json", file});
  });
}

void save(MPI_Comm comm, const ordered_json& content, const std::string& file) {
  mpi::together(comm, [&] {
    if (mpi::rank(comm) == 0) base::write_whole("--json", file, base::json_text(content, 1) + "\n");
  });
}

void write(MPI_Comm comm, const Record& record, const std::string& file) {
  ordered_json all = head(comm, "halocline-result", record);
  if (!record.distances.seconds.empty()) all["core_distance_s"] = record.distances.seconds;
  all["result"] = record.outcome;
  if (!record.running.is_null()) all["running"] = record.running;

  std::vector<double> totals = record.totals;
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, totals.data(), static_cast<int>(totals.size()),
                MPI_DOUBLE, MPI_MAX, comm);
  ordered_json steps = ordered_json::array();
  for (const auto& repetition : record.steps) steps.push_back(slowest(comm, repetition));
  all["samples"] = {{"step_s", std::move(steps)}, {"total_s", totals}};
  all["phases"] = phases(comm, record.phases);
  save(comm, all, file);
}

}  // namespace frame
