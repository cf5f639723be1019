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
# # `reset`: first observations, seeds and a seeding protocol
#
# After this chapter you can choose the seeds of a batch so that the whole run repeats exactly, say which random
# numbers each row gets, and keep two runs from sharing them.
#
# **You need:** chapter 1, [VectorEnv](01_vector_env.ipynb). **Time:** about 22 minutes.

# %%
import random
import warnings

import gymnasium as gym
import numpy as np
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

from helpers.exercises import check
from helpers.figures import PALETTE, figure, show
from helpers.pages import expect, say, table

# %% [markdown]
# ## Seeded, and still different
#
# Here is a run of random actions. It passes a [seed](../../book/glossary.md#seed), the number that a random
# generator starts from, to `reset`. We run it twice with the same seed and compare the first and the last batch.


# %%
def careless_run(seed, steps=50):
    envs = gym.make_vec("CartPole-v1", num_envs=3, vectorization_mode="sync")
    first, _ = envs.reset(seed=seed)
    for _ in range(steps):
        last, *_ = envs.step(envs.action_space.sample())
    return first, last


(first_a, last_a), (first_b, last_b) = careless_run(0), careless_run(0)
print("same first batch:", np.array_equal(first_a, first_b))
print("same last batch: ", np.array_equal(last_a, last_b))
assert np.array_equal(first_a, first_b) and not np.array_equal(last_a, last_b)

# %% [markdown]
# The same start, then two different courses. Something in this run draws random numbers that `reset(seed=0)` did
# not reach. By the end of the chapter you will have a short function that reaches all of them. To get there, we
# look at what `reset` returns, at what it seeds, and at what it leaves alone.
#
# ## What `reset` returns
#
# `reset` returns two things: a batch of first observations, one row for each sub-environment, and the infos. For
# CartPole the infos are an empty dict; FrozenLake puts something in.

# %%
envs = gym.make_vec("CartPole-v1", num_envs=3, vectorization_mode="sync")
observations, infos = envs.reset(seed=42)
print("shape:", observations.shape, "| infos of CartPole:", infos)

lakes = gym.make_vec("FrozenLake-v1", num_envs=3, vectorization_mode="sync")
print("infos of FrozenLake:", lakes.reset(seed=42)[1])
assert observations in envs.observation_space and infos == {}

# %% [markdown]
# The infos come as one dict of arrays, not as a list of dicts. Chapter 5, [step](05_step.ipynb), reads them
# closely.
#
# `reset` starts every row again, including the rows that are in the middle of an episode. Their clocks go back to
# 0, and whatever those episodes had still to give is lost.

# %%
for _ in range(4):
    envs.step(np.array([0, 1, 0]))
before = [env.get_wrapper_attr("_elapsed_steps") for env in envs.envs]
envs.reset()
after = [env.get_wrapper_attr("_elapsed_steps") for env in envs.envs]
print("steps into the episode:", before, "then", after)
assert before == [4, 4, 4] and after == [0, 0, 0]

# %% [markdown]
# So in a training loop you call it once, before the first step. Rows that finish later are reset by the vector
# environment itself: chapter 6, [autoreset](06_autoreset.ipynb). To reset chosen rows by hand there is
# `options={"reset_mask": ...}`: chapter 14, [selective reset](../compositions/14_selective_reset.ipynb).
#
# All other `options` go to every sub-environment, the same dict for each. CartPole reads two keys, the bounds of
# its random start.

# %%
observations, _ = envs.reset(seed=42, options={"low": 0.0, "high": 0.01})
print(observations.round(4))
assert observations.min() >= 0 and observations.max() <= 0.01

# %% [markdown]
# ## An integer gives each row a number of its own
#
# Each sub-environment owns a [generator](../../book/glossary.md#generator), `np_random`, from which it draws its
# starts and its noise. If `seed=42` gave all of them the number 42, all rows would be the same row. Look at the
# seeds that were handed out.

# %%
observations, _ = envs.reset(seed=42)
print("seeds of the rows:", envs.np_random_seed)
assert envs.np_random_seed == (42, 43, 44)

