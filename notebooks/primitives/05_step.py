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
# # `step`: five batches and an info dict
#
# After this chapter you can read all that `step` returns, and tell an info value that is zero from one that is not
# there.
#
# **You need:** chapter 1, [VectorEnv](01_vector_env.ipynb). **Time:** about 20 minutes.

# %%
import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics

from helpers.environments import Reporter
from helpers.exercises import check
from helpers.explorables import explorable, grid
from helpers.figures import PALETTE, figure, show
from helpers.pages import expect, table

# %% [markdown]
# ## A score that nobody scored
#
# `Reporter` is a toy environment. On the steps that we choose it puts a `score` into its
# [info](../../book/glossary.md#info), the dict that `step` returns last; on all other steps its info is empty. The
# score is the number of the step, so it can never be 0. Three of them play two steps.


# %%
def reporter(*report_on):
    return lambda: Reporter(report_on=report_on, length=4)


envs = SyncVectorEnv([reporter(2), reporter(1, 3), reporter(2, 3)])
actions = np.array([0, 1, 0])  # Reporter takes any action and ignores it
envs.reset(seed=0)
for _ in range(2):
    *_, infos = envs.step(actions)
print("score:", infos["score"], " mean:", round(infos["score"].mean(), 2))

# %% [markdown]
# Row 1 has a score of 0, which no `Reporter` ever reports, and the mean is too low because of it. Nothing was
# raised. Row 1 simply said nothing on this step, and an array must hold something. Which entries are real is
# written beside the key, under its name with an underscore in front.

# %%
print(sorted(infos))
reported = infos["_score"]
print("_score:", reported, " mean:", infos["score"][reported].mean())
assert infos["score"].tolist() == [2, 0, 2] and reported.tolist() == [True, False, True]
assert infos["score"][reported].mean() == 2

# %% [markdown]
# `_score` is a [mask](../../book/glossary.md#mask), a boolean array with one entry for each row. This chapter goes
# through all five things that `step` returns, and spends most of its time on the last.
#
# ## The five returns
#
# A single environment returns an observation, a reward, two flags and an info. A vector environment returns the
# same five, in batches. Here are their dtypes and shapes for three cart-poles of each kind: in a loop, in processes
# of their own, and as a [native](../../book/glossary.md#native-vector-environment) class that has no
# sub-environments.

# %%
names = ["observations", "rewards", "terminated", "truncated", "infos"]
rows = [{"returned": name} for name in names]
for mode in ["sync", "async", "vector_entry_point"]:
    poles = gym.make_vec("CartPole-v1", num_envs=3, vectorization_mode=mode)
    poles.reset(seed=0)
    returned = poles.step(np.array([0, 1, 0]))
    poles.close()
    for row, batch in zip(rows, returned, strict=True):
        is_array = isinstance(batch, np.ndarray)
        row[mode] = f"{batch.dtype} {batch.shape}" if is_array else str(batch)
table(rows, "What step returns for three cart-poles")

# %% tags=["remove-cell"]
assert [row["sync"] for row in rows] == [row["async"] for row in rows]
assert [row["sync"] for row in rows[1:4]] == ["float64 (3,)", "bool (3,)", "bool (3,)"]
assert rows[1]["vector_entry_point"] == "float32 (3,)"
assert rows[4]["sync"] == rows[4]["vector_entry_point"] == "{}"

# %% [markdown]
# The flags are boolean arrays everywhere. Rewards are float64 in the loop and in processes, whatever type a
# sub-environment returns. FrozenLake's reward is a Python `int`, and it is widened all the same. A native class
# decides for itself: CartPole's own uses float32.

# %%
single = gym.make("FrozenLake-v1")
single.reset(seed=0)
lakes = gym.make_vec("FrozenLake-v1", num_envs=2, vectorization_mode="sync")
lakes.reset(seed=0)
print("one lake: ", type(single.step(1)[1]).__name__)
print("two lakes:", lakes.step(np.array([1, 1]))[1].dtype)
assert type(single.step(1)[1]) is int
assert lakes.step(np.array([1, 1]))[1].dtype == np.float64

