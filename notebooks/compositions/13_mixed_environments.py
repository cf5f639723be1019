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
# # Mixed environments: a batch whose rows differ
#
# After this chapter you can put environments with different maps, physics or bounds into one batch, change them
# while they run, and tell which differences are refused.
#
# **You need:** [SyncVectorEnv](../primitives/02_sync_vector_env.ipynb) and [spaces](../primitives/07_spaces.ipynb).
# **Time:** about 21 minutes.

# %%
from functools import partial

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.envs.toy_text.frozen_lake import generate_random_map
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv
from gymnasium.wrappers import RescaleAction, TransformObservation

from helpers.exercises import check
from helpers.figures import INK, PALETTE, figure, show
from helpers.pages import expect, say, table

# %% [markdown]
# ## Two lakes, one batch
#
# An agent should learn on a small frozen lake and on a large one at the same time. `make_vec` makes `n` copies of
# one environment with one set of arguments, so it cannot do this. A list of
# [factories](../../book/glossary.md#factory), functions that each return a new environment, can: every entry may
# return something else. Here is one lake of each size. What do you expect?

# %%
lakes = [
    partial(gym.make, "FrozenLake-v1", map_name="4x4", is_slippery=False),
    partial(gym.make, "FrozenLake8x8-v1", is_slippery=False),
]
with expect(RuntimeError):
    SyncVectorEnv(lakes)

# %% [markdown]
# The observation of a lake is the number of the square you stand on. The small lake has 16 squares, the large one
# 64, so the two spaces are not equal, and by default they must be. The message names a way out.

# %%
envs = SyncVectorEnv(lakes, observation_mode="different")
print("batched", envs.observation_space)
print("single ", envs.single_observation_space)
assert envs.observation_space == spaces.MultiDiscrete([16, 64])
assert envs.single_observation_space == spaces.Discrete(16)

# %% [markdown]
# The [batched space](../../book/glossary.md#batched-space) knows both sizes: row 0 has 16 values, row 1 has 64. The
# [single space](../../book/glossary.md#single-space), the one a network is built from, is row 0's alone. That is
# where the next error comes from. Both rows go down twice, which is square 8 on the small lake and 16 on the large.

# %%
envs.reset(seed=0)
for _ in range(2):
    observations, *_ = envs.step(np.array([1, 1]))
print("squares", observations)
assert observations.tolist() == [8, 16]
with expect(IndexError):
    np.eye(envs.single_observation_space.n)[observations]

# %% tags=["remove-cell"]
turned = SyncVectorEnv(lakes[::-1], observation_mode="different")
assert turned.single_observation_space == spaces.Discrete(64)

# %% [markdown]
# A one-hot code (one entry for each square, 1 where you stand) of 16 entries has no place for square 16. Put the
# large lake first and the error is gone, but a batch that depends on the order of a list is a trap for whoever edits
# the list. Say what you mean instead.
#
# ## Say both spaces yourself
#
# `observation_mode` also takes a pair of spaces, the batched one first. A single space of 64 values covers every
# row.

# %%
batched = spaces.MultiDiscrete([16, 64])
single = spaces.Discrete(64)
envs = SyncVectorEnv(lakes, observation_mode=(batched, single))
observations, _ = envs.reset(seed=0)
one_hot = np.eye(envs.single_observation_space.n)[observations]
print(envs.single_observation_space, "one-hot batch", one_hot.shape)
assert one_hot.shape == (2, 64)
assert envs.observation_space == batched

# %% [markdown]
# The order matters, and the library's own words get it wrong. Give it a mode it does not know, and the message
# speaks of a "tuple of single and batch observation space". Do what it says, and the pair is refused.

# %%
with expect(ValueError):
    SyncVectorEnv(lakes, observation_mode="mixed")

# %%
with expect(RuntimeError):
    SyncVectorEnv(lakes, observation_mode=(single, batched))

# %% [markdown]
# The second message prints `single_observation_space=MultiDiscrete([16 64])`: it took the batched space for the
# single one. Whenever a custom pair is refused with "do not share a common shape and dtype", look at the order
# first. It is **(batched, single)**.
#
# The pair is taken at your word. Each row is compared with your single space, in shape and dtype only. Nobody
# compares the batched space with anything, so check it yourself, once.

