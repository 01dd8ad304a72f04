#include "check.hpp"

#include <halocline/more/device.hpp>
#include <halocline/more/waiting.hpp>

#include <algorithm>
#include <cstring>
#include <iomanip>
#include <random>
#include <sstream>

using namespace halocline;

namespace halocheck {
namespace {

constexpr std::byte poison{0xC3};  // in halos before an exchange
constexpr std::byte guard{0x5A};   // in elements that belong to nobody
constexpr std::size_t largest_element = 3 * sizeof(double);

/// What cell `id` holds in a step; every byte depends on all three.
struct Value {
  std::array<std::byte, largest_element> bytes;

  Value(std::uint64_t id, std::size_t field, int step) {
    std::uint64_t state = id * 0x9E3779B97F4A7C15u ^ (field + 1) * 0xD1B54A32D192ED03u ^
                          static_cast<std::uint64_t>(step + 1) * 0x8CB92BA72F3D8DD7u;
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(state)) {
      state = (state ^ (state >> 29)) * 0xBF58476D1CE4E5B9u;
      state = (state ^ (state >> 32)) * 0x94D049BB133111EBu;
      std::memcpy(bytes.data() + at, &state, sizeof(state));
    }
  }
  explicit Value(std::byte all) { bytes.fill(all); }
  bool in(const std::byte* at, std::size_t size) const {
    return std::memcmp(at, bytes.data(), size) == 0;
  }
  void put(std::byte* at, std::size_t size) const { std::memcpy(at, bytes.data(), size); }
};

std::string hex(const std::byte* bytes, std::size_t size) {
  std::ostringstream out;
  out << std::hex << std::setfill('0');
  for (std::size_t i = 0; i < std::min<std::size_t>(size, 8); ++i)
    out << std::setw(2) << std::to_integer<int>(bytes[i]);
  return out.str();
}

/// The offsets of a block's elements, in message order.
template <class Visit>
void each_element(const Block& block, Visit&& visit) {
  for (std::size_t plane = 0; plane < block.count[0]; ++plane)
    for (std::size_t row = 0; row < block.count[1]; ++row)
      for (std::size_t i = 0; i < block.count[2]; ++i)
        visit(plane, row, i,
              static_cast<std::size_t>(block.offset) + plane * block.stride[0] +
                  row * block.stride[1] + i);
}

/// A number that steps of work between `start` and `finish` write, unlike any exchanged one.
int meanwhile(int step) {
  return -1000 - step;
}

}  // namespace

/// One set of fields and their exchange. Where a scheme says how messages get from device to
/// device, that is of other fields, on the device, and these are what is written there and looked
/// at.
struct Check::FieldSet {
  /// A field in its memory, of which bytes between elements belong to nobody.
  struct Placed {
    const Case* part;
    std::byte* memory;
    std::size_t bytes;
    std::vector<bool> between{};  ///< which; empty: none
  };
  std::vector<std::vector<std::byte>> plain;  // memory that the library knows nothing of
  std::vector<Placed> placed;
  std::vector<Field> fields, there;  // on the host; on the device
  std::unique_ptr<Exchange> exchange;

  FieldSet(const std::vector<const Case*>& parts, const Scheme& scheme, bool bound) {
    const Case& c = *parts.front();
    const bool on_device = !scheme.is("device", "auto");
    for (const Case* const part : parts)
      for (std::size_t f = 0; f < part->element_bytes.size(); ++f) {
        const Places& places = part->places[f];
        Field field{.element_bytes = part->element_bytes[f],
                    .elements = part->elements.size(),
                    .shape = places.shape};
        if (places.shape.axes > 0) field.elements = places.shape.elements();
        const auto lies_in = [&](const Memory& memory) {
          Field with = field;
          with.data = memory.data() + places.first;
          with.memory = memory;
          return with;
        };
        if (on_device) there.push_back(lies_in(Memory(c.comm, places.bytes, MemoryKind::device)));
        if (c.own_memory || on_device || !bound) {
          auto& memory = plain.emplace_back(places.bytes);
          field.data = memory.data() + places.first;
          placed.push_back({part, memory.data(), places.bytes});
          fields.push_back(field);
        } else {
          const Memory memory = memory_for(c.comm, places.bytes, scheme);
          placed.push_back({part, memory.data(), places.bytes});
          fields.push_back(lies_in(memory));
        }
        if (places.shape.axes > 0) find_between(placed.back(), fields.back());
      }
    if (bound) exchange = exchange_of(parts, on_device ? there : fields, scheme);
  }

