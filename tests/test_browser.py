"""The built book in a real browser: accessibility, errors, overflow, search, keyboard, theme, on every page."""

import gzip
import itertools
import unicodedata
from pathlib import Path
from typing import ClassVar
from urllib.parse import quote

import nbformat
import pytest
from lxml import html as lxml_html
from playwright.sync_api import sync_playwright
from pypdf import PdfReader

from tools.chromium import NoChromium, axe_script, launch, served
from tools.compare_pages import look
from tools.pdf import MARGIN, write
from tools.project import EXECUTED, HTML, toc_pages

PAGES = [*toc_pages(), "search", "genindex", "404"]
WIDTHS = {"desktop": (1280, 900), "phone": (390, 844)}
AUDIT = axe_script() + Path(__file__).with_name("audit.js").read_text()


@pytest.fixture(scope="session")
def site():
    with served(HTML) as address:
        yield address


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        try:
            browser = launch(playwright)
        except NoChromium as error:
            pytest.fail(str(error), pytrace=False)
        yield browser
        browser.close()


class Visit:
    """A page of the site in a window of its own, with all that went wrong in it."""

    passed: ClassVar[set[str]] = set()
    """The looks in which words have enough contrast, on any page."""

    def __init__(self, browser, site: str, size: tuple[int, int] = WIDTHS["desktop"], **context) -> None:
        width, height = size
        self.site = site
        self.context = browser.new_context(viewport={"width": width, "height": height}, **context)
        self.page = self.context.new_page()
        self.trouble: list[str] = []
        self.page.on("console", lambda message: self.trouble.append(message.text) if message.type == "error" else None)
        self.page.on("pageerror", lambda error: self.trouble.append(str(error)))
        self.page.on("requestfailed", self.note_failed)
        self.page.on("request", self.note_foreign)

    def note_failed(self, request) -> None:
        if request.failure != "net::ERR_ABORTED":  # the page was left before it had everything
            self.trouble.append(f"failed: {request.url}")

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

    def audit(self, call: str, *argument):
        """Return what a function of audit.js gives for the page."""
        if not self.page.evaluate("() => 'axe' in window"):
            self.page.evaluate(AUDIT)
        return self.page.evaluate(call, *argument)

    def violations(self) -> list[str]:
        """Return what axe finds in the page, one line for each element; in the dark theme only what is of colour."""
        found = self.audit("structure()")
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme)
            faults, passed = self.audit("known => colour(known)", list(self.passed))
            found += faults
            self.passed.update(passed)
        return found

    def overflow(self) -> list[str]:
        """Return what reaches beyond the right edge of the window without something around it that scrolls."""
        return self.audit("overflow()")

    def illegible(self) -> list[str]:
        """Return the words in figures that are cut off, lie on others, or are less than 8 pixels high."""
        return self.audit("illegible(8)")


@pytest.fixture(scope="session")
def reader(browser, site):
    """One window for reading page after page: a new one for each page costs a third of a second."""
    with Visit(browser, site, reduced_motion="reduce") as visit:
        yield visit


@pytest.mark.parametrize("page", PAGES)
def test_page_is_accessible_fits_and_keeps_to_itself(reader, page):
    reader.trouble.clear()
    reader.go(page)
    for name, (width, height) in WIDTHS.items():
        reader.page.set_viewport_size({"width": width, "height": height})
        assert reader.overflow() == [], name
        assert reader.illegible() == [], name
        assert reader.violations() == [], name
    assert reader.trouble == []


def test_planted_faults_are_found(browser, site):
    with Visit(browser, site, WIDTHS["phone"]) as visit:
        visit.go("book/intro")
        visit.page.evaluate(
            """() => { const article = document.querySelector('article');
            article.insertAdjacentHTML('beforeend', '<img src="x.png"><p style="color:#eee;background:#fff">pale</p>'
              + '<p>Words <a href="#" style="text-decoration:none; color:#444">and a link</a> hardly told apart.</p>'
              + '<div style="width:900px">wide</div><script src="https://cdn.invalid/x.js"></script>');
            const script = document.createElement('script'); script.src = 'https://cdn.invalid/x.js';
            document.body.append(script); }"""
        )
        visit.page.wait_for_timeout(300)
        rules = {line.split(":")[0] for line in visit.violations()}
        assert {"image-alt", "color-contrast", "link-in-text-block"} <= rules
        assert any("wide" in line for line in visit.overflow())
        assert any(line.startswith("foreign: https://cdn.invalid/") for line in visit.trouble)