# %%
too_small = spaces.MultiDiscrete([4, 4])
envs = SyncVectorEnv(lakes, observation_mode=(too_small, single))
envs.reset(seed=0)
for _ in range(2):
    observations, *_ = envs.step(np.array([1, 1]))
print(observations, "in", envs.observation_space, "?", observations in too_small)
assert observations not in envs.observation_space
assert observations in batched

# %% [markdown]
# ## What may differ, and what may not
#
# Lakes differ in one number. To try every kind of difference we need an environment whose spaces we can set: a tank
# that reports its level.


# %%
class Tank(gym.Env):
    def __init__(self, size=1.0, readings=1, dtype=np.float32, power=1.0):
        self.observation_space = spaces.Box(0, size, (readings,), dtype)
        self.action_space = spaces.Box(-power, power, (1,))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return np.zeros_like(self.observation_space.low), {}


# %% [markdown]
# Row 0 is a plain tank, row 1 differs from it in one respect. We try each difference with each of the three
# values of `observation_mode`, and note whether the batch was made, or which error refused it. The pair is made of
# row 0's spaces.

# %%
differences = {
    "observation bounds": {"size": 5.0},
    "observation shape": {"readings": 2},
    "observation dtype": {"dtype": np.float64},
    "action bounds": {"power": 2.0},
}
pair = (spaces.Box(0, 5, (2, 1)), Tank().observation_space)
modes = {"same": "same", "different": "different", "a pair": pair}


def outcome(mode, kwargs):
    try:
        SyncVectorEnv([Tank, partial(Tank, **kwargs)], observation_mode=mode).close()
    except (RuntimeError, ValueError) as error:
        return type(error).__name__
    return "made"


# %%
rows = [
    {"row 1 differs in": name} | {m: outcome(modes[m], kwargs) for m in modes}
    for name, kwargs in differences.items()
]
table(rows, "Which differences a batch can hold")

# %% tags=["remove-cell"]
made = {row["row 1 differs in"]: [row[m] == "made" for m in modes] for row in rows}
assert made == {
    "observation bounds": [False, True, True],
    "observation shape": [False, False, False],
    "observation dtype": [False, False, False],
    "action bounds": [False, False, False],
}


# %% tags=["remove-cell"]
class Gauge(Tank):
    def __init__(self):
        super().__init__()
        self.observation_space = spaces.Discrete(2)


try:
    SyncVectorEnv([Tank, Gauge], observation_mode="different")
except TypeError:
    pass
else:
    raise AssertionError("two kinds of spaces were batched")

# %% [markdown]
# Only the first line has a way through. Bounds of observations may differ; their kind, shape and dtype may not,
# because all rows are written into one array. Actions get no choice at all: there is an `observation_mode` and no
# `action_mode`, and action spaces must be equal down to the bounds. Here are the first line and the last.

# %%
envs = SyncVectorEnv([Tank, partial(Tank, size=5.0)], observation_mode="different")
print(envs.observation_space.high.ravel(), "are the upper bounds of the two rows")
assert envs.observation_space.high.ravel().tolist() == [1.0, 5.0]
with expect(RuntimeError):
    SyncVectorEnv([Tank, partial(Tank, power=2.0)], observation_mode="different")

# %% [markdown]
# ### The way round: make them equal on the inside
#
# What a batch refuses, a single-environment [wrapper](../../book/glossary.md#wrapper) can even out before the batch
# sees it. `RescaleAction` lets every tank be driven from -1 to 1 whatever its power, and `TransformObservation`
# pads the short reading.


# %%
def padded():
    wide = spaces.Box(0, 1, (2,))
    return TransformObservation(Tank(readings=1), lambda x: np.pad(x, (0, 1)), wide)


def rescaled():
    strong = Tank(readings=2, power=2.0)
    return RescaleAction(strong, np.float32(-1), np.float32(1))


envs = SyncVectorEnv([padded, rescaled])
print(envs.observation_space.shape, envs.single_action_space)
assert envs.observation_space.shape == (2, 2)
assert envs.reset(seed=0)[0] in envs.observation_space

