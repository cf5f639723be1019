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
# # Field guide: from the symptom to the cause
#
# With this page you can go from what you see, an error message, a wrong number, a slow run, to what causes it, the
# cell that proves it, and the chapter that teaches it.
#
# **You need:** a symptom. **Time:** a minute or two for one entry. It is a reference, and nobody has to read it from
# top to bottom, which takes about an hour.

# %%
import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium import wrappers as single_wrappers
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space, iterate
from gymnasium.wrappers import vector as vector_wrappers

from helpers.environments import DictCounter, Reporter, StepCounter, Wait
from helpers.exercises import check
from helpers.figures import show
from helpers.pages import expect, shown_errors
from helpers.timeline import draw, record

# %% [markdown]
# A program can run to its end, return arrays of the right shape, and be wrong. Here four environments take eight
# steps together. Each of their steps pays at least 1. Look at the smallest mean reward of a call.

# %%
envs = SyncVectorEnv([StepCounter] * 4)
envs.reset(seed=0)
smallest = min(envs.step(np.zeros(4, int))[1].mean() for _ in range(8))
print("smallest mean reward of a call:", smallest)
assert smallest == 0

# %% [markdown]
# Nothing was raised, and no search engine knows what to do with "0.0". So look for what you *see*. The tables below
# lead from it to the entries of this page: errors first, then wrong data, wrong learning, and so on. (The 0 is
# [here](#an-action-has-no-effect-and-pays-nothing).) If you have an error message, search the page for its words;
# they are quoted as Gymnasium 1.4.0 prints them.
#
# **Errors at construction**
#
# | what you see | where to look |
# |---|---|
# | `object is not callable` | [recipes, not environments](#object-is-not-callable) |
# | `unexpected keyword argument 'autoreset_mode'` | [where the mode goes](#the-autoreset-mode-is-refused) |
# | `is not a valid AutoresetMode` | [how the modes are written](#the-autoreset-mode-is-refused) |
# | `Custom vector environment can be passed arguments only` | [native classes](#the-autoreset-mode-is-refused) |
# | `observation spaces are not equivalent` | [rows with different limits](#rows-with-different-limits-are-refused) |
# | `Sub-environment action space doesn't make` | [rows with different limits](#rows-with-different-limits-are-refused) |
# | `do not share a common shape and dtype` | [a pair of spaces](#my-own-pair-of-spaces-is-refused) |
# | `not possible to make a static shared memory` | [graphs and sequences](#graphs-or-sequences-and-worker-processes) |
# | `cannot find context for` | [context takes a name](#cannot-find-context-for) |
# | `bootstrapping phase`, or `EOFError` in the constructor | [the main guard](#the-script-hangs-or-ends-in-a-bootstrapping-error) |
# | `Expected autoreset_mode to be NEXT_STEP or DISABLED` | [wrappers and same step](#a-wrapper-refuses-same-step) |
# | ``A custom `worker` must accept 8 arguments`` | [a new parameter](#far-more-workers-than-cores) |
# | `has no attribute 'make'` | [old calls](#module-gymnasiumvector-has-no-attribute-make) |
# | ``Expected env to be a `gymnasium.Env` `` | [not an Env](#a-wrapper-or-a-library-refuses-the-batch) |
# | `NameNotFound: Environment`, from a worker | [registration](#namenotfound-in-workers-only) |
#
# **Errors at reset and step**
#
# | what you see | where to look |
# |---|---|
# | `before calling env.reset()` | [the first reset](#a-step-before-the-first-reset) |
# | `The truth value of an array` | [flags are arrays](#the-truth-value-of-an-array-is-ambiguous) |
# | `unsupported operand type(s) for -: 'list' and 'float'` | [a list of actions](#a-list-of-actions) |
# | `object of type 'numpy.int64' has no len()` | [seeds](#a-seed-is-refused-or-two-runs-are-nearly-the-same) |
# | `the length must match num_envs` | [seeds](#a-seed-is-refused-or-two-runs-are-nearly-the-same) |
# | `zip() argument 2 is longer`, or `shorter` | [too few or too many actions](#zip-argument-2-is-shorter-or-longer) |
# | `AssertionError: self._autoreset_envs` | [automatic resets](#switching-automatic-resets-off) |
# | `options['reset_mask']` in a message | [the mask](#the-reset-mask-is-refused) |
# | `string indices must be integers` | [infos are one dict](#string-indices-must-be-integers) |
# | `inhomogeneous shape`, when an episode ends | [rewards](#inhomogeneous-shape-when-an-episode-ends) |
# | `has no attribute 'call'` | [who has call](#no-attribute-call-get_attr-or-set_attr) |
# | `has no attribute 'get_attr'` | [who has get_attr](#no-attribute-call-get_attr-or-set_attr) |
# | `has no attribute 'set_attr'` | [who has set_attr](#no-attribute-call-get_attr-or-set_attr) |
# | a message about a local object, from pickle | [saving](#saving-or-copying-a-vector-environment) |
# | `could not broadcast input array`, from an info | [infos change](#an-info-value-loses-its-fraction) |
# | `KeyError: 'final_observation'` | [renamed keys](#keyerror-final_observation) |
# | `EOFError`, `BrokenPipeError`, `ConnectionResetError` | [a worker has died](#eoferror-or-brokenpipeerror-in-step) |
# | `daemonic processes are not allowed to have children` | [processes in processes](#an-environment-that-starts-processes) |
# | `'list' object has no attribute 'get'`, at reset | [options](#options-that-differ-from-row-to-row) |
# | `Expects the mask to be a tuple` | [action masks](#an-action-mask-is-refused) |
#
# (What else a broken `AsyncVectorEnv` may raise, from `NoneType` to `too many values to unpack`, has
# [a table of its own](25_failures.ipynb#look-up-a-symptom).)
#
# **Wrong or missing data**
#
# | what you see | where to look |
# |---|---|
# | the last observation of an episode is nowhere | [final observations](#the-last-observation-of-an-episode-is-gone) |
# | a reward of 0, an action without effect | [the call that resets](#an-action-has-no-effect-and-pays-nothing) |
# | `None` among the final observations | [a mask goes with them](#none-among-the-final-observations) |
# | the final observation is a start | [an array used again](#the-final-observation-is-the-next-start) |
# | no returns or lengths in the log | [where they are](#episode-statistics-are-nowhere) |
# | a 0 in an info that nobody reported | [masks](#a-zero-in-an-info-that-nobody-reported) |
# | 0.33 in an info becomes 0 | [the first reporter](#an-info-value-loses-its-fraction) |
# | a sum of successes that is never above 1 | [NumPy booleans](#a-sum-of-successes-that-is-never-above-1) |
# | observations you stored have changed | [copy](#stored-observations-change-by-themselves) |
# | dict observations come in another structure | [dicts of batches](#dict-observations-loop-or-processes) |
# | a text observation stays the same for ever | [shared memory](#a-text-observation-never-changes) |
# | rows influence one another | [one object for all](#rows-share-one-object) |
# | a longer time limit has no effect | [two limits](#a-longer-time-limit-has-no-effect) |
# | `num_envs=8` gives 2 rows | [the spec wins](#num_envs8-is-ignored) |
# | an attribute was set, the physics are the same | [set_attr](#set_attr-changes-nothing) |
# | all rows start alike | [global generators](#all-workers-draw-the-same-random-numbers) |
# | sampled actions differ from run to run | [the space has a seed](#sampled-actions-differ-from-run-to-run) |
# | will later episodes be the same again? | [autoreset and seeds](#are-the-later-episodes-reproducible) |
#
# **Learning looks wrong**
#
# | what you see | where to look |
# |---|---|
# | values are too low where a time limit cuts | [bootstrapping](#bootstrapping-at-a-time-limit) |
# | advantages leak from one episode into the next | [the recursion](#advantages-leak-across-episodes) |
# | evaluation with many rows is worse than with one | [the first to finish](#more-rows-give-a-lower-score) |
# | the agent masters one start only | [a seed in every reset](#the-reset-mask-is-refused) |
# | two seeds give nearly the same run | [base seeds](#a-seed-is-refused-or-two-runs-are-nearly-the-same) |
# | normalised rewards are not around zero | [it only divides](#normalised-rewards-are-not-around-zero) |
#
# **Slow**
#
# | what you see | where to look |
# |---|---|
# | slower than a loop of single environments | [what make_vec made](#make_vec-is-slower-than-a-loop) |
# | how many rows should it be? | [how many](#how-many-sub-environments) |
# | collapses with many more workers than cores | [a cap](#far-more-workers-than-cores) |
#
# **Processes**
#
# | what you see | where to look |
# |---|---|
# | the run dies after hours with a pipe error | [a worker has died](#eoferror-or-brokenpipeerror-in-step) |
# | results are one step late after a timeout | [timeouts](#after-a-timeout-everything-is-one-step-late) |
# | the environment cannot start a process | [daemons](#an-environment-that-starts-processes) |
# | all workers draw the same random numbers | [global generators](#all-workers-draw-the-same-random-numbers) |
# | do processes change the data? | [loop and processes](#do-processes-change-the-data) |
# | environments close by themselves, or do not | [closing](#who-closes-the-environments) |
#
# **Wrappers, rendering, upgrading**
#
# | what you see | where to look |
# |---|---|
# | an observation wrapper refuses the mode | [wrappers and same step](#a-wrapper-refuses-same-step) |
# | reported lengths and returns are too small | [masked resets](#reported-lengths-are-too-small) |
# | the actions you stored have changed | [in place](#the-actions-i-stored-have-changed) |
# | a masked reset restarts all rows | [native classes](#a-masked-reset-restarts-every-row) |
# | `Box low's precision lowered`, a warning | [bounds](#rescaleaction-warns-about-precision) |
# | a video lacks the end of the episode | [the last frame](#a-video-without-the-last-frame) |
# | `gym.vector.make`, `asynchronous=`, `dones` | [old calls](#module-gymnasiumvector-has-no-attribute-make) |
# | `final_observation`, `terminal_observation` | [renamed keys](#keyerror-final_observation) |
#
# ## What the cells share
#
# Each entry stands on its own but for these lines, and now and then the entry just above it. First what comes with
# Python. `StepCounter` says where it is: its observation is `[episode, step]`, its reward the number of the step. `counters(2, 3)` makes two of them,
# with episodes of two and of three steps.

# %%
import multiprocessing
import pickle
import random
import subprocess
import sys
import tempfile
import time
import warnings
from contextlib import closing, contextmanager, suppress
from copy import deepcopy
from functools import partial

# %%
NEXT_STEP, SAME_STEP, DISABLED = AutoresetMode


def counters(*lengths, kind=SyncVectorEnv, mode=NEXT_STEP, end="terminated", **kwargs):
    """One StepCounter for each length."""
    fns = [partial(StepCounter, length, end) for length in lengths]
    return kind(fns, autoreset_mode=mode, **kwargs)


def still(envs):
    """A batch of actions of zeros."""
    return np.zeros(envs.action_space.shape, envs.action_space.dtype)


# %%
def play(envs, calls, seed=0):
    """Reset, step with actions of zeros, return what the last step returned."""
    envs.reset(seed=seed)
    for _ in range(calls):
        result = envs.step(still(envs))
    return result


def made(name, mode=NEXT_STEP, **kwargs):
    """Two rows of a registered environment, in a loop."""
    settings = {"autoreset_mode": mode}
    return gym.make_vec(
        name, 2, vectorization_mode="sync", vector_kwargs=settings, **kwargs
    )


# %%
native = gym.make_vec("CartPole-v1", 2, vectorization_mode="vector_entry_point")

# %% [markdown]
# `Says` has the spaces, the observation and the info that it is given. `workers` makes an `AsyncVectorEnv` and
# ends its processes, [workers](../../book/glossary.md#worker), whatever has happened to them. It also turns off
# Gymnasium's log of what goes wrong in a worker; chapter 25, [failures](25_failures.ipynb), reads that log.


