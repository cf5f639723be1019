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
# # `SyncVectorEnv`: the loop you can look into
#
# After this chapter you can build a vector environment from factories, say what one call does and what it costs, and
# read or change any sub-environment inside it.
#
# **You need:** chapter 1, [VectorEnv](01_vector_env.ipynb). **Time:** about 22 minutes.

# %%
import inspect
import time
from contextlib import closing
from functools import partial
from itertools import pairwise

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import NormalizeObservation
from gymnasium.wrappers.vector import ClipReward

from helpers.environments import DictCounter, StepCounter, Wait
from helpers.exercises import check
from helpers.figures import INK, PALETTE, figure, show
from helpers.pages import expect, say, table

# %% [markdown]
# ## A list of recipes, not of environments
#
# You have an environment and want three of it in a batch. The natural first try fails.

# %%
with expect(TypeError):
    SyncVectorEnv([gym.make("Pendulum-v1"), gym.make("Pendulum-v1")])

# %% [markdown]
# The message names `TimeLimit`, the outermost wrapper that `gym.make` put on, and says that it cannot be called.
# `SyncVectorEnv` does not want environments. It wants [factories](../../book/glossary.md#factory): functions without
# arguments, each of which returns a new environment. It calls them itself, in order, once each.

# %%
made = []


def make_pendulum(g):
    made.append(g)
    return gym.make("Pendulum-v1", g=g)


factories = [partial(make_pendulum, g) for g in [1.62, 9.81, 24.79]]
print("before:", made)
envs = SyncVectorEnv(factories)
print("after: ", made)
assert made == [1.62, 9.81, 24.79]

# %% [markdown]
# `partial(make_pendulum, 1.62)` is `make_pendulum` with its argument filled in. The list need not be uniform: these
# are pendulums on the Moon, on Earth and on Jupiter. Three times the same is `[factory] * 3`.
#
# A list of factories is also the recipe of the whole. It is kept as `env_fns`, and a second vector environment can
# be made from it. The other record, [`spec`](../../book/glossary.md#spec), is empty: only `make_vec` writes one, as
# chapter 3, [make_vec](03_make_vec.ipynb), shows.

# %%
print(envs, "| spec:", envs.spec)
twin = SyncVectorEnv(envs.env_fns)
print("a second one:", twin.get_attr("g"))
assert twin.get_attr("g") == (1.62, 9.81, 24.79)
assert envs.spec is None
twin.close()

# %% [markdown]
# ## The loop inside
#
# What does one call to `step` do? Here is all of it, written by hand: a list of environments, a loop, and
# `np.stack`.

# %%
singles = [make_pendulum(g) for g in [1.62, 9.81, 24.79]]
first = [env.reset(seed=7 + i)[0] for i, env in enumerate(singles)]


def step_by_hand(actions):
    rows = [env.step(action) for env, action in zip(singles, actions, strict=True)]
    observations, rewards, *_ = zip(*rows, strict=True)
    return np.stack(observations), np.array(rewards)


# %% [markdown]
# Now both get the same actions for a hundred steps. Not "nearly equal": the assert asks for the same bits.

# %%
observations, _ = envs.reset(seed=7)
assert np.array_equal(observations, np.stack(first))
envs.action_space.seed(7)
for _ in range(100):
    actions = envs.action_space.sample()
    observations, rewards, *_ = envs.step(actions)
    by_hand, rewards_by_hand = step_by_hand(actions)
    assert np.array_equal(observations, by_hand)
    assert np.array_equal(rewards, rewards_by_hand)
print("100 steps, every number equal:", observations[:, 0].round(3))

# %% [markdown]
# So the class is a loop in your own process, and a short one. What it adds is bookkeeping: `reset(seed=7)` gave the
# rows the seeds 7, 8 and 9 ([reset](04_reset.ipynb)), the info dictionaries are merged ([step](05_step.ipynb)),
# finished rows are reset ([autoreset](06_autoreset.ipynb)), and the observations are written into one array that
# was made beforehand.
#
# ## What a call costs
#
# A loop does one thing after another. To see it, we give four sub-environments steps of 2, 4, 1 and 3 milliseconds
# and put a stopwatch around each one that notes when its step began and ended. The steps only sleep, as a step does
# that waits for a robot or a server. They do not even need the processor.

