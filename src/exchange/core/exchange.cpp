#include <halocline/exchange.hpp>

#include "exchange/routes/combine.hpp"
#include "exchange/routes/combining.hpp"
#include "exchange/routes/framed.hpp"
#include "exchange/routes/on_device.hpp"
#include "method.hpp"
#include "pattern_check.hpp"
#include "registry.hpp"
#include "shifts.hpp"

#include <algorithm>
#include <cstring>
#include <sstream>

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

constexpr const char* needs_host =
    "an exchange that changes or combines works on the host's memory, but a field is on a device";

bool any_on_device(const std::vector<Field>& fields) {
  return std::any_of(fields.begin(), fields.end(),
                     [](const Field& field) { return detail::device_of(field) != nullptr; });
}

/// Of each part one past the largest element that is sent, and that is received; copies included.
struct Ends {
  std::vector<std::size_t> sent, received;
  explicit Ends(const Pattern& pattern) {
    for (const Link& link : pattern.sends()) add(sent, link);
    for (const Link& link : pattern.receives()) add(received, link);
    add(sent, pattern.copies_from());
    add(received, pattern.copies_to());
  }
  static std::size_t of(const std::vector<std::size_t>& ends, int part) {
    const auto at = static_cast<std::size_t>(part);
    return at < ends.size() ? ends[at] : 0;
  }
  /// Their number is at least that of the parts that blocks name.
  std::size_t parts() const { return std::max(sent.size(), received.size()); }

 private:
  static void add(std::vector<std::size_t>& ends, const Link& link) {
    for (const Block& block : link.blocks) {
      const auto part = static_cast<std::size_t>(block.part);
      if (ends.size() <= part) ends.resize(part + 1);
      ends[part] = std::max(ends[part], block.end());
    }
  }
};

/// One past the last element of field `number`, of part `part`, that is exchanged.
std::size_t extent_of(const detail::Setup& setup, std::size_t number, int part, const Ends& ends) {
  const bool sends = number < setup.fields_in_message(),
             receives = number >= setup.first_receive_field();
  return std::max(sends ? Ends::of(ends.sent, part) : 0,
                  receives ? Ends::of(ends.received, part) : 0);
}

/// Fields that are to come have at least what this pattern exchanges of them.
void demand(const detail::Setup& setup, std::vector<Field>& fields, const Pattern& pattern) {
  const Ends ends(pattern);
  for (std::size_t f = 0; f < fields.size(); ++f)
    fields[f].elements = extent_of(setup, f, fields[f].part, ends);
}

/// What is wrong with field `number` of part `part`; empty if nothing is.
std::string field_complaint(const detail::Setup& setup, const Field& field, std::size_t number,
                            int part, const Ends& ends) {
  const std::string which = "field " + std::to_string(number);
  constexpr std::size_t most_bytes = std::size_t{1} << 62;
  if (field.element_bytes == 0) return which + " has elements of 0 bytes";
  const std::size_t extent = extent_of(setup, number, part, ends);
  if (field.read_only && number >= setup.first_receive_field() &&
      (Ends::of(ends.received, part) > 0 || setup.apart))
    return which +
           " has constant elements, which can be sent only, but the pattern receives in it; give "
           "it by a pointer that is not const";
  if (field.data == nullptr && extent > 0 && !setup.unbound) return which + " is a null pointer";
  const std::size_t elements = field.elements == Field::unknown ? 0 : field.elements;
  if (std::max(elements, extent) > most_bytes / field.element_bytes)
    return which + " has " + std::to_string(std::max(elements, extent)) + " elements of " +
           std::to_string(field.element_bytes) + " bytes, which is more than there can be";
  if (field.elements != Field::unknown && field.elements < extent)
    return which + " has " + std::to_string(field.elements) +
           " elements, but the pattern reaches to " + std::to_string(extent);
  return {};
}

/// What is wrong with the parts that blocks name; empty if nothing is.
std::string parts_complaint(const detail::Setup& setup, const Ends& ends) {
  std::size_t parts = 1;
  for (const Field& field : setup.send_fields())
    parts = std::max(parts, static_cast<std::size_t>(field.part) + 1);
  if (ends.parts() <= parts) return {};
  return "a block of the pattern is of part " + std::to_string(ends.parts() - 1) + ", but there " +
         (parts == 1 ? "is 1 part" : "are " + std::to_string(parts) + " parts");
}

