import itertools
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from helpers.figures import PALETTE, figure, show, svg

ALT = "A line that rises from one to three."
LIGHT, DARK = "#ffffff", "#131416"  # furo's page backgrounds


# What an eye without one kind of cone sees of linear RGB: Machado, Oliveira and Fernandes, "A Physiologically-based
# Model for Simulation of Color Vision Deficiency", 2009, for a severity of 1.
EYES = {
    "all cones": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
# From linear RGB to CIE XYZ, for the white of sRGB (IEC 61966-2-1).
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(colour: str) -> np.ndarray:
    channels = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    return float(linear(colour) @ TO_XYZ[1])


def lab(seen: np.ndarray) -> np.ndarray:
    """CIE L*a*b* of linear RGB; a distance of 2 is just seen in two large patches side by side."""
    x, y, z = np.cbrt(TO_XYZ @ np.clip(seen, 0, 1) / TO_XYZ.sum(axis=1))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def contrast(a: str, b: str) -> float:
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("background", [LIGHT, DARK])
@pytest.mark.parametrize("colour", PALETTE)
def test_every_colour_is_visible_on_both_backgrounds(colour, background):
    assert contrast(colour, background) >= 3


@pytest.mark.parametrize("eye", EYES)
def test_any_two_colours_are_told_apart_by_any_eye(eye):
    colours = [lab(np.array(EYES[eye]) @ linear(colour)) for colour in PALETTE]
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(colours, 2)) >= 15


def test_lines_differ_by_more_than_colour():
    _, ax = figure()
    lines = [ax.plot([1, 2])[0] for _ in PALETTE]
    for a, b in itertools.combinations(lines, 2):
        assert a.get_marker() != b.get_marker()
        assert a.get_linestyle() != b.get_linestyle() or a.get_marker() != b.get_marker()


def draw():
    fig, ax = figure(2)
    ax.plot([1, 2, 3], label="rising")
    ax.set(xlabel="x", title="t")
    ax.legend()
    return fig


def test_svg_is_well_formed_named_and_takes_the_colour_of_the_text():
    root = ElementTree.fromstring(svg(draw(), ALT))
    assert root.get("role") == "img"
    assert root.get("aria-label") == ALT
    texts = [element for element in root.iter() if element.tag.endswith("text")]
    assert {"rising", "x", "t"} <= {element.text for element in texts}
    assert all("fill: currentColor" in element.get("style") for element in texts)


def test_two_figures_on_one_page_share_no_id():
    ids = [set(re.findall(r'\bid="([^"]+)"', svg(draw(), ALT))) for _ in range(2)]
    assert ids[0]
    assert not ids[0] & ids[1]


def test_every_reference_inside_a_figure_is_resolved():
    text = svg(draw(), ALT)
    ids = set(re.findall(r'\bid="([^"]+)"', text))
    assert set(re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', text))
    assert {a or b for a, b in re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', text)} <= ids


def test_a_figure_carries_no_style_that_leaks_into_the_page():
    assert "<style" not in svg(draw(), ALT)


@pytest.mark.parametrize("alt", ["", "A plot", "figure 1"])
def test_a_figure_without_a_text_cannot_be_shown(alt):
    with pytest.raises(ValueError, match="does not say what the figure shows"):
        show(draw(), alt)


def test_letters_too_small_for_a_phone_cannot_be_shown():
    fig = draw()
    fig.axes[0].set_title("small print", size=8)
    with pytest.raises(ValueError, match="'small print' is 8 points high; use at least 10"):
        show(fig, ALT)


def test_a_terminal_prints_what_the_figure_shows(capsys):
    show(draw(), ALT)
    assert capsys.readouterr().out == f"[figure: {ALT}]\n"


def test_coordinates_are_short_and_labels_whole():
    fig, ax = figure()
    ax.plot([0, 1 / 3], [0, 1 / 7])
    ax.set_yticks([0.25, 0.125])
    markup = svg(fig, ALT)
    assert ">0.125<" in markup and ">0.250<" in markup
    assert not re.search(r"\d\.\d\d", re.sub(r">[^<]*<", "><", markup))
