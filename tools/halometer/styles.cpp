// styles: how much of an exchange a sweep hides, by style. Ranks 0 and 1 send each other a message,
// and the threads of each rank have a computation of a set length, in units that they share:
//   hidden = (exchange alone + sweep alone - both in one step) / the shorter of the two
// which is 1 where the shorter one costs nothing more, and 0 where both take their time.

#include "busy.hpp"
#include "kind.hpp"
#include "measure.hpp"

#include <halocline/error.hpp>
#include <halocline/more/style.hpp>

#include <algorithm>
#include <map>

namespace halometer {

using namespace halocline;

namespace {

constexpr const char* sweep_alone = "sweep";
constexpr std::int64_t units = 64;

/// The sweep alone.
class Swept final : public Work {
 public:
  Swept(MPI_Comm comm, double seconds, int threads) : busy_(comm, seconds), threads_(threads) {}
  void step() override {
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (std::int64_t unit = 0; unit < units; ++unit) busy_.run();
  }

 private:
  Busy busy_;
  int threads_;
};

/// The exchange in a style, with or without the sweep.
class Styled final : public Work {
 public:
  Styled(MPI_Comm comm, std::size_t bytes, const Scheme& scheme, const Style& style, int threads,
         double seconds, bool sweeps)
      : busy_(comm, seconds),
        bytes_(bytes),
        data_(comm, 2 * bytes, scheme),
        exchange_(comm, both_ways(comm, bytes), {data_}, scheme, style, threads) {
    if (sweeps)
      sweep_ = {.inner = units, .sweep_inner = [this](std::int64_t begin, std::int64_t end, int) {
                  for (; begin < end; ++begin) busy_.run();
                }};
  }
  void step() override { exchange_.step(sweep_); }
  std::string check() override {
    const int rank = mpi::rank(world());
    std::fill_n(data_.data(), 2 * bytes_, static_cast<unsigned char>(rank + 1));
    exchange_.step(sweep_);
    const auto peer = static_cast<unsigned char>(rank > 1 ? rank + 1 : 2 - rank);
    const auto halo = data_.span().subspan(bytes_);
    const bool right = std::ranges::all_of(halo, [&](unsigned char b) { return b == peer; });
    return right ? "" : "a message is not what was sent";
  }

 private:
  static Pattern both_ways(MPI_Comm comm, std::size_t bytes) {
    Pattern pattern;
    const int rank = mpi::rank(comm);
    if (rank > 1) return pattern;
    pattern.send(1 - rank, {.offset = 0, .count = {1, 1, bytes}});
    pattern.receive(1 - rank,
                    {.offset = static_cast<std::ptrdiff_t>(bytes), .count = {1, 1, bytes}});
    return pattern;
  }

  Busy busy_;
  std::size_t bytes_;
  Array<unsigned char> data_;
  StyledExchange exchange_;
  Sweep sweep_{};
};

/// Adds to every step what it has hidden.
void add_share_hidden(std::vector<Measured>& results) {
  using Key = std::pair<std::string, std::string>;
  const auto key = [](const Measured& result) {
    return Key(result.scheme, result.parameters["style"].get<std::string>());
  };
  std::map<Key, const Measured*> alone;
  for (const Measured& result : results)
    if (result.measured() && result.parameters["part"] != "both") alone[key(result)] = &result;
  const auto sweep = alone.find({sweep_alone, ""});
  if (sweep == alone.end()) return;
  for (Measured& result : results) {
    const auto exchange = alone.find(key(result));
    if (!result.measured() || result.parameters["part"] != "both" || exchange == alone.end())
      continue;
    const std::span<const double> sets[] = {exchange->second->counted(exchange->second->samples),
                                            sweep->second->counted(sweep->second->samples),
                                            result.counted(result.samples)};
    result.shares = {{"hidden", bootstrap(sets, [](std::span<const double> medians) {
                        const double e = medians[0], s = medians[1], both = medians[2];
                        return (e + s - both) / std::min(e, s);
                      })}};
  }
}

class Styles final : public Kind {
 public:
  std::string name() const override { return "styles"; }
  std::string summary() const override {
    return "how much of an exchange a sweep by several threads hides, by style";
  }
  std::string default_schemes() const override { return "p2p:nonblocking,shm:signal"; }
  int threads() const override { return threads_; }
  int thread_level() const override { return MPI_THREAD_MULTIPLE; }

  void declare(frame::Arguments& app) override {
    add_sizes(app, "--sizes", sizes_, "bytes of the message");
    app.option("--compute", compute_us_, "length of the sweep on one thread, in microseconds")
        .with_commas()
        .range(64.0, 1e7)
        .shows_default();
    app.option("--threads", threads_, "OpenMP threads of each rank").range(1, 1024).shows_default();
    app.option("--styles", styles_, "some of them (all)").with_commas();
  }

  std::vector<Group> groups(MPI_Comm comm, const std::string& patterns) override {
    if (mpi::size(comm) < 2) throw Error("styles needs 2 ranks");
    std::vector<Style> styles;
    for (const std::string& style : styles_) styles.emplace_back(style);
    if (styles.empty())
      for (const StyleFacts& known : known_styles()) styles.emplace_back(known.style);
    std::vector<Group> groups;
    for (const std::size_t bytes : sizes_)
      for (const double us : compute_us_)
        groups.push_back(group(comm, chosen_schemes(patterns), styles, bytes, us));
    return groups;
  }

 private:
  Group group(MPI_Comm comm, const std::vector<Scheme>& schemes, const std::vector<Style>& styles,
              std::size_t bytes, double us) const {
    char length[32];
    std::snprintf(length, sizeof length, "%g", us);
    Group group{.title = "styles, " + shown_bytes(bytes) + " with a sweep of " + length +
                         " µs on one thread, by " + std::to_string(threads_) + " of each rank",
                .conclude = add_share_hidden};
    const auto add = [&](const std::string& scheme, const std::string& style, const char* part,
                         auto make) {
      group.contenders.push_back({.scheme = scheme,
                                  .parameters = {{"size", bytes},
                                                 {"compute_us", us},
                                                 {"threads", threads_},
                                                 {"style", style},
                                                 {"part", part}},
                                  .make = make});
    };
    const double unit = us * 1e-6 / static_cast<double>(units);
    const int threads = threads_;
    add(sweep_alone, "", "sweep",
        [=]() -> std::unique_ptr<Work> { return std::make_unique<Swept>(comm, unit, threads); });
    for (const Style& style : styles)
      for (const Scheme& scheme : schemes)
        for (const bool sweeps : {false, true})
          add(scheme.str(), style.str(), sweeps ? "both" : "exchange",
              [=]() -> std::unique_ptr<Work> {
                return std::make_unique<Styled>(comm, bytes, scheme, style, threads, unit, sweeps);
              });
    return group;
  }

  std::vector<std::size_t> sizes_{65536};
  std::vector<double> compute_us_{1000};
  std::vector<std::string> styles_;
  int threads_ = 2;
};

}  // namespace

std::unique_ptr<Kind> styles() {
  return std::make_unique<Styles>();
}

}  // namespace halometer