/// What is wrong with another pattern, or with other fields (none: the same ones); empty if nothing
/// is. Local.
std::string change_complaint(const detail::Setup& setup, const Pattern& pattern,
                             const std::vector<Field>& fields) {
  if (!fields.empty() && fields.size() != setup.fields.size())
    return std::to_string(fields.size()) + " fields, but the exchange is of " +
           std::to_string(setup.fields.size());
  const Ends ends(pattern);
  for (std::size_t f = 0; f < setup.fields.size(); ++f) {
    const Field &before = setup.fields[f], &field = fields.empty() ? before : fields[f];
    if (field.element_bytes != before.element_bytes)
      return "field " + std::to_string(f) + " has elements of " +
             std::to_string(field.element_bytes) + " bytes, but had some of " +
             std::to_string(before.element_bytes);
    if (const std::string wrong = field_complaint(setup, field, f, before.part, ends);
        !wrong.empty())
      return wrong;
  }
  return parts_complaint(setup, ends);
}

/// Why this rank's fields do not fit; empty if they do.
std::string complaint_of(const detail::Setup& setup, const ExchangeOptions& options) {
  const std::string me = "exchange: rank " + std::to_string(mpi::rank(setup.comm)) + ": ";
  const std::vector<Field>& fields = setup.fields;
  const std::size_t sent = setup.fields_in_message();
  const Scheme& scheme = setup.scheme;
  if (fields.empty() && !setup.several) return me + "there is no field to exchange";
  const Ends ends(setup.pattern);
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const Field& source = fields[f % sent];
    const std::string which = "field " + std::to_string(f),
                      of = "field " + std::to_string(f % sent);
    if (const std::string wrong = field_complaint(setup, fields[f], f, fields[f].part, ends);
        !wrong.empty())
      return me + wrong;
    if (fields[f].element_bytes != source.element_bytes)
      return me + of + " has elements of " + std::to_string(source.element_bytes) +
             " bytes, but is received in one of " + std::to_string(fields[f].element_bytes);
    if (options.combine != Combine::replace && fields[f].number != source.number)
      return me + of +
             " has numbers of another type than those of the receiver that it is combined with";
    if (options.combine != Combine::replace)
      if (const std::string why = detail::combine_complaint(fields[f], options.combine);
          !why.empty())
        return me + which + " " + why;
    if (const detail::MethodFacts& method = detail::facts(scheme);
        method.combines && !setup.unbound && !detail::goes_in_frames(options, setup.several))
      if (const std::string why = detail::accumulate_complaint(fields[f], options.combine);
          !why.empty())
        return me + scheme.str() + ": " + why + "; use another scheme, such as " +
               method.from_buffers;
  }
  if (const std::string wrong = parts_complaint(setup, ends); !wrong.empty()) return me + wrong;
  if (const std::string wrong = detail::find_overlap(setup); !wrong.empty()) return me + wrong;
  if (options.combine != Combine::replace && scheme.has("heads") && !scheme.is("heads", "off") &&
      detail::facts(scheme).combines && detail::find_clash(setup.pattern, setup.apart, true))
    return me + "cells that something is added to are sent in the same step, which " +
           scheme.str() + " cannot distinguish; use heads=off";
  if (const std::string why =
          detail::shifts_complaint(setup.pattern, setup.receive_fields(), options);
      !why.empty())
    return me + why;
  if (options.changes || options.combine != Combine::replace) {
    if (any_on_device(fields)) return me + needs_host;
    return {};
  }
  for (const auto* links : {&setup.pattern.sends(), &setup.pattern.receives()})
    for (const Link& link : *links)
      if (link.blocks.empty())
        return me + "the link to rank " + std::to_string(link.peer) +
               " is empty; leave it out, or use ExchangeOptions{.changes = true}";
  if (const auto clash = detail::find_clash(setup.pattern, setup.apart)) return me + clash->text();
  return {};
}

/// Whether each step is given its fields. Throws the same Error on all ranks if some fields have
/// memory and others are to come. Collective.
bool all_unbound(MPI_Comm comm, const std::vector<Field>& fields) {
  const auto is_unbound = [](const Field& field) { return field.unbound; };
  const auto least = mpi::agree(
      comm, "",
      {std::ranges::all_of(fields, is_unbound), std::ranges::none_of(fields, is_unbound)});
  if (least[0] == 0 && least[1] == 0)
    throw Error(
        "exchange: some fields are in memory and others are unbound<T>(); give memory for all of "
        "them on all ranks, or for none");
  return least[1] == 0;
}

