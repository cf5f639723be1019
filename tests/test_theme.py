"""What our pages change of the theme's still takes, and the files of the theme that it leans on have not changed."""

import hashlib
import importlib.resources
import sys

import pytest

from tools.project import HTML, ROOT

sys.path.append(str(ROOT / "book" / "_ext"))
import book_pages

# By the first letters of their SHA-256. One that changed: see what book.css, drawers.js and book_pages.py say about it,
# look at the pages at both widths and in both themes, then write down the new letters.
LOOKED_AT = {
    "theme/furo/base.html": "c6b65a3fc408",
    "theme/furo/page.html": "ad8bad98317b",
    "theme/furo/static/scripts/furo.js": "0df6012bf918",
    "theme/furo/static/styles/furo.css": "177f11631214",
    "theme/furo/static/styles/furo-extensions.css": "3d2b0207711a",
}


@pytest.mark.parametrize("name", LOOKED_AT)
def test_the_theme_is_the_one_we_looked_at(name):
    content = importlib.resources.files("furo").joinpath(name).read_bytes()
    assert hashlib.sha256(content).hexdigest()[:12] == LOOKED_AT[name], f"furo/{name} changed: look at the pages again"


OUTPUT = '<div class="output stream highlight-myst-ansi notranslate{}"><pre tabindex="0">{}</pre></div>'


@pytest.mark.parametrize(
    ("printed", "columns"),
    [("[1 2]\n[3 4]", True), ("word " * 20, False), ("<span>ValueError: too few</span>", False)],
)
def test_columns_of_output_keep_together_and_prose_wraps(printed, columns):
    once = book_pages.PRINTED.sub(book_pages.keep_columns, OUTPUT.format("", printed))
    assert once == OUTPUT.format(" columns" * columns, printed)
    assert book_pages.PRINTED.sub(book_pages.keep_columns, once) == once, "a page may be finished twice"


@pytest.fixture(scope="module")
def pages() -> list[str]:
    return [path.read_text(encoding="utf-8") for path in HTML.rglob("*.html")]


@pytest.mark.parametrize(("old", "new"), book_pages.REPLACEMENTS)
def test_every_replacement_takes_and_leaves_none_behind(pages, old, new):
    assert any(new in page for page in pages), "the theme no longer writes this; look at what it writes now"
    assert not any(old in page.replace(new, "") for page in pages)
