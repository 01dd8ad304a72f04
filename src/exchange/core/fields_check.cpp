#include "fields_check.hpp"

#include "base/text.hpp"
#include "exchange/routes/combine.hpp"
#include "exchange/routes/framed.hpp"
#include "exchange/routes/on_device.hpp"
#include "pattern_check.hpp"
#include "registry.hpp"
#include "shifts.hpp"

#include <algorithm>
#include <locale>
#include <sstream>

namespace halocline::detail {

namespace {

/// One past each part's largest element that is sent, and that is received; copies included.
struct Ends {
  const Pattern& pattern;
  std::vector<std::size_t> sent, received;
  explicit Ends(const Pattern& of) : pattern(of) {
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

bool is_sent(const Setup& setup, std::size_t number) {
  return number < setup.fields_in_message();
}
bool is_received(const Setup& setup, std::size_t number) {
  return number >= setup.first_receive_field();
}

/// One past the last element of field `number`, of part `part`, that is exchanged.
std::size_t extent_of(const Setup& setup, std::size_t number, int part, const Ends& ends) {
  return std::max(is_sent(setup, number) ? Ends::of(ends.sent, part) : 0,
                  is_received(setup, number) ? Ends::of(ends.received, part) : 0);
}

/// How many elements there are up to the end of each axis, from the fastest on. Axes of one element
/// are none.
template <class Extent>
std::vector<std::int64_t> ends_of_axes(std::span<const Extent> extents) {
  std::vector<std::int64_t> ends;
  std::int64_t all = 1;
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    all *= static_cast<std::int64_t>(extents[axis]);
    if (extents[axis] != 1) ends.push_back(all);
  }
  return ends;
}

/// What is wrong with the axes of a field whose elements are counted in an array of `counted`;
/// empty if nothing is. The same number must be the same element. So is it where several axes of
/// one array are one axis of the other, and where both have one axis alone.
std::string axes_complaint(const Field& field, const std::vector<std::int64_t>& counted) {
  if (counted.empty() || field.shape.axes == 0 || field.elements == Field::unknown) return {};
  const std::span extents(field.shape.extent.data(), field.shape.axes);
  const auto own = ends_of_axes(extents), theirs = ends_of_axes(std::span(counted));
  if (theirs.empty() || theirs.back() == 0 || (own.size() < 2 && theirs.size() < 2)) return {};
  if (!own.empty() && own.back() == theirs.back() &&
      (std::ranges::includes(own, theirs) || std::ranges::includes(theirs, own)))
    return {};
  return " has " + base::sizes({extents.begin(), extents.end()}) +
         " elements, but the pattern counts in an array of " + base::sizes(counted) +
         " with its halos (slowest axis first)";
}

/// The same of field `number`, of part `part`.
std::string axes_complaint(const Setup& setup, const Field& field, std::size_t number, int part,
                           const Pattern& pattern) {
  std::string wrong;
  if (is_sent(setup, number)) wrong = axes_complaint(field, pattern.sent_in(part));
  if (wrong.empty() && is_received(setup, number))
    wrong = axes_complaint(field, pattern.received_in(part));
  return wrong.empty() ? wrong : "field " + std::to_string(number) + wrong;
}

/// What is wrong with field `number` of part `part`; empty if nothing is.
std::string field_complaint(const Setup& setup, const Field& field, std::size_t number, int part,
                            const Ends& ends) {
  const std::string which = "field " + std::to_string(number);
  constexpr std::size_t most_bytes = std::size_t{1} << 62;
  if (field.element_bytes == 0) return which + " has elements of 0 bytes";
  if (std::string wrong = axes_complaint(setup, field, number, part, ends.pattern); !wrong.empty())
    return wrong;
  const std::size_t extent = extent_of(setup, number, part, ends);
  if (field.read_only && number >= setup.first_receive_field() &&
      (Ends::of(ends.received, part) > 0 || setup.apart))
    return which +
           " is read-only (constant elements), which can be sent only, but the pattern receives in "
           "it; give memory that may be written, in C++ by a pointer that is not const";
  if (field.data == nullptr && extent > 0 && !setup.unbound)
    return which + (field.elements == 0
                        ? " has no elements, but the pattern reaches to " + std::to_string(extent)
                        : " is a null pointer");
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
std::string parts_complaint(const Setup& setup, const Ends& ends) {
  std::size_t parts = 1;
  for (const Field& field : setup.send_fields())
    parts = std::max(parts, static_cast<std::size_t>(field.part) + 1);
  if (ends.parts() <= parts) return {};
  return "a block of the pattern is of part " + std::to_string(ends.parts() - 1) + ", but there " +
         (parts == 1 ? "is 1 part" : "are " + std::to_string(parts) + " parts");
}

}  // namespace

bool any_on_device(const std::vector<Field>& fields) {
  return std::any_of(fields.begin(), fields.end(),
                     [](const Field& field) { return device_of(field) != nullptr; });
}

void demand(const Setup& setup, std::vector<Field>& fields, const Pattern& pattern) {
  const Ends ends(pattern);
  for (std::size_t f = 0; f < fields.size(); ++f)
    fields[f].elements = extent_of(setup, f, fields[f].part, ends);
}

std::string fields_complaint(const Setup& setup, const ExchangeOptions& options) {
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
      if (const std::string why = combine_complaint(fields[f], options.combine); !why.empty())
        return me + which + " " + why;
    if (const MethodFacts& method = facts(scheme);
        method.combines && !setup.unbound && !goes_in_frames(options, setup.several))
      if (const std::string why = accumulate_complaint(fields[f], options.combine); !why.empty())
        return me + scheme.str() + ": " + why + "; use another scheme, such as " +
               method.from_buffers;
  }
  if (const std::string wrong = parts_complaint(setup, ends); !wrong.empty()) return me + wrong;
  if (const std::string wrong = find_overlap(setup); !wrong.empty()) return me + wrong;
  if (options.combine != Combine::replace && scheme.has("heads") && !scheme.is("heads", "off") &&
      facts(scheme).combines && find_clash(setup.pattern, setup.apart, true))
    return me + "cells that something is added to are sent in the same step, which " +
           scheme.str() + " cannot distinguish; use heads=off";
  if (const std::string why = shifts_complaint(setup.pattern, setup.receive_fields(), options);
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
  if (const auto clash = find_clash(setup.pattern, setup.apart)) return me + clash->text();
  return {};
}

std::string change_complaint(const Setup& setup, const Pattern& pattern,
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

std::string cells_complaint(const Pattern& counts, std::size_t extent, std::size_t element_bytes,
                            const Field& field) {
  if (field.element_bytes != element_bytes)
    return "cells of " + std::to_string(field.element_bytes) +
           " bytes, but the exchange was made for " + std::to_string(element_bytes);
  if (!field.is_dense())
    return "the elements of the array do not follow each other, as they must here";
  for (const auto* extents : {&counts.sent_in(), &counts.received_in()})
    if (const std::string wrong = axes_complaint(field, *extents); !wrong.empty())
      return "the array" + wrong;
  if (field.elements != Field::unknown && field.elements < extent)
    return "the array has " + std::to_string(field.elements) +
           " elements, but the pattern reaches to " + std::to_string(extent);
  return {};
}

std::string step_complaint(const Setup& setup, std::span<const Field> fields) {
  const auto say = [](auto... words) {
    std::ostringstream text;
    text.imbue(std::locale::classic());  // no points between the digits of a number
    (text << ... << words);
    return text.str();
  };
  if (fields.size() != setup.fields.size())
    return say("there are ", fields.size(), " fields, but the exchange was made for ",
               setup.fields.size());
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const Field &given = fields[f], &like = setup.fields[f];
    if (!setup.unbound && given.data != like.data)
      return say("field ", f,
                 " lies elsewhere than the one that this exchange is bound to: it has moved, or a "
                 "compiler made a copy of it; make the exchange with unbound<T>() in its place to "
                 "give it others at each step");
    if (given.element_bytes != like.element_bytes)
      return say("field ", f, " has elements of ", given.element_bytes,
                 " bytes, but the exchange was made for ", like.element_bytes);
    if (given.shape != like.shape && !(given.is_dense() && like.is_dense()))
      return say("field ", f,
                 " has other axes or strides than the exchange was made for; make one with "
                 "unbound(field)");
    if (const std::string wrong = axes_complaint(setup, given, f, like.part, setup.pattern);
        !wrong.empty())
      return wrong;
    if (setup.combine != Combine::replace && given.number != like.number)
      return say("field ", f, " has numbers of type ", name(given.number),
                 ", but the exchange was made to combine ", name(like.number));
    if (given.data == nullptr && like.elements > 0) return say("field ", f, " is a null pointer");
    if (given.elements != Field::unknown && given.elements < like.elements)
      return say("field ", f, " has ", given.elements, " elements, but the pattern reaches to ",
                 like.elements);
    if (given.read_only && !like.read_only)
      return say("field ", f,
                 " is read-only (constant elements), but the exchange was made to receive in it; "
                 "make it with "
                 "unbound<const T>() if it does not");
    if (device_of(given) != nullptr)
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

}  // namespace halocline::detail
