// hangs_while_measured FILE [hang]: auto with a file of choices; with `hang`, a candidate of which
// a rank never comes back.

#include "tuner/remembering.hpp"

#include <halocline/halocline.hpp>
#include <halocline/more/mpi.hpp>
#include <halocline/more/tuner.hpp>
#include <halocline/more/waiting.hpp>

#include <cstdio>
#include <optional>
#include <string>

using namespace halocline;

namespace {

class Hanging final : public detail::Method {
 public:
  using Method::Method;
  void start() override {}
  void finish() override {
    wait_until(what(), [] { return false; });
  }
};

}  // namespace

int main(int argc, char** argv) {
  return guarded_main(argc, argv, "hangs_while_measured", [](int count, char** words) {
    if (count < 2) throw Error("usage: hangs_while_measured FILE [hang]");
    Tuning::current().file = words[1];
    Tuning::current().remark = &print_remark;
    const Grid grid(world(), {30, 30});
    const Array<double> array(grid, "auto");
    if (count == 2) {
      std::printf("chosen %s\n", Exchange(grid.halo(), array, "auto").scheme().str().c_str());
      return EXIT_SUCCESS;
    }
    Patience::current().timeout = std::chrono::seconds(2);
    const detail::Setup setup{mpi::Comm::duplicate(world()), grid.halo(), {array}, "auto", true};
    const auto make = [](detail::Setup wanted) -> std::unique_ptr<detail::Method> {
      if (wanted.scheme.str() != "shm:signal") return detail::make_method(std::move(wanted));
      return std::make_unique<Hanging>(std::move(wanted));
    };
    const detail::Situation here = detail::situation(setup);
    std::optional<detail::Remembering> adviser;
    if (mpi::rank(world()) == 0) adviser.emplace("auto", here);
    detail::Tournament tournament(
        setup, 1, adviser ? adviser->announce() : detail::Tournament::Announce(), make);
    for (const char* scheme : {"p2p:nonblocking", "shm:signal"}) tournament.enter(scheme);
    std::puts("went on without the candidate that hangs");
    return EXIT_SUCCESS;
  });
}