# %% [markdown]
# Both rows are now equal as far as the batch can see, so even the default mode takes them. The network pays with an
# input that is always zero in row 0. Which wrapper goes on which side of the batch is the subject of [nested
# wrappers](15_nested_wrappers.ipynb).
#
# ## The same batch with workers
#
# `AsyncVectorEnv` takes the same argument, and it puts mixed observations into [shared
# memory](../../book/glossary.md#shared-memory) like any others: the layout comes from the single space's shape and
# dtype, which all rows share. Same seeds, same actions, three ways to carry the numbers:

# %%
mixed = {"observation_mode": (batched, single)}
runs = {
    "in this process": SyncVectorEnv(lakes, **mixed),
    "shared memory": AsyncVectorEnv(lakes, shared_memory=True, **mixed),
    "pipes": AsyncVectorEnv(lakes, shared_memory=False, **mixed),
}
squares = {}
for name, envs in runs.items():
    envs.reset(seed=0)
    squares[name] = [envs.step(np.array([2, 1]))[0].tolist() for _ in range(4)]
    envs.close()
    print(f"{name:16s}", squares[name])
assert squares["shared memory"] == squares["pipes"] == squares["in this process"]

# %% [markdown]
# One thing does differ. To learn the spaces, the asynchronous class builds environments in your process before it
# starts its workers: one for the layout, and with `"different"` one more for every row. The extra ones are never
# closed.

# %%
built = []


def counted(make_lake):
    built.append(make_lake.args[0])
    return make_lake()


fns = [partial(counted, lake) for lake in lakes]
for name, mode in {"different": "different", "a pair": (batched, single)}.items():
    built.clear()
    AsyncVectorEnv(fns, observation_mode=mode).close()
    print(f"{name:10s} built here: {len(built)}  {built}")
assert built == ["FrozenLake-v1"]

# %% tags=["remove-cell"]
closed = []


class Noted(gym.Wrapper):
    def close(self):
        closed.append("closed")
        super().close()


def noted(lake):
    return Noted(counted(lake))


# %% tags=["remove-cell"]
built.clear()
AsyncVectorEnv(
    [partial(noted, lake) for lake in lakes], observation_mode="different"
).close()
assert built == ["FrozenLake-v1", "FrozenLake-v1", "FrozenLake8x8-v1"]
assert len(closed) == 1

# %% [markdown]
# For a lake that costs nothing. For a simulator that opens a window or takes a licence, hand over the pair.
#
# ## Gravity per row
#
# Two lakes have different spaces. Most mixtures do not: the physics differ and the spaces are equal, so any mode
# will do. `set_attr` with a list gives each [row](../../book/glossary.md#row) its own value. To see the effect and
# nothing else, all four rows get the same [seed](../../book/glossary.md#seed) and the same actions, left and right
# in turn.

# %%
planets = {"Moon": 1.6, "Mars": 3.7, "Earth": 9.8, "Jupiter": 24.8}
envs = gym.make_vec("CartPole-v1", num_envs=4, vectorization_mode="sync")
envs.set_attr("gravity", list(planets.values()))
envs.reset(seed=[3, 3, 3, 3])
angles, standing = [], np.ones(4, bool)
for t in range(45):
    observations, _, terminated, *_ = envs.step(np.full(4, t % 2))
    angles.append(np.where(standing, observations[:, 2], np.nan))
    standing &= ~terminated
angles = np.degrees(angles)

# %% tags=["hide-input"]
fig, ax = figure(3.5)
ax.plot(range(1, 46), angles, label=list(planets), markevery=4)
ax.axhline(12, linewidth=1, linestyle=":", marker="", color=INK)
ax.text(0, 12.3, "fallen", va="bottom")
ax.set(
    xlabel="call to step",
    ylabel="pole angle (degrees)",
    title="One start, four gravities",
    ylim=(0, 14),
)
fig.legend(loc="outside lower center", ncols=4)
alt = (
    "Four lines from one point. The pole on Jupiter leaves the others first and falls "
    "first, then the one on Earth, then Mars, then the Moon."
)
show(fig, alt)

# %%
lasted = (~np.isnan(angles)).sum(axis=0)
print(dict(zip(planets, lasted.tolist(), strict=True)))
assert (np.diff(lasted) < 0).all()

