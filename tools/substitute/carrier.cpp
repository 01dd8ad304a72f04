#include "carrier.hpp"

#include <halocline/environment.hpp>

namespace substitute {

namespace {

std::size_t words_of(const End& end) {
  return 1 + (end.bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
}

std::vector<std::size_t> places_of(const std::vector<End>& ends, std::size_t& all) {
  std::vector<std::size_t> places;
  for (const End& end : ends) {
    places.push_back(all);
    all += words_of(end);
  }
  return places;
}

halocline::Block block_of(std::size_t place, const End& end) {
  return {.offset = static_cast<std::ptrdiff_t>(place), .count = {1, 1, words_of(end)}};
}

}  // namespace

Carrier::Carrier(MPI_Comm comm, const std::vector<End>& out, const std::vector<End>& in,
                 const halocline::Scheme& scheme) {
  std::size_t sent = 0, received = 0;
  out_ = places_of(out, sent);
  in_ = places_of(in, received);
  from_ = Words(comm, sent, scheme);
  to_ = Words(comm, received, scheme);

  const int me = halocline::mpi::rank(comm);
  halocline::Pattern pattern;
  std::vector<std::size_t> own;  // messages to myself
  for (std::size_t i = 0; i < out.size(); ++i)
    if (out[i].peer == me)
      own.push_back(i);
    else
      pattern.send(out[i].peer, block_of(out_[i], out[i]));
  std::size_t next = 0;
  for (std::size_t i = 0; i < in.size(); ++i)
    if (in[i].peer != me)
      pattern.receive(in[i].peer, block_of(in_[i], in[i]));
    else if (next < own.size()) {
      const std::size_t sender = own[next++];
      pattern.copy(block_of(out_[sender], out[sender]), block_of(in_[i], in[i]));
    }
  exchange_.emplace(comm, pattern, halocline::Field(from_), halocline::Field(to_), scheme);
}

}  // namespace substitute
