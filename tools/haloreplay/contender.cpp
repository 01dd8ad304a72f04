#include "contender.hpp"

#include <halocline/more/global_clock.hpp>
#include <machine/memory.hpp>

namespace haloreplay {

using namespace halocline;

void Step::compute(std::size_t turn) {
  const double begin = steady_seconds();
  if (turn < computing_.turns()) computing_.between(turn);
  aside_ += steady_seconds() - begin;
}

void Step::compute_all() {
  for (std::size_t turn = 0; turn < computing_.turns(); ++turn) compute(turn);
}

void Step::arrived(Area& area, std::size_t message) {
  const double begin = steady_seconds();
  area.read(message, number_);
  aside_ += steady_seconds() - begin;
}

std::shared_ptr<Area> make_area(const Ground& ground, MemoryKind kind, const IslandSpec& islands) {
  const std::size_t bytes = ground.traffic.memory[static_cast<std::size_t>(ground.me)];
  machine::check_memory(ground.group.comm, static_cast<double>(bytes), "haloreplay");
  return std::make_shared<Area>(ground.traffic, ground.me,
                                Memory(ground.group.comm, bytes, kind, islands));
}

std::unique_ptr<Contender> make_contender(const Ground& ground, const std::string& name) {
  const auto messages_of_one_size = [&] {
    if (ground.traffic.varies())
      throw Error(name + ": bytes vary from step to step, which it cannot");
  };
  if (name == present) {
    switch (ground.pattern.family) {
      case Family::neighbor: return make_neighbor(ground, ground.pattern.calls);
      case Family::alltoall: return make_alltoall(ground, ground.pattern.calls);
      case Family::fence:
      case Family::pscw:
      case Family::lock: return make_one_sided(ground);
      default: return make_present_messages(ground);
    }
  }
  if (name == "mpi:nonblocking") return make_messages(ground, How::waitall, false);
  if (name == "mpi:waitany") return make_messages(ground, How::waitany, false);
  if (name.starts_with("mpi:")) messages_of_one_size();
  if (name == "mpi:persistent") return make_messages(ground, How::waitall, true);
  if (name == "mpi:neighbor") return make_neighbor(ground, PlannedPattern::blocking);
  if (name == "mpi:neighbor:persistent") return make_neighbor(ground, PlannedPattern::persistent);
  return make_scheme(ground, Scheme(name));
}

}  // namespace haloreplay
