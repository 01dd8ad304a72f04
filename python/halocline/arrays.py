"""Arrays of a grid: numpy's, with a view of the cells that this rank owns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.errors import Error

if TYPE_CHECKING:
    from halocline.library import Grid

__all__ = ["GridArray"]


class GridArray(np.ndarray):
    """A rank's part of a grid, halos included: `Grid.zeros` makes it.

    What numpy makes of it, such as `u + 1` or `u.copy()`, has a grid as long as it has its shape.

    Examples
    --------
    >>> import halocline as hc
    >>> grid = hc.Grid((8, 6), halo=2)
    >>> u = grid.zeros("f4")
    >>> u.shape == grid.shape, (u + 1).grid is grid, u[0].grid
    (True, True, None)
    """

    grid: Grid | None
    """The grid that it is of; None of a part of such an array."""

    def __new__(cls, shape: tuple[int, ...], dtype: np.dtype, memory: Any, grid: Grid) -> GridArray:
        """Make an array in these bytes."""
        made = super().__new__(cls, shape, dtype, buffer=memory)
        made.grid = grid
        return made

    def __array_finalize__(self, made_of: Any) -> None:
        grid = getattr(made_of, "grid", None)
        axes = 0 if grid is None else grid.axes
        self.grid = grid if axes and self.shape[:axes] == grid.shape else None

    @property
    def owned(self) -> np.ndarray:
        """The cells that this rank owns: a view without the halos."""
        if self.grid is None:
            raise Error("owned: this is a part of a grid's array, not all of it")
        return self.view(np.ndarray)[self.grid.inner]

    def fill_owned(self, values: Any) -> None:
        """Set the owned cells to a number, this rank's part of the whole grid, or their own values.

        Raises
        ------
        Error
            When the values have another shape.

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
        axes = self.grid.axes
        if np.ndim(values) == 0 or np.shape(values) == owned.shape:
            owned[...] = values
        elif np.shape(values)[:axes] == self.grid.cells:
            owned[...] = values[self.grid.owned]
        else:
            raise Error(
                f"values of shape {np.shape(values)}: give one number, the {self.grid.cells} of the"
                f" whole grid, or the {owned.shape} of this rank"
            )
