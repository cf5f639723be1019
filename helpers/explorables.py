"""Small interactive figures whose every picture was made by the run that the page shows.

An explorable is a set of frames, one for each position of its controls, written by the notebook. The script
``book/_static/explorables.js`` adds the controls and shows one frame at a time; it computes nothing, so it cannot
disagree with the library. In print, in plain Jupyter and without JavaScript, the starting frame is what is shown.
"""

import html
import itertools
import json
from collections.abc import Callable, Mapping, Sequence

from IPython.display import HTML, display


class _Explorable(HTML):
    """Frames for a page, the caption for a terminal."""

    def __init__(self, markup: str, caption: str) -> None:
        super().__init__(markup)
        self.caption = caption

    def __repr__(self) -> str:
        return f"[explorable: {self.caption}]"


def explorable(
    caption: str,
    controls: Mapping[str, Sequence[str]],
    frame: Callable[..., str],
    start: Sequence[int] | None = None,
) -> None:
    """Display a figure that the reader moves with sliders and buttons.

    Args:
        caption: what it shows, in a sentence; it stands above the controls.
        controls: the name of each control and a label for each of its positions, such as
            ``{"call": ["reset", "step 1", "step 2"]}``.
        frame: from one position index a control to the HTML of that frame. It is called for all combinations.
        start: the position of each control at the beginning, and for good where there is no script; the first
            of each if not given.

    Raises:
        ValueError: if there is no caption, a control has fewer than two positions, or `start` does not fit.
    """
    if not caption.strip():
        raise ValueError(f"caption={caption!r}; say in a sentence what the explorable shows")
    for name, labels in controls.items():
        if len(labels) < 2:
            raise ValueError(f"control {name!r} has {len(labels)} positions; a control needs at least 2")
    start = tuple(start) if start is not None else (0,) * len(controls)
    positions = list(itertools.product(*(range(len(labels)) for labels in controls.values())))
    if start not in positions:
        raise ValueError(f"start={start} is not a position of the controls {list(controls)}")
    frames = "\n".join(
        f'<div class="frame" data-at="{",".join(map(str, at))}"{"" if at == start else " hidden"}>{frame(*at)}</div>'
        for at in positions
    )
    listed = html.escape(json.dumps({name: list(labels) for name, labels in controls.items()}), quote=True)
    begin = ",".join(map(str, start))
    markup = (
        f'<div class="explorable" role="group" aria-label="{html.escape(caption, quote=True)}" '
        f'data-controls="{listed}" data-start="{begin}">\n'
        f'<p class="explorable-caption">{html.escape(caption)}</p>\n{frames}\n</div>'
    )
    display(_Explorable(markup, caption))


def grid(caption: str, header: Sequence[str], rows: Sequence[Sequence[str]], marked: Sequence[int] = ()) -> str:
    """Return an HTML table for a frame: the first cell of a row names it, the rows in `marked` stand out."""
    head = "".join(f'<th scope="col">{html.escape(cell)}</th>' for cell in header)
    body = ""
    for number, (name, *cells) in enumerate(rows):
        data = "".join(f"<td>{html.escape(cell)}</td>" for cell in cells)
        mark = ' class="marked"' if number in marked else ""
        body += f'<tr{mark}><th scope="row">{html.escape(name)}</th>{data}</tr>'
    return (
        f'<table class="docutils results"><caption>{html.escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )
