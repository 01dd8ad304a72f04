#include "matmul.hpp"

#include "product.hpp"

#include <base/text.hpp>
#include <frame/checksum.hpp>
#include <machine/memory.hpp>
#include <numerics/point_checksum.hpp>

#include <algorithm>
#include <iostream>

namespace matmul {

using namespace halocline;

namespace {

template <class Number>
Number largest(Number mine) {
  static_assert(sizeof(Number) == 8);
  const bool real = std::is_floating_point_v<Number>;
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &mine, 1, real ? MPI_DOUBLE : MPI_INT64_T, MPI_MAX,
                world());
  return mine;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

}  // namespace

std::string Matmul::usage() const {
  return "Usage: matmul A B [options]\n"
         "       matmul --shape M,N,K [options]\n\n"
         "The product of dense matrices, C = A B, from files or generated. Files are .npy, Matrix\n"
         "Market arrays, or text: rows, columns, and the numbers row after row.\n\n"
         "Example: mpiexec -n 2 matmul --shape 2048,2048,2048 --scheme auto --check\n";
}

void Matmul::settle(const frame::Options& options) {
  const Shape shape = settings_.files.empty() ? generated_shape() : shape_of_files();
  if (settings_.threads == 0) settings_.threads = threads_for_all_cores(world());
  plan_ = plan_of(settings_, shape, options.ranks, options.scheme);
  silent_ = !options.in_turn.empty();
  if (options.progress) progress_ = frame::progress_line(name, "panel", "");
}

void Matmul::declare(frame::CommandLine& line) {
  settings_.declare(line);
  line.output(
      "--output C", "write C: .npy, .mtx (Matrix Market) or .txt",
      [this](const std::string& file) { write(world(), file, c()); }, check_name,
      base::Writing::shared);
}

Shape Matmul::generated_shape() const {
  if (!settings_.shape)
    throw Error("name the files of A and B, or say by --shape how large they are, as 512,512,512");
  Shape shape = *settings_.shape;
  if (settings_.columns) shape.n = *settings_.columns;
  return shape;
}

Shape Matmul::shape_of_files() {
  const auto& names = settings_.files;
  if (names.size() != 2) throw Error(names.back() + ": two files are needed, of A and of B");
  const bool generated = settings_.shape || settings_.columns || settings_.seed;
  frame::only_with(!generated, "--shape, --columns or --seed", "matrices that are generated");
  files_ = {look_into(world(), names[0]), look_into(world(), names[1])};
  const MatrixFile &a = files_[0], &b = files_[1];
  if (a.header.columns != b.header.rows)
    throw Error(a.name + " has " + std::to_string(a.header.columns) + " columns and " + b.name +
                " " + std::to_string(b.header.rows) + " rows; they must be as many");
  return {a.header.rows, b.header.columns, a.header.columns};
}

std::string Matmul::intention() const {
  const auto& [shape, algorithm, cut, widest, threads, scheme] = plan_;
  std::string text;
  const auto number = [](std::int64_t value) { return static_cast<long long>(value); };
  base::append(text, "Product:                %lld x %lld from %lld x %lld and %lld x %lld\n",
               number(shape.m), number(shape.n), number(shape.m), number(shape.k), number(shape.k),
               number(shape.n));
  base::append(text, "Algorithm:              %s, cut into %d x %d x %d, on %d of %d ranks\n",
               name_of(algorithm), cut.m, cut.n, cut.k, cut.ranks(), mpi::size(world()));
  base::append(text, "Multiplied by:          %s, %d thread%s a rank\n", product_name().c_str(),
               threads, threads == 1 ? "" : "s");
  base::append(text, "Memory:                 %.1f MiB a rank at most\n", bytes_ / (1 << 20));
  return text;
}

void Matmul::set_up() {
  const double bytes = bytes_needed(plan_, part_of(plan_, mpi::rank(world())));
  bytes_ = largest(bytes);
  const bool speaks = mpi::rank(world()) == 0 && !silent_;
  if (speaks) std::cout << intention() << std::flush;
  machine::check_memory(world(), bytes, name);
  multiplication_.emplace(world(), plan_);
  if (files_.empty()) {
    generate(a(), seed());
    generate(b(), seed() + 1);
  } else {
    read(world(), files_[0], a());
    read(world(), files_[1], b());
  }
  words_ = largest(multiplication_->words());
  if (!speaks) return;
  std::string text;
  base::append(text,
               "A rank sends:           %lld numbers at most; on %d ranks no algorithm gets by "
               "with less than %.1f\n",
               static_cast<long long>(words_), plan_.cut.ranks(),
               least_words(plan_.shape, plan_.cut.ranks()));
  std::cout << text << std::flush;
}

std::string Matmul::note() const {
  const std::string& of_panels = multiplication_->supply().note();
  return !of_panels.empty() ? of_panels : multiplication_->sum().note();
}

frame::Repetition Matmul::solve() {
  // Ranks that read a neighbour's numbers in place must have read them.
  HALOCLINE_MPI(MPI_Barrier, world());
  const Account account = multiplication_->run([&](int step) {
    if (progress_) progress_(step + 1, std::nullopt);
  });
  accounts_.push_back(account);
  frame::Repetition mine;
  mine.seconds = account.total;
  mine.phases.compute = account.compute;
  mine.phases.wait = account.panels;
  mine.phases.reduce = account.layers;
  return mine;
}

std::string Matmul::text() {
  summary_ = {};
  for (const Account& account : accounts_) {
    summary_.total.push_back(largest(account.total));
    double compute = account.compute;
    HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &compute, 1, MPI_DOUBLE, MPI_SUM, world());
    summary_.compute.push_back(compute / plan_.cut.ranks());
  }
  std::vector<double> felt;
  for (const Account& account : accounts_) felt.push_back(account.panels);
  summary_.felt = largest(median(felt));
  std::vector<double> alone;
  for (int i = 0; i < 3; ++i) alone.push_back(largest(multiplication_->exchanges_alone()));
  summary_.open = median(alone);

