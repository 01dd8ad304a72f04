# Finds MPI, tells which implementation it is, and writes `mpiexec` into the build folder: a
# launcher that works as root and with more ranks than cores, used by the tests and `./dev mpiexec`.
# Sets HALOCLINE_MPI_NAME (mpich, openmpi, impi or mpi), HALOCLINE_MPI_RELEASE, HALOCLINE_MPIEXEC,
# and HALOCLINE_MPI_ENVIRONMENT, which compiling with this MPI needs.

set(launcher_given ${MPIEXEC_EXECUTABLE})

# The launcher beside the compiler of MPI goes before the first one on PATH, which FindMPI takes.
foreach(compiler IN ITEMS ${MPI_CXX_COMPILER} ${CMAKE_CXX_COMPILER})
  if(compiler MATCHES "^(/.*)/mpi[^/.]*([.](mpich|openmpi))?$")
    find_program(MPIEXEC_EXECUTABLE NAMES mpiexec${CMAKE_MATCH_2} mpiexec PATHS ${CMAKE_MATCH_1}
                 NO_DEFAULT_PATH)
  endif()
endforeach()

set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI 3.1 REQUIRED COMPONENTS CXX)

include(halocline-mpi)
halocline_mpi_abi(CXX)

set(probe ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/mpi_macros.cpp)
file(WRITE ${probe} "#include <mpi.h>\n")
list(TRANSFORM MPI_CXX_INCLUDE_DIRS PREPEND -I OUTPUT_VARIABLE includes)
list(TRANSFORM MPI_CXX_COMPILE_DEFINITIONS PREPEND -D OUTPUT_VARIABLE definitions)
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -E -dM ${includes} ${definitions} ${probe}
                OUTPUT_VARIABLE macros ERROR_QUIET)
set(HALOCLINE_MPI_NAME mpi)
set(HALOCLINE_MPI_RELEASE "")
if(macros MATCHES "#define I_MPI_VERSION \"([0-9.]+)")
  set(HALOCLINE_MPI_NAME impi)
  set(HALOCLINE_MPI_RELEASE ${CMAKE_MATCH_1})
elseif(macros MATCHES "#define MPICH_VERSION \"([0-9.]+)")
  set(HALOCLINE_MPI_NAME mpich)
  set(HALOCLINE_MPI_RELEASE ${CMAKE_MATCH_1})
elseif(macros MATCHES "#define OMPI_MAJOR_VERSION ([0-9]+)")
  set(HALOCLINE_MPI_NAME openmpi)
  set(HALOCLINE_MPI_RELEASE ${CMAKE_MATCH_1})
  foreach(part MINOR RELEASE)
    if(macros MATCHES "#define OMPI_${part}_VERSION ([0-9]+)")
      string(APPEND HALOCLINE_MPI_RELEASE .${CMAKE_MATCH_1})
    endif()
  endforeach()
endif()

# Which MPIs a program is the launcher of; empty where it does not say so.
function(halocline_launcher_of program result)
  execute_process(COMMAND ${program} --version OUTPUT_VARIABLE said ERROR_VARIABLE said TIMEOUT 20)
  set(${result} "" PARENT_SCOPE)
  if(said MATCHES "HYDRA|Intel\\(R\\) MPI")  # which start each other's programs
    set(${result} mpich impi PARENT_SCOPE)
  elseif(said MATCHES "\\((Open MPI|OpenRTE)\\) ([0-9]+)")
    set(${result} openmpi${CMAKE_MATCH_2} PARENT_SCOPE)
  endif()
endfunction()

# A launcher of another MPI starts every rank as a job of its own.
set(mine ${HALOCLINE_MPI_NAME})
if(mine STREQUAL openmpi)
  string(REGEX MATCH "^[0-9]+" major "${HALOCLINE_MPI_RELEASE}")
  string(APPEND mine ${major})
