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
# # Write a native vector environment
#
# After this chapter you can write an environment that moves thousands of rows with a few NumPy calls, prove that it
# does what the single environment does, and have `gym.make_vec` build it.
#
# **You need:** [VectorEnv](../primitives/01_vector_env.ipynb) and [autoreset](../primitives/06_autoreset.ipynb);
# NumPy with masks and integer indices. **Time:** about 33 minutes.

# %%
import os
import warnings
from contextlib import closing

import gymnasium as gym
import numpy as np
from gymnasium.envs.classic_control.cartpole import CartPoleEnv
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.vector.utils import batch_space

from helpers.environments import StepCounter
from helpers.exercises import check
from helpers.figures import PALETTE, figure, show
from helpers.pages import expect, say
from helpers.timeline import record
from helpers.timing import interleave, machine, race

# %% [markdown]
# ## A thousand carts in a few lines
#
# A cart-pole is four numbers: position, velocity, angle, angular velocity. A thousand cart-poles are a thousand
# times four numbers, and NumPy adds a thousand numbers in one call. Here is the physics of Gymnasium's CartPole,
# written for an array with one *column* for each cart.

# %% tags=["algorithm"]
TRACK, ANGLE = 2.4, 12 * 2 * np.pi / 360
PUSH = np.array([-10, 10], np.float32) / np.float32(1.1)


def move(state, actions):
    sin, cos = np.sin(state[2]), np.cos(state[2])
    push = PUSH[actions] + state[3] * state[3] * sin * (0.05 / 1.1)
    turn = (9.8 * sin - cos * push) / (2 / 3 - cos * cos * (0.05 / 1.1))
    slide = push - turn * cos * (0.05 / 1.1)
    state[0::2] += 0.02 * state[1::2]
    state[1] += 0.02 * slide
    state[3] += 0.02 * turn


# %% [markdown]
# We let it take turns with the loop that it replaces: a thousand objects of the class `CartPoleEnv`, stepped one
# after the other. How many times as fast, would you say?

# %% tags=["timing"]
rng = np.random.default_rng(0)
actions = rng.integers(0, 2, 1000)
state = rng.uniform(-0.05, 0.05, (4, 1000)).astype(np.float32)
carts = [CartPoleEnv() for _ in range(1000)]


# %% tags=["timing"]
def loop():
    for cart, action in zip(carts, actions, strict=True):
        if cart.step(action)[2]:
            cart.reset()


for cart in carts:
    cart.reset()
turns = interleave(
    {"loop": loop, "arrays": lambda: move(state.copy(), actions)}, rounds=15
)
gain = turns.ratio("arrays", to="loop").median
say(f"A thousand carts on arrays move **{gain:.0f} times as fast** as in the loop.")
assert gain > 20

# %% [markdown]
# Nothing about the physics is cleverer. The loop pays Python's price for each number of each cart, the arrays pay
# it once for all of them. We call an environment built like this
# [native](../../book/glossary.md#native-vector-environment): no sub-environments, only arrays.
#
# But `move` is not an environment. It knows no episodes, no seeds, no spaces and no autoreset. The rest of the
# chapter adds what a caller of a vector environment relies on, and then we see how much of the gain is left.
#
# Two remarks on `move` first. Its arrays are `float32`, half the size of `float64` and, as we shall see, faster. And
# `state` has one row for each *variable*, so that `state[2]`, all the angles, lies in one piece of memory. An
# observation batch has one row for each cart: we shall transpose on the way out.
#
# ## Is it the same cart?
#
# The claim to check is: same state, same action, same next state. So we put random states into `move`, and each of
# them into Gymnasium's own environment, and compare. A faulty sign would show in every row.

# %%
rng = np.random.default_rng(1)
spread = np.array([[2.4], [3.0], [0.2], [3.0]])
states = (rng.uniform(-1, 1, (4, 500)) * spread).astype(np.float32)
actions = rng.integers(0, 2, 500)
reference = CartPoleEnv()
expected = []
for row, action in zip(states.T, actions, strict=True):
    reference.reset()
    reference.state = row.astype(np.float64)
    expected.append(reference.step(action)[0])

# %%
moved = states.copy()
move(moved, actions)
error = np.abs(moved.T - expected).max()
print("largest difference below 1e-6:", error < 1e-6)
assert error < 1e-6

# %% tags=["remove-cell"]
assert np.abs(moved - states).max() > 0.1  # they did move

# %% [markdown]
# The reference computes in `float64` and rounds at the end; we round on the way. For numbers around 1, neighbouring
# `float32` values are about 1e-7 apart, so this is agreement.
#
# ## What the constructor promises
#
# Now the class. Most of what it owes its caller has nothing to do with carts, so we write that part once, as a base
# class, and keep it for every native environment to come. The task itself comes in through three methods that a
# subclass defines: `spaces`, `begin` and `advance`.


# %% tags=["algorithm"]
class NativeVectorEnv(VectorEnv):
    def __init__(
        self,
        num_envs=1,
        max_episode_steps=None,
        render_mode=None,
        autoreset_mode="NextStep",
    ):
        self.num_envs, self.render_mode = num_envs, render_mode
        self.limit = np.inf if max_episode_steps in (None, -1) else max_episode_steps
        self.mode = AutoresetMode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.mode}
        self.single_observation_space, self.single_action_space = self.spaces()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.state = None


# %% [markdown]
# This is what others read from a vector environment. `num_envs` and the four spaces: the single ones come from the
# task, the batched ones follow from them. `metadata` says which autoreset mode the caller chose; it is a copy, since
# the dictionary of the class is shared by all its objects. The argument names are those that `make_vec` uses.
#
# A class cannot be continued in a later cell. This decorator adds a method from outside, so that we can talk between
# the methods.


