// Checkpoints. The checksum of a damaged one is put right: else nobody would look any further.

#include "alone.hpp"
#include "fuzz.hpp"

#include <frame/state_file.hpp>
#include <numerics/point_checksum.hpp>

#include <cstring>
#include <vector>

namespace {

/// As docs/reference/checkpoints.md has it: over all words but its own, which is the sixth.
void put_checksum_right(std::string& bytes) {
  constexpr std::size_t own = 5;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < bytes.size() / 8; ++i) {
    double word;
    std::memcpy(&word, bytes.data() + 8 * i, 8);
    if (i != own) sum += numerics::point_checksum(static_cast<std::int64_t>(i), word);
  }
  if (bytes.size() >= 8 * (own + 1)) std::memcpy(bytes.data() + 8 * own, &sum, 8);
}

void read(std::string_view text) {
  const MPI_Comm comm = fuzz::alone();
  std::string bytes(text);
  put_checksum_right(bytes);
  const frame::StateFile state(comm, "--restart", fuzz::file_of(bytes), "program");
  state.progress<std::int64_t>("step");
  const std::int64_t length = state.length("x");
  fuzz::must(length >= 0 && length <= std::ssize(bytes) / 8);
  std::vector<double> x(static_cast<std::size_t>(length)), u(24);
  const std::array shares{
      frame::Share::of_vector("x", length, {0, length}, x.data()),
      frame::Share{"u", {2, 3, 4}, {{{0, 2}, {0, 3}, {0, 4}}}, u.data(), {12, 4, 1}}};
  state.read(comm, shares);
}

const fuzz::Target target("state", read);

}  // namespace
