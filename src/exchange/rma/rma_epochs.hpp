#pragma once
// The epoch of exchanges that lock all windows once.

#include "rma_windows.hpp"

#include <memory>
#include <vector>

namespace halocline::detail {

/// MPI_Win_lock_all on all windows for the life of this object, which must end before they do.
class PassiveEpochs {
 public:
  PassiveEpochs(const RmaWindows& rma, int assertions, const char* what);
  ~PassiveEpochs();
  PassiveEpochs(const PassiveEpochs&) = delete;
  PassiveEpochs& operator=(const PassiveEpochs&) = delete;

 private:
  const char* what_;
  std::vector<MPI_Win> own_;
  std::vector<std::shared_ptr<void>> of_fields_;  // shared with whoever else needs them
};

}  // namespace halocline::detail