# %% [markdown]
# The stronger the pull, the sooner the same pole falls. Look at what the agent is *not* told: the observation has
# its usual four numbers, and gravity is none of them. The rows look alike until they move. Whether a policy should
# be told is your decision; exercise 13.4 tells it.
#
# A [native](../../book/glossary.md#native-vector-environment) vector environment has no rows to set attributes on,
# and no `set_attr`. `CartPoleVectorEnv` computes with arrays, though, and an array of gravities fits where one
# number stood. Four equal starts and one pole for each planet give the numbers of `SyncVectorEnv`.

# %%
native = gym.make_vec("CartPole-v1", num_envs=4)
native.gravity = np.array(list(planets.values()))
start = {"low": 0.04, "high": 0.04}
for each in (envs, native):
    each.reset(seed=0, options=dict(start))
pairs = [[e.step(np.full(4, t % 2))[0] for e in (envs, native)] for t in range(10)]
print(type(native).__name__, "has set_attr:", hasattr(native, "set_attr"))
print("same numbers as sync:", all(np.allclose(*pair) for pair in pairs))
assert not hasattr(native, "set_attr")
assert all(np.allclose(*pair) for pair in pairs)
assert len(np.unique(pairs[-1][1][:, 2])) == 4

# %% [markdown]
# This works because of how that class is written, not because the interface promises it. Try it on any other native
# class before you rely on it.
#
# ## A curriculum: change the rows as they succeed
#
# A curriculum starts easy and gets harder as the agent improves. `set_attr` takes effect at once, in the middle of
# an episode if need be, so the question is *when* to call it. Between the step that ends an episode and the next
# call is a good moment: in the default mode that next call resets the row, so no episode has two gravities. (In
# [`SAME_STEP`](../primitives/06_autoreset.ipynb) it is too late: when you see the flag, the next episode has begun.)
#
# The player below is a fixed rule, push towards the side to which the pole leans and turns. It does not learn,
# which keeps the curriculum in view. A row that lasts 150 steps moves on to the next planet; one that falls moves
# back.

# %%
envs = gym.make_vec(
    "CartPole-v1", num_envs=4, vectorization_mode="sync", max_episode_steps=150
)
gravities = np.array(list(planets.values()))
level = np.array([0, 1, 2, 3])
envs.set_attr("gravity", gravities[level].tolist())
observations, _ = envs.reset(seed=0)
history = []


# %%
def next_level(level, terminated, truncated):
    promoted = truncated & ~terminated
    return np.clip(level + promoted - terminated.astype(int), 0, len(gravities) - 1)


for _ in range(800):
    actions = (observations[:, 2] + observations[:, 3] > 0).astype(int)
    observations, _, terminated, truncated, _ = envs.step(actions)
    if (terminated | truncated).any():
        level = next_level(level, terminated, truncated)
        envs.set_attr("gravity", gravities[level].tolist())
    history.append(envs.get_attr("gravity"))
history = np.array(history)

# %% tags=["hide-input"]
fig, axes = figure(4.4, nrows=4, sharex=True, sharey=True)
levels = np.searchsorted(gravities, history)
for row, ax in enumerate(axes):
    ax.plot(levels[:, row], marker="", drawstyle="steps-post", color=PALETTE[0], ls="-")
    ax.set_ylabel(f"row {row}", rotation=0, ha="right", va="center")
    ax.set_yticks(range(4), planets, fontsize=10)
axes[0].set_title("Each row moves at its own times")
axes[-1].set_xlabel("call to step")
alt = (
    "Four strips, one a row. Each row climbs from planet to planet, then goes back and "
    "forth between Earth and Jupiter, each at times of its own."
)
show(fig, alt)

# %% tags=["remove-cell"]
# No step is taken under a gravity that was set after the episode began.
replay = gym.make_vec(
    "CartPole-v1", 4, vectorization_mode="sync", max_episode_steps=150
)
replay.set_attr("gravity", gravities[[0, 1, 2, 3]].tolist())
observations, _ = replay.reset(seed=0)
done = np.zeros(4, bool)
for now in history:
    actions = (observations[:, 2] + observations[:, 3] > 0).astype(int)
    observations, rewards, terminated, truncated, _ = replay.step(actions)
    assert not rewards[done].any()  # the call after an end only resets
    done = terminated | truncated
    assert (done | (now == replay.get_attr("gravity"))).all()
    replay.set_attr("gravity", now.tolist())