# %%
class Says(gym.Env):
    def __init__(self, observation_space, says, info=(), force=1.0):
        self.observation_space, self.says = observation_space, says
        self.action_space, self.info = spaces.Box(-force, force, (1,)), dict(info)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.says, self.info


# %%
@contextmanager
def workers(fns, **kwargs):
    level, gym.logger.min_level = gym.logger.min_level, 50
    envs = AsyncVectorEnv(fns, **kwargs)
    try:
        yield envs
    finally:
        for process in envs.processes:
            process.kill()
            process.join()
        envs.closed, gym.logger.min_level = True, level


# %% [markdown]
# ## Errors at construction
#
# ### object is not callable
#
# `TypeError: 'TimeLimit' object is not callable`, or another class in its place. The list holds environments, or
# wrappers, that have been made already. It wants recipes: functions that make one when they are called, so
# `lambda: gym.make(name)` and not `gym.make(name)`. `wrappers=` takes a list of recipes as well, each of which is
# called with an environment.
#
# **See** [a list of recipes, not of
# environments](../primitives/02_sync_vector_env.ipynb#a-list-of-recipes-not-of-environments).

# %%
with expect(TypeError):
    SyncVectorEnv([gym.make("CartPole-v1")] * 2)
with expect(TypeError):
    made("CartPole-v1", wrappers=[single_wrappers.ClipAction(gym.make("Pendulum-v1"))])
assert SyncVectorEnv([lambda: gym.make("CartPole-v1")] * 2).num_envs == 2

# %% [markdown]
# ### The autoreset mode is refused
#
# `TypeError: CartPoleEnv.__init__() got an unexpected keyword argument 'autoreset_mode'`. Keywords of `make_vec` go to
# the environment; the mode goes into `vector_kwargs`. `ValueError: 'SAME_STEP' is not a valid AutoresetMode`. As a
# string a mode is written `"NextStep"`, `"SameStep"` or `"Disabled"`; the names in capitals are those of the members,
# as in `AutoresetMode.SAME_STEP`. And `Error: Custom vector environment can be passed arguments only through kwargs`
# comes from a native class, which has one mode of its own: ask for `vectorization_mode="sync"`.
#
# **See** [where each argument goes](../primitives/03_make_vec.ipynb#where-each-argument-goes) and [setting the mode, and
# reading it](../primitives/06_autoreset.ipynb#setting-the-mode-and-reading-it).

# %%
with expect(TypeError):
    gym.make_vec("CartPole-v1", 2, "sync", autoreset_mode="SameStep")
with expect(ValueError):
    gym.make_vec("CartPole-v1", 2, "sync", {"autoreset_mode": "SAME_STEP"})
with expect(gym.error.Error):
    gym.make_vec("CartPole-v1", 2, vector_kwargs={"autoreset_mode": "SameStep"})
envs = gym.make_vec("CartPole-v1", 2, "sync", {"autoreset_mode": "SameStep"})
assert envs.metadata["autoreset_mode"] is SAME_STEP

# %% [markdown]
# ### Rows with different limits are refused
#
# `RuntimeError: SyncVectorEnv(..., observation_mode='same') however the sub-environments observation spaces are not
# equivalent.` The default wants equal observation spaces. `observation_mode="different"` batches limits that differ,
# as long as the type of the space, its shape and its dtype agree. Then `single_observation_space` is that of row 0,
# no more than an example. For actions there is no such mode: `RuntimeError: Sub-environment action space doesn't make`
# the single one.
#
# **See** [rows with different limits](../primitives/07_spaces.ipynb#rows-with-different-limits) and
# [what may differ, and what may not](../compositions/13_mixed_environments.ipynb#what-may-differ-and-what-may-not).

# %% tags=["SP02"]
low, high = (spaces.Box(0, limit, (1,)) for limit in (1, 5))
differ = [partial(Says, space, space.high) for space in (low, high)]
with expect(RuntimeError):
    SyncVectorEnv(differ)
envs = SyncVectorEnv(differ, observation_mode="different")
assert envs.observation_space.high.tolist() == [[1], [5]]
assert envs.single_observation_space == low
with expect(RuntimeError):
    strong = partial(Says, low, low.high, force=2)
    SyncVectorEnv([differ[0], strong], observation_mode="different")

# %% [markdown]
# ### My own pair of spaces is refused
#
# `RuntimeError: SyncVectorEnv(..., observation_mode='different' or custom space) however the sub-environments
# observation spaces do not share a common shape and dtype`. Turn the pair round. It is **(batched, single)**, while
# the library's own text names the single space first.
#
# **See** [rows with different limits](../primitives/07_spaces.ipynb#rows-with-different-limits) and
# [say both spaces yourself](../compositions/13_mixed_environments.ipynb#say-both-spaces-yourself).

# %% tags=["SP03"]
pair = (batch_space(high, 2), high)
envs = SyncVectorEnv(differ, observation_mode=pair)
assert envs.reset()[0].tolist() == [[1], [5]]
assert envs.single_observation_space == high
with expect(RuntimeError):
    SyncVectorEnv(differ, observation_mode=pair[::-1])

# %% [markdown]
# ### Graphs or sequences and worker processes
#
# `TypeError: As Sequence(Discrete(9), stack=False) has a dynamic shape so its not possible to make a static shared
# memory.` A `Graph` or `Sequence` may be as long as it likes, and [shared
# memory](../../book/glossary.md#shared-memory) has one size. Pass `shared_memory=False`: the observations travel
# through pipes, and arrive as a plain tuple with one entry for each row.
#
# **See** [what has a fixed
# size](../primitives/10_space_utilities.ipynb#text-and-oneof-have-a-fixed-size-graphs-and-sequences-have-not).

# %% tags=["SP04"]
bag = spaces.Sequence(spaces.Discrete(9))
bags = [partial(Says, bag, tuple(range(n))) for n in (1, 3)]
with expect(TypeError):
    AsyncVectorEnv(bags)
with workers(bags, shared_memory=False) as envs:
    observations, _ = envs.reset()
print(observations)
assert observations == ((0,), (0, 1, 2))

# %% [markdown]
# ### cannot find context for
#
# `ValueError: cannot find context for` something. `context` takes the *name* of a [start
# method](../../book/glossary.md#start-method), not a context object such as `torch.multiprocessing`: `"fork"`,
# `"spawn"`, `"forkserver"`, or `None` for the platform's default. It holds for this one vector environment, so
# there is no reason to call `multiprocessing.set_start_method(..., force=True)`.
#
# **See** [start methods, and the main
# guard](../primitives/08_async_vector_env.ipynb#start-methods-and-the-main-guard).

# %% tags=["AD10"]
with expect(ValueError):
    AsyncVectorEnv([StepCounter], context="threads")
name = multiprocessing.get_all_start_methods()[0]
before = multiprocessing.get_start_method()
with workers([StepCounter], context=name) as envs:
    assert name in type(envs.processes[0]).__name__.lower()
assert multiprocessing.get_start_method() == before

# %% tags=["remove-cell"]
try:
    AsyncVectorEnv([StepCounter], context=multiprocessing.get_context("spawn"))
except ValueError as error:
    assert str(error).startswith("cannot find context for <")
else:
    raise AssertionError("a context object is accepted now")

# %% [markdown]
# ### The script hangs or ends in a bootstrapping error
#
# `RuntimeError: An attempt has been made to start a new process before the current process has finished its
# bootstrapping phase.` With `spawn` (macOS, Windows) and `forkserver` (Linux from Python 3.14) each worker imports
# your script again, and must not start workers of its own on the way. Put what makes the environment under
# `if __name__ == "__main__":`; then `spawn` works, and nothing forces you to `fork`. The `RuntimeError` is printed by a
# worker; your process sees an `EOFError`, a `ConnectionResetError` or a `BrokenPipeError`.
#
# **See** [start methods, and the main
# guard](../primitives/08_async_vector_env.ipynb#start-methods-and-the-main-guard) and
# [failures before the first step](25_failures.ipynb#failures-before-the-first-step).


# %%
def run_script(source):
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/train.py", "w") as file:
            file.write(source)
        command = [sys.executable, f"{folder}/train.py"]
        return subprocess.run(command, capture_output=True, text=True, timeout=120)


# %% tags=["AD01"]
source = """
import gymnasium as gym
from helpers.environments import StepCounter
if __name__ == "__main__":
    envs = gym.vector.AsyncVectorEnv([StepCounter], context="spawn")
    print(envs.reset(seed=0)[0])
    envs.close()
"""
guarded = run_script(source)
unguarded = run_script(source.replace('if __name__ == "__main__":', "if True:"))
print("unguarded:", repr(unguarded.stdout), "| guarded:", guarded.stdout.strip())
assert unguarded.returncode and "bootstrapping phase" in unguarded.stderr
assert not guarded.returncode and guarded.stdout.strip() == "[[0. 0.]]"

# %% tags=["remove-cell"]
elsewhere = [" ".join(unguarded.stderr.split())]  # errors that no `expect` has shown

# %% [markdown]
# ### A wrapper or a library refuses the batch
#
# ``TypeError: Expected env to be a `gymnasium.Env` but got`` a vector environment. A `VectorEnv` is no `gym.Env`. A
# wrapper from `gymnasium.wrappers`, such as `FrameStackObservation`, goes inside, around each sub-environment: pass it
# as `wrappers=[...]`, or put it into the factory. What goes around the batch is in `gymnasium.wrappers.vector`. Other
# libraries may have a kind of batch of their own, as Stable-Baselines3 has its `VecEnv`: give them what makes *one*
# environment, and let them make the batch.
#
# **See** [where a wrapper can sit](../compositions/15_nested_wrappers.ipynb#where-a-wrapper-can-sit) and
# [what `VectorEnv` is, and is not](../primitives/01_vector_env.ipynb#what-vectorenv-is-and-is-not).

# %%
stack = partial(single_wrappers.FrameStackObservation, stack_size=4)
with expect(TypeError):
    stack(made("Pendulum-v1"))
envs = made("Pendulum-v1", wrappers=[stack])
print(envs.reset(seed=0)[0].shape)
assert not isinstance(envs, gym.Env)
assert envs.observation_space.shape == (2, 4, 3)

# %% [markdown]
# ### NameNotFound, in workers only
#
# ``NameNotFound: Environment `Mine` doesn't exist``, printed by a worker, while `gym.make` works in your process. With
# `spawn` and `forkserver` a worker begins with an empty registry and imports your script, but what stands under the
# main guard is not run again. Put `gym.register` outside the guard, or into a module that the factory imports; or use
# `make_vec`, which looks the id up in your process and sends what it has found.
#
# **See** [what the registry knows](../primitives/03_make_vec.ipynb#what-the-registry-knows) and [start methods, and the
# main guard](../primitives/08_async_vector_env.ipynb#start-methods-and-the-main-guard).

# %%
source = """
import gymnasium as gym
from helpers.environments import StepCounter
if __name__ == "__main__":
    gym.register("Mine-v0", entry_point=StepCounter)
    kind = {"vectorization_mode": "async", "vector_kwargs": {"context": "spawn"}}
    envs = gym.make_vec("Mine-v0", 1, **kind)
    print("make_vec:", envs.reset(seed=0)[0])
    envs.close()
    gym.vector.AsyncVectorEnv([lambda: gym.make("Mine-v0")], context="spawn")
"""
result = run_script(source)
not_found = "NameNotFound: Environment" in result.stderr
print(result.stdout.strip(), "| factory, NameNotFound:", not_found)
assert result.stdout == "make_vec: [[0. 0.]]\n" and result.returncode
assert not_found

