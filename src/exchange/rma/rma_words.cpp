#include "rma_words.hpp"

#include "exchange/core/method.hpp"
#include "memory/new_windows.hpp"
#include "memory/shared_room.hpp"
#include "mpi/windows.hpp"

#include <algorithm>
#include <atomic>

namespace halocline::detail {

namespace {

/// What errors call the words where no rank waits for a certain one.
constexpr const char* words = "words that ranks share";

/// As many words as one call can take.
template <class Words, class Call>
void in_pieces(std::size_t word, std::span<Words> values, Call&& call) {
  constexpr std::size_t most = std::size_t{1} << 30;
  for (std::size_t done = 0; done < values.size(); done += most) {
    const std::span<Words> piece = values.subspan(done, std::min(most, values.size() - done));
    call(piece.data(), static_cast<int>(piece.size()), static_cast<MPI_Aint>(word + done));
  }
}

}  // namespace

Words::Words(MPI_Comm comm, std::size_t count) : comm_(comm) {
  const Blocking guard(words);
  window_ = make_window(
      {words, "End exchanges that are not used any more, or use notify=message", more_room},
      allocated(comm, count * sizeof(Word), sizeof(Word), &base_));
  int* model = nullptr;
  int found = 0;
  HALOCLINE_MPI(MPI_Win_get_attr, window_, MPI_WIN_MODEL, &model, &found);
  unified_ = found != 0 && *model == MPI_WIN_UNIFIED;

  HALOCLINE_MPI(MPI_Win_lock_all, MPI_MODE_NOCHECK, window_);  // nobody ever locks exclusively
  set_in_epoch(window_, true);
}

Words::~Words() {
  if (abandoning()) return;
  const Blocking guard(words);
  MPI_Win_unlock_all(window_);
  window_ = {};
}

void Words::change(int rank, std::size_t word, MPI_Op operation, Word value, const char* what) {
  const Blocking guard(what);
  HALOCLINE_MPI(MPI_Accumulate, &value, 1, MPI_INT64_T, rank, static_cast<MPI_Aint>(word), 1,
                MPI_INT64_T, operation, window_);
  HALOCLINE_MPI(MPI_Win_flush, rank, window_);
}

void Words::write(int rank, std::size_t word, std::span<const Word> values, const char* what) {
  const Blocking guard(what);
  in_pieces(word, values, [&](const Word* piece, int count, MPI_Aint place) {
    HALOCLINE_MPI(MPI_Accumulate, piece, count, MPI_INT64_T, rank, place, count, MPI_INT64_T,
                  MPI_REPLACE, window_);
  });
  HALOCLINE_MPI(MPI_Win_flush, rank, window_);
}

void Words::read(int rank, std::size_t word, std::span<Word> values, const char* what) const {
  const Blocking guard(what);
  in_pieces(word, values, [&](Word* piece, int count, MPI_Aint place) {
    const trace::Event event(Activity::get, rank, static_cast<std::size_t>(count) * sizeof(Word));
    HALOCLINE_MPI(MPI_Get_accumulate, nullptr, 0, MPI_INT64_T, piece, count, MPI_INT64_T, rank,
                  place, count, MPI_INT64_T, MPI_NO_OP, window_);
  });
  HALOCLINE_MPI(MPI_Win_flush, rank, window_);
}

/// By operations: in the separate memory model an owner may not store to a window into which others
/// accumulate, wherever that is.
void Words::clear(std::size_t word, std::size_t count) {
  const std::vector<Word> zeros(count, 0);
  write(mpi::rank(comm_), word, zeros, words);
}

Words::Word Words::look(std::size_t word) const {
  if (unified_) {
    HALOCLINE_MPI(MPI_Win_sync, window_);
    return std::atomic_ref(base_[word]).load(std::memory_order_acquire);
  }
  Word value = 0;
  read(mpi::rank(comm_), word, {&value, 1}, words);
  return value;
}

// ---- pool ----------------------------------------------------------------------------------

/// Collective. All ranks have met since I gave back what I get here.
WordPool::Part::Part(WordPool& pool, std::size_t count)
    : pool_(pool), size_(static_cast<Place>(count)) {
  std::optional<Place> place;
  if (size_ > 0) place = pool_.free_.take(size_);
  const Place lacking = place ? 0 : size_;
  const Place most = -mpi::agree(pool_.comm_, "", {-lacking}).front();
  if (most > 0) pool_.grow(static_cast<std::size_t>(most));
  if (lacking > 0) place = pool_.free_.take(size_);
  if (!place) return;
  place_ = *place;
  const auto [words, first] = pool_.find(place_);
  words->clear(first, count);
}

WordPool::Part::~Part() {
  if (size_ > 0 && !abandoning()) pool_.free_.give_back(place_, size_);
}

void WordPool::Part::change(int rank, Place place, MPI_Op operation, Words::Word value,
                            const char* what) const {
  const auto [words, word] = pool_.find(place);
  words->change(rank, word, operation, value, what);
}

void WordPool::Part::write(int rank, Place place, std::span<const Words::Word> values,
                           const char* what) const {
  const auto [words, word] = pool_.find(place);
  words->write(rank, word, values, what);
}

void WordPool::Part::read(int rank, Place place, std::span<Words::Word> values,
                          const char* what) const {
  const auto [words, word] = pool_.find(place);
  words->read(rank, word, values, what);
}

Words::Word WordPool::Part::look(std::size_t word) const {
  const auto [words, first] = pool_.find(place_);
  return words->look(first + word);
}

void WordPool::Part::await(std::size_t word, Words::Word value, const char* what) const {
  const auto [words, first] = pool_.find(place_);
  wait_until(what, [words = words, mine = first + word, value, this] {
    return words->look(mine) >= value || (let_progress(pool_.comm_), false);
  });
}

std::pair<Words*, std::size_t> WordPool::find(Place place) const {
  const auto piece = std::prev(
      std::upper_bound(pieces_.begin(), pieces_.end(), place,
                       [](Place wanted, const Piece& one) { return wanted < one.begin; }));
  return {piece->words.get(), static_cast<std::size_t>(place - piece->begin)};
}

void WordPool::grow(std::size_t words) {
  const Place size = std::max(each, static_cast<Place>(words));
  pieces_.push_back({end_, std::make_unique<Words>(comm_, static_cast<std::size_t>(size))});
  free_.give_back(end_, size);
  end_ += size + 1;  // pieces never touch
}

}  // namespace halocline::detail
