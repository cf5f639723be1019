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
# # A reward wrapper: scale a batch's rewards, and prove it
#
# After this chapter you can write a `VectorRewardWrapper` and compare it with the unwrapped environment in a way
# that can fail.
#
# **You need:** the [minimal loop](11_minimal_loop.ipynb). Chapter 9,
# [vector wrappers](../primitives/09_vector_wrappers.ipynb), has the rest of the family. **Time:** about 15 minutes.

# %%
import gymnasium as gym
import gymnasium.wrappers.vector as wv
import numpy as np
from gymnasium.vector import VectorRewardWrapper, VectorWrapper

import helpers.environments  # registers the book's environments
from helpers.exercises import check
from helpers.figures import PALETTE, figure, show
from helpers.pages import expect, say, table

# %% [markdown]
# ## Rewards of an awkward size
#
# A pendulum is punished for hanging down, and for speed and force. Three of them, random torques, one episode of
# 200 steps:


# %%
def make(env="Pendulum-v1", num_envs=3, **kwargs):
    return gym.make_vec(env, num_envs, vectorization_mode="sync", **kwargs)


envs = make()
envs.reset(seed=0)
envs.action_space.seed(0)
rewards = np.array([envs.step(envs.action_space.sample())[1] for _ in range(200)])
say(
    f"The rewards go down to {rewards.min():.1f}, "
    f"and an episode's return is about {rewards.sum(axis=0).mean():.0f}."
)
assert rewards.min() < -12 and rewards.sum(axis=0).mean() < -500

# %% [markdown]
# Many training recipes scale such rewards, so that the numbers a network has to predict are of moderate size. That
# is a job for a [vector wrapper](../../book/glossary.md#vector-wrapper), an object around the vector environment
# that changes what comes out.
#
# ## The wrapper
#
# `VectorRewardWrapper` passes on everything but the rewards. Those it sends through a method of yours, `rewards`,
# with one number for each [row](../../book/glossary.md#row).


# %%
class ScaleReward(VectorRewardWrapper):
    def __init__(self, env, scale):
        super().__init__(env)
        self.scale = scale

    def rewards(self, rewards):
        return self.scale * rewards


scaled = ScaleReward(make(), 0.1)
print(scaled)
assert scaled.single_observation_space == make().single_observation_space

# %% [markdown]
# There is no space to set, unlike with an observation wrapper: a vector environment has no space for rewards.
#
# Does it work? We would like to see the scaled reward next to the unscaled one.
#
# ## A comparison that misleads
#
# The unscaled reward comes from the environment that is wrapped, and `scaled.env` is that environment. So why not ask
# both? Each line shows the scaled reward, the unscaled one, and their quotient, for the three rows. If the wrapper is
# right, the quotient should be 0.1.

# %%
scaled.reset(seed=0)
scaled.action_space.seed(0)
quotients = []
for _ in range(5):
    actions = scaled.action_space.sample()
    outer = scaled.step(actions)[1]
    inner = scaled.env.step(actions)[1]
    quotients.append(outer / inner)
    print(f"{outer.round(3)} / {inner.round(2)} = {quotients[-1].round(3)}")
quotients = np.array(quotients)
assert not np.allclose(quotients, 0.1, atol=0.02)
assert abs(quotients.mean() - 0.1) < 0.03

# %% [markdown]
# The quotient is near 0.1 and never settles. It is tempting to blame the wrapper, or to be content with "about a
# tenth". But look at what the loop did: it called `step` **twice**. The second call does not repeat the step, it
# makes the next one, behind the wrapper's back. The two columns are different moments of the same episode.
#
# The observations give it away: were the two calls the same step, these two lines would be equal.

# %%
scaled.reset(seed=0)
observations, *_ = scaled.step(actions)
one_later, *_ = scaled.env.step(actions)
print("row 0 through the wrapper:", observations[0].round(3))
print("row 0 behind it:          ", one_later[0].round(3))
assert not np.allclose(observations, one_later, atol=0.01)

# %% [markdown]
# It also steals. Whatever the second call returns, the wrapper's caller never sees it, and that includes the ends
# of episodes. With a limit of ten steps, two of them a round, look at the fifth round:

