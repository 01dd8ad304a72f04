#pragma once
// A pattern on a field of its own, and the work of exchanging it through a scheme.

#include "work.hpp"

#include <halocline/exchange.hpp>
#include <halocline/more/mpi.hpp>

#include <cstdint>
#include <functional>
#include <span>

namespace halometer {

/// `visit(offset)` of every row of a block, as elements of the field.
template <class Visit>
void each_row(const halocline::Block& block, Visit&& visit) {
  for (std::size_t plane = 0; plane < block.count[0]; ++plane)
    for (std::size_t row = 0; row < block.count[1]; ++row)
      visit(block.offset + static_cast<std::ptrdiff_t>(plane) * block.stride[0] +
            static_cast<std::ptrdiff_t>(row) * block.stride[1]);
}

/// What this rank owns of a field: rows that an application writes between two exchanges.
struct Rows {
  std::size_t planes = 0, rows = 0, elements = 0;  ///< of a row
  std::size_t offset = 0, plane_stride = 0, row_stride = 0;
};

/// How much of a field is written between two exchanges.
enum class Rewrite {
  none,   ///< nothing: the cells sent are in all caches, as they never are in an application
  sent,   ///< the cells that are sent
  field,  ///< all that the rank owns, as a sweep does
};
Rewrite rewrite(const std::string& text);  ///< throws halocline::Error

/// A row of doubles of a halo.
struct HaloRow {
  std::ptrdiff_t place;  ///< of its first element in the field
  const double* cells;   ///< where they can be read
  std::size_t count;
};

/// A field of doubles or bytes with a pattern, filled, rewritten and checked. What exchanges it is
/// somebody else's.
class PatternField {
 public:
  PatternField(MPI_Comm comm, halocline::Pattern pattern, std::size_t elements,
               std::size_t element_bytes, const halocline::Scheme& scheme, Rows owned = {});

  const halocline::Pattern& pattern() const noexcept { return pattern_; }
  const halocline::Field& field() const noexcept { return field_; }
  void write(Rewrite what);
  /// Writes as much from what another field of the pattern holds, as a sweep of Jacobi's method.
  /// `halo`, in the order of places: the rows of that field's halo, each read where a sweep in the
  /// order of memory comes by.
  void sweep(const PatternField& before, Rewrite what, std::span<const HaloRow> halo);
  /// A byte in every cache line of the cells that are sent.
  void touch();

  /// What is wrong after `exchange` has run: every byte received against plain messages of MPI.
  /// `at` says where element number `element` of receive link `link` lies. Collective.
  std::string check(
      const std::function<void()>& exchange,
      const std::function<const std::byte*(std::size_t link, std::size_t element)>& at);
  /// The same where what arrives is added to what is there: against sums in the pattern's order.
  std::string check_sums(const std::function<void()>& exchange);
  /// In my own halo.
  const std::byte* in_halo(std::size_t link, std::size_t element) const;
  halocline::HaloView in_field(const halocline::Block& block) const;

 private:
  template <class Visit>
  void each_row_written(Rewrite what, Visit&& visit) const;
  using Offsets = std::vector<std::ptrdiff_t>;
  std::vector<std::byte> gathered(const Offsets& elements) const;
  void fill(std::uint64_t step);
  /// What plain messages of MPI bring of the cells as they are, link by link.
  std::vector<std::vector<std::byte>> delivered() const;

  MPI_Comm comm_;
  halocline::Pattern pattern_;
  halocline::Field field_;
  Rows owned_;
  std::vector<Offsets> sent_, received_;  // elements of each link, in message order
  Offsets copied_from_, copied_to_;
  double value_ = 1;
  volatile double seen_ = 0;
  unsigned char stamp_ = 0;
};

class Loop;

/// One or several exchanges of the same pattern through one scheme.
class ExchangeWork : public Work {
 public:
  struct Options {
    Rewrite rewrite = Rewrite::none;
    bool fresh = false;  ///< every line that is sent is written before, within the time measured
    int in_a_row = 1;    ///< exchanges of a step, one after the other
    int at_a_time = 1;   ///< exchanges started before the first is finished, each with its field
    Rewrite in_loop = Rewrite::none;  ///< what a step of the loop writes; none: there is no loop
    /// What is computed between start and finish, and in the loop without the exchange as well.
    std::function<void()> meanwhile{};
    Rows owned{};
    std::size_t element_bytes = 8;
    halocline::ExchangeOptions exchange{};
    /// With ExchangeOptions::changes: what the pattern becomes before every second exchange; it
    /// becomes itself again before the others. The same cells receive.
    halocline::Pattern other{};
  };
  ExchangeWork(MPI_Comm comm, const halocline::Pattern& pattern, std::size_t elements,
               const halocline::Scheme& scheme, const Options& options);
  ~ExchangeWork() override;

  void prepare() override;
  void step() override;
  bool has_loop() const override { return loop_ != nullptr; }
  void loop(std::size_t steps, bool exchanging) override;
  bool alone() const override { return options_.rewrite != Rewrite::none; }
  std::string check() override;

  void start();
  void finish();

 private:
  std::size_t together() const;  // exchanges of a step
  void change(std::size_t i);    // the pattern of an exchange, if it changes

  Options options_;
  std::vector<PatternField> fields_;
  std::vector<halocline::Exchange> exchanges_;
  std::unique_ptr<Loop> loop_;
  std::vector<halocline::Pattern> next_;  // of those that change
};

/// The most bytes that any rank sends by a pattern. Collective.
double busiest_bytes(MPI_Comm comm, const halocline::Pattern& pattern, std::size_t element_bytes);

}  // namespace halometer
