#include "generate.hpp"

#include <frame/lists.hpp>
#include <numerics/point_checksum.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_set>

namespace spmv {

using namespace halocline;

namespace {

using Numbers = std::vector<std::int64_t>;

// --- Stencils
// -------------------------------------------------------------------------------------

/// On a grid whose first axis is the fastest, open at its sides: each point less its neighbours,
/// which are those that differ by at most one step along every axis and along at most `most` of
/// them. `weights` are of steps along each axis.
Generator stencil(const Numbers& points, int most, std::array<double, 3> weights = {1, 1, 1}) {
  std::array<std::int64_t, 3> side{1, 1, 1};
  std::ranges::copy(points, side.begin());
  struct Neighbour {
    std::array<std::int64_t, 3> step;
    double value;
  };
  std::vector<Neighbour> neighbours;
  double sum = 0;
  const auto reach = [&](std::size_t axis) { return axis < points.size() ? 1 : 0; };
  for (std::int64_t z = -reach(2); z <= reach(2); ++z)
    for (std::int64_t y = -reach(1); y <= reach(1); ++y)
      for (std::int64_t x = -1; x <= 1; ++x) {
        const std::array<std::int64_t, 3> step{x, y, z};
        const auto steps = 3 - std::ranges::count(step, 0);
        if (steps == 0 || steps > most) continue;
        double weight = 1;
        for (std::size_t axis = 0; axis < 3; ++axis)
          if (step[axis] != 0) weight *= weights[axis];
        neighbours.push_back({step, -weight});
        sum += weight;
      }
  neighbours.insert(neighbours.begin() + std::ssize(neighbours) / 2, {{0, 0, 0}, sum});
  const auto row_entries = static_cast<double>(neighbours.size());
  return {side[0] * side[1] * side[2], row_entries,
          [=](std::int64_t row, std::vector<Entry>& entries) {
            const std::array<std::int64_t, 3> at{row % side[0], row / side[0] % side[1],
                                                 row / side[0] / side[1]};
            for (const auto& [step, value] : neighbours) {
              const std::int64_t x = at[0] + step[0], y = at[1] + step[1], z = at[2] + step[2];
              const bool inside =
                  x >= 0 && x < side[0] && y >= 0 && y < side[1] && z >= 0 && z < side[2];
              if (inside) entries.push_back({(z * side[1] + y) * side[0] + x, value});
            }
          }};
}

// --- Random ones
// ----------------------------------------------------------------------------------

/// Numbers that depend on a seed and a row alone.
class Dice {
 public:
  Dice(std::int64_t seed, std::int64_t row)
      : state_(numerics::mix(static_cast<std::uint64_t>(seed) + 0x9e3779b97f4a7c15ULL) +
               static_cast<std::uint64_t>(row)) {}
  std::uint64_t roll() { return state_ = numerics::mix(state_ + 0x9e3779b97f4a7c15ULL); }
  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(roll() % static_cast<std::uint64_t>(end));
  }
  double unit() { return static_cast<double>(roll() >> 11) * 0x1p-53; }  ///< from 0 to below 1