# %% [markdown]
# So do not write `float32` or `float64` into code that should run on all of them; take `rewards.dtype`.
#
# Each call returns arrays of its own, so you can keep them without copying.

# %%
envs.reset(seed=0)
first, second = envs.step(actions), envs.step(actions)
shared = [np.shares_memory(a, b) for a, b in zip(first[:4], second[:4], strict=True)]
print("memory shared between two calls:", any(shared))
assert not any(shared)

# %% [markdown]
# (For the observations this holds as long as you leave `copy=True`: chapter 2,
# [SyncVectorEnv](02_sync_vector_env.ipynb).)
#
# ## The loop
#
# A loop around `step` has no end of its own, because rows end at different times. We count calls. Two reporters
# play here, one with episodes of two steps, one with three. Their observation is `[episode, step]`. Look at row 0
# on calls 2 and 3.

# %%
pair = SyncVectorEnv([lambda: Reporter(length=2), lambda: Reporter(length=3)])
observations, infos = pair.reset(seed=0)
calls = []
for call in range(1, 6):
    result = pair.step(np.array([0, 0]))
    observations, rewards, terminated, truncated, infos = result
    row = {"call": call, "observations": observations.astype(int).tolist()}
    row |= {"rewards": rewards.tolist(), "terminated": terminated.tolist()}
    calls.append(row | {"keys of infos": ", ".join(infos) or "(none)"})
table(calls, "Five calls, two rows, each observation is [episode, step]")

# %% tags=["remove-cell"]
first_row = [call["observations"][0] for call in calls[:4]]
assert first_row == [[0, 1], [0, 2], [1, 0], [1, 1]]
assert calls[1]["terminated"] == [True, False] and calls[2]["rewards"] == [0, 3]
assert calls[2]["terminated"] == [False, True]
assert not any("final" in call["keys of infos"] for call in calls)

# %% [markdown]
# On call 2, row 0 is terminated and its observation is `[0, 2]`: the [final
# observation](../../book/glossary.md#final-observation), the last one of episode 0. Many people look for it in the
# info. In the default mode it is not there, and need not be: **the finished row of `observations` is it.** On call
# 3 row 0 holds the first observation of episode 1. That row has reward 0 and took no notice of the action, so it
# belongs to no episode's steps. Chapter 6, [autoreset](06_autoreset.ipynb), is about this call, and about the mode
# that does put a `final_obs` into the infos.
#
# ## Observations follow the space
#
# CartPole's observation is one array. With other observation spaces the batch has another form, and you will index
# it differently. Here three environments at a time return samples of a space that we choose (the code is folded).


# %% tags=["hide-input"]
class Sampler(gym.Env):
    action_space = gym.spaces.Discrete(2)

    def __init__(self, space):
        self.observation_space = space

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.observation_space.seed(seed)
        return self.observation_space.sample(), {}

    def step(self, action):
        return self.observation_space.sample(), 0.0, False, False, {}


# %% tags=["hide-input"]
def batch_of(space, n=3):
    envs = SyncVectorEnv([lambda: Sampler(space)] * n)
    envs.reset(seed=0)
    return envs.step(np.zeros(n, int))[0]


def form(batch):
    if isinstance(batch, np.ndarray):
        return f"array {batch.shape}"
    if isinstance(batch, dict):
        return "{" + ", ".join(f"{k}: {form(v)}" for k, v in batch.items()) + "}"
    if isinstance(batch, tuple) and any(isinstance(part, np.ndarray) for part in batch):
        return "(" + ", ".join(form(part) for part in batch) + ")"
    return f"tuple of {len(batch)} observations"


# %% tags=["hide-input"]
S = gym.spaces
box, choice = S.Box(0, 1, (2,)), S.Discrete(5)
spaces = {
    "Box": box,
    "Discrete": choice,
    "Dict(a=Box, b=Discrete)": S.Dict(a=box, b=choice),
    "Tuple(Box, Discrete)": S.Tuple([box, choice]),
    "Text": S.Text(4),
    "Sequence": S.Sequence(choice),
    "Graph": S.Graph(box, None),
}
rows = [{"single space": k, "batch": form(batch_of(v))} for k, v in spaces.items()]
table(rows, "The form of the observations of three sub-environments")