# %% [markdown]
# The integer is a [base seed](../../book/glossary.md#base-seed): row `i` is seeded with `seed + i`. The proof is a
# single environment: reset with 43, it must start where row 1 started.

# %%
single = gym.make("CartPole-v1")
for i in range(3):
    alone, _ = single.reset(seed=42 + i)
    print(f"row {i} is reset(seed={42 + i}):", np.array_equal(observations[i], alone))
    assert np.array_equal(observations[i], alone)

# %% [markdown]
# Two things follow. Any row can be replayed alone, in a debugger, with nothing but its number and its actions. And
# a row does not depend on how many others there are: the first three of eight are the same three.

# %%
eight = gym.make_vec("CartPole-v1", num_envs=8, vectorization_mode="sync")
same = np.array_equal(eight.reset(seed=42)[0][:3], observations)
print("three rows, and the first three of eight:", "the same" if same else "different")
assert same

# %% [markdown]
# ## Base seeds 0 and 1 are almost the same experiment
#
# Here is the trap in `seed + i`. It is common to run an experiment "with seeds 0, 1, 2 ..." and to report the
# spread. Look at which generators five rows get for the base seeds 0, 1 and 5.

# %%
five = gym.make_vec("CartPole-v1", num_envs=5, vectorization_mode="sync")
seeds_of = {}
for base in [0, 1, five.num_envs]:
    five.reset(seed=base)
    seeds_of[base] = five.np_random_seed
    print(f"base seed {base}:", seeds_of[base])

# %% tags=["hide-input"]
fig, ax = figure(2.8)
for y, (base, seeds) in enumerate(seeds_of.items()):
    for row, seed in enumerate(seeds):
        again = base != 0 and seed in seeds_of[0]
        fill, edge = (PALETTE[y], 0.3 if again else 0.0), PALETTE[y]
        ax.barh(y, 0.9, 0.72, seed - 0.45, facecolor=fill, edgecolor=edge, linewidth=2)
        text = f"row\n{row}"
        ax.text(seed, y, text, ha="center", va="center", size=10, linespacing=1.1)
ax.set(xlabel="the generator's seed", xticks=range(10), xlim=(-0.7, 9.7))
ax.set_ylim(2.5, -0.5)
ax.set(title="Generators of five rows (filled: base seed 0 has it too)")
ax.set_yticks(range(3), [f"base seed {base}" for base in seeds_of])
ax.tick_params(length=0)

# %% tags=["hide-input"]
alt = (
    "Three lines of five boxes over the seeds 0 to 9. Base seed 0 takes the seeds 0 to "
    "4, base seed 1 takes 1 to 5, so four of its five are those of base seed 0, and filled; "
    "base seed 5 takes 5 to 9 and shares none with base seed 0."
)
show(fig, alt)

# %% tags=["remove-cell"]
assert seeds_of == {0: (0, 1, 2, 3, 4), 1: (1, 2, 3, 4, 5), 5: (5, 6, 7, 8, 9)}

# %% [markdown]
# The shaded boxes are generators that the first run has used already. Base seeds 0 and 1 share all rows but one,
# only shifted: row 1 of the first run is row 0 of the second. Base seed 5, one batch further on, shares none with base seed 0.
#
# Count what that does to an experiment of twenty runs of five rows, that is, of a hundred first episodes.


# %%
def different_starts(bases):
    batches = [five.reset(seed=base)[0] for base in bases]
    return len(np.unique(np.concatenate(batches), axis=0))


neighbours, spaced = different_starts(range(20)), different_starts(range(0, 100, 5))
say(
    f"Base seeds 0, 1, 2, ... give **{neighbours}** different starts, "
    f"base seeds 0, 5, 10, ... give **{spaced}**."
)
assert (neighbours, spaced) == (24, 100)

# %% [markdown]
# With neighbouring base seeds, the average over a hundred episodes rests on a quarter as many. The agents may
# differ from run to run, but the luck of the environment is almost the same. **Space base seeds by `num_envs`.**
#
# ## A list, and what `None` means
#
# Instead of an integer you can pass a list with one seed for each row. An entry may be `None`: that row is reset,
# but its generator is left as it is.

