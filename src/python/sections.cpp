// Sections: a part of the program's own step, which says by its time which schemes are the fastest.

#include "exchanges.hpp"

#include <halocline/error.hpp>
#include <halocline/more/section.hpp>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <list>
#include <memory>
#include <utility>

namespace halocline::python {

namespace {

/// A lap of C++ ends with its scope.
struct Lap {
  Lap(Section& section, double work) : it(section.lap(work)) {}
  Section::Lap it;
};

struct Brackets {
  Section section;
  std::unique_ptr<Lap> lap{};
};

struct Bracketed {
  Kept<Brackets> kept{};                     ///< which keeps the exchanges
  std::vector<std::atomic<bool>*> others{};  ///< of these
  double work = 1;                           ///< of the lap that begins next
  std::atomic<bool> taken{false};
};

/// `act(brackets, work)` begins a lap, which may give exchanges other schemes: meanwhile they are
/// nobody else's.
template <class Act>
void begin(Bracketed& self, Act act) {
  const MpiTurn turn(self.taken);
  Brackets& brackets = *self.kept;
  std::list<Turn> turns;
  for (std::atomic<bool>* const other : self.others) turns.emplace_back(*other);
  const double work = std::exchange(self.work, 1);
  const Waits others;
  act(brackets, work);
}

nb::object as_dict(const Section::Times& times) {
  if (times.value == 0) return nb::none();
  nb::dict all;
  all["value"] = times.value;
  all["low"] = times.low;
  all["high"] = times.high;
  all["confidence"] = times.confidence;
  return all;
}

nb::dict as_dict(const Section::Findings& found) {
  nb::list chosen;
  for (const Section::Chosen& one : found.chosen) {
    nb::list tried;
    for (const Section::Tried& other : one.tried) {
      nb::dict row;
      row["what"] = other.what;
      row["laps"] = other.laps;
      row["times"] = as_dict(other.times);
      row["why"] = other.why;
      tried.append(row);
    }
    nb::dict row;
    row["what"] = one.what;
    row["yardstick"] = one.yardstick;
    row["times"] = as_dict(one.times);
    row["matters"] = one.matters;
    row["tried"] = tried;
    chosen.append(row);
  }
  nb::dict all;
  all["laps"] = found.laps;
  all["seconds"] = found.seconds;
  all["cost"] = found.cost;
  all["preparing"] = found.preparing;
  all["decided"] = found.decided;
  all["contests"] = found.contests;
  all["chosen"] = chosen;
  return all;
}

/// Where none is given, that of the exchanges.
Communicator communicator_for(nb::handle given, const Arrays& exchanges) {
  if (given.is_none() && exchanges.size() > 0)
    if (const auto first = in_section(exchanges[0])) return first->ranks;
  return communicator(given);
}

void make(Bracketed* self, nb::args given, const nb::object& comm) {
  const Arrays exchanges(std::move(given));
  const Communicator ranks = communicator_for(comm, exchanges);
  std::vector<std::atomic<bool>*> others;
  auto kept = made_together(
      ranks.comm,
      [&] {
        std::vector<Exchange*> all;
        for (std::size_t i = 0; i < exchanges.size(); ++i) {
          const auto one = in_section(exchanges[i]);
          if (!one)
            throw Error("a section is of exchanges, not of " +
                        std::string(name_of_type(exchanges[i])));
          all.push_back(one->exchange);
          others.push_back(one->taken);
        }
        return all;
      },
      [&](const std::vector<Exchange*>& all) {
        const Waits waits;
        return std::make_shared<Brackets>(Brackets{.section = Section(ranks.comm, all)});
      },
      static_cast<std::int64_t>(exchanges.size()), "the number of a section's exchanges");
  kept.keeps() = {ranks.given, ranks.owner};
  for (std::size_t i = 0; i < exchanges.size(); ++i)
    kept.keeps().push_back(nb::borrow(exchanges[i]));
  new (self) Bracketed{.kept = std::move(kept), .others = std::move(others)};
}

}  // namespace

void bind_sections(nb::module_& module) {
  nb::class_<Bracketed>(
      module, "Section", nb::type_slots(slots_of_kept<Bracketed>),
      "A part of the program's own step, whose time chooses the schemes of its exchanges.\n\n"
      "Section(*exchanges, comm=None)\n\n"
      "exchanges  made with scheme='auto+when=running', on all ranks in the same order\n"
      "comm       of mpi4py; by default that of the exchanges, or all ranks\n\n"
      "What the program does in a lap (`with step.lap():`) is one step of its own, with as many\n"
      "exchanges as it likes. Most laps use the best schemes known so far; now and then others "
      "make\n"
      "a few. Every lap is a real step: nothing is done twice, and the bytes are the same whatever "
      "is\n"
      "tried. All ranks make the same laps. An exchange without a section takes the time from one\n"
      "start to the next. Raises the same Error on all ranks if an exchange chooses nothing while "
      "it\n"
      "runs, or is in another section. A section keeps its exchanges.\n\n"
      ">>> import halocline as hc\n"
      ">>> grid = hc.Grid((8,), periodic=True)\n"
      ">>> u = grid.array(range(8), dtype='f8')\n"
      ">>> halos = hc.Exchange(grid.halo(), u, scheme='auto+when=running')\n"
      ">>> step = hc.Section(halos)\n"
      ">>> for _ in range(10):\n"
      "...     with step.lap():\n"
      "...         halos.run()\n"
      ">>> step.laps\n"
      "10\n"
      ">>> step.report().split(',')[0]\n"
      "'section: 10 laps'")
      .def("__init__", &make, nb::arg("exchanges"), nb::arg("comm") = nb::none())
      .def(
          "lap",
          [](nb::handle self, double work) {
            nb::inst_ptr<Bracketed>(self)->work = work;
            return nb::borrow(self);
          },
          nb::arg("work") = 1.0, nb::sig("def lap(self, work: float = 1.0) -> typing.Self"),
          "`with step.lap():` is one lap, from the beginning of the block to its end.\n\n"
          "`work`: how much it has to do, in any unit, on all ranks alike: what laps take is "
          "divided by\n"
          "it. Raises Error if a lap is under way, or a step of one of the exchanges, or if `work` "
          "is\n"
          "not above 0 and finite.\n\n"
          ">>> import halocline as hc\n"
          ">>> step = hc.Section()\n"
          ">>> for cells in (100, 300, 200):\n"
          "...     with step.lap(cells):\n"
          "...         total = sum(range(cells))\n"
          ">>> step.laps\n"
          "3")
      .def(
          "__enter__",
          [](nb::handle self) {
            begin(*nb::inst_ptr<Bracketed>(self), [](Brackets& all, double work) {
              all.lap = std::make_unique<Lap>(all.section, work);
            });
            return nb::borrow(self);
          },
          nb::sig("def __enter__(self) -> typing.Self"), "A lap begins.")
      .def(
          "__exit__",
          [](Bracketed& self, nb::handle, nb::handle, nb::handle) {
            const Turn turn(self.taken);
            self.kept->lap.reset();
          },
          nb::arg("type").none(), nb::arg("value").none(), nb::arg("traceback").none(),
          "It ends, and counts, where an exception leaves the block, too.")
      .def(
          "begin",
          [](Bracketed& self) { begin(self, [](Brackets& all, double) { all.section.begin(); }); },
          "Begin a lap, where a block does not fit.\n\n"
          ">>> import halocline as hc\n"
          ">>> step = hc.Section()\n"
          ">>> step.begin()\n"
          ">>> total = sum(range(100))\n"
          ">>> step.end(work=100)\n"
          ">>> step.laps\n"
          "1")
      .def(
          "end",
          [](Bracketed& self, double work) {
            const Turn turn(self.taken);
            self.kept->section.end(work);
          },
          nb::arg("work") = 1.0,
          "End the lap that begin() has begun.\n\n"
          "It goes on where this raises Error, as for work that is not above 0 and finite.\n\n"
          ">>> import halocline as hc\n"
          ">>> step = hc.Section()\n"
          ">>> for _ in range(3):\n"
          "...     step.begin()\n"
          "...     step.end()\n"
          ">>> step.laps\n"
          "3")
      .def(
          "choice",
          [](Bracketed& self, const std::string& name, const std::vector<int>& values) {
            const Turn turn(self.taken);
            return self.kept->section.choice(name, values);
          },
          nb::arg("name"), nb::arg("values"),
          "Return which of `values` to use in this lap: a choice of the program's own, tried as\n"
          "schemes are.\n\n"
          "The first is in use until another has won. Call it before or within each lap, with the "
          "same\n"
          "values, on all ranks alike; it changes only where laps begin. Raises Error if there are "
          "none,\n"
          "or others than before.\n\n"
          ">>> import halocline as hc\n"
          ">>> step = hc.Section()\n"
          ">>> with step.lap():\n"
          "...     depth = step.choice('depth', [1, 2, 4])\n"
          ">>> depth\n"
          "1")
      .def_prop_ro(
          "decided",
          [](Bracketed& self) {
            const Turn turn(self.taken);
            return self.kept->section.decided();
          },
          "Whether nothing is left to try.")
      .def_prop_ro(
          "laps",
          [](Bracketed& self) {
            const Turn turn(self.taken);
            return self.kept->section.laps();
          },
          "How many laps have been made.")
      .def(
          "report",
          [](Bracketed& self) {
            const Turn turn(self.taken);
            return self.kept->section.report();
          },
          "What was tried, for how many laps, what was chosen and by how much, and what trying "
          "cost, in\nlines of text.\n\n"
          ">>> import halocline as hc\n"
          ">>> step = hc.Section()\n"
          ">>> with step.lap():\n"
          "...     total = sum(range(100))\n"
          ">>> step.report().split(',')[0]\n"
          "'section: 1 laps'")
      .def(
          "findings",
          [](Bracketed& self) {
            const Turn turn(self.taken);
            return as_dict(self.kept->section.findings());
          },
          nb::sig("def findings(self) -> dict[str, typing.Any]"),
          "The same as data.\n\n"
          "The `laps`, the `seconds` that they took, what trying `cost` of these and\n"
          "`preparing` of this, whether all is `decided`, the number of `contests`, and\n"
          "`chosen`: for each exchange, or choice of the program's own, `what` it uses now, the\n"
          "`yardstick` that would be used had nothing been tried, how many `times` as long as\n"
          "with that a lap takes (a dict of `value`, `low`, `high` and `confidence`, or None:\n"
          "never timed), whether that `matters`, and what else was `tried`: `what`, for how\n"
          "many `laps`, `times` as long as with what is chosen, and `why` it is not tried, or\n"
          "not any more ('': it is).\n\n"
          ">>> import halocline as hc\n"
          ">>> step = hc.Section()\n"
          ">>> for _ in range(3):\n"
          "...     with step.lap():\n"
          "...         tile = step.choice('tile', [8, 16])\n"
          ">>> found = step.findings()\n"
          ">>> found['laps'], found['chosen'][0]['what']\n"
          "(3, 'tile=8')\n"
          ">>> [other['what'] for other in found['chosen'][0]['tried']]\n"
          "['tile=16']")
      .def("__reduce_ex__", &refuse_pickling, nb::arg("protocol"));
}

}  // namespace halocline::python