# %% tags=["remove-cell"]
forms = {row["single space"]: row["batch"] for row in rows}
assert forms["Box"] == "array (3, 2)" and forms["Discrete"] == "array (3,)"
assert forms["Dict(a=Box, b=Discrete)"] == "{a: array (3, 2), b: array (3,)}"
assert forms["Tuple(Box, Discrete)"] == "(array (3, 2), array (3,))"
for space in ["Text", "Sequence", "Graph"]:
    assert forms[space] == "tuple of 3 observations"

# %% [markdown]
# - Spaces of numbers give one array.
# - `Dict` and `Tuple` keep their structure, with a batch at each leaf: row 1 of `a` is `batch["a"][1]`. The tuple
#   has two parts, since the space has two, and each part has three rows.
# - `Text`, `Sequence`, `Graph` (and `OneOf`) have no common shape, so the batch is a plain tuple of three
#   observations: row 1 is `batch[1]`.
#
# A tuple can therefore mean two things; the space tells which. Chapter 7, [spaces](07_spaces.ipynb), has the rules,
# and chapter 10, [space utilities](10_space_utilities.ipynb), the function `iterate` that takes any batch apart.

# %% tags=["remove-cell"]
assert form(batch_of(S.OneOf([box, choice]))) == "tuple of 3 observations"
batch = batch_of(spaces["Dict(a=Box, b=Discrete)"])
assert batch["a"][1].shape == (2,)
assert isinstance(batch_of(spaces["Text"])[1], str)

# %% [markdown]
# ## The info dict, call by call
#
# Back to the infos. `reset` and `step` return one dict for the whole batch. For every key that some row reported,
# it holds an array with one entry for each row, and a mask under the same name with an underscore. We record six
# calls of the three reporters from the beginning, whose rows report on step 2, on steps 1 and 3, and on steps 2 and
# 3.

# %%
scores, masks = np.full((6, 3), np.nan), np.zeros((6, 3), bool)
infos_of = {0: envs.reset(seed=0)[1]}
for call in range(1, 6):
    *_, infos = envs.step(actions)
    infos_of[call] = infos
    if "score" in infos:
        scores[call], masks[call] = infos["score"], infos["_score"]
print("calls with the key:", [call for call in infos_of if "score" in infos_of[call]])

# %% tags=["hide-input"]
fig, ax = figure(2.6)
for call, row in np.ndindex(6, 3):
    missing, real = np.isnan(scores[call, row]), masks[call, row]
    text = "no key" if missing else f"{scores[call, row]:.0f}"
    if not missing:
        color, width = (PALETTE[0], 2) if real else (PALETTE[5], 1.5)
        box = ax.barh(row, 0.88, 0.76, call - 0.44, edgecolor=color, linewidth=width)
        box[0].set(facecolor=(color, 0.3 if real else 0), ls="-" if real else "--")
    weight = "bold" if real else "normal"
    ax.text(call, row, text, ha="center", va="center", size=10, weight=weight)
ax.set_xticks(range(6), ["reset", *(f"step {call}" for call in range(1, 6))])
ax.set_yticks(range(3), [f"row {row}" for row in range(3)])
ax.set(xlim=(-0.6, 5.6), ylim=(2.5, -0.5))
ax.set(title='infos["score"]: shaded is reported, dashed is only filled in')
ax.tick_params(length=0)

# %% tags=["hide-input"]
alt = (
    "A grid of three rows and six calls. The key exists on steps 1 to 3 only. On step "
    "1 row 1 reports 1, the others hold a filled-in 0; on step 2 rows 0 and 2 report "
    "2, on step 3 rows 1 and 2 report 3. On reset and on steps 4 and 5 there is no key."
)
show(fig, alt)

