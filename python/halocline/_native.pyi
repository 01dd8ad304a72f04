"""The classes of Halocline, compiled; `import halocline` offers them."""

from collections.abc import Sequence
from typing import Any, Self, overload

import halocline.arrays
import numpy
import numpy.typing


class Scheme:
    """
    A method with its options, checked: Scheme('rma:put:flush+pack=off').

    Raises Error that names what does not fit and what would.

    >>> import halocline as hc
    >>> hc.Scheme('p2p:persistent').method
    'p2p:persistent'
    """

    def __init__(self, text: str) -> None: ...

    @property
    def method(self) -> str:
        """Without options."""

    @property
    def full(self) -> str:
        """With every option spelled out."""

    def option(self, name: str) -> str:
        """
        The value of an option, or its default.

        >>> import halocline as hc
        >>> hc.Scheme('p2p:nonblocking+pack=off').option('pack')
        'off'
        """

    def matches(self, glob: str) -> bool:
        """
        Whether 'rma:*' or its like fits.

        >>> import halocline as hc
        >>> hc.Scheme('p2p:persistent').matches('p2p:*')
        True
        """

    def with_option(self, option: str, value: str) -> Scheme:
        """
        The same with another value of an option.

        >>> import halocline as hc
        >>> hc.Scheme('p2p:nonblocking').with_option('pack', 'off')
        Scheme('p2p:nonblocking+pack=off')
        """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def __eq__(self, other: object | None) -> bool: ...

    def __hash__(self) -> int: ...

    def __reduce__(self) -> tuple: ...

def schemes(all: bool = False) -> dict[str, str]:
    """
    {name: what it does} of the schemes that this MPI can run; with `all` of the others, too, and why
    not.

    >>> import halocline as hc
    >>> 'p2p:nonblocking' in hc.schemes()
    True
    """

class Memory:
    """The bytes of an array that the library has made, as a buffer."""

    @property
    def kind(self) -> str:
        """Who can reach them: 'plain', 'window', 'shared' or 'device'."""

    @property
    def note(self) -> str:
        """Why it is not the kind that the scheme likes best; else empty."""

    def __reduce_ex__(self, protocol: int) -> None: ...

class Unbound:
    """What stands for arrays that each step is given."""

    def __reduce_ex__(self, protocol: int) -> None: ...

def expect_unmasked(values: object | None) -> None:
    """Raise Error on a masked array."""

def unbound(like: object) -> Unbound:
    """
    Stand for an array that each step of an Exchange is given: run(u).

    `like` is an array, whose axes, strides and type those of the steps have, or a type ('f8')
    of arrays whose elements follow each other. All fields of an exchange are unbound or none.

    >>> import halocline as hc, numpy as np
    >>> grid = hc.Grid((8, 8), periodic=True)
    >>> halos = hc.Exchange(grid.halo(), hc.unbound('f8'))
    >>> u, v = np.ones(grid.shape), np.zeros(grid.shape)
    >>> halos.run(u)
    >>> halos.run(v)
    """

class Distribution:
    """
    How an array of one to five axes is spread over ranks: each has a box of `cells`.

    Distribution(cells, dims, halos=0, order=(), first=0, ranks=())
        Cut along each axis into `dims` parts, parts row-major. `halos`: cells around a part in
        its owner's array; `order`: the axes in memory, slowest first ((1, 0): transposed);
        `ranks` (or `first`): who has each part. Raises Error on numbers that do not fit.

    >>> import halocline as hc
    >>> hc.Distribution((6, 4), (1, 1)).shape(0)
    (6, 4)
    """

    def __init__(self, cells: Sequence[int], dims: Sequence[int], halos: object = 0, order: Sequence[int] = [], first: int = 0, ranks: Sequence[int] = []) -> None: ...

    @staticmethod
    def of_cuts(cuts: Sequence[Sequence[int]], halos: object = 0, order: Sequence[int] = [], first: int = 0, ranks: Sequence[int] = []) -> Distribution:
        """
        With cuts of your own: for each axis the first cells of the parts, from 0 on, and the
        end.

        >>> import halocline as hc
        >>> hc.Distribution.of_cuts([[0, 2, 6], [0, 4]]).shape(1)
        (4, 4)
        """

    @staticmethod
    def of_boxes(boxes: Sequence[Sequence[Sequence[tuple[int, int]]]], halos: object = 0, first: int = 0) -> Distribution:
        """
        Any boxes: boxes[i] are those of rank i, each a list of (begin, end) for each axis.

        >>> import halocline as hc
        >>> hc.Distribution.of_boxes([[[(0, 2)], [(5, 6)]], [[(2, 5)]]]).elements(0)
        3
        """

    @property
    def cells(self) -> tuple:
        """Cells along each axis; empty where boxes do not say it."""

    def elements(self, rank: int) -> int:
        """
        Elements of a rank's array, halos included.

        >>> import halocline as hc
        >>> hc.Distribution((6, 4), (2, 1), halos=1).elements(0)
        30
        """

    def shape(self, rank: int) -> tuple:
        """
        The shape of a rank's array, halos included; flat if it has several boxes.

        >>> import halocline as hc
        >>> hc.Distribution((6, 4), (2, 1), halos=1).shape(0)
        (5, 6)
        """

    def __reduce_ex__(self, protocol: int) -> None: ...

