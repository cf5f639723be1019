"""Every chapter has the parts that CONTRIBUTING.md asks for, and takes the minutes it says."""

import ast
import re

import jupytext
import pytest

from tools.project import ROOT, notebooks, toc_pages

CHAPTERS = notebooks()
LESSONS = [name for name in CHAPTERS if not name.endswith("27_field_guide")]  # that one is for looking things up
WORDS, LINES = 220, 20  # read in a minute: of prose, of code
LONGEST = {"primitives": 25, "compositions": 25, "learning": 35, "scale": 35, "trust": 40}
FOLDED = {"remove-cell", "hide-input", "hide-cell"}


def cells_of(name: str) -> list:
    return jupytext.read(ROOT / f"{name}.py").cells


def prose_of(name: str) -> str:
    """Return what a reader reads: Markdown cells without what is folded away."""
    prose = "\n\n".join(cell.source for cell in cells_of(name) if cell.cell_type == "markdown")
    return re.sub(r"<details>.*?</details>", "", prose, flags=re.DOTALL)


def minutes_stated(name: str) -> int:
    return int(re.search(r"\*\*Time:\*\*\s+about (\d+) minutes", prose_of(name))[1])


def minutes_taken(name: str) -> float:
    """Return the minutes to read the prose and the code that is not folded away."""
    code = [
        cell for cell in cells_of(name) if cell.cell_type == "code" and not FOLDED & set(cell.metadata.get("tags", []))
    ]
    lines = sum(bool(line.strip()) for cell in code for line in cell.source.splitlines())
    return len(re.findall(r"[\w'`]+", prose_of(name))) / WORDS + lines / LINES


@pytest.mark.parametrize("name", LESSONS)
def test_takes_the_minutes_it_says(name):
    taken = minutes_taken(name)
    assert abs(minutes_stated(name) - taken) <= max(3, 0.15 * taken), f"{name} takes {taken:.0f} minutes"
    longest = LONGEST[name.split("/")[1]]
    assert minutes_stated(name) <= longest, f"{name}: at most {longest} minutes; shorten it"


@pytest.mark.parametrize("name", CHAPTERS)
def test_has_the_parts_of_a_chapter_in_their_order(name):
    cells = cells_of(name)
    assert cells[0].cell_type == "markdown" and cells[0].source.startswith("# ")
    assert "**You need:**" in cells[0].source and "**Time:**" in cells[0].source
    imports = ast.parse(next(cell.source for cell in cells if cell.cell_type == "code"))
    assert all(isinstance(node, ast.Import | ast.ImportFrom) for node in imports.body), (
        "the first code cell only imports"
    )
    headings = re.findall(r"^## (.+)$", "\n".join(c.source for c in cells if c.cell_type == "markdown"), re.MULTILINE)
    assert headings[-2:] == ["Exercises", "Recap"]
    assert "What trips people up" in headings or name not in LESSONS
    code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    assert re.search(r"^(show|stepper|explorable)\(", code, re.MULTILINE), "no picture"
    assert "assert " in code
    assert "https://gymnasium.farama.org/" in cells[-1].source + cells[-2].source, "the recap links to no reference"


@pytest.mark.parametrize("name", CHAPTERS)
def test_visible_cells_are_short_enough_to_read(name):
    for cell in cells_of(name):
        if cell.cell_type == "code" and not FOLDED & set(cell.metadata.get("tags", [])):
            lines = cell.source.splitlines()
            assert len(lines) <= 16, cell.source
            assert max(map(len, lines), default=0) <= 88, cell.source


def test_the_routes_of_the_intro_say_the_chapters_minutes():
    intro = (ROOT / "book" / "intro.md").read_text(encoding="utf-8")
    routes = intro.partition("## Three routes")[2].partition("\n## ")[0]
    stated = {
        f"notebooks/{page}": int(minutes) for page, minutes in re.findall(r"notebooks/(\S+)\.ipynb\) \((\d+)", routes)
    }
    assert stated and stated == {name: minutes_stated(name) for name in stated}
    assert set(stated) <= set(toc_pages())
