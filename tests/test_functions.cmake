# Functions for the CMakeLists.txt of each test folder.
#
# halocline_unit_test(NAME name SOURCES files... [LIBRARIES targets...] [LABELS labels...])
#   A GoogleTest program that is started without mpiexec: one ctest.
#
# halocline_mpi_test(NAME name RANKS 1 2 3... [LABELS labels...] [TIMEOUT seconds]
#                    SOURCES files... [LIBRARIES targets...] [COMMAND arguments...])
#   A GoogleTest program that is started on so many ranks: one ctest for each number, called
#   name.N. MPI is initialised around it; what fails on any rank fails the test. With COMMAND
#   and no SOURCES, the first word is a program: a target of this project or a path.
#
# halocline_kernel_tests(NAME name SOURCES files... [LIBRARIES targets...] [INCLUDE folders...])
#   A unit test of numerical kernels for vectors of every width, labelled core: name.default has the
#   least that the compiler assumes, name.x86-64-v3 those of AVX2, and name.native the widest of
#   this machine, as programs have them.
#
# halocline_solver_test(NAME name SOURCES files... INCLUDE folders...)
#   An MPI test on 1 to 8 ranks of a program's solver, compiled as programs are, without the schemes
#   that this MPI is known to break (tests/CMakeLists.txt).
#
# Labels: `core` runs again under the sanitizers and with the second MPI, `portable` only with
# the second MPI. Tests without a label run once.

# UCX_LOG_FILE: where there is no /sys, UCX says so on standard output, which tests compare.
set(HALOCLINE_TEST_ENVIRONMENT
    "ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1" "UBSAN_OPTIONS=print_stacktrace=1"
    "OMP_WAIT_POLICY=passive" "UCX_LOG_FILE=stderr" "OMP_PROC_BIND=false")

# What is needed to run the tests labelled core: build this under the sanitizers.
add_custom_target(core_tests)

if(GTest_FOUND)
  add_library(halocline_mpi_main STATIC ${CMAKE_CURRENT_SOURCE_DIR}/common/mpi_main.cpp)
  target_include_directories(halocline_mpi_main PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(halocline_mpi_main PUBLIC halocline::halocline GTest::gtest)
endif()

function(_halocline_test_program)
  add_executable(${arg_NAME} ${arg_SOURCES})
  set_target_properties(${arg_NAME} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/bin)
  target_include_directories(${arg_NAME} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${arg_NAME} PRIVATE ${ARGN} ${arg_LIBRARIES})
endfunction()

function(halocline_unit_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;TIMEOUT" "SOURCES;LIBRARIES;LABELS")
  if(NOT GTest_FOUND)
    return()
  endif()
  _halocline_test_program(halocline::halocline GTest::gtest_main)
  add_test(NAME ${arg_NAME} COMMAND ${arg_NAME})
  set_tests_properties(${arg_NAME} PROPERTIES
    LABELS "${arg_LABELS}" ENVIRONMENT "${HALOCLINE_TEST_ENVIRONMENT}")
  if(arg_TIMEOUT)
    set_tests_properties(${arg_NAME} PROPERTIES TIMEOUT ${arg_TIMEOUT})
  endif()
  if("core" IN_LIST arg_LABELS)
    add_dependencies(core_tests ${arg_NAME})
  endif()
endfunction()

function(halocline_kernel_tests)
  cmake_parse_arguments(PARSE_ARGV 0 kernel "" "NAME" "SOURCES;LIBRARIES;INCLUDE")
  set(widths default)
  if(HALOCLINE_NATIVE)
    list(APPEND widths native)
    include(CheckCXXSourceRuns)
    check_cxx_source_runs("int main() { return __builtin_cpu_supports(\"avx2\") ? 0 : 1; }"
                          HALOCLINE_RUNS_AVX2)
    if(HALOCLINE_RUNS_AVX2)
      list(APPEND widths x86-64-v3)
    endif()
  endif()
  foreach(width IN LISTS widths)
    set(test ${kernel_NAME}.${width})
    halocline_unit_test(NAME ${test} LABELS core
                        SOURCES ${kernel_SOURCES} LIBRARIES ${kernel_LIBRARIES})
    if(TARGET ${test})
      target_include_directories(${test} PRIVATE ${kernel_INCLUDE})
      if(NOT width STREQUAL default)
        target_compile_options(${test} PRIVATE -march=${width})
      endif()
    endif()
  endforeach()
endfunction()

function(halocline_mpi_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;TIMEOUT"
                        "SOURCES;LIBRARIES;LABELS;RANKS;COMMAND")
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
    if("core" IN_LIST arg_LABELS)
      add_dependencies(core_tests ${program})
    endif()
  endif()
  foreach(ranks IN LISTS arg_RANKS)
    set(test ${arg_NAME}.${ranks})
    add_test(NAME ${test} COMMAND ${HALOCLINE_MPIEXEC} -n ${ranks} ${path} ${arg_COMMAND})
    set_tests_properties(${test} PROPERTIES
      LABELS "${arg_LABELS}" PROCESSORS ${ranks} ENVIRONMENT "${HALOCLINE_TEST_ENVIRONMENT}")
    if(arg_TIMEOUT)
      set_tests_properties(${test} PROPERTIES TIMEOUT ${arg_TIMEOUT})
    endif()
  endforeach()
endfunction()

function(halocline_solver_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SOURCES;INCLUDE")
  halocline_mpi_test(NAME ${arg_NAME} RANKS 1 2 3 4 5 6 7 8 TIMEOUT 300 LABELS portable
                     SOURCES ${arg_SOURCES} LIBRARIES OpenMP::OpenMP_CXX)
  if(NOT TARGET ${arg_NAME})
    return()
  endif()
  target_include_directories(${arg_NAME} PRIVATE ${arg_INCLUDE})
  if(HALOCLINE_NATIVE)
    target_compile_options(${arg_NAME} PRIVATE -march=native)
  endif()
  foreach(ranks RANGE 1 8)
    # Many ranks on few cores are slow: once is enough.
    if(ranks GREATER_EQUAL 4)
      set_tests_properties(${arg_NAME}.${ranks} PROPERTIES LABELS "")
    endif()
    if(HALOCLINE_BROKEN AND ranks GREATER_EQUAL HALOCLINE_BROKEN_FROM)
      set_property(TEST ${arg_NAME}.${ranks} APPEND PROPERTY
                   ENVIRONMENT HALOCLINE_TEST_EXCEPT=${HALOCLINE_BROKEN})
    endif()
  endforeach()
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
