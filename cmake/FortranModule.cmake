# The module `halocline` for Fortran, over the interface for C: as source, and compiled if there is a
# compiler.
include(FortranSource)
set(HALOCLINE_FORTRAN_SOURCE ${PROJECT_BINARY_DIR}/fortran/halocline.F90)
halocline_fortran_source(${HALOCLINE_FORTRAN_SOURCE})

get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if(PROJECT_IS_TOP_LEVEL)
  include(CheckLanguage)
  check_language(Fortran)
elseif(NOT "Fortran" IN_LIST languages)  # no concern of the project around it
  return()
endif()
if(CMAKE_Fortran_COMPILER)
  enable_language(Fortran)
endif()
summarise_dependency(Fortran "${CMAKE_Fortran_COMPILER}" "${CMAKE_Fortran_COMPILER_ID} ${CMAKE_Fortran_COMPILER_VERSION}"
                     gfortran)
if(NOT CMAKE_Fortran_COMPILER)
  return()
endif()

add_library(halocline_fortran STATIC ${HALOCLINE_FORTRAN_SOURCE})
add_library(halocline::fortran ALIAS halocline_fortran)
string(TOLOWER ${CMAKE_Fortran_COMPILER_ID}-${CMAKE_Fortran_COMPILER_VERSION} compiler)
# Compilers do not read each other's modules.
set(HALOCLINE_FORTRAN_MODULES ${CMAKE_INSTALL_LIBDIR}/halocline/${compiler})
set(modules ${PROJECT_BINARY_DIR}/fortran/modules)
set_target_properties(halocline_fortran PROPERTIES
  EXPORT_NAME fortran POSITION_INDEPENDENT_CODE ON Fortran_MODULE_DIRECTORY ${modules})
# It is in Fortran 2008, for all compilers. (That of GCC 13 and later ends structure constructors, and warns in each scope
# that has objects.)
set(HALOCLINE_FORTRAN_STANDARD "")
if(CMAKE_Fortran_COMPILER_ID STREQUAL GNU)
  set(HALOCLINE_FORTRAN_STANDARD -std=f2008)
  if(NOT CMAKE_Fortran_COMPILER_VERSION VERSION_LESS 13)
    set(HALOCLINE_FORTRAN_STANDARD -std=f2018)
  endif()
endif()
target_compile_options(halocline_fortran PRIVATE ${HALOCLINE_FORTRAN_STANDARD})
target_include_directories(halocline_fortran INTERFACE
  $<BUILD_INTERFACE:${modules}> $<INSTALL_INTERFACE:${HALOCLINE_FORTRAN_MODULES}>)
if(TARGET halocline_shared)  # a project in Fortran alone needs its file, and no MPI
  target_link_libraries(halocline_fortran
    INTERFACE $<BUILD_INTERFACE:$<TARGET_FILE:halocline_shared>>
              $<INSTALL_INTERFACE:$<TARGET_FILE:halocline::halocline>>)
  add_dependencies(halocline_fortran halocline_shared)
else()
  target_link_libraries(halocline_fortran INTERFACE halocline)
endif()