# %% tags=["algorithm"]
def method_of(cls):
    def add(function):
        setattr(cls, function.__name__, function)
        return function

    return add


# %% [markdown]
# ## Reset: all rows, or some
#
# `reset` has two arguments. `options` may hold a `reset_mask`, a boolean array that chooses rows. Nothing in the
# interface forces us to obey it. A caller who sends one means it, though, and a wrong one deserves an error, as from
# `SyncVectorEnv`.


# %% tags=["algorithm"]
def chosen_rows(options, num_envs):
    if options is None or "reset_mask" not in options:
        return np.arange(num_envs)
    mask = options["reset_mask"]
    if not isinstance(mask, np.ndarray) or mask.dtype != bool:
        raise TypeError(f"reset_mask must be a boolean array, got {mask!r}")
    if mask.shape != (num_envs,) or not mask.any():
        raise ValueError(f"reset_mask must choose among {num_envs} rows, got {mask}")
    return np.flatnonzero(mask)


# %% [markdown]
# It answers with row *numbers*, and leaves the caller's dictionary as it was. We come back to what that is good for.
#
# `seed` goes to `VectorEnv.reset`, which makes a new [generator](../../book/glossary.md#generator),
# `self.np_random`, when there is a seed and keeps the old one when there is none. The task draws its first states
# from it in `begin`.


# %% tags=["algorithm"]
@method_of(NativeVectorEnv)
def reset(self, *, seed=None, options=None):
    rows = chosen_rows(options, self.num_envs)
    VectorEnv.reset(self, seed=seed)
    if self.state is not None:
        self.restart(rows)
        return self.observe(), {}
    if rows.size < self.num_envs:
        raise gym.error.ResetNeeded("the first reset must be a reset of all rows")
    self.state = self.begin(rows)
    self.steps = np.zeros(self.num_envs, int)
    self.done = np.zeros(self.num_envs, bool)
    return self.observe(), {}


# %% [markdown]
# Three arrays are all there is to remember: the states, the steps of each running episode, and which rows are done.
# `restart` sets all three for some rows. `observe` is what we show of the state; a task with something else to show
# writes its own.


# %% tags=["algorithm"]
@method_of(NativeVectorEnv)
def restart(self, rows):
    self.state[:, rows] = self.begin(rows)
    self.steps[rows] = 0
    self.done[rows] = False


@method_of(NativeVectorEnv)
def observe(self):
    return self.state.T.copy()


# %% [markdown]
# It transposes, and it *copies*: what we return belongs to the caller, and the next step must not change it.
#
# Now the carts, without a step yet. Three methods are the task: which spaces, how an episode begins, and how it
# goes on. `advance` returns rewards and terminations; truncation is not its business, a time limit being the same
# for every task. The rewards are `float64`, as those of `SyncVectorEnv` are.


# %% tags=["algorithm"]
class NativeCartPole(NativeVectorEnv):
    metadata = VectorEnv.metadata | {"render_modes": ["rgb_array"], "render_fps": 50}
    painter = None  # used further down, for rendering

    def spaces(self):
        high = np.array([2 * TRACK, np.inf, 2 * ANGLE, np.inf], np.float32)
        return gym.spaces.Box(-high, high), gym.spaces.Discrete(2)

    def begin(self, rows):
        return self.np_random.uniform(-0.05, 0.05, (4, rows.size)).astype(np.float32)

    def advance(self, actions):
        move(self.state, actions)
        position, angle = np.abs(self.state[0::2])
        return np.ones(self.num_envs), (position > TRACK) | (angle > ANGLE)


# %% [markdown]
# Resetting works already. One row of four is reset, and the others stay where they are. A mask that is a list is
# refused.

# %%
envs = NativeCartPole(4)
before, _ = envs.reset(seed=42)
options = {"reset_mask": np.array([False, True, False, False])}
after, _ = envs.reset(options=options)
print("row unchanged:", (before == after).all(axis=1))
with expect(TypeError):
    envs.reset(options={"reset_mask": [False, True, False, False]})
assert (before == after).all(axis=1).tolist() == [True, False, True, True]
assert "reset_mask" in options

# %% tags=["remove-cell"]
with expect(ValueError):
    envs.reset(options={"reset_mask": np.zeros(4, bool)})
with expect(ValueError):
    envs.reset(options={"reset_mask": np.ones(3, bool)})
with expect(gym.error.ResetNeeded):
    NativeCartPole(2).reset(options={"reset_mask": np.array([True, False])})

# %% [markdown]
# ### The seed, and how it differs from the loop's
#
# There is one generator for the whole batch. `SyncVectorEnv` has one for each row, seeded with `seed + i`. So the
# same number means something else here, and the documentation of the class should say so:
#
# - row `i` does not start as the single environment with seed `seed + i` does;
# - a batch of five does not contain the rows of a batch of four;
# - what a row draws at its second episode depends on which rows finished before it, and so on their actions;
# - a list of seeds, one for each row, cannot be obeyed, and is refused.

# %%
single, _ = gym.make("CartPole-v1").reset(seed=42)
five, _ = NativeCartPole(5).reset(seed=42)
print("row 0 is the single environment's:", np.array_equal(before[0], single))
print("row 0 is the same among five:     ", np.array_equal(before[0], five[0]))
with expect(gym.error.Error):
    envs.reset(seed=[42, 43, 44, 45])
assert not np.array_equal(before[0], single)
assert not np.array_equal(before[0], five[0])

