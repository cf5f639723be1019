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
# # Space utilities: the functions under every batch
#
# After this chapter you can put rows together into a batch and take them apart again for any space, share a batch
# between processes, and teach Gymnasium a space of your own.
#
# **You need:** [spaces](07_spaces.ipynb) and how they batch. **Time:** about 25 minutes.

# %%
import multiprocessing
import pickle
import subprocess
import sys
from copy import deepcopy

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv, utils

from helpers.environments import DictCounter
from helpers.exercises import check
from helpers.figures import PALETTE, figure, show
from helpers.pages import expect, table

# %% [markdown]
# ## Three observations that NumPy cannot stack
#
# A robot reports its position and the state of two arms: one of five poses, and three contact switches. We draw three
# such observations, as three sub-environments would produce them, and ask NumPy for a batch.

# %%
robot = spaces.Dict(
    arms=spaces.Tuple((spaces.Discrete(5), spaces.MultiBinary(3))),
    place=spaces.Box(-1, 1, (2,)),
)
robot.seed(0)
readings = [robot.sample() for _ in range(3)]
print(readings[0])
print("NumPy's batch:", np.array(readings).dtype, np.array(readings).shape)
assert np.array(readings).dtype == object

# %% [markdown]
# NumPy gives an array of three Python objects, which is of no use to a network. Gymnasium has functions that know
# what a batch of this space has to look like, in `gymnasium.vector.utils`.

# %%
out = utils.create_empty_array(robot, n=3)
batch = utils.concatenate(robot, readings, out)
print("place:", batch["place"].round(2), "arms:", *batch["arms"], sep="\n")
assert batch["place"].shape == (3, 2)
assert [part.shape for part in batch["arms"]] == [(3,), (3, 3)]

# %% [markdown]
# The structure is kept, and each array in it has the [batch axis](../../book/glossary.md#batch-axis) in front.
# `SyncVectorEnv` and `AsyncVectorEnv` are built on such functions, and they are there for your own code too: replay
# buffers, rollouts, wrappers, vector environments.
#
# | function | from | to |
# |---|---|---|
# | `batch_space(single, n)` | the space of one row | the space of a batch |
# | `create_empty_array(single, n)` | the space of one row | memory for a batch |
# | `concatenate(single, rows, out)` | rows | a batch |
# | `iterate(batched, batch)` | a batch | rows |
#
# Mind the first argument. Three of them want the space of *one row*. Only `iterate` wants the space of the *batch*.
#
# ## There and back again
#
# If `concatenate` puts rows together and `iterate` takes them apart, then doing both must give the rows we began with:
# the same structure, the same values, the same dtypes. Gymnasium's `data_equivalence` compares all three.


# %%
def same(a, b):
    return data_equivalence(a, b, exact=True)


back = tuple(utils.iterate(utils.batch_space(robot, 3), batch))
print("the same rows:", same(tuple(readings), back))
assert same(tuple(readings), back)

# %% tags=["remove-cell"]
assert not same(readings[0], readings[1])
assert not same((1, 2), (1,)) and not same({"a": 1}, {"b": 1})
assert not same(np.zeros(2), np.zeros(2, np.float32))

# %% [markdown]
# Now every space type of Gymnasium, some of them nested. Each line of the table draws three rows, makes memory,
# concatenates the rows, asks whether the result is a member of the batched space, and takes it apart.

# %%
every_type = [
    spaces.Discrete(4, start=5),
    spaces.MultiDiscrete([3, 2]),
    spaces.MultiBinary(2),
    spaces.Box(1, 2, (2,)),
    robot,
    spaces.Tuple((spaces.Discrete(2), spaces.Text(3, charset="ab"))),
    spaces.Text(3, min_length=2, charset="ab"),
    spaces.Sequence(spaces.Discrete(3)),
    spaces.Graph(spaces.Box(0, 1, (2,)), spaces.Discrete(2)),
    spaces.OneOf((spaces.Discrete(2), spaces.Box(0, 1, (2,)))),
]

# %% tags=["hide-input"]
rows = []
for space in every_type:
    space.seed(0)
    items = [space.sample() for _ in range(3)]
    empty, batched = utils.create_empty_array(space, n=3), utils.batch_space(space, 3)
    row = {"space": type(space).__name__, "empty array a member": empty in batched}
    whole = utils.concatenate(space, items, empty)
    row |= {"a batch is": type(whole).__name__, "a member": whole in batched}
    row["there and back"] = same(tuple(items), tuple(utils.iterate(batched, whole)))
    rows.append(row)
table(rows, "Make memory, concatenate three rows, check the batch, take it apart")

# %% tags=["remove-cell"]
assert all(row["a member"] and row["there and back"] for row in rows)
assert len({row["space"] for row in rows}) == 10
assert [row["a batch is"] for row in rows] == ["ndarray"] * 4 + ["dict"] + ["tuple"] * 5
_outside = [row["space"] for row in rows if not row["empty array a member"]]
assert _outside == ["Discrete", "Box", "OneOf"]