# %% tags=["remove-cell"]
assert [call for call in infos_of if "score" in infos_of[call]] == [1, 2, 3]
assert scores[1:4].tolist() == [[0, 1, 0], [2, 0, 2], [0, 3, 3]]
assert np.array_equal(masks, np.nan_to_num(scores) > 0)
assert infos_of[0] == infos_of[4] == infos_of[5] == {}

# %% [markdown]
# Three kinds of cell, and three rules:
#
# 1. A shaded number was reported.
# 2. A dashed 0 was filled in, because some *other* row reported. Only the mask can tell.
# 3. Where no row reported, there is no array of zeros and no mask. The key itself is missing.
#
# (On step 5 the rows begin their next episode, so their infos are those that `reset` returned.)
#
# So the third rule needs an `if`, and the second a mask. Both fit into one short function.


# %%
def reported_values(infos, key):
    """The values of `key` that were really reported; empty if there are none."""
    return infos[key][infos[f"_{key}"]] if key in infos else np.array([])


for call, infos in infos_of.items():
    print("call", call, reported_values(infos, "score"))
sums = [reported_values(infos, "score").sum() for infos in infos_of.values()]
assert sums == [0, 1, 4, 6, 0, 0]

# %% [markdown]
# Here is the whole dict of each of the six calls, nested keys and masks included.

# %% tags=["hide-input"]
calls = ["reset", *(f"step {call}" for call in range(1, 6))]


def lines(infos, path=""):
    """One line for each array in `infos`: its name and its entry for each row."""
    for key, value in infos.items():
        if isinstance(value, dict):
            yield from lines(value, f"{path}{key} / ")
        else:
            yield [path + key, *map(str, value)]


# %% tags=["hide-input"]
def frame(call):
    rows = list(lines(infos_of[call])) or [["the dict is empty", "-", "-", "-"]]
    marked = [i for i, row in enumerate(rows) if row[0].split(" / ")[-1][0] == "_"]
    return grid(
        f"infos of {calls[call]}", ["key", "row 0", "row 1", "row 2"], rows, marked
    )


explorable(
    "The info dict, call by call; masks are marked", {"call": calls}, frame, (1,)
)

# %% [markdown]
# What stands in the gaps depends on the type: 0 for numbers, `False` for booleans, `None` for everything that is no
# number. To see it we need an environment that reports what we hand it. `batched` gives one info to each row and
# returns what `reset` makes of them.


# %%
class Says(gym.Env):
    observation_space = action_space = gym.spaces.Discrete(2)

    def __init__(self, info):
        self.info = info

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return 0, self.info


# %%
def says(*infos):
    return SyncVectorEnv([lambda info=info: Says(info) for info in infos])


def batched(*infos):
    return says(*infos).reset()[1]


# %%
infos = batched({"score": 0.0, "won": False, "name": "ada"}, {})
for key, value in infos.items():
    print(f"{key:7s} {value}")
assert infos["score"].tolist() == [0, 0] and infos["won"].tolist() == [False, False]
assert infos["name"].tolist() == ["ada", None]

# %% [markdown]
# Row 0 scored a real 0 and did not win. Row 1 said nothing. In `score` and `won` the two look the same.
#
# ## Nested infos have masks at every level
#
# An info may hold a dict. It stays a dict, and each level has masks of its own. `Reporter` reports `nested`, too.

# %%
print("_nested:", infos_of[2]["_nested"])
for key, value in infos_of[2]["nested"].items():
    print(f"nested, {key:5s}:", value)
assert infos_of[2]["nested"]["_step"].tolist() == [True, False, True]
assert infos_of[2]["_nested"].tolist() == [True, False, True]

# %% [markdown]
# Here both masks agree. They need not: one row may report the dict without the key. Then the inner mask is the one
# that counts.

# %%
infos = batched({"time": {"physics": 0.5}}, {"time": {}}, {})
print("_time:   ", infos["_time"])
print("_physics:", infos["time"]["_physics"])
assert infos["_time"].tolist() == [True, True, False]
assert infos["time"]["_physics"].tolist() == [True, False, False]

