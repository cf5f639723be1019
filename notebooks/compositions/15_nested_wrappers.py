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
# # Nested wrappers: inside the batch or around it
#
# After this chapter you can say for any wrapper on which side of the batch it belongs, read episode statistics
# without mistaking one ending for another, and transform observations in every autoreset mode.
#
# **You need:** [vector wrappers](../primitives/09_vector_wrappers.ipynb) and
# [autoreset](../primitives/06_autoreset.ipynb). **Time:** about 20 minutes.

# %%
from collections import deque
from functools import partial
from textwrap import fill

import gymnasium as gym
import numpy as np
from gymnasium import wrappers
from gymnasium.vector import AutoresetMode, VectorWrapper
from matplotlib.patches import Rectangle

import helpers.environments  # registers the book's environments
from helpers.exercises import check
from helpers.figures import INK, MARKERS, PALETTE, figure, show
from helpers.pages import expect, say, table

# %% [markdown]
# ## Three frames, two episodes
#
# An agent that sees one frame cannot tell a ball that rises from a ball that falls, so we show it the last three.
# `gymnasium.wrappers` has `FrameStackObservation` for one environment. For a batch there is none. That looks like a
# gap which a few lines can fill: keep the last three batches and stack them.
#
# We try it on an environment whose observation says which episode and which step it belongs to, so that `0.2` reads
# "episode 0, step 2". Its episodes have three steps. Watch row 0 from the fourth step on.


# %%
def as_text(frames):
    return "  ".join(f"{int(episode)}.{int(step)}" for episode, step in frames)


make_counters = partial(
    gym.make_vec, "book/StepCounter-v0", vectorization_mode="sync", length=3
)

# %%
envs = make_counters(num_envs=2)
observations, _ = envs.reset(seed=0)
recent = deque([observations] * 3, maxlen=3)
around = []
for _ in range(6):
    recent.append(envs.step(np.zeros(2, int))[0])
    around.append(np.stack(recent, axis=1)[0])
    print(as_text(around[-1]))
assert as_text(around[3]) == "0.2  0.3  1.0"

# %% [markdown]
# The fourth line begins a new episode, and two of its three frames belong to the old one. The network sees a jump
# that never happened. The loop around the batch cannot know better: it would have to watch every flag of every row
# and refill the stacks one by one.
#
# Now the ready-made wrapper, put around each environment *before* they become a batch. The same six steps:

# %%
stack = partial(wrappers.FrameStackObservation, stack_size=3)
envs = make_counters(num_envs=2, wrappers=[stack])
envs.reset(seed=0)
inside = [envs.step(np.zeros(2, int))[0][0] for _ in range(6)]
for each in inside:
    print(as_text(each))
print("batch  ", envs.observation_space.shape)
print("one row", envs.single_observation_space.shape)
assert as_text(inside[3]) == "1.0  1.0  1.0"
assert envs.observation_space.shape == (2, 3, 2)

# %% [markdown]
# The fourth line is clean. The vector environment resets a finished row by calling that row's own `reset`, and the
# wrapper sits in the way of that call: it empties its stack and fills it with the first frame. Both spaces follow
# by themselves, for the batch is made from environments that are already wrapped.
#
# ## Where a wrapper can sit
#
# There are two places. `wrappers=` of `make_vec`, or your own [factory](../../book/glossary.md#factory), puts a
# single-environment [wrapper](../../book/glossary.md#wrapper) *inside*: one for each row. A [vector
# wrapper](../../book/glossary.md#vector-wrapper) goes *around* the batch: one for all rows. They come from two
# modules with many names in common, so we write the module out: `wrappers.X` is for inside, `wrappers.vector.X` for
# around.

# %%
envs = gym.make_vec(
    "CartPole-v1",
    num_envs=2,
    vectorization_mode="sync",
    wrappers=[wrappers.TimeAwareObservation, stack],
)
envs = wrappers.vector.NormalizeObservation(envs)
envs = wrappers.vector.RecordEpisodeStatistics(envs)
print(envs)
print(envs.unwrapped.envs[0])
assert envs.unwrapped.envs[0] is not envs.unwrapped.envs[1]


