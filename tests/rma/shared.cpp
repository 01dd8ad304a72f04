#include "shared.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace emulated {

namespace {
void must(bool holds, const char* what) {
  if (holds) return;
  std::perror(what);
  std::abort();
}
}  // namespace

Shared::Shared(MPI_Comm comm, std::size_t bytes) {
  const int file = memfd_create("emulated window", MFD_CLOEXEC);
  must(file >= 0 && ftruncate(file, static_cast<off_t>(bytes)) == 0, "emulated: memfd_create");
  int ranks = 0;
  PMPI_Comm_size(comm, &ranks);
  struct Place {
    long process, file, bytes;
  };
  const Place mine{getpid(), file, static_cast<long>(bytes)};
  std::vector<Place> places(static_cast<std::size_t>(ranks));
  PMPI_Allgather(&mine, 3, MPI_LONG, places.data(), 3, MPI_LONG, comm);
  for (const Place& place : places) {
    const std::string path =
        "/proc/" + std::to_string(place.process) + "/fd/" + std::to_string(place.file);
    const int theirs = open(path.c_str(), O_RDWR | O_CLOEXEC);
    must(theirs >= 0, path.c_str());
    const auto length = static_cast<std::size_t>(place.bytes);
    void* const begin = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, theirs, 0);
    must(begin != MAP_FAILED, "emulated: mmap");
    close(theirs);
    parts_.emplace_back(static_cast<std::byte*>(begin), length);
  }
  PMPI_Barrier(comm);  // all have opened it
  close(file);
}

Shared::~Shared() {
  for (const std::span<std::byte> part : parts_) munmap(part.data(), part.size());
}

}  // namespace emulated
