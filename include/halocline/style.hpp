#pragma once
// Styles: how the threads of a rank share sweeping and communicating. A setting, as a scheme is.
//
// A step is: exchange, sweep the inner part, which needs no halo, and sweep the border, which does.
// The caller says what the two parts are and how a piece of each is swept; a style carries it out.
// (R. Rabenseifner, G. Hager, G. Jost, "Hybrid MPI/OpenMP parallel programming on clusters of
// multi-core SMP nodes", PDP 2009, name the first of them.)
//
// Needs OpenMP, and the target halocline::style beside halocline::halocline.

#include <halocline/exchange.hpp>
#include <halocline/topology.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace halocline {

/// `masteronly`, `funneled`, `single`, `thread`, `tasks`, `partitioned` or `multiple`.
class Style {
 public:
  /// Throws Error naming all there are.
  Style(std::string_view name);  // NOLINT: a string is a style
  Style(const char* name) : Style(std::string_view(name)) {}
  Style(const std::string& name) : Style(std::string_view(name)) {}

  const std::string& str() const noexcept { return name_; }
  /// That it needs of MPI: MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE.
  int thread_level() const noexcept { return thread_level_; }
  bool operator==(const Style& other) const noexcept { return name_ == other.name_; }

 private:
  std::string name_;
  int thread_level_;
};

/// What `--list-styles` prints.
struct StyleFacts {
  std::string style;
  std::string summary;  ///< one line: who does what
  int thread_level;     ///< that it needs of MPI
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
  Cells inner;                ///< may be empty
  std::vector<Cells> border;  ///< pieces that threads can share
};

/// Cuts a box of `size` cells whose outermost `width` layers need halos where `continues` (for each
/// axis below and above) says that other ranks' cells follow. Every face is cut into `pieces`, as
/// far as it has cells.
Split split(const std::array<std::int64_t, 3>& size,
            const std::array<std::array<bool, 2>, 3>& continues, int pieces,
            std::int64_t width = 1);

/// Seconds of this rank, summed since the last reset.
struct StyleTimes {
  double sweep = 0;  ///< of the first thread in the caller's functions
  double exchange =
      0;  ///< of the thread that communicates in the exchange; `multiple`: of the first
};

/// An exchange whose steps are carried out by `threads` OpenMP threads in some style.
///
///     Style style("thread");
///     StyledExchange exchange(comm, grid.halo(), {a, b}, "shm:signal", style, 4);
///     Sweep sweep{.inner = rows - 2, .border = 2,
///                 .sweep_inner = [&](auto begin, auto end, int) { ... },
///                 .sweep_border = [&](auto begin, auto end, int) { ... }};
///     exchange.step(sweep, k % 2);
///
/// Halos are always in the caller's own memory after the exchange: what `access=direct` could read
/// in the neighbour's is copied from there. Steps have the contracts of `Exchange`: the inner part
/// may be swept before, while and after the field is exchanged.
class StyledExchange {
 public:
  /// Of fields that are exchanged in turn, such as the two grids of Jacobi's method; the same
  /// pattern for each. What `auto` chooses for the first serves the others. With `multiple` every
  /// message is cut into as many as the rank with the most threads has, each with a communicator.
  ///
  /// Collective. Throws the same Error on all ranks where MPI gives less than the style's thread
  /// level, or there are no threads.
  StyledExchange(MPI_Comm comm, const Pattern& pattern, std::vector<Field> in_turn,
                 const Scheme& scheme, const Style& style, int threads);
  ~StyledExchange();
  StyledExchange(StyledExchange&&) noexcept;
  StyledExchange& operator=(StyledExchange&&) noexcept;

  /// Fills the halos of a field, and sweeps. Collective; throws what an exchange or a sweep throws.
  void step(const Sweep& sweep, std::size_t field = 0);
  /// Fills the halos of a field, outside a parallel region. Collective.
  void run(std::size_t field = 0);

  const Style& style() const noexcept;
  const Scheme& scheme() const noexcept;    ///< of `auto`: what it has become
  std::size_t bytes_sent() const noexcept;  ///< by this rank in one step
  /// `thread`: of what each of the others sweeps of the inner part, the part of the thread that
  /// communicates, as measured in the steps so far.
  double share() const noexcept;

  void measure(bool on) noexcept;  ///< keep `phases()`; off by default
  ExchangeTimes phases() const;    ///< of the exchanges; `multiple`: of a thread on average
  const StyleTimes& times() const noexcept;
  void reset_times() noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace halocline