def test_planted_words_in_a_figure_that_cannot_be_read_are_found(browser, site):
    words = ["<text x='10' y='20'>fine</text>", "<text x='190' y='20'>leaves the frame</text>"]
    words += [f"<text x='{x}' y='60'>{word}</text>" for x, word in ((10, "one on"), (25, "another"))]
    words += ["<text x='10' y='90' font-size='5'>tiny</text>"]
    figure = f"<figure class='plot'><svg viewBox='0 0 200 100' width='200'>{''.join(words)}</svg></figure>"
    with Visit(browser, site) as visit:
        visit.go("book/running")
        assert visit.illegible() == []
        visit.page.evaluate(
            "figure => document.querySelector('article').insertAdjacentHTML('beforeend', figure)", figure
        )
        faults = ["cut off: leaves the frame", "5.0 pixels: tiny", "overlap: one on / another"]
        assert visit.illegible() == faults


def test_the_comparison_with_other_books_weighs_pages_and_finds_faults_and_hosts(browser, tmp_path):
    (tmp_path / "style.css").write_text("body { color: #ddd; background: #fff; }" + "/* long */" * 1000)
    (tmp_path / "page.html").write_text(
        '<html lang="en"><title>t</title><link rel="stylesheet" href="style.css"><main><h1>Pale words</h1>'
        '<img src="https://cdn.invalid/x.png" alt="a picture of nothing"></main></html>'
    )
    with served(tmp_path) as address:
        weight, kinds, hosts = look(browser, address, "page")
    sent = [gzip.compress(path.read_bytes(), 6) for path in tmp_path.iterdir()]
    assert weight == sum(map(len, sent))
    assert kinds == {"color-contrast"}
    assert hosts == {"cdn.invalid"}


def recorded(name: str) -> list[dict[str, str]]:
    """Return, for each explorable of a chapter, its frames' texts by position, as the notebook recorded them."""
    notebook = nbformat.read(EXECUTED / f"{name}.ipynb", as_version=4)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    pages = [output["data"].get("text/html", "") for output in outputs if "data" in output]
    trees = [lxml_html.fromstring(page) for page in pages if 'class="explorable"' in page]
    return [{div.get("data-at"): squeeze(div.text_content()) for div in tree.find_class("frame")} for tree in trees]


def squeeze(text: str) -> str:
    return "".join(text.split())


EXPLORABLE = [name for name in toc_pages() if (EXECUTED / f"{name}.ipynb").exists() and recorded(name)]


def test_the_book_has_the_explorables_it_promises():
    steps = {"05_step", "06_autoreset", "07_spaces", "08_async_vector_env"}  # info, autoreset, batches, time
    assert steps <= {Path(page).name for page in EXPLORABLE}


VISIBLE_FRAMES = """figure => [...figure.querySelectorAll('.frame')].filter(frame => frame.checkVisibility())
  .map(frame => [frame.dataset.at, frame.textContent])"""


@pytest.mark.parametrize("page", EXPLORABLE)
def test_explorables_step_to_their_end_by_keyboard_and_show_what_was_recorded(browser, site, page):
    with Visit(browser, site, reduced_motion="reduce") as visit:
        visit.go(page)
        figures = visit.page.locator(".explorable")
        assert figures.count() == len(recorded(page))
        for number, frames in enumerate(recorded(page)):
            figure = figures.nth(number)
            sliders = figure.locator("input[type=range]").all()
            for slider in sliders:
                slider.press("Home")
            positions = [range(int(slider.get_attribute("max")) + 1) for slider in sliders]
            seen, before = {}, (0,) * len(sliders)
            for at in itertools.product(*positions):
                for slider, old, new in zip(sliders, before, at, strict=True):
                    for _ in range(abs(new - old)):
                        slider.press("ArrowRight" if new > old else "ArrowLeft")
                before = at
                ((key, text),) = figure.evaluate(VISIBLE_FRAMES)
                assert key == ",".join(map(str, at))
                seen[key] = squeeze(text)
            assert seen == frames
            # At the last position the button forward does nothing, and says so.
            forward = figure.get_by_role("button", name="one on").first
            assert forward.get_attribute("aria-disabled") == "true"
            forward.click(force=True)
            assert figure.locator(".frame:visible").get_attribute("data-at") == key
        assert visit.trouble == []