# %% [markdown]
# A wrapper may write infos by other rules. `RecordEpisodeStatistics` adds `episode`, with the
# [return](../../book/glossary.md#return) `r` and the length `l` of the episodes that ended on this call. It has one
# mask, the outer one.

# %%
poles = RecordEpisodeStatistics(
    gym.make_vec("CartPole-v1", num_envs=2, vectorization_mode="sync")
)
poles.reset(seed=0)
infos = {}
while "episode" not in infos:
    *_, infos = poles.step(np.array([1, 1]))
print("keys of episode:", sorted(infos["episode"]))
print("r:", infos["episode"]["r"], " _episode:", infos["_episode"])
assert sorted(infos["episode"]) == ["l", "r", "t"]
assert infos["_episode"].tolist() == [True, False]

# %% [markdown]
# The 0 is no return. It belongs to a row whose episode goes on. An average over `r` without the mask counts it.
#
# ## The first reporter decides the type
#
# An array has one dtype. On each call the array for a key is made when the first row that reports the key is read,
# from the type of *that row's* value. The rows after it must fit in. Compare the two orders.

# %%
print("1 first:   ", batched({"x": 1}, {"x": 0.75})["x"])
print("0.75 first:", batched({"x": 0.75}, {"x": 1})["x"])
assert batched({"x": 1}, {"x": 0.75})["x"].tolist() == [1, 0]
assert batched({"x": 1}, {"x": 0.75})["_x"].all()
assert batched({"x": 0.75}, {"x": 1})["x"].tolist() == [0.75, 1]

# %% [markdown]
# In the first line the value 0.75 was reported, the mask says so, and what arrives is 0.
#
# ### FrozenLake does this to you
#
# It is no invented case. FrozenLake puts the probability of the transition, `prob`, into its info: 1/3 on a step,
# and on a reset the integer 1. We watch two lakes around the first call in which row 0 is reset.

# %%
lakes.reset(seed=0)
lakes.action_space.seed(1)
rows = []
for call in range(1, 11):
    states, _, terminated, _, infos = lakes.step(lakes.action_space.sample())
    row = {"call": call, "states": states, "terminated": terminated}
    row |= {"_prob": infos["_prob"], "prob": infos["prob"].round(2)}
    rows.append(row | {"dtype": infos["prob"].dtype})
table(rows[6:], "Two frozen lakes")

# %% tags=["remove-cell"]
assert rows[7]["terminated"].tolist() == [True, False] and rows[7]["states"][0] == 5
assert single.unwrapped.desc.ravel()[5] == b"H"
assert rows[8]["prob"].tolist() == [1, 0] and rows[8]["dtype"] == np.int64
assert rows[8]["_prob"].all()
assert all(row["dtype"] == np.float64 for row in rows if row["call"] != 9)

# %% [markdown]
# Row 0 falls into a hole, state 5, on call 8. On call 9 it is reset and reports the integer 1. It is the first row,
# so the array becomes int64, and row 1, which walked on with a probability of 1/3, is cut to 0. The mask is true
# for both. One call later all is well again. A bug of this kind shows up as a rare zero in a log.
#
# `SAME_STEP` autoreset has it as well: there the reset's info takes the place of the step's within the same call.

# %% tags=["remove-cell"]
same = SyncVectorEnv(
    [lambda: gym.make("FrozenLake-v1")] * 2, autoreset_mode=AutoresetMode.SAME_STEP
)
same.reset(seed=0)
same.action_space.seed(1)
infos = {}
while "final_info" not in infos:
    *_, infos = same.step(same.action_space.sample())
assert infos["prob"].tolist() == [1, 0] and infos["_prob"].all()
assert np.allclose(infos["final_info"]["prob"], [1 / 3, 0])

# %% [markdown]
# The cure is in the sub-environment: report one type, always. Where the environment is not yours, a small
# [wrapper](../../book/glossary.md#wrapper) does it, and `make_vec` puts it around every row.


