#pragma once
// Styles: how the threads of a rank share sweeping and communicating; a setting, like a scheme.
//
// A step is: exchange, sweep the inner part, which needs no halo, and sweep the border, which does.
// The caller defines the two parts and sweeps a piece of each; a style carries the step out. (R.
// Rabenseifner, G. Hager, G. Jost, "Hybrid MPI/OpenMP parallel programming on clusters of
// multi-core SMP nodes", PDP 2009, name the first of them.)
//
// Needs OpenMP, and the target halocline::style beside halocline::halocline.

#include <halocline/exchange.hpp>
#include <halocline/range.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)

namespace halocline {

class Section;

/// `masteronly`, `naive`, `funneled`, `single`, `thread`, `tasks`, `partitioned`, `multiple`, or
/// `auto`, which becomes one of them.
class Style {
 public:
  /// Throws Error naming all there are.
  Style(std::string_view name);  // NOLINT: a string is a style
  Style(const char* name) : Style(std::string_view(name)) {}
  Style(const std::string& name) : Style(std::string_view(name)) {}

  const std::string& str() const noexcept { return name_; }
  /// The thread level that it needs: MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED or
  /// MPI_THREAD_MULTIPLE.
  int thread_level() const noexcept { return thread_level_; }
  bool operator==(const Style& other) const noexcept { return name_ == other.name_; }

 private:
  std::string name_;
  int thread_level_;
};

/// What `--list-styles` prints.
struct StyleFacts {
  std::string style{};
  std::string summary{};  ///< one line: who does what
  int thread_level = 0;   ///< that it needs of MPI
};
std::vector<StyleFacts> known_styles();

/// What a step sweeps, in units that threads can share: rows, planes, slices.
struct Sweep {
  /// Units [begin, end), by the thread of this number. Called at the same time by several threads,
  /// for units of their own.
  using Piece = std::function<void(std::int64_t begin, std::int64_t end, int thread)>;
  std::int64_t inner = 0;   ///< units that read no halo
  std::int64_t border = 0;  ///< those that may
  Piece sweep_inner{}, sweep_border{};
  /// The field in turn that is written, if the next step exchanges it: `partitioned` sends parts of
  /// it as units of the border are swept (StyledExchange::touch).
  std::optional<std::size_t> writes{};
};

/// Which received elements a unit of the border reads, and which sent ones it writes, as elements
/// of a field in turn. Boxes may be larger: only elements of messages count.
struct Touched {
  Block reads{.count = {0, 0, 0}};
  Block writes{.count = {0, 0, 0}};
};

/// Cells of a box, along three axes, slowest first.
struct Cells {
  std::array<Range, 3> axes{};
  bool empty() const noexcept {
    return axes[0].size() <= 0 || axes[1].size() <= 0 || axes[2].size() <= 0;
  }
};

/// A box of cells as the two parts of a step.
struct Split {
  Cells inner{};                ///< may be empty
  std::vector<Cells> border{};  ///< pieces that threads can share
};

/// Cuts a box of `size` cells whose outermost `width` layers need halos where `continues` (for each
/// axis below and above) says that other ranks' cells follow. Every face is cut into `pieces`, as
/// far as it has cells.
Split split_cells(const std::array<std::int64_t, 3>& size,
                  const std::array<std::array<bool, 2>, 3>& continues, int pieces,
                  std::int64_t width = 1);

/// Touched of a unit that writes these cells and reads those around them, up to `reach` away along
/// every axis. Cell (0, 0, 0) is element `first`, planes and rows are `stride` elements apart.
Touched touched(const Cells& cells, std::ptrdiff_t first,
                const std::array<std::ptrdiff_t, 2>& stride, std::int64_t reach = 1);

/// Seconds of this rank, summed since the last reset.
struct StyleTimes {
  double sweep = 0;  ///< of the first thread in the caller's functions
  double exchange =
      0;  ///< of the thread that communicates in the exchange; `multiple`: of the first
};

/// An exchange and sweep that `threads` OpenMP threads carry out in some style.
///
///     Style style("thread");
///     StyledExchange exchange(comm, grid.halo(), {a, b}, "shm:signal", style, 4);
///     Sweep sweep{.inner = rows - 2, .border = 2,
///                 .sweep_inner = [&](auto begin, auto end, int) { ... },
///                 .sweep_border = [&](auto begin, auto end, int) { ... }};
///     exchange.step(sweep, k % 2);
///
/// After the exchange halos are in the caller's memory, or read in place (ExchangeOptions::halos).
/// Steps have the contracts of `Exchange`; the inner part may be swept before, while and after it.
class StyledExchange {
 public:
  /// For fields that are exchanged in turn, such as the two grids of Jacobi's method, with the same
  /// pattern for each. The scheme that `auto` chooses for the first serves the others. `multiple`
  /// cuts every message into as many parts as the rank with the most threads has threads, each with
  /// a communicator.
  ///
  /// Style `auto` chooses among those for which MPI's thread level is enough, while the program
  /// runs, as Section says of schemes: from one step to the next is a lap, nearly all are made in
  /// the fastest style known so far, and now and then one in another. Rank 0 keeps the choice in
  /// the tuner's file (Tuning) for steps of the same sizes, ranks, threads and scheme. With the
  /// scheme `auto+when=running` these laps choose the scheme, too, the same for all fields.
  ///
  /// Waits give the core away if there is more than one thread: other threads compute meanwhile.
  /// (Patience::yield stays as it is.)
  ///
  /// Collective. Throws the same Error on all ranks if MPI gives less than the style's thread
  /// level, or `threads` is below 1.
  StyledExchange(MPI_Comm comm, const Pattern& pattern, std::vector<Field> in_turn,
                 const Scheme& scheme, const Style& style, int threads,
                 Halos halos = Halos::filled);
  ~StyledExchange();
  StyledExchange(StyledExchange&&) noexcept;
  StyledExchange& operator=(StyledExchange&&) noexcept;

