"""Code on the Markdown pages runs, and prints what the page says it prints."""

import contextlib
import io
import re

import pytest

from tools.project import ROOT

BLOCKS = re.compile(r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<output>.*?)^```\n)?", re.MULTILINE | re.DOTALL)
PAGES = sorted((ROOT / "book").glob("*.md"))


def run(text: str) -> list[tuple[str, str]]:
    """Run a page's Python blocks in order; return what each printed and what the page says it prints."""
    namespace: dict = {"__name__": "__main__"}
    results = []
    for block in BLOCKS.finditer(text):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(block["code"], namespace)
        results.append((printed.getvalue(), block["output"] or ""))
    return results


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page_prints_what_it_says(page):
    for printed, said in run(page.read_text(encoding="utf-8")):
        assert printed == said


def test_a_wrong_output_and_a_missing_one_are_found():
    assert run("```python\nprint(1)\n```\n\n```text\n2\n```\n") == [("1\n", "2\n")]
    assert run("```python\nprint(1)\n```\n\nProse.\n") == [("1\n", "")]
