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
# # Spaces: what one row may be, and what a batch may be
#
# After this chapter you can say what a batch of any observation or action space looks like, sample and seed it, mask
# it, and find the row that does not belong.
#
# **You need:** [`VectorEnv`](01_vector_env.ipynb), its four spaces. **Time:** about 22 minutes.

# %%
import warnings

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.vector import SyncVectorEnv
from gymnasium.vector.utils import batch_space, iterate
from matplotlib.patches import Rectangle

from helpers.environments import DictCounter
from helpers.exercises import check
from helpers.explorables import explorable, grid
from helpers.figures import INK, PALETTE, figure, show
from helpers.pages import expect, table

# %% [markdown]
# ## Three legal rows, one illegal batch
#
# A panel has two switches, each off or on. `MultiBinary(2)` is the space of its positions. Here are three panels, and
# the space a vector environment would use for all three.

# %%
panel = spaces.MultiBinary(2)
panels = batch_space(panel, 3)
positions = np.array([[0, 1], [1, 1], [0, 0]])
print("each row a member:", [row in panel for row in positions])
print("the batch a member:", positions in panels)
print("the batched space:", panels)
assert all(row in panel for row in positions) and positions not in panels

# %% [markdown]
# Every row is allowed and the batch is not. The reason is in the last line. The
# [batched space](../../book/glossary.md#batched-space) is not "three times `MultiBinary`". It is a different type with
# rules of its own, here a `Box` of `int8`, and it turns away an array of `int64`.
#
# So two questions run through this chapter: which type does a batch get, and what does that type accept?
#
# ## From one space to a batch
#
# A vector environment makes its batched spaces with `batch_space(single, num_envs)`. For arrays the result is what
# one expects: one more axis, in front.

# %%
envs = gym.make_vec("CartPole-v1", num_envs=3, vectorization_mode="sync")
print(envs.single_action_space, "->", envs.action_space)
print(envs.single_observation_space.shape, "->", envs.observation_space.shape)
assert envs.action_space == batch_space(envs.single_action_space, 3)
assert envs.observation_space == batch_space(envs.single_observation_space, 3)
envs.close()

# %% [markdown]
# Already here the type changes: a batch of `Discrete` is a `MultiDiscrete`, with one entry for each
# [row](../../book/glossary.md#row).
#
# Now an observation with structure. `DictCounter` is a toy of this book. Its observation is a dict with a dict inside.
# Three of them with episodes of 2, 3 and 9 steps are soon at different places, so that we can tell the rows apart.

# %%
envs = SyncVectorEnv([lambda n=n: DictCounter(length=n) for n in (2, 3, 9)])
observation, _ = envs.reset(seed=0)
for _ in range(5):
    observation, *_ = envs.step(np.zeros(3, dtype=int))
print(type(observation).__name__, "with", list(observation))
print("count\n", observation["count"])
print("inner.even", observation["inner"]["even"])
print("inner.grid", observation["inner"]["grid"].shape)

# %% [markdown]
# What comes back is one dict of batches, not a list of three dicts. Each *leaf* (an entry that is an array, at
# whatever depth) got the [batch axis](../../book/glossary.md#batch-axis) as its first axis, and the dicts around the
# leaves kept their form.
#
# The picture shows this very observation: on the left as three sub-environments produced it, on the right as `step`
# returned it.


# %% tags=["hide-input"]
def draw_array(ax, array, x, y, color):
    """Draw a small array as a grid of numbers whose upper left corner is (x, y)."""
    style = {"facecolor": (color, 0.18), "edgecolor": color}
    center = {"ha": "center", "va": "center"}
    for (line, column), value in np.ndenumerate(np.atleast_2d(array)):
        ax.add_patch(Rectangle((x + column, y - line - 1), 1, 1, **style))
        ax.text(x + column + 0.5, y - line - 0.54, f"{value:.0f}", **center)


def name_leaf(ax, name, batch, y):
    """Write the name of a leaf on the left and the shape of its batch on the right."""
    ax.text(-0.5, y - 0.55, name, ha="right", va="center", weight="bold")
    ax.text(17.5, y - 0.55, f"{batch.shape}", va="center", weight="bold")


# %% tags=["hide-input"]
fig, ax = figure(3.4)
leaves = {"count": observation["count"]}
leaves |= {f"inner.{key}": leaf for key, leaf in observation["inner"].items()}
for (name, leaf), y in zip(leaves.items(), (0, -4, -8), strict=True):
    name_leaf(ax, name, leaf, y)
    for i, row in enumerate(leaf):
        draw_array(ax, row, 4 * i, y, PALETTE[i])
        lines = np.atleast_2d(row).shape[0]
        draw_array(ax, row, 14, y - i * (lines + 0.15), PALETTE[i])
    style = {"arrowstyle": "->", "color": INK, "linewidth": 1.4}
    ax.annotate("", (13.6, y - 0.5), (11.5, y - 0.5), arrowprops=style)


