"""The report: complete, self-contained, small, and free of errors in a browser."""

import re
import struct
import subprocess
from html.parser import HTMLParser

import numpy as np
import pytest
from commands import browser, needs

from halocline.errors import HaloclineError
from halocline.launch import Checker
from halocline.measure import Case, Comparison, Plan, Setting
from halocline.measure.comparison import Start, measure, picture, prepare
from halocline.reports import comparison as report
from halocline.reports import page, screenshot

SCHEMES = ["p2p:nonblocking", "rma:put:fence", "shm:signal"]


@pytest.fixture
def comparison(fake, tmp_path, kept):
    found = kept(lambda: compared(fake, tmp_path), tmp_path / "out")
    found.folder = tmp_path / "out"
    return found


def compared(fake, tmp_path):
    distances = {"usual": [1.2e-7, 1.2e-7], "shm:signal": [1.2e-7, 4.5e-7]}
    fake(speed={"shm:signal": 5e-4}, distance=distances, failing={"rma:put:fence": "exit"})
    case = Case("Jacobi", "partdiff", ["1", "2", "10", "<&>"])
    found = prepare(tmp_path / "out", [case], {"rma:get:lock": "crash: <oh>"}, {}, seed=1)
    settings = [Setting("Jacobi", 2, name) for name in SCHEMES]
    checker = Checker()
    programs = {"partdiff": fake.folder / "partdiff"}
    measure(
        found,
        settings,
        lambda case: Start(programs[case.program], checker.launcher),
        Plan(rounds=3),
    )
    found.launches[0].interference = ["other work on 1.2 CPUs"]
    assert picture.take(case, fake.folder / "partdiff", checker.launcher, 2, found.folder)
    return found


def test_it_says_everything(comparison):
    file = report.write(comparison)
    text = file.read_text()
    assert file.stat().st_size < page.LARGEST_BYTES
    for expected in (
        "shm:signal", "as fast as p2p:nonblocking", "identical", "skipped: crash: &lt;oh&gt;",
        "does not fit Gauss-Seidel", "glibc tunables", "x&lt;y", "Fake CPU", "MPICH 9.9.9", "-O3",
        "load before launches", "CPU governor", "among the fastest", "percentiles: 5 %",
        "its cores moved", "0.12 to 0.45 µs", "cores apart", "disturbed by",
        "other work", "count nevertheless", "Interference", "by test",
        "data:image/png;base64", "partdiff 1 2 10 '&lt;&amp;&gt;'".replace(
            "'", "&#39;"
        ),
    ):  # fmt: skip
        assert expected in text, expected


def test_it_needs_nothing_from_outside(comparison):
    text = report.render(comparison)
    assert not re.search(r"""(src|href)=["'](?!data:|#)""", text)
    assert "http://" not in text and "https://" not in text and "@import" not in text


class Balance(HTMLParser):
    """Checks that tags are closed in the order in which they were opened."""

    EMPTY = ("meta", "link", "br", "img")

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, self.getpos()


def test_its_html_is_balanced(comparison):
    parser = Balance()
    parser.feed(report.render(comparison))
    assert parser.open == []


@needs("chromium")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_browser_opens_it_without_a_complaint(comparison, tmp_path, scheme):
    file = report.write(comparison)
    probe = file.read_text().replace(
        "</body>",
        "<script>document.getElementById('theme').click();"
        "document.querySelector('th[data-sort=scheme]').click();"
        "document.querySelector('.plot [data-tip]').dispatchEvent("
        "new MouseEvent('mousemove', {bubbles: true}));"
        "document.title = 'tip ' + document.getElementById('tip').textContent.split('\\n')[0] +"
        "' rows ' + document.querySelectorAll('.ranking tbody tr').length +"
        "' first ' + document.querySelector('.ranking tbody tr').dataset.scheme;</script></body>",
    )
    file.write_text(probe)
    said = subprocess.run(
        [
            browser(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            f"--user-data-dir={tmp_path / 'profile'}", "--enable-logging=stderr", "--v=0",
            f"--blink-settings=preferredColorScheme={0 if scheme == 'dark' else 1}",
            "--virtual-time-budget=2000", "--dump-dom", file.as_uri(),
        ],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert "<title>tip shm:signal rows 2 first p2p:nonblocking</title>" in said.stdout
    assert "CONSOLE" not in said.stderr, said.stderr


@needs("chromium")
def test_a_screenshot_shows_the_top_of_the_page(comparison, halocline, tmp_path):
    said = halocline("report", comparison.folder, "--screenshot", tmp_path / "top.png")
    assert said.returncode == 0, said.stderr
    head = (tmp_path / "top.png").read_bytes()[:24]
    size = struct.unpack(">II", head[16:24])
    assert size == tuple(screenshot.DENSITY * side for side in screenshot.SIZE)


def test_without_a_browser_there_is_no_screenshot(comparison, halocline, tmp_path, monkeypatch):
    monkeypatch.setattr(screenshot, "BROWSERS", ("no-such-browser",))
    said = halocline("report", comparison.folder, "--screenshot", tmp_path / "top.png")
    assert said.returncode == 1
    assert "--screenshot needs a browser" in said.stderr


def test_nothing_measured_is_no_report(fake, tmp_path):
    empty = prepare(tmp_path / "out", [], {}, {}, seed=1)
    empty.save()
    with pytest.raises(HaloclineError, match="no measurement to report"):
        report.write(Comparison.load(tmp_path / "out"))


def test_pictures_are_png_files_of_the_field():
    field = np.add.outer(np.arange(30), np.arange(50))
    pixels = picture.paint(field, size=100)
    assert pixels.shape == (60, 100, 3)
    assert tuple(pixels[0, 0]) == (68, 1, 84)
    assert pixels[-1, -1, 0] > 180
    assert (picture.paint(np.zeros((5, 5))) == (68, 1, 84)).all()


def test_axes_have_round_ticks():
    ruler = report.Ruler([1.0, 2.0])
    assert not ruler.log and 3 <= len(ruler.ticks) <= 8
    wide = report.Ruler([1e-3, 10.0])
    assert wide.log and {"0.01", "0.1", "1"} <= {text for _, text in wide.ticks}
    assert report.Ruler([1.0])(1.0) == 50
