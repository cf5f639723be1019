# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Rollouts: which rows are transitions, and what they are worth
#
# After this chapter you can collect `(T, N)` arrays from a vector environment in any autoreset mode, keep the rows
# that are transitions, and compute [advantages](../../book/glossary.md#advantage) on them, the quantity that most
# training starts from, so that they are right at every episode's end.
#
# **You need:** the five returns of `step`, and the three modes of [autoreset](../primitives/06_autoreset.ipynb).
# **Time:** about 26 minutes.

# %%
import time
from dataclasses import dataclass
from functools import partial
from operator import setitem
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.vector.utils import create_empty_array
from matplotlib.patches import Patch, Rectangle

from helpers.environments import DictCounter, Reporter, StepCounter
from helpers.exercises import check
from helpers.figures import INK, PALETTE, figure, show
from helpers.pages import expect, say, table

# %% [markdown]
# ## Six calls, how many transitions?
#
# An agent learns from [transitions](../../book/glossary.md#transition): it saw something, acted, was paid, and that
# led to something else. `step` seems to return one for each [row](../../book/glossary.md#row), each time. Look
# closely. `StepCounter` says in its observation which episode and which step it is at, and pays the number of the
# step. We take three of them, of different lengths. The first and the last *terminate*, by the rules of the task;
# the second is *truncated*, cut off from outside as by a time limit.

# %%
PARTS = [(2, "terminated"), (3, "truncated"), (5, "terminated")]
NOTHING = np.zeros(3, int)


def make_envs(mode, kind=StepCounter, **kwargs):
    factories = [partial(kind, *part) for part in PARTS]
    return SyncVectorEnv(factories, autoreset_mode=mode, **kwargs)


# %% [markdown]
# This is what a loop that trusts `step` writes down for the first row, in the default mode. Read it line by line
# and look for the one that never happened.

# %%
envs = make_envs(AutoresetMode.NEXT_STEP)
seen, _ = envs.reset(seed=0)
rows = []
for _ in range(6):
    led_to, reward, terminated, truncated, _ = envs.step(NOTHING)
    ended = bool(terminated[0] or truncated[0])
    pair = {"saw": str(seen[0].astype(int)), "led to": str(led_to[0].astype(int))}
    rows.append(pair | {"reward": reward[0], "ended": ended})
    seen = led_to
table(rows, "Row 0 of six calls: [episode, step] seen, and what it led to")
assert rows[2] == {"saw": "[0 2]", "led to": "[1 0]", "reward": 0.0, "ended": False}

# %% [markdown]
# The third line says that an action at step 2 of episode 0 led to step 0 of episode 1 and paid nothing. No action
# was taken there. The episode was over, the call reset the environment and ignored what we sent. Such a line is a
# [filler row](../../book/glossary.md#filler-row), and every episode leaves one. Of these six lines, two are
# fillers.
#
# Train on them and the agent is taught that its last action in an episode leads to a fresh start. The other modes
# have no filler rows, but there the *last observation* goes missing instead. So we write a collector that gets both
# right, in all three modes.
#
# ## A rollout is arrays of shape (T, N)
#
# A [rollout](../../book/glossary.md#rollout) is what an agent collects before it learns from it: `T` calls of `N`
# rows. Time comes first, for reasons at the end of this page. There is one more observation than there are steps:
# the last one is what the [policy](../../book/glossary.md#policy), which chooses the actions, will see next.


# %%
@dataclass
class Rollout:
    observations: Any  # (T + 1, N, ...)
    actions: Any  # (T, N, ...)
    rewards: np.ndarray  # (T, N), and so are the next three
    terminated: np.ndarray
    truncated: np.ndarray
    valid: np.ndarray  # False for a filler row
    finals: list  # (t, row, observation) of last observations kept apart
    infos: list  # T infos

    @property
    def done(self):
        return self.terminated | self.truncated


# %% [markdown]
# The arrays are allocated once. `create_empty_array` makes `n` of anything a space describes, so given the
# *batched* space it makes `(T, N, ...)`, also for a `Dict` or a `Tuple` of spaces. `tree_map` applies a function to
# each array of such a nest, and `write` uses it to fill one entry: `setitem(array, index, part)` is
# `array[index] = part` as a function.


# %%
def tree_map(function, *trees):
    first = trees[0]
    if isinstance(first, dict):
        return {
            key: tree_map(function, *(tree[key] for tree in trees)) for key in first
        }
    if isinstance(first, tuple):
        return tuple(tree_map(function, *parts) for parts in zip(*trees, strict=True))
    return function(*trees)