# %% [markdown]
# All ten come back as they were. Spaces without a fixed shape, from `Text` to `OneOf`, are the easy case: their batch
# is a tuple of the rows, untouched.
#
# ## `create_empty_array`: memory, not an observation
#
# The second column says "False" three times. What `create_empty_array` returns has the form of a batch, but its zeros
# need not be allowed: this `Discrete` begins at 5, this `Box` at 1, and an empty tuple is no `OneOf`. It is memory
# that waits to be overwritten. `fn` says what to fill it with; it is called with a shape and a dtype, as `np.zeros` is.


# %%
def nan_where_possible(shape, dtype):
    return np.full(shape, np.nan if np.issubdtype(dtype, np.floating) else -1, dtype)


marked = utils.create_empty_array(robot, n=2, fn=nan_where_possible)
print(marked["place"])
assert np.isnan(marked["place"]).all()

# %% tags=["remove-cell"]
words = utils.create_empty_array(spaces.Text(3, min_length=2, charset="ab"), n=2)
assert words == ("aa", "aa")

# %% [markdown]
# Filling with `nan` is worth the line: a row that was never written cannot be mistaken for an observation.
#
# ## `concatenate`: fill the memory that it is given
#
# The third argument is written to. Are the arrays of the result the arrays of `out`?

# %%
print("same array:", batch["place"] is out["place"], "| same dict:", batch is out)
before = batch["place"].copy()
utils.concatenate(robot, readings[::-1], out)
print("the first batch is now reversed:", np.array_equal(batch["place"], before[::-1]))
assert batch["place"] is out["place"] and batch is not out
assert np.array_equal(batch["place"], before[::-1])

# %% [markdown]
# They are. A second call with the same `out` changes the first result. That is how a vector environment avoids
# allocating an array for each step, and why it copies before it returns, unless it was made with `copy=False`: chapter
# 2, [SyncVectorEnv](02_sync_vector_env.ipynb).
#
# The result itself may be a new object, though: a dict here, and for `Text` a tuple that has nothing to do with
# `out`. So use what `concatenate` returns.

# %% tags=["remove-cell"]
texts = spaces.Text(3, charset="ab")
memory = utils.create_empty_array(texts, n=2)
returned = utils.concatenate(texts, ["ab", "bbb"], memory)
assert memory == ("a", "a") and returned == ("ab", "bbb")

# %% [markdown]
# The two calls go together so often that we give them a name for the rest of the chapter.


# %%
def stack(single, rows):
    """Put rows together in memory of their own."""
    memory = utils.create_empty_array(single, n=len(rows))
    return utils.concatenate(single, rows, memory)


# %% [markdown]
# What does `concatenate` refuse? Rows of a wrong shape or number, and a conversion to another kind of number, such as
# from float to int.

# %%
single = spaces.Box(0, 9, (2,), np.int64)
with expect(ValueError):
    stack(single, [np.zeros(2, np.int64), np.zeros(3, np.int64)])
with expect(TypeError):
    stack(single, [np.array([1.7, 2.2])])

# %% tags=["remove-cell"]
with expect(ValueError):
    for_two = utils.create_empty_array(single, n=2)
    utils.concatenate(single, [np.zeros(2, np.int64)] * 3, for_two)
assert stack(spaces.Box(0, 1, (1,)), [np.zeros(1)]).dtype == np.float32
with expect(KeyError):
    stack(robot, [{"arms": readings[0]["arms"]}])

# %% [markdown]
# What it lets through: float64 into float32, and int64 into int8, where large numbers wrap around without a word. In
# a dict, keys that the space does not know are dropped, while a missing one is a `KeyError`.

# %%
wrapped = stack(spaces.Box(0, 100, (1,), np.int8), [np.array([300])])
extra = stack(robot, [readings[0] | {"battery": 0.5}])
print("300 became", wrapped[0, 0], "| keys:", list(extra))
assert wrapped[0, 0] == 44 and list(extra) == ["arms", "place"]

# %% [markdown]
# ## `iterate`: rows that look into the batch
#
# `iterate` copies nothing. A row of an array is a *view*: change it, and the batch changes. Copy the rows that you
# keep.

# %%
batch = stack(robot, readings)
row = next(iter(utils.iterate(utils.batch_space(robot, 3), batch)))
row["place"][:] = 0.5
print("row 0 of the batch:", batch["place"][0])
assert batch["place"][0].tolist() == [0.5, 0.5]

# %% [markdown]
# ## A vector environment in a few lines
#
# With these functions the core of `SyncVectorEnv` is short: take the actions apart, step, put the observations
# together. (What is left out is the care for episodes that end: [autoreset](06_autoreset.ipynb).)