# %%
costs = [0.002, 0.004, 0.001, 0.003]
intervals = []


class Stopwatch(gym.Wrapper):
    def step(self, action):
        start = time.perf_counter()
        result = self.env.step(action)
        intervals.append((start, time.perf_counter()))
        return result


# %%
clocked = SyncVectorEnv(
    [lambda cost=cost: Stopwatch(Wait(cost, how="sleep")) for cost in costs]
)
clocked.reset(seed=0)
runs = []
for _ in range(10):
    intervals.clear()
    began = time.perf_counter()
    clocked.step(np.zeros(4, int))
    runs.append((time.perf_counter() - began, began, intervals.copy()))
clocked.close()
for call, _, intervals in runs:
    assert all(a[1] <= b[0] for a, b in pairwise(intervals))
    assert call >= sum(costs)

# %% [markdown]
# Two asserts hold for all ten calls, whatever else the machine is doing: no step began before the one before it had
# ended, and the call took at least as long as all four sleeps together. Here is the quickest of the ten, the one
# that other programs disturbed least.

# %% tags=["hide-input", "timing"]
call, began, intervals = min(runs)
fig, ax = figure(2.9)
for row, (start, end) in enumerate(intervals):
    span = (1e3 * (start - began), 1e3 * (end - start))
    ax.broken_barh([span], (row - 0.38, 0.76), facecolor=PALETTE[row])
    ax.text(sum(span) + 0.1, row, f"{span[1]:.1f} ms", va="center", color=INK)
ax.broken_barh([(0, 1e3 * call)], (3.85, 0.3), facecolor=PALETTE[5])
ax.set_yticks(range(5), ["row 0", "row 1", "row 2", "row 3", "the call"])
ax.invert_yaxis()
ax.set(xlabel="milliseconds since step was called", xlim=(0, 1.16e3 * call))
ax.set_title("One call to step: each row waits for the one before it")
show(
    fig,
    "A staircase of four bars, one for each row. Each starts where the one above "
    "ends; the bar of the whole call is as long as the four together.",
)

# %% tags=["hide-input", "timing"]
steps = sum(end - start for start, end in intervals)
slowest = max(end - start for start, end in intervals)
say(
    f"The call took {call / steps:.2f} times as long as the four steps together, and "
    f"{call / slowest:.1f} times as long as the slowest of them."
)

# %% [markdown]
# The cost of a call is the *sum* of the steps, plus the bookkeeping: twice the rows, about twice the time.
#
# Then why use it? The batch is what the network wants, and here nothing has to be sent anywhere to get it. It is
# also the kind to debug with: everything happens in your process, so a `print` or a breakpoint inside the
# environment works, and an error keeps its type and its traceback. `AsyncVectorEnv` aims for the slowest step
# instead of the sum, and pays for it with messages. Chapter 8, [AsyncVectorEnv](08_async_vector_env.ipynb), measures
# where that pays.
#
# The loop has one more consequence. If it stops half-way, the rows before that point have already moved.

# %%
counters = SyncVectorEnv([StepCounter] * 3)
counters.reset(seed=0)
with expect(ValueError):
    counters.step(np.array([0, 0]))
print("steps taken by each row:", counters.get_attr("step_count"))
assert counters.get_attr("step_count") == (1, 1, 0)
counters.close()

# %% [markdown]
# The message comes from Python's `zip`, not from Gymnasium: argument 2 is the list of three sub-environments,
# argument 1 the two actions. Rows 0 and 1 have taken a step that you never saw. After an error inside `step`, call
# `reset` before you go on.


# %% tags=["remove-cell"]
class Broken(StepCounter):
    def step(self, action):
        raise ZeroDivisionError("from inside")


