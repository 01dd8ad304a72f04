# Writes OUTPUT, a C++ file that defines detail::fingerprint() for the files named in LIST, a line
# each, and for COMPILER; a file that says the same already is left as it is.
#   cmake -DLIST=FILE -DOUTPUT=FILE -DCOMPILER=TEXT -P Fingerprint.cmake
file(STRINGS ${LIST} files)
set(all "${COMPILER}")
foreach(one IN LISTS files)
  file(SHA256 ${one} hash)
  string(APPEND all ${hash})
endforeach()
string(SHA256 all "${all}")
string(SUBSTRING ${all} 0 16 all)
set(text "#include \"tuner/fingerprint.hpp\"

std::string halocline::detail::fingerprint() {
  return \"${all}\";
}
")
set(old "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT text STREQUAL old)
  file(WRITE ${OUTPUT} "${text}")
endif()
