"""spmv beside spmv and memory: powers beside products, ranks beside one, modes beside no exchange.

In every round each of these runs once, in an order drawn anew; a launch's time of a product is the
median of its repetitions but the first. Printed are medians over the rounds, and of ratios of a
round the median with its 95 % interval (from six rounds on; the range of fewer):

powers  the time of eight products over that of `--power 8`, for each way to share the cores
ranks   how much faster two ranks are than one, and two copies of spmv at the same time, each with
        half of the matrix on a core of its own (all that two cores can do without an exchange);
        and how much faster triads are, which each launch measures beside its products
limits  which share a product has of the bytes a second of a triad, and of loops that only read what
        it reads, both measured in the same launch
modes   the time of two ranks in each mode, with 64 x 64 x 64 points each, over that of two copies
        with one rank's part each, by as many threads: what of an exchange is not hidden

    ./dev build spmv
    python3 bench/peers/spmv_beside_itself.py powers --matrices 7pt:160,160,160
"""

import os
import random
from statistics import median

from intervals import said
from spmv_runs import Launch, common_options, seconds


def launch(wish, matrix, ranks, threads, *options, core=None):
    """Begin one."""
    words = [
        "--generate", matrix, "--format", wish.format, "--repetitions", wish.repetitions, *options,
    ]  # fmt: skip
    return Launch(wish.build, ranks, threads, words, core)


def end(launched):
    """Seconds of a repetition, and what a triad has moved in one, in bytes a second."""
    result = launched.end()
    return seconds(result), median(result["result"].get("triad_bytes_s", [0, 0])[1:])


def alone(wish, *arguments):
    """One launch: seconds and triad."""
    return end(launch(wish, *arguments))


def copies(wish, matrix, *options, threads=1):
    """Two at the same time: seconds of the slower one, and both triads together."""
    cores = sorted(os.sched_getaffinity(0))[:2]
    both = [launch(wish, matrix, 1, threads, *options, core=core) for core in cores]
    ends = [end(one) for one in both]
    return max(taken for taken, _ in ends), sum(triad for _, triad in ends)


def in_turn(wish, runs):
    """What each run gave in each round."""
    given = {name: [] for name in runs}
    for _ in range(wish.rounds):
        for name in random.sample(list(runs), len(runs)):
            given[name].append(runs[name]())
    return given


def ratios(above, below, which=0):
    """Return the ratio of each round."""
    return [a[which] / b[which] for a, b in zip(above, below, strict=True)]


def milliseconds(samples, products):
    """Return the milliseconds of a product, as text."""
    return f"{1e3 * median(taken for taken, _ in samples) / products:.2f}"


def powers(wish):
    """Print the table of powers."""
    print(
        "| matrix | ranks x threads | a product, ms | of A^8 x, ms | ratio |\n|---|---|---|---|---|"
    )
    for matrix in wish.matrices or ["7pt:160,160,160", "7pt:200,200,200"]:
        for ranks, threads in ((1, 1), (1, 2), (2, 1)):
            way = (wish, matrix, ranks, threads)
            given = in_turn(wish, {
                "products": lambda way=way: alone(
                    *way, "--products", "8", "--scheme", "shm:signal+access=direct"),
                "power": lambda way=way: alone(
                    *way, "--power", "8", "--products", "1", "--scheme", "shm:signal"),
            })  # fmt: skip
            of = {name: milliseconds(samples, 8) for name, samples in given.items()}
            ratio = said(ratios(given["products"], given["power"]))
            print(
                f"| {matrix} | {ranks} x {threads} | {of['products']} | {of['power']} | {ratio} |",
                flush=True,
            )