# %% [markdown]
# What does hold: the same seed and the same actions give the same run, always. And since we draw in the order in
# which Gymnasium's own native class draws, the same seed even gives the same starts as there.

# %%
theirs = gym.make_vec("CartPole-v1", 4, vectorization_mode="vector_entry_point")
print("Gymnasium's native start:", np.array_equal(before, theirs.reset(seed=42)[0]))
assert np.array_equal(before, theirs.reset(seed=42)[0])
assert envs.observation_space == theirs.observation_space

# %% [markdown]
# Chapter 4, [reset](../primitives/04_reset.ipynb), has more on seeds.
#
# ## Step, in three modes
#
# An episode ends, and somebody has to begin the next one. The caller chose who and when, as an [autoreset
# mode](../../book/glossary.md#autoreset-mode). First, what may not be stepped at all:


# %% tags=["algorithm"]
@method_of(NativeVectorEnv)
def refuse(self, actions):
    if self.state is None:
        raise gym.error.ResetNeeded("call reset before step")
    if not self.action_space.contains(actions):
        raise gym.error.InvalidAction(f"{actions!r} is not in {self.action_space}")
    if self.mode is AutoresetMode.DISABLED and self.done.any():
        over = np.flatnonzero(self.done)
        raise gym.error.ResetNeeded(f"the episodes of rows {over} are over; reset them")


# %% [markdown]
# The middle check looks dear; we shall measure it at the end. Without it, an action batch of length one would be
# spread over all rows, and an action of -1 would be taken for 1, both in silence.
#
# After the check, all rows move, also those that are done. That saves picking out the others, and what the done rows
# computed is thrown away.


# %% tags=["algorithm"]
@method_of(NativeVectorEnv)
def step(self, actions):
    self.refuse(actions)
    filler = np.flatnonzero(self.done)  # empty, except in NEXT_STEP
    rewards, terminated = self.advance(actions)
    self.steps += 1
    truncated = self.steps >= self.limit
    if filler.size:
        self.restart(filler)
        rewards[filler], terminated[filler], truncated[filler] = 0, False, False
    self.done = terminated | truncated
    infos = {}
    if self.mode is AutoresetMode.SAME_STEP and self.done.any():
        infos = self.finish(np.flatnonzero(self.done))
    return self.observe(), rewards, terminated, truncated, infos


# %% [markdown]
# In `NEXT_STEP`, a row that ended on the *previous* call is restarted now: reward 0, both flags False, its action
# ignored. It is a [filler row](../../book/glossary.md#filler-row). In `SAME_STEP` a row that ended on *this* call
# is restarted before we return, and its last observation goes into the info, where callers look for it: an array of
# objects, with `None` for the rows that go on, and a mask beside it.


# %% tags=["algorithm"]
@method_of(NativeVectorEnv)
def finish(self, rows):
    observations, mask = self.observe(), self.done.copy()
    final = np.full(self.num_envs, None)
    for row in rows:
        final[row] = observations[row]
    self.restart(rows)
    infos = {"final_obs": final, "final_info": {}}
    return infos | {"_final_obs": mask, "_final_info": mask.copy()}


# %% [markdown]
# That is the environment. Look at the end of an episode in all three modes: we push the cart one way until the pole
# falls. Which line below shows an angle beyond the limit of 12 degrees, which one a fresh start, and where did the
# end go?

# %%
for mode in AutoresetMode:
    envs = NativeCartPole(1, autoreset_mode=mode)
    envs.reset(seed=0)
    terminated = [False]
    while not terminated[0]:
        observations, rewards, terminated, _, infos = envs.step(np.array([1]))
    end = observations if mode is not AutoresetMode.SAME_STEP else infos["final_obs"]
    print(
        f"{mode.name:9s} {np.degrees(observations[0][2]):5.1f} degrees, {list(infos)}"
    )
    assert abs(end[0][2]) > ANGLE

# %% [markdown]
# `NEXT_STEP` and `DISABLED` return the end itself, outside the limits. `SAME_STEP` returns the next start, and the
# end is in `final_obs`. Gymnasium's own `CartPoleVectorEnv` follows `NEXT_STEP` since 1.0, says so in its metadata,
# and has no other mode:

# %%
theirs = gym.make_vec("CartPole-v1", 1, vectorization_mode="vector_entry_point")
theirs.reset(seed=0)
terminated = [False]
while not terminated[0]:
    observations, rewards, terminated, *_ = theirs.step(np.array([1]))
print(theirs.metadata["autoreset_mode"].name)
print(f"the end:       {np.degrees(observations[0, 2]):5.1f} degrees, reward {rewards}")
assert abs(observations[0, 2]) > ANGLE and rewards == 1
observations, rewards, *_ = theirs.step(np.array([1]))
print(f"one call later:{np.degrees(observations[0, 2]):5.1f} degrees, reward {rewards}")
assert np.abs(observations).max() <= 0.05 and rewards == 0
assert theirs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP

# %% [markdown]
# Now what is refused. `envs` is the last of the three, in `DISABLED`: its row is done and nobody has reset it.

# %%
with expect(gym.error.ResetNeeded):
    envs.step(np.array([1]))
envs.reset(options={"reset_mask": envs.done.copy()})
envs.step(np.array([1]))
with expect(gym.error.InvalidAction):
    envs.step(np.array([2]))

# %% tags=["remove-cell"]
for bad in ([0, 1], [[0]], [0.0], [-1]):
    with expect(gym.error.InvalidAction):
        envs.step(np.array(bad))
with expect(gym.error.ResetNeeded):
    NativeCartPole(1).step(np.array([1]))

