"""Reports of how solvers converged."""

import json
import re

import pytest
from test_report import Balance

from halocline.errors import HaloclineError
from halocline.reports import convergence


def result(folder, name, mode="async", iterations=(120, 80), convergence=((0.1, 1.0), (0.2, 1e-4))):
    """Write a result file as laplace does."""
    workers = [
        {"worker": i, "iterations": n, "sent": n, "skipped": 0, "received": n, "superseded": 0,
         "age_mean": 0.5, "age_most": 4}
        for i, n in enumerate(iterations)
    ]  # fmt: skip
    content = {
        "format": "halocline-result", "version": 1, "program": "laplace",
        "arguments": ["--grid", "<9>"], "scheme": "p2p:nonblocking", "ranks": len(iterations),
        "threads": 1, "parameters": {"mode": mode},
        "result": {"iterations": 100, "residuum": 1e-4, "converged": True,
                   "convergence": [list(point) for point in convergence]},
        "samples": {"step_s": [[]], "total_s": [0.2]},
    }  # fmt: skip
    if mode != "sync":
        content["result"] |= {"workers": workers, "halo_period": 1}
    path = folder / f"{name}.json"
    path.write_text(json.dumps(content))
    return path


def test_it_draws_residual_and_iterations(tmp_path, halocline):
    files = [
        result(tmp_path, "a"),
        result(tmp_path, "b"),
        result(tmp_path, "c", "sync"),
        result(tmp_path, "many", iterations=range(100, 200)),
    ]
    said = halocline("report", *files)
    assert said.returncode == 0, said.stderr
    text = (tmp_path / "convergence.html").read_text()
    assert str(tmp_path / "convergence.html") in said.stdout
    for expected in (
        "async p2p:nonblocking, 2 workers", "async p2p:nonblocking, 2 workers (2)",
        "sync p2p:nonblocking, 2 workers", "worker 1: 80 iterations", "100 to 112 iterations",
        "laplace --grid &#39;&lt;9&gt;&#39;", "relative residual",
    ):  # fmt: skip
        assert expected in text, expected
    lines = re.findall(r'<g data-tip="(a?sync p2p[^"]*)">', text)
    assert len(lines) == 2 * 4, "each run on the wide picture and on the narrow one"
    assert not re.search(r"""(src|href)=["'](?!data:|#)""", text)
    parser = Balance()
    parser.feed(text)
    assert parser.open == []


def test_a_folder_of_results_will_do(tmp_path, halocline):
    result(tmp_path, "a")
    said = halocline("report", tmp_path, "--output", tmp_path / "x.html")
    assert said.returncode == 0, said.stderr
    assert (tmp_path / "x.html").is_file()


def test_a_slow_worker_is_named():
    content = {
        "scheme": "shm:signal", "ranks": 2, "threads": 1,
        "parameters": {"mode": "async", "slow": {"worker": 1, "factor": 3}},
        "result": {"halo_period": 4},
    }  # fmt: skip
    assert (
        convergence.name(content)
        == "async shm:signal, 2 workers, worker 1 3 times as slow, halos every 4"
    )


def test_a_residual_that_is_not_a_number_is_shown_as_such(tmp_path, halocline):
    """JSON has no NaN: programs write null."""
    for number, (residuum, history) in enumerate(((None, None), (float("nan"), float("nan")))):
        file = result(tmp_path, "a", convergence=((0.1, 1.0), (0.2, history)))
        content = json.loads(file.read_text())
        content["result"].update(residuum=residuum, converged=False)
        file.write_text(json.dumps(content))
        said = halocline("report", file, "--output", f"{number}.html")
        assert said.returncode == 0, said.stderr
        assert ">not a number</td>" in (tmp_path / f"{number}.html").read_text("utf-8")


def test_what_records_no_convergence_is_an_error(tmp_path, halocline):
    file = result(tmp_path, "a", convergence=())
    with pytest.raises(HaloclineError, match="no result file that records how"):
        convergence.load([file])
    said = halocline("report", tmp_path / "none")
    assert said.returncode != 0
    assert "none is not a folder written by" in said.stderr
