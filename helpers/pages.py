"""What a cell says: computed sentences, tables, expected errors. Readable on a page, in Jupyter and in a terminal."""

import itertools
import re
from collections.abc import Iterator
from contextlib import contextmanager

import pandas as pd
from IPython.display import HTML, Markdown, display

shown_errors: list[str] = []
"""What `expect` has printed so far, so that a page can compare the errors it quotes with those it has shown."""


# 12, -0.5, 1,024, 0.96 ± 0.02, 40 %, or a dash where there is none.
_NUMBER = r"[-+−]?\d[\d,.]*(e[-+]?\d+)?( ± [\d.]+)?( ?%)?|nan|[-–]?"


class _Sentence(Markdown):
    def __repr__(self) -> str:
        return self.data


class _Table(HTML):
    def __init__(self, frame: pd.DataFrame, caption: str) -> None:
        frame = frame.rename_axis(columns=None)  # or pandas gives each row an empty header cell
        texts = [frame[column].map(str) for column in frame]
        of_numbers = [text.str.fullmatch(_NUMBER).all() and text.str.contains(r"\d").any() for text in texts]
        align = itertools.cycle([' class="text-right"' if right else "" for right in of_numbers])
        markup = frame.to_html(index=False, border=0, classes="results")
        markup = re.sub("<(t[hd])>", lambda tag: f"<{tag[1]}{next(align)}>", markup)
        markup = markup.replace("<thead>", f"<caption>{caption}</caption>\n  <thead>", 1)
        super().__init__(re.sub(r"<th\b", '<th scope="col"', markup))
        self._text = f"{caption}\n{frame.to_string(index=False)}"

    def __repr__(self) -> str:
        return self._text


def say(sentence: str) -> None:
    """Display a sentence of Markdown, so that its numbers come from the run and not from the writer."""
    display(_Sentence(sentence))


def table(rows: pd.DataFrame | list[dict], caption: str) -> None:
    """Display `rows` as a table that says what it is.

    Args:
        rows: one dict for each row, all with the same keys, or a data frame (its index is not shown).
        caption: a sentence without a full stop; it stands above the table.

    Raises:
        ValueError: if there are no rows or no caption.
    """
    frame = pd.DataFrame(rows)
    if frame.empty or not caption.strip():
        raise ValueError(f"a table needs rows and a caption; got {len(frame)} rows and caption={caption!r}")
    display(_Table(frame, caption))


@contextmanager
def expect(*errors: type[BaseException]) -> Iterator[None]:
    """Print the error that the block raises, which is the point of the cell, and keep it in `shown_errors`.

    Args:
        *errors: the types of which one must be raised. Any other error passes through.

    Raises:
        AssertionError: if the block raises nothing, so that a page cannot claim an error that has gone.
    """
    try:
        yield
    except errors as error:
        shown_errors.append(f"{type(error).__name__}: {error}")
        print(shown_errors[-1])
    else:
        raise AssertionError(f"expected {' or '.join(error.__name__ for error in errors)}, but nothing was raised")
