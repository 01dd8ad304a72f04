#include "trade.hpp"

#include "mpi/own.hpp"
#include "mpi/under_way.hpp"

#include <halocline/more/waiting.hpp>

namespace halocline::detail {

namespace {

void arrive(MPI_Comm comm, UnderWay& receives, UnderWay& sends) {
  mpi::talk(comm, [&](MPI_Comm) {
    wait_all("exchange set-up", receives);
    wait_all("exchange set-up", sends);
  });
}

}  // namespace

std::vector<std::int64_t> trade(MPI_Comm comm, std::span<const int> to,
                                std::span<const std::int64_t> mine, std::span<const int> from,
                                std::size_t each) {
  const auto theirs = std::make_shared<std::vector<std::int64_t>>(from.size() * each);
  const auto sent = std::make_shared<std::vector<std::int64_t>>(mine.begin(), mine.end());
  UnderWay sends(UnderWay::others, to.size(), sent);
  UnderWay receives(UnderWay::receives, from.size(), theirs);
  for (std::size_t i = 0; i < from.size(); ++i)
    HALOCLINE_MPI(MPI_Irecv, theirs->data() + i * each, static_cast<int>(each), MPI_INT64_T,
                  from[i], tag_of_numbers, comm, &receives[i]);
  for (std::size_t i = 0; i < to.size(); ++i)
    HALOCLINE_MPI(MPI_Isend, sent->data() + i * each, static_cast<int>(each), MPI_INT64_T, to[i],
                  tag_of_numbers, comm, &sends[i]);
  arrive(comm, receives, sends);
  return std::move(*theirs);
}

std::vector<Layout> trade_layouts(MPI_Comm comm, std::span<const int> to,
                                  const std::vector<Layout>& mine, std::span<const int> from) {
  constexpr std::size_t words = sizeof(Piece) / sizeof(std::int64_t);
  std::vector<std::int64_t> lengths;
  for (const Layout& layout : mine)
    lengths.push_back(static_cast<std::int64_t>(layout.pieces().size()));
  const auto theirs = trade(comm, to, lengths, from, 1);

  const auto arrived = std::make_shared<std::vector<std::vector<Piece>>>(from.size());
  const auto sent = std::make_shared<std::vector<Layout>>(mine);
  UnderWay sends(UnderWay::others, to.size(), sent);
  UnderWay receives(UnderWay::receives, from.size(), arrived);
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::vector<Piece>& pieces = (*arrived)[i];
    pieces.resize(static_cast<std::size_t>(theirs[i]));
    HALOCLINE_MPI(MPI_Irecv, pieces.data(), static_cast<int>(pieces.size() * words), MPI_INT64_T,
                  from[i], tag_of_layouts, comm, &receives[i]);
  }
  for (std::size_t i = 0; i < to.size(); ++i)
    HALOCLINE_MPI(MPI_Isend, (*sent)[i].pieces().data(),
                  static_cast<int>((*sent)[i].pieces().size() * words), MPI_INT64_T, to[i],
                  tag_of_layouts, comm, &sends[i]);
  arrive(comm, receives, sends);
  std::vector<Layout> layouts;
  for (auto& pieces : *arrived) layouts.emplace_back(std::move(pieces));
  return layouts;
}

}  // namespace halocline::detail
