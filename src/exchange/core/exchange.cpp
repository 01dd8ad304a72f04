#include <halocline/exchange.hpp>

#include "exchange/routes/combine.hpp"
#include "exchange/routes/framed.hpp"
#include "exchange/routes/on_device.hpp"
#include "fields_check.hpp"
#include "method.hpp"
#include "mpi/own.hpp"
#include "pattern_check.hpp"
#include "registry.hpp"
#include "shifts.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <span>

namespace halocline {

namespace {

/// Without links that are empty.
Pattern filled(const Pattern& pattern) {
  Pattern same;
  same.count_as(pattern);
  for (const Link& link : pattern.sends())
    for (const Block& block : link.blocks) same.send(link.peer, block);
  for (const Link& link : pattern.receives())
    for (const Block& block : link.blocks) same.receive(link.peer, block);
  for (std::size_t i = 0; i < pattern.copies_from().blocks.size(); ++i)
    same.copy(pattern.copies_from().blocks[i], pattern.copies_to().blocks[i]);
  return same;
}

/// Refuses ranks that give different schemes: each would wait for the others in its own way.
[[noreturn]] void refuse_schemes(MPI_Comm comm, const Scheme& mine) {
  const std::string first = mpi::from_root(comm, mine.str());
  mpi::agree(comm, first == mine.str() ? ""
                                       : "exchange: rank " + std::to_string(mpi::rank(comm)) +
                                             " gives the scheme " + mine.str() + ", but rank 0 " +
                                             first + "; give the same on all ranks");
  throw Error("exchange: the ranks give different schemes; give the same on all ranks");
}

/// What all ranks have to give alike; told along with the first thing that they agree on.
struct Alike {
  Alike(const std::vector<Field>& fields, const Scheme& scheme) {
    const auto is_unbound = [](const Field& field) { return field.unbound; };
    const auto name = static_cast<std::int64_t>(std::hash<std::string>{}(scheme.str()) >> 1);
    values = {std::ranges::all_of(fields, is_unbound), std::ranges::none_of(fields, is_unbound),
              name, -name};
  }
  /// Whether each step is given its fields. Throws the same Error on all ranks if they give
  /// different schemes, or if some fields have memory and others are to come. `least`: of all
  /// ranks.
  static bool unbound(MPI_Comm comm, const Scheme& scheme, std::span<const std::int64_t> least) {
    if (least[2] != -least[3]) refuse_schemes(comm, scheme);
    if (least[0] == 0 && least[1] == 0)
      throw Error(
          "exchange: some fields are in memory and others are unbound<T>(); give memory for all of "
          "them on all ranks, or for none");
    return least[1] == 0;
  }
  std::vector<std::int64_t> values;
};

void check_link(const detail::Method& method, std::size_t link, const std::vector<Link>& links) {
  if (link >= links.size())
    throw Error(method.setup().scheme.str() + ": link " + std::to_string(link) + " of " +
                std::to_string(links.size()));
}

/// The same of elements [first, first + count) of its message.
void check_part(const detail::Method& method, std::size_t link, const std::vector<Link>& links,
                std::size_t first, std::size_t count) {
  check_link(method, link, links);
  const std::size_t all = links[link].size();
  if (first > all || count > all - first)
    throw Error(method.setup().scheme.str() + ": " + std::to_string(count) + " elements from " +
                std::to_string(first) + " on of link " + std::to_string(link) + ", which has " +
                std::to_string(all));
}

/// What is exchanged, as the caller has it.
struct Asked {
  Pattern pattern;
  std::vector<Field> fields;
  bool apart = false, several = false;
  std::string complaint{};
};

std::vector<Field> copied(const FieldList& fields) {
  return {fields.all().begin(), fields.all().end()};
}

/// Sent from some fields and received in others.
Asked asked(const Pattern& pattern, const FieldList& from, const FieldList& to) {
  Asked all{.pattern = pattern, .fields = copied(from), .apart = true};
  if (from.all().size() != to.all().size())
    all.complaint = std::to_string(from.all().size()) + " fields are sent, but " +
                    std::to_string(to.all().size()) + " are there to receive them";
  all.fields.insert(all.fields.end(), to.all().begin(), to.all().end());
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

Asked asked(std::vector<ExchangePart> parts) {
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
    complaint = "some parts are received in other fields (ExchangePart::to) and some are not";
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
  const bool there = detail::any_on_device(setup.fields);
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
                      .several = asked.several,
                      .any_order = options.any_order};
  const Alike alike(setup.fields, scheme);
  setup.unbound = std::ranges::any_of(setup.fields, &Field::unbound);
  std::string complaint =
      asked.complaint.empty()
          ? detail::fields_complaint(setup, options)
          : "exchange: rank " + std::to_string(mpi::rank(comm)) + ": " + asked.complaint;
  if (setup.unbound) detail::demand(setup, setup.fields, setup.pattern);
  if (detail::goes_in_frames(options, setup.several)) {
    // The largest capacity that any rank gives counts, so that both ends of a link have one room.
    std::vector<std::int64_t> values = alike.values;
    values.push_back(-static_cast<std::int64_t>(options.capacity));
    values = mpi::agree(setup.comm, complaint, std::move(values));
    setup.unbound = Alike::unbound(setup.comm, scheme, values);
    ExchangeOptions settled = options;
    settled.capacity = static_cast<std::size_t>(-values.back());
    return detail::make_framed(comm, std::move(setup), settled);
  }
  if (options.combine != Combine::replace) setup.pattern = filled(setup.pattern);
  setup.halos = options.halos;
  std::vector<std::int64_t> least = alike.values;
  setup.two_way = detail::check_pattern(setup, std::move(complaint), &least);
  setup.unbound = Alike::unbound(setup.comm, scheme, least);
  if (setup.several) settle_parts(setup);
  // Cells can be viewed where they lie as blocks of rows, and combined only in a halo.
  if (setup.halos == Halos::in_place &&
      (setup.several || options.combine != Combine::replace ||
       !mpi::all_of(setup.comm, std::ranges::all_of(setup.fields,
                                                    [](auto& field) { return field.is_dense(); }))))
    setup.halos = Halos::filled;
  if (options.combine != Combine::replace) detail::check_numbers(setup);
  return detail::make_method(std::move(setup));
}

std::shared_ptr<detail::Method> make(MPI_Comm comm, Asked asked, const Scheme& scheme,
                                     const ExchangeOptions& options) {
  try {
    std::shared_ptr<detail::Method> made = make_in_time(comm, std::move(asked), scheme, options);
    return detail::ended_as_it_must(std::move(made));
  } catch (const Timeout& timeout) {
    mpi::give_up(comm);
    throw Timeout(scheme.str() + ": making the exchange: " + timeout.what());
  }
}

}  // namespace

Exchange::Exchange(MPI_Comm comm, const Pattern& pattern, const FieldList& fields,
                   const Scheme& scheme, const ExchangeOptions& options)
    : method_(make(comm, {.pattern = pattern, .fields = copied(fields)}, scheme, options)) {
  describe(comm);
}

Exchange::Exchange(MPI_Comm comm, const Pattern& pattern, const FieldList& from,
                   const FieldList& to, const Scheme& scheme, const ExchangeOptions& options)
    : method_(make(comm, asked(pattern, from, to), scheme, options)) {
  describe(comm);
}

Exchange::Exchange(MPI_Comm comm, std::vector<ExchangePart> parts, const Scheme& scheme,
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

template <class Begin>
void Exchange::begin_on(const char* call, std::span<const Field> fields, Begin&& begin) {
  const detail::Setup& setup = method().setup();
  if (fields.empty() && setup.unbound && !setup.fields.empty())
    throw Error(scheme().str() + ": " + call +
                ": this exchange is made without memory; give it fields at each step: " + call +
                "(field(x))");
  begin();
  if (fields.empty()) return;
  const std::string complaint = detail::step_complaint(setup, fields);
  if (!complaint.empty()) {
    method_->step.end();
    throw Error(scheme().str() + ": rank " + std::to_string(mpi::rank(comm())) + ": " + call +
                ": " + complaint);
  }
  if (setup.unbound) method_->rebind(fields);
}

void Exchange::start(const FieldList& fields) {
  begin_on("start", fields.all(), [this] { method_->step.begin(scheme()); });
  maybe_delay();
  const trace::detail::StepPart part(Activity::begin_step, traced_, ++step_);
  method_->start();
}

void Exchange::open(const FieldList& fields) {
  begin_on("open", fields.all(), [this] { method_->step.open(scheme()); });
  maybe_delay();
  const trace::detail::StepPart part(Activity::begin_step, traced_, ++step_);
  method_->open();
}

void Exchange::ready(std::size_t link, std::size_t first, std::size_t count) {
  method().step.must_be_open(scheme());
  check_part(*method_, link, method_->setup().pattern.sends(), first, count);
  method_->ready(link, first, count);
}

bool Exchange::await(std::size_t link, std::size_t first, std::size_t count) {
  if (count > 0 && !method().step.under_way())
    throw Error(scheme().str() + ": await: no step is under way; start one first");
  const Pattern& pattern = method_->setup().pattern;
  check_part(*method_, link, pattern.receives(), first, count);
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
  if (const std::string wrong = detail::change_complaint(setup, pattern, fields); !wrong.empty())
    throw Error(scheme().str() + ": change: " + wrong);
  detail::demand(setup, fields, pattern);
  return method_->change(std::move(pattern), std::move(fields));
}
Pattern Exchange::change(Pattern pattern, std::vector<Field> fields) {
  if (detail::any_on_device(fields)) throw Error(scheme().str() + ": " + detail::needs_host);
  if (method().setup().unbound)
    throw Error(scheme().str() +
                ": change: this exchange is given its fields at each step; change the pattern "
                "alone");
  if (const std::string wrong = detail::change_complaint(method().setup(), pattern, fields);
      !wrong.empty())
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

std::string Exchange::memory_hint() const {
  const std::size_t bytes = method().avoidable_bytes();
  if (bytes == 0) return {};
  for (const Field& field : fields())
    if (!field.memory.note().empty()) return scheme().str() + ": " + field.memory.note();
  return scheme().str() + ": fields lie in memory of the caller's own, where this scheme cannot " +
         "work on them; cells go through messages, and this rank copies " + std::to_string(bytes) +
         " bytes more in a step than it would in memory of the library: allocate by " +
         "halocline::Array, or a std::vector by halocline::ArenaAllocator, with this scheme";
}

bool Exchange::direct() const {
  return method().direct();
}
HaloView Exchange::view(std::size_t link, std::size_t block, std::size_t field) const {
  const std::vector<Link>& links = method().setup().pattern.receives();
  check_link(*method_, link, links);
  if (block >= links[link].blocks.size())
    throw Error(scheme().str() + ": view: block " + std::to_string(block) + " of link " +
                std::to_string(link) + ", which has " + std::to_string(links[link].blocks.size()));
  return method_->view(link, block, field);
}

void Exchange::fill_halos() {
  if (!direct()) return;
  const detail::Setup& setup = method_->setup();
  const auto& links = setup.pattern.receives();
  const std::span<const Field> fields = setup.receive_fields();
  for (std::size_t link = 0; link < links.size(); ++link)
    for (std::size_t b = 0; b < links[link].blocks.size(); ++b)
      for (std::size_t f = 0; f < fields.size(); ++f) {
        const HaloView there = view(link, b, f);
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
