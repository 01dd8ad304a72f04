"""What the project's JSON files must look like below their first level.

A shape is written as the value itself would look:

>>> LAUNCH = {"scheme": str, "seconds": list[AtLeast(0.0)], "note?": Optional[str]}

- `str`, `bool`, `int`, `float` (an integer is one, too; NaN and infinity are none), `Any`
- `AtLeast(1)`, `Above(0.0)`: numbers of the type and from the bound on; `OneOf(("a", "b"))`: words
- `list[SHAPE]`, `dict[str, SHAPE]`, `tuple[SHAPE, ...]`, `Optional[SHAPE]`, `Union[SHAPE, ...]`
- `Annotated[TYPE, SHAPE]`: for readers of the code TYPE, of the file SHAPE
- a dict: an object with these fields, those with `?` behind their names if they are there at all;
  others may be there, too: people and later versions write what they like
- a dataclass: the same by the types of its fields, and it is made
"""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import re
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Union

from halocline.errors import HaloclineError

MOST = 1 << 63
"""From here on a whole number fits no program that writes these files."""


class MisfitError(HaloclineError):
    """A value that does not have the shape it must have."""


@dataclass(frozen=True)
class AtLeast:
    """A number of the bound's type that is not below it."""

    bound: float


@dataclass(frozen=True)
class OneOf:
    """One of these words."""

    words: tuple[str, ...]


@dataclass(frozen=True)
class Above:
    """A number of the bound's type above it."""

    bound: float


def fitted(value: Any, shape: Any, file: object = "", where: str = "") -> Any:
    """Return a value that has a shape; dataclasses in the shape are made.

    Parameters
    ----------
    file
        What the message begins with.
    where
        The value's own place in the file.

    Raises
    ------
    MisfitError
        When it has not; the message names file and place, and says what must be there.
    """

    def refuse(place: str, wanted: str, found: Any) -> None:
        about = f'"{place}"' if place else "it"
        said = f"{about} must be {wanted}, not {shown(found)}"
        if found is MISSING:
            said = f"{about} is missing; it must be {wanted}"
        raise MisfitError(f"{file}: {said}" if str(file) else said)

    return _fit(value, shape, where, refuse)


def of_shape(value: Any, shape: Any, where: str = "") -> tuple[Any, list[str]]:
    """Return what of a value has a shape, and a sentence for each part that is passed over.

    A field or an item of another shape is left out, and so is what cannot do without it. Of a
    value that cannot either, None is left.
    """
    passed: list[str] = []

    def pass_over(place: str, wanted: str, found: Any) -> None:
        about = f'"{place}"' if place else "it"
        is_missing = found is MISSING
        passed.append(f"{about} is {'missing' if is_missing else shown(found)}, not {wanted}")

    kept = _fit(value, shape, where, pass_over)
    return (None if kept is MISFIT else kept), passed


def unknown(value: Any, shape: dict[str, Any], where: str = "") -> list[str]:
    """Return the places of all fields of objects that a shape of dicts and lists does not know."""
    if isinstance(shape, dict) and isinstance(value, dict):
        known = {name.rstrip("?"): inner for name, inner in shape.items()}
        found = [_inside(where, name) for name in value if name not in known]
        for name, inner in known.items():
            if name in value:
                found += unknown(value[name], inner, _inside(where, name))
        return found
    if typing.get_origin(shape) is list and isinstance(value, list):
        (inner,) = typing.get_args(shape)
        inside = (unknown(item, inner, f"{where}[{i}]") for i, item in enumerate(value))
        return [one for some in inside for one in some]
    return []