class Pattern:
    """
    What a rank sends, receives and copies: elements of an array, by peer.

    It counts the elements of an array of `shape` in C order, whatever the order in memory is;
    without a shape it counts along axis 0, and what axes follow belong to an element. A Pattern
    is pure data: exchanges copy it. Pattern(shape=None, comm=None) is empty; send(), receive() and
    copy() add to it.

    >>> import halocline as hc
    >>> grid = hc.Grid((6, 6), halo=1, periodic=True)
    >>> pattern = grid.halo()
    >>> pattern.shape == grid.shape
    True
    """

    def __init__(self, shape: Sequence[int] | None = None, comm: object | None = None) -> None: ...

    def send(self, peer: object | None, elements: object) -> None:
        """
        Add what is sent to a peer: numbers of elements, or slices of the array (numpy.s_[-2, :]).
        A peer that is None or negative gets nothing.

        >>> import halocline as hc, numpy as np
        >>> grid = hc.Grid((9,), halo=0)
        >>> me, last = grid.rank, grid.ranks - 1
        >>> row = hc.Pattern(shape=(3, 4))
        >>> row.send(me + 1 if me < last else None, np.s_[-1, :])
        >>> row.receive(me - 1 if me > 0 else None, np.s_[0, :])
        >>> u = np.full((3, 4), me)
        >>> hc.Exchange(row, u).run()
        >>> bool((u[0] == max(me - 1, 0)).all())
        True
        """

    def receive(self, peer: object | None, elements: object, shift: Sequence[float] = []) -> None:
        """
        Add what is received from a peer, in the order in which it is sent. `shift`: numbers that are
        added to each element that arrives, one for each of its numbers, as periodic positions need them.

        >>> import halocline as hc, numpy as np
        >>> grid = hc.Grid((9,), halo=0)
        >>> me, last = grid.rank, grid.ranks - 1
        >>> row = hc.Pattern()
        >>> row.send(me + 1 if me < last else None, [1])
        >>> row.receive(me - 1 if me > 0 else None, [0], shift=[0.5])
        >>> x = np.array([-0.5, me])
        >>> hc.Exchange(row, x).run()
        >>> float(x[0]) == me - 0.5
        True
        """

    def copy(self, source: object, target: object, shift: Sequence[float] = []) -> None:
        """
        Add what stays on this rank: copied from elements to as many others.

        >>> import halocline as hc, numpy as np
        >>> around = hc.Pattern(shape=(3, 4))
        >>> around.copy(np.s_[1, :], np.s_[2, :], shift=[10.0])
        >>> u = np.arange(12.0).reshape(3, 4)
        >>> hc.Exchange(around, u).run()
        >>> u[2]
        array([14., 15., 16., 17.])
        """

    @staticmethod
    def shift(to: object | None, sent: object, source: object | None, received: object, shape: Sequence[int] | None = None, comm: object | None = None) -> Pattern:
        """
        One direction only, as along a row of ranks or around a ring: sends to rank `to` and receives
        from rank `source`; None (or MPI.PROC_NULL) at the open end of a row.

        Elements are numbers, or slices of an array of `shape`. Raises Error unless as many are sent
        as received.

        >>> import halocline as hc, numpy as np
        >>> grid = hc.Grid((9,), halo=0)
        >>> me, last = grid.rank, grid.ranks - 1
        >>> above, below = me + 1 if me < last else None, me - 1 if me else None
        >>> up = hc.Pattern.shift(above, [1], below, [0])
        >>> x = np.array([-1, me])
        >>> hc.Exchange(up, x).run()
        >>> int(x[0]) == me - 1
        True
        """

    @staticmethod
    def from_indices(send: object, receive: object, copies: object | None = None, shape: Sequence[int] | None = None, comm: object | None = None) -> Pattern:
        """
        From lists of indices: {peer: indices}, or (peers, offsets, indices) as compressed
        rows have them.

        The element at the i-th index that is sent to a peer arrives at the i-th index that it
        receives from there. `copies` = (from, to) stay on this rank. Indices are of axis 0, or
        with a `shape` C-order numbers of elements (numpy.ravel_multi_index). Raises Error on
        negative indices and lists of different length.

        >>> import halocline as hc, numpy as np
        >>> pattern = hc.Pattern.from_indices({}, {}, copies=([1, 2], [5, 4]))
        >>> x = np.arange(6.0)
        >>> hc.Exchange(pattern, x).run()
        >>> x
        array([0., 1., 2., 3., 2., 1.])
        """

    @staticmethod
    def between(source: Distribution, target: Distribution, comm: object | None = None) -> Pattern:
        """
        What this rank sends and receives when an array that is spread as `source` is to be
        spread as `target`: for Exchange(pattern, u, to=v).

        >>> import halocline as hc, numpy as np
        >>> ranks = hc.Grid((1,), halo=0).ranks
        >>> rows = hc.Distribution((4, 6), (ranks, 1))
        >>> columns = hc.Distribution((4, 6), (1, ranks), order=(1, 0))
        >>> turn = hc.Pattern.between(rows, columns)
        >>> u, v = np.ones(turn.shape), np.zeros(turn.reversed().shape)
        >>> hc.Exchange(turn, u, to=v).run()
        >>> bool(v.all())
        True
        """

    @staticmethod
    def halo_of(parts: Distribution, periodic: object = False, corners: bool = True, widths: object | None = None, cells: Sequence[int] = [], comm: object | None = None) -> Pattern:
        """
        The halos of all parts that this rank has, of a Distribution that has `halos`: any number of
        boxes of any sizes. What this rank owns itself is copied. A rank with several parts has them
        one after the other in a flat array.

        `widths`: what is filled, by default all halos; `cells` of the whole grid are needed along periodic
        axes of a distribution of boxes. Raises Error if a cell has two owners.

        >>> import halocline as hc, numpy as np
        >>> ranks = hc.Grid((1,), halo=0).ranks
        >>> blocks = hc.Distribution((8 * ranks,), (ranks,), halos=1)
        >>> pattern = hc.Pattern.halo_of(blocks, periodic=True)
        >>> u = np.zeros(pattern.shape)
        >>> u[1:-1] = 1
        >>> hc.Exchange(pattern, u).run()
        >>> bool(u.all())
        True
        """

    @staticmethod
    def from_rows(rows: Any, comm: object | None = None) -> tuple[Pattern, Any]:
        """
        The pattern of a sparse matrix whose rows are spread over the ranks: (pattern, local).

        `rows` are this rank's rows, a matrix of scipy.sparse with columns for the rows of all
        ranks. `local` is the same matrix in CSR form whose columns are the elements of this rank's
        vector: its own rows, then the ghosts that the pattern receives. Collective.

        >>> import halocline as hc, numpy as np, scipy.sparse
        >>> whole = scipy.sparse.diags([1.0, -2.0, 1.0], [-1, 0, 1], (6, 6)).tocsr()
        >>> mine = hc.Grid((6,), halo=0).owned[0]
        >>> pattern, local = hc.Pattern.from_rows(whole[mine])
        >>> x = np.ones(local.shape[1])
        >>> hc.Exchange(pattern, x).run()
        >>> bool(((local @ x) == (whole @ np.ones(6))[mine]).all())
        True
        """

    @staticmethod
    def united(parts: Sequence[Pattern]) -> Pattern:
        """
        Several patterns as one, with one link for a peer.

        >>> import halocline as hc
        >>> grid = hc.Grid((8, 8), periodic=True)
        >>> both = hc.Pattern.united([grid.halo(), grid.faces(0).halo()])
        >>> both.elements_sent == 2 * grid.halo().elements_sent
        True
        """

    def reversed(self) -> Pattern:
        """
        The way back: sends what was received, to where it was sent from; usually for an exchange
        that combines.

        >>> import halocline as hc
        >>> grid = hc.Grid((8,), periodic=True)
        >>> forces = grid.zeros()
        >>> forces[:] = 1
        >>> hc.Exchange(grid.halo().reversed(), forces, combine='sum').run()
        >>> float(forces.owned[0])
        2.0
        """

    @property
    def shape(self) -> object:
        """
        Of the arrays that are sent from, halos included; None if it counts along axis 0.
        """

    @property
    def sends(self) -> dict[int, numpy.ndarray]:
        """{peer: C-order numbers of the elements sent}, in message order."""

    @property
    def receives(self) -> dict[int, numpy.ndarray]:
        """{peer: C-order numbers of the elements received}, in message order."""

    @property
    def copies(self) -> tuple:
        """(from, to): the numbers of the elements that stay on this rank."""

    @property
    def elements_sent(self) -> int:
        """To other ranks, in a step."""

    @property
    def extent(self) -> int:
        """One past the largest element: the least size of a field."""

    def __reduce_ex__(self, protocol: int) -> None: ...

    def __copy__(self) -> Pattern: ...

    def __deepcopy__(self, memo: object) -> Pattern: ...

    def __repr__(self) -> str: ...

