# The library, and the one beside it for OpenMP: static in this tree, for its tests look inside; what
# is installed is a shared library of the same objects as well.

# What some need of the library, by the names of find_package's components: the interface for C, and
# all headers in include/halocline/more/ but those of `style` and `method`, which are targets of their
# own.
set(HALOCLINE_COMPONENTS c async replicated reduction device placement partition trace model tuner)

# halocline_headers(TARGET PUBLIC|INTERFACE): all that a user compiles with. A project around this one
# sees them as it would see them installed: as the system's, of which no warning tells.
function(halocline_headers target scope)
  set(system "")
  if(NOT PROJECT_IS_TOP_LEVEL)
    set(system SYSTEM)
  endif()
  target_include_directories(${target} ${system}
    ${scope} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${target} ${scope} cxx_std_20)
endfunction()

# halocline_library(TARGET sources...): names that no public header declares are hidden, from
# programs that export theirs as well.
function(halocline_library target)
  set(visibility hidden)
  set(version ${PROJECT_VERSION})
  if(HALOCLINE_WHEEL)  # a file, no links; the programs look inside
    set(kind SHARED)
    set(visibility default)
    set(version ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  elseif(PROJECT_IS_TOP_LEVEL)
    set(kind STATIC)
  endif()  # else as the project around it has its libraries: BUILD_SHARED_LIBS
  add_library(${target} ${kind} ${ARGN})
  halocline_headers(${target} PUBLIC)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  set_target_properties(${target} PROPERTIES
    CXX_VISIBILITY_PRESET ${visibility} VISIBILITY_INLINES_HIDDEN ON POSITION_INDEPENDENT_CODE ON
    VERSION ${version} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
endfunction()

# halocline_versions(TARGET): a shared library exports Halocline's names alone, each with the version of
# its interface, so that two of them in one process keep apart. Not where the linker has no such script.
function(halocline_versions target)
  set(script ${PROJECT_BINARY_DIR}/exports.map)
  file(CONFIGURE OUTPUT ${script} CONTENT
       "HALOCLINE_@PROJECT_VERSION_MAJOR@.@PROJECT_VERSION_MINOR@ { global: *halocline*; MPIX_*_weighted_create; local: *; };\n" @ONLY)
  include(CheckLinkerFlag)
  check_linker_flag(CXX "LINKER:--version-script=${script}" HALOCLINE_LINKS_VERSIONS)
  if(HALOCLINE_LINKS_VERSIONS)
    target_link_options(${target} PRIVATE "LINKER:--version-script=${script}")
    set_target_properties(${target} PROPERTIES LINK_DEPENDS ${script})
  endif()
endfunction()

# halocline_shared(TARGET): TARGET_shared, of the same objects, links and file name.
function(halocline_shared target)
  if(NOT PROJECT_IS_TOP_LEVEL OR NOT BUILD_SHARED_LIBS OR HALOCLINE_SANITIZE OR HALOCLINE_WHEEL)
    return()
  endif()
  add_library(${target}_shared SHARED $<TARGET_OBJECTS:${target}>)
  halocline_headers(${target}_shared PUBLIC)
  foreach(part LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
    get_target_property(${part} ${target} ${part})
    list(TRANSFORM ${part} REPLACE "^halocline$" halocline_shared)
  endforeach()
  list(FILTER INTERFACE_LINK_LIBRARIES EXCLUDE REGEX LINK_ONLY)  # the shared library has these itself
  target_link_libraries(${target}_shared PRIVATE ${LINK_LIBRARIES}
                        INTERFACE ${INTERFACE_LINK_LIBRARIES})
  target_link_options(${target}_shared PRIVATE LINKER:-z,defs)
  halocline_versions(${target}_shared)
  set_target_properties(${target}_shared PROPERTIES OUTPUT_NAME ${target} LINKER_LANGUAGE CXX
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
endfunction()
