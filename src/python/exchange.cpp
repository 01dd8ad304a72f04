#include "combine.hpp"
#include "exchanges.hpp"
#include "shapes.hpp"

#include <halocline/error.hpp>
#include <halocline/exchange.hpp>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

namespace halocline::python {

namespace {

/// The axes of one of an exchange's patterns.
struct Axes {
  std::optional<Extents> sent, received;
};

struct Held {
  Kept<Exchange> kept{};  ///< which keeps the communicator given and its owner, and then arrays
  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<Axes> axes{};          ///< of each part
  bool apart = false;                ///< received in others than are sent from
  std::vector<nb::object> dtypes{};  ///< of the numbers of each field that is sent from
  std::atomic<bool> taken{false};
};

/// What Python has given to make an exchange.
struct Given {
  std::vector<ExchangePart> parts{};
  std::vector<Axes> axes{};
  std::vector<nb::object> keeps{}, dtypes{};
  bool united = false;  ///< parts with one pattern
  Scheme scheme;
  ExchangeOptions options{};
};

void add_part(Given& given, nb::handle pattern, nb::handle arrays, nb::handle to) {
  const NamedPattern& named = pattern_of(pattern);
  const bool apart = !to.is_none();
  if (!apart && named.sent != named.received)
    throw Error("the pattern sends from arrays " + text_of(named.sent.value_or(Extents{})) +
                " and receives in arrays " + text_of(named.received.value_or(Extents{})) +
                "; give the latter as to=");
  given.axes.push_back({named.sent, named.received});
  ExchangePart part{.pattern = named.links,
                    .fields = fields_of(arrays, named.sent, given.keeps, &given.dtypes)};
  if (apart) part.to = fields_of(to, named.received, given.keeps);
  given.keeps.push_back(named.comm.owner);
  given.keeps.push_back(named.comm.given);
  given.parts.push_back(std::move(part));
}

bool has_parts(nb::handle pattern) {
  return nb::isinstance<nb::list>(pattern) || nb::isinstance<nb::tuple>(pattern);
}

/// The arguments of Exchange(...) besides its arrays.
struct Asked {
  nb::object to, scheme, combine, changes, capacity, in_place, any_order;
};

void add_parts(Given& given, nb::handle pattern, const nb::args& arrays, nb::handle to) {
  if (!has_parts(pattern)) {
    add_part(given, pattern, Arrays(arrays).all(), to);
    return;
  }
  if (nb::len(nb::handle(arrays)) > 0 || !to.is_none())
    throw Error(
        "several patterns have their arrays beside them: Exchange([(pattern, u), (other, "
        "[v, w]), (third, x, y)]), where y is received in");
  for (const nb::handle part : pattern) {
    if (!nb::isinstance<nb::tuple>(part) || nb::len(part) < 2 || nb::len(part) > 3)
      throw Error("a part is (pattern, arrays), or (pattern, arrays, arrays received in), not " +
                  std::string(name_of_type(part)));
    add_part(given, part[0], part[1], nb::len(part) == 3 ? nb::object(part[2]) : nb::none());
  }
  given.united = true;
}

Given given_of(nb::handle pattern, const nb::args& arrays, const Asked& asked) {
  Given given{.scheme = scheme_of(asked.scheme)};
  given.options.changes = taken<bool>(asked.changes, "changes");
  given.options.capacity = taken<std::size_t>(asked.capacity, "capacity");
  given.options.halos = taken<bool>(asked.in_place, "in_place") ? Halos::in_place : Halos::filled;
  given.options.any_order = taken<bool>(asked.any_order, "any_order");
  add_parts(given, pattern, arrays, asked.to);
  given.options.combine = combine_of(asked.combine, given.dtypes);
  return given;
}

std::shared_ptr<Exchange> made(MPI_Comm comm, const Given& given) {
  const Waits others;
  if (given.united)
    return std::make_shared<Exchange>(comm, given.parts, given.scheme, given.options);
  const ExchangePart& part = given.parts.front();
  if (!part.to.empty())
    return std::make_shared<Exchange>(comm, part.pattern, part.fields, part.to, given.scheme,
                                      given.options);
  return std::make_shared<Exchange>(comm, part.pattern, part.fields, given.scheme, given.options);
}

void must_have_one_pattern(const Held& held) {
  if (held.axes.size() != 1)
    throw Error("an exchange of several patterns keeps the arrays that it was made with");
}

/// Arrays of a change, first those sent from.
std::vector<Field> changed_fields(const Held& held, nb::args arrays,
                                  std::vector<nb::object>& keeps) {
  must_have_one_pattern(held);
  const Arrays all(std::move(arrays));
  const std::size_t sent = held.apart ? all.size() / 2 : all.size();
  const Axes& axes = held.axes.front();
  std::vector<Field> fields;
  for (std::size_t i = 0; i < all.size(); ++i) {
    fields.push_back(field_of(all[i], i < sent ? axes.sent : axes.received));
    keeps.push_back(nb::borrow(all[i]));
  }
  return fields;
}

/// A number of a link, a block or a field.
std::size_t expect_below(std::size_t number, std::size_t count, const char* one,
                         const char* several) {
  if (number >= count)
    throw Error(std::string(one) + " " + std::to_string(number) + " of " +
                counted(count, one, several));
  return number;
}

/// Where a halo block is read: an array of planes, rows and elements that nobody may write, with
/// one more axis where an element has several numbers. It keeps `self`.
nb::object view_of(nb::handle self, std::size_t link, std::size_t block, std::size_t field) {
  const Held& held = *nb::inst_ptr<Held>(self);
  const Exchange& exchange = *held.kept;
  const auto& links = exchange.pattern().receives();
  const auto& blocks = links[expect_below(link, links.size(), "link", "links")].blocks;
  const halocline::Block& there = blocks[expect_below(block, blocks.size(), "block", "blocks")];
  expect_below(field, held.dtypes.size(), "field", "fields");
  const nb::object& dtype = held.dtypes[field];
  const HaloView view = exchange.view(link, block, field);
  const auto bytes = nb::cast<std::size_t>(dtype.attr("itemsize"));
  const std::size_t numbers = exchange.fields()[field].element_bytes / bytes;
  nb::list shape, strides;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    shape.append(there.count[axis]);
    strides.append(view.stride[axis]);
  }
  if (numbers > 1) {
    shape.append(numbers);
    strides.append(bytes);
  }
  nb::dict told;
  told["version"] = 3;
  told["shape"] = nb::tuple(shape);
  told["strides"] = nb::tuple(strides);
  told["typestr"] = dtype.attr("str");
  told["descr"] = dtype.attr("descr");
  told["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(view.data), true);
  const nb::object place = nb::module_::import_("types").attr("SimpleNamespace")(
      nb::arg("__array_interface__") = told, nb::arg("exchange") = self);
  return nb::module_::import_("numpy").attr("asarray")(place);
}

/// The scheme, what is sent, where the fields are, and what memory of the library would gain.
std::string described(const Exchange& exchange) {
  const Pattern& pattern = exchange.pattern();
  std::string text = exchange.scheme().str() + ": " +
                     counted(exchange.fields().size(), "field", "fields") + ", " +
                     counted(exchange.bytes_sent(), "byte", "bytes") + " to " +
                     counted(pattern.sends().size(), "rank", "ranks") + " in a step";
  for (std::size_t f = 0; f < exchange.fields().size(); ++f) {
    const Field& field = exchange.fields()[f];
    text += "\nfield " + std::to_string(f) + ": elements of " +
            counted(field.element_bytes, "byte", "bytes");
    text += field.unbound ? ", in arrays of each step"
            : field.memory.bytes() > 0
                ? std::string(", in memory of the library (") + to_string(field.memory.kind()) + ")"
                : ", in the caller's memory";
    if (!field.is_dense()) text += ", with strides: packed";
    if (!field.memory.note().empty()) text += "; " + field.memory.note();
  }
  if (const std::string gain = exchange.memory_hint(); !gain.empty()) text += "\n" + gain;
  return text;
}

}  // namespace

Arrays::Arrays(nb::args given) : all_(given) {
  const auto has_several = [](nb::handle one) {
    return nb::isinstance<nb::list>(one) || nb::isinstance<nb::tuple>(one);
  };
  bool flat = true;
  for (const nb::handle one : given) flat = flat && !has_several(one);
  if (flat) return;
  nb::list all;
  for (const nb::handle one : given)
    if (has_several(one))
      for (const nb::handle inner : one) all.append(inner);
    else
      all.append(one);
  all_ = all;
}

Communicator communicator_for(nb::handle given, nb::handle pattern) {
  if (!given.is_none()) return communicator(given);
  nb::object first = nb::borrow(pattern);
  if (has_parts(pattern) && nb::len(pattern) > 0 && nb::isinstance<nb::tuple>(pattern[0]) &&
      nb::len(nb::object(pattern[0])) > 0)
    first = pattern[0][0];
  NamedPattern* named = nullptr;
  if (nb::try_cast<NamedPattern*>(first, named) && named != nullptr &&
      named->comm.comm != MPI_COMM_NULL)
    return named->comm;
  return communicator(given);
}

std::optional<InSection> in_section(nb::handle object) {
  Held* held = nullptr;
  if (!nb::try_cast<Held*>(object, held) || held == nullptr || !held->kept) return {};
  const std::vector<nb::object>& keeps = held->kept.keeps();
  return InSection{&*held->kept, &held->taken, {held->comm, keeps[0], keeps[1]}};
}

void bind_exchange(nb::module_& module) {
  nb::class_<Held> held(
      module, "Exchange", nb::type_slots(slots_of_kept<Held>),
      "A pattern bound to arrays and to a scheme: set up once, run many times.\n\n"
      "Exchange(pattern, *arrays, to=None, scheme='p2p:nonblocking', combine='replace', "
      "changes=False,\n"
      "         capacity=0, in_place=False, comm=None, any_order=False)\n\n"
      "pattern   what is sent and received: grid.halo(), a Pattern; or a list of (pattern, "
      "arrays)\n"
      "          or (pattern, arrays, to): several patterns with one message to a peer\n"
      "arrays    numpy arrays of any type, order and strides, or lists of them; all travel in the\n"
      "          same messages. The pattern's axes come first; those that follow are the numbers "
      "of\n"
      "          an element. Read-only ones are sent only. Or unbound(like): each step is given "
      "some\n"
      "to        arrays that are received in, where these are others\n"
      "scheme    how: schemes() has the names\n"
      "combine   'sum', 'min' or 'max': what arrives is combined with what is there; or a\n"
      "          function of two arrays of numbers, those here and those that arrive, that "
      "returns\n"
      "          a third (numpy.hypot): all ranks give the same\n"
      "changes   change() may replace the pattern; `capacity`: most elements expected on a link\n"
      "in_place  the caller reads halos by view() only, and overwrites what is sent only when a\n"
      "          later exchange the other way has finished: a scheme may leave cells with the\n"
      "          neighbour then ('+access=direct')\n"
      "comm      of mpi4py; by default that of the pattern's grid, or all ranks\n"
      "any_order  arriving numbers may be combined in an order of MPI's own, as rma:accumulate "
      "does\n\n"
      "Between start() and finish() read everything that you own and write what is not sent, but\n"
      "do not touch halos. `with halos: inner(u)` is both around a block. All ranks of the\n"
      "communicator make and run exchanges in the same order, one thread at a time. Raises the "
      "same\n"
      "Error on all ranks if arrays do not fit or a send has no receive. The exchange keeps its "
      "arrays.\n\n"
      ">>> import halocline as hc\n"
      ">>> grid = hc.Grid((8,), periodic=True)\n"
      ">>> u = grid.array(range(8), dtype='f8')\n"
      ">>> halos = hc.Exchange(grid.halo(), u)\n"
      ">>> with halos:\n"
      "...     inner = float(u.owned.sum())\n"
      ">>> float(u[0]) == (grid.owned[0].start - 1) % 8\n"
      "True");
  held.def(
          "__init__",
          [](Held* self, nb::object pattern, nb::args arrays, nb::object to, nb::object scheme,
             nb::object combine, nb::object changes, nb::object capacity, nb::object in_place,
             nb::object comm, nb::object any_order) {
            const Asked asked{std::move(to),       std::move(scheme),   std::move(combine),
                              std::move(changes),  std::move(capacity), std::move(in_place),
                              std::move(any_order)};
            const Communicator ranks = communicator_for(comm, pattern);
            std::vector<nb::object> keeps{ranks.given, ranks.owner};
            std::vector<Axes> axes;
            std::vector<nb::object> dtypes;
            bool apart = false;
            auto kept = made_together(
                ranks.comm,
                [&] {
                  Given given = given_of(pattern, arrays, asked);
                  keeps.insert(keeps.end(), given.keeps.begin(), given.keeps.end());
                  axes = given.axes;
                  dtypes = given.dtypes;
                  apart = !given.parts.empty() && !given.parts.front().to.empty();
                  return given;
                },
                [&](const Given& given) { return made(ranks.comm, given); });
            kept.keeps() = std::move(keeps);
            new (self) Held{.kept = std::move(kept),
                            .comm = ranks.comm,
                            .axes = std::move(axes),
                            .apart = apart,
                            .dtypes = std::move(dtypes)};
          },
          nb::sig("def __init__(self, pattern: object, *arrays, to: object | None = None, scheme: "
                  "str = 'p2p:nonblocking', combine: object = 'replace', changes: bool = False, "
                  "capacity: int "
                  "= 0, in_place: bool = False, comm: object | None = None, any_order: "
                  "bool = False) -> None"),
          nb::arg("pattern").none(), nb::arg("arrays"), nb::arg("to") = nb::none(),
          nb::arg("scheme").none() = "p2p:nonblocking", nb::arg("combine").none() = "replace",
          nb::arg("changes").none() = false, nb::arg("capacity").none() = 0,
          nb::arg("in_place").none() = false, nb::arg("comm") = nb::none(),
          nb::arg("any_order").none() = false)
      .def("__reduce_ex__", &refuse_pickling, nb::arg("protocol"));
  bind_steps(held, {.start = "Begin a step. The cells sent stay as they are until finish().\n\n"
                             ">>> import halocline as hc\n"
                             ">>> grid = hc.Grid((8,), periodic=True)\n"
                             ">>> u = grid.array(range(8), dtype='f8')\n"
                             ">>> halos = hc.Exchange(grid.halo(), u)\n"
                             ">>> halos.start()\n"
                             ">>> halos.finish()\n"
                             ">>> float(u[0]) == (grid.owned[0].start - 1) % 8\n"
                             "True",
                    .finish = "Wait until the halos are this step's. Raises Timeout if a time "
                              "limit is set and passes.\n\n"
                              ">>> import halocline as hc\n"
                              ">>> grid = hc.Grid((8,), periodic=True)\n"
                              ">>> u = grid.array(range(8), dtype='f8')\n"
                              ">>> halos = hc.Exchange(grid.halo(), u)\n"
                              ">>> halos.start()\n"
                              ">>> here = 6 * 7\n"
                              ">>> halos.finish()\n"
                              ">>> float(u[0]) == (grid.owned[0].start - 1) % 8\n"
                              "True",
                    .run = "Both: start() and finish().\n\n"
                           ">>> import halocline as hc\n"
                           ">>> grid = hc.Grid((8,), periodic=True)\n"
                           ">>> u = grid.array(range(8), dtype='f8')\n"
                           ">>> halos = hc.Exchange(grid.halo(), u)\n"
                           ">>> halos.run()\n"
                           ">>> float(u[0]) == (grid.owned[0].start - 1) % 8\n"
                           "True"});
  const auto step = [](Held& self, nb::args given, auto act) {
    const MpiTurn turn(self.taken);
    must_have_one_pattern(self);
    const Arrays arrays(std::move(given));
    const std::size_t sent = self.apart ? arrays.size() / 2 : arrays.size();
    const Axes& axes = self.axes.front();
    run_on(
        self.kept, arrays,
        [&](std::size_t i) -> const std::optional<Extents>& {
          return i < sent ? axes.sent : axes.received;
        },
        act);
  };
  held.def(
          "run", [step](Held& self, nb::args arrays) { step(self, std::move(arrays), run_fields); },
          nb::arg("arrays"),
          "Of an exchange of unbound arrays: a step on these, first those sent from. Raises Error "
          "on this\nrank if they are of another type or too small.\n\n"
          ">>> import halocline as hc\n"
          ">>> grid = hc.Grid((8,), periodic=True)\n"
          ">>> halos = hc.Exchange(grid.halo(), hc.unbound('f8'))\n"
          ">>> u = grid.array(range(8), dtype='f8')\n"
          ">>> halos.run(u)\n"
          ">>> float(u[0]) == (grid.owned[0].start - 1) % 8\n"
          "True")
      .def(
          "start",
          [step](Held& self, nb::args arrays) { step(self, std::move(arrays), start_fields); },
          nb::arg("arrays"),
          "Of an exchange of unbound arrays: begin a step on these.\n\n"
          ">>> import halocline as hc\n"
          ">>> grid = hc.Grid((8,), periodic=True)\n"
          ">>> halos = hc.Exchange(grid.halo(), hc.unbound('f8'))\n"
          ">>> u = grid.array(range(8), dtype='f8')\n"
          ">>> halos.start(u)\n"
          ">>> halos.finish()")
      .def(
          "open",
          [step](Held& self, nb::args arrays) {
            if (nb::len(nb::handle(arrays)) > 0)
              return step(self, std::move(arrays),
                          [](auto& made, const auto& fields) { made.open(fields); });
            in_turn(self, [](auto& made) { made.open(); });
          },
          nb::arg("arrays"),
          "In place of start(): then say part by part what is ready. Schemes that can "
          "(p2p:partitioned)\nsend each part at once, others send all with the last one. Arrays "
          "are those of unbound ones.\n\n"
          ">>> import halocline as hc\n"
          ">>> grid = hc.Grid((8,), periodic=True)\n"
          ">>> u = grid.zeros()\n"
          ">>> halos = hc.Exchange(grid.halo(), u)\n"
          ">>> halos.open()\n"
          ">>> for link, sent in enumerate(grid.halo().sends.values()):\n"
          "...     halos.ready(link, 0, len(sent))\n"
          ">>> halos.finish()")
      .def(
          "ready",
          [](Held& self, std::size_t link, std::size_t first, std::size_t count) {
            expect_mpi();
            const Waits others;
            self.kept->ready(link, first, count);
          },
          nb::arg("link"), nb::arg("first"), nb::arg("count"),
          "After open(): elements [first, first + count) of a link of pattern.sends, in message "
          "order, are as\nthey are to be sent. Each once in a step. Several threads may call it if "
          "MPI gives\nMPI_THREAD_MULTIPLE.\n\n"
          ">>> import halocline as hc\n"
          ">>> grid = hc.Grid((8,), periodic=True)\n"
          ">>> u = grid.array(range(8), dtype='f8')\n"
          ">>> halos = hc.Exchange(grid.halo(), u)\n"
          ">>> halos.open()\n"
          ">>> for link, sent in enumerate(grid.halo().sends.values()):\n"
          "...     for element in range(len(sent)):\n"
          "...         halos.ready(link, element, 1)\n"
          ">>> halos.finish()")
      .def(
          "await_",
          [](Held& self, std::size_t link, std::size_t first, std::size_t count) {
            expect_mpi();
            const Waits others;
            return self.kept->await(link, first, count);
          },
          nb::arg("link"), nb::arg("first"), nb::arg("count"),
          "If the scheme can tell parts, wait until these elements of a link of pattern.receives "
          "are in the\nhalo, and return True. Otherwise return False at once: they are there after "
          "finish(). Several\nthreads may call it.\n\n"
          ">>> import halocline as hc\n"
          ">>> grid = hc.Grid((8,), periodic=True)\n"
          ">>> u = grid.array(range(8), dtype='f8')\n"
          ">>> halos = hc.Exchange(grid.halo(), u)\n"
          ">>> halos.start()\n"
          ">>> there = [halos.await_(link, 0, 1) for link in range(len(grid.halo().receives))]\n"
          ">>> halos.finish()")
      .def_prop_ro(
          "direct", [](const Held& self) { return self.kept->direct(); },
          "Whether halos are read in neighbours' memory: made with in_place=True, and by a scheme "
          "with\n'access=direct'.")
      .def(
          "view", &view_of, nb::arg("link"), nb::arg("block") = 0, nb::arg("field") = 0,
          nb::sig("def view(self, link: int, block: int = 0, field: int = 0) -> numpy.ndarray"),
          "Where a block of a link of pattern.receives is read after finish(): a read-only array "
          "of planes,\nrows and elements, in the neighbour's memory if `direct`, else in the halo. "
          "Valid until the next\nstart().\n\n"
          ">>> import halocline as hc\n"
          ">>> grid = hc.Grid((8,), periodic=True)\n"
          ">>> how = 'shm:signal+access=direct'\n"
          ">>> u = grid.array(range(8), how, 'f8')\n"
          ">>> halos = hc.Exchange(grid.halo(), u, scheme=how, in_place=True)\n"
          ">>> halos.run()\n"
          ">>> links = range(len(grid.halo().receives))\n"
          ">>> all(halos.view(link).shape == (1, 1, 1) for link in links)\n"
          "True")
      .def(
          "fill_halos",
          [](Held& self) {
            const Turn turn(self.taken);
            self.kept->fill_halos();
          },
          "Copy what views find in neighbours' memory into the halos, between finish() and "
          "start(); nothing if\nnot `direct`.\n\n"
          ">>> import halocline as hc\n"
          ">>> grid = hc.Grid((8,), periodic=True)\n"
          ">>> how = 'shm:signal+access=direct'\n"
          ">>> u = grid.array(range(8), how, 'f8')\n"
          ">>> halos = hc.Exchange(grid.halo(), u, scheme=how, in_place=True)\n"
          ">>> halos.run()\n"
          ">>> halos.fill_halos()\n"
          ">>> float(u[0]) == (grid.owned[0].start - 1) % 8\n"
          "True")
      .def(
          "change",
          [](Held& self, nb::handle pattern, nb::args arrays) {
            const MpiTurn turn(self.taken);
            const NamedPattern& named = pattern_of(pattern);
            std::vector<Axes> axes{{named.sent, named.received}};
            axes.swap(self.axes);
            try {
              if (nb::len(nb::handle(arrays)) == 0) {
                self.kept->change(named.links);
                return;
              }
              std::vector<nb::object> keeps;
              std::vector<Field> fields = changed_fields(self, std::move(arrays), keeps);
              self.kept->change(named.links, std::move(fields));
              std::vector<nb::object>& kept = self.kept.keeps();
              kept.resize(2);
              kept.insert(kept.end(), keeps.begin(), keeps.end());
            } catch (...) {
              self.axes.swap(axes);
              throw;
            }
          },
          nb::arg("pattern"), nb::arg("arrays"),
          "From the next step on exchange another pattern with the same peers, and other arrays if "
          "given.\n\nLocal. Raises Error if the exchange was not made with changes=True, or does "
          "not know a peer.\n\n"
          ">>> import halocline as hc, numpy as np\n"
          ">>> x = np.arange(4.0)\n"
          ">>> one = hc.Pattern.from_indices({}, {}, copies=([0], [3]))\n"
          ">>> other = hc.Pattern.from_indices({}, {}, copies=([1], [3]))\n"
          ">>> exchange = hc.Exchange(one, x, changes=True)\n"
          ">>> exchange.change(other)\n"
          ">>> exchange.run()\n"
          ">>> float(x[3])\n"
          "1.0")
      .def_prop_ro(
          "pattern",
          [](nb::handle self) {
            const Held& held = *nb::inst_ptr<Held>(self);
            const Axes one = held.axes.size() == 1 ? held.axes.front() : Axes{};
            return NamedPattern{.links = held.kept->pattern(),
                                .sent = one.sent,
                                .received = one.received,
                                .comm = {held.comm, held.kept.keeps()[0], nb::borrow(self)}};
          },
          "What is exchanged in the next step, as a Pattern; several patterns are one of several "
          "parts.")
      .def_prop_ro(
          "arrays",
          [](const Held& self) {
            nb::list all;
            for (const nb::object& one : self.kept.keeps())
              if (PyObject_CheckBuffer(one.ptr())) all.append(one);
            return nb::tuple(all);
          },
          nb::sig("def arrays(self) -> tuple[numpy.ndarray, ...]"),
          "Those that it is of, part by part, first those sent from; of unbound ones those of the "
          "last step.")
      .def_prop_ro(
          "bytes_sent", [](const Held& self) { return self.kept->bytes_sent(); },
          "By this rank in a step.")
      .def_prop_ro(
          "note",
          [](const Held& self) {
            for (const Field& field : self.kept->fields())
              if (!field.memory.note().empty()) return field.memory.note();
            return std::string();
          },
          "Why memory is not of the kind that the scheme likes best; else empty.")
      .def(
          "memory_hint", [](const Held& self) { return self.kept->memory_hint(); },
          "What memory that the library allocates would gain, as a sentence; empty where it would "
          "gain\nnothing. print(halos) shows it, too, below the scheme and where the fields "
          "are.\n\n"
          ">>> import halocline as hc\n"
          ">>> grid = hc.Grid((8,), periodic=True)\n"
          ">>> u = grid.array(range(8), dtype='f8')\n"
          ">>> halos = hc.Exchange(grid.halo(), u)\n"
          ">>> halos.memory_hint()\n"
          "''\n"
          ">>> str(halos).startswith(halos.scheme)\n"
          "True")
      .def(
          "measure", [](Held& self, bool on) { self.kept->measure(on); }, nb::arg("on") = true,
          "Keep `times`; off by default.\n\n"
          ">>> import halocline as hc\n"
          ">>> grid = hc.Grid((8,), periodic=True)\n"
          ">>> u = grid.array(range(8), dtype='f8')\n"
          ">>> halos = hc.Exchange(grid.halo(), u)\n"
          ">>> halos.measure()\n"
          ">>> halos.run()\n"
          ">>> sorted(halos.times)\n"
          "['copy', 'pack', 'transfer', 'wait']")
      .def_prop_ro(
          "times",
          [](const Held& self) {
            const ExchangeTimes& times = self.kept->times();
            nb::dict all;
            all["pack"] = times.pack;
            all["transfer"] = times.transfer;
            all["wait"] = times.wait;
            all["copy"] = times.copy;
            return all;
          },
          nb::sig("def times(self) -> dict[str, float]"),
          "Seconds spent in the parts of all steps since measure() or reset_times().")
      .def(
          "reset_times", [](Held& self) { self.kept->reset_times(); },
          "Begin `times` anew.\n\n"
          ">>> import halocline as hc\n"
          ">>> grid = hc.Grid((8,), periodic=True)\n"
          ">>> u = grid.array(range(8), dtype='f8')\n"
          ">>> halos = hc.Exchange(grid.halo(), u)\n"
          ">>> halos.measure()\n"
          ">>> halos.run()\n"
          ">>> halos.reset_times()\n"
          ">>> halos.times['wait']\n"
          "0.0")
      .def("__str__", [](const Held& self) { return described(*self.kept); })
      .def("__repr__", [](const Held& self) {
        const std::string text = described(*self.kept);
        return "<halocline.Exchange: " + text.substr(0, text.find('\n')) + ">";
      });
}

}  // namespace halocline::python