def zeros(shape: int | Sequence[int], dtype: numpy.typing.DTypeLike = 'f8', scheme: str = 'auto', comm: object | None = None) -> numpy.ndarray:
    """
    A numpy array of zeros in memory that the scheme works best on, for patterns that are no grid's.

    Ranks may give different shapes. Collective. Raises Error if there is not enough memory.

    >>> import halocline as hc
    >>> x = hc.zeros((5, 3), 'f4', scheme='shm:signal')
    >>> x.shape
    (5, 3)
    """

class Grid:
    """
    A Cartesian grid of cells spread over the ranks of a communicator.

    Grid(comm, cells, *, halo=1, periodic=False, corners=True, cuts=None, dims=(),
         decomposition='blocks', renumber=False, nodes='node')

    comm           one of mpi4py; None (or left out): all ranks
    cells          along each of one to five axes, of the whole grid, without halos
    halo           cells: one number; or for each axis a number or a pair (below, above)
    periodic       one bool, or one for each axis
    corners        edges and corners too, or faces only
    cuts           for each axis the first cells of the parts and the end, or None: equal parts
    dims           the process grid, if chosen by hand
    decomposition  'blocks', or 'rows': the first axis alone is cut
    renumber       let the grid renumber ranks, so that little crosses nodes; collective then,
                   and all communication is on grid.comm

    Raises Error when a halo is wider than a part, and on options that do not fit.

    >>> import halocline as hc
    >>> grid = hc.Grid((8, 6), halo=1, periodic=(True, False))
    >>> u = grid.zeros('f8')           # a numpy array, halos included
    >>> u.shape == grid.shape
    True
    >>> u.owned[:] = 1                 # the cells that this rank owns
    >>> hc.Exchange(grid.halo(), u).run()
    >>> float(u[0, 1])
    1.0
    """

    def __init__(self, comm: object | None, cells: object | None = None, *, halo: object = 1, periodic: object = False, corners: bool = True, cuts: object | None = None, dims: Sequence[int] = [], decomposition: str = 'blocks', renumber: bool = False, nodes: str = 'node') -> None: ...

    @property
    def comm(self) -> object:
        """
        The communicator, as mpi4py has it; None where mpi4py has not been imported. Of a grid
        that renumbers it is the grid's own.
        """

    @property
    def rank(self) -> int:
        """This rank's number in the communicator."""

    @property
    def ranks(self) -> int:
        """How many there are."""

    @property
    def cells(self) -> tuple[int, ...]:
        """Of the whole grid, along each axis."""

    @property
    def axes(self) -> int:
        """How many there are."""

    @property
    def dims(self) -> tuple[int, ...]:
        """Parts along each axis."""

    @property
    def periodic(self) -> tuple:
        """Of each axis."""

    @property
    def widths(self) -> tuple:
        """(below, above) of the halo along each axis, in cells."""

    @property
    def coordinates(self) -> tuple[int, ...]:
        """Of this rank's part along each axis; () on an idle rank."""

    @property
    def idle(self) -> bool:
        """This rank owns no cell."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Of this rank's array, halos included."""

    @property
    def owned(self) -> tuple[slice, ...]:
        """
        The cells of the whole grid that this rank owns, as slices: whole[grid.owned].
        """

    @property
    def inner(self) -> tuple[slice, ...]:
        """The same cells in this rank's array, as slices: u[grid.inner]."""

    def owned_by(self, axis: int, coordinate: int) -> slice:
        """
        The cells along an axis that ranks with this coordinate own, as a slice.

        >>> import halocline as hc
        >>> hc.Grid((8, 6), dims=()).owned_by(0, 0).start
        0
        """

    def neighbour(self, offset: Sequence[int]) -> int | None:
        """
        The rank at this rank's coordinates plus an offset for each axis; None outside.

        >>> import halocline as hc
        >>> grid = hc.Grid((8, 6), periodic=(True, False))
        >>> grid.neighbour((0, 0)) == grid.rank, grid.neighbour((0, -6))
        (True, None)
        """

    def halo(self) -> Pattern:
        """
        The Pattern of this rank's halo: what it sends to and receives from every neighbour.

        >>> import halocline as hc
        >>> grid = hc.Grid((8, 6))
        >>> grid.halo().shape == grid.shape
        True
        """

    def distribution(self) -> Distribution:
        """
        Which cells each rank owns, and where they lie in its array: for Pattern.between.

        >>> import halocline as hc
        >>> grid = hc.Grid((8, 6))
        >>> grid.distribution().shape(grid.rank) == grid.shape
        True
        """

    def faces(self, axis: int) -> Grid:
        """
        The grid of the faces between cells along an axis, for staggered fields: face i lies below
        cell i. One more than cells, but for a periodic axis.

        >>> import halocline as hc
        >>> hc.Grid((8, 6)).faces(1).cells
        (8, 7)
        """

    def zeros(self, dtype: numpy.typing.DTypeLike = 'f8', scheme: str = 'auto', components: Sequence[int] = ()) -> halocline.arrays.GridArray:
        """
        A numpy array of zeros, halos included, in memory that the scheme works best on.

        Its shape is grid.shape, then `components`, then what axes the dtype has. `u.owned` is the view
        of the cells that this rank owns, `u.grid` this grid. Collective. Raises Error if there is not
        enough memory.

        >>> import halocline as hc
        >>> grid = hc.Grid((8, 6), halo=2)
        >>> velocity = grid.zeros('f4', components=(3,))
        >>> velocity.shape == grid.shape + (3,)
        True
        """

    def empty(self, dtype: numpy.typing.DTypeLike = 'f8', scheme: str = 'auto', components: Sequence[int] = ()) -> halocline.arrays.GridArray:
        """
        As `zeros`, for a caller that overwrites all of it.

        >>> import halocline as hc
        >>> grid = hc.Grid((8, 6))
        >>> u = grid.empty('f4')
        >>> u.dtype, u.shape == grid.shape
        (dtype('float32'), True)
        """

    def array(self, values: numpy.typing.ArrayLike, scheme: str = 'auto', dtype: numpy.typing.DTypeLike | None = None) -> halocline.arrays.GridArray:
        """
        An array with these values in the cells that this rank owns: a number, an array of the whole
        grid (`cells`), of which each rank takes its part, or one of this rank's cells. Collective.

        >>> import halocline as hc, numpy as np
        >>> grid = hc.Grid((4, 3))
        >>> u = grid.array(np.arange(12.0).reshape(4, 3))
        >>> bool((u.owned == np.arange(12.0).reshape(4, 3)[grid.owned]).all())
        True
        """

    def __reduce_ex__(self, protocol: int) -> None: ...

    def __repr__(self) -> str: ...

