#include "halo.hpp"

#include <machine/lap.hpp>

#include <halocline/more/mpi.hpp>

#include <algorithm>

namespace md {

using namespace halocline;

namespace {

/// Where particle `i` is in a field of its positions or forces.
std::ptrdiff_t element(const Addressing& words, std::size_t i) {
  return static_cast<std::ptrdiff_t>(words.layout == Layout::cluster ? i / 8 * 24 + i % 8 : i);
}

/// So many particles from the `i`-th on are elements in a row.
std::size_t in_a_row(const Addressing& words, std::size_t i, std::size_t count) {
  return words.layout == Layout::cluster ? std::min(count, 8 - i % 8) : count;
}

Block block(const Addressing& words, std::size_t first, std::size_t count) {
  return {.offset = element(words, first), .count = {1, 1, count}};
}

/// Those of a part, which stand together: the list is sorted by parts. Clang 14 has no
/// std::ranges::equal_range.
std::span<const Copies> of_part(const std::vector<Copies>& all, int part) {
  return {std::ranges::lower_bound(all, part, {}, &Copies::part),
          std::ranges::upper_bound(all, part, {}, &Copies::part)};
}

/// Calls `act(first, count)` for each run of consecutive numbers.
template <class Act>
void for_runs(const std::vector<int>& numbers, Act&& act) {
  for (std::size_t i = 0, length; i < numbers.size(); i += length) {
    length = 1;
    while (i + length < numbers.size() && numbers[i + length] == numbers[i + length - 1] + 1)
      ++length;
    act(static_cast<std::size_t>(numbers[i]), length);
  }
}

/// Calls `act(first, count)` for each part that is elements in a row.
template <class Act>
void for_rows(const Addressing& words, std::size_t first, std::size_t count, Act&& act) {
  for (std::size_t length; count > 0; first += length, count -= length) {
    length = in_a_row(words, first, count);
    act(first, length);
  }
}

/// The three components as an exchange sees them: a field of particles, or three of numbers.
template <class Word>
std::vector<Field> fields(const Addressing& words, std::span<Word> data, Number number) {
  if (words.layout == Layout::aos)
    return {{data.data(), 4 * sizeof(Word), words.capacity, {}, number}};
  std::vector<Field> all;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t first = words(0, axis);
    all.push_back({data.data() + first, sizeof(Word), words.all() - first, {}, number});
  }
  return all;
}

}  // namespace

Halo::Halo(MPI_Comm comm, const Decomposition& decomposition, Shell shell, double reach,
           const HaloSchemes& schemes)
    : comm_(comm),
      me_(mpi::rank(comm)),
      shell_(shell),
      schemes_(schemes),
      around_(decomposition, me_, shell, reach) {
  choice_.emplace(comm, around_.targets, around_.sources, sizeof(Copy), 1024, schemes.choice);
}

void Halo::choose(Particles& particles, bool exact, bool kept) {
  around_.select(particles);
  const auto write = [&](std::span<Copy> to, const Copies& copies, std::int64_t image) {
    for (std::size_t i = 0; i < copies.chosen.size(); ++i) {
      Vector position = particles.position(static_cast<std::size_t>(copies.chosen[i]));
      for (std::size_t axis = 0; axis < 3; ++axis) position[axis] += copies.away[axis];
      to[i] = {image, position};
    }
  };
  for (std::size_t link = 0; link < around_.targets.size(); ++link) {
    const std::span<const Copies> given = of_part(around_.given, around_.targets[link]);
    std::size_t count = 0;
    for (const Copies& copies : given) count += copies.chosen.size();
    std::span<Copy> room = choice_->outgoing<Copy>(link, count);
    std::int64_t image = 0;
    for (const Copies& copies : given) {
      write(room, copies, image++);
      room = room.subspan(copies.chosen.size());
    }
  }
  choice_->run();

  // Those that come from a rank stay together, and so do my own images.
  std::vector<Copy> own;
  {
    std::int64_t image = 0;
    for (const Copies& copies : of_part(around_.given, me_)) {
      own.resize(own.size() + copies.chosen.size());
      write(std::span(own).last(copies.chosen.size()), copies, image++);
    }
  }
  const auto coming = [&](int part) -> std::span<const Copy> {
    if (part == me_) return own;
    const auto link = std::ranges::lower_bound(around_.sources, part) - around_.sources.begin();
    return choice_->received<Copy>(static_cast<std::size_t>(link));
  };
  std::size_t count = own.size();
  for (std::size_t link = 0; link < around_.sources.size(); ++link)
    count += choice_->received<Copy>(link).size();
  particles.set_ghosts(count);

  std::size_t ghost = 0;
  for (std::size_t k = 0; k < around_.kept.size();) {
    const int part = around_.kept[k].part;
    const std::span<const Copy> copies = coming(part);
    std::size_t at = 0;
    for (std::int64_t image = 0; k < around_.kept.size() && around_.kept[k].part == part;
         ++k, ++image) {
      Copies& kept = around_.kept[k];
      kept.first = ghost;
      for (; at < copies.size() && copies[at].image == image; ++at, ++ghost) {
        for (std::size_t axis = 0; axis < 3; ++axis)
          particles.position(particles.owned() + ghost, axis) = copies[at].position[axis];
        particles.zone(ghost) = kept.zone;
      }
      kept.count = ghost - kept.first;
    }
  }
  if (kept || shell_ != Shell::full) bind(particles, exact, kept);
}

