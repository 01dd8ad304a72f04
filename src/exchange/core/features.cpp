#include "features.hpp"

#include <halocline/more/mpi.hpp>

namespace halocline::detail {

std::string lacks(const char* function) {
  std::string library = mpi::library_version();
  library = library.substr(0, library.find(','));
  return "this MPI (" + library + ") has no " + function;
}

}  // namespace halocline::detail