def write(buffer, index, value):
    tree_map(lambda array, part: setitem(array, index, part), buffer, value)


# %%
def empty_rollout(envs, num_steps):
    shape = (num_steps, envs.num_envs)
    return Rollout(
        observations=create_empty_array(envs.observation_space, num_steps + 1),
        actions=create_empty_array(envs.action_space, num_steps),
        rewards=np.zeros(shape),
        terminated=np.zeros(shape, bool),
        truncated=np.zeros(shape, bool),
        valid=np.ones(shape, bool),
        finals=[],
        infos=[],
    )


# %% [markdown]
# ## Where each mode keeps the last observation
#
# What an episode led to in the end, its [final observation](../../book/glossary.md#final-observation), is in a
# different place in each mode.
#
# | mode | the call that ends the episode returns | the final observation | the price |
# | --- | --- | --- | --- |
# | `NEXT_STEP` | the final observation | is in the batch | a filler row at the next call |
# | `SAME_STEP` | the next episode's first observation | is in `info["final_obs"]`, an array of objects | look it up |
# | `DISABLED` | the final observation | is lost when you reset the row | copy it, then reset |
#
# So there is nothing to do in the first mode. In the other two we keep the final observations apart, and in the
# last we reset the rows ourselves, with a [masked reset](../compositions/14_selective_reset.ipynb).


# %%
def end_episodes(envs, rollout, t, observation, done):
    mode = envs.metadata["autoreset_mode"]
    if mode is AutoresetMode.NEXT_STEP or not done.any():
        return observation
    for i in np.flatnonzero(done):
        if mode is AutoresetMode.SAME_STEP:
            final = rollout.infos[t]["final_obs"][i]
        else:
            final = tree_map(lambda array, i=i: array[i].copy(), observation)
        rollout.finals.append((t, i, final))
    if mode is AutoresetMode.DISABLED:
        observation, _ = envs.reset(options={"reset_mask": done.copy()})
    return observation


# %% [markdown]
# ## The collector
#
# Now the loop is short. One line makes the mask: in `NEXT_STEP` mode a row is a transition unless the *previous*
# call ended an episode in it. The loop starts from a pair, the observation and the `done` flags of the call before,
# and returns such a pair for the next rollout to start from.


# %%
def collect(envs, policy, num_steps, start):
    rollout = empty_rollout(envs, num_steps)
    observation, done = start
    for t in range(num_steps):
        if envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP:
            rollout.valid[t] = ~done
        write(rollout.observations, t, observation)
        action = policy(observation)
        write(rollout.actions, t, action)
        observation, *step, info = envs.step(action)
        rollout.rewards[t], rollout.terminated[t], rollout.truncated[t] = step
        rollout.infos.append(info)
        done = rollout.terminated[t] | rollout.truncated[t]
        observation = end_episodes(envs, rollout, t, observation, done)
    write(rollout.observations, num_steps, observation)
    return rollout, (observation, done)


# %% [markdown]
# Here are eight calls in each mode. In the picture, a box is one entry of the `(T, N)` arrays; the number before
# the dot is the episode seen, the number after it the step; T marks a step that terminated the episode, C one that
# cut it.


# %%
def idle(observation):
    return NOTHING


def first_start(envs):
    observation, _ = envs.reset(seed=0)
    return observation, np.zeros(envs.num_envs, bool)


rollouts = {}
for mode in AutoresetMode:
    envs = make_envs(mode)
    rollouts[mode.name], _ = collect(envs, idle, 8, first_start(envs))
    envs.close()


# %% tags=["hide-input"]
def box(ax, rollout, t, i):
    episode, step = rollout.observations[t, i].astype(int)
    if rollout.valid[t, i]:
        ink, label = PALETTE[episode % 4], f"{episode}.{step}"
        style = {"facecolor": (ink, 0.25)}
    else:
        ink, label = PALETTE[5], ""
        style = {"facecolor": "none", "hatch": "///"}
    label += " T" * int(rollout.terminated[t, i]) + " C" * int(rollout.truncated[t, i])
    place = (t - 0.46, i - 0.42), 0.92, 0.84
    ax.add_patch(Rectangle(*place, edgecolor=ink, linewidth=1.2, **style))
    ax.text(t, i, label, ha="center", va="center", size=10)


