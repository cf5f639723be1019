"""The invariant of chapter 17: whatever the mode, the same transitions and the advantages of each episode alone.

The environments here follow a script: how long each episode is and how it ends, drawn by hypothesis, both flags at once
included. The reference neither collects nor recurses: it plays each row alone and adds up the definition. Then each of
the classical mistakes is planted into the source of `helpers/rollouts.py`, and the same property must fail.

Infos are held to the same: `reported` of the chapter must give each transition what its step reported, in every mode.
"""

import ast
import inspect
import types
from functools import partial

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import helpers.rollouts
from tools.project import ROOT

MODES = list(AutoresetMode)
SETTINGS = settings(deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))


class Scripted(gym.Env):
    """Episode `k` lasts ``script[k][0]`` steps and ends as ``script[k][1]`` says; the observation names them."""

    def __init__(self, row, script, nested=False):
        self.row, self.script, self.nested = row, script, nested
        self.episode, self.count = -1, 0
        place = spaces.Box(-1e6, 1e6, (3,), np.float64)
        parity = spaces.Discrete(2)
        self.observation_space = spaces.Dict(place=place, inner=spaces.Tuple([parity])) if nested else place
        self.action_space = spaces.Discrete(5)

    def observe(self):
        place = np.array([self.row, self.episode, self.count], np.float64)
        return {"place": place, "inner": (np.int64(self.count % 2),)} if self.nested else place

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.episode, self.count = (0 if seed is not None else self.episode + 1), 0
        return self.observe(), {"score": -1.0}  # belongs to no step

    def step(self, action):
        self.count += 1
        length, ending = self.script[self.episode % len(self.script)]
        over = self.count >= length
        reward = float(np.cos(7.0 * self.row + 3.0 * self.episode + self.count + action))
        info = {"score": reward} if (self.episode + self.count) % 3 else {}
        return self.observe(), reward, over and ending != "truncated", over and ending != "terminated", info


def place(observation):
    return observation["place"] if isinstance(observation, dict) else observation


def policy(observation):
    """Return actions that depend on what was seen alone, so that a row acts alike in every mode."""
    return (place(observation) @ [1, 2, 3]).astype(int) % 5


def value(observation):
    return np.sin(place(observation) @ [1.3, 0.7, 2.9])


@st.composite
def cases(draw):
    endings = st.sampled_from(["terminated", "truncated", "both"])
    script = st.lists(st.tuples(st.integers(1, 5), endings), min_size=1, max_size=4)
    return {
        "scripts": draw(st.lists(script, min_size=1, max_size=3)),
        "lengths": draw(st.lists(st.integers(1, 9), min_size=1, max_size=3)),
        "gamma": draw(st.sampled_from([0.5, 0.9, 1.0])),
        "lam": draw(st.sampled_from([0.0, 0.7, 1.0])),
        "nested": draw(st.booleans()),
        "copy": draw(st.booleans()),
    }


def reference(case, row, number):
    """Return `number` transitions of a row that is played alone: [seen, led to, action, reward, terminated, done]."""
    env = Scripted(row, case["scripts"][row], case["nested"])
    seen, _ = env.reset(seed=0)
    result = []
    while len(result) < number:
        action = int(policy(tree_row(seen))[0])
        led_to, reward, terminated, truncated, _ = env.step(action)
        result.append((place(seen), place(led_to), action, reward, terminated, terminated or truncated))
        seen = env.reset()[0] if terminated or truncated else led_to
    return result


def tree_row(observation):
    return {"place": observation["place"][None]} if isinstance(observation, dict) else observation[None]


def advantages_by_definition(steps, gamma, lam):
    """Add up ``(gamma lam)^k error[t + k]`` for each step of one episode, or of a part of one."""
    errors = [
        reward + (0.0 if terminated else gamma * value(led_to)) - value(seen)
        for seen, led_to, _, reward, terminated, _ in steps
    ]
    return [
        sum((gamma * lam) ** (later - t) * errors[later] for later in range(t, len(errors))) for t in range(len(errors))
    ]