# %%
short = ScaleReward(make(max_episode_steps=10), 0.1)
short.reset(seed=0)
for round_number in range(1, 6):
    seen = short.step(actions)[3].any()
    behind = short.env.step(actions)[3].any()
    print(
        f"round {round_number}: end seen {seen!s:5s} | end behind the wrapper {behind}"
    )
assert behind and not seen

# %% [markdown]
# An algorithm that holds the wrapper would go on as if the episode had never ended.
#
# ## A comparison that cannot fail
#
# On CartPole the wrong comparison looks perfect. Every step of CartPole earns 1, so it does not matter which two
# steps are compared. Nor does it matter whether the wrapper works: `LateReward` is broken, for it returns the reward
# of the call *before*. We print the quotients of a right wrapper and of this one.


# %%
class LateReward(VectorRewardWrapper):
    before = 1.0

    def rewards(self, rewards):
        late, self.before = 0.1 * self.before, rewards
        return np.broadcast_to(late, rewards.shape)


for wrapper in [ScaleReward(make("CartPole-v1"), 0.1), LateReward(make("CartPole-v1"))]:
    wrapper.reset(seed=0)
    pushes = np.array([0, 1, 0])
    outer, inner = wrapper.step(pushes)[1], wrapper.env.step(pushes)[1]
    print(f"{type(wrapper).__name__:11s}", outer / inner)
    assert np.allclose(outer / inner, 0.1)

# %% [markdown]
# Both pass. A test that the broken wrapper passes proves nothing about the other. So two things are needed: a task
# whose rewards vary, which Pendulum's do, and on both sides the same
# [transition](../../book/glossary.md#transition), which is one step with the observation before and after it.
#
# ## The same transition, twice
#
# A vector environment is determined by its [seed](../../book/glossary.md#seed) and the actions it is given. Make
# two, one wrapped and one not, give both the same, and each call makes the same transition in both. That they did
# is not a matter of trust: compare the observations and the flags as well.


# %%
def side_by_side(plain, wrapped, steps, seed=0):
    plain.reset(seed=seed)
    wrapped.reset(seed=seed)
    plain.action_space.seed(seed)
    pairs = []
    for _ in range(steps):
        actions = plain.action_space.sample()
        pairs.append((plain.step(actions), wrapped.step(actions)))
    return pairs


# %%
def same_transitions(pairs):
    # Observations, terminated, truncated: all but rewards and infos.
    compared = [0, 2, 3]
    return all(np.array_equal(a[i], b[i]) for a, b in pairs for i in compared)


# %%
pairs = side_by_side(make(), ScaleReward(make(), 0.1), steps=5)
for left, right in pairs:
    quotient = (right[1] / left[1]).round(3)
    print(f"{right[1].round(3)} / {left[1].round(2)} = {quotient}")
assert same_transitions(pairs)
assert all(np.allclose(right[1], 0.1 * left[1]) for left, right in pairs)

# %% [markdown]
# A tenth, on every row of every line. Over 500 steps, which cross the ends of episodes, it stays so, and the broken
# wrapper is found out.

# %%
pairs = side_by_side(make(), ScaleReward(make(), 0.1), steps=500)
ends = sum(int(left[3].sum()) for left, _ in pairs)
assert same_transitions(pairs)
assert all(np.allclose(right[1], 0.1 * left[1]) for left, right in pairs)

late = side_by_side(make(), LateReward(make()), steps=500)
agree = [np.allclose(right[1], 0.1 * left[1]) for left, right in late]
say(
    f"Ends of episodes crossed: {ends}. "
    f"Steps on which `LateReward` agrees: {sum(agree)} of {len(agree)}."
)
assert ends == 6 and sum(agree) < 10 and same_transitions(late)

# %% [markdown]
# The picture has one dot for each row of each step, the unscaled reward across and the scaled one up. The line is
# what the wrapper promises.