class Exchange:
    """
    A pattern bound to arrays and to a scheme: set up once, run many times.

    Exchange(pattern, *arrays, to=None, scheme='auto', combine='replace', changes=False,
             capacity=0, in_place=False, comm=None)

    pattern   what is sent and received: grid.halo(), a Pattern; or a list of (pattern, arrays)
              or (pattern, arrays, to): several patterns with one message to a peer
    arrays    numpy arrays of any type, order and strides, or lists of them; all travel in the
              same messages. The pattern's axes come first; those that follow are the numbers of
              an element. Read-only ones are sent only. Or unbound(like): each step is given some
    to        arrays that are received in, where these are others
    scheme    how: schemes() has the names
    combine   'sum', 'min' or 'max': what arrives is combined with what is there; or a
              function of two arrays of numbers, those here and those that arrive, that returns
              a third (numpy.hypot): all ranks give the same
    changes   change() may replace the pattern; `capacity`: most elements expected on a link
    in_place  the caller reads halos by view() only, and overwrites what is sent only when a
              later exchange the other way has finished: a scheme may leave cells with the
              neighbour then ('+access=direct')
    comm      of mpi4py; by default that of the pattern's grid, or all ranks

    Between start() and finish() read everything that you own and write what is not sent, but
    do not touch halos. `with halos: inner(u)` is both around a block. All ranks of the
    communicator make and run exchanges in the same order, one thread at a time. Raises the same
    Error on all ranks if arrays do not fit or a send has no receive. The exchange keeps its arrays.

    >>> import halocline as hc
    >>> grid = hc.Grid((8,), periodic=True)
    >>> u = grid.array(range(8), dtype='f8')
    >>> halos = hc.Exchange(grid.halo(), u)
    >>> with halos:
    ...     inner = float(u.owned.sum())
    >>> float(u[0]) == (grid.owned[0].start - 1) % 8
    True
    """

    def __init__(self, pattern: object, *arrays, to: object | None = None, scheme: str = 'auto', combine: object = 'replace', changes: bool = False, capacity: int = 0, in_place: bool = False, comm: object | None = None) -> None: ...

    def __reduce_ex__(self, protocol: int) -> None: ...

    @overload
    def start(self) -> None:
        """
        Begin a step. The cells sent stay as they are until finish().

        >>> import halocline as hc
        >>> grid = hc.Grid((8,), periodic=True)
        >>> u = grid.array(range(8), dtype='f8')
        >>> halos = hc.Exchange(grid.halo(), u)
        >>> halos.start()
        >>> halos.finish()
        >>> float(u[0]) == (grid.owned[0].start - 1) % 8
        True
        """

    @overload
    def start(self, *arrays) -> None:
        """
        Of an exchange of unbound arrays: begin a step on these.

        >>> import halocline as hc
        >>> grid = hc.Grid((8,), periodic=True)
        >>> halos = hc.Exchange(grid.halo(), hc.unbound('f8'))
        >>> u = grid.array(range(8), dtype='f8')
        >>> halos.start(u)
        >>> halos.finish()
        """

    def finish(self) -> None:
        """
        Wait until the halos are this step's. Raises Timeout if a time limit is set and passes.

        >>> import halocline as hc
        >>> grid = hc.Grid((8,), periodic=True)
        >>> u = grid.array(range(8), dtype='f8')
        >>> halos = hc.Exchange(grid.halo(), u)
        >>> halos.start()
        >>> here = 6 * 7
        >>> halos.finish()
        >>> float(u[0]) == (grid.owned[0].start - 1) % 8
        True
        """

    @overload
    def run(self) -> None:
        """
        Both: start() and finish().

        >>> import halocline as hc
        >>> grid = hc.Grid((8,), periodic=True)
        >>> u = grid.array(range(8), dtype='f8')
        >>> halos = hc.Exchange(grid.halo(), u)
        >>> halos.run()
        >>> float(u[0]) == (grid.owned[0].start - 1) % 8
        True
        """

    @overload
    def run(self, *arrays) -> None:
        """
        Of an exchange of unbound arrays: a step on these, first those sent from. Raises Error on this
        rank if they are of another type or too small.

        >>> import halocline as hc
        >>> grid = hc.Grid((8,), periodic=True)
        >>> halos = hc.Exchange(grid.halo(), hc.unbound('f8'))
        >>> u = grid.array(range(8), dtype='f8')
        >>> halos.run(u)
        >>> float(u[0]) == (grid.owned[0].start - 1) % 8
        True
        """

    def __enter__(self) -> Self:
        """start()"""

    def __exit__(self, type: object | None, value: object | None, traceback: object | None) -> None:
        """
        finish(), unless an exception leaves the block: then the step is given up.
        """

    @property
    def scheme(self) -> str:
        """In use; of 'auto' what it has become."""

    def open(self, *arrays) -> None:
        """
        In place of start(): then say part by part what is ready. Schemes that can (p2p:partitioned)
        send each part at once, others send all with the last one. Arrays are those of unbound ones.

        >>> import halocline as hc
        >>> grid = hc.Grid((8,), periodic=True)
        >>> u = grid.zeros()
        >>> halos = hc.Exchange(grid.halo(), u)
        >>> halos.open()
        >>> for link, sent in enumerate(grid.halo().sends.values()):
        ...     halos.ready(link, 0, len(sent))
        >>> halos.finish()
        """

    def ready(self, link: int, first: int, count: int) -> None:
        """
        After open(): elements [first, first + count) of a link of pattern.sends, in message order, are as
        they are to be sent. Each once in a step. Several threads may call it if MPI gives
        MPI_THREAD_MULTIPLE.

        >>> import halocline as hc
        >>> grid = hc.Grid((8,), periodic=True)
        >>> u = grid.array(range(8), dtype='f8')
        >>> halos = hc.Exchange(grid.halo(), u)
        >>> halos.open()
        >>> for link, sent in enumerate(grid.halo().sends.values()):
        ...     for element in range(len(sent)):
        ...         halos.ready(link, element, 1)
        >>> halos.finish()
        """

    @property
    def direct(self) -> bool:
        """
        Whether halos are read in neighbours' memory: made with in_place=True, and by a scheme with
        'access=direct'.
        """

    def view(self, link: int, block: int = 0, field: int = 0) -> numpy.ndarray:
        """
        Where a block of a link of pattern.receives is read after finish(): a read-only array of planes,
        rows and elements, in the neighbour's memory if `direct`, else in the halo. Valid until the next
        start().

        >>> import halocline as hc
        >>> grid = hc.Grid((8,), periodic=True)
        >>> how = 'shm:signal+access=direct'
        >>> u = grid.array(range(8), how, 'f8')
        >>> halos = hc.Exchange(grid.halo(), u, scheme=how, in_place=True)
        >>> halos.run()
        >>> links = range(len(grid.halo().receives))
        >>> all(halos.view(link).shape == (1, 1, 1) for link in links)
        True
        """

    def fill_halos(self) -> None:
        """
        Copy what views find in neighbours' memory into the halos, between finish() and start(); nothing if
        not `direct`.

        >>> import halocline as hc
        >>> grid = hc.Grid((8,), periodic=True)
        >>> how = 'shm:signal+access=direct'
        >>> u = grid.array(range(8), how, 'f8')
        >>> halos = hc.Exchange(grid.halo(), u, scheme=how, in_place=True)
        >>> halos.run()
        >>> halos.fill_halos()
        >>> float(u[0]) == (grid.owned[0].start - 1) % 8
        True
        """

    def change(self, pattern: object, *arrays) -> None:
        """
        From the next step on exchange another pattern with the same peers, and other arrays if given.

        Local. Raises Error if the exchange was not made with changes=True, or does not know a peer.

        >>> import halocline as hc, numpy as np
        >>> x = np.arange(4.0)
        >>> one = hc.Pattern.from_indices({}, {}, copies=([0], [3]))
        >>> other = hc.Pattern.from_indices({}, {}, copies=([1], [3]))
        >>> exchange = hc.Exchange(one, x, changes=True)
        >>> exchange.change(other)
        >>> exchange.run()
        >>> float(x[3])
        1.0
        """

    @property
    def bytes_sent(self) -> int:
        """By this rank in a step."""

    @property
    def note(self) -> str:
        """Why memory is not of the kind that the scheme likes best; else empty."""

    def explain(self) -> str:
        """
        The scheme, what is sent, where the fields are, and what memory of the library would gain, in a
        few lines.

        >>> import halocline as hc
        >>> grid = hc.Grid((8,), periodic=True)
        >>> u = grid.array(range(8), dtype='f8')
        >>> halos = hc.Exchange(grid.halo(), u)
        >>> halos.explain().split(':')[0] == halos.scheme.split(':')[0]
        True
        """

    def measure(self, on: bool = True) -> None:
        """
        Keep `times`; off by default.

        >>> import halocline as hc
        >>> grid = hc.Grid((8,), periodic=True)
        >>> u = grid.array(range(8), dtype='f8')
        >>> halos = hc.Exchange(grid.halo(), u)
        >>> halos.measure()
        >>> halos.run()
        >>> sorted(halos.times)
        ['copy', 'pack', 'transfer', 'wait']
        """

    @property
    def times(self) -> dict[str, float]:
        """
        Seconds spent in the parts of all steps since measure() or reset_times().
        """

    def reset_times(self) -> None:
        """
        Begin `times` anew.

        >>> import halocline as hc
        >>> grid = hc.Grid((8,), periodic=True)
        >>> u = grid.array(range(8), dtype='f8')
        >>> halos = hc.Exchange(grid.halo(), u)
        >>> halos.measure()
        >>> halos.run()
        >>> halos.reset_times()
        >>> halos.times['wait']
        0.0
        """

    def __repr__(self) -> str: ...

