"""The recorder on programs that do what few do.

They end in all ways, have threads, handlers and children, and call MPI more often, and more
variously, than there is room for.
"""

import json
import re
import shutil
import subprocess
import sys
import textwrap
from importlib.util import find_spec
from pathlib import Path

import pytest
import recordings
from commands import needs
from programs import PROGRAMS, SOAK, launch

PRELOAD, _, _, EDGES, WRAPPED, WITH_TOOL = PROGRAMS
FOLDER = "run.recording"


def run(*arguments, ranks=2, program=EDGES):
    """Run with the recorder: what was said, and the recordings there are, each complete."""
    done = launch(PRELOAD, "--output", FOLDER, program, *arguments, ranks=ranks)
    return done, recordings.read_all(FOLDER)


def finished(*arguments, **options):
    done, found = run(*arguments, **options)
    assert done.returncode == 0, done.stderr
    assert "done" in done.stdout
    for rank, recording in found.items():
        assert recording.head["how"] == "finalized", rank
        check_sums(recording)
    assert len(found) == options.get("ranks", 2)
    return done, found


def check_sums(recording):
    called = sum(call["times"] for call in recording.lines["call"])
    assert called == recording.head["calls"]
    if not recording.head["left_out"].get("sequence"):
        listed = sum(1 for thread in recording.sequences for _ in recording.called(thread))
        assert listed == called


def rings(recording):
    """Count the exchanges."""
    functions = recording.functions()
    assert functions["MPI_Irecv"] == functions["MPI_Isend"] == functions["MPI_Waitall"], functions
    return functions["MPI_Waitall"]


@pytest.mark.parametrize(
    "end, how", [("abort", "aborted"), ("segv", "signal 11"), ("term", "signal 15")]
)
def test_a_program_that_ends_early_is_recorded(end, how):
    done, found = run(end)
    assert done.returncode != 0, end
    assert found[1].head["how"] == how
    check_sums(found[1])
    assert found[0].head["how"] in ("aborted", "signal 15")
    for recording in found.values():
        assert rings(recording) == 20


def test_a_program_that_never_finalises_is_recorded():
    """On one rank: launchers kill the others as soon as one has ended so."""
    _, found = run("exit", ranks=1)
    assert found[0].head["how"] == "exited"
    assert rings(found[0]) == 20
    check_sums(found[0])


def test_a_rank_that_is_killed_leaves_no_half_of_a_file():
    done, found = run("kill")
    assert done.returncode != 0
    assert 1 not in found
    assert all(rings(recording) == 20 for recording in found.values())
    names = [path.name for path in Path(FOLDER).iterdir()]
    assert all(name == "run.json" or name.startswith("rank-") for name in names), names


def test_what_a_program_stood_in_is_told():
    done, found = run("stuck")
    assert done.returncode != 0
    ended = {recording.head["how"] for recording in found.values()}
    assert ended <= {"signal 14", "aborted", "signal 15"} and "signal 14" in ended
    (first,), (second,) = found[0].lines["last"], found[1].lines["last"]
    assert first["last"] == "MPI_Waitall" and "peer" not in first
    assert second["last"] == "MPI_Recv" and (second["peer"], second["tag"]) == (0, 7)
    for rank, last in ((0, first), (1, second)):
        head = found[rank].head
        assert 0.5 < head["end"] - last["since"] <= head["in_mpi"] < head["end"] - head["begin"]
        assert last["site"] in {site["site"] for site in found[rank].lines["site"]}
    pending = {(one["pending"], one["peer"], one["tag"]) for one in found[0].lines["pending"]}
    assert ("receive", 1, 9) in pending and not found[1].lines["pending"]


def apart():
    """Return the folders of other programs of the launch, in order of their names."""
    return sorted(path for path in Path(FOLDER).iterdir() if path.is_dir())


def script(name, *lines):
    Path(name).write_text("#!/bin/sh\n" + "\n".join(lines) + "\n")
    Path(name).chmod(0o755)
    return f"./{name}"


ALONE = (
    "for v in $(env | sed -n 's/^\\(\\(PMI\\|OMPI\\|PRTE\\)[^=]*\\)=.*/\\1/p'); do unset $v; done"
)
"""What makes the programs that follow have a world of their own each."""


