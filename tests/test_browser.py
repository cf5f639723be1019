"""The built book in a real browser: accessibility, errors, overflow, search, keyboard, theme, on every page."""

import functools
import http.server
import importlib.resources
import shutil
import threading

import pytest
from playwright.sync_api import sync_playwright

from tools.project import HTML, toc_pages

PAGES = [*toc_pages(), "search", "genindex", "404"]
WIDTHS = {"desktop": (1280, 900), "phone": (390, 844)}
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
FLAGS += ["--disable-background-networking", "--disable-component-update"]
AXE = importlib.resources.files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="session")
def site():
    """Serve the built book on a free port of this machine; yield its address."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=HTML)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="session")
def browser():
    if CHROMIUM is None:
        pytest.fail("no Chromium found; on Debian: apt install chromium", pytrace=False)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


class Visit:
    """A page of the site in a window of its own, with all that went wrong in it."""

    def __init__(self, browser, site: str, size: tuple[int, int] = WIDTHS["desktop"], **context) -> None:
        width, height = size
        self.site = site
        self.context = browser.new_context(viewport={"width": width, "height": height}, **context)
        self.page = self.context.new_page()
        self.trouble: list[str] = []
        self.page.on("console", lambda message: self.trouble.append(message.text) if message.type == "error" else None)
        self.page.on("pageerror", lambda error: self.trouble.append(str(error)))
        self.page.on("requestfailed", lambda request: self.trouble.append(f"failed: {request.url}"))
        self.page.on("request", self.note_foreign)

    def note_foreign(self, request) -> None:
        if not request.url.startswith((self.site, "data:", "blob:")):
            self.trouble.append(f"foreign: {request.url}")

    def go(self, page: str) -> "Visit":
        self.page.goto(f"{self.site}/{page}.html", wait_until="load")
        return self

    def __enter__(self) -> "Visit":
        return self

    def __exit__(self, *_) -> None:
        self.context.close()

    def violations(self, scheme: str, rules: str = "") -> list[str]:
        """Return what axe finds in the colour scheme, one line for each element."""
        self.page.emulate_media(color_scheme=scheme)
        if not self.page.evaluate("() => 'axe' in window"):
            self.page.evaluate(AXE)
        options = f"{{runOnly: {{type: 'rule', values: ['{rules}']}}}}" if rules else "{}"
        found = self.page.evaluate(f"async () => (await axe.run(document, {options})).violations")
        return [f"{v['id']}: {n['target'][-1]} {n['html'][:120]}" for v in found for n in v["nodes"]]

    def overflow(self) -> list[str]:
        """Return the elements that reach beyond the right edge and cannot be scrolled to."""
        return self.page.evaluate(
            """() => document.documentElement.scrollWidth <= document.documentElement.clientWidth ? [] :
            [...document.querySelectorAll('article *')]
              .filter(e => e.getBoundingClientRect().right > innerWidth + 1)
              .filter(e => !e.closest('[tabindex="0"]') || e.matches('[tabindex="0"]'))
              .map(e => e.tagName + '.' + e.className + ' ' + e.textContent.slice(0, 40)).slice(0, 5)"""
        )


@pytest.mark.parametrize("page", PAGES)
def test_page_is_accessible_fits_and_keeps_to_itself(browser, site, page):
    for name, size in WIDTHS.items():
        with Visit(browser, site, size, reduced_motion="reduce", color_scheme="light") as visit:
            visit.go(page)
            assert visit.violations("light") == [], name
            # Only colours differ between the themes.
            assert visit.violations("dark", rules="color-contrast") == [], name
            assert visit.overflow() == [], name
            assert visit.trouble == [], name


def test_planted_faults_are_found(browser, site):
    with Visit(browser, site, WIDTHS["phone"]) as visit:
        visit.go("book/intro")
        visit.page.evaluate(
            """() => { const article = document.querySelector('article');
            article.insertAdjacentHTML('beforeend', '<img src="x.png"><p style="color:#eee;background:#fff">pale</p>'
              + '<div style="width:900px">wide</div><script src="https://cdn.invalid/x.js"></script>');
            const script = document.createElement('script'); script.src = 'https://cdn.invalid/x.js';
            document.body.append(script); }"""
        )
        visit.page.wait_for_timeout(300)
        rules = {line.split(":")[0] for line in visit.violations("light")}
        assert {"image-alt", "color-contrast"} <= rules
        assert any("wide" in line for line in visit.overflow())
        assert any(line.startswith("foreign: https://cdn.invalid/") for line in visit.trouble)
