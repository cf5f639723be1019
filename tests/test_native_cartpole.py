"""The native CartPole of the helpers is the one that chapter 21 writes, and it keeps what the chapter promises."""

import ast
from pathlib import Path

import gymnasium as gym
import jupytext
import numpy as np
import pytest
from gymnasium.envs.classic_control.cartpole import CartPoleEnv
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from helpers import native_cartpole
from helpers.native_cartpole import NativeCartPole
from tools.project import ROOT

CHAPTER = ROOT / "notebooks/scale/21_native_vector_env.py"


def bare(node: ast.AST) -> str:
    """Return the code of a function or a statement without docstring, annotations and decorators."""
    for part in ast.walk(node):
        if isinstance(part, ast.FunctionDef):
            part.returns, part.decorator_list = None, []
            if ast.get_docstring(part) is not None:
                part.body = part.body[1:]
        elif isinstance(part, ast.arg):
            part.annotation = None
    return ast.unparse(node)


def parts(code: str) -> dict[str, list[str]]:
    """Return the statements of a module by where they belong: to a class, or to the module itself.

    A function decorated with ``@method_of(Name)`` belongs to that class. Imports and docstrings are left out.
    """
    found: dict[str, list[str]] = {"": []}
    for node in ast.parse(code).body:
        owner = ""
        if isinstance(node, ast.FunctionDef) and node.decorator_list:
            owner = node.decorator_list[0].args[0].id
        if isinstance(node, ast.ClassDef):
            found[node.name] = [bare(part) for part in node.body if not isinstance(part, ast.Expr)]
        elif not isinstance(node, ast.Import | ast.ImportFrom | ast.Expr):
            found[owner].append(bare(node))
    return {owner: sorted(statements) for owner, statements in found.items()}


def chapter_code() -> str:
    cells = jupytext.read(CHAPTER).cells
    return "\n".join(cell.source for cell in cells if "algorithm" in cell.metadata.get("tags", []))


def test_the_chapter_and_the_helper_are_the_same_code():
    chapter, helper = parts(chapter_code()), parts(Path(native_cartpole.__file__).read_text(encoding="utf-8"))
    assert sorted(chapter) == ["", "NativeCartPole", "NativeVectorEnv"]
    chapter[""] = [code for code in chapter[""] if not code.startswith("def method_of")]
    assert chapter == helper


def test_a_difference_of_one_statement_is_found():
    code = chapter_code()
    for old, new in [("0.02 * slide", "0.03 * slide"), ("self.done[rows] = False", "pass"), ("painter = None", "")]:
        assert code.count(old) == 1 or old == "painter = None"
        assert parts(code.replace(old, new, 1)) != parts(code)


@pytest.mark.parametrize("mode", AutoresetMode)
def test_each_row_moves_as_the_single_environment_does(mode):
    envs, single = NativeCartPole(16, autoreset_mode=mode, max_episode_steps=30), CartPoleEnv()
    envs.action_space.seed(0)
    before, _ = envs.reset(seed=0)
    done, ends, checked = np.zeros(16, bool), 0, 0
    for _ in range(150):
        if mode is AutoresetMode.DISABLED and done.any():
            fresh, _ = envs.reset(options={"reset_mask": done})
            assert np.array_equal(fresh[~done], before[~done])
            before, done = fresh, np.zeros(16, bool)
        actions = envs.action_space.sample()
        after, rewards, terminated, truncated, infos = envs.step(actions)
        led_to = after.copy()
        if "final_obs" in infos:
            assert np.array_equal(infos["_final_obs"], terminated | truncated)
            led_to[infos["_final_obs"]] = np.stack(infos["final_obs"][infos["_final_obs"]])
        filler = done if mode is AutoresetMode.NEXT_STEP else np.zeros(16, bool)
        assert not rewards[filler].any() and not (terminated | truncated)[filler].any()
        for row in np.flatnonzero(~filler):
            single.reset()
            single.state = before[row].astype(np.float64)
            observation, reward, over, _, _ = single.step(actions[row])
            np.testing.assert_allclose(led_to[row], observation, atol=1e-6)
            assert (reward, over) == (rewards[row], terminated[row])
            checked += 1
        before, done = after, terminated | truncated
        ends += int(done.sum())
    assert ends > 50 and checked > 2000


def test_made_by_make_vec_with_the_limit_of_its_spec():
    spec = gym.envs.registration.EnvSpec(
        "Native-v0", vector_entry_point="helpers.native_cartpole:NativeCartPole", max_episode_steps=7
    )
    envs = gym.make_vec(spec, num_envs=3, autoreset_mode="SameStep")
    assert isinstance(envs, NativeCartPole) and envs.limit == 7
    assert gym.make_vec(gym.envs.registration.EnvSpec.from_json(envs.spec.to_json())).num_envs == 3


def test_spaces_and_starts_are_those_of_gymnasium():
    ours, theirs = NativeCartPole(6), gym.make_vec("CartPole-v1", 6, vectorization_mode="vector_entry_point")
    loop = SyncVectorEnv([CartPoleEnv] * 6)
    for name in ("single_observation_space", "single_action_space", "observation_space", "action_space"):
        assert getattr(ours, name) == getattr(theirs, name) == getattr(loop, name)
    assert np.array_equal(ours.reset(seed=9)[0], theirs.reset(seed=9)[0])


def test_every_object_has_its_own_mode_and_spaces():
    one, other = NativeCartPole(2), NativeCartPole(2, autoreset_mode="Disabled")
    assert one.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert other.metadata["autoreset_mode"] is AutoresetMode.DISABLED
    assert "autoreset_mode" not in NativeCartPole.metadata
    assert one.single_action_space is not other.single_action_space


def test_a_bad_reset_changes_nothing():
    envs = NativeCartPole(3)
    before, _ = envs.reset(seed=0)
    for bad in ([True, False, False], np.zeros(3, bool), np.ones(2, bool), np.array([1, 0, 0])):
        with pytest.raises((TypeError, ValueError)):
            envs.reset(seed=5, options={"reset_mask": bad})
    assert np.array_equal(envs.observe(), before)
    assert envs.np_random_seed == 0
