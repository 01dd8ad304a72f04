#include "spmv.hpp"

#include "slice_columns.hpp"

#include <base/text.hpp>
#include <frame/checksum.hpp>
#include <frame/in_laps.hpp>
#include <frame/state_file.hpp>
#include <frame/vector_file.hpp>
#include <machine/lap.hpp>
#include <machine/memory.hpp>
#include <machine/stopwatch.hpp>
#include <numerics/point_checksum.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

namespace spmv {

using namespace halocline;

namespace {

/// Bytes that a triad moves of an element: of three arrays, and the line that it writes, which is
/// read before, as those of y are.
constexpr double triad_bytes = 32;

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

std::vector<double> all_of(std::vector<double> values, MPI_Op op) {
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, values.data(), static_cast<int>(values.size()),
                MPI_DOUBLE, op, world());
  return values;
}

}  // namespace

std::string Spmv::usage() const {
  return "Usage: spmv MATRIX.mtx [options]\n"
         "       spmv --generate 7pt:200,200,200 [options]\n\n"
         "The product of a sparse matrix and a vector, y = A x, by rows: x goes to the ranks that\n"
         "need it. The file is a Matrix Market one (coordinate), which all ranks read at once.\n"
         "With --solve the system A x = b instead.\n\n"
         "Example: mpiexec -n 2 spmv --generate 7pt:100,100,100 --scheme auto --check\n";
}

void Spmv::declare(frame::CommandLine& line) {
  settings_.declare(line);
  line.output(
      "--output F.npy", "write y, or the solution x",
      [this](const std::string& file) {
        frame::write_vector(world(), "--output", file, matrix_.all_rows, even_, result_.span());
      },
      [](const std::string& file) { frame::check_vector_name("--output", file); },
      base::Writing::shared);
}

void Spmv::settle(const frame::Options& options) {
  settings_.plan.style = options.style;
  settings_.settle();
  if (settings_.files.empty())
    generator_ = generator("--generate", settings_.generate);
  else
    file_ = look_into(world(), settings_.files[0]);
  if (settings_.solve) check_square("--solve");
  if (settings_.power) check_square("--power");
  if (settings_.plan.layout == Layout::symmetric) check_square("--format symmetric");
  if (settings_.reorder) check_square("--reorder");
  if (settings_.by_graph())
    check_square((std::string("--partition ") + name_of(settings_.parts)).c_str());
  settings_.plan.scheme = options.scheme;
  const std::string given = checkpoints_.given();
  checkpoints_.settle(options,
                      settings_.solve && !given.empty() ? system() : nlohmann::ordered_json());
  frame::only_with(given.empty() || settings_.solve, given, "--solve");
  if (options.progress)
    progress_ = frame::progress_line(name, settings_.solve ? "iteration" : "product",
                                     settings_.solve ? "residual" : "");
}

nlohmann::ordered_json Spmv::system() const {
  const Task task = settings_.task();
  const std::string& rhs = settings_.right_side;
  return {{"matrix",
           file_ ? frame::content_of_file(world(), "MATRIX", file_->name) : settings_.generate},
          {"rows", rows()},
          {"rhs", rhs.empty() ? rhs : frame::content_of_file(world(), "--rhs", rhs)},
          {"solve", name_of(task.method)},
          {"preconditioner", name_of(task.preconditioner)}};
}

std::int64_t Spmv::rows() const {
  return generator_ ? generator_->size : file_->header.rows;
}

void Spmv::check_square(const char* option) const {
  if (!file_ || file_->header.rows == file_->header.columns) return;
  formats::Lines({}, file_->name, file_->lines)
      .refuse("is " + std::to_string(file_->header.rows) + " x " +
              std::to_string(file_->header.columns) + ", but must be square for " + option);
}

/// What goes wrong says of which matrix.
template <class Work>
void Spmv::named(const Work& work) const {
  try {
    work();
  } catch (const Error& problem) {
    throw Error((file_ ? file_->name : settings_.generate) + ": " + problem.what());
  }
}

void Spmv::prepare() {
  const Plan& plan = settings_.plan;
  if (settings_.power) {
    powers_.emplace(world(), matrix_, plan, *settings_.power);
    stored_ = powers_->stored();
    count_halos(powers_->pattern());
    return;
  }
  product_.emplace(world(), matrix_, plan, settings_.solve ? inputs_of(*settings_.solve) : 1);
  stored_ = product_->stored();
  inner_ = product_->inner_rows();
  count_halos(product_->halo().pattern);
  my_bytes_ = product_->bytes();
  if (settings_.solve)
    named([&] {
      inverse_ = inverse_of(world(), matrix_, settings_.task().preconditioner, plan, *product_,
                            place_.empty() ? place_ : inverse(place_));
    });
}

