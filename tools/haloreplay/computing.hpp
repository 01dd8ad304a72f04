#pragma once
// What a rank does between exchanges: sums in registers, as many as fill the time that the plan
// says, and memory of its own that it goes over.

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace haloreplay {

/// So many sums, each of which waits for the one before.
void sums(std::uint64_t count);

/// Seconds of one of them, while all ranks compute. Collective.
double seconds_of_a_sum(MPI_Comm comm);

/// How long a rank computes in a step, in seconds.
struct Lengths {
  std::vector<double> before{0};  ///< used again and again, step by step
  std::vector<double> between{};  ///< each time that it computes during the exchange
  double sum() const;             ///< of a step, in the mean
};

/// The same as sums.
class Computing {
 public:
  Computing() = default;
  /// `busy`: seconds of a step that pass without any sums, which go off `before`.
  Computing(const Lengths& lengths, double busy, double a_sum);

  void before(std::size_t step) const { sums(before_[step % before_.size()]); }
  void between(std::size_t turn) const { sums(between_[turn]); }
  std::size_t turns() const noexcept { return between_.size(); }

 private:
  std::vector<std::uint64_t> before_{0}, between_{};
};

/// Memory that computing reads and writes beside what is sent and received.
class Touched {
 public:
  explicit Touched(std::size_t bytes) : words_((bytes + 7) / 8, 1) {}
  /// Each sweep takes no longer than that: it goes over a part, and the next one goes on there.
  void take_at_most(double seconds);
  void sweep();

 private:
  std::vector<std::uint64_t> words_;
  std::size_t at_a_time_ = 0, next_ = 0;
};

}  // namespace haloreplay
