"""Whether all runs of a comparison computed the same."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from halocline.measure.comparison.record import Comparison, Setting
from halocline.measure.results import Result


@dataclass(frozen=True)
class Agreement:
    """Whether all runs of one case computed the same."""

    case: str
    same: bool
    text: str


def agreement(comparison: Comparison) -> list[Agreement]:
    """Compare solution, iterations and residuum of all runs of a case, over schemes and ranks."""
    by_case: dict[str, list[tuple[Setting, Result]]] = {}
    for setting, found in comparison.measured().items():
        by_case.setdefault(setting.case, []).extend((setting, result) for result in found)
    verdicts = []
    for case in [case.name for case in comparison.cases if case.name in by_case]:
        runs = by_case[case]
        counts = Counter(result.identity for _, result in runs)
        schemes = len({setting.scheme for setting, _ in runs})
        usual, _ = counts.most_common(1)[0]
        checksum, iterations, residuum = usual
        if len(counts) == 1:
            residuum = f"{residuum:.6e}" if isinstance(residuum, float) else residuum
            text = (
                f"all {len(runs)} runs of {schemes} schemes gave the same bytes: "
                f"{iterations} iterations, residuum {residuum}, checksum {checksum}"
            )
            if checksum is None:
                text = text.replace("same bytes", "same iterations and residuum")
        else:
            odd = sorted({
                f"{setting.scheme} on {setting.ranks} ranks"
                for setting, result in runs if result.identity != usual
            })  # fmt: skip
            text = f"RESULTS DIFFER: {', '.join(odd)} computed something else than the other runs"
        verdicts.append(Agreement(case, len(counts) == 1, text))
    return verdicts