# %% [markdown]
# ## Is it still the same cart?
#
# We checked one step of `move`. Now the whole environment, along a run: eight rows, 400 calls, random actions, next
# to a `SyncVectorEnv` of eight. Before each call its sub-environments are put into the states of our rows. Then
# rewards and flags have to be equal, and so do the observations, but for the rows that both have just restarted,
# each from a generator of its own.

# %%
envs, loop = NativeCartPole(8), SyncVectorEnv([CartPoleEnv] * 8)
before, _ = envs.reset(seed=3)
loop.reset(seed=3)
envs.action_space.seed(3)
error, ends, filler = 0.0, 0, np.zeros(8, bool)
for _ in range(400):
    for row, env in enumerate(loop.envs):
        env.state = before[row].astype(np.float64)
    actions = envs.action_space.sample()
    (after, *ours, _), (expected, *theirs, _) = envs.step(actions), loop.step(actions)
    assert all(map(np.array_equal, ours, theirs))
    error = max(error, np.abs(after - expected)[~filler].max())
    before, filler, ends = after, ours[1], ends + ours[1].sum()

# %%
print(f"{ends} episodes ended; largest difference below 1e-6: {error < 1e-6}")
assert error < 1e-6 and ends > 100

# %% [markdown]
# Flags and rewards agree exactly, the numbers to `float32`.
#
# ## Who obeys a mask?
#
# A caller of some other native class cannot look into our code. How can an environment that ignores `reset_mask` be
# recognised before it silently resets everything? By trying: after a masked reset, the rows outside the mask must
# be what they were.


# %%
def honours_mask(envs):
    with closing(envs):
        envs.reset(seed=0)
        for _ in range(3):
            before = envs.step(np.array([0, 1, 0]))[0]
        mask = np.array([True, False, False])
        after, _ = envs.reset(options={"reset_mask": mask})
        return bool(((before == after).all(axis=1) == ~mask).all())


# %%
answers = {"ours": honours_mask(NativeCartPole(3))}
for mode in ["sync", "async", "vector_entry_point"]:
    envs = gym.make_vec("CartPole-v1", 3, vectorization_mode=mode)
    answers[mode] = honours_mask(envs)
for kind, honours in answers.items():
    print(f"{kind:18s} honours the mask: {honours}")
assert not answers.pop("vector_entry_point") and all(answers.values())

# %% [markdown]
# Gymnasium's own native CartPole, `vector_entry_point`, resets all rows. `reset_mask` is a convention of
# `SyncVectorEnv` and `AsyncVectorEnv`, and each native class decides for itself.
#
# Ours obeys, and leaves the mask in the dictionary. The wrapper `RecordEpisodeStatistics` looks for it *after* the
# environment has seen it, to know which counters to clear. `SyncVectorEnv` has taken it out by then, so the wrapper
# clears all of them (chapter 14, [selective reset](../compositions/14_selective_reset.ipynb)). The lengths that it has
# counted after three steps and a reset of row 0:

# %% tags=["hide-input"]
for name, envs in {
    "ours": NativeCartPole(2),
    "sync": gym.make_vec("CartPole-v1", 2, vectorization_mode="sync"),
}.items():
    envs = gym.wrappers.vector.RecordEpisodeStatistics(envs)
    envs.reset(seed=0)
    for _ in range(3):
        envs.step(np.array([0, 1]))
    envs.reset(options={"reset_mask": np.array([True, False])})
    print(f"{name:4s} lengths so far: {envs.episode_lengths}")
    assert envs.episode_lengths.tolist() == ([0, 3] if name == "ours" else [0, 0])

# %% [markdown]
# ## Rendering
#
# `render` returns one frame for each row. We could draw them ourselves, but there is an environment that knows how
# a cart-pole looks: the single one. It draws whatever state it is in, so we lend it ours.


# %% tags=["algorithm"]
@method_of(NativeCartPole)
def draw(self, row):
    if self.render_mode != "rgb_array":
        raise gym.error.UnsupportedMode(
            f'render_mode is {self.render_mode}, not "rgb_array"'
        )
    if self.painter is None:
        self.painter = CartPoleEnv(render_mode="rgb_array")
    self.painter.state = self.state[:, row]
    return self.painter.render()


@method_of(NativeCartPole)
def render(self):
    return tuple(self.draw(row) for row in range(self.num_envs))


# %% tags=["algorithm"]
@method_of(NativeCartPole)
def close_extras(self, **kwargs):
    if self.painter is not None:
        self.painter.close()
        self.painter = None


# %%
os.environ.setdefault("SDL_VIDEODRIVER", "dummy")  # draw without a screen
with closing(NativeCartPole(2, render_mode="rgb_array")) as envs:
    envs.reset(seed=0)
    for _ in range(9):
        envs.step(np.array([1, 0]))
    frames, first = envs.render(), envs.draw(0)
print(len(frames), "frames of shape", frames[0].shape, frames[0].dtype)
assert np.array_equal(frames[0], first) and not np.array_equal(*frames)
assert first.shape == (400, 600, 3) and first.dtype == np.uint8

# %% tags=["hide-input"]
fig, axes = figure(1.9, ncols=2)
for row, ax in enumerate(axes):
    ax.imshow(frames[row][150:330, 150:450])
    ax.set(title=f"row {row}", xticks=[], yticks=[])
    ax.spines[:].set(visible=True, linewidth=0.5)
alt = (
    "Two frames of a cart with a pole. Row 0 was pushed to the right and its pole "
    "leans to the left; row 1 was pushed to the left, its pole leans to the right."
)
show(fig, alt)