void Spmv::count_halos(const Pattern& pattern) {
  for (const Link& link : pattern.receives()) halo_ += static_cast<std::int64_t>(link.size());
  messages_ = std::ssize(pattern.receives());
  most_ = halo_;
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &most_, 1, MPI_INT64_T, MPI_MAX, world());
}

void Spmv::check_diagonal() const {
  try {
    diagonal_of(world(), matrix_);
  } catch (const ZeroDiagonal& zero) {
    if (!file_) throw;
    const std::int64_t line = line_of(world(), *file_, zero.row, zero.row);
    throw Error(zero.what() + (line > 0 ? " (line " + std::to_string(line) + ")"
                                        : std::string(" (no line has it)")));
  }
}

/// Before any is taken; nobody knows better yet than that ranks have equal shares.
void Spmv::check_memory() const {
  const auto all_rows = static_cast<double>(rows());
  double entries = generator_ ? all_rows * generator_->row_entries : 0;
  // As it is, with places of columns, and as the format has it.
  double entry = sizeof(std::int64_t) + 2 * sizeof(std::int32_t) + 2 * sizeof(double);
  if (file_) {
    // A file may say that it has more than fit into it. What is read is dealt out, and then sorted.
    const auto fit = static_cast<double>(file_->bytes) / 4;
    const bool both = file_->header.symmetry != formats::Symmetry::general;
    entries = std::min(static_cast<double>(file_->header.entries), fit) * (both ? 2 : 1);
    entry = 3 * sizeof(formats::Entry);
  }
  if (settings_.preconditioner == Preconditioner::sgs)
    entry += 2 * (sizeof(std::int32_t) + sizeof(double));
  constexpr double row = 2 * sizeof(std::int64_t) + 2 * sizeof(double);
  machine::check_memory(world(), (all_rows * row + entries * entry) / mpi::size(world()), name);
}

void Spmv::make_matrix() {
  check_memory();
  const int ranks = mpi::size(world()), me = mpi::rank(world());
  even_ = part_of(rows(), ranks, me);
  matrix_ = generator_ ? generate(*generator_, even_) : read(world(), *file_);
  // By the numbers at first, which a message names.
  if (settings_.solve && settings_.task().preconditioner != Preconditioner::none)
    named([&] { check_diagonal(); });
  if (settings_.reorder) bandwidth_[0] = bandwidth(world(), matrix_);
  named([&] {
    Range mine = even_;
    if (settings_.reorder) place_ = reverse_cuthill_mckee(world(), matrix_);
    if (settings_.by_graph()) {
      const Partitioner by = partitioner(name_of(settings_.parts));
      Sharing sharing = shared_out(world(), matrix_, by, place_);
      place_ = std::move(sharing.place);
      mine = sharing.mine;
    }
    if (!place_.empty()) matrix_ = renumbered(world(), matrix_, place_, mine);
  });
  if (settings_.reorder) bandwidth_[1] = bandwidth(world(), matrix_);
  if (settings_.parts == Parts::entries && ranks > 1) matrix_ = balanced(world(), matrix_);
}

void Spmv::read_vector(const char* option, const std::string& file, std::int64_t all, Range mine,
                       std::span<double> numbers) const {
  if (place_.empty()) return frame::read_vector(world(), option, file, all, mine, numbers);
  std::vector<double> as_at_first(static_cast<std::size_t>(even_.size()));
  frame::read_vector(world(), option, file, all, even_, as_at_first);
  std::ranges::copy(moved(world(), even_, as_at_first, place_, mine), numbers.begin());
}