# %% tags=["hide-input"]
for i in range(3):
    ax.text(4 * i, 0.4, f"row {i}", weight="bold")
ax.text(14, 0.4, "the batch", weight="bold")
ax.set(xlim=(-4.6, 21.5), ylim=(-14.5, 1.4), aspect="equal")
ax.axis("off")
alt = (
    "Left, three small dicts, one for each sub-environment, with leaves count, "
    "inner.even and inner.grid. Right, one dict whose leaves are the three rows "
    "stacked: shapes (3, 2), (3,) and (3, 2, 3)."
)
show(fig, alt)

# %% tags=["remove-cell"]
assert observation["count"].shape == (3, 2)
assert observation["inner"]["even"].shape == (3,)
assert observation["inner"]["grid"].shape == (3, 2, 3)
assert observation["count"].tolist() == [[1, 2], [1, 1], [0, 5]]
assert envs.observation_space["inner"]["grid"].shape == (3, 2, 3)
for i, row in enumerate(iterate(envs.observation_space, observation)):
    assert (row["count"] == observation["count"][i]).all()

# %% [markdown]
# To follow one sub-environment through a nested batch, take the same index of every leaf. `iterate` does it for the
# whole structure and gives the observations back one by one. Choose a number of rows and a leaf, and follow it
# there and back.

# %% tags=["hide-input"]
batches = {}
for n in (1, 2, 3):
    some = SyncVectorEnv([lambda k=k: DictCounter(length=k) for k in (2, 3, 9)[:n]])
    some.reset(seed=0)
    for _ in range(5):
        batch, *_ = some.step(np.zeros(n, dtype=int))
    sent = [env.unwrapped._observation() for env in some.envs]
    batches[n] = sent, batch, list(iterate(some.observation_space, batch))
paths = {"count": ["count"], "inner.even": ["inner", "even"]}
paths["inner.grid"] = ["inner", "grid"]


# %% tags=["hide-input"]
def leaf(observation, name):
    for key in paths[name]:
        observation = observation[key]
    return np.asarray(observation)


# %% tags=["hide-input"]
def frame(position, which):
    n, name = position + 1, list(paths)[which]
    sent, batch, back = batches[n]
    made, again = ([str(leaf(x, name).tolist()) for x in seen] for seen in (sent, back))
    held = leaf(batch, name)
    rows = [
        ["each returned", *made],
        ["the batch holds", *map(str, held.tolist())],
        ["iterate gives", *again],
    ]
    header = [name, *(f"row {i}" for i in range(n))]
    return grid(f"{name}: shape {held.shape} in the batch", header, rows, [1])


# %% tags=["hide-input"]
controls = {"rows": ["1", "2", "3"], "leaf": list(paths)}
explorable(
    "How observations become a batch and come apart again", controls, frame, (2, 0)
)

# %% tags=["remove-cell"]
for sent, batch, back in batches.values():
    for name in paths:
        apart = [leaf(x, name).tolist() for x in back]
        assert (
            apart
            == leaf(batch, name).tolist()
            == [leaf(x, name).tolist() for x in sent]
        )

# %% [markdown]
# ## Every space type in one table
#
# Gymnasium has ten space types. We batch each by 3, sample the result once, and write down what the sample is. Look
# at the last column: square brackets hold the shape of an array, round ones the entries of a tuple.

# %% tags=["hide-input"]
singles = [
    spaces.Discrete(4, start=1),
    spaces.MultiDiscrete([3, 2]),
    spaces.MultiBinary(2),
    spaces.Box(0, 255, (8, 8), np.uint8),
    spaces.Dict(a=spaces.Discrete(2), b=spaces.Box(0, 1, (2,))),
    spaces.Tuple((spaces.Discrete(2), spaces.Box(0, 1, (2,)))),
    spaces.Text(3, charset="ab"),
    spaces.Sequence(spaces.Discrete(3), stack=True),
    spaces.Graph(spaces.Box(0, 1, (2,)), None),
    spaces.OneOf((spaces.Discrete(2), spaces.Discrete(9))),
]


# %% tags=["hide-input"]
def describe(batch):
    """Say what a batch is made of."""
    if isinstance(batch, dict):
        return {key: describe(value) for key, value in batch.items()}
    if type(batch) is tuple:
        return f"({', '.join(str(describe(x)) for x in batch)})"
    if isinstance(batch, np.ndarray):
        return f"{batch.dtype}{list(batch.shape)}"
    return type(batch).__name__