# %% [markdown]
# Drawing is not native at all: a frame costs as much as thousands of cart steps, and `render` makes one for each
# row. `draw(0)` is for those who want row 0 alone.

# %% tags=["remove-cell"]
with expect(gym.error.UnsupportedMode):
    NativeCartPole(1).render()
single = CartPoleEnv(render_mode="rgb_array")
single.reset(seed=0)
envs = NativeCartPole(1, render_mode="rgb_array")
envs.reset(seed=0)
envs.state[:, 0] = single.state
assert np.array_equal(envs.draw(0), single.render())
envs.close()
single.close()

# %% [markdown]
# ## Registration
#
# `gym.register` connects a name with a class. Besides `entry_point`, for the single environment, there is
# `vector_entry_point`, for a native one. With both, `make_vec` gives the native class unless it is asked for
# another kind.

# %%
name = "book/NativeCartPole-v0"
gym.registry.pop(name, None)  # so that this cell can be run again
gym.register(
    name,
    entry_point=CartPoleEnv,
    vector_entry_point=NativeCartPole,
    max_episode_steps=500,
)
envs = gym.make_vec(name, num_envs=3, autoreset_mode="SameStep")
print(f"{type(envs).__name__}, at most {envs.limit} steps,", envs.mode.name)
loop = gym.make_vec(name, 3, vectorization_mode="sync")
print(type(loop).__name__, "of", type(loop.envs[0].unwrapped).__name__)
assert isinstance(envs, NativeCartPole) and envs.limit == 500

# %% tags=["remove-cell"]
rebuilt = gym.make_vec(envs.spec)
assert isinstance(rebuilt, NativeCartPole)
assert rebuilt.num_envs == 3 and rebuilt.mode is AutoresetMode.SAME_STEP
assert isinstance(loop, SyncVectorEnv)
assert isinstance(loop.envs[0].unwrapped, CartPoleEnv)
assert loop.observation_space == envs.observation_space
assert loop.action_space == envs.action_space
with expect(ValueError):
    gym.spec(name).to_json()

# %% [markdown]
# The time limit comes from the spec: `make_vec` hands it to the constructor as `max_episode_steps`. Made directly,
# `NativeCartPole(3)` has no limit, as `CartPoleEnv()` has none. And the autoreset mode is one of *our* arguments, so
# it goes directly into the call; native mode refuses `vector_kwargs` ([make_vec](../primitives/03_make_vec.ipynb)).
#
# When you register a class of a module, give its name, `"my_package.carts:NativeCartPole"`: then nothing is imported
# before it is needed, and the spec can be stored as text.

# %% tags=["remove-cell"]
limited = gym.make_vec(name, 2, max_episode_steps=3)
limited.reset(seed=0)
flags = [limited.step(np.array([0, 1]))[3].tolist() for _ in range(4)]
assert flags == [[False] * 2, [False] * 2, [True] * 2, [False] * 2]
for unlimited in (NativeCartPole(1), NativeCartPole(1, max_episode_steps=-1)):
    unlimited.reset(seed=0)
    assert not unlimited.step(np.array([0]))[3].any()

# %% [markdown]
# ## How fast, and why not faster
#
# Three contenders take turns: the loop, Gymnasium's native class, and ours. (How `race` does that fairly is the
# subject of chapter 22, [throughput](22_throughput.ipynb).) We ask what *one environment step* costs, for more and
# more rows.


# %%
def makers(rows):
    return {
        "loop": lambda: gym.make_vec("CartPole-v1", rows, vectorization_mode="sync"),
        "Gymnasium": lambda: gym.make_vec("CartPole-v1", rows),
        "ours": lambda: NativeCartPole(rows, max_episode_steps=500),
    }


# %% tags=["timing"]
plan = [1, 4, 16, 64, 256, 1024, 4096]
results = {}
for rows in plan:
    contenders = makers(rows)
    if rows > 64:
        del contenders["loop"]  # it has shown what it can do
    results[rows] = race(contenders)

# %% [markdown]
# A call of a native class takes a fixed time and a little for each row: `a + b * N`. We fit `a` and `b` to what was
# measured.


# %% tags=["timing"]
def fit(name):
    n = np.array(plan)
    call = np.array([results[rows].cost(name).median * rows for rows in plan])
    slope, fixed = np.polyfit(n, call, 1, w=1 / call)
    return fixed, slope


for name in ["Gymnasium", "ours"]:
    fixed, slope = fit(name)
    print(f"{name:10s} {fixed:5.1f} µs a call, and {1000 * slope:5.1f} ns a row")

# %% tags=["hide-input", "timing"]
fig, ax = figure(3.8)
for name, style in {"loop": "s--", "Gymnasium": "^-.", "ours": "o-"}.items():
    ns = [n for n, result in results.items() if name in result.seconds]
    costs = [1000 * results[n].cost(name).median for n in ns]
    ax.plot(ns, costs, style, label=name)
ax.axhline(1000 * slope, color=PALETTE[2], ls=":", lw=1.2, marker="")
ax.text(1, 1150 * slope, "floor of ours", va="bottom")
ax.set(xscale="log", yscale="log", xlabel="rows", ylabel="ns per environment step")
_ = ax.set_title("Sharing a call between its rows")

# %% tags=["hide-input", "timing"]
ax.set_xticks(plan, [str(rows) for rows in plan])
ax.minorticks_off()
ax.legend()
alt = (
    "Cost of an environment step against the number of rows, both logarithmic. The "
    "loop falls a little, then is level; both native classes start above it and fall "
    "towards a floor."
)
show(fig, alt)