# %% tags=["hide-input"]
def layers(env, kind):
    names = [type(env).__name__]
    while isinstance(env, kind):
        env = env.env
        names.append(type(env).__name__)
    return names


def nest(ax, names, left, top, width, height, color, dash):
    for name in names:
        corner, size = (left, top - height), (width, height)
        look = {"facecolor": "none", "edgecolor": color, "linestyle": dash}
        ax.add_patch(Rectangle(corner, *size, **look))
        ax.text(left + 0.08, top - 0.25, name, size=10)
        left, top, width = left + 0.1, top - 0.36, width - 0.2
        height -= 0.46


# %% tags=["hide-input"]
fig, ax = figure(4.4)
nest(ax, layers(envs, VectorWrapper), 0, 4.3, 7.2, 4.3, PALETTE[0], "-")
for left, sub_env in zip([0.3, 3.63], envs.unwrapped.envs, strict=True):
    nest(ax, layers(sub_env, gym.Wrapper), left, 3.2, 3.27, 2.85, PALETTE[1], "--")
ax.set(xlim=(-0.05, 7.25), ylim=(-0.05, 4.35))
ax.axis("off")
alt = (
    "Nested boxes. Two vector wrappers lie around the SyncVectorEnv, which holds two "
    "stacks of boxes, one for each row, with the single-environment wrappers in them."
)
show(fig, alt)

# %% [markdown]
# Blue boxes see the whole batch, orange, dashed ones see one environment. An action travels from the outside in, an
# observation from the inside out. `make` has put three wrappers of its own innermost, the time limit among them;
# then come yours, in the order of the list. The order counts. `TimeAwareObservation`, a clock, appends the time to
# an observation: put before the stack it gives three frames of five numbers, put after it one flat row.

# %%
make_carts = partial(gym.make_vec, "CartPole-v1", 2, vectorization_mode="sync")
clock = wrappers.TimeAwareObservation
print("clock, then stack:", make_carts(wrappers=[clock, stack]).observation_space.shape)
print("stack, then clock:", make_carts(wrappers=[stack, clock]).observation_space.shape)

# %% tags=["remove-cell"]
assert make_carts(wrappers=[clock, stack]).observation_space.shape == (2, 3, 5)
assert make_carts(wrappers=[stack, clock]).observation_space.shape == (2, 13)
assert layers(envs.unwrapped.envs[0], gym.Wrapper)[:3] == [
    "FrameStackObservation",
    "TimeAwareObservation",
    "TimeLimit",
]

# %% [markdown]
# ## Which side for what
#
# Ask what the wrapper must see.
#
# - **Every reset of its row**, because it remembers something about the present episode: inside. So are wrappers
#   that call `step` more than once, such as `RepeatAction`.
# - **All rows at once**, such as one running mean for the batch: around.
# - **Neither**: either side. Around can be cheaper, as we count below.
#
# The library draws the line in the same place. Here is what exists on each side, read from the two modules.

# %%
single_ones = set(wrappers.__all__) - {"vector"}
vector_ones = set(wrappers.vector.__all__)
sides = {
    "inside only": single_ones - vector_ones,
    "either side": single_ones & vector_ones,
    "around only": vector_ones - single_ones,
}
for side, names in sides.items():
    print(f"{side} ({len(names)}):")
    print(fill(", ".join(sorted(names)), 80), end="\n\n")

# %% tags=["remove-cell"]
remembers = {"FrameStackObservation", "TimeAwareObservation", "DelayObservation"}
steps_often = {"RepeatAction", "MaxAndSkipObservation", "AtariPreprocessing"}
assert remembers | steps_often | {"TimeLimit", "StickyAction"} <= sides["inside only"]
assert {"NormalizeObservation", "RecordEpisodeStatistics"} <= sides["either side"]
assert "DictInfoToList" in sides["around only"]

# %% [markdown]
# For those of the middle group you choose. Two experiments show what hangs on it. The first counts how often
# `TransformObservation` calls its function: eight rows, ten steps.

# %%
calls = {"inside": 0, "around": 0}


def counting(side):
    def unchanged(observation):
        calls[side] += 1
        return observation

    return unchanged


transform = partial(
    wrappers.TransformObservation, func=counting("inside"), observation_space=None
)
envs = make_counters(num_envs=8, wrappers=[transform])
envs = wrappers.vector.TransformObservation(envs, func=counting("around"))

