"""The field guide answers every question it was written for, with a proof, and quotes errors as they are printed."""

import functools
import re
from dataclasses import dataclass, field

import jupytext
import pytest

from tools.project import NOTEBOOKS

PATH = NOTEBOOKS / "trust/27_field_guide.py"
# The questions of real users that the book set out to answer: autoreset, seeding, make_vec, spaces, infos, async and
# performance, async in difficulty, wrappers, evaluation, rendering, older versions.
QUESTIONS = """
AR01 AR02 AR03 AR05 AR10 AR11 AR12 SD01 SD02 SD03 SD06 MK01 MK04 MK07 SP02 SP03 SP04 SP06 IN01 IN02 IN03 AP03 AP04 AP05
AP06 AD01 AD02 AD03 AD05 AD07 AD08 AD09 AD10 AD12 AD13 WR02 WR03 WR04 WR06 WR08 WR09 WR10 EV01 EV02 EV03 RE02 IO02
"""
ID = re.compile(r"[A-Z]{2}\d{2}")  # a cell's tag that names the question it answers
ERROR = re.compile(r"\w+(?:Error|Warning): \S")
NOT_ENTRIES = ("Exercise ",)


@dataclass
class Entry:
    """What stands between one ``###`` heading and the next heading."""

    title: str
    text: str = ""
    code: str = ""
    answers: list[str] = field(default_factory=list)


def headings(text: str) -> list[str]:
    """Return the headings of Markdown `text`, without those in code."""
    return re.findall(r"^#{1,6} (.+)$", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)


def slug(title: str) -> str:
    """Return the anchor of a heading, as MyST and GitHub make it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


@functools.cache
def slugs(path) -> list[str]:
    cells = jupytext.read(path).cells
    return [slug(title) for cell in cells if cell.cell_type == "markdown" for title in headings(cell.source)]


def code_spans(text: str) -> list[str]:
    """Return what stands in backticks, single or double, with line ends taken as spaces."""
    flat = " ".join(text.split())
    return [(a or b).strip() for a, b in re.findall(r"``(.+?)``(?!`)|(?<!`)`([^`]+)`(?!`)", flat)]


CELLS = jupytext.read(PATH).cells
PROSE = "\n\n".join(cell.source for cell in CELLS if cell.cell_type == "markdown")


def entries() -> list[Entry]:
    found: list[Entry] = []
    inside = False
    for cell in CELLS:
        if cell.cell_type == "code":
            if inside:
                found[-1].code += cell.source + "\n"
                found[-1].answers += filter(ID.fullmatch, cell.metadata.get("tags", []))
            continue
        for part in re.split(r"^(?=#{1,6} )", cell.source, flags=re.MULTILINE):
            heading = re.match(r"(#+) (.+)\n?", part)
            if heading:
                inside = heading[1] == "###" and not heading[2].startswith(NOT_ENTRIES)
                if inside:
                    found.append(Entry(heading[2]))
                part = part[heading.end() :]
            if inside:
                found[-1].text += part
    return found


ENTRIES = entries()
each = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: slug(entry.title))


def test_every_question_is_answered_once():
    answered = [id_ for entry in ENTRIES for id_ in entry.answers]
    assert sorted(answered) == sorted(QUESTIONS.split())
    assert len(answered) == 47


@each
def test_an_entry_answers_proves_and_says_where_it_is_taught(entry):
    answer, _, teaches = entry.text.partition("**See**")
    assert answer.strip()
    assert re.search(r"\]\([^)]+\.ipynb", teaches), "no link to the chapter that teaches it"
    assert re.search(r"^\s*(assert\b|np\.testing\.)", entry.code, re.MULTILINE), "no assert"


@each
def test_an_entry_is_in_the_index(entry):
    index = PROSE[: PROSE.index("## What the cells share")]
    assert f"](#{slug(entry.title)})" in index


def test_no_two_headings_share_an_anchor():
    found = slugs(PATH)
    assert len(found) == len(set(found))


def test_every_link_leads_to_a_heading_that_exists():
    dead = []
    for target in re.findall(r"\]\(([^)\s]+)\)", PROSE):
        file, _, anchor = target.partition("#")
        if "://" in target or not anchor:
            continue
        path = (PATH.parent / file).resolve() if file else PATH
        if path.suffix == ".md":
            known = [slug(title) for title in headings(path.read_text(encoding="utf-8"))]
        else:
            known = slugs(path.with_suffix(".py"))
        if anchor not in known:
            dead.append(target)
    assert dead == []


def quotations() -> set[str]:
    """Return the errors that the page quotes, in its entries and in the index tables of errors."""
    quoted = {span for span in code_spans(PROSE) if ERROR.match(span)}
    for table in re.findall(r"\*\*Errors at .+?\*\*\n\n(.+?)\n\n", PROSE, re.DOTALL):
        for row in table.splitlines()[2:]:
            quoted |= {span for span in code_spans(row.split(" | ")[0]) if not re.fullmatch(r"\w+Error", span)}
    return quoted


def test_every_quoted_error_is_compared_with_a_run():
    """The notebook's last cells look for each quotation among the errors that the notebook has shown."""
    code = "\n".join(cell.source for cell in CELLS if cell.cell_type == "code")
    lists = re.findall(r'^quoted \+?= """\n(.+?)"""$', code, re.MULTILINE | re.DOTALL)
    listed = {" ".join(words.split()) for words in "".join(lists).split("|")}
    assert listed == {words for words in quotations() if not any(words in other for other in quotations() - {words})}
    assert len(listed) > 20