# %% [markdown]
# The loop's line falls at first, while its own work for a call is shared out, then stays level: each row costs what the
# one before cost. The native lines fall steeply, since nearly all of a call is `a`, shared by all the rows, and they
# flatten where `a / N` has become small beside `b`. So there are two floors: no call is shorter than `a`, and no
# environment step cheaper than `b`.

# %% tags=["timing"]
cheaper = [n for n in plan if n <= 64 and results[n].ratio("ours", "loop").median > 1]
say(f"Measured on {machine()}.")
say(
    f"Ours overtakes the loop at {cheaper[0]} rows or just below. With about "
    f"{float(f'{fixed / slope:.2g}'):,.0f} rows, a / b, half of a call is still the "
    "fixed part. (Two fitted times, divided: another run gives another number.)"
)
assert results[1].cost("ours").median > 50 * results[1024].cost("ours").median
assert results[64].ratio("ours", "loop").median > 3

# %% [markdown]
# What is in `a`? We time the smallest thing that NumPy can do.

# %% tags=["timing"]
one = np.ones(1, np.float32)


def additions():
    for _ in range(1000):
        one + one


tiny = interleave({"add": additions}, work=1000).cost("add").median
say(
    f"Adding one number to one number takes {tiny:.2f} µs. The fixed part of a call "
    f"is as long as {fixed / tiny:.0f} such additions."
)
assert fixed > 20 * tiny

# %% [markdown]
# That is what the fixed part consists of: calls into NumPy, each with a price of its own before it touches the first
# number, and a little Python between them. To go lower, the step has to be compiled as a whole, as Numba, JAX and C++
# do. With NumPy alone, fewer calls are the only lever, and `move` has been written with that in mind: constants are
# multiplied together beforehand, and one call advances positions and angles.
#
# Last, 1024 rows against Gymnasium's own class, with two variants of ours: `Double` computes in `float64`, and
# `Trusting` believes any action.


# %% tags=["timing"]
class Double(NativeCartPole):
    def begin(self, rows):
        return super().begin(rows).astype(np.float64)

    def observe(self):
        return self.state.T.astype(np.float32, order="C")


class Trusting(NativeCartPole):
    def refuse(self, actions):
        pass


# %% tags=["timing"]
contenders = makers(1024)
del contenders["loop"]
for kind in (Double, Trusting):
    contenders[kind.__name__] = lambda kind=kind: kind(1024, max_episode_steps=500)
result = race(contenders, rounds=201)
for name in ["ours", "Double", "Trusting"]:
    print(
        f"{name:9s}{result.ratio(name, 'Gymnasium'):.2f} times as fast as Gymnasium's"
    )
assert result.ratio("ours", "Gymnasium").median > 1.3
assert result.ratio("Double", "ours").median < 0.95

# %% [markdown]
# Each line is the median of 201 rounds, and in brackets where the middle half of them lies. `float64` gives up much of
# the lead. The check of the actions costs what you see between the first line and the last. Keep it: a silent wrong
# action costs a day.

# %% tags=["remove-cell"]
envs = NativeCartPole(1, render_mode="rgb_array")
envs.reset(seed=0)
drawing = interleave({"draw": lambda: envs.draw(0)}).cost("draw").median
assert drawing > 1000 * results[1024].cost("ours").median
envs.close()

# %% [markdown]
# ## What generalises
#
# Nothing in `NativeVectorEnv` knows about carts. To write a native version of an environment of your own:
#
# 1. **Keep the single environment.** It is the reference for the tests, and it can draw.
# 2. **Put the state into one array**, a row for each variable, a column for each sub-environment. What differs
#    between sub-environments, a length or a gravity, is one more array.
# 3. **Translate the step.** Arithmetic stays as it is. An `if` becomes a mask with `np.where`, `min` and `max`
#    become `np.minimum` and `np.maximum`, a loop over a fixed number of substeps stays a loop. Write into the state
#    in place.
# 4. **Draw from `self.np_random`**, as many values as there are rows to begin.
# 5. **Return copies**, with the dtypes of the spaces, and flags of dtype `bool`.
# 6. **Say what you decided**: the modes, the mask, what a seed means, the dtype of the rewards.
# 7. **Prove it**, row by row against the single environment, and its episodes against `SyncVectorEnv`.
#
# Steps like "follow a pointer", "grow a list" or "sort until done" do not translate. Such an environment stays in
# the loop, or in processes, or goes to a compiler.
#
# The last point we still owe for the base class itself. CartPole cannot serve: its episodes begin at random, so
# `SyncVectorEnv` plays others. This book's `StepCounter` can. It observes its episode and its step, without chance.
# Here it is on arrays, each row with an episode length of its own.


# %%
class NativeCounter(NativeVectorEnv):
    lengths = np.array([2, 3, 5, 1])

    def spaces(self):
        return StepCounter().observation_space, StepCounter().action_space

    def begin(self, rows):
        start = np.zeros((2, rows.size), np.float32)
        start[0] = 0 if self.state is None else self.state[0, rows] + 1
        return start

    def advance(self, actions):
        self.state[1] += 1
        return self.state[1].astype(float), self.state[1] >= self.lengths


# %% [markdown]
# `record`, from this book's helpers, notes for every row and every call which episode and which step was returned,
# with which reward and flags, and what `final_obs` held. We compare two whole recordings in each mode; in
# `DISABLED`, the finished rows are reset with a mask.

