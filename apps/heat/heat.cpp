#include "heat.hpp"

#include <base/text.hpp>
#include <frame/checksum.hpp>
#include <frame/image.hpp>
#include <frame/in_laps.hpp>
#include <machine/lap.hpp>
#include <machine/memory.hpp>
#include <machine/stopwatch.hpp>
#include <numerics/point_checksum.hpp>

#include <algorithm>

namespace heat {

using namespace halocline;

std::string Heat::usage() const {
  return "Usage: heat [options]\n\n"
         "How a hot plate cools down, by explicit steps in time.\n\n"
         "Example: mpiexec -n 2 heat --points 200 --steps 500 --scheme auto\n";
}

void Heat::declare(frame::CommandLine& line) {
  line.section("Problem");
  line.option("--points N", "points a side (100)",
              [this](const frame::Value& value) { plate_.points = value.integer(1, 100'000); });
  line.option("--steps N", "steps in time (1000)",
              [this](const frame::Value& value) { steps_ = value.integer(0, 1'000'000'000); });
  line.section(frame::results);
  line.output(
      "--image F.png", "write a picture of the plate",
      [this](const std::string& file) { write_image(file); }, frame::check_image);
}

void Heat::settle(const frame::Options& options) {
  scheme_ = options.scheme;
  if (options.progress) progress_ = frame::progress_line(name, "step", "");
}

void Heat::set_up() {
  grid_.emplace(world(), cells(), halo);
  if (!grid_->idle()) rows_ = grid_->owned(0), columns_ = grid_->owned(1);
  machine::check_memory(world(), 2.0 * sizeof(double) * static_cast<double>(grid_->elements()),
                        name);
  now_ = std::make_unique<State>(*grid_, scheme_);
  next_ = std::make_unique<State>(*grid_, scheme_);
  if (machine::chooses_in_laps(scheme_))
    section_.emplace(world(), std::initializer_list{&now_->exchange, &next_->exchange});
}

frame::Repetition Heat::solve() {
  // What lies beyond the plate is never written again: it stays at 0.
  for (State* const state : {now_.get(), next_.get()}) std::ranges::fill(state->points, 0.0);
  for_each([&](auto i, auto j, auto at) { now_->points[at] = plate_.start(i, j); });

  frame::Repetition mine;
  const auto begin = machine::Clock::now();
  for (std::int64_t k = 1; k <= steps_; ++k) {
    const auto before = machine::Clock::now();
    {
      const machine::Lap lap(section_);
      now_->exchange.run();
      const machine::ComputingStopwatch computing(mine.phases.compute, "step");
      const std::size_t first = place(rows_.begin, columns_.begin);
      heat::step(now_->points.data() + first, next_->points.data() + first, rows_.size(),
                 columns_.size(), grid_->local(1));
    }
    std::swap(now_, next_);
    mine.steps.push_back(machine::seconds_since(before));
    if (progress_) progress_(k, std::nullopt);
  }
  mine.seconds = seconds_ = machine::seconds_since(begin);
  mine.phases.wait = mine.seconds - mine.phases.compute;
  return mine;
}

std::string Heat::text() {
  hottest_ = 0;
  for_each([&](auto, auto, auto at) { hottest_ = std::max(hottest_, now_->points[at]); });
  double most[] = {seconds_, hottest_};
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, world());
  hottest_ = most[1];
  std::string text;
  base::append(text, "Calculation time:       %f s\n", most[0]);
  base::append(text, "Hottest point:          %.6e\n", hottest_);
  return text;
}

void Heat::describe(frame::Record& record) {
  std::uint64_t sum = 0;
  for_each([&](auto i, auto j, auto at) {
    sum += numerics::point_checksum(i * plate_.points + j, now_->points[at]);
  });
  record.parameters = {{"points", plate_.points}, {"steps", steps_}};
  record.running = frame::in_laps(machine::findings(section_));
  record.outcome = {
      {"iterations", steps_}, {"hottest", hottest_}, {"checksum", frame::checksum(world(), sum)}};
}

template <class Act>
void Heat::for_each(Act&& act) const {
  for (std::int64_t i = rows_.begin; i < rows_.end; ++i)
    for (std::int64_t j = columns_.begin; j < columns_.end; ++j) act(i, j, place(i, j));
}

std::size_t Heat::place(std::int64_t i, std::int64_t j) const {
  // The halo is one point wide.
  return static_cast<std::size_t>((i - rows_.begin + 1) * grid_->local(1) + j - columns_.begin + 1);
}

void Heat::write_image(const std::string& file) const {
  frame::write_image(
      world(), file, plate_.points, plate_.points,
      [&](std::int64_t i, std::int64_t j) -> std::optional<double> {
        if (i < rows_.begin || i >= rows_.end || j < columns_.begin || j >= columns_.end)
          return std::nullopt;
        return now_->points[place(i, j)];
      });
}

}  // namespace heat
