#include "rma_words.hpp"

#include "method.hpp"

#include <algorithm>
#include <atomic>

namespace halocline::detail {

namespace {

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

Words::Words(MPI_Comm comm, std::size_t count, const char* what) : comm_(comm), what_(what) {
  const Blocking guard(what_);
  HALOCLINE_MPI(MPI_Win_allocate, static_cast<MPI_Aint>(count * sizeof(Word)), sizeof(Word),
                MPI_INFO_NULL, comm, &base_, window_.address());
  HALOCLINE_MPI(MPI_Win_set_errhandler, window_, MPI_ERRORS_RETURN);
  int* model = nullptr;
  int found = 0;
  HALOCLINE_MPI(MPI_Win_get_attr, window_, MPI_WIN_MODEL, &model, &found);
  unified_ = found != 0 && *model == MPI_WIN_UNIFIED;

  HALOCLINE_MPI(MPI_Win_lock_all, MPI_MODE_NOCHECK, window_);  // nobody ever locks exclusively
  std::fill_n(base_, count, Word{0});
  HALOCLINE_MPI(MPI_Win_sync, window_);
  HALOCLINE_MPI(MPI_Barrier, comm);  // nobody accumulates into words not yet zero
}

Words::~Words() {
  if (abandoning()) return;
  const Blocking guard(what_);
  MPI_Win_unlock_all(window_);
  window_ = {};
}

void Words::change(int rank, std::size_t word, MPI_Op operation, Word value) {
  const Blocking guard(what_);
  HALOCLINE_MPI(MPI_Accumulate, &value, 1, MPI_INT64_T, rank, static_cast<MPI_Aint>(word), 1,
                MPI_INT64_T, operation, window_);
  HALOCLINE_MPI(MPI_Win_flush, rank, window_);
}

void Words::write(int rank, std::size_t word, std::span<const Word> values) {
  const Blocking guard(what_);
  in_pieces(word, values, [&](const Word* piece, int count, MPI_Aint place) {
    HALOCLINE_MPI(MPI_Accumulate, piece, count, MPI_INT64_T, rank, place, count, MPI_INT64_T,
                  MPI_REPLACE, window_);
  });
  HALOCLINE_MPI(MPI_Win_flush, rank, window_);
}

void Words::read(int rank, std::size_t word, std::span<Word> values) const {
  const Blocking guard(what_);
  in_pieces(word, values, [&](Word* piece, int count, MPI_Aint place) {
    HALOCLINE_MPI(MPI_Get_accumulate, nullptr, 0, MPI_INT64_T, piece, count, MPI_INT64_T, rank,
                  place, count, MPI_INT64_T, MPI_NO_OP, window_);
  });
  HALOCLINE_MPI(MPI_Win_flush, rank, window_);
}

Words::Word Words::look(std::size_t word) const {
  if (unified_) {
    HALOCLINE_MPI(MPI_Win_sync, window_);
    return std::atomic_ref(base_[word]).load(std::memory_order_acquire);
  }
  Word value = 0;
  read(mpi::rank(comm_), word, {&value, 1});
  return value;
}

void Words::await(std::size_t word, Word value) const {
  wait_until(what_, [&] { return look(word) >= value || (progress(comm_), false); });
}

}  // namespace halocline::detail
