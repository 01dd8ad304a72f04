// Ragged exchanges, gather-scatter and asynchronous exchanges.

#include "combine.hpp"
#include "exchanges.hpp"
#include "shapes.hpp"
#include "views.hpp"

#include <halocline/error.hpp>
#include <halocline/gather_scatter.hpp>
#include <halocline/more/async_exchange.hpp>
#include <halocline/ragged_exchange.hpp>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>

namespace halocline::python {

namespace {

struct Ragged {
  Kept<RaggedExchange> kept{};
  nb::object dtype{};
  std::size_t element_bytes = 0, links_out = 0, links_in = 0;
  std::atomic<bool> taken{false};
};

std::size_t link_of(std::size_t link, std::size_t links) {
  if (link >= links)
    throw Error("link " + std::to_string(link) + " of " + counted(links, "link", "links"));
  return link;
}

void send(Ragged& self, std::size_t link, nb::handle elements) {
  const Bytes bytes = dense_bytes(elements, self.dtype, false, "what is sent");
  self.kept->send_bytes(link_of(link, self.links_out),
                        {static_cast<const std::byte*>(bytes.data), bytes.bytes});
}

nb::object received(const Ragged& self, std::size_t link) {
  const auto bytes = self.kept->received_bytes(link_of(link, self.links_in));
  const nb::module_ numpy = nb::module_::import_("numpy");
  nb::object array = numpy.attr("empty")(bytes.size() / self.element_bytes, self.dtype);
  if (!bytes.empty())
    std::memcpy(dense_bytes(array, self.dtype, true, "what is received").data, bytes.data(),
                bytes.size());
  return array;
}

struct Scattered {
  Kept<GatherScatter> kept{};
  std::optional<Extents> extents{};  ///< of the numbers
  std::atomic<bool> taken{false};
};

struct Asynchronous {
  Kept<AsyncExchange> kept{};
  MPI_Comm comm = MPI_COMM_NULL;
  nb::object dtype{};
  std::size_t element_bytes = 0, links_in = 0;
  std::optional<Extents> extents{};
  std::size_t least = 0;  ///< elements that the pattern reaches to
  std::atomic<bool> taken{false};
};

void* cells_of(const Asynchronous& self, nb::handle cells, bool writes) {
  const Bytes bytes = dense_bytes(cells, self.dtype, writes, "cells");
  if (self.extents) return self.kept->cells_of(plain_field_of(cells, self.extents));
  if (bytes.bytes < self.least * self.element_bytes)
    throw Error("cells has " + counted(bytes.bytes, "byte", "bytes") + ", but the pattern counts " +
                counted(self.least, "element", "elements") + " of " +
                std::to_string(self.element_bytes));
  return bytes.data;
}

void bind_ragged(nb::module_& module) {
  nb::class_<Ragged> ragged(
      module, "RaggedExchange",
      "Links that carry another number of elements in each step: the sender decides.\n\n"
      "RaggedExchange(targets, sources, dtype='f8', capacity=0, scheme='p2p:nonblocking', "
      "comm=None)\n\n"
      "`targets` and `sources` are ranks, each of which may be named several times; negative ones\n"
      "exchange nothing. `capacity`: the most elements expected on a link; more are sent, too.\n"
      "Raises the same Error on all ranks unless each link has its other end.\n\n"
      ">>> import halocline as hc, numpy as np\n"
      ">>> me = hc.Grid((9,)).rank\n"
      ">>> ragged = hc.RaggedExchange([me], [me], 'i4')\n"
      ">>> ragged.run([np.arange(3, dtype='i4')])\n"
      "[array([0, 1, 2], dtype=int32)]");
  bind_steps(ragged, {.start = "Begin the step.\n\n"
                               ">>> import halocline as hc, numpy as np\n"
                               ">>> me = hc.Grid((9,)).rank\n"
                               ">>> ragged = hc.RaggedExchange([me], [me], 'i4')\n"
                               ">>> ragged.send(0, np.arange(3, dtype='i4'))\n"
                               ">>> ragged.start()\n"
                               ">>> ragged.finish()\n"
                               ">>> ragged.received(0)\n"
                               "array([0, 1, 2], dtype=int32)",
                      .finish = "Wait until all has arrived.\n\n"
                                ">>> import halocline as hc, numpy as np\n"
                                ">>> me = hc.Grid((9,)).rank\n"
                                ">>> ragged = hc.RaggedExchange([me], [me], 'i4')\n"
                                ">>> ragged.send(0, np.arange(3, dtype='i4'))\n"
                                ">>> ragged.start()\n"
                                ">>> here = 6 * 7\n"
                                ">>> ragged.finish()\n"
                                ">>> ragged.received(0)\n"
                                "array([0, 1, 2], dtype=int32)",
                      .run = "Both: start() and finish().\n\n"
                             ">>> import halocline as hc, numpy as np\n"
                             ">>> me = hc.Grid((9,)).rank\n"
                             ">>> ragged = hc.RaggedExchange([me], [me], 'i4')\n"
                             ">>> ragged.send(0, np.arange(3, dtype='i4'))\n"
                             ">>> ragged.run()\n"
                             ">>> ragged.received(0)\n"
                             "array([0, 1, 2], dtype=int32)"});
  ragged
      .def(
          "__init__",
          [](Ragged* self, nb::object targets, nb::object sources, nb::object dtype,
             nb::object capacity, nb::object scheme, nb::object comm) {
            const Communicator ranks = communicator(comm);
            nb::object type;
            std::int64_t bytes = 0;
            struct Given {
              std::vector<int> targets, sources;
              std::size_t capacity;
              Scheme scheme;
            };
            std::size_t links_out = 0, links_in = 0;
            auto kept = made_together(
                ranks.comm,
                [&] {
                  type = dtype_of(dtype);
                  bytes = static_cast<std::int64_t>(element_bytes(type));
                  Given given{taken<std::vector<int>>(targets, "targets"),
                              taken<std::vector<int>>(sources, "sources"),
                              taken<std::size_t>(capacity, "capacity"), scheme_of(scheme)};
                  links_out = given.targets.size(), links_in = given.sources.size();
                  return given;
                },
                [&](const Given& given) {
                  const Waits others;
                  return std::make_shared<RaggedExchange>(ranks.comm, given.targets, given.sources,
                                                          static_cast<std::size_t>(bytes),
                                                          given.capacity, given.scheme);
                },
                bytes, "RaggedExchange: the bytes of an element");
            kept.keeps() = {ranks.given};
            new (self) Ragged{.kept = std::move(kept),
                              .dtype = type,
                              .element_bytes = static_cast<std::size_t>(bytes),
                              .links_out = links_out,
                              .links_in = links_in};
          },
          nb::sig("def __init__(self, targets: collections.abc.Sequence[int], sources: "
                  "collections.abc.Sequence[int], dtype: object = 'f8', capacity: int = 0, scheme: "
                  "str = 'p2p:nonblocking', comm: object | None = None) -> None"),
          nb::arg("targets").none(), nb::arg("sources").none(), nb::arg("dtype").none() = "f8",
          nb::arg("capacity").none() = 0, nb::arg("scheme").none() = "p2p:nonblocking",
          nb::arg("comm") = nb::none())
      .def(
          "send",
          [](Ragged& self, std::size_t link, nb::handle elements) {
            const MpiTurn turn(self.taken);
            send(self, link, elements);
          },
          nb::arg("link"), nb::arg("elements"),
          "Copy the elements that link `link` (of `targets`) is to carry in the next step: call it "
          "between\nfinish() and start(). Every step begins with nothing to send.\n\n"
          ">>> import halocline as hc, numpy as np\n"
          ">>> me = hc.Grid((9,)).rank\n"
          ">>> ragged = hc.RaggedExchange([me], [me], 'i4')\n"
          ">>> ragged.send(0, np.arange(3, dtype='i4'))\n"
          ">>> with ragged:\n"
          "...     pass\n"
          ">>> ragged.received(0)\n"
          "array([0, 1, 2], dtype=int32)")
      .def(
          "received",
          [](Ragged& self, std::size_t link) {
            const Turn turn(self.taken);
            return received(self, link);
          },
          nb::arg("link"), nb::sig("def received(self, link: int) -> numpy.ndarray"),
          "A copy of what came on link `link` (of `sources`) in the last step.\n\n"
          ">>> import halocline as hc, numpy as np\n"
          ">>> me = hc.Grid((9,)).rank\n"
          ">>> ragged = hc.RaggedExchange([me], [me], 'i4')\n"
          ">>> _ = ragged.run([np.ones(2, 'i4')])\n"
          ">>> ragged.received(0)\n"
          "array([1, 1], dtype=int32)")
      .def(
          "run",
          [](Ragged& self, nb::sequence elements) {
            const MpiTurn turn(self.taken);
            if (nb::len(elements) != self.links_out)
              throw Error(counted(nb::len(elements), "array", "arrays") + " for " +
                          counted(self.links_out, "target", "targets"));
            std::size_t link = 0;
            for (const nb::handle one : elements) send(self, link++, one);
            {
              const Waits others;
              self.kept->run();
            }
            nb::list arrived;
            for (link = 0; link < self.links_in; ++link) arrived.append(received(self, link));
            return arrived;
          },
          nb::arg("elements"),
          nb::sig("def run(self, elements: collections.abc.Sequence[numpy.ndarray]) -> "
                  "list[numpy.ndarray]"),
          "A step: send one array to each target, and return those of the sources.\n\n"
          ">>> import halocline as hc, numpy as np\n"
          ">>> me = hc.Grid((9,)).rank\n"
          ">>> ragged = hc.RaggedExchange([me], [me], 'i4')\n"
          ">>> ragged.run([np.ones(2, 'i4')])\n"
          "[array([1, 1], dtype=int32)]")
      .def("__reduce_ex__", &refuse_pickling, nb::arg("protocol"));
}

void bind_gather_scatter(nb::module_& module) {
  nb::class_<Scattered> scattered(
      module, "GatherScatter", nb::type_slots(slots_of_kept<Scattered>),
      "Combine all copies of each node, and leave the result in all of them.\n\n"
      "GatherScatter(numbers, *arrays, combine='sum', most_direct=8, scheme='p2p:nonblocking', "
      "comm=None)\n\n"
      "`numbers` are the global numbers of the nodes that the elements are copies of: integers "
      "from\n"
      "0 on, in an array whose axes are the first ones of each of the arrays. All copies get the\n"
      "same bits with every scheme. Nodes that more ranks than `most_direct` share take a second\n"
      "round. Raises the same Error on all ranks if a number is negative or an array does not "
      "fit.\n`combine`: 'sum', 'min', 'max', or a function as of an Exchange.\n\n"
      ">>> import halocline as hc, numpy as np\n"
      ">>> me = hc.Grid((9,)).rank\n"
      ">>> u = np.array([1.0, 2.0, 3.0])\n"
      ">>> hc.GatherScatter([3 * me, 3 * me + 1, 3 * me], u).run()\n"
      ">>> u\n"
      "array([4., 2., 4.])");
  bind_steps(scattered, {.start = "Begin a step.\n\n"
                                  ">>> import halocline as hc, numpy as np\n"
                                  ">>> me = hc.Grid((9,)).rank\n"
                                  ">>> u = np.array([1.0, 2.0])\n"
                                  ">>> sums = hc.GatherScatter([2 * me, 2 * me], u)\n"
                                  ">>> sums.start()\n"
                                  ">>> sums.finish()\n"
                                  ">>> u\n"
                                  "array([3., 3.])",
                         .finish = "Wait until all copies are combined.\n\n"
                                   ">>> import halocline as hc, numpy as np\n"
                                   ">>> me = hc.Grid((9,)).rank\n"
                                   ">>> u = np.array([1.0, 2.0])\n"
                                   ">>> sums = hc.GatherScatter([2 * me, 2 * me], u)\n"
                                   ">>> sums.start()\n"
                                   ">>> here = 6 * 7\n"
                                   ">>> sums.finish()\n"
                                   ">>> u\n"
                                   "array([3., 3.])",
                         .run = "Both: start() and finish().\n\n"
                                ">>> import halocline as hc, numpy as np\n"
                                ">>> me = hc.Grid((9,)).rank\n"
                                ">>> u = np.array([1.0, 2.0])\n"
                                ">>> sums = hc.GatherScatter([2 * me, 2 * me], u)\n"
                                ">>> sums.run()\n"
                                ">>> u\n"
                                "array([3., 3.])"});
  const auto step = [](Scattered& self, const nb::args& arrays, auto act) {
    const MpiTurn turn(self.taken);
    run_on(
        self.kept, Arrays(arrays),
        [&](std::size_t) -> const std::optional<Extents>& { return self.extents; }, act);
  };
  scattered
      .def(
          "__init__",
          [](Scattered* self, nb::object numbers, nb::args arrays, nb::object combine,
             nb::object most_direct, nb::object scheme, nb::object comm) {
            const Communicator ranks = communicator(comm);
            std::vector<nb::object> keeps{ranks.given, ranks.owner};
            Extents extents;
            struct Given {
              std::vector<std::int64_t> numbers;
              std::vector<Field> fields;
              Scheme scheme;
              GatherScatterOptions options;
            };
            auto kept = made_together(
                ranks.comm,
                [&] {
                  const nb::object all = array_of(numbers, "numbers");
                  const auto kind = nb::cast<std::string>(all.attr("dtype").attr("kind"));
                  if (nb::cast<std::size_t>(all.attr("size")) > 0 && kind != "i" && kind != "u")
                    throw Error("numbers of type " +
                                nb::cast<std::string>(nb::str(nb::object(all.attr("dtype")))) +
                                "; give integers");
                  const nb::object dense = signed_integers(all, "numbers");
                  const Bytes bytes = dense_bytes(dense, dtype_of(nb::str("i8")), false, "numbers");
                  const auto* const first = static_cast<const std::int64_t*>(bytes.data);
                  extents = nb::cast<Extents>(nb::list(all.attr("shape")));
                  std::vector<nb::object> dtypes;
                  std::vector<Field> fields = fields_of(nb::list(arrays), extents, keeps, &dtypes);
                  return Given{
                      .numbers = {first, first + bytes.bytes / sizeof(std::int64_t)},
                      .fields = std::move(fields),
                      .scheme = scheme_of(scheme),
                      .options = {.combine = combine_of(combine, dtypes),
                                  .most_direct = taken<std::size_t>(most_direct, "most_direct")}};
                },
                [&](const Given& given) {
                  const Waits others;
                  return std::make_shared<GatherScatter>(ranks.comm, given.numbers, given.fields,
                                                         given.scheme, given.options);
                });
            kept.keeps() = std::move(keeps);
            new (self) Scattered{.kept = std::move(kept), .extents = std::move(extents)};
          },
          nb::sig("def __init__(self, numbers: object, *arrays, combine: object = 'sum', "
                  "most_direct: int = 8, scheme: str = 'p2p:nonblocking', comm: object | None = "
                  "None) -> None"),
          nb::arg("numbers").none(), nb::arg("arrays"), nb::arg("combine").none() = "sum",
          nb::arg("most_direct").none() = 8, nb::arg("scheme").none() = "p2p:nonblocking",
          nb::arg("comm") = nb::none())
      .def(
          "run", [step](Scattered& self, nb::args arrays) { step(self, arrays, run_fields); },
          nb::arg("arrays"),
          "Of one of unbound arrays: a step on these.\n\n"
          ">>> import halocline as hc, numpy as np\n"
          ">>> me = hc.Grid((9,)).rank\n"
          ">>> u = np.array([1.0, 2.0])\n"
          ">>> sums = hc.GatherScatter([2 * me, 2 * me], hc.unbound('f8'))\n"
          ">>> sums.run(u)\n"
          ">>> u\n"
          "array([3., 3.])")
      .def(
          "start", [step](Scattered& self, nb::args arrays) { step(self, arrays, start_fields); },
          nb::arg("arrays"),
          "Of one of unbound arrays: begin a step on these.\n\n"
          ">>> import halocline as hc, numpy as np\n"
          ">>> me = hc.Grid((9,)).rank\n"
          ">>> u = np.array([1.0, 2.0])\n"
          ">>> sums = hc.GatherScatter([2 * me, 2 * me], hc.unbound('f8'))\n"
          ">>> sums.start(u)\n"
          ">>> sums.finish()\n"
          ">>> u\n"
          "array([3., 3.])")
      .def_prop_ro(
          "bytes_sent", [](const Scattered& self) { return self.kept->bytes_sent(); },
          "By this rank in a step.")
      .def("__reduce_ex__", &refuse_pickling, nb::arg("protocol"));
}

void bind_async(nb::module_& module) {
  nb::class_<Asynchronous>(
      module, "AsyncExchange",
      "No rank waits: a halo holds the newest data that have arrived.\n\n"
      "AsyncExchange(pattern, dtype='f8', buffers=1, racy=False, scheme='p2p:nonblocking',\n"
      "              comm=None)\n\n"
      "Each rank calls send() and receive() as often as it likes. Arrays are of `dtype`, in C "
      "order.\n"
      "`buffers`: messages of a link under way. `racy`: a halo may hold cells of several\n"
      "iterations. async_schemes() has the schemes that can.\n\n"
      ">>> import halocline as hc\n"
      ">>> grid = hc.Grid((8,))\n"
      ">>> u = grid.zeros()\n"
      ">>> exchange = hc.AsyncExchange(grid.halo())\n"
      ">>> exchange.send(u, 1)\n"
      ">>> news = exchange.receive(u)\n"
      ">>> exchange.drain(u)")
      .def(
          "__init__",
          [](Asynchronous* self, nb::object pattern, nb::object dtype, nb::object buffers,
             nb::object racy, nb::object scheme, nb::object comm) {
            const Communicator ranks = communicator_for(comm, pattern);
            nb::object type;
            std::size_t bytes = 0;
            struct Given {
              const NamedPattern* pattern;
              Scheme scheme;
              AsyncOptions options;
            };
            auto kept = made_together(
                ranks.comm,
                [&] {
                  type = dtype_of(dtype);
                  bytes = element_bytes(type);
                  return Given{&pattern_of(pattern),
                               scheme_of(scheme),
                               {.buffers = taken<int>(buffers, "buffers"),
                                .racy = taken<bool>(racy, "racy")}};
                },
                [&](const Given& given) {
                  const Waits others;
                  return std::make_shared<AsyncExchange>(ranks.comm, given.pattern->links, bytes,
                                                         given.scheme, given.options);
                });
            kept.keeps() = {ranks.given, ranks.owner};
            const NamedPattern& named = pattern_of(pattern);
            new (self) Asynchronous{.kept = std::move(kept),
                                    .comm = ranks.comm,
                                    .dtype = type,
                                    .element_bytes = bytes,
                                    .links_in = named.links.receives().size(),
                                    .extents = named.sent,
                                    .least = named.links.extent()};
          },
          nb::sig("def __init__(self, pattern: object, dtype: object = 'f8', buffers: int = 1, "
                  "racy: bool = False, scheme: str = 'p2p:nonblocking', comm: object | None = "
                  "None) -> None"),
          nb::arg("pattern").none(), nb::arg("dtype").none() = "f8", nb::arg("buffers").none() = 1,
          nb::arg("racy").none() = false, nb::arg("scheme").none() = "p2p:nonblocking",
          nb::arg("comm") = nb::none())
      .def(
          "send",
          [](Asynchronous& self, nb::handle cells, std::int64_t iteration) {
            const MpiTurn turn(self.taken);
            if (iteration < 1)
              throw Error("iteration: they count from 1, but this is " + std::to_string(iteration));
            const void* const data = cells_of(self, cells, false);
            const Waits others;
            self.kept->send(data, static_cast<std::uint64_t>(iteration));
          },
          nb::arg("cells"), nb::arg("iteration"),
          "Send this iteration's cells to every peer with a free buffer, and skip the others. "
          "Iterations\ncount from 1.\n\n"
          ">>> import halocline as hc\n"
          ">>> grid = hc.Grid((8,))\n"
          ">>> u = grid.zeros()\n"
          ">>> exchange = hc.AsyncExchange(grid.halo())\n"
          ">>> u.owned[:] = 1\n"
          ">>> exchange.send(u, iteration=1)\n"
          ">>> exchange.drain(u)\n"
          ">>> bool((u.owned == 1).all())\n"
          "True")
      .def(
          "receive",
          [](Asynchronous& self, nb::handle cells, nb::handle twin) {
            const MpiTurn turn(self.taken);
            void* const data = cells_of(self, cells, true);
            void* const other = twin.is_none() ? nullptr : cells_of(self, twin, true);
            const Waits others;
            return self.kept->receive(data, other);
          },
          nb::arg("cells"), nb::arg("twin") = nb::none(),
          "Put the newest data of every peer that has news into the halo, also of `twin`; return "
          "how "
          "many\nhad.\n\n"
          ">>> import halocline as hc\n"
          ">>> grid = hc.Grid((8,))\n"
          ">>> u = grid.zeros()\n"
          ">>> exchange = hc.AsyncExchange(grid.halo())\n"
          ">>> exchange.send(u, 1)\n"
          ">>> 0 <= exchange.receive(u) <= 2\n"
          "True\n"
          ">>> exchange.drain(u)")
      .def(
          "drain",
          [](Asynchronous& self, nb::handle cells, nb::handle twin) {
            const MpiTurn turn(self.taken);
            void *data = nullptr, *other = nullptr;
            agreed(self.comm, [&] {
              data = cells_of(self, cells, true);
              if (!twin.is_none()) other = cells_of(self, twin, true);
            });
            const Waits others;
            self.kept->drain(data, other);
          },
          nb::sig("def drain(self, cells: object, twin: object | None = None) -> None"),
          nb::arg("cells").none(), nb::arg("twin") = nb::none(),
          "Receive all that has been sent. Collective.\n\n"
          ">>> import halocline as hc\n"
          ">>> grid = hc.Grid((8,))\n"
          ">>> u = grid.zeros()\n"
          ">>> exchange = hc.AsyncExchange(grid.halo())\n"
          ">>> exchange.send(u, 1)\n"
          ">>> exchange.drain(u)")
      .def(
          "iteration_of",
          [](const Asynchronous& self, std::size_t link) {
            return self.kept->iteration_of(link_of(link, self.links_in));
          },
          nb::arg("link"),
          "The iteration whose cells of receive link `link` the halo holds; 0 before any has "
          "come.\n\n"
          ">>> import halocline as hc\n"
          ">>> grid = hc.Grid((8,))\n"
          ">>> u = grid.zeros()\n"
          ">>> exchange = hc.AsyncExchange(grid.halo())\n"
          ">>> exchange.send(u, 7)\n"
          ">>> exchange.drain(u)\n"
          ">>> {exchange.iteration_of(link) for link in range(len(grid.halo().receives))} <= {7}\n"
          "True")
      .def_prop_ro(
          "counts",
          [](const Asynchronous& self) {
            const AsyncCounts counts = self.kept->counts();
            nb::dict all;
            all["sent"] = counts.sent;
            all["skipped"] = counts.skipped;
            all["received"] = counts.received;
            all["superseded"] = counts.superseded;
            return all;
          },
          nb::sig("def counts(self) -> dict[str, int]"),
          "Messages of this rank so far: sent, skipped, received, superseded.")
      .def_prop_ro(
          "scheme", [](const Asynchronous& self) { return self.kept->scheme().str(); }, "In use.")
      .def("__reduce_ex__", &refuse_pickling, nb::arg("protocol"));
  module.def("async_schemes", &async_schemes, nb::arg("racy") = false,
             "The schemes that can be asynchronous, or racy, with this MPI.\n\n"
             ">>> import halocline as hc\n"
             ">>> 'p2p:nonblocking' in hc.async_schemes()\n"
             "True");
}

}  // namespace

void bind_other_exchanges(nb::module_& module) {
  bind_ragged(module);
  bind_gather_scatter(module);
  bind_async(module);
}

}  // namespace halocline::python
