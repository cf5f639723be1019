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
# # Vector wrappers: change what goes in and out of a whole batch
#
# After this chapter you can choose a vector wrapper, put several in the right order, write one of your own, and say
# which of your arrays it writes into.
#
# **You need:** [VectorEnv](01_vector_env.ipynb) and the three modes of [autoreset](06_autoreset.ipynb).
# **Time:** about 25 minutes.

# %%
import warnings
from contextlib import closing
from functools import partial
from importlib.util import find_spec

import gymnasium as gym
import gymnasium.wrappers.vector as wv
import numpy as np
from gymnasium import spaces, vector
from gymnasium.vector import VectorActionWrapper, VectorObservationWrapper
from gymnasium.vector.utils import batch_space

from helpers.environments import StepCounter
from helpers.exercises import check
from helpers.figures import figure, show
from helpers.pages import expect, table

# %% [markdown]
# ## The same two wrappers, two different returns
#
# Pendulum's rewards run from about -16 to 0. `ClipReward` cuts them off at -1, as some training recipes ask.
# `RecordEpisodeStatistics` adds up the rewards of each episode and reports the sum, the
# [return](../../book/glossary.md#return), when it ends. We put both around the same environment, with the same seeds
# and the same actions, in the two possible orders. Two helpers serve the whole chapter: `make` makes two rows, `play`
# resets them and returns what each of some random steps returned.


# %%
NEXT_STEP, SAME_STEP, DISABLED = vector.AutoresetMode


def make(env, mode=NEXT_STEP, **kwargs):
    settings = {"autoreset_mode": mode}
    return gym.make_vec(
        env, 2, vectorization_mode="sync", vector_kwargs=settings, **kwargs
    )


def play(envs, steps, seed=1):
    envs.reset(seed=seed)
    envs.action_space.seed(seed)
    return [envs.step(envs.action_space.sample()) for _ in range(steps)]


# %%
pendulums = make("Pendulum-v1", max_episode_steps=60)
inner = wv.ClipReward(wv.RecordEpisodeStatistics(pendulums), -1, 1)
raw = play(inner, 60)[-1][4]["episode"]["r"]

pendulums = make("Pendulum-v1", max_episode_steps=60)
outer = wv.RecordEpisodeStatistics(wv.ClipReward(pendulums, -1, 1))
clipped = play(outer, 60)[-1][4]["episode"]["r"]

print("the recorder is the inner one:", raw.round(1))
print("the recorder is the outer one:", clipped.round(1))
assert (raw < clipped - 100).all()

# %% [markdown]
# Nothing about the episodes differs, only who saw which rewards. Of two wrappers the *inner* one is nearer to the
# environment, and the *outer* one sees what comes out of it. The statistics of the inner recorder are those of the
# task. Those of the outer one are of clipped rewards: a learning curve drawn from them says nothing about Pendulum.

# %% tags=["hide-input"]
plain = make("Pendulum-v1", max_episode_steps=60)
unclipped_rewards = np.array([step[1][0] for step in play(plain, 60)])
clipped_rewards = np.array([step[1][0] for step in play(outer, 60)])
alt = (
    "Two lines, the reward of one row over sixty calls. Before the clipping wrapper it "
    "swings far below minus one; after it, it never goes below minus one."
)
fig, ax = figure(3.3)
for place, line in {"before": unclipped_rewards, "after": clipped_rewards}.items():
    ax.plot(line, markevery=6, label=f"{place}, sum {line.sum():.0f}")
ax.set(xlabel="call to step", ylabel="reward of row 0")
ax.set_title("One episode, seen before and after ClipReward")
fig.legend(loc="outside lower center", ncols=2)
show(fig, alt)

# %% tags=["remove-cell"]
assert np.isclose(unclipped_rewards.sum(), raw[0])
assert np.isclose(clipped_rewards.sum(), clipped[0])
assert np.array_equal(np.maximum(unclipped_rewards, -1), clipped_rewards)
assert (unclipped_rewards < -1).sum() > 20

# %% [markdown]
# What the recorder reports is in info, on the calls where an episode ends and only there: the returns `"r"`, the
# lengths `"l"` and the seconds `"t"`. The [mask](../../book/glossary.md#mask) `"_episode"` says for which
# [rows](../../book/glossary.md#row) they count. The last hundred of each are kept in three queues.

# %%
envs = wv.RecordEpisodeStatistics(make("book/StepCounter-v0", length=3))
for call, (*_, infos) in enumerate(play(envs, 4), start=1):
    print("call", call, "keys of info:", sorted(infos))
print("returns so far:", list(map(float, envs.return_queue)))
assert infos == {} and list(envs.length_queue) == [3, 3]
assert list(envs.return_queue) == [1 + 2 + 3] * 2

# %% [markdown]
# ## A wrapper passes on what it does not change
#
# A [vector wrapper](../../book/glossary.md#vector-wrapper) is itself a `VectorEnv` around another one. The base
# class, `gymnasium.vector.VectorWrapper`, changes nothing: `reset`, `step`, `render`, `close`, the spaces, the
# metadata, the generators are those of what it wraps. So wrappers nest, and the printed name shows the
# nest from the outside in.

# %%
envs = inner
print(envs)
print(type(envs.env).__name__, "|", type(envs.unwrapped).__name__)
assert isinstance(envs, vector.VectorEnv) and not isinstance(envs, gym.Env)
assert envs.num_envs == envs.unwrapped.num_envs == 2

# %% [markdown]
# What it passes on is the interface and no more. `call`, `get_attr` and `set_attr` do not belong to it: ask
# `unwrapped` for them ([chapter 2](02_sync_vector_env.ipynb#wrappers-do-not-forward-them)). A wrapper may set its four
# spaces and its metadata. The number of sub-environments it can only read.