  /// Says what each unit of the border touches, the same for all fields. Then `partitioned` sweeps
  /// a unit once the halos that it reads have arrived, and marks what it writes (Sweep::writes)
  /// when its sweep ends. It marks sent elements that no unit writes at the beginning. For other
  /// styles this changes nothing.
  void touch(std::span<const Touched> border);

  /// From now on the laps of `section` choose, and no longer its own steps. Before the first step.
  /// Collective. Throws Error if it chooses nothing while it runs, or does so already.
  void join(Section& section);

  /// Fills the halos of a field, and sweeps. Collective; throws what an exchange or a sweep throws.
  /// If `sweep` says which field it writes, the next step or `run` must be of that field, or follow
  /// a `finish`: its exchange may be under way already.
  void step(const Sweep& sweep, std::size_t field = 0);
  /// Waits for the exchange that a step has begun for the next one. Collective.
  void finish();
  /// Fills the halos of a field, outside a parallel region. Collective.
  void run(std::size_t field = 0);

  /// True if halos stay in the neighbour's memory, where `view` (Exchange::view) finds them.
  bool direct() const;
  HaloView view(std::size_t link, std::size_t block, std::size_t field = 0) const;

  /// The style in use. With `auto`: the one of nearly all steps, or `auto` until another has been
  /// tried; in a section the one in use now.
  const Style& style() const;
  const Scheme& scheme() const;    ///< of `auto`: what it has become
  std::size_t bytes_sent() const;  ///< by this rank in one step
  /// `thread`: how much of the inner part the communicating thread sweeps, as a share of what each
  /// other thread sweeps; adapted in the steps so far.
  double share() const;

  void measure(bool on);         ///< keep `phases()`; off by default
  ExchangeTimes phases() const;  ///< of the exchanges; `multiple`: of a thread on average
  const StyleTimes& times() const;
  void reset_times();

 private:
  struct State;
  State& state() const;
  std::unique_ptr<State> state_;
};

}  // namespace halocline

#pragma GCC visibility pop