# %% tags=["remove-cell"]
with closing(SyncVectorEnv([StepCounter, Broken])) as counters:
    counters.reset(seed=0)
    try:
        counters.step(np.zeros(2, int))
    except ZeroDivisionError as error:
        innermost = error.__traceback__
        while innermost.tb_next:
            innermost = innermost.tb_next
        assert innermost.tb_frame.f_code is Broken.step.__code__
    else:
        raise AssertionError("the error did not arrive")
    assert counters.get_attr("step_count") == (1, 0)

# %% [markdown]
# ## The four parameters
#
# The constructor takes the factories and three settings.

# %%
parameters = inspect.signature(SyncVectorEnv).parameters
defaults = {name: p.default for name, p in parameters.items()}
assert defaults == {
    "env_fns": inspect.Parameter.empty,
    "copy": True,
    "observation_mode": "same",
    "autoreset_mode": AutoresetMode.NEXT_STEP,
}

# %% tags=["hide-input"]
meaning = {
    "env_fns": ("(required)", "the factories, one for each row"),
    "copy": ("True", "return a copy of the observations, or the buffer itself"),
    "observation_mode": ("'same'", "how the rows' observation spaces become one"),
    "autoreset_mode": ("NEXT_STEP", "when a finished row is reset"),
}
assert list(meaning) == list(parameters)
rows = [{"parameter": n, "default": d, "says": m} for n, (d, m) in meaning.items()]
table(rows, "Parameters of SyncVectorEnv")

# %% [markdown]
# ### `copy`
#
# With the default, what a call returned is yours: no later call changes it. With `copy=False` each call returns
# the same array, the buffer, with new numbers in it.

# %%
kept = {}
for copy in [True, False]:
    counters = SyncVectorEnv([StepCounter] * 2, copy=copy)
    history = [counters.reset(seed=0)[0]]
    history += [counters.step(np.zeros(2, int))[0] for _ in range(2)]
    kept[copy] = [observations[:, 1].tolist() for observations in history]
    print(f"copy={copy!s:5s} one array: {history[0] is history[2]!s:5s} {kept[copy]}")
    counters.close()

# %% tags=["remove-cell"]
assert kept[True] == [[0, 0], [1, 1], [2, 2]]
assert kept[False] == [[2, 2], [2, 2], [2, 2]]
for copy in [True, False]:
    counters = SyncVectorEnv([DictCounter] * 2, copy=copy)
    before = counters.reset(seed=0)[0]["count"]
    after = counters.step(np.zeros(2, int))[0]["count"]
    assert (before is after) is not copy
    counters.close()

# %% [markdown]
# `StepCounter` observes its own step count, so the history should read 0, 1, 2. With `copy=False` it reads 2, 2, 2:
# three names for one array. Nothing fails, and a replay buffer filled this way holds the newest observation in every
# slot. With nested observations the dictionary is new each time, and the arrays in it are the same ones.
#
# Use it where each observation is consumed before the next call, or write `observations.copy()` yourself. The gain
# grows with the size of an observation ([throughput](../scale/22_throughput.ipynb)). Rewards and flags are copied
# always.

# %%
counters = SyncVectorEnv([StepCounter] * 2, copy=False)
counters.reset(seed=0)
_, early, *_ = counters.step(np.zeros(2, int))
_, late, *_ = counters.step(np.zeros(2, int))
print("rewards of step 1:", early, "rewards of step 2:", late)
assert early.tolist() == [1, 1]
assert late.tolist() == [2, 2]
counters.close()

# %% [markdown]
# ### `observation_mode`
#
# All rows must fit into one array, so their observation spaces must agree. `"same"` demands equality. Two frozen
# lakes of different size are refused.

# %%
small = partial(gym.make, "FrozenLake-v1", map_name="4x4")
large = partial(gym.make, "FrozenLake-v1", map_name="8x8")
with expect(RuntimeError):
    SyncVectorEnv([small, large])

