from xml.etree import ElementTree

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from helpers.environments import StepCounter
from helpers.figures import svg
from helpers.timeline import Cell, draw, record


def make(mode):
    return SyncVectorEnv([lambda: StepCounter(2), lambda: StepCounter(3, "truncated")], autoreset_mode=mode)


def rows(mode):
    return record(make, mode, np.zeros((4, 2), int)).rows


def test_next_step_spends_a_call_on_the_reset_and_ignores_the_action():
    first, second = rows(AutoresetMode.NEXT_STEP)
    assert first == [
        Cell(0, 0),
        Cell(0, 1, 1.0),
        Cell(0, 2, 2.0, terminated=True),
        Cell(1, 0, 0.0, action_ignored=True),
        Cell(1, 1, 1.0),
    ]
    assert second[3] == Cell(0, 3, 3.0, truncated=True)
    assert second[4] == Cell(1, 0, 0.0, action_ignored=True)


def test_same_step_returns_the_next_episode_and_keeps_the_final_observation():
    first, second = rows(AutoresetMode.SAME_STEP)
    assert first[2] == Cell(1, 0, 2.0, terminated=True, final=(0, 2))
    assert second[3] == Cell(1, 0, 3.0, truncated=True, final=(0, 3))
    assert first[3] == Cell(1, 1, 1.0)


def test_disabled_keeps_the_other_rows_during_a_masked_reset():
    timeline = record(make, AutoresetMode.DISABLED, np.zeros((3, 2), int))
    assert timeline.masked_resets == (3,)
    assert timeline.rows[0][3] == Cell(1, 0)
    assert timeline.rows[1][3] == Cell(0, 2, kept=True)
    assert timeline.rows[1][4] == Cell(0, 3, 3.0, truncated=True)


def test_wrong_action_shape_is_named_and_the_environments_are_closed():
    made = []

    def watched(mode):
        made.append(make(mode))
        return made[0]

    with pytest.raises(ValueError, match=r"actions has shape \(4, 3\); it needs \(steps, 2\)"):
        record(watched, AutoresetMode.NEXT_STEP, np.zeros((4, 3), int))
    assert made[0].closed


def test_drawing_says_in_text_what_it_says_in_colour():
    fig = draw([record(make, mode, np.zeros((4, 2), int)) for mode in AutoresetMode])
    root = ElementTree.fromstring(svg(fig, "Three timelines, one for each autoreset mode."))
    texts = [element.text for element in root.iter() if element.tag.endswith("text")]
    assert {mode.name for mode in AutoresetMode} <= set(texts)
    assert {"0.2", "1.0", "T", "C", "x", "=", "T F 0.2", "C F 0.3"} <= set(texts)