# %%
class TinyVectorEnv:
    def __init__(self, factories):
        self.envs = [factory() for factory in factories]
        self.single, n = self.envs[0].observation_space, len(factories)
        self.action_space = utils.batch_space(self.envs[0].action_space, n)
        self.memory = utils.create_empty_array(self.single, n)

    def reset(self, seed):
        rows = [env.reset(seed=seed + i)[0] for i, env in enumerate(self.envs)]
        return deepcopy(utils.concatenate(self.single, rows, self.memory))

    def step(self, actions):
        pairs = zip(self.envs, utils.iterate(self.action_space, actions), strict=True)
        rows = [env.step(action)[0] for env, action in pairs]
        return deepcopy(utils.concatenate(self.single, rows, self.memory))


# %% [markdown]
# We run it beside the real one, on the nested observations of `DictCounter`.

# %%
factories = [lambda: DictCounter(length=9)] * 3
tiny, real = TinyVectorEnv(factories), SyncVectorEnv(factories)
agree = [same(tiny.reset(seed=0), real.reset(seed=0)[0])]
steps = []
for _ in range(5):
    steps.append(real.step(np.zeros(3, int))[0])
    agree.append(same(tiny.step(np.zeros(3, int)), steps[-1]))
print("equal at reset and at each of five steps:", agree)
assert len(agree) == 6 and all(agree)

# %% [markdown]
# ### The same functions, one level up: a rollout buffer
#
# A batch is a sample of the batched space. So a list of five batches, one for each step, can be concatenated as well,
# with `observation_space` in the role of the single space. This stores any observation, however nested, as arrays of
# shape (time, row, ...).

# %%
buffer = utils.create_empty_array(real.observation_space, n=5)
buffer = utils.concatenate(real.observation_space, steps, buffer)
print("count:", buffer["count"].shape, "| inner.grid:", buffer["inner"]["grid"].shape)
print("row 1 through time:", buffer["count"][:, 1, 1])
assert buffer["inner"]["grid"].shape == (5, 3, 2, 3)
assert buffer["count"][:, 1, 1].tolist() == [1, 2, 3, 4, 5]
real.close()

# %% [markdown]
# Chapter 17, [rollouts](../learning/17_rollouts.ipynb), fills such arrays.
#
# ## `batch_differing_spaces`: rows with limits of their own
#
# `batch_space` repeats one space. When the rows' limits differ, give the list of their spaces instead.

# %%
levels = [spaces.Box(0, 1, (1,)), spaces.Box(0, 5, (1,))]
lakes = [spaces.Discrete(16), spaces.Discrete(64)]
words = [spaces.Text(3, charset="ab"), spaces.Text(5, charset="ab")]
print("Box:     ", utils.batch_differing_spaces(levels).high.tolist())
print("Discrete:", utils.batch_differing_spaces(lakes))
print("Text:    ", utils.batch_differing_spaces(words))
assert utils.batch_differing_spaces(levels).high.tolist() == [[1], [5]]
assert utils.batch_differing_spaces(lakes) == spaces.MultiDiscrete([16, 64])
assert utils.batch_differing_spaces(words) == spaces.Tuple(words)

# %% [markdown]
# Limits may differ. Type, shape and the keys of a `Dict` may not, nor the dtype (only `Discrete` spaces settle on the
# wider one).

# %%
box = spaces.Box(0, 1, (1,))
with expect(ValueError):
    utils.batch_differing_spaces([box, spaces.Box(0, 1, (2,))])
with expect(TypeError):
    utils.batch_differing_spaces([box, spaces.Discrete(2)])

# %% tags=["remove-cell"]
with expect(ValueError):
    utils.batch_differing_spaces([box, spaces.Box(0, 1, (1,), np.float64)])
with expect(ValueError):
    utils.batch_differing_spaces([spaces.Dict(a=box), spaces.Dict(b=box)])

# %% tags=["remove-cell"]
_mixed = [spaces.Discrete(3, dtype=np.int32), spaces.Discrete(5)]
assert utils.batch_differing_spaces(_mixed).dtype == np.int64
with expect(ValueError):
    utils.batch_differing_spaces(
        [spaces.MultiDiscrete([3], np.int32), spaces.MultiDiscrete([3])]
    )

# %% [markdown]
# A vector environment calls this for observations when it is made with `observation_mode="different"`; for actions
# there is no such mode. Chapter 7, [spaces](07_spaces.ipynb), shows both from the outside.
#
# ## Shared memory
#
# `AsyncVectorEnv` keeps each sub-environment in a process of its own, a [worker](../../book/glossary.md#worker). Its
# workers write their observations into [shared memory](../../book/glossary.md#shared-memory), memory that several
# processes see. Three functions do for it what `create_empty_array`, `concatenate` and `iterate` do within a process.
# All three take the single space.

# %%
memory = utils.create_shared_memory(robot, n=3)
for index, reading in enumerate(readings):
    utils.write_to_shared_memory(robot, index, reading, memory)
view = utils.read_from_shared_memory(robot, memory, n=3)
print("the memory: ", type(memory).__name__, "of", type(memory["place"]).__name__)
print("what we read:", type(view).__name__, "of", type(view["place"]).__name__)
print("equal to the concatenated batch:", same(view, stack(robot, readings)))
assert same(view, stack(robot, readings))