def test_two_programs_behind_one_launch_are_kept_apart():
    both = script("both.sh", f"{EDGES} rings 3", ALONE, f"{EDGES} rings 5")
    done, found = run(program=both)
    assert done.returncode == 0, done.stderr
    others = [recordings.read_all(folder) for folder in apart()]
    assert [rings(one) for one in found.values()] == [3, 3]
    assert [[rings(one) for one in other.values()] for other in others] == [[5], [5]]
    heads = [one.head for one in (found[0], found[1], *(other[0] for other in others))]
    assert len({head["run"] for head in heads}) == 3
    assert not any("named" in head for head in heads)
    # A later launch takes the folder, and leaves what is not its own.
    _, found = finished("rings", 4, ranks=1)
    assert rings(found[0]) == 4 and found[0].head["named"] and len(apart()) == 2


def test_what_a_program_starts_is_kept_apart():
    finished("rings", 3)
    helper = script("helper.sh", "export HALOCLINE_RECORDING_WITHIN=1", f"exec {EDGES} rings 5")
    done = launch(PRELOAD, "--output", FOLDER, helper, ranks=2)
    assert done.returncode == 0, done.stderr
    (folder,) = apart()
    assert [rings(one) for one in recordings.read_all(folder).values()] == [5, 5]
    assert [rings(one) for one in recordings.read_all(FOLDER).values()] == [3, 3]


def test_another_tool_sees_all_too():
    done, found = finished("rings", 6, program=WITH_TOOL)
    assert done.stdout.count("tool: 6 6") == 2
    assert all(rings(recording) == 6 for recording in found.values())
    places = [frame[0] for site in found[0].lines["site"] for frame in site["frames"][:1]]
    assert places and not any("recorder_tool" in place for place in places)


def test_mpi_by_the_handle_of_its_library():
    _, found = finished("handle", 9)
    assert all(recording.functions()["MPI_Sendrecv"] == 9 for recording in found.values())


def test_limits_of_memory_make_a_recording_smaller():
    """Down to a size at which the program itself ends: never a crash of the recorder's."""

    def limited(kib, *command):
        small = script("small.sh", f"ulimit -v {kib}", 'exec "$@"')
        return launch(small, *command, ranks=2)

    for kib in (40_000, 60_000, 70_000, 100_000, 150_000):
        if limited(kib, EDGES, "rings", 3).returncode != 0:
            continue
        done = limited(kib, PRELOAD, "--output", FOLDER, EDGES, "rings", 3)
        assert done.returncode == 0, (kib, done.stderr)
        said = [line for line in done.stderr.splitlines() if "ulimit -v" in line]
        assert len(said) == 1, (kib, done.stderr)
        for recording in recordings.read_all(FOLDER).values():
            assert rings(recording) == 3 and recording.head["smaller"] > 1
            check_sums(recording)


def test_calls_that_mpi_refuses():
    _, found = finished("refused")
    for recording in found.values():
        functions = recording.functions()
        assert functions["MPI_Waitall"] == 6
        sent = sum(
            shape["times"]
            for shape in recording.shapes.values()
            for link in shape["links"]
            if link["kind"] == "send"
        )
        assert sent == 6, "what was refused is no message"


def test_a_message_that_is_too_long():
    _, found = finished("truncated")
    assert all(recording.functions()["MPI_Waitall"] == 3 for recording in found.values())


