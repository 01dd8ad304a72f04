#include "check.hpp"

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
  std::vector<std::vector<std::byte>> plain;  // memory that the library knows nothing of
  std::vector<Field> fields, there;           // on the host; on the device
  std::unique_ptr<Exchange> exchange;

  FieldSet(const Case& c, const Scheme& scheme) {
    const std::size_t elements = c.elements.size();
    const bool on_device = !scheme.is("device", "auto");
    for (std::size_t size : c.element_bytes) {
      if (on_device) {
        const Memory memory(c.comm, elements * size, MemoryKind::device);
        there.push_back({memory.data(), size, elements, memory});
      }
      if (c.own_memory || on_device) {
        plain.emplace_back(elements * size);
        fields.push_back({plain.back().data(), size, elements});
      } else {
        const Memory memory = memory_for(c.comm, elements * size, scheme);
        fields.push_back({memory.data(), size, elements, memory});
      }
    }
    exchange = std::make_unique<Exchange>(c.comm, c.pattern, on_device ? there : fields, scheme,
                                          ExchangeOptions{.halos = Halos::in_place});
  }

  bool on_device() const { return !there.empty(); }
  /// All that is on the device, or all that is to be.
  void copy(DeviceCopy way) const {
    if (!on_device()) return;
    Device& device = *opened_device();
    const DeviceStream stream = device.make_stream();
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const bool down = way == DeviceCopy::to_host;
      device.copy(down ? fields[f].data : there[f].data, down ? there[f].data : fields[f].data,
                  fields[f].element_bytes * fields[f].elements, way, stream);
    }
    device.wait(stream);
    device.free_stream(stream);
  }

  std::byte* at(std::size_t field, std::size_t element) const {
    return static_cast<std::byte*>(fields[field].data) + element * fields[field].element_bytes;
  }
};

Check::Check(const Case& the_case, const Scheme& scheme)
    : case_(the_case), sent_(the_case.elements.size(), false) {
  const auto mark = [&](const Link& link) {
    for (const Block& block : link.blocks)
      each_element(block, [&](auto, auto, auto, std::size_t element) { sent_[element] = true; });
  };
  for (const Link& link : case_.pattern.sends()) mark(link);
  mark(case_.pattern.copies_from());

  sets_.push_back(std::make_unique<FieldSet>(case_, scheme));
  direct_ = sets_[0]->exchange->direct();
  // Halos read in place need two grids in turn.
  if (case_.grids == 2 || direct_) sets_.push_back(std::make_unique<FieldSet>(case_, scheme));
}

Check::~Check() {
  // Collective: in the same order everywhere.
  while (!sets_.empty()) sets_.pop_back();
}

std::string Check::run(int steps, unsigned seed) {
  std::minstd_rand dice(seed);
  std::string first;
  for (int s = 0; s < steps; ++s) {
    maybe_delay();
    std::string difference = step(*sets_[s % sets_.size()], s, dice() % 3 != 0);
    if (first.empty()) first = std::move(difference);
    // Without an answer nothing says when the neighbour has read my cells.
    if (direct_ && !case_.mutual) HALOCLINE_MPI(MPI_Barrier, case_.comm);
  }
  return first;
}

std::string Check::step(FieldSet& set, int step, bool overlap) {
  const std::size_t elements = case_.elements.size(), fields = case_.element_bytes.size();
  const auto each = [&](auto&& visit) {
    for (std::size_t f = 0; f < fields; ++f)
      for (std::size_t e = 0; e < elements; ++e) visit(f, e, case_.elements[e], set.at(f, e));
  };

  each([&](std::size_t f, std::size_t, const Element& element, std::byte* at) {
    const Value value = element.role == Role::owned  ? Value(element.id, f, step)
                        : element.role == Role::halo ? Value(poison)
                                                     : Value(guard);
    value.put(at, case_.element_bytes[f]);
  });
  set.copy(DeviceCopy::to_device);
  // On a device nothing is written meanwhile: it takes kernels.
  const bool writes = overlap && !set.on_device();
  if (overlap) {
    set.exchange->start();
    maybe_delay();
    if (writes)
      each([&](std::size_t f, std::size_t e, const Element& element, std::byte* at) {
        if (element.role == Role::owned && !sent_[e])
          Value(element.id, f, meanwhile(step)).put(at, case_.element_bytes[f]);
      });
    maybe_delay();
    set.exchange->finish();
  } else {
    set.exchange->run();
  }
  maybe_delay();
  set.copy(DeviceCopy::to_host);

  std::string difference;
  const auto compare = [&](std::size_t f, std::size_t e, const std::byte* at,
                           const Value& expected) {
    const std::size_t size = case_.element_bytes[f];
    if (!difference.empty() || expected.in(at, size)) return;
    const Element& element = case_.elements[e];
    std::ostringstream out;
    out << "step " << step << (overlap ? " (start, finish)" : " (run)") << ", field " << f << " of "
        << size << "-byte elements, "
        << (element.role == Role::owned  ? "own"
            : element.role == Role::halo ? "halo"
                                         : "outer")
        << " element " << e << " of " << elements << ": expected "
        << hex(expected.bytes.data(), size) << ", got " << hex(at, size);
    if (Value(poison).in(at, size)) out << " (never arrived)";
    for (int before = 1; before <= 4; ++before)
      if (Value(element.id, f, step - before).in(at, size))
        out << " (as " << before << " steps before)";
    difference = out.str();
  };

  // With access=direct a neighbour in reach leaves my halo alone; what counts is the view.
  std::vector<bool> viewed(direct_ ? elements : 0, false);
  if (direct_) {
    const auto& links = case_.pattern.receives();
    for (std::size_t l = 0; l < links.size(); ++l)
      for (std::size_t b = 0; b < links[l].blocks.size(); ++b)
        for (std::size_t f = 0; f < fields; ++f) {
          const View view = set.exchange->view(l, b, f);
          each_element(links[l].blocks[b], [&](auto plane, auto row, auto i, std::size_t e) {
            viewed[e] = true;
            const std::byte* at = view.data + static_cast<std::ptrdiff_t>(plane) * view.stride[0] +
                                  static_cast<std::ptrdiff_t>(row) * view.stride[1] +
                                  static_cast<std::ptrdiff_t>(i * case_.element_bytes[f]);
            compare(f, e, at, Value(case_.elements[e].id, f, step));
          });
        }
  }
  each([&](std::size_t f, std::size_t e, const Element& element, const std::byte* at) {
    if (direct_ && viewed[e]) return;
    switch (element.role) {
      case Role::owned:
        return compare(f, e, at,
                       Value(element.id, f, writes && !sent_[e] ? meanwhile(step) : step));
      case Role::halo: return compare(f, e, at, Value(element.id, f, step));
      case Role::outside: return compare(f, e, at, Value(guard));
    }
  });
  return difference;
}

}  // namespace halocheck
