#include "shared_file.hpp"

#include <base/lock_file.hpp>
#include <base/whole_file.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace frame {

using namespace halocline;

namespace {

constexpr std::int64_t block_bytes = 1 << 20;

[[noreturn]] void fail_for_the_systems_reason() {
  throw Error(std::strerror(errno));
}

/// Words that hold so many bytes.
std::int64_t words_for(std::int64_t bytes) {
  constexpr std::int64_t word = sizeof(std::uint64_t);
  return (bytes + word - 1) / word;
}

}  // namespace

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::string placed(MPI_Comm comm, std::string complaint) {
  if (!mpi::all_of(comm, !complaint.empty()) && !complaint.empty())
    complaint +=
        " (on rank " + std::to_string(mpi::rank(comm)) + ", host " + base::own_host() + ")";
  return complaint;
}

// ---- one rank's hand on a file -----------------------------------------------------------------

Descriptor::Descriptor(const std::string& file, int flags) {
  do file_ = ::open(file.c_str(), flags | O_CLOEXEC | O_NOCTTY);
  while (file_ < 0 && errno == EINTR);
  if (file_ < 0) fail_for_the_systems_reason();
}

Descriptor::~Descriptor() {
  if (file_ >= 0) ::close(file_);
}

std::int64_t Descriptor::bytes() const {
  struct stat facts {};
  if (fstat(file_, &facts) != 0) fail_for_the_systems_reason();
  if (S_ISDIR(facts.st_mode)) throw Error("is a folder");
  return facts.st_size;
}

void Descriptor::read(std::int64_t place, void* data, std::int64_t bytes) const {
  for (auto* to = static_cast<char*>(data); bytes > 0;) {
    const ssize_t now = ::pread(file_, to, static_cast<std::size_t>(bytes), place);
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) fail_for_the_systems_reason();
    if (now == 0) throw Error("ends too early");
    to += now, place += now, bytes -= now;
  }
}

void Descriptor::write(std::int64_t place, const void* data, std::int64_t bytes) const {
  for (const auto* from = static_cast<const char*>(data); bytes > 0;) {
    const ssize_t now = ::pwrite(file_, from, static_cast<std::size_t>(bytes), place);
    if (now < 0 && errno == EINTR) continue;
    if (now == 0) errno = ENOSPC;
    if (now <= 0) fail_for_the_systems_reason();
    from += now, place += now, bytes -= now;
  }
}

void Descriptor::finish() {
  if (fsync(file_) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS)
    fail_for_the_systems_reason();
  if (::close(std::exchange(file_, -1)) != 0 && errno != EINTR) fail_for_the_systems_reason();
}

// ---- all of them -------------------------------------------------------------------------------

SharedFile::SharedFile(MPI_Comm comm, const std::string& name)
    : comm_(comm), waiting_(static_cast<std::size_t>(mpi::size(comm))) {
  each(comm, [&] {
    try {
      file_ = std::make_unique<Descriptor>(name, O_WRONLY);
    } catch (const Error& problem) {
      if (std::string_view(problem.what()) != std::strerror(ENOENT)) throw;
      throw Error(
          "its folder is not the one of rank 0; all ranks write it, so they need one that "
          "they share");
    }
  });
}

/// Far blocks have other owners, whatever the distance: so no rank has much more than others, of
/// whichever pieces the ranks write at the same time.
std::size_t SharedFile::owner_of(std::int64_t place) const {
  auto mixed = static_cast<std::uint64_t>(place / block_bytes) + 0x9e3779b97f4a7c15;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return (mixed ^ (mixed >> 31)) % waiting_.size();
}

void SharedFile::put(std::int64_t place, const void* data, std::int64_t bytes) {
  const auto* from = static_cast<const char*>(data);
  const std::int64_t end = place + bytes;
  const std::int64_t first = std::min(end, (place + block_bytes - 1) / block_bytes * block_bytes),
                     last = std::max(first, end / block_bytes * block_bytes);
  wait(place, from, first - place);
  try {
    if (last > first && problem_.empty()) file_->write(first, from + (first - place), last - first);
  } catch (const Error& problem) {
    problem_ = problem.what();
  }
  wait(last, from + (last - place), end - last);
}