class RaggedExchange:
    """
    Links that carry another number of elements in each step: the sender decides.

    RaggedExchange(targets, sources, dtype='f8', capacity=0, scheme='auto', comm=None)

    `targets` and `sources` are ranks, each of which may be named several times; negative ones
    exchange nothing. `capacity`: the most elements expected on a link; more are sent, too.
    Raises the same Error on all ranks unless each link has its other end.

    >>> import halocline as hc, numpy as np
    >>> me = hc.Grid((9,)).rank
    >>> ragged = hc.RaggedExchange([me], [me], 'i4')
    >>> ragged.run([np.arange(3, dtype='i4')])
    [array([0, 1, 2], dtype=int32)]
    """

    def __init__(self, targets: Sequence[int], sources: Sequence[int], dtype: object = 'f8', capacity: int = 0, scheme: str = 'auto', comm: object | None = None) -> None: ...

    def start(self) -> None:
        """
        Begin the step.

        >>> import halocline as hc, numpy as np
        >>> me = hc.Grid((9,)).rank
        >>> ragged = hc.RaggedExchange([me], [me], 'i4')
        >>> ragged.send(0, np.arange(3, dtype='i4'))
        >>> ragged.start()
        >>> ragged.finish()
        >>> ragged.received(0)
        array([0, 1, 2], dtype=int32)
        """

    def finish(self) -> None:
        """
        Wait until all has arrived.

        >>> import halocline as hc, numpy as np
        >>> me = hc.Grid((9,)).rank
        >>> ragged = hc.RaggedExchange([me], [me], 'i4')
        >>> ragged.send(0, np.arange(3, dtype='i4'))
        >>> ragged.start()
        >>> here = 6 * 7
        >>> ragged.finish()
        >>> ragged.received(0)
        array([0, 1, 2], dtype=int32)
        """

    @overload
    def run(self) -> None:
        """
        Both: start() and finish().

        >>> import halocline as hc, numpy as np
        >>> me = hc.Grid((9,)).rank
        >>> ragged = hc.RaggedExchange([me], [me], 'i4')
        >>> ragged.send(0, np.arange(3, dtype='i4'))
        >>> ragged.run()
        >>> ragged.received(0)
        array([0, 1, 2], dtype=int32)
        """

    @overload
    def run(self, elements: Sequence[numpy.ndarray]) -> list[numpy.ndarray]:
        """
        A step: send one array to each target, and return those of the sources.

        >>> import halocline as hc, numpy as np
        >>> me = hc.Grid((9,)).rank
        >>> ragged = hc.RaggedExchange([me], [me], 'i4')
        >>> ragged.run([np.ones(2, 'i4')])
        [array([1, 1], dtype=int32)]
        """

    def __enter__(self) -> Self:
        """start()"""

    def __exit__(self, type: object | None, value: object | None, traceback: object | None) -> None:
        """
        finish(), unless an exception leaves the block: then the step is given up.
        """

    @property
    def scheme(self) -> str:
        """In use; of 'auto' what it has become."""

    def send(self, link: int, elements: object) -> None:
        """
        Copy the elements that link `link` (of `targets`) is to carry in the next step: call it between
        finish() and start(). Every step begins with nothing to send.

        >>> import halocline as hc, numpy as np
        >>> me = hc.Grid((9,)).rank
        >>> ragged = hc.RaggedExchange([me], [me], 'i4')
        >>> ragged.send(0, np.arange(3, dtype='i4'))
        >>> with ragged:
        ...     pass
        >>> ragged.received(0)
        array([0, 1, 2], dtype=int32)
        """

    def received(self, link: int) -> numpy.ndarray:
        """
        A copy of what came on link `link` (of `sources`) in the last step.

        >>> import halocline as hc, numpy as np
        >>> me = hc.Grid((9,)).rank
        >>> ragged = hc.RaggedExchange([me], [me], 'i4')
        >>> _ = ragged.run([np.ones(2, 'i4')])
        >>> ragged.received(0)
        array([1, 1], dtype=int32)
        """

    def __reduce_ex__(self, protocol: int) -> None: ...

