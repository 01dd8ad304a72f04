# Headers of the system and of MPI that nearly every file includes, compiled once for all files with
# the same flags. None of ours is among them: a change compiles only those who include it.

option(HALOCLINE_EACH_ALONE
       "Compile each file by itself, so that none forgets to include what it needs" OFF)
if(HALOCLINE_EACH_ALONE)
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()

set(HALOCLINE_PRECOMPILED <mpi.h> <algorithm> <array> <atomic> <chrono> <cstdint> <functional>
    <map> <memory> <numeric> <optional> <span> <sstream> <string> <thread> <vector>)

# For what runs once: it takes longer to make fast than to run.
set(HALOCLINE_COLD_OPTIONS $<$<CONFIG:Release>:-O1>)

# For programs, which run where they are compiled, or on the processor that is named.
set(HALOCLINE_NATIVE_OPTIONS $<$<BOOL:${HALOCLINE_NATIVE}>:-march=${HALOCLINE_PROCESSOR}>)

# precompiled_headers(NAME LIBRARIES targets... [HEADERS more...] [OPTIONS flags...])
# Afterwards `target_precompile_headers(mine REUSE_FROM NAME)` where `mine` has the same flags.
function(precompiled_headers name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES;HEADERS;OPTIONS")
  set(empty ${PROJECT_BINARY_DIR}/CMakeFiles/${name}.cpp)
  if(NOT EXISTS ${empty})
    file(WRITE ${empty} "")
  endif()
  add_library(${name} OBJECT ${empty})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES})
  target_compile_options(${name} PRIVATE ${arg_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${HALOCLINE_PRECOMPILED} ${arg_HEADERS})
endfunction()

set(HALOCLINE_BATCH 16 CACHE STRING "How many files are compiled together: more take less time in all")

# compiled_together(TARGET): its files several at a time. They are short, and what they include is
# long. Names in unnamed namespaces must differ within a target (tests/python/test_batches.py).
function(compiled_together target)
  if(NOT HALOCLINE_EACH_ALONE AND (PROJECT_IS_TOP_LEVEL OR NOT DEFINED CMAKE_UNITY_BUILD))
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${HALOCLINE_BATCH})
    # GCC takes files that a file includes for headers.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()