void Spmv::set_up() {
  make_matrix();
  own_ = columns_of(world(), matrix_);
  result_ = Array<double>(world(), static_cast<std::size_t>(matrix_.rows.size()));
  for (std::size_t row = 0; row < result_.size(); ++row)
    empty_ += matrix_.begin[row] == matrix_.begin[row + 1];
  entries_ = matrix_.entries();
  prepare();
  for (std::int64_t* const sum : {&entries_, &stored_, &inner_, &halo_, &messages_, &empty_})
    *sum = over_ranks(world(), *sum);
  bytes_ = all_of({my_bytes_}, MPI_SUM)[0];

  if (settings_.x.empty())
    std::ranges::fill(x(), 1.0);
  else
    read_vector("--x", settings_.x, matrix_.all_columns, own_, x());
  if (!settings_.check) {
    matrix_.columns = {};
    matrix_.values = {};
  }
  if (settings_.solve) {
    right_side_.resize(result_.size());
    if (settings_.right_side.empty())
      product_->multiply(right_side_.data());
    else
      read_vector("--rhs", settings_.right_side, matrix_.all_rows, matrix_.rows, right_side_);
  }
  if (settings_.bandwidth)
    stream_.emplace(static_cast<std::size_t>(triad_numbers()), settings_.plan.threads);
}

double Spmv::triad_numbers() const {
  // As much as the product moves, but no less than caches do not hold.
  return std::floor(std::max(my_bytes_ / triad_bytes, 8.0 * (1 << 20)));
}

frame::Repetition Spmv::solve() {
  HALOCLINE_MPI(MPI_Barrier, world());
  ProductTimes& times = product_ ? product_->times : powers_->times;
  times = {};
  frame::Repetition mine = settings_.solve ? solve_system() : multiply();
  mine.phases.compute = times.compute;
  mine.phases.wait = times.wait;
  mine.phases.copy = times.copy;
  compute_.push_back(mine.phases.compute);
  total_.push_back(mine.seconds);
  // Ranks that read x in place must have read it before it goes away.
  HALOCLINE_MPI(MPI_Barrier, world());
  return mine;
}

frame::Repetition Spmv::solve_system() {
  frame::Repetition mine;
  const auto begin = machine::Clock::now();
  solution_ =
      spmv::solve(world(), *product_, inverse_, right_side_, result_.span(), settings_.plan.threads,
                  settings_.task(), progress_, {world(), &checkpoints_, matrix_, place_});
  mine.seconds = machine::seconds_since(begin);
  return mine;
}

frame::Repetition Spmv::multiply() {
  if (stream_) {
    HALOCLINE_MPI(MPI_Barrier, world());
    const auto begin = machine::Clock::now();
    for (int i = 0; i < products(); ++i) stream_->triad();
    HALOCLINE_MPI(MPI_Barrier, world());
    triad_.push_back(products() * triad_bytes * triad_numbers() / machine::seconds_since(begin));
    HALOCLINE_MPI(MPI_Barrier, world());
    const auto reading = machine::Clock::now();
    double bytes = 0;
    for (int i = 0; i < products(); ++i) bytes += product_->read();
    HALOCLINE_MPI(MPI_Barrier, world());
    reading_.push_back(bytes / machine::seconds_since(reading));
  }
  frame::Repetition mine;
  std::span<const double> result;
  const auto begin = machine::Clock::now();
  for (int i = 0; i < products(); ++i) {
    const auto before = machine::Clock::now();
    std::optional<machine::Lap> lap;
    if (product_) lap.emplace(product_->section());
    if (product_ && settings_.plan.device)
      product_->multiply_there(i + 1 == products() ? result_.data() : nullptr);
    else if (product_)
      product_->multiply(result_.data());
    else
      result = powers_->multiply();
    lap.reset();
    mine.steps.push_back(machine::seconds_since(before));
    if (progress_) progress_(i + 1, std::nullopt);
  }
  mine.seconds = machine::seconds_since(begin);
  if (powers_) std::ranges::copy(result, result_.begin());
  return mine;
}

