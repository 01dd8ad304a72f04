#include "facts.hpp"

#include <base/text.hpp>

#include <halocline/more/device.hpp>
#include <halocline/more/islands.hpp>
#include <halocline/more/processor.hpp>
#include <halocline/version.hpp>

#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

using nlohmann::json;
namespace mpi_ = halocline::mpi;

namespace frame::facts {
namespace {

std::string host() {
  utsname names{};
  uname(&names);
  return names.nodename;
}

std::string thread_level() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  return halocline::mpi::thread_level_word(level);
}

/// Whether loads and stores see what RMA wrote without further calls.
std::string model(mpi_::Window window) {
  int* model = nullptr;
  int found = 0;
  HALOCLINE_MPI(MPI_Win_get_attr, window, MPI_WIN_MODEL, &model, &found);
  return found && *model == MPI_WIN_UNIFIED ? "unified" : "separate";
}

}  // namespace

json machine() {
  utsname names{};
  uname(&names);
  struct statvfs shm {};
  statvfs("/dev/shm", &shm);
  const auto bytes = [](auto count, auto size) {
    return std::uint64_t(count) * std::uint64_t(size);
  };
  return {{"host", host()},
          {"cpu", halocline::cpu_model()},
          {"cores", sysconf(_SC_NPROCESSORS_ONLN)},
          {"numa_nodes", halocline::numa_domains()},
          {"memory_bytes", bytes(sysconf(_SC_PHYS_PAGES), sysconf(_SC_PAGESIZE))},
          {"shm_bytes_total", bytes(shm.f_blocks, shm.f_frsize)},
          {"shm_bytes_free", bytes(shm.f_bavail, shm.f_frsize)},
          {"kernel", std::string(names.sysname) + " " + names.release}};
}

json mpi() {
  return {{"library", mpi_::library_version()},
          {"standard", mpi_::standard_version()},
          {"thread_level", thread_level()}};
}

json build() {
  return {{"compiler", HALOCLINE_COMPILER},
          {"flags", HALOCLINE_FLAGS},
          {"version", halocline::version_text()}};
}

json windows(MPI_Comm comm) {
  constexpr MPI_Aint bytes = 64;
  alignas(8) std::byte memory[bytes];
  void* ignored = nullptr;
  MPI_Win window = MPI_WIN_NULL;
  json models;

  HALOCLINE_MPI(MPI_Win_create, memory, bytes, 1, MPI_INFO_NULL, comm, &window);
  models["create"] = model(mpi_::Window(window));
  HALOCLINE_MPI(MPI_Win_allocate, bytes, 1, MPI_INFO_NULL, comm, &ignored, &window);
  models["allocate"] = model(mpi_::Window(window));
  HALOCLINE_MPI(MPI_Win_create_dynamic, MPI_INFO_NULL, comm, &window);
  models["dynamic"] = model(mpi_::Window(window));

  const halocline::Islands islands(comm);
  HALOCLINE_MPI(MPI_Win_allocate_shared, bytes, 1, MPI_INFO_NULL, islands.island(), &ignored,
                &window);
  models["shared"] = model(mpi_::Window(window));
  return models;
}

bool small_windows_work(MPI_Comm comm) {
  const int rank = mpi_::rank(comm), size = mpi_::size(comm);
  bool right = true;
  // MPICH 4.0.2 lets the ranks' parts of such sizes overlap: puts land a word early, and what they
  // leave out stays zero. So nobody sends zeros.
  for (const int count : {3, 5}) {
    double* mine = nullptr;
    mpi_::Window window;
    HALOCLINE_MPI(MPI_Win_allocate, count * MPI_Aint{sizeof(double)}, sizeof(double), MPI_INFO_NULL,
                  comm, &mine, window.address());
    const std::vector<double> sent(static_cast<std::size_t>(count), rank + 1);
    HALOCLINE_MPI(MPI_Win_fence, 0, window);
    HALOCLINE_MPI(MPI_Put, sent.data(), count, MPI_DOUBLE, (rank + 1) % size, 0, count, MPI_DOUBLE,
                  window);
    HALOCLINE_MPI(MPI_Win_fence, 0, window);
    right = right && std::count(mine, mine + count, (rank + size - 1) % size + 1) == count;
  }
  return mpi_::all_of(comm, right);
}

json gather(MPI_Comm comm, const json& mine) {
  const std::string text = halocline::base::json_text(mine);
  const int length = static_cast<int>(text.size()), size = mpi_::size(comm);

  std::vector<int> lengths(size), offsets(size);
  HALOCLINE_MPI(MPI_Gather, &length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm);
  for (int r = 1; r < size; ++r) offsets[r] = offsets[r - 1] + lengths[r - 1];
  std::string all(mpi_::rank(comm) == 0 ? offsets.back() + lengths.back() : 0, ' ');
  HALOCLINE_MPI(MPI_Gatherv, text.data(), length, MPI_CHAR, all.data(), lengths.data(),
                offsets.data(), MPI_CHAR, 0, comm);
  if (mpi_::rank(comm) != 0) return nullptr;

  json list = json::array();
  for (int r = 0; r < size; ++r) list.push_back(json::parse(all.substr(offsets[r], lengths[r])));
  return list;
}

json ranks(MPI_Comm comm) {
  return gather(
      comm, {{"rank", mpi_::rank(comm)}, {"host", host()}, {"binding", halocline::bound_cores()}});
}

json device(MPI_Comm comm) {
  const halocline::Islands node(comm);
  try {
    const halocline::Device& mine = halocline::open_device({}, mpi_::rank(node.island()));
    return {{"device", mine.describe()}, {"played", mine.is_host()}};
  } catch (const std::runtime_error& problem) {
    return {{"missing", problem.what()}};
  }
}

}  // namespace frame::facts
