# The module of Python's classes (src/python), for the Python that has nanobind: in python/ of the
# build folder, where the package `halocline` finds it.

if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
# That of a virtual environment, if one is active, as for the tests.
find_package(Python3 QUIET COMPONENTS Interpreter)
if(Python3_FOUND AND NOT DEFINED Python_EXECUTABLE)
  set(Python_EXECUTABLE ${Python3_EXECUTABLE})
endif()
find_package(Python 3.10 QUIET COMPONENTS Interpreter Development.Module)
set(nanobind_says "pip install nanobind gives Python the classes")
if(NOT Python_FOUND)
  set(nanobind_says "it needs Python 3.10 and its headers: python3-dev")
else()
  execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir OUTPUT_VARIABLE nanobind_folder
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  unset(nanobind_DIR CACHE)
  find_package(nanobind QUIET CONFIG HINTS ${nanobind_folder})
endif()
if(HALOCLINE_SANITIZE)
  set(nanobind_FOUND FALSE)
  set(nanobind_says "no Python module with sanitizers, which the interpreter would have to have")
endif()
summarise_dependency(nanobind "${nanobind_FOUND}" "${nanobind_VERSION}" "" "${nanobind_says}")
if(NOT nanobind_FOUND)
  return()
endif()

file(GLOB sources CONFIGURE_DEPENDS src/python/*.cpp)
nanobind_add_module(halocline_python NB_STATIC NB_DOMAIN halocline ${sources})
set_target_properties(halocline_python PROPERTIES
  OUTPUT_NAME _native LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python)
target_include_directories(halocline_python PRIVATE ${PROJECT_SOURCE_DIR}/src)
compiled_together(halocline_python)
compiled_together(nanobind-static)  # as its own nb_combined.cpp does
# Halocline once in a process, whatever else uses it there.
if(TARGET halocline_shared)
  target_link_libraries(halocline_python PRIVATE halocline_shared)
else()
  target_link_libraries(halocline_python PRIVATE halocline)
endif()
# With what it takes for private: `await_`.
nanobind_add_stub(halocline_python_stub MODULE _native INCLUDE_PRIVATE OUTPUT ${PROJECT_BINARY_DIR}/python/_native.pyi
                  PYTHON_PATH $<TARGET_FILE_DIR:halocline_python> DEPENDS halocline_python)