/// Why these fields are none for a step of the exchange; empty if they are.
std::string step_complaint(const detail::Setup& setup, std::span<const Field> fields) {
  const auto say = [](auto... words) {
    std::ostringstream text;
    (text << ... << words);
    return text.str();
  };
  if (!setup.unbound)
    return "this exchange is bound to the fields that it was made with; make it with unbound<T>() "
           "in their place to give it others at each step";
  if (fields.size() != setup.fields.size())
    return say("there are ", fields.size(), " fields, but the exchange was made for ",
               setup.fields.size());
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const Field &given = fields[f], &like = setup.fields[f];
    if (given.element_bytes != like.element_bytes)
      return say("field ", f, " has elements of ", given.element_bytes,
                 " bytes, but the exchange was made for ", like.element_bytes);
    if (given.shape != like.shape)
      return say("field ", f,
                 " has other axes or strides than the exchange was made for; make one with "
                 "unbound(field)");
    if (setup.combine != Combine::replace && given.number != like.number)
      return say("field ", f, " has numbers of type ", detail::name(given.number),
                 ", but the exchange was made to combine ", detail::name(like.number));
    if (given.data == nullptr && like.elements > 0) return say("field ", f, " is a null pointer");
    if (given.elements != Field::unknown && given.elements < like.elements)
      return say("field ", f, " has ", given.elements, " elements, but the pattern reaches to ",
                 like.elements);
    if (given.read_only && !like.read_only)
      return say("field ", f,
                 " has constant elements, but the exchange was made to receive in it; make it with "
                 "unbound<const T>() if it does not");
    if (detail::device_of(given) != nullptr)
      return say("field ", f,
                 " is on a device; bind an exchange to it, or give fields on the host");
    const std::size_t others = f < setup.fields_in_message() ? 0 : setup.fields_in_message();
    for (std::size_t before = f; before > others && setup.fields[before - 1].part == like.part;
         --before)
      if (fields[before - 1].data == given.data && like.elements > 0)
        return say("fields ", before - 1, " and ", f, " are one array; each field needs its own");
  }
  return {};
}

void check_link(const detail::Method& method, std::size_t link, const std::vector<Link>& links) {
  if (link >= links.size())
    throw Error(method.setup().scheme.str() + ": link " + std::to_string(link) + " of " +
                std::to_string(links.size()));
}

/// What is exchanged, as the caller has it.
struct Asked {
  Pattern pattern;
  std::vector<Field> fields;
  bool apart = false, several = false;
  std::string complaint{};
};

/// Sent from some fields and received in others.
Asked asked(const Pattern& pattern, std::vector<Field> from, const std::vector<Field>& to) {
  Asked all{.pattern = pattern, .fields = std::move(from), .apart = true};
  if (all.fields.size() != to.size())
    all.complaint = std::to_string(all.fields.size()) + " fields are sent, but " +
                    std::to_string(to.size()) + " are there to receive them";
  all.fields.insert(all.fields.end(), to.begin(), to.end());
  return all;
}

void add_part(std::vector<Field>& all, const std::vector<Field>& fields, std::size_t part) {
  for (const Field& field : fields) all.emplace_back(field).part = static_cast<int>(part);
}

Asked asked(const Pattern& pattern, const std::vector<std::vector<Field>>& parts) {
  Asked all{.pattern = pattern, .fields = {}, .several = true};
  for (std::size_t part = 0; part < parts.size(); ++part) add_part(all.fields, parts[part], part);
  return all;
}

Asked asked(std::vector<Part> parts) {
  std::vector<Pattern> patterns;
  std::vector<Field> from, to;
  std::string complaint;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    patterns.push_back(std::move(parts[part].pattern));
    add_part(from, parts[part].fields, part);
    add_part(to, parts[part].to, part);
    if (!parts[part].to.empty() && parts[part].to.size() != parts[part].fields.size())
      complaint = "part " + std::to_string(part) + " sends " +
                  std::to_string(parts[part].fields.size()) + " fields, but receives in " +
                  std::to_string(parts[part].to.size());
  }
  if (complaint.empty() && !to.empty() && to.size() != from.size())
    complaint = "some parts are received in other fields (Part::to) and some are not";
  Asked all{.pattern = Pattern::united(patterns),
            .fields = std::move(from),
            .apart = !to.empty(),
            .several = true,
            .complaint = std::move(complaint)};
  all.fields.insert(all.fields.end(), to.begin(), to.end());
  return all;
}