# %% tags=["hide-input"]
behind = ScaleReward(make(), 0.1)
behind.reset(seed=0)
behind.action_space.seed(0)
wrong = []
for _ in range(100):
    actions = behind.action_space.sample()
    outer = behind.step(actions)[1]
    wrong.append((behind.env.step(actions)[1], outer))
right = [(left[1], wrapped[1]) for left, wrapped in pairs[:100]]

# %% tags=["hide-input"]
alt = (
    "Two scatter plots of scaled against unscaled rewards. Stepping behind the wrapper "
    "gives two loops around the line; the same transitions lie exactly on it."
)
titles = ["stepping behind the wrapper", "the same transitions"]
fig, axes = figure(3.2, ncols=2, sharey=True)
for ax, title, dots in zip(axes, titles, [wrong, right], strict=True):
    across, up = np.array(dots).transpose(1, 0, 2).reshape(2, -1)
    ax.plot([-17, 0], [-1.7, 0], color=PALETTE[5], linestyle="-", marker="")
    ax.plot(across, up, color=PALETTE[1], linestyle="", marker="o", markersize=3)
    ax.set(title=title, xlabel="unscaled reward")
axes[0].set_ylabel("scaled reward")
show(fig, alt)

# %% tags=["remove-cell"]
across, up = np.array(right).transpose(1, 0, 2).reshape(2, -1)
assert np.allclose(up, 0.1 * across)
across, up = np.array(wrong).transpose(1, 0, 2).reshape(2, -1)
assert np.abs(up - 0.1 * across).max() > 0.3

# %% [markdown]
# On the left, dots below the line belong to moments at which the reward was rising, dots above it to moments at
# which it was falling: the second call sees what comes next.
#
# ## Both rewards from one run
#
# Two environments are for a test. In training you want the scaled rewards for the learner and the unscaled return
# for the log, from one run. `RecordEpisodeStatistics` adds up what it sees, so one recorder is the inner wrapper of
# the scaling and one the outer. Each needs a key of its own.

# %%
envs = wv.RecordEpisodeStatistics(make(max_episode_steps=50), stats_key="raw")
envs = wv.RecordEpisodeStatistics(ScaleReward(envs, 0.1), stats_key="scaled")
envs.reset(seed=0)
envs.action_space.seed(0)
for _ in range(50):
    *_, infos = envs.step(envs.action_space.sample())
raw, scaled_returns = infos["raw"]["r"], infos["scaled"]["r"]
print("raw   ", raw.round(2))
print("scaled", scaled_returns.round(2))
assert np.allclose(scaled_returns, 0.1 * raw)

# %% [markdown]
# Plot `raw`. A learning curve of scaled returns cannot be compared with anyone else's.
#
# ## What scaling keeps, and clipping does not
#
# Eight pendulums, 100 random steps each. Three recorders note the return of each pendulum's rewards: raw, scaled,
# and then clipped so that none is below -0.1.

# %%
envs = wv.RecordEpisodeStatistics(
    make(num_envs=8, max_episode_steps=100), stats_key="raw"
)
envs = wv.RecordEpisodeStatistics(ScaleReward(envs, 0.1), stats_key="scaled")
envs = wv.RecordEpisodeStatistics(wv.ClipReward(envs, -0.1), stats_key="clipped")
envs.reset(seed=0)
envs.action_space.seed(0)
for _ in range(100):
    *_, infos = envs.step(envs.action_space.sample())

# %% [markdown]
# Best pendulum first. Read each column downwards: does it go on falling?

# %%
returns = {key: infos[key]["r"].round(1) for key in ["raw", "scaled", "clipped"]}
best_first = np.argsort(-returns["raw"])
table(
    [
        {"row": i} | {key: column[i] for key, column in returns.items()}
        for i in best_first
    ],
    "Returns of eight pendulums",
)

# %% tags=["remove-cell"]
raw, scaled_returns, clipped = (infos[key]["r"][best_first] for key in returns)
assert (np.diff(raw) < 0).all() and (np.diff(scaled_returns) < 0).all()
assert np.ptp(clipped[-4:]) < 1e-9 and raw[4] - raw[-1] > 100