# %%
envs.reset(seed=1)
print("before:", envs.np_random_seed)
envs.reset(seed=[10, None, 30])
print("after: ", envs.np_random_seed)
assert envs.np_random_seed == (10, 2, 30)

# %% [markdown]
# `reset()` without a seed is `None` for all. After a seeded reset, this does not mean "random again": each row goes
# on drawing from the generator it has. The second start of a row is the second start of the single environment.

# %%
envs.reset(seed=42)
second, _ = envs.reset()
single.reset(seed=43)
alone, _ = single.reset()
print("row 1 goes on like seed 43 alone:", np.array_equal(second[1], alone))
assert np.array_equal(second[1], alone)

# %% [markdown]
# Only an environment that has never been seeded takes a seed from the operating system, another one every time.
# Even so the run is not lost: the seeds can be read, written to the log, and given back as a list.

# %%
forgot = gym.make_vec("CartPole-v1", num_envs=3, vectorization_mode="sync")
first, _ = forgot.reset()
again, _ = envs.reset(seed=list(forgot.np_random_seed))
print("repeated from the seeds that were read:", np.array_equal(first, again))
assert np.array_equal(first, again)

# %% tags=["remove-cell"]
other = gym.make_vec("CartPole-v1", num_envs=3, vectorization_mode="sync")
assert not np.array_equal(other.reset()[0], first)
other.close()

# %% [markdown]
# ## Autoreset passes no seed, and the run still repeats
#
# Episodes end at different times, and the vector environment resets the rows that finished. It passes no seed when
# it does. Are later episodes still reproducible? By the rule above they must be: no seed means "go on with the
# generator you have". We take actions from a fixed array, so that nothing else is random.

# %%
fixed_actions = np.random.default_rng(0).integers(2, size=(300, 3))


def course(seed):
    history, finished = [envs.reset(seed=seed)[0]], 0
    for actions in fixed_actions:
        observations, _, terminated, truncated, _ = envs.step(actions)
        history.append(observations)
        finished += int((terminated | truncated).sum())
    return np.array(history), finished


# %%
(a, finished), (b, _), (c, _) = course(1), course(1), course(2)
say(
    f"{finished} episodes ended in 300 calls. The same seed twice: "
    f"**{'equal' if np.array_equal(a, b) else 'different'}**. Another seed: "
    f"**{'equal' if np.array_equal(a, c) else 'different'}**."
)
assert finished > 10 and np.array_equal(a, b) and not np.array_equal(a, c)

# %% [markdown]
# One seeded reset at the beginning determines every start after it. This is also why the seed is passed once, not
# at every reset.
#
# ## What `reset` does not seed
#
# Now the opening can be explained. `action_space.sample()` draws from a generator of the *space*, and `reset` never
# touches it. It has a method of its own.

# %%
for seed_the_space in [False, True]:
    samples = []
    for _ in range(2):
        envs.reset(seed=0)
        if seed_the_space:
            envs.action_space.seed(7)
        samples.append([envs.action_space.sample() for _ in range(50)])
    same = np.array_equal(*samples)
    print(f"action_space.seed called: {seed_the_space!s:5s}  same actions: {same}")
    assert same == seed_the_space

# %% [markdown]
# Seed the space that you sample from. `single_action_space` is another object with a generator of its own, so
# seeding it does not seed the batched one, nor the other way round.

# %%
draws = []
for _ in range(2):
    envs.action_space.seed(7)
    draws.append([int(envs.single_action_space.sample()) for _ in range(50)])
print("single space repeats after seeding the batched one:", draws[0] == draws[1])
assert draws[0] != draws[1]

# %% tags=["remove-cell"]
draws = []
for _ in range(2):
    envs.single_action_space.seed(7)
    draws.append([envs.action_space.sample() for _ in range(50)])
assert not np.array_equal(*draws)

# %% [markdown]
# A finer point. A seed fixes a sequence of numbers, whoever draws them. A NumPy generator, the action space and row
# 0 that are all seeded with 0 draw the same sequence. CartPole's start is four numbers, uniform between -0.05 and
# 0.05.

