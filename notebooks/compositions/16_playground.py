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
# # Playground: change it, guess, run it
#
# After this chapter you know what every public attribute of a vector environment is for, and you have guessed at a
# dozen of its edges and seen whether you were right.
#
# **You need:** a kernel that runs, and to have read [`VectorEnv`](../primitives/01_vector_env.ipynb). Nothing here
# can break. **Time:** about 18 minutes, more if you play.

# %%
import subprocess
import sys
from copy import deepcopy
from functools import partial
from inspect import get_annotations

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv

import helpers.environments  # registers the book's environments
from helpers.exercises import check
from helpers.explorables import explorable
from helpers.figures import show, svg
from helpers.pages import expect, say, table
from helpers.timeline import draw, record

# %% [markdown]
# ## What is on it
#
# How many public names do you think a vector environment has, and how many do all kinds share? Guess, then count.
# We take what `dir` lists and what the classes declare, and leave out names that begin with an underscore.


# %%
def public(envs):
    names = set(dir(envs))
    for cls in type(envs).__mro__:
        names |= set(get_annotations(cls))
    return {name for name in names if not name.startswith("_")}


# %%
make_carts = partial(gym.make_vec, "CartPole-v1", num_envs=3)
sync = make_carts(vectorization_mode="sync")
workers = make_carts(vectorization_mode="async")
native = make_carts(vectorization_mode="vector_entry_point")
workers.close()
for envs in (VectorEnv(), sync, workers, native):
    print(f"{type(envs).__name__:18s} {len(public(envs))} public names")
shared = public(sync) & public(workers) & public(native)
print("all share", len(shared))
assert shared == public(VectorEnv())

# %% [markdown]
# What all three share is exactly what the base class declares: the interface. The rest belongs to a kind. So there
# are a few names to know well, and some to look up. `explain` makes the tables below, one line for each name: what
# it is for, and its value here. It refuses to leave a name out: if your version of Gymnasium has one that this page
# does not explain, the cell fails and says which.


# %% tags=["hide-input"]
def glimpse(value):
    if isinstance(value, gym.spaces.Space):
        return f"{type(value).__name__}, shape {value.shape}"
    if isinstance(value, dict):
        return ", ".join(value)
    if isinstance(value, list | tuple) and not isinstance(value[0], int):
        return f"{len(value)} x {type(value[0]).__name__}"
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, np.ndarray):
        return f"array, shape {value.shape}"
    if value is None or isinstance(value, bool | int | str | tuple | AutoresetMode):
        return str(value)
    return "method" if callable(value) else type(value).__name__


# %%
def explain(envs, names, *purposes):
    known = {name: text for part in purposes for name, text in part.items()}
    new, gone = sorted(names - set(known)), sorted(set(known) - names)
    assert not new and not gone, f"not explained: {new}, gone: {gone}"
    rows = [
        {"name": name, "what it is for": text, "here": glimpse(getattr(envs, name))}
        for name, text in known.items()
    ]
    table(rows, f"{type(envs).__name__}: {len(rows)} names")


# %% [markdown]
# ### The interface
#
# First what a vector environment *has*, then what it *does*. The cells that hold the purposes are folded.

# %% tags=["hide-input"]
has = {
    "num_envs": "how many rows a batch has",
    "observation_space": "a batch of observations: check yours against it",
    "single_observation_space": "one row of it: the input of your network",
    "action_space": "a batch of actions: seed it, sample from it",
    "single_action_space": "one row of it: the output of your network",
    "metadata": "facts about it; autoreset_mode is the one to read",
    "spec": "the record from which make_vec can build it again",
    "render_mode": "what render returns; chosen when it is made",
    "closed": "whether close has been called",
    "np_random": "the random generator, or one for each row",
    "np_random_seed": "the seed each generator was made from",
    "unwrapped": "what is left under all vector wrappers",
}

# %% tags=["hide-input"]
does = {
    "reset": "start episodes: of all rows, or of those a mask names",
    "step": "one action for each row in, one result for each row out",
    "render": "frames, one for each row",
    "close": "release windows, workers and memory",
    "close_extras": "what close calls; a subclass overrides this one",
}

