# What a Python wheel takes from this build: into halocline/_<interface> of the prefix the library,
# Python's module, what is put in front of other programs' MPI, and bin/ with the programs.
# HALOCLINE_LEVEL: no more than the programs that have kernels, for processors of this level, into
# bin/<level>.
#
# None of these names its libmpi: whoever loads them has loaded that already, whatever its file is
# called (halocline/libmpi.py).
set(HALOCLINE_LEVEL "" CACHE STRING "x86-64-v3, ...; empty: the library, and programs for any processor")

set(HALOCLINE_WHEEL_PROGRAMS "" CACHE STRING "Those of the programs that go into it; empty: all")

set(interface mpich)
if(HALOCLINE_MPI_NAME STREQUAL openmpi)
  set(interface openmpi)
elseif(macros MATCHES "#define MPI_ABI_VERSION")
  set(interface mpi_abi)
endif()
set(folder halocline/_${interface})
find_program(PATCHELF patchelf REQUIRED)

set(libraries "")
get_property(programs GLOBAL PROPERTY HALOCLINE_PROGRAM_TARGETS)
set(bin bin)
if(HALOCLINE_LEVEL)
  get_property(programs GLOBAL PROPERTY HALOCLINE_KERNEL_TARGETS)
  set(bin bin/${HALOCLINE_LEVEL})
else()
  foreach(target halocline halocline_style halocline_python halocline_record halocline_substitute
                 halocline_substitute_core)
    if(TARGET ${target})
      list(APPEND libraries ${target})
    endif()
  endforeach()
endif()
if(HALOCLINE_WHEEL_PROGRAMS)
  foreach(program IN LISTS programs)
    if(NOT program IN_LIST HALOCLINE_WHEEL_PROGRAMS)
      list(REMOVE_ITEM programs ${program})
    endif()
  endforeach()
endif()
add_custom_target(wheel DEPENDS ${libraries} ${programs})

file(RELATIVE_PATH up /${bin} /)
string(REGEX REPLACE "/$" "" up ${up})
if(libraries)
  install(TARGETS ${libraries} COMPONENT wheel LIBRARY DESTINATION ${folder} NAMELINK_SKIP)
endif()
if(TARGET halocline_python_stub AND NOT HALOCLINE_LEVEL)
  add_dependencies(wheel halocline_python_stub)
  install(FILES ${PROJECT_BINARY_DIR}/python/_native.pyi COMPONENT wheel DESTINATION halocline)
endif()
if(programs)
  install(TARGETS ${programs} COMPONENT wheel RUNTIME DESTINATION ${folder}/${bin})
endif()
foreach(target IN LISTS libraries programs)
  set(place ${folder})
  set(rpath \$ORIGIN)
  if(target IN_LIST programs)
    set(place ${folder}/${bin})
    set(rpath \$ORIGIN/${up})
  endif()
  set(file ${place}/$<TARGET_FILE_NAME:${target}>)
  # The wrappers of some MPIs write their own folders into what they link.
  install(CODE "
    set(file \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${file})
    execute_process(COMMAND ${PATCHELF} --set-rpath ${rpath} \${file} COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND ${PATCHELF} --print-needed \${file} OUTPUT_VARIABLE needed
                    COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL \"libmpi[^\\n]*\" needed \"\${needed}\")
    foreach(one IN LISTS needed)
      execute_process(COMMAND ${PATCHELF} --remove-needed \${one} \${file} COMMAND_ERROR_IS_FATAL ANY)
    endforeach()" COMPONENT wheel)
endforeach()