# %% tags=["hide-input"]
rows = []
for single in singles:
    batched = batch_space(single, 3)
    batched.seed(0)
    columns = {"single space": str(single), "batched": type(batched).__name__}
    rows.append(columns | {"a batch of three": describe(batched.sample())})
table(rows, "What a batch of each space type is")

# %% tags=["remove-cell"]
kinds = {type(single): type(batch_space(single, 3)) for single in singles}
assert kinds == {
    spaces.Discrete: spaces.MultiDiscrete,
    spaces.MultiDiscrete: spaces.Box,
    spaces.MultiBinary: spaces.Box,
    spaces.Box: spaces.Box,
    spaces.Dict: spaces.Dict,
    spaces.Tuple: spaces.Tuple,
    spaces.Text: spaces.Tuple,
    spaces.Sequence: spaces.Tuple,
    spaces.Graph: spaces.Tuple,
    spaces.OneOf: spaces.Tuple,
}

# %% tags=["remove-cell"]
_types = {getattr(spaces, name) for name in spaces.__all__}
_types = {t for t in _types if isinstance(t, type) and issubclass(t, gym.Space)}
assert _types - {gym.Space} == set(kinds), "a space type is missing from the table"
assert len(kinds) == 10
assert batch_space(spaces.Discrete(4, start=1), 3).start.tolist() == [1, 1, 1]
_batched = batch_space(spaces.MultiDiscrete([3, 2], start=[5, 6]), 3)
assert (_batched.low == [5, 6]).all() and (_batched.high == [7, 7]).all()
assert rows[1]["a batch of three"] == "int64[3, 2]"
assert rows[6]["a batch of three"] == "(str, str, str)"
assert rows[5]["a batch of three"] == "(int64[3], float32[3, 2])"

# %% [markdown]
# There are three groups.
#
# - **Arrays** (`Discrete`, `MultiDiscrete`, `MultiBinary`, `Box`) stay arrays with one more axis. The type of the space
#   is `MultiDiscrete` for `Discrete`, and `Box` for the other three. The limits come along, `start` included.
# - **Containers** (`Dict`, `Tuple`) stay containers, and the rule is applied again to each part.
# - **Everything else** (`Text`, `Sequence`, `Graph`, `OneOf`) has no fixed shape to stack. A batch is a plain tuple
#   with one entry for each row.
#
# So the space type `Tuple` means two things in a batched space. For a `Tuple` of 2 parts it holds 2 batches, each
# with all the rows. For a `Text` it holds 3 rows, and so it does for a space class of your own, until you teach
# Gymnasium how to batch it: chapter 10, [space utilities](10_space_utilities.ipynb), does.

# %%
parts = batch_space(spaces.Tuple((spaces.Discrete(2), spaces.Discrete(5))), 3)
texts = batch_space(spaces.Text(3, charset="ab"), 3)
print(len(parts), "parts:", parts)
print(len(texts), "rows: ", texts)
assert len(parts) == 2 and len(texts) == 3

# %% [markdown]
# ## Sampling and seeding
#
# `action_space.sample()` draws one action for each row. Where do the numbers come from? Give the same seed to a
# space for 3 rows and to one for 5, and draw twice from each.

# %%
draws = {}
for n in (3, 5):
    space = batch_space(spaces.Discrete(100), n)
    space.seed(0)
    draws[n] = np.concatenate([space.sample(), space.sample()])
    print(f"{n} rows:", draws[n][:n], draws[n][n:])
assert (draws[5][:6] == draws[3]).all()

# %% [markdown]
# It is one stream of numbers, dealt out to the rows like cards. The batched space owns a single
# [generator](../../book/glossary.md#generator). So a run with 3 rows is not a part of a run with 5. And row `i` is not
# what a single space with seed `i` would have drawn, although seeds of `reset` do work like that.

# %%
alone = []
for i in range(3):
    single = spaces.Discrete(100, seed=i)
    alone.append(int(single.sample()))
print("single spaces, seeds 0 1 2:", alone)
print("batched space, seed 0:     ", draws[3][:3])
assert alone != draws[3][:3].tolist()

# %% [markdown]
# A vector environment has two action spaces, and each has a generator of its own. Seeding the environment reaches
# neither of them; seeding the one does not seed the other. So write `envs.action_space.seed(...)` beside
# `envs.reset(seed=...)`: chapter 4, [reset](04_reset.ipynb), is about the second.


# %%
def two_draws(seed_space):
    envs = SyncVectorEnv([lambda: gym.make("Taxi-v4")] * 8)
    envs.reset(seed=0)
    if seed_space:
        envs.action_space.seed(0)
    draws = [envs.action_space.sample().tolist() for _ in range(2)]
    envs.close()
    return draws


print("with action_space.seed:   ", two_draws(True) == two_draws(True))
print("with reset(seed=0) alone: ", two_draws(False) == two_draws(False))
assert two_draws(True) == two_draws(True) and two_draws(False) != two_draws(False)

