#pragma once
// Probing a candidate on the caller's own memory: are the bytes right, how long does it take?

#include "exchange/core/method.hpp"

#include <span>
#include <string>
#include <vector>

namespace halocline::detail {

/// The cells of a pattern in the caller's fields: those sent and those received. Test values stand
/// in them while candidates are measured; what was there before comes back in the end.
class Cells {
 public:
  explicit Cells(const Setup& setup);
  ~Cells() { restore(); }
  Cells(const Cells&) = delete;
  Cells& operator=(const Cells&) = delete;

  /// Test values, one of two sets, into the cells sent (unless they are constant); poison into
  /// those received.
  void fill(int set);
  /// As `fill` left them?
  bool kept(int set) const;
  /// Cells that the rank copies to itself, as they are now.
  std::vector<std::byte> copied() const;
  /// Writes all cells that are sent, as a sweep would: the cache lines move to this core, and
  /// between two rows that are sent it computes with the cells that lie between them. How much is
  /// computed between two stores decides how many of them are under way at once, and so what each
  /// of them costs. The values stay.
  void rewrite();
  void restore() const;

 private:
  struct Part {
    Layout layout;
    std::vector<std::byte> before{};
    std::vector<std::byte> tests[2] = {};
  };
  /// A row that is sent, and the cells of the field that a sweep comes by before it.
  struct Row {
    std::span<std::byte> cells;
    std::span<const std::byte> before{};
  };
  void find_rows();
  void compute(std::span<const std::byte> cells);

  Bases bases_;
  bool constant_;  ///< some cells that are sent
  std::vector<Part> sent_, received_;
  Layout copied_;
  std::vector<Row> rows_;  // by address, field by field
  std::vector<std::uint64_t> beside_, result_;
};

/// One candidate, ready to run.
class Probe {
 public:
  Probe(std::unique_ptr<Method> method, Cells& cells);

  /// What the halos hold after one exchange of a set of test values, and whether the cells sent are
  /// as they were. Collective.
  std::vector<std::byte> arrived(int set, bool& kept);
  /// Seconds of `exchanges` exchanges, cells rewritten before and halos read after each. One
  /// more goes before and is not counted. Collective.
  double seconds(int exchanges);

  std::size_t avoidable_bytes() const { return method_->avoidable_bytes(); }
  std::unique_ptr<Method> take() { return std::move(method_); }

 private:
  void one();

  std::unique_ptr<Method> method_;
  Cells& cells_;
  std::vector<std::span<std::byte>> rows_;  // of the halos, wherever they are
  volatile std::byte seen_{};
};

}  // namespace halocline::detail
