"""Checks of chapter 5, `step`."""

import gymnasium as gym
import numpy as np
from gymnasium.vector import SyncVectorEnv

from helpers.exercises import Hint, exercise


class _Says(gym.Env):
    """Report `info` on reset."""

    observation_space = action_space = gym.spaces.Discrete(2)

    def __init__(self, info):
        self.info = info

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return 0, self.info


def _batched(*infos):
    return SyncVectorEnv([lambda info=info: _Says(info) for info in infos]).reset()[1]


@exercise(
    "05.1",
    wrong=[
        ("answer = [1, 0.5, 2.75]", "row 0 decides"),
        ("answer = [1.0, 0.5, 2.75]", "row 0 decides"),
        ("answer = [1, 0, 3]", "cut"),
        ("answer = [1, 1, 3]", "cut"),
        ("answer = [1, None, None]", "every row reported"),
        ("answer = [1, 0, 0]", "2.75"),
        ("answer = (1, 0, 2)", "a list"),
    ],
)
def _losses(answer):
    if isinstance(answer, tuple | np.ndarray):
        raise Hint("tolist() returns a list")
    if answer == [1, 0.5, 2.75]:
        raise Hint("row 0 decides the dtype, and it reported an int")
    if answer in ([1, 0, 3], [1, 1, 3]):
        raise Hint("NumPy does not round here: what follows the point is cut off")
    if isinstance(answer, list) and None in answer:
        raise Hint("every row reported a value, so no entry is missing")
    if answer == [1, 0, 0]:
        raise Hint("the fraction is lost, not the value: what is 2.75 without its fraction?")
    if answer != _batched({"loss": 1}, {"loss": 0.5}, {"loss": 2.75})["loss"].tolist():
        raise Hint("the array has the type of row 0's value, and the others are stored into it")


_MEAN = "def mean_reported(infos, key):\n    return "


@exercise(
    "05.2",
    wrong=[
        (_MEAN + "infos[key].mean() if key in infos else None", "filled in"),
        (_MEAN + 'infos[key][infos[f"_{key}"]].mean()', "no row reported"),
        (_MEAN + "infos[key][infos[key] != 0].mean() if key in infos else None", "real 0"),
        (_MEAN + 'infos[key][infos[f"_{key}"]].mean() if key in infos else 0', "None"),
        (_MEAN + 'infos["score"][infos["_score"]].mean() if "score" in infos else None', "speed"),
        (_MEAN + 'infos[key][infos[f"_{key}"]] if key in infos else None', "one number"),
    ],
)
def _mean_reported(answer):
    cases = [
        ([{"score": 4.0}, {"score": 2.0}], "score", 3.0, "the mean of 4 and 2, both reported, is 3"),
        ([{"score": 4.0}, {}, {"score": 2.0}], "score", 3.0, "a 0 that was only filled in was counted; use the mask"),
        ([{"score": 4.0}, {"score": 0.0}], "score", 2.0, "a row that reported a real 0 must be counted"),
        ([{"speed": 5.0}, {}], "speed", 5.0, 'the key is an argument; it was "speed" here'),
    ]
    for infos, key, expected, hint in cases:
        result = answer(_batched(*infos), key)
        if result is None or np.ndim(result) != 0:
            raise Hint(f"return one number where rows reported; {infos} gave {result}")
        if not np.isclose(result, expected):
            raise Hint(hint)
    try:
        result = answer({}, "score")
    except KeyError:
        raise Hint("on a call where no row reported, the key itself is missing") from None
    if result is not None:
        raise Hint(f"if no row reported, return None; got {result}")


_NESTED = 'def nested_steps(infos):\n    nested = infos.get("nested", {})\n    '


