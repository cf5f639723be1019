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
# # `AsyncVectorEnv`: one process for each sub-environment
#
# After this chapter you can tell whether processes will make your environment faster, start them on every platform,
# use the time while they work, and close them whatever happens.
#
# **You need:** [VectorEnv](01_vector_env.ipynb) and [SyncVectorEnv](02_sync_vector_env.ipynb); for two of the traps,
# [autoreset](06_autoreset.ipynb). **Time:** about 40 minutes.

# %%
import multiprocessing
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from functools import partial

import gymnasium as gym
import numpy as np
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

from helpers import timing
from helpers.environments import StepCounter, Wait
from helpers.exercises import check
from helpers.explorables import explorable
from helpers.figures import PALETTE, figure, show
from helpers.pages import expect, say, table

# %% [markdown]
# ## Three environments, and a list that disagrees
#
# Here is a [factory](../../book/glossary.md#factory), a function that returns a new environment. This one also
# leaves a note in a list each time it runs. We hand it over three times and get three rows back. How many notes are
# in the list?

# %%
notes = []


def factory():
    notes.append("made one")
    return StepCounter()


with closing(AsyncVectorEnv([factory] * 3)) as envs:
    observations, infos = envs.reset(seed=0)
    names = [process.name for process in envs.processes]
print(len(observations), "rows,", len(notes), "note")
print(names)
assert len(observations) == len(names) == 3
assert len(notes) == 1

# %% [markdown]
# One. `AsyncVectorEnv` starts a process for each factory, called a [worker](../../book/glossary.md#worker). The
# factory runs inside the worker, and what it appends goes to the worker's own copy of the list. Processes share no
# variables.
#
# The single note you see does not even belong to one of the three rows. The constructor calls the first factory
# once in *your* process, reads the spaces and the metadata from that environment, and closes it. An environment
# that opens a licence, a port or a window must bear being made once more than you asked for.
#
# So there is nothing here to look into: `SyncVectorEnv` has `envs.envs`, this class has processes.

# %%
with closing(AsyncVectorEnv([StepCounter] * 3)) as envs:
    print("has .envs:", hasattr(envs, "envs"))
    print("alive:", [process.is_alive() for process in envs.processes])
    workers = envs.processes
print("alive after the block:", [process.is_alive() for process in workers])
assert not hasattr(envs, "envs")
assert not any(process.is_alive() for process in workers)

# %% [markdown]
# `closing`, from the standard library, calls `envs.close()` when the block ends, also when a line inside it raises.
# Without it, a cell that fails leaves its processes behind. This chapter uses it wherever it can, and so should
# your programs; a plain `with AsyncVectorEnv(...)` is not possible.

# %% tags=["remove-cell"]
envs = AsyncVectorEnv([StepCounter])
try:
    with envs:
        raise AssertionError("a vector environment has become a context manager")
except TypeError:
    pass
finally:
    envs.close()

# %% [markdown]
# ## The same numbers, computed elsewhere
#
# Does it matter for the data where an environment runs? Three cart-poles in a loop, three in processes, the same
# seeds, the same actions: we compare everything that comes back, over 200 calls.

# %%
modes = ["sync", "async"]
equal, ends = True, 0
loop, procs = (gym.make_vec("CartPole-v1", 3, vectorization_mode=m) for m in modes)
with closing(loop), closing(procs):
    loop.action_space.seed(5)
    equal &= np.array_equal(loop.reset(seed=5)[0], procs.reset(seed=5)[0])
    for _ in range(200):
        actions = loop.action_space.sample()
        one, other = loop.step(actions), procs.step(actions)
        equal &= all(map(np.array_equal, one[:4], other[:4])) and one[4] == other[4]
        ends += int((one[2] | one[3]).sum())
print("identical:", equal, "| episodes that ended on the way:", ends)
assert equal and ends > 20

# %% [markdown]
# Identical to the last bit: observations, rewards, both flags, infos, and every automatic reset. A paper that used
# the loop and a paper that used processes collected the same data. The exception is an environment that leans on
# something its siblings share, such as a global random generator; it is among the [traps](#what-trips-people-up).
#
# So the choice between the two classes is about time, and nothing else.
#
# ## A call lasts as long as its slowest row
#
# `Wait`, from this book's helpers, is an environment whose step takes as long as you say. We let it report in its
# info when each step began and ended. Rows 0 to 2 need 100 ms, row 3 needs 300 ms. Before you look: how long is one
# call of the loop, and how long one call with processes?


# %% tags=["timing"]
class Stamped(Wait):
    def step(self, action):
        begin = time.perf_counter()
        *results, info = super().step(action)
        return *results, {**info, "begin": begin, "end": time.perf_counter()}


spans = {}
for kind in (SyncVectorEnv, AsyncVectorEnv):
    costs = [0.1, 0.1, 0.1, 0.3]
    with closing(kind([partial(Stamped, cost, "sleep") for cost in costs])) as envs:
        envs.reset(seed=0)
        called = time.perf_counter()
        info = envs.step(np.zeros(4, int))[4]
        print(f"{kind.__name__:15s} {1000 * (time.perf_counter() - called):.0f} ms")
    spans[kind] = 1000 * (np.array([info["begin"], info["end"]]) - called)

# %% tags=["remove-cell"]
(loop_begin, loop_end), (procs_begin, procs_end) = spans.values()
assert (loop_begin[1:] >= loop_end[:-1]).all()  # one after the other
assert procs_begin[3] < procs_end[:3].max()  # side by side

# %% tags=["hide-input", "timing"]
fig, axes = figure(7, 3.8, nrows=2, sharex=True)
for ax, (kind, (begin, end)) in zip(axes, spans.items(), strict=True):
    colours = [PALETTE[0]] * 3 + [PALETTE[1]]
    ax.barh(range(4), end - begin, left=begin, color=colours)
    ax.set_yticks(range(4), [f"row {row}" for row in range(4)])
    ax.invert_yaxis()
    ax.set_title(f"{kind.__name__}: one call of step")
axes[1].set(xlabel="milliseconds since the call", xlim=(0, None))
alt = (
    "Two bar charts over time. In the loop the four steps follow one another and end "
    "at 600 ms; with processes they start together and the slow row ends at 300 ms."
)
show(fig, alt)