# %%
envs.reset(seed=0)
calls.update(inside=0, around=0)
for _ in range(10):
    envs.step(np.zeros(8, int))
print(calls)
assert calls == {"inside": 80, "around": 10}

# %% [markdown]
# Around, one call takes the whole batch. But the name of a module promises no speed: many of the ready-made ones
# around a batch are single-environment wrappers that run once for each row. They cost as much on either side.

# %%
by_row = wrappers.vector.VectorizeTransformObservation
for name in ["TransformObservation", "FlattenObservation", "RescaleObservation"]:
    runs_by_row = issubclass(getattr(wrappers.vector, name), by_row)
    print(f"{name:20s}", "row by row" if runs_by_row else "the batch at once")

# %% tags=["remove-cell"]
assert runs_by_row and issubclass(wrappers.vector.FlattenObservation, by_row)
assert not issubclass(wrappers.vector.TransformObservation, by_row)
row_calls = 0


class CountedRescale(wrappers.RescaleObservation):
    def __init__(self, env, **kwargs):
        super().__init__(env, **kwargs)
        rescale_one = self.func

        def counted(observation):
            global row_calls
            row_calls += 1
            return rescale_one(observation)

        self.func = counted


# %% tags=["remove-cell"]
eight = gym.make_vec("Pendulum-v1", 8, vectorization_mode="sync")
eight = by_row(eight, CountedRescale, min_obs=np.float32(-1), max_obs=np.float32(1))
eight.reset(seed=0)
row_calls = 0
for _ in range(10):
    eight.step(np.zeros((8, 1), np.float32))
assert row_calls == 80

# %% [markdown]
# The second experiment asks whose statistics they are. `NormalizeObservation` around the batch pools the rows into
# one running mean; inside, every row keeps one of its own. We print the mean speed of three pendulums after fifty
# steps.

# %%
make_pendulums = partial(gym.make_vec, "Pendulum-v1", 3, vectorization_mode="sync")
own = make_pendulums(wrappers=[wrappers.NormalizeObservation])
pooled = wrappers.vector.NormalizeObservation(make_pendulums())
for envs in (own, pooled):
    envs.reset(seed=0)
    for t in range(50):
        envs.step(np.full((3, 1), np.sin(t / 5), np.float32))
speeds = [round(float(rms.mean[2]), 2) for rms in own.get_attr("obs_rms")]
print("inside:", speeds)
print("around:", round(float(pooled.obs_rms.mean[2]), 2))

# %% tags=["remove-cell"]
assert len(set(speeds)) == 3
scales = own.get_attr("obs_rms")
shown = [(1 - rms.mean[2]) / np.sqrt(rms.var[2]) for rms in scales]
assert max(shown) - min(shown) > 0.5  # one speed, three observations
assert np.isclose(
    pooled.obs_rms.mean[2],
    np.mean([rms.mean[2] for rms in own.get_attr("obs_rms")]),
    atol=1e-2,
)
assert round(pooled.obs_rms.count) == 153
assert [round(rms.count) for rms in own.get_attr("obs_rms")] == [51, 51, 51]

# %% [markdown]
# Inside, one and the same state is shown to the network as three different observations, depending on the row it
# happened in. If one policy serves all rows, pool: normalise around the batch.
#
# ## Read the statistics
#
# `RecordEpisodeStatistics` adds up rewards and steps and hands them out when an episode ends. It is often wrapped
# and seldom read. Four cart-poles get random actions and a time limit of 25 steps; we stop at the first step on
# which something ended.

# %%
make_limited = partial(
    gym.make_vec, "CartPole-v1", 4, vectorization_mode="sync", max_episode_steps=25
)
envs = wrappers.vector.RecordEpisodeStatistics(make_limited())
envs.reset(seed=0)
envs.action_space.seed(0)
infos = {}
while "episode" not in infos:
    infos = envs.step(envs.action_space.sample())[-1]
print("lengths", infos["episode"]["l"])
print("returns", infos["episode"]["r"])
print("mask   ", infos["_episode"])

