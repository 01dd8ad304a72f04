"""What programs say of a step (`--describe-step`), beside what their ranks do in a trace."""

import os
from collections import Counter

import pytest

from halocline.launch import ask, find_program, has, launcher_of, process
from halocline.traces.file import Trace
from halocline.traces.waits import Analysis

CASES = {
    "heat": ("heat", "--points", "20", "--steps", "6"),
    "heat, idle ranks": ("heat", "--points", "1", "--steps", "6"),
    "laplace": ("laplace", "--grid", "12,11,10", "--max-iterations", "8", "--depth", "1"),
    "laplace per rank": ("laplace", "--per-rank", "6,5,4", "--max-iterations", "8", "--depth", "1"),
    "laplace, deep": ("laplace", "--grid", "24,25,26", "--max-iterations", "8", "--depth", "2"),
    "laplace, as deep as it likes": ("laplace", "--grid", "40,40,40", "--max-iterations", "12"),
    "partdiff": ("partdiff", "1", "2", "4", "1", "2", "8", "--halo-depth", "1"),
    "partdiff, blocks": (
        "partdiff", "1", "2", "4", "1", "2", "8", "--halo-depth", "2", "--decomposition", "blocks",
    ),
    "partdiff, deep": ("partdiff", "1", "2", "9", "1", "2", "16"),
    "gauss-seidel": ("partdiff", "1", "1", "4", "1", "2", "8", "--halo-depth", "1"),
    "matmul": ("matmul", "--shape", "60,70,80"),
    "matmul, narrow panels": ("matmul", "--shape", "60,70,81", "--panel", "7"),
    "matmul, rows": ("matmul", "--shape", "41,50,60", "--cut", "2,1,1"),
    "matmul, layers": ("matmul", "--shape", "16,16,5000"),
    "matmul, a vector": ("matmul", "--shape", "400,1,90"),
    "cannon": ("matmul", "--shape", "60,70,80", "--algorithm", "cannon"),
    "cannon, layers": (
        "matmul", "--shape", "6,7,9", "--algorithm", "cannon", "--cut", "1,1,2", "--panel", "4",
    ),
    "summa": ("matmul", "--shape", "60,70,80", "--algorithm", "summa"),
    "spmv": ("spmv", "--generate", "7pt:9,8,7", "--products", "4"),
    "spmv, rows": ("spmv", "--generate", "7pt:9,8,7", "--products", "4", "--partition", "rows"),
    "spmv, meanwhile": ("spmv", "--generate", "27pt:6,6,9", "--products", "4", "--mode", "naive"),
    "spmv, reordered": ("spmv", "--generate", "7pt:9,8,7", "--products", "4", "--reorder", "rcm"),
    "conjugate gradients": (
        "spmv", "--generate", "7pt:9,8,7", "--solve", "cg", "--preconditioner", "jacobi",
    ),
    "replicate": ("replicate", "--elements", "500", "--copies", "island", "--island", "1"),
    "replicate, blocks": ("replicate", "--elements", "5001", "--copies", "island", "--island", "1"),
    "replicate, islands": (
        "replicate", "--elements", "5001", "--copies", "island", "--island", "2",
    ),
    "gauss-seidel, deep": ("partdiff", "1", "1", "27", "1", "2", "16"),
}  # fmt: skip


def described(program, arguments, ranks):
    words = [*arguments, "--describe-step", "--ranks", str(ranks)]
    return ask(find_program(program), words, has("patterns", "parts", "messages"), 60)


def traced(program, arguments, ranks, file):
    path = find_program(program)
    launcher = launcher_of(path, None)
    finished = process.run(
        launcher.command(ranks, path, [*arguments, "--trace", str(file)]),
        launcher.environment(ranks), 120,
    )  # fmt: skip
    assert finished.ok, finished.last_words(3)
    return Trace.load(file)


