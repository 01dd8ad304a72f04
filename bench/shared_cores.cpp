// Steps of a program that computes for 100 us and then exchanges a KB with its neighbours in a
// chain: by hand (Irecv, Isend, Waitall) and by schemes, in turns.
//
//     mpiexec -n 2 shared_cores [--busy] [--rounds N] [--work US] SCHEME[@SPIN]...
//
// `--busy` has each rank leave a process behind that computes on one of the cores. Waits of a
// scheme with `@SPIN` poll for so many microseconds before they give the core away. Prints
// microseconds of a step, and how many times as long as by hand it is: medians of the rounds.

#include <halocline/exchange.hpp>
#include <halocline/wait.hpp>

#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

using namespace halocline;

namespace {

constexpr int cells = 128, steps = 200;

double seconds(auto&& act) {
  const auto begin = std::chrono::steady_clock::now();
  act();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double compute(long work, double value) {
  for (long i = 0; i < work; ++i) value = value * 0.999999 + 1e-6;
  return value;
}

/// As much work as takes so long on a core of one's own: by the fastest of many short tries.
long work_for(double wanted) {
  constexpr long some = 10'000;
  double fastest = 1, value = 0;
  for (int i = 0; i < 2000; ++i)
    fastest = std::min(fastest, seconds([&] { value = compute(some, value); }));
  return value > 0 ? static_cast<long>(wanted / fastest * some) : 0;
}

/// A process that computes on that core as long as this one lives.
void leave_busy(int core) {
  const pid_t parent = getpid();
  if (fork() != 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(core), &set);
  sched_setaffinity(0, sizeof set, &set);
  for (double value = 1; getppid() == parent && value > 0;) value = compute(1'000'000, value);
  _exit(0);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Way {
  std::string name;
  std::chrono::duration<double> spin = Patience::usual_spin;
  std::vector<double> us{}, times{};
};

int run(int argc, char** argv) {
  bool busy = false;
  int rounds = 20;
  double work_s = 100e-6;
  std::vector<Way> ways{{"by hand"}};
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto at = word.find('@');
    if (word == "--busy")
      busy = true;
    else if (word == "--rounds" && i + 1 < argc)
      rounds = std::stoi(argv[++i]);
    else if (word == "--work" && i + 1 < argc)
      work_s = 1e-6 * std::stod(argv[++i]);
    else if (at == std::string::npos)
      ways.push_back({word});
    else
      ways.push_back({word, std::chrono::duration<double>(1e-6 * std::stod(word.substr(at + 1)))});
  }

  const int me = mpi::rank(world()), ranks = mpi::size(world());
  std::vector<double> values(4 * cells);
  Pattern chain;
  std::vector<int> peers;
  const auto side_of = [me](int peer) { return peer < me ? 0 : 2 * cells; };
  for (const int peer : {me - 1, me + 1}) {
    if (peer < 0 || peer == ranks) continue;
    chain.send(peer, {.offset = side_of(peer), .count = {1, 1, cells}});
    chain.receive(peer, {.offset = side_of(peer) + cells, .count = {1, 1, cells}});
    peers.push_back(peer);
  }
  std::vector<Exchange> exchanges;
  for (std::size_t i = 1; i < ways.size(); ++i)
    exchanges.emplace_back(chain, field(values.data(), values.size()),
                           ways[i].name.substr(0, ways[i].name.find('@')));
  const auto by_hand = [&] {
    std::vector<MPI_Request> requests;
    for (const int peer : peers) {
      double* const side = values.data() + side_of(peer);
      MPI_Irecv(side + cells, cells, MPI_DOUBLE, peer, 0, world(), &requests.emplace_back());
      MPI_Isend(side, cells, MPI_DOUBLE, peer, 0, world(), &requests.emplace_back());
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  };

  const long work = work_for(work_s);
  if (busy) leave_busy(me % static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
  double value = 0;
  for (int round = 0; round <= rounds; ++round) {
    std::vector<double> took(ways.size());
    for (std::size_t k = 0; k < ways.size(); ++k) {
      const std::size_t i = (k + static_cast<std::size_t>(round)) % ways.size();
      Patience::current().spin = ways[i].spin;
      took[i] = seconds([&] {
        for (int step = 0; step < steps; ++step) {
          value = compute(work, value);
          i == 0 ? by_hand() : exchanges[i - 1].run();
        }
      });
    }
    for (std::size_t i = 0; i < ways.size() && round > 0; ++i) {
      ways[i].us.push_back(1e6 * took[i] / steps);
      ways[i].times.push_back(took[i] / took[0]);
    }
  }
  for (const Way& way : ways) {
    if (me > 0 || value == 0) break;
    std::printf("%-32s %8.1f us a step  %6.3f times\n", way.name.c_str(), median(way.us),
                median(way.times));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return guarded_main(argc, argv, "shared_cores", run);
}
