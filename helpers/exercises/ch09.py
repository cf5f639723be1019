"""Checks of chapter 9, vector wrappers."""

import gymnasium as gym
import gymnasium.wrappers.vector as wv
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

import helpers.environments  # noqa: F401
from helpers.exercises import Hint, exercise


def _make(env: str, mode: AutoresetMode = AutoresetMode.NEXT_STEP, **kwargs) -> VectorEnv:
    return gym.make_vec(env, 3, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}, **kwargs)


@exercise(
    "09.1",
    wrong=[
        ("answer = (5, 6)", "other way round"),
        ("answer = (6, 6)", "second number"),
        ("answer = (5, 5)", "first number"),
        ("answer = 5", "pair"),
        ("answer = (2, 2)", "sum"),
    ],
)
def _two_returns(answer):
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        raise Hint("answer with a pair of numbers, (inner, outer)")
    if tuple(answer) == (5, 6):
        raise Hint("the other way round: the inner one sees rewards that nobody has clipped yet")
    if tuple(answer) == (2, 2):
        raise Hint("a return is the sum over the episode; clipping changes each reward, not the sum")
    if answer[0] != 6:
        raise Hint("the first number: to the inner one the rewards are still 1, 2 and 3")
    if answer[1] != 5:
        raise Hint("the second number: to the outer one the reward 3 has become 2")


_BOX = "self.single_observation_space = spaces.Box(-1, 1, (2,), np.float32)"
_BATCH = "self.observation_space = batch_space(self.single_observation_space, self.num_envs)"


def _hide_velocity_code(*init: str, returned: str) -> str:
    lines = ["class HideVelocity(VectorObservationWrapper):"]
    if init:
        lines += [
            "    def __init__(self, env):",
            "        super().__init__(env)",
            *(f"        {line}" for line in init),
        ]
    return "\n".join([*lines, "    def observations(self, observations):", f"        return {returned}"])


@exercise(
    "09.2",
    wrong=[
        (_hide_velocity_code(returned="observations[:, :2]"), "set the spaces"),
        (_hide_velocity_code(_BOX, returned="observations[:, :2]"), "observation_space still"),
        (
            _hide_velocity_code(
                "self.observation_space = spaces.Box(-1, 1, (self.num_envs, 2), np.float32)",
                returned="observations[:, :2]",
            ),
            "single_observation_space still",
        ),
        (_hide_velocity_code(_BOX, _BATCH, returned="observations[:2]"), "first axis"),
        (_hide_velocity_code(_BOX, _BATCH, returned="observations[:, 1:]"), "cosine"),
        (
            _hide_velocity_code(_BOX.replace("-1, 1", "-np.inf, np.inf"), _BATCH, returned="observations[:, :2]"),
            "between -1 and 1",
        ),
        (
            _hide_velocity_code(_BOX.replace("np.float32", "np.float64"), _BATCH, returned="observations[:, :2]"),
            "dtype",
        ),
        (
            "class HideVelocity(VectorObservationWrapper):\n"
            "    def observation(self, observation):\n"
            "        return observation[:2]",
            "plural",
        ),
    ],
)
def _hide_velocity(answer):
    if "observations" not in vars(answer):
        raise Hint("the method to override has a plural name: observations")
    plain, envs = _make("Pendulum-v1"), answer(_make("Pendulum-v1"))
    expected = plain.reset(seed=0)[0][:, :2]
    observations, _ = envs.reset(seed=0)
    if np.shape(observations) == (2, 3):
        raise Hint("that cuts rows off: the first axis is the batch, the second holds the three numbers")
    if np.shape(observations) != (3, 2):
        raise Hint(f"three rows of two numbers were expected, got the shape {np.shape(observations)}")
    if not np.array_equal(observations, expected):
        raise Hint("the columns to keep are cosine and sine, the first two")
    single, batched = envs.single_observation_space, envs.observation_space
    if single.shape == (3,) and batched.shape == (3, 3):
        raise Hint("the observations are right, but the wrapper announces three numbers: set the spaces in __init__")
    if batched.shape != (3, 2):
        raise Hint(f"observation_space still has the shape {batched.shape}; make it with batch_space")
    if single.shape != (2,):
        raise Hint(f"single_observation_space still has the shape {single.shape}; networks are built from it")
    if single.dtype != np.float32:
        raise Hint(f"the observations are float32, the space says {single.dtype}: give the Box its dtype")
    if single != spaces.Box(-1, 1, (2,), np.float32):
        raise Hint("cosine and sine lie between -1 and 1; the space can say so")
    if batched != batch_space(single, 3):
        raise Hint("the two spaces disagree; make observation_space from the single one with batch_space")