/// What all ranks have to have alike: stages that all have, fields on a device on all of them.
void settle_parts(detail::Setup& setup) {
  const auto stages = static_cast<std::int64_t>(setup.pattern.stages().size());
  const bool there = any_on_device(setup.fields);
  const auto least = mpi::agree(setup.comm, "", {stages, -stages, !setup.fields.empty(), !there});
  if (least[0] != -least[1]) setup.pattern.set_stages({});
  if (least[2] == 0 && least[3] == 0)
    throw Error(
        "exchange: parts have fields on a device, but some ranks have none; each rank needs "
        "one there");
}

std::unique_ptr<detail::Method> make_in_time(MPI_Comm comm, Asked asked, const Scheme& scheme,
                                             const ExchangeOptions& options) {
  detail::Setup setup{.comm = detail::Channel::on(comm),
                      .pattern = std::move(asked.pattern),
                      .fields = std::move(asked.fields),
                      .scheme = scheme,
                      .combine = options.combine,
                      .apart = asked.apart,
                      .several = asked.several};
  setup.unbound = all_unbound(setup.comm, setup.fields);
  std::string complaint =
      asked.complaint.empty()
          ? complaint_of(setup, options)
          : "exchange: rank " + std::to_string(mpi::rank(comm)) + ": " + asked.complaint;
  if (setup.unbound) demand(setup, setup.fields, setup.pattern);
  if (detail::goes_in_frames(options, setup.several)) {
    // The largest capacity that any rank gives counts, so that both ends of a link have one room.
    const auto capacity = static_cast<std::int64_t>(options.capacity);
    ExchangeOptions settled = options;
    settled.capacity =
        static_cast<std::size_t>(-mpi::agree(setup.comm, complaint, {-capacity}).front());
    return detail::make_framed(comm, std::move(setup), settled);
  }
  if (options.combine != Combine::replace) setup.pattern = filled(setup.pattern);
  setup.halos = options.halos;
  setup.two_way = detail::check_pattern(setup, std::move(complaint));
  if (setup.several) settle_parts(setup);
  // Cells can be viewed where they lie as blocks of rows.
  if (setup.halos == Halos::in_place &&
      (setup.several || !mpi::all_of(setup.comm, std::ranges::all_of(setup.fields, [](auto& field) {
                                       return field.is_dense();
                                     }))))
    setup.halos = Halos::filled;
  if (options.combine != Combine::replace) detail::check_numbers(setup);
  return detail::combines_here(setup) ? detail::make_combining(std::move(setup))
                                      : detail::make_method(std::move(setup));
}

std::unique_ptr<detail::Method> make(MPI_Comm comm, Asked asked, const Scheme& scheme,
                                     const ExchangeOptions& options) {
  try {
    return make_in_time(comm, std::move(asked), scheme, options);
  } catch (const Timeout& timeout) {
    throw Timeout(scheme.str() + ": making the exchange: " + timeout.what());
  }
}

}  // namespace

Exchange::Exchange(MPI_Comm comm, const Pattern& pattern, std::vector<Field> fields,
                   const Scheme& scheme, const ExchangeOptions& options)
    : method_(make(comm, {.pattern = pattern, .fields = std::move(fields)}, scheme, options)) {
  describe(comm);
}

Exchange::Exchange(MPI_Comm comm, const Pattern& pattern, std::vector<Field> from,
                   const std::vector<Field>& to, const Scheme& scheme,
                   const ExchangeOptions& options)
    : method_(make(comm, asked(pattern, std::move(from), to), scheme, options)) {
  describe(comm);
}

Exchange::Exchange(MPI_Comm comm, std::vector<Part> parts, const Scheme& scheme,
                   const ExchangeOptions& options)
    : method_(make(comm, asked(std::move(parts)), scheme, options)) {
  describe(comm);
}