# %% tags=["remove-cell"]
elsewhere.append(" ".join(result.stderr.split()))
outside = source.replace('if __name__ == "__main__":\n    gym.register', "gym.register")
outside = outside.replace("    kind", 'if __name__ == "__main__":\n    kind')
assert run_script(outside).returncode == 0

# %% [markdown]
# ## Errors at reset and step
#
# ### A step before the first reset
#
# `ResetNeeded: Cannot call env.step() before calling env.reset()`. One `reset` comes first, for all rows; from then
# on autoreset starts the rows that finish. (`render` asks for it in the same way, and the native CartPole with
# `AssertionError: Call reset before using step method.`) The check is part of what `gym.make` puts around an
# environment: a factory that returns the bare class has none. In processes the worker that complained has ended, so
# make the environment again.
#
# **See** [what each line is for](../compositions/11_minimal_loop.ipynb#what-each-line-is-for).

# %%
for envs in (made("CartPole-v1"), gym.make_vec("CartPole-v1", 2)):
    with expect(gym.error.ResetNeeded, AssertionError):
        envs.step(still(envs))
    envs.reset(seed=0)
    assert envs.step(still(envs))[1].tolist() == [1, 1]

# %% tags=["remove-cell"]
assert counters(3).step(np.zeros(1, int))[1].tolist() == [1]  # nobody asks
with workers([partial(gym.make, "CartPole-v1")]) as envs:
    with expect(gym.error.ResetNeeded):
        envs.step(still(envs))
    envs.processes[0].join()
    assert not envs.processes[0].is_alive()

# %% [markdown]
# ### The truth value of an array is ambiguous
#
# `ValueError: The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()`. The flags,
# and rewards, are arrays with one entry for each row, so `if terminated or truncated:` and `while not done:` have no
# answer. Combine flags with `|`, `&` and `~`. A loop over a batch counts calls, since rows end at different times;
# `done.any()` asks whether some row has ended.
#
# **See** [what trips people up](../primitives/01_vector_env.ipynb#what-trips-people-up) in `VectorEnv`.

# %%
_, _, terminated, truncated, _ = play(counters(2, 3), 2)
with expect(ValueError):
    if terminated or truncated:
        print("done")
done = terminated | truncated
print("done:", done, "| some row:", done.any(), "| every row:", done.all())
assert done.tolist() == [True, False]

# %% [markdown]
# ### A list of actions
#
# `TypeError: unsupported operand type(s) for -: 'list' and 'float'`. The native CartPole computes with the batch of
# actions, and a list does not compute. A loop and processes hand a list out, entry by entry, and do not mind. Give an
# array, `np.array(actions)`: all kinds take it.
#
# **See** [the five returns](../primitives/05_step.ipynb#the-five-returns) and, for what else nobody checks, [nobody asks
# for you](../primitives/07_spaces.ipynb#nobody-asks-for-you).

# %%
loop = made("CartPole-v1")
for envs in (loop, native):
    envs.reset(seed=0)
loop.step([0, 1])
with expect(TypeError):
    native.step([0, 1])
for envs in (loop, native):
    assert envs.step(np.array([0, 1]))[1].tolist() == [1, 1]

# %% tags=["remove-cell"]
with workers([StepCounter] * 2) as envs:
    envs.reset(seed=0)
    assert envs.step([0, 1])[1].tolist() == [1, 1]

# %% [markdown]
# ### A seed is refused, or two runs are nearly the same
#
# `reset(seed=s)` gives row `i` the seed `s + i`; a list gives one seed to each row, and `None` in it leaves a row's
# [generator](../../book/glossary.md#generator) alone. So two runs with the base seeds 0 and 1 share all rows but
# one: choose base seeds `num_envs` apart. `TypeError: object of type 'numpy.int64' has no len()` means that the seed
# came out of NumPy: write `int(seed)`, or `.tolist()` for an array. A list of the wrong length is a
# `ValueError: If seeds are passed as a list the length must match num_envs`.
#
# **See** [an integer gives each row a number of its
# own](../primitives/04_reset.ipynb#an-integer-gives-each-row-a-number-of-its-own) and [base seeds 0 and
# 1](../primitives/04_reset.ipynb#base-seeds-0-and-1-are-almost-the-same-experiment).

# %% tags=["SD03"]
envs = gym.make_vec("CartPole-v1", 3, vectorization_mode="sync")
at_0, at_1 = envs.reset(seed=0)[0], envs.reset(seed=1)[0]
alone, _ = gym.make("CartPole-v1").reset(seed=2)
print("rows shared by base seeds 0 and 1:", (at_0[1:] == at_1[:-1]).all(axis=1).sum())
assert np.array_equal(at_0[2], alone)
assert np.array_equal(at_0[1:], at_1[:-1])
with expect(TypeError):
    envs.reset(seed=np.int64(3))
with expect(ValueError):
    envs.reset(seed=[7, 8])

# %% [markdown]
# ### zip argument 2 is shorter, or longer
#
# `ValueError: zip() argument 2 is longer than argument 1` (a loop) or `ValueError: zip() argument 2 is shorter than
# argument 1` (processes) when there are too few actions, the other word when there are too many. Long ago processes
# waited for ever instead. The rows that had an action have moved all the same: in a loop they are a step ahead, so
# reset all rows; from processes their rewards, flags and infos arrive one call late from then on, so make a new
# vector environment.
#
# **See** [check before you step](25_failures.ipynb#check-before-you-step).

# %% tags=["AD02"]
envs = counters(9, 9, 9)
play(envs, 1)
with expect(ValueError):
    envs.step(np.zeros(2, int))
print("loop, after one good and one short call:", envs.get_attr("step_count"))
assert envs.get_attr("step_count") == (2, 2, 1)
with workers([partial(StepCounter, 9)] * 3) as envs:
    play(envs, 1)
    with expect(ValueError):
        envs.step(np.zeros(2, int))
    late = envs.step(still(envs))[1]
print("processes, rewards of the next step:    ", late)
assert late.tolist() == [2, 2, 2]

# %% [markdown]
# (From processes, rows 0 and 1 should have said 3: the 2 is the answer to the short call.)
#
# ### Switching automatic resets off
#
# Make the vector environment with `autoreset_mode="Disabled"` (in `make_vec`: inside `vector_kwargs`). From then on
# finished rows are yours to reset, with a [mask](../../book/glossary.md#masked-reset) of both flags. If you forget,
# a loop raises `AssertionError: self._autoreset_envs=array([ True, False])`, with the finished rows as `True`.
# Processes do not check, and step the finished environment on.
#
# **See** [disabled: nothing happens until you
# ask](../primitives/06_autoreset.ipynb#disabled-nothing-happens-until-you-ask).

# %% tags=["AR05"]
envs = counters(2, 9, mode=DISABLED)
done = play(envs, 2)[2]
with expect(AssertionError):
    envs.step(still(envs))
observations, _ = envs.reset(options={"reset_mask": done})
assert observations.tolist() == [[1, 0], [0, 2]]
with workers([partial(StepCounter, 2)], autoreset_mode=DISABLED) as envs:
    beyond = play(envs, 4)[0]
print("four steps of an episode of two, in a process:", beyond)
assert beyond.tolist() == [[0, 4]]

# %% [markdown]
# ### The reset mask is refused
#
# `options["reset_mask"]` must be a NumPy array of booleans, one for each row, with at least one `True`. Each breach
# has its message, below. The whole batch comes back: rows outside the mask repeat their last observation, and are
# missing from the info. Leave the seed out. With `seed=s` row `i` gets `s + i` at *every* such reset, and starts the
# same episode for ever.
#
# **See** [the mask](../compositions/14_selective_reset.ipynb#the-mask) and [seeds for the chosen
# rows](../compositions/14_selective_reset.ipynb#seeds-for-the-chosen-rows).

# %% tags=["WR10"]
envs, mask = made("CartPole-v1"), np.array([True, False])
last = play(envs, 1)[0]
for wrong in ([True, False], np.array([1, 0]), np.zeros(2, bool), mask[:1]):
    with expect(TypeError, ValueError):
        envs.reset(options={"reset_mask": wrong})
fixed = [envs.reset(seed=0, options={"reset_mask": mask})[0] for _ in range(2)]
free = [envs.reset(options={"reset_mask": mask})[0] for _ in range(2)]
assert np.array_equal(fixed[0][1], last[1]) and np.array_equal(fixed[0], fixed[1])
assert not np.array_equal(free[0][0], free[1][0])

# %% [markdown]
# ### Options that differ from row to row
#
# `AttributeError: 'list' object has no attribute 'get'`, or another complaint about a list, when `options` is a list of
# dicts. There is *one* dict of options, and every row that is reset gets all of it. Rows that need different options
# take a masked reset each. Automatic resets pass no options at all, so use `DISABLED` if every episode needs them.
#
# **See** [options for the chosen
# rows](../compositions/14_selective_reset.ipynb#options-for-the-chosen-rows).


# %%
class Level(StepCounter):
    def reset(self, *, seed=None, options=None):
        level = (options or {}).get("level", 0)
        return super().reset(seed=seed)[0], {"level": level}


envs = SyncVectorEnv([Level] * 2, autoreset_mode=DISABLED)
with expect(AttributeError):
    envs.reset(seed=0, options=[{"level": 3}, {"level": 4}])
print("one dict for all:", envs.reset(seed=0, options={"level": 3})[1]["level"])
second = {"level": 4, "reset_mask": np.array([False, True])}
levels = envs.reset(options=second)[1]["level"]
print("row 1 alone:     ", levels)
assert levels.tolist() == [0, 4]  # row 0 was not reset, and reports nothing

# %% tags=["remove-cell"]
automatic = SyncVectorEnv([Level] * 2)
automatic.reset(seed=0, options={"level": 3})
assert automatic.reset(seed=0, options={"level": 3})[1]["level"].tolist() == [3, 3]
for _ in range(4):
    infos = automatic.step(still(automatic))[4]
assert infos["level"].tolist() == [0, 0] and infos["_level"].all()

# %% [markdown]
# ### An action mask is refused
#
# `AssertionError: Expects the mask to be a tuple`: to sample a batch of legal actions, pass a tuple with one mask for
# each row, `tuple(masks)`. `AssertionError: Expects the mask dtype to be np.int8`: a mask of booleans needs
# `.astype(np.int8)`. Beware of rows that report no mask on a call: the info fills in zeros, and a mask of zeros gives
# the first action.
#
# **See** [masks: only the legal actions](../primitives/07_spaces.ipynb#masks-only-the-legal-actions).

# %%
space = batch_space(spaces.Discrete(3), 2)
masks = np.array([[False, True, True], [True, False, False]])
with expect(AssertionError):
    space.sample(mask=masks)
with expect(AssertionError):
    space.sample(mask=tuple(masks))
legal = tuple(masks.astype(np.int8))
drawn = np.array([space.sample(mask=legal) for _ in range(50)])
print("row 0 drew", np.unique(drawn[:, 0]), "row 1 drew", np.unique(drawn[:, 1]))
assert set(drawn[:, 0]) == {1, 2} and set(drawn[:, 1]) == {0}
assert space.sample(mask=(np.zeros(3, np.int8),) * 2).tolist() == [0, 0]

# %% [markdown]
# ### string indices must be integers
#
# `TypeError: string indices must be integers, not 'str'`. The infos were looped over as a list of dicts, as they were
# long ago. They are *one* dict: for each key an array with one value for each row, and under `_key` a
# [mask](../../book/glossary.md#mask) of the rows that reported it. For one dict a row, wrap with `DictInfoToList`,
# outermost.
#
# **See** [the info dict, call by call](../primitives/05_step.ipynb#the-info-dict-call-by-call) and [one dict for
# each row](../primitives/05_step.ipynb#one-dict-for-each-row).

# %% tags=["IN01"]
reporters = SyncVectorEnv([Reporter, StepCounter])
infos = play(reporters, 1)[4]
with expect(TypeError):
    [info["score"] for info in infos]