class GatherScatter:
    """
    Combine all copies of each node, and leave the result in all of them.

    GatherScatter(numbers, *arrays, combine='sum', most_direct=8, scheme='auto', comm=None)

    `numbers` are the global numbers of the nodes that the elements are copies of: integers from
    0 on, in an array whose axes are the first ones of each of the arrays. All copies get the
    same bits with every scheme. Nodes that more ranks than `most_direct` share take a second
    round. Raises the same Error on all ranks if a number is negative or an array does not fit.
    `combine`: 'sum', 'min', 'max', or a function as of an Exchange.

    >>> import halocline as hc, numpy as np
    >>> me = hc.Grid((9,)).rank
    >>> u = np.array([1.0, 2.0, 3.0])
    >>> hc.GatherScatter([3 * me, 3 * me + 1, 3 * me], u).run()
    >>> u
    array([4., 2., 4.])
    """

    def __init__(self, numbers: object, *arrays, combine: object = 'sum', most_direct: int = 8, scheme: str = 'auto', comm: object | None = None) -> None: ...

    @overload
    def start(self) -> None:
        """
        Begin a step.

        >>> import halocline as hc, numpy as np
        >>> me = hc.Grid((9,)).rank
        >>> u = np.array([1.0, 2.0])
        >>> sums = hc.GatherScatter([2 * me, 2 * me], u)
        >>> sums.start()
        >>> sums.finish()
        >>> u
        array([3., 3.])
        """

    @overload
    def start(self, *arrays) -> None:
        """
        Of one of unbound arrays: begin a step on these.

        >>> import halocline as hc, numpy as np
        >>> me = hc.Grid((9,)).rank
        >>> u = np.array([1.0, 2.0])
        >>> sums = hc.GatherScatter([2 * me, 2 * me], hc.unbound('f8'))
        >>> sums.start(u)
        >>> sums.finish()
        >>> u
        array([3., 3.])
        """

    def finish(self) -> None:
        """
        Wait until all copies are combined.

        >>> import halocline as hc, numpy as np
        >>> me = hc.Grid((9,)).rank
        >>> u = np.array([1.0, 2.0])
        >>> sums = hc.GatherScatter([2 * me, 2 * me], u)
        >>> sums.start()
        >>> here = 6 * 7
        >>> sums.finish()
        >>> u
        array([3., 3.])
        """

    @overload
    def run(self) -> None:
        """
        Both: start() and finish().

        >>> import halocline as hc, numpy as np
        >>> me = hc.Grid((9,)).rank
        >>> u = np.array([1.0, 2.0])
        >>> sums = hc.GatherScatter([2 * me, 2 * me], u)
        >>> sums.run()
        >>> u
        array([3., 3.])
        """

    @overload
    def run(self, *arrays) -> None:
        """
        Of one of unbound arrays: a step on these.

        >>> import halocline as hc, numpy as np
        >>> me = hc.Grid((9,)).rank
        >>> u = np.array([1.0, 2.0])
        >>> sums = hc.GatherScatter([2 * me, 2 * me], hc.unbound('f8'))
        >>> sums.run(u)
        >>> u
        array([3., 3.])
        """

    def __enter__(self) -> Self:
        """start()"""

    def __exit__(self, type: object | None, value: object | None, traceback: object | None) -> None:
        """
        finish(), unless an exception leaves the block: then the step is given up.
        """

    @property
    def scheme(self) -> str:
        """In use; of 'auto' what it has become."""

    @property
    def bytes_sent(self) -> int:
        """By this rank in a step."""

    def __reduce_ex__(self, protocol: int) -> None: ...

