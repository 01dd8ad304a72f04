// haloplan: what the halos of a grid or a graph send across nodes and sockets, for a machine that
// need not be here. Pure arithmetic: no MPI is started. `halocline topology` shows what this
// prints.

#include "plan.hpp"

#include <base/text.hpp>
#include <frame/arguments.hpp>
#include <frame/json.hpp>
#include <frame/refusal.hpp>
#include <halocline/error.hpp>
#include <halocline/range.hpp>

#include <halocline/more/standard_output.hpp>

#include <cstdlib>
#include <iostream>

namespace {

void declare(frame::Arguments& app, haloplan::Request& request) {
  app.option("--mesh", request.mesh, "cells along each axis, slowest first: 1800x580; or");
  app.option("--graph", request.graph,
             "a file: a matrix of Matrix Market (coordinates), or a graph of METIS");
  app.option("--ranks", request.ranks, "number of ranks").required().range(1, 1'000'000);
  app.option("--machine", request.machine,
             "nodes=4,sockets=2,cores=6, ranks=12+12+10,sockets=2, or hosts=a:12,b:12,c:10; one "
             "node by default");
  app.option("--by", request.by, "how a graph is cut: best, metis or curve")
      .one_of({"best", "metis", "curve"})
      .shows_default();
  app.option("--parts", request.parts, "the part of each vertex, a line each, as gpmetis has it");
  app.option("--halo", request.halo, "width, or one for each axis: 2x1").shows_default();
  app.option("--periodic", request.periodic, "axes that are periodic, from 0");
  app.option("--dims", request.dims, "the process grid before, by hand: 25x24");
}

int run(int argc, char** argv) {
  haloplan::Request request;
  frame::Arguments app("What halos send across nodes and sockets: ranks in sequence, and placed.");
  declare(app, request);
  try {
    if (const std::string help = app.parse(argc, argv); !help.empty()) {
      std::cout << help;
      return EXIT_SUCCESS;
    }
    std::cout << halocline::base::json_text(haloplan::plan(request)) << '\n';
    return EXIT_SUCCESS;
  } catch (const frame::WrongArguments& problem) {
    std::cerr << frame::refusal("haloplan", problem.what()) << '\n';
    return EXIT_FAILURE;
  } catch (const std::exception& problem) {
    std::cerr << "haloplan: " << halocline::words_of(problem) << '\n';
    return EXIT_FAILURE;
  }
}

}  // namespace

int main(int argc, char** argv) {
  halocline::StandardOutput output("haloplan");
  return output.end(run(argc, argv));
}
