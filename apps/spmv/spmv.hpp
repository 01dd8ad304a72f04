#pragma once
// The program spmv to its frame: what it is told, what came of it.

#include "generate.hpp"
#include "matrix_file.hpp"
#include "powers.hpp"
#include "product.hpp"
#include "reorder.hpp"
#include "settings.hpp"
#include "solve.hpp"

#include <frame/checkpoints.hpp>
#include <frame/program.hpp>
#include <frame/progress.hpp>
#include <machine/stream.hpp>

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace spmv {

class Spmv final : public frame::Program {
 public:
  static constexpr const char* name = "spmv";

  std::string usage() const override;
  void declare(frame::CommandLine& line) override;
  void settle(const frame::Options& options) override;
  frame::Checkpoints* checkpoints() override { return &checkpoints_; }
  int threads() const override { return settings_.plan.threads; }
  bool has_styles() const override { return true; }
  frame::Step step(const frame::Options& options) const override;
  void set_up() override;
  std::string note() const override { return product_ ? product_->note() : powers_->note(); }
  frame::Repetition solve() override;
  std::string text() override;
  void describe(frame::Record& record) override;

 private:
  std::int64_t rows() const;
  void check_square(const char* option) const;  ///< throws Error
  void check_diagonal() const;                  ///< likewise
  void count_halos(const halocline::Pattern& pattern);
  void check_memory() const;
  void make_matrix();
  Matrix whole_matrix() const;  ///< on this process alone
  /// Elements of a file, by the numbers that they have now.
  void read_vector(const char* option, const std::string& file, std::int64_t all,
                   halocline::Range mine, std::span<double> numbers) const;
  template <class Work>
  void named(const Work& work) const;
  void prepare();  ///< product or powers, and what is known of them
  std::span<double> x() const { return product_ ? product_->x() : powers_->x(); }
  const halocline::Scheme& scheme() const {
    return product_ ? product_->scheme() : powers_->scheme();
  }
  Layout layout() const { return product_ ? product_->layout() : powers_->layout(); }
  frame::Repetition multiply();
  frame::Repetition solve_system();
  /// What a checkpoint is of.
  nlohmann::ordered_json system() const;
  /// Throws Error unless y is that of the plain product.
  void check() const;
  double triad_numbers() const;  ///< elements of its arrays
  int products() const { return settings_.products.value_or(10); }
  int power() const { return settings_.power.value_or(1); }
  double gflops() const;  ///< of a repetition
  std::string text_of_products();
  std::string text_of_solution();

  Settings settings_;
  frame::Checkpoints checkpoints_{name, "iteration"};
  std::optional<MatrixFile> file_;  ///< or
  std::optional<Generator> generator_;
  frame::Progress progress_;
  Matrix matrix_;                   ///< kept for the check, or only its size
  std::optional<Product> product_;  ///< or
  std::optional<Powers> powers_;
  halocline::Array<double> result_;  ///< y, or x of a system; at the end by the numbers at first
  halocline::Range own_;             ///< of x
  halocline::Range even_;            ///< of the rows as they were numbered at first
  std::vector<std::int64_t> place_;  ///< the numbers of rows and columns now; empty: as at first
  std::array<std::int64_t, 2> bandwidth_{};  ///< before and after they were numbered anew
  std::vector<double> right_side_;
  Inverse inverse_;
  Solution solution_;
  std::optional<machine::StreamArrays> stream_;

  /// For each repetition: seconds of computing, and of all; bytes a second of triads and of
  /// reading.
  std::vector<double> compute_, total_, triad_, reading_;
  std::int64_t entries_ = 0, stored_ = 0, inner_ = 0, empty_ = 0;  ///< of all ranks
  std::int64_t halo_ = 0, messages_ = 0;  ///< elements of x that arrive in a product, likewise
  std::int64_t most_ = 0;                 ///< on one rank
  double bytes_ = 0, my_bytes_ = 0;
};

}  // namespace spmv