# %% tags=["hide-input"]
def draw(ax, rollout, title):
    steps, rows = rollout.rewards.shape
    for t, i in np.ndindex(steps, rows):
        box(ax, rollout, t, i)
    ax.set(xlim=(-0.6, steps - 0.4), ylim=(rows - 0.5, -0.6), title=title)
    ax.set_yticks(range(rows), [f"row {i}" for i in range(rows)])
    ax.set_xticks(range(steps), [f"t={t}" for t in range(steps)])
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)


# %% tags=["hide-input"]
fig, axes = figure(4.4, nrows=2)
draw(axes[0], rollouts["NEXT_STEP"], "NEXT_STEP")
draw(axes[1], rollouts["SAME_STEP"], "SAME_STEP and DISABLED")
patches = [Patch(facecolor="none", edgecolor=PALETTE[5], hatch="///", label="filler")]
for e, ink in enumerate(PALETTE[:4]):
    patches.append(Patch(facecolor=(ink, 0.25), edgecolor=ink, label=f"episode {e}"))
fig.legend(handles=patches, loc="outside lower left", ncols=3)
alt = (
    "Two grids of three rows and eight calls. In NEXT_STEP a hatched filler follows "
    "every end of an episode, marked T for terminated and C for cut; in SAME_STEP "
    "the next episode follows at once and every box is a transition."
)
show(fig, alt)

# %% tags=["remove-cell"]
same, disabled = rollouts["SAME_STEP"], rollouts["DISABLED"]
assert np.array_equal(same.observations, disabled.observations)
assert same.valid.all() and disabled.valid.all()
valid = rollouts["NEXT_STEP"].valid
ends = rollouts["NEXT_STEP"].done
assert np.array_equal(valid[1:], ~ends[:-1]) and valid[0].all()

# %%
for name, rollout in rollouts.items():
    print(f"{name:9s} {rollout.valid.sum()} of {rollout.valid.size} are transitions")
assert rollouts["NEXT_STEP"].valid.sum() == 19
assert rollouts["SAME_STEP"].valid.sum() == 24

# %% [markdown]
# With episodes this short a fifth of the default mode's rows is filler. With episodes of 500 steps it is one in
# 501. That is why the bug is so easily missed: it is small where agents are already good, and large at the start of
# training, when episodes are short.
#
# ### What each step led to
#
# The next observation of step `t` is entry `t + 1`, except where an episode ended and its final observation was
# kept apart.


# %%
def next_observations(rollout):
    following = tree_map(lambda array: array[1:].copy(), rollout.observations)
    for t, i, observation in rollout.finals:
        write(following, (t, i), observation)
    return following


# %% [markdown]
# Now the claim of this chapter can be put to the test: the modes differ in which calls they spend, not in what
# happens. The first ten transitions of each row must be the same in all three.


# %%
def transitions(rollout, i):
    valid = rollout.valid[:, i]
    seen, led_to = rollout.observations[:-1, i], next_observations(rollout)[:, i]
    columns = [seen, led_to, rollout.rewards[:, [i]], rollout.done[:, [i]]]
    return np.concatenate(columns, axis=1)[valid]


lists = {}
for mode in AutoresetMode:
    envs = make_envs(mode)
    rollout, _ = collect(envs, idle, 16, first_start(envs))
    lists[mode.name] = [transitions(rollout, i)[:10] for i in range(3)]
    envs.close()
same = all(np.array_equal(lists["NEXT_STEP"], lists[name]) for name in lists)
print("the same transitions in all modes:", same)
assert same and np.shape(lists["NEXT_STEP"]) == (3, 10, 6)

# %% [markdown]
# ### Across the border
#
# A rollout stops after `T` calls, wherever the episodes are. The next one goes on from there, so it must know two
# things: the observation, and which rows had just ended. Forget the second, and a filler row at the very start of a
# rollout counts as a transition.

# %%
envs = make_envs(AutoresetMode.NEXT_STEP)
first, start = collect(envs, idle, 3, first_start(envs))
second, _ = collect(envs, idle, 3, start)
print("ended in the last call of the first:", first.done[-1])
print("valid in the first of the second:   ", second.valid[0])
assert np.array_equal(second.valid[0], [True, False, True])
envs.close()