# %% [markdown]
# Three arrays in `infos["episode"]`: `r`, the [return](../../book/glossary.md#return), `l`, the length, and `t`,
# the seconds it took. Each has an entry for every row, and the rows that go on hold 0. The
# [mask](../../book/glossary.md#mask) `_episode` says which entries are real. Read through the mask, or the zeros
# end up in your averages.

# %%
returns, mask = infos["episode"]["r"], infos["_episode"]
print("mean of all entries ", returns.mean())
print("mean of the real one", returns[mask].mean())
assert mask.sum() == 1
assert returns[mask].mean() == 4 * returns.mean()

# %% tags=["remove-cell"]
assert set(infos["episode"]) - {"_r", "_l", "_t"} == {"r", "l", "t"}

# %% [markdown]
# ### Fallen, or out of time
#
# The statistics do not say *how* an episode ended. The two flags of the same step do.
# [Terminated](../../book/glossary.md#terminated): the pole fell, nothing comes after.
# [Truncated](../../book/glossary.md#truncated): the limit cut the episode off, the pole may well be upright. Here
# is the whole record of 300 steps.

# %%
envs = wrappers.vector.RecordEpisodeStatistics(make_limited())
envs.reset(seed=0)
envs.action_space.seed(0)
episodes = []
for t in range(300):
    _, _, terminated, truncated, infos = envs.step(envs.action_space.sample())
    for row in np.flatnonzero(infos.get("_episode", [])):
        length = int(infos["episode"]["l"][row])
        flags = bool(terminated[row]), bool(truncated[row])
        episodes.append((t, length, flags))

# %%
endings = {
    (True, False): "terminated",
    (False, True): "truncated",
    (True, True): "both at once",
}
found = [flags for *_, flags in episodes]
rows = [
    {"terminated": a, "truncated": b, "meaning": name, "episodes": found.count((a, b))}
    for (a, b), name in endings.items()
]
table(rows, "How the episodes of 300 steps ended")
assert all(row["episodes"] for row in rows)

# %% tags=["hide-input"]
fig, ax = figure(3.5)
for i, (flags, name) in enumerate(endings.items()):
    points = [(t, length) for t, length, how in episodes if how == flags]
    ax.plot(*zip(*points, strict=True), MARKERS[i], color=PALETTE[i], label=name)
ax.axhline(25, color=INK, lw=1, ls=":", marker="", zorder=0, label="limit")
ax.set(xlabel="call to step", ylabel="length", ylim=(5, 30))
ax.set_title("Episodes by their ending")
fig.legend(ncols=2, loc="outside lower center")
alt = (
    "Each episode is a point at the call on which it ended. Terminated ones lie at "
    "many lengths; truncated ones, and those with both flags, all on the limit of 25."
)
show(fig, alt)

# %% tags=["remove-cell"]
assert {length for _, length, (_, cut) in episodes if cut} == {25}
assert len({length for _, length, (_, cut) in episodes if not cut}) > 5

# %% [markdown]
# All truncated episodes lie on the limit, but not every episode on the limit is only truncated. A pole can fall on
# the very step on which time runs out, and then both flags are set. Count it as terminated. The pole did fall, and
# no value estimate may pretend that the episode would have gone on; chapter 17,
# [rollouts](../learning/17_rollouts.ipynb), needs that distinction at every ending.
#
# The wrapper also keeps the last hundred episodes in queues, which are the shortest way to a moving average.

# %%
say(
    f"`episode_count` is {envs.episode_count}; the last {len(envs.return_queue)} "
    f"episodes had a mean return of {np.mean(envs.return_queue):.1f} "
    f"and a mean length of {np.mean(envs.length_queue):.1f}."
)
assert envs.episode_count == len(episodes)
assert list(envs.length_queue) == [length for _, length, _ in episodes][-100:]

# %% [markdown]
# ### Inside or around: where to look
#
# There is a `RecordEpisodeStatistics` for either side. Around the batch, it answers in the same place in every
# [autoreset mode](../../book/glossary.md#autoreset-mode). Inside, it writes into the info of the episode's last
# step, and in `SAME_STEP` that info has been moved to `final_info`.


# %%
def find_statistics(envs):
    envs.reset(seed=0)
    for _ in range(3):
        infos = envs.step(np.zeros(2, int))[-1]
    if "episode" in infos:
        return 'infos["episode"]', infos["episode"]
    return 'infos["final_info"]["episode"]', infos["final_info"]["episode"]


