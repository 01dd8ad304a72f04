#include <halocline/exchange.hpp>

#include "exchange/routes/combine.hpp"
#include "exchange/routes/framed.hpp"
#include "exchange/routes/on_device.hpp"
#include "method.hpp"
#include "pattern_check.hpp"
#include "registry.hpp"

#include <algorithm>
#include <cstring>

namespace halocline {

namespace {

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

/// The fields that messages come from and, if they are others, those that they are received in.
struct Ends {
  std::vector<Field> fields;
  std::size_t sent;  ///< the first of them
  bool apart = false;
  Ends(std::vector<Field> both) : fields(std::move(both)), sent(fields.size()) {}
  Ends(std::vector<Field> from, const std::vector<Field>& to)
      : fields(std::move(from)), sent(fields.size()), apart(true) {
    fields.insert(fields.end(), to.begin(), to.end());
  }
  std::size_t element_bytes() const { return detail::element_bytes({fields.data(), sent}); }
};

constexpr const char* needs_host =
    "an exchange that changes or combines works on the host's memory, but a field is on a device";

bool any_on_device(const std::vector<Field>& fields) {
  return std::any_of(fields.begin(), fields.end(),
                     [](const Field& field) { return detail::device_of(field) != nullptr; });
}

/// Why this rank's fields do not fit; empty if they do.
std::string pattern_complaint(MPI_Comm comm, const Pattern& pattern, const Ends& ends,
                              const Scheme& scheme, const ExchangeOptions& options) {
  const std::string me = "exchange: rank " + std::to_string(mpi::rank(comm)) + ": ";
  const std::vector<Field>& fields = ends.fields;
  if (fields.empty()) return me + "there is no field to exchange";
  if (ends.apart && fields.size() != 2 * ends.sent)
    return me + std::to_string(ends.sent) + " fields are sent, but " +
           std::to_string(fields.size() - ends.sent) + " are there to receive them";
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const std::size_t extent = !ends.apart     ? pattern.extent()
                               : f < ends.sent ? pattern.send_extent()
                                               : pattern.receive_extent();
    const Field& source = fields[f % ends.sent];
    if (fields[f].element_bytes == 0)
      return me + "field " + std::to_string(f) + " has elements of 0 bytes";
    if (fields[f].element_bytes != source.element_bytes)
      return me + "field " + std::to_string(f % ends.sent) + " has elements of " +
             std::to_string(source.element_bytes) + " bytes, but is received in one of " +
             std::to_string(fields[f].element_bytes);
    if (fields[f].data == nullptr && extent > 0)
      return me + "field " + std::to_string(f) + " is a null pointer";
    constexpr std::size_t most_bytes = std::size_t{1} << 62;
    if (std::max(fields[f].elements, extent) > most_bytes / fields[f].element_bytes)
      return me + "field " + std::to_string(f) + " has " +
             std::to_string(std::max(fields[f].elements, extent)) + " elements of " +
             std::to_string(fields[f].element_bytes) + " bytes, which is more than there can be";
    if (fields[f].elements != 0 && fields[f].elements < extent)
      return me + "field " + std::to_string(f) + " has " + std::to_string(fields[f].elements) +
             " elements, but the pattern reaches to " + std::to_string(extent);
    if (options.combine != Combine::replace && fields[f].number != source.number)
      return me + "field " + std::to_string(f % ends.sent) +
             " has numbers of another type than those of the receiver that it is combined with";
    if (options.combine != Combine::replace && fields[f].number == Number::unknown)
      return me + "field " + std::to_string(f) +
             " has elements of an unknown type, which combine=" + detail::name(options.combine) +
             " cannot work on; use numbers (Array<double>, field(pointer), Field::number)";
  }
  if (options.combine != Combine::replace && scheme.has("heads") && !scheme.is("heads", "off") &&
      detail::facts(scheme).combines && detail::find_clash(pattern, ends.apart, true))
    return me + "cells that something is added to are sent in the same step, which " +
           scheme.str() + " cannot distinguish; use heads=off";
  if (options.changes || options.combine != Combine::replace) {
    if (any_on_device(fields)) return me + needs_host;
    return {};
  }
  for (const auto* links : {&pattern.sends(), &pattern.receives()})
    for (const Link& link : *links)
      if (link.blocks.empty())
        return me + "the link to rank " + std::to_string(link.peer) +
               " is empty; leave it out, or use ExchangeOptions{.changes = true}";
  if (const auto clash = detail::find_clash(pattern, ends.apart)) return me + clash->text();
  return {};
}

void check_link(const detail::Method& method, std::size_t link, const std::vector<Link>& links) {
  if (link >= links.size())
    throw Error(method.setup().scheme.str() + ": link " + std::to_string(link) + " of " +
                std::to_string(links.size()));
}

std::unique_ptr<detail::Method> make_in_time(MPI_Comm comm, const Pattern& pattern, Ends ends,
                                             const Scheme& scheme, const ExchangeOptions& options) {
  if (detail::goes_in_frames(options, scheme)) {
    mpi::agree(comm, pattern_complaint(comm, pattern, ends, scheme, options));
    return detail::make_framed(comm, pattern, std::move(ends.fields), ends.apart, scheme, options);
  }
  detail::Channel own = detail::Channel::on(comm);
  const Pattern& all = options.combine == Combine::replace ? pattern : filled(pattern);
  const bool two_way = detail::check_pattern(own, all, ends.element_bytes(),
                                             pattern_complaint(own, all, ends, scheme, options));
  if (options.combine != Combine::replace) detail::check_numbers(own, all, ends.fields);
  return detail::make_method({.comm = std::move(own),
                              .pattern = all,
                              .fields = std::move(ends.fields),
                              .scheme = scheme,
                              .two_way = two_way,
                              .combine = options.combine,
                              .apart = ends.apart,
                              .halos = options.halos});
}

std::unique_ptr<detail::Method> make(MPI_Comm comm, const Pattern& pattern, Ends ends,
                                     const Scheme& scheme, const ExchangeOptions& options) {
  try {
    return make_in_time(comm, pattern, std::move(ends), scheme, options);
  } catch (const Timeout& timeout) {
    throw Timeout(scheme.str() + ": making the exchange: " + timeout.what());
  }
}

}  // namespace

