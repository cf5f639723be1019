"""Measure the pages of the book beside one of its chapters in plain settings, and print the table of CONTRIBUTING.md.

usage: python -m tools.compare_pages

Weight is what a first visit loads, each text gzipped, image files aside; drawings within the page count. Faults are the
kinds that axe finds at 1280 and 390 pixels, in light and dark. Scores are Lighthouse's on its phone settings; it comes
from npm, and without Node.js they are left out.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import sync_playwright

from tools.chromium import NAMES, axe_script, launch, served
from tools.project import EXECUTED, HTML, stop, toc_pages

CHAPTER = "notebooks/primitives/06_autoreset"
LIGHTHOUSE = "lighthouse@12"
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
CONFIG = "title: Plain\nexecute: {execute_notebooks: 'off'}\n"
PLAIN = {
    "Jupyter Book's default theme": CONFIG,
    "furo, nothing changed": f"{CONFIG}sphinx: {{config: {{html_theme: furo, html_theme_options: {{}}}}}}\n",
}


def build_plain(config: str, folder: Path) -> Path:
    """Build a book of one chapter with this configuration; return where its pages are."""
    (folder / "_config.yml").write_text(config)
    (folder / "_toc.yml").write_text("format: jb-book\nroot: chapter\n")
    shutil.copy(EXECUTED / f"{CHAPTER}.ipynb", folder / "chapter.ipynb")
    command = [sys.executable, "-c", "from jupyter_book.cli.main import main; main()", "build", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        stop(done.stdout[-2000:], done.stderr[-2000:])
    return folder / "_build" / "html"


def look(browser, site: str, page: str) -> tuple[int, set[str], set[str]]:
    """Return a page's weight in bytes, the kinds of fault axe finds, and the other hosts that it asks."""
    weights, hosts, kinds = {}, set(), set()

    def note(response) -> None:
        kind = response.headers.get("content-type", "")
        if response.url.startswith(site) and not kind.startswith("image/"):
            weights[response.url] = int(response.headers.get("content-length", 0))

    for width, height in ((1280, 900), (390, 844)):
        context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce")
        view = context.new_page()
        view.on("response", note)
        view.on("request", lambda request: hosts.add(urlsplit(request.url).hostname or "127.0.0.1"))
        view.goto(f"{site}/{page}.html", wait_until="load")
        view.wait_for_timeout(500)
        view.evaluate(axe_script())
        for scheme in ("light", "dark"):
            view.emulate_media(color_scheme=scheme)
            kinds |= set(view.evaluate("async () => (await axe.run()).violations.map(v => v.id)"))
        context.close()
    return sum(weights.values()), kinds, hosts - {"127.0.0.1"}


def scores(address: str, folder: Path) -> str:
    """Return Lighthouse's four scores of a page; a dash where there is no Node.js."""
    if not shutil.which("npx"):
        return "-"
    chrome = next(filter(None, map(shutil.which, reversed(NAMES))), "")
    report = folder / "report.json"
    command = ["npx", "--yes", LIGHTHOUSE, address, "--quiet", "--output=json", f"--output-path={report}"]
    command += ["--chrome-flags=--headless --no-sandbox --disable-gpu"]
    subprocess.run(command, check=True, env={**os.environ, "CHROME_PATH": chrome}, capture_output=True)
    found = json.loads(report.read_text(encoding="utf-8"))["categories"]
    return " / ".join(f"{100 * found[name]['score']:.0f}" for name in CATEGORIES)


def main() -> None:
    """Look at every page of the book, then at the chapter in plain settings; print the rows."""
    rows = []
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as temporary:
        browser = launch(playwright)
        with served(HTML) as site:
            found = {}
            for number, page in enumerate(toc_pages(), start=1):
                found[page] = look(browser, site, page)
                print(f"  [{number:2d}] {page}", file=sys.stderr, flush=True)
            heaviest = max(found, key=lambda page: found[page][0])
            for page, name in (
                (CHAPTER, "this book, the same chapter"),
                (heaviest, f"this book, its heaviest page ({heaviest})"),
            ):
                weight, kinds, hosts = found[page]
                rows.append((name, weight, kinds, hosts, scores(f"{site}/{page}.html", Path(temporary))))
            middle = statistics.median(weight for weight, _, _ in found.values())
            kinds, hosts = (set().union(*(each[i] for each in found.values())) for i in (1, 2))
            rows.append((f"this book, all {len(found)} pages: median weight, all faults", middle, kinds, hosts, "-"))
        for name, config in PLAIN.items():
            folder = Path(temporary) / name.split()[0]
            folder.mkdir()
            with served(build_plain(config, folder)) as site:
                rows.append((name, *look(browser, site, "chapter"), scores(f"{site}/chapter.html", folder)))
        browser.close()
    print("| pages | KB, gzipped | kinds of accessibility fault | other hosts | Lighthouse, phone |")
    print("| --- | ---: | --- | --- | --- |")
    for name, weight, kinds, hosts, score in rows:
        faults = f"{len(kinds)}: {', '.join(sorted(kinds))}" if kinds else "none"
        print(f"| {name} | {weight / 1000:.0f} | {faults} | {', '.join(sorted(hosts)) or 'none'} | {score} |")


if __name__ == "__main__":
    main()
