# Which MPI a project has. For Halocline's own build and, installed, for the projects of its users.
cmake_policy(VERSION 3.22)

# halocline_mpi_abi(LANGUAGE): what MPICH's wrapper for the interface of MPI 5 defines, and FindMPI does
# not see.
macro(halocline_mpi_abi language)
  if(MPI_${language}_COMPILER MATCHES "_abi$")
    list(APPEND MPI_${language}_COMPILE_DEFINITIONS MPI_ABI)
    set_property(TARGET MPI::MPI_${language} APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS MPI_ABI)
  endif()
endmacro()

# halocline_mpi_files(LANGUAGE VARIABLE): the files, such as libmpi.so.12, in which programs in it will
# look for MPI: MPIs whose files have one name can replace each other. Empty where that is not known.
function(halocline_mpi_files language variable)
  set(libraries ${MPI_${language}_LIBRARIES})
  if(NOT libraries)  # the compiler is MPI's own
    set(names ${CMAKE_${language}_IMPLICIT_LINK_LIBRARIES})
    list(FILTER names INCLUDE REGEX "^mpi")
    foreach(name IN LISTS names)
      unset(library)
      find_library(library ${name} PATHS ${CMAKE_${language}_IMPLICIT_LINK_DIRECTORIES}
                   NO_DEFAULT_PATH NO_CACHE)
      list(APPEND libraries ${library})
    endforeach()
  endif()
  set(files "")
  set(file_of_mpi "lib[a-z]*mpi[A-Za-z0-9_+]*\\.so\\.[0-9]+")
  foreach(library IN LISTS libraries)
    if(NOT EXISTS "${library}")
      continue()
    endif()
    file(REAL_PATH ${library} said)
    if(NOT said MATCHES "${file_of_mpi}")  # the linker is told in it where to go on
      file(STRINGS ${said} said REGEX "${file_of_mpi}" LIMIT_INPUT 1000)
    endif()
    if(said MATCHES "${file_of_mpi}")
      list(APPEND files ${CMAKE_MATCH_0})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES files)
  set(${variable} "${files}" PARENT_SCOPE)
endfunction()

# halocline_other_mpi(VARIABLE FILES NAME COMPILER): a sentence, if this project has by now another MPI
# for one of its languages than the one of this name, files and mpicxx, that Halocline was built with.
function(halocline_other_mpi variable built_files name compiler)
  set(sentence "")
  foreach(language C CXX Fortran)
    halocline_mpi_files(${language} files)
    set(same FALSE)
    foreach(file IN LISTS files)
      if(file IN_LIST built_files)
        set(same TRUE)
      endif()
    endforeach()
    if(files AND built_files AND NOT same AND NOT HALOCLINE_OTHER_MPI)
      list(JOIN files ", " files)
      list(JOIN built_files ", " built)
      set(theirs ${MPI_${language}_COMPILER})
      if(NOT MPI_${language}_LIBRARIES)
        set(theirs ${CMAKE_${language}_COMPILER})
      endif()
      set(sentence "Halocline was built with ${name} (${built}, by ${compiler}), and this project has another MPI for ${language}: ${files}, by ${theirs}. Name Halocline's by MPI_${language}_COMPILER, or build Halocline with this one. (HALOCLINE_OTHER_MPI=ON: they are the same library.)")
    endif()
  endforeach()
  set(${variable} "${sentence}" PARENT_SCOPE)
endfunction()

# halocline_same_mpi(FILES NAME COMPILER): the same as an error.
function(halocline_same_mpi files name compiler)
  halocline_other_mpi(other "${files}" "${name}" "${compiler}")
  if(other)
    message(FATAL_ERROR "${other}")
  endif()
endfunction()