# %%
sync.reset(seed=0)
explain(sync, public(VectorEnv()), has, does)

# %% [markdown]
# ### What a kind adds
#
# `SyncVectorEnv` keeps its environments in your process, so it can show them to you: in `envs`, which the others do
# not have.

# %% tags=["hide-input"]
loop = {
    "call": "call a method of every environment",
    "get_attr": "read an attribute of every environment",
    "set_attr": "set it: a list is spread over the rows",
    "autoreset_mode": "the mode it acts on; metadata holds a copy",
    "copy": "whether each call returns a new array of observations",
    "env_fns": "the factories the environments were made by",
    "observation_mode": "how the rows' spaces were joined",
}

# %%
own = {"envs": "the environments themselves, to look into"}
explain(sync, public(sync) - shared, loop, own)

# %% [markdown]
# `AsyncVectorEnv` has the same names but `envs`, and adds the halves of each call and its machinery. Chapter 8,
# [AsyncVectorEnv](../primitives/08_async_vector_env.ipynb), puts most of them to use.

# %% tags=["hide-input"]
halves = {
    "step_async": "send the actions and return at once",
    "step_wait": "wait for the results of step_async",
    "reset_async": "ask for a reset and return at once",
    "reset_wait": "wait for the observations of reset_async",
    "call_async": "ask for a method call and return at once",
    "call_wait": "wait for the results of call_async",
}

# %% tags=["hide-input"]
machinery = {
    "processes": "the workers",
    "parent_pipes": "this end of the pipe to each worker",
    "error_queue": "where a worker puts the error it died of",
    "observations": "the buffer into which workers write observations",
    "shared_memory": "whether that buffer is shared, or filled through pipes",
    "context": "the start method; None is the platform's own",
    "daemon": "whether workers end when this process does",
    "max_concurrency": "how many workers may run at once; None is all",
    "worker": "a worker function of your own; None is the standard one",
}

# %%
workers = make_carts(vectorization_mode="async")
explain(workers, public(workers) - shared, loop, halves, machinery)
workers.close()

# %% [markdown]
# The native CartPole has none of these. It has its physics, and arrays with the state of all rows.

# %% tags=["hide-input"]
physics = {
    "gravity": "the pull downwards",
    "masscart": "the mass of the cart",
    "masspole": "the mass of the pole",
    "total_mass": "both masses; computed once, when it is made",
    "length": "half the length of the pole",
    "polemass_length": "masspole times length; computed once",
    "force_mag": "the force of one push",
    "tau": "seconds from one step to the next",
    "kinematics_integrator": "how the motion is computed",
    "x_threshold": "how far the cart may go",
    "theta_threshold_radians": "how far the pole may lean",
}

# %% tags=["hide-input"]
bookkeeping = {
    "low": "the least number of a start",
    "high": "the greatest number of a start",
    "state": "four numbers for each row: a row is a column here",
    "steps": "the steps of each row's present episode",
    "max_episode_steps": "the time limit; no wrapper holds it here",
    "prev_done": "the rows that the next call will reset",
    "steps_beyond_terminated": "set by reset, and read by nothing",
    "screen_width": "the width of a frame",
    "screen_height": "the height of a frame",
    "screens": "what each row is drawn on, once render was called",
    "surf": "the picture that is being drawn",
}

# %%
native.reset(seed=0)
explain(native, public(native) - shared, physics, bookkeeping)
assert not (physics | bookkeeping).keys() & (loop | own | halves | machinery).keys()

# %% [markdown]
# Code that uses the interface alone runs on every kind. Each name from the later tables ties it to one.
#
# Does `explain` really refuse? A vector wrapper passes the interface on and has names of its own. We hand it one
# without explaining those.

# %%
wrapped = gym.wrappers.vector.RecordEpisodeStatistics(sync)
with expect(AssertionError):
    explain(wrapped, public(wrapped), has, does)