# %%
numpy_start = np.random.default_rng(0).uniform(-0.05, 0.05, 4)
row_start = envs.reset(seed=0)[0][0]
print("NumPy:", numpy_start.round(4), " row 0:", row_start.astype(float).round(4))

envs.action_space.seed(0)
space_draws = envs.action_space.np_random.random(4)
print("the space too:", np.array_equal(space_draws, np.random.default_rng(0).random(4)))
assert np.allclose(numpy_start, row_start)
assert np.array_equal(space_draws, np.random.default_rng(0).random(4))

# %% [markdown]
# So one number for everything ties things together that should be independent. In most programs the damage is too
# small to measure. Since another number costs nothing, give the action space and the agent seeds of their own.
#
# ## One generator for all rows: the native CartPole
#
# A [native vector environment](../../book/glossary.md#native-vector-environment) has no sub-environments, so there
# is nothing to hand a list of seeds to. Gymnasium's own `CartPoleVectorEnv` has one generator for the whole batch,
# takes an integer only, and fills all starts from it.

# %%
native = gym.make_vec(
    "CartPole-v1", num_envs=3, vectorization_mode="vector_entry_point"
)
observations, _ = native.reset(seed=42)
print(type(native.np_random).__name__, native.np_random_seed)
with expect(gym.error.Error):
    native.reset(seed=[42, 43, 44])

# %% [markdown]
# That changes three of the rules above. Row `i` is no longer the single environment with `seed + i`; it does depend
# on how many rows there are; and neighbouring base seeds share no row.

# %%
alone, _ = single.reset(seed=42)
four = gym.make_vec("CartPole-v1", num_envs=4, vectorization_mode="vector_entry_point")
shared = set(native.reset(seed=0)[0][:, 0]) & set(native.reset(seed=1)[0][:, 0])
print("row 0 is the single one:     ", np.array_equal(observations[0], alone))
print("row 0 is the same among four:", end=" ")
print(np.array_equal(observations[0], four.reset(seed=42)[0][0]))
print("rows shared by seeds 0 and 1:", len(shared))
assert not np.array_equal(observations[0], alone) and not shared
assert not np.array_equal(observations[0], four.reset(seed=42)[0][0])

# %% [markdown]
# It also couples the rows. Row 1 always gets the same actions below, up to the start of its second episode. Only
# the actions of row 0 are changed.


# %%
def second_start_of_row_1(mode, action_of_row_0):
    envs = gym.make_vec("CartPole-v1", num_envs=2, vectorization_mode=mode)
    envs.reset(seed=0)
    done, t = False, 0
    while not done:
        actions = np.array([action_of_row_0(t), 1])
        _, _, terminated, truncated, _ = envs.step(actions)
        done, t = terminated[1] or truncated[1], t + 1
    return envs.step(actions)[0][1]


# %%
for mode in ["sync", "vector_entry_point"]:
    starts = [second_start_of_row_1(mode, f) for f in (lambda t: 1, lambda t: t % 2)]
    same = np.array_equal(*starts)
    print(f"{mode:18s} row 1 does not notice row 0: {same}")
    assert same == (mode == "sync")

# %% tags=["remove-cell"]
repeats = [second_start_of_row_1("vector_entry_point", lambda t: t % 2) for _ in "ab"]
assert np.array_equal(*repeats)

# %% [markdown]
# In the native class, the number that row 1 draws depends on how many rows finished before it. A run still repeats
# exactly if all actions do, but you cannot replay one row of it alone.
#
# ## A seeding protocol
#
# Now we write down everything that a run draws from, with a range of numbers for each:
#
# - the training environments: base seeds spaced by `num_envs`;
# - the test environments: seeds that no training run ever uses, the same for every run, so that agents are compared
#   on the same starts;
# - the action space, and the agent's own generator (exploration, minibatches, initial weights).

# %%
TEST, ACTIONS, AGENT = 1_000_000, 2_000_000, 3_000_000


def start(run, envs):
    """Seed all that run number `run` draws from; return first batch and generator."""
    base = int(run) * envs.num_envs
    assert base + envs.num_envs <= TEST, "training would use the test seeds"
    envs.action_space.seed(ACTIONS + int(run))
    observations, _ = envs.reset(seed=base)
    return observations, np.random.default_rng(AGENT + int(run))