# %% [markdown]
# There is one flat piece of memory for each leaf. It holds the rows one after the other, and row `i` is written by
# worker `i` alone. The picture is read from the memory that we have just filled; the gaps are drawn for the eye only.

# %% tags=["hide-input"]
pieces = {
    "place": (memory["place"], robot["place"]),
    "arms[0]": (memory["arms"][0], robot["arms"][0]),
    "arms[1]": (memory["arms"][1], robot["arms"][1]),
}


def draw_cell(ax, x, y, row, text, width=1):
    color = PALETTE[row]
    style = {"facecolor": (color, 0.25), "edgecolor": color, "linewidth": 1.4}
    x, width = x * width + 0.2 * row, 0.94 * width
    ax.barh(y, width, 0.94, left=x, **style)
    ax.text(x + width / 2, y - 0.04, text, ha="center", va="center", size=10)


# %% tags=["hide-input"]
fig, ax = figure(2.6)
for y, (name, (piece, leaf)) in zip((0, -1.6, -3.2), pieces.items(), strict=True):
    values = np.frombuffer(piece.get_obj(), leaf.dtype)
    for i, value in enumerate(values):
        draw_cell(
            ax, i, y, i * 3 // len(values), f"{value:.1g}", 9 / max(len(values), 6)
        )
    ax.text(-0.25, y, name, ha="right", va="center", weight="bold")
    note = f"{len(piece)} {leaf.dtype}, {values.nbytes} bytes"
    ax.text(9.7, y, note, va="center")
for row in range(3):
    draw_cell(ax, 2.6 * row, 1.5, row, "")
    ax.text(2.8 * row + 1.1, 1.5, f"row {row}", va="center")

# %% tags=["hide-input"]
ax.set(xlim=(-2.1, 13.8), ylim=(-3.9, 2.2), aspect="equal")
ax.axis("off")
alt = (
    "Three flat strips of memory, one for each leaf: place with 6 numbers, arms[0] "
    "with 3, arms[1] with 9. Each strip has three equal parts, one for each row."
)
show(fig, alt)

# %% tags=["remove-cell"]
for _piece, _leaf in pieces.values():
    _size = int(np.prod(_leaf.shape))
    assert len(_piece) == 3 * _size
assert np.frombuffer(memory["arms"][0].get_obj(), np.int64).tolist() == [
    int(r["arms"][0]) for r in readings
]
for _i, _reading in enumerate(readings):
    _flat = np.frombuffer(memory["place"].get_obj(), np.float32)[2 * _i : 2 * _i + 2]
    assert np.array_equal(_flat, _reading["place"])

# %% [markdown]
# The arrays that `read_from_shared_memory` returns are views once more: they *are* the memory. Here another process
# writes row 1, and the batch that we read before changes under our hands. (A script that starts processes needs a
# main guard on macOS and Windows: chapter 8, [AsyncVectorEnv](08_async_vector_env.ipynb).)

# %%
moved = readings[1] | {"place": np.array([0.25, -0.75], np.float32)}
writing = (robot, 1, moved, memory)
worker = multiprocessing.Process(target=utils.write_to_shared_memory, args=writing)
worker.start()
worker.join()
print("row 1 is now", view["place"][1], "| exit code", worker.exitcode)
assert worker.exitcode == 0 and view["place"][1].tolist() == [0.25, -0.75]

# %% [markdown]
# The observation came back without a [pipe](../../book/glossary.md#pipe), the channel through which processes send
# each other bytes. Whoever keeps such an observation must copy it.
#
# ### Text and OneOf have a fixed size, graphs and sequences have not
#
# A `Text` has a maximal length, so it fits: one code for each character, and a filler code after the end. A row that
# nobody has written yet reads as a full-length word of the first character.

# %%
word = spaces.Text(4, charset="ab")
memory = utils.create_shared_memory(word, n=2)
utils.write_to_shared_memory(word, 0, "ba", memory)
words = utils.read_from_shared_memory(word, memory, n=2)
print("codes:", list(memory), "| read:", words)
assert list(memory) == [1, 0, 2, 2, 0, 0, 0, 0]
assert words == ("ba", "aaaa")

# %% [markdown]
# A `OneOf` has memory for which option each row took, and for every option of every row. A `Sequence` or a `Graph`,
# though, may be as long as it likes. There is no memory for it, and the message says what to do.

# %% tags=["remove-cell"]
choice = spaces.OneOf((spaces.Discrete(9), spaces.Box(0, 1, (2,))))
memory = utils.create_shared_memory(choice, n=2)
utils.write_to_shared_memory(choice, 0, (0, 7), memory)
utils.write_to_shared_memory(choice, 1, (1, np.array([0.5, 1.0])), memory)
assert [len(piece) for piece in memory] == [2, 2, 4]
assert utils.read_from_shared_memory(choice, memory, n=2)[0] == (0, 7)

# %% tags=["remove-cell"]
for unlimited in [spaces.Sequence(spaces.Discrete(9)), spaces.Graph(box, None)]:
    with expect(TypeError):
        utils.create_shared_memory(unlimited, n=2)


