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
# # `VectorEnv`: many environments behind one call
#
# After this chapter you can read any vector environment: what goes in, what comes out, and what each axis means.
#
# **You need:** `gym.Env`, its `reset` and `step`. **Time:** about 10 minutes.

# %%
import gymnasium as gym
import numpy as np
from gymnasium.vector import VectorEnv

from helpers.exercises import check
from helpers.figures import figure, show
from helpers.pages import expect, table

# %% [markdown]
# ## One call, five cart-poles
#
# An agent that learns from one environment asks a network for one action, takes one step, and asks again. A network
# answers for five observations nearly as fast as for one. So we would like five environments that move together:
# five observations out, five actions in.
#
# Look at the shapes that come back.

# %%
envs = gym.make_vec("CartPole-v1", num_envs=5, vectorization_mode="sync")
observations, infos = envs.reset(seed=0)
print(type(observations).__name__, observations.shape)
print(observations.round(3))

# %% [markdown]
# One call to `reset` returned one array. It has five rows, one for each environment, and four columns, the four
# numbers of a CartPole observation. We call the object a
# [vector environment](../../book/glossary.md#vector-environment) and each of the five a
# [sub-environment](../../book/glossary.md#sub-environment).
#
# `step` takes five actions and returns five of everything.

# %%
actions = np.array([0, 1, 0, 1, 0])
observations, rewards, terminated, truncated, infos = envs.step(actions)
for name, batch in {
    "observations": observations,
    "rewards": rewards,
    "terminated": terminated,
    "truncated": truncated,
}.items():
    print(f"{name:13s} shape {batch.shape!s:7s} dtype {batch.dtype}")
print(f"infos         {infos}")
assert observations.shape == (5, 4)
assert rewards.shape == terminated.shape == truncated.shape == (5,)

# %% tags=["remove-cell"]
assert infos == {}
for row, action in enumerate(actions):
    alone = gym.make("CartPole-v1")
    alone.reset(seed=row)
    assert np.array_equal(alone.step(action)[0], observations[row])

# %% [markdown]
# The first axis is the [batch axis](../../book/glossary.md#batch-axis). Row `i` of every result belongs to
# sub-environment `i`, on every call, for as long as the vector environment lives. `infos` is one dictionary for the
# whole batch; CartPole has nothing to report. Chapter 5, [step](05_step.ipynb), shows one that is filled.
#
# Here are the five pole angles over thirty calls of `step`. Watch for lines that jump.

# %%
envs.action_space.seed(0)
angles = []
for _ in range(30):
    observations, *_ = envs.step(envs.action_space.sample())
    angles.append(observations[:, 2])
angles = np.array(angles)

# %% tags=["hide-input"]
fig, ax = figure(3.3)
ax.plot(angles, label=[f"row {i}" for i in range(5)], markevery=5)
ax.set(
    xlabel="call to step",
    ylabel="pole angle (radians)",
    title="Five rows, one loop",
)
fig.legend(ncols=3, loc="outside lower center")
alt = (
    "Five lines, one for each row of the batch: the angle of each pole over thirty "
    "calls, each on a course of its own. Four of them jump back towards zero, at "
    "different calls."
)
show(fig, alt)

# %% tags=["remove-cell"]
before, after = angles[:-1], angles[1:]
jumps = (np.abs(before) > np.radians(12)) & (np.abs(after) < 0.05)
assert jumps.any(axis=0).sum() == 4 and jumps.any(axis=1).sum() > 1

# %% [markdown]
# The lines do not follow one another: the sub-environments share a call, not a state. Where a line jumps back
# towards zero, the pole of that row had fallen, and the vector environment started its next episode by itself. No
# line waits for another.
#
# ## What a vector environment has
#
# An environment has two spaces. A vector environment has four: two for the batch, two for a single row.

# %%
print("single_observation_space", envs.single_observation_space.shape)
print("observation_space       ", envs.observation_space.shape)
print("single_action_space     ", envs.single_action_space)
print("action_space            ", envs.action_space)

# %% [markdown]
# A network is built from the single spaces: 4 inputs, 2 outputs. A batch is checked against the batched ones.
# Chapter 7, [spaces](07_spaces.ipynb), shows how one becomes the other.
#
# The rest of what it has tells you what you are holding.

# %%
rows = [
    ("num_envs", envs.num_envs, "how many rows a batch has"),
    ("spec", envs.spec.id, "the record it was made from; here its id"),
    ("render_mode", envs.render_mode, "how it draws itself: here not at all"),
    ("metadata", ", ".join(envs.metadata), "facts about it; here their names"),
    ("closed", envs.closed, "whether it has been closed"),
]
columns = ["attribute", "value", "meaning"]
table([dict(zip(columns, row, strict=True)) for row in rows], "What it has")

# %% [markdown]
# One entry of `metadata` matters more than all others: `autoreset_mode` says what happens to a row whose episode has
# ended. There are three modes, and to reset on the next step, as in the picture, is only the default. Chapter 6,
# [autoreset](06_autoreset.ipynb), is about them.

# %%
modes = [mode.name for mode in gym.vector.AutoresetMode]
print(modes, "- here:", envs.metadata["autoreset_mode"].name)
assert modes == ["NEXT_STEP", "SAME_STEP", "DISABLED"]
assert envs.metadata["autoreset_mode"] is gym.vector.AutoresetMode.NEXT_STEP

# %% [markdown]
# `np_random` is the random [generator](../../book/glossary.md#generator). This kind of vector environment holds a
# list of environments, each with a generator of its own, so it answers with five. Then we close it.

# %%
print(len(envs.np_random), "generators, seeds", envs.np_random_seed)
assert len(envs.np_random) == 5 and envs.np_random_seed == (0, 1, 2, 3, 4)
envs.close()
print("closed:", envs.closed)
assert envs.closed

