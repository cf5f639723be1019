"""Checks for the exercises: ``check("06.1", answer)`` says whether the answer is right, and if not, what to look at.

Each chapter's checks are in a module of their own, ``helpers/exercises/ch06.py`` for chapter 6. A check is a
function of the answer that raises `Hint` when the answer is wrong and returns nothing when it is right.
"""

import contextlib
import importlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


class Hint(Exception):
    """The answer is not right yet; the message says what to look at next."""


@dataclass(frozen=True)
class Exercise:
    """One exercise: its check, and the wrong answers it must recognise.

    `wrong` holds pairs of code and a part of the hint that code must earn. The tests run them all.
    """

    check: Callable[[Any], None]
    wrong: Sequence[tuple[str, str]]


_EXERCISES: dict[str, Exercise] = {}


def exercise(number: str, wrong: Sequence[tuple[str, str]]) -> Callable:
    """Register the decorated function as the check of exercise `number`, such as ``"06.1"``."""

    def register(function: Callable[[Any], None]) -> Callable[[Any], None]:
        _EXERCISES[number] = Exercise(function, wrong)
        return function

    return register


def find(number: str) -> Exercise:
    """Return exercise `number`.

    Raises:
        ValueError: if there is no exercise of that number.
    """
    if re.fullmatch(r"\d\d\.\d", number):
        with contextlib.suppress(ModuleNotFoundError):
            importlib.import_module(f"{__name__}.ch{number[:2]}")
    if number not in _EXERCISES:
        raise ValueError(f"there is no exercise {number!r}; the number stands in the exercise's title, as in '06.1'")
    return _EXERCISES[number]


def grade(number: str, answer: Any) -> tuple[bool, str]:
    """Return whether `answer` solves exercise `number`, and what to tell the reader."""
    solved = find(number)
    if answer is ...:
        return False, "not answered yet: replace the ... above, run that cell, then this one"
    try:
        solved.check(answer)
    except Hint as hint:
        return False, f"not yet: {hint}"
    except NotImplementedError:
        return False, "not answered yet: replace the line that raises NotImplementedError, then run both cells again"
    except Exception as error:
        return False, f"not yet: your code raised {type(error).__name__}: {error}"
    return True, "right"


def check(number: str, answer: Any) -> None:
    """Print whether `answer` solves exercise `number`; if not, print a hint.

    Raises:
        ValueError: if there is no exercise of that number.
    """
    _, message = grade(number, answer)
    print(f"Exercise {number}: {message}.")