# %%
print("through unwrapped:", envs.unwrapped.get_attr("max_torque"))
with expect(AttributeError):
    envs.num_envs = 3

# %% tags=["remove-cell"]
with expect(AttributeError):
    envs.get_attr("max_torque")

# %% [markdown]
# A wrapper for single environments, from `gymnasium.wrappers`, goes *inside* the batch, one for each row, and never
# *around* it. Chapter 15, [nested wrappers](../compositions/15_nested_wrappers.ipynb), is about which side is right for
# what.
#
# ## Three bases, one method each
#
# To write one, derive from the base that fits and override one method. Mind the plural: it is given a whole batch.
#
# | base, from `gymnasium.vector` | you write | it is given |
# |---|---|---|
# | `VectorObservationWrapper` | `observations(self, observations)` | what `reset` and `step` return |
# | `VectorActionWrapper` | `actions(self, actions)` | what the caller gives to `step` |
# | `VectorRewardWrapper` | `rewards(self, rewards)` | what `step` returns |
# | `VectorWrapper` | `reset`, `step` or both | everything |
#
# Three lines make an action wrapper. `Mirror` turns the pendulum the other way.


# %%
class Mirror(VectorActionWrapper):
    def actions(self, actions):
        return -actions


push = np.full((2, 1), 2.0, np.float32)
plain, mirrored = make("Pendulum-v1"), Mirror(make("Pendulum-v1"))
plain.reset(seed=0)
mirrored.reset(seed=0)
there, back = mirrored.step(push)[0], plain.step(-push)[0]
print("the same step?", np.array_equal(there, back))
assert np.array_equal(there, back)

# %% [markdown]
# A reward wrapper is as short: chapter 12, [a reward wrapper](../compositions/12_reward_wrapper.ipynb), writes and
# tests one. An observation wrapper owes more.
#
# ## What an observation wrapper owes
#
# A toy that returns pictures: 6 by 8 pixels in three colours, all dark but one. It draws what `book/StepCounter-v0`
# counts: the episode picks the line, the step picks the column. `make_vec` takes a
# [spec](../../book/glossary.md#spec) as well as an id.


# %%
PICTURE = spaces.Box(0, 255, (6, 8, 3), np.uint8)


def draw(count):
    episode, step = count.astype(int)
    picture = np.full((6, 8, 3), 40, np.uint8)
    picture[episode % 6, step % 8] = 250, 120, 30
    return picture


def screen():
    counter = gym.make("book/StepCounter-v0", length=7)
    return gym.wrappers.TransformObservation(counter, draw, PICTURE)


# %%
SCREEN = gym.envs.registration.EnvSpec("Screen-v0", entry_point=screen)
pictures, _ = make(SCREEN).reset(seed=0)
print(pictures.shape, pictures.dtype)
assert pictures.shape == (2, 6, 8, 3)

# %% [markdown]
# Now a wrapper that makes the pictures grey by taking the mean over the colours. It looks finished. Look at the
# last line that is printed.


# %%
class BrokenGrey(VectorObservationWrapper):
    def observations(self, observations):
        return observations.mean(axis=-1).astype(np.uint8)


envs = BrokenGrey(make(SCREEN))
pictures, _ = envs.reset(seed=0)
print("the pictures have shape", pictures.shape)
print("the wrapper announces  ", envs.observation_space.shape)
print("observation in its space?", pictures in envs.observation_space)
assert pictures.shape == (2, 6, 8) and envs.observation_space.shape == (2, 6, 8, 3)
assert pictures not in envs.observation_space

# %% [markdown]
# No error. The wrapper inherited the spaces of the environment it wraps, and they are no longer true. The error comes
# later and elsewhere: in a network built for three colours, in a buffer allocated from the space, or in an innocent
# wrapper around this one.

# %%
with expect(ValueError):
    wv.FlattenObservation(envs).reset(seed=0)

# %% [markdown]
# So a wrapper that changes shape, dtype or bounds must set **both** spaces: the
# [single space](../../book/glossary.md#single-space), from which networks are built, and the
# [batched space](../../book/glossary.md#batched-space), which holds a whole batch. `batch_space` makes the second
# from the first, so that they cannot disagree.


# %%
class Grey(VectorObservationWrapper):
    def __init__(self, env):
        super().__init__(env)
        shape = env.single_observation_space.shape[:2]
        self.single_observation_space = spaces.Box(0, 255, shape, np.uint8)
        self.observation_space = batch_space(
            self.single_observation_space, self.num_envs
        )

    def observations(self, observations):
        return observations.mean(axis=-1).astype(np.uint8)


# %%
envs = Grey(make(SCREEN))
assert envs.reset(seed=0)[0] in envs.observation_space
flat, _ = wv.FlattenObservation(envs).reset(seed=0)
print("single", envs.single_observation_space, "| flattened batch", flat.shape)
assert envs.single_observation_space.shape == (6, 8) and flat.shape == (2, 48)

# %% [markdown]
# The two lines that set the spaces are the price. The same holds for an action wrapper and the two action spaces. For
# one key of a `Dict`, put together `Dict({**single.spaces, key: box})` and return a new dict: the
# [patterns](../../book/api_patterns.md#one-key-of-a-dict-observation) have it.
#
# The quickest test is one line, and belongs among every wrapper's tests: the observation is in `observation_space`. It
# is a beginning and no proof. A black picture passes it, as we shall see, and so does a wrong dtype that the space can
# hold. The proof sets the wrapper [side by side](../compositions/12_reward_wrapper.ipynb#the-same-transition-twice)
# with an environment that is not wrapped, and asks the [contract checker](../trust/24_testing_vector_envs.ipynb).
#
# ## The ready-made ones
#
# Gymnasium brings most of what you need. We go through it by group, and note for each wrapper an environment and the
# way it is put around it. A table at the end tries them all.

