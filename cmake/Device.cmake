# Back ends for devices. Each is a shared library that its own compiler makes, whatever compiles the
# rest, and that is loaded when a device is asked for: nothing else needs it, at no time.
#
# The target `devices` makes them all, and kernels of programs.
#
# HALOCLINE_OPENMP_TARGET: a compiler with OpenMP target regions; its libraries lie beside it.
# HALOCLINE_CUDA: nvcc. AUTO takes what is found, OFF nothing.
set(HALOCLINE_OPENMP_TARGET AUTO CACHE STRING "C++ compiler for OpenMP devices, AUTO or OFF")
set(HALOCLINE_OPENMP_TARGETS x86_64-pc-linux-gnu CACHE STRING "The devices that it compiles for")
set(HALOCLINE_CUDA AUTO CACHE STRING "CUDA's compiler nvcc, AUTO or OFF")
set(HALOCLINE_CUDA_ARCHITECTURE 80 CACHE STRING
    "The CUDA devices that are compiled for: the oldest, or with OpenMP for nvptx64 the only ones")

set(HALOCLINE_DEVICE_FOLDER ${PROJECT_BINARY_DIR}/lib)
set(HALOCLINE_DEVICES "")
set(_openmp_compiler ${HALOCLINE_OPENMP_TARGET})
set(_cuda_compiler ${HALOCLINE_CUDA})
# Sanitizers cannot be loaded with a library that finds its own functions first.
if(HALOCLINE_SANITIZE OR NOT PROJECT_IS_TOP_LEVEL)
  foreach(compiler _openmp_compiler _cuda_compiler)
    if(${compiler} STREQUAL "AUTO")
      set(${compiler} OFF)
    endif()
  endforeach()
endif()
if(_openmp_compiler STREQUAL "AUTO")
  find_program(HALOCLINE_OPENMP_COMPILER clang++ NO_DEFAULT_PATH  # what ./dev unpacks
               PATHS ${PROJECT_SOURCE_DIR}/build/llvm-16/usr/lib/llvm-16/bin)
  find_program(HALOCLINE_OPENMP_COMPILER clang++-16)
  set(_openmp_compiler ${HALOCLINE_OPENMP_COMPILER})
endif()
if(_cuda_compiler STREQUAL "AUTO")
  find_program(HALOCLINE_CUDA_COMPILER nvcc HINTS /usr/local/cuda/bin)
  set(_cuda_compiler ${HALOCLINE_CUDA_COMPILER})
endif()

set(_openmp_command "")
set(_openmp_links "")
if(_openmp_compiler)
  find_program(_openmp_program ${_openmp_compiler} NO_CACHE)
  set(_openmp_links "")
  if(_openmp_program)
    file(REAL_PATH ${_openmp_program} _real)
    get_filename_component(_libraries ${_real}/../../lib ABSOLUTE)
    # Old-fashioned RPATH, which also serves the libraries that these need; and the part of the
    # runtime that knows the device, which it looks for by name.
    set(_openmp_links -Wl,--disable-new-dtags -Wl,-rpath,${_libraries} -Wl,--no-as-needed
                      -L${_libraries})
    string(REGEX MATCH "^[a-z0-9_]+" _machine ${HALOCLINE_OPENMP_TARGETS})
    set(_runtime ${_machine})
    set(_for_device "")
    set(_openmp_devices ${HALOCLINE_OPENMP_TARGETS})
    if(_machine STREQUAL "nvptx64")
      set(_runtime cuda)
      set(_for_device -Xopenmp-target -march=sm_${HALOCLINE_CUDA_ARCHITECTURE})
      string(APPEND _openmp_devices " (sm_${HALOCLINE_CUDA_ARCHITECTURE})")
      find_program(_cuda_assembler ptxas HINTS /usr/local/cuda/bin NO_CACHE)
      if(_cuda_assembler)
        get_filename_component(_cuda_folder ${_cuda_assembler}/../.. ABSOLUTE)
        list(APPEND _for_device --cuda-path=${_cuda_folder})
      endif()
    endif()
    if(EXISTS ${_libraries}/libomptarget.rtl.${_runtime}.so)
      list(APPEND _openmp_links -lomptarget.rtl.${_runtime})
    endif()
    set(_is_host 0)
    if(HALOCLINE_OPENMP_TARGETS MATCHES "^${CMAKE_HOST_SYSTEM_PROCESSOR}-")
      set(_is_host 1)
    endif()
    set(_openmp_command ${_openmp_program} -x c++ -std=c++20 -O3 -fPIC -Wall -Wextra
                        -ffp-contract=off -fopenmp -fopenmp-targets=${HALOCLINE_OPENMP_TARGETS}
                        ${_for_device}
                        -DHALOCLINE_OPENMP_DEVICES="${_openmp_devices}"
                        -DHALOCLINE_OPENMP_TARGET_IS_HOST=${_is_host})
    set(_source ${PROJECT_BINARY_DIR}/CMakeFiles/openmp_target.cpp)
    file(WRITE ${_source} "#include <omp.h>\n#include <thread>\nint main() {\n#pragma omp target\n"
                          "  {}\n}\n")
    execute_process(COMMAND ${_openmp_command} ${_source} -shared -o ${_source}.so ${_openmp_links}
                    RESULT_VARIABLE _failed OUTPUT_VARIABLE _said ERROR_VARIABLE _said)
    if(_failed)
      file(WRITE ${_source}.log "${_said}")
      set(_openmp_command "")
      if(NOT HALOCLINE_OPENMP_TARGET STREQUAL "AUTO")
        message(FATAL_ERROR "HALOCLINE_OPENMP_TARGET=${HALOCLINE_OPENMP_TARGET} cannot compile for "
                            "${HALOCLINE_OPENMP_TARGETS}:\n${_said}")
      endif()
    endif()
  elseif(NOT HALOCLINE_OPENMP_TARGET STREQUAL "AUTO")
    message(FATAL_ERROR "HALOCLINE_OPENMP_TARGET=${HALOCLINE_OPENMP_TARGET}: there is none")
  endif()
