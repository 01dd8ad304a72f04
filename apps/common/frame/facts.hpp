#pragma once
// Facts of the record that go with every result: machine, MPI, build, where each rank runs.

#include "json.hpp"

#include <halocline/more/mpi.hpp>

namespace frame::facts {

/// {host, cpu, cores, numa_nodes, memory_bytes, shm_bytes_total, shm_bytes_free, kernel}
nlohmann::json machine();
/// {library, standard, thread_level}; after MPI_Init.
nlohmann::json mpi();
/// {compiler, flags, version}
nlohmann::json build();
/// {create, allocate, dynamic, shared}: "unified" or "separate". Collective.
nlohmann::json windows(MPI_Comm comm);
/// Whether a put into windows of 24 and 40 bytes gives the right data. Collective.
bool small_windows_work(MPI_Comm comm);
/// What every rank says, as a list by ranks, on rank 0; null elsewhere. Collective.
nlohmann::json gather(MPI_Comm comm, const nlohmann::json& mine);
/// [{rank, host, binding: [cpu, ...]}, ...] on rank 0, null elsewhere. Collective.
nlohmann::json ranks(MPI_Comm comm);

/// {device, played}: this rank's, which it opens, and whether it is a CPU that plays one; or
/// {missing}: why there is none.
nlohmann::json device(MPI_Comm comm);

}  // namespace frame::facts