# %% [markdown]
# The loop takes the *sum*, 600 ms. The processes take the *maximum*, 300 ms: three quick workers wait for the slow
# one. That is what "asynchronous" means in this class. The rows run beside one another *within* a call; the call
# itself waits for all of them, so that a batch is always complete. It does not hand you the rows that happen to be
# ready.
#
# Two things make this picture too friendly. Sleeping needs no processor, computing does, and you have only so many
# cores. And 100 ms is a very long step.
#
# ## When it pays
#
# Timing is easy to get wrong: a machine that is busy for a second makes whichever contender ran in that second look
# slow. So we measure in pairs. Both vector environments live side by side in one program and take turns with the
# same number of steps each, now this one first, now that one. From each pair we keep the ratio.


# %%
def seconds(envs, calls):
    actions = np.zeros(envs.num_envs, int)
    start = time.perf_counter()
    for _ in range(calls):
        envs.step(actions)
    return time.perf_counter() - start


# %%
def paired(make_one, make_other, calls, repeats=7):
    """Seconds of each turn: column 0 for one, column 1 for the other."""
    turns = np.zeros((repeats, 2))
    with closing(make_one()) as one, closing(make_other()) as other:
        for envs in (one, other):
            envs.reset(seed=0)
            seconds(envs, 3)  # the first calls are slower and do not count
        for turn in range(repeats):
            pair = [(0, one), (1, other)]
            for column, envs in pair if turn % 2 else reversed(pair):
                turns[turn, column] = seconds(envs, calls)
    return turns


# %%
def race(factory, n, calls):
    """How many times as fast as the loop processes are: median, lowest, highest."""
    fns = [factory] * n
    turns = paired(lambda: SyncVectorEnv(fns), lambda: AsyncVectorEnv(fns), calls)
    ratios = turns[:, 0] / turns[:, 1]
    return np.median(ratios), ratios.min(), ratios.max()


# %% [markdown]
# First CartPole, four of them, seven turns of 100 calls. Guess the ratio before you read on.

# %% tags=["timing"]
python = ".".join(map(str, sys.version_info[:3]))
cores = timing.cores()  # those this process may use
say(f"Measured with {cores} cores, Python {python}, Gymnasium {gym.__version__}.")
cartpole = race(partial(gym.make, "CartPole-v1"), n=4, calls=100)
ratio, low, high = cartpole
say(
    f"CartPole: four processes take **{1 / ratio:.1f} times as long** as the loop "
    f"({1 / high:.1f} to {1 / low:.1f} over seven pairs)."
)
assert ratio < 1

# %% [markdown]
# Processes make it slower. A step of CartPole is a few microseconds of arithmetic. Sending an action to a worker,
# waking it, and fetching its answer costs far more than that, and is paid for every row on every call.
#
# Now four environments that sleep for 5 ms, as one does that waits for a simulator in another program.

# %% tags=["timing"]
ratio, low, high = race(partial(Wait, 0.005, "sleep"), n=4, calls=5)
say(
    f"Sleeping 5 ms: four processes are **{ratio:.1f} times as fast** as the loop "
    f"({low:.1f} to {high:.1f} over seven pairs)."
)
assert ratio > 1.5

# %% [markdown]
# The same class, a slowdown and a gain. What decides is how long a step is, and what it does meanwhile. We sweep
# both: "burn" keeps a core busy for the given time, as physics would, and "sleep" only waits.

# %% tags=["timing"]
plan = [(2e-5, 40), (1e-4, 20), (5e-4, 8), (2e-3, 4), (5e-3, 2)]
sweep = {
    how: np.array([race(partial(Wait, cost, how), 4, calls) for cost, calls in plan])
    for how in ("burn", "sleep")
}
step_costs = 1000 * np.array([cost for cost, _ in plan])  # in milliseconds

# %% tags=["hide-input", "timing"]
fig, ax = figure(7, 4)
for (how, rows), style in zip(sweep.items(), ["o-", "s--"], strict=True):
    middle, low, high = rows.T
    bars = [middle - low, high - middle]
    ax.errorbar(step_costs, middle, bars, fmt=style, capsize=3, label=how)
ax.axhline(1, color=PALETTE[5], ls=":", lw=1.2, marker="")
ax.set(xscale="log", yscale="log", title="Four sub-environments")
ax.set(xlabel="cost of one step (milliseconds)", ylabel="times as fast as the loop")
ax.set_xticks(step_costs, [f"{cost:g}" for cost in step_costs])
ax.set_yticks([0.25, 0.5, 1, 2, 4], ["1/4", "1/2", "1", "2", "4"])
ax.minorticks_off()
ax.legend()
burn, sleep = (sweep[how][:, 0].round(1) for how in ("burn", "sleep"))
alt = f"""Ratio against the cost of a step, both axes logarithmic. From 0.02 to 5 ms,
burn goes from {burn[0]} to {burn[-1]} and sleep from {sleep[0]} to {sleep[-1]}."""
show(fig, alt)

# %% [markdown]
# Bars show the whole range over seven pairs. The dotted line is the loop: where a curve is below it, processes cost
# you time.

# %% tags=["timing"]
middle = sweep["burn"][:, 0]
won = step_costs[middle > 1]
say(
    f"The cheapest computing step at which processes won here: {won.min():g} ms."
    if won.size
    else "Processes won at no cost of a computing step. Were other programs running?"
)
say(f"At 5 ms of computing they were {middle[-1]:.1f} times as fast, on {cores} cores.")

# %% [markdown]
# The two curves end at different heights. Four sleepers can wait at the same time on a single core, so their gain
# goes towards four, the number of rows. Four computing steps need four cores to run at once. With fewer cores,
# their gain stops at the number of cores, and no number of workers lifts it. A core that is busy with something
# else is a core you do not have: on a crowded machine the burn curve stays low and its bars grow long. To see where
# your own environment stands, `race` it.
#
# ### A model to play with
#
# Three numbers give a first guess of how long a call takes: the cost of a step, the number of rows, and what one
# round trip to a worker costs. The loop takes rows times cost. Processes pay a round trip for each row, and then the
# steps: all at once if they only wait, in rounds of as many as there are free cores if they compute.

# %% tags=["timing"]
with closing(AsyncVectorEnv([partial(Wait, 0.0)] * 4)) as envs:
    envs.reset(seed=0)
    round_trip = min(seconds(envs, 50) for _ in range(5)) / 50 / 4
say(f"A round trip to a worker took {1e6 * round_trip:.0f} microseconds here.")


