#include "solution_file.hpp"

#include <formats/npy.hpp>
#include <frame/share.hpp>

namespace partdiff {

using namespace halocline;

void write_npy(MPI_Comm comm, const Solver& solver, const std::string& file) {
  const Domain& domain = solver.domain();
  const std::int64_t points = domain.problem().points();
  frame::Share share{.name = "u", .shape = {points, 1, points}};
  if (!domain.idle()) {
    share.mine = {domain.points(0), Range{0, 1}, domain.points(1)};
    share.data = const_cast<double*>(solver.solution()) +  // which is only read here
                 domain.offset(share.mine[0].begin, share.mine[2].begin);
    share.stride = {domain.stride(), 0, 1};
  }
  frame::replace_file(comm, "--output", file, [&](frame::SharedFile& out) {
    const std::string head = formats::npy_header({points, points});
    if (mpi::rank(comm) == 0) out.put(0, head.data(), std::ssize(head));
    frame::write_share(comm, out, std::ssize(head), share);
  });
}

}  // namespace partdiff