# %% [markdown]
# ## What an end is worth
#
# A [value](../../book/glossary.md#value) `V` is the discounted sum of rewards that the agent expects from an
# observation on. *Discounted*: a reward `k` steps later counts `gamma**k`, where `gamma`, the
# [discount](../../book/glossary.md#discount), is a number a little below 1. So one step tells us what the value of
# what we saw should have been: the reward plus `gamma` times the value of what it led to. To put a value in the
# place of rewards that we did not collect is called a [bootstrap](../../book/glossary.md#bootstrap).
#
# There are three reasons why no more rewards were collected, and they are not alike.
#
# - The episode [terminated](../../book/glossary.md#terminated): there are none. The value of what follows is 0.
# - It was [truncated](../../book/glossary.md#truncated): the task would have gone on, we only stopped watching.
#   Bootstrap from the final observation.
# - The rollout is over in mid-episode: the same. Bootstrap from the last observation.
#
# So the weight of the bootstrap is `1 - terminated`, and truncation has no part in it. To see what goes wrong
# otherwise, take a task that pays 1 for ever. With `gamma = 0.9` every value is `1 + 0.9 + 0.9**2 + ...`, which is
# `1 / (1 - 0.9) = 10`. A [critic](../../book/glossary.md#critic) is a function that estimates `V`, and ours is
# *right*: it says 10. Its error, what the value should have been minus what the critic said, must be 0 at each step.

# %%
rewards, values, next_values = np.ones(5), np.full(5, 10.0), np.full(5, 10.0)
truncated = np.array([False, False, False, False, True])
terminated = np.zeros(5, bool)
errors = rewards + 0.9 * next_values * (1 - terminated) - values
print("bootstrap with 1 - terminated:", errors.round(1))
wrong = rewards + 0.9 * next_values * (1 - (terminated | truncated)) - values
print("bootstrap with 1 - done:      ", wrong.round(1))
assert np.allclose(errors, 0) and np.isclose(wrong[-1], -9)

# %% [markdown]
# With `done` in the place of `terminated`, a perfect critic is told that the last step before a time limit was a
# disaster of -9, by nothing that the agent saw or did.
#
# And *which* observation to bootstrap from? The one that was cut, never the one after the reset. Row 1 is cut after
# three steps. All modes must agree that it led to `[0, 3]`, and that this counts in full.

# %%
for name, rollout in rollouts.items():
    t = np.flatnonzero(rollout.truncated[:, 1])[0]
    led_to, weight = next_observations(rollout)[t, 1], 1 - rollout.terminated[t, 1]
    print(f"{name:9s} led to {led_to}, weight of its value {weight}")
    assert np.array_equal(led_to, [0, 3]) and weight == 1

# %% [markdown]
# We need values, not observations. Asking a critic is a call that costs, so ask once about all `T + 1`
# observations, and once about all final ones that were kept apart. In `NEXT_STEP` mode there are none, and
# `next_values` is the same array seen one step later: nothing is copied.


# %%
def value_steps(rollout, value):
    values = value(rollout.observations)
    next_values = values[1:]
    if rollout.finals:
        steps, rows, observations = zip(*rollout.finals, strict=True)
        next_values = next_values.copy()
        next_values[steps, rows] = value(
            tree_map(lambda *parts: np.stack(parts), *observations)
        )
    return values[:-1], next_values


# %% [markdown]
# ## Advantages
#
# How good was an action? The [advantage](../../book/glossary.md#advantage) says how much more it brought than the
# critic expected. There are many ways to measure it.
#
# - After one step: `error[t] = reward + gamma * next_value - value`. It trusts the critic for all the rest.
# - After two steps: count two rewards, then trust the critic. Write it out, and the value in the middle cancels: it
#   is `error[t] + gamma * error[t + 1]`.
# - After `n` steps: `error[t] + gamma * error[t + 1] + ... + gamma**(n - 1) * error[t + n - 1]`.
#
# A short look trusts a critic that may be wrong; a long one adds up the luck of many rewards. Generalised advantage
# estimation, [GAE](../../book/glossary.md#gae), takes a mean of all of them that gives a look one step longer `lam`
# times the weight. Because they share their first terms, that mean is again a sum of errors, only fading faster:
# the error `k` steps later counts `(gamma * lam)**k`. And such a sum can be built up from the end, one step at a
# time:
#
# `advantage[t] = error[t] + gamma * lam * advantage[t + 1]`, cut wherever an episode ends.


# %%
def gae(rewards, values, next_values, terminated, done, gamma=0.99, lam=0.95):
    errors = rewards + gamma * next_values * ~terminated - values
    carry = gamma * lam * ~done
    advantages = np.zeros_like(errors)
    following = 0.0
    for t in reversed(range(len(rewards))):
        following = errors[t] + carry[t] * following
        advantages[t] = following
    return advantages


