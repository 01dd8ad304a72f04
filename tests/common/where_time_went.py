"""Print where the time of `./dev test` went: its parts, and its slowest tests.

where_time_went.py FOLDER: FOLDER/parts/N has the `title` of a part, the seconds `from` and `to`
which it ran, and what the shell's `times` says of it; FOLDER/*.xml are JUnit files.
"""

import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree


def processor_seconds(times):
    """Return the sum of what `times` prints: user and system, of the shell and its processes."""
    return sum(60 * int(m) + float(s) for m, s in re.findall(r"(\d+)m([\d.]+)s", times))


def parts(folder):
    """Return title, processor seconds and wall seconds of each part, in order."""
    found = []
    for part in sorted((folder / "parts").iterdir()):
        title, start, end, times = (
            (part / name).read_text().strip() for name in ("title", "from", "to", "times")
        )
        found.append((title, processor_seconds(times), int(end) - int(start)))
    return found


def slowest(folder, count=20):
    """Return wall seconds and name of the slowest tests of all parts."""
    tests = []
    for file in folder.glob("*.xml"):
        for case in ElementTree.parse(file).iter("testcase"):
            of = case.get("classname", "")
            name = case.get("name", "")
            full = name if of in ("", name) else f"{of}.{name}"
            tests.append((float(case.get("time") or 0), f"{full} ({file.stem})"))
    return sorted(tests, reverse=True)[:count]


def clock(seconds):
    """Return seconds as minutes and seconds."""
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes:3d} min {seconds:2d} s"


def main():
    """Print both lists."""
    folder = pathlib.Path(sys.argv[1])
    print("the slowest tests:")
    for seconds, name in slowest(folder):
        print(f"  {seconds:7.1f} s  {name}")
    found = parts(folder)
    print("processor time, wall time, part:")
    for title, processor, wall in found:
        print(f"  {clock(processor)}  {clock(wall)}  {title}")
    print(f"  {clock(sum(processor for _, processor, _ in found))}  {'':12}  together")


if __name__ == "__main__":
    main()
