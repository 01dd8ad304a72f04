# The target halocline_cblas: OpenBLAS, or any other library with the C interface of BLAS. Programs
# that use it have HALOCLINE_HAVE_CBLAS, and with OpenBLAS HALOCLINE_HAVE_OPENBLAS.
set(found FALSE)
set(version "")
if(PkgConfig_FOUND)
  pkg_check_modules(OPENBLAS QUIET IMPORTED_TARGET openblas)
endif()
if(OPENBLAS_FOUND)
  add_library(halocline_cblas INTERFACE)
  target_link_libraries(halocline_cblas INTERFACE PkgConfig::OPENBLAS)
  target_compile_definitions(halocline_cblas INTERFACE HALOCLINE_HAVE_CBLAS=1
                                                       HALOCLINE_HAVE_OPENBLAS=1)
  set(found TRUE)
  set(version "OpenBLAS ${OPENBLAS_VERSION}")
else()
  find_package(BLAS QUIET)
  find_path(CBLAS_INCLUDE_DIR cblas.h)
  if(BLAS_FOUND AND CBLAS_INCLUDE_DIR)
    include(CheckCXXSourceCompiles)
    set(CMAKE_REQUIRED_LIBRARIES ${BLAS_LIBRARIES})
    set(CMAKE_REQUIRED_INCLUDES ${CBLAS_INCLUDE_DIR})
    check_cxx_source_compiles("
      #include <cblas.h>
      int main() {
        double one = 1;
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 1, 1, 1, 1, &one, 1, &one, 1, 0,
                    &one, 1);
      }" HALOCLINE_BLAS_HAS_C)
    unset(CMAKE_REQUIRED_LIBRARIES)
    unset(CMAKE_REQUIRED_INCLUDES)
  endif()
  if(HALOCLINE_BLAS_HAS_C)
    add_library(halocline_cblas INTERFACE)
    target_link_libraries(halocline_cblas INTERFACE ${BLAS_LIBRARIES})
    target_include_directories(halocline_cblas SYSTEM INTERFACE ${CBLAS_INCLUDE_DIR})
    target_compile_definitions(halocline_cblas INTERFACE HALOCLINE_HAVE_CBLAS=1)
    set(found TRUE)
    set(version "${BLAS_LIBRARIES}")
  endif()
endif()
summarise_dependency(BLAS "${found}" "${version}" libopenblas-dev)