@exercise(
    "05.3",
    wrong=[
        (
            'def nested_steps(infos):\n    return dict(enumerate(infos["nested"]["step"]))',
            "did not report",
        ),
        (
            "def nested_steps(infos):\n"
            '    return {i: infos["nested"]["step"][i] for i in np.flatnonzero(infos["_nested"])}',
            "inner",
        ),
        (
            "def nested_steps(infos):\n"
            '    nested = infos["nested"]\n'
            '    return {i: nested["step"][i] for i in np.flatnonzero(nested["_step"])}',
            "'nested' itself",
        ),
        (
            _NESTED + "if not nested:\n        return {}\n    "
            'return {i: nested["step"][i] for i in np.flatnonzero(nested["_step"])}',
            "without",
        ),
        (
            _NESTED + 'if "step" not in nested:\n        return {}\n    return nested["step"][nested["_step"]]',
            "a dict",
        ),
    ],
)
def _nested_steps(answer):
    def nested(step):
        return {"nested": {"step": step}}

    cases = [
        ([nested(2), {}, nested(2)], {0: 2, 2: 2}, "a row that did not report is in the result"),
        (
            [nested(5), {"nested": {"other": 1}}],
            {0: 5},
            "row 1 reported nested without a step: the inner mask, _step, says so",
        ),
        ([nested(0), {}], {0: 0}, "a step of 0 that was reported belongs into the result"),
        ([{}, {}], {}, "on a call where no row reported, 'nested' itself is missing; return {}"),
        ([{"nested": {"other": 1}}, {}], {}, "nested can be there without step; return {}"),
    ]
    for infos, expected, hint in cases:
        try:
            result = answer(_batched(*infos))
        except KeyError:
            raise Hint(hint) from None
        if not isinstance(result, dict):
            raise Hint(f"return a dict from row to step; got {type(result).__name__}")
        if result != expected:
            raise Hint(hint)


_NUMBERS = "(int, float, np.number, np.bool_)"


@exercise(
    "05.4",
    wrong=[
        ("def steady(info):\n    return {k: float(v) for k, v in info.items()}", "raised"),
        (
            "def steady(info):\n"
            "    return {k: float(v) if isinstance(v, (int, float)) else v for k, v in info.items()}",
            "int64",
        ),
        (
            "def steady(info):\n"
            "    return {k: float(v) if isinstance(v, (int, float, np.number)) else v for k, v in info.items()}",
            "bool",
        ),
        (
            "def steady(info):\n"
            f"    return {{k: float(v) if isinstance(v, {_NUMBERS}) else v for k, v in info.items()}}",
            "nested",
        ),
        (
            "def steady(info):\n"
            "    for k, v in info.items():\n"
            f"        info[k] = steady(v) if isinstance(v, dict) else float(v) if isinstance(v, {_NUMBERS}) else v\n"
            "    return info",
            "a copy",
        ),
        ("def steady(info):\n    return {k: v * 1.0 for k, v in info.items() if not isinstance(v, str)}", "lost"),
    ],
)
def _steady(answer):
    array = np.arange(3)
    info = {
        "prob": 1,
        "score": 0.5,
        "count": np.int64(3),
        "won": True,
        "near": np.bool_(False),
        "name": "ada",
        "grid": array,
        "nested": {"step": 2},
    }
    given = {key: dict(value) if isinstance(value, dict) else value for key, value in info.items()}
    plain = answer({"prob": 1, "name": "ada", "count": np.int64(3)})
    if not isinstance(plain, dict):
        raise Hint(f"return a dict; got {type(plain).__name__}")
    if set(plain) != {"prob", "name", "count"}:
        raise Hint("a key was lost: all that is no number stays as it is")
    result = answer(given)
    if set(result) != set(info):
        raise Hint("a key was lost: all that is no number stays as it is")
    for key in ("prob", "score", "count", "won", "near"):
        if type(result[key]) is not float:
            kind = type(info[key]).__name__
            raise Hint(f"{key!r} was of type {kind} and is now {type(result[key]).__name__}; it should be a float")
    if type(result["nested"]["step"]) is not float:
        raise Hint("a number in the nested dict is no float yet")
    if result["name"] != "ada" or result["grid"] is not array:
        raise Hint("all that is no number stays as it is; a string or an array was changed")
    if type(given["prob"]) is not int or type(given["nested"]["step"]) is not int:
        raise Hint("the info that came in was changed; return a copy")