void Spmv::check() const {
  const auto whole = [&](std::span<const double> mine, const Range& range, std::int64_t all) {
    std::vector<int> counts(static_cast<std::size_t>(mpi::size(world()))), begins(counts.size());
    const auto count = static_cast<int>(mine.size()), first = static_cast<int>(range.begin);
    HALOCLINE_MPI(MPI_Allgather, &count, 1, MPI_INT, counts.data(), 1, MPI_INT, world());
    HALOCLINE_MPI(MPI_Allgather, &first, 1, MPI_INT, begins.data(), 1, MPI_INT, world());
    std::vector<double> vector(static_cast<std::size_t>(all));
    HALOCLINE_MPI(MPI_Allgatherv, mine.data(), count, MPI_DOUBLE, vector.data(), counts.data(),
                  begins.data(), MPI_DOUBLE, world());
    return vector;
  };
  std::vector<double> x = whole(this->x(), own_, matrix_.all_columns), y(result_.size());
  for (int step = 1; step <= power(); ++step) {
    for (std::size_t row = 0; row < y.size(); ++row) {
      y[row] = 0;
      for (auto e = static_cast<std::size_t>(matrix_.begin[row]);
           e < static_cast<std::size_t>(matrix_.begin[row + 1]); ++e)
        y[row] += matrix_.values[e] * x[static_cast<std::size_t>(matrix_.columns[e])];
    }
    if (step < power()) x = whole(y, matrix_.rows, matrix_.all_rows);
  }
  const auto [right, mine] = std::ranges::mismatch(y, result_, [](double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  });
  mpi::agree(world(), right == y.end()
                          ? ""
                          : "--check: the result in row " +
                                std::to_string(matrix_.rows.begin + (right - y.begin()) + 1) +
                                " is not that of the plain product");
}

std::string Spmv::text() {
  const Plan& plan = settings_.plan;
  const auto number = [](std::int64_t value) { return static_cast<long long>(value); };
  total_ = all_of(total_, MPI_MAX);
  compute_ = all_of(compute_, MPI_SUM);
  for (double& seconds : compute_) seconds /= mpi::size(world());
  if (stream_) {
    triad_ = all_of(triad_, MPI_SUM);
    reading_ = all_of(reading_, MPI_SUM);
  }
  if (settings_.check) check();
  // Back to the rows that each rank had at first.
  if (place_.empty()) {
    even_ = matrix_.rows;
  } else {
    const std::vector<double> back =
        moved(world(), matrix_.rows, result_.span(), inverse(place_), even_);
    result_ = Array<double>(world(), back.size());
    std::ranges::copy(back, result_.begin());
  }

  std::string text;
  base::append(text, "Matrix:                 %lld x %lld, %lld entries, %.1f a row\n",
               number(matrix_.all_rows), number(matrix_.all_columns), number(entries_),
               static_cast<double>(entries_) / static_cast<double>(matrix_.all_rows));
  if (empty_ > 0)
    base::append(text, "Rows without entries:   %lld, where y is 0\n", number(empty_));
  if (layout() == Layout::crs)
    base::append(text, "Format:                 CRS\n");
  else if (layout() == Layout::symmetric)
    base::append(text,
                 "Format:                 SELL-%d of the upper half, %.1f %% of the entries\n",
                 slice_rows,
                 100 * static_cast<double>(stored_) /
                     static_cast<double>(std::max<std::int64_t>(1, entries_)));
  else
    base::append(text, "Format:                 SELL-%d-%lld, %.1f %% of it in use\n", slice_rows,
                 number(product_ ? product_->sigma() : 1),
                 100 * static_cast<double>(entries_) /
                     static_cast<double>(std::max<std::int64_t>(1, stored_)));
  if (settings_.reorder)
    base::append(text,
                 "Reordered:              no farther from the diagonal than %lld, before %lld\n",
                 number(bandwidth_[1]), number(bandwidth_[0]));
  base::append(text, "Ranks:                  %d of %d thread%s, %s %s\n", mpi::size(world()),
               plan.threads, plan.threads == 1 ? "" : "s", plan.style ? "style" : "mode",
               plan.style ? product_->style().c_str() : name_of(plan.mode));
  base::append(
      text,
      "Halos:                  %lld numbers, at most %lld of a rank, in %lld messages by %s%s\n",
      number(halo_), number(most_), number(messages_), scheme().str().c_str(),
      product_ && product_->reads_in_place() ? ", read in place" : "");
  if (powers_)
    base::append(
        text,
        "Power:                  %d with one exchange, %d of a rank's sweeps at a time, in "
        "%d strip%s\n",
        power(), powers_->at_a_time(), powers_->strips(), powers_->strips() == 1 ? "" : "s");
  if (plan.mode != Mode::vector || plan.style)
    base::append(text, "Meanwhile:              %.1f %% of the rows\n",
                 100 * static_cast<double>(inner_) / static_cast<double>(matrix_.all_rows));
  return text + (settings_.solve ? text_of_solution() : text_of_products());
}

double Spmv::gflops() const {
  return 2e-9 * static_cast<double>(entries_) * power() * products() / median(total_);
}

