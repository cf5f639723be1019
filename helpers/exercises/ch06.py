"""Checks of chapter 6, autoreset."""

import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from helpers.environments import StepCounter
from helpers.exercises import Hint, exercise


@exercise(
    "06.1",
    wrong=[
        ("answer = [1, 2, 3, 1, 2]", "call of its own"),
        ("answer = [1, 2, 3, 4, 5]", "three steps"),
        ("answer = [1, 2, 3, 0, 0]", "first step"),
        ("answer = [1, 2, 0, 1, 2]", "last step of an episode"),
        ("answer = [0, 1, 2, 3, 0]", "not a call of `step`"),
        ("answer = 7", "list of five"),
    ],
)
def _rewards(answer):
    if not isinstance(answer, (list, tuple, np.ndarray)) or len(answer) != 5:
        raise Hint("give a list of five numbers, one for each call of `step`")
    answer = [float(number) for number in answer]
    if answer == [1, 2, 3, 1, 2]:
        raise Hint("that is what the other two modes return; in the default mode the reset takes a call of its own")
    if answer == [1, 2, 3, 4, 5]:
        raise Hint("an episode has three steps, and the counter starts again after them")
    if answer == [1, 2, 3, 0, 0]:
        raise Hint("the fourth call resets the row, so the fifth is the first step of the new episode")
    if answer == [1, 2, 0, 1, 2]:
        raise Hint("the last step of an episode is a step like any other and has its reward; the reset comes after it")
    if answer == [0, 1, 2, 3, 0]:
        raise Hint("the first reset is not a call of `step` and returns no reward")
    if answer != [1, 2, 3, 0, 1]:
        raise Hint("write down the step of the counter for each call, and 0 for a call that resets")


_MODES = {
    "a": (AutoresetMode.NEXT_STEP, "without more said, this is the native CartPole, which has one mode only"),
    "b": (AutoresetMode.DISABLED, "autoreset passes no options, so the reset must be yours"),
    "c": (AutoresetMode.SAME_STEP, "every row that `step` returns must be a transition, without resets in between"),
    "d": (AutoresetMode.NEXT_STEP, "that wrapper raises `ValueError` for two of the three modes"),
}


@exercise(
    "06.2",
    wrong=[
        ('answer = ["NextStep", "Disabled", "SameStep", "NextStep"]', "a dict"),
        (
            "m = AutoresetMode\nanswer = {'a': m.SAME_STEP, 'b': m.DISABLED, 'c': m.SAME_STEP, 'd': m.NEXT_STEP}",
            "native CartPole",
        ),
        (
            "m = AutoresetMode\nanswer = {'a': m.NEXT_STEP, 'b': m.NEXT_STEP, 'c': m.SAME_STEP, 'd': m.NEXT_STEP}",
            "no options",
        ),
        (
            "m = AutoresetMode\nanswer = {'a': m.NEXT_STEP, 'b': m.DISABLED, 'c': m.NEXT_STEP, 'd': m.NEXT_STEP}",
            "must be a transition",
        ),
        (
            "m = AutoresetMode\nanswer = {'a': m.NEXT_STEP, 'b': m.DISABLED, 'c': m.SAME_STEP, 'd': m.DISABLED}",
            "two of the three",
        ),
        ("answer = {'a': 'NEXT_STEP', 'b': 'DISABLED', 'c': 'SAME_STEP', 'd': 'NEXT_STEP'}", "AutoresetMode"),
    ],
)
def _choose(answer):
    if not isinstance(answer, dict) or set(answer) != set(_MODES):
        raise Hint('give a dict with the keys "a", "b", "c" and "d"')
    for key, (mode, hint) in _MODES.items():
        found = answer[key]
        if not isinstance(found, AutoresetMode) and found not in [mode.value for mode in AutoresetMode]:
            raise Hint(f"{key}: {found!r} is not a mode; give a member of `AutoresetMode` or its value")
        if AutoresetMode(found) is not mode:
            raise Hint(f"{key}: {hint}")


@exercise(
    "06.3",
    wrong=[
        ("def filler_rows(done):\n    return done", "last transition"),
        ("def filler_rows(done):\n    return ~done", "rows to keep"),
        ("def filler_rows(done):\n    return np.roll(done, 1, axis=0)", "first call"),
        ("def filler_rows(done):\n    return np.roll(done, 1, axis=1)", "axis 0"),
        ("def filler_rows(done):\n    return done[:-1]", "same shape"),
        ("def filler_rows(done):\n    done[1:] = done[:-1]\n    done[0] = False\n    return done", "leave it as it is"),
    ],
)
def _filler_rows(answer):
    done = np.zeros((6, 3), bool)
    for row, length in enumerate((2, 3, 6)):
        done[length - 1 :: length + 1, row] = True
    expected = np.zeros_like(done)
    expected[1:] = done[:-1]
    given = done.copy()
    found = answer(given)
    if not np.array_equal(given, done):
        raise Hint("the caller still needs `done`: leave it as it is and return a new array")
    found = np.asarray(found)
    if found.shape != done.shape:
        raise Hint(f"return an array of the same shape as `done`, {done.shape}; got {found.shape}")
    if np.array_equal(found, done):
        raise Hint("a row that is done holds the last transition of its episode; the filler is the row after it")
    if np.array_equal(found, ~done) or np.array_equal(found, ~expected):
        raise Hint("True must mark the filler rows, not the rows to keep")
    if np.array_equal(found, np.roll(done, 1, axis=0)):
        raise Hint("nothing came before the first call, so no row of it is filler; np.roll carried the last call there")
    if np.array_equal(found, np.roll(done, 1, axis=1)):
        raise Hint("that moved each flag to another sub-environment; time is axis 0")
    if not np.array_equal(found, expected):
        raise Hint("row i is filler at call t if done[t - 1, i]")