# %% [markdown]
# **Try it:** write `keeps = {"env": "the next layer inwards", ...}` with a purpose for each name in that message,
# and pass it as one more argument.
#
# <details><summary>Answer</summary>
#
# ```python
# keeps = {
#     "env": "the next layer inwards",
#     "episode_returns": "the running sum of rewards, row by row",
#     "episode_lengths": "the running count of steps, row by row",
#     "episode_start_times": "when each row's episode began",
#     "prev_dones": "the rows whose episode ended on the last call",
#     "episode_count": "how many episodes have ended",
#     "return_queue": "the returns of the last episodes",
#     "length_queue": "their lengths",
#     "time_queue": "the seconds they took",
# }
# explain(wrapped, public(wrapped), has, does, keeps)
# ```
#
# </details>

# %% tags=["remove-cell"]
names = {"env", "episode_returns", "episode_lengths", "episode_start_times"}
names |= {"prev_dones", "episode_count", "return_queue", "length_queue", "time_queue"}
assert public(wrapped) == public(VectorEnv()) | names

# %% [markdown]
# ## A nested observation
#
# Most observations in this book are flat arrays. This one is a dictionary with a dictionary in it, so its space is
# a `Dict`. Change `N`, and see where it turns up in the table.

# %%
N = 3

counters = gym.make_vec(
    "book/DictCounter-v0", num_envs=N, vectorization_mode="sync", length=4
)
observations, _ = counters.reset(seed=0)


def leaves(tree, path=""):
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from leaves(value, f"{path}{key} / ")
        else:
            yield {"path": path + key, "shape": value.shape, "dtype": value.dtype}


# %%
rows = list(leaves(observations))
table(rows, f"What one reset of {N} environments returns")
assert all(row["shape"][0] == N for row in rows)
assert [row["shape"][1:] for row in rows] == [(2,), (), (2, 3)]

# %% [markdown]
# The batch is one dictionary with batched leaves (the arrays at the ends of its branches), not a list of `N`
# dictionaries: `N` is the first number of every shape and appears nowhere else. The space has the same form. To get
# the dictionaries of the single rows back, walk over the batch with `iterate`. We take two steps and look at the
# last row.

# %%
for _ in range(2):
    observations, *_ = counters.step(counters.action_space.sample())
single_rows = list(gym.vector.utils.iterate(counters.observation_space, observations))
last = single_rows[-1]
print(len(single_rows), "rows; of the last:")
print("count", last["count"], "| inner / even", last["inner"]["even"])
assert counters.observation_space["inner"]["grid"].shape == (N, 2, 3)
assert len(single_rows) == N
assert all(row in counters.single_observation_space for row in single_rows)
assert list(last["count"]) == [0, 2] and last["inner"]["even"] == 1

# %% [markdown]
# How each kind of space is batched is the subject of [spaces](../primitives/07_spaces.ipynb); the tools are in
# [space utilities](../primitives/10_space_utilities.ipynb).
#
# ## Three modes, one variable
#
# The next cell records two rows, one with episodes of `LENGTH` steps and one with episodes a step longer, and draws
# which [episode](../../book/glossary.md#episode) owns which observation. In each box stands the episode, a dot, and
# the step. **T** marks a terminated step, **C** one that was cut off, **x** an ignored action, **F** a
# [final observation](../../book/glossary.md#final-observation) that went to info, **=** a row that a reset by hand
# left alone.
#
# Run it, then change `MODE`, and say before you run it what will move.

# %%
MODE = "NEXT_STEP"  # or "SAME_STEP", or "DISABLED"
LENGTH = 3
ENDING = "terminated"  # or "truncated"


def make_pair(mode, length=LENGTH):
    make = partial(gym.make, "book/StepCounter-v0", ending=ENDING)
    fns = [partial(make, length=n) for n in (length, length + 1)]
    return SyncVectorEnv(fns, autoreset_mode=mode)


actions = np.zeros((8, 2), int)
timeline = record(make_pair, AutoresetMode[MODE], actions)
alt = f"Which episode owns which row at each call in the mode {MODE}, for two rows."
show(draw([timeline]), alt)