# %%
rows = []
for mode in AutoresetMode:
    make = partial(make_counters, 2, vector_kwargs={"autoreset_mode": mode})
    around = find_statistics(wrappers.vector.RecordEpisodeStatistics(make()))
    inside = find_statistics(make(wrappers=[wrappers.RecordEpisodeStatistics]))
    assert around[1]["r"].tolist() == inside[1]["r"].tolist() == [6, 6]
    rows.append({"mode": mode.name, "around": around[0], "inside": inside[0]})
table(rows, "Where the statistics of a finished episode are")

# %% tags=["remove-cell"]
assert {row["around"] for row in rows} == {'infos["episode"]'}
assert [row["mode"] for row in rows if "final_info" in row["inside"]] == ["SAME_STEP"]

# %% [markdown]
# Around is simpler to read, and is the one to take. One case speaks for inside: if you reset rows yourself with a
# mask. In Gymnasium 1.4.0 the one around the batch then forgets all rows; the one inside belongs to its row and is
# right. Two rows, episodes of five steps, and after three steps row 0 is reset by hand. Row 1 goes on to its end.

# %%
manual = {"autoreset_mode": AutoresetMode.DISABLED}
make = partial(make_counters, 2, length=5, vector_kwargs=manual)
lengths = {}
for side, envs in {
    "around": wrappers.vector.RecordEpisodeStatistics(make()),
    "inside": make(wrappers=[wrappers.RecordEpisodeStatistics]),
}.items():
    envs.reset(seed=0)
    for t in range(5):
        if t == 3:
            envs.reset(options={"reset_mask": np.array([True, False])})
        infos = envs.step(np.zeros(2, int))[-1]
    lengths[side] = int(infos["episode"]["l"][1])
print("row 1 took 5 steps; reported:", lengths)
assert lengths == {"around": 2, "inside": 5}

# %% [markdown]
# Chapter 14, [selective reset](14_selective_reset.ipynb#what-trips-people-up), has more on masks and wrappers.
#
# ### What is counted depends on the layer
#
# A wrapper knows what passes through it. Two consequences for statistics: a reward wrapper below them changes the
# return they report, and a `RepeatAction` inside makes one of their steps out of several of the environment's. The
# time limit lies further in, so it counts the environment's own steps. Here `record(clip(envs))` means that the
# clipping is put around the batch first and the statistics around that.

# %%
clip = partial(wrappers.vector.ClipReward, min_reward=-1, max_reward=0)
record = wrappers.vector.RecordEpisodeStatistics
make = partial(make_pendulums, max_episode_steps=20)
repeat = partial(wrappers.RepeatAction, num_repeats=4)
nests = {
    "record(clip(envs))": record(clip(make())),
    "clip(record(envs))": clip(record(make())),
    "record(envs), each action 4 times": record(make(wrappers=[repeat])),
}

# %%
rows = []
for name, envs in nests.items():
    envs.reset(seed=0)
    infos = {}
    while "episode" not in infos:
        infos = envs.step(np.zeros((3, 1), np.float32))[-1]
    total, length = infos["episode"]["r"][0].round(1), infos["episode"]["l"][0]
    rows.append({"nesting": name, "return": total, "length": length})
table(rows, "The same 20 steps of row 0, reported by three nestings")

# %% tags=["remove-cell"]
clipped, raw, repeated = rows
assert clipped["length"] == raw["length"] == 20 and repeated["length"] == 5
assert raw["return"] == repeated["return"] < clipped["return"]

# %% [markdown]
# If you train on clipped rewards and want to report true returns, the statistics go below the clipping: closer to
# the environments. If actions are repeated, multiply before you compare lengths with a paper.
#
# ## The way round `SAME_STEP`
#
# In `SAME_STEP` a finished row returns the first observation of its next episode, and the last one of the old
# episode goes to `infos["final_obs"]`. Ask for an observation wrapper around such a batch, and it is refused.

# %%
same_step = {"vector_kwargs": {"autoreset_mode": AutoresetMode.SAME_STEP}}
short_pendulums = partial(make_pendulums, max_episode_steps=3, **same_step)
with expect(ValueError):
    wrappers.vector.RescaleObservation(short_pendulums(), -1, 1)

