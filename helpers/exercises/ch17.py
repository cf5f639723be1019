"""Checks of chapter 17, rollouts."""

import numpy as np

from helpers.exercises import Hint, exercise


@exercise(
    "17.1",
    wrong=[
        ("answer = 10", "is filler"),
        ("answer = 7", "starts with a transition"),
        ("answer = 9", "last of the ten"),
        ("answer = 2", "the fillers"),
        ("answer = 6", "third"),
    ],
)
def _count_transitions(answer):
    hints = {
        10: "the call after each end of an episode is filler",
        7: "the first call starts with a transition: reset was already called by you",
        9: "the last of the ten calls is in the third episode: two ends lie behind it, so there is a second filler",
        2: "those are the fillers; count the others",
        6: "the calls after the second filler count too: they belong to a third episode",
    }
    if answer != 8:
        raise Hint(hints.get(answer, "write down ten letters, with an f after every third t"))


@exercise(
    "17.2",
    wrong=[
        ("valid_mask = lambda done, was_done: ~done", "is a transition itself"),
        (
            "def valid_mask(done, was_done):\n    return ~np.concatenate([np.zeros_like(was_done)[None], done[:-1]])",
            "before the rollout",
        ),
        ("valid_mask = lambda done, was_done: ~np.concatenate([was_done[None], done])", "one entry for each call"),
        ("valid_mask = lambda done, was_done: np.concatenate([was_done[None], done[:-1]])", "the fillers"),
    ],
)
def _valid_mask(answer):
    done = np.array([[0, 0], [1, 0], [0, 0], [0, 1]], bool)
    was_done = np.array([False, True])
    expected = np.array([[1, 0], [1, 1], [0, 1], [1, 1]], bool)
    found = np.asarray(answer(done, was_done))
    if found.shape != done.shape:
        raise Hint(f"the mask has one entry for each call and row, {done.shape}; got {found.shape}")
    if np.array_equal(found, expected):
        return
    if np.array_equal(found, ~expected):
        raise Hint("these are the fillers; the mask is True for the transitions")
    if np.array_equal(found, ~done):
        raise Hint("the step that ends an episode is a transition itself; the filler is the call after it")
    if np.array_equal(found[1:], expected[1:]):
        raise Hint("look at the first call: row 1 had ended in the call before the rollout")
    raise Hint("a row is filler exactly where the call before it was done")


@exercise(
    "17.3",
    wrong=[
        (
            "def one_step_targets(rewards, next_values, terminated, truncated, gamma):\n"
            "    return rewards + gamma * next_values * (1 - (terminated | truncated))",
            "cut",
        ),
        (
            "def one_step_targets(rewards, next_values, terminated, truncated, gamma):\n"
            "    return rewards + gamma * next_values",
            "termination",
        ),
        (
            "def one_step_targets(rewards, next_values, terminated, truncated, gamma):\n"
            "    return rewards + next_values * (1 - terminated)",
            "gamma",
        ),
        (
            "def one_step_targets(rewards, next_values, terminated, truncated, gamma):\n"
            "    return (rewards + gamma * next_values) * (1 - terminated)",
            "reward of the last step",
        ),
    ],
)
def _one_step_targets(answer):
    rewards, values = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[10.0, 20.0], [30.0, 40.0]])
    terminated = np.array([[0, 1], [0, 0]], bool)
    truncated = np.array([[0, 0], [1, 0]], bool)
    found = np.asarray(answer(rewards, values, terminated, truncated, 0.5))
    if found.shape != rewards.shape:
        raise Hint(f"one target for each step and row, {rewards.shape}; got {found.shape}")
    if np.isclose(found[0, 0], 11):
        raise Hint("the value of what follows is discounted by gamma")
    if not np.isclose(found[0, 0], 6):
        raise Hint("in the middle of an episode the target is the reward plus gamma times the next value")
    if np.isclose(found[0, 1], 0):
        raise Hint("the reward of the last step was paid; only what follows is nothing")
    if not np.isclose(found[0, 1], 2):
        raise Hint("after a termination nothing follows, so only the reward counts")
    if not np.allclose(found[1], [18, 24]):
        raise Hint("where the episode was cut, the task would have gone on: the next value counts in full")


@exercise(
    "17.4",
    wrong=[
        (
            "def returns_from_here(rewards, next_values, terminated, truncated, gamma):\n"
            "    returns, following = np.zeros_like(next_values), next_values[-1]\n"
            "    for t in reversed(range(len(rewards))):\n"
            "        following = rewards[t] + gamma * following * (1 - terminated[t])\n"
            "        returns[t] = following\n"
            "    return returns",
            "next episode",
        ),
        (
            "def returns_from_here(rewards, next_values, terminated, truncated, gamma):\n"
            "    returns, following = np.zeros_like(next_values), 0.0\n"
            "    for t in reversed(range(len(rewards))):\n"
            "        following = np.where(truncated[t], next_values[t], following)\n"
            "        following = rewards[t] + gamma * following * (1 - terminated[t])\n"
            "        returns[t] = following\n"
            "    return returns",
            "border",
        ),
        (
            "def returns_from_here(rewards, next_values, terminated, truncated, gamma):\n"
            "    returns, following = np.zeros_like(next_values), next_values[-1]\n"
            "    for t in reversed(range(len(rewards))):\n"
            "        following = rewards[t] + gamma * following * (1 - (terminated[t] | truncated[t]))\n"
            "        returns[t] = following\n"
            "    return returns",
            "stand for the rest",
        ),
        (
            "def returns_from_here(rewards, next_values, terminated, truncated, gamma):\n"
            "    return rewards + gamma * next_values * (1 - terminated)",
            "every reward",
        ),
    ],
)
def _returns_from_here(answer):
    rewards = np.ones((4, 3))
    values = np.array([[8.0, 8.0, 8.0]] * 4)
    terminated, truncated = np.zeros((4, 3), bool), np.zeros((4, 3), bool)
    terminated[1, 0] = truncated[1, 1] = True
    found = np.asarray(answer(rewards, values, terminated, truncated, 0.5))
    if found.shape != rewards.shape:
        raise Hint(f"one number for each step and row, {rewards.shape}; got {found.shape}")
    if np.isclose(found[3, 2], 1):
        raise Hint("at the border of the rollout the episode is not over: let the next value stand for what follows")
    if not np.isclose(found[3, 2], 5):
        raise Hint("the last step of a rollout is worth its reward plus gamma times the next value")
    if np.isclose(found[0, 2], 5):
        raise Hint("count every reward up to the end of the episode, not only the first")
    if not np.allclose(found[:, 2], [2.375, 2.75, 3.5, 5]):
        raise Hint("row 2 never ends, and its returns should be 2.375, 2.75, 3.5, 5")
    if not np.allclose(found[:2, 0], [1.5, 1]):
        raise Hint("row 0 terminates at its second step: nothing follows it")
    if np.isclose(found[1, 1], 1):
        raise Hint("row 1 is cut at its second step: let the next value stand for the rest")
    if not np.allclose(found[:2, 1], [3.5, 5]):
        raise Hint("row 1 is cut at its second step: do not add rewards of the next episode")