def test_without_javascript_the_starting_frame_is_shown(browser, site):
    with Visit(browser, site, java_script_enabled=False) as visit:
        visit.go(EXPLORABLE[0])
        figure = visit.page.locator(".explorable").first
        assert figure.locator(".frame:visible").get_attribute("data-at") == figure.get_attribute("data-start")


def test_search_finds_pages_by_errors_a_name_and_symptoms(browser, site):
    with Visit(browser, site) as visit:
        for query, expected in {
            "ValueError: zip() argument 2 is shorter than argument 1": "27_field_guide",
            "'TimeLimit' object is not callable": "27_field_guide",
            "Cannot call env.step() before calling env.reset()": "27_field_guide",
            "concatenate": "10_space_utilities",
            "final_observation": "06_autoreset",
            "headless": "26_rendering",
            "reset some rows": "14_selective_reset",
        }.items():
            visit.page.goto(f"{site}/search.html?q={quote(query)}")
            visit.page.locator(f"#search-results li a[href*='{expected}']").first.wait_for(timeout=10_000)
        assert visit.trouble == []


def test_the_search_page_itself_can_be_asked_again(browser, site):
    with Visit(browser, site, WIDTHS["phone"]) as visit:
        visit.go("search")
        field = visit.page.get_by_role("searchbox", name="Words to search for")
        field.fill("make_vec")
        field.press("Enter")
        visit.page.locator("#search-results li a").first.wait_for(timeout=10_000)
        assert visit.trouble == []


def test_the_contents_of_the_book_show_the_page_that_is_read(browser, site):
    with Visit(browser, site) as visit:
        assert visit.go("notebooks/trust/27_field_guide").page.locator(".sidebar-tree .current-page > a").is_visible()
        box = visit.page.locator(".sidebar-tree .current-page > a").bounding_box()
        assert 0 <= box["y"] < WIDTHS["desktop"][1]


def test_theme_switch_is_remembered_and_reachable_by_keyboard(browser, site):
    with Visit(browser, site, color_scheme="light") as visit:
        visit.go("book/intro")
        page = visit.page
        toggle = page.locator(".theme-toggle-content button")
        before = page.locator("body").get_attribute("data-theme")
        toggle.focus()
        page.keyboard.press("Enter")
        chosen = page.locator("body").get_attribute("data-theme")
        assert chosen != before
        visit.go("book/running")
        assert page.locator("body").get_attribute("data-theme") == chosen


NOTE_FOCUS = """() => { window.reached = []; document.addEventListener('focusin', ({target: e}) => {
  const s = getComputedStyle(e), r = e.getBoundingClientRect();
  reached.push({tag: e.tagName, text: e.textContent.trim().slice(0, 40), in_window: r.right > 0 && r.left < innerWidth,
                seen: s.outlineStyle !== 'none' || s.boxShadow !== 'none'}); }); }"""


def walk(page) -> list[dict]:
    """Press Tab through the whole page; return what had the focus, and whether a reader could see it."""
    page.evaluate(NOTE_FOCUS)
    for _ in range(60):
        for _ in range(10):
            page.keyboard.press("Tab")
        if page.evaluate("reached.length % 10 || document.activeElement === document.body"):
            return page.evaluate("reached")
    raise AssertionError("Tab never leaves the page")


