"""The checker that readers take along passes what is right, finds what is broken, and stands on its own."""

import ast
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from helpers import contract


def cart_poles(mode, kind=SyncVectorEnv):
    return lambda n=3: kind([lambda: gym.make("CartPole-v1", max_episode_steps=15)] * n, autoreset_mode=mode)


@pytest.mark.parametrize("mode", AutoresetMode)
def test_the_loop_keeps_the_contract(mode):
    make = cart_poles(mode)
    report = contract.check_contract(make, also=[contract.matches(make)])
    assert [row for row in report if row["result"] == "FAIL"] == []
    assert [row["clause"] for row in report] == [*contract.CLAUSES, "matches_reference"]


def test_actions_in_the_wrong_order_are_found_and_may_be_waived():
    class Reversed(SyncVectorEnv):
        def step(self, actions):
            return super().step(actions[::-1])

    make = cart_poles(AutoresetMode.NEXT_STEP, Reversed)
    failed = [row["clause"] for row in contract.check_contract(make) if row["result"] == "FAIL"]
    assert "rows_keep_apart" in failed
    waived = contract.check_contract(make, dict.fromkeys([*failed, "closes"], "known"))
    assert [row["clause"] for row in waived if row["result"] == "waived"] == failed
    assert [row["note"] for row in waived if row["result"] == "FAIL"] == ["waived, but it does not fail"]


def test_the_file_can_be_copied():
    """It imports nothing of the book."""
    tree = ast.parse(Path(contract.__file__).read_text(encoding="utf-8"))
    modules = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    assert not any(name.startswith("helpers") for name in modules + names)
    assert np.__name__ in names
