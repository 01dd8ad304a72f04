"""When do fence and PSCW win? Measure it here, predict it elsewhere, write the page.

    ./dev build halometer halosim
    .venv/bin/python bench/studies/fence_pscw.py

measures for some five minutes on two ranks of a machine that is otherwise idle, writes a file into
docs/measured/studies, and the tables and figures of docs/explanation/when-fence-and-pscw-win.md
from all files there. `page` alone draws anew what is there.
"""

from study import Study, main

RMA = "rma:{0}:{1}"


def active(synchronisation):
    """What ends an epoch on both sides: packed, with assertions, in place, and got."""
    put, get = RMA.format("put", synchronisation), RMA.format("get", synchronisation)
    return (put, f"{put}+asserts=on", f"{put}+pack=off", get)


STUDY = Study(
    name="fence-pscw",
    page="docs/explanation/when-fence-and-pscw-win.md",
    sides={
        "fence": active("fence"),
        "PSCW": active("pscw"),
        "passive": (
            "rma:put:lock", "rma:put:flush", "rma:put:flush+pack=off",
            "rma:put:flush+notify=flag", "rma:get:flush",
        ),
        "messages": ("p2p:nonblocking", "p2p:persistent", "p2p:nonblocking+pack=off"),
        "shm fence": ("shm:fence",),
        "shm PSCW": ("shm:pscw",),
        "shm message": ("shm:message",),
        "shm signal": ("shm:signal",),
    },
    comparisons=(
        ("fence", "passive"), ("PSCW", "passive"), ("fence", "PSCW"), ("fence", "messages"),
        ("PSCW", "messages"), ("shm fence", "shm message"), ("shm PSCW", "shm message"),
    ),
    synchronisation=(
        "barrier", "message", "signal", "fence", "fence+asserts=on", "flush-all-barrier", "pscw",
        "pscw+asserts=on", "lock", "flush",
    ),
)  # fmt: skip

if __name__ == "__main__":
    main(STUDY, __doc__)