# %%
class Bag(gym.Env):
    observation_space = spaces.Sequence(spaces.Discrete(9))
    action_space = spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return tuple(range(self.np_random.integers(1, 5))), {}


with expect(TypeError):
    AsyncVectorEnv([Bag, Bag, Bag])

# %% [markdown]
# Without shared memory the observations travel through the pipes, at any size, and come back as a tuple of rows.

# %%
bags = AsyncVectorEnv([Bag, Bag, Bag], shared_memory=False)
contents, _ = bags.reset(seed=0)
bags.close()
print(contents)
assert isinstance(contents, tuple) and [len(bag) for bag in contents] == [4, 2, 4]

# %% [markdown]
# ### One batch, whoever makes it
#
# For spaces of fixed size it makes no difference who puts the batch together. The loop concatenates, workers write
# into shared memory, or workers send through pipes: a dict of batches with the same values. We compare three steps.

# %%
factories = [lambda: DictCounter(length=9)] * 3
loop = SyncVectorEnv(factories)
shared = AsyncVectorEnv(factories)
piped = AsyncVectorEnv(factories, shared_memory=False)
results = []
for envs in (loop, shared, piped):
    envs.reset(seed=0)
    results.append(tuple(envs.step(np.zeros(3, int))[0] for _ in range(3)))
    envs.close()
agree = [same(results[0], other) for other in results[1:]]
print("shared memory and pipes agree with the loop:", agree)
assert agree == [True, True]

# %% [markdown]
# ### They are not equally strict
#
# The functions differ where an environment breaks its own space. `concatenate` refuses to put a float into an integer
# array. `write_to_shared_memory` converts whatever it gets, and cuts off the fraction. (It also spreads one number over
# a whole row, where `concatenate` says that the shape is wrong.)


# %%
class Fractions(Bag):
    observation_space = spaces.Box(0, 9, (2,), np.int64)

    def reset(self, *, seed=None, options=None):
        return np.array([1.7, 2.2]), {}


with expect(TypeError):
    SyncVectorEnv([Fractions, Fractions]).reset()
cut = AsyncVectorEnv([Fractions, Fractions])
print("in workers:", cut.reset()[0].tolist())
assert cut.reset()[0].tolist() == [[1, 2], [1, 2]]
cut.close()

# %% tags=["remove-cell"]
pair = spaces.Box(0, 9, (2,), np.int64)
memory = utils.create_shared_memory(pair, n=1)
utils.write_to_shared_memory(pair, 0, np.array([7]), memory)
assert utils.read_from_shared_memory(pair, memory, n=1).tolist() == [[7, 7]]
with expect(ValueError):
    stack(pair, [np.array([7])])

# %% [markdown]
# So test an environment in the loop before you move it into workers.
#
# ## Two helpers for starting workers
#
# A [factory](../../book/glossary.md#factory) has to travel to its worker, so it must be turned into bytes. Python's
# [pickle](../../book/glossary.md#pickle) cannot do this with a lambda. `CloudpickleWrapper` holds a factory and uses
# the package `cloudpickle`, which can. What arrives carries the values that the factory used when it was packed: what
# we change afterwards does not reach it.

# %%
length = 4
factory = lambda: DictCounter(length=length)
packed = pickle.dumps(utils.CloudpickleWrapper(factory))
length = 8
arrived = pickle.loads(packed)
print("here:", factory().length, "| there:", arrived().length)
assert factory().length == 8 and arrived().length == 4

# %% tags=["remove-cell"]
try:
    pickle.dumps(factory)
except (pickle.PicklingError, AttributeError):
    pass
else:
    raise AssertionError("pickle can do it alone now")

# %% [markdown]
# `clear_mpi_env_vars` is for clusters that use MPI. A program started by MPI has environment variables that say so; a
# worker that inherits them may take itself for a part of the MPI job and hang. Inside the block the variables that
# begin with `OMPI_` or `PMI_` are gone, afterwards they are back. `AsyncVectorEnv` uses both helpers when it starts its
# workers.

# %% tags=["remove-cell"]
import os as _os

_names = ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"]
_os.environ.update(dict.fromkeys(_names, "0"))
with utils.clear_mpi_env_vars():
    assert [name for name in _names if name in _os.environ] == ["PMIX_RANK"]
assert all(_os.environ.pop(name) == "0" for name in _names)

# %% tags=["remove-cell"]
import inspect as _inspect

_source = _inspect.getsource(AsyncVectorEnv.__init__)
assert (
    "with clear_mpi_env_vars()" in _source and "CloudpickleWrapper(env_fn)" in _source
)

# %% [markdown]
# ## A space of your own
#
# Suppose an environment observes probabilities: numbers that are not negative and add up to 1. A `Box` from 0 to 1
# would allow too much, so we write a space. Its last axis adds up to 1.


