#include "runtime.hpp"

#include <GASPI_Ext.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>
namespace halocline_gaspi {

// gaspi_config_set of GPI-2 1.6 passes over the port of its TCP device, so it is set where it lies.
extern "C" gaspi_config_t glb_gaspi_cfg __attribute__((weak));

namespace {

constexpr std::size_t host_bytes = 64;  // GPI-2 knows no longer names
enum class State { never, runs, ended } state = State::never;
double seconds = 0;

/// The host of each rank, on rank 0.
std::vector<std::string> hosts_of_all() {
  const auto ranks = static_cast<std::size_t>(mpi::size(world()));
  std::array<char, host_bytes> mine{};
  const bool fits = gethostname(mine.data(), mine.size()) == 0 && mine.back() == 0;
  mpi::agree(world(), fits ? "" : "gaspi: GPI-2 needs names of hosts of less than 64 characters");
  std::vector<char> all(mpi::rank(world()) == 0 ? ranks * host_bytes : 0);
  HALOCLINE_MPI(MPI_Gather, mine.data(), host_bytes, MPI_CHAR, all.data(), host_bytes, MPI_CHAR, 0,
                world());
  std::vector<std::string> hosts;
  for (std::size_t at = 0; at < all.size(); at += host_bytes) hosts.emplace_back(&all[at]);
  return hosts;
}

/// This rank's number on its host, as GPI-2 knows hosts: by name. MPI may take less for a node
/// (MPICH without shared memory: each rank), and then ranks would take each other's ports.
int local_rank(const std::vector<std::string>& hosts) {
  std::vector<int> all;
  std::map<std::string, int> ranks;
  for (const std::string& host : hosts) all.push_back(ranks[host]++);
  int mine = 0;
  HALOCLINE_MPI(MPI_Scatter, all.data(), 1, MPI_INT, &mine, 1, MPI_INT, 0, world());
  return mine;
}

/// What gaspi_run would leave in the environment of a rank, for as long as GPI-2 reads it. (One
/// that was built with MPI asks that instead.)
class Surroundings {
 public:
  Surroundings(const std::vector<std::string>& hosts, int local) {
    if (!hosts.empty()) write(hosts);
    set("GASPI_MFILE", hosts.empty() ? "/dev/null" : file_);  // only rank 0 reads it
    set("GASPI_RANK", std::to_string(mpi::rank(world())));
    set("GASPI_NRANKS", std::to_string(mpi::size(world())));
    set("GASPI_SOCKET", std::to_string(local));
  }
  ~Surroundings() {
    if (!file_.empty()) unlink(file_.c_str());
  }
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;

