#pragma once
// What all styles work on: the exchanges of each field, and how a thread communicates and sweeps in
// any of them. Each style is a function of State; `auto` measures them and takes one.
//
//     vector_mode.cpp    masteronly, naive, funneled, single: communicate, then all threads sweep
//     task_mode.cpp      thread, tasks: one thread communicates while the others sweep
//     partitioned.cpp    each thread marks and awaits parts of messages
//     multiple.cpp       each thread has an exchange of its own
//     automatic.cpp      from `auto` to one of them

#include <halocline/more/mpi.hpp>
#include <halocline/more/style.hpp>
#include <halocline/more/waiting.hpp>

#include "balance.hpp"
#include "border.hpp"
#include "contest.hpp"
#include "pieces.hpp"
#include "problems.hpp"
#include "remembered.hpp"
#include "stopwatch.hpp"

#include <omp.h>

namespace halocline {

struct StyledExchange::State {
  State(MPI_Comm comm, const Pattern& pattern, std::vector<Field> in_turn, const Scheme& scheme,
        const Style& style_, int threads_, Halos halos_);

  /// One of the fields that are exchanged in turn.
  struct FieldExchange {
    Field field;
    std::vector<Exchange> exchanges;  ///< one; of `multiple` one for each thread of any rank
    bool begun = false;               ///< by the step before (`partitioned`)
  };
  using Problems = detail::Problems;
  using Share = detail::Share;

  // The styles.
  void masteronly(const Sweep&, FieldExchange&, Problems&);
  void naive(const Sweep&, FieldExchange&, Problems&);
  void funneled(const Sweep&, FieldExchange&, Problems&);
  void single(const Sweep&, FieldExchange&, Problems&);
  void thread(const Sweep&, FieldExchange&, Problems&);
  void tasks(const Sweep&, FieldExchange&, Problems&);
  void partitioned(const Sweep&, FieldExchange&, Problems&);
  void multiple(const Sweep&, FieldExchange&, Problems&);
  /// `multiple` while `auto` measures, with the exchanges of another State.
  void measured_multiple(const Sweep&, FieldExchange&, Problems&);

  using StyledStep = void (State::*)(const Sweep&, FieldExchange&, Problems&);
  static StyledStep step_of(const std::string& style);

  void step(const Sweep& sweep, std::size_t field);
  void finish();
  /// Steps are carried out in this style from now on.
  void take(const Style& another);

  // What a thread does in any style.
  /// The exchanges of a thread, one after the other, in the same order on all ranks.
  void exchange(FieldExchange& field, Problems& problems, int thread = 0);
  template <class Work>
  void communicate(Problems& problems, Work&& work) {
    double none = 0;
    const detail::Stopwatch timed(omp_get_thread_num() == 0 ? times.exchange : none);
    const Yielding polite = while_others_compute();
    problems.exchange(work);
  }
  /// Threads that compute need the cores that those in MPI would hold.
  Yielding while_others_compute() const noexcept { return Yielding(threads > 1); }
  void sweep(const Sweep::Piece& piece, Share units, Problems& problems);
  /// This thread's share of both parts.
  void sweep_all(const Sweep& sweep, Problems& problems);

  /// Of `auto`, until it has chosen.
  struct Choosing {
    mpi::Comm comm;
    detail::Contest contest;
    std::unique_ptr<State> multiple{};  ///< which cuts messages, if that is possible
    detail::StyleSituation situation{};
    bool looked = false;  ///< for what is remembered
    double seconds = 0;   ///< of the steps of a visit
    Style asked{"auto"};
  };
  void begin_choosing(MPI_Comm comm, const Pattern& pattern, const Scheme& scheme);
  /// Once, before the first step: takes the style that the file of choices names for steps like
  /// this one. False if it names none that is possible here.
  bool recall(const Sweep& sweep);
  /// A step that is measured. True if it was the last that a choice needed, which has been taken.
  bool measured_step(const Sweep& sweep, std::size_t field);
  double slowest(double mine) const;
  /// In a step.
  std::size_t bytes_sent() const noexcept;

  Style style;
  int threads;
  Halos halos;
  StyledStep styled_step;
  std::vector<mpi::Comm> comms;   ///< of `multiple`
  std::vector<Pattern> patterns;  ///< of each exchange of a field
  std::vector<FieldExchange> fields;
  StyleTimes times;
  detail::Balance balance;  ///< of `thread`
  // Of `partitioned`.
  std::optional<detail::Border> border;  ///< if it is known
  bool early = false;                    ///< an exchange may begin in the step before, on all ranks
  bool by_parts = false;                 ///< messages arrive in parts, and nothing else does
  std::optional<Choosing> choosing;
};

}  // namespace halocline
