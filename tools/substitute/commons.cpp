#include "commons.hpp"

#include "settings.hpp"

#include <halocline/error.hpp>
#include <halocline/wait.hpp>

#include <mpi.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

namespace substitute {

namespace {

constexpr std::size_t whole = std::size_t{1} << 36;
constexpr std::size_t line = 64;
constexpr const char* file_name = "halocline";

Commons* the_commons = nullptr;

/// How others find the file of a rank. A process of that number may be another one where ranks do
/// not see the same processes; then the file is not there, or its first words are not these.
struct Card {
  std::int64_t process = 0, file = -1;
  std::uint64_t secret[2] = {};
  std::uint64_t settings = 0;
  std::int64_t world_rank = 0;
};

std::byte* mapped(int file) {
  void* const memory =
      mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (memory == MAP_FAILED) return nullptr;
  madvise(memory, whole, MADV_DONTDUMP);  // a core file would be as large
  return static_cast<std::byte*>(memory);
}

std::byte* mapped(const Card& card) {
  const std::string path =
      "/proc/" + std::to_string(card.process) + "/fd/" + std::to_string(card.file);
  char target[256] = {};
  // What is opened must be such a file, for opening another one might do something.
  if (readlink(path.c_str(), target, sizeof(target) - 1) < 0 ||
      std::strstr(target, "/memfd:") != target)
    return nullptr;
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  std::byte* memory =
      lseek(file, 0, SEEK_END) == static_cast<off_t>(whole) ? mapped(file) : nullptr;
  close(file);
  if (memory != nullptr && std::memcmp(memory, card.secret, sizeof(card.secret)) != 0) {
    munmap(memory, whole);
    memory = nullptr;
  }
  return memory;
}

}  // namespace

void Commons::open() {
  MPI_Comm island = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &island);
  halocline::Patience::detect(island);
  auto made = std::make_unique<Commons>();
  int ranks = 0, rank = 0, world_rank = 0;
  MPI_Comm_size(island, &ranks);
  MPI_Comm_rank(island, &rank);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);

  Card card{.process = getpid(), .settings = Settings::get().hash(), .world_rank = world_rank};
  const int file = memfd_create(file_name, MFD_CLOEXEC);
  bool works = file >= 0 && ftruncate(file, static_cast<off_t>(whole)) == 0;
  if (works) made->mine_ = mapped(file);
  works = works && made->mine_ != nullptr &&
          getrandom(card.secret, sizeof(card.secret), 0) == sizeof(card.secret);
  if (works) std::memcpy(made->mine_, card.secret, sizeof(card.secret));
  card.file = file;
  made->used_ = line;

  std::vector<Card> cards(static_cast<std::size_t>(ranks));
  constexpr int bytes = sizeof(Card);
  MPI_Allgather(&card, bytes, MPI_BYTE, cards.data(), bytes, MPI_BYTE, island);
  for (int other = 0; works && other < ranks; ++other) {
    const Card& theirs = cards[static_cast<std::size_t>(other)];
    std::byte* const memory = other == rank ? made->mine_ : mapped(theirs);
    works = memory != nullptr && theirs.settings == card.settings;
    if (memory != nullptr) made->members_.push_back({static_cast<int>(theirs.world_rank), memory});
  }
  int all = works ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, island);
  if (file >= 0) close(file);
  MPI_Comm_free(&island);
  if (all != 0) {
    std::ranges::sort(made->members_, {}, &Member::world_rank);
    the_commons = made.release();
    return;
  }
  for (const Member& member : made->members_)
    if (member.memory != made->mine_) munmap(member.memory, whole);
  if (made->mine_ != nullptr) munmap(made->mine_, whole);
}

Commons* Commons::get() {
  return the_commons;
}

std::byte* Commons::of(int world_rank) const {
  const auto found = std::ranges::lower_bound(members_, world_rank, {}, &Member::world_rank);
  return found != members_.end() && found->world_rank == world_rank ? found->memory : nullptr;
}

std::size_t Commons::size_class(std::size_t bytes) {
  return static_cast<std::size_t>(std::bit_width(std::max(bytes, line) - 1));
}

std::uint64_t Commons::take(std::size_t bytes) {
  const std::size_t kind = size_class(bytes);
  if (kind < given_.size() && !given_[kind].empty()) {
    const std::uint64_t place = given_[kind].back();
    given_[kind].pop_back();
    return place;
  }
  const std::uint64_t place = used_, size = std::uint64_t{1} << kind;
  if (kind > 36 || size > whole - used_)
    throw halocline::Error("more than 64 GiB of messages wait to be received");
  used_ += size;
  return place;
}

void Commons::give(std::uint64_t place, std::size_t bytes) {
  const std::size_t kind = size_class(bytes);
  if (given_.size() <= kind) given_.resize(kind + 1);
  given_[kind].push_back(place);
}

}  // namespace substitute
