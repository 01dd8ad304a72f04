#pragma once
// Memory of the library's own in which messages lie before they travel and when they have come: a
// block for each link, as a pattern of bytes in one field, which any method carries out.

#include "exchange/core/method.hpp"

#include <memory>
#include <vector>

namespace halocline::detail {

class LinkMemory {
 public:
  /// A block of `bytes` for one more link; on cache lines of its own.
  void send(int peer, std::size_t bytes) { pattern_.send(peer, place(bytes)); }
  void receive(int peer, std::size_t bytes) { pattern_.receive(peer, place(bytes)); }

  /// Makes the setup one of these blocks, in memory that suits its scheme. Collective.
  void provide(Setup& setup);

  /// Where the block of a link is, in the order in which they were added.
  std::byte* sent(std::size_t link) const { return at(pattern_.sends()[link]); }
  std::byte* received(std::size_t link) const { return at(pattern_.receives()[link]); }
  bool is_plain() const noexcept { return memory_.data() == nullptr; }

 private:
  Block place(std::size_t bytes);
  std::byte* at(const Link& link) const { return begin_ + link.blocks.front().offset; }

  Pattern pattern_;
  std::size_t end_ = 0;
  std::shared_ptr<std::vector<std::byte>> plain_;
  Memory memory_;  // else
  std::byte* begin_ = nullptr;
};

}  // namespace halocline::detail