def model(rows, cost):
    """Seconds of one call, by what does the work."""
    trips, rounds = rows * round_trip, -(-rows // cores)
    times = {"the loop": rows * cost, "processes, computing": trips + rounds * cost}
    return times | {"processes, waiting": trips + cost}


# %% tags=["hide-input", "timing"]
model_costs, model_rows = [1e-5, 1e-4, 2e-4, 5e-4, 1e-3, 5e-3], [1, 2, 4, 8, 16]


def frame(cost, rows):
    times = model(model_rows[rows], model_costs[cost])
    bars = ""
    for name, taken in times.items():
        width = max(1, 100 * taken / max(times.values()))
        speed = times["the loop"] / taken
        bars += f"<p>{name}: {1000 * taken:.2f} ms, {speed:.2f} times the loop's speed"
        bars += f'</p><div class="bar" style="width: {width:.0f}%"></div>'
    return bars


# %% tags=["hide-input", "timing"]
labels = [f"{1000 * cost:g} ms" for cost in model_costs]
controls = {"cost of a step": labels, "rows": [str(n) for n in model_rows]}
caption = f"What a call waits for, by the model, with {cores} cores"
explorable(caption, controls, frame, (4, 2))

# %% [markdown]
# Is the model any good? Here it is beside the sweep above, for four rows.

# %% tags=["timing"]
rows = []
for i, cost in enumerate(cost for cost, _ in plan):
    guess = model(4, cost)
    rows.append({"cost": f"{1000 * cost:g} ms"})
    for how, name in [("burn", "computing"), ("sleep", "waiting")]:
        ratio = guess["the loop"] / guess[f"processes, {name}"]
        rows[-1] |= {f"{how}: model": f"{ratio:.1f}"}
        rows[-1] |= {f"{how}: measured": f"{sweep[how][i, 0]:.1f}"}
table(rows, "Times the loop's speed, by the model and measured")

# %% [markdown]
# The model has the shape right and is too hopeful: its cores are free and its steps all equally long. Where a
# measured "burn" stays far below the model, the cores were not free, and the model is the better guide.
#
# ## How many sub-environments, then?
#
# The same race with a step of 1 ms, for a growing number of rows.

# %% tags=["timing"]
rows = [
    {
        "rows": n,
        "burn 1 ms": f"{race(partial(Wait, 1e-3, 'burn'), n, 3)[0]:.1f}",
        "sleep 1 ms": f"{race(partial(Wait, 1e-3, 'sleep'), n, 3)[0]:.1f}",
    }
    for n in (1, 2, 4, 8)
]
table(rows, f"How many times as fast as the loop, on {cores} cores")

# %% [markdown]
# For steps that compute, about as many processes as you have cores: beyond that, each new row adds its cost in
# full. For steps that wait, more.
#
# The other two families answer differently. A loop does one step after another, so its throughput hardly moves;
# more rows only make the batch larger. A [native](../../book/glossary.md#native-vector-environment) class pays one
# fixed price a call, shared by all its rows, and profits from hundreds of them.


# %%
def rate(mode, n, calls=200):
    envs = gym.make_vec("CartPole-v1", n, vectorization_mode=mode)
    with closing(envs):
        envs.reset(seed=0)
        return max(n * calls / seconds(envs, calls) for _ in range(5))


loop_growth = rate("sync", 64) / rate("sync", 4)
native_growth = rate("vector_entry_point", 256) / rate("vector_entry_point", 4)
print("loop, 4 to 64 rows: grows less than 3 times:", loop_growth < 3)
print("native, 4 to 256 rows: grows more than 10 times:", native_growth > 10)
assert loop_growth < 3
assert native_growth > 10

# %% [markdown]
# Speed is not the only side of it. If you keep the amount of data for an update fixed, more rows mean fewer steps
# of each row between updates, and that changes what your algorithm learns from. Chapter 22,
# [throughput](../scale/22_throughput.ipynb), measures all of this in depth.
#
# ### More workers than cores: `max_concurrency`
#
# Sometimes you need 32 rows on four cores, and 32 simulators that fight for four cores may be slower than four at a
# time. `max_concurrency=k` lets at most `k` workers be inside `reset` or `step` at once. Four rows that sleep for
# 0.1 seconds make it visible: how many rounds of 0.1 seconds does a call take?

# %% tags=["timing"]
fns = [partial(Wait, 0.1, "sleep")] * 4
rounds = {}
for limit in (None, 2, 1):
    with closing(AsyncVectorEnv(fns, max_concurrency=limit)) as envs:
        envs.reset(seed=0)
        rounds[limit] = seconds(envs, calls=1) / 0.1
    print(f"max_concurrency={limit!s:5s} {rounds[limit]:.1f} rounds")
assert rounds[None] < 4 <= rounds[1]
assert rounds[2] >= 2

# %% [markdown]
# Whether the cap helps is a matter of measurement, never of principle. Sixteen rows that burn 1 ms each, against
# the same with a cap at the number of cores:

# %% tags=["timing"]
fns = [partial(Wait, 0.001, "burn")] * 16
capped = partial(AsyncVectorEnv, fns, max_concurrency=cores)
turns = paired(lambda: AsyncVectorEnv(fns), capped, calls=3, repeats=5)
ratios = turns[:, 0] / turns[:, 1]
say(
    f"With the cap, the same work goes {np.median(ratios):.2f} times as fast "
    f"({ratios.min():.2f} to {ratios.max():.2f} over five pairs)."
)

# %% [markdown]
# A value near 1 says that the cap changes nothing for such a step, whose data fit into any cache; a wide range says
# that the machine was too busy to tell. Simulators with a large state are the case it was made for. The cap holds
# for `reset` and `step` only: `call`, `get_attr`, `set_attr` and `render` run in all workers at once.


# %% tags=["remove-cell"]
class Napper(StepCounter):
    def nap(self):
        time.sleep(0.1)


with closing(AsyncVectorEnv([Napper] * 4, max_concurrency=1)) as envs:
    start = time.perf_counter()
    envs.call("nap")
    assert time.perf_counter() - start < 0.4

# %% [markdown]
# ## What goes through the pipe, and what does not
#
# Between you and each worker there is a [pipe](../../book/glossary.md#pipe), a two-way channel for Python objects.
# A command is a pair such as `("step", action)`. We can play the vector environment ourselves for one message: send
# a command to worker 0 and read its answer.

# %%
answers = {}
for shared in (True, False):
    with closing(AsyncVectorEnv([StepCounter] * 2, shared_memory=shared)) as envs:
        envs.reset(seed=0)
        envs.parent_pipes[0].send(("step", 1))
        answers[shared], ok = envs.parent_pipes[0].recv()
    print(f"shared_memory={shared!s:5s} {answers[shared]}")
assert answers[True][0] is None
assert answers[False][0].tolist() == [0.0, 1.0]
assert answers[True][1:] == answers[False][1:]

# %% [markdown]
# The answer is what a step returns: observation, reward, both flags, info. By default the place of the observation
# is empty. The worker has written it into [shared memory](../../book/glossary.md#shared-memory), a block that all
# the processes see, and your side reads it there. Reward, flags and info always travel through the pipe, and so
# does every action. An info that holds an image is therefore sent in full, with or without shared memory.
#
# What is saved grows with the observation. An image of 100 kB, four rows:


# %% tags=["timing"]
class Camera(StepCounter):
    def __init__(self):
        super().__init__()
        self.observation_space = gym.spaces.Box(0, 255, (210, 160, 3), np.uint8)

    def _observation(self):
        return np.full((210, 160, 3), self.step_count, np.uint8)


piped = partial(AsyncVectorEnv, [Camera] * 4, shared_memory=False)
turns = paired(piped, partial(AsyncVectorEnv, [Camera] * 4), calls=40)
ratio = np.median(turns[:, 0] / turns[:, 1])
say(f"Images through the pipe take {ratio:.1f} times as long as in shared memory.")

# %% [markdown]
# `copy` says what you get of that memory. The default gives you an array of your own. With `copy=False` you get the
# block itself: no time is spent on copying, and every step writes over the observation you hold. It is the same
# choice as in [SyncVectorEnv](02_sync_vector_env.ipynb), with one twist. Look at *when* the array changes.

# %%
with closing(AsyncVectorEnv([StepCounter] * 2, copy=False)) as envs:
    observations, _ = envs.reset(seed=0)
    print("after reset:          ", observations.tolist())
    envs.step_async(np.array([0, 0]))
    for pipe in envs.parent_pipes:
        pipe.poll(10)  # until the answer is there, without taking it
    print("before we asked for it:", observations.tolist())
    assert observations.tolist() == [[0, 1], [0, 1]]
    same = envs.step_wait()[0] is observations
print("the step returned the same array:", same)
assert same

# %% [markdown]
# The workers write as soon as they are done, in the middle of whatever you are doing. Use `copy=False` only if you
# copy the rows into storage of your own before you send the next actions. Rewards and flags are new arrays each
# time, whatever `copy` is.

# %% tags=["remove-cell"]
for copy in (True, False):
    with closing(AsyncVectorEnv([StepCounter] * 2, copy=copy)) as envs:
        kept, _ = envs.reset(seed=0)
        before = kept.copy()
        one, other = envs.step(np.array([0, 0])), envs.step(np.array([0, 0]))
        assert np.array_equal(kept, before) == copy
        assert (one[0] is other[0]) == (not copy)
        assert one[1] is not other[1] and one[2] is not other[2]

# %% [markdown]
# ## Ask now, collect later
#
# `step` is two calls: `step_async` sends the actions and returns at once, `step_wait` collects the answers. Between
# the two, your process is free. Here the rows need 50 ms and so does our own work, which could be an update of the
# network from the *previous* batch.

# %% tags=["timing"]
actions, times = np.zeros(4, int), []
with closing(AsyncVectorEnv([partial(Wait, 0.05, "sleep")] * 4)) as envs:
    envs.reset(seed=0)
    for _ in range(5):
        start = time.perf_counter()
        envs.step(actions)
        time.sleep(0.05)  # our own work, after the step
        middle = time.perf_counter()
        envs.step_async(actions)
        time.sleep(0.05)  # our own work, during the step
        envs.step_wait()
        times.append([middle - start, time.perf_counter() - middle])
apart, overlapped = np.median(times, axis=0)
say(f"One after the other {apart:.3f} s, overlapped {overlapped:.3f} s.")

# %% tags=["remove-cell"]
apart, overlapped = np.min(times, axis=0)
assert overlapped < 0.1 <= apart

# %% [markdown]
# `reset` and `call` come apart in the same way: `reset_async` and `reset_wait`, `call_async` and `call_wait`.
# `SyncVectorEnv` has none of the six, so code that uses them runs on this class alone.
#
# A pipe holds answers in the order of the questions, so only one question may be open. The environment remembers
# which, in a state with four values. It is stored under a private name, good for looking at.

# %%
AsyncState = gym.vector.async_vector_env.AsyncState
print([state.name for state in AsyncState])
with closing(AsyncVectorEnv([StepCounter] * 2)) as envs:
    envs.reset_async(seed=0)
    print("after reset_async:", envs._state.name)
    assert envs._state is AsyncState.WAITING_RESET
    observations, infos = envs.reset_wait()
    print("after reset_wait: ", envs._state.name)
    assert envs._state is AsyncState.DEFAULT
assert not hasattr(SyncVectorEnv, "step_async")

# %% [markdown]
# What is allowed in which state? We ask every call in every state. "Pending" stands for `AlreadyPendingCallError`,
# "no call" for `NoAsyncCallError`; both live in `gymnasium.error`.

# %%
calls = {
    "reset_async": lambda envs: envs.reset_async(seed=0),
    "step_async": lambda envs: envs.step_async(np.array([0])),
    "call_async": lambda envs: envs.call_async("length"),
    "set_attr": lambda envs: envs.set_attr("length", 5),
    "reset_wait": lambda envs: envs.reset_wait(),
    "step_wait": lambda envs: envs.step_wait(),
    "call_wait": lambda envs: envs.call_wait(),
}


# %%
def outcome(name, state):
    with closing(AsyncVectorEnv([StepCounter])) as envs:
        if state is not AsyncState.DEFAULT:
            calls[f"{state.value}_async"](envs)
        try:
            calls[name](envs)
            return "yes"
        except gym.error.AlreadyPendingCallError:
            return "pending"
        except gym.error.NoAsyncCallError:
            return "no call"
        finally:
            if envs._state is not AsyncState.DEFAULT:
                calls[f"{envs._state.value}_wait"](envs)


# %%
rows = [
    {"call": name} | {state.name: outcome(name, state) for state in AsyncState}
    for name in calls
]
table(rows, "Which call is answered in which state")

# %% tags=["remove-cell"]
for row in rows:
    kind = row["call"].removesuffix("_wait")
    if kind != row["call"]:
        expected = {s.name: "yes" if s.value == kind else "no call" for s in AsyncState}
    else:
        expected = {s.name: "pending" for s in AsyncState} | {"DEFAULT": "yes"}
    assert row == {"call": row["call"]} | expected

# %% [markdown]
# Each `wait` works in its own state only, and everything that asks works in `DEFAULT` only. `get_attr`, `render`
# and `np_random` are calls in disguise and follow `call_async`. These are the messages; both errors also carry the
# name of the call, in `name`.

# %%
with closing(AsyncVectorEnv([StepCounter])) as envs:
    with expect(gym.error.NoAsyncCallError):
        envs.step_wait()
    envs.step_async(np.array([0]))
    with expect(gym.error.AlreadyPendingCallError):
        envs.get_attr("length")
    try:
        envs.step_async(np.array([0]))
    except gym.error.AlreadyPendingCallError as error:
        print("name:", error.name)
        assert error.name == "step"
    envs.step_wait()

# %% tags=["remove-cell"]
with closing(AsyncVectorEnv([StepCounter])) as envs:
    envs.reset_async(seed=0)
    for disguised in (envs.render, lambda: envs.np_random, lambda: envs.call("length")):
        with expect(gym.error.AlreadyPendingCallError):
            disguised()
    envs.reset_wait()

# %% [markdown]
# ## A wait with an end
#
# A worker that hangs would keep you waiting for ever. Each of the three `wait` calls takes a `timeout` in seconds;
# plain `step` has none. After the timeout, close with `terminate=True`, which does not ask the workers but stops
# them.

# %%
envs = AsyncVectorEnv([partial(Wait, 60, "sleep")] * 2)
try:
    envs.reset(seed=0)
    envs.step_async(np.array([0, 0]))
    with expect(multiprocessing.TimeoutError):
        envs.step_wait(timeout=0.1)
finally:
    envs.close(terminate=True)
print("alive:", [process.is_alive() for process in envs.processes])
builtin = issubclass(multiprocessing.TimeoutError, TimeoutError)
print("is it the built-in TimeoutError?", builtin)
assert not builtin
assert not any(process.is_alive() for process in envs.processes)

# %% [markdown]
# The documentation says `TimeoutError`, but it is the one of `multiprocessing`: an `except TimeoutError` without
# the prefix lets it pass. And do close: the environment looks ready after a timeout and is not. Chapter 25,
# [failures](../trust/25_failures.ipynb), shows why.
#
# ## Closing
#
# - `close()` asks each worker to close its environment and waits for it. If a call is still pending, it says so in
#   a warning and waits for that first.
# - `close(timeout=2)` waits at most that long for a *pending* call, then stops the workers.
# - `close(terminate=True)` stops them at once; their environments' own `close` does not run.
#
# A closed `AsyncVectorEnv` refuses everything, while a closed `SyncVectorEnv` still steps.

# %%
with closing(AsyncVectorEnv([StepCounter])) as envs:
    envs.reset(seed=0)
with expect(gym.error.ClosedEnvironmentError):
    envs.step(np.array([0]))
with expect(gym.error.ClosedEnvironmentError):
    envs.get_attr("length")
envs.close()  # a second time is harmless

# %% tags=["remove-cell"]
level, gym.logger.min_level = gym.logger.min_level, 50
envs = AsyncVectorEnv([partial(Wait, 60, "sleep")])
try:
    envs.reset(seed=0)
    envs.step_async(np.array([0]))
    start = time.perf_counter()
    envs.close(timeout=0.1)
finally:
    envs.close(terminate=True)
    gym.logger.min_level = level
assert time.perf_counter() - start < 10
assert not envs.processes[0].is_alive()
with closing(SyncVectorEnv([StepCounter])) as envs:
    envs.reset(seed=0)
assert envs.closed and envs.step(np.array([0]))[1][0] == 1

# %% [markdown]
# The docstring of `close` promises that it is called for you "when garbage collected or program exited". In this
# version only `AsyncVectorEnv` does something of the kind: when the object itself is collected, it stops its
# workers. A wrapper that goes away closes nothing. And in a notebook a variable, with its workers, lives until you
# delete it or use the name again.

# %%
for kind in (gym.vector.VectorEnv, gym.vector.VectorWrapper, AsyncVectorEnv):
    print(f"{kind.__name__:14s} cleans up when collected:", hasattr(kind, "__del__"))
envs = AsyncVectorEnv([StepCounter])
wrapped, worker = gym.vector.VectorWrapper(envs), envs.processes[0]
del wrapped
alive = [worker.is_alive()]
del envs
alive.append(worker.is_alive())
print("worker alive without the wrapper:", alive[0])
print("worker alive without the environment:", alive[1])
assert alive == [True, False]

# %% [markdown]
# ## The nine parameters
#
# `make_vec` passes them on:
# `gym.make_vec("CartPole-v1", 4, vectorization_mode="async", vector_kwargs={"copy": False})`.

# %% tags=["hide-input"]
parameters = {
    "env_fns": "factories, one for each row; the first is also called in your process",
    "shared_memory": "True: observations in shared memory; False: through the pipe",
    "copy": "True: observations of your own; False: the block the workers write to",
    "context": "the name of a start method; None: the platform's default",
    "daemon": "True: workers end with your program, and may start no process",
    "worker": "a function to run in each process, in place of the built-in one",
    "observation_mode": "'same', 'different' or two spaces: chapter 13",
    "autoreset_mode": "when a finished row is reset: chapter 6",
    "max_concurrency": "how many workers may be in reset or step at once; None: all",
}
rows = [{"parameter": name, "meaning": text} for name, text in parameters.items()]
table(rows, "The parameters of AsyncVectorEnv, in order")

# %% tags=["remove-cell"]
accepted = list(AsyncVectorEnv.__init__.__annotations__)
assert accepted == [*parameters, "return"]
for bad in [{"observation_mode": "x"}, {"autoreset_mode": "x"}, {"max_concurrency": 0}]:
    with expect(ValueError):
        AsyncVectorEnv([StepCounter], **bad)

# %% [markdown]
# Chapters [13](../compositions/13_mixed_environments.ipynb) and [6](06_autoreset.ipynb) have the two that are not
# about processes. `worker` is for those who need another loop inside the process. It gets eight arguments, one more
# than before version 1.4, and an old one is refused at once:


# %%
def old_worker(index, env_fn, pipe, parent_pipe, shared_memory, errors, mode):
    raise NotImplementedError


with expect(ValueError):
    AsyncVectorEnv([StepCounter], worker=old_worker)

# %% [markdown]
# Rarely does it need rewriting. A worker that prepares its process and then hands over to the built-in
# `gym.vector.async_vector_env._async_worker` is enough for most wishes, and one of the traps below has a use for
# it.
#
# ## Start methods, and the main guard
#
# How does Python start a process? There are three [start methods](../../book/glossary.md#start-method).
#
# - `fork` copies your running process. It is quick, the copy has everything you had, and it is the default on Linux
#   up to Python 3.13. A copy of a process with busy threads, or with a GPU in use, can hang.
# - `spawn` starts a fresh Python, which *imports your script again* to find what it needs. The default on macOS and
#   Windows.
# - `forkserver` starts one fresh process, early, and forks the workers from that. The default on Linux from Python
#   3.14.
#
# "Imports your script again" has a consequence. We run this as a script of its own:


# %%
def run_script(source):
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/train.py", "w") as file:
            file.write(source)
        command = [sys.executable, f"{folder}/train.py"]
        return subprocess.run(command, capture_output=True, text=True, timeout=120)


unguarded = """
import gymnasium as gym

envs = gym.make_vec("CartPole-v1", 2, vectorization_mode="async",
                    vector_kwargs={"context": "spawn"})
print(envs.reset(seed=0)[0].shape)
envs.close()
"""

# %%
result = run_script(unguarded)
print("worked:", result.returncode == 0, "| printed:", repr(result.stdout))
lines = [line.strip() for line in result.stderr.splitlines()]
at = next(i for i, line in enumerate(lines) if "attempt has been made" in line)
print(*lines[at : at + 2], sep="\n")
assert result.returncode != 0 and not result.stdout
assert "bootstrapping phase" in lines[at + 1]
seen = ("EOFError", "ConnectionResetError", "BrokenPipeError")
assert any(line.startswith(seen) for line in lines)

# %% [markdown]
# Each worker imported the script, came to `make_vec`, and tried to start workers of its own. Python stops that with
# a `RuntimeError`, printed by the *worker* in the middle of a long output. Your own process sees only that a worker
# is gone: an `EOFError`, a `ConnectionResetError` or a `BrokenPipeError`. On the platforms where `spawn` is the
# default, this is what "it works on Linux but not on my laptop" usually means.
#
# The cure is the main guard. What stands under it runs in the script you start and not when a worker imports it.

# %% tags=["timing"]
guarded = """
import multiprocessing, time
import gymnasium as gym

if __name__ == "__main__":
    for method in multiprocessing.get_all_start_methods():
        start = time.perf_counter()
        envs = gym.make_vec("CartPole-v1", 2, vectorization_mode="async",
                            vector_kwargs={"context": method})
        print(f"{method:10s} {type(envs.processes[0]).__name__:17s}", end=" ")
        print(envs.reset(seed=0)[0].shape, f"{time.perf_counter() - start:.2f} s")
        envs.close()
"""

# %% tags=["timing"]
result = run_script(guarded)
print(result.stdout)
assert result.returncode == 0 and not result.stderr
assert result.stdout.count("(2, 4)") == len(multiprocessing.get_all_start_methods())

# %% [markdown]
# All the methods of this platform work, one after the other in one program. `context` holds for this one vector
# environment only, so there is no need for `multiprocessing.set_start_method(..., force=True)`, which would change
# the whole program. The times show what the choice costs at the start: a fresh process imports NumPy and Gymnasium
# anew, a forked one is a copy that has them. After that, all the workers run the same code.
#
# A name that the platform does not have is a `ValueError`:

# %%
with expect(ValueError):
    AsyncVectorEnv([StepCounter], context="thread")

# %% [markdown]
# Write the guard even where you do not need it. A notebook needs none: it is not imported.
#
# ### Threads inside workers
#
# NumPy, PyTorch and many simulators start threads of their own, commonly one for each core. Eight workers on eight
# cores are then 64 threads for 8 cores. One thread for each worker is usually right, and the setting is read when
# NumPy is *imported*. So it depends on the start method whether setting it late has an effect: here the script sets
# it after its imports. Each row reports the threads in its process, after a matrix product. (The count uses a
# feature of Linux.)

# %%
threads = """
import os, gymnasium as gym, numpy as np

class Product(gym.Env):
    observation_space = action_space = gym.spaces.Discrete(2)
    def reset(self, *, seed=None, options=None):
        np.ones((600, 600)) @ np.ones((600, 600))
        return 0, {"threads": len(os.listdir("/proc/self/task"))}

if __name__ == "__main__":
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
    for method in ("fork", "spawn"):
        envs = gym.vector.AsyncVectorEnv([lambda: Product()] * 2, context=method)
        print(method, envs.reset()[1]["threads"].max())
        envs.close()
"""

# %%
if sys.platform == "linux":
    result = run_script(threads)
    print(result.stdout)
    forked, spawned = (int(line.split()[1]) for line in result.stdout.splitlines())
    assert spawned == 1 <= forked

# %% [markdown]
# (The factories are lambdas. `multiprocessing` alone cannot send one to a spawned process; here they are packed
# with `cloudpickle`, which can.)
#
# The forked workers keep the library as your process had loaded it, with a thread for each core; the spawned ones
# read the variable afresh. Set `OMP_NUM_THREADS=1` in the shell, before Python starts, and it holds for every
# method. PyTorch has a setting of its own, `torch.set_num_threads(1)`, to be called inside the worker, for instance
# in the factory.
#
# ## What trips people up
#
# **"After my own `reset`, one step does nothing."** You turned shared memory off, and reset when an episode had
# just ended. Three environments, the same calls: three steps to the end of the episode, a reset, one step. The
# observation is `[episode, step]`, so all three should say step 1.

# %%
for make in (
    SyncVectorEnv,
    AsyncVectorEnv,
    partial(AsyncVectorEnv, shared_memory=False),
):
    with closing(make([StepCounter])) as envs:
        envs.reset(seed=0)
        for _ in range(3):
            terminated = envs.step(np.array([0]))[2]
        envs.reset(seed=0)
        observations, rewards, *_ = envs.step(np.array([0]))
        shared = getattr(envs, "shared_memory", "-")
    print(f"{type(envs).__name__:15s} {shared!s:5s}", observations, rewards)
assert terminated.all()
assert observations.tolist() == [[1, 0]] and rewards[0] == 0

# %% [markdown]
# In the last line the step was thrown away, and a second reset took its place: episode 1, step 0, reward 0. A
# worker remembers that its episode has ended and that its next command is to be taken as a reset. Your own reset
# should make it forget. In this version it does so only where it writes to shared memory. Until that is mended:
# leave `shared_memory` on, or, where you cannot, use an autoreset mode other than `NEXT_STEP`.

# %% tags=["remove-cell"]
for mode in ("SameStep", "Disabled"):
    make = partial(AsyncVectorEnv, shared_memory=False, autoreset_mode=mode)
    with closing(make([StepCounter])) as envs:
        envs.reset(seed=0)
        for _ in range(3):
            envs.step(np.array([0]))
        envs.reset(seed=0)
        assert envs.step(np.array([0]))[1][0] == 1

# %% [markdown]
# **"My text observation never changes."** The opposite case: here shared memory must be off. A `Text` observation
# is turned into a string once, when the environment is made, and that string is what you get for ever.


# %%
class Speaker(StepCounter):
    def __init__(self):
        super().__init__()
        self.observation_space = gym.spaces.Text(5)

    def _observation(self):
        return f"step{self.step_count}"


for shared in (True, False):
    with closing(AsyncVectorEnv([Speaker] * 2, shared_memory=shared)) as envs:
        envs.reset(seed=0)
        observations = envs.step(np.array([0, 0]))[0]
    print(f"shared_memory={shared!s:5s}", observations)
    assert observations == (("step1",) * 2 if not shared else ("00000",) * 2)

# %% [markdown]
# The same holds for `OneOf`, and for a `Text` inside a `Dict`. Other spaces cannot be shared at all, and say so: a
# `Sequence` or a `Graph` with a `TypeError`, a space class of your own with a `ValueError`. `CustomSpaceError` is
# the cause of the latter; you meet it under its own name only if you call the
# [space utilities](10_space_utilities.ipynb) yourself.


# %%
class OwnSpace(gym.Space):
    pass


class Custom(StepCounter):
    def __init__(self):
        super().__init__()
        self.observation_space = OwnSpace((), np.int64)


with expect(ValueError):
    AsyncVectorEnv([Custom])
with expect(gym.error.CustomSpaceError):
    gym.vector.utils.create_shared_memory(OwnSpace((), np.int64))

# %% tags=["remove-cell"]
try:
    AsyncVectorEnv([Custom])
except ValueError as error:
    assert isinstance(error.__cause__, gym.error.CustomSpaceError)
with expect(TypeError):
    sequence = gym.spaces.Sequence(gym.spaces.Discrete(2))
    gym.vector.utils.create_shared_memory(sequence)


# %% tags=["remove-cell"]
class Either(StepCounter):
    def __init__(self, space):
        super().__init__()
        self.observation_space = space

    def _observation(self):
        choices = {"OneOf": (0, 1), "Dict": {"text": f"step{self.step_count}"}}
        return choices[type(self.observation_space).__name__]


one_of = gym.spaces.OneOf([gym.spaces.Discrete(9)])
nested = gym.spaces.Dict(text=gym.spaces.Text(5))
for space, stale in [(one_of, ((0, 0),)), (nested, {"text": ("00000",)})]:
    with closing(AsyncVectorEnv([partial(Either, space)])) as envs:
        envs.reset(seed=0)
        assert envs.step(np.array([0]))[0] == stale

# %% [markdown]
# **"All my rows see the same random numbers."** The environment draws from a generator outside itself. In one
# process the rows take turns with it; each worker has a copy, and all the copies say the same.

# %%
noise = np.random.default_rng(0)


class Noisy(StepCounter):
    def _observation(self):
        return noise.random(2, dtype=np.float32)


for kind in (SyncVectorEnv, AsyncVectorEnv):
    with closing(kind([Noisy] * 3)) as envs:
        observations, _ = envs.reset(seed=0)
    print(f"{kind.__name__:15s}", observations[:, 0].round(3))
assert (observations == observations[0]).all()

# %% [markdown]
# The seed of `reset` cannot help, since it does not reach that generator. Draw from `self.np_random`, which is what
# `reset` seeds. If the environment is not yours to change, a `worker` can give each process a generator of its own
# first.


# %%
def own_noise(index, *rest):
    global noise
    noise = np.random.default_rng(index)
    gym.vector.async_vector_env._async_worker(index, *rest)


with closing(AsyncVectorEnv([Noisy] * 3, worker=own_noise, context="fork")) as envs:
    observations, _ = envs.reset(seed=0)
print(observations[:, 0].round(3))
assert len(np.unique(observations[:, 0])) == 3

# %% [markdown]
# **"daemonic processes are not allowed to have children."** The environment starts a process, a simulator say, and
# workers are daemons by default: they end when your program ends, and may have no children. `daemon=False` allows
# it, and makes `close()` your duty all the more. (Gymnasium logs what happens in a worker, as a warning. From here
# on we turn that log off, to keep the page short.)


# %%
class Simulator(StepCounter):
    def reset(self, *, seed=None, options=None):
        child = multiprocessing.Process(target=int)
        child.start()
        child.join()
        return super().reset(seed=seed)


gym.logger.min_level = 50
with closing(AsyncVectorEnv([Simulator])) as envs, expect(AssertionError):
    envs.reset(seed=0)
with closing(AsyncVectorEnv([Simulator], daemon=False)) as envs:
    print("daemon=False:", envs.reset(seed=0)[0])

# %% [markdown]
# **"cannot find context for ..."** You passed a context object, such as `torch.multiprocessing` or the result of
# `get_context`. The parameter takes the name.

# %%
try:
    AsyncVectorEnv([StepCounter], context=multiprocessing.get_context("spawn"))
except ValueError as error:
    print(str(error).split("<")[0] + "...")
    assert str(error).startswith("cannot find context for <")
else:
    raise AssertionError("a context object is accepted now")

# %% [markdown]
# **"A typo in an attribute's name ended my training."** An error inside a worker, any error, ends that worker.
# Asking for an attribute that is not there is such an error, and so is `call("reset")`. In a loop the same typo
# would have cost you one exception.

# %%
with closing(AsyncVectorEnv([StepCounter] * 2)) as envs:
    envs.reset(seed=0)
    with expect(AttributeError):
        envs.get_attr("lengths")
    for process in envs.processes:
        process.join()
    print("alive:", [process.is_alive() for process in envs.processes])
    assert not any(process.is_alive() for process in envs.processes)

# %% tags=["remove-cell"]
with closing(AsyncVectorEnv([StepCounter])) as envs:
    with expect(ValueError):
        envs.call("reset")
    envs.processes[0].join()
    with expect(AttributeError):  # a closed pipe has become None
        envs.step(np.array([0]))
with closing(SyncVectorEnv([StepCounter])) as envs:
    envs.reset(seed=0)
    with expect(AttributeError):
        envs.get_attr("lengths")
    assert envs.step(np.array([0]))[1][0] == 1

# %% [markdown]
# **"It crashes when the first episode ends: inhomogeneous shape."** The environment returns its reward as an array
# of length one. That goes well, with rewards of shape `(2, 1)`, until an automatic reset puts a plain 0 beside it.
# Return `float(reward)`.


# %%
class ArrayReward(StepCounter):
    def step(self, action):
        observation, reward, *rest = super().step(action)
        return observation, np.array([reward]), *rest


fns = [partial(ArrayReward, length=2), partial(ArrayReward, length=9)]
with closing(AsyncVectorEnv(fns)) as envs:
    envs.reset(seed=0)
    print([envs.step(np.array([0, 0]))[1].shape for _ in range(2)])
    with expect(ValueError):
        envs.step(np.array([0, 0]))

# %% [markdown]
# **"`set_attr` will not take my list."** A list or tuple is dealt out, one entry for each row. An attribute that
# *is* a list needs a list around it. The value arrives in the object that owns the name, through any wrappers:

# %%
with closing(gym.make_vec("CartPole-v1", 2, vectorization_mode="async")) as envs:
    envs.set_attr("gravity", [9.8, 0.0])
    print(envs.get_attr("gravity"))
    envs.reset(seed=[1, 1])
    for _ in range(3):
        observations, *_ = envs.step(np.array([1, 1]))
    print("same seed, same motion:", np.array_equal(*observations))
    assert not np.array_equal(*observations)
    with expect(ValueError):
        envs.set_attr("gravity", [9.8, 0.0, 1.6])

# %% [markdown]
# **What breaks for good.** Three failures leave an environment that must be rebuilt. Chapter 25,
# [failures](../trust/25_failures.ipynb), takes them apart:
#
# - `BrokenPipeError`, `EOFError` or `ConnectionResetError` in `step`: a worker has died. Nobody restarts it.
# - A step after a timeout returns the answer to the step *before*, and so on from there.
# - An action batch that is too short raises "zip() argument 2 is shorter than argument 1", but its first rows have
#   been sent: their rewards and flags are one call late from then on.

# %% tags=["remove-cell"]
envs = AsyncVectorEnv([StepCounter] * 3)
try:
    envs.reset(seed=0)
    envs.processes[1].kill()
    envs.processes[1].join()
    with expect(BrokenPipeError, EOFError, ConnectionResetError):
        envs.step(np.zeros(3, int))
    assert [process.is_alive() for process in envs.processes] == [True, False, True]
finally:
    envs.close(terminate=True)

# %% tags=["remove-cell"]
envs = AsyncVectorEnv([partial(Wait, 0.3, "sleep")])
try:
    envs.reset(seed=0)
    envs.step_async(np.array([0]))
    with expect(multiprocessing.TimeoutError):
        envs.step_wait(timeout=0.01)
    assert envs.step(np.array([0]))[1][0] == 1  # the reward of step 1, not of step 2
finally:
    envs.close(terminate=True)

# %% tags=["remove-cell"]
with closing(AsyncVectorEnv([StepCounter] * 3)) as envs:
    envs.reset(seed=0)
    with expect(ValueError):
        envs.step(np.zeros(2, int))
    assert envs.step(np.zeros(3, int))[1].tolist() == [1, 1, 1]  # [2, 2, 1] is right
    for pipe in envs.parent_pipes[:2]:
        pipe.recv()  # so that closing finds empty pipes

# %% [markdown]
# ## Exercises
#
# ### Exercise 08.1: predict three times
#
# Four rows whose steps sleep for 10, 20, 30 and 40 ms. How many milliseconds does one call of `step` take in a
# loop, with processes, and with processes and `max_concurrency=1`? Leave out the overhead. Answer with a tuple of
# three numbers.
#
# <details><summary>Hint</summary>
#
# One of the three is a maximum, and two are the same.
#
# </details>

# %% tags=["exercise"]
answer = ...

# %%
check("08.1", answer)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# answer = (100, 40, 100)
# ```
#
# With one worker at a time, processes are a loop again, with a round trip on top.
#
# </details>
#
# ### Exercise 08.2: use the time
#
# Write `overlap(envs, actions, work)`: it steps the environment, calls `work()` once *while the workers are busy*,
# and returns the five results of the step.
#
# <details><summary>Hint</summary>
#
# A step has two halves. The workers are busy between them.
#
# </details>


# %% tags=["exercise"]
def overlap(envs, actions, work):
    raise NotImplementedError


# %%
check("08.2", overlap)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def overlap(envs, actions, work):
#     envs.step_async(actions)
#     work()
#     return envs.step_wait()
# ```
#
# </details>
#
# ### Exercise 08.3: a step that cannot hang
#
# Write `step_or_stop(envs, actions, limit)`: it returns the five results of a step; if they are not there after
# `limit` seconds, it stops the workers and returns `None`.
#
# <details><summary>Hint</summary>
#
# Only one of the two halves of a step can time out. Mind *which* `TimeoutError` it raises, and that a worker that
# hangs will not answer a friendly request to close.
#
# </details>


# %% tags=["exercise"]
def step_or_stop(envs, actions, limit):
    raise NotImplementedError


# %%
check("08.3", step_or_stop)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def step_or_stop(envs, actions, limit):
#     envs.step_async(actions)
#     try:
#         return envs.step_wait(timeout=limit)
#     except multiprocessing.TimeoutError:
#         envs.close(terminate=True)
#         return None
# ```
#
# </details>
#
# ## Recap
#
# - `AsyncVectorEnv` runs each sub-environment in a process. The data are those of the loop, to the last bit; only
#   the time differs, and it can differ for the worse.
# - A call lasts as long as its slowest row, plus a round trip for each row. Processes pay for long steps: about as
#   many as there are cores if the steps compute, more if they wait. Measure in pairs.
# - Observations come through shared memory, all else through pipes. `Text` and `OneOf` observations need
#   `shared_memory=False`, which in turn loses a step after a manual reset in the default autoreset mode.
# - `step_async` and `step_wait` let you work in between. One question at a time; put a `timeout` on the wait, and
#   close with `terminate=True` after it.
# - `context` is a name. Put the start of your script under the main guard, and `closing` around the environment.
#
# **Before:** [spaces](07_spaces.ipynb). **Next:** [vector wrappers](09_vector_wrappers.ipynb); when things go wrong,
# [failures](../trust/25_failures.ipynb).
# **Reference:** [`AsyncVectorEnv`](https://gymnasium.farama.org/api/vector/async_vector_env/), and Python's
# [contexts and start methods](https://docs.python.org/3/library/multiprocessing.html#contexts-and-start-methods).