# %% [markdown]
# The message ends with the way out: `"different"` lets the limits differ as long as shape and dtype agree. A pair of
# spaces, the batched one first, is the third form. Chapter 13,
# [mixed environments](../compositions/13_mixed_environments.ipynb), is about all of this. Action spaces get no such
# mode: they must be equal.

# %%
lakes = SyncVectorEnv([small, large], observation_mode="different")
print("batched:", lakes.observation_space, "| single:", lakes.single_observation_space)
assert lakes.observation_space == gym.spaces.MultiDiscrete([16, 64])
assert lakes.single_observation_space == lakes.envs[0].observation_space
lakes.close()

# %% [markdown]
# Where only one answer is possible, row 0 gives it: the single spaces, `render_mode` and `metadata` are those of the
# first sub-environment. The single space above says 16, though row 1 has 64 squares.


# %% tags=["remove-cell"]
class Labelled(StepCounter):
    metadata = {"label": "row 0"}
    render_mode = "ansi"


with closing(SyncVectorEnv([Labelled, StepCounter])) as mixed:
    assert mixed.metadata["label"] == "row 0"
    assert mixed.render_mode == "ansi"
    assert mixed.envs[1].render_mode is None


# %% tags=["remove-cell"]
class ThreeActions(StepCounter):
    def __init__(self):
        super().__init__()
        self.action_space = gym.spaces.Discrete(3)


single = StepCounter().observation_space
pair = (gym.vector.utils.batch_space(single, 2), single)
for mode in ["same", "different", pair]:
    SyncVectorEnv([StepCounter] * 2, observation_mode=mode).close()
    with expect(RuntimeError):
        SyncVectorEnv([StepCounter, ThreeActions], observation_mode=mode)

# %% [markdown]
# ### `autoreset_mode`
#
# The last parameter decides what happens to a row whose episode is over. It takes a member of
# [`AutoresetMode`](06_autoreset.ipynb) or that member's *value*. The value is not spelled like the name.

# %%
for mode in ["SameStep", AutoresetMode.SAME_STEP]:
    counters = SyncVectorEnv([StepCounter], autoreset_mode=mode)
    assert counters.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    counters.close()
print({mode.name: mode.value for mode in AutoresetMode})
with expect(ValueError):
    SyncVectorEnv([StepCounter], autoreset_mode="SAME_STEP")

# %% [markdown]
# ## `.envs`: the sub-environments themselves
#
# `envs.envs` is a plain list of what the factories returned. Nothing is between you and an object in it: read it,
# plot it, stop inside it with a debugger. Remember that it is the wrapped environment.

# %%
print(type(envs.envs).__name__, "of", len(envs.envs))
print(envs.envs[2])
print("gravity of row 2:", envs.envs[2].unwrapped.g)
with expect(AttributeError):
    envs.envs[2].g

# %% [markdown]
# A wrapper does not pass attribute look-ups on. Either go to the core with `.unwrapped`, or ask with
# `get_wrapper_attr`, which looks in the outermost [wrapper](../../book/glossary.md#wrapper) first and then further
# in.

# %%
print(envs.envs[2].get_wrapper_attr("g"))
assert envs.envs[2].get_wrapper_attr("g") == envs.envs[2].unwrapped.g == 24.79

# %% [markdown]
# Look, but do not step. A step taken through the list is invisible to the vector environment. Here the episodes have
# two steps, and row 0 finishes its own behind the vector environment's back.

# %%
counters = SyncVectorEnv([partial(StepCounter, length=2)] * 2)
counters.reset(seed=0)
for _ in range(2):
    counters.envs[0].step(0)
observations, *_ = counters.step(np.zeros(2, int))
print("step counts:", observations[:, 1])
assert observations[:, 1].tolist() == [3, 1]
counters.close()

# %% [markdown]
# Row 0 was not reset, because nobody told the loop that it had ended. It is now at step 3 of an episode of two.
#
# Of the vector environments in Gymnasium, only `SyncVectorEnv` has `.envs`. Code that should also run with
# [workers](../../book/glossary.md#worker), which are processes of their own, uses the three methods that
# `AsyncVectorEnv` has too.
#
# ## `call`, `get_attr`, `set_attr`
#
# All three name something in the sub-environments and return or take one value for each row. `get_attr` reads.

