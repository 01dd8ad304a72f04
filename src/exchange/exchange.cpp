#include <halocline/exchange.hpp>

#include "method.hpp"
#include "pattern_check.hpp"
#include "registry.hpp"

namespace halocline {

namespace {

/// Why this rank's fields do not fit; empty if they do.
std::string complaint(MPI_Comm comm, const Pattern& pattern, const std::vector<Field>& fields) {
  const std::string me = "exchange: rank " + std::to_string(mpi::rank(comm)) + ": ";
  if (fields.empty()) return me + "there is no field to exchange";
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

}  // namespace

Exchange::Exchange(MPI_Comm comm, const Pattern& pattern, std::vector<Field> fields,
                   const Scheme& scheme) {
  detail::Channel own = detail::Channel::on(comm);
  mpi::agree(own, complaint(own, pattern, fields));
  std::size_t element_bytes = 0;
  for (const Field& field : fields) element_bytes += field.element_bytes;
  const bool two_way = detail::check_pattern(own, pattern, element_bytes);
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
