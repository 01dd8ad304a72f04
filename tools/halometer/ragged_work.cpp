#include "ragged_work.hpp"

#include <halocline/environment.hpp>
#include <halocline/more/mpi.hpp>
#include <halocline/ragged_exchange.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace halometer {

using namespace halocline;

namespace {

constexpr std::size_t draws = 64;  // numbers of elements, again and again

/// How many elements go from one rank to another in a step. Both know, to check.
std::size_t length(int from, int to, std::size_t step, std::size_t usual) {
  std::uint64_t dice = static_cast<std::uint64_t>(from) * 0x9e3779b97f4a7c15 +
                       static_cast<std::uint64_t>(to) * 0xbf58476d1ce4e5b9 + step % draws;
  dice = (dice ^ (dice >> 30)) * 0x94d049bb133111eb;
  const std::size_t least = usual - usual / 2;
  return least + (dice >> 32) % (most_elements(usual) - least + 1);
}

double value(int from, int to, std::size_t step, std::size_t element) {
  return static_cast<double>(
      (static_cast<std::size_t>(from) * 1000 + static_cast<std::size_t>(to)) * 100'000'000 +
      step * 1'000'000 + element);
}

double sum(std::span<const double> cells) {
  return std::accumulate(cells.begin(), cells.end(), 0.0);
}

class RaggedWork final : public Work {
 public:
  RaggedWork(MPI_Comm comm, const Pattern& pattern, const Scheme& scheme, bool fresh)
      : me_(mpi::rank(comm)),
        fresh_(fresh),
        sends_(ends_of(pattern.sends(), true)),
        receives_(ends_of(pattern.receives(), false)),
        own_(pattern.copies_from().size()),
        kept_(own_.size()),
        exchange_(comm, peers(sends_), peers(receives_), sizeof(double), longest(comm), scheme) {}

  void step() override {
    for (End& end : sends_) {
      const std::size_t count = end.counts[step_ % draws];
      if (fresh_)
        for (std::size_t i = 0; i < count; i += line) end.cells[i] += 1;
    }
    exchange();
  }

  bool has_loop() const override { return fresh_; }
  void loop(std::size_t steps, bool exchanging) override {
    for (; steps > 0; --steps) {
      for (End& end : sends_) write(end.cells, end.counts[step_ % draws]);
      write(own_, own_.size());
      const std::size_t now = step_;
      if (exchanging)
        exchange();
      else
        ++step_;
      double total = sum(kept_);
      for (std::size_t link = 0; link < receives_.size(); ++link)
        total += exchanging ? sum(exchange_.received<double>(link))
                            : sum(std::span<const double>(receives_[link].cells)
                                      .first(receives_[link].counts[now % draws]));
      seen_ = total;
    }
  }

  std::string check() override {
    std::string wrong;
    for (int i = 0; i < 5; ++i) {
      const std::size_t now = step_ % draws;
      for (End& end : sends_)
        for (std::size_t e = 0; e < end.counts[now]; ++e)
          end.cells[e] = value(me_, end.peer, now, e);
      exchange();
      for (std::size_t link = 0; link < receives_.size(); ++link) {
        const End& end = receives_[link];
        const auto came = exchange_.received<double>(link);
        bool right = came.size() == end.counts[now];
        for (std::size_t e = 0; right && e < came.size(); ++e)
          right = came[e] == value(end.peer, me_, now, e);
        if (!right)
          wrong = "rank " + std::to_string(me_) + " got other elements from rank " +
                  std::to_string(end.peer) + " than it sent";
      }
    }
    return wrong;
  }

 private:
  /// One end of a link.
  struct End {
    int peer;
    std::vector<std::size_t> counts;  ///< of each step
    std::vector<double> cells;        ///< that leave; at the receiver, what a loop alone reads
  };
  static constexpr std::size_t line = 64 / sizeof(double);

  std::vector<End> ends_of(const std::vector<Link>& links, bool sending) const {
    std::vector<End> ends;
    for (const Link& link : links) {
      End end{link.peer, {}, std::vector<double>(most_elements(link.size()), 1.0)};
      for (std::size_t step = 0; step < draws; ++step)
        end.counts.push_back(sending ? length(me_, link.peer, step, link.size())
                                     : length(link.peer, me_, step, link.size()));
      ends.push_back(std::move(end));
    }
    return ends;
  }
  static std::vector<int> peers(const std::vector<End>& ends) {
    std::vector<int> all;
    for (const End& end : ends) all.push_back(end.peer);
    return all;
  }
  /// The capacity is the same on all ranks.
  std::size_t longest(MPI_Comm comm) const {
    std::uint64_t most = 0;
    for (const End& end : sends_) most = std::max<std::uint64_t>(most, end.cells.size());
    HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &most, 1, MPI_UINT64_T, MPI_MAX, comm);
    return most;
  }

  static void write(std::vector<double>& cells, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) cells[i] = 0.5 * cells[i] + 1;
  }

  void exchange() {
    const std::size_t now = step_++ % draws;
    for (std::size_t link = 0; link < sends_.size(); ++link)
      exchange_.send(link,
                     std::span<const double>(sends_[link].cells).first(sends_[link].counts[now]));
    exchange_.start();
    std::copy(own_.begin(), own_.end(), kept_.begin());
    exchange_.finish();
  }

  int me_;
  bool fresh_;
  std::vector<End> sends_, receives_;
  std::vector<double> own_, kept_;  // for neighbours that are this rank itself: always as many
  RaggedExchange exchange_;
  std::size_t step_ = 0;
  volatile double seen_ = 0;
};

}  // namespace

std::unique_ptr<Work> make_ragged(MPI_Comm comm, const Pattern& pattern, const Scheme& scheme,
                                  bool fresh) {
  return std::make_unique<RaggedWork>(comm, pattern, scheme, fresh);
}

}  // namespace halometer