_ACTIONS = "class CopyActions(VectorActionWrapper):\n    def actions(self, actions):\n        "


@exercise(
    "09.3",
    wrong=[
        (_ACTIONS + "return actions", "changed"),
        (_ACTIONS + "return actions[:]", "changed"),
        (_ACTIONS + "return np.asarray(actions)", "changed"),
        (_ACTIONS + "copied = actions.copy()\n        return actions", "changed"),
        (_ACTIONS + "actions.copy()", "return"),
        (_ACTIONS + "return 10 * actions", "other actions"),
        (_ACTIONS + "return np.ones((2, 1), np.float32)", "other actions"),
    ],
)
def _copy_actions(answer):
    envs = _make("MountainCarContinuous-v0")
    envs = wv.VectorizeTransformAction(
        envs,
        gym.wrappers.TransformAction,
        func=lambda action: 0.1 * action,
        action_space=envs.single_action_space,
    )
    wrapped = answer(envs)
    sent = np.array([[1.0], [0.5], [-1.0]], np.float32)
    actions = sent.copy()
    passed_on = wrapped.actions(actions)
    if passed_on is None:
        raise Hint("actions must return the batch that goes on to the environment; yours returns nothing")
    if np.shape(passed_on) != sent.shape or not np.array_equal(passed_on, sent):
        raise Hint("other actions came out than went in; the wrapper should pass them on unchanged")
    wrapped.reset(seed=0)
    wrapped.step(actions)
    if not np.array_equal(actions, sent):
        raise Hint("the caller's array was changed: what you return still shares its memory with actions")


_DIVIDE = """class DivideByEight(vector.VectorWrapper):
    def reset(self, *, seed=None, options=None):
        observations, infos = super().reset(seed=seed, options=options)
        return observations{reset}, infos

    def step(self, actions):
        observations, *others, infos = super().step(actions)
        {final}
        return observations / 8, *others, infos
"""


@exercise(
    "09.4",
    wrong=[
        (
            "class DivideByEight(VectorObservationWrapper):\n"
            "    def observations(self, observations):\n        return observations / 8",
            "refuses SAME_STEP",
        ),
        (_DIVIDE.format(reset=" / 8", final="pass"), "final observation"),
        (_DIVIDE.format(reset="", final="pass"), "reset"),
        (
            _DIVIDE.format(reset=" / 8", final='infos["final_obs"] = infos["final_obs"] / 8'),
            "only on calls",
        ),
        (
            _DIVIDE.format(
                reset=" / 8",
                final='if "final_obs" in infos: infos["final_obs"] = infos["final_obs"] / 8',
            ),
            "None",
        ),
        (
            _DIVIDE.format(
                reset=" / 8",
                final='if "final_obs" in infos:\n            '
                'infos["final_obs"] = [o / 8 for o in infos["final_obs"] if o is not None]',
            ),
            "place of its row",
        ),
    ],
)
def _divide_by_eight(answer):
    for mode in AutoresetMode:
        make = [lambda n=n: gym.make("book/StepCounter-v0", length=n) for n in (2, 5)]
        plain = gym.vector.SyncVectorEnv(make, autoreset_mode=mode)
        try:
            envs = answer(gym.vector.SyncVectorEnv(make, autoreset_mode=mode))
        except ValueError as error:
            raise Hint("VectorObservationWrapper refuses SAME_STEP when it is made; use VectorWrapper") from error
        plain.reset(seed=0)
        actions = np.array([0, 0])
        expected, _ = plain.reset()
        envs.reset(seed=0)
        # The second reset: episode 1, so that the observation is not zero.
        if not np.array_equal(envs.reset()[0], expected / 8):
            raise Hint("what reset returns is an observation too")
        expected = plain.step(actions)[0]
        try:
            observations = envs.step(actions)[0]
        except KeyError as error:
            raise Hint(f"infos has no {error} here; it is there only on calls where an episode ended") from error
        if not np.array_equal(observations, expected / 8):
            raise Hint("what step returns is not divided by 8")
        expected = plain.step(actions)
        try:
            *_, infos = envs.step(actions)
        except TypeError as error:
            raise Hint("final_obs holds None for the rows that go on; divide only where the mask is set") from error
        if mode is not AutoresetMode.SAME_STEP:
            continue
        finals = infos.get("final_obs", [])
        if len(finals) != 2 or finals[1] is not None:
            raise Hint("final_obs must keep each final observation in the place of its row, and None elsewhere")
        if not np.array_equal(finals[0], expected[4]["final_obs"][0] / 8):
            raise Hint("in SAME_STEP the final observation in infos is still not divided by 8")
