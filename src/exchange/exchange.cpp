#include <halocline/exchange.hpp>

#include "combine.hpp"
#include "framed.hpp"
#include "method.hpp"
#include "pattern_check.hpp"
#include "registry.hpp"

namespace halocline {

namespace {

bool framed(const ExchangeOptions& options, const Scheme& scheme) {
  return options.changes ||
         (options.combine != Combine::replace && !detail::find_method(scheme.method())->combines);
}

/// Without links that are empty.
Pattern filled(const Pattern& pattern) {
  Pattern same;
  for (const Link& link : pattern.sends())
    for (const Block& block : link.blocks) same.send(link.peer, block);
  for (const Link& link : pattern.receives())
    for (const Block& block : link.blocks) same.receive(link.peer, block);
  for (std::size_t i = 0; i < pattern.copies_from().blocks.size(); ++i)
    same.copy(pattern.copies_from().blocks[i], pattern.copies_to().blocks[i]);
  return same;
}

/// Why this rank's fields do not fit; empty if they do.
std::string complaint(MPI_Comm comm, const Pattern& pattern, const std::vector<Field>& fields,
                      const ExchangeOptions& options) {
  const std::string me = "exchange: rank " + std::to_string(mpi::rank(comm)) + ": ";
  if (fields.empty()) return me + "there is no field to exchange";
  for (std::size_t f = 0; f < fields.size(); ++f) {
    if (fields[f].element_bytes == 0)
      return me + "field " + std::to_string(f) + " has elements of 0 bytes";
    if (fields[f].data == nullptr && pattern.extent() > 0)
      return me + "field " + std::to_string(f) + " is a null pointer";
    if (fields[f].elements != 0 && fields[f].elements < pattern.extent())
      return me + "field " + std::to_string(f) + " has " + std::to_string(fields[f].elements) +
             " elements, but the pattern reaches to " + std::to_string(pattern.extent());
    if (options.combine != Combine::replace && fields[f].number == Number::unknown)
      return me + "field " + std::to_string(f) +
             " has elements of an unknown type, which combine=" + detail::name(options.combine) +
             " cannot work on; use numbers (Array<double>, field(pointer), Field::number)";
  }
  if (options.changes || options.combine != Combine::replace) return {};
  for (const auto* links : {&pattern.sends(), &pattern.receives()})
    for (const Link& link : *links)
      if (link.blocks.empty())
        return me + "the link to rank " + std::to_string(link.peer) +
               " is empty; leave it out, or use ExchangeOptions{.changes = true}";
  return {};
}

}  // namespace

Exchange::Exchange(MPI_Comm comm, const Pattern& pattern, std::vector<Field> fields,
                   const Scheme& scheme, const ExchangeOptions& options) {
  if (framed(options, scheme)) {
    mpi::agree(comm, complaint(comm, pattern, fields, options));
    method_ = detail::make_framed(comm, pattern, std::move(fields), scheme, options);
    return;
  }
  detail::Channel own = detail::Channel::on(comm);
  std::size_t element_bytes = 0;
  for (const Field& field : fields) element_bytes += field.element_bytes;
  const Pattern& all = options.combine == Combine::replace ? pattern : filled(pattern);
  const bool two_way =
      detail::check_pattern(own, all, element_bytes, complaint(own, all, fields, options));
  if (options.combine != Combine::replace) detail::check_numbers(own, all, fields);
  method_ = detail::make_method({.comm = std::move(own),
                                 .pattern = all,
                                 .fields = std::move(fields),
                                 .scheme = scheme,
                                 .two_way = two_way,
                                 .combine = options.combine});
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

Pattern Exchange::change(Pattern pattern) {
  return method_->change(std::move(pattern), {});
}
Pattern Exchange::change(Pattern pattern, std::vector<Field> fields) {
  return method_->change(std::move(pattern), std::move(fields));
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