# %% [markdown]
# If you read without a kernel, the next figure does the same for every mode and for episodes of 2, 3 and 4 steps.
# Move one control at a time. Where there are no controls, as in print, it shows `SAME_STEP`.

# %% tags=["hide-input"]
modes, lengths = list(AutoresetMode), [2, 3, 4]


def frame(mode, length):
    name, steps = modes[mode].name, lengths[length]
    make = partial(make_pair, length=steps)
    picture = draw([record(make, modes[mode], actions)])
    alt = f"{name}: episodes of {steps} steps in row 0, of {steps + 1} in row 1."
    return f'<figure class="plot">{svg(picture, alt)}</figure>'


controls = {"mode": [m.name for m in modes], "length": [str(n) for n in lengths]}
caption = "Eight steps of two rows: change the mode, or the length of the episodes"
explorable(caption, controls, frame, (modes.index(AutoresetMode.SAME_STEP), 1))

# %% [markdown]
# Three things to look for:
#
# - In `NEXT_STEP`, an ended row shows the new episode one call later, with an **x**: that call's action went
#   nowhere.
# - In `SAME_STEP`, the ended row shows the new episode at once, and the last observation of the old one is the
#   **F**.
# - In `DISABLED`, an extra reset appears between the steps. The recorder called it, with a mask; no one else would.
#
# The same counts for all three modes, whatever you have set above:

# %%
rows = []
for mode in AutoresetMode:
    cells = [cell for row in record(make_pair, mode, actions).rows for cell in row]
    rows.append(
        {
            "mode": mode.name,
            "episodes ended": sum(c.terminated or c.truncated for c in cells),
            "actions ignored": sum(c.action_ignored for c in cells),
            "final observations in info": sum(c.final is not None for c in cells),
            "transitions": actions.size - sum(c.action_ignored for c in cells),
        }
    )
table(rows, f"{len(actions)} steps of two rows in each mode")

# %% tags=["remove-cell"]
for row in rows:
    finals = row["final observations in info"]
    assert finals == (row["episodes ended"] if row["mode"] == "SAME_STEP" else 0)
    assert row["actions ignored"] == 0 or row["mode"] == "NEXT_STEP"
    assert row["actions ignored"] <= row["episodes ended"]
assert actions.size == 16 and rows[0]["actions ignored"] > 0

# %% tags=["remove-cell"]
for mode in AutoresetMode:
    recorded = record(make_pair, mode, actions)
    for row in recorded.rows:
        for t in range(len(row) - 1):
            now, after = row[t], row[t + 1]
            if not (now.terminated or now.truncated):
                continue
            if mode is AutoresetMode.SAME_STEP:
                assert now.step == 0 and now.final[1] in (LENGTH, LENGTH + 1)
            else:
                assert now.step > 0 and after.step == 0
                assert after.action_ignored is (mode is AutoresetMode.NEXT_STEP)
    assert mode is AutoresetMode.DISABLED or not recorded.masked_resets

# %% [markdown]
# Eight steps of two rows are 16 actions. Only `NEXT_STEP` wastes some of them, one for each ended episode whose reset
# came within the eight. Chapter 6, [autoreset](../primitives/06_autoreset.ipynb), explains each mode.
#
# ## What happens if
#
# Each cell below answers the question above it. Read both, say what you expect, then open the output and the answer.
#
# ### You ask for one sub-environment only?

# %% tags=["hide-output"]
one = gym.make_vec("CartPole-v1", num_envs=1, vectorization_mode="sync")
print(one.reset(seed=0)[0].shape)
with expect(TypeError):
    one.step(0)
print(one.step([0])[0].shape)

# %% [markdown]
# <details><summary>Answer</summary>
#
# A batch of one is a batch. The observation has shape `(1, 4)`, and the action must have a first axis too:
# `step(0)` is refused, `step([0])` is taken. Code written for a batch needs no exception for one row.
#
# </details>

# %% tags=["remove-cell"]
assert one.reset(seed=0)[0].shape == one.step([0])[0].shape == (1, 4)

# %% [markdown]
# ### You hand over two actions for three rows?