# %%
ways = {}
DICT = "book/DictCounter-v0"


def tried(name, mode=NEXT_STEP):
    env, wrap = ways[name]
    return wrap(make(env, mode))


# %% [markdown]
# ### Observations
#
# Most change one array, such as a picture. `FilterObservation` picks entries out of a `Dict` observation, such as that
# of `book/DictCounter-v0`. `FlattenObservation` makes one flat array of anything. `NormalizeObservation` has a section
# of its own.

# %%
ways["GrayscaleObservation"] = SCREEN, wv.GrayscaleObservation
ways["ResizeObservation"] = SCREEN, lambda e: wv.ResizeObservation(e, (3, 4))
ways["ReshapeObservation"] = SCREEN, lambda e: wv.ReshapeObservation(e, (48, 3))
ways["FlattenObservation"] = DICT, wv.FlattenObservation
ways["FilterObservation"] = DICT, lambda e: wv.FilterObservation(e, ["count"])
ways["DtypeObservation"] = SCREEN, lambda e: wv.DtypeObservation(e, np.float32)
ways["RescaleObservation"] = SCREEN, lambda e: wv.RescaleObservation(e, 0, 1)
ways["NormalizeObservation"] = "Pendulum-v1", wv.NormalizeObservation

# %% [markdown]
# What becomes of a picture of shape (6, 8, 3), and of a dictionary?

# %%
for name in ["GrayscaleObservation", "ReshapeObservation", "FlattenObservation"]:
    print(f"{name:21s}to", tried(name).single_observation_space.shape)
print("FilterObservation    to", list(tried("FilterObservation").reset(seed=0)[0]))

# %% tags=["remove-cell"]
SHAPES = {
    "GrayscaleObservation": (6, 8),
    "ReshapeObservation": (48, 3),
    "FlattenObservation": (10,),
    "DtypeObservation": (6, 8, 3),
}
for name, shape in SHAPES.items():
    envs = tried(name)
    assert envs.single_observation_space.shape == shape, name
    assert envs.reset(seed=0)[0] in envs.observation_space
assert list(tried("FilterObservation").reset(seed=0)[0]) == ["count"]

# %% [markdown]
# For anything else there are two that take a function. `TransformObservation` calls it **once**, with the whole
# batch; you give it the new single space and it makes the batched one. `VectorizeTransformObservation` takes the
# single-environment wrapper and calls its function **for each row**. This function notes the shapes it is given.

# %%
HALF = spaces.Box(0, 255, (3, 8, 3), np.uint8)
given = []


def top_half(pictures):
    given.append(pictures.shape)
    return pictures[..., :3, :, :]


# %%
def by_batch(envs):
    return wv.TransformObservation(envs, top_half, single_observation_space=HALF)


def by_row(envs):
    return wv.VectorizeTransformObservation(
        envs, gym.wrappers.TransformObservation, func=top_half, observation_space=HALF
    )


# %%
ways["TransformObservation"] = SCREEN, by_batch
ways["VectorizeTransformObservation"] = SCREEN, by_row
halves = [tried(n).reset(seed=0)[0] for n in list(ways)[-2:]]
print("by batch:", given[0], "| by row:", given[1:])
assert np.array_equal(*halves) and given == [(2, 6, 8, 3)] + [(6, 8, 3)] * 2

# %% [markdown]
# Order matters here too, and without an error. A network wants pictures as floats from 0 to 1: rescale, and convert
# the dtype. `RescaleObservation` keeps the dtype it finds. On `uint8` the factor 1/255 becomes the whole number 0.

# %%
wrong = wv.DtypeObservation(wv.RescaleObservation(make(SCREEN), 0, 1), np.float32)
right = wv.RescaleObservation(wv.DtypeObservation(make(SCREEN), np.float32), 0, 1)
black, picture = play(wrong, 3)[-1][0], play(right, 3)[-1][0]
print("rescaled, then float:", np.unique(black))
print("float, then rescaled:", np.unique(picture).round(2))
assert wrong.observation_space == right.observation_space
assert (black == 0).all() and picture.max() > 0.9

# %% tags=["hide-input"]
original = play(make(SCREEN), 3)[-1][0]
titles = ["original, uint8", "float, then rescaled", "rescaled, then float"]
alt = (
    "Three small pictures. The original and the one converted to float first show a "
    "bright pixel on dark grey; the one rescaled first is black all over."
)
fig, axes = figure(1.8, ncols=3)
for ax, title, images in zip(axes, titles, [original, picture, black], strict=True):
    ax.imshow(images[0])
    ax.set(title=title, xticks=[], yticks=[])
    ax.spines[:].set_visible(True)
show(fig, alt)

# %% tags=["remove-cell"]
assert black in wrong.observation_space
assert np.allclose(picture, original / 255) and not np.allclose(black, original / 255)

# %% [markdown]
# Both orders announce the same space, and the black picture is in it. A model would train on it without complaint.
# Only the comparison with what it should be, the original divided by 255, tells them apart.
#
# ### Actions
#
# `ClipAction` lets the caller send anything and cuts it to the bounds. `RescaleAction` lets the caller use bounds
# of its own choice (as integers or `np.float32`: Python floats draw a warning about precision). `TransformAction` takes
# a function of the batch.