# %% tags=["remove-cell"]
_envs = SyncVectorEnv([lambda: gym.make("Taxi-v4")] * 2)
assert "PassiveEnvChecker" in str(_envs.envs[0])
_state = _envs.single_action_space.np_random.bit_generator.state
_envs.action_space.seed(0)
_envs.action_space.sample()
assert _envs.single_action_space.np_random.bit_generator.state == _state
_envs.close()

# %% [markdown]
# `seed` returns what it used. A `Dict` or a `Tuple` space draws a seed for each part, so equal parts do not move in
# step. A dict, or a tuple, names them one by one.

# %%
robot = spaces.Dict(arm=spaces.Discrete(9), leg=spaces.Discrete(9))
robots = batch_space(robot, 4)
print("seed(0) gave:", robots.seed(0))
print(robots.sample())
robots.seed({"arm": 7, "leg": 7})
print(robots.sample())

# %% tags=["remove-cell"]
_seeds = robots.seed(0)
assert _seeds["arm"] != _seeds["leg"]
robots.seed({"arm": 7, "leg": 7})
_sample = robots.sample()
assert (_sample["arm"] == _sample["leg"]).all()
assert batch_space(spaces.Tuple((robot["arm"], robot["leg"])), 4).seed((7, 8)) == (7, 8)

# %% [markdown]
# With seed 7 for both, arm and leg do the same for ever. A seed must also be a Python `int`. One that comes out of
# NumPy has to be converted.

# %%
with expect(gym.error.Error):
    batch_space(spaces.Discrete(9), 4).seed(np.int64(7))

# %% [markdown]
# ## Membership: one answer for the whole batch
#
# `batch in space` says whether *all* rows belong, and nothing more. We spoil one number of the nested observation
# above and ask.

# %%
spoilt = {"count": observation["count"].copy(), "inner": observation["inner"]}
spoilt["count"][1, 0] = -1
print("before:", observation in envs.observation_space)
print("after: ", spoilt in envs.observation_space)
assert observation in envs.observation_space and spoilt not in envs.observation_space

# %% [markdown]
# To find the row, cut the batch into rows and ask the single space about each. `iterate` does the cutting, for every
# space type.


# %%
def wrong_rows(single, batched, batch):
    """Return the rows of `batch` that are no members of the single space."""
    rows = iterate(batched, batch)
    return [i for i, row in enumerate(rows) if row not in single]


found = wrong_rows(envs.single_observation_space, envs.observation_space, spoilt)
print("wrong rows:", found)
assert found == [1]

# %% [markdown]
# If the list is empty and the batch is no member all the same, as in the first cell of this chapter, the fault is in
# the batch: its dtype, or the number of its rows.
#
# ### Nobody asks for you
#
# When does a vector environment check membership? Never. `step` checks neither the actions it gets nor the
# observations it returns. Whether an impossible action is refused is up to the sub-environment: CartPole refuses,
# this one does not.


# %%
class Careless(gym.Env):
    observation_space = spaces.Box(-1, 1, (2,))
    action_space = spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return np.zeros(2, np.float32), {}

    def step(self, action):
        return np.array([0.0, 5.0], np.float32), 0.0, False, False, {"got": action}


# %%
careless = SyncVectorEnv([Careless, Careless])
careless.reset(seed=0)
actions = np.array([0, 9])
outside, *_, infos = careless.step(actions)
print("actions allowed?    ", actions in careless.action_space)
print("received:           ", infos["got"])
print("observation allowed?", outside in careless.observation_space)
assert actions not in careless.action_space and infos["got"].tolist() == [0, 9]
assert outside not in careless.observation_space

# %% tags=["remove-cell"]
_poles = gym.make_vec("CartPole-v1", num_envs=2, vectorization_mode="sync")
_poles.reset(seed=0)
with expect(AssertionError):
    _poles.step(np.array([0, 9]))
_poles.close()

# %% [markdown]
# There is one partial exception. `gym.make` and `make_vec` put a checker around each sub-environment. It looks at the
# first reset and at the first step, warns, and never looks again. It does not look at actions at all.


# %%
def checked():
    return gym.wrappers.PassiveEnvChecker(Careless())


with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    guarded = SyncVectorEnv([checked])
    guarded.reset(seed=0)
    for call in range(1, 4):
        guarded.step(np.array([9]))
        print(f"warnings after step {call}:", len(caught))
assert len(caught) == 1
assert "is not within the observation space" in str(caught[0].message)

# %% [markdown]
# A check of your own costs a pass over the batch. Keep it out of a training loop and put it into a test: chapter 24,
# [testing vector environments](../trust/24_testing_vector_envs.ipynb).
#
# ## Dtypes are strict
#
# Values within the limits are not enough. The array's dtype must fit the space's without loss. Here are arrays of
# zeros in eight dtypes, put to four batched spaces.