# %% tags=["hide-output"]
make_counters = partial(gym.make_vec, "book/StepCounter-v0", vectorization_mode="sync")
counters = make_counters(num_envs=3)
counters.reset(seed=0)
with expect(ValueError):
    counters.step(np.array([0, 1]))
print("steps taken by each row:", counters.get_attr("step_count"))

# %% [markdown]
# <details><summary>Answer</summary>
#
# `ValueError: zip() argument 2 is longer than argument 1`, which does not mention actions. And it comes late: rows
# 0 and 1 have already taken their step, row 2 has not. After such an error the rows are out of step with one
# another, so reset them all. Chapter 25, [failures](../trust/25_failures.ipynb#a-failed-call-has-half-happened), has
# more of these.
#
# </details>

# %% tags=["remove-cell"]
assert counters.get_attr("step_count") == (1, 1, 0)

# %% [markdown]
# ### You send an action that does not exist, on the call that resets the row?
#
# Cart-poles know the actions 0 and 1. With a limit of one step, every second call is a reset.

# %% tags=["hide-output"]
short = gym.make_vec(
    "CartPole-v1", num_envs=2, vectorization_mode="sync", max_episode_steps=1
)
short.reset(seed=0)
print("cut off: ", short.step(np.array([0, 1]))[3])
print("accepted:", short.step(np.array([7, 7]))[1])
with expect(AssertionError):
    short.step(np.array([7, 7]))

# %% [markdown]
# <details><summary>Answer</summary>
#
# In the default mode that call runs `reset` in place of `step`, so nobody looks at the action: 7 is accepted, and
# the reward is 0. On the next call the same action raises. It is the plainest proof that the row of a resetting
# call is no [transition](../../book/glossary.md#transition).
#
# </details>

# %% tags=["remove-cell"]
short.reset(seed=0)
assert short.step(np.array([0, 1]))[3].all()
assert not short.step(np.array([7, 7]))[1].any()

# %% [markdown]
# ### You step before the first reset?

# %% tags=["hide-output"]
fresh = make_carts(vectorization_mode="sync")
with expect(gym.error.ResetNeeded):
    fresh.step(np.array([0, 1, 0]))

# %% [markdown]
# <details><summary>Answer</summary>
#
# `ResetNeeded: Cannot call env.step() before calling env.reset()`. Autoreset resets rows that have *finished*; the
# first reset is yours.
#
# </details>
#
# ### You step after `close`?

# %% tags=["hide-output"]
for mode in ("sync", "async"):
    closed = make_carts(vectorization_mode=mode)
    closed.reset(seed=0)
    closed.close()
    try:
        print(mode, "steps on:", closed.step(np.array([0, 1, 0]))[0].shape)
    except gym.error.ClosedEnvironmentError as error:
        print(mode, "refuses:", error)

# %% [markdown]
# <details><summary>Answer</summary>
#
# It depends on the kind. The loop closes its environments, and a cart-pole without a window works on as if nothing
# had happened. The workers have gone, so the asynchronous one raises `ClosedEnvironmentError`. Rely on neither:
# `closed` tells you. Chapter 25 has more that happens [after the last
# step](../trust/25_failures.ipynb#after-the-last-step).
#
# </details>

# %% tags=["remove-cell"]
assert closed.closed
try:
    closed.step(np.array([0, 1, 0]))
except gym.error.ClosedEnvironmentError:
    pass
else:
    raise AssertionError("a closed AsyncVectorEnv stepped")
closed = make_carts(vectorization_mode="sync")
closed.reset(seed=0)
closed.close()
assert closed.step(np.array([0, 1, 0]))[0].shape == (3, 4)

# %% [markdown]
# ### You keep an observation and step on?

# %% tags=["hide-output"]
for copy in (True, False):
    counters = make_counters(num_envs=2, vector_kwargs={"copy": copy})
    kept, _ = counters.reset(seed=0)
    for _ in range(2):
        counters.step(np.zeros(2, int))
    print(f"copy={copy!s:5s} what we kept from the reset says step {kept[0, 1]:.0f}")

