# Functions for the CMakeLists.txt of each test folder.
#
# halocline_unit_test(NAME name SOURCES files... [LIBRARIES targets...] [INCLUDE folders...]
#                     [OPTIONS flags...] [LABELS labels...] [TIMEOUT seconds])
#   A GoogleTest program that is started without mpiexec: one ctest, labelled unit.
#
# halocline_races_test(NAME name OF test SOURCES files...)
#   A unit test once more under ThreadSanitizer where that works, without MPI, which it does not
#   understand.
#
# halocline_mpi_test(NAME name RANKS 1 2 3... [SOAK 5 8...] SOURCES files... [LIBRARIES targets...]
#                    [INCLUDE folders...] [LABELS labels...] [TIMEOUT seconds])
#   A GoogleTest program that is started on so many ranks: one ctest for each number, called
#   name.N; on those after SOAK in the soak alone. MPI is initialised around it; what fails on any
#   rank fails the test. With `COMMAND arguments...` instead of SOURCES, the first word is a path or
#   a target of this project: without it there is no test.
#
# halocline_kernel_tests(NAME name SOURCES files... KERNELS files... [PROGRAM name]
#                        [LIBRARIES targets...] [INCLUDE folders...])
#   A unit test of numerical kernels for vectors of every width, labelled core: name.default has the
#   least that the compiler assumes, name.native the widest of this machine, and in the soak
#   name.x86-64-v3 those of AVX2 where that is less. The width that programs have takes the kernels
#   from the program's own parts, but with the sanitizers, which compile no program.
#
# halocline_solver_test(NAME name SOURCES files... PROGRAM name [INCLUDE folders...])
#   An MPI test on 1 to 8 ranks (from 5 in the soak alone) of a program's solver, without the
#   schemes that this MPI is known to break (tests/CMakeLists.txt).
#
# halocline_command_test(NAME name COMMAND command... [NEEDS targets...] [PROCESSORS number]
#                        [TIMEOUT seconds] [LABELS labels...])
#   Any other command, labelled portable unless LABELS says otherwise. It is skipped if it exits
#   with 77, and left out if a target that it NEEDS is not built. In a COMMAND a target's name stands
#   for its file. Starting ranks takes most of its time
#   and not one processor, so two may run at once: PROCESSORS 2 where that would be felt.
#
# halocline_program_test(NAME name FILE file PROGRAMS targets... [TESTS names...] [ENVIRONMENT NAME=value...]
#                        [PROCESSORS number] [TIMEOUT seconds] [LABELS labels...])
#   Tests of programs as users call them, by pytest with common/programs.py, left out where there is
#   none: those of the file, or those of these names. Each program is a target or a path.
#
# Labels: `core` and `portable` run again with the second MPI, in a build with the sanitizers; of
# the unit tests, which have no MPI in them, only those that are core. Of an MPI test on several
# numbers of ranks those on 2 and 3 run again, the others get the label `once`: one rank is no MPI's
# concern, and many take long. Tests without a label run once, and so do these:
#   program  what a program says and writes is no MPI's concern; heat shows that the frame's errors
#            end all ranks with any
#   parts    programs' parts, which take most of the time to compile: with the sanitizers in
#            `./dev soak` alone
# What is labelled `soak` runs in `./dev soak` alone.
# `quick` is what `./dev test --quick` builds and runs: of the library's own tests those without MPI,
# and those on two ranks of what is core.

# UCX_LOG_FILE: where there is no /sys, UCX says so on standard output, which tests compare.
set(HALOCLINE_TEST_ENVIRONMENT
    "ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1" "UBSAN_OPTIONS=print_stacktrace=1"
    "OMP_WAIT_POLICY=passive" "UCX_LOG_FILE=stderr" "OMP_PROC_BIND=false")
if(HALOCLINE_SANITIZE)
  list(APPEND HALOCLINE_TEST_ENVIRONMENT HALOCLINE_TEST_FEW=1)  # common/its_turn.hpp