# %%
ways["ClipAction"] = "Pendulum-v1", wv.ClipAction
ways["RescaleAction"] = "Pendulum-v1", lambda e: wv.RescaleAction(e, -1, 1)
ways["TransformAction"] = "Pendulum-v1", lambda e: wv.TransformAction(e, np.negative)

# %% [markdown]
# What reaches the pendulums, whose bounds are -2 and 2, when the caller sends 3 and 0.5? The method `actions` can be
# asked directly.

# %%
sent = np.array([[3.0], [0.5]], np.float32)
for name in ["ClipAction", "RescaleAction", "TransformAction"]:
    arrives = tried(name).actions(sent)
    print(f"{name:16s} {sent.ravel()} arrives as {arrives.ravel()}")
assert tried("RescaleAction").actions(sent)[0] == 6

# %% tags=["remove-cell"]
assert tried("ClipAction").actions(sent).tolist() == [[2], [0.5]]
assert tried("TransformAction").actions(sent).tolist() == [[-3], [-0.5]]
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    wv.RescaleAction(make("Pendulum-v1"), np.float32(-1), np.float32(1))
    assert not caught
    wv.RescaleAction(make("Pendulum-v1"), -1.0, 1.0)
    assert "precision" in str(caught[0].message)

# %% [markdown]
# `RescaleAction` does not clip: 3 arrives as 6. To have both, make `ClipAction` the outer one. The other way round is
# refused, since `ClipAction` announces a space without bounds, and those cannot be rescaled.

# %%
both = wv.ClipAction(wv.RescaleAction(make("Pendulum-v1"), -1, 1))
arrives = both.env.actions(both.actions(sent))
print("clipped, then rescaled:", arrives.ravel())
assert np.array_equal(arrives, [[2.0], [1.0]])
with expect(ValueError):
    wv.RescaleAction(wv.ClipAction(make("Pendulum-v1")), -1, 1)

# %% [markdown]
# ### Rewards, statistics, infos
#
# Two of these you have met, and `NormalizeReward` has a section below. `TransformReward` takes a function of the
# batch. `DictInfoToList`, always the outermost, makes a list of the infos, one dictionary for each row: chapter
# 5, [step](05_step.ipynb#one-dict-for-each-row).

# %%
ways["ClipReward"] = "Pendulum-v1", lambda e: wv.ClipReward(e, -1, 1)
ways["TransformReward"] = "Pendulum-v1", lambda e: wv.TransformReward(e, np.tanh)
ways["NormalizeReward"] = "Pendulum-v1", wv.NormalizeReward
ways["RecordEpisodeStatistics"] = "Pendulum-v1", wv.RecordEpisodeStatistics
ways["DictInfoToList"] = "book/Reporter-v0", wv.DictInfoToList

# %% [markdown]
# ### All of them, and the modes they accept
#
# Actions and rewards have their `VectorizeTransform...` too, row by row; four wrappers convert between array
# libraries; two render. Here is every public name. To learn which
# [autoreset mode](../../book/glossary.md#autoreset-mode) a wrapper takes, we put it around an environment in each
# mode and make a step. A dash under "modes" means that it was not tried: a package was not there when this page was
# built. The last column says which packages a wrapper needs that Gymnasium does not install by itself; every
# conversion needs `array_api_compat` besides.


# %% tags=["hide-input"]
def act_by_row(envs):
    return wv.VectorizeTransformAction(
        envs,
        gym.wrappers.TransformAction,
        func=np.negative,
        action_space=envs.single_action_space,
    )


def reward_by_row(envs):
    single = gym.wrappers.TransformReward
    return wv.VectorizeTransformReward(envs, single, func=np.tanh)


# %% tags=["hide-input"]
ways["VectorizeTransformAction"] = "Pendulum-v1", act_by_row
ways["VectorizeTransformReward"] = "Pendulum-v1", reward_by_row
# A stand-in for another array library: NumPy itself, so that only `array_api_compat` is needed.
ways["ArrayConversion"] = "Pendulum-v1", lambda e: wv.ArrayConversion(e, np, np)
NEEDS = {
    "ResizeObservation": ["cv2"],
    "RecordVideo": ["moviepy"],
    "HumanRendering": ["pygame", "cv2"],
    "ArrayConversion": ["array_api_compat"],
    "JaxToNumpy": ["jax", "array_api_compat"],
    "JaxToTorch": ["jax", "torch", "array_api_compat"],
    "NumpyToTorch": ["torch", "array_api_compat"],
}
missing = {
    name: [package for package in NEEDS.get(name, []) if find_spec(package) is None]
    for name in wv.__all__
}


# %% tags=["hide-input"]
def accepts(name, mode):
    if name not in ways or missing[name]:
        return "not tried"
    try:
        envs = tried(name, mode)
    except ValueError as error:
        assert "autoreset_mode" in str(error)
        return "refused"
    play(envs, 1)
    return "yes"


# %% tags=["hide-input"]
def group(name):
    if name.endswith(("Conversion", "ToNumpy", "ToTorch")):
        return "conversion"
    for kind in ["Observation", "Action", "Reward"]:
        if issubclass(getattr(wv, name), getattr(vector, f"Vector{kind}Wrapper")):
            return kind.lower()
    return "whole step"


# %% tags=["hide-input"]
def in_short(taken):
    if "not tried" in taken.values():
        return "not tried"
    refused = [mode for mode, answer in taken.items() if answer == "refused"]
    return "not " + " or ".join(refused) if refused else "all three"


