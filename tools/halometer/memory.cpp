// memory: what memory and caches give to loops that hardly compute, by threads of each rank.

#include "kind.hpp"

#include <halocline/range.hpp>

#include <machine/memory.hpp>
#include <machine/stream.hpp>

#include <algorithm>

namespace halometer {

namespace {

class Pass final : public Work {
 public:
  Pass(std::size_t elements, int threads, void (machine::StreamArrays::*pass)())
      : arrays_(checked(elements), threads), pass_(pass) {}
  void step() override { (arrays_.*pass_)(); }

 private:
  static std::size_t checked(std::size_t elements) {
    machine::check_memory(halocline::world(), 3.0 * sizeof(double) * static_cast<double>(elements),
                          "halometer");
    return elements;
  }

  machine::StreamArrays arrays_;
  void (machine::StreamArrays::*pass_)();
};

class Streams final : public Kind {
 public:
  std::string name() const override { return "memory"; }
  std::string summary() const override { return "STREAM's copy and triad, by threads"; }

  void declare(frame::Arguments& app) override {
    add_sizes(app, "--sizes", sizes_, "bytes of each of the three arrays of a rank");
    app.option("--threads", threads_, "OpenMP threads of each rank")
        .with_commas()
        .range(1, 1024)
        .shows_default();
  }
  int threads() const override { return *std::max_element(threads_.begin(), threads_.end()); }

  std::vector<Group> groups(MPI_Comm, const std::string& patterns) override {
    std::vector<Group> groups;
    for (const std::size_t bytes : sizes_)
      for (const int threads : threads_) {
        const std::size_t elements = std::max<std::size_t>(1, bytes / sizeof(double));
        Group group{.title = "memory, arrays of " + shown_bytes(bytes) + ", " +
                             std::to_string(threads) + (threads == 1 ? " thread" : " threads") +
                             " of each rank"};
        for (const std::string& name : chosen(patterns, {"copy", "triad"})) {
          const bool copy = name == "copy";
          group.contenders.push_back({.scheme = name,
                                      .parameters = {{"size", bytes}, {"threads", threads}},
                                      .bytes = (copy ? 16.0 : 24.0) * static_cast<double>(elements),
                                      .make = [=]() -> std::unique_ptr<Work> {
                                        return std::make_unique<Pass>(
                                            elements, threads,
                                            copy ? &machine::StreamArrays::copy
                                                 : &machine::StreamArrays::triad);
                                      }});
        }
        groups.push_back(std::move(group));
      }
    return groups;
  }

 private:
  std::vector<std::size_t> sizes_{1 << 27};
  std::vector<int> threads_{1};
};

}  // namespace

std::unique_ptr<Kind> memory() {
  return std::make_unique<Streams>();
}

}  // namespace halometer
