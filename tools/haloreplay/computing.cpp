#include "computing.hpp"

#include <halocline/more/global_clock.hpp>
#include <halocline/more/mpi.hpp>
#include <halocline/more/waiting.hpp>

#include <algorithm>
#include <numeric>
#include <span>

namespace haloreplay {

using namespace halocline;

namespace {

volatile std::uint64_t seen = 1;

}  // namespace

void sums(std::uint64_t count) {
  std::uint64_t sum = seen;
  for (; count > 0; --count) sum = sum * 6364136223846793005 + 1442695040888963407;
  seen = sum;
}

double seconds_of_a_sum(MPI_Comm comm) {
  // Where ranks share cores, each has its turn several times. Where they do not, others on the
  // machine only make it longer, and not always.
  const bool crowded = Patience::current().crowded();
  const double enough = crowded ? 0.06 : 2e-4;
  const int windows = crowded ? 5 : 100;
  const std::uint64_t count = crowded ? 1'000'000 : 10'000;
  MPI_Request request = MPI_REQUEST_NULL;
  HALOCLINE_MPI(MPI_Ibarrier, comm, &request);
  wait_one("haloreplay: the other ranks", request);
  std::vector<double> found;
  for (int i = 0; i < windows; ++i) {
    std::uint64_t done = 0;
    const double begin = steady_seconds();
    double now = begin;
    for (; now - begin < enough; now = steady_seconds(), done += count) sums(count);
    found.push_back((now - begin) / static_cast<double>(std::max(done, count)));
  }
  std::ranges::sort(found);
  return crowded ? found[found.size() / 2] : found.front();
}

double Lengths::sum() const {
  return std::accumulate(before.begin(), before.end(), 0.0) / static_cast<double>(before.size()) +
         std::accumulate(between.begin(), between.end(), 0.0);
}

Computing::Computing(const Lengths& lengths, double busy, double a_sum) {
  const auto count = [&](double seconds) {
    return static_cast<std::uint64_t>(std::max(0.0, seconds) / a_sum);
  };
  before_.clear();
  for (const double seconds : lengths.before) before_.push_back(count(seconds - busy));
  for (const double seconds : lengths.between) between_.push_back(count(seconds));
}

void Touched::take_at_most(double seconds) {
  next_ = 0;
  at_a_time_ = words_.size();
  if (words_.empty()) return;
  double whole = 1e9;
  for (int i = 0; i < 3; ++i) {
    const double begin = steady_seconds();
    sweep();
    whole = std::min(whole, steady_seconds() - begin);
  }
  if (whole > seconds)
    at_a_time_ = static_cast<std::size_t>(static_cast<double>(words_.size()) * seconds / whole);
}

void Touched::sweep() {
  for (std::size_t left = at_a_time_; left > 0;) {
    const std::size_t count = std::min(left, words_.size() - next_);
    for (std::uint64_t& word : std::span(words_).subspan(next_, count)) word += 3;
    left -= count;
    next_ = (next_ + count) % words_.size();
  }
}

}  // namespace haloreplay