class AsyncExchange:
    """
    No rank waits: a halo holds the newest data that have arrived.

    AsyncExchange(pattern, dtype='f8', buffers=1, racy=False, scheme='p2p:nonblocking',
                  comm=None)

    Each rank calls send() and receive() as often as it likes. Arrays are of `dtype`, in C order.
    `buffers`: messages of a link under way. `racy`: a halo may hold cells of several
    iterations. async_schemes() has the schemes that can.

    >>> import halocline as hc
    >>> grid = hc.Grid((8,))
    >>> u = grid.zeros()
    >>> exchange = hc.AsyncExchange(grid.halo())
    >>> exchange.send(u, 1)
    >>> news = exchange.receive(u)
    >>> exchange.drain(u)
    """

    def __init__(self, pattern: object, dtype: object = 'f8', buffers: int = 1, racy: bool = False, scheme: str = 'p2p:nonblocking', comm: object | None = None) -> None: ...

    def send(self, cells: object, iteration: int) -> None:
        """
        Send this iteration's cells to every peer with a free buffer, and skip the others. Iterations
        count from 1.

        >>> import halocline as hc
        >>> grid = hc.Grid((8,))
        >>> u = grid.zeros()
        >>> exchange = hc.AsyncExchange(grid.halo())
        >>> u.owned[:] = 1
        >>> exchange.send(u, iteration=1)
        >>> exchange.drain(u)
        >>> bool((u.owned == 1).all())
        True
        """

    def receive(self, cells: object, twin: object | None = None) -> int:
        """
        Put the newest data of every peer that has news into the halo, also of `twin`; return how many
        had.

        >>> import halocline as hc
        >>> grid = hc.Grid((8,))
        >>> u = grid.zeros()
        >>> exchange = hc.AsyncExchange(grid.halo())
        >>> exchange.send(u, 1)
        >>> 0 <= exchange.receive(u) <= 2
        True
        >>> exchange.drain(u)
        """

    def drain(self, cells: object, twin: object | None = None) -> None:
        """
        Receive all that has been sent. Collective.

        >>> import halocline as hc
        >>> grid = hc.Grid((8,))
        >>> u = grid.zeros()
        >>> exchange = hc.AsyncExchange(grid.halo())
        >>> exchange.send(u, 1)
        >>> exchange.drain(u)
        """

    def iteration_of(self, link: int) -> int:
        """
        The iteration whose cells of receive link `link` the halo holds; 0 before any has come.

        >>> import halocline as hc
        >>> grid = hc.Grid((8,))
        >>> u = grid.zeros()
        >>> exchange = hc.AsyncExchange(grid.halo())
        >>> exchange.send(u, 7)
        >>> exchange.drain(u)
        >>> {exchange.iteration_of(link) for link in range(len(grid.halo().receives))} <= {7}
        True
        """

    @property
    def counts(self) -> dict[str, int]:
        """Messages of this rank so far: sent, skipped, received, superseded."""

    @property
    def scheme(self) -> str:
        """In use."""

    def __reduce_ex__(self, protocol: int) -> None: ...

def async_schemes(racy: bool = False) -> list[str]:
    """
    The schemes that can be asynchronous, or racy, with this MPI.

    >>> import halocline as hc
    >>> 'p2p:nonblocking' in hc.async_schemes()
    True
    """