# %%
class Simplex(gym.Space):
    def __init__(self, shape, seed=None):
        super().__init__(shape, np.float32, seed)

    def sample(self, mask=None, probability=None):
        x = self.np_random.exponential(size=self.shape).astype(self.dtype)
        return x / x.sum(axis=-1, keepdims=True)

    def contains(self, x):
        form = (getattr(x, "shape", None), getattr(x, "dtype", None))
        if form != (self.shape, self.dtype):
            return False
        return bool((x >= 0).all() and np.allclose(x.sum(axis=-1), 1))

    def __eq__(self, other):
        return isinstance(other, Simplex) and self.shape == other.shape


# %% [markdown]
# An environment uses it for its observations and for its actions. Its reward is the first number of the action.


# %%
class Mixture(gym.Env):
    def __init__(self):
        self.observation_space, self.action_space = Simplex((3,)), Simplex((2,))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.observation_space.seed(seed)
        return self.observation_space.sample(), {}

    def step(self, action):
        return self.observation_space.sample(), float(action[0]), False, False, {}


# %%
def observe(**kwargs):
    """Reset three mixtures and say what the batch is."""
    envs = SyncVectorEnv([Mixture] * 3, **kwargs)
    batch, _ = envs.reset(seed=0)
    form = batch.shape if isinstance(batch, np.ndarray) else len(batch)
    print(
        type(batch).__name__, form, "| in the space:", batch in envs.observation_space
    )
    return envs, batch


# %% [markdown]
# ### Broken: a tuple of rows

# %%
envs, batch = observe()
print("observation_space is a", type(envs.observation_space).__name__)
assert isinstance(batch, tuple) and isinstance(envs.observation_space, spaces.Tuple)

# %% [markdown]
# It runs, but what comes back is a tuple of three arrays, as for a `Text`. Gymnasium does not know that a `Simplex` can
# be stacked. And workers refuse altogether:

# %%
with expect(ValueError):
    AsyncVectorEnv([Mixture] * 3)
with expect(gym.error.CustomSpaceError):
    utils.create_shared_memory(Simplex((3,)), n=3)

# %% [markdown]
# Each function of this chapter is a *single-dispatch* function: it looks at the type of its first argument and picks
# the implementation that was registered for that type. Nothing is registered for `Simplex`, so each falls back on
# what it does for any space. The table asks each what that is. (Registrations last as long as the process. To see this
# part again, run from `class Simplex` on.)

# %% tags=["hide-input"]
simplex = Simplex((3,), seed=0)
mixes = [simplex.sample() for _ in range(3)]


def through_memory():
    memory = utils.create_shared_memory(simplex, n=3)
    for index, mix in enumerate(mixes):
        utils.write_to_shared_memory(simplex, index, mix, memory)
    return utils.read_from_shared_memory(simplex, memory, n=3)


# %% tags=["hide-input"]
equivalent = spaces.utils.is_space_dtype_shape_equiv
calls = {
    "batch_space": lambda: utils.batch_space(simplex, 3),
    "create_empty_array": lambda: utils.create_empty_array(simplex, 3),
    "concatenate": lambda: stack(simplex, mixes),
    "iterate": lambda: utils.iterate(simplex, np.array(mixes)),
    "the shared memory three": through_memory,
    "batch_differing_spaces": lambda: utils.batch_differing_spaces([simplex] * 3),
    "is_space_dtype_shape_equiv": lambda: equivalent(simplex, simplex),
}


# %% tags=["hide-input"]
def outcomes():
    found = {}
    for name, call in calls.items():
        try:
            found[name] = type(call()).__name__
        except Exception as error:
            found[name] = type(error).__name__
    return found


before = outcomes()
rows = [{"function": name, "for Simplex": before[name]} for name in calls]
table(rows, "What the functions return or raise for a space they do not know")

# %% tags=["remove-cell"]
assert before == {
    "batch_space": "Tuple",
    "create_empty_array": "NoneType",
    "concatenate": "tuple",
    "iterate": "CustomSpaceError",
    "the shared memory three": "CustomSpaceError",
    "batch_differing_spaces": "TypeError",
    "is_space_dtype_shape_equiv": "NotImplementedError",
}

# %% [markdown]
# ### Worse than broken: half registered
#
# `iterate` raises, so one might begin there. For a `Simplex` the implementation for `Box` will do; `dispatch` returns
# it. We try this on a subclass, two rows with two numbers each.


# %%
class HalfKnown(Simplex):
    """A Simplex for which only iterate is registered."""


utils.iterate.register(HalfKnown, utils.iterate.dispatch(spaces.Box))
batched = utils.batch_space(HalfKnown((2,)), 2)
rows_in = tuple(np.array([[0.75, 0.25], [1.0, 0.0]], np.float32))
rows_out = np.array(list(utils.iterate(batched, rows_in)))
print("in: ", np.array(rows_in).tolist())
print("out:", rows_out.tolist())
assert np.array_equal(rows_out, np.transpose(rows_in))

# %% [markdown]
# The rows came out transposed, and nothing complained: the batch is still a `Tuple`, and now `iterate` takes it for a
# tuple of *parts*, each of which it can take apart. Sub-environment 0 would get an action made of pieces of both.
#
# The other half is wrong in its own way. With `batch_space` alone, the space is right and the observation is not in
# it.