# %% tags=["hide-input"]
candidates = {
    "Box float32": batch_space(spaces.Box(-1, 1, (2,)), 3),
    "Box int8 (of MultiBinary)": batch_space(spaces.MultiBinary(2), 3),
    "MultiDiscrete int64": batch_space(spaces.Discrete(4), 3),
    "MultiDiscrete int32": batch_space(spaces.Discrete(4, dtype=np.int32), 3),
}
dtypes = ["bool", "int8", "int32", "int64", "uint64", "float16", "float32", "float64"]
rows = []
for name, space in candidates.items():
    fits = {d: "yes" if np.zeros(space.shape, d) in space else "-" for d in dtypes}
    rows.append({"space": name} | fits)
table(rows, "Which dtypes a batched space accepts")

# %% tags=["remove-cell"]
_by_name = {row["space"]: [d for d in dtypes if row[d] == "yes"] for row in rows}
assert _by_name["Box float32"] == ["bool", "int8", "float16", "float32"]
assert _by_name["Box int8 (of MultiBinary)"] == ["bool", "int8"]
assert _by_name["MultiDiscrete int64"] == ["bool", "int8", "int32", "int64"]
assert _by_name["MultiDiscrete int32"] == ["bool", "int8", "int32"]
for _name, _space in candidates.items():
    assert _by_name[_name] == [d for d in dtypes if np.can_cast(d, _space.dtype)]

# %% [markdown]
# The rule is `np.can_cast(array.dtype, space.dtype)`: every value of the array's dtype must exist in the space's.
# `float64` into `float32` loses digits, `int64` into `float32` too, and a float is never an integer, not even 1.0.
#
# Three cases of it are met daily.
#
# **NumPy computes in float64, most boxes are float32.** An environment that returns `np.array([0.1, 0.2])` breaks its
# own space. Put it into a vector environment, and the fault is out of sight: `step` copies the rows into an array of
# the space's dtype, and the batch is in order.


# %%
class Doubles(Careless):
    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return np.array([0.1, 0.2]), {}


one, _ = Doubles().reset(seed=0)
many, _ = SyncVectorEnv([Doubles, Doubles]).reset(seed=0)
print("alone:   ", one.dtype, one in Doubles.observation_space)
print("batched: ", many.dtype, many in batch_space(Doubles.observation_space, 2))
assert one not in Doubles.observation_space
assert many in batch_space(Doubles.observation_space, 2)

# %% [markdown]
# So check an environment alone before you make eight of it.
#
# **Actions in the wrong dtype.** A network's float output is no member of `MultiDiscrete`, and the type of the
# integer counts too: `np.argmax` gives int64, which an int32 space refuses. Convert with the space's own dtype.

# %%
narrow = batch_space(spaces.Discrete(4, dtype=np.int32), 3)
scores = np.array([[0.1, 0.9, 0.0, 0.0], [0.8, 0.1, 0.1, 0.0], [0.0, 0.1, 0.2, 0.7]])
greedy = scores.argmax(axis=1)
print("as argmax gave it:", greedy.dtype, greedy in narrow)
print("converted:        ", narrow.dtype, greedy.astype(narrow.dtype) in narrow)
assert greedy not in narrow and greedy.astype(narrow.dtype) in narrow

# %% [markdown]
# **Two spaces that print alike and are not equal.** The text of a `MultiDiscrete` leaves out its dtype.

# %%
wide = batch_space(spaces.Discrete(4), 3)
print("same text:", str(narrow) == str(wide), "| equal:", narrow == wide)
assert str(narrow) == str(wide) and narrow != wide

# %% [markdown]
# Last, `nan` fits into a float32 array and is a member of no box.

# %%
boxes = candidates["Box float32"]
print("nan:", np.full((3, 2), np.nan, np.float32) in boxes)
assert np.full((3, 2), np.nan, np.float32) not in boxes

# %% [markdown]
# ## Masks: only the legal actions
#
# In some states some actions make no sense. A taxi at a wall cannot drive through it. `Taxi-v4` reports the legal
# ones in its info, as a [mask](../../book/glossary.md#mask) of zeros and ones with six entries, one for each action.
# In a batch the masks arrive stacked.

# %%
taxis = gym.make_vec("Taxi-v4", num_envs=3, vectorization_mode="sync")
taxis.action_space.seed(0)
observation, infos = taxis.reset(seed=0)
mask = infos["action_mask"].copy()
print(mask.dtype, mask.shape)
print(mask)
assert mask.dtype == np.int8 and mask.shape == (3, 6)

# %% [markdown]
# `sample` takes a mask. Handing over the array as it is fails.