print(infos["score"], infos["_score"])
assert list(infos) == ["score", "_score", "nested", "_nested"]
listed = play(vector_wrappers.DictInfoToList(reporters), 1)[4]
assert listed == [{"score": 1.0, "nested": {"step": 1}}, {}]

# %% [markdown]
# ### inhomogeneous shape, when an episode ends
#
# The environment returns its reward as an array of length one. A loop refuses that at the first step, with
# `ValueError: setting an array element with a sequence.` Processes accept it: the rewards have the shape `(rows, 1)`
# until an automatic reset puts a plain 0 between them, and then `ValueError: setting an array element with a
# sequence. The requested array has an inhomogeneous shape`. Return `float(reward)`. A reward of several parts, one for
# each objective, has no place here either: put the parts into the info.
#
# **See** [what trips people up](25_failures.ipynb#what-trips-people-up) in failures.


# %% tags=["AD09"]
class ArrayReward(StepCounter):
    def step(self, action):
        observation, reward, *others = super().step(action)
        return observation, np.array([reward]), *others


rows = [partial(ArrayReward, 2), partial(ArrayReward, 9)]
with expect(ValueError):
    play(SyncVectorEnv(rows), 1)
with workers(rows) as envs:
    assert play(envs, 2)[1].shape == (2, 1)
    with expect(ValueError):
        envs.step(still(envs))


# %% tags=["remove-cell"]
class TwoRewards(StepCounter):
    def step(self, action):
        observation, reward, *others = super().step(action)
        return observation, np.array([reward, -reward]), *others


with expect(ValueError):
    play(SyncVectorEnv([TwoRewards]), 1)

# %% [markdown]
# ### No attribute call, get_attr or set_attr
#
# `AttributeError: 'CartPoleVectorEnv' object has no attribute 'call'`, or `'set_attr'`. `call`, `get_attr` and
# `set_attr` speak to sub-environments. They belong to `SyncVectorEnv` and `AsyncVectorEnv`, not to `VectorEnv`. A
# [native](../../book/glossary.md#native-vector-environment) class has no sub-environments, and a vector wrapper does
# not pass the three on: ask its `unwrapped`.
#
# **See** [wrappers do not forward
# them](../primitives/02_sync_vector_env.ipynb#wrappers-do-not-forward-them).

# %% tags=["AD08"]
wrapped = vector_wrappers.ClipReward(made("CartPole-v1"), -1, 1)
with expect(AttributeError):
    native.call("gravity")
with expect(AttributeError):
    native.set_attr("gravity", [9.8, 1.6])
with expect(AttributeError):
    wrapped.get_attr("gravity")
print(wrapped.unwrapped.get_attr("gravity"))
assert wrapped.unwrapped.call("length") == (0.5, 0.5)

# %% [markdown]
# ### Saving or copying a vector environment
#
# There is no method for it. A `SyncVectorEnv` of environments written in Python can be copied with `deepcopy`, in
# mid-episode and generators included; `cloudpickle` makes bytes of it. Plain `pickle` fails on what `make_vec` made,
# with `Can't pickle local object` or words like these, since its factories are local functions. The state of an
# `AsyncVectorEnv` is in its workers, out of reach, and `deepcopy` even destroys the original: replay the seed and
# the actions instead.
#
# **See** [save, restore, branch](24_testing_vector_envs.ipynb#save-restore-branch) and [play it
# again](24_testing_vector_envs.ipynb#with-workers-play-it-again).

# %% tags=["EV03"]
envs = made("CartPole-v1", max_episode_steps=5)
play(envs, 3)
branch = deepcopy(envs)
same = [
    np.array_equal(envs.step(still(envs))[0], branch.step(still(envs))[0])
    for _ in range(20)
]
print("the copy goes on as the original, through resets:", all(same))
assert all(same)
with expect(AttributeError, pickle.PicklingError):
    pickle.dumps(envs)

# %% [markdown]
# ## Wrong or missing data
#
# ### The last observation of an episode is gone
#
# In `NEXT_STEP`, the default, it is no longer in the info, because it is in the observations: row `i`, on the call
# whose flag for row `i` is `True`. The first observation of the next episode comes one call later. `DISABLED` shows
# it in the same place. Only `SAME_STEP` moves it, into `info["final_obs"]`. The built-in native CartPole follows
# `NEXT_STEP` too, and says so in `metadata["autoreset_mode"]`: its terminated row lies outside the limits.
#
# **See** [next step: the reset has a call of its
# own](../primitives/06_autoreset.ipynb#next-step-the-reset-has-a-call-of-its-own).

# %% tags=["AR02", "AR12"]
observations, _, terminated, _, infos = play(counters(2), 2)
print("done:", terminated, "observation [episode, step]:", observations, "info:", infos)
assert terminated[0] and observations.tolist() == [[0, 2]] and infos == {}
native.reset(seed=0)
angles = []
for _ in range(40):
    observations, _, terminated, *_ = native.step(np.array([1, 1]))
    angles += np.abs(observations[terminated, 2]).tolist()
print(f"native CartPole, {len(angles)} ends, smallest angle {min(angles):.3f}")
assert len(angles) > 2 and min(angles) > np.radians(12)
assert native.metadata["autoreset_mode"] is NEXT_STEP

# %% [markdown]
# The three modes, one row, episodes of two steps. In each box stand the episode and the step of the observation that
# came back; T marks the flag, x an action that is ignored, F what `info["final_obs"]` holds.

# %% tags=["hide-input"]
modes = list(AutoresetMode)
calls = np.zeros((4, 1), int)
timelines = [record(lambda m: counters(2, mode=m), mode, calls) for mode in modes]
show(
    draw(timelines),
    "Three timelines of one row. NEXT_STEP: 0.0, 0.1, 0.2 terminated, 1.0 with the "
    "action ignored, 1.1. SAME_STEP: 0.0, 0.1, 1.0 terminated with final observation "
    "0.2, 1.1, 2.0 terminated with final observation 1.2. DISABLED: 0.0, 0.1, 0.2 "
    "terminated, a reset to 1.0, 1.1, 1.2 terminated.",
)

# %% tags=["remove-cell"]
found = [[(c.episode, c.step) for c in timeline.rows[0]] for timeline in timelines]
assert found[0] == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]
assert found[1] == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0)]
assert found[2][:5] == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]
assert timelines[1].rows[0][2].final == (0, 2) and timelines[1].rows[0][2].terminated
assert timelines[0].rows[0][3].action_ignored

# %% [markdown]
# ### An action has no effect and pays nothing
#
# In `NEXT_STEP` the call after a done flag resets the row. The action that you send for it is thrown away, the reward
# is 0, both flags are `False`. (It has to be there all the same, and to be valid where the environment checks.) Such
# a [filler row](../../book/glossary.md#filler-row) is no transition: leave it out of what you learn from, and out of
# averages. It was the 0 at the top of this page.
#
# **See** [next step: the reset has a call of its
# own](../primitives/06_autoreset.ipynb#next-step-the-reset-has-a-call-of-its-own).

# %% tags=["AR03"]
answers = []
for action in (0, 1):
    envs = made("CartPole-v1", max_episode_steps=3)
    assert play(envs, 3)[3].all()
    observations, rewards, terminated, truncated, _ = envs.step(np.full(2, action))
    answers.append(observations)
    print("action", action, "reward", rewards, "flags", terminated, truncated)
    assert not (rewards.any() or terminated.any() or truncated.any())
assert np.array_equal(*answers)

# %% [markdown]
# ### None among the final observations
#
# In `SAME_STEP`, `info["final_obs"]` is an array of objects with one entry for each row: an observation where the row
# has finished, `None` where not. The mask `info["_final_obs"]` says which. For a batch of true next observations copy
# the observations and write the final ones over the masked rows. `np.stack` of the whole fails with `ValueError: all
# input arrays must have the same shape`. Other libraries may put a full array there, so look first.
#
# **See** [same step: two episodes in one
# row](../primitives/06_autoreset.ipynb#same-step-two-episodes-in-one-row).

# %% tags=["AR10"]
observations, *_, infos = play(counters(2, 3, mode=SAME_STEP), 2)
finals, mask = infos["final_obs"], infos["_final_obs"]
print(finals, mask)
assert finals.dtype == object and finals[1] is None and mask.tolist() == [True, False]
led_to = observations.copy()
led_to[mask] = np.stack(finals[mask])
assert led_to.tolist() == [[0, 2], [0, 2]] and observations[0].tolist() == [1, 0]
with expect(ValueError):
    np.stack(finals)

# %% [markdown]
# ### The final observation is the next start
#
# The environment writes every observation into one array of its own and returns that array. In `SAME_STEP` the final
# observation is put aside and the environment is reset at once, which overwrites it: `info["final_obs"]` then shows
# the next episode. Loop and processes do the same. Let the environment return a copy, or a new array, each time. (An
# info dict that is used again suffers the same.)
#
# **See** [same step: two episodes in one
# row](../primitives/06_autoreset.ipynb#same-step-two-episodes-in-one-row).


# %%
class UsesAgain(StepCounter):
    def _observation(self):
        if not hasattr(self, "array"):
            self.array = np.zeros(2, np.float32)
        self.array[:] = self.episode, self.step_count
        return self.array


for kind in (UsesAgain, StepCounter):
    envs = SyncVectorEnv([partial(kind, 2)], autoreset_mode=SAME_STEP)
    final = play(envs, 2)[4]["final_obs"][0]
    print(f"{kind.__name__:11s} final observation [episode, step]: {final}")
    assert final.tolist() == ([1, 0] if kind is UsesAgain else [0, 2])

# %% tags=["remove-cell"]
with workers([partial(UsesAgain, 2)], autoreset_mode=SAME_STEP) as envs:
    assert play(envs, 2)[4]["final_obs"][0].tolist() == [1, 0]

# %% [markdown]
# ### Episode statistics are nowhere
#
# The log of returns and lengths stays empty. `RecordEpisodeStatistics` around the batch puts `infos["episode"]`, with
# its mask `_episode`, into the call that ends an episode, in every mode. Inside the factory it does the same, but in
# `SAME_STEP` that info is moved to `infos["final_info"]["episode"]`; code written for that finds nothing in the other
# modes. And there put it around the time limit: as the inner one of the two it never hears of a truncation.
#
# **See** [inside or around: where to
# look](../compositions/15_nested_wrappers.ipynb#inside-or-around-where-to-look) and [the old script logs
# nothing](../primitives/06_autoreset.ipynb#what-trips-people-up).

# %%
single = single_wrappers.RecordEpisodeStatistics
for mode in AutoresetMode:
    around = vector_wrappers.RecordEpisodeStatistics(counters(2, mode=mode))
    inside = SyncVectorEnv([lambda: single(StepCounter(2))], autoreset_mode=mode)
    found = ["episode" in play(envs, 2)[4] for envs in (around, inside)]
    print(f"{mode.name:9s} infos['episode'] around: {found[0]}, inside: {found[1]}")
    assert found == [True, mode is not SAME_STEP]
too_deep = SyncVectorEnv([lambda: single_wrappers.TimeLimit(single(StepCounter(9)), 2)])
*_, truncated, infos = play(too_deep, 2)
print("within the time limit, at a truncation:", infos)
assert truncated[0] and infos == {}

# %% tags=["remove-cell"]
inside = SyncVectorEnv([lambda: single(StepCounter(2))], autoreset_mode=SAME_STEP)
assert play(inside, 2)[4]["final_info"]["episode"]["r"].tolist() == [3]