Pattern Halo::pattern(const Particles& particles) const {
  const Addressing& words = particles.words();
  Pattern pattern;
  for (const int peer : around_.targets) pattern.send_nothing(peer);
  for (const int peer : around_.sources) pattern.receive_nothing(peer);
  for (const Copies& copies : around_.given) {
    if (copies.part == me_) continue;
    for_runs(copies.chosen, [&](std::size_t first, std::size_t count) {
      for_rows(words, first, count, [&](std::size_t at, std::size_t length) {
        pattern.send(copies.part, block(words, at, length));
      });
    });
  }
  for (const Copies& copies : around_.kept)
    if (copies.part != me_)
      for_rows(words, particles.owned() + copies.first, copies.count,
               [&](std::size_t at, std::size_t length) {
                 pattern.receive(copies.part, block(words, at, length));
               });

  const std::span<const Copies> own = of_part(around_.kept, me_);
  std::size_t to = own.empty() ? 0 : particles.owned() + own.front().first;
  for (const Copies& copies : of_part(around_.given, me_))
    for_runs(copies.chosen, [&](std::size_t from, std::size_t count) {
      for (std::size_t length; count > 0; from += length, to += length, count -= length) {
        length = in_a_row(words, to, in_a_row(words, from, count));
        pattern.copy(block(words, from, length), block(words, to, length));
      }
    });
  return pattern;
}

void Halo::bind(Particles& particles, bool exact, bool kept) {
  Pattern now = pattern(particles);
  const auto positions = fields(particles.words(), particles.positions(), Number::float64);
  const auto forces =
      fields(particles.words(), particles.forces(), exact ? Number::int64 : Number::float64);
  if (positions_ || forces_) {
    if (forces_) forces_->change(now.reversed(), forces);
    if (positions_) positions_->change(std::move(now), positions);
    return;
  }
  // Links are expected to carry no more than half as much again as the largest does now.
  std::size_t capacity = 0;
  for (const Link& link : now.sends()) capacity = std::max(capacity, link.size());
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &capacity, 1, MPI_UINT64_T, MPI_MAX, comm_);
  capacity += capacity / 2 + 16;
  if (kept)
    positions_.emplace(comm_, now, positions, schemes_.positions,
                       ExchangeOptions{.changes = true, .capacity = capacity});
  if (shell_ != Shell::full)
    forces_.emplace(
        comm_, now.reversed(), forces, schemes_.forces,
        ExchangeOptions{.combine = Combine::sum, .changes = true, .capacity = capacity});
  std::vector<Exchange*> choosing;
  if (positions_ && machine::chooses_in_laps(schemes_.positions)) choosing.push_back(&*positions_);
  if (forces_ && machine::chooses_in_laps(schemes_.forces)) choosing.push_back(&*forces_);
  if (!choosing.empty()) section_.emplace(comm_, choosing);
}

std::string Halo::scheme() const {
  return machine::scheme_of(section_, positions_ ? positions_->scheme() : choice_->scheme());
}

void Halo::start() {
  positions_->start();
}

void Halo::finish(Particles& particles) {
  positions_->finish();
  for (const Copies& copies : around_.kept)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (copies.away[axis] == 0) continue;
      const std::size_t first = particles.owned() + copies.first;
      for (std::size_t i = first; i < first + copies.count; ++i)
        particles.position(i, axis) += copies.away[axis];
    }
}

void Halo::send_back() {
  forces_->run();
}

}  // namespace md