# %%
print(envs.get_attr("g"))
print(envs.call("has_wrapper_attr", "g"))
assert envs.call("has_wrapper_attr", "g") == (True, True, True)

# %% [markdown]
# `call` runs a method in each row with the arguments you give, the same ones for all, and returns a tuple of the
# results. Here is a method of our own.


# %%
class Levels(StepCounter):
    def set_level(self, level):
        self.level, self.length = level, 2 * level
        return f"{self.length} steps"


levels = SyncVectorEnv([Levels] * 3)
print(levels.call("set_level", 4))
assert levels.get_attr("length") == (8, 8, 8)
levels.close()

# %% [markdown]
# ### Which object gets the value
#
# `set_attr` writes, and the question is where. Our pendulums sit inside three wrappers.

# %%
envs.set_attr("g", 3.71)
holders = ["g" in vars(envs.envs[0]), "g" in vars(envs.envs[0].unwrapped)]
print("now:", envs.get_attr("g"), "| on [outermost wrapper, core]:", holders)
assert holders == [False, True]

# %% [markdown]
# The value landed in the core, where the physics reads it. The rule, `set_wrapper_attr`, is the mirror of the
# look-up: from the outermost wrapper inwards, the first object that *has* the name gets the value. (Before
# Gymnasium 1.0, `set_attr` wrote to the outermost wrapper, and the physics did not change.)
#
# So it also reaches a name that lives in a wrapper half-way in. A running normaliser that must stand still during
# evaluation is such a case.

# %%
inside = SyncVectorEnv(
    [lambda: gym.wrappers.ClipReward(NormalizeObservation(Wait(0)), -1, 1)] * 2
)
inside.set_attr("update_running_mean", False)
middle = inside.envs[0].env
print(type(middle).__name__, "updates its mean:", middle.update_running_mean)
assert middle.update_running_mean is False
assert not hasattr(inside.envs[0], "update_running_mean")
inside.close()

# %% [markdown]
# And if no object has the name? Then the outermost wrapper gets a new attribute, without a word.

# %%
envs.set_attr("wind", 0.5)
places = ["wind" in vars(envs.envs[0]), "wind" in vars(envs.envs[0].unwrapped)]
print("get_attr:", envs.get_attr("wind"), "| on [outermost wrapper, core]:", places)
assert places == [True, False]

# %% [markdown]
# The core never sees it. A setting that `step` is to read must be given a default in the environment's `__init__`:
# then the name exists there, and `set_attr` finds it.
#
# ### One value for all, or one for each
#
# A list or a tuple is dealt out, one item to each row. Anything else goes to all rows.

# %%
envs.set_attr("g", [1.62, 9.81, 24.79])
print(envs.get_attr("g"))
with expect(ValueError):
    envs.set_attr("g", [1.62, 9.81])

# %% [markdown]
# Does the physics feel it? All three rows start from the same state, take the same action, and end with three
# different angular velocities.

# %%
start, _ = envs.reset(seed=[1, 1, 1])
observations, *_ = envs.step(np.zeros((3, 1), np.float32))
print("angular velocity before:", start[:, 2].round(3))
print("angular velocity after: ", observations[:, 2].round(3))
assert len(set(start[:, 2])) == 1
assert len(set(observations[:, 2])) == 3

# %% [markdown]
# That leaves two cases to watch. A value that *is* a list needs a list around it. And a NumPy array is not a list:
# every row gets the whole of it.

# %%
envs.set_attr("wind", [[0.0, 0.5]] * 3)
print("a list for each row:", envs.get_attr("wind"))
envs.set_attr("wind", np.array([0.0, 0.5, 1.0]))
print("an array, undealt:  ", envs.get_attr("wind")[0])
assert envs.get_attr("wind")[0].shape == (3,)
envs.set_attr("wind", np.array([0.0, 0.5, 1.0]).tolist())
print("its list, dealt:    ", envs.get_attr("wind"))
assert envs.get_attr("wind") == (0.0, 0.5, 1.0)

