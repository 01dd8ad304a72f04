#include "probed.hpp"

#include "call.hpp"

namespace recorder {

void Probed::add(MPI_Message message, const Call& call) {
  Found found{call.comm(), call.rank(), call.tag()};
  std::uint32_t place;
  if (free_.size() > 0) {
    place = free_.back();
    free_.shrink(free_.size() - 1);
    found_[place] = found;
  } else if (found_.add(found)) {
    place = found_.size() - 1;
  } else {
    return;
  }
  handles_.set(number_of(message), place);
}

void Probed::take(MPI_Message message, Call& call) {
  std::int32_t place = handles_.find(number_of(message));
  if (place < 0) {  // MPI_MESSAGE_NO_PROC
    call.message(-1, MPI_PROC_NULL, 0);
    return;
  }
  const Found& found = found_[static_cast<std::uint32_t>(place)];
  call.message(found.comm, found.source, found.tag);
  handles_.erase(number_of(message));
  free_.add(static_cast<std::uint32_t>(place));
}

}  // namespace recorder
