// forked: a process that a rank forks off, and that ends in its own way, leaves MPI and what ranks
// share alone. Says nothing if so.

#include "everything.hpp"

#include <halocline/halocline.hpp>
#include <halocline/more/mpi.hpp>
#include <halocline/wait.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

using namespace halocline;

namespace {

Expected expect("forked");

struct Ring {
  Grid grid{world(), {8 * mpi::size(world())}, {.halo = 1, .periodic = {true}}};
  Array<double> cells;
  Exchange halos;

  explicit Ring(const std::string& scheme)
      : cells(grid, Scheme(scheme)), halos(world(), grid.halo(), cells, scheme) {}
  void run(int step) {
    const int ranks = mpi::size(world()), me = mpi::rank(world());
    for (std::size_t i = 1; i < 9; ++i) cells[i] = 100 * step + me;
    halos.run();
    expect(cells[0] == 100 * step + (me + ranks - 1) % ranks &&
               cells[9] == 100 * step + (me + 1) % ranks,
           halos.scheme().str() + " leaves other halos");
  }
};

bool is_refused(const std::string& scheme) {
  try {
    Ring another(scheme);
    return false;
  } catch (const Error& problem) {
    return std::string(problem.what()).find("forked off") != std::string::npos;
  }
}

void await(pid_t child, int code, const std::string& what) {
  int status = 0;
  expect(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == code,
         what + ": the child does not end with " + std::to_string(code));
}

int body(int, char**) {
  // There is a thread that watches then, which a child has not.
  Patience::current().timeout = std::chrono::seconds(60);
  for (const SchemeFacts& known : known_schemes()) {
    if (!is_usable(known.scheme)) continue;
    static std::optional<Ring> ring;  // which may also end by exit()
    ring.emplace(known.scheme);
    ring->run(1);
    for (const bool drops : {true, false}) {
      const pid_t child = fork();
      if (child == 0) {
        const bool refused = is_refused(known.scheme);
        if (drops) ring.reset();
        std::exit(refused ? 0 : 3);
      }
      await(child, 0, known.scheme);
      ring->run(drops ? 2 : 3);
    }
    ring.reset();
  }
  for (const int code : {0, 1}) {
    const pid_t child = fork();
    if (child == 0) {
      if (code == 0) return 0;
      static_cast<void>(std::freopen("/dev/null", "w", stderr));
      throw Error("the child's own");
    }
    await(child, code, "guarded_main");
  }
  mpi::all_of(world(), true);
  return expect.wrong > 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  return guarded_main(argc, argv, "forked", body);
}