# %% [markdown]
# <details><summary>Answer</summary>
#
# By default each call returns a new array, and what you keep stays as it was: step 0. With `copy=False` there is
# one array, written over on every call, so the observation of the reset now shows step 2. That is fast, and it is
# only safe if you copy what you keep.
#
# </details>

# %% tags=["remove-cell"]
for copy, expected in ((True, 0), (False, 2)):
    counters = make_counters(num_envs=2, vector_kwargs={"copy": copy})
    kept, _ = counters.reset(seed=0)
    for _ in range(2):
        counters.step(np.zeros(2, int))
    assert kept[0, 1] == expected

# %% [markdown]
# ### You change the mode in `metadata`?

# %% tags=["hide-output"]
counters = make_counters(num_envs=2)
counters.metadata["autoreset_mode"] = AutoresetMode.SAME_STEP
counters.reset(seed=0)
for _ in range(3):
    observations, *_, infos = counters.step(np.zeros(2, int))
print("the label says", counters.metadata["autoreset_mode"].name)
print("row 0 shows episode and step", observations[0], "| info has", list(infos))

# %% [markdown]
# <details><summary>Answer</summary>
#
# Nothing, except that the label is now false. The row shows the last step of episode 0 and info holds no
# `final_obs`, so the mode is still `NEXT_STEP`. Wrappers read the label and would believe it. The mode is chosen
# when the environment is made, with `vector_kwargs={"autoreset_mode": ...}`.
#
# </details>

# %% tags=["remove-cell"]
assert observations[0].tolist() == [0, 3] and "final_obs" not in infos
assert counters.autoreset_mode is AutoresetMode.NEXT_STEP

# %% [markdown]
# ### You write the mode as a string?

# %% tags=["hide-output"]
with expect(ValueError):
    make_counters(num_envs=2, vector_kwargs={"autoreset_mode": "SAME_STEP"})
print(make_counters(2, vector_kwargs={"autoreset_mode": "SameStep"}).autoreset_mode)

# %% [markdown]
# <details><summary>Answer</summary>
#
# A string is taken if it is the mode's *value*, `"SameStep"`, and refused if it is its *name*, `"SAME_STEP"`. With
# `AutoresetMode.SAME_STEP` there is nothing to mix up.
#
# </details>

# %% tags=["remove-cell"]
assert [mode.value for mode in AutoresetMode] == ["NextStep", "SameStep", "Disabled"]

# %% [markdown]
# ### All factories return one and the same environment?

# %% tags=["hide-output"]
only_one = gym.make("book/StepCounter-v0", length=10)
confused = SyncVectorEnv([lambda: only_one] * 3)
confused.reset(seed=0)
print("steps after one call:", confused.step(np.zeros(3, int))[0][:, 1])

# %% [markdown]
# <details><summary>Answer</summary>
#
# Nobody objects, and one call takes three steps in the one environment: the rows report steps 1, 2 and 3. A factory
# has to *make* an environment each time it is called.
#
# </details>

# %% tags=["remove-cell"]
confused.reset(seed=0)
assert confused.step(np.zeros(3, int))[0][:, 1].tolist() == [1, 2, 3]

# %% [markdown]
# ### You deep-copy it in mid-episode?

# %% tags=["hide-output"]
sync.reset(seed=0)
branch = deepcopy(sync)
left = sync.step(np.array([0, 0, 0]))[0]
right = branch.step(np.array([1, 1, 1]))[0]
print("cart speed after pushing left ", left[:, 1].round(2))
print("cart speed after pushing right", right[:, 1].round(2))

# %% [markdown]
# <details><summary>Answer</summary>
#
# You get a second batch in the same state, generators included, which goes its own way from there: a snapshot to
# look ahead with. It works for environments whose state is ordinary Python and NumPy.
#
# </details>

# %% tags=["remove-cell"]
assert (left[:, 1] < 0).all() and (right[:, 1] > 0).all()
assert sync.envs[0].unwrapped is not branch.envs[0].unwrapped