rows, answers = [], {}
for name in sorted(wv.__all__, key=group):
    taken = {mode.name: accepts(name, mode) for mode in vector.AutoresetMode}
    answers[name] = taken
    rows.append({"group": group(name), "name": name, "modes": in_short(taken)})
    others = [p for p in NEEDS.get(name, []) if p != "array_api_compat"]
    rows[-1]["needs"] = ", ".join(others)
table(rows, f"The {len(rows)} public names of gymnasium.wrappers.vector, as installed")

# %% tags=["remove-cell"]
assert set(ways) | set(NEEDS) == set(wv.__all__)
assert len(rows) == 26 and len(ways) == 21
tried_rows = [row | answers[row["name"]] for row in rows if row["modes"] != "not tried"]
assert all("array_api_compat" in NEEDS[n] for n in NEEDS if group(n) == "conversion")
assert {row["name"] for row in tried_rows} >= set(ways) - {"ResizeObservation"}
for row in tried_rows:
    assert row["NEXT_STEP"] == "yes", row
    assert (row["SAME_STEP"] == "refused") == (row["group"] == "observation"), row
    only_next_step = row["name"] == "NormalizeObservation"
    assert (row["DISABLED"] == "refused") == only_next_step, row
assert group("NormalizeReward") == group("RecordVideo") == "whole step"

# %% tags=["remove-cell"]
for name in wv.__all__:
    if group(name) == "conversion":
        try:
            getattr(wv, name)
            assert not missing[name], name
        except ImportError:
            assert missing[name], name
if missing["ResizeObservation"]:
    with expect(gym.error.DependencyNotInstalled):
        tried("ResizeObservation")
rewards = np.array([step[1] for step in play(make("Pendulum-v1"), 9)])
for name in ["TransformReward", "VectorizeTransformReward"]:
    assert np.allclose([step[1] for step in play(tried(name), 9)], np.tanh(rewards))
*_, infos = play(tried("DictInfoToList"), 1)[0]
assert infos == [{"score": 1.0, "nested": {"step": 1}}] * 2

# %% [markdown]
# Read the column of the modes. Every observation wrapper refuses `SAME_STEP`, `NormalizeObservation` refuses
# `DISABLED` as well, and everything else that was tried takes all three. A table on the web that ticks `SAME_STEP` for
# `VectorizeTransformObservation` is out of date. The error is raised by the base class, so a wrapper of yours that
# derives from `VectorObservationWrapper` inherits the refusal.

# %%
with expect(ValueError):
    Grey(make(SCREEN, SAME_STEP))
with expect(ValueError):
    wv.NormalizeObservation(make("Pendulum-v1", DISABLED))

# %% [markdown]
# The reason is the [final observation](../../book/glossary.md#final-observation), the last one of an episode. In
# `SAME_STEP` it travels in `info["final_obs"]`, where the method `observations` does not reach. A class that
# derives from `VectorWrapper` directly is not refused, and then hands out grey pictures with the last one in
# colour.


# %%
class GreyStep(vector.VectorWrapper):
    def step(self, actions):
        observations, *others = super().step(actions)
        return observations.mean(axis=-1).astype(np.uint8), *others


observations, *_, infos = play(GreyStep(make(SCREEN, SAME_STEP)), 7)[-1]
print("picture", observations[0].shape, "| final picture", infos["final_obs"][0].shape)
assert observations[0].shape == (6, 8) and infos["final_obs"][0].shape == (6, 8, 3)

# %% tags=["remove-cell"]
envs = make(SCREEN, SAME_STEP, wrappers=(gym.wrappers.GrayscaleObservation,))
*_, infos = play(envs, 7)[-1]
assert infos["_final_obs"].all() and infos["final_obs"][0].shape == (6, 8)
assert not any(
    word in name for name in wv.__all__ for word in ["Stack", "Limit", "Delay"]
)

# %% [markdown]
# The simple way out is to transform inside the batch, with a single-environment wrapper: then everything that leaves is
# transformed ([nested wrappers](../compositions/15_nested_wrappers.ipynb#the-way-round-same_step)). To treat
# `final_obs` as well is exercise 09.4. Frame stacking, time limits and delays, for which there is no vector wrapper,
# go inside too. The two that render are in chapter 26, [rendering](../trust/26_rendering.ipynb).
#
# ## Two that keep statistics
#
# ### `NormalizeObservation` pools the rows
#
# It subtracts a running mean and divides by a running standard deviation. There is **one** mean for all rows. To
# see it, we shift row 1 by 100 before the normaliser looks.


# %%
class ShiftRowOne(VectorObservationWrapper):
    def observations(self, observations):
        return observations + np.array([[0], [100]], np.float32)


envs = wv.NormalizeObservation(ShiftRowOne(make("Pendulum-v1")))
steps = play(envs, 50)
print("mean of each row:", np.mean([step[0] for step in steps], axis=(0, 2)).round(2))
print("shape of the mean:", envs.obs_rms.mean.shape, end=" | ")
print("rows counted:", round(envs.obs_rms.count))
assert np.abs(envs.obs_rms.mean - 50).max() < 5
assert round(envs.obs_rms.count) == 2 * (1 + 50)

# %% [markdown]
# Neither row is centred: they sit on either side of a mean that belongs to none of them. With copies of one
# environment this is what you want, since all rows are samples of the same thing. With rows that differ, as in
# chapter 13, [mixed environments](../compositions/13_mixed_environments.ipynb), it mixes their scales. The count
# also shows that the `reset` counted as a batch: two rows, once at reset and fifty times at a step.
#
# ### `NormalizeReward` divides, and never centres
#
# The name suggests rewards around zero. CartPole's rewards are always 1, so centred rewards would be 0.