endif()
summarise_dependency("OpenMP target" "${_openmp_command}" "${_openmp_devices}"
                     "clang-16 clang-tools-16 libomp-16-dev")

set(_cuda_command "")
if(_cuda_compiler)
  find_program(_cuda_program ${_cuda_compiler} NO_CACHE)
  if(_cuda_program)
    set(_arch ${HALOCLINE_CUDA_ARCHITECTURE})
    # Results must not depend on where a compiler fuses multiply and add.
    set(_cuda_command ${_cuda_program} -std=c++20 -O3 --extended-lambda --expt-relaxed-constexpr
                      --fmad=false -gencode arch=compute_${_arch},code=[sm_${_arch},compute_${_arch}]
                      -Xcompiler -fPIC -Xcompiler -Wall -cudart static)
    list(APPEND HALOCLINE_DEVICES cuda)
  elseif(NOT HALOCLINE_CUDA STREQUAL "AUTO")
    message(FATAL_ERROR "HALOCLINE_CUDA=${HALOCLINE_CUDA}: there is none")
  endif()
endif()
# The first that finds a device serves who does not say which: a CPU that plays one comes last.
if(_openmp_command)
  if(_is_host)
    list(APPEND HALOCLINE_DEVICES openmp)
  else()
    list(PREPEND HALOCLINE_DEVICES openmp)
  endif()
endif()
summarise_dependency(CUDA "${_cuda_command}" "sm_${HALOCLINE_CUDA_ARCHITECTURE} and newer"
                     nvidia-cuda-toolkit)
set(HALOCLINE_DEVICE_COMMAND_openmp "${_openmp_command}")
set(HALOCLINE_DEVICE_LINKS_openmp "${_openmp_links}")
set(HALOCLINE_DEVICE_LINK_openmp "${_openmp_command}")
list(REMOVE_ITEM HALOCLINE_DEVICE_LINK_openmp -x c++)  # the object is no source
set(HALOCLINE_DEVICE_COMMAND_cuda "${_cuda_command}")
set(HALOCLINE_DEVICE_LINK_cuda "${_cuda_command}")
set(HALOCLINE_DEVICE_LINKS_cuda "")

add_custom_target(devices ALL)

# _device_library(NAME BACKEND SOURCE HEADERS...): lib<NAME>_<BACKEND>.so
function(_device_library name backend source)
  set(file ${HALOCLINE_DEVICE_FOLDER}/lib${name}_${backend}.so)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}_${backend}.o)
  get_filename_component(source ${source} ABSOLUTE)
  get_filename_component(folder ${source} DIRECTORY)
  add_custom_command(
    OUTPUT ${file}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${HALOCLINE_DEVICE_FOLDER}
    # A compiler's cache, if there is one, takes what does not link.
    COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${HALOCLINE_DEVICE_COMMAND_${backend}}
            -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/src -I${folder}
            -I${PROJECT_SOURCE_DIR}/apps/common -c ${source} -o ${object}
    COMMAND ${HALOCLINE_DEVICE_LINK_${backend}} -shared ${object} -o ${file}
            ${HALOCLINE_DEVICE_LINKS_${backend}}
    DEPENDS ${source} ${ARGN} ${PROJECT_SOURCE_DIR}/include/halocline/more/device.hpp
            ${PROJECT_SOURCE_DIR}/include/halocline/more/device_each.hpp
    COMMENT "Building lib${name}_${backend}.so for devices"
    VERBATIM COMMAND_EXPAND_LISTS)
  add_custom_target(${name}_${backend} DEPENDS ${file})
  add_dependencies(devices ${name}_${backend})
endfunction()

function(_install_device_library name backend)
  install(FILES ${HALOCLINE_DEVICE_FOLDER}/lib${name}_${backend}.so
          DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# halocline_device_kernels(NAME [NOT_INSTALLED] SOURCE file [HEADERS files...]): kernels of a program
# for every back end there is.
function(halocline_device_kernels name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NOT_INSTALLED" "SOURCE" "HEADERS")
  list(TRANSFORM arg_HEADERS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  foreach(backend IN LISTS HALOCLINE_DEVICES)
    _device_library(${name} ${backend} ${arg_SOURCE} ${arg_HEADERS})
    if(NOT arg_NOT_INSTALLED)
      _install_device_library(${name} ${backend})
    endif()
  endforeach()
endfunction()

# halocline_device_backends(TARGET): those of the library itself.
function(halocline_device_backends target)
  set(here ${PROJECT_SOURCE_DIR}/src/device/backend)
  set(source_openmp ${here}/openmp.cpp)
  set(source_cuda ${here}/cuda.cu)
  foreach(backend IN LISTS HALOCLINE_DEVICES)
    _device_library(halocline ${backend} ${source_${backend}} ${here}/kernels.hpp)
    _install_device_library(halocline ${backend})
  endforeach()
  list(JOIN HALOCLINE_DEVICES "," names)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/device/device.cpp PROPERTIES
    COMPILE_DEFINITIONS "HALOCLINE_DEVICE_BACKENDS=\"${names}\";HALOCLINE_DEVICE_FOLDERS=\"${HALOCLINE_DEVICE_FOLDER}:${CMAKE_INSTALL_FULL_LIBDIR}\"")
  target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
endfunction()
