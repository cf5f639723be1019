"""Every exercise: its check accepts the solution, refuses the stub, and gives each likely wrong answer its hint."""

import re
from dataclasses import dataclass

import jupytext
import pytest

from helpers.exercises import check, find, grade
from tools.project import ROOT, notebooks


@dataclass(frozen=True)
class Found:
    """An exercise as the reader meets it in a notebook."""

    number: str
    variable: str
    imports: str
    stub: str
    solution: str

    def grade(self, code: str) -> tuple[bool, str]:
        """Run `code` as the reader's answer, after the notebook's import cell, and grade it."""
        namespace = {"__name__": "__main__"}
        exec(self.imports, namespace)
        exec(code, namespace)
        return grade(self.number, namespace[self.variable])


def next_source(cells: list, kind: str, text: str) -> str:
    """Return the source of the next cell of this kind with this text, or nothing."""
    return next((cell.source for cell in cells if cell.cell_type == kind and text in cell.source), "")


def exercises_of(name: str) -> list[Found]:
    cells = jupytext.read(ROOT / f"{name}.py").cells
    imports = next(cell.source for cell in cells if cell.cell_type == "code")
    found = []
    for place, cell in enumerate(cells):
        if "exercise" not in cell.metadata.get("tags", []):
            continue
        following = cells[place + 1 :]
        asked = re.search(r'^check\("(\d\d\.\d)", (\w+)\)$', next_source(following, "code", "check("), re.MULTILINE)
        answer = next_source(following, "markdown", "<summary>Solution</summary>")
        solved = re.search(r"<summary>Solution</summary>.*?```python\n(.*?)```", answer, re.DOTALL)
        assert asked, f"{name}: the stub in cell {place} is not followed by a check"
        assert solved, f"{name}: the check of {asked[1]} is not followed by a solution"
        found.append(Found(asked[1], asked[2], imports, cell.source, solved[1]))
    return found


EXERCISES = [found for name in notebooks() for found in exercises_of(name)]
each = pytest.mark.parametrize("found", EXERCISES, ids=lambda found: found.number)


@pytest.mark.parametrize("name", notebooks())
def test_every_chapter_has_two_to_four_under_its_own_number(name):
    numbers = [found.number for found in exercises_of(name)]
    chapter = name.rsplit("/", 1)[1][:2]
    assert numbers == [f"{chapter}.{i}" for i in range(1, len(numbers) + 1)]
    assert 2 <= len(numbers) <= 4


@each
def test_the_solution_passes(found):
    assert found.grade(found.solution) == (True, "right")


@each
def test_the_stub_fails_and_says_why(found):
    right, message = found.grade(found.stub)
    assert not right
    assert message.startswith(("not answered yet", "not yet: "))


@each
def test_each_likely_wrong_answer_earns_its_hint(found):
    wrong = find(found.number).wrong
    assert wrong, "no wrong answer is listed"
    for code, hint in wrong:
        right, message = found.grade(code)
        assert not right, code
        assert hint in message, code


def test_an_answer_that_raises_is_told_so():
    def raises(terminated, truncated):
        return terminated.missing

    right, message = grade("01.2", raises)
    assert not right
    assert message.startswith("not yet: your code raised AttributeError")


def test_check_prints_one_line(capsys):
    check("01.1", ...)
    check("01.1", (5, 3))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Exercise 01.1: not answered yet")
    assert lines[1] == "Exercise 01.1: right."


@pytest.mark.parametrize("number", ["99.1", "1.1", "01.9", "ch01"])
def test_an_unknown_number_is_named(number):
    with pytest.raises(ValueError, match=f"there is no exercise '{number}'"):
        check(number, 1)