def ranks(wish):
    """Print the table of ranks."""
    print(
        "| matrix | 1 rank, ms | 2 ranks, ms | 1 / 2 | two copies: 1 / 2 | triads: 2 / 1 | "
        "of copies: 2 / 1 |\n|---|---|---|---|---|---|---|"
    )
    options = ("--products", "8", "--bandwidth", "--scheme", "shm:signal+access=direct")
    for matrix in wish.matrices or ["7pt:200,200,200"]:
        grid, _, extents = matrix.partition(":")
        *others, last = extents.split(",")
        half = f"{grid}:{','.join([*others, str(int(last) // 2)])}"
        given = in_turn(wish, {
            "1": lambda matrix=matrix: alone(wish, matrix, 1, 1, *options),
            "2": lambda matrix=matrix: alone(wish, matrix, 2, 1, *options),
            "copies": lambda half=half: copies(wish, half, *options),
        })  # fmt: skip
        cells = [milliseconds(given[name], 8) for name in ("1", "2")]
        cells += [said(ratios(given["1"], given[name])) for name in ("2", "copies")]
        cells += [said(ratios(given[name], given["1"], 1)) for name in ("2", "copies")]
        print(f"| {matrix} | {' | '.join(cells)} |", flush=True)


def limits(wish):
    """Print the table of what memory allows."""
    print(
        "| matrix | ranks x threads | GF/s | triad, GB/s | share "
        "| reading the same, GB/s | share |\n"
        "|---|---|---|---|---|---|---|"
    )
    options = ("--products", "8", "--bandwidth", "--scheme", "shm:signal+access=direct")
    for matrix in wish.matrices or ["7pt:200,200,200"]:

        def measure(ranks, threads, matrix=matrix):
            content = launch(wish, matrix, ranks, threads, *options).end()
            result = content["result"]
            product = seconds(content) / 8
            moved = 1e-9 * result["bytes"] / product
            flops = 2e-9 * content["parameters"]["entries"] / product
            limit = (1e-9 * median(result[of][1:]) for of in ("triad_bytes_s", "reading_bytes_s"))
            return flops, *(value for most in limit for value in (most, moved / most))

        given = in_turn(wish, {
            (ranks, threads): lambda ranks=ranks, threads=threads: measure(ranks, threads)
            for ranks, threads in ((1, 1), (1, 2), (2, 1))
        })  # fmt: skip
        for (ranks, threads), samples in given.items():
            flops, *rest = zip(*samples, strict=True)
            cells = [said(flops), *(said(of, 1 + k % 2) for k, of in enumerate(rest))]
            print(f"| {matrix} | {ranks} x {threads} | {' | '.join(cells)} |", flush=True)


def modes(wish):
    """Print the table of modes."""
    print(
        "| mode | scheme | threads of a rank | 2 ranks, ms | two copies, ms | ratio |\n"
        "|---|---|---|---|---|---|"
    )
    whole, part, products = "7pt:64,64,128", "7pt:64,64,64", 40
    for mode, threads in (("vector", 1), ("naive", 1), ("vector", 2), ("task", 2)):
        for scheme in wish.schemes:
            options = ("--mode", mode, "--scheme", scheme, "--products", str(products))
            given = in_turn(wish, {
                "2": lambda options=options, threads=threads: alone(
                    wish, whole, 2, threads, *options),
                "copies": lambda options=options, threads=threads: copies(
                    wish, part, *options, threads=threads),
            })  # fmt: skip
            of = {name: milliseconds(samples, products) for name, samples in given.items()}
            ratio = said(ratios(given["2"], given["copies"]))
            print(
                f"| {mode} | {scheme} | {threads} | {of['2']} | {of['copies']} | {ratio} |",
                flush=True,
            )


def main():
    """Measure, and print a table."""
    tables = {table.__name__: table for table in (powers, ranks, limits, modes)}
    parser = common_options(__doc__, repetitions=5)
    parser.add_argument("table", choices=tables)
    parser.add_argument("--matrices", nargs="*", metavar="M")
    parser.add_argument("--format", default="sell")
    parser.add_argument(
        "--schemes", nargs="*", default=["shm:signal+access=direct", "p2p:nonblocking"]
    )
    wish = parser.parse_args()
    tables[wish.table](wish)


if __name__ == "__main__":
    main()
