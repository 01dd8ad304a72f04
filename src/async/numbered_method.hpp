#pragma once
// What several methods share: a receiver looks for the newest message in memory.

#include <halocline/more/async_method.hpp>

#include <cstdint>
#include <vector>

namespace halocline::detail {

/// The messages of a link have the numbers 1, 2, 3, ... and its receiver can see the newest one.
class NumberedMethod : public AsyncMethod {
 protected:
  NumberedMethod(Setup setup, const AsyncOptions& options);

  /// Words of a link's message, the last one perhaps not full.
  static std::size_t words_of(const Layout& cells) {
    return 1 + (cells.bytes() + header - 1) / header;
  }
  /// Words of the longest message in or out.
  std::size_t most_words() const;

  std::size_t collect() override;
  /// Takes the newest message of a link, if there is a new one.
  virtual bool collect_from(std::size_t link) = 0;
  void settle() override;
  /// Message `number` of a link has been read, and those before it will not be.
  void take(std::size_t link, std::uint64_t number, const std::byte* message);

  std::vector<std::uint64_t> sent_;  ///< number of the last message of each outgoing link
  std::vector<std::uint64_t> seen_;  ///< number of the last message taken of each incoming link
};

}  // namespace halocline::detail
