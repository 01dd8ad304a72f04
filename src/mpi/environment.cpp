#include <halocline/environment.hpp>
#include <halocline/error.hpp>
#include <halocline/more/launcher.hpp>
#include <halocline/more/mpi.hpp>
#include <halocline/more/standard_output.hpp>
#include <halocline/more/waiting.hpp>

#include "base/variable.hpp"
#include "last_word.hpp"
#include "shmem_runtime.hpp"

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <thread>

namespace halocline {

namespace {

struct ThreadLevel {
  int level;
  const char *word, *name;
};
constexpr ThreadLevel thread_levels[] = {
    {MPI_THREAD_SINGLE, "single", "MPI_THREAD_SINGLE"},
    {MPI_THREAD_FUNNELED, "funneled", "MPI_THREAD_FUNNELED"},
    {MPI_THREAD_SERIALIZED, "serialized", "MPI_THREAD_SERIALIZED"},
    {MPI_THREAD_MULTIPLE, "multiple", "MPI_THREAD_MULTIPLE"},
};

/// 1: processes that are each alone, though one launcher has started several, are meant to be.
constexpr const char* alone = "HALOCLINE_ALONE";

/// What the environment asks for. `wrong`: not that, in a line for the user.
struct Wishes {
  int thread_level;
  std::chrono::microseconds delay{0};
  std::string wrong{};

  explicit Wishes(int least_level) : thread_level(least_level) {
    try {
      if (const std::string word = base::variable("HALOCLINE_THREAD_LEVEL"); !word.empty())
        thread_level = std::max(thread_level, level_of("HALOCLINE_THREAD_LEVEL", word));
      // More than a second would be a rank that is lost.
      Patience::heed_environment();
      base::switch_of(alone);
      delay = std::chrono::microseconds(
          base::integer_of("HALOCLINE_DELAY_US", 0, 1'000'000, "microseconds").value_or(0));
    } catch (const Error& problem) {
      wrong = problem.what();
    }
  }

 private:
  static int level_of(const char* name, const std::string& word) {
    for (const ThreadLevel& known : thread_levels)
      if (known.word == word) return known.level;
    throw base::wrong_variable(name, word, "single, funneled, serialized or multiple");
  }
};

/// On which ranks that end meet. Never freed: MPI may end first.
MPI_Comm farewell = MPI_COMM_NULL;

/// Whether this handles a Timeout: then other ranks may be stuck, and know better why.
bool timed_out() noexcept {
  try {
    if (const std::exception_ptr problem = std::current_exception())
      std::rethrow_exception(problem);
  } catch (const Timeout&) {
    return true;
  } catch (...) {
  }
  return false;
}

/// How ranks end that have come to it.
struct Ending {
  bool in_order = false;       ///< all have, and none has waited in vain
  std::optional<int> speaker;  ///< if all have
};

Ending meet_at_the_end(int rank) noexcept {
  if (farewell == MPI_COMM_NULL) return {};
  const bool late = timed_out();
  static int least[2];  // MPI may still write to it
  least[0] = late ? INT_MAX : rank;
  least[1] = late ? 0 : 1;
  MPI_Request request = MPI_REQUEST_NULL;
  if (MPI_Iallreduce(MPI_IN_PLACE, least, 2, MPI_INT, MPI_MIN, farewell, &request) != MPI_SUCCESS)
    return {};
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  for (int done = 0; std::chrono::steady_clock::now() < limit; std::this_thread::yield()) {
    if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return {};
    if (done != 0) return {least[1] == 1, least[0] == INT_MAX ? 0 : least[0]};
  }
  return {};
}

/// Ends MPI, so that nothing of it stays in /dev/shm; the process in any case. What is still under
/// way may keep MPI from ending.
[[noreturn]] void end_in_order() noexcept {
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::seconds(5));
    std::_Exit(EXIT_FAILURE);
  }).detach();
  detail::finalize_mpi_and_shmem();
  detail::exit_together();
  std::_Exit(EXIT_FAILURE);
}

const ThreadLevel& facts_of(int level) {
  static constexpr ThreadLevel unknown{-1, "unknown", "an unknown thread level"};
  for (const ThreadLevel& known : thread_levels)
    if (known.level == level) return known;
  return unknown;
}

}  // namespace

namespace {

// How many processes launchers have started, as they say themselves.
constexpr const char *open_mpis = "OMPI_COMM_WORLD_SIZE", *pmis = "PMI_SIZE",
                     *slurms = "SLURM_STEP_NUM_TASKS";

bool is_open_mpi() {
  return mpi::library_version().starts_with("Open MPI");
}

}  // namespace

void detail::heed_alone() {
  if (base::switch_of(alone) && !is_open_mpi() && !base::variable(open_mpis).empty())
    for (const char* const name : {"PMIX_NAMESPACE", "PMIX_RANK", "PMIX_VERSION", "PRTE_LAUNCHED"})
      unsetenv(name);
}