# %%
fns = [lambda n=n: StepCounter(n) for n in NativeCounter.lengths]
actions = np.zeros((12, 4), int)
for mode in AutoresetMode:
    native = record(lambda m: NativeCounter(4, autoreset_mode=m), mode, actions)
    loop = record(lambda m: SyncVectorEnv(fns, autoreset_mode=m), mode, actions)
    cells = sum(len(row) for row in native.rows)
    print(f"{mode.name:9s} {cells} cells, equal: {native == loop}")
    assert native == loop and cells >= 4 * 13

# %% [markdown]
# Cell by cell the same as the loop. Whatever we now build on this base class has its episodes, masks and modes
# right.
#
# What remains is the contract that every vector environment has to keep, native or not: observations that lie in the
# space, flags and rewards of the right shape and dtype, the same run for the same seed. The next cell checks it in
# short; chapter 24, [testing vector environments](../trust/24_testing_vector_envs.ipynb), does at length.


# %% tags=["hide-input"]
def keeps_contract(envs):
    observations, _ = envs.reset(seed=1)
    envs.action_space.seed(1)
    kept = [observations]
    for _ in range(60):
        assert observations in envs.observation_space
        if envs.mode is AutoresetMode.DISABLED and envs.done.any():
            envs.reset(options={"reset_mask": envs.done.copy()})
        observations, rewards, *flags, _ = envs.step(envs.action_space.sample())
        assert rewards.shape == flags[0].shape == flags[1].shape == (envs.num_envs,)
        assert flags[0].dtype == flags[1].dtype == bool
        kept.append(observations)
    return np.array(kept)


# %% tags=["hide-input"]
for mode in AutoresetMode:
    runs = [keeps_contract(NativeCartPole(5, autoreset_mode=mode)) for _ in range(2)]
    print(f"{mode.name:9s} kept; the same seed gives the same run:", end=" ")
    print(np.array_equal(*runs))
    assert np.array_equal(*runs) and runs[0].shape == (61, 5, 4)

# %% [markdown]
# ### Infos of your own
#
# A native environment reports a value the way the loop would: an array with an entry for each row, and under the
# same name with an underscore a mask that says which entries count. Here is the sum of rewards so far, put in by a
# subclass. Rows that a reset has just filled have nothing to report.


# %%
class Scored(NativeCounter):
    def step(self, actions):
        *results, infos = super().step(actions)
        reported = self.steps > 0
        infos |= {"score": np.where(reported, self.steps * 10.0, 0), "_score": reported}
        return *results, infos


scored = Scored(4)
scored.reset(seed=0)
for _ in range(3):
    *_, infos = scored.step(np.zeros(4, int))
    print("score:", infos["score"], "| counts:", infos["_score"])
assert infos["score"].tolist() == [0, 30, 30, 10]
assert infos["_score"].tolist() == [False, True, True, True]

# %% [markdown]
# In `SAME_STEP` the last report of an episode belongs into `final_info`, with masks of its own. The base class
# leaves that to you: `finish` is the place.
#
# ## What trips people up
#
# **"My stored observations change by themselves."** `observe` returned a view of the state. NumPy shares memory
# wherever it can, and `.T` is a view.


# %%
class Leaky(NativeCartPole):
    def observe(self):
        return self.state.T


for kind in (NativeCartPole, Leaky):
    envs = kind(2)
    stored, _ = envs.reset(seed=0)
    first = stored.copy()
    envs.step(np.array([1, 1]))
    print(
        f"{kind.__name__:14s} stored observation intact:", np.array_equal(stored, first)
    )
    assert np.array_equal(stored, first) == (kind is NativeCartPole)

# %% [markdown]
# **"It has become slower, and I only changed a constant."** A Python number adapts to the array it meets. A NumPy
# number does not: it is `float64`, and so is everything it touches. `np.deg2rad` and `np.sqrt` return such numbers.

# %%
numbers = np.ones(3, np.float32)
print("times 0.2:           ", (numbers * 0.2).dtype)
print("times np.deg2rad(12):", (numbers * np.deg2rad(12)).dtype)
assert (numbers * 0.2).dtype == np.float32
assert (numbers * np.deg2rad(12)).dtype == np.float64

# %% [markdown]
# **"Every step agrees with the reference, but the runs drift apart."** A pole on its tip magnifies each difference,
# and rounding is a difference. We let Gymnasium's class balance its poles and send the same actions to ours.

# %%
theirs, ours = gym.make_vec("CartPole-v1", 8), NativeCartPole(8)
one, other = theirs.reset(seed=0)[0], ours.reset(seed=0)[0]
apart = [np.abs(one - other).max()]
for _ in range(200):
    actions = (one[:, 2] + one[:, 3] > 0).astype(int)
    one, other = theirs.step(actions)[0], ours.step(actions)[0]
    apart.append(np.abs(one - other).max())
for call in (0, 1, 50, 100, 150, 200):
    print(f"after {call:3d} calls: {apart[call]:.0e}")
assert apart[0] == 0 and apart[1] < 1e-6 and apart[200] > 1e-3
assert 10 < apart[150] / apart[100] < 1000

# %% [markdown]
# The difference grows by the same factor again and again, in any pair of implementations that do not round alike. So
# compare step by step, from equal states, as we did above, and not run by run.
#
# **"AttributeError: 'CartPoleVectorEnv' object has no attribute 'call'."** `call`, `get_attr` and `set_attr` talk
# to sub-environments, and a native class has none. They belong to `SyncVectorEnv` and `AsyncVectorEnv`, not to
# `VectorEnv`. A vector wrapper does not pass them on either, so ask its `unwrapped`. What a native class has instead
# are arrays.

# %%
loop = gym.make_vec("CartPole-v1", 2, vectorization_mode="sync")
wrapped = gym.wrappers.vector.RecordEpisodeStatistics(loop)
for envs in (ours, theirs, wrapped):
    with expect(AttributeError):
        envs.call("gravity")