Exchange::Exchange(MPI_Comm comm, const Pattern& pattern, std::vector<Field> fields,
                   const Scheme& scheme, const ExchangeOptions& options)
    : method_(make(comm, pattern, std::move(fields), scheme, options)) {
  describe(comm);
}

Exchange::Exchange(MPI_Comm comm, const Pattern& pattern, std::vector<Field> from,
                   const std::vector<Field>& to, const Scheme& scheme,
                   const ExchangeOptions& options)
    : method_(make(comm, pattern, {std::move(from), to}, scheme, options)) {
  describe(comm);
}

void Exchange::describe(MPI_Comm comm) {
  const detail::Setup& setup = method_->setup();
  traced_ = detail::traced_as(scheme(), comm, setup.pattern, setup.element_bytes());
}

Exchange::~Exchange() {
  detail::end(method_);
}
Exchange::Exchange(Exchange&&) noexcept = default;
Exchange& Exchange::operator=(Exchange&& other) noexcept {
  if (this == &other) return *this;
  detail::end(method_);
  method_ = std::move(other.method_);
  traced_ = other.traced_;
  step_ = other.step_;
  return *this;
}

detail::Method& Exchange::method() const {
  if (!method_) throw Error("exchange: this one has been moved from; use the one it was moved to");
  return *method_;
}

void Exchange::start() {
  method().step.begin(scheme());
  maybe_delay();
  const trace::detail::StepPart part(Activity::begin_step, traced_, ++step_);
  method_->start();
}