# %% [markdown]
# Two flags, two lines. `~terminated` is `1 - terminated` and decides whether anything *follows*. `~done` decides
# whether the sum *goes on*: it must not reach into the next episode, whichever way this one ended.
#
# The picture shows what the function does with an error: how much each one counts for the advantage of a step. It
# is made by giving `gae` an error of 1 at one step and 0 elsewhere, one step after the other.

# %%
envs = SyncVectorEnv([partial(StepCounter, 6)])
line, _ = collect(envs, lambda observation: np.zeros(1, int), 17, first_start(envs))
envs.close()
nothing = np.zeros((17, 17))
ends = np.repeat(line.done, 17, axis=1)
weights = gae(np.eye(17), nothing, nothing, ends, ends, gamma=0.99, lam=0.8)

# %% tags=["hide-input"]
fig, ax = figure(3)
for ink, begin in zip(PALETTE, [1, 8, 14], strict=False):
    bars = ax.bar(range(17), weights[begin], 0.7, color=ink)
    label = f"step {begin}"
    ax.annotate(label, (begin + 0.6, 1.03), size=10, ha="center", color=INK)
for t in range(17):
    text = "T" if line.done[t, 0] else "f" * int(not line.valid[t, 0])
    ax.text(t, -0.09, text, ha="center", va="center", size=10)
    if line.done[t, 0]:
        ax.axvline(t + 0.5, color=PALETTE[5], linewidth=1, linestyle="--")

# %% tags=["hide-input"]
ax.axvline(16.5, color=PALETTE[4], linewidth=1.5, linestyle=":")
ax.text(16.7, 0.5, "end of the\nrollout", size=10, va="center")
ax.set(ylim=(-0.16, 1.15), xlim=(-0.6, 18.8), xticks=range(0, 17, 2))
ax.set(
    xlabel="step of the error (T: end of an episode, f: filler)",
    ylabel="weight",
    yticks=[0, 0.5, 1],
)
ax.set(title="How much later errors count for the advantage of a step")
alt = (
    "Bars over seventeen steps of two episodes and a part of a third. From step 1 the "
    "weights fade from 1 and stop at the end of the episode at step 5; from step 8 "
    "they stop at step 12; from step 14 they run to the end of the rollout."
)
show(fig, alt)

# %% tags=["remove-cell"]
assert np.array_equal(np.flatnonzero(line.done[:, 0]), [5, 12])
assert np.array_equal(np.flatnonzero(~line.valid[:, 0]), [6, 13])
assert np.allclose(weights[1, 1:6], (0.99 * 0.8) ** np.arange(5))
assert (weights[1, 6:] == 0).all() and (weights[8, 13:] == 0).all()
assert weights[14, 16] > 0 and (weights[14, :14] == 0).all()

# %% [markdown]
# ### Filler rows are in the way of nothing
#
# In `NEXT_STEP` mode the recursion runs over the filler rows too. Is that safe? A filler row comes right after a
# `done`, and there the sum was cut. So whatever stands in it goes no further, and we can drop it *afterwards*,
# without moving an array around. Put nonsense into the fillers and look.

# %%
filler = ~line.valid
values, next_values = value_steps(line, lambda observation: observation.sum(axis=-1))
right = gae(line.rewards, values, next_values, line.terminated, line.done)
nonsense = np.where(filler, 1e6, line.rewards)
spoilt = gae(nonsense, values, next_values, line.terminated, line.done)
print("valid rows changed: ", not np.array_equal(right[line.valid], spoilt[line.valid]))
print("filler rows changed:", not np.array_equal(right[filler], spoilt[filler]))
assert np.array_equal(right[line.valid], spoilt[line.valid])
assert (right[filler] != spoilt[filler]).all()

# %% [markdown]
# ### The same as each episode alone
#
# The strongest test of a collector does not look inside it. Take out each episode, or the part of one that lies in
# the rollout, and compute its advantages alone, with no other row and no mask around. Both must agree on every
# transition.


# %%
def advantages_alone(rollout, value):
    values, next_values = value_steps(rollout, value)
    ends = rollout.terminated, rollout.done
    alone = np.zeros(values.shape)
    for i in range(values.shape[1]):
        steps = np.flatnonzero(rollout.valid[:, i])
        last = np.flatnonzero(rollout.done[steps, i])
        for episode in np.split(steps, last + 1):
            columns = [a[episode, i] for a in (rollout.rewards, values, next_values)]
            alone[episode, i] = gae(*columns, *(a[episode, i] for a in ends))
    return alone