# %% tags=["remove-cell"]
assert history[0].tolist() == [1.6, 3.7, 9.8, 24.8]
assert set(history[-300:].ravel()) == {9.8, 24.8}
assert (np.diff(history, axis=0) < 0).any(axis=0).all()
assert all({9.8, 24.8} <= set(history[:, row]) for row in range(4))

# %% [markdown]
# Every row reaches Jupiter, falls there sooner or later, recovers on Earth and tries again. Note what `next_level`
# does with the flags. [Truncated](../../book/glossary.md#truncated) alone means that the row outlasted the limit.
# [Terminated](../../book/glossary.md#terminated) means that the pole fell, even if the limit was reached on the
# same step.
#
# The list that goes to `set_attr` always has one value for each row. To change one row, read the values first with
# `get_attr`, replace one, and hand all of them back.
#
# ## Domain randomisation: a new world every episode
#
# To make a policy robust, let every episode draw its own physics. It has to happen at every reset, and most resets
# are [autoresets](../primitives/06_autoreset.ipynb) that your loop never sees. A wrapper *inside* the batch sees
# them all.


# %%
class RandomGravity(gym.Wrapper):
    """Draw a gravity at every reset, from the environment's own generator."""

    gravity_range = (5.0, 15.0)

    def reset(self, *, seed=None, options=None):
        observation, info = super().reset(seed=seed, options=options)
        gravity = self.np_random.uniform(*self.gravity_range)
        self.unwrapped.gravity = gravity
        return observation, info | {"gravity": gravity}


# %% [markdown]
# `wrappers=` puts it around each environment. The draw comes from the environment's own
# [generator](../../book/glossary.md#generator), so the seed of `reset` covers it, and
# [info](../../book/glossary.md#info) says what was drawn: `_gravity` marks the rows that were reset.