# %%
class FloatProb(gym.Wrapper):
    def reset(self, **kwargs):
        observation, info = self.env.reset(**kwargs)
        return observation, info | {"prob": float(info["prob"])}


cured = gym.make_vec(
    "FrozenLake-v1", num_envs=2, vectorization_mode="sync", wrappers=(FloatProb,)
)

# %%
cured.reset(seed=0)
cured.action_space.seed(1)
for _ in range(9):
    *_, infos = cured.step(cured.action_space.sample())
print("call 9:", infos["prob"].round(2))
assert np.allclose(infos["prob"], [1, 1 / 3])

# %% [markdown]
# ### When values do not fit
#
# A float among integers is cut in silence. Other misfits raise an error in the middle of a `reset` or `step`: an
# array of another shape, a `None` among integers, a dict where an earlier row had a number.

# %%
with expect(ValueError):
    batched({"x": np.zeros(2)}, {"x": np.zeros(3)})
with expect(TypeError):
    batched({"x": 1}, {"x": None})
with expect(AttributeError):
    batched({"x": 1}, {"x": {"y": 2}})

# %% [markdown]
# And some change the value without a word: `None` after a float becomes `nan`, and any number after a boolean
# becomes `True`.

# %%
print(batched({"x": 0.5}, {"x": None})["x"])
print(batched({"x": False}, {"x": 0.5})["x"])
assert np.isnan(batched({"x": 0.5}, {"x": None})["x"][1])
assert batched({"x": False}, {"x": 0.5})["x"].tolist() == [False, True]

# %% [markdown]
# ### From Python value to batched array
#
# Here is the whole rule as a table. Row 0 reports the value on the left, row 1 reports nothing. The middle says what
# array arises, the right what row 1 holds.

# %% tags=["hide-input"]
values = [1, 0.5, True, np.float32(0.5), np.int8(1), np.array([0.5, 1.0])]
values += [np.bool_(True), "ada", None, [1, 2], {"k": 1}]
rows = []
for value in values:
    batch = batched({"x": value}, {})["x"]
    row = {"row 0 reports": repr(value)}
    if isinstance(batch, dict):
        row |= {"batched as": "dict of arrays", "row 1 holds": f"in k: {batch['k'][1]}"}
    else:
        array = f"{batch.dtype} {batch.shape}"
        row |= {"batched as": array, "row 1 holds": str(batch[1])}
    rows.append(row)
table(rows, "What becomes of an info value in a batch of two")

# %% tags=["remove-cell"]
found = [row["batched as"].split()[0] for row in rows]
assert found[:6] == ["int64", "float64", "bool", "float32", "int8", "float64"]
assert found[6:] == ["object", "object", "object", "object", "dict"]
assert [row["row 1 holds"] for row in rows] == [
    *["0", "0.0", "False", "0.0", "0", "[0. 0.]"],
    *["None", "None", "None", "None", "in k: 0"],
]

# %% [markdown]
# Python's `int`, `float` and `bool`, NumPy numbers and arrays give arrays of their type. Everything else lands in
# an array of dtype `object`, and the surprise in that group is `np.bool_`, which is what a comparison of NumPy
# values returns. The traps below show what it does.
#
# ## One dict for each row
#
# For a log or in the debugger a list of dicts is handier: one for each row, with what that row reported and nothing
# else. The vector wrapper `DictInfoToList` makes it.

# %%
listed = DictInfoToList(envs)
listed.reset(seed=0)
for _ in range(2):
    *_, infos = listed.step(actions)
for row, info in enumerate(infos):
    print(row, info)
assert infos[1] == {} and infos[0] == infos[2] == {"score": 2.0, "nested": {"step": 2}}

# %% [markdown]
# The masks are gone, since a key that was not reported is not in the dict. The values are still NumPy's, taken from
# the batched arrays; what the batching has cut off, the list cannot bring back.

# %%
print(DictInfoToList(says({"x": 1}, {"x": 0.75})).reset()[1])
assert type(infos[0]["score"]) is np.float64