# %%
envs = wv.NormalizeReward(make("CartPole-v1"), gamma=0.99)
rewards = np.array([step[1] for step in play(envs, 200)])
print("smallest", rewards.min(), "| mean", rewards.mean().round(2))
assert rewards.min() == 0 and rewards.mean() > 0
assert (np.unique(np.sign(rewards)) == [0, 1]).all()

# %% [markdown]
# Signs stay, and zero stays zero. (The zeros are [filler rows](../../book/glossary.md#filler-row): the rows of a
# call that resets, which have no reward.) The divisor is the standard deviation of the running discounted return, a
# single number that all rows share.
#
# For evaluation, take the statistics over from training and freeze them. Assigned as below they are shared and follow
# the training; `copy.deepcopy` makes a snapshot. `NormalizeObservation` has the same switch and keeps its statistics
# in `obs_rms`: chapter 20, [evaluation](../learning/20_evaluation.ipynb#statistics-that-stand-still).

# %%
evaluation = wv.NormalizeReward(make("CartPole-v1"), gamma=0.99)
evaluation.return_rms = envs.return_rms
evaluation.update_running_mean = False
count = evaluation.return_rms.count
frozen = np.array([step[1] for step in play(evaluation, 50)])
print("divided by", (1 / frozen.max()).round(3), "| counted:", round(count))
assert evaluation.return_rms.count == count
assert len(np.unique(frozen[frozen > 0])) == 1 and frozen.max() != 1

# %% tags=["remove-cell"]
envs = wv.NormalizeObservation(make("Pendulum-v1"))
play(envs, 3)
envs.update_running_mean = False
play(envs, 3)
assert round(envs.obs_rms.count) == 2 * (1 + 3)

# %% [markdown]
# A question that comes up after an upgrade: does the call that resets count as a reward? It used to. Since version
# 1.3 for `NEXT_STEP` and 1.4 for `SAME_STEP` it does not. Two rows, episodes of four steps, ten calls:

# %%
for mode in [NEXT_STEP, SAME_STEP]:
    envs = wv.NormalizeReward(make("Pendulum-v1", mode, max_episode_steps=4))
    play(envs, 10)
    counted = round(envs.return_rms.count)
    print(f"{mode.name}: {counted} rewards counted")
    assert counted == {"NEXT_STEP": 16, "SAME_STEP": 20}[mode.name]
    assert np.shape(envs.return_rms.var) == ()

# %% [markdown]
# Ten calls in `NEXT_STEP` are eight steps and two resets for each row. In `SAME_STEP` they are ten steps.
#
# The end of an episode is not beyond doubt, though. We replace the update by a list that notes what the statistics
# are fed, on an environment whose rewards are 1, 2, 3 in every episode. Without a discount, each episode should
# contribute 1, 3 and 6.


# %%
def fed(mode, ending):
    envs = make("book/StepCounter-v0", mode, length=3, ending=ending)
    envs = wv.NormalizeReward(envs, gamma=1.0)
    returns = []
    envs.return_rms.update = lambda batch: returns.append(int(batch[0]))
    play(envs, 12 if mode is SAME_STEP else 16)
    return returns


# %%
for ending in ["truncated", "terminated"]:
    for mode in [SAME_STEP, NEXT_STEP]:
        print(f"{ending:10s} {mode.name}: {fed(mode, ending)}")
assert fed(SAME_STEP, "truncated") == [1, 3, 6] * 4
assert fed(SAME_STEP, "terminated") == [1, 3, 3] * 4

# %% tags=["remove-cell"]
following = [1, 3, 6, 7, 9, 12, 13, 15, 18, 19, 21, 24]
assert fed(NEXT_STEP, "truncated") == following
assert fed(NEXT_STEP, "terminated") == [1, 3, 3] + [4, 6, 3] * 3

# %% [markdown]
# Only the first line is as it should be. In `NEXT_STEP` the running return goes on across a truncation. A termination
# cuts it one step early, so that the last reward stands alone, and in `NEXT_STEP` that reward is carried into the next
# episode. A discount makes what is carried over fade. Still, the divisor is the standard deviation of these numbers,
# so the two modes scale the same episodes differently.
#
# ## What trips people up
#
# **"The actions I stored are not those I sent."** `VectorizeTransformAction` writes its result into the array it
# was given, whenever its action space equals that of what it wraps. That array is the caller's.

# %%
envs = make("MountainCarContinuous-v0")
envs = wv.VectorizeTransformAction(
    envs,
    gym.wrappers.TransformAction,
    func=lambda action: 0.1 * action,
    action_space=envs.single_action_space,
)
envs.reset(seed=0)
actions = np.ones((2, 1), np.float32)
envs.step(actions)
print("after the step my actions are", actions.ravel())
assert np.allclose(actions, 0.1)

# %% [markdown]
# A learner that stores `actions` after the call computes its probabilities for actions that the policy never chose.
# Pass a copy: `envs.step(actions.copy())`. Whole numbers fail for the same reason: they cannot hold the result.

# %%
with expect(TypeError):
    envs.step(np.ones((2, 1), int))

# %% [markdown]
# A wrapper whose space differs from the wrapped one has a buffer of its own and leaves your actions alone. `ClipAction`
# is one, since it always widens the space.
#
# Rewards and observations are treated in the same way. `VectorizeTransformReward`, and `ClipReward` with it, rewrites
# the reward array that an inner wrapper may have kept. `VectorizeTransformObservation` writes into its input where the
# space stays equal: leave `copy` at its default under it, or it transforms the vector environment's own buffer, and
# may do so twice. And `info["_episode"]` of `RecordEpisodeStatistics` *is* the wrapper's memory of finished rows. Read
# it, but do not write into it.

