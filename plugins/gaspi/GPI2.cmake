# GASPI: GPI-2 from the prefix GPI2_ROOT (of CMake or the environment), from pkg-config, or from
# where libraries usually are. It is in no package. Sets GPI2_FOUND, GPI2_INCLUDE_DIR, GPI2_LIBRARIES.
# One that was built with MPI (--with-mpi) must have been built with this one.
if(PkgConfig_FOUND)
  pkg_check_modules(GPI2_PC QUIET GPI2)
endif()
find_path(GPI2_INCLUDE_DIR GASPI.h HINTS ${GPI2_ROOT} ENV GPI2_ROOT ${GPI2_PC_INCLUDE_DIRS}
          PATH_SUFFIXES include)
find_library(GPI2_LIBRARY GPI2 HINTS ${GPI2_ROOT} ENV GPI2_ROOT ${GPI2_PC_LIBRARY_DIRS}
             PATH_SUFFIXES lib64 lib)
set(GPI2_FOUND FALSE)
set(GPI2_VERSION "")
if(GPI2_INCLUDE_DIR AND GPI2_LIBRARY)
  set(GPI2_LIBRARIES ${GPI2_LIBRARY})
  if(GPI2_LIBRARY MATCHES "\\.a$" AND GPI2_PC_FOUND)  # what it needs itself
    list(APPEND GPI2_LIBRARIES ${GPI2_PC_STATIC_LDFLAGS})
  endif()
  set(CMAKE_REQUIRED_INCLUDES ${GPI2_INCLUDE_DIR})
  set(CMAKE_REQUIRED_LIBRARIES ${GPI2_LIBRARIES} MPI::MPI_CXX Threads::Threads)
  include(CheckCXXSourceCompiles)
  check_cxx_source_compiles("#include <GASPI.h>
                             #include <GASPI_Ext.h>
                             int main() { return gaspi_proc_init(GASPI_TEST); }" GPI2_LINKS)
  unset(CMAKE_REQUIRED_INCLUDES)
  unset(CMAKE_REQUIRED_LIBRARIES)
  if(GPI2_LINKS)
    set(GPI2_FOUND TRUE)
    if(EXISTS ${GPI2_INCLUDE_DIR}/GPI2_VERSION.h)
      file(STRINGS ${GPI2_INCLUDE_DIR}/GPI2_VERSION.h version REGEX "GASPI_[A-Z_]+ \\([0-9]+\\)")
      string(REGEX MATCHALL "[0-9]+\\)" version "${version}")
      string(REPLACE ");" "." GPI2_VERSION "${version}")
      string(REPLACE ")" "" GPI2_VERSION "${GPI2_VERSION}")
    endif()
  else()
    message(STATUS "GPI-2 at ${GPI2_LIBRARY} does not link beside this MPI and is left out")
  endif()
endif()