# %% [markdown]
# ### Wrappers do not forward them
#
# The three methods belong to `SyncVectorEnv` and `AsyncVectorEnv`, not to the interface. A
# [vector wrapper](../../book/glossary.md#vector-wrapper) does not pass them on, and a
# [native](../../book/glossary.md#native-vector-environment) vector environment has no sub-environments to ask.

# %%
wrapped = ClipReward(envs, -1, 1)
native = gym.make_vec(
    "CartPole-v1", num_envs=2, vectorization_mode="vector_entry_point"
)
with expect(AttributeError):
    wrapped.call("g")
with expect(AttributeError):
    native.call("gravity")

# %% tags=["hide-input"]
kinds = {"sync": envs, "wrapped": wrapped, ".unwrapped": wrapped.unwrapped}
kinds["native"] = native
names = ["call", "get_attr", "set_attr", "envs"]
has = {kind: [hasattr(env, name) for name in names] for kind, env in kinds.items()}
rows = [
    {"kind": kind}
    | {n: "yes" if h else "no" for n, h in zip(names, has[kind], strict=True)}
    for kind in kinds
]
table(rows, "Who has which attribute")

# %% [markdown]
# The way through any number of vector wrappers is `.unwrapped`, which is the vector environment at the core, with
# its sub-environments still wrapped.

# %%
print(wrapped.unwrapped is envs, wrapped.unwrapped.call("g"))
assert has["sync"] == has[".unwrapped"] == [True] * 4
assert has["wrapped"] == has["native"] == [False] * 4
native.close()

# %% [markdown]
# ## `close`
#
# `close` closes every sub-environment and sets `closed`. Calling it again does nothing. A vector environment is not
# a context manager, so `with envs:` fails, but `contextlib.closing` makes one of anything that can be closed.

# %%
with closing(SyncVectorEnv([StepCounter] * 2)) as counters:
    counters.reset(seed=0)
print("closed:", counters.closed)
counters.close()
assert counters.closed
with expect(TypeError), counters:
    pass

# %% [markdown]
# Do not rely on the flag to stop you. A closed `SyncVectorEnv` still steps: `step` never looks at it, and goes as far
# as the closed sub-environments let it. `AsyncVectorEnv` refuses ([failures](../trust/25_failures.ipynb)).

# %%
observations, rewards, *_ = counters.step(np.zeros(2, int))
print("rewards of a closed vector environment:", rewards)
assert rewards.tolist() == [1, 1]

# %% tags=["remove-cell"]
closings = []


class Closing(StepCounter):
    def close(self):
        closings.append(self)


vector_env = SyncVectorEnv([Closing] * 3)
vector_env.close()
vector_env.close()
assert closings == vector_env.envs

# %% tags=["remove-cell"]
workers = gym.make_vec("book/StepCounter-v0", num_envs=1, vectorization_mode="async")
assert not hasattr(workers, "envs")
assert workers.call("has_wrapper_attr", "length") == (True,)
workers.close()
with expect(gym.error.ClosedEnvironmentError):
    workers.step(np.zeros(1, int))

# %% [markdown]
# ## What trips people up
#
# **"I gave each row its own setting, and all rows have the last one."** A `lambda` in a loop looks its variable up
# when it is *called*. The factories are called when the loop is over.

# %%
late = SyncVectorEnv([lambda: StepCounter(length=n) for n in [2, 3, 5]])
bound = SyncVectorEnv([lambda n=n: StepCounter(length=n) for n in [2, 3, 5]])
filled = SyncVectorEnv([partial(StepCounter, length=n) for n in [2, 3, 5]])
for name, vector_env in {"late": late, "n=n": bound, "partial": filled}.items():
    print(f"{name:8s}{vector_env.get_attr('length')}")