# %%
def guess(observation):
    return np.sin(observation @ [1.3, 0.7])


for mode in AutoresetMode:
    envs = make_envs(mode)
    start, differ = first_start(envs), 0.0
    for _ in range(3):
        rollout, start = collect(envs, idle, 7, start)
        steps = value_steps(rollout, guess)
        found = gae(rollout.rewards, *steps, rollout.terminated, rollout.done)
        gap = np.abs(found - advantages_alone(rollout, guess))[rollout.valid]
        differ = max(differ, gap.max())
    print(f"{mode.name:9s} three rollouts, the same as alone: {differ < 1e-12}")
    assert differ < 1e-12
    envs.close()

# %% [markdown]
# This is one case. The repository's `tests/test_rollouts.py` draws hundreds: episode lengths and kinds of ending at
# random, borders anywhere, all modes. And it plants each of the classical mistakes of this page into the code, one
# by one, to see that the test notices: the mask dropped, `done` and `terminated` exchanged, the reset observation
# taken as the next one. The functions above are also in `helpers.rollouts`, for the chapters that come.

# %% tags=["remove-cell"]
import ast
import inspect

import helpers.rollouts


def bare(function):
    tree = ast.parse(inspect.getsource(function)).body[0]
    if ast.get_docstring(tree):
        tree.body = tree.body[1:]
    return ast.unparse(tree)


# %% tags=["remove-cell"]
for function in [tree_map, write, empty_rollout, end_episodes, collect]:
    assert bare(function) == bare(getattr(helpers.rollouts, function.__name__))
for function in [next_observations, value_steps, gae]:
    assert bare(function) == bare(getattr(helpers.rollouts, function.__name__))
assert Rollout.__annotations__ == helpers.rollouts.Rollout.__annotations__

# %% [markdown]
# ## Nested observations and infos
#
# Nothing above asked what an observation is. `DictCounter` returns a dict with a dict in it, and the same collector
# fills a nest of `(T, N, ...)` arrays.

# %%
envs = make_envs(AutoresetMode.SAME_STEP, DictCounter)
nested, _ = collect(envs, idle, 8, first_start(envs))
print(tree_map(np.shape, nested.observations))
led_to = next_observations(nested)
print("led to, where cut:", led_to["count"][nested.truncated].tolist())
assert nested.observations["inner"]["grid"].shape == (9, 3, 2, 3)
assert (led_to["inner"]["grid"][nested.truncated] == 3).all()
envs.close()

# %% [markdown]
# An [info](../../book/glossary.md#info) holds only what some row reported, so it does not fit into an array until
# you ask for a key. `infos` keeps the dicts as they came, which costs nothing. Mind two things when you read them.
# Where a row reported nothing, the array holds 0, and only the mask `_key` tells. And in `SAME_STEP` mode the info
# of an episode's last step moves into `final_info`, since the row's own info is by then that of the reset. Losing
# just the last step hurts: that is where success is reported.
#
# `Reporter` is a `StepCounter` that reports its `score` in steps 1 and 2 of an episode. Row 0 lasts two steps, so
# it reports at every step it takes.


# %%
def reported(rollout, key):
    found = np.full(rollout.rewards.shape, np.nan)
    for t, info in enumerate(rollout.infos):
        ended = info.get("_final_info", np.zeros(found.shape[1], bool))
        for source, rows in [(info, ~ended), (info.get("final_info", {}), ended)]:
            if key in source:
                mask = source[f"_{key}"] & rows
                found[t, mask] = source[key][mask]
    return found


for mode in AutoresetMode:
    envs = make_envs(mode, lambda *part: Reporter((1, 2), *part))
    rollout, _ = collect(envs, idle, 4, first_start(envs))
    print(f"{mode.name:9s} row 0:", reported(rollout, "score")[:, 0])
    envs.close()

# %% tags=["remove-cell"]
envs = make_envs(AutoresetMode.SAME_STEP, lambda *part: Reporter((1, 2), *part))
rollout, _ = collect(envs, idle, 4, first_start(envs))
assert reported(rollout, "score")[:, 0].tolist() == [1, 2, 1, 2]
assert "final_info" in rollout.infos[1] and not rollout.infos[1]["_score"][0]
envs.close()

# %% [markdown]
# `NEXT_STEP` shows a `nan`, for "nothing reported", at its filler row.
#
# ## Memory
#
# Rollouts are the largest arrays of a training run, so their layout is worth a thought.
#
# **Time first.** Each call writes one entry. With time as the first axis that is one stretch of memory, and the
# flat batch of `T * N` rows that training wants is a view of it. With rows first, every call writes `N` pieces far
# apart, and flattening in time order copies it all.