@pytest.mark.parametrize("size", WIDTHS.values(), ids=WIDTHS)
def test_keyboard_reaches_everything_with_a_visible_focus(browser, site, size):
    with Visit(browser, site, size, reduced_motion="reduce") as visit:
        reached = walk(visit.go(EXPLORABLE[0]).page)
        assert [here for here in reached if not (here["seen"] and here["in_window"])] == []
        texts = {here["text"] for here in reached}
        assert {"Skip to content", ".ipynb", "▶"} <= texts
        assert {"INPUT", "BUTTON", "A", "PRE", "SUMMARY"} <= {here["tag"] for here in reached}


def test_keyboard_opens_the_drawers_of_a_narrow_page(browser, site):
    with Visit(browser, site, WIDTHS["phone"], reduced_motion="reduce") as visit:
        page = visit.go("book/intro").page
        assert not page.locator(".sidebar-drawer a").last.is_visible()
        switch = page.get_by_role("button", name="Toggle site navigation sidebar")
        switch.press("Enter")
        assert page.locator(".sidebar-drawer a").last.is_visible()
        assert switch.get_attribute("aria-expanded") == "true"
        switch.press("Space")
        assert switch.get_attribute("aria-expanded") == "false"


def test_copy_button_copies_the_cell_without_prompts(browser, site):
    with Visit(browser, site, permissions=["clipboard-read", "clipboard-write"]) as visit:
        visit.go("notebooks/primitives/01_vector_env")
        visit.page.locator("div.cell_input").first.hover()
        visit.page.locator("button.copybtn").first.click()
        assert visit.page.evaluate("navigator.clipboard.readText()").startswith("import gymnasium as gym\n")


def test_print_shows_whole_code_and_no_controls(browser, site):
    with Visit(browser, site) as visit:
        visit.go(EXPLORABLE[0])
        visit.page.emulate_media(media="print")
        assert not visit.page.locator(".explorable-bar").first.is_visible()
        cut = "e => e.scrollHeight > e.clientHeight + 2"
        assert visit.page.evaluate(f"() => [...document.querySelectorAll('article pre')].filter({cut}).length") == 0


def test_the_cheat_sheet_prints_on_one_sheet(browser, site, tmp_path):
    with Visit(browser, site) as visit:
        visit.go("book/cheat_sheet").page.pdf(path=tmp_path / "sheet.pdf", format="A4", margin=MARGIN)
    sheets = PdfReader(tmp_path / "sheet.pdf").pages
    assert len(sheets) == 1
    text = " ".join(unicodedata.normalize("NFKC", sheets[0].extract_text()).split())
    assert '"sync" a loop' in text and "BrokenPipeError worker gone: rebuild" in text
    assert "all; reset done rows first" in text, "the last column of the widest table is cut"


def test_pages_work_from_disk(browser):
    page = browser.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((HTML / f"{EXPLORABLE[0]}.html").resolve().as_uri())
    page.locator(".explorable button").last.click()
    assert page.locator(".explorable .frame:visible").count() == page.locator(".explorable").count()
    assert errors == []
    page.close()


PRINTED = ["book/intro", "notebooks/primitives/01_vector_env"]


def test_in_the_pdf_pages_follow_each_other_and_links_between_them_stay_inside(browser, tmp_path):
    sheets = write(browser, PRINTED, tmp_path / "book.pdf")
    pdf = PdfReader(tmp_path / "book.pdf")
    assert len(pdf.pages) == sheets > len(PRINTED)
    starts = [pdf.get_destination_page_number(item) for item in pdf.outline]
    assert starts[0] == 0 and len(starts) == len(PRINTED)
    assert "VectorEnv" in pdf.pages[starts[1]].extract_text()
    actions = [a.get_object().get("/A", {}) for sheet in pdf.pages for a in sheet.get("/Annots", ())]
    addresses = [str(action["/URI"]) for action in actions if "/URI" in action]
    assert any("gymnasium.farama.org" in address for address in addresses)
    assert not [address for address in addresses if "127.0.0.1" in address]
    targets = {
        pdf.get_page_number(action["/D"][0].get_object())
        for action in actions
        if action.get("/S") == "/GoTo" and isinstance(action["/D"], list)
    }
    assert starts[1] in targets
