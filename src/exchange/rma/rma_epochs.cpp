#include "rma_epochs.hpp"

#include "mpi/windows.hpp"

namespace halocline::detail {

PassiveEpochs::PassiveEpochs(const RmaWindows& rma, int assertions, const char* what)
    : what_(what) {
  const Blocking guard(what_);
  for (const RmaWindow& window : rma.windows())
    if (window.is_own()) {
      HALOCLINE_MPI(MPI_Win_lock_all, assertions, window.handle);
      set_in_epoch(window.handle, true);
      own_.push_back(window.handle);
    } else {
      of_fields_.push_back(window.field.passive_epoch());
    }
}

PassiveEpochs::~PassiveEpochs() {
  if (abandoning()) return;
  const Blocking guard(what_);
  for (MPI_Win window : own_) MPI_Win_unlock_all(window);
}

}  // namespace halocline::detail