def start_test(test_envs):
    """Call before each evaluation: the same starts every time."""
    return test_envs.reset(seed=TEST)[0]


# %% [markdown]
# The `int(...)` is there for run numbers that come out of NumPy; the traps below say why. Every other library that
# draws numbers gets its line in `start` as well, `torch.manual_seed(AGENT + run)` for one. Here is a program that
# uses all of it: it explores, and now and then it stops to test.


# %%
def greedy(observations):
    return (observations[:, 2] > 0).astype(int)


def test(test_envs):
    observations = start_test(test_envs)
    for _ in range(20):
        observations, *_ = test_envs.step(greedy(observations))
    return observations


# %%
def program(run, test_every=50):
    envs = gym.make_vec("CartPole-v1", num_envs=5, vectorization_mode="sync")
    test_envs = gym.make_vec("CartPole-v1", num_envs=5, vectorization_mode="sync")
    observations, agent = start(run, envs)
    history, tests = [observations], []
    for t in range(150):
        explore = agent.random() < 0.5
        actions = envs.action_space.sample() if explore else greedy(observations)
        observations, *_ = envs.step(actions)
        history.append(observations)
        if t % test_every == 0:
            tests.append(test(test_envs))
    return np.array(history), np.array(tests)


# %% [markdown]
# We ask of it what a protocol must give. The same run twice is the same to the last bit; another run is different;
# all tests are alike, since this agent never learns; and testing more often does not change the training.

# %%
(a, tests_a), (b, tests_b), (c, tests_c) = program(0), program(0), program(1)
often, _ = program(0, test_every=10)
answers = {
    "same run repeats": np.array_equal(a, b) and np.array_equal(tests_a, tests_b),
    "other run differs": not np.array_equal(a, c),
    "tests are alike": all(np.array_equal(t, tests_a[0]) for t in [*tests_a, *tests_c]),
    "testing does not disturb": np.array_equal(a, often),
}
table([{"question": q, "answer": v} for q, v in answers.items()], "The protocol, asked")
assert all(answers.values())

# %% [markdown]
# And no two of its generators start from the same number. We collect the seeds of fifty runs.

# %%
used = []
for run in range(50):
    start(run, five)
    used += [*five.np_random_seed, ACTIONS + run, AGENT + run]
start_test(five)
used += five.np_random_seed
say(f"**{len(used)}** seeds were handed out, **{len(set(used))}** of them different.")
assert len(used) == len(set(used)) == 50 * 7 + 5

# %% [markdown]
# The spacing has to follow the largest batch that you compare: if some experiments run 8 rows and others 64, space
# all of them by 64. And if you choose the best of many agents by their test results, keep a third range for the
# figure that you report.
#
# ## What trips people up
#
# **"`TypeError: object of type 'numpy.int64' has no len()`."** The seed came out of a NumPy array or a NumPy
# generator. It is no `int`, so it is taken for a list. An array has a length, and is refused one step later.

# %%
with expect(TypeError):
    envs.reset(seed=np.int64(3))
with expect(gym.error.Error):
    envs.reset(seed=np.array([1, 2, 3]))
print(envs.reset(seed=int(np.int64(3)))[0].shape, envs.np_random_seed)
envs.reset(seed=np.array([1, 2, 3]).tolist())
print("as a list:", envs.np_random_seed)
assert envs.np_random_seed == (1, 2, 3)

# %% [markdown]
# Convert with `int(...)` or `.tolist()`.
#
# **"`ValueError: If seeds are passed as a list the length must match num_envs`."** One seed for each row; to leave
# a row's generator alone, write `None`.

# %%
with expect(ValueError):
    envs.reset(seed=[1, 2])

# %% [markdown]
# **"`Error: Seed must be greater or equal to zero`."** A negative number is often meant as "random". Write `None`.
# Note that the rows before the offending one have been reset by then: after a refused seed, reset again. (In an
# `AsyncVectorEnv` the process of that row has ended, and the object cannot be used any more:
# [failures](../trust/25_failures.ipynb#a-worker-that-raises).)

# %%
envs.reset(seed=0)
with expect(gym.error.Error):
    envs.reset(seed=[7, -1, 9])
