#include "turns.hpp"

#include <halocline/halocline.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string_view>

namespace turns {

namespace {

std::vector<std::string> names(std::string_view text) {
  if (text != "all") {
    const std::vector<std::string> all = parts(text);
    for (const std::string& name : all)
      if (name != "plain") halocline::Scheme{name};  // says what is wrong with it
    return all;
  }
  std::vector<std::string> all{"plain"};
  for (const halocline::SchemeFacts& facts : halocline::known_schemes())
    if (facts.unavailable.empty()) all.push_back(facts.scheme);
  return all;
}

Options read(Options options, int argc, char** argv) {
  each_option(argc, argv, {"--size", "--steps", "--rounds", "--exchange"},
              [&](std::string_view option, std::string_view value) {
                if (option == "--exchange")
                  options.exchanges = names(value);
                else
                  (option == "--size"    ? options.size
                   : option == "--steps" ? options.steps
                                         : options.rounds) = number(option, value);
              });
  return options;
}

/// Times of all steps of all rounds, in microseconds.
struct Line {
  std::vector<double> waiting, adding;
  double seconds = 0;  ///< of the whole
};

/// Each step's time, of the times of the calls in it.
void add_steps(std::vector<double>& steps, const Stopwatch& one, const std::vector<double>& calls) {
  std::size_t call = 0;
  for (const std::size_t end : one.step_ends) {
    double sum = 0;
    while (call < end) sum += 1e6 * calls[call++];
    steps.push_back(sum);
  }
}

void add(Line& line, const Outcome& outcome) {
  const Stopwatch& mine = outcome.exchange;
  const int calls = static_cast<int>(mine.calls.size());
  std::vector<double> sums, least(mine.calls.size());
  add_steps(sums, mine, mine.calls);
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_DOUBLE, MPI_MAX,
                MPI_COMM_WORLD);
  line.waiting.insert(line.waiting.end(), sums.begin(), sums.end());
  MPI_Allreduce(mine.calls.data(), least.data(), calls, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  add_steps(line.adding, mine, least);
  line.seconds += outcome.seconds;
}

/// Prints the median, its interval, and what it is of the first line's median.
void print(std::vector<double>& steps, double& first) {
  std::ranges::sort(steps);
  // Between these two of the sorted steps lies the median, in 95 of 100 cases.
  const double count = static_cast<double>(steps.size());
  const auto at = [&](double place) {
    return steps[static_cast<std::size_t>(std::clamp(place, 0.0, count - 1))];
  };
  const double median = at(count / 2), half = 0.98 * std::sqrt(count);
  if (first == 0) first = median;
  std::printf(" %9.2f [%8.2f, %8.2f] %5.2f", median, at(std::floor(count / 2 - half)),
              at(std::ceil(count / 2 + half)), median / first);
}

int compare_all(const char* program, const char* unit, const Options& options,
                const std::function<Outcome(const Options&, const std::string&)>& solve) {
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::size_t exchanges = options.exchanges.size();
  std::vector<Line> lines(exchanges);
  std::vector<std::uint64_t> checksums(exchanges);
  double result = 0;
  for (int round = 0; round < options.rounds; ++round)
    for (std::size_t turn = 0; turn < exchanges; ++turn) {
      const std::size_t one = (turn + static_cast<std::size_t>(round)) % exchanges;
      Outcome outcome = solve(options, options.exchanges[one]);
      MPI_Allreduce(MPI_IN_PLACE, &outcome.checksum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
      checksums[one] = outcome.checksum;
      if (one == 0) result = outcome.result;
      add(lines[one], outcome);
    }
  if (rank == 0) {
    std::printf("%s: %d ranks, size %d, result %.17g, checksum %016llx\n", program, ranks,
                options.size, result, static_cast<unsigned long long>(checksums[0]));
    std::printf("microseconds %s       %-36s   %-36s  whole\n", unit, "with waiting", "added");
    double first_waiting = 0, first_adding = 0;
    for (std::size_t one = 0; one < exchanges; ++one) {
      std::printf("%-22s", options.exchanges[one].c_str());
      print(lines[one].waiting, first_waiting);
      print(lines[one].adding, first_adding);
      std::printf(" %9.1f\n",
                  1e6 * lines[one].seconds / static_cast<double>(lines[one].waiting.size()));
    }
  }
  for (std::size_t one = 0; one < exchanges; ++one)
    if (checksums[one] != checksums[0]) {
      if (rank == 0)
        std::fprintf(stderr, "%s: %s leads to other bits than %s: checksum %016llx\n", program,
                     options.exchanges[one].c_str(), options.exchanges[0].c_str(),
                     static_cast<unsigned long long>(checksums[one]));
      return 1;
    }
  return 0;
}

}  // namespace

void each_option(int argc, char** argv, std::initializer_list<std::string_view> options,
                 const std::function<void(std::string_view, std::string_view)>& set) {
  for (int i = 1; i < argc; i += 2) {
    const std::string_view option = argv[i];
    if (std::ranges::find(options, option) == options.end()) {
      std::string all;
      for (const std::string_view one : options)
        all += (all.empty() ? "" : ", ") + std::string(one);
      throw std::invalid_argument("there is no option '" + std::string(option) + "'; there are " +
                                  all);
    }
    if (i + 1 == argc) throw std::invalid_argument(std::string(option) + " takes a value");
    set(option, argv[i + 1]);
  }
}

int number(std::string_view option, std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > 1'000'000)
    throw std::invalid_argument(std::string(option) + " takes a number from 1 to 1000000, not '" +
                                std::string(text) + "'");
  return value;
}

std::vector<std::string> parts(std::string_view list) {
  std::vector<std::string> all;
  for (;;) {
    const std::size_t comma = list.find(',');
    all.emplace_back(list.substr(0, comma));
    if (comma == std::string_view::npos) return all;
    list.remove_prefix(comma + 1);
  }
}

std::uint64_t hash(std::uint64_t number, double value) noexcept {
  std::uint64_t all = std::bit_cast<std::uint64_t>(value) + 0x9e3779b97f4a7c15U * (number + 1);
  all = (all ^ (all >> 30)) * 0xbf58476d1ce4e5b9U;
  all = (all ^ (all >> 27)) * 0x94d049bb133111ebU;
  return all ^ (all >> 31);
}

int compare(const char* program, const char* unit, Options defaults, int argc, char** argv,
            const std::function<Outcome(const Options&, const std::string&)>& solve) {
  try {
    return compare_all(program, unit, read(defaults, argc, argv), solve);
  } catch (const std::exception& problem) {  // the same on all ranks
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) std::fprintf(stderr, "%s: %s\n", program, problem.what());
    return 1;
  }
}

}  // namespace turns
