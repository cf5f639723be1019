import re

import pytest

from helpers.explorables import _Explorable, explorable, grid


def shown(monkeypatch, **arguments) -> _Explorable:
    made = []
    monkeypatch.setattr("helpers.explorables.display", made.append)
    explorable(**arguments)
    return made[0]


def test_one_frame_for_each_position_and_only_the_first_is_visible(monkeypatch):
    made = shown(
        monkeypatch,
        caption="Rows & calls",
        controls={"call": ["reset", "step"], "row": ["0", "1", "2"]},
        frame=lambda call, row: f"<p>{call}{row}</p>",
        start=(1, 2),
    )
    frames = re.findall(r'<div class="frame" data-at="([\d,]+)"( hidden)?><p>(\d+)</p>', made.data)
    assert [at.replace(",", "") for at, _, _ in frames] == [content for _, _, content in frames]
    assert [at for at, hidden, _ in frames if not hidden] == ["1,2"]
    assert len(frames) == 6
    assert 'aria-label="Rows &amp; calls"' in made.data
    assert repr(made) == "[explorable: Rows & calls]"


def test_a_grid_is_escaped_and_marks_its_rows():
    text = grid("a < b", ["row", "value"], [["row 0", "<x>"], ["row 1", "2"]], marked=[1])
    assert "<caption>a &lt; b</caption>" in text
    assert "<td>&lt;x&gt;</td>" in text
    assert '<tr class="marked"><th scope="row">row 1</th>' in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"caption": " ", "controls": {"call": ["a", "b"]}}, "say in a sentence what"),
        ({"caption": "c", "controls": {"call": ["a"]}}, "control 'call' has 1 positions"),
        ({"caption": "c", "controls": {"call": ["a", "b"]}, "start": (2,)}, r"start=\(2,\) is not a position"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        explorable(frame=str, **arguments)