print("seeds now:", envs.np_random_seed)
assert envs.np_random_seed == (7, 1, 2)

# %% tags=["remove-cell"]
workers = AsyncVectorEnv([lambda: gym.make("CartPole-v1")] * 2)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the workers' own report, which is long
    with expect(gym.error.Error):
        workers.reset(seed=-1)
with expect(AttributeError):
    workers.reset(seed=1)
workers.close(terminate=True)

# %% [markdown]
# **"`AttributeError: 'TimeLimit' object has no attribute 'seed'`."** Older code seeded with `env.seed(s)`, often
# inside the factory, once for each sub-environment. That method is gone. Pass the seed to the batch's first
# `reset`.

# %%
with expect(AttributeError):
    single.seed(1)

# %% [markdown]
# **"My agent learns fast and then plays only a few situations."** The seed is passed at every reset, so every reset
# replays one start. Pass it once.

# %%
every_time = [envs.reset(seed=0)[0] for _ in range(4)]
once = [envs.reset(seed=seed)[0] for seed in [0, None, None, None]]
for name, batches in {"seed every time": every_time, "seed once": once}.items():
    starts = np.unique(np.concatenate(batches), axis=0)
    print(f"{name:16s} {len(starts):2d} different starts of {4 * envs.num_envs}")
assert len(np.unique(np.concatenate(every_time), axis=0)) == 3
assert len(np.unique(np.concatenate(once), axis=0)) == 12

# %% [markdown]
# **"Training changes when I test more often."** The test runs in the training environments. Its reset ends their
# episodes and puts their generators on the test seeds. A test needs a vector environment of its own.

# %%
start(0, envs)
start_test(envs)
print("the training rows now draw from:", envs.np_random_seed)
assert envs.np_random_seed == (TEST, TEST + 1, TEST + 2)

# %% [markdown]
# **"In subprocesses, all rows draw the same noise."** The environment draws from a global generator. A
# [worker](../../book/glossary.md#worker), the process that holds one sub-environment of an `AsyncVectorEnv`, begins
# under `fork` as a copy of your process, and NumPy's global state is copied with it. Here is an environment whose
# first observation is one random number, from a source that we choose.


# %%
class Noisy(gym.Env):
    observation_space = gym.spaces.Box(0, 1, (1,))
    action_space = gym.spaces.Discrete(2)

    def __init__(self, source):
        self.source = source

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        value = self.source(self)
        return np.array([value], np.float32), {}


# %%
sources = {
    "np.random": lambda env: np.random.random(),
    "random": lambda env: random.random(),
    "self.np_random": lambda env: env.np_random.random(),
}

# %%
rows = []
for name, source in sources.items():
    workers = AsyncVectorEnv([lambda s=source: Noisy(s)] * 4, context="fork")
    first, second = (workers.reset(seed=0)[0] for _ in range(2))
    workers.close()
    distinct, repeats = len(np.unique(first)), np.array_equal(first, second)
    rows.append({"source": name, "distinct in 4 rows": distinct, "seed works": repeats})
table(rows, "Four workers, forked, reset twice with the same seed")

# %% tags=["remove-cell"]
found = [tuple(row.values())[1:] for row in rows]
assert found == [(1, False), (4, False), (4, True)]
loop = SyncVectorEnv([lambda: Noisy(sources["np.random"])] * 4)
first, second = (loop.reset(seed=0)[0] for _ in range(2))
assert len(np.unique(first)) == 4 and not np.array_equal(first, second)


# %% tags=["remove-cell"]
class Unseeded(Noisy):
    def reset(self, *, seed=None, options=None):
        return np.array([self.np_random.random()], np.float32), {}


first, second = (
    SyncVectorEnv([lambda: Unseeded(None)] * 4).reset(seed=0)[0] for _ in range(2)
)
assert not np.array_equal(first, second)

# %% [markdown]
# NumPy's global generator gives four copies of one number. Python's `random` seeds itself anew in a forked process,
# so its rows differ, but no seed of yours reaches it. Only `self.np_random` is both different in each row and
# repeatable, and only because `super().reset(seed=seed)` was called: an environment that leaves out that line
# ignores the seed. With `SyncVectorEnv` all rows share one process, so the global generator gives them different
# numbers and hides the mistake until the day you switch to workers.