  const double total = median(summary_.total), compute = median(summary_.compute);
  std::string text;
  base::append(text, "Calculation time:       %f s\n", total);
  base::append(text, "Computing:              %f s\n", compute);
  base::append(text, "Communicating:          %f s (%.2f %%)\n", total - compute,
               100 * (total - compute) / total);
  if (words_ > 0)
    base::append(text, "Exchanges of panels:    %f s, felt %f s (%.0f %% hidden)\n", summary_.open,
                 summary_.felt, 100 * std::max(0.0, 1 - summary_.felt / summary_.open));
  base::append(text, "Speed:                  %.3f GF/s\n",
               2e-9 * plan_.shape.multiplications() / total);
  if (settings_.check) {
    const Verdict verdict = check(world(), a(), b(), c(), seed());
    if (!verdict.right) throw Error("--check: C is not A B (" + verdict.how + ")");
    summary_.checked = verdict.how;
    base::append(text, "Check:                  right (%s)\n", verdict.how.c_str());
  }
  return text;
}

void Matmul::describe(frame::Record& record) {
  std::uint64_t sum = 0;
  if (!multiplication_->part().idle) {
    const Tile& tile = multiplication_->sum().owned();
    const double* number = multiplication_->sum().data() + tile.at;
    for (std::int64_t i = tile.box.rows.begin; i < tile.box.rows.end; ++i)
      for (std::int64_t j = tile.box.columns.begin; j < tile.box.columns.end; ++j)
        // 0 has one sign, whatever has been added up first.
        sum += numerics::point_checksum(i * plan_.shape.n + j, *number++ + 0.0);
  }
  const auto& [shape, algorithm, cut, widest, threads, scheme] = plan_;
  if (const auto& became = multiplication_->supply().scheme()) record.scheme = became->str();
  record.parameters = {{"m", shape.m},
                       {"n", shape.n},
                       {"k", shape.k},
                       {"algorithm", name_of(algorithm)},
                       {"cut", {cut.m, cut.n, cut.k}},
                       {"panel", widest},
                       {"multiplied_by", product_name()}};
  if (files_.empty())
    record.parameters["seed"] = seed();
  else
    record.parameters["files"] = settings_.files;
  record.outcome = {{"iterations", 1},
                    {"gflops", 2e-9 * shape.multiplications() / median(summary_.total)},
                    {"compute_s", summary_.compute},
                    {"exchanges_alone_s", summary_.open},
                    {"exchanges_felt_s", summary_.felt},
                    {"words", words_},
                    {"least_words", least_words(shape, cut.ranks())},
                    {"memory_bytes", bytes_},
                    {"checked", summary_.checked},
                    {"checksum", frame::checksum(world(), sum)}};
}

Spread Matmul::a() {
  const Supply& supply = multiplication_->supply();
  return {plan_.shape.m, plan_.shape.k, supply.tiles_of_a(), supply.data()};
}

Spread Matmul::b() {
  const Supply& supply = multiplication_->supply();
  return {plan_.shape.k, plan_.shape.n, supply.tiles_of_b(), supply.data()};
}

Spread Matmul::c() {
  const LayerSum& sum = multiplication_->sum();
  return {plan_.shape.m, plan_.shape.n, {&sum.owned(), 1}, sum.block()};
}

}  // namespace matmul