# %% [markdown]
# There is a reason. A wrapper around the batch is given the observations to transform, and not those in info. Its
# result and `final_obs` would be in two different units, and a value function given the wrong one learns nonsense
# without a word.
#
# Inside, each observation is transformed before the vector environment decides where it goes. So the same
# transformation, one layer further in, is allowed, and `final_obs` comes out in the same units. A pendulum's third
# number is its speed, up to 8; rescaled, everything must lie between -1 and 1.

# %%
rescale = partial(
    wrappers.RescaleObservation, min_obs=np.float32(-1), max_obs=np.float32(1)
)
results = {}
for name, put_inside in {"plain": [], "rescaled": [rescale]}.items():
    envs = short_pendulums(wrappers=put_inside)
    envs.reset(seed=0)
    for _ in range(3):
        observations, *_, infos = envs.step(np.full((3, 1), 2, np.float32))
    now, final = observations[:, 2], np.stack(infos["final_obs"])[:, 2]
    results[name] = now, final
    print(f"{name:9s} speed now {now.round(2)} | final {final.round(2)}")
assert all(np.allclose(a / 8, b) for a, b in zip(*results.values(), strict=True))
assert np.abs(results["plain"][1]).max() > 1 > np.abs(results["rescaled"][1]).max()

# %% [markdown]
# Both are divided by 8, the current and the final speed. But what needs the whole batch, a pooled running mean, has
# no inside form; if you need it together with `SAME_STEP`, normalise in your own loop, where you hold both arrays.
#
# Reward and action wrappers do not meet this problem, and are accepted in this mode too.

# %%
envs = wrappers.vector.ClipReward(short_pendulums(), -1, 1)
envs = wrappers.vector.ClipAction(envs)
envs = wrappers.vector.RecordEpisodeStatistics(envs)
print(envs)
assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP

# %% [markdown]
# ## What trips people up
#
# **"`Attempted to add episode stats with key 'episode'`."** The statistics are wrapped twice, inside and around, or
# by you and by your training library. The error comes at the first end of an episode, which can be late. Keep one,
# or give the second its own `stats_key`.

# %%
twice = make_counters(num_envs=2, wrappers=[wrappers.RecordEpisodeStatistics])
twice = wrappers.vector.RecordEpisodeStatistics(twice)
twice.reset(seed=0)
for _ in range(2):
    twice.step(np.zeros(2, int))
with expect(ValueError):
    twice.step(np.zeros(2, int))

# %% tags=["remove-cell"]
twice = make_counters(num_envs=2, wrappers=[wrappers.RecordEpisodeStatistics])
twice = wrappers.vector.RecordEpisodeStatistics(twice, stats_key="around")
twice.reset(seed=0)
for _ in range(3):
    infos = twice.step(np.zeros(2, int))[-1]
assert infos["around"]["r"].tolist() == infos["episode"]["r"].tolist() == [6, 6]

# %% [markdown]
# **"`KeyError: 'episode'`."** The key is there only on steps on which an episode ended. Ask with
# `infos.get("_episode", [])`, as the loop above does.

# %%
envs = wrappers.vector.RecordEpisodeStatistics(make_counters(num_envs=2))
envs.reset(seed=0)
with expect(KeyError):
    envs.step(np.zeros(2, int))[-1]["episode"]

# %% [markdown]
# **"`wrappers=` is refused."** `make_vec` without a mode takes CartPole's
# [native](../../book/glossary.md#native-vector-environment) class, which has no single environments to wrap. Ask
# for `"sync"` or `"async"`.

# %%
with expect(gym.error.Error):
    gym.make_vec("CartPole-v1", num_envs=2, wrappers=[stack])

# %% [markdown]
# **"`object is not callable`."** The list holds recipes, not wrappers: each entry is called once for every row.
# Give the class itself, or `partial` if it needs arguments.

# %%
made_already = wrappers.TimeAwareObservation(gym.make("CartPole-v1"))
with expect(TypeError):
    make_carts(wrappers=[made_already])

