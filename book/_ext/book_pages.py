"""What our pages add to the theme's: downloads, and the few attributes that make its markup accessible.

The markup is finished after Sphinx wrote it, by exact replacements, so that no template of the theme is copied here.
`tests/test_browser.py` finds out when the theme changes and a replacement no longer takes.
"""

import os
import re
from pathlib import Path

from sphinx.search.en import SearchEnglish

SEARCH = """<h1>Search</h1><form class="search-again" role="search"><input type="search" name="q" \
aria-label="Words to search for" placeholder="an error, a name, a symptom"><button>Search</button></form>"""
REPLACEMENTS = [
    # A caption that says it is a heading must say of which level.
    ('class="caption" role="heading"', 'class="caption" role="heading" aria-level="2"'),
    # Two landmarks of one kind need names.
    ('<aside class="sidebar-drawer">', '<aside class="sidebar-drawer" aria-label="Book">'),
    ('<aside class="toc-drawer', '<aside aria-label="On this page" class="toc-drawer'),
    # What scrolls must be reachable by keyboard.
    ("<pre>", '<pre tabindex="0">'),
    ('<div class="output text_html">', '<div tabindex="0" class="output text_html">'),
    ('<div class="table-wrapper ', '<div tabindex="0" class="table-wrapper '),
    ('<table class="dataframe results">', '<table class="docutils results">'),
    # The search page has neither a main heading nor, on a phone, a field in sight.
    ('<div id="search-results"></div>', f'{SEARCH}<div id="search-results"></div>'),
]

# What a cell printed: the classes of its box, then the rest of it.
PRINTED = re.compile(r'(<div class="output (?:stream|text_plain)[^"]*?notranslate)("[^>]*>.*?</pre>)', re.DOTALL)
COLUMNS = 76


class WordsOfTheBook(SearchEnglish):
    """Leaves measured numbers out of the search index: nobody looks for 0.0025, and every reader loads it."""

    def word_filter(self, word: str) -> bool:
        """Say whether a word can be searched for; one or two digits can, as in 0.21 and 1.4."""
        return super().word_filter(word) and not re.fullmatch(r"\d{3,}", word)


def offer_downloads(app, pagename, templatename, context, doctree):
    """Put links to the notebook and the script under the title of a chapter."""
    if not pagename.startswith("notebooks/") or doctree is None:
        return
    stem = Path(pagename).name
    links = " ".join(f'<a href="{stem}.{kind}" download>.{kind}</a>' for kind in ("ipynb", "py"))
    downloads = f'<p class="downloads">Download this chapter: {links}</p>'
    context["body"] = context["body"].replace("</h1>", f"</h1>\n{downloads}", 1)


def copy_downloads(app, config):
    """Put what `tools.render` gathered beside the pages it belongs to."""
    if (Path(app.srcdir) / "_downloads").is_dir():
        config.html_extra_path.append("_downloads")


def darken(app):
    """Choose the dark highlighting; furo knows the setting only once Sphinx has loaded it as the theme."""
    if "pygments_dark_style" in app.config:
        app.config.pygments_dark_style = "github-dark"


def write_on_all_cores(app, env):
    """Let Sphinx write pages in parallel, which Jupyter Book has no setting for; one more process hands out the work.

    They are read one by one, since not every extension can be read in parallel.
    """
    app.parallel = os.cpu_count() + 1


def keep_columns(output: re.Match) -> str:
    """Mark a printed output as columns, which scroll on a phone; errors and longer lines are prose, and wrap."""
    start, printed = output.groups()
    longest = max(map(len, re.sub(r"<[^>]+>", "", printed).splitlines()), default=0)
    return output[0] if longest > COLUMNS or "Error: " in printed else f"{start} columns{printed}"


def finish(app, exception):
    """Apply the replacements to every page that has not had them."""
    if exception is None and app.builder.format == "html":
        for path in Path(app.outdir).rglob("*.html"):
            before = text = path.read_text(encoding="utf-8")
            for old, new in REPLACEMENTS:
                text = text.replace(new, old).replace(old, new)
            text = PRINTED.sub(keep_columns, text)
            if text != before:
                path.write_text(text, encoding="utf-8")


def setup(app):
    """Connect the above to Sphinx."""
    app.add_search_language(WordsOfTheBook)
    app.connect("config-inited", copy_downloads)
    app.connect("builder-inited", darken, priority=100)
    app.connect("html-page-context", offer_downloads, priority=900)
    app.connect("env-updated", write_on_all_cores)
    app.connect("build-finished", finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
