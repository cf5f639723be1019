"""Checks of chapter 21, native vector environments."""

import numpy as np
from gymnasium.envs.classic_control.mountain_car import MountainCarEnv

from helpers.exercises import Hint, exercise


@exercise(
    "21.1",
    wrong=[
        ("answer = 1500", "half"),
        ("answer = 15000", "ten times"),
        ("answer = 13.5", "nanoseconds"),
        ('answer = "13500"', "a number"),
    ],
)
def _rows(answer):
    if not isinstance(answer, int | float):
        raise Hint("answer with a number of rows")
    if answer == 1500:
        raise Hint("with 1500 rows the rows take 30 µs too, so the fixed part is half of the call")
    if answer == 15000:
        raise Hint("the fixed part is a tenth of the whole call; you made the rows' part ten times as long as it")
    if abs(answer - 13.5) < 1:
        raise Hint("30 µs are 30 000 nanoseconds; both times need the same unit")
    if answer != 13500:
        raise Hint("the rows must take nine times 30 µs, at 20 ns each")


_SOLVED = """def rewards(positions, angles):
    off_centre = np.where(np.abs(positions) > 1.0, 0.5, 1.0)
    return np.where(np.abs(angles) > 0.2, -1.0, off_centre)"""


@exercise(
    "21.2",
    wrong=[
        (
            "def rewards(positions, angles):\n    if np.abs(angles) > 0.2:\n        return -1.0\n    return 1.0",
            "one question about many",
        ),
        (_SOLVED.replace("np.abs(angles)", "angles"), "negative"),
        (_SOLVED.replace("np.abs(positions)", "positions"), "negative"),
        (
            "def rewards(positions, angles):\n"
            "    fallen = np.where(np.abs(angles) > 0.2, -1.0, 1.0)\n"
            "    return np.where(np.abs(positions) > 1.0, 0.5, fallen)",
            "asked first",
        ),
        (_SOLVED.replace("    return ", "    "), "returned nothing"),
        (
            "def rewards(positions, angles):\n"
            "    return [-1.0 if abs(a) > 0.2 else 0.5 if abs(p) > 1 else 1.0 for p, a in zip(positions, angles)]",
            "an array",
        ),
    ],
)
def _rewards(answer):
    positions = np.array([0.0, 1.5, -1.5, 0.0, 0.0, 1.5, 1.0])
    angles = np.array([0.0, 0.1, 0.1, 0.3, -0.3, 0.3, 0.2])
    expected = np.array([1.0, 0.5, 0.5, -1.0, -1.0, -1.0, 1.0])
    try:
        found = answer(positions, angles)
    except ValueError as error:
        if "truth value" in str(error):
            raise Hint("an if asks one question about many rows; compute a mask and use np.where") from None
        raise
    if found is None:
        raise Hint("your function returned nothing")
    if not isinstance(found, np.ndarray) or found.shape != expected.shape:
        raise Hint("return an array with one reward for each row, computed without a loop")
    wrong = found != expected
    if wrong[[2, 4]].any() and not wrong[[1, 3]].any():
        raise Hint("look at negative positions and angles: the single version uses abs")
    if wrong[5] and wrong.sum() == 1:
        raise Hint("a fallen pole off the centre: the question about the angle is asked first")
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise Hint(
            f"position {positions[row]} and angle {angles[row]} should give {expected[row]}, but give {found[row]}"
        )


_DRIVE = """def drive(state, actions):
    position, velocity = state
    velocity += (actions - 1) * 0.001 + np.cos(3 * position) * -0.0025
    np.clip(velocity, -0.07, 0.07, out=velocity)
    position += velocity
    np.clip(position, -1.2, 0.6, out=position)
    velocity[(position == -1.2) & (velocity < 0)] = 0"""


@exercise(
    "21.3",
    wrong=[
        (_DRIVE.replace("velocity += (", "velocity = velocity + ("), "in place"),
        (_DRIVE.replace("    np.clip(velocity, -0.07, 0.07, out=velocity)\n", ""), "0.07"),
        (_DRIVE.replace("    velocity[(position == -1.2) & (velocity < 0)] = 0", ""), "wall"),
        (_DRIVE.replace("(actions - 1)", "actions"), "action 1"),
        (_DRIVE.replace(", out=position", "").replace(", out=velocity", ""), "np.clip returns"),
        (_DRIVE.replace("(position == -1.2) & (velocity < 0)", "position == -1.2 and velocity < 0"), "&"),
        ("def drive(state, actions):\n    import math\n    state[1] += math.cos(3 * state[0])", "np.cos"),
    ],
)
def _drive(answer):
    rng = np.random.default_rng(0)
    state = rng.uniform([[-1.1], [-0.06]], [[0.4], [0.06]], (2, 200))
    state[:, :3] = [[-1.19, -1.19, -0.5], [-0.069, -0.02, -0.07]]
    actions = rng.integers(0, 3, 200)
    actions[:3] = [0, 0, 0]
    car, expected = MountainCarEnv(), []
    for row, action in zip(state.T, actions, strict=True):
        car.reset()
        car.state = tuple(row)
        car.step(int(action))
        expected.append(car.state)
    expected = np.array(expected, float).T
    moved = state.copy()
    try:
        returned = answer(moved, actions)
    except TypeError as error:
        if "scalar" in str(error) or "0-dim" in str(error):
            raise Hint("math.cos takes one number; np.cos takes an array") from None
        raise
    except ValueError as error:
        if "truth value" in str(error):
            raise Hint("combine masks with &, each in brackets, not with and") from None
        raise
    if np.array_equal(moved, state) or (returned is not None and not np.allclose(moved, expected)):
        raise Hint("the state itself has to change, in place: x = x + 1 makes a new array, x += 1 writes into x")
    _compare(moved, expected, state, actions)


def _compare(moved, expected, state, actions):
    wrong = ~np.isclose(moved, expected, atol=1e-9).all(axis=0)
    if not wrong.any():
        return
    if np.array_equal(moved[1], state[1]):
        raise Hint("the velocities did not change: write into them in place, with += and not with a new name")
    if (np.abs(moved[1]) > 0.07 + 1e-9).any() and (moved[0] < -1.2).any():
        raise Hint("np.clip returns a new array unless you give it out=...")
    if (np.abs(moved[1]) > 0.07 + 1e-9).any():
        raise Hint("some car is faster than 0.07: the velocity has to be clipped before it is used")
    if wrong[actions == 1].all() and wrong.mean() > 0.8:
        raise Hint("action 1 is to coast: 0, 1 and 2 stand for a push of -0.001, 0 and 0.001")
    if wrong[:2].any() and not wrong[2:].any():
        raise Hint("only cars at the wall, position -1.2, are wrong: they have to stop there")
    row = int(np.flatnonzero(wrong)[0])
    raise Hint(
        f"from position {state[0, row]:.3f}, velocity {state[1, row]:.3f}, action {actions[row]}, the car should come "
        f"to {expected[0, row]:.4f}, {expected[1, row]:.4f}, but comes to {moved[0, row]:.4f}, {moved[1, row]:.4f}"
    )