# %%
T, N = 128, 1024
time_first, rows_first = np.zeros((T, N, 4), "f4"), np.zeros((N, T, 4), "f4")
batch = np.ones((N, 4), np.float32)
flat = time_first.reshape(T * N, 4)
print("flattening copies, time first:", not np.shares_memory(flat, time_first))
flat = rows_first.swapaxes(0, 1).reshape(T * N, 4)
print("flattening copies, rows first:", not np.shares_memory(flat, rows_first))
assert np.shares_memory(time_first.reshape(T * N, 4), time_first)
assert not np.shares_memory(flat, rows_first)


# %% tags=["timing"]
def milliseconds(function, repeats=15):
    spent = []
    for _ in range(repeats):
        began = time.perf_counter()
        for t in range(T):
            function(t)
        spent.append(1e3 * (time.perf_counter() - began))
    return np.median(spent)


fast = milliseconds(lambda t: setitem(time_first, t, batch))
slow = milliseconds(lambda t: setitem(rows_first, (slice(None), t), batch))
say(f"128 writes: {fast:.2f} ms time first, {slow:.2f} ms rows first.")

# %% [markdown]
# **One array for "saw" and "led to".** The next observations are the observations, one step on. To store both takes
# twice the memory. In `NEXT_STEP` mode the view `observations[1:]` is right as it is; in the others only the few
# final ones are kept apart.
#
# **No copy for the mask.** `observations[valid]` copies the whole rollout. Training mostly works on small random
# parts of it, minibatches, and drawing one copies its rows anyway. So draw from the *places* of the valid rows, and
# the mask costs nothing more.
#
# **`copy=False` is safe here.** `SyncVectorEnv` copies its buffer of observations at every call so that you cannot
# be surprised by the next one. The collector writes each batch down before it steps again, so it does not need that
# copy.

# %%
line_up = []
for copy in (True, False):
    envs = make_envs(AutoresetMode.DISABLED, copy=copy)
    rollout, _ = collect(envs, idle, 16, first_start(envs))
    both = [rollout.observations, next_observations(rollout)]
    line_up.append(np.concatenate(both))
    envs.close()
print("same rollout with and without the copy:", np.array_equal(*line_up))
rows = np.flatnonzero(rollouts["NEXT_STEP"].valid)
drawn = np.random.default_rng(0).permutation(rows)[:6]
print("a minibatch of valid places:", np.sort(drawn))
assert np.array_equal(*line_up)
assert rollouts["NEXT_STEP"].valid.ravel()[drawn].all()
seen = rollout.observations[:-1]
assert np.shares_memory(rollout.observations[1:], rollout.observations)
assert not np.shares_memory(seen[rollout.valid], seen)

# %% [markdown]
# ## What trips people up
#
# **"After the upgrade, advantages are wrong for one row at every boundary."** The code was written for an older
# version, where the reset happened within the call. In the default mode the row after a `done` is filler now.
# Compute GAE over all rows as above, then drop the rows whose previous call was done.

# %%
values = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])  # three of one episode, three of next
never = np.zeros(5, bool)
rewards, cut = np.array([1, 1, 0, 1, 1.0]), np.array([0, 1, 0, 0, 0], bool)
found = gae(rewards, values[:-1], values[1:], never, cut, gamma=0.9, lam=0.8)
valid = np.array([True, True, False, True, True])
print("over all rows:   ", found.round(3))
print("after the mask:  ", found[valid].round(3))
keep = [0, 1, 3, 4]
ends = never[keep], cut[keep]
alone = gae(np.ones(4), values[keep], values[[1, 2, 4, 5]], *ends, 0.9, 0.8)
print("SAME_STEP would: ", alone.round(3))
assert np.allclose(found[valid], alone) and np.isclose(found[2], 1.355, atol=1e-3)

# %% [markdown]
# **"`KeyError: 'final_obs'`."** The code looks for the final observation in info, in a mode that returns it in the
# batch. Ask the mode, as `end_episodes` does.

# %%
envs = make_envs(AutoresetMode.NEXT_STEP)
envs.reset(seed=0)
envs.step(NOTHING)
*_, info = envs.step(NOTHING)
with expect(KeyError):
    info["final_obs"]
envs.close()

