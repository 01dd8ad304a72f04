# install() and export(): afterwards find_package(halocline) works, from a prefix or a build folder.
include(CMakePackageConfigHelpers)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/halocline)
install(TARGETS halocline halocline_method EXPORT halocline-targets)
if(TARGET halocline_style)
  install(TARGETS halocline_style EXPORT halocline-targets)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ TYPE INCLUDE)
install(EXPORT halocline-targets NAMESPACE halocline:: DESTINATION ${config_dir})
export(EXPORT halocline-targets NAMESPACE halocline::)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/halocline-config.cmake.in
                              ${PROJECT_BINARY_DIR}/halocline-config.cmake
                              INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/halocline-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/halocline-config.cmake
              ${PROJECT_BINARY_DIR}/halocline-config-version.cmake
        DESTINATION ${config_dir})