void Exchange::open() {
  method().step.open(scheme());
  maybe_delay();
  const trace::detail::StepPart part(Activity::begin_step, traced_, ++step_);
  method_->open();
}

void Exchange::ready(std::size_t link, std::size_t first, std::size_t count) {
  method().step.must_be_open(scheme());
  check_link(*method_, link, method_->setup().pattern.sends());
  method_->ready(link, first, count);
}

bool Exchange::await(std::size_t link, std::size_t first, std::size_t count) {
  if (count > 0 && !method().step.under_way())
    throw Error(scheme().str() + ": await: no step is under way; start one first");
  check_link(*method_, link, method_->setup().pattern.receives());
  return method_->await(link, first, count);
}

void Exchange::start(DeviceStream stream) {
  if (!detail::on_device(method().setup()))
    throw Error(scheme().str() +
                ": start(stream): the fields are on the host, which no stream of a "
                "device writes; use start()");
  method_->stream = stream;
  start();
}

void Exchange::finish(DeviceStream stream) {
  method().stream = stream;
  finish();
  method_->stream.reset();
}

void Exchange::finish() {
  if (const std::size_t missing = method().missing(); missing > 0)
    throw Error(scheme().str() + ": finish: " + std::to_string(missing) +
                " sent elements have not been marked ready");
  method_->step.finish(scheme());
  maybe_delay();
  {
    const trace::detail::StepPart part(Activity::end_step, traced_, step_);
    detail::naming_awaited(*method_, [&] { method_->finish(); });
  }
  method_->step.end();
  maybe_delay();
}

Pattern Exchange::change(Pattern pattern) {
  return method().change(std::move(pattern), {});
}
Pattern Exchange::change(Pattern pattern, std::vector<Field> fields) {
  if (any_on_device(fields)) throw Error(scheme().str() + ": " + needs_host);
  return method().change(std::move(pattern), std::move(fields));
}

const Scheme& Exchange::scheme() const {
  return method().setup().scheme;
}

std::size_t Exchange::bytes_sent() const {
  const detail::Setup& setup = method().setup();
  return setup.element_bytes() * setup.pattern.elements_sent();
}

bool Exchange::direct() const {
  return method().direct();
}
View Exchange::view(std::size_t link, std::size_t block, std::size_t field) const {
  return method().view(link, block, field);
}

void Exchange::fill_halos() const {
  if (!direct()) return;
  const detail::Setup& setup = method_->setup();
  const auto& links = setup.pattern.receives();
  const std::span<const Field> fields = setup.receive_fields();
  for (std::size_t link = 0; link < links.size(); ++link)
    for (std::size_t b = 0; b < links[link].blocks.size(); ++b)
      for (std::size_t f = 0; f < fields.size(); ++f) {
        const View there = view(link, b, f);
        const Block& block = links[link].blocks[b];
        const auto unit = static_cast<std::ptrdiff_t>(fields[f].element_bytes);
        std::byte* const halo = static_cast<std::byte*>(fields[f].data) + block.offset * unit;
        const auto [planes, rows, row] = block.count;
        for (std::size_t k = 0; k < planes; ++k)
          for (std::size_t j = 0; j < rows; ++j) {
            const auto p = static_cast<std::ptrdiff_t>(k), r = static_cast<std::ptrdiff_t>(j);
            const std::byte* const from = there.data + p * there.stride[0] + r * there.stride[1];
            std::byte* const to = halo + (p * block.stride[0] + r * block.stride[1]) * unit;
            if (from != to) std::memcpy(to, from, row * static_cast<std::size_t>(unit));
          }
      }
}

void Exchange::measure(bool on) {
  method().measuring = on;
}
const ExchangeTimes& Exchange::times() const {
  return method().times;
}
const DeviceTraffic& Exchange::device_traffic() const {
  return method().traffic;
}
void Exchange::reset_times() {
  method().times = {};
  method_->traffic = {};
}

}  // namespace halocline
