#pragma once
// Messages of settled lengths between ranks, carried by a scheme of Halocline again and again.
//
// Each message begins with a word of the sender's, whatever it is, and then has as many bytes as
// both ends have said. The carrier works on memory of its own alone: who sends packs into
// `outgoing`, who receives unpacks from `incoming`. So it does not matter to it where the program's
// buffers are, or of which datatypes.

#include <halocline/array.hpp>
#include <halocline/exchange.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace substitute {

/// One end of a message.
struct End {
  int peer;  ///< a rank of the carrier's communicator
  std::size_t bytes;
};

class Carrier {
 public:
  /// Messages between the same two ranks are in the same order at both ends. Collective; throws the
  /// same halocline::Error on all ranks if ends do not fit.
  Carrier(MPI_Comm comm, const std::vector<End>& out, const std::vector<End>& in,
          const halocline::Scheme& scheme);

  std::uint64_t& outgoing_word(std::size_t message) { return from_[out_[message]]; }
  std::uint64_t incoming_word(std::size_t message) const { return to_[in_[message]]; }
  std::byte* outgoing(std::size_t message) { return bytes_at(from_, out_[message]); }
  const std::byte* incoming(std::size_t message) const { return bytes_at(to_, in_[message]); }

  void start() { exchange_->start(); }
  void finish() { exchange_->finish(); }

  std::string scheme() const { return exchange_->scheme().str(); }

  /// Collective; nothing but the destructor comes after it.
  void end() {
    exchange_.reset();
    from_ = {};
    to_ = {};
  }

 private:
  using Words = halocline::Array<std::uint64_t>;
  static std::byte* bytes_at(const Words& words, std::size_t word) {
    return reinterpret_cast<std::byte*>(words.data() + word + 1);
  }
  std::vector<std::size_t> out_, in_;  // where messages begin
  Words from_, to_;
  std::optional<halocline::Exchange> exchange_;
};

}  // namespace substitute
