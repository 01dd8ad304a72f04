#pragma once
// What all styles work on: the exchanges of each field, and how a thread communicates and sweeps in
// any of them. Each style is a function of State.
//
//     vector_mode.cpp    masteronly, naive, funneled, single: communicate, then all threads sweep
//     task_mode.cpp      thread, tasks: one thread communicates while the others sweep
//     partitioned.cpp    each thread marks and awaits parts of messages
//     multiple.cpp       each thread has an exchange of its own
//     automatic.cpp      `auto`: one of them, chosen by what steps take

#include <halocline/more/mpi.hpp>
#include <halocline/more/style.hpp>
#include <halocline/more/waiting.hpp>

#include "balance.hpp"
#include "border.hpp"
#include "choices.hpp"
#include "pieces.hpp"
#include "problems.hpp"
#include "remembered.hpp"
#include "stopwatch.hpp"

#include <omp.h>

namespace halocline {

struct StyledExchange::State {
  State(MPI_Comm comm, const Pattern& pattern, std::vector<Field> in_turn, const Scheme& scheme,
        const Style& style_, int threads_, Halos halos_);
  ~State();

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
  /// `multiple` of `auto`, with the exchanges of another State.
  void other_multiple(const Sweep&, FieldExchange&, Problems&);

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

  /// What chooses the style (`auto`), a scheme while the program runs, or both.
  struct Choosing {
    explicit Choosing(methods::Channel own) : channel(std::move(own)) {}
    methods::Channel channel;
    std::shared_ptr<mpi::Comm> comm{};  ///< on which the exchanges of `multiple` are made
    std::shared_ptr<detail::StyleChoice> style{};
    std::shared_ptr<detail::CommonChoice> scheme{};
    std::unique_ptr<State> multiple{};                  ///< which cuts messages; once it is tried
    bool begun = false;                                 ///< by a step, or in a section
    bool known = false;                                 ///< an earlier job has chosen
    std::optional<detail::StyleSituation> situation{};  ///< on rank 0
    std::optional<detail::RememberedStyle> kept{};      ///< there
    std::optional<detail::Laps> laps{};                 ///< its own; none in a section
    std::optional<std::size_t> style_member{};          ///< of these
  };
  void begin_choosing(MPI_Comm comm, bool styles);
  void prepare_multiple(const Style& multiple);
  /// Before a step: what laps say is used from now on.
  void choose(const Sweep& sweep);
  void begin_laps(const Sweep& sweep);
  /// The style that the file of choices names for steps like this one comes first. True if nothing
  /// is left to try.
  bool recall(const Sweep& sweep);
  /// Rank 0 writes down which style it is now, if others were tried.
  void keep_choice();
  bool has_tried() const;
  /// What nearly all steps are carried out in; of `auto` that itself, until others were tried.
  const Style& style_of_most() const;
  /// Calls visit(exchange) for those of all fields.
  template <class Visit>
  void each_exchange(const Visit& visit) {
    for (FieldExchange& field : fields)
      for (Exchange& exchange : field.exchanges) visit(exchange);
    if (choosing && choosing->multiple) choosing->multiple->each_exchange(visit);
  }
  /// In a step.
  std::size_t bytes_sent() const noexcept;

  Style style;
  int threads;
  Halos halos;
  StyledStep styled_step;
  std::shared_ptr<std::vector<mpi::Comm>> comms;  ///< of `multiple`
  std::vector<Pattern> patterns;                  ///< of each exchange of a field
  std::vector<FieldExchange> fields;
  StyleTimes times;
  detail::Balance balance;  ///< of `thread`
  // For `partitioned`:
  std::optional<detail::Border> border;  ///< if it is known
  bool early = false;                    ///< an exchange may begin in the step before, on all ranks
  bool by_parts = false;                 ///< messages arrive in parts, and nothing else does
  bool measures = false;                 ///< StyledExchange::measure
  std::optional<Choosing> choosing;
};

}  // namespace halocline