  static std::unique_ptr<Exchange> exchange_of(const std::vector<const Case*>& parts,
                                               const std::vector<Field>& exchanged,
                                               const Scheme& scheme) {
    const Case& c = *parts.front();
    const ExchangeOptions options{.halos = Halos::in_place};
    if (parts.size() == 1)
      return std::make_unique<Exchange>(c.comm, c.pattern, exchanged, scheme, options);
    std::vector<ExchangePart> all;
    auto next = exchanged.begin();
    for (const Case* const part : parts) {
      const auto end = next + std::ssize(part->element_bytes);
      all.push_back({part->pattern, std::vector<Field>(next, end)});
      next = end;
    }
    return std::make_unique<Exchange>(c.comm, std::move(all), scheme, options);
  }

  static void find_between(Placed& where, const Field& field) {
    where.between.assign(where.bytes, true);
    for (std::size_t e = 0; e < field.elements; ++e) {
      const auto begin = static_cast<std::byte*>(field.data) + field.place(e) - where.memory;
      std::fill_n(where.between.begin() + begin, field.element_bytes, false);
    }
    // Elements that the array has beyond those of the case.
    for (std::size_t e = where.part->elements.size(); e < field.elements; ++e) {
      const auto begin = static_cast<std::byte*>(field.data) + field.place(e) - where.memory;
      std::fill_n(where.between.begin() + begin, field.element_bytes, true);
    }
  }
  void guard_between() const {
    for (const Placed& one : placed)
      for (std::size_t i = 0; i < one.between.size(); ++i)
        if (one.between[i]) one.memory[i] = guard;
  }
  bool is_guarded(std::size_t field) const {
    const Placed& one = placed[field];
    for (std::size_t i = 0; i < one.between.size(); ++i)
      if (one.between[i] && one.memory[i] != guard) return false;
    return true;
  }

  bool on_device() const { return !there.empty(); }
  /// All that is on the device, or all that is to be.
  void copy(DeviceCopy way) const {
    if (!on_device()) return;
    Device& device = *opened_device();
    const DeviceStream stream = device.make_stream();
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const bool down = way == DeviceCopy::to_host;
      std::byte *const here = placed[f].memory, *const far = there[f].memory.data();
      device.copy(down ? here : far, down ? far : here, placed[f].bytes, way, stream);
    }
    device.wait(stream);
    device.free_stream(stream);
  }

  std::byte* at(std::size_t field, std::size_t element) const {
    return static_cast<std::byte*>(fields[field].data) + fields[field].place(element);
  }
};

Check::Check(const Case& the_case, const Scheme& scheme, bool unbound)
    : case_(the_case), scheme_(scheme), parts_{&the_case} {
  for (const Case& part : case_.more) parts_.push_back(&part);
  for (const Case* const part : parts_) {
    std::vector<bool>& sent = sent_.emplace_back(part->elements.size(), false);
    const auto mark = [&](const Link& link) {
      for (const Block& block : link.blocks)
        each_element(block, [&](auto, auto, auto, std::size_t element) { sent[element] = true; });
    };
    for (const Link& link : part->pattern.sends()) mark(link);
    mark(part->pattern.copies_from());
  }

  if (unbound) {
    std::vector<Field> fields;
    for (const Field& like : FieldSet(parts_, scheme, false).fields)
      fields.push_back(halocline::unbound(like));
    unbound_ = FieldSet::exchange_of(parts_, fields, scheme);
    return;
  }
  sets_.push_back(std::make_unique<FieldSet>(parts_, scheme, true));
  direct_ = sets_[0]->exchange->direct();
  // Halos read in place need two grids in turn.
  if (case_.grids == 2 || direct_)
    sets_.push_back(std::make_unique<FieldSet>(parts_, scheme, true));
}

Check::~Check() {
  // Collective: in the same order everywhere.
  while (!sets_.empty()) sets_.pop_back();
}

/// Arrays of this step. Of an unbound exchange: on one rank the same two in turn, on the next ones
/// three and four, and now and then new ones, which on some ranks lie where others lay before.
Check::FieldSet& Check::set_of(int step) {
  if (!unbound_) return *sets_[static_cast<std::size_t>(step) % sets_.size()];
  const int me = mpi::rank(case_.comm), several = 2 + me % 3;
  sets_.resize(static_cast<std::size_t>(several));
  std::unique_ptr<FieldSet>& set = sets_[static_cast<std::size_t>(step % several)];
  if ((step + me) % 3 == 0) set.reset();
  if (!set) set = std::make_unique<FieldSet>(parts_, scheme_, false);
  return *set;
}