# %%
with expect(AssertionError):
    taxis.action_space.sample(mask=mask)

# %% [markdown]
# It wants a *tuple* with one mask for each row. `tuple(mask)` cuts the array along its first axis.

# %%
actions = [taxis.action_space.sample(mask=tuple(mask)) for _ in range(200)]
legal = [mask[i, action[i]] == 1 for action in actions for i in range(3)]
print(actions[0], "- all legal:", all(legal), "of", len(legal))
assert all(legal) and len(legal) == 600

# %% [markdown]
# Each mask must be an array of `int8`. A mask made by a comparison is `bool` and is refused.

# %%
with expect(AssertionError):
    taxis.action_space.sample(mask=tuple(mask == 1))
assert taxis.action_space.sample(mask=tuple((mask == 1).astype(np.int8))).shape == (3,)

# %% [markdown]
# ### A mask of zeros means the first action
#
# If a row's mask allows nothing, `sample` returns the smallest action and says nothing. Such a mask is easily come by:
# a row that reports none gets zeros in the batched info. Here only row 0 is reset, so only row 0 reports.

# %%
chosen = np.array([True, False, False])
observation, infos = taxis.reset(seed=0, options={"reset_mask": chosen})
print(infos["action_mask"])
print("reported by:", infos["_action_mask"])
masks = tuple(infos["action_mask"])
silent = np.array([taxis.action_space.sample(mask=masks) for _ in range(50)])
print("rows 1 and 2 in 50 draws:", np.unique(silent[:, 1:]))
assert infos["_action_mask"].tolist() == [True, False, False]
assert (silent[:, 1:] == 0).all()

# %% [markdown]
# Only the mask `_action_mask` tells a missing value from a real one: chapter 5, [step](05_step.ipynb). Keep the last
# mask that each row reported, and replace the rows that did report:

# %%
reported = infos["_action_mask"]
mask[reported] = infos["action_mask"][reported]
print(mask)
assert mask.any(axis=1).all()

# %% [markdown]
# ### Which batched spaces take a mask
#
# A mask picks from a finite set, so `Box.sample` refuses one. And a batch of `MultiDiscrete` or `MultiBinary` *is* a
# `Box`. Their single spaces take a mask, their batches do not.

# %%
keys = spaces.MultiDiscrete([3, 2], seed=0)
one_mask = (np.array([1, 0, 1], np.int8), np.array([0, 1], np.int8))
print("one row: ", keys.sample(mask=one_mask))
with expect(gym.error.Error):
    batch_space(keys, 1).sample(mask=(one_mask,))

# %% [markdown]
# The way round it: sample row by row from the single space and stack. `np.stack` keeps the dtype, so the result is a
# member of the batched space.

# %%
row_masks = [one_mask] * 4
stacked = np.stack([keys.sample(mask=row_mask) for row_mask in row_masks])
print(stacked.tolist(), stacked in batch_space(keys, 4))
assert stacked in batch_space(keys, 4)
assert (stacked[:, 0] != 1).all() and (stacked[:, 1] == 1).all()

# %% [markdown]
# In a `Dict` the mask is a dict with every key, and `None` for the parts that have none.

# %%
drive = spaces.Dict(gear=spaces.Discrete(3), wheel=spaces.Box(-1, 1, (1,)))
drives = batch_space(drive, 2)
drives.seed(0)
first, last = np.array([1, 0, 0], np.int8), np.array([0, 0, 1], np.int8)
sample = drives.sample(mask={"gear": (first, last), "wheel": None})
print(sample["gear"])
assert sample["gear"].tolist() == [0, 2]

# %% [markdown]
# For weighted draws there is `probability=` in place of `mask=`: again a tuple with one array for each row, this time
# of float64, each adding up to 1.

# %% tags=["remove-cell"]
weights = np.array([[0, 0, 1], [0.5, 0.5, 0]])
gears = drives["gear"].sample(probability=tuple(weights))
assert gears[0] == 2 and gears[1] in (0, 1)
with expect(AssertionError):
    drives["gear"].sample(probability=tuple(weights.astype(np.float32)))
with expect(AssertionError):
    drives["gear"].sample(probability=tuple(weights * 0.9))

# %% [markdown]
# ## Rows with different limits
#
# So far all rows had the same single space. Suppose each sub-environment has its own upper limit.


# %%
class Tank(Careless):
    """A level between 0 and a capacity of its own; it starts full."""

    def __init__(self, capacity):
        self.observation_space = spaces.Box(0, capacity, (1,))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.observation_space.high, {}


tanks = [lambda: Tank(1), lambda: Tank(5)]
with expect(RuntimeError):
    SyncVectorEnv(tanks)

# %% [markdown]
# By default all observation spaces must be equal. The message names the way out: `observation_mode="different"`
# batches limits that differ, as long as type, shape and dtype agree.