# %% tags=["remove-cell"]
for harmless in ["ClipAction", "RescaleAction", "TransformAction"]:
    harmless = tried(harmless)
    harmless.reset(seed=0)
    actions = np.array([[5.0], [-0.5]], np.float32)
    harmless.step(actions)
    assert np.array_equal(actions, [[5.0], [-0.5]])
with expect(ValueError):
    envs.step(np.broadcast_to(np.float32(1), (2, 1)))
assert wv.ClipAction(make("Pendulum-v1")).single_action_space.high == np.inf


# %% tags=["remove-cell"]
class Keep(vector.VectorWrapper):
    def step(self, actions):
        result = super().step(actions)
        self.kept, self.seen = result[1], result[1].copy()
        return result


keep = Keep(make("Pendulum-v1"))
play(wv.ClipReward(keep, -0.1, 0.1), 1)
assert (keep.seen < -0.1).any() and (keep.kept >= -0.1).all()

# %% tags=["remove-cell"]
settings = {"copy": False, "autoreset_mode": DISABLED}
with closing(
    gym.make_vec("Pendulum-v1", 2, "async", vector_kwargs=settings)
) as workers:
    envs = wv.VectorizeTransformObservation(
        workers,
        gym.wrappers.TransformObservation,
        func=lambda observation: observation / 2,
        observation_space=workers.single_observation_space,
    )
    first = envs.reset(seed=0)[0][1].copy()
    only_row_0 = {"reset_mask": np.array([True, False])}
    second = envs.reset(options=only_row_0)[0][1].copy()
assert np.allclose(second, first / 2) and (first != 0).all()

# %% tags=["remove-cell"]
envs = wv.RecordEpisodeStatistics(make("book/StepCounter-v0", length=3))
*_, infos = play(envs, 3)[-1]
infos["_episode"][0] = False
for _ in range(4):
    *_, infos = envs.step(np.array([0, 0]))
assert infos["episode"]["l"].tolist() == [7, 3]

# %% [markdown]
# **"After resetting one row, the other row's length is too small."** A masked reset through
# `RecordEpisodeStatistics` clears the counters of every row, in 1.4.0. The vector environment takes `reset_mask`
# *out of your options dictionary* before the wrapper looks for it, and a reset without a mask is a reset of
# everything. Here row 1 makes three steps, and row 0 is reset after two.


# %%
def length_of_row_1(wrap):
    factories = [lambda n=n: StepCounter(length=n) for n in (2, 3)]
    envs = wrap(vector.SyncVectorEnv(factories, autoreset_mode=DISABLED))
    play(envs, 2)
    options = {"reset_mask": np.array([True, False])}
    envs.reset(options=options)
    *_, infos = envs.step(np.array([0, 0]))
    return int(infos["episode"]["l"][1]), options


# %%
length, options = length_of_row_1(wv.RecordEpisodeStatistics)
print("length reported for row 1:", length, "| options afterwards:", options)
assert length == 1 and options == {}

# %% [markdown]
# The emptied dictionary is a trap of its own: used again, it resets everything. A wrapper of four lines cures the
# counters. As the inner one, it hands the environment a copy to empty, and the mask stays for the recorder to find.


# %%
class CopyOptions(vector.VectorWrapper):
    def reset(self, *, seed=None, options=None):
        copied = None if options is None else dict(options)
        return super().reset(seed=seed, options=copied)


length, _ = length_of_row_1(lambda e: wv.RecordEpisodeStatistics(CopyOptions(e)))
print("with CopyOptions as the inner one:", length)
assert length == 3

# %% [markdown]
# `NormalizeReward` forgets the running return of every row at any reset, masked or not; there the copy does not
# help. Chapter 14, [selective reset](../compositions/14_selective_reset.ipynb), has the rest.

# %% tags=["remove-cell"]
envs = wv.NormalizeReward(CopyOptions(make("Pendulum-v1", DISABLED)))
play(envs, 2)
assert (envs.accumulated_reward != 0).all()
envs.reset(options={"reset_mask": np.array([True, False])})
assert (envs.accumulated_reward == 0).all()

# %% [markdown]
# **"`NotImplementedError`, and no message."** The method of a vector wrapper has a plural name. One written for
# single environments, `observation`, is never called.


# %%
class Doubled(VectorObservationWrapper):
    def observation(self, observation):
        return 2 * observation


with expect(NotImplementedError):
    Doubled(make("Pendulum-v1")).reset(seed=0)

# %% [markdown]
# **"`object has no attribute 'func'`."** The `VectorizeTransform...` wrappers make *one* single-environment wrapper
# and use its function for all rows. One that overrides a method instead does not fit, `DiscretizeAction` and
# `FrameStackObservation` among them, and the error comes only at the first call. Use it inside the batch, with
# `wrappers=`.

# %%
envs = wv.VectorizeTransformAction(
    make("Pendulum-v1"), gym.wrappers.DiscretizeAction, bins=5
)
envs.reset(seed=0)
with expect(AttributeError):
    envs.step(np.array([0, 4]))
inside = make("Pendulum-v1", wrappers=(partial(gym.wrappers.DiscretizeAction, bins=5),))
print("inside it works:", inside.action_space)
assert len(play(inside, 3)) == 3

# %% tags=["remove-cell"]
stacked = wv.VectorizeTransformObservation(
    make("Pendulum-v1"), gym.wrappers.FrameStackObservation, stack_size=2
)
with expect(AttributeError):
    stacked.reset(seed=0)

# %% [markdown]
# For the same reason, a function that remembers something, such as the previous observation, remembers the previous
# *row*.

# %% tags=["remove-cell"]
previous = np.zeros(2, np.float32)


