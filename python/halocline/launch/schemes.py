"""Choose schemes by names and globs."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Sequence

from halocline.errors import HaloclineError
from halocline.launch.checker import Checker


def choose(patterns: str | Sequence[str], checker: Checker) -> list[str]:
    """Return the schemes that names and globs mean, a list or separated by commas, in their order.

    `all` means every available scheme in its default form, but not `auto`, which becomes one of
    them: `all,auto,auto+when=running` has both. A glob with `+` in it also looks at all
    combinations of options; a name without wildcards is taken as it stands.

    Raises
    ------
    HaloclineError
        When a pattern means nothing; the message names what would.
    """
    listed = patterns.split(",") if isinstance(patterns, str) else patterns
    usual = checker.schemes()
    names = [scheme.name for scheme in usual if scheme.available]
    chosen: list[str] = []
    for pattern in filter(None, (part.strip() for part in listed)):
        if pattern == "all":
            found = names
        elif not any(mark in pattern for mark in "*?["):
            found = [pattern] if pattern in (*names, "auto") or "+" in pattern else []
        elif "+" in pattern:
            found = matching(
                pattern, [s.name for s in checker.schemes(combinations=True) if s.available]
            )
        else:
            found = matching(pattern, names)
        if not found:
            raise HaloclineError(_no_match(pattern, names, checker))
        chosen += found
    if not chosen:
        raise HaloclineError("--schemes names no scheme; 'all' means every one but auto")
    return list(dict.fromkeys(chosen))


def matching(pattern: str, names: Iterable[str]) -> list[str]:
    """Return the names that a shell glob matches."""
    return [name for name in names if fnmatch.fnmatchcase(name, pattern)]


def _no_match(pattern: str, names: Sequence[str], checker: Checker) -> str:
    for scheme in checker.schemes(missing=True):
        if not scheme.available and fnmatch.fnmatchcase(scheme.name, pattern):
            return f"scheme {scheme.name} is not available here: {scheme.reason}"
    families = sorted({name.split(":")[0] for name in names})
    return (
        f"no scheme matches '{pattern}'; 'halocline schemes' lists those of the families "
        f"{', '.join(families)}"
    )
