// hangs_in_a_lap FILE [favourite]: auto in a program's own steps, with a file of choices; a method
// of the program's own never comes back from its first step. `favourite`: an earlier run has chosen
// it, and nothing speaks against it.

#include "tuner/choices.hpp"

#include <halocline/halocline.hpp>
#include <halocline/more/method.hpp>
#include <halocline/more/mpi.hpp>
#include <halocline/more/section.hpp>
#include <halocline/more/tuner.hpp>
#include <halocline/more/waiting.hpp>

#include <cstdio>
#include <thread>

using namespace halocline;

namespace {

class Hanging final : public methods::Method {
 public:
  using Method::Method;
  void start() override {}
  void finish() override {
    wait_until(what(), [] { return false; });
  }
};

}  // namespace

int main(int argc, char** argv) {
  register_method({.name = "mine:hangs",
                   .summary = "never comes back",
                   .options = {},
                   .make = methods::make<Hanging>,
                   .refusals = {},
                   .trusted = true});
  return guarded_main(argc, argv, "hangs_in_a_lap", [](int count, char** words) {
    if (count < 2) throw Error("usage: hangs_in_a_lap FILE [favourite]");
    Tuning::current().file = words[1];
    if (count > 2 && mpi::rank(world()) == 0)
      detail::Choices(words[1]).edit([](detail::Json& content) {
        for (detail::Json& entry : content.at("choices")) entry["scheme"] = "mine:hangs";
        content.erase("unfinished");
      });
    Tuning::current().remark = &print_remark;
    Patience::current().timeout = std::chrono::seconds(2);
    const Grid grid(world(), {30, 30});
    const Array<double> array(grid, "auto");
    Exchange exchange(grid.halo(), array, "auto+when=running");
    Section section(world(), {&exchange});
    const auto left_out = [&] {
      for (const Section::Chosen& one : section.findings().chosen)
        for (const Section::Tried& other : one.tried)
          if (other.what == "mine:hangs") return !other.why.empty();
      return false;
    };
    for (int lap = 0; lap < 100'000 && !(lap % 100 == 99 && left_out()); ++lap) {
      const Section::Lap one = section.lap();
      exchange.run();
      std::this_thread::sleep_for(std::chrono::microseconds(50));  // that pay for what is set up
    }
    if (mpi::rank(world()) == 0) std::printf("%s", section.report().c_str());
    return EXIT_SUCCESS;
  });
}