# %%
@utils.batch_space.register(Simplex)
def batch_simplex(space, n=1):
    return Simplex((n, *space.shape), seed=deepcopy(space.np_random))


envs, batch = observe()
with expect(gym.error.CustomSpaceError):
    envs.step(envs.action_space.sample())
assert isinstance(envs.observation_space, Simplex)
assert batch not in envs.observation_space

# %% [markdown]
# ### Right: all of them, next to the class
#
# What differs for our space is only how it batches: the result is a `Simplex` with one more axis, and with a copy of
# the generator, as Gymnasium's own spaces do it. That was `batch_simplex`. The six others need nothing of a space but
# its `shape` and `dtype`. They can be borrowed from `Box`.

# %%
borrowed = (
    utils.create_empty_array,
    utils.concatenate,
    utils.iterate,
    utils.create_shared_memory,
    utils.read_from_shared_memory,
    utils.write_to_shared_memory,
)
for function in borrowed:
    function.register(Simplex, function.dispatch(spaces.Box))

# %% [markdown]
# `observation_mode="different"` needs two more: `batch_differing_spaces`, whose argument is a list, and a function
# outside `vector.utils` that says whether two spaces agree in shape and dtype.


# %%
@utils.batch_differing_spaces.register(Simplex)
def batch_simplexes(each):
    return utils.batch_space(each[0], len(each))


@equivalent.register(Simplex)
def simplexes_agree(space_1, space_2):
    return space_1 == space_2


# %% [markdown]
# Now the same questions as before, and a batch.

# %% tags=["hide-input"]
after = outcomes()
rows = [{"function": n, "before": before[n], "after": after[n]} for n in calls]
table(rows, "The same calls, before and after registering")

# %%
envs, batch = observe()
_, rewards, *_ = envs.step(np.array([[0.9, 0.1], [0.6, 0.4], [0.0, 1.0]], np.float32))
print("rewards:", rewards.round(2))
assert batch.shape == (3, 3) and batch in envs.observation_space
assert np.allclose(rewards, [0.9, 0.6, 0.0])

# %% tags=["remove-cell"]
assert list(after.values())[:3] == ["Simplex", "ndarray", "ndarray"]
assert not any("Error" in value for value in after.values())
assert np.array_equal(through_memory(), np.array(mixes))
assert np.array_equal(list(calls["iterate"]()), mixes)
_different, _batch = observe(observation_mode="different")
assert _batch in _different.observation_space
assert np.array(mixes) in utils.batch_space(simplex, 3)
assert np.ones((3, 3), np.float32) not in utils.batch_space(simplex, 3)

# %% [markdown]
# And in workers, with shared memory, the same numbers come back.

# %%
workers = AsyncVectorEnv([Mixture] * 3)
from_workers, _ = workers.reset(seed=0)
workers.close()
print(type(from_workers).__name__, "| equal:", np.array_equal(from_workers, batch))
assert np.array_equal(from_workers, batch)

# %% [markdown]
# ### Why "next to the class"
#
# Registering is something a process does, not something a class carries with it. We send a `Simplex` to a fresh
# Python, as a worker under the [start methods](../../book/glossary.md#start-method) `spawn` and `forkserver` is, and
# ask it to batch the space.

# %%
program = """
import pickle, sys
from gymnasium.vector.utils import batch_space
make_space = pickle.load(sys.stdin.buffer)
print("there:", type(batch_space(make_space(), 3)).__name__)
"""
sent = pickle.dumps(utils.CloudpickleWrapper(lambda: Simplex((3,))))
there = subprocess.run([sys.executable, "-c", program], input=sent, capture_output=True)
print("here: ", type(utils.batch_space(simplex, 3)).__name__)
print(there.stdout.decode().strip())
assert there.stdout.decode().strip() == "there: Tuple"

# %% [markdown]
# The class arrived and its registrations did not. With `fork`, workers inherit them. To be safe with every start
# method, put the class and all its registrations into one module that both sides import.
#
# ## What trips people up
#
# **"`Unable to iterate over a space of type Discrete`."** `iterate` was given the single space. It wants the batched
# one. With a plain `Box` this mistake goes unnoticed, as any box will do.

# %%
batch = stack(robot, readings)
with expect(TypeError):
    list(utils.iterate(robot, batch))

# %% [markdown]
# **"A batch of my `Box` subclass has lost my class."** A subclass inherits what is registered for its parent, and for
# `Box` that makes a plain `Box`. Register `batch_space` for the subclass. `batch_differing_spaces` looks for the exact
# type and refuses a subclass.


# %%
class Angle(spaces.Box):
    """A Box with methods of its own."""


print("the batched space:", utils.batch_space(Angle(-3, 3, (1,)), 2))
assert type(utils.batch_space(Angle(-3, 3, (1,)), 2)) is spaces.Box

# %% tags=["remove-cell"]
try:
    utils.batch_differing_spaces([Angle(-3, 3, (1,)), Angle(-1, 1, (1,))])