std::string launcher_complaint() {
  MPI_Comm parent = MPI_COMM_NULL;
  HALOCLINE_MPI(MPI_Comm_get_parent, &parent);
  if (mpi::size(MPI_COMM_WORLD) > 1 || parent != MPI_COMM_NULL || base::switch_of(alone)) return {};
  // This MPI's own may have started one within a job of another's.
  if (base::variable(is_open_mpi() ? open_mpis : pmis) == "1") return {};
  for (const char* const word : {open_mpis, pmis, slurms}) {
    const std::string started = base::variable(word);
    if (started.empty() || started == "1") continue;
    if (word == slurms && base::variable("SLURM_MPI_TYPE") == "none") continue;  // no MPI is meant
    return "the launcher has started " + started + " ranks (" + word +
           "), but each is alone: it is the launcher of another MPI, ranks do not meet; take the "
           "one of " +
           mpi::library_version() + ", or set " + alone + "=1 if each is to run for itself";
  }
  return {};
}

const char* mpi::thread_level_word(int level) noexcept {
  return facts_of(level).word;
}
const char* mpi::thread_level_name(int level) noexcept {
  return facts_of(level).name;
}

Environment::Environment(int& argc, char**& argv, int thread_level) {
  int provided = 0, before = 0, ended = 0;
  MPI_Initialized(&before);
  MPI_Finalized(&ended);
  if (ended != 0) throw Error("MPI has ended; there is no second beginning");
  if (before != 0) mpi::expect_ranks(MPI_COMM_WORLD);
  began_ = before == 0;
  const Wishes wishes(thread_level);
  if (began_ && wishes.wrong.empty()) detail::heed_alone();
  if (began_)
    mpi::check(MPI_Init_thread(&argc, &argv, wishes.thread_level, &provided), "MPI_Init_thread");
  else
    mpi::check(MPI_Query_thread(&provided), "MPI_Query_thread");
  // In a program that has begun MPI itself the world is the program's, and may be others' as well,
  // that never come here.
  if (began_) {
    mpi::check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN),
               "MPI_Comm_set_errhandler");
    detail::share_last_word(MPI_COMM_WORLD);
    HALOCLINE_MPI(MPI_Comm_dup, MPI_COMM_WORLD, &farewell);
  }
  std::string wrong = wishes.wrong;
  if (wrong.empty() && began_) wrong = launcher_complaint();
  // A program that has begun MPI without threads calls it from one only.
  const int needed =
      !began_ && wishes.thread_level == MPI_THREAD_FUNNELED ? provided : wishes.thread_level;
  if (wrong.empty() && provided < needed)
    wrong = std::string(began_ ? "this MPI offers " : "MPI has begun with ") +
            mpi::thread_level_name(provided) + (began_ ? " at most" : "") +
            ", but what is asked for needs " + mpi::thread_level_name(needed) +
            (began_ ? "; ask for less, or take an MPI library that has it"
                    : "; ask for it where MPI begins (MPI_Init_thread)");
  if (began_)
    mpi::agree(MPI_COMM_WORLD, wrong);
  else if (!wrong.empty())
    throw Error(wrong);
  if (began_) Patience::detect(MPI_COMM_WORLD);
  if (wishes.delay.count() > 0)
    inject_delays(wishes.delay, 1 + static_cast<unsigned>(mpi::rank(MPI_COMM_WORLD)));
}

Environment::~Environment() {
  if (began_) detail::finalize_mpi_and_shmem();
}

int detail::run_guarded(int argc, char** argv, std::string_view program, int thread_level,
                        void* body, int (*call)(void* body, int argc, char** argv)) {
  StandardOutput output(program);
  if (Patience::current().stuck == nullptr) Patience::current().stuck = &end_process;
  std::optional<Environment> environment;  // ends after an exception has been told
  try {
    environment.emplace(argc, argv, thread_level);
    return output.end(call(body, argc, argv));
  } catch (const std::exception& problem) {
    end_job(program, words_of(problem));
  }
}

void end_job(std::string_view program, std::string_view text) noexcept {
  if (!mpi::running()) {  // without MPI, or forked off: no ranks that could meet, nor a job
    std::fprintf(stderr, "%.*s: %.*s\n", static_cast<int>(program.size()), program.data(),
                 static_cast<int>(text.size()), text.data());
    std::_Exit(EXIT_FAILURE);
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const Ending end = meet_at_the_end(rank);
  if (end.in_order && rank != end.speaker) end_in_order();
  // Low ranks speak first and end the job: on several nodes, too, an error is said once.
  if (rank != end.speaker)
    std::this_thread::sleep_for(std::chrono::milliseconds(500) * (1 + std::min(rank, 8)));
  if (!detail::take_last_word()) detail::exit_silently();
  std::fprintf(stderr, "%.*s: rank %d: %.*s\n", static_cast<int>(program.size()), program.data(),
               rank, static_cast<int>(text.size()), text.data());
  std::fflush(nullptr);
  if (end.in_order) end_in_order();
  // A launcher may drop what is still in its pipes when a job aborts.
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  std::_Exit(EXIT_FAILURE);
}

}  // namespace halocline