void SharedFile::wait(std::int64_t place, const char* data, std::int64_t bytes) {
  if (bytes == 0) return;
  std::vector<std::uint64_t>& words = waiting_[owner_of(place)];
  words.push_back(static_cast<std::uint64_t>(place));
  words.push_back(static_cast<std::uint64_t>(bytes));
  words.resize(words.size() + static_cast<std::size_t>(words_for(bytes)));
  std::memcpy(words.data() + words.size() - words_for(bytes), data,
              static_cast<std::size_t>(bytes));
}

void SharedFile::deal() {
  std::vector<int> sends, receives(waiting_.size()), from(waiting_.size()), to(waiting_.size());
  std::vector<std::uint64_t> outgoing;
  for (std::vector<std::uint64_t>& words : waiting_) {
    sends.push_back(static_cast<int>(words.size()));
    outgoing.insert(outgoing.end(), words.begin(), words.end());
    words = {};
  }
  HALOCLINE_MPI(MPI_Alltoall, sends.data(), 1, MPI_INT, receives.data(), 1, MPI_INT, comm_);
  std::exclusive_scan(sends.begin(), sends.end(), from.begin(), 0);
  std::exclusive_scan(receives.begin(), receives.end(), to.begin(), 0);
  std::vector<std::uint64_t> incoming(static_cast<std::size_t>(to.back() + receives.back()));
  HALOCLINE_MPI(MPI_Alltoallv, outgoing.data(), sends.data(), from.data(), MPI_UINT64_T,
                incoming.data(), receives.data(), to.data(), MPI_UINT64_T, comm_);
  each(comm_, [&] {
    if (!problem_.empty()) throw Error(problem_);
    write_received(incoming);
  });
}

/// Pieces that follow each other in one go.
void SharedFile::write_received(const std::vector<std::uint64_t>& words) {
  std::vector<std::pair<std::int64_t, std::span<const char>>> pieces;
  for (std::size_t at = 0; at < words.size();) {
    const auto bytes = static_cast<std::int64_t>(words[at + 1]);
    pieces.push_back(
        {static_cast<std::int64_t>(words[at]),
         {reinterpret_cast<const char*>(words.data() + at + 2), static_cast<std::size_t>(bytes)}});
    at += 2 + static_cast<std::size_t>(words_for(bytes));
  }
  std::ranges::sort(pieces, {}, [](const auto& piece) { return piece.first; });
  std::string run;
  for (std::size_t i = 0; i < pieces.size();) {
    const std::int64_t place = pieces[i].first;
    run.clear();
    while (i < pieces.size() && pieces[i].first == place + std::ssize(run)) {
      run.append(pieces[i].second.data(), pieces[i].second.size());
      ++i;
    }
    file_->write(place, run.data(), std::ssize(run));
  }
}

void SharedFile::finish() {
  deal();
  each(comm_, [&] { file_->finish(); });
}

namespace {

/// `act` with a new file beside the one that it may replace; on rank 0 that is in `whole`.
void in_new_file(MPI_Comm comm, const std::string& option, const std::string& file,
                 std::optional<base::WholeFile>& whole,
                 const std::function<void(SharedFile&)>& act) {
  mpi::together(comm, [&] {
    if (mpi::rank(comm) == 0) whole.emplace(option, file, base::Writing::shared);
  });
  try {
    SharedFile shared(comm, mpi::from_root(comm, whole ? whole->name() : ""));
    act(shared);
    shared.finish();
  } catch (const Error& problem) {  // on all ranks
    throw Error(option + " " + file + ": " + one_line(problem.what()));
  }
}

}  // namespace

void replace_file(MPI_Comm comm, const std::string& option, const std::string& file,
                  const std::function<void(SharedFile&)>& write) {
  std::optional<base::WholeFile> whole;
  in_new_file(comm, option, file, whole, write);
  mpi::together(comm, [&] {
    if (whole) whole->finish();
  });
}

void check_shared(MPI_Comm comm, const std::string& option, const std::string& file) {
  std::optional<base::WholeFile> whole;
  in_new_file(comm, option, file, whole, [](SharedFile&) {});
}

}  // namespace frame
