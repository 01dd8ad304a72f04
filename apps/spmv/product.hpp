#pragma once
// y = A x on all ranks.

#include "device_product.hpp"
#include "format.hpp"
#include "halo.hpp"
#include "matrix.hpp"

#include <halocline/exchange.hpp>
#include <halocline/more/section.hpp>
#include <halocline/more/style.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace spmv {

enum class Layout {
  automatic,  ///< the fastest, by measurement
  crs,
  sell,
  symmetric,  ///< half of the matrix
};

/// When the rows that need other ranks' x are multiplied: those rows whole, so that the order in
/// which a row is added up does not depend on who owns what. Each is a style with a name of its
/// own.
enum class Mode {
  vector,  ///< masteronly: all rows, after the exchange
  naive,   ///< after it; the others between its start and its finish
  task,    ///< thread: after it; one thread carries it out while the others multiply the others
};

struct Plan {
  Layout layout = Layout::automatic;
  std::int64_t sigma = 0;  ///< of sell; 0: by measurement
  Mode mode = Mode::vector;
  std::optional<halocline::Style> style{};  ///< in place of a mode
  int threads = 1;
  bool device = false;  ///< x, y and the matrix are on a device
  halocline::Scheme scheme{"p2p:nonblocking"};

  halocline::Style sharing() const;  ///< the style, or that of the mode
};

/// Seconds of products, since the last reset.
struct ProductTimes {
  double compute = 0, wait = 0, copy = 0;
};

class Product {
 public:
  /// Takes what it needs of the matrix. `inputs`: how many vectors it can multiply, each of which
  /// has its own x. Collective; throws the same Error on all ranks.
  Product(MPI_Comm comm, const Matrix& matrix, const Plan& plan, int inputs = 1);

  /// The elements of x that this rank owns, to be filled by the caller.
  std::span<double> x(int input = 0) const;
  /// y of the rows of this rank. Collective. With `access=direct` neighbours read x in place until
  /// they have finished.
  void multiply(double* y, int input = 0);
  /// The same with `Plan::device`, where y stays on the device if null is given. x is there from
  /// one product to the next, and goes there again when `x` has been called since.
  void multiply_there(double* y, int input = 0);

  ProductTimes times;
  /// What products on a device have copied: bytes of x and y, if they were, and of halos.
  halocline::DeviceTraffic device_traffic() const;

  const halocline::Scheme& scheme() const noexcept {
    return styled_ ? styled_->scheme() : there_->exchanges[0].scheme();
  }
  /// The style in which threads share a product: what `auto` has become. Empty on a device.
  std::string style() const { return styled_ ? styled_->style().str() : ""; }
  const std::string& note() const noexcept { return memory_.memory().note(); }
  bool reads_in_place() const noexcept { return styled_ && styled_->direct(); }
  std::size_t bytes_sent() const noexcept {
    return styled_ ? styled_->bytes_sent() : there_->exchanges[0].bytes_sent();
  }
  /// Where the scheme is chosen in steps; what a step is, is the caller's.
  std::optional<halocline::Section>& section() noexcept { return section_; }
  const std::optional<halocline::Section>& section() const noexcept { return section_; }
  const Halo& halo() const noexcept { return halo_; }
  std::int64_t entries() const noexcept { return entries_; }
  std::int64_t stored() const noexcept { return inner_.stored() + border_.stored(); }
  /// Rows that need nothing of other ranks and are multiplied meanwhile.
  std::int64_t inner_rows() const noexcept { return inner_rows_; }
  /// That was taken.
  Layout layout() const noexcept { return plan_.layout; }
  /// What SELL sorts within.
  std::int64_t sigma() const noexcept { return sigma_; }
  /// That one product moves between memory and cores at least: the matrix, x, y, and y's lines
  /// before they are written.
  double bytes() const;
  /// Reads what a product reads, once and in order, and does nothing else; returns the bytes.
  double read() const;

 private:
  /// Rows in some format, and which slices each thread has.
  struct Part {
    std::unique_ptr<Format> format;
    std::vector<std::int64_t> shares;
    std::int64_t stored() const { return format->stored(); }
    void multiply(const double* x, double* y, int thread) const {
      const auto share = static_cast<std::size_t>(thread);
      format->multiply(x, y, shares[share], shares[share + 1]);
    }
  };
  Part part(const Rows& rows, Layout layout, std::int64_t sigma) const;
  void choose(const Rows& rows);
  double time_of(const Part& part, const Rows& rows) const;
  void read_in_place(std::vector<std::int32_t>& places);
  void put_on_device(MPI_Comm comm, std::size_t elements);
  void touch(const Matrix& matrix);

  MPI_Comm comm_;
  Plan plan_;
  Halo halo_;
  std::int64_t rows_, entries_, inner_rows_ = 0, sigma_ = 1;
  std::size_t stride_ = 0;  ///< from an input to the next, the same on all ranks
  halocline::Array<double> memory_;
  std::optional<halocline::StyledExchange> styled_;  ///< on the host
  std::optional<halocline::Section> section_;
  Part inner_, border_;
  std::vector<std::int64_t> inner_units_, border_units_;  ///< where units begin

  /// What a device has: x of each input, y, the rows of both parts.
  struct There {
    halocline::Device& device;
    halocline::DeviceStream stream;
    halocline::Array<double> x, y;
    std::vector<bool> is_old;  ///< of each input: x on the host is newer
    DevicePart inner, border;
    DeviceMultiply multiply;
    std::vector<halocline::Exchange> exchanges{};
    halocline::DeviceTraffic traffic{};
    ~There() { device.free_stream(stream); }
  };
  std::unique_ptr<There> there_;
};

}  // namespace spmv
