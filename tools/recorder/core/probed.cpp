#include "probed.hpp"

#include "call.hpp"

namespace recorder {

void Probed::add(MPI_Message message, Call& call, const MPI_Status& status) {
  Found found{call.comm(), call.rank(), call.tag(), status.MPI_SOURCE, status.MPI_TAG, {}};
  if (found.met_source == MPI_PROC_NULL) return;
  std::uint64_t number = 0;
  found.ticket = call.run().messages.received({found.comm, found.met_source, found.met_tag, 0, 0},
                                              call.world(found.met_source), &number);
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
    call.peer(MPI_PROC_NULL);
    call.tag(0);
    return;
  }
  const Found& found = found_[static_cast<std::uint32_t>(place)];
  call.message(found);
  handles_.erase(number_of(message));
  free_.add(static_cast<std::uint32_t>(place));
}

}  // namespace recorder