assert late.get_attr("length") == (5, 5, 5)
assert bound.get_attr("length") == filled.get_attr("length") == (2, 3, 5)

# %% [markdown]
# The cures are a default argument, `lambda n=n:`, which is evaluated at once, or `partial`. Linters know this trap:
# Ruff calls it B023.
#
# **"My rows move in steps of two."** The factories returned one and the same environment. Each call steps it once
# for each row, and each row resets what the others began.

# %%
shared = StepCounter(length=100)
doubled = SyncVectorEnv([lambda: shared] * 2)
doubled.reset(seed=0)
for _ in range(2):
    print("step counts:", doubled.step(np.zeros(2, int))[0][:, 1])
assert doubled.envs[0] is doubled.envs[1]
assert doubled.step(np.zeros(2, int))[0][:, 1].tolist() == [5, 6]

# %% [markdown]
# A factory must *make* an environment each time it is called, not return one that exists.
#
# **"`set_attr` went through, and the physics is not what I set."** Either the name was misspelt, and a new attribute
# now sits on the outermost wrapper. Or the name is right, but the environment had computed other numbers from it
# long before.

# %%
cartpoles = SyncVectorEnv([partial(gym.make, "CartPole-v1")] * 2)
cartpoles.set_attr("gravty", 0.0)
print("misspelt:", cartpoles.get_attr("gravty"), cartpoles.get_attr("gravity"))
cartpoles.set_attr("masspole", 5.0)
print("derived: ", cartpoles.get_attr("masspole"), cartpoles.get_attr("total_mass"))
assert cartpoles.get_attr("gravity") == (9.8, 9.8)
assert cartpoles.get_attr("total_mass") == (1.1, 1.1)

# %% tags=["remove-cell"]
changes = {"none": {}, "pole": {"masspole": 5.0}, "total": {"total_mass": 6.0}}
changes["both"] = changes["pole"] | changes["total"]
ends = {}
for name, values in changes.items():
    with closing(SyncVectorEnv([partial(gym.make, "CartPole-v1")])) as cartpole:
        for attribute, value in values.items():
            cartpole.set_attr(attribute, value)
        cartpole.reset(seed=0)
        ends[name] = tuple(cartpole.step(np.ones(1, int))[0][0])
assert len(set(ends.values())) == 4

# %% [markdown]
# CartPole added up `total_mass` when it was made, and its `step` uses both numbers: now it moves a pole of 5 kg as
# part of a total of 1.1 kg. Set the derived values too, or give the environment a method that sets all of them and
# `call` it. Against the misspelt name there is a strict form: with
# `force=False`, `set_wrapper_attr` sets only what exists, and says whether it did.

# %%
print("grvity: ", cartpoles.call("set_wrapper_attr", "grvity", 0.0, force=False))
print("gravity:", cartpoles.call("set_wrapper_attr", "gravity", 0.0, force=False))
assert cartpoles.get_attr("gravity") == (0.0, 0.0)
with expect(AttributeError):
    cartpoles.get_attr("grvity")
cartpoles.close()

# %% [markdown]
# **"I only read an attribute, and something happened."** `get_attr` is `call` without arguments: if what it finds
# can be called, it calls it. Reading `reset` resets every row, and a function kept as an attribute cannot be read at
# all. On this class, read it through `.envs`.

# %%
filled.reset(seed=0)
filled.step(np.zeros(3, int))
print("step counts:", filled.get_attr("step_count"))
filled.get_attr("reset")
print("step counts:", filled.get_attr("step_count"))
assert filled.get_attr("step_count") == (0, 0, 0)


# %% tags=["remove-cell"]
class Scaled(StepCounter):
    def __init__(self):
        super().__init__()
        self.scale = lambda reward: 2 * reward


with closing(SyncVectorEnv([Scaled] * 3)) as scaled:
    assert len({id(env) for env in scaled.envs}) == 3
    assert scaled.envs[0].scale(3) == 6
    with expect(TypeError):
        scaled.get_attr("scale")