_LENGTHS = ((2, "terminated"), (3, "truncated"), (4, "terminated"))


def _make(mode):
    return SyncVectorEnv([lambda n=n, end=end: StepCounter(n, end) for n, end in _LENGTHS], autoreset_mode=mode)


_BODY = """
def same_step(envs, actions):
    observations, rewards, terminated, truncated, infos = envs.step(actions)
    done = terminated | truncated
    if done.any():
        final = np.full(envs.num_envs, None, dtype=object)
        for i in np.flatnonzero(done):
            final[i] = observations[i]
        infos = {**infos, "final_obs": final, "_final_obs": done}
        observations, _ = envs.reset(options={"reset_mask": done})
    return observations, rewards, terminated, truncated, infos
"""


@exercise(
    "06.4",
    wrong=[
        ("def same_step(envs, actions):\n    return envs.step(actions)", "reset before"),
        (_BODY.replace("terminated | truncated\n", "terminated\n"), "truncated"),
        (_BODY.replace("envs.reset(options=", "envs.reset(seed=0, options="), "seed"),
        (_BODY.replace("options={", "options={**{}} and {").replace('"reset_mask": done}', "}"), "only"),
        (_BODY.replace("    if done.any():", "    if True:"), "no row is done"),
        (_BODY.replace("        infos = {", "        unused = {"), "final_obs"),
        (_BODY.replace("for i in np.flatnonzero(done)", "for i in range(envs.num_envs)"), "None"),
        (_BODY.replace("        observations, _ =", "        started, _ ="), "next action"),
    ],
)
def _same_step(answer):
    envs, model = _make(AutoresetMode.DISABLED), _make(AutoresetMode.SAME_STEP)
    envs.reset(seed=0)
    model.reset(seed=0)
    actions = np.zeros(3, int)
    for call in range(1, 8):
        wanted = model.step(actions)
        try:
            found = answer(envs, actions)
        except AssertionError:
            raise Hint(
                f"at call {call} a finished row was stepped: every done row, terminated or truncated, must be reset"
            ) from None
        except ValueError as error:
            raise Hint(f"the mask needs at least one True; reset nothing when no row is done ({error})") from None
        if not isinstance(found, tuple) or len(found) != 5:
            raise Hint("return five things, as `step` does")
        _compare(call, found, wanted)


def _compare(call, found, wanted):
    done = wanted[2] | wanted[3]
    if not all(np.array_equal(a, b) for a, b in zip(found[1:4], wanted[1:4], strict=True)):
        raise Hint("rewards and flags are those of the step that was taken; return them as `step` gave them")
    if not np.array_equal(np.asarray(found[0])[~done], wanted[0][~done]):
        raise Hint("rows that go on were reset too; reset only the finished ones, by mask")
    for i in np.flatnonzero(done):
        row = np.asarray(found[0])[i]
        if np.array_equal(row, wanted[4]["final_obs"][i]):
            if wanted[3][i] and call > 2:
                raise Hint("row 1 was truncated; a truncated row is reset just as a terminated one")
            raise Hint(
                "a finished row must be reset before the call returns, and its row must show the new episode: "
                "the next action is chosen from it"
            )
        if not np.array_equal(row, wanted[0][i]):
            raise Hint(
                "an episode started again from its beginning: with a fixed seed every reset replays the same start"
            )
    if not done.any():
        if "final_obs" in found[4]:
            raise Hint("on a call where no row is done there is no `final_obs`")
        return
    if "final_obs" not in found[4] or "_final_obs" not in found[4]:
        raise Hint("infos needs the keys `final_obs` and `_final_obs` when a row is done")
    final, mask = found[4]["final_obs"], found[4]["_final_obs"]
    if not np.array_equal(mask, done):
        raise Hint("`_final_obs` is True for the rows that are done, and only for them")
    for i, value in enumerate(final):
        if not done[i] and value is not None:
            raise Hint("`final_obs` is None for the rows that go on")
        if done[i] and not np.array_equal(value, wanted[4]["final_obs"][i]):
            raise Hint("`final_obs` holds what `step` returned, not what `reset` returned")