Exchange::Exchange(MPI_Comm comm, const Pattern& pattern,
                   const std::vector<std::vector<Field>>& fields, const Scheme& scheme,
                   const ExchangeOptions& options)
    : method_(make(comm, asked(pattern, fields), scheme, options)) {
  describe(comm);
}

void Exchange::describe(MPI_Comm comm) {
  traced_ = detail::traced_as(method_->setup(), comm);
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

void Exchange::must_be_bound(const char* call) const {
  if (method().setup().unbound)
    throw Error(scheme().str() + ": " + call +
                ": this exchange is made without memory; give it fields at each step: " + call +
                "(field(x))");
}

void Exchange::rebind(const char* call, std::span<const Field> fields) {
  const std::string complaint = step_complaint(method_->setup(), fields);
  if (complaint.empty()) return method_->rebind(fields);
  method_->step.end();
  throw Error(scheme().str() + ": rank " + std::to_string(mpi::rank(comm())) + ": " + call + ": " +
              complaint);
}

void Exchange::begin() {
  maybe_delay();
  const trace::detail::StepPart part(Activity::begin_step, traced_, ++step_);
  method_->start();
}

void Exchange::start() {
  must_be_bound("start");
  method_->step.begin(scheme());
  begin();
}

void Exchange::start(std::span<const Field> fields) {
  method().step.begin(scheme());
  rebind("start", fields);
  begin();
}

void Exchange::begin_parts() {
  maybe_delay();
  const trace::detail::StepPart part(Activity::begin_step, traced_, ++step_);
  method_->open();
}

void Exchange::open() {
  must_be_bound("open");
  method_->step.open(scheme());
  begin_parts();
}

void Exchange::open(std::span<const Field> fields) {
  method().step.open(scheme());
  rebind("open", fields);
  begin_parts();
}

void Exchange::ready(std::size_t link, std::size_t first, std::size_t count) {
  method().step.must_be_open(scheme());
  check_link(*method_, link, method_->setup().pattern.sends());
  method_->ready(link, first, count);
}

bool Exchange::await(std::size_t link, std::size_t first, std::size_t count) {
  if (count > 0 && !method().step.under_way())
    throw Error(scheme().str() + ": await: no step is under way; start one first");
  const Pattern& pattern = method_->setup().pattern;
  check_link(*method_, link, pattern.receives());
  if (pattern.shifts() && !pattern.receives()[link].shifts.empty()) return false;
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
    detail::add_shifts(method_->setup());
  }
  method_->step.end();
  maybe_delay();
}

Pattern Exchange::change(Pattern pattern) {
  const detail::Setup& setup = method().setup();
  if (!setup.unbound) return change(std::move(pattern), {});
  std::vector<Field> fields = setup.fields;
  for (Field& field : fields)
    field.elements = field.shape.axes > 0 ? field.shape.elements() : Field::unknown;
  if (const std::string wrong = change_complaint(setup, pattern, fields); !wrong.empty())
    throw Error(scheme().str() + ": change: " + wrong);
  demand(setup, fields, pattern);
  return method_->change(std::move(pattern), std::move(fields));
}
Pattern Exchange::change(Pattern pattern, std::vector<Field> fields) {
  if (any_on_device(fields)) throw Error(scheme().str() + ": " + needs_host);
  if (method().setup().unbound)
    throw Error(scheme().str() +
                ": change: this exchange is given its fields at each step; change the pattern "
                "alone");
  if (const std::string wrong = change_complaint(method().setup(), pattern, fields); !wrong.empty())
    throw Error(scheme().str() + ": change: " + wrong);
  return method().change(std::move(pattern), std::move(fields));
}

MPI_Comm Exchange::comm() const {
  return method().setup().comm;
}
const Pattern& Exchange::pattern() const {
  return method().setup().pattern;
}
std::span<const Field> Exchange::fields() const {
  return method().setup().fields;
}
const Scheme& Exchange::scheme() const {
  return method().setup().scheme;
}
std::size_t Exchange::bytes_sent() const {
  return method().setup().bytes_sent();
}

bool Exchange::direct() const {
  return method().direct();
}
View Exchange::view(std::size_t link, std::size_t block, std::size_t field) const {
  return method().view(link, block, field);
}

void Exchange::fill_halos() {
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
  method().traffic = {};
}

}  // namespace halocline