# %%
different = SyncVectorEnv(tanks, observation_mode="different")
print(" ".join(str(different.observation_space).split()))
print("single:", different.single_observation_space)
assert different.observation_space.high.tolist() == [[1], [5]]
assert different.single_observation_space == spaces.Box(0, 1, (1,))

# %% [markdown]
# The [single space](../../book/glossary.md#single-space) is that of row 0, and no more than an example: judged by it,
# the full second tank is wrong, although the batch is right.

# %% tags=["remove-cell"]
levels, _ = different.reset(seed=0)
batched, single = different.observation_space, different.single_observation_space
assert levels in batched and wrong_rows(single, batched, levels) == [1]

# %% [markdown]
# Or say yourself what both spaces shall be, for instance the widest single space for all. Pass a pair, and mind its
# order: **(batched, single)**. The text of the library names them the other way round, and that order is refused.

# %%
widest = spaces.Box(0, 5, (1,))
pair = (batch_space(widest, 2), widest)
same_for_all = SyncVectorEnv(tanks, observation_mode=pair)
print(same_for_all.single_observation_space, same_for_all.observation_space.shape)
assert same_for_all.single_observation_space == widest
assert same_for_all.reset(seed=0)[0] in same_for_all.observation_space
with expect(RuntimeError):
    SyncVectorEnv(tanks, observation_mode=pair[::-1])

# %% tags=["remove-cell"]
with expect(ValueError):
    SyncVectorEnv(tanks, observation_mode="none of these")
_kwargs = {"observation_mode": "different"}
_made = gym.make_vec("CartPole-v1", 2, vectorization_mode="sync", vector_kwargs=_kwargs)
assert _made.observation_mode == "different"
_made.close()

# %% [markdown]
# (In `make_vec` this goes through `vector_kwargs={"observation_mode": ...}`.) None of it exists for actions: the action
# spaces of all sub-environments must be equal.


# %%
class Valve(Careless):
    def __init__(self, strength):
        self.action_space = spaces.Box(-strength, strength, (1,))


valves = [lambda: Valve(1), lambda: Valve(2)]
with expect(RuntimeError):
    SyncVectorEnv(valves, observation_mode="different")

# %% [markdown]
# The usual remedy is one action space for all, say -1 to 1, that each sub-environment scales for itself. Chapter 13,
# [mixed environments](../compositions/13_mixed_environments.ipynb), builds such batches.
#
# ## What trips people up
#
# **"`TypeError: list indices must be integers or slices, not str` in `step`."** The action space is a `Dict`, and
# the actions were given as a list of dicts. Give one dict of batches, as `action_space.sample()` does.


# %%
class Driver(Careless):
    action_space = drive


drivers = SyncVectorEnv([Driver, Driver])
drivers.reset(seed=0)
one_action = {"gear": 1, "wheel": np.zeros(1, np.float32)}
with expect(TypeError):
    drivers.step([one_action, one_action])
batch = {"gear": np.array([1, 1]), "wheel": np.zeros((2, 1), np.float32)}
*_, infos = drivers.step(batch)
assert batch in drivers.action_space and infos["got"]["gear"].tolist() == [1, 1]

# %% [markdown]
# **"The actions go to the wrong sub-environments, without an error."** The same mistake with a `Tuple` space. With two
# rows and two parts, a tuple of rows has the form of a tuple of parts, and even `in` says yes. The rows arrive
# transposed.

# %%
steer_and_gas = spaces.Tuple((spaces.Discrete(3), spaces.Discrete(3)))
batched = batch_space(steer_and_gas, 2)
row_0, row_1 = (2, 0), (2, 1)
by_row = (row_0, row_1)
print("accepted:", by_row in batched)
received = list(iterate(batched, by_row))
print("row 0 receives", received[0], "instead of", row_0)
by_part = (np.array([2, 2]), np.array([0, 1]))
assert by_row in batched and received == [(2, 2), (0, 1)]
assert list(iterate(batched, by_part)) == [row_0, row_1]

# %% [markdown]
# The part comes first, the row second: `by_part`, above, is the right form. To go from rows to such a batch is the
# work of `concatenate`, in [chapter 10](10_space_utilities.ipynb).
#
# **"`'tuple' object has no attribute 'shape'`."** The observation is a `Text`, a `Sequence`, a `Graph` or a `OneOf`.
# Its batch is a tuple of rows. In worker processes, sequences and graphs need `shared_memory=False` as well, since they
# have no fixed size: [chapter 10](10_space_utilities.ipynb) shows the error and the cure.

# %%
words = batch_space(spaces.Text(3, charset="ab"), 2).sample()
with expect(AttributeError):
    print(words.shape)