def change(observation):
    difference = observation - previous
    previous[:] = observation
    return difference


# %% tags=["remove-cell"]
envs = wv.VectorizeTransformObservation(
    make("book/StepCounter-v0", length=9),
    gym.wrappers.TransformObservation,
    func=change,
    observation_space=spaces.Box(-9, 9, (2,), np.float32),
)
for observations, *_ in play(envs, 3):
    assert observations[:, 1].tolist() == [1, 0]

# %% [markdown]
# **"`AxisError` from `NormalizeObservation`."** It was put around `Dict` observations. It accepts them when it is
# made, and fails at the first reset. Flatten first.

# %%
with expect(np.exceptions.AxisError):
    wv.NormalizeObservation(make(DICT)).reset(seed=0)
flat = wv.FlattenObservation(make(DICT))
assert wv.NormalizeObservation(flat).reset(seed=0)[0].shape == (2, 10)

# %% [markdown]
# ## Exercises
#
# ### Exercise 09.1: predict the two returns
#
# The rewards of an episode of `book/StepCounter-v0` are 1, 2 and 3. Around it are `RecordEpisodeStatistics` and
# `ClipReward(..., max_reward=2)`. What return is reported when the recorder is the inner one, and what when it is the
# outer one? Answer with a pair, `(inner, outer)`.
#
# <details><summary>Hint</summary>
#
# Write down the three rewards as each of the two places sees them, then add.
#
# </details>

# %% tags=["exercise"]
answer = ...

# %%
check("09.1", answer)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# answer = (6, 5)
# ```
#
# The inner one still sees 1, 2, 3. The outer one sees 1, 2, 2.
#
# </details>
#
# ### Exercise 09.2: drop a column
#
# Pendulum's observation is cosine, sine and angular velocity. Write a wrapper that hides the velocity, and keeps
# every promise of its spaces, bounds included.
#
# <details><summary>Hint</summary>
#
# The first axis is the batch. The single space is a `Box` with two numbers between -1 and 1, and `Grey` above shows
# what to do with it.
#
# </details>


# %% tags=["exercise"]
class HideVelocity(VectorObservationWrapper):
    def observations(self, observations):
        raise NotImplementedError


# %%
check("09.2", HideVelocity)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# class HideVelocity(VectorObservationWrapper):
#     def __init__(self, env):
#         super().__init__(env)
#         self.single_observation_space = spaces.Box(-1, 1, (2,), np.float32)
#         self.observation_space = batch_space(
#             self.single_observation_space, self.num_envs
#         )
#
#     def observations(self, observations):
#         return observations[:, :2]
# ```
#
# </details>
#
# ### Exercise 09.3: protect the caller's actions
#
# Write an action wrapper to put outermost, around wrappers that write into the array they are given. It must change
# nothing but that: the caller's array stays as it was.
#
# <details><summary>Hint</summary>
#
# What you return is what the inner wrapper writes into. A slice such as `actions[:]` shares its memory with
# `actions`.
#
# </details>


# %% tags=["exercise"]
class CopyActions(VectorActionWrapper):
    def actions(self, actions):
        raise NotImplementedError


# %%
check("09.3", CopyActions)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# class CopyActions(VectorActionWrapper):
#     def actions(self, actions):
#         return np.array(actions)
# ```
#
# `np.array` copies; `np.asarray` would not. For `Dict` actions use `copy.deepcopy`.
#
# </details>
#
# ### Exercise 09.4: an observation wrapper for every mode
#
# Write a wrapper that divides all observations by 8, in every autoreset mode: in `SAME_STEP` the final observation
# too. To keep it short, leave the spaces as they are.
#
# <details><summary>Hint</summary>
#
# `VectorObservationWrapper` refuses `SAME_STEP`, so derive from `VectorWrapper` and write `reset` and `step`.
# `infos["final_obs"]` is there only on calls where some episode ended, and it holds `None` for the rows that go on.
# `infos["_final_obs"]` is its mask.
#
# </details>


# %% tags=["exercise"]
class DivideByEight(vector.VectorWrapper):
    def reset(self, *, seed=None, options=None):
        raise NotImplementedError

    def step(self, actions):
        raise NotImplementedError


# %%
check("09.4", DivideByEight)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# class DivideByEight(vector.VectorWrapper):
#     def reset(self, *, seed=None, options=None):
#         observations, infos = super().reset(seed=seed, options=options)
#         return observations / 8, infos
#
#     def step(self, actions):
#         observations, *others, infos = super().step(actions)
#         if "final_obs" in infos:
#             for row in np.flatnonzero(infos["_final_obs"]):
#                 infos["final_obs"][row] = infos["final_obs"][row] / 8
#         return observations / 8, *others, infos
# ```
#
# </details>
#
# ## Recap
#
# - The outer wrapper sees what the inner one returns. Let the inner one record: clipped rewards are not the task's.
# - An observation or action wrapper that changes shape, dtype or bounds sets both spaces. Nothing checks it for you.
# - Observation wrappers refuse `SAME_STEP`; `NormalizeObservation` takes `NEXT_STEP` only. Transform inside the
#   batch instead.
# - `NormalizeObservation` has one mean for all rows. `NormalizeReward` divides, and never centres.
# - The `VectorizeTransform...` wrappers may write into arrays that are yours. Copy what you keep.
#
# **Back:** [AsyncVectorEnv](08_async_vector_env.ipynb). **Next:** [space utilities](10_space_utilities.ipynb),
# with which a wrapper takes batches apart and puts them together.
# **Reference:** [vector wrappers](https://gymnasium.farama.org/api/vector/wrappers/) in Gymnasium's documentation.