 private:
  std::uint64_t state_;
};

/// So many different columns of a range (R. Floyd's algorithm), the diagonal among them.
void scatter(Dice& dice, std::int64_t row, const Range& range, std::int64_t count,
             std::vector<Entry>& entries) {
  std::unordered_set<std::int64_t> taken{row};
  // The diagonal is left out of the range, and put back by a step over it.
  const std::int64_t others = range.size() - 1;
  for (std::int64_t last = others - (count - 1); last < others; ++last) {
    const auto place = [&](std::int64_t at) {
      const std::int64_t column = range.begin + at;
      return column < row ? column : column + 1;
    };
    const std::int64_t drawn = place(dice.below(last + 1));
    const std::int64_t column = taken.insert(drawn).second ? drawn : place(last);
    taken.insert(column);
    entries.push_back({column, 2 * dice.unit() - 1});
  }
  entries.push_back({row, static_cast<double>(count)});
}

Generator banded(std::int64_t size, std::int64_t width, std::int64_t least, std::int64_t most,
                 std::int64_t seed) {
  const double drawn = 0.5 * (static_cast<double>(least) + static_cast<double>(most));
  return {
      size, std::min(drawn, 2 * static_cast<double>(width) + 1),
      [=](std::int64_t row, std::vector<Entry>& entries) {
        Dice dice(seed, row);
        const Range range{std::max<std::int64_t>(0, row - width), std::min(size, row + width + 1)};
        const std::int64_t count = least + dice.below(most - least + 1);
        scatter(dice, row, range, std::min(count, range.size()), entries);
      }};
}

/// Lengths of rows have Pareto's distribution with exponent 2, of this mean.
Generator power_law(std::int64_t size, std::int64_t mean, std::int64_t seed) {
  return {size, static_cast<double>(mean), [=](std::int64_t row, std::vector<Entry>& entries) {
            Dice dice(seed, row);
            const double length = static_cast<double>(mean) / 2 / std::sqrt(1 - dice.unit());
            const auto most = static_cast<double>(std::min<std::int64_t>(size, 100'000));
            const auto count = static_cast<std::int64_t>(std::clamp(length, 1.0, most));
            scatter(dice, row, {0, size}, count, entries);
          }};
}

// --- A chain of electrons and phonons
// -------------------------------------------------------------

/// Two electrons of opposite spin on a ring of sites, each of which can swing (T. Holstein's and
/// J. Hubbard's terms, as in H. Fehske, G. Wellein, A. Weisse: High Performance Computing in
/// Science and Engineering, 2004): hopping -1, repulsion 4, phonons of energy 1, coupling 1.
/// Phonons are the fast index, so that a hop reaches far.
Generator chain(std::int64_t sites, std::int64_t levels) {
  std::int64_t phonons = 1;
  for (std::int64_t site = 0; site < sites; ++site) phonons *= levels;
  return {sites * sites * phonons, sites > 1 ? 9.0 : 3.0,
          [=](std::int64_t row, std::vector<Entry>& entries) {
            const std::int64_t up = row / phonons / sites, down = row / phonons % sites;
            const std::int64_t swing = row % phonons;
            const auto state = [&](std::int64_t u, std::int64_t d) {
              return ((u + sites) % sites * sites + (d + sites) % sites) * phonons + swing;
            };
            double energy = up == down ? 4 : 0;
            std::int64_t step = 1;
            for (std::int64_t site = 0; site < sites; ++site, step *= levels) {
              const std::int64_t n = swing / step % levels;
              const double here = (up == site ? 1 : 0) + (down == site ? 1 : 0);
              energy += static_cast<double>(n);
              if (here == 0) continue;
              if (n > 0) entries.push_back({row - step, -here * std::sqrt(static_cast<double>(n))});
              if (n + 1 < levels)
                entries.push_back({row + step, -here * std::sqrt(static_cast<double>(n + 1))});
            }
            entries.push_back({row, energy});
            if (sites == 1) return;
            for (const int hop : {-1, 1}) {
              entries.push_back({state(up + hop, down), -1});
              entries.push_back({state(up, down + hop), -1});
            }
          }};
}

// --- What can be asked for
// ------------------------------------------------------------------------

struct Kind {
  const char *name, *numbers;
  std::size_t least, most;  ///< how many numbers
  Generator (*make)(const Numbers&);
};

std::int64_t seed_of(const Numbers& all, std::size_t at) {
  return all.size() > at ? all[at] : 1;
}

const Kind kinds[] = {
    {"5pt", "X,Y", 2, 2, [](const Numbers& n) { return stencil(n, 1); }},
    {"9pt", "X,Y", 2, 2, [](const Numbers& n) { return stencil(n, 2); }},
    {"7pt", "X,Y,Z", 3, 3, [](const Numbers& n) { return stencil(n, 1); }},
    {"27pt", "X,Y,Z", 3, 3, [](const Numbers& n) { return stencil(n, 3); }},
    {"anisotropic", "X,Y,Z", 3, 3,
     [](const Numbers& n) {
       return stencil(n, 1, {1, 0.1, 0.01});
     }},
    {"random", "ROWS,BANDWIDTH,LEAST,MOST[,SEED]", 4, 5,
     [](const Numbers& n) {
       return banded(n[0], n[1], n[2], std::max(n[2], n[3]), seed_of(n, 4));
     }},
    {"power", "ROWS,MEAN[,SEED]", 2, 3,
     [](const Numbers& n) { return power_law(n[0], n[1], seed_of(n, 2)); }},
    {"holstein", "SITES,LEVELS", 2, 2, [](const Numbers& n) { return chain(n[0], n[1]); }},
};

/// The product of some numbers, unless it is too large for an index.
bool fits(const Numbers& numbers, std::size_t first, std::size_t last) {
  double product = 1;
  for (std::size_t i = first; i < last; ++i) product *= static_cast<double>(numbers[i]);
  return product <= 0x1p50;
}

bool fits(const Kind& kind, const Numbers& numbers) {
  const std::string_view name = kind.name;
  if (name == "holstein")
    return std::pow(numbers[1], numbers[0]) * static_cast<double>(numbers[0] * numbers[0]) <=
           0x1p50;
  return name == "random" || name == "power" ? fits(numbers, 0, 1)
                                             : fits(numbers, 0, numbers.size());
}

}  // namespace

const char* const generators_help =
    "a matrix: 5pt:X,Y, 9pt:X,Y, 7pt:X,Y,Z, 27pt:X,Y,Z or anisotropic:X,Y,Z (1, 0.1 and 0.01 along "
    "the axes) on a grid; random:ROWS,BANDWIDTH,LEAST,MOST[,SEED], LEAST to MOST entries a row; "
    "power:ROWS,MEAN[,SEED], few long rows and many short ones; holstein:SITES,LEVELS, two "
    "electrons on a ring that swings";

Generator generator(std::string_view option, std::string_view description) {
  const auto refuse = [&](const std::string& right) {
    throw Error(std::string(option) + " " + std::string(description) + ": must be " + right);
  };
  const std::string_view name = description.substr(0, description.find(':'));
  const auto kind = std::ranges::find_if(kinds, [&](const Kind& one) { return one.name == name; });
  if (kind == std::end(kinds)) {
    std::string names;
    for (const Kind& one : kinds)
      names += (names.empty() ? "" : ", ") + std::string(one.name) + ":" + one.numbers;
    refuse("one of " + names);
  }
  const std::string right = std::string(kind->name) + ":" + kind->numbers + ", numbers from 1";
  if (name.size() == description.size()) refuse(right);
  const Numbers numbers = frame::numbers(description.substr(name.size() + 1), ',');
  if (numbers.size() < kind->least || numbers.size() > kind->most) refuse(right);
  if (!fits(*kind, numbers)) refuse("of at most 2^50 rows");
  return kind->make(numbers);
}

Matrix generate(const Generator& generator, const Range& rows) {
  Matrix matrix;
  matrix.rows = rows;
  matrix.all_rows = matrix.all_columns = generator.size;
  matrix.begin.reserve(static_cast<std::size_t>(rows.size()) + 1);
  std::vector<Entry> entries;
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    entries.clear();
    generator.row(row, entries);
    if (!std::ranges::is_sorted(entries, {}, &Entry::column))
      std::ranges::stable_sort(entries, {}, &Entry::column);
    std::int64_t before = -1;
    for (const auto& [column, value] : entries) {
      if (column == before) {
        matrix.values.back() += value;
        continue;
      }
      matrix.columns.push_back(column);
      matrix.values.push_back(value);
      before = column;
    }
    matrix.begin.push_back(std::ssize(matrix.columns));
  }
  return matrix;
}

}  // namespace spmv
