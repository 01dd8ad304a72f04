"""When do fence and PSCW win? Measure it here, predict it elsewhere, write the page.

    ./dev build halometer halosim
    .venv/bin/python bench/studies/fence_pscw.py

measures for some five minutes on two ranks of a machine that is otherwise idle, writes a file into
docs/measured/studies, and the tables and figures of docs/explanation/when-fence-and-pscw-win.md
from all files there. `page` alone draws anew what is there.
"""

from study import Study, main

STUDY = Study(
    name="fence-pscw",
    page="docs/explanation/when-fence-and-pscw-win.md",
    sides={
        "fence": (
            "rma:put:fence", "rma:put:fence+asserts=on", "rma:put:fence+pack=off", "rma:get:fence",
        ),
        "PSCW": ("rma:put:pscw", "rma:put:pscw+pack=off", "rma:get:pscw"),
        "passive": (
            "rma:put:lock", "rma:put:flush", "rma:put:flush+pack=off",
            "rma:put:flush+notify=flag", "rma:get:flush",
        ),
        "messages": ("p2p:nonblocking", "p2p:persistent"),
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