# %% [markdown]
# ### A zero in an info that nobody reported
#
# When some rows report a key and others do not, the gaps are filled: with 0, `False`, or `None` for what is no number.
# The mask `_key` tells a reported value from a filled one. Where no row reports, the key itself is missing. Nested
# dicts have masks at every level, with one exception: the `episode` of `RecordEpisodeStatistics` has the outer
# `_episode` only.
#
# **See** [the info dict, call by call](../primitives/05_step.ipynb#the-info-dict-call-by-call) and [nested
# infos](../primitives/05_step.ipynb#nested-infos-have-masks-at-every-level).


# %% tags=["IN02"]
def infos_of(*reports):
    space = spaces.Discrete(2)
    return SyncVectorEnv([partial(Says, space, 0, info) for info in reports]).reset()[1]


infos = infos_of({"score": 0.0, "name": "ada", "deep": {"k": 7}}, {})
for key in ("score", "name", "deep"):
    print(key, infos[key], infos[f"_{key}"])
assert infos["score"].tolist() == [0, 0] and infos["_score"].tolist() == [True, False]
assert infos["name"][1] is None and infos["deep"]["_k"].tolist() == [True, False]
episode = vector_wrappers.RecordEpisodeStatistics(counters(1, 2))
assert sorted(play(episode, 1)[4]["episode"]) == ["l", "r", "t"]

# %% tags=["remove-cell"]
assert "_episode" in play(episode, 1)[4]
quiet = play(SyncVectorEnv([Reporter]), 2)[4]
assert quiet == {}

# %% [markdown]
# ### An info value loses its fraction
#
# The array for a key is made from the first row that reports it in that call, and takes its type: after an `int`, a
# `float` is cut off. FrozenLake does this to you. It reports `prob` as 1/3 on a step and as the integer 1 on a
# reset, so on a call in which an earlier row is reset, 1/3 becomes 0. Arrays of different shapes are a `ValueError:
# could not broadcast input array`. Keep types and shapes constant, if need be in a wrapper.
#
# **See** [the first reporter decides the type](../primitives/05_step.ipynb#the-first-reporter-decides-the-type).

# %% tags=["IN03"]
print(infos_of({"x": 1}, {"x": 0.75})["x"], infos_of({"x": 0.75}, {"x": 1})["x"])
assert infos_of({"x": 1}, {"x": 0.75})["x"].tolist() == [1, 0]
with expect(ValueError):
    infos_of({"x": np.zeros(2)}, {"x": np.zeros(3)})
lakes = made("FrozenLake-v1")
lakes.reset(seed=0)
lakes.action_space.seed(1)
probabilities = [lakes.step(lakes.action_space.sample())[4]["prob"] for _ in range(9)]
print("FrozenLake, calls 8 and 9:", *probabilities[-2:])
assert np.allclose(probabilities[-2], 1 / 3) and probabilities[-1].tolist() == [1, 0]

# %% [markdown]
# ### A sum of successes that is never above 1
#
# A comparison of NumPy numbers gives an `np.bool_`, not a `bool`, and for that type the batch is an array of
# *objects*. Its `sum` adds `True` and `True` to `True`, and as a mask it fails. Report `bool(...)`.
#
# **See** [from Python value to batched
# array](../primitives/05_step.ipynb#from-python-value-to-batched-array).

# %%
near = np.float64(0.01) < 0.1
as_numpy, as_python = ({"won": near},) * 3, ({"won": bool(near)},) * 3
for reports in (as_numpy, as_python):
    won = infos_of(*reports)["won"]
    print(won.dtype, won.sum())
assert infos_of(*as_numpy)["won"].dtype == object
assert infos_of(*as_python)["won"].sum() == 3
with expect(IndexError):
    np.arange(3)[infos_of(*as_numpy)["won"]]

# %% [markdown]
# ### Stored observations change by themselves
#
# The vector environment was made with `copy=False`. Then every call returns one and the same array and writes over
# it. With the default, `copy=True`, each batch is yours to keep. Rewards and flags are new arrays either way. Use
# `copy=False` only if you copy the rows into storage of your own at once.
#
# **See** [copy](../primitives/02_sync_vector_env.ipynb#copy) and, for processes, [what goes through the
# pipe](../primitives/08_async_vector_env.ipynb#what-goes-through-the-pipe-and-what-does-not).

# %% tags=["AP06"]
for copy in (True, False):
    envs = counters(9, 9, copy=copy)
    stored, _ = envs.reset(seed=0)
    one, other = envs.step(still(envs)), envs.step(still(envs))
    print(f"copy={copy!s:5s} stored at reset, now: {stored.tolist()}")
    assert np.array_equal(stored, np.zeros((2, 2))) == copy
    assert (one[0] is other[0]) == (not copy) and one[1] is not other[1]

# %% tags=["remove-cell"]
with workers([StepCounter], copy=False) as envs:
    stored, _ = envs.reset(seed=0)
    assert envs.step(still(envs))[0] is stored and stored.tolist() == [[0, 1]]

# %% [markdown]
# ### Dict observations: loop or processes?
#
# Both return a dict of batches, with and without shared memory, and with the same numbers: `observations["count"][1]`
# is row 1 of `count`. (A pre-release of version 1.0 did not.) `iterate` takes a batch apart into one dict for each
# row.
#
# **See** [observations follow the space](../primitives/05_step.ipynb#observations-follow-the-space) and [one batch,
# whoever makes it](../primitives/10_space_utilities.ipynb#one-batch-whoever-makes-it).

# %% tags=["SP06"]
batches = [play(SyncVectorEnv([DictCounter] * 3), 2)[0]]
for shared in (True, False):
    with workers([DictCounter] * 3, shared_memory=shared) as envs:
        batches.append(play(envs, 2)[0])
for batch in batches:
    print(batch["count"].shape, batch["inner"]["grid"].shape, batch["count"][1])
    np.testing.assert_equal(batch, batches[0])
row = list(iterate(batch_space(DictCounter().observation_space, 3), batches[1]))[1]
assert row["count"].tolist() == [0, 2] and row["inner"]["grid"].shape == (2, 3)

# %% [markdown]
# ### A text observation never changes
#
# With shared memory, the default of processes, a `Text` or `OneOf` observation is read once, when the environment is
# made. What you get for ever is that first content. Pass `shared_memory=False`.
#
# **See** [what trips people up](../primitives/08_async_vector_env.ipynb#what-trips-people-up) in `AsyncVectorEnv`.

# %%
speaker = partial(Says, spaces.Text(5, charset="helo"), "hello")
for shared in (True, False):
    with workers([speaker] * 2, shared_memory=shared) as envs:
        words, _ = envs.reset()
    print(f"shared_memory={shared!s:5s}", words)
    assert (words == ("hello",) * 2) == (not shared)

# %% tags=["remove-cell"]
one_of = partial(Says, spaces.OneOf([spaces.Discrete(9)]), (0, 7))
for shared, expected in ((True, ((0, 0),)), (False, ((0, 7),))):
    with workers([one_of], shared_memory=shared) as envs:
        assert envs.reset()[0] == expected

# %% [markdown]
# ### Rows share one object
#
# Keyword arguments of `make_vec` are handed to every row as they are. In a loop all rows hold the very same object,
# and it is also yours; each process has a copy. Make mutable things in a factory, or inside the environment.
#
# **See** [one object for all rows](../primitives/03_make_vec.ipynb#one-object-for-all-rows).


# %% tags=["MK07"]
class Owner(StepCounter):
    def __init__(self, bag):
        super().__init__()
        self.bag = bag

    def reset(self, **kwargs):
        self.bag.append("reset")
        return super().reset(**kwargs)


# %%
spec, bag = EnvSpec("Owner-v0", entry_point=Owner), []
gym.make_vec(spec, 3, vectorization_mode="sync", bag=bag).reset(seed=0)
print("one bag for three rows:", bag)
apart = SyncVectorEnv([lambda: gym.make(spec, bag=[])] * 3)
apart.reset(seed=0)
assert len(bag) == 3 and apart.get_attr("bag") == (["reset"],) * 3

# %% tags=["remove-cell"]
with workers([partial(Owner, bag)] * 2) as envs:
    envs.reset(seed=0)
    assert envs.get_attr("bag") == (["reset"] * 4,) * 2 and bag == ["reset"] * 3

# %% [markdown]
# ### A longer time limit has no effect
#
# `gym.make` has put a `TimeLimit` inside, with the registered limit. A second one around it can only shorten. Pass
# `max_episode_steps=` to `make` or `make_vec`, which replaces the registered limit.
#
# **See** [what trips people up](../primitives/03_make_vec.ipynb#what-trips-people-up) in `make_vec`.


# %% tags=["MK04"]
def cut_at(**kwargs):
    envs = made("Pendulum-v1", **kwargs)
    envs.reset(seed=0)
    return next(t for t in range(1, 999) if envs.step(still(envs))[3].any())


longer = partial(single_wrappers.TimeLimit, max_episode_steps=250)
print("another TimeLimit:", cut_at(wrappers=[longer]))
print("max_episode_steps:", cut_at(max_episode_steps=250))
assert cut_at(wrappers=[longer]) == 200 and cut_at(max_episode_steps=250) == 250

# %% [markdown]
# ### num_envs=8 is ignored
#
# In `make_vec(envs.spec, num_envs=8)` the number of rows comes from the spec, which remembers the call that made
# `envs`. So do the mode, `vector_kwargs` and `wrappers`; only keywords of the environment can be overridden. Change a
# deep copy of the spec.
#
# **See** [the record wins](../primitives/03_make_vec.ipynb#the-record-wins).

# %%
envs = made("Pendulum-v1")
larger = deepcopy(envs.spec)
larger.kwargs["num_envs"] = 8
print(gym.make_vec(envs.spec, num_envs=8).num_envs, gym.make_vec(larger).num_envs)
assert gym.make_vec(envs.spec, num_envs=8).num_envs == 2
assert gym.make_vec(larger).num_envs == 8

# %% [markdown]
# ### set_attr changes nothing
#
# `set_attr` writes to the object that already has the name, through all wrappers, so the physics do follow. (Before
# version 1.0 it wrote to the outermost wrapper, and they did not.) A name that nobody has, a misspelt one for
# instance, is created on the outermost wrapper without a word. And a number that the environment has worked out
# earlier from the attribute, as CartPole's `total_mass`, stays. A list or tuple is dealt out over the rows, so a
# value that *is* a list needs a list around it.
#
# **See** [which object gets the
# value](../primitives/02_sync_vector_env.ipynb#which-object-gets-the-value) and [one value for all, or one for
# each](../primitives/02_sync_vector_env.ipynb#one-value-for-all-or-one-for-each).


# %% tags=["AD07"]
def move_apart(name, values=(9.8, 1.6)):
    envs = made("CartPole-v1")
    envs.set_attr(name, values)
    envs.reset(seed=[1, 1])
    for _ in range(3):
        observations, *_ = envs.step(np.array([1, 1]))
    return not np.array_equal(*observations)


print("gravity:", move_apart("gravity"), "| gravty:", move_apart("gravty"))
assert move_apart("gravity") and not move_apart("gravty")
with expect(ValueError):
    made("CartPole-v1").set_attr("gravity", [1, 2, 3])

# %% tags=["remove-cell"]
assert not move_apart("masscart", [1.0, 100.0])
assert move_apart("total_mass", [1.1, 100.0])

# %% [markdown]
# ### Sampled actions differ from run to run
#
# `reset(seed=...)` never touches the action space, which has a generator of its own. Seed the space that you sample
# from: `envs.action_space.seed(s)`. Seeding `single_action_space` does not seed the batched one.
#
# **See** [what reset does not seed](../primitives/04_reset.ipynb#what-reset-does-not-seed).

# %% tags=["SD01"]
envs = made("CartPole-v1")
draws = {"space unseeded": [], "space seeded": []}
for name, drawn in draws.items():
    for _ in range(2):
        envs.reset(seed=0)
        if name == "space seeded":
            envs.action_space.seed(7)
        drawn.append([envs.action_space.sample().tolist() for _ in range(40)])
    print(name, "- the same actions twice:", drawn[0] == drawn[1])
    assert (drawn[0] == drawn[1]) == (name == "space seeded")