std::string Check::run(int steps, unsigned seed) {
  std::minstd_rand dice(seed);
  std::string first;
  for (int s = 0; s < steps; ++s) {
    maybe_delay();
    std::string difference = step(set_of(s), s, dice() % 3 != 0);
    if (first.empty()) first = std::move(difference);
    // Without an answer nothing says when the neighbour has read my cells.
    if (direct_ && !case_.mutual) HALOCLINE_MPI(MPI_Barrier, case_.comm);
  }
  return first;
}

std::string Check::step(FieldSet& set, int step, bool overlap) {
  const auto each = [&](auto&& visit) {
    for (std::size_t f = 0, p = 0; p < parts_.size(); ++p)
      for (std::size_t of_part = 0; of_part < parts_[p]->element_bytes.size(); ++of_part, ++f)
        for (std::size_t e = 0; e < parts_[p]->elements.size(); ++e)
          visit(f, e, parts_[p]->elements[e], set.at(f, e), sent_[p][e]);
  };

  set.guard_between();
  each([&](std::size_t f, std::size_t, const Element& element, std::byte* at, bool) {
    const Value value = element.role == Role::owned  ? Value(element.id, f, step)
                        : element.role == Role::halo ? Value(poison)
                                                     : Value(guard);
    value.put(at, set.fields[f].element_bytes);
  });
  set.copy(DeviceCopy::to_device);
  // On a device nothing is written meanwhile: it takes kernels.
  const bool writes = overlap && !set.on_device();
  Exchange& exchange = unbound_ ? *unbound_ : *set.exchange;
  if (overlap) {
    unbound_ ? exchange.start(set.fields) : exchange.start();
    maybe_delay();
    if (writes)
      each([&](std::size_t f, std::size_t, const Element& element, std::byte* at, bool sent) {
        if (element.role == Role::owned && !sent)
          Value(element.id, f, meanwhile(step)).put(at, set.fields[f].element_bytes);
      });
    maybe_delay();
    exchange.finish();
  } else {
    unbound_ ? exchange.run(set.fields) : exchange.run();
  }
  maybe_delay();
  set.copy(DeviceCopy::to_host);

  std::string difference;
  const auto compare = [&](std::size_t f, std::size_t e, const std::byte* at,
                           const Value& expected) {
    const std::size_t size = set.fields[f].element_bytes;
    const std::vector<Element>& elements = set.placed[f].part->elements;
    if (!difference.empty() || expected.in(at, size)) return;
    const Element& element = elements[e];
    std::ostringstream out;
    out << "step " << step << (overlap ? " (start, finish)" : " (run)") << ", field " << f << " of "
        << size << "-byte elements, "
        << (element.role == Role::owned  ? "own"
            : element.role == Role::halo ? "halo"
                                         : "outer")
        << " element " << e << " of " << elements.size() << ": expected "
        << hex(expected.bytes.data(), size) << ", got " << hex(at, size);
    if (Value(poison).in(at, size)) out << " (never arrived)";
    for (int before = 1; before <= 4; ++before)
      if (Value(element.id, f, step - before).in(at, size))
        out << " (as " << before << " steps before)";
    difference = out.str();
  };

  // With access=direct a neighbour in reach leaves my halo alone; what counts is the view.
  std::vector<bool> viewed(direct_ ? case_.elements.size() : 0, false);
  if (direct_) {
    const auto& links = case_.pattern.receives();
    for (std::size_t l = 0; l < links.size(); ++l)
      for (std::size_t b = 0; b < links[l].blocks.size(); ++b)
        for (std::size_t f = 0; f < case_.element_bytes.size(); ++f) {
          const HaloView view = exchange.view(l, b, f);
          each_element(links[l].blocks[b], [&](auto plane, auto row, auto i, std::size_t e) {
            viewed[e] = true;
            const std::byte* at = view.data + static_cast<std::ptrdiff_t>(plane) * view.stride[0] +
                                  static_cast<std::ptrdiff_t>(row) * view.stride[1] +
                                  static_cast<std::ptrdiff_t>(i * case_.element_bytes[f]);
            compare(f, e, at, Value(case_.elements[e].id, f, step));
          });
        }
  }
  each([&](std::size_t f, std::size_t e, const Element& element, const std::byte* at, bool sent) {
    if (direct_ && viewed[e]) return;
    switch (element.role) {
      case Role::owned:
        return compare(f, e, at, Value(element.id, f, writes && !sent ? meanwhile(step) : step));
      case Role::halo: return compare(f, e, at, Value(element.id, f, step));
      case Role::outside: return compare(f, e, at, Value(guard));
    }
  });
  for (std::size_t f = 0; f < set.fields.size() && difference.empty(); ++f)
    if (!set.is_guarded(f))
      difference = "step " + std::to_string(step) + ", field " + std::to_string(f) +
                   ": bytes between its elements have been written";
  return difference;
}

}  // namespace halocheck