std::string Spmv::text_of_products() {
  const double seconds = median(total_) / products();
  std::string text;
  base::append(text, "Product:                %.6f s, of it computing %.6f s\n", seconds,
               median(compute_) / products());
  base::append(text, "Speed:                  %.3f GF/s", gflops());
  if (product_) base::append(text, ", %.2f GB/s", 1e-9 * bytes_ / seconds);
  text += '\n';
  if (!triad_.empty())
    base::append(text,
                 "Triad:                  %.2f GB/s, of which the product has %.2f\n"
                 "Reading the same:       %.2f GB/s, of which the product has %.2f\n",
                 1e-9 * median(triad_), bytes_ / seconds / median(triad_), 1e-9 * median(reading_),
                 bytes_ / seconds / median(reading_));
  if (settings_.check) base::append(text, "Check:                  right, bit by bit\n");
  return text;
}

std::string Spmv::text_of_solution() {
  const Task task = settings_.task();
  std::string text;
  base::append(text, "Method:                 %s, preconditioner %s\n", name_of(task.method),
               name_of(task.preconditioner));
  if (inverse_.sweeps)
    base::append(text, "Colours:                %d\n", inverse_.sweeps->colours());
  base::append(text, "Iterations:             %d, %s\n", solution_.iterations,
               solution_.converged ? "converged" : "NOT converged");
  base::append(text, "Residual:               %.3e of |b|; the recurrence says %.3e\n",
               solution_.residual, solution_.history.back());
  base::append(text, "Time:                   %.6f s, of it products %.6f s\n", median(total_),
               median(compute_));
  return text;
}

void Spmv::describe(frame::Record& record) {
  const Plan& plan = settings_.plan;
  std::uint64_t sum = 0;
  for (std::size_t row = 0; row < result_.size(); ++row)
    sum += numerics::point_checksum(even_.begin + static_cast<std::int64_t>(row), result_[row]);
  record.scheme = scheme().str();
  if (product_) {
    record.scheme = machine::scheme_of(product_->section(), scheme());
    record.running = frame::in_laps(machine::findings(product_->section()));
  }
  record.parameters = {{"rows", matrix_.all_rows},
                       {"columns", matrix_.all_columns},
                       {"entries", entries_},
                       {"format", name_of(layout())},
                       {"mode", name_of(plan.mode)},
                       {"reorder", settings_.reorder ? "rcm" : "none"},
                       {"partition", name_of(settings_.parts)}};
  if (plan.style) record.parameters["style"] = plan.style->str();
  if (product_) record.style = product_->style();
  if (generator_)
    record.parameters["generate"] = settings_.generate;
  else
    record.parameters["file"] = file_->name;
  record.outcome = {{"iterations", settings_.solve ? solution_.iterations : products()},
                    {"stored", stored_},
                    {"halo", halo_},
                    {"most_halo", most_},
                    {"messages", messages_},
                    {"inner_rows", inner_},
                    {"compute_s", compute_},
                    {"checksum", frame::checksum(world(), sum)}};
  if (product_) record.outcome["sigma"] = product_->sigma();
  if (settings_.plan.device) {
    const DeviceTraffic traffic = product_->device_traffic();
    record.outcome["device"] = {{"device", opened_device()->describe()},
                                {"bytes_to_host", traffic.to_host},
                                {"bytes_to_device", traffic.to_device},
                                {"bytes_within", traffic.within},
                                {"copies", traffic.copies}};
  }
  if (settings_.solve) {
    const Task task = settings_.task();
    record.parameters["solve"] = name_of(task.method);
    record.parameters["preconditioner"] = name_of(task.preconditioner);
    record.parameters["tolerance"] = task.tolerance;
    record.outcome["residuum"] = solution_.residual;
    if (inverse_.sweeps) record.outcome["colours"] = inverse_.sweeps->colours();
    record.outcome["converged"] = solution_.converged;
    record.outcome["convergence"] = solution_.history;
  } else {
    const double seconds = median(total_) / products();
    record.parameters["products"] = products();
    record.outcome["product_s"] = seconds;
    record.outcome["gflops"] = gflops();
    if (product_) record.outcome["bytes"] = bytes_;
  }
  if (powers_) {
    record.parameters["power"] = power();
    record.outcome["at_a_time"] = powers_->at_a_time();
    record.outcome["strips"] = powers_->strips();
  }
  if (!triad_.empty()) {
    record.outcome["triad_bytes_s"] = triad_;
    record.outcome["reading_bytes_s"] = reading_;
  }
}

}  // namespace spmv