# %% tags=["remove-cell"]
for vector_env in [envs, late, bound, filled, doubled]:
    vector_env.close()

# %% [markdown]
# ## Exercises
#
# ### Exercise 02.1: predict the time
#
# Four sub-environments take 1, 2, 3 and 6 milliseconds for a step. About how many milliseconds do ten calls to the
# vector environment's `step` take?
#
# <details><summary>Hint</summary>
#
# Look at the picture: how long is the bar of the whole call?
#
# </details>

# %% tags=["exercise"]
answer = ...

# %%
check("02.1", answer)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# answer = 10 * (1 + 2 + 3 + 6)
# ```
#
# </details>
#
# ### Exercise 02.2: one factory for each length
#
# Write a function that takes a list of lengths and returns a `SyncVectorEnv` of `StepCounter`s, row `i` with
# `length=lengths[i]`.
#
# <details><summary>Hint</summary>
#
# If all rows come out with the last length, the first trap of this chapter has caught you.
#
# </details>


# %% tags=["exercise"]
def make_counters(lengths):
    raise NotImplementedError


# %%
check("02.2", make_counters)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def make_counters(lengths):
#     return SyncVectorEnv([partial(StepCounter, length=n) for n in lengths])
# ```
#
# </details>
#
# ### Exercise 02.3: keep what you saw
#
# Write a function that resets `envs` with seed 0, takes one step with each entry of `actions`, and returns one array
# of all observations in order, the first being that of `reset`. It must also be right for `copy=False`.
#
# <details><summary>Hint</summary>
#
# Print what you collected after the loop, for a vector environment made with `copy=False`. Are the entries different?
#
# </details>


# %% tags=["exercise"]
def collect(envs, actions):
    raise NotImplementedError


# %%
check("02.3", collect)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def collect(envs, actions):
#     observations, _ = envs.reset(seed=0)
#     seen = [observations.copy()]
#     for action in actions:
#         observations, *_ = envs.step(action)
#         seen.append(observations.copy())
#     return np.stack(seen)
# ```
#
# </details>
#
# ### Exercise 02.4: a strict `set_attr`
#
# Write `set_strict(envs, name, values)`, where `values` is a list with one value for each row. It sets them as
# `set_attr` does, but raises an `AttributeError`, and sets nothing, if the sub-environments do not have the name.
# `envs` may be inside vector wrappers.
#
# <details><summary>Hint</summary>
#
# One of the three methods already raises `AttributeError` for an unknown name. Where do they live when `envs` is
# wrapped?
#
# </details>


# %% tags=["exercise"]
def set_strict(envs, name, values):
    raise NotImplementedError


# %%
check("02.4", set_strict)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def set_strict(envs, name, values):
#     core = envs.unwrapped
#     if not all(core.call("has_wrapper_attr", name)):
#         raise AttributeError(f"the sub-environments have no attribute {name!r}")
#     core.set_attr(name, values)
# ```
#
# `core.get_attr(name)` raises as well, but would call whatever it finds if that can be called.
#
# </details>
#
# ## Recap
#
# - `SyncVectorEnv` takes factories and calls each once. `step` is a loop over `envs.envs` in your process, and costs
#   the sum of the steps.
# - `copy=False` returns one buffer again and again. Copy what you keep.
# - `call`, `get_attr` and `set_attr` reach through the wrappers of the sub-environments to the first object that has
#   the name. A list is dealt out to the rows, and an unknown name is created on the outermost wrapper.
# - They do not reach through vector wrappers: use `.unwrapped`.
# - A factory in a loop binds its value at once, `lambda n=n:` or `partial`. A closed `SyncVectorEnv` still steps.
#
# **Back:** [VectorEnv](01_vector_env.ipynb). **Next:** [make_vec](03_make_vec.ipynb), the one-line factory of
# vector environments. **Reference:**
# [`gymnasium.vector.SyncVectorEnv`](https://gymnasium.farama.org/api/vector/sync_vector_env/).