endif()
if(HALOCLINE_MPI_NAME STREQUAL openmpi AND HALOCLINE_MPI_RELEASE VERSION_LESS 5)
  # One rank is started without `mpiexec`, which sets this (cmake/HaloclineMPI.cmake): alone, too,
  # osc/rdma refuses windows after some others.
  list(APPEND HALOCLINE_TEST_ENVIRONMENT "OMPI_MCA_osc=^ucx,rdma")
endif()
if(HALOCLINE_SANITIZE STREQUAL thread)
  # Its mutexes are gone when a thread that ends comes to UCX's hooks of memory.
  list(APPEND HALOCLINE_TEST_ENVIRONMENT UCX_MEM_EVENTS=n UCX_MEM_MMAP_HOOK_MODE=none)
endif()

# Tests run beside others: ranks that wait give their cores away, also where there are enough for
# them. Tests that are core have what users have.
set(HALOCLINE_TEST_WAITS "OMPI_MCA_mpi_yield_when_idle=1")
foreach(collective BARRIER ALLREDUCE REDUCE BCAST)
  list(APPEND HALOCLINE_TEST_WAITS MPIR_CVAR_${collective}_DEVICE_COLLECTIVE=0)
endforeach()

# What is needed to run the tests with these labels; the second MPI builds no more.
foreach(label portable quick)
  add_custom_target(${label}_tests)
endforeach()

if(GTest_FOUND)
  add_library(halocline_mpi_main STATIC ${CMAKE_CURRENT_SOURCE_DIR}/common/mpi_main.cpp)
  target_include_directories(halocline_mpi_main PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(halocline_mpi_main PUBLIC halocline::halocline GTest::gtest)
  precompiled_headers(halocline_test_headers HEADERS <gtest/gtest.h> <random>
                      LIBRARIES halocline::halocline GTest::gtest
                      OPTIONS ${HALOCLINE_COLD_OPTIONS})
  if(TARGET halocline_program_headers)  # with the flags of programs' parts
    precompiled_headers(halocline_parts_test_headers HEADERS <gtest/gtest.h> <random>
                        LIBRARIES halocline::halocline GTest::gtest OpenMP::OpenMP_CXX
                        OPTIONS ${HALOCLINE_NATIVE_OPTIONS} ${HALOCLINE_COLD_OPTIONS})
  endif()
  target_compile_options(halocline_mpi_main PRIVATE ${HALOCLINE_COLD_OPTIONS})
  target_precompile_headers(halocline_mpi_main REUSE_FROM halocline_test_headers)
endif()

# _needed_by_tests(LABELS labels... TARGETS targets...)
function(_needed_by_tests)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "LABELS;TARGETS")
  if("core" IN_LIST arg_LABELS)
    list(APPEND arg_LABELS portable)
  endif()
  foreach(label portable quick)
    if(label IN_LIST arg_LABELS AND arg_TARGETS)
      add_dependencies(${label}_tests ${arg_TARGETS})
    endif()
  endforeach()
endfunction()

# _halocline_test_program(LIBRARIES...): from arg_NAME, arg_SOURCES ...
function(_halocline_test_program)
  # What stands here is called by its name alone (below).
  list(TRANSFORM arg_SOURCES REPLACE "^${CMAKE_CURRENT_SOURCE_DIR}/" "")
  add_executable(${arg_NAME} ${arg_SOURCES})
  set_target_properties(${arg_NAME} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/bin)
  target_include_directories(${arg_NAME} PRIVATE ${PROJECT_SOURCE_DIR}/tests ${arg_INCLUDE})
  target_compile_options(${arg_NAME} PRIVATE ${arg_OPTIONS})
  target_link_libraries(${arg_NAME} PRIVATE ${ARGN} ${arg_LIBRARIES})
  # The parts of programs and their kernels are compiled with flags of their own.
  if(NOT arg_OPTIONS AND NOT "${arg_LIBRARIES};${arg_SOURCES}" MATCHES "_parts|_frame|_machine|OpenMP|::style|/")
    target_compile_options(${arg_NAME} PRIVATE ${HALOCLINE_COLD_OPTIONS})
    target_precompile_headers(${arg_NAME} REUSE_FROM halocline_test_headers)
  elseif(TARGET halocline_parts_test_headers AND "${arg_LIBRARIES}" MATCHES "_parts"
         AND NOT arg_OPTIONS AND NOT "${arg_SOURCES}" MATCHES "/")
    target_compile_options(${arg_NAME} PRIVATE ${HALOCLINE_COLD_OPTIONS})
    target_precompile_headers(${arg_NAME} REUSE_FROM halocline_parts_test_headers)
  else()
    list(FILTER arg_SOURCES EXCLUDE REGEX "/")
    set_source_files_properties(${arg_SOURCES} PROPERTIES COMPILE_OPTIONS
                                "${HALOCLINE_COLD_OPTIONS}")
  endif()
