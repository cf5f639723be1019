"""One style for every figure: legible on light and dark, at phone width, in print and without colour.

A figure becomes an inline SVG whose lines and letters take the colour of the text around it, so one picture
serves both themes. It cannot be shown without a text that says what it shows.
"""

import html
import io
import itertools
import re

import matplotlib as mpl
from IPython.display import HTML, display
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

# Near to Okabe and Ito's palette, moved until each is at least 3:1 against both page backgrounds and any two are told
# apart under the common kinds of colour blindness (tests/test_figures.py measures both).
PALETTE = ("#006bc8", "#d94400", "#179458", "#975f97", "#9d9642", "#737e7b")
MARKERS = ("o", "s", "^", "D", "v", "P")
LINESTYLES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)))

# A figure this wide shrinks by a twelfth on a phone of 390 pixels, a little more in a solution, and letters of this
# size are still more than 8 pixels high there.
WIDTH = 5.2  # inches
SMALLEST = 10  # points

# The colour of the text around the figure: a stand-in that svg() turns into currentColor.
INK = "#010203"
_STYLE = {
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.prop_cycle": mpl.cycler(color=PALETTE, linestyle=LINESTYLES, marker=MARKERS),
    "axes.titlesize": "medium",
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "font.size": 11,
    "legend.frameon": False,
    "legend.labelcolor": INK,
    "lines.linewidth": 1.8,
    "lines.markersize": 5,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "svg.fonttype": "none",
    "svg.hashsalt": "vector-environments",
}
mpl.rcParams.update(_STYLE)
_numbers = itertools.count()


def figure(height: float = 3.2, **subplots) -> tuple[Figure, Axes]:
    """Return a new figure in the book's style and its axes (an array of axes if `subplots` asks for several).

    Args:
        height: in inches; the width is the same for all figures, `WIDTH`.
        **subplots: passed on to `Figure.subplots`, such as ``nrows=2`` or ``sharex=True``.
    """
    fig = Figure(figsize=(WIDTH, height), layout="constrained")
    return fig, fig.subplots(**subplots)


def svg(fig: Figure, alt: str) -> str:
    """Return `fig` as one SVG element that carries `alt` as its accessible name.

    Raises:
        ValueError: if `alt` is too short to say what the figure shows, or letters are too small for a phone.
    """
    if len(alt.split()) < 5:
        raise ValueError(f"alt={alt!r} does not say what the figure shows; describe it in a sentence")
    for text in fig.findobj(Text):
        if text.get_text().strip() and text.get_size() < SMALLEST:
            raise ValueError(f"{text.get_text()!r} is {text.get_size():g} points high; use at least {SMALLEST}")
    buffer = io.StringIO()
    fig.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :].replace(INK, "currentColor")
    text = re.sub(r"<metadata>.*?</metadata>|<defs>\s*<style.*?</style>\s*</defs>", "", text, flags=re.DOTALL)
    text = re.sub(r"font-family: [^;\"]*", "font-family: inherit", text)
    # In coordinates a tenth of a point is finer than any screen, and the page lighter; labels stay as they are.
    text = re.sub(r"<[^>]+>", lambda tag: re.sub(r"(\d\.\d)\d+", r"\1", tag[0]), text)
    # Two figures on one page must not share an id.
    prefix = f"fig{next(_numbers)}-"
    text = re.sub(r'(\bid="|url\(#|xlink:href="#)', rf"\g<1>{prefix}", text)
    text = re.sub(
        r'width="[\d.]+pt" height="[\d.]+pt"', f'style="width: {fig.get_figwidth() * 96:.0f}px"', text, count=1
    )
    return text.replace("<svg ", f'<svg role="img" aria-label="{html.escape(alt, quote=True)}" ', 1)


class _Picture(HTML):
    """An SVG for a page, its description for a terminal."""

    def __init__(self, markup: str, alt: str) -> None:
        super().__init__(markup)
        self.alt = alt

    def __repr__(self) -> str:
        return f"[figure: {self.alt}]"


def show(fig: Figure, alt: str) -> None:
    """Display `fig` in a notebook; in a script, print what it shows.

    Args:
        fig: a figure from `figure`.
        alt: what a reader who does not see the figure must know: one or two sentences.

    Raises:
        ValueError: if `alt` is too short to say what the figure shows.
    """
    display(_Picture(f'<figure class="plot">{svg(fig, alt)}</figure>', alt))
