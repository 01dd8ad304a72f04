"""What a study asks, and its command: measure here, write the page, which predicts the rest.

A study has sides, each a way to do the same thing with the schemes that do it, and compares sides
with each other by message size, number of peers, layout of the cells, and what is computed
meanwhile.
"""

import argparse
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FILES = ROOT / "docs" / "measured" / "studies"
"""One file for each machine."""
ACTIONS = ("measure", "page")


@dataclass(frozen=True)
class Study:
    """A question of somebody's, as what is to be measured."""

    name: str
    page: str
    """Where it is answered."""
    sides: dict
    """By name, the schemes of each."""
    comparisons: tuple
    """Pairs of sides: of the first it is asked when it wins over the second."""
    synchronisation: tuple = ()
    """What halometer's `sync` is to measure."""

    @property
    def schemes(self):
        """All schemes, each once."""
        return list(dict.fromkeys(one for side in self.sides.values() for one in side))

    @property
    def methods(self):
        """Those without options, which is what is set up and predicted."""
        return list(dict.fromkeys(one.split("+")[0] for one in self.schemes))

    def files(self):
        """What machines have said."""
        return sorted(FILES.glob(f"{self.name}-*.json"))

    @cached_property
    def predicted(self):
        """What the model says: `predict` of predicted.py."""
        import predicted

        return predicted.predict(self)


def main(study, doc):
    """Do what is asked, all of it by default."""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "do", nargs="*", metavar="ACTION", help=f"{', '.join(ACTIONS)}; both by default"
    )
    parser.add_argument("--ranks", type=int, default=2, help="each with a core of its own")
    parser.add_argument("--budget", type=float, default=240, help="seconds that ranks measure")
    parser.add_argument(
        "--launches", type=int, default=8, help="two choose, and with fewer than six to compare "
        "nothing is certain"
    )  # fmt: skip
    parser.add_argument(
        "--file", type=Path, help="of what is measured; by default one in docs/measured/studies"
    )
    parser.add_argument("--results", type=Path, help="folder for every sample, a new one")
    parser.add_argument(
        "--env", action="append", default=[], metavar="NAME=VALUE", help="set for the launches"
    )
    wish = parser.parse_args()
    if unknown := [one for one in wish.do if one not in ACTIONS]:
        parser.error(f"{unknown[0]}: is none of {', '.join(ACTIONS)}")
    if odd := [one for one in wish.env if "=" not in one]:
        parser.error(f"--env {odd[0]}: give NAME=VALUE")
    todo = wish.do or ACTIONS

    from halocline.errors import HaloclineError

    try:
        if "measure" in todo:
            import sweep

            print(f"measured: {sweep.measure(study, wish)}")
        if "page" in todo:
            import tables

            for file in tables.write(study):
                print(f"written: {file}")
    except HaloclineError as problem:
        parser.exit(1, f"{study.name}: {problem}\n")
    except KeyboardInterrupt:
        parser.exit(130, f"{study.name}: interrupted\n")