endfunction()

function(halocline_unit_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;TIMEOUT"
                        "SOURCES;LIBRARIES;INCLUDE;OPTIONS;LABELS")
  if(NOT GTest_FOUND)
    return()
  endif()
  _halocline_test_program(halocline::halocline GTest::gtest_main)
  list(APPEND arg_LABELS unit)
  if(NOT arg_OPTIONS AND NOT "${arg_LIBRARIES}" MATCHES "_parts|_frame|_machine|OpenMP|::style")
    list(APPEND arg_LABELS quick)
  endif()
  _needed_by_tests(LABELS ${arg_LABELS} TARGETS ${arg_NAME})
  add_test(NAME ${arg_NAME} COMMAND ${arg_NAME})
  set_tests_properties(${arg_NAME} PROPERTIES
    LABELS "${arg_LABELS}" ENVIRONMENT "${HALOCLINE_TEST_ENVIRONMENT}")
  if(arg_TIMEOUT)
    set_tests_properties(${arg_NAME} PROPERTIES TIMEOUT ${arg_TIMEOUT})
  endif()
endfunction()

function(halocline_races_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;OF" "SOURCES")
  if(NOT TARGET ${arg_OF} OR NOT HALOCLINE_THREAD_SANITIZER_RUNS OR HALOCLINE_SANITIZE)
    return()
  endif()
  add_executable(${arg_NAME} ${arg_SOURCES})
  set_target_properties(${arg_NAME} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/bin)
  target_include_directories(${arg_NAME} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_options(${arg_NAME} PRIVATE -fsanitize=thread -Wno-tsan)
  target_link_options(${arg_NAME} PRIVATE -fsanitize=thread)
  target_link_libraries(${arg_NAME} PRIVATE GTest::gtest_main Threads::Threads)
  add_test(NAME ${arg_NAME} COMMAND ${arg_NAME})
  set_tests_properties(${arg_NAME} PROPERTIES TIMEOUT 300)
endfunction()

function(halocline_kernel_tests)
  cmake_parse_arguments(PARSE_ARGV 0 kernel "" "NAME;PROGRAM" "SOURCES;KERNELS;LIBRARIES;INCLUDE")
  set(widths default)
  set(of_programs default)
  if(HALOCLINE_NATIVE)
    list(APPEND widths native)
    set(of_programs native)
    include(CheckCXXSourceRuns)
    check_cxx_source_runs("int main() { return __builtin_cpu_supports(\"avx512f\") ? 0 : 1; }"
                          HALOCLINE_RUNS_AVX512)
    if(HALOCLINE_RUNS_AVX512 AND DEFINED ENV{HALOCLINE_SOAK})
      list(APPEND widths x86-64-v3)
    endif()
  endif()
  foreach(width IN LISTS widths)
    set(kernels SOURCES ${kernel_SOURCES} ${kernel_KERNELS})
    if(kernel_PROGRAM AND width STREQUAL of_programs AND NOT HALOCLINE_SANITIZE)
      set(kernels SOURCES ${kernel_SOURCES} LIBRARIES ${kernel_PROGRAM}_parts)
    elseif(NOT width STREQUAL default)
      list(APPEND kernels OPTIONS -march=${width})
    endif()
    list(APPEND kernels LIBRARIES ${kernel_LIBRARIES})
    halocline_unit_test(NAME ${kernel_NAME}.${width} LABELS core INCLUDE ${kernel_INCLUDE}
                        ${kernels})
  endforeach()
endfunction()

function(halocline_mpi_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;TIMEOUT"
                        "SOURCES;LIBRARIES;INCLUDE;LABELS;RANKS;SOAK;COMMAND")
  if(arg_SOURCES)
    if(NOT GTest_FOUND)
      return()
    endif()
    _halocline_test_program(halocline_mpi_main)
    set(program ${arg_NAME})
  else()
    list(POP_FRONT arg_COMMAND program)
  endif()
  set(path ${program})
  if(TARGET ${program})
    set(path $<TARGET_FILE:${program}>)
  elseif(NOT IS_ABSOLUTE ${program})
    return()
  endif()
  set(again ${arg_RANKS})
  list(FILTER again INCLUDE REGEX "^[23]$")
  if(NOT again)
    set(again ${arg_RANKS})
    list(REMOVE_ITEM again 1)
    if(again)
      list(GET again 0 again)
    endif()
  endif()
  foreach(ranks IN LISTS arg_RANKS arg_SOAK)
    set(test ${arg_NAME}.${ranks})
    set(labels ${arg_LABELS})
    if(NOT ranks IN_LIST again)
      list(APPEND labels once)
    endif()
    if("core" IN_LIST labels AND ranks EQUAL 2 AND NOT "${arg_LIBRARIES}" MATCHES "_parts|::style")
      list(APPEND labels quick)
    endif()
    if(ranks IN_LIST arg_SOAK)
      list(APPEND labels soak)
    endif()
    if(TARGET ${program} AND NOT "once" IN_LIST labels)
      _needed_by_tests(LABELS ${labels} TARGETS ${program})
    endif()
    add_test(NAME ${test} COMMAND ${HALOCLINE_MPIEXEC} -n ${ranks} ${path} ${arg_COMMAND})
    set(environment ${HALOCLINE_TEST_ENVIRONMENT})
    if(NOT "core" IN_LIST labels)
      list(APPEND environment ${HALOCLINE_TEST_WAITS})
    endif()
    set_tests_properties(${test} PROPERTIES
      LABELS "${labels}" PROCESSORS ${ranks} ENVIRONMENT "${environment}")
    if(arg_TIMEOUT)
      set_tests_properties(${test} PROPERTIES TIMEOUT ${arg_TIMEOUT})
    endif()
  endforeach()
endfunction()

# halocline_leave_out_broken(TEST [RANKS number] [LARGE])
#   The test, if there is one, is told which schemes this MPI does not carry out right; with RANKS
#   only if that is so on so many; with LARGE also those that it breaks with large messages alone.
function(halocline_leave_out_broken test)
  cmake_parse_arguments(PARSE_ARGV 1 arg "LARGE" "RANKS" "")
  set(broken ${HALOCLINE_BROKEN})
  if(arg_LARGE)
    list(APPEND broken ${HALOCLINE_BROKEN_LARGE})
  endif()
  if(TEST ${test} AND broken AND NOT (arg_RANKS AND arg_RANKS LESS HALOCLINE_BROKEN_FROM))
    list(JOIN broken "," broken)
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT HALOCLINE_TEST_EXCEPT=${broken})
  endif()
endfunction()

function(halocline_solver_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;PROGRAM" "SOURCES;INCLUDE")
  halocline_mpi_test(NAME ${arg_NAME} RANKS 1 2 3 4 SOAK 5 6 7 8 TIMEOUT 300 LABELS parts
                     SOURCES ${arg_SOURCES} INCLUDE ${arg_INCLUDE}
                     LIBRARIES ${arg_PROGRAM}_parts)
  if(NOT TARGET ${arg_NAME})
    return()
  endif()
  foreach(ranks RANGE 1 8)
    halocline_leave_out_broken(${arg_NAME}.${ranks} RANKS ${ranks})
  endforeach()
endfunction()

function(halocline_command_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;PROCESSORS;TIMEOUT" "COMMAND;NEEDS;LABELS")
  if(NOT arg_LABELS)
    set(arg_LABELS portable)
  endif()
  if(NOT arg_PROCESSORS)
    set(arg_PROCESSORS 1)
  endif()
  set(command "")
  foreach(word IN LISTS arg_COMMAND)
    if(TARGET "${word}")
      list(APPEND arg_NEEDS ${word})
      set(word $<TARGET_FILE:${word}>)
    endif()
    list(APPEND command "${word}")
  endforeach()
  foreach(need IN LISTS arg_NEEDS)
    if(NOT TARGET ${need})
      return()
    endif()
  endforeach()
  _needed_by_tests(LABELS ${arg_LABELS} TARGETS ${arg_NEEDS})
  add_test(NAME ${arg_NAME} COMMAND ${command})
  set_tests_properties(${arg_NAME} PROPERTIES
    LABELS "${arg_LABELS}" PROCESSORS ${arg_PROCESSORS} SKIP_RETURN_CODE 77
    ENVIRONMENT "${HALOCLINE_TEST_ENVIRONMENT};${HALOCLINE_TEST_WAITS}")
  if(arg_TIMEOUT)
    set_tests_properties(${arg_NAME} PROPERTIES TIMEOUT ${arg_TIMEOUT})
  endif()
endfunction()

# halocline_pytest(VARIABLE FILE file PROGRAMS targets... [TESTS names...] [ENVIRONMENT NAME=value...])
#   The command of a halocline_program_test.
function(halocline_pytest variable)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FILE" "PROGRAMS;TESTS;ENVIRONMENT")
  set(programs "")
  foreach(program IN LISTS arg_PROGRAMS)
    if(TARGET ${program})
      set(program $<TARGET_FILE:${program}>)
    endif()
    list(APPEND programs ${program})
  endforeach()
  list(JOIN programs ":" programs)
  set(tests ${CMAKE_CURRENT_SOURCE_DIR}/${arg_FILE})
  if(arg_TESTS)
    list(TRANSFORM arg_TESTS PREPEND ${tests}:: OUTPUT_VARIABLE tests)
  endif()
  # Plugins of others take longer to load than some tests to run.
  set(${variable}
      ${CMAKE_COMMAND} -E env PYTHONPATH=${PROJECT_SOURCE_DIR}/tests/common
      PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 HALOCLINE_TEST_MPIEXEC=${HALOCLINE_MPIEXEC}
      HALOCLINE_TEST_PROGRAMS=${programs} ${arg_ENVIRONMENT}
      ${Python3_EXECUTABLE} -m pytest -q --showlocals -p no:cacheprovider -p programs ${tests}
      PARENT_SCOPE)
endfunction()

function(halocline_program_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;FILE;PROCESSORS;TIMEOUT"
                        "PROGRAMS;TESTS;ENVIRONMENT;LABELS")
  if("pytest" IN_LIST HALOCLINE_PYTHON_HAS)
    halocline_pytest(command FILE ${arg_FILE} PROGRAMS ${arg_PROGRAMS} TESTS ${arg_TESTS}
                     ENVIRONMENT ${arg_ENVIRONMENT})
    set(needs ${arg_PROGRAMS})
    list(FILTER needs EXCLUDE REGEX "/")
    halocline_command_test(NAME ${arg_NAME} COMMAND ${command} NEEDS ${needs} LABELS ${arg_LABELS}
                           PROCESSORS ${arg_PROCESSORS} TIMEOUT ${arg_TIMEOUT})
  endif()
endfunction()

# halocline_helper(NAME [LIBRARIES targets...]): a program that tests start, from NAME.cpp.
function(halocline_helper name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES;INCLUDE")
  add_executable(${name} ${name}.cpp)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/bin)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests ${arg_INCLUDE})
  target_compile_options(${name} PRIVATE ${HALOCLINE_COLD_OPTIONS})
  target_link_libraries(${name} PRIVATE halocline::halocline ${arg_LIBRARIES})
endfunction()

# with_openshmem(NAME RANKS 1 2 3...): these tests run where MPI's OpenSHMEM does.
function(with_openshmem name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "RANKS")
  foreach(ranks IN LISTS arg_RANKS)
    if(TEST ${name}.${ranks})
      set_property(TEST ${name}.${ranks} APPEND PROPERTY ENVIRONMENT "OMPI_MCA_btl=^vader")
    endif()
  endforeach()
endfunction()
