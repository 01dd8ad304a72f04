#include <halocline/exchange.hpp>

#include "method.hpp"
#include "registry.hpp"

#include <algorithm>

namespace halocline {

namespace {

/// Why this rank's part does not fit; empty if it does.
std::string complaint(MPI_Comm comm, const Pattern& pattern, const std::vector<Field>& fields) {
  const int ranks = mpi::size(comm);
  const std::string me = "exchange: rank " + std::to_string(mpi::rank(comm)) + ": ";
  if (fields.empty()) return me + "there is no field to exchange";
  for (const auto* links : {&pattern.sends(), &pattern.receives()})
    for (const Link& link : *links) {
      if (link.peer >= ranks)
        return me + "a link's peer is rank " + std::to_string(link.peer) + ", but there are only " +
               std::to_string(ranks) + " ranks";
      if (link.peer == mpi::rank(comm)) return me + "a link to itself; use Pattern::copy";
    }
  for (std::size_t f = 0; f < fields.size(); ++f) {
    if (fields[f].element_bytes == 0)
      return me + "field " + std::to_string(f) + " has elements of 0 bytes";
    if (fields[f].data == nullptr && !pattern.empty())
      return me + "field " + std::to_string(f) + " is a null pointer";
    if (fields[f].elements != 0 && fields[f].elements < pattern.extent())
      return me + "field " + std::to_string(f) + " has " + std::to_string(fields[f].elements) +
             " elements, but the pattern reaches to " + std::to_string(pattern.extent());
  }
  return {};
}

/// Compares what every rank sends with what its peer expects; finds out whether all links have
/// one in the other direction.
bool check_across_ranks(MPI_Comm comm, const Pattern& pattern, const std::vector<Field>& fields) {
  const auto ranks = static_cast<std::size_t>(mpi::size(comm));
  std::int64_t element_bytes = 0;
  for (const Field& field : fields) element_bytes += static_cast<std::int64_t>(field.element_bytes);
  std::vector<std::int64_t> sent(ranks, 0), announced(ranks, 0), expected(ranks, 0);
  for (const Link& link : pattern.sends())
    sent[static_cast<std::size_t>(link.peer)] =
        static_cast<std::int64_t>(link.size()) * element_bytes;
  for (const Link& link : pattern.receives())
    expected[static_cast<std::size_t>(link.peer)] =
        static_cast<std::int64_t>(link.size()) * element_bytes;
  HALOCLINE_MPI(MPI_Alltoall, sent.data(), 1, MPI_INT64_T, announced.data(), 1, MPI_INT64_T, comm);

  std::string wrong;
  bool two_way = true;
  for (std::size_t peer = 0; peer < ranks; ++peer) {
    if (announced[peer] != expected[peer] && wrong.empty())
      wrong = "exchange: rank " + std::to_string(mpi::rank(comm)) + " expects " +
              std::to_string(expected[peer]) + " bytes from rank " + std::to_string(peer) +
              ", which sends " + std::to_string(announced[peer]);
    two_way = two_way && (sent[peer] > 0) == (expected[peer] > 0);
  }
  mpi::agree(comm, wrong);
  return mpi::all_of(comm, two_way);
}

}  // namespace

Exchange::Exchange(MPI_Comm comm, const Pattern& pattern, std::vector<Field> fields,
                   const Scheme& scheme) {
  mpi::Comm own = mpi::Comm::duplicate(comm);
  mpi::agree(own, complaint(own, pattern, fields));
  const bool two_way = check_across_ranks(own, pattern, fields);
  method_ = detail::make_method({std::move(own), pattern, std::move(fields), scheme, two_way});
}

Exchange::~Exchange() = default;
Exchange::Exchange(Exchange&&) noexcept = default;
Exchange& Exchange::operator=(Exchange&&) noexcept = default;

void Exchange::start() {
  maybe_delay();
  method_->start();
}

void Exchange::finish() {
  maybe_delay();
  method_->finish();
  maybe_delay();
}

const Scheme& Exchange::scheme() const noexcept {
  return method_->setup().scheme;
}

std::size_t Exchange::bytes_sent() const noexcept {
  std::size_t element_bytes = 0;
  for (const Field& field : method_->setup().fields) element_bytes += field.element_bytes;
  return element_bytes * method_->setup().pattern.elements_sent();
}

bool Exchange::direct() const noexcept {
  return method_->direct();
}
View Exchange::view(std::size_t link, std::size_t block, std::size_t field) const {
  return method_->view(link, block, field);
}

void Exchange::measure(bool on) noexcept {
  method_->measuring = on;
}
const ExchangeTimes& Exchange::times() const noexcept {
  return method_->times;
}
void Exchange::reset_times() noexcept {
  method_->times = {};
}

}  // namespace halocline