# %% [markdown]
# Scaling by a positive number keeps the order of any two returns, so the best behaviour stays the best. Clipping
# makes the four worst equal, though one of them is clearly better than another: the learner is told that there is
# nothing to choose. Clipping changes the task.
#
# ## What trips people up
#
# **"Adding a constant gave rewards to rows that did nothing."** In the default
# [autoreset](../primitives/06_autoreset.ipynb) mode, the call after an episode's end resets the row. Its reward is
# 0 and its action was ignored: a [filler row](../../book/glossary.md#filler-row). A factor leaves 0 alone. A shift
# does not. Look at the last line.

# %%
shifted = wv.TransformReward(make(max_episode_steps=3), lambda rewards: rewards + 8)
plain = make(max_episode_steps=3)
for left, right in side_by_side(plain, shifted, steps=4):
    print("plain", left[1].round(2), "| shifted", right[1].round(2))
assert (left[1] == 0).all() and (right[1] == 8).all()

# %% [markdown]
# A reward of 8 for nothing, as much as for a perfect step. Mask the filler rows out, or write a wrapper that knows
# them (exercise 12.3). `ClipReward` with a lower bound above 0 has the same effect.
#
# `TransformReward`, used here, is also the ready-made form of this chapter's wrapper: `TransformReward(envs, lambda
# rewards: 0.1 * rewards)`.

# %% tags=["remove-cell"]
ready_made = wv.TransformReward(make(), lambda rewards: 0.1 * rewards)
for left, right in side_by_side(ScaleReward(make(), 0.1), ready_made, steps=50):
    assert np.array_equal(left[1], right[1])
lifted = wv.ClipReward(make(max_episode_steps=3), 0.5, 1.0)
assert (side_by_side(make(max_episode_steps=3), lifted, steps=4)[-1][1][1] == 0.5).all()

# %% [markdown]
# **"My inner recorder shows scaled rewards."** A wrapper that computes in place, `rewards *= 0.1`, writes into the
# array it was given, and whoever kept that array finds other numbers in it. Here `Keep`, the inner one, keeps it;
# compare what each row earned with what was kept, under `InPlace` and under `ScaleReward`.


# %%
class InPlace(VectorRewardWrapper):
    def rewards(self, rewards):
        rewards *= 0.1
        return rewards


class Keep(VectorWrapper):
    def step(self, actions):
        result = super().step(actions)
        self.last_rewards = result[1]
        return result


# %%
for name, keep in {"in place": Keep(make()), "new array": Keep(make())}.items():
    wrapped = InPlace(keep) if name == "in place" else ScaleReward(keep, 0.1)
    earned = side_by_side(make(), wrapped, steps=1)[0][0][1]
    print(f"{name:9s} earned {earned.round(2)} | kept {keep.last_rewards.round(2)}")
    assert np.array_equal(earned, keep.last_rewards) == (name == "new array")

# %% tags=["remove-cell"]
for in_place in [
    lambda envs: wv.ClipReward(envs, -0.5),
    lambda envs: wv.VectorizeTransformReward(
        envs, gym.wrappers.TransformReward, func=lambda reward: 0.1 * reward
    ),
]:
    keep = Keep(make())
    earned = side_by_side(make(), in_place(keep), steps=1)[0][0][1]
    assert not np.array_equal(earned, keep.last_rewards)

# %% [markdown]
# Return a new array, as `ScaleReward` does. Gymnasium's `ClipReward` and `VectorizeTransformReward` do it in place:
# chapter 9, [vector wrappers](../primitives/09_vector_wrappers.ipynb#what-trips-people-up).
#
# **"`NotImplementedError`, and no message."** The method is called `rewards`. One called `reward`, as in a wrapper
# for single environments, is never asked.


# %%
class Singular(VectorRewardWrapper):
    def reward(self, reward):
        return 0.1 * reward


envs = Singular(make())
envs.reset(seed=0)
with expect(NotImplementedError):
    envs.step(np.zeros((3, 1), np.float32))