# %%
def drawn(mode, steps=40):
    make = partial(gym.make_vec, "CartPole-v1", 3, vectorization_mode=mode)
    envs = make(wrappers=[RandomGravity])
    _, infos = envs.reset(seed=0)
    found = []
    for t in range(steps + 1):
        for row in np.flatnonzero(infos.get("_gravity", [])):
            gravity = round(float(infos["gravity"][row]), 2)
            found.append({"call": t, "row": int(row), "gravity": gravity})
        infos = envs.step(np.full(3, t // 2 % 2))[-1]
    envs.close()
    return found


# %%
worlds = drawn("sync")
table(worlds, "Every gravity that was drawn in 40 steps of three rows")
values = [world["gravity"] for world in worlds]
assert len(set(values)) == len(values) > 3
assert all(5 <= value <= 15 for value in values)

# %%
same_again, with_workers = drawn("sync") == worlds, drawn("async") == worlds
print("again the same:", same_again, "| the same with workers:", with_workers)
assert same_again and with_workers

# %% [markdown]
# The first three lines of the table are the reset you asked for, the others are autoresets. A seeded run draws the
# same worlds again, in workers too. Had you drawn with `np.random` and `set_attr` from your loop, the seed of
# `reset` would not cover the draws.
#
# Maps can be drawn as well as numbers. `generate_random_map` makes a lake that can be crossed, and exercise 13.3
# gives each row one of its own.

# %%
lake_map = generate_random_map(size=4, seed=7)
print("S start, F ice, H hole, G goal:", *lake_map, sep="\n")
assert gym.make("FrozenLake-v1", desc=lake_map).observation_space == spaces.Discrete(16)

# %% [markdown]
# ## What trips people up
#
# **"I set gravity with a NumPy array, and `step` raises an error about shapes."** Only a list or a tuple is spread
# over the rows. Anything else, an array too, is one value that goes to every row whole. Call `.tolist()` on it.

# %%
envs = gym.make_vec("CartPole-v1", num_envs=2, vectorization_mode="sync")
envs.reset(seed=0)
envs.set_attr("gravity", np.array([1.6, 24.8]))
print("row 0 has gravity", envs.get_attr("gravity")[0])
assert envs.get_attr("gravity")[0].shape == (2,)
with expect(ValueError):
    envs.step(np.array([0, 1]))

# %% [markdown]
# **"I changed an attribute and nothing changed."** A misspelt name is not refused: `set_attr` makes a new attribute
# that nobody reads. `get_attr` does refuse an unknown name, so read before you write.

# %%
envs = gym.make_vec("CartPole-v1", num_envs=2, vectorization_mode="sync")
with expect(AttributeError):
    envs.get_attr("gravty")
envs.set_attr("gravty", 1.6)
print("gravity is still", envs.get_attr("gravity"))
assert envs.get_attr("gravity") == (9.8, 9.8)
assert envs.get_attr("gravty") == (1.6, 1.6)

# %% [markdown]
# **"The heavier pole does not behave like a heavier pole."** Some attributes were computed from others when the
# environment was made. CartPole adds up `total_mass` once; a new `masspole` leaves it as it was, and the physics
# contradict themselves. Read the source of what you change, and set the derived values too.

# %%
envs.set_attr("masspole", [0.1, 1.0])
mass = envs.get_attr("masspole"), envs.get_attr("masscart"), envs.get_attr("total_mass")
for row, (pole, cart, total) in enumerate(zip(*mass, strict=True)):
    print(f"row {row}: pole {pole} + cart {cart}, but total_mass {total}")
assert mass[2] == (1.1, 1.1)

# %% [markdown]
# **"My options hold for the first episode only."** An autoreset passes neither seed nor options. CartPole can be
# told where to start; with episodes one step long, the second start is already anywhere.

# %%
envs = gym.make_vec(
    "CartPole-v1", num_envs=2, vectorization_mode="sync", max_episode_steps=1
)
first, _ = envs.reset(seed=1, options={"low": 0.049, "high": 0.05})
envs.step(np.array([0, 0]))
second, *_ = envs.step(np.array([0, 0]))
print("lowest number at the start, first episode ", first.min().round(3))
print("lowest number at the start, second episode", second.min().round(3))
assert first.min() >= 0.049 > 0 > second.min()

# %% [markdown]
# Draw the start inside a wrapper's `reset`, as `RandomGravity` does, and it holds for all of them.
#
# **"The large lake is cut off much too early."** `FrozenLake-v1` with `map_name="8x8"` has the large map and the
# small lake's time limit. The limit belongs to the id, not to the map.

# %%
wanted = {"FrozenLake-v1": {"map_name": "8x8"}, "FrozenLake8x8-v1": {}}
for name, kwargs in wanted.items():
    lake = gym.make(name, **kwargs)
    size, limit = lake.observation_space.n, lake.spec.max_episode_steps
    print(f"{name:16s} {size} squares, {limit} steps")

# %% tags=["remove-cell"]
assert gym.make("FrozenLake-v1", map_name="8x8").observation_space.n == 64
assert gym.make("FrozenLake-v1", map_name="8x8").spec.max_episode_steps == 100
assert gym.make("FrozenLake8x8-v1").spec.max_episode_steps == 200

# %% [markdown]
# **"The average return of the batch went up, so the agent got better."** Rows with short episodes finish more often
# and fill the average. In a mixed batch keep one average for each row, or for each kind.

# %%
envs = SyncVectorEnv(lakes, observation_mode=(batched, single))
envs.reset(seed=0)
envs.action_space.seed(0)
finished = np.zeros(2, int)
for _ in range(1000):
    _, _, terminated, truncated, _ = envs.step(envs.action_space.sample())
    finished += terminated | truncated
share = finished[0] / finished.sum()
say(
    f"In 1000 steps of random actions the small lake finished {finished[0]} "
    f"episodes and the large one {finished[1]}. Of an average over all episodes, "
    f"{share:.0%} is the small lake."
)
assert share > 0.7

# %% [markdown]
# ## Exercises
#
# ### Exercise 13.1: predict
#
# Two rows are wrapped in `RandomGravity`, and you narrow the range with `envs.set_attr("gravity_range", (8.0,
# 12.0))`. What does `envs.get_attr("gravity_range")` return?
#
# <details><summary>Hint</summary>
#
# Read the first trap again: what does `set_attr` do with a tuple, and what is it here?
#
# </details>

# %% tags=["exercise"]
answer = ...

# %%
check("13.1", answer)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# answer = (8.0, 12.0)
# ```
#
# Row 0 got 8.0 and row 1 got 12.0, and their next reset fails. With any other number of rows you would have been
# refused at once. A value that is itself a tuple goes into a list: `set_attr("gravity_range", [(8.0, 12.0)] * 2)`.
#
# </details>

# %% tags=["remove-cell"]
envs = gym.make_vec(
    "CartPole-v1", 2, vectorization_mode="sync", wrappers=[RandomGravity]
)
envs.set_attr("gravity_range", (8.0, 12.0))
assert envs.get_attr("gravity_range") == (8.0, 12.0)
try:
    envs.reset(seed=0)
except TypeError:
    pass
else:
    raise AssertionError("a range that is one number was accepted")
envs.set_attr("gravity_range", [(8.0, 12.0)] * 2)
assert all(8 <= g <= 12 for g in envs.reset(seed=0)[1]["gravity"])

# %% [markdown]
# ### Exercise 13.2: a pair for any lakes
#
# Write a function that takes the side lengths of square lakes, one for each row, such as `[4, 8, 5]`, and returns
# the pair for `observation_mode`. A one-hot code built from the single space must have room for every row.
#
# <details><summary>Hint</summary>
#
# A lake with side 4 has 16 squares. Which of the two spaces comes first?
#
# </details>


# %% tags=["exercise"]
def lake_pair(sides):
    raise NotImplementedError


# %%
check("13.2", lake_pair)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def lake_pair(sides):
#     squares = [side * side for side in sides]
#     return spaces.MultiDiscrete(squares), spaces.Discrete(max(squares))
# ```
#
# </details>
#
# ### Exercise 13.3: a map for each row
#
# `generate_random_map(size=4, seed=7)` returns a lake as a list of strings, which `FrozenLake-v1` takes as `desc=`.
# Write a function that takes a list of seeds and returns a `SyncVectorEnv` with one row, and one map, for each.
#
# <details><summary>Hint</summary>
#
# `partial` fixes its arguments at once. A lambda in a loop looks its variables up later, when the loop is over.
#
# </details>


# %% tags=["exercise"]
def make_lakes(seeds):
    raise NotImplementedError


# %%
check("13.3", make_lakes)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def make_lakes(seeds):
#     maps = [generate_random_map(size=4, seed=seed) for seed in seeds]
#     return SyncVectorEnv([partial(gym.make, "FrozenLake-v1", desc=m) for m in maps])
# ```
#
# All maps have 16 squares, so the spaces are equal and the default mode takes them.
#
# </details>
#
# ### Exercise 13.4: tell the agent
#
# Write a wrapper for CartPole that appends the present gravity, between 0 and 100, to the observation as a fifth
# number.
#
# <details><summary>Hint</summary>
#
# Derive from `gym.ObservationWrapper`, which calls your `observation(self, observation)` on every observation. A
# wrapper that changes the shape must also set `self.observation_space`. `np.append` of a `float32` array and a
# Python number gives `float64`.
#
# </details>


# %% tags=["exercise"]
class ShowGravity(gym.ObservationWrapper):
    def observation(self, observation):
        raise NotImplementedError


# %%
check("13.4", ShowGravity)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# class ShowGravity(gym.ObservationWrapper):
#     def __init__(self, env):
#         super().__init__(env)
#         low = np.append(env.observation_space.low, np.float32(0))
#         high = np.append(env.observation_space.high, np.float32(100))
#         self.observation_space = spaces.Box(low, high)
#
#     def observation(self, observation):
#         return np.append(observation, np.float32(self.unwrapped.gravity))
# ```
#
# </details>
#
# ## Recap
#
# - A list of factories can mix environments; `make_vec` cannot.
# - `observation_mode`: `"same"` wants equal spaces; `"different"` wants equal kind, shape and dtype, and takes the
#   single space of row 0; a pair, **(batched, single)**, takes your word for both.
# - Action spaces must be equal. Even them out with a wrapper inside the batch.
# - `set_attr` with a list changes each row, at once: call it between the end of an episode and the reset.
# - Randomise inside a wrapper's `reset`: it sees every autoreset, and the seed covers it.
#
# **Back:** [reward wrapper](12_reward_wrapper.ipynb). **Next:** [selective reset](14_selective_reset.ipynb),
# resetting the rows you choose. **Reference:**
# [`SyncVectorEnv`](https://gymnasium.farama.org/api/vector/sync_vector_env/).