except TypeError:
    pass
else:
    raise AssertionError("a subclass is accepted now")

# %% [markdown]
# **"All my stored batches are the same."** They were concatenated into one `out`, or read from one shared memory. A
# list of them holds the same arrays again and again. Copy, or concatenate the list at once as in the rollout buffer.

# %%
one_out = utils.create_empty_array(robot, n=2)
kept = [utils.concatenate(robot, [reading] * 2, one_out) for reading in readings]
own = [stack(robot, [reading] * 2) for reading in readings]
for name, batches in {"one memory": kept, "own memories": own}.items():
    print(f"{name:13s}", np.array([batch["place"][0, 0] for batch in batches]).round(2))
assert len({float(batch["place"][0, 0]) for batch in kept}) == 1
assert len({float(batch["place"][0, 0]) for batch in own}) == 3

# %% [markdown]
# ## Exercises
#
# ### Exercise 10.1: predict the memory
#
# A sub-environment observes `Dict(image=Box(0, 255, (4, 4), np.uint8), label=Text(5))`. `create_shared_memory` makes
# room for three of them. How many bytes does `image` take, and how many codes does `label`? Give a tuple of two
# numbers.
#
# <details><summary>Hint</summary>
#
# A `uint8` is one byte. A `Text` is stored at its maximal length, whatever the words are.
#
# </details>

# %% tags=["exercise"]
answer = ...

# %%
check("10.1", answer)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# answer = (3 * 4 * 4, 3 * 5)
# ```
#
# </details>
#
# ### Exercise 10.2: take some rows
#
# For a plain array, `batch[[0, 2]]` takes rows 0 and 2. Write the same for any space: a function of the single space,
# the batched space, the batch and a list of row numbers, that returns a smaller batch. The batch that came in must
# not change.
#
# <details><summary>Hint</summary>
#
# Take the batch apart, choose, put together. The memory for the result needs as many rows as you chose.
#
# </details>


# %% tags=["exercise"]
def take_rows(single, batched, batch, chosen):
    raise NotImplementedError


# %%
check("10.2", take_rows)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def take_rows(single, batched, batch, chosen):
#     rows = list(utils.iterate(batched, batch))
#     out = utils.create_empty_array(single, n=len(chosen))
#     return utils.concatenate(single, [rows[i] for i in chosen], out)
# ```
#
# </details>
#
# ### Exercise 10.3: teach Gymnasium a space
#
# The check has a space class that Gymnasium has never seen. Like `Simplex`, it is made with
# `space_type(shape, seed=None)` and has a `shape` and a `dtype`; a batch is the same type with one more axis in front
# and a copy of the generator. Write a function that registers the class, so that it works in `SyncVectorEnv` and in
# `AsyncVectorEnv` with shared memory. (`observation_mode="different"` is not needed.)
#
# <details><summary>Hint</summary>
#
# Seven functions. One of them is special to the class, six can be borrowed from `spaces.Box` with `dispatch`.
# `function.register(space_type, implementation)` registers without a decorator.
#
# </details>


# %% tags=["exercise"]
def teach(space_type):
    raise NotImplementedError


# %%
check("10.3", teach)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def teach(space_type):
#     def batch(space, n=1):
#         return space_type((n, *space.shape), seed=deepcopy(space.np_random))
#
#     utils.batch_space.register(space_type, batch)
#     for function in (
#         utils.create_empty_array,
#         utils.concatenate,
#         utils.iterate,
#         utils.create_shared_memory,
#         utils.read_from_shared_memory,
#         utils.write_to_shared_memory,
#     ):
#         function.register(space_type, function.dispatch(spaces.Box))
# ```
#
# </details>

# %% tags=["remove-cell"]
_taught = {
    "batch_space",
    "batch_differing_spaces",
    "iterate",
    "concatenate",
    "create_empty_array",
    "create_shared_memory",
    "read_from_shared_memory",
    "write_to_shared_memory",
    "CloudpickleWrapper",
    "clear_mpi_env_vars",
}
assert set(utils.__all__) == _taught, (
    "gymnasium.vector.utils has other public names now"
)

# %% [markdown]
# ## Recap
#
# - NumPy cannot stack dicts. `create_empty_array` makes the memory, `concatenate` fills it, `iterate` takes it apart,
#   `batch_space` says what is allowed in it. There and back gives the same rows.
# - All of them want the space of one row, except `iterate`. Arrays are filled and viewed, not copied.
# - Shared memory is one flat piece for each leaf, one part of it for each row. It converts without asking. Graphs and
#   sequences do not fit: `shared_memory=False`.
# - A new space class is a tuple of rows until `batch_space` and six more functions are registered for it, in the module
#   of the class. Half of them is worse than none.
#
# **Back:** [vector wrappers](09_vector_wrappers.ipynb). **Next:** everything so far in one small program,
# [a minimal loop](../compositions/11_minimal_loop.ipynb).
# **Reference:** [`gymnasium.vector.utils`](https://gymnasium.farama.org/api/vector/utils/).