def check_mode(module, case, mode):
    """Assert the invariant for `module`, one case and one mode; return the advantages of the whole episodes."""
    count = len(case["scripts"])
    factories = [partial(Scripted, row, script, case["nested"]) for row, script in enumerate(case["scripts"])]
    envs = SyncVectorEnv(factories, copy=case["copy"], autoreset_mode=mode)
    start = envs.reset(seed=0)[0], np.zeros(count, bool)
    expected = [reference(case, row, sum(case["lengths"])) for row in range(count)]
    at, whole = [0] * count, {}
    for length in case["lengths"]:
        rollout, start = module.collect(envs, policy, length, start)
        values, next_values = module.value_steps(rollout, value)
        arguments = rollout.rewards, values, next_values, rollout.terminated, rollout.done
        advantages = module.gae(*arguments, gamma=case["gamma"], lam=case["lam"])
        led_to = place(module.next_observations(rollout))
        for row in range(count):
            steps = np.flatnonzero(rollout.valid[:, row])
            found = [
                (
                    place(rollout.observations)[t, row],
                    led_to[t, row],
                    rollout.actions[t, row],
                    rollout.rewards[t, row],
                    rollout.terminated[t, row],
                    rollout.done[t, row],
                )
                for t in steps
            ]
            wanted = expected[row][at[row] : at[row] + len(steps)]
            assert mode is AutoresetMode.NEXT_STEP or len(steps) == length
            assert len(found) == len(wanted)
            for one, other in zip(found, wanted, strict=True):
                assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True)), (one, other)
            first = 0
            for last in [k for k, step in enumerate(wanted) if step[-1] or k == len(wanted) - 1]:
                part = wanted[first : last + 1]
                alone = advantages_by_definition(part, case["gamma"], case["lam"])
                np.testing.assert_allclose(advantages[steps[first : last + 1], row], alone, atol=1e-9)
                if part[0][0][2] == 0 and part[-1][-1]:
                    whole[row, part[0][0][1]] = alone
                first = last + 1
            at[row] += len(steps)
    envs.close()
    return whole


def check(module, case):
    found = [check_mode(module, case, mode) for mode in MODES]
    for episode in set.intersection(*map(set, found)):
        for one in found[1:]:
            np.testing.assert_allclose(one[episode], found[0][episode], atol=1e-9)


@settings(SETTINGS, max_examples=150)
@given(cases())
def test_same_transitions_and_advantages_in_every_mode(case):
    check(helpers.rollouts, case)


def test_the_cases_hold_what_the_invariant_is_about():
    """Ends of both kinds, fillers at a rollout's first step, whole episodes seen in every mode."""
    script = [(2, "terminated"), (3, "truncated"), (1, "both")]
    case = {"scripts": [script, script[1:]], "lengths": [2, 4, 9], "gamma": 0.9, "lam": 0.7}
    case |= {"nested": True, "copy": False}
    found = [check_mode(helpers.rollouts, case, mode) for mode in MODES]
    assert len(set.intersection(*map(set, found))) >= 3
    envs = SyncVectorEnv([partial(Scripted, 0, script)])
    start = envs.reset(seed=0)[0], np.zeros(1, bool)
    _, start = helpers.rollouts.collect(envs, policy, 2, start)
    rollout, _ = helpers.rollouts.collect(envs, policy, 2, start)
    assert rollout.valid[:, 0].tolist() == [False, True]


MISTAKES = {
    "the mask is dropped": ("rollout.valid[t] = ~done", "rollout.valid[t] = True"),
    "the mask is off by one": ("rollout.valid[t] = ~done", "rollout.valid[t] = ~(done if t else ~done)"),
    "the border is forgotten": ("observation, done = start", "observation, done = start[0], np.zeros_like(start[1])"),
    "terminated for done in the mask": (
        "done = rollout.terminated[t] | rollout.truncated[t]",
        "done = rollout.terminated[t]",
    ),
    "done for terminated in the bootstrap": ("next_values * ~terminated", "next_values * ~done"),
    "truncated for terminated in the bootstrap": ("next_values * ~terminated", "next_values * ~(done & ~terminated)"),
    "a termination is bootstrapped": ("next_values * ~terminated", "next_values"),
    "terminated for done in the cut": ("gamma * lam * ~done", "gamma * lam * ~terminated"),
    "no cut": ("gamma * lam * ~done", "gamma * lam * np.ones_like(done)"),
    "the reset observation is bootstrapped from": ("if rollout.finals:", "if False:"),
    "the reset observation is taken as next observation": (
        "in rollout.finals:\n        write",
        "in []:\n        write",
    ),
    "the reset observation is taken as final in SAME_STEP": (
        'final = rollout.infos[t]["final_obs"][i]',
        "final = tree_map(lambda array, i=i: array[i].copy(), observation)",
    ),
    "the final observation is not copied": ("array[i].copy()", "array[i]"),
    "the value of the wrong step": ("next_values = values[1:]", "next_values = values[:-1]"),
    "lam is forgotten": ("gamma * lam * ~done", "gamma * ~done"),
    "nothing is carried on": ("errors[t] + carry[t] * following", "errors[t]"),
    "the carry of the step after": ("carry[t] * following", "carry[min(t + 1, len(carry) - 1)] * following"),
}