# %% [markdown]
# It has to be the outermost wrapper. Others expect the dict, and say so on the first step.

# %%
wrong = RecordEpisodeStatistics(DictInfoToList(lakes))
wrong.reset(seed=0)
with expect(AssertionError):
    wrong.step(np.array([0, 0]))

# %% [markdown]
# ## What trips people up
#
# **"`TypeError: string indices must be integers, not 'str'`."** The infos are looped over as a list of dicts, as
# they were in old versions of Gym. A dict yields its keys, so `info` is a string. Index the arrays, or wrap with
# `DictInfoToList`.

# %%
infos = infos_of[2]
print(list(infos))
with expect(TypeError):
    for info in infos:
        info["score"]
assert list(infos) == ["score", "_score", "nested", "_nested"]

# %% [markdown]
# **"`KeyError: 'score'`, but only after a while."** The key exists on calls where some row reported it. Ask first.

# %%
with expect(KeyError):
    infos_of[4]["score"]

# %% [markdown]
# **"The number of successes is never more than 1."** The environment reports `success = distance < 0.1` with a
# NumPy distance. That is an `np.bool_`, the array has dtype `object`, and `sum` adds objects: `True` and `True` is
# `True`. As an index the array fails outright. Report `bool(...)`.

# %%
infos = batched(*[{"success": np.float64(0.01) < 0.1}] * 3)
print(infos["success"].dtype, "sum:", infos["success"].sum())
with expect(IndexError):
    np.arange(3)[infos["success"]]
infos = batched(*[{"success": bool(np.float64(0.01) < 0.1)}] * 3)
print(infos["success"].dtype, "  sum:", infos["success"].sum())
assert infos["success"].sum() == 3

# %% tags=["remove-cell"]
objects = batched(*[{"success": np.float64(0.01) < 0.1}] * 3)["success"]
assert objects.dtype == object and objects.sum() is np.True_

# %% [markdown]
# **"My info key disappears."** Its name begins with an underscore, and such names belong to the masks. Two keys `x`
# and `_x` overwrite each other, and `DictInfoToList` leaves out all that begins with an underscore.

# %%
infos = batched({"x": 1.5, "_x": 7}, {})
print("_x is the mask now:", infos["_x"])
debug = DictInfoToList(says({"_debug": 1}, {"_debug": 2})).reset()[1]
print("_debug is left out: ", debug)
assert infos["_x"].tolist() == [True, False] and debug == [{}, {}]

# %% [markdown]
# **"`TypeError: Unable to iterate over the following elements: 0`."** One action for all rows is not enough. `step`
# takes a batch: an array with one action for each row.

# %%
with expect(TypeError):
    lakes.step(0)

# %% [markdown]
# A batch of the wrong length is a `ValueError` about `zip()`, and by then some rows have moved: chapter 25,
# [failures](../trust/25_failures.ipynb).

# %% tags=["remove-cell"]
poles = gym.make_vec("CartPole-v1", num_envs=2, vectorization_mode="sync")
poles.reset(seed=0)
with expect(ValueError):
    poles.step(np.array([0]))
assert [env.get_wrapper_attr("_elapsed_steps") for env in poles.envs] == [1, 0]

# %% [markdown]
# **"`IndexError: invalid index to scalar variable`" in Pendulum.** Its single action is an array of one number, so
# two rows want the shape `(2, 1)`. A policy that squeezes its output gives `(2,)`. Compare with
# `envs.action_space.shape`.

# %%
pendulums = gym.make_vec("Pendulum-v1", num_envs=2, vectorization_mode="sync")
pendulums.reset(seed=0)
with expect(IndexError):
    pendulums.step(np.zeros(2, np.float32))
print("wanted:", pendulums.action_space.shape)
assert pendulums.step(np.zeros((2, 1), np.float32))[1].shape == (2,)

# %% tags=["remove-cell"]
for each in [envs, single, lakes, pair, same, cured, poles, pendulums]:
    each.close()

