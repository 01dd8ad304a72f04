// bandwidth: windows of many messages from rank 0 to rank 1, all under way at once.

#include "exchange_work.hpp"

#include <halocline/error.hpp>
#include "kind.hpp"

namespace halometer {

using namespace halocline;

namespace {

Pattern one_way(MPI_Comm comm, std::size_t bytes) {
  Pattern pattern;
  const int rank = mpi::rank(comm);
  if (rank == 0) pattern.send(1, {.offset = 0, .count = {1, 1, bytes}});
  if (rank == 1) pattern.receive(0, {.offset = 0, .count = {1, 1, bytes}});
  return pattern;
}

class Bandwidth final : public Kind {
 public:
  std::string name() const override { return "bandwidth"; }
  std::string summary() const override { return "many messages at once from one rank to another"; }

  void declare(frame::Arguments& app) override {
    add_sizes(app, "--sizes", sizes_, "bytes of a message");
    app.option("--window", window_, "messages (exchanges) started before the first is finished")
        .range(1, 256)
        .shows_default();
    add_unchanged(app, fresh_);
  }

  std::vector<Group> groups(MPI_Comm comm, const std::string& patterns) override {
    if (mpi::size(comm) < 2) throw Error("bandwidth needs 2 ranks");
    const std::vector<Scheme> schemes = chosen_schemes(patterns);
    std::vector<Group> groups;
    for (const std::size_t bytes : sizes_) {
      Group group{.title = "bandwidth, " + std::to_string(window_) + " messages of " +
                           shown_bytes(bytes)};
      for (const Scheme& scheme : schemes)
        group.contenders.push_back(
            {.scheme = scheme.str(),
             .parameters = {{"size", bytes}, {"window", window_}, {"unchanged", !fresh_}},
             .bytes = static_cast<double>(bytes) * window_,
             .make = [=, window = window_, fresh = fresh_]() -> std::unique_ptr<Work> {
               return std::make_unique<ExchangeWork>(
                   comm, one_way(comm, bytes), bytes, scheme,
                   ExchangeWork::Options{.fresh = fresh, .at_a_time = window, .element_bytes = 1});
             }});
      groups.push_back(std::move(group));
    }
    return groups;
  }

 private:
  std::vector<std::size_t> sizes_{8, 512, 4096, 32768, 1 << 18, 1 << 21};
  int window_ = 8;
  bool fresh_ = true;
};

}  // namespace

std::unique_ptr<Kind> bandwidth() {
  return std::make_unique<Bandwidth>();
}

}  // namespace halometer
