# install() and export(): afterwards find_package(halocline) works, from a prefix or a build folder, and
# so does pkg-config from a prefix.
#
# A project that asks for halocline::halocline gets the shared library, if there is one, and needs nothing but
# MPI. Components that need more (static, style) have files of their own, read if they are asked for.
include(CMakePackageConfigHelpers)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/halocline)

# halocline_install(COMPONENT TARGET NAME): halocline::NAME, from halocline-COMPONENT.cmake
function(halocline_install component target name)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS ${target} EXPORT halocline-${component})
  install(EXPORT halocline-${component} NAMESPACE halocline:: DESTINATION ${config_dir})
  export(EXPORT halocline-${component} NAMESPACE halocline::)
endfunction()

install(TARGETS halocline_method EXPORT halocline-targets)
if(TARGET halocline_shared)
  halocline_install(static halocline static)
  halocline_install(targets halocline_shared halocline)
else()
  halocline_install(targets halocline halocline)
endif()
if(TARGET halocline_style_shared)
  halocline_install(style halocline_style_shared style)
elseif(TARGET halocline_style)
  halocline_install(style halocline_style style)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ TYPE INCLUDE)
install(FILES ${HALOCLINE_FORTRAN_SOURCE} DESTINATION ${CMAKE_INSTALL_DATADIR}/halocline)
if(TARGET halocline_fortran)
  halocline_install(fortran halocline_fortran fortran)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/fortran/modules/ DESTINATION ${HALOCLINE_FORTRAN_MODULES})
endif()

# What the static library needs beside itself and MPI, as files or names, for those who do not link as
# C++ does: plain Makefiles, and projects in C or Fortran.
get_target_property(links halocline LINK_LIBRARIES)
list(FILTER links EXCLUDE REGEX "^(MPI::|Threads::)")
set(runtime ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
list(FILTER runtime INCLUDE REGEX "^(stdc\\+\\+|c\\+\\+|m)$")
set(HALOCLINE_PRIVATE -pthread)
foreach(link IN LISTS links runtime)
  if(NOT IS_ABSOLUTE "${link}")
    string(PREPEND link -l)
  endif()
  list(APPEND HALOCLINE_PRIVATE ${link})
endforeach()
list(REMOVE_DUPLICATES HALOCLINE_PRIVATE)

cmake_path(GET HALOCLINE_FORTRAN_SOURCE FILENAME HALOCLINE_FORTRAN_FILE)
set(HALOCLINE_MPI "${HALOCLINE_MPI_NAME} ${HALOCLINE_MPI_RELEASE}")
halocline_mpi_files(CXX HALOCLINE_MPI_FILES)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/halocline-config.cmake.in
                              ${PROJECT_BINARY_DIR}/halocline-config.cmake
                              INSTALL_DESTINATION ${config_dir} PATH_VARS CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/halocline-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
configure_file(${PROJECT_SOURCE_DIR}/cmake/halocline-mpi.cmake ${PROJECT_BINARY_DIR}/halocline-mpi.cmake
               COPYONLY)
install(FILES ${PROJECT_BINARY_DIR}/halocline-mpi.cmake ${PROJECT_BINARY_DIR}/halocline-config.cmake
              ${PROJECT_BINARY_DIR}/halocline-config-version.cmake
        DESTINATION ${config_dir})

# For plain Makefiles.
list(JOIN HALOCLINE_PRIVATE " " PC_PRIVATE)
set(PC_ALONE "")
get_target_property(type halocline TYPE)
if(NOT TARGET halocline_shared AND type STREQUAL "STATIC_LIBRARY")
  set(PC_ALONE " ${PC_PRIVATE}")
endif()
include(PkgConfigFile)
halocline_pc(halocline)
if(TARGET halocline_fortran)
  halocline_pc(halocline_fortran)
endif()

# A project that says whether what is installed works.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/packaging/smoke DESTINATION ${CMAKE_INSTALL_DATADIR}/halocline)