# %% [markdown]
# **"`get_attr` has gone."** Vector wrappers pass on what the interface promises, and `get_attr`, `set_attr`, `call`
# and `envs` belong to particular classes. They are still there, one `unwrapped` away.

# %%
envs = wrappers.vector.RecordEpisodeStatistics(make_limited())
with expect(AttributeError):
    envs.get_attr("gravity")
print("row by row:", envs.unwrapped.get_attr("gravity"))
assert envs.unwrapped.get_attr("gravity") == (9.8,) * 4

# %% [markdown]
# ## Exercises
#
# ### Exercise 15.1: predict the shape
#
# Three pendulums, three numbers each, with `FrameStackObservation` of four frames inside. What is
# `observations.shape`?
#
# <details><summary>Hint</summary>
#
# Write down the shape of one row first. The batch axis comes before everything else.
#
# </details>

# %% tags=["exercise"]
answer = ...

# %%
check("15.1", answer)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# answer = (3, 4, 3)
# ```
#
# Three rows, four frames, three numbers.
#
# </details>

# %% tags=["remove-cell"]
four = partial(wrappers.FrameStackObservation, stack_size=4)
assert make_pendulums(wrappers=[four]).reset(seed=0)[0].shape == (3, 4, 3)

# %% [markdown]
# ### Exercise 15.2: the returns of this step
#
# Write a function that takes the `infos` of one step of a batch wrapped in `RecordEpisodeStatistics`, and returns a
# list of the returns of the episodes that ended on it. It is empty if none did.
#
# <details><summary>Hint</summary>
#
# On most steps the keys are not there at all. When they are, the mask says which entries are real, and a real
# return can well be 0.
#
# </details>


# %% tags=["exercise"]
def finished_returns(infos):
    raise NotImplementedError


# %%
check("15.2", finished_returns)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def finished_returns(infos):
#     if "_episode" not in infos:
#         return []
#     return infos["episode"]["r"][infos["_episode"]].tolist()
# ```
#
# </details>
#
# ### Exercise 15.3: two kinds of endings
#
# Write a function of the two flag arrays of a step that returns two numbers: how many rows ended by the rules of
# the task, and how many were only cut off.
#
# <details><summary>Hint</summary>
#
# A row with both flags belongs to the first group, and to one group only.
#
# </details>


# %% tags=["exercise"]
def count_endings(terminated, truncated):
    raise NotImplementedError


# %%
check("15.3", count_endings)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def count_endings(terminated, truncated):
#     return int(terminated.sum()), int((truncated & ~terminated).sum())
# ```
#
# </details>
#
# ### Exercise 15.4: nest it
#
# Write a function of `n` that returns `n` pendulums in the mode `SAME_STEP`, which show the agent their last two
# observations and report the statistics of finished episodes in `infos["episode"]`.
#
# <details><summary>Hint</summary>
#
# The frames remember an episode, so they go inside. The statistics must be found in `infos["episode"]` in a mode
# that moves the last info away, so look at the table of keys.
#
# </details>


# %% tags=["exercise"]
def make_nested(n):
    raise NotImplementedError


# %%
check("15.4", make_nested)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def make_nested(n):
#     envs = gym.make_vec(
#         "Pendulum-v1",
#         num_envs=n,
#         vectorization_mode="sync",
#         wrappers=[partial(wrappers.FrameStackObservation, stack_size=2)],
#         vector_kwargs={"autoreset_mode": AutoresetMode.SAME_STEP},
#     )
#     return wrappers.vector.RecordEpisodeStatistics(envs)
# ```
#
# </details>
#
# ## Recap
#
# - A wrapper inside sees every reset of its row, the batch's own included. One around sees all rows.
# - Frame stacks, clocks and repeated actions go inside; pooled statistics and arithmetic on whole arrays go around.
# - `infos["episode"]` is there when an episode ended, and real where `_episode` is true.
# - Terminated counts before truncated when both are set.
# - In `SAME_STEP`, transform observations inside: `final_obs` is transformed with them.
#
# **Back:** [selective reset](14_selective_reset.ipynb). **Next:** [playground](16_playground.ipynb), to try all of
# it. **Reference:** [wrappers](https://gymnasium.farama.org/api/wrappers/) and [vector
# wrappers](https://gymnasium.farama.org/api/vector/wrappers/).