def test_distributed_arrays_are_blocks():
    done, found = finished("arrays", ranks=1)
    lines = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("array ")]
    told = {tuple(map(int, numbers)) for numbers in lines if 0 < len(numbers) <= 60}
    recorded = set()
    for layout in found[0].layouts.values():
        if layout["type"].startswith("darray"):
            assert layout.get("blocks", 1) >= 1
            blocks = layout.get("offsets", [[0, layout["bytes"]]])
            recorded.add(tuple(at // 4 + one for at, size in blocks for one in range(size // 4)))
    assert len(told) > 50 and told <= recorded


def test_what_sends_and_receives_in_one_call():
    _, found = finished("both", ranks=1)
    if not found[0].functions()["MPI_Isendrecv"]:
        pytest.skip("this MPI is older")
    (shape,) = found[0].shapes.values()
    bytes_of = {link["kind"]: link["bytes"] for link in shape["links"]}
    assert bytes_of["send"] == 40
    # MPICH does not say how much has come.
    assert bytes_of["receive"] == (40 if found[0].head["interface"] == "openmpi" else 80)


def received(recording, tag):
    """Return the messages received with this tag by their numbers."""
    lines = [line for line in recording.lines["message"] if line["tag"] == tag]
    found = {line["number"]: line for line in lines if line["message"] == "received"}
    sent = {line["number"] for line in lines if line["message"] == "sent"}
    assert sent == found.keys()
    return found


def test_messages_are_numbered_as_they_are_matched():
    """By the order of posting, in whatever order they are complete."""
    _, found = finished("wildcards")
    for recording in found.values():
        crossed = received(recording, 1)
        assert sorted(crossed) == [0, 1, 2]
        posted = [crossed[number]["posted"] for number in range(3)]
        done = [crossed[number]["done"] for number in range(3)]
        assert posted == sorted(posted) and done == sorted(done, reverse=True)
        assert list(received(recording, 2)) == [0], "one receive was taken back"
        probed = received(recording, 3)
        assert probed[0]["done"] > probed[1]["done"], "the probe met the first"


def test_keys_are_the_same_whatever_else_ranks_make():
    _, found = finished("lopsided", 60)
    keys = [
        {comm["key"] for comm in recording.comms.values() if comm["key"].startswith("0/")}
        for recording in found.values()
    ]
    assert keys[0] == keys[1] and len(keys[0]) == 16
    met = [
        {(line["meeting"], line["number"]) for line in recording.lines["meeting"]}
        for recording in found.values()
    ]
    assert met[0] == met[1] and met[0]
    sides = [
        {(line["message"], line["comm"], line["number"]) for line in recording.lines["message"]}
        for recording in found.values()
    ]
    assert sides[0] == sides[1] and sides[0]


def test_more_communicators_than_there_is_room_for():
    _, found = finished("chain", 5000, ranks=1)
    assert found[0].head["left_out"]["communicators"] > 0
    assert found[0].functions()["MPI_Comm_dup"] == 5001


def test_the_recorder_knows_its_own_time():
    _, found = finished("rings", 20000)  # of few calls the first, which are slow, make up much
    for recording in found.values():
        calls = recording.lines["call"]
        assert recording.head["own"] >= sum(call["own"] for call in calls) > 0
        outside = sum(call["outside"] for call in calls)
        assert recording.head["own"] < outside
        (shape,) = (one for one in recording.shapes.values() if one["times"] > 900)
        assert 0 < shape["own"] < 4 * recording.head["own"]  # from the means of that moment


def test_threads_have_sequences_of_their_own():
    _, found = finished("threads")
    for recording in found.values():
        assert recording.head["threads"] == "multiple"
        assert rings(recording) == 800
        lengths = {}
        for thread in recording.sequences:
            functions = [recording.calls[number]["function"] for number in recording.called(thread)]
            lengths[thread] = functions.count("MPI_Waitall")
        assert sorted(lengths.values()) == [200] * 4, lengths
    # Each has a communicator of its own, so that numbers are those of both sides.
    assert kept(found[0], "sent") == kept(found[1], "received") != set()
    assert kept(found[1], "sent") == kept(found[0], "received")


def kept(recording, way):
    return {
        (line["comm"], line["tag"], line["number"])
        for line in recording.lines["message"]
        if line["message"] == way
    }


def test_a_program_of_sessions():
    done, found = run("session", 50)
    if "no sessions" in done.stdout:
        pytest.skip("this MPI is older")
    assert done.returncode == 0, done.stderr
    assert sorted(found) == [0, 1]
    for recording in found.values():
        assert recording.head["how"] == "finalized"
        assert rings(recording) == 50
        check_sums(recording)
    assert kept(found[0], "sent") == kept(found[1], "received") != set()


def test_processes_that_are_spawned():
    """They start with no environment of this program's, so halocline-preload starts them, too."""
    Path("starter.sh").write_text('#!/bin/sh\nshift 2\nexec "$@"\n')
    Path("starter.sh").chmod(0o755)
    if launch(EDGES, "spawns", "./starter.sh", ranks=2).returncode != 0:
        pytest.skip("nothing can be spawned here")
    done, found = run("spawns", PRELOAD)
    assert done.returncode == 0, done.stderr
    for recording in found.values():
        assert recording.head["unseen"] == {"spawns": 1}
        assert rings(recording) == 3
    (folder,) = apart()
    children = recordings.read_all(folder)
    assert sorted(children) == [0, 1]
    for child in children.values():
        assert rings(child) == 4 and child.functions()["MPI_Send"] == 1


def test_a_request_may_be_completed_by_another_thread():
    _, found = finished("handed")
    for recording in found.values():
        assert recording.functions()["MPI_Wait"] == 20
        links = [
            (link["kind"], shape["times"])
            for shape in recording.shapes.values()
            for link in shape["links"]
        ]
        for kind in ("send", "receive"):
            assert sum(times for other, times in links if other == kind) == 20


def test_handlers_of_the_program_stay():
    _, found = finished("handlers")
    assert all(rings(recording) == 6 for recording in found.values())


def test_children_write_no_recording():
    _, found = finished("children")
    assert all(rings(recording) == 6 for recording in found.values())
    assert len(list(Path(FOLDER).glob("rank-*"))) == 2


def test_files_of_mpi():
    _, found = finished("files")
    for recording in found.values():
        functions = recording.functions()
        assert functions["MPI_File_write_at_all"] == functions["MPI_File_read_at_all"] == 1
        # What MPI's own files call is no call of the program.
        assert functions["MPI_Barrier"] == 1
        assert not functions["MPI_Allreduce"] and not functions["MPI_Bcast"]


def test_wrappers_of_the_program_are_passed_once():
    _, found = finished("rings", 50, program=WRAPPED)
    assert all(rings(recording) == 50 for recording in found.values())


def test_communicators_made_and_freed_by_the_thousand():
    count = 20000 if SOAK else 200
    _, found = finished("communicators", count)
    size = (Path(FOLDER) / "rank-00000.jsonl").stat().st_size
    assert size < 2_000_000, size
    for recording in found.values():
        functions = recording.functions()
        assert functions["MPI_Comm_free"] == count
        assert functions["MPI_Comm_dup"] == functions["MPI_Comm_split"] == count // 2
        assert rings(recording) == count // 2


def test_windows_made_and_freed_by_the_thousand():
    count = 5000 if SOAK else 200
    _, found = finished("windows", count)
    for recording in found.values():
        assert recording.functions()["MPI_Win_create"] == count
        assert recording.head["left_out"]["windows"] == 0
        assert len(recording.windows) == 16
        assert sum(window.get("made", 1) for window in recording.windows.values()) == count
        shape = max(recording.shapes.values(), key=lambda one: one["times"])
        assert shape["times"] > count / 2
    fences = [
        {(line["meeting"], line["number"]) for line in recording.lines["meeting"]}
        for recording in found.values()
    ]
    assert fences[0] == fences[1]


def grown(done):
    return int(re.search(r"grown by (-?\d+) KiB", done.stdout)[1])


@pytest.mark.parametrize("what, times", [("signatures", 100000), ("layouts", 20000)])
def test_tables_are_bounded(what, times):
    done, found = finished(what, times * (10 if SOAK else 1), ranks=1)
    assert grown(done) < 64 * 1024, "KiB"
    assert (Path(FOLDER) / "rank-00000.jsonl").stat().st_size < 64_000_000
    if what == "layouts" and len(found[0].layouts) > 3000:
        return  # there was room for all
    head = found[0].head
    told = sum(head["left_out"].values()) + sum(
        1 for call in found[0].lines["call"] if call.get("varied")
    )
    told += sum(1 for shape in found[0].lines["shape"] if shape.get("varied"))
    assert told > 0, "that there was no room is said"


def test_a_long_run_does_not_grow():
    times = 1000000 if SOAK else 50000
    done, found = finished("long", times, ranks=1)
    assert grown(done) < 2048, "KiB"
    assert rings(found[0]) == times
    assert (Path(FOLDER) / "rank-00000.jsonl").stat().st_size < 1_000_000


@pytest.mark.skipif(not SOAK, reason="64 ranks take long")
def test_a_crowd():
    _, found = finished("rings", 20, ranks=64)
    assert all(rings(recording) == 20 for recording in found.values())


@pytest.mark.skipif(not find_spec("mpi4py"), reason="needs mpi4py")
def test_python_that_opens_its_mpi_itself():
    Path("program.py").write_text(
        textwrap.dedent("""
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        for step in range(10):
            assert comm.allreduce(1) == comm.size
            comm.Barrier()
        print("done")
        """)
    )
    done, found = run("program.py", program=sys.executable)
    if re.search("cannot load MPI library|the program runs on the interface", done.stderr):
        pytest.skip("mpi4py finds another MPI, or none")
    assert done.returncode == 0, done.stderr
    assert [recording.functions()["MPI_Barrier"] for recording in found.values()] == [10, 10]


def test_a_script_around_the_program():
    Path("around.sh").write_text(f'#!/bin/sh\ntrue\nexec "{EDGES}" "$@"\n')
    Path("around.sh").chmod(0o755)
    done, _ = run("rings", 5, program="./around.sh")
    if "the program runs on the interface mpi_abi" in done.stderr:
        pytest.skip("nothing tells of MPI 5's interface before the program runs")
    _, found = finished("rings", 5, program="./around.sh")
    assert all(rings(recording) == 5 for recording in found.values())


def refused(*words):
    """Start halocline-preload, which must fail with one line and no traceback; return the line."""
    done = subprocess.run([PRELOAD, *words], capture_output=True, text=True, timeout=60)
    assert done.returncode != 0, words
    lines = done.stderr.splitlines()
    assert len(lines) == 1 and lines[0].startswith("halocline-preload: "), done.stderr
    return lines[0]


def test_what_cannot_be_recorded_is_said():
    assert "no MPI" in refused("/bin/true")
    assert "./missing" in refused("./missing")
    Path("data").write_text("no program")
    assert "data" in refused("./data")
    assert refused()
    assert "--nothing" in refused("--nothing", EDGES)
    assert "interface" in refused("--interface", "nonsense", EDGES)
    Path("file").touch()
    assert "file" in refused("--output", "file", EDGES)


@pytest.mark.parametrize("name", ["a b", "a:b"])
def test_a_folder_that_the_loader_would_take_apart_is_said(name):
    folder = Path(name)
    (folder / "bin").mkdir(parents=True)
    (folder / "lib").mkdir()
    shutil.copy(PROGRAMS[1], folder / "lib")
    preload = shutil.copy(PRELOAD, folder / "bin")
    done = subprocess.run(
        [Path(preload).absolute(), EDGES, "rings", "1"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode != 0 and name in done.stderr, done.stderr
    assert "LD_PRELOAD takes no name with a blank or a colon in it" in done.stderr


@needs("gcc")
def test_a_static_program_is_said_to_be_one():
    Path("main.c").write_text("int main(void) { return 0; }\n")
    made = subprocess.run(["gcc", "-static", "main.c", "-o", "still"], capture_output=True)
    if made.returncode != 0:
        pytest.skip("nothing can be linked statically here")
    line = refused("./still", "exec", "image.sif", "./app")
    assert "static" in line and "still exec image.sif halocline-preload" in line


def test_an_interface_that_is_not_the_programs():
    """Its recorder is missing, or finds another MPI in the program: never a wrong recording."""
    _, found = finished("rings", 3)
    own = found[0].head["interface"]
    other = next(name for name in ("mpich", "openmpi") if name != own)
    shutil.rmtree(FOLDER)
    done = launch(PRELOAD, "--output", FOLDER, "--interface", other, EDGES, "rings", 3, ranks=2)
    if done.returncode != 0:
        assert "halocline-preload: " in done.stderr or "halocline" in done.stderr, done.stderr
        assert other in done.stderr
    assert not recordings.read_all(FOLDER), json.dumps(done.stderr)