endif()
halocline_launcher_of(${MPIEXEC_EXECUTABLE} own)
if(own AND NOT mine STREQUAL mpi AND NOT mine IN_LIST own)
  list(TRANSFORM MPI_CXX_LIBRARIES REPLACE "/[^/]*$" "/../bin/mpiexec" OUTPUT_VARIABLE others)
  find_program(launcher_by_name mpiexec.${HALOCLINE_MPI_NAME} NO_CACHE)
  foreach(other IN ITEMS ${others} ${launcher_by_name})
    if(NOT launcher_given AND EXISTS ${other})
      halocline_launcher_of(${other} own)
      if(mine IN_LIST own)
        get_filename_component(other ${other} ABSOLUTE)
        set_property(CACHE MPIEXEC_EXECUTABLE PROPERTY VALUE ${other})
        break()
      endif()
    endif()
  endforeach()
  if(NOT mine IN_LIST own)
    message(WARNING "${MPIEXEC_EXECUTABLE} is the launcher of another MPI than "
                    "${HALOCLINE_MPI_NAME} ${HALOCLINE_MPI_RELEASE}, with which programs are "
                    "compiled: their ranks will not meet; name its launcher by "
                    "-DMPIEXEC_EXECUTABLE=/path/to/mpiexec")
  endif()
endif()

# UCX reports on standard output, which belongs to the program.
set(environment "export UCX_LOG_FILE=\"\${UCX_LOG_FILE:-stderr}\"\n")
set(HALOCLINE_MPI_ENVIRONMENT "")
if(HALOCLINE_MPI_NAME STREQUAL openmpi)
  string(APPEND environment "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1\n")
  if(HALOCLINE_MPI_RELEASE VERSION_LESS 5)
    # osc/rdma of Open MPI 4.1 mixes up windows of communicators that share no rank.
    string(APPEND environment
           "export OMPI_MCA_rmaps_base_oversubscribe=1\n"
           "export OMPI_MCA_osc=\"\${OMPI_MCA_osc:-^ucx,rdma}\"\n")
  else()
    string(APPEND environment
           "export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe\n"
           "export OMPI_MCA_osc=\"\${OMPI_MCA_osc:-^ucx}\"\n")
  endif()
elseif(HALOCLINE_MPI_NAME STREQUAL impi)
  get_filename_component(prefix ${MPIEXEC_EXECUTABLE} DIRECTORY)
  get_filename_component(prefix ${prefix} DIRECTORY)
  string(APPEND environment "export I_MPI_ROOT=\"\${I_MPI_ROOT:-${prefix}}\"\n")
  set(HALOCLINE_MPI_ENVIRONMENT I_MPI_ROOT=${prefix})
endif()

set(HALOCLINE_MPIEXEC ${CMAKE_CURRENT_BINARY_DIR}/mpiexec)
file(WRITE ${HALOCLINE_MPIEXEC}.in "#!/bin/sh
# Starts programs of this build (${HALOCLINE_MPI_NAME} ${HALOCLINE_MPI_RELEASE}), also as root and oversubscribed.
${environment}exec \"${MPIEXEC_EXECUTABLE}\" \"$@\"
")
configure_file(${HALOCLINE_MPIEXEC}.in ${HALOCLINE_MPIEXEC} COPYONLY
               FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                WORLD_READ WORLD_EXECUTE)

# OpenSHMEM beside MPI: Open MPI's, whose two libraries live in one process.
if(HALOCLINE_MPI_NAME STREQUAL openmpi)
  find_path(OPENSHMEM_INCLUDE_DIR shmem.h PATHS ${MPI_CXX_INCLUDE_DIRS} NO_DEFAULT_PATH)
  foreach(library IN LISTS MPI_CXX_LIBRARIES)
    get_filename_component(folder ${library} DIRECTORY)
    list(APPEND folders ${folder})
  endforeach()
  find_library(OPENSHMEM_LIBRARY oshmem PATHS ${folders} NO_DEFAULT_PATH)
endif()
if(OPENSHMEM_LIBRARY AND OPENSHMEM_INCLUDE_DIR)
  set(OPENSHMEM_FOUND ON)
endif()
summarise_dependency(OpenSHMEM "${OPENSHMEM_FOUND}" "${HALOCLINE_MPI_RELEASE}"
                     "libopenmpi-dev, with Open MPI")