# %% [markdown]
# ## What `VectorEnv` is, and is not
#
# All vector environments derive from `gymnasium.vector.VectorEnv`. It is natural to expect an abstract class, and a
# kind of `gym.Env`. It is neither.

# %%
base = VectorEnv()
abstract = getattr(VectorEnv, "__abstractmethods__", "none")
print("an Env?", isinstance(base, gym.Env), "| abstract methods:", abstract)
print("reset returns", base.reset(seed=1))
assert not issubclass(VectorEnv, gym.Env) and abstract == "none"
assert base.reset() is None

# %% [markdown]
# The base class can be made, and its `reset` seeds a generator and returns `None`. Only two methods say that they
# are missing. They cannot even print the name of the object, which has no `num_envs` yet, so we give it one.

# %% tags=["remove-cell"]
try:
    base.render()
except AttributeError as error:
    assert "num_envs" in str(error)
else:
    raise AssertionError("the base class rendered")

# %%
base.num_envs = 1
with expect(NotImplementedError):
    base.step(None)
with expect(NotImplementedError):
    base.render()

# %% [markdown]
# So a subclass that forgets `reset` is not caught when it is made. It fails later, where a caller unpacks `None`.
#
# ## More than two kinds
#
# Three families share this interface.

# %%
kinds = set()
for mode in ["sync", "async", "vector_entry_point"]:
    made = gym.make_vec("CartPole-v1", num_envs=2, vectorization_mode=mode)
    is_vector_env = isinstance(made, VectorEnv)
    print(f"{mode:18s} {type(made).__name__:18s} is a VectorEnv: {is_vector_env}")
    kinds.add(type(made))
    assert is_vector_env and hasattr(made, "envs") == (mode == "sync")
    made.close()
assert len(kinds) == 3

# %% [markdown]
# - `SyncVectorEnv` steps its sub-environments one after the other, in your process: chapter 2,
#   [SyncVectorEnv](02_sync_vector_env.ipynb).
# - `AsyncVectorEnv` gives each a process of its own: chapter 8, [AsyncVectorEnv](08_async_vector_env.ipynb).
# - `CartPoleVectorEnv` is a [native](../../book/glossary.md#native-vector-environment) one: no sub-environments at
#   all, only arrays that are advanced together.
#
# Code written against the interface runs on all three. Code that reaches for `envs.envs`, the list of environments,
# runs on the first alone.
#
# ## What trips people up
#
# **"My type check refuses the vector environment."** A function that asks for `isinstance(env, gym.Env)` turns a
# `VectorEnv` away, and a single-environment wrapper from `gymnasium.wrappers` refuses it. Vector environments have
# wrappers of their own: chapter 9, [vector wrappers](09_vector_wrappers.ipynb).

# %%
with expect(TypeError):
    gym.wrappers.TimeLimit(
        gym.make_vec("CartPole-v1", num_envs=2), max_episode_steps=10
    )

# %% [markdown]
# **"`while not terminated` raises an error about truth values."** The flags are arrays, so they have no single truth
# value. A loop over a batch has no end of its own: rows end at different times. Count steps instead.

# %%
with expect(ValueError):
    while not terminated:
        break

# %% [markdown]
# **"My network has 20 inputs instead of 4."** It was built from `observation_space`, the batched space. Build it
# from `single_observation_space`.

# %%
print(
    "inputs:", envs.observation_space.shape, "or", envs.single_observation_space.shape
)
assert np.prod(envs.observation_space.shape) == 20
assert np.prod(envs.single_observation_space.shape) == 4

# %% [markdown]
# ## Exercises
#
# ### Exercise 01.1: predict the shape
#
# Pendulum's observation has three numbers. What is `observations.shape` after `reset` of five of them?
#
# <details><summary>Hint</summary>
#
# Write the number of rows first.
#
# </details>

# %% tags=["exercise"]
answer = ...

# %%
check("01.1", answer)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# answer = (5, 3)
# ```
#
# </details>
#
# ### Exercise 01.2: count the finished rows
#
# Write a function that takes the two flag arrays of one step and returns how many rows have finished their episode.
#
# <details><summary>Hint</summary>
#
# An episode is over when either flag is set. Both can be set at once, and that is still one row.
#
# </details>


# %% tags=["exercise"]
def count_finished(terminated, truncated):
    raise NotImplementedError


# %%
check("01.2", count_finished)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def count_finished(terminated, truncated):
#     return int((terminated | truncated).sum())
# ```
#
# </details>
#
# ### Exercise 01.3: make your own
#
# Write a function of `n` that returns a vector environment of `n` sub-environments. Any environment will do.
#
# <details><summary>Hint</summary>
#
# The first code cell of the chapter has a line that does it for five.
#
# </details>


# %% tags=["exercise"]
def make_envs(n):
    raise NotImplementedError


# %%
check("01.3", make_envs)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def make_envs(n):
#     return gym.make_vec("MountainCar-v0", num_envs=n, vectorization_mode="sync")
# ```
#
# </details>
#
# ## Recap
#
# - A vector environment moves `num_envs` sub-environments with one call. Row `i` of everything belongs to
#   sub-environment `i`.
# - It has four spaces: build networks from the single ones.
# - `VectorEnv` is a plain class, not a `gym.Env` and not abstract.
# - Sync, async and native environments share the interface; the autoreset mode is in `metadata`.
#
# **Next:** [SyncVectorEnv](02_sync_vector_env.ipynb), the loop you can look into.
# **Reference:** [`gymnasium.vector.VectorEnv`](https://gymnasium.farama.org/api/vector/).