def shown(value: Any) -> str:
    """Return a value as JSON has it, in a few letters."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = str(value)
    return text if len(text) <= 40 else text[:37] + "..."


# ---- how it is done ----------------------------------------------------------------------------

MISFIT, MISSING = object(), object()
Complain = Callable[[str, str, Any], None]
"""Told the place, what must be there, and what is."""


def _fit(value: Any, shape: Any, where: str, complain: Complain) -> Any:
    """Return the value, or what of it fits; MISFIT, after a complaint, if nothing does."""
    if isinstance(shape, (AtLeast, Above)):
        number = _plain(value, type(shape.bound))
        least = isinstance(shape, AtLeast)
        if number is not MISFIT and (number >= shape.bound if least else number > shape.bound):
            return number
    elif isinstance(shape, OneOf):
        if value in shape.words:
            return value
    elif isinstance(shape, dict) or (isinstance(shape, type) and dataclasses.is_dataclass(shape)):
        if isinstance(value, dict):
            return _object(value, shape, where, complain)
    elif typing.get_origin(shape) is Annotated:
        return _fit(value, shape.__metadata__[0], where, complain)
    elif typing.get_origin(shape) is Union:
        return _one_of(value, typing.get_args(shape), where, complain)
    elif typing.get_origin(shape) in (list, tuple):
        if isinstance(value, list):
            return _list(value, shape, where, complain)
    elif typing.get_origin(shape) is dict:
        if isinstance(value, dict):
            (_, inner) = typing.get_args(shape)
            fits = {k: _fit(v, inner, _inside(where, k), complain) for k, v in value.items()}
            return {name: one for name, one in fits.items() if one is not MISFIT}
    elif shape is Any:
        return value
    else:
        found = _plain(value, shape)
        if found is not MISFIT:
            return found
    complain(where, wanted(shape), value)
    return MISFIT


def _plain(value: Any, kind: type) -> Any:
    if kind is float:
        fits = isinstance(value, (int, float)) and not isinstance(value, bool)
        return value if fits and -MOST < value < MOST and math.isfinite(value) else MISFIT
    if kind is int:
        if isinstance(value, float) and math.isfinite(value) and value.is_integer():
            value = int(value)
        fits = isinstance(value, int) and not isinstance(value, bool) and -MOST < value < MOST
        return value if fits else MISFIT
    return value if isinstance(value, kind) else MISFIT


def _one_of(value: Any, shapes: tuple[Any, ...], where: str, complain: Complain) -> Any:
    if value is None and type(None) in shapes:
        return None
    others = [one for one in shapes if one is not type(None)]
    if len(others) == 1:
        return _fit(value, others[0], where, complain)
    for one in others:
        complaints: list[str] = []
        found = _fit(value, one, where, lambda place, *_, to=complaints: to.append(place))
        if found is not MISFIT and not complaints:
            return found
    complain(where, " or ".join(map(wanted, others)), value)
    return MISFIT


def _list(value: list[Any], shape: Any, where: str, complain: Complain) -> Any:
    inner = typing.get_args(shape)
    if typing.get_origin(shape) is tuple:
        if len(value) != len(inner):
            complain(where, wanted(shape), value)
            return MISFIT
        fits = [_fit(v, s, f"{where}[{i}]", complain) for i, (v, s) in enumerate(zip(value, inner))]
        return MISFIT if MISFIT in fits else fits
    fits = [_fit(one, inner[0], f"{where}[{i}]", complain) for i, one in enumerate(value)]
    return [one for one in fits if one is not MISFIT]


def _object(value: dict[str, Any], shape: Any, where: str, complain: Complain) -> Any:
    fields = shape if isinstance(shape, dict) else of_dataclass(shape)
    kept = {}
    for name, one in value.items():
        inner = fields.get(name, fields.get(f"{name}?", MISFIT))
        kept[name] = one if inner is MISFIT else _fit(one, inner, _inside(where, name), complain)
    kept = {name: one for name, one in kept.items() if one is not MISFIT}
    for name, inner in fields.items():
        if not name.endswith("?") and name not in kept:
            if name not in value:
                complain(_inside(where, name), wanted(inner), MISSING)
            return MISFIT
    if isinstance(shape, dict):
        return kept
    known = {field.name for field in dataclasses.fields(shape)}
    return shape(**{name: one for name, one in kept.items() if name in known})


@functools.cache
def of_dataclass(kind: type) -> dict[str, Any]:
    """Return the shape of a dataclass; fields with a default may be missing."""
    names = {}
    for field in dataclasses.fields(kind):
        has_default = field.default is not dataclasses.MISSING or (
            field.default_factory is not dataclasses.MISSING
        )
        names[field.name] = f"{field.name}?" if has_default else field.name
    module = vars(__import__(kind.__module__, fromlist=["_"]))
    # Python 3.9 cannot evaluate `float | None`.
    hints = {
        field.name: re.sub(r"^(.*) \| None$", r"Optional[\1]", str(field.type))
        for field in dataclasses.fields(kind)
    }
    scope = {**vars(typing), **module}
    return {names[name]: eval(text, scope) for name, text in hints.items()}


def wanted(shape: Any) -> str:
    """Say in words what a shape asks for."""
    if isinstance(shape, (AtLeast, Above)):
        how = "of at least" if isinstance(shape, AtLeast) else "above"
        return f"{wanted(type(shape.bound))} {how} {shape.bound:g}"
    if isinstance(shape, OneOf):
        return ("one of " if len(shape.words) > 1 else "") + ", ".join(shape.words)
    origin = typing.get_origin(shape)
    if origin is Union:
        return " or ".join(wanted(one) for one in typing.get_args(shape) if one is not type(None))
    if origin is tuple:
        return f"a list of {len(typing.get_args(shape))}"
    if origin is list:
        return "a list"
    words = {str: "a text", bool: "true or false", int: "a whole number", float: "a number"}
    return words.get(shape, "an object") if isinstance(shape, type) else "an object"


def _inside(where: str, name: str) -> str:
    return f"{where}.{name}" if where else str(name)
