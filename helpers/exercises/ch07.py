"""Checks of chapter 7, spaces."""

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space

from helpers.exercises import Hint, exercise


@exercise(
    "07.1",
    wrong=[
        ("answer = ((), (4,))", "one action"),
        ("answer = ((1,), (4,))", "one action"),
        ("answer = ((5, 9), (5, 4))", "says which"),
        ("answer = ((5, 1), (5, 4))", "()"),
        ("answer = ((5, 2),)", "two parts"),
        ("answer = (5, 2)", "two parts"),
        ("answer = ((5,), (4, 5))", "first axis"),
        ("answer = [5, 4]", "tuple of two shapes"),
    ],
)
def _pad_shapes(answer):
    if not isinstance(answer, tuple):
        raise Hint("give a tuple of two shapes, such as ((2,), (2, 3))")
    if len(answer) != 2 or not all(isinstance(shape, tuple) for shape in answer):
        raise Hint("a batch of a Tuple space keeps its two parts: one shape for each, such as ((2,), (2, 3))")
    if answer in (((), (4,)), ((1,), (4,))):
        raise Hint("those are the shapes of one action; a batch of five has a batch axis in front")
    if answer[0] == (5, 9):
        raise Hint("9 is how many values there are to choose from; a Discrete action says which, with one number")
    if answer[0] == (5, 1):
        raise Hint("the shape of a Discrete is (), so nothing follows the number of rows")
    if answer[1] == (4, 5):
        raise Hint("the batch axis is the first axis: rows first, then the four switches")
    if answer != ((5,), (5, 4)):
        raise Hint("put the number of rows, 5, in front of the shapes () and (4,)")


@exercise(
    "07.2",
    wrong=[
        ("def draw_legal(space, masks, reported):\n    return space.sample()", "illegal"),
        ("def draw_legal(space, masks, reported):\n    return space.sample(mask=masks)", "to be a tuple"),
        ("def draw_legal(space, masks, reported):\n    return space.sample(mask=tuple(masks))", "row 1 did not report"),
        (
            "def draw_legal(space, masks, reported):\n    return space.sample(mask=tuple(masks.astype(np.int8)))",
            "did not report",
        ),
        (
            "def draw_legal(space, masks, reported):\n"
            "    masks[~reported] = 1\n"
            "    return space.sample(mask=tuple(masks.astype(np.int8)))",
            "changed the caller's",
        ),
        (
            "def draw_legal(space, masks, reported):\n"
            "    masks = np.array(masks, dtype=np.int8)\n"
            "    masks[~reported] = 1\n"
            "    return tuple(space.sample(mask=tuple(masks)))",
            "member",
        ),
    ],
)
def _draw_legal(answer):
    space = batch_space(spaces.Discrete(3), 3)
    space.seed(0)
    reported = np.array([True, False, True])
    for dtype in (np.int8, bool, np.int64):
        masks = np.array([[0, 1, 1], [0, 0, 0], [1, 0, 0]], dtype)
        before = masks.copy()
        draws = [answer(space, masks, reported) for _ in range(60)]
        if not np.array_equal(masks, before):
            raise Hint("the function changed the caller's masks; work on a copy, as np.array(masks, ...) makes")
        if not all(isinstance(draw, np.ndarray) and draw in space for draw in draws):
            raise Hint("return a member of the batched space, an array with one action for each row")
        draws = np.array(draws)
        if (draws[:, 0] == 0).any() or (draws[:, 2] != 0).any():
            raise Hint("an illegal action was drawn for a row that did report its mask")
        if set(draws[:, 1].tolist()) != {0, 1, 2}:
            raise Hint("row 1 did not report its mask, so all its actions must be possible; it always drew the first")
        if set(draws[:, 0].tolist()) != {1, 2}:
            raise Hint("row 0 may take actions 1 and 2, and only one of them was ever drawn")


_NAN_BLIND = """def diagnose(space, array):
    if array.shape != space.shape:
        return "shape"
    if not np.can_cast(array.dtype, space.dtype):
        return "dtype"
    outside = (array < space.low) | (array > space.high)
    return np.flatnonzero(outside.reshape(len(array), -1).any(axis=1)).tolist()
"""
_FLAT = """def diagnose(space, array):
    if array.shape != space.shape:
        return "shape"
    if not np.can_cast(array.dtype, space.dtype):
        return "dtype"
    inside = (array >= space.low) & (array <= space.high)
    return np.flatnonzero(~inside.all(axis=1)).tolist()
"""
_EQUAL_DTYPE = """def diagnose(space, array):
    if array.shape != space.shape:
        return "shape"
    if array.dtype != space.dtype:
        return "dtype"
    inside = (array >= space.low) & (array <= space.high)
    return np.flatnonzero(~inside.reshape(len(array), -1).all(axis=1)).tolist()
"""
_ONLY_CONTAINS = """def diagnose(space, array):
    return [] if array in space else "dtype"
"""
_DTYPE_FIRST = """def diagnose(space, array):
    if not np.can_cast(array.dtype, space.dtype):
        return "dtype"
    if array.shape != space.shape:
        return "shape"
    inside = (array >= space.low) & (array <= space.high)
    return np.flatnonzero(~inside.reshape(len(array), -1).all(axis=1)).tolist()
"""


@exercise(
    "07.3",
    wrong=[
        (_NAN_BLIND, "nan"),
        (_FLAT, "several axes"),
        (_EQUAL_DTYPE, "float16"),
        (_ONLY_CONTAINS, "shape"),
        (_DTYPE_FIRST, "first"),
    ],
)
def _diagnose(answer):
    space = batch_space(spaces.Box(-1, 1, (2, 2)), 3)
    good = np.zeros((3, 2, 2), np.float32)
    low, high, nan = good.copy(), good.copy(), good.copy()
    low[0, 1, 0], high[2, 0, 1], nan[1, 1, 1] = -3, 3, np.nan
    cases = [
        (good[:2], "shape", "two rows in a space of three: the shape is wrong"),
        (np.zeros((3, 4)), "shape", "both the shape and the dtype are wrong; the shape comes first"),
        (good.astype(np.float64), "dtype", "float64 does not fit float32: the dtype is wrong"),
        (good.astype(np.float16), [], "float16 fits into float32 without loss, so the batch is right"),
        (low, [0], "row 0 breaks the lower limit; its shape is (2, 2): a row can have several axes"),
        (high, [2], "row 2 breaks the upper limit; its shape is (2, 2): a row can have several axes"),
        (nan, [1], "row 1 holds a nan, which is not between the limits"),
        (good, [], "nothing is wrong with a batch of zeros, so the list is empty"),
    ]
    for array, expected, hint in cases:
        if answer(space, array) != expected:
            raise Hint(hint)