# %% [markdown]
# ### You deep-copy one with workers?
#
# What follows leaves files of its process in disorder, so we try it in a process of its own and not in this kernel.

# %% tags=["hide-output"]
program = """
import copy, gymnasium as gym
envs = gym.make_vec("CartPole-v1", num_envs=3, vectorization_mode="async")
envs.reset(seed=0)
try:
    copy.deepcopy(envs)
except TypeError as error:
    print("no copy:", error)
try:
    envs.step([0, 1, 0])
except OSError as error:
    print("and no original:", error)
"""
command = [sys.executable, "-c", program]
ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
print(ended.stdout)

# %% [markdown]
# <details><summary>Answer</summary>
#
# You lose the environment you had. The copy stops half-way, at the workers, which cannot be copied. By then it has
# copied the pipes: the *same* open files under a second name. The half-made copy is thrown away, that closes the
# files, and the original can no longer reach its workers. Never deep-copy an `AsyncVectorEnv`, nor an object that
# holds one, such as a wrapper around it or an agent. Make a new one instead, from the factories or from `spec`.
#
# </details>

# %% tags=["remove-cell"]
assert ended.stdout.startswith("no copy:") and "and no original:" in ended.stdout

# %% [markdown]
# ### You seed the reset and nothing else?

# %% tags=["hide-output"]
for seeded in (False, True):
    twins = [make_carts(vectorization_mode="sync") for _ in range(2)]
    for twin in twins:
        twin.reset(seed=0)
        if seeded:
            twin.action_space.seed(0)
    drawn = [[twin.action_space.sample().tolist() for _ in range(50)] for twin in twins]
    print(f"action space seeded: {seeded!s:5s}  same actions: {drawn[0] == drawn[1]}")

# %% [markdown]
# <details><summary>Answer</summary>
#
# The episodes start alike, and the random actions differ: a space has a generator of its own, and `reset` does not
# touch it. Seed both, always.
#
# </details>

# %% tags=["remove-cell"]
assert drawn[0] == drawn[1]
unseeded = [make_carts(vectorization_mode="sync").action_space for _ in range(2)]
first, second = [[s.sample().tolist() for _ in range(50)] for s in unseeded]
assert first != second

# %% [markdown]
# ### You loop over it, as over a list of environments?

# %% tags=["hide-output"]
with expect(TypeError):
    len(sync)
with expect(TypeError):
    for _ in sync:
        pass

# %% [markdown]
# <details><summary>Answer</summary>
#
# It is not a list. The number of rows is `num_envs`, and `SyncVectorEnv` alone keeps a list, `envs`. To do
# something to every row in any kind that has it, use `call`, `get_attr` or `set_attr`.
#
# </details>
#
# ### You ask for none at all?

# %% tags=["hide-output"]
with expect(IndexError):
    gym.make_vec("CartPole-v1", num_envs=0, vectorization_mode="sync")
none = gym.make_vec("CartPole-v1", num_envs=0, vectorization_mode="vector_entry_point")
print(none, none.reset(seed=0)[0].shape)

# %% [markdown]
# <details><summary>Answer</summary>
#
# The loop wants to read the spaces of its first environment and has none: `IndexError: list index out of range`.
# The native class, which reads nothing from anyone, gives you an empty batch of shape `(0, 4)`.
#
# </details>

# %% tags=["remove-cell"]
assert none.reset(seed=0)[0].shape == (0, 4)

# %% [markdown]
# ## What trips people up
#
# **"I changed a cell and now another one fails."** A notebook keeps what you ran, in the order you ran it. `MODE`
# above reaches every later cell, and `sync` is moved on by several. Restart the kernel and run all cells, and you
# know where you are.
#
# **"`envs.autoreset_mode` works here and fails there."** It belongs to two kinds, the loop and the workers. The
# native class and every wrapper answer through `metadata`.

# %%
with expect(AttributeError):
    print(native.autoreset_mode)
for envs in (sync, native, wrapped):
    print(f"{type(envs).__name__:24s}", envs.metadata["autoreset_mode"].name)
assert not hasattr(wrapped, "autoreset_mode")

