#include "shmem_links.hpp"

#include "exchange/core/trade.hpp"
#include "memory/cache_line.hpp"

#include <halocline/more/waiting.hpp>

#if HALOCLINE_HAVE_SHMEM
#include <shmem.h>
#endif

namespace halocline::detail {

namespace {

/// Numbers of the outgoing links' ends here, then numbers and slots of the incoming links'.
std::size_t total(std::size_t outgoing, const std::vector<std::size_t>& incoming,
                  std::size_t slots) {
  std::size_t bytes = outgoing * cache_line;
  for (const std::size_t message : incoming) bytes += cache_line + slots * whole_lines(message);
  return bytes;
}

}  // namespace

ShmemLinks::ShmemLinks(const Setup& setup, const std::vector<std::size_t>& outgoing,
                       const std::vector<std::size_t>& incoming, int slots)
    : slots_(static_cast<std::size_t>(slots)),
      memory_(setup.comm, total(outgoing.size(), incoming, slots_), setup.scheme.str()) {
  const int me = mpi::rank(world());
  std::byte* next = memory_.data();
  for (const std::size_t bytes : outgoing) {
    out_here_.push_back({me, next, bytes});
    next += cache_line;
  }
  for (const std::size_t bytes : incoming) {
    in_here_.push_back({me, next, bytes});
    next += cache_line + slots_ * whole_lines(bytes);
  }
  const auto traded = [&](const std::vector<int>& to, const std::vector<End>& mine,
                          const std::vector<int>& from) {
    std::vector<std::int64_t> offsets;
    for (const End& end : mine) offsets.push_back(end.place - memory_.data());
    const auto theirs = trade(setup.comm, to, offsets, from, 1);
    const std::vector<int> pes = mpi::translate(setup.comm, from, world());
    std::vector<End> there;
    for (std::size_t i = 0; i < from.size(); ++i)
      there.push_back({pes[i], memory_.data() + theirs[i], 0});
    return there;
  };
  const std::vector<int> targets = setup.targets(), sources = setup.sources();
  out_there_ = traded(sources, in_here_, targets);
  in_there_ = traded(targets, out_here_, sources);
  for (std::size_t i = 0; i < targets.size(); ++i) out_there_[i].bytes = outgoing[i];
}

std::byte* ShmemLinks::slot(const End& end, std::uint64_t message) const {
  return end.place + cache_line + message % slots_ * whole_lines(end.bytes);
}

const std::byte* ShmemLinks::message(std::size_t link, std::uint64_t number) const {
  return slot(in_here_[link], number);
}

#if HALOCLINE_HAVE_SHMEM

namespace {

/// A number of mine that others set.
std::uint64_t poll(unsigned long* mine, int me) {
  const unsigned long number = shmem_ulong_atomic_fetch(mine, me);
  // What was put before it is visible after a test that has succeeded.
  shmem_ulong_test(mine, SHMEM_CMP_GE, number);
  return number;
}

}  // namespace

void ShmemLinks::put(std::size_t link, std::uint64_t message, std::span<const std::byte> bytes) {
  const End& end = out_there_[link];
  shmem_putmem(slot(end, message), bytes.data(), bytes.size(), end.pe);
  shmem_fence();
  maybe_delay();
  shmem_ulong_atomic_set(number(end), message, end.pe);
}

std::uint64_t ShmemLinks::read_of(std::size_t link) const {
  return poll(number(out_here_[link]), out_here_[link].pe);
}

std::uint64_t ShmemLinks::newest_of(std::size_t link) const {
  return poll(number(in_here_[link]), in_here_[link].pe);
}

void ShmemLinks::notify_read(std::size_t link, std::uint64_t message) {
  shmem_ulong_atomic_set(number(in_there_[link]), message, in_there_[link].pe);
}

void ShmemLinks::write_words(std::size_t link, std::uint64_t message,
                             std::span<const std::uint64_t> words) {
  const End& end = out_there_[link];
  auto* there = reinterpret_cast<Number*>(slot(end, 0));
  for (std::size_t i = 1; i < words.size(); ++i)
    shmem_ulong_atomic_set(there + i, words[i], end.pe);
  shmem_fence();
  shmem_ulong_atomic_set(there, words[0], end.pe);
  shmem_fence();
  shmem_ulong_atomic_set(number(end), message, end.pe);
}

void ShmemLinks::read_words(std::size_t link, std::span<std::uint64_t> words) const {
  const End& end = in_here_[link];
  const auto* here = reinterpret_cast<const Number*>(slot(end, 0));
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = shmem_ulong_atomic_fetch(here + i, end.pe);
}

#else

// Never reached: there is no symmetric memory.
void ShmemLinks::put(std::size_t, std::uint64_t, std::span<const std::byte>) {}
std::uint64_t ShmemLinks::read_of(std::size_t) const {
  return 0;
}
std::uint64_t ShmemLinks::newest_of(std::size_t) const {
  return 0;
}
void ShmemLinks::notify_read(std::size_t, std::uint64_t) {}
void ShmemLinks::write_words(std::size_t, std::uint64_t, std::span<const std::uint64_t>) {}
void ShmemLinks::read_words(std::size_t, std::span<std::uint64_t>) const {}

#endif

}  // namespace halocline::detail