# %% [markdown]
# **"Samples of an integer box are absurdly large."** A `Box` without limits samples near zero. An integer `Box`
# cannot store infinity, so it keeps the largest integer and remembers on the side that there is no limit. The batch
# does not remember, and takes the largest integer for a real limit.

# %%
counts = spaces.Box(-np.inf, np.inf, (2,), np.int64, seed=0)
batched_counts = batch_space(counts, 2)
print("one row bounded:", counts.is_bounded(), "- sample", counts.sample())
print("batch bounded:  ", batched_counts.is_bounded())
farthest = np.abs(batched_counts.sample().astype(float)).max()
print(f"farthest from 0: {farthest:.0e}")
assert not counts.is_bounded() and np.abs(counts.sample()).max() < 100
assert batched_counts.is_bounded() and farthest > 1e17

# %% [markdown]
# Give an integer box limits that you mean.
#
# ## Exercises
#
# ### Exercise 07.1: predict the shapes
#
# The action space of a game pad is `Tuple((Discrete(9), MultiBinary(4)))`. `envs` has five rows. What are the shapes
# of the two parts of `envs.action_space.sample()`, as a tuple of two shapes?
#
# <details><summary>Hint</summary>
#
# A container keeps its form. Then put the number of rows in front of the shape of each part. The shape of a
# `Discrete` is `()`.
#
# </details>

# %% tags=["exercise"]
answer = ...

# %%
check("07.1", answer)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# answer = ((5,), (5, 4))
# ```
#
# </details>
#
# ### Exercise 07.2: draw only legal actions
#
# Write a function that draws one action for each row from a batched `Discrete`. `masks` has one line of zeros and ones
# for each row and may have any dtype. `reported` says which rows reported their mask: the other rows may do anything.
# Leave the caller's arrays as they are.
#
# <details><summary>Hint</summary>
#
# Make an int8 copy, fill the lines of the rows that did not report with ones, and remember what type `sample` wants
# its masks in.
#
# </details>


# %% tags=["exercise"]
def draw_legal(space, masks, reported):
    raise NotImplementedError


# %%
check("07.2", draw_legal)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def draw_legal(space, masks, reported):
#     masks = np.array(masks, dtype=np.int8)
#     masks[~reported] = 1
#     return space.sample(mask=tuple(masks))
# ```
#
# </details>
#
# ### Exercise 07.3: say what is wrong
#
# A bare "False" helps nobody. Write a function that takes a batched `Box` and an array and returns `"shape"` if the
# array's shape is wrong, else `"dtype"` if its dtype does not fit, else the list of the rows that break a limit
# (empty if all is well).
#
# <details><summary>Hint</summary>
#
# `np.can_cast` answers for the dtype. For the limits, compare with `space.low` and `space.high`, and mind `nan`, for
# which every comparison is False. A row can have several axes: `array.reshape(len(array), -1)` gives it one.
#
# </details>


# %% tags=["exercise"]
def diagnose(space, array):
    raise NotImplementedError


# %%
check("07.3", diagnose)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def diagnose(space, array):
#     if array.shape != space.shape:
#         return "shape"
#     if not np.can_cast(array.dtype, space.dtype):
#         return "dtype"
#     inside = (array >= space.low) & (array <= space.high)
#     row_is_right = inside.reshape(len(array), -1).all(axis=1)
#     return np.flatnonzero(~row_is_right).tolist()
# ```
#
# </details>

# %% tags=["remove-cell"]
assert "PassiveEnvChecker" in str(taxis.envs[0])
for _envs in (envs, careless, guarded, taxis, different, same_for_all, drivers):
    _envs.close()

# %% [markdown]
# ## Recap
#
# - Arrays get a batch axis, containers keep their form, and everything without a fixed shape becomes a tuple of rows.
#   A batch of `Discrete` is `MultiDiscrete`; a batch of `MultiDiscrete`, `MultiBinary` or `Box` is a `Box`.
# - A dtype must fit without loss: so three legal panels made an illegal batch.
# - `in` answers once for the whole batch. `iterate` finds the row. The vector environment itself never checks.
# - One generator deals to all rows. Seed `action_space` by itself.
# - `sample(mask=tuple(masks))`, masks of int8. An empty mask means the first action. A batched `Box` takes none.
# - Limits may differ from row to row with `observation_mode="different"` or a (batched, single) pair; action spaces may
#   not.
#
# **Back:** [autoreset](06_autoreset.ipynb). **Next:** [AsyncVectorEnv](08_async_vector_env.ipynb); the functions behind
# this chapter are in [space utilities](10_space_utilities.ipynb).
# **Reference:** [spaces](https://gymnasium.farama.org/api/spaces/),
# [`gymnasium.vector.utils`](https://gymnasium.farama.org/api/vector/utils/).