print("through unwrapped:", wrapped.unwrapped.call("gravity"))
print("all angles of ours:", ours.state[2].shape)

# %% tags=["remove-cell"]
for envs in (ours, theirs, wrapped, VectorEnv()):
    assert not any(hasattr(envs, key) for key in ("call", "get_attr", "set_attr"))
assert all(hasattr(loop, key) for key in ("call", "get_attr", "set_attr"))
assert wrapped.unwrapped.call("gravity") == (9.8, 9.8)

# %% [markdown]
# **"UserWarning: The VectorEnv is missing AutoresetMode metadata."** `make_vec` looks into `metadata` after it has
# made the environment. Without `"autoreset_mode"`, training code cannot know which rows are transitions. A string in
# its place is not enough; it has to be a member of the enum.


# %%
def careless(num_envs, metadata):
    envs = NativeCartPole(num_envs)
    envs.metadata = metadata
    return envs


spec = gym.envs.registration.EnvSpec("Careless-v0", vector_entry_point=careless)
for metadata in ({}, {"autoreset_mode": "NextStep"}):
    with warnings.catch_warnings(record=True) as caught:
        gym.make_vec(spec, num_envs=2, metadata=metadata)
    text = str(caught[0].message).split(")) ")[1].split(",")[0]
    print(f"{metadata}: the VectorEnv ... {text}")
    assert len(caught) == 1 and "AutoresetMode" in str(caught[0].message)

# %% [markdown]
# ## Exercises
#
# ### Exercise 21.1: how many rows?
#
# A native environment takes 30 µs for a call and 20 ns more for each row. How many rows does it need, so that the
# fixed part is only a tenth of the call?
#
# <details><summary>Hint</summary>
#
# If the fixed part is a tenth, the rows take the other nine. 30 µs are 30,000 ns.
#
# </details>

# %% tags=["exercise"]
answer = ...

# %%
check("21.1", answer)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# answer = 9 * 30_000 // 20
# ```
#
# 13,500 rows. That is a long way; at a tenth of that number, the fixed part is half of the call.
#
# </details>
#
# ### Exercise 21.2: from `if` to masks
#
# This is the reward of one cart. Write `rewards(positions, angles)`, which takes two arrays and returns an array,
# without a loop.
#
# ```python
# def reward(position, angle):
#     if abs(angle) > 0.2:
#         return -1.0
#     if abs(position) > 1.0:
#         return 0.5
#     return 1.0
# ```
#
# <details><summary>Hint</summary>
#
# `np.where(mask, a, b)` is an `if` with an `else`, and its third argument may be another `np.where`. Which of the
# two questions is asked first?
#
# </details>


# %% tags=["exercise"]
def rewards(positions, angles):
    raise NotImplementedError


# %%
check("21.2", rewards)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def rewards(positions, angles):
#     off_centre = np.where(np.abs(positions) > 1.0, 0.5, 1.0)
#     return np.where(np.abs(angles) > 0.2, -1.0, off_centre)
# ```
#
# </details>
#
# ### Exercise 21.3: a mountain of cars
#
# Here is the physics of Gymnasium's `MountainCar-v0`, for a single car. Write `drive(state, actions)`, which
# advances an array of shape `(2, N)`, positions and velocities, in place. The actions are 0, 1 or 2.
#
# ```python
# velocity += (action - 1) * 0.001 + math.cos(3 * position) * -0.0025
# velocity = min(max(velocity, -0.07), 0.07)
# position += velocity
# position = min(max(position, -1.2), 0.6)
# if position == -1.2 and velocity < 0:
#     velocity = 0
# ```
#
# <details><summary>Hint</summary>
#
# `np.clip(x, low, high, out=x)` clips in place. For the last two lines you need a mask: `velocity[mask] = 0`.
#
# </details>


# %% tags=["exercise"]
def drive(state, actions):
    raise NotImplementedError


# %%
check("21.3", drive)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def drive(state, actions):
#     position, velocity = state
#     velocity += (actions - 1) * 0.001 + np.cos(3 * position) * -0.0025
#     np.clip(velocity, -0.07, 0.07, out=velocity)
#     position += velocity
#     np.clip(position, -1.2, 0.6, out=position)
#     velocity[(position == -1.2) & (velocity < 0)] = 0
# ```
#
# With a `float32` state the comparison with -1.2 still works: NumPy turns the Python number into `float32` first,
# as `np.clip` did.
#
# </details>
#
# ## Recap
#
# - A native vector environment keeps the state of all rows in one array, and moves them with a few NumPy calls.
#   Python's price is paid once a call, not once a row: a fixed part, shared by all the rows, and a small part for
#   each.
# - What it owes its caller is the same for every task: spaces, metadata, an obeyed mask, a declared autoreset mode, one
#   documented meaning of a seed, fresh arrays. Write it once, as a base class.
# - Prove the task row by row against the single environment, from equal states, and the episodes against
#   `SyncVectorEnv` with an environment that has no chance in it.
# - `gym.register(..., vector_entry_point=...)` lets `make_vec` build it.
#
# The classes of this chapter are in `helpers/native_cartpole.py` too, for the chapters that race them.
#
# **Back:** [autoreset](../primitives/06_autoreset.ipynb). **Next:** [throughput](22_throughput.ipynb): when a
# native environment, when a loop, when processes.
# **Reference:** [`gymnasium.vector.VectorEnv`](https://gymnasium.farama.org/api/vector/),
# [registration](https://gymnasium.farama.org/api/registry/).