# %% tags=["remove-cell"]
for each in [envs, lakes, eight, five, forgot, native, four, single]:
    each.close()

# %% [markdown]
# ## Exercises
#
# ### Exercise 04.1: predict the overlap
#
# Two runs, each a `SyncVectorEnv` of 8 rows, are reset with the base seeds 0 and 6. How many first episodes do the
# two runs have in common?
#
# <details><summary>Hint</summary>
#
# Write down the seeds of both runs: which numbers appear in both?
#
# </details>

# %% tags=["exercise"]
answer = ...

# %%
check("04.1", answer)

# %% [markdown]
# <details><summary>Solution</summary>
#
# The first run gets the seeds 0 to 7, the second 6 to 13. They share 6 and 7.
#
# ```python
# answer = 2
# ```
#
# </details>
#
# ### Exercise 04.2: base seeds for an experiment
#
# Write a function that returns the base seeds of `runs` runs with `num_envs` rows each, as a list, such that no two
# runs share a generator and every entry can be passed to `reset`.
#
# <details><summary>Hint</summary>
#
# The picture of the chapter: where must the next run begin? And which kind of integer does `reset` accept?
#
# </details>


# %% tags=["exercise"]
def base_seeds(runs, num_envs):
    raise NotImplementedError


# %%
check("04.2", base_seeds)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def base_seeds(runs, num_envs):
#     return [run * num_envs for run in range(runs)]
# ```
#
# </details>
#
# ### Exercise 04.3: seeds from a file
#
# A file of results holds the seeds of a run as a NumPy array of integers, and `-1` where a row's generator was to
# be left alone. Write a function that resets `envs` from such an array and returns what `reset` returns.
#
# <details><summary>Hint</summary>
#
# `reset` wants a list whose entries are Python integers or `None`.
#
# </details>


# %% tags=["exercise"]
def reset_from(envs, seeds):
    raise NotImplementedError


# %%
check("04.3", reset_from)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def reset_from(envs, seeds):
#     return envs.reset(seed=[None if s < 0 else int(s) for s in seeds])
# ```
#
# </details>
#
# ### Exercise 04.4: a run that repeats
#
# Write a function that plays `steps` steps of random actions in `envs` and returns the array of all observations,
# the first ones included: shape `(steps + 1, num_envs, ...)`. Called twice with the same seed, on the same object,
# it must return the same array, and with another seed another one. Take the actions from `envs.action_space`.
#
# <details><summary>Hint</summary>
#
# Two things draw numbers in this loop. Which of them does `reset` seed?
#
# </details>


# %% tags=["exercise"]
def random_run(envs, seed, steps):
    raise NotImplementedError


# %%
check("04.4", random_run)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def random_run(envs, seed, steps):
#     envs.action_space.seed(2_000_000 + seed)
#     history = [envs.reset(seed=seed)[0]]
#     for _ in range(steps):
#         history.append(envs.step(envs.action_space.sample())[0])
#     return np.array(history)
# ```
#
# </details>
#
# ## Recap
#
# - `reset` starts all rows and returns a batch of observations and the infos.
# - An integer seeds row `i` with `seed + i`; a list gives each row its own, `None` leaves a generator alone.
#   Without a seed, each row goes on with the generator it has, and so does autoreset: seed once.
# - Base seeds 0 and 1 share all rows but one. Space them by `num_envs`.
# - `reset` never seeds the action space. The run of the opening differed for that reason alone.
# - The native CartPole has one generator for all rows and takes an integer only.
# - A protocol: one range of numbers for training, one for tests, one for actions, one for the agent.
#
# **Back:** [make_vec](03_make_vec.ipynb). **Next:** [step](05_step.ipynb), what comes back from each call.
# **Reference:** [`VectorEnv.reset`](https://gymnasium.farama.org/api/vector/#gymnasium.vector.VectorEnv.reset),
# [`SyncVectorEnv.reset`](https://gymnasium.farama.org/api/vector/sync_vector_env/).
