#pragma once
// The program matmul to its frame: what it is told, what came of it.

#include "matrices.hpp"
#include "matrix_file.hpp"
#include "multiplication.hpp"
#include "settings.hpp"

#include <frame/program.hpp>
#include <frame/progress.hpp>

#include <optional>
#include <string>
#include <vector>

namespace matmul {

class Matmul final : public frame::Program {
 public:
  static constexpr const char* name = "matmul";

  std::string usage() const override;
  void declare(frame::CommandLine& line) override;
  void settle(const frame::Options& options) override;
  int threads() const override { return plan_.threads; }
  frame::Step step(const frame::Options& options) const override;
  void set_up() override;
  std::string note() const override;
  frame::Repetition solve() override;
  std::string text() override;
  void describe(frame::Record& record) override;

 private:
  /// What all ranks did together.
  struct Summary {
    std::vector<double> total{}, compute{};  ///< of each repetition: the slowest, and in the mean
    double felt = 0, open = 0;               ///< of the exchanges of panels
    std::string checked{};
  };
  Spread a();
  Spread b();
  Spread c();
  std::string intention() const;
  Shape generated_shape() const;
  Shape shape_of_files();  ///< looks into them
  std::uint64_t seed() const { return settings_.seed.value_or(1); }

  Settings settings_;
  std::vector<MatrixFile> files_;  ///< of A and B; none: they are generated
  Plan plan_;
  bool silent_ = false;  ///< in turns with others
  frame::Progress progress_;
  std::optional<Multiplication> multiplication_;
  std::int64_t words_ = 0;  ///< of the rank that sends most
  double bytes_ = 0;        ///< of the rank that holds most
  std::vector<Account> accounts_;
  Summary summary_;
};

}  // namespace matmul