# %% [markdown]
# **"`print(envs.observation_space)` fills the screen."** Bounds are printed for every row. Ask for what you want to
# know.

# %%
space = sync.observation_space
say(
    f"Printed, the space of three cart-poles has {len(str(space))} characters; "
    f"its shape is {space.shape} and its dtype {space.dtype}."
)
assert len(str(space)) > 150

# %% [markdown]
# ## Exercises
#
# ### Exercise 16.1: predict the shape
#
# `gym.make_vec("book/DictCounter-v0", num_envs=4)` is reset. What is the shape of `observations["inner"]["grid"]`?
#
# <details><summary>Hint</summary>
#
# Look at the table of leaves above. Only one number of each shape depends on `N`.
#
# </details>

# %% tags=["exercise"]
answer = ...

# %%
check("16.1", answer)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# answer = (4, 2, 3)
# ```
#
# </details>
#
# ### Exercise 16.2: count the transitions
#
# Two rows, every episode three steps long, mode `NEXT_STEP`. After one `reset` you call `step` twelve times. How
# many of the 24 returned rows are transitions?
#
# <details><summary>Hint</summary>
#
# Follow one row: three steps, then a call that only resets. How often does that fit into twelve calls?
#
# </details>

# %% tags=["exercise"]
answer = ...

# %%
check("16.2", answer)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# answer = 18
# ```
#
# Each row needs four calls for an episode of three steps: three episodes, nine transitions, twice.
#
# </details>

# %% tags=["remove-cell"]
equal = partial(make_counters, num_envs=2, length=3)
played = record(
    lambda mode: equal(vector_kwargs={"autoreset_mode": mode}),
    AutoresetMode.NEXT_STEP,
    np.zeros((12, 2), int),
)
assert sum(not cell.action_ignored for row in played.rows for cell in row[1:]) == 18
grid = gym.make_vec("book/DictCounter-v0", num_envs=4).reset(seed=0)[0]["inner"]["grid"]
assert grid.shape == (4, 2, 3)

# %% [markdown]
# ### Exercise 16.3: a card for any vector environment
#
# Write a function that returns a dictionary with three entries: `"kind"`, the name of the class under all wrappers,
# `"mode"`, the name of the autoreset mode, and `"inputs"`, how many numbers one row's observation has (a `Box` is
# enough). It must work for all kinds, wrapped or not.
#
# <details><summary>Hint</summary>
#
# Everything you need is in the first table. `np.prod` of a shape counts its numbers.
#
# </details>


# %% tags=["exercise"]
def card(envs):
    raise NotImplementedError


# %%
check("16.3", card)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def card(envs):
#     return {
#         "kind": type(envs.unwrapped).__name__,
#         "mode": envs.metadata["autoreset_mode"].name,
#         "inputs": int(np.prod(envs.single_observation_space.shape)),
#     }
# ```
#
# </details>
#
# ### Exercise 16.4: look ahead
#
# Write a function that takes a `SyncVectorEnv` and a batch of actions and returns the rewards that these actions
# would earn, without moving the environment.
#
# <details><summary>Hint</summary>
#
# One of the questions above made a second batch in the same state.
#
# </details>


# %% tags=["exercise"]
def look_ahead(envs, actions):
    raise NotImplementedError


# %%
check("16.4", look_ahead)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def look_ahead(envs, actions):
#     _, rewards, *_ = deepcopy(envs).step(actions)
#     return rewards
# ```
#
# </details>
#
# ## Recap
#
# - The interface is what the base class declares; the rest ties your code to one kind.
# - A nested observation is batched at its leaves: one dictionary, `N` first in every shape.
# - In `NEXT_STEP` an action is lost at each reset, in `SAME_STEP` the final observation is in info, in `DISABLED` the
#   reset is yours.
# - When an error surprises you, ask which rows have already moved.
#
# **Back:** [nested wrappers](15_nested_wrappers.ipynb). **Next:** [rollouts](../learning/17_rollouts.ipynb), where
# the rows become data. **Reference:** [`VectorEnv`](https://gymnasium.farama.org/api/vector/).
