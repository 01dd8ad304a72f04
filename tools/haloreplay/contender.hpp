#pragma once
// One way to carry out a pattern's exchange: the program's own, another one of plain MPI, or one of
// Halocline's schemes.

#include "area.hpp"
#include "computing.hpp"

#include <halocline/more/mpi.hpp>
#include <halocline/scheme.hpp>

#include <memory>
#include <string>
#include <vector>

namespace haloreplay {

/// A step on this rank as an exchange sees it: when it may compute, and what it tells of arrivals.
class Step {
 public:
  Step(std::size_t number, const Computing& computing) : number_(number), computing_(computing) {}

  std::size_t number() const noexcept { return number_; }
  /// The computing that the program does at this place during the exchange, or all of it.
  void compute(std::size_t turn);
  void compute_all();
  /// Reads a message that has arrived while others are under way.
  void arrived(Area& area, std::size_t message);
  /// Seconds in these calls.
  double aside() const noexcept { return aside_; }

 private:
  std::size_t number_;
  const Computing& computing_;
  double aside_ = 0;
};

class Contender {
 public:
  virtual ~Contender() = default;

  /// Writes all that is sent in a step, as computing does.
  virtual void write(std::size_t step) = 0;
  virtual void exchange(Step& step) = 0;
  /// Reads all that has arrived and has not been read yet.
  virtual void read(std::size_t step) = 0;

  // To check it.

  virtual void fill(std::uint64_t set, std::size_t step) = 0;
  virtual std::string fault(std::uint64_t set, std::size_t step) const = 0;
};

/// One that works on an area.
class AreaContender : public Contender {
 public:
  explicit AreaContender(std::shared_ptr<Area> area) : area_(std::move(area)) {}
  void write(std::size_t step) override { area_->write(step); }
  void read(std::size_t step) override { area_->read_rest(step); }
  void fill(std::uint64_t set, std::size_t) override { area_->fill(set); }
  std::string fault(std::uint64_t set, std::size_t step) const override {
    return area_->fault(set, step);
  }

 protected:
  Area& area() const noexcept { return *area_; }
  const Traffic& traffic() const noexcept { return area_->traffic(); }

 private:
  std::shared_ptr<Area> area_;
};

/// The ranks that have to do with each other, on a communicator of their own.
struct Group {
  halocline::mpi::Comm comm;
  std::vector<int> here;  ///< for each rank of the world, its rank in `comm`; -1: not there

  int operator[](int rank) const { return here[static_cast<std::size_t>(rank)]; }
};

/// What a contender is made of; all of it outlives it.
struct Ground {
  const PlannedPattern& pattern;
  const Traffic& traffic;
  const Group& group;
  int me;                       ///< in the world
  std::shared_ptr<Area> plain;  ///< of all that want plain memory
};

// All of these are collective over the group, and throw Error where they cannot be made: the same
// on all ranks, or on those where something is wrong.

std::unique_ptr<Contender> make_contender(const Ground& ground, const std::string& name);

/// The program's own messages, or those that plain MPI would rather have: "nonblocking", "waitany",
/// "persistent".
std::unique_ptr<Contender> make_present_messages(const Ground& ground);
std::unique_ptr<Contender> make_messages(const Ground& ground, How how, bool persistent);
std::unique_ptr<Contender> make_neighbor(const Ground& ground, PlannedPattern::Calls calls);
std::unique_ptr<Contender> make_alltoall(const Ground& ground, PlannedPattern::Calls calls);
std::unique_ptr<Contender> make_one_sided(const Ground& ground);
std::unique_ptr<Contender> make_scheme(const Ground& ground, const halocline::Scheme& scheme);

/// Throws Error, which says that the area's node has no room, before it is allocated. Collective
/// over the group.
std::shared_ptr<Area> make_area(const Ground& ground, halocline::MemoryKind kind,
                                const halocline::IslandSpec& islands = {});

}  // namespace haloreplay