# %% tags=["remove-cell"]
drawn = []
for _ in range(2):
    envs.single_action_space.seed(7)
    drawn.append([envs.action_space.sample().tolist() for _ in range(40)])
assert drawn[0] != drawn[1]

# %% [markdown]
# ### Are the later episodes reproducible?
#
# Yes, although autoreset passes no seed. The first, seeded reset makes each row's generator, and every later reset
# goes on drawing from it. One seed at the start determines the whole run, given the same actions. Do not seed again
# at every reset, or each episode is the first one.
#
# **See** [autoreset passes no seed, and the run still
# repeats](../primitives/04_reset.ipynb#autoreset-passes-no-seed-and-the-run-still-repeats).

# %% tags=["SD02"]
fixed = np.random.default_rng(0).integers(2, size=(200, 2))


def course(seed):
    envs = made("CartPole-v1")
    envs.reset(seed=seed)
    steps = [envs.step(actions) for actions in fixed]
    return np.array([step[0] for step in steps]), sum(step[2].sum() for step in steps)


(one, ends), (again, _), (other, _) = course(1), course(1), course(50)
print(ends, "episodes ended; the same run twice:", np.array_equal(one, again))
assert ends > 5 and np.array_equal(one, again) and not np.array_equal(one, other)

# %% [markdown]
# ## Learning looks wrong
#
# ### Bootstrapping at a time limit
#
# A time limit cuts an episode that would have gone on. Its last observation has a
# [value](../../book/glossary.md#value), and the target should [bootstrap](../../book/glossary.md#bootstrap) from it:
# multiply by `1 - terminated`, not by `1 - done`. In `NEXT_STEP` and `DISABLED` it is the row itself on the
# truncating call, in `SAME_STEP` it is `info["final_obs"][i]`. It is the same observation.
#
# **See** chapter 17, [rollouts](../learning/17_rollouts.ipynb), and [one loop for all three
# modes](../primitives/06_autoreset.ipynb#one-loop-for-all-three-modes).

# %% tags=["AR11"]
for mode in AutoresetMode:
    envs = counters(2, mode=mode, end="truncated")
    observations, _, terminated, truncated, infos = play(envs, 2)
    cut = infos["final_obs"][0] if "final_obs" in infos else observations[0]
    weight = 1 - terminated[0]
    print(f"{mode.name:9s} bootstrap from {cut} with weight {weight}")
    assert truncated[0] and cut.tolist() == [0, 2] and weight == 1

# %% [markdown]
# ### Advantages leak across episodes
#
# Collected in `NEXT_STEP`, a rollout has one filler row after each episode. Run the recursion of
# [GAE](../../book/glossary.md#gae) over all rows: the next value counts `1 - terminated`, the sum over later steps is
# cut where `done`, terminated or truncated. *Then* drop the rows that follow a done. Since the sum is cut at the
# done before it, a filler row spoils nothing but itself, and what remains is what `SAME_STEP` gives.
#
# **See** chapter 17, [rollouts](../learning/17_rollouts.ipynb).


# %% tags=["EV02"]
def gae(rewards, values, next_values, terminated, done, gamma=0.9, lam=0.8):
    errors = rewards + gamma * next_values * ~terminated - values
    advantages, later = np.zeros_like(errors), 0.0
    for t in reversed(range(len(errors))):
        later = errors[t] + gamma * lam * ~done[t] * later
        advantages[t] = later
    return advantages


# %% [markdown]
# We collect two truncated episodes of three steps in both modes, with a value function that can be any.


# %%
def advantages(mode, calls, value=lambda observation: np.cos(observation).sum()):
    envs = counters(3, mode=mode, end="truncated")
    seen_value, rows = value(envs.reset(seed=0)[0][0]), []
    for _ in range(calls):
        observations, reward, terminated, truncated, infos = envs.step(still(envs))
        led_to = infos["final_obs"][0] if "final_obs" in infos else observations[0]
        done = bool(truncated[0])
        rows.append((reward[0], seen_value, value(led_to), bool(terminated[0]), done))
        seen_value = value(observations[0])
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    return gae(*columns), columns[-1]


# %%
(next_step, done), (same_step, _) = advantages(NEXT_STEP, 7), advantages(SAME_STEP, 6)
follows_done = np.concatenate([[False], done[:-1]])
print("NEXT_STEP:", next_step.round(2))
print("dropped:  ", next_step[~follows_done].round(2))
print("SAME_STEP:", same_step.round(2))
assert follows_done.sum() == 1
assert np.allclose(next_step[~follows_done], same_step)

# %% [markdown]
# ### More rows give a lower score
#
# "The first N episodes to finish" prefers short episodes, and the more rows there are, the stronger. Fix beforehand
# how many episodes each row contributes, one each for instance, and ignore what a row finishes beyond that. Below,
# an episode has 1 or 9 steps with equal chances, so the true mean is 5.
#
# **See** chapter 20, [evaluation](../learning/20_evaluation.ipynb).


# %% tags=["EV01"]
class Coin(StepCounter):
    def reset(self, **kwargs):
        result = super().reset(**kwargs)
        self.length = self.np_random.choice([1, 9])
        return result


# %%
envs = vector_wrappers.RecordEpisodeStatistics(SyncVectorEnv([Coin] * 400))
envs.reset(seed=0)
finished, first_of = [], {}
while len(first_of) < 400:
    infos = envs.step(still(envs))[4]
    for row in np.flatnonzero(infos.get("_episode", [])):
        length = infos["episode"]["l"][row]
        finished.append(length)
        first_of.setdefault(row, length)
to_finish, of_each_row = finished[:400], list(first_of.values())
print("first 400 to finish:", np.mean(to_finish))
print("first of each row:  ", np.mean(of_each_row))
assert np.mean(to_finish) < 3 and abs(np.mean(of_each_row) - 5) < 0.5

# %% [markdown]
# ## Slow
#
# ### make_vec is slower than a loop
#
# In versions 0.28 and 0.29 the one-line factory made *processes* by default, and for a cheap environment a message
# costs more than the step. Since version 1.0 the default is the native class if the id has one, else a loop. So the
# same line gives a `CartPoleVectorEnv` for one id and a `SyncVectorEnv` for another. Say the mode.
#
# **See** [the mode](../primitives/03_make_vec.ipynb#the-mode) and [when it
# pays](../primitives/08_async_vector_env.ipynb#when-it-pays).

# %% tags=["MK01"]
for name in ("CartPole-v1", "Pendulum-v1"):
    has_native = gym.spec(name).vector_entry_point is not None
    envs = gym.make_vec(name, 2)
    print(f"{name}: native class {has_native} -> {type(envs).__name__}")
    assert has_native != isinstance(envs, SyncVectorEnv)
with expect(ValueError):
    gym.make_vec("Pendulum-v1", 2, vectorization_mode="threads")

# %% [markdown]
# ### How many sub-environments?
#
# It depends on the kind. Processes: about as many as there are free cores, also when a step asks a simulator on the
# same machine; more if the work is done elsewhere. A loop: its throughput hardly depends on the number, which only
# makes the batch larger. A native class: hundreds, because one fixed price is shared by all rows. For the algorithm,
# more rows mean fewer steps of each row between two updates. Below, how many environment steps fit into a second,
# compared with four rows.
#
# **See** [how many sub-environments,
# then?](../primitives/08_async_vector_env.ipynb#how-many-sub-environments-then) and chapter 22,
# [throughput](../scale/22_throughput.ipynb).


# %% tags=["timing", "AP04"]
def rate(envs, seconds=0.005):
    """Environment steps in a second."""
    actions, steps, start = still(envs), 0, time.perf_counter()
    while (passed := time.perf_counter() - start) < seconds:
        envs.step(actions)
        steps += envs.num_envs
    return steps / passed


# %% tags=["timing"]
growth = {}
for mode, rows in {"sync": 32, "vector_entry_point": 256}.items():
    pair = [gym.make_vec("CartPole-v1", n, vectorization_mode=mode) for n in (4, rows)]
    for envs in pair:
        envs.reset(seed=0)
    few, many = np.median([[rate(envs) for envs in pair] for _ in range(15)], axis=0)
    growth[mode] = many / few
    print(f"{mode:18s} {rows:3d} rows: {growth[mode]:.1f} times the steps of 4 rows")
assert growth["sync"] < 3 < 8 < growth["vector_entry_point"]

# %% [markdown]
# ### Far more workers than cores
#
# New in 1.4.0: `max_concurrency=k` lets at most `k` workers be in `reset` or `step` at once. `call`, `get_attr`,
# `set_attr` and `render` are not held back. Whether it helps is to be measured. A `worker` function of your own must
# now take one more argument, else ``ValueError: A custom `worker` must accept 8 arguments.``
#
# **See** [more workers than
# cores](../primitives/08_async_vector_env.ipynb#more-workers-than-cores-max_concurrency).


# %% tags=["AP03"]
class Clocked(Wait):
    def step(self, action):
        start = time.monotonic()
        *result, info = super().step(action)
        return *result, info | {"start": start, "end": time.monotonic()}


# %%
for cap in (1, 2):
    with workers([partial(Clocked, 0.02, "sleep")] * 3, max_concurrency=cap) as envs:
        infos = play(envs, 1)[4]
    start, end = infos["start"], infos["end"]
    at_once = max(((start <= t) & (t < end)).sum() for t in start)
    print(f"max_concurrency={cap}: never more than {cap} at once:", at_once <= cap)
    assert at_once <= cap
with expect(ValueError):
    AsyncVectorEnv([StepCounter], worker=lambda a, b, c, d, e, f, g: None)

# %% [markdown]
# ## Processes
#
# ### EOFError or BrokenPipeError in step
#
# `BrokenPipeError`, `EOFError` or `ConnectionResetError`: a worker is gone, and nobody answers the pipe. The system
# has killed it (out of memory), a library has crashed, something has called `exit`. The exit codes say which:
# `[process.exitcode for process in envs.processes]`, where -9 is a kill. Gymnasium restarts nothing. End what is left
# and make a new vector environment.
#
# **See** [a worker that dies](25_failures.ipynb#a-worker-that-dies) and [the way
# back](25_failures.ipynb#the-way-back).

# %% tags=["AD03"]
with workers([StepCounter] * 3) as envs:
    envs.reset(seed=0)
    envs.processes[1].kill()
    envs.processes[1].join()
    with expect(BrokenPipeError, EOFError, ConnectionResetError):
        envs.step(still(envs))
    codes = [process.exitcode for process in envs.processes]
    print("exit codes:", codes)
    assert codes[0] is None and codes[1] < 0
    envs.close(terminate=True)
    assert not any(process.is_alive() for process in envs.processes)

# %% [markdown]
# ### After a timeout everything is one step late
#
# `step_wait(timeout=...)` turns a hanging worker into a `multiprocessing.TimeoutError`. It is good for that and for
# nothing else: the environment looks ready again, but the late answer is still in the [pipe](../../book/glossary.md#pipe),
# and the next step returns it as its own. After a timeout, `close(terminate=True)` and make a new one.
#
# **See** [a worker that hangs](25_failures.ipynb#a-worker-that-hangs).

# %% tags=["AD05"]
with workers([partial(Wait, 0.3, "sleep")]) as envs:
    envs.reset(seed=0)
    envs.step_async(np.array([0]))
    with expect(multiprocessing.TimeoutError):
        envs.step_wait(timeout=0.05)
    reward = envs.step(np.array([0]))[1]
    print("reward of step 2, which should be 2:", reward)
    assert reward.tolist() == [1]

