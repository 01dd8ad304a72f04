"""When do neighbourhood collectives win? Measure it here, predict it elsewhere, write the page.

    ./dev build halometer halosim
    .venv/bin/python bench/studies/neighborhoods.py

measures for some five minutes on two ranks of a machine that is otherwise idle, writes a file into
docs/measured/studies, and the tables and figures of
docs/explanation/when-neighbourhood-collectives-win.md from all files there. `page` alone draws anew
what is there. `measure --env MPIR_CVAR_INEIGHBOR_ALLTOALLW_INTRA_ALGORITHM=tsp_linear` takes
another algorithm of MPICH's.
"""

from study import Study, main


def packed_or_not(method):
    """Through message buffers, and by MPI datatypes on the fields."""
    return (method, f"{method}+pack=off")


WAYS = ("blocking", "nonblocking", "persistent")
COLLECTIVE = {way: packed_or_not(f"neighbor:{way}") for way in WAYS}
MESSAGES = {
    "blocking": packed_or_not("p2p:sendrecv"),
    "nonblocking": packed_or_not("p2p:nonblocking"),
    "persistent": packed_or_not("p2p:persistent"),
}

STUDY = Study(
    name="neighborhoods",
    page="docs/explanation/when-neighbourhood-collectives-win.md",
    sides={
        **{f"neighbor {way}": schemes for way, schemes in COLLECTIVE.items()},
        **{f"p2p {way}": schemes for way, schemes in MESSAGES.items()},
        "any neighbor": tuple(one for schemes in COLLECTIVE.values() for one in schemes),
        "any p2p": tuple(one for schemes in MESSAGES.values() for one in schemes),
        "shm": ("shm:signal", "shm:message"),
    },
    comparisons=(
        *((f"neighbor {way}", f"p2p {way}") for way in WAYS),
        ("neighbor persistent", "neighbor nonblocking"),
        ("any neighbor", "any p2p"),
        ("any neighbor", "shm"),
    ),
)  # fmt: skip

if __name__ == "__main__":
    main(STUDY, __doc__)
