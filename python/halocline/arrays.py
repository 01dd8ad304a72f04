"""Arrays of a grid: numpy's, with a view of the cells that this rank owns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from halocline.errors import Error
from halocline.library import _native

if TYPE_CHECKING:
    from halocline.library import Grid

__all__ = ["GridArray"]


class _Home(NamedTuple):
    """Where the cells of a grid lie that an array, and its views, have been made for."""

    grid: Grid
    shape: tuple[int, ...]
    address: int
    strides: tuple[int, ...]
    element: int

    @classmethod
    def of(cls, array: np.ndarray, grid: Grid) -> _Home | None:
        """Return that of an array with memory of its own; None if it is no array of the grid."""
        shape = grid.shape
        axes = len(shape)
        element = array.itemsize * math.prod(array.shape[axes:])
        dense = array.ndim == axes or array.flags.c_contiguous
        if array.shape[:axes] != shape or not dense:
            return None
        return cls(grid, shape, _address(array), array.strides[:axes], element)

    def looks_like(self, array: np.ndarray) -> bool:
        return array.shape[: len(self.shape)] == self.shape

    def has(self, array: np.ndarray) -> bool:
        """Whether the cells are those of the array's first axes, as u["p"] and u[..., 0] have."""
        if not self.looks_like(array):
            return False
        steps = zip(self.shape, self.strides, array.strides)
        return array.size == 0 or (
            0 <= _address(array) - self.address < self.element
            and all(cells == 1 or ours == theirs for cells, ours, theirs in steps)
        )


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


class GridArray(np.ndarray):
    """A rank's part of a grid, halos included: `Grid.zeros` makes it.

    What numpy makes of it cell by cell, such as `u + 1`, `u.copy()` and `u[..., 0]`, has the grid,
    too. A part of it has none, nor has an array that is turned: `u.T`, `u[::-1]`.

    Examples
    --------
    >>> import halocline as hc
    >>> grid = hc.Grid((8, 6), halo=2)
    >>> u = grid.zeros("f4")
    >>> u.shape == grid.shape, (u + 1).grid is grid, u[0].grid, u.T.grid
    (True, True, None, None)
    """

    _home: _Home | None = None

    def __new__(cls, shape: tuple[int, ...], dtype: np.dtype, memory: Any, grid: Grid) -> GridArray:
        """Make an array in these bytes."""
        made = super().__new__(cls, shape, dtype, buffer=memory)
        made._home = _Home.of(made, grid)
        return made

    def __array_finalize__(self, made_of: Any) -> None:
        # Numpy may change a view after this, as for u.T: `grid` looks at what has become of it.
        home = getattr(made_of, "_home", None)
        if home is not None and self.base is None:  # memory of its own
            home = _Home.of(self, home.grid) if home.has(made_of) else None
        self._home = home

    def __array_wrap__(
        self, array: np.ndarray, context: Any = None, return_scalar: bool | None = None
    ) -> Any:
        """Return what a function of numpy's gives: an array of the grid if it goes by cells."""
        if isinstance(array, GridArray):  # out=
            return array
        if array.ndim == 0 and return_scalar is not False:
            return array[()]
        made = array.view(GridArray)
        by_cells = context is not None and context[0].signature is None
        if by_cells and self.grid is not None and array.ndim == self.ndim:
            made._home = _Home.of(made, self.grid)
        return made

    # What these pick need not lie where the cells do, whatever shape it has.
    def take(self, *args: Any, **kwargs: Any) -> Any:
        """Return elements, as an array of no grid.

        Examples
        --------
        >>> import halocline as hc
        >>> grid = hc.Grid((8, 4))
        >>> u = grid.zeros()
        >>> u.take([0, 1], axis=1).shape == (grid.shape[0], 2)
        True
        """
        return self.view(np.ndarray).take(*args, **kwargs)

    def repeat(self, *args: Any, **kwargs: Any) -> Any:
        """Return repeated elements, as an array of no grid.

        Examples
        --------
        >>> import halocline as hc
        >>> grid = hc.Grid((8, 4))
        >>> u = grid.zeros()
        >>> u.repeat(2, axis=1).shape == (grid.shape[0], 12)
        True
        """
        return self.view(np.ndarray).repeat(*args, **kwargs)

    def compress(self, *args: Any, **kwargs: Any) -> Any:
        """Return slices along an axis, as an array of no grid.

        Examples
        --------
        >>> import halocline as hc
        >>> grid = hc.Grid((8, 4))
        >>> u = grid.zeros()
        >>> u.compress([False, True], axis=1).shape == (grid.shape[0], 1)
        True
        """
        return self.view(np.ndarray).compress(*args, **kwargs)

    @property
    def grid(self) -> Grid | None:
        """The grid whose cells these are; None of a part of an array, and of one that is turned."""
        home = self._home
        return home.grid if home is not None and home.has(self) else None

    @property
    def _turned(self) -> bool:
        """Whether it has the shape of an array of the grid whose memory it is in, and is none."""
        home = self._home
        return home is not None and home.looks_like(self) and not home.has(self)

    @property
    def owned(self) -> np.ndarray:
        """The cells that this rank owns: a view without the halos."""
        if self.grid is None:
            raise Error(
                "owned: this is no array of a grid, but a part of one, or one that is turned or was"
                " pickled; take the cells first, and turn or send them then: u.owned.T"
            )
        return self.view(np.ndarray)[self.grid.inner]

    def fill_owned(self, values: Any) -> None:
        """Set the owned cells to a number, this rank's part of the whole grid, or their own values.

        Raises
        ------
        Error
            When the values have another shape, or are masked.

        Examples
        --------
        >>> import halocline as hc, numpy as np
        >>> grid = hc.Grid((4, 3))
        >>> u = grid.zeros()
        >>> u.fill_owned(np.arange(12.0).reshape(4, 3))
        >>> float(u.owned[0, 0]) == 3 * grid.owned[0].start + grid.owned[1].start
        True
        """
        owned = self.owned
        _native.expect_unmasked(values)
        axes = self.grid.axes
        if np.ndim(values) == 0 or np.shape(values) == owned.shape:
            owned[...] = values
        elif np.shape(values)[:axes] == self.grid.cells and np.ndim(values) == owned.ndim:
            owned[...] = values[self.grid.owned]
        else:
            raise Error(
                f"values of shape {np.shape(values)}: give one number, the {self.grid.cells} of the"
                f" whole grid, or the {owned.shape} of this rank"
            )