def mutant(old, new):
    """Return `helpers.rollouts` with one mistake in it."""
    source = inspect.getsource(helpers.rollouts)
    assert source.count(old) == 1, f"{old!r} occurs {source.count(old)} times"
    module = types.ModuleType("mutant")
    exec(compile(source.replace(old, new), "mutant", "exec"), module.__dict__)
    return module


def test_an_unchanged_copy_passes():
    """The way mistakes are planted does not itself make the property fail."""
    module = mutant("def gae(", "def gae(")

    @settings(SETTINGS, max_examples=20)
    @given(cases())
    def prop(case):
        check(module, case)

    prop()


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_property_notices(mistake):
    module = mutant(*MISTAKES[mistake])

    @settings(SETTINGS, max_examples=150, phases=[Phase.generate], report_multiple_bugs=False)
    @given(cases())
    def prop(case):
        check(module, case)

    with pytest.raises(AssertionError):
        prop()


def chapters_reported(old="", new=""):
    """Return `reported` as chapter 17 has it, with one piece of its code replaced."""
    page = (ROOT / "notebooks" / "learning" / "17_rollouts.py").read_text(encoding="utf-8")
    (node,) = [n for n in ast.parse(page).body if isinstance(n, ast.FunctionDef) and n.name == "reported"]
    source = ast.get_source_segment(page, node)
    assert not old or source.count(old) == 1, f"{old!r} occurs {source.count(old)} times"
    names = {"np": np}
    exec(source.replace(old, new) if old else source, names)
    return names["reported"]


def check_infos(reported):
    """Assert that each transition has the score that its step reported, and nan if it reported none."""

    @settings(SETTINGS, max_examples=60, phases=[Phase.generate], report_multiple_bugs=False)
    @given(cases())
    def prop(case):
        for mode in MODES:
            factories = [partial(Scripted, row, script) for row, script in enumerate(case["scripts"])]
            envs = SyncVectorEnv(factories, autoreset_mode=mode)
            start = envs.reset(seed=0)[0], np.zeros(envs.num_envs, bool)
            for length in case["lengths"]:
                rollout, start = helpers.rollouts.collect(envs, policy, length, start)
                _, episode, count = np.moveaxis(rollout.observations[:-1], -1, 0)
                wanted = np.where((episode + count + 1) % 3, rollout.rewards, np.nan)
                valid = rollout.valid
                np.testing.assert_array_equal(reported(rollout, "score")[valid], wanted[valid])
            envs.close()

    prop()


def test_infos_belong_to_their_steps_in_every_mode():
    check_infos(chapters_reported())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('source[f"_{key}"] & rows', "rows"),
        ('info.get("final_info", {})', "{}"),
        ("(info, ~ended)", "(info, ended | True)"),
    ],
    ids=["the mask is dropped", "final_info is forgotten", "the reset's info is taken for the step's"],
)
def test_the_property_of_infos_notices(old, new):
    with pytest.raises(AssertionError):
        check_infos(chapters_reported(old, new))


def test_async_gives_the_same_rollout():
    script = [(2, "terminated"), (3, "truncated")]
    factories = [partial(Scripted, row, script[row:], True) for row in range(2)]
    for mode in MODES:
        rollouts = []
        for kind in (SyncVectorEnv, AsyncVectorEnv):
            envs = kind(factories, autoreset_mode=mode)
            start = envs.reset(seed=0)[0], np.zeros(2, bool)
            rollouts.append(helpers.rollouts.collect(envs, policy, 7, start)[0])
            envs.close()
        one, other = rollouts
        for name in ("rewards", "terminated", "truncated", "valid", "actions"):
            assert np.array_equal(getattr(one, name), getattr(other, name)), (mode, name)
        for a, b in zip(*(helpers.rollouts.value_steps(r, value) for r in rollouts), strict=True):
            assert np.array_equal(a, b)


def test_next_step_keeps_no_second_copy():
    """In `NEXT_STEP` mode the next values are a view of the values: nothing is stored twice."""
    envs = SyncVectorEnv([partial(Scripted, 0, [(3, "truncated")])])
    start = envs.reset(seed=0)[0], np.zeros(1, bool)
    rollout, _ = helpers.rollouts.collect(envs, policy, 8, start)
    values, next_values = helpers.rollouts.value_steps(rollout, value)
    assert np.shares_memory(values, next_values)
    assert rollout.finals == []