def on_ranks(cases):
    """Return each case with a number of ranks; with all numbers in the soak, else in turn."""
    numbers = 2, 3, 5
    if "HALOCLINE_SOAK" in os.environ:
        return [(case, ranks) for case in cases for ranks in numbers]
    return [(case, numbers[at % 3]) for at, case in enumerate(cases)]


@pytest.mark.parametrize(("name", "ranks"), on_ranks(CASES))
def test_a_step_sends_what_its_description_says(name, ranks, tmp_path):
    program, *arguments = CASES[name]
    step = described(program, arguments, ranks)
    expected = {
        rank: (row["messages"], row["bytes"]) for row in step["messages"] for rank in row["ranks"]
    }
    assert sorted(expected) == list(range(ranks))
    trace = traced(program, arguments, ranks, tmp_path / "trace")
    analysis = Analysis(trace)
    messages, sent = Counter(), Counter()
    for rank in trace.ranks:
        exchanges = {one.number: one for one in rank.exchanges}
        for number, _ in analysis.steps[rank.rank]:
            if number not in exchanges:
                continue  # what ranks do outside of exchanges
            sends = exchanges[number].sends
            messages[rank.rank] += len(sends)
            sent[rank.rank] += sum(sends.values())
    # How many steps there were is known from a rank that sends.
    busy = next((rank for rank, (count, _) in expected.items() if count), None)
    times = messages[busy] / expected[busy][0] if busy is not None else 1
    assert times == int(times)
    assert busy is None or times >= 1
    for rank, (count, size) in expected.items():
        assert (messages[rank], sent[rank]) == (times * count, times * size), rank


MD = ("--size", "5", "--steps", "16", "--dt", "0.0001")
"""So short that lists are built at first alone."""


@pytest.mark.parametrize(
    ("more", "ranks"),
    on_ranks([
        (), ("--shell", "half"), ("--shell", "eighth"), ("--scenario", "drop", "--overlap", "off"),
        ("--shell", "half", "--walls", "xz", "--ranks-grid", "RANKS,1,1"),
    ]),
)  # fmt: skip
def test_md_sends_the_ghosts_that_its_description_says(more, ranks, tmp_path):
    words = [*MD, *(word.replace("RANKS", str(ranks)) for word in more)]
    step = described("md", words, ranks)
    assert step["iterations"] == (1 if "off" in more else 16)
    trace = traced(
        "md", [*words, "--migration-scheme", "p2p:persistent"], ranks, tmp_path / "trace"
    )
    steps = Analysis(trace).steps
    for rank in trace.ranks:
        # Whoever builds lists first takes forces once more.
        found = [one for one in rank.exchanges if one.what == "p2p:nonblocking"]
        assert len(found) == len(step["patterns"])
        for pattern, exchange in zip(step["patterns"].values(), found):
            back = pattern["exchange"] == "reversed"
            links = [(to, sender, size) if back else (sender, to, size)
                     for sender, to, size in pattern["links"]]  # fmt: skip
            assert exchange.sends == {to: size for one, to, size in links if one == rank.rank}
            count = sum(number == exchange.number for number, _ in steps[rank.rank])
            assert count == 16 + back


def test_a_step_is_described_for_ranks_that_are_not_there():
    step = described("laplace", ["--per-rank", "50,50,50", "--depth", "1"], 1000)
    assert sum(len(row["ranks"]) for row in step["messages"]) == 1000
    assert max(row["messages"] for row in step["messages"]) == 6
    assert {row["bytes"] for row in step["messages"] if row["messages"] == 6} == {6 * 50 * 50 * 8}
    assert step["iterations"] == 1


def test_what_has_no_step_says_so_in_a_line():
    for words in (["--matrix", "x.mtx"], ["--grid", "4,4,4", "--mode", "async"]):
        said = process.run([str(find_program("laplace")), *words, "--describe-step"], None, 60)
        assert not said.ok
        assert "--describe-step" in said.last_words(1)
    said = process.run([str(find_program("heat")), "--ranks", "3"], None, 60)
    assert "--ranks: is for --describe-step" in said.last_words(1)
