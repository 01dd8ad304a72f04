// What verdicts of the doctor hold for.

#include "fingerprint.hpp"

#include <halocline/more/mpi.hpp>
#include <halocline/more/processor.hpp>
#include <halocline/more/tuner.hpp>

#include <unistd.h>
#include <algorithm>
#include <array>
#include <string_view>

namespace halocline {

namespace {

/// What shapes how an MPI library communicates.
constexpr std::array<std::string_view, 13> shaping{
    "MPICH_",        "MPIR_",         "UCX_",         "FI_",          "I_MPI_",
    "OMPI_MCA_osc",  "OMPI_MCA_pml",  "OMPI_MCA_btl", "OMPI_MCA_bml", "OMPI_MCA_mtl",
    "OMPI_MCA_coll", "OMPI_MCA_smsc", "OMPI_MCA_opal"};
/// The variables among these that launchers set to something else in each job, and those that only
/// change how much is printed. Intel MPI's are there after MPI_Init between hosts.
constexpr std::array<std::string_view, 13> of_launchers{"UCX_LOG_",
                                                        "MPIR_CVAR_DEBUG_SUMMARY",
                                                        "MPIR_CVAR_CH3_INTERFACE_HOSTNAME",
                                                        "I_MPI_HYDRA_",
                                                        "I_MPI_PIN",
                                                        "I_MPI_INFO_",
                                                        "I_MPI_MPIRUN",
                                                        "I_MPI_DEBUG",
                                                        "I_MPI_ROOT",
                                                        "FI_PSM3_UUID",
                                                        "FI_UNIVERSE_SIZE",
                                                        "UCX_NUM_EPS",
                                                        "UCX_NUM_PPN"};

bool begins_with_one_of(std::string_view name, const auto& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace

std::map<std::string, std::string> mpi_environment() {
  std::map<std::string, std::string> found;
  for (char** variable = environ; variable && *variable; ++variable) {
    const std::string_view text = *variable;
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::string_view name = text.substr(0, equals);
    if (begins_with_one_of(name, shaping) && !begins_with_one_of(name, of_launchers))
      found.emplace(name, text.substr(std::min(equals + 1, text.size())));
  }
  return found;
}

Surroundings surroundings() {
  return {.host = cpu_model() + ", " + std::to_string(sysconf(_SC_NPROCESSORS_ONLN)) + " CPUs",
          .mpi = mpi::library_version(),
          .environment = mpi_environment(),
          .build = detail::fingerprint()};
}

}  // namespace halocline
