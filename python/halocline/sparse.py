"""Sparse matrices whose rows are spread over ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.errors import Error
from halocline.library import _native

if TYPE_CHECKING:
    import scipy.sparse

    from halocline.library import Pattern


def from_rows(
    rows: scipy.sparse.spmatrix, comm: Any = None
) -> tuple[Pattern, scipy.sparse.csr_matrix]:
    """Return the pattern of these rows, and the same rows with local columns: Pattern.from_rows.

    Raises
    ------
    Error
        When this is no sparse matrix, or a column is no row of any rank.
    """

    def csr() -> tuple[scipy.sparse.csr_matrix, np.ndarray]:
        if not hasattr(rows, "tocsr"):
            raise Error(
                f"rows: {type(rows).__name__} is no sparse matrix; give one of scipy.sparse"
            )
        local = rows.tocsr()
        return local, local.indices.astype(np.int64)

    local, columns = _native.agreed(comm, csr)
    begin, end, _ = _native.row_range(comm, local.shape[0])
    others = (columns < begin) | (columns >= end)
    ghosts, places = np.unique(columns[others], return_inverse=True)
    pattern = _native.ghost_pattern(comm, local.shape[0], ghosts.tolist())
    renumbered = columns - begin
    renumbered[others] = local.shape[0] + places
    shape = local.shape[0], local.shape[0] + len(ghosts)
    return pattern, type(local)((local.data, renumbered, local.indptr), shape=shape)