class Section:
    """
    A part of the program's own step, whose time chooses the schemes of its exchanges.

    Section(*exchanges, comm=None)

    exchanges  made with scheme='auto+when=running', on all ranks in the same order
    comm       of mpi4py; by default that of the exchanges, or all ranks

    What the program does in a lap (`with step.lap():`) is one step of its own, with as many
    exchanges as it likes. Most laps use the best schemes known so far; now and then others make
    a few. Every lap is a real step: nothing is done twice, and the bytes are the same whatever is
    tried. All ranks make the same laps. An exchange without a section takes the time from one
    start to the next. Raises the same Error on all ranks if an exchange chooses nothing while it
    runs, or is in another section. A section keeps its exchanges.

    >>> import halocline as hc
    >>> grid = hc.Grid((8,), periodic=True)
    >>> u = grid.array(range(8), dtype='f8')
    >>> halos = hc.Exchange(grid.halo(), u, scheme='auto+when=running')
    >>> step = hc.Section(halos)
    >>> for _ in range(10):
    ...     with step.lap():
    ...         halos.run()
    >>> step.laps
    10
    >>> step.report().split(',')[0]
    'section: 10 laps'
    """

    def __init__(self, *exchanges, comm: object | None = None) -> None: ...

    def lap(self, work: float = 1.0) -> Self:
        """
        `with step.lap():` is one lap, from the beginning of the block to its end.

        `work`: how much it has to do, in any unit, on all ranks alike: what laps take is divided by
        it. Raises Error if a lap is under way, or a step of one of the exchanges, or if `work` is
        not above 0 and finite.

        >>> import halocline as hc
        >>> step = hc.Section()
        >>> for cells in (100, 300, 200):
        ...     with step.lap(cells):
        ...         total = sum(range(cells))
        >>> step.laps
        3
        """

    def __enter__(self) -> Self:
        """A lap begins."""

    def __exit__(self, type: object | None, value: object | None, traceback: object | None) -> None:
        """It ends, and counts, where an exception leaves the block, too."""

    def begin(self) -> None:
        """
        Begin a lap, where a block does not fit.

        >>> import halocline as hc
        >>> step = hc.Section()
        >>> step.begin()
        >>> total = sum(range(100))
        >>> step.end(work=100)
        >>> step.laps
        1
        """

    def end(self, work: float = 1.0) -> None:
        """
        End the lap that begin() has begun.

        It goes on where this raises Error, as for work that is not above 0 and finite.

        >>> import halocline as hc
        >>> step = hc.Section()
        >>> for _ in range(3):
        ...     step.begin()
        ...     step.end()
        >>> step.laps
        3
        """

    def choice(self, name: str, values: Sequence[int]) -> int:
        """
        Return which of `values` to use in this lap: a choice of the program's own, tried as
        schemes are.

        The first is in use until another has won. Call it before or within each lap, with the same
        values, on all ranks alike; it changes only where laps begin. Raises Error if there are none,
        or others than before.

        >>> import halocline as hc
        >>> step = hc.Section()
        >>> with step.lap():
        ...     depth = step.choice('depth', [1, 2, 4])
        >>> depth
        1
        """

    @property
    def decided(self) -> bool:
        """Whether nothing is left to try."""

    @property
    def laps(self) -> int:
        """How many laps have been made."""

    def report(self) -> str:
        """
        What was tried, for how many laps, what was chosen and by how much, and what trying cost, in
        lines of text.

        >>> import halocline as hc
        >>> step = hc.Section()
        >>> with step.lap():
        ...     total = sum(range(100))
        >>> step.report().split(',')[0]
        'section: 1 laps'
        """

    def findings(self) -> dict[str, Any]:
        """
        The same as data.

        The `laps`, the `seconds` that they took, what trying `cost` of these and
        `preparing` of this, whether all is `decided`, the number of `contests`, and
        `chosen`: for each exchange, or choice of the program's own, `what` it uses now, the
        `yardstick` that would be used had nothing been tried, how many `times` as long as
        with that a lap takes (a dict of `value`, `low`, `high` and `confidence`, or None:
        never timed), whether that `matters`, and what else was `tried`: `what`, for how
        many `laps`, `times` as long as with what is chosen, and `why` it is not tried, or
        not any more ('': it is).

        >>> import halocline as hc
        >>> step = hc.Section()
        >>> for _ in range(3):
        ...     with step.lap():
        ...         tile = step.choice('tile', [8, 16])
        >>> found = step.findings()
        >>> found['laps'], found['chosen'][0]['what']
        (3, 'tile=8')
        >>> [other['what'] for other in found['chosen'][0]['tried']]
        ['tile=16']
        """

    def __reduce_ex__(self, protocol: int) -> None: ...

def agreed(comm: object | None, step: object) -> object:
    """
    What step() returns; if it raises on one rank, all raise the same Error. Collective.
    """

def row_range(comm: object | None, rows: int) -> tuple:
    """
    (begin, end, all) of this rank's rows among those of all ranks. Collective.
    """

def ghost_pattern(comm: object | None, rows: int, ghosts: Sequence[int]) -> Pattern:
    """
    The pattern of `rows` elements of this rank followed by those of columns `ghosts`.
    """

def time_limit() -> float | None:
    """
    Seconds that a wait may last without progress before it raises Timeout; None: no limit.

    >>> import halocline as hc
    >>> hc.time_limit() is None
    True
    """

def set_time_limit(seconds: float | None) -> None:
    """
    Let a wait without progress raise Timeout after so many seconds; None: never, which is so
    unless HALOCLINE_TIMEOUT says otherwise.

    >>> import halocline as hc
    >>> hc.set_time_limit(60)
    >>> hc.time_limit()
    60.0
    >>> hc.set_time_limit(None)
    """

def library_version() -> str:
    """
    Of the library that runs, such as '0.2.0'.

    >>> import halocline as hc
    >>> hc.library_version() == hc.__version__
    True
    """