# %% [markdown]
# ### An environment that starts processes
#
# `AssertionError: daemonic processes are not allowed to have children`. Workers are daemons by default, and a daemon
# may not start processes through `multiprocessing`. (A program started with `subprocess` is no concern of this
# rule.) `daemon=False` allows it. Then make sure that `close()` is called, for without it Python waits at the end of
# your program for workers that never end.
#
# **See** [after the last step](25_failures.ipynb#after-the-last-step) and [what trips people
# up](25_failures.ipynb#what-trips-people-up) in failures.


# %% tags=["AD12"]
class Simulator(StepCounter):
    def reset(self, **kwargs):
        child = multiprocessing.Process(target=int)
        child.start()
        child.join()
        return super().reset(**kwargs)


with workers([Simulator]) as envs, expect(AssertionError):
    envs.reset(seed=0)
with workers([Simulator], daemon=False) as envs:
    print("daemon=False:", envs.reset(seed=0)[0])
    assert envs.reset(seed=0)[0].tolist() == [[0, 0]]

# %% [markdown]
# ### All workers draw the same random numbers
#
# The environment draws from NumPy's global generator. A forked worker is a copy of your process, that generator's
# state included. (Python's own `random` seeds itself anew in a fork, so there the rows differ, but no seed of yours
# has any effect.) Draw from `self.np_random`, which `super().reset(seed=seed)` seeds for each row.
#
# **See** [what trips people up](../primitives/04_reset.ipynb#what-trips-people-up) in reset.


# %% tags=["SD06"]
class Noisy(StepCounter):
    source = "self.np_random"

    def _observation(self):
        draw = {
            "np.random": lambda: np.random.random(),
            "random": random.random,
            "self.np_random": self.np_random.random,
        }[self.source]
        return np.array([draw(), 0.0], np.float32)


# %%
for name, different, repeats in [
    ("np.random", 1, False),
    ("random", 4, False),
    ("self.np_random", 4, True),
]:
    Noisy.source = name
    with workers([Noisy] * 4, context="fork") as envs:
        first, again = (envs.reset(seed=0)[0][:, 0] for _ in range(2))
    same = np.array_equal(first, again)
    print(f"{name:15s} different in 4 rows: {len(set(first))}  seed works: {same}")
    assert (len(set(first)), same) == (different, repeats)

# %% [markdown]
# ### Do processes change the data?
#
# No. With the same seeds and actions, loop and processes return the same observations, rewards, flags and resets, to
# the last bit; only the place differs. The exceptions are environments that share something: a global generator, or
# an object handed to all rows. So a loop is a fair reference for processes, and often the faster one.
#
# **See** [the same numbers, computed
# elsewhere](../primitives/08_async_vector_env.ipynb#the-same-numbers-computed-elsewhere).

# %% tags=["AP05"]
runs = []
for mode in ("sync", "async"):
    with closing(gym.make_vec("CartPole-v1", 2, vectorization_mode=mode)) as envs:
        runs.append([envs.reset(seed=5)[0]])
        for actions in np.random.default_rng(0).integers(2, size=(100, 2)):
            *step, _ = envs.step(actions)
            runs[-1] += step
equal = all(np.array_equal(a, b) for a, b in zip(*runs, strict=True))
ends = sum(flags.sum() for flags in runs[0][3::4])
print("identical:", equal, "over", ends, "ends of episodes")
assert equal and ends > 3

# %% [markdown]
# ### Who closes the environments?
#
# You do. Up to version 1.2 a wrapper that went out of use closed what it wrapped; since 1.3 neither
# `VectorEnv` nor `VectorWrapper` does anything when it is collected. An `AsyncVectorEnv` that is itself collected
# ends its workers, without closing their environments. The docstring of `close`, which promises more, is out of
# date. Use `contextlib.closing`, or `try` and `finally`.
#
# **See** [after the last step](25_failures.ipynb#after-the-last-step).

# %% tags=["AD13"]
kinds = (gym.vector.VectorEnv, VectorWrapper, SyncVectorEnv, AsyncVectorEnv)
print({kind.__name__: hasattr(kind, "__del__") for kind in kinds})
assert [hasattr(kind, "__del__") for kind in kinds] == [False] * 3 + [True]
envs = AsyncVectorEnv([StepCounter])
wrapped, worker = VectorWrapper(envs), envs.processes[0]
del wrapped
assert not envs.closed and worker.is_alive()
del envs
assert not worker.is_alive()

# %% [markdown]
# ## Wrappers
#
# ### A wrapper refuses same step
#
# `ValueError: Expected autoreset_mode to be NEXT_STEP or DISABLED, got AutoresetMode.SAME_STEP`. No vector wrapper
# for *observations* takes `SAME_STEP`, because it would miss the final observation in the info. (A table on the web
# that allows some of them is out of date.) Wrappers for actions, rewards, statistics and infos take every mode.
# Transform observations inside the batch, with single-environment wrappers.
#
# **See** [all of them, and the modes they
# accept](../primitives/09_vector_wrappers.ipynb#all-of-them-and-the-modes-they-accept) and [the way round
# SAME_STEP](../compositions/15_nested_wrappers.ipynb#the-way-round-same_step).

# %% tags=["WR06"]
wv = vector_wrappers
wrap = {
    "TransformObservation": lambda e: wv.TransformObservation(e, np.negative),
    "FlattenObservation": wv.FlattenObservation,
    "DtypeObservation": lambda e: wv.DtypeObservation(e, np.float64),
    "NormalizeObservation": wv.NormalizeObservation,
    "RescaleAction": lambda e: wv.RescaleAction(e, -1, 1),
    "ClipReward": lambda e: wv.ClipReward(e, -1, 1),
    "NormalizeReward": wv.NormalizeReward,
    "RecordEpisodeStatistics": wv.RecordEpisodeStatistics,
    "DictInfoToList": wv.DictInfoToList,
}

# %%
for name, wrapper in wrap.items():
    if "Observation" in name:
        with expect(ValueError):
            wrapper(made("Pendulum-v1", SAME_STEP))
    else:
        print("accepted:", wrapper(made("Pendulum-v1", SAME_STEP)))
inside = made("Pendulum-v1", SAME_STEP, wrappers=[single_wrappers.FlattenObservation])
assert inside.reset(seed=0)[0].shape == (2, 3)

# %% [markdown]
# ### Reported lengths are too small
#
# `RecordEpisodeStatistics` around a batch clears the counters of *every* row at a masked reset, in 1.4.0. The vector
# environment takes `reset_mask` out of your options before the wrapper can look at it. For the same reason a dict
# that you use twice resets all rows the second time. Build the dict anew in each call, and keep the statistics
# inside the rows. (`NormalizeReward` never looks at the mask: any reset clears what it has added up, in all rows.)
#
# **See** [what trips people up](../compositions/14_selective_reset.ipynb#what-trips-people-up) in selective reset,
# and [in vector wrappers](../primitives/09_vector_wrappers.ipynb#what-trips-people-up) a wrapper that cures it.


# %% tags=["WR02"]
def length_of_row_1(envs):
    done = play(envs, 2)[2]
    options = {"reset_mask": done}
    envs.reset(options=options)
    assert options == {}
    return int(envs.step(still(envs))[4]["episode"]["l"][1])


# %%
around = vector_wrappers.RecordEpisodeStatistics(counters(2, 3, mode=DISABLED))
record_one = single_wrappers.RecordEpisodeStatistics
rows = [lambda n=n: record_one(StepCounter(n)) for n in (2, 3)]
inside = SyncVectorEnv(rows, autoreset_mode=DISABLED)
lengths = length_of_row_1(around), length_of_row_1(inside)
print("three steps, reported around the batch and inside the row:", lengths)
assert lengths == (1, 3)

# %% tags=["remove-cell"]
scaled = vector_wrappers.NormalizeReward(counters(2, 3, mode=DISABLED))
done = play(scaled, 2)[2]
assert (scaled.accumulated_reward > 0).all()
scaled.reset(options={"reset_mask": done})
assert done.tolist() == [True, False] and not scaled.accumulated_reward.any()

# %% [markdown]
# ### The actions I stored have changed
#
# `VectorizeTransformAction` writes its result into the array it was given, if its action space equals that of what it
# wraps. Pass a copy, `envs.step(actions.copy())`, when you keep the actions. `VectorizeTransformReward` does the same
# to the array of rewards. `ClipAction` announces a space without limits, has therefore a buffer of its own, and
# leaves your actions alone.
#
# **See** [what trips people up](../primitives/09_vector_wrappers.ipynb#what-trips-people-up) in vector wrappers.

# %% tags=["WR08"]
inner = made("MountainCarContinuous-v0")
halved = vector_wrappers.VectorizeTransformAction(
    inner,
    single_wrappers.TransformAction,
    func=lambda action: action / 2,
    action_space=inner.single_action_space,
)
for envs in (halved, vector_wrappers.ClipAction(inner)):
    envs.reset(seed=0)
    actions = np.full((2, 1), 4, np.float32)
    envs.step(actions)
    print(type(envs).__name__, "leaves", actions.ravel())
    assert (actions == 4).all() == (envs is not halved)


# %% tags=["remove-cell"]
class Keeps(VectorWrapper):
    def step(self, actions):
        result = super().step(actions)
        self.rewards, self.before = result[1], result[1].copy()
        return result


keeps = Keeps(counters(9, 9))
doubled = vector_wrappers.VectorizeTransformReward(
    keeps, single_wrappers.TransformReward, func=lambda reward: 2 * reward
)
play(doubled, 1)
assert keeps.before.tolist() == [1, 1] and keeps.rewards.tolist() == [2, 2]

# %% [markdown]
# ### Normalised rewards are not around zero
#
# `NormalizeReward` only divides, by the standard deviation of the running discounted return; signs and zeros stay.
# One number serves all rows. For evaluation copy `return_rms` from training (for `NormalizeObservation` it is
# `obs_rms`) and set `update_running_mean = False`; both belong into your checkpoint.
# Since 1.3 (`NEXT_STEP`) and 1.4 (`SAME_STEP`) the calls that reset are not counted as rewards: below, ten calls with
# episodes of four steps are 8 or 10 steps for each of two rows.
#
# **See** [NormalizeReward divides, and never
# centres](../primitives/09_vector_wrappers.ipynb#normalizereward-divides-and-never-centres), also for what it gets
# wrong at the end of an episode.

# %% tags=["WR03", "WR04"]
for mode, steps in {NEXT_STEP: 8, SAME_STEP: 10}.items():
    envs = vector_wrappers.NormalizeReward(
        made("Pendulum-v1", mode, max_episode_steps=4)
    )
    rewards = play(envs, 10)[1]
    print(mode.name, "rewards counted:", round(envs.return_rms.count))
    assert round(envs.return_rms.count) == 2 * steps and (rewards <= 0).all()
    assert np.shape(envs.return_rms.var) == ()
envs.update_running_mean = False
envs.step(still(envs))
assert round(envs.return_rms.count) == 20

# %% [markdown]
# ### A masked reset restarts every row
#
# `reset_mask` is a convention of `SyncVectorEnv` and `AsyncVectorEnv`, not a promise of every `VectorEnv`. The native
# CartPole, which `make_vec("CartPole-v1")` returns, ignores it without a word. Before you rely on it, test: after a
# masked reset the other rows must be what they were.
#
# **See** [who obeys a mask?](../scale/21_native_vector_env.ipynb#who-obeys-a-mask)


# %% tags=["WR09"]
def obeys_the_mask(envs):
    before = play(envs, 2)[0]
    after, _ = envs.reset(options={"reset_mask": np.array([True, False])})
    return (before == after).all(axis=1).tolist() == [False, True]


print("loop:", obeys_the_mask(made("CartPole-v1")), "| native:", obeys_the_mask(native))
assert obeys_the_mask(made("CartPole-v1")) and not obeys_the_mask(native)
with closing(gym.make_vec("CartPole-v1", 2, vectorization_mode="async")) as envs:
    assert obeys_the_mask(envs)