 private:
  static void set(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }
  void write(const std::vector<std::string>& hosts) {
    const char* folder = std::getenv("TMPDIR");
    file_ = std::string(folder == nullptr ? "/tmp" : folder) + "/halocline-hosts-XXXXXX";
    const int made = mkstemp(file_.data());
    if (made < 0) return file_.clear();  // GPI-2 says that it cannot read it
    close(made);
    std::ofstream out(file_);
    for (const std::string& host : hosts) out << host << '\n';
  }
  std::string file_;
};

bool is_free(int port) {
  const int probe = socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  setsockopt(probe, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = INADDR_ANY;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const bool free =
      probe >= 0 && bind(probe, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  if (probe >= 0) close(probe);
  return free;
}

/// The same for all ranks, so that jobs beside each other on a host do not meet: GPI-2 counts its
/// ports from one number, by the ranks of a host, of which it allows 256.
void choose_ports(gaspi_config_t& config, int local) {
  constexpr int per_host = 256;
  // Below those that systems give away by themselves.
  constexpr int first = 10240, last = 32768 - 3 * per_host, attempts = 64;
  std::random_device dice;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    int port = std::uniform_int_distribution<int>(first, last)(dice);
    HALOCLINE_MPI(MPI_Bcast, &port, 1, MPI_INT, 0, world());
    const int device = port + 2 * per_host;
    if (!mpi::all_of(world(), is_free(port + local) && is_free(port + per_host + local) &&
                                  is_free(device + local)))
      continue;
    config.sn_port = static_cast<gaspi_uint>(port);
    if (&glb_gaspi_cfg != nullptr && config.network == GASPI_ETHERNET)
      glb_gaspi_cfg.dev_config.params.tcp.port = static_cast<gaspi_uint>(device);
    return;
  }
  mpi::agree(world(), "gaspi: no ports from 10240 to 32768 are free on all hosts of the job");
}

/// When MPI_Finalize begins, while everything still works.
int end(MPI_Comm, int, void*, void*) {
  // Without gaspi_proc_term, from which GPI-2's TCP device does not always return: what it holds
  // ends with the process.
  MPI_Barrier(world());  // nobody writes any more
  state = State::ended;
  return MPI_SUCCESS;
}

/// Programs that gaspi_run starts are alone, to MPI.
void check_launcher() {
  const char* const ranks = std::getenv("GASPI_NRANKS");
  mpi::agree(world(), ranks == nullptr || ranks == std::to_string(mpi::size(world()))
                          ? ""
                          : "gaspi: gaspi_run has started " + std::string(ranks) +
                                " ranks, but MPI knows of " + std::to_string(mpi::size(world())) +
                                "; start the program by MPI's launcher");
}

void begin() {
  check_launcher();
  const auto since = std::chrono::steady_clock::now();
  const std::vector<std::string> hosts = hosts_of_all();
  const int local = local_rank(hosts);
  gaspi_config_t config{};
  HALOCLINE_GASPI(gaspi_config_get, &config);
  choose_ports(config, local);
  // MPI has its barrier. Ranks connect when they first exchange, not all with all.
  config.build_infrastructure = GASPI_TOPOLOGY_NONE;
  mpi::together(world(), [&] { HALOCLINE_GASPI(gaspi_config_set, config); });
  const Surroundings surroundings(hosts, local);
  mpi::together(world(), [&] {
    const Blocking guard("gaspi: gaspi_proc_init");
    HALOCLINE_GASPI(gaspi_proc_init, patience());
  });
  int key = MPI_KEYVAL_INVALID;
  HALOCLINE_MPI(MPI_Comm_create_keyval, MPI_COMM_NULL_COPY_FN, end, &key, nullptr);
  HALOCLINE_MPI(MPI_Comm_set_attr, MPI_COMM_SELF, key, nullptr);
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
}

}  // namespace

bool runs() noexcept {
  return state == State::runs;
}

gaspi_timeout_t patience() {
  const double seconds = Patience::current().timeout.count();
  return std::isfinite(seconds) ? static_cast<gaspi_timeout_t>(1000 * seconds) : GASPI_BLOCK;
}

void check(gaspi_return_t result, const char* call) {
  if (result == GASPI_SUCCESS) return;
  if (result == GASPI_TIMEOUT)
    throw Timeout(std::string("gaspi: ") + call + " did not come to an end within " +
                  std::to_string(std::lround(Patience::current().timeout.count())) + " s");
  throw Error(std::string("gaspi: ") + call + " failed: " + gaspi_error_str(result));
}

void start(MPI_Comm comm, const std::string& scheme) {
  if (state == State::runs) return;
  int same = MPI_UNEQUAL;
  HALOCLINE_MPI(MPI_Comm_compare, comm, world(), &same);
  mpi::agree(comm, same == MPI_UNEQUAL
                       ? scheme + ": the exchange has " + std::to_string(mpi::size(comm)) +
                             " ranks, and GASPI must be started by all " +
                             std::to_string(mpi::size(world())) +
                             "; call halocline::prepare(scheme) before"
                       : "");
  start();
}

double start() {
  if (state == State::runs) return seconds;
  mpi::agree(world(), state == State::ended ? "gaspi: MPI and GASPI have been left already" : "");
  gaspi_number_t there = 0;
  HALOCLINE_GASPI(gaspi_initialized, &there);
  if (there == 0) begin();
  const auto rank = ask(gaspi_proc_rank, "gaspi_proc_rank");
  mpi::agree(world(), rank == mpi::rank(world()) ? "" : "gaspi: its ranks are not those of MPI");
  state = State::runs;
  return seconds;
}

}  // namespace halocline_gaspi
