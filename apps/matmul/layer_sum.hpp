#pragma once
// The sum over the layers of a cut: each rank gets those of its rows of C.

#include "part.hpp"

#include <halocline/exchange.hpp>

#include <memory>
#include <string>
#include <vector>

namespace matmul {

/// What a rank sends to those of the other layers: their rows of its block of C. Of the others it
/// receives its own rows, behind its block. Arithmetic only.
halocline::Pattern pattern_of_sum(const Part& part);

/// The block of C that a rank makes, and its own rows of it.
class LayerSum {
 public:
  /// Collective.
  LayerSum(MPI_Comm comm, const Part& part, const halocline::Scheme& scheme);

  double* block() const noexcept { return memory_.data(); }  ///< rows x columns numbers
  /// Adds up what all layers have put into their blocks: first this rank's own, then layer by
  /// layer, so that the bits depend on the cut alone. Afterwards `owned` is C's.
  void run();
  const Tile& owned() const noexcept { return owned_; }
  const double* data() const noexcept { return memory_.data(); }
  std::size_t numbers() const noexcept { return memory_.size(); }  ///< with other layers' parts
  std::int64_t words() const noexcept { return words_; }           ///< that this rank sends
  const std::string& note() const noexcept { return memory_.memory().note(); }

 private:
  Tile owned_;
  halocline::Array<double> memory_;
  std::unique_ptr<halocline::Exchange> exchange_;  ///< none with one layer
  std::size_t others_ = 0;                         ///< layers
  std::int64_t words_ = 0;
};

}  // namespace matmul