# %% [markdown]
# ### RescaleAction warns about precision
#
# `UserWarning: Box low's precision lowered by casting to float32`. The bounds were given as Python floats, which are
# float64, and the action space is float32. It is harmless. Give them as `np.float32`, or as integers, and there is
# quiet. Where warnings are errors, as in many test suites, this matters.
#
# **See** [actions](../primitives/09_vector_wrappers.ipynb#actions) in vector wrappers.

# %%
for bound in (1.0, np.float32(1), 1):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        envs = vector_wrappers.RescaleAction(made("Pendulum-v1"), -bound, bound)
    print(f"{type(bound).__name__:8s} warnings: {len(caught)}")
    assert bool(caught) == (type(bound) is float)
    assert envs.actions(np.full((2, 1), 0.5, np.float32)).tolist() == [[1], [1]]

# %% tags=["remove-cell"]
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    vector_wrappers.RescaleAction(made("Pendulum-v1"), -1.0, 1.0)
elsewhere += [f"UserWarning: {str(each.message)[11:]}" for each in caught]

# %% [markdown]
# ## Rendering
#
# ### A video without the last frame
#
# In `NEXT_STEP` and `DISABLED` the frame after the last step shows the end of the episode. In `SAME_STEP` the row has
# been reset by then, so `render()` shows the next episode's start, and `RecordVideo` says in a warning that the last
# frame will be missing. Record with another mode. Only row 0 decides where an episode of the video begins and ends.
#
# **See** chapter 26, [rendering](26_rendering.ipynb).


# %% tags=["RE02"]
class Film(StepCounter):
    metadata = {"render_modes": ["rgb_array"], "render_fps": 30}
    render_mode = "rgb_array"

    def render(self):
        return np.full((2, 2, 3), self.step_count, np.uint8)


for mode in AutoresetMode:
    envs = SyncVectorEnv([partial(Film, 3)] * 2, autoreset_mode=mode)
    assert play(envs, 3)[2].all()
    frame = envs.render()[0]
    print(f"{mode.name:9s} the frame after the third and last step shows", frame.max())
    assert frame.max() == (0 if mode is SAME_STEP else 3)

# %% tags=["remove-cell"]
film = SyncVectorEnv([Film], autoreset_mode=SAME_STEP)
folder, every = tempfile.TemporaryDirectory(), lambda episode: True
with folder, warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    with suppress(gym.error.DependencyNotInstalled):  # moviepy; the warning is first
        vector_wrappers.RecordVideo(film, f"{folder.name}/v", episode_trigger=every)
assert any("will not contain the last frame" in str(w.message) for w in caught)

# %% [markdown]
# ## Upgrading
#
# ### module gymnasium.vector has no attribute make
#
# `AttributeError: module 'gymnasium.vector' has no attribute 'make'`. `gym.vector.make(id, n, asynchronous=...)` was
# removed in version 1.0. Write `gym.make_vec(id, n, vectorization_mode="async")`, or `"sync"` for
# `asynchronous=False`. `step` returns five values: what was `dones` is `terminated | truncated`. And
# `gym.make_vec(envs.spec)` makes the same thing again.
#
# **See** [what trips people up](../primitives/03_make_vec.ipynb#what-trips-people-up) in `make_vec`, and [the way
# back](../primitives/03_make_vec.ipynb#the-way-back-envsspec). All old calls stand beside the new ones in
# [migration](../../book/migration.md).

# %% tags=["IO02"]
with expect(AttributeError):
    gym.vector.make("Pendulum-v1", 2, asynchronous=False)
envs = made("Pendulum-v1", SAME_STEP, g=3.7)
_, _, terminated, truncated, _ = play(envs, 1)
dones = terminated | truncated
again = gym.make_vec(envs.spec)
print(again, again.metadata["autoreset_mode"].name, again.get_attr("g"))
assert dones.shape == (2,) and again.num_envs == 2
assert again.get_attr("g") == (3.7, 3.7) and again.metadata == envs.metadata

# %% [markdown]
# ### KeyError: final_observation
#
# `KeyError: 'final_observation'`. Since version 1.0 the keys are `final_obs` and `final_info`, with the masks
# `_final_obs` and `_final_info`, and they exist in `SAME_STEP` alone, on calls in which a row has finished. In the
# other modes the observation that comes with the flag already is the final one. Code that asks `if
# "final_observation" in infos` raises nothing, and is never true again.
#
# **See** [what trips people up](../primitives/06_autoreset.ipynb#what-trips-people-up) in autoreset, and
# [migration](../../book/migration.md).

# %% tags=["AR01"]
for mode in AutoresetMode:
    infos = play(counters(2, 9, mode=mode), 2)[4]
    print(f"{mode.name:9s}", sorted(infos))
    assert ("final_obs" in infos) == ("_final_info" in infos) == (mode is SAME_STEP)
with expect(KeyError):
    infos["final_observation"]

# %% [markdown]
# ## When your symptom is not here
#
# 1. **Ask the object what it is**: `print(type(envs.unwrapped), envs.num_envs, envs.metadata["autoreset_mode"])`, and
#    `gym.__version__`. Half of the entries above begin with a surprise about one of these four.
# 2. **Put `SyncVectorEnv` in place of processes.** If the symptom goes, it is in "Processes"; if it stays, you can
#    now use a debugger.
# 3. **Put `StepCounter` in place of your environment.** Its numbers say which episode and step each row belongs to. If
#    the symptom stays, it is in your loop or in the wrappers; if it goes, it is in the environment.
# 4. **Take the wrappers off**, outermost first, until it goes.
# 5. **Check the contract** with chapter 24, [testing vector environments](24_testing_vector_envs.ipynb), and what is
#    left of an environment after an error with chapter 25, [failures](25_failures.ipynb).

# %% tags=["remove-cell"]
# What the page quotes was shown by this run; tests/test_field_guide.py compares.
quoted = """
AssertionError: Expects the mask dtype to be np.int8 | AssertionError: Expects the
mask to be a tuple | AttributeError: 'list' object has no attribute 'get' |
NameNotFound: Environment | TypeError: Expected env to be a `gymnasium.Env` but got |
AssertionError: daemonic processes are not allowed to have children |
AssertionError: self._autoreset_envs=array([ True, False]) | AttributeError:
'CartPoleVectorEnv' object has no attribute 'call' | AttributeError: module
'gymnasium.vector' has no attribute 'make' | KeyError: 'final_observation' |
RuntimeError: An attempt has been made to start a new process before the current
process has finished its bootstrapping phase. | RuntimeError: Sub-environment action
space doesn't make | RuntimeError: SyncVectorEnv(..., observation_mode='different' or
custom space) however the sub-environments observation spaces do not share a common
shape and dtype |
"""

# %% tags=["remove-cell"]
quoted += """
RuntimeError: SyncVectorEnv(..., observation_mode='same') however the sub-environments
observation spaces are not equivalent. | TypeError: As Sequence(Discrete(9),
stack=False) has a dynamic shape so its not possible to make a static shared memory. |
TypeError: object of type 'numpy.int64' has no len() | TypeError: string indices must
be integers, not 'str' | UserWarning: Box low's precision lowered by casting to
float32 | ValueError: A custom `worker` must accept 8 arguments. | ValueError:
Expected autoreset_mode to be NEXT_STEP or DISABLED, got AutoresetMode.SAME_STEP |
ValueError: If seeds are passed as a list the length must match num_envs | ValueError:
all input arrays must have the same shape | ValueError: cannot find context for |
ValueError: could not broadcast input array | ValueError: setting an array element
with a sequence. The requested array has an inhomogeneous shape | ValueError: zip()
argument 2 is longer than argument 1 |
"""

# %% tags=["remove-cell"]
quoted += """
ValueError: zip() argument 2 is shorter than argument 1 | options['reset_mask'] |
TypeError: 'TimeLimit' object is not callable | TypeError: CartPoleEnv.__init__() got an
unexpected keyword argument 'autoreset_mode' | ValueError: 'SAME_STEP' is not a valid
AutoresetMode | Custom vector environment can be passed arguments only | before calling
env.reset() | ValueError: The truth value of an array with more than one element is
ambiguous. Use a.any() or a.all() | TypeError: unsupported operand type(s) for -: 'list'
and 'float' | AssertionError: Call reset before using step method. | has no attribute
'get_attr' | has no attribute 'set_attr'
"""

# %% tags=["remove-cell"]
for words in quoted.split("|"):
    words = " ".join(words.split())
    assert any(words in message for message in shown_errors + elsewhere), words
assert not multiprocessing.active_children()

# %% [markdown]
# ## Exercises
#
# ### Exercise 27.1: diagnose from the story
#
# Four people tell you what they see. What is the cause of each? Choose from the list, and replace each `...` with a
# number.
#
# - **anna**: "With eight rows in a loop the sensor noise was fine. In eight processes it is the same in all of them."
# - **bo**: "I catch the timeout of `step_wait`, skip that step and go on. Since then the agent learns nothing."
# - **cy**: "I evaluate one and the same policy. With 1000 rows the mean length of an episode is 9, with one row 22."
# - **dee**: "The log of `infos['success']` shows failures on steps on which no row was near the goal."
#
# The list: 1 filler rows, 2 base seeds too close, 3 a global generator, 4 answers that are one call late, 5 the first
# to finish are counted, 6 a mask was not read, 7 one object for all rows.
#
# <details><summary>Hint</summary>
#
# For each, find the row of the index that says the same. A story about processes need not be in "Processes".
#
# </details>

# %% tags=["exercise"]
answer = {"anna": ..., "bo": ..., "cy": ..., "dee": ...}

# %%
check("27.1", answer)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# answer = {"anna": 3, "bo": 4, "cy": 5, "dee": 6}
# ```
#
# Cy's policy did not change: of 1000 rows the short episodes finish first, so the *low* number is the wrong one.
#
# </details>
#
# ### Exercise 27.2: diagnose from the data
#
# A colleague hands you a recorded rollout of `StepCounter`s and cannot tell which autoreset mode it was made in. Write
# `mode_of(observations, rewards, done)`. The arrays have the shapes `(calls, rows, 2)`, `(calls, rows)` and
# `(calls, rows)`, and entry `t` is what the call `t` of `step` returned; in `DISABLED`, finished rows were reset by
# mask between the calls, which is not recorded. Return `"NEXT_STEP"`, `"SAME_STEP"` or `"DISABLED"`. At least one
# episode ends before the last call, in some row.
#
# <details><summary>Hint</summary>
#
# Find a row and a call with `done`. What does the observation say there, and the reward one call later? The picture
# of this page has all three cases.
#
# </details>


# %% tags=["exercise"]
def mode_of(observations, rewards, done):
    raise NotImplementedError


# %%
check("27.2", mode_of)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def mode_of(observations, rewards, done):
#     call, row = np.argwhere(done[:-1])[0]
#     if observations[call, row, 1] == 0:
#         return "SAME_STEP"
#     return "NEXT_STEP" if rewards[call + 1, row] == 0 else "DISABLED"
# ```
#
# </details>
#
# ## Recap
#
# - Start from what you see. The words of an error are quoted here as they are printed.
# - Most wrong data has one of three roots: a row that is no transition, a mask that was not read, an array that is
#   shared.
# - After an error, a loop wants a reset of all rows, and processes want to be made anew.
#
# **Back:** [rendering](26_rendering.ipynb). **Back to the beginning:**
# [VectorEnv](../primitives/01_vector_env.ipynb).
# **Reference:** [Gymnasium's vector API](https://gymnasium.farama.org/api/vector/), and its
# [issues](https://github.com/Farama-Foundation/Gymnasium/issues), where most of these questions were first asked.