# %% [markdown]
# ## Exercises
#
# ### Exercise 05.1: predict the losses
#
# Three rows report `{"loss": 1}`, `{"loss": 0.5}` and `{"loss": 2.75}`, in this order. What is
# `infos["loss"].tolist()`?
#
# <details><summary>Hint</summary>
#
# Which row decides the dtype? And does NumPy round when it stores a float into such an array?
#
# </details>

# %% tags=["exercise"]
answer = ...

# %%
check("05.1", answer)

# %% [markdown]
# <details><summary>Solution</summary>
#
# Row 0 makes it an array of integers. The others are cut, not rounded.
#
# ```python
# answer = [1, 0, 2]
# ```
#
# </details>
#
# ### Exercise 05.2: the mean of what was reported
#
# Write a function that returns the mean of `infos[key]` over the rows that reported it, or `None` if no row did.
#
# <details><summary>Hint</summary>
#
# Two things can be missing: an entry, which the mask tells, and the key itself. A reported 0 counts.
#
# </details>


# %% tags=["exercise"]
def mean_reported(infos, key):
    raise NotImplementedError


# %%
check("05.2", mean_reported)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def mean_reported(infos, key):
#     if key not in infos:
#         return None
#     return infos[key][infos[f"_{key}"]].mean()
# ```
#
# </details>
#
# ### Exercise 05.3: read a nested info
#
# Write a function that returns a dict from row to `step` of `infos["nested"]`, with the rows that reported a `step`
# only: for the infos of call 2 above, `{0: 2, 2: 2}`. If nobody reported, it returns an empty dict.
#
# <details><summary>Hint</summary>
#
# There is a mask at each level. Which one says that `step` itself was reported? And does `step` exist whenever
# `nested` does?
#
# </details>


# %% tags=["exercise"]
def nested_steps(infos):
    raise NotImplementedError


# %%
check("05.3", nested_steps)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def nested_steps(infos):
#     nested = infos.get("nested", {})
#     if "step" not in nested:
#         return {}
#     return {int(i): int(nested["step"][i]) for i in np.flatnonzero(nested["_step"])}
# ```
#
# </details>
#
# ### Exercise 05.4: an info that batches well
#
# Write a function that takes the info of a *single* environment and returns a copy in which every number is a
# Python `float`: `int`, `float`, `bool`, `np.bool_` and NumPy's numbers, in nested dicts too. All else stays as it
# is. A wrapper that calls it makes FrozenLake's zero impossible.
#
# <details><summary>Hint</summary>
#
# `isinstance(value, (int, float, np.number, np.bool_))` covers the numbers, `bool` being a kind of `int`. For a
# dict, the function can call itself.
#
# </details>


# %% tags=["exercise"]
def steady(info):
    raise NotImplementedError


# %%
check("05.4", steady)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def steady(info):
#     result = {}
#     for key, value in info.items():
#         if isinstance(value, dict):
#             value = steady(value)
#         elif isinstance(value, (int, float, np.number, np.bool_)):
#             value = float(value)
#         result[key] = value
#     return result
# ```
#
# </details>
#
# ## Recap
#
# - `step` returns observations, rewards, terminated, truncated and infos, all in batches. Rewards are float64,
#   except where a native class decides otherwise.
# - `Dict` and `Tuple` observations are structures of batches; `Text`, `Sequence` and `Graph` give a tuple of
#   observations.
# - In the default mode the finished row of `observations` is the final observation. The infos do not hold it.
# - A zero in the infos may be nobody's: the mask `_key` tells, at every level. Where no row reported, there is no
#   key.
# - The first row that reports a key decides its type. Report one type and one shape, always.
# - `DictInfoToList`, outermost, gives one dict for each row.
#
# **Back:** [reset](04_reset.ipynb). **Next:** [autoreset](06_autoreset.ipynb), what happens to a row that has
# finished. **Reference:**
# [`VectorEnv.step`](https://gymnasium.farama.org/api/vector/#gymnasium.vector.VectorEnv.step), [vector
# wrappers](https://gymnasium.farama.org/api/vector/wrappers/).
