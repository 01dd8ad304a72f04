# library_fingerprint(TARGET): gives it a file that knows the fingerprint of src/ and include/, by which
# verdicts of the doctor know the code that they were passed on.
function(library_fingerprint target)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*pp
       ${PROJECT_SOURCE_DIR}/include/*.h*)
  list(SORT files)
  list(JOIN files "\n" lines)
  set(list ${PROJECT_BINARY_DIR}/CMakeFiles/fingerprint.list)
  file(GENERATE OUTPUT ${list} CONTENT "${lines}\n")
  set(output ${PROJECT_BINARY_DIR}/CMakeFiles/fingerprint.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DLIST=${list} -DOUTPUT=${output}
            "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} $<CONFIG>"
            -P ${PROJECT_SOURCE_DIR}/cmake/Fingerprint.cmake
    DEPENDS ${files} ${list} ${PROJECT_SOURCE_DIR}/cmake/Fingerprint.cmake
    COMMENT "Fingerprint of the library" VERBATIM)
  target_sources(${target} PRIVATE ${output})
  # It changes with every file, and must not compile others again.
  set_source_files_properties(${output} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
                                                   SKIP_PRECOMPILE_HEADERS ON)
endfunction()