# %% [markdown]
# **"I do not know the right scale."** `NormalizeReward` measures it while it runs, at the price of a scale that
# changes during training: chapter 9, [`NormalizeReward` divides, and never
# centres](../primitives/09_vector_wrappers.ipynb#normalizereward-divides-and-never-centres).
#
# ## Exercises
#
# ### Exercise 12.1: predict three rewards
#
# `book/StepCounter-v0` pays 1 for the first step of an episode, 2 for the second, 3 for the third. You wrap it in
# `ScaleReward(envs, 10)`, reset, and call `scaled.step`, then `scaled.env.step`, then `scaled.step`. Which three
# rewards do you get? Answer with a tuple of numbers, for one row.
#
# <details><summary>Hint</summary>
#
# There is one environment, and every call moves it. Only two of the calls go through the wrapper.
#
# </details>

# %% tags=["exercise"]
answer = ...

# %%
check("12.1", answer)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# answer = (10, 2, 30)
# ```
#
# </details>

# %% tags=["remove-cell"]
tenfold = ScaleReward(make("book/StepCounter-v0"), 10)
tenfold.reset(seed=0)
zeros = np.zeros(3, int)
earned = [step(zeros)[1][0] for step in (tenfold.step, tenfold.env.step, tenfold.step)]
assert earned == [10, 2, 30]

# %% [markdown]
# ### Exercise 12.2: a fair comparison
#
# Write a function that takes an unwrapped and a wrapped vector environment, makes `steps` steps in both, and
# returns two arrays of rewards, each of shape `(steps, num_envs)`, that belong to the same transitions. Called
# again, it returns the same numbers.
#
# <details><summary>Hint</summary>
#
# Three things must be seeded: both environments, and the action space the actions are sampled from. Sample once for
# each step.
#
# </details>


# %% tags=["exercise"]
def compare(plain, wrapped, steps, seed):
    raise NotImplementedError


# %%
check("12.2", compare)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def compare(plain, wrapped, steps, seed):
#     plain.reset(seed=seed)
#     wrapped.reset(seed=seed)
#     plain.action_space.seed(seed)
#     left, right = [], []
#     for _ in range(steps):
#         actions = plain.action_space.sample()
#         left.append(plain.step(actions)[1])
#         right.append(wrapped.step(actions)[1])
#     return np.array(left), np.array(right)
# ```
#
# </details>
#
# ### Exercise 12.3: a bonus for real steps only
#
# Write a wrapper that adds 1 to every reward, except on filler rows, which keep their 0. It is used with the
# default autoreset mode.
#
# <details><summary>Hint</summary>
#
# A row is filler if its episode ended on the call *before*. `rewards` does not see the flags, so override `step`,
# keep the flags for the next call, and forget them in `reset`. A real step may earn 0 too.
#
# </details>


# %% tags=["exercise"]
class AddBonus(VectorWrapper):
    def reset(self, *, seed=None, options=None):
        raise NotImplementedError

    def step(self, actions):
        raise NotImplementedError


# %%
check("12.3", AddBonus)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# class AddBonus(VectorWrapper):
#     def reset(self, *, seed=None, options=None):
#         self.filler = np.zeros(self.num_envs, bool)
#         return super().reset(seed=seed, options=options)
#
#     def step(self, actions):
#         observations, rewards, terminated, truncated, infos = super().step(actions)
#         rewards = np.where(self.filler, rewards, rewards + 1)
#         self.filler = terminated | truncated
#         return observations, rewards, terminated, truncated, infos
# ```
#
# </details>
#
# ## Recap
#
# - A reward wrapper is a class with one method, `rewards`, that returns a new array.
# - Compare the same transition: two environments, the same seeds, the same actions, and check that the observations agree.
# - Stepping the wrapped environment makes another step. On a constant reward even that comparison passes, and proves
#   nothing.
# - A positive factor keeps the task; a shift pays the filler rows; clipping changes the task. Log the unscaled return.
#
# **Back:** [the minimal loop](11_minimal_loop.ipynb). **Next:** [mixed environments](13_mixed_environments.ipynb),
# a batch whose rows differ.
# **Reference:** [`VectorRewardWrapper`](https://gymnasium.farama.org/api/vector/wrappers/) in Gymnasium's
# documentation.