# %% [markdown]
# **"The policy does well and the critic's values are far too low."** On a task with a time limit, that is the mark of
# a bootstrap with `1 - done`. The next chapter, [training](18_training.ipynb), shows critics that
# take 100 for about 70 for this reason, while most of their policies play on perfectly.
#
# **"`AssertionError: self._autoreset_envs=array(...)`."** Under `DISABLED` a finished row was stepped. A full
# `reset` would throw away the other rows' episodes; the masked one resets only those that ended.

# %%
envs = make_envs(AutoresetMode.DISABLED)
envs.reset(seed=0)
envs.step(NOTHING)
envs.step(NOTHING)
with expect(AssertionError):
    envs.step(NOTHING)
envs.close()

# %% [markdown]
# ## Exercises
#
# ### Exercise 17.1: predict the mask
#
# One row, episodes of 3 steps, `NEXT_STEP` mode, started by a reset. How many of 10 calls are transitions?
#
# <details><summary>Hint</summary>
#
# Write down ten letters: `t` for a transition, `f` for a filler. An `f` follows every third `t`.
#
# </details>

# %% tags=["exercise"]
answer = ...

# %%
check("17.1", answer)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# answer = 8
# ```
#
# `tttftttftt`, with `t` for a transition and `f` for a filler: two fillers.
#
# </details>
#
# ### Exercise 17.2: the mask of a whole rollout
#
# `collect` sets the mask call by call. Given the array `done` of a whole rollout, shape `(T, N)`, and `was_done`,
# the flags of the last call before it, return the mask.
#
# <details><summary>Hint</summary>
#
# A row is valid if the call *before* was not done in it. Shift `done` by one, and put `was_done` where something is
# missing.
#
# </details>


# %% tags=["exercise"]
def valid_mask(done, was_done):
    raise NotImplementedError


# %%
check("17.2", valid_mask)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def valid_mask(done, was_done):
#     return ~np.concatenate([was_done[None], done[:-1]])
# ```
#
# </details>
#
# ### Exercise 17.3: what the critic should have said
#
# Some algorithms need no advantages but targets for the critic after a single step: the reward plus the discounted
# value of what follows. Write it for `(T, N)` arrays.
#
# <details><summary>Hint</summary>
#
# Which of the two flags says that nothing follows?
#
# </details>


# %% tags=["exercise"]
def one_step_targets(rewards, next_values, terminated, truncated, gamma):
    raise NotImplementedError


# %%
check("17.3", one_step_targets)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def one_step_targets(rewards, next_values, terminated, truncated, gamma):
#     return rewards + gamma * next_values * (1 - terminated)
# ```
#
# </details>
#
# ### Exercise 17.4: returns from here on
#
# Write a function that gives for each step the discounted sum of the rewards from there to the end of its episode.
# Where the rollout or a cut stops it early, let the value of what follows stand for the rest.
#
# <details><summary>Hint</summary>
#
# Go backwards. At a termination nothing follows; at a cut, and at the last step of the rollout, `next_values`
# follows; elsewhere the sum of the next step does.
#
# </details>


# %% tags=["exercise"]
def returns_from_here(rewards, next_values, terminated, truncated, gamma):
    raise NotImplementedError


# %%
check("17.4", returns_from_here)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def returns_from_here(rewards, next_values, terminated, truncated, gamma):
#     returns = np.zeros_like(next_values)
#     following = next_values[-1]
#     for t in reversed(range(len(rewards))):
#         following = np.where(truncated[t], next_values[t], following)
#         following = rewards[t] + gamma * following * (1 - terminated[t])
#         returns[t] = following
#     return returns
# ```
#
# It is `gae` with `lam=1`, plus the values.
#
# </details>
#
# ## Recap
#
# - `T` calls of `N` rows are `T * N` rows, not `T * N` transitions. In `NEXT_STEP` mode, drop the row after each
#   `done`, over the border too.
# - The final observation is in the batch, in `info["final_obs"]` or lost at your own reset, by mode. Bootstrap from
#   it and never from what the reset returned.
# - The bootstrap's weight is `1 - terminated`. The sum of GAE is cut at `terminated or truncated`.
# - Done right, all modes give the same transitions and the same advantages as each episode alone.
#
# **Back:** [autoreset](../primitives/06_autoreset.ipynb). **Next:** [training](18_training.ipynb), which needs
# every line of this.
# **Reference:** [`gymnasium.vector`](https://gymnasium.farama.org/api/vector/),
# [`create_empty_array`](https://gymnasium.farama.org/api/vector/utils/).
