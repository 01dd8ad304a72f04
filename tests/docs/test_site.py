"""The site: links lead somewhere, and a browser opens every page from disk without a complaint."""

import json
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from commands import browser, needs

ROOT = Path(__file__).resolve().parent.parent.parent
SITE = ROOT / "build" / "site"
PHONE = 390
PROBE = """<!DOCTYPE html><iframe id="frame" width="{width}" height="800"></iframe><script>
const found = [];
const frame = document.getElementById("frame");
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
(async () => {{
  for (const page of {pages}) {{
    await new Promise((loaded) => {{ frame.onload = loaded; frame.src = page; }});
    await pause(300);
    const inside = frame.contentDocument;
    found.push({{
      page, title: inside.title, dark: inside.body.dataset.mdColorScheme === "slate",
      tooWide: inside.documentElement.scrollWidth - {width},
      hits: inside.querySelector(".md-search-result__meta")?.textContent,
    }});
  }}
  document.body.textContent = "FOUND" + JSON.stringify(found) + "END";
}})();
</script>"""


class Page(HTMLParser):
    """What a page links to, what it loads, and what can be linked to in it."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.anchors = [], [], set()
        self.feed(path.read_text())

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.anchors |= {attrs[name] for name in ("id", "name") if attrs.get(name)}
        if tag == "a" and attrs.get("href"):
            self.links.append(attrs["href"])
        elif tag == "link" and attrs.get("rel") in ("stylesheet", "icon", "preload"):
            self.loads.append(attrs["href"])
        elif attrs.get("src"):
            self.loads.append(attrs["src"])


@pytest.fixture(scope="module")
def pages():
    """Give all pages of the site."""
    if not (SITE / "index.html").exists():
        pytest.skip("needs the site: ./dev docs")
    found = {path: Page(path) for path in SITE.rglob("*.html") if path.name != "404.html"}
    assert len(found) > 40
    return found


def test_every_link_leads_to_something(pages):
    broken = []
    for path, page in pages.items():
        for link in page.links + page.loads:
            parts = urlsplit(link)
            if parts.scheme in ("http", "https", "mailto", "data"):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            anchor = unquote(parts.fragment)
            if not target.is_file() or (
                anchor and target in pages and anchor not in pages[target].anchors
            ):
                broken.append(f"{path.relative_to(SITE)}: {link}")
    assert not broken


def test_nothing_is_loaded_from_elsewhere(pages):
    loads = {load for page in pages.values() for load in page.loads}
    assert not {load for load in loads if urlsplit(load).scheme not in ("", "data")}
    for file in SITE.rglob("*.css"):
        assert not re.search(r"url\(\s*['\"]?(https?:)?//", file.read_text()), file


def test_every_page_can_be_reached(pages):
    reached, waiting = set(), [SITE / "index.html"]
    while waiting:
        path = waiting.pop()
        if path in reached or path not in pages:
            continue
        reached.add(path)
        paths = (urlsplit(link).path for link in pages[path].links)
        waiting += [(path.parent / unquote(part)).resolve() for part in paths if part]
    assert reached == set(pages)


def opened(pages, folder, width, dark):
    """Open pages in a browser that reaches nothing but files; return what it found and said."""
    probe = folder / "probe.html"
    probe.write_text(PROBE.format(width=width, pages=json.dumps(pages)))
    said = subprocess.run(
        [
            browser(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            f"--user-data-dir={folder / 'profile'}", "--enable-logging=stderr", "--v=0",
            "--allow-file-access-from-files", "--host-resolver-rules=MAP * ~NOTFOUND",
            f"--blink-settings=preferredColorScheme={0 if dark else 1}",
            f"--virtual-time-budget={1000 * len(pages) + 5000}", "--dump-dom", probe.as_uri(),
        ],
        capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    found = re.search("FOUND(.*)END", said.stdout)
    assert found, said.stderr
    complaints = [line for line in said.stderr.splitlines() if "CONSOLE" in line]
    return json.loads(found[1]), complaints


@needs("chromium")
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_browser_opens_every_page_without_a_complaint(pages, tmp_path, dark):
    addresses = [path.as_uri() for path in sorted(pages)]
    if dark:  # a few will do
        addresses = addresses[::8]
    found, complaints = opened(addresses, tmp_path, PHONE, dark)
    assert not complaints
    assert [page["page"] for page in found] == addresses
    assert all("Halocline" in page["title"] for page in found)
    assert {page["dark"] for page in found} == {dark}
    assert not [page["page"] for page in found if page["tooWide"] > 0]


@needs("chromium")
def test_search_finds_pages_from_disk(pages, tmp_path):
    address = (SITE / "tutorial" / "index.html").as_uri() + "?q=fence"
    (found,), complaints = opened([address], tmp_path, 1280, False)
    assert not complaints
    assert re.match(r"\d+ matching documents", found["hits"])
