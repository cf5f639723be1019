"""Checks of chapter 22, throughput."""

import numpy as np

from helpers.exercises import Hint, exercise


@exercise(
    "22.1",
    wrong=[
        (
            'def how_much_faster(seconds):\n    return np.median(seconds["loop"]) / np.median(seconds["processes"])',
            "never met",
        ),
        (
            'def how_much_faster(seconds):\n    return np.median(seconds["processes"] / seconds["loop"])',
            "the other way",
        ),
        (
            'def how_much_faster(seconds):\n    return np.mean(seconds["loop"] / seconds["processes"])',
            "outlier",
        ),
        (
            'def how_much_faster(seconds):\n    return seconds["loop"] / seconds["processes"]',
            "one number",
        ),
        (
            'def how_much_faster(seconds):\n    return seconds["loop"].sum() / seconds["processes"].sum()',
            "turn by turn",
        ),
    ],
)
def _ratio(answer):
    # The machine slows down threefold for the last four turns; once, only the turn of the loop is hit.
    slow = np.array([1, 1, 1, 3, 3, 3, 3.0])
    loop, processes = 2 * slow, slow * [1, 1, 1, 0.5, 0.5, 1, 1]
    loop[2] = 60
    seconds = {"loop": loop, "processes": processes}
    found = answer(seconds)
    ratios = loop / processes
    if np.shape(found) != ():
        raise Hint("return one number: the median of the ratios")
    if np.isclose(found, np.median(ratios)) and np.isclose(
        answer({"loop": loop * 2, "processes": processes}), 2 * found
    ):
        return
    if np.isclose(found, np.median(1 / ratios)):
        raise Hint("that is how many times as slow they are; divide the other way round")
    if np.isclose(found, np.median(loop) / np.median(processes)):
        raise Hint("those medians may come from turns that never met: divide turn by turn first, then take the median")
    if np.isclose(found, np.mean(ratios)):
        raise Hint("the mean follows one outlier; take the median of the ratios")
    raise Hint("divide turn by turn, the loop's seconds by those of the processes, and take the median of that")


@exercise(
    "22.2",
    wrong=[
        ("answer = (1220, 480)", "one core for each"),
        ("answer = (1220, 690)", "two rounds"),
        ("answer = (1200, 780)", "beside its step"),
        ("answer = (1220, 600)", "round trips"),
        ("answer = (1220, 1380)", "share"),
        ("answer = (1220, 645)", "for each row"),
        ("answer = 780", "two numbers"),
    ],
)
def _call(answer):
    if not isinstance(answer, tuple) or len(answer) != 2:
        raise Hint("answer with a tuple of two numbers: the loop, and the processes")
    loop, processes = answer
    if np.isclose(loop, 1200):
        raise Hint("the loop pays something for each row beside its step")
    if not np.isclose(loop, 1220):
        raise Hint("the loop takes one row after the other, each with its 300 µs and 5 µs")
    if np.isclose(processes, 480):
        raise Hint("that would need one core for each row; there are two cores for four steps")
    if np.isclose(processes, 600):
        raise Hint("the steps take 600 µs; now add the round trips, one for each row")
    if np.isclose(processes, 645):
        raise Hint("the 45 µs are paid for each row, not once a call")
    if np.isclose(processes, 690):
        raise Hint("two rounds of steps, right; but the 45 µs come on top for each of the four rows")
    if np.isclose(processes, 1380):
        raise Hint("the two cores share the steps: four of 300 µs take as long as two")
    if not np.isclose(processes, 780):
        raise Hint("two cores do the four steps in 600 µs, and each of the four rows adds 45 µs")


@exercise(
    "22.3",
    wrong=[
        ("def seconds_left(share, times):\n    return share / times", "everything else"),
        ("def seconds_left(share, times):\n    return 1 / times", "only the environment"),
        ("def seconds_left(share, times):\n    return 1 / (1 - share + share / times)", "speed-up"),
        ("def seconds_left(share, times):\n    return 1 - share / times", "left of the environment"),
        ("def seconds_left(share, times):\n    return 0.7 + 0.3 / times", "any share"),
    ],
)
def _left(answer):
    def right(share, times):
        return 1 - share + share / times

    for share, times in [(0.3, 20), (0.5, 2), (1.0, 4), (0.0, 9)]:
        found = answer(share, times)
        if np.isclose(found, right(share, times)):
            continue
        if np.isclose(found, share / times):
            raise Hint("that is what is left of the environment; everything else is still there")
        if np.isclose(found, 1 / times):
            raise Hint("only the environment is faster, not the whole second")
        if np.isclose(found, 1 / right(share, times)):
            raise Hint("that is the speed-up of the whole; asked is the time that is left, its inverse")
        if np.isclose(found, 1 - share / times):
            raise Hint(
                "you took away what is left of the environment; take away its whole share, then add what is left"
            )
        raise Hint(
            f"for any share and any speed-up: with share {share} and {times} times as fast, {found} is not right"
        )
