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
# **You need:** [VectorEnv](01_vector_env.ipynb) and [SyncVectorEnv](02_sync_vector_env.ipynb); for one of the traps,
# [autoreset](06_autoreset.ipynb). **Time:** about 25 minutes.

# %% tags=["alone"]
import multiprocessing
import sys
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
assert len(observations) == len(names) == 3 and len(notes) == 1

# %% [markdown]
# One. `AsyncVectorEnv` starts a process for each factory, called a [worker](../../book/glossary.md#worker). The
# factory runs there, and what it appends goes to the worker's own copy of the list. Processes share no variables, so
# there is no `envs.envs` to look into; there is `envs.processes`.
#
# The single note does not even belong to one of the three rows. The constructor calls the first factory once in
# *your* process, reads the spaces from that environment, and closes it. An environment that opens a port or a
# window must bear being made once more than you asked for.
#
# `closing`, from the standard library, calls `envs.close()` when the block ends, also when a line inside it raises.
# Without it, a cell that fails leaves its processes behind.

# %% tags=["remove-cell"]
envs = AsyncVectorEnv([StepCounter])
assert not hasattr(envs, "envs") and envs.processes[0].is_alive()
try:
    with envs:
        raise AssertionError("a vector environment has become a context manager")
except TypeError:
    pass
finally:
    envs.close()
assert not envs.processes[0].is_alive()

# %% [markdown]
# ## The same numbers, computed elsewhere
#
# Does it matter for the data where an environment runs? Three cart-poles in a loop, three in processes, the same
# seeds, the same actions: we compare everything that comes back, over 200 calls.

# %%
equal, ends = True, 0
loop, procs = (gym.make_vec("CartPole-v1", 3, mode) for mode in ("sync", "async"))
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
# Identical to the last bit, infos and automatic resets included. The exception is an environment that leans on
# something its siblings share, such as a global random generator; it is among the [traps](#what-trips-people-up).
# So the choice between the two classes is about time, and nothing else.
#
# ## A call lasts as long as its slowest row
#
# `Wait`, from this book's helpers, is an environment whose step takes as long as you say. Here it also reports when
# each step began and ended. Rows 0 to 2 need 50 ms, row 3 needs 150 ms. Before you look: how long is one call of
# the loop, and how long one call with processes?


# %% tags=["timing"]
class Stamped(Wait):
    def step(self, action):
        begin = time.perf_counter()
        *results, info = super().step(action)
        return *results, {**info, "begin": begin, "end": time.perf_counter()}


spans = {}
for kind in (SyncVectorEnv, AsyncVectorEnv):
    costs = [0.05, 0.05, 0.05, 0.15]
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
fig, axes = figure(3.8, nrows=2, sharex=True)
for ax, (kind, (begin, end)) in zip(axes, spans.items(), strict=True):
    colours = [PALETTE[0]] * 3 + [PALETTE[1]]
    ax.barh(range(4), end - begin, left=begin, color=colours)
    ax.set_yticks(range(4), [f"row {row}" for row in range(4)])
    ax.invert_yaxis()
    ax.set_title(f"{kind.__name__}: one call of step")
axes[1].set(xlabel="milliseconds since the call", xlim=(0, None))
alt = (
    "Two bar charts over time. In the loop the four steps follow one another and end "
    f"at {loop_end.max():.0f} ms; with processes they run side by side and the slow "
    f"row ends at {procs_end.max():.0f} ms."
)
show(fig, alt)

# %% [markdown]
# The loop takes the *sum*, the processes the *maximum*: three quick workers wait for the slow one. That is what
# "asynchronous" means in this class. The rows run beside one another *within* a call, and the call waits for all of
# them: it does not hand you the rows that happen to be ready.
#
# This picture is too friendly. Sleeping needs no processor, computing does, and you have only so many cores. And
# 50 ms is a very long step.
#
# ## When it pays
#
# A machine that is busy for a second makes whichever contender ran in that second look slow. So we measure in
# pairs. Both vector environments live side by side in one program and take turns, now this one first, now that one.
# In a turn each takes the same number of steps. From each pair of turns we keep the ratio.


# %%
def seconds(envs, calls):
    actions = np.zeros(envs.num_envs, int)
    start = time.perf_counter()
    for _ in range(calls):
        envs.step(actions)
    return time.perf_counter() - start


# %%
def ratios(make_one, make_other, calls, pairs=5):
    """How many times as fast the other is, once for each pair of turns."""
    turns = np.zeros((pairs, 2))
    with closing(make_one()) as one, closing(make_other()) as other:
        for envs in (one, other):
            envs.reset(seed=0)
            seconds(envs, 3)  # the first calls are slower and do not count
        for turn in range(pairs):
            pair = [(0, one), (1, other)]
            for column, envs in pair if turn % 2 else reversed(pair):
                turns[turn, column] = seconds(envs, calls)
    return turns[:, 0] / turns[:, 1]


# %%
def race(factory, n, calls):
    """How many times as fast as the loop processes are."""
    fns = [factory] * n
    return ratios(lambda: SyncVectorEnv(fns), lambda: AsyncVectorEnv(fns), calls)


# %% [markdown]
# A cheap environment first, CartPole, and then an expensive one, which sleeps for 5 ms as if it waited for a robot
# or for another machine. Four rows of each. Guess both ratios before you read on.

# %% tags=["timing"]
say(f"Measured on {timing.machine()}.")
cheap = race(partial(gym.make, "CartPole-v1"), n=4, calls=100)
dear = race(partial(Wait, 0.005, "sleep"), n=4, calls=3)
assert np.median(cheap) < 1 and np.median(dear) > 1.5

# %% tags=["hide-input", "timing"]
rows = []
for name, found, calls in [("CartPole", cheap, 100), ("sleeping 5 ms", dear, 3)]:
    row = {"environment": name, "steps each": len(found) * 4 * calls}
    row["processes: times the loop's speed"] = f"{np.median(found):.2f}"
    rows.append(row | {"lowest to highest": f"{found.min():.2f} to {found.max():.2f}"})
table(rows, "Four processes against the loop, median of five pairs")

# %% [markdown]
# A slowdown and a gain. A step of CartPole is a few microseconds of arithmetic. Sending an action to a worker,
# waking it and fetching its answer costs far more, and is paid for every row on every call. Here is the price of that
# round trip, measured with steps that take no time:

# %% tags=["timing"]
with closing(AsyncVectorEnv([partial(Wait, 0.0)] * 4)) as envs:
    envs.reset(seed=0)
    round_trip = min(seconds(envs, 50) for _ in range(5)) / 50 / 4
say(f"A round trip to a worker took {1e6 * round_trip:.0f} microseconds.")

# %% [markdown]
# What decides is how long a step is, and **whose processor does the work** meanwhile. We sweep both: "burn" keeps a
# core of this machine busy for the given time, as physics would, and "sleep" only waits. The bars will show the whole
# range over five pairs, the dotted line is the loop: below it, processes cost you time. Between the two sweeps, two
# processes compute for 20 ms at once, too long for messages to matter: so `together` says how many cores they got.

# %%
plan = [(2e-5, 40), (1e-4, 20), (5e-4, 6), (2e-3, 2)]


def swept(how):
    return np.array([race(partial(Wait, cost, how), 4, calls) for cost, calls in plan])


# %% tags=["timing"]
sweep = {"burn": swept("burn")}
together = np.median(race(partial(Wait, 0.02, "burn"), n=2, calls=1))
sweep["sleep"] = swept("sleep")
medians = {how: np.median(found, axis=1) for how, found in sweep.items()}
step_costs = 1000 * np.array([cost for cost, _ in plan])  # in milliseconds

# %% tags=["hide-input", "timing"]
fig, ax = figure(4)
for (how, found), style in zip(sweep.items(), ["o-", "s--"], strict=True):
    middle = medians[how]
    bars = [middle - found.min(axis=1), found.max(axis=1) - middle]
    ax.errorbar(step_costs, middle, bars, fmt=style, capsize=3, label=how)
ax.axhline(1, color=PALETTE[5], ls=":", lw=1.2, marker="")
ax.set(xscale="log", yscale="log", title="Four sub-environments")
ax.set(xlabel="cost of one step (milliseconds)", ylabel="times as fast as the loop")
ax.set_xticks(step_costs, [f"{cost:g}" for cost in step_costs])
ax.set_yticks([0.25, 0.5, 1, 2, 4], ["1/4", "1/2", "1", "2", "4"])
ax.minorticks_off()
ax.legend()
burn, sleep = (medians[how].round(1) for how in ("burn", "sleep"))
alt = f"""Ratio against the cost of a step, both axes logarithmic. From 0.02 to 2 ms,
burn goes from {burn[0]} to {burn[-1]} and sleep from {sleep[0]} to {sleep[-1]}."""
show(fig, alt)

# %% tags=["hide-input", "timing"]
cores = timing.cores()  # those this process may use


def reason(milliseconds):
    """Why processes do not win with steps of this length that compute."""
    price = f"the messages took {1000 * round_trip:.2f} ms a row"
    if 1000 * round_trip > milliseconds / 2:  # then not even two cores make up for it
        return f"the reason is the price, for {price}."
    return f"not for the price ({price}), but for the cores: no second one was free."


# %% tags=["remove-cell"]
assert "reason is the price" in reason(1999 * round_trip)
assert "no second one was free" in reason(2001 * round_trip)

# %% tags=["hide-input", "timing"]
last, won = medians["burn"][-1], step_costs[medians["burn"] > 1]
say(
    f"The cheapest computing step at which processes won in the median: **{won.min():g} ms**. "
    f"At 2 ms, four were {last:.1f} times as fast as the loop."
    if last > 1
    else f"Here processes did not win even with steps of 2 ms: {reason(2)}"
)
say(
    f"Right after the sweep, two processes that compute at once did **{together:.1f} "
    f"times** the work of one: so much did they get of the {cores} cores that exist."
)

# %% [markdown]
# The two curves end at different heights. Four sleepers can wait at the same time on a single core, so their gain
# goes towards four, the number of rows. Steps that compute need a core each, so their gain stops at the number of
# cores *that are free*: neither busy with other programs nor held back by a quota, as containers and rented machines
# have. That can change within seconds. To see where your own environment stands, `race` it.
#
# And a step that asks a simulator in another program? For Python it sleeps. But if that program computes on *this*
# machine, it needs one of the same cores, and gains what "burn" gains: [chapter
# 22](../scale/22_throughput.ipynb#whose-processor-does-the-work) measures it. Only what happens elsewhere, in a robot
# or on a server, counts as "sleep".
#
# ### A model to play with
#
# A first guess of how long a call takes: the loop takes rows times the cost of a step. Processes pay a round trip to
# a worker for each row, and then the steps: all at once if they only wait, in rounds of as many as there are cores
# if they compute. (It assumes that all cores are free.)


# %%
def model(rows, cost):
    """Seconds of one call, by what does the work."""
    trips, rounds = rows * round_trip, -(-rows // cores)
    times = {"the loop": rows * cost, "processes, computing": trips + rounds * cost}
    return times | {"processes, waiting": trips + cost}


# %% [markdown]
# Set a cost and a number of rows. Find the cost at which processes begin to win, then raise the rows and watch which
# of the two kinds of work keeps gaining.

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
caption = f"What a call waits for, by the model, with {cores} free cores"
explorable(caption, controls, frame, (4, 2))

# %% [markdown]
# Is the model any good? Here it is beside the sweep above, for four rows.

# %% tags=["hide-input", "timing"]
rows = []
for i, (cost, _) in enumerate(plan):
    guess = model(4, cost)
    rows.append({"cost": f"{1000 * cost:g} ms"})
    for how, name in [("burn", "computing"), ("sleep", "waiting")]:
        ratio = guess["the loop"] / guess[f"processes, {name}"]
        rows[-1] |= {f"{how}: model": f"{ratio:.1f}"}
        rows[-1] |= {f"{how}: measured": f"{medians[how][i]:.1f}"}
table(rows, "Times the loop's speed, by the model and measured")

# %% tags=["remove-cell"]
naps = []
for _ in range(20):
    start = time.perf_counter()
    time.sleep(2e-5)
    naps.append(time.perf_counter() - start)
assert np.median(naps) > 3e-5  # asked for 2e-5

# %% [markdown]
# Where a measured "burn" stays far below the model, the cores were not free. Where the shortest "sleep" is far above
# it, the step was longer than 0.02 ms: the system lets a program sleep longer than it asked for.
#
# ## How many sub-environments, then?
#
# For steps that compute, about as many processes as there are free cores: beyond that, each new row adds its cost in
# full. For steps that wait, more. Look at both with a step of 1 ms.

# %% tags=["timing"]
speeds = {}
for how in ("burn", "sleep"):
    for n in (2, 8):
        speeds[how, n] = np.median(race(partial(Wait, 1e-3, how), n, calls=4))
        print(f"{how:5s} {n} rows: {speeds[how, n]:.1f} times as fast as the loop")
assert speeds["sleep", 8] > speeds["sleep", 2]

# %% tags=["hide-input", "timing"]
if min(speeds["burn", 2], speeds["burn", 8]) < 1.1:
    say(f'Why a line of "burn" shows no gain: {reason(1)}')

# %% [markdown]
# A loop does one step after another, so its throughput hardly moves; more rows only make the batch larger. A
# [native](../../book/glossary.md#native-vector-environment) class pays one fixed price a call, shared by all its
# rows, and profits from hundreds of them. Chapter 22, [throughput](../scale/22_throughput.ipynb), measures all three
# in depth.
#
# Speed is not the only side of it. With a fixed amount of data for an update, more rows mean fewer steps of each row
# between updates, and that changes what your algorithm learns from.
#
# ### More workers than cores: `max_concurrency`
#
# Thirty-two simulators that fight for four cores may be slower than four at a time. `max_concurrency=k` lets at most
# `k` workers be inside `reset` or `step` at once. How many rounds of 50 ms does a call take, when four rows sleep
# for 50 ms each?


# %% tags=["remove-cell"]
def rate(mode, n, calls=50):
    with closing(gym.make_vec("CartPole-v1", n, vectorization_mode=mode)) as envs:
        envs.reset(seed=0)
        return max(n * calls / seconds(envs, calls) for _ in range(5))


loop_growth = rate("sync", 64) / rate("sync", 4)
native_growth = rate("vector_entry_point", 256) / rate("vector_entry_point", 4)
assert loop_growth < 3 and native_growth > 10

# %% tags=["timing"]
fns = [partial(Wait, 0.05, "sleep")] * 4
rounds = {}
for limit in (None, 2, 1):
    with closing(AsyncVectorEnv(fns, max_concurrency=limit)) as envs:
        envs.reset(seed=0)
        rounds[limit] = seconds(envs, calls=1) / 0.05
    print(f"max_concurrency={limit!s:5s} {rounds[limit]:.1f} rounds")
assert rounds[None] < 4 <= rounds[1] and rounds[2] >= 2

# %% [markdown]
# Whether the cap helps has to be measured. Eight rows that burn 1 ms each, against the same with a cap at the number
# of cores:

# %% tags=["timing"]
fns = [partial(Wait, 0.001, "burn")] * 8
capped = partial(AsyncVectorEnv, fns, max_concurrency=cores)
found = ratios(lambda: AsyncVectorEnv(fns), capped, calls=3)
say(
    f"With the cap, the same work goes {np.median(found):.2f} times as fast "
    f"({found.min():.2f} to {found.max():.2f} over five pairs)."
)

# %% [markdown]
# A value near 1 says that the cap changes nothing for such a step; a wide range says that the machine was too busy
# to tell. The cap holds for `reset` and `step` only: `call`, `get_attr`, `set_attr` and `render` run in all workers
# at once.


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
# For one message we play the vector environment ourselves: send a command to worker 0 and read its answer.

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
# the processes see, and your side reads it there. Everything else goes through the pipe: actions, rewards, flags,
# and infos, with any image that they hold. What this saves, for small and large observations, is measured in
# [chapter 22](../scale/22_throughput.ipynb).
#
# `copy` says what you get of that memory. The default gives you an array of your own. With `copy=False` you get the
# block itself, and every step writes over the observation you hold. It is the same choice as in
# [SyncVectorEnv](02_sync_vector_env.ipynb), with one twist. Look at *when* the array changes.

# %%
with closing(AsyncVectorEnv([StepCounter] * 2, copy=False)) as envs:
    observations, _ = envs.reset(seed=0)
    envs.step_async(np.array([0, 0]))
    for pipe in envs.parent_pipes:
        pipe.poll(10)  # until the answer is there, without taking it
    print("before we collect the step:", observations.tolist())
    assert observations.tolist() == [[0, 1], [0, 1]]
    assert envs.step_wait()[0] is observations

# %% [markdown]
# The workers write as soon as they are done. Use `copy=False` only if you copy the rows into storage of your own
# before you send the next actions. Rewards and flags are new arrays each time, whatever `copy` is.

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
# the two, your process is free. Here the rows need 50 ms and so does our own work, say an update of the network.

# %% tags=["timing"]
actions, times = np.zeros(4, int), []
with closing(AsyncVectorEnv([partial(Wait, 0.05, "sleep")] * 4)) as envs:
    envs.reset(seed=0)
    for _ in range(3):
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
# Only one question may be open at a time. The environment remembers which in a private `_state`. Here are the two ways
# to ask out of turn.

# %%
AsyncState = gym.vector.async_vector_env.AsyncState
with closing(AsyncVectorEnv([StepCounter] * 2)) as envs:
    envs.reset(seed=0)
    with expect(gym.error.NoAsyncCallError):
        envs.step_wait()
    envs.step_async(np.array([0, 0]))
    print("after step_async:", envs._state.name)
    assert envs._state is AsyncState.WAITING_STEP
    with expect(gym.error.AlreadyPendingCallError):
        envs.get_attr("length")
    envs.step_wait()
    assert envs._state is AsyncState.DEFAULT

# %% [markdown]
# Each `wait` works in its own state only. Everything that asks works in `DEFAULT` only, and `get_attr`, `set_attr`,
# `render` and `np_random` ask, too.

# %% tags=["remove-cell"]
assert not hasattr(SyncVectorEnv, "step_async")
envs = AsyncVectorEnv([StepCounter])
waits = {"reset": envs.reset_wait, "step": envs.step_wait, "call": envs.call_wait}
asks = {
    "reset": lambda: envs.reset_async(seed=0),
    "step": lambda: envs.step_async(np.array([0])),
    "call": lambda: envs.call_async("length"),
    "set_attr": lambda: envs.set_attr("length", 5),
    "get_attr": lambda: envs.get_attr("length"),
    "render": lambda: envs.render(),
    "np_random": lambda: envs.np_random,
}

# %% tags=["remove-cell"]
with closing(envs):
    assert {state.value for state in AsyncState} == {"default", *waits}
    for kind in waits:
        asks[kind]()
        for ask in asks.values():
            with expect(gym.error.AlreadyPendingCallError):
                ask()
        for other in waits:
            if other != kind:
                with expect(gym.error.NoAsyncCallError):
                    waits[other]()
        waits[kind]()
    for wait in waits.values():
        with expect(gym.error.NoAsyncCallError):
            wait()

# %% [markdown]
# ### A wait with an end
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
assert not any(process.is_alive() for process in envs.processes)
assert not issubclass(multiprocessing.TimeoutError, TimeoutError)

# %% [markdown]
# It is the `TimeoutError` of `multiprocessing`, not the built-in one: an `except TimeoutError` without the prefix lets
# it pass. And do close: the environment looks ready after a timeout and is not, as chapter 25,
# [failures](../trust/25_failures.ipynb), shows.
#
# ## Closing
#
# - `close()` asks each worker to close its environment and waits for it. If a call is still pending, it says so in
#   a warning and waits for that first.
# - `close(timeout=2)` waits at most that long for a *pending* call, then stops the workers.
# - `close(terminate=True)` stops them at once; their environments' own `close` does not run.
#
# A closed `AsyncVectorEnv` refuses everything but another `close()`; a closed `SyncVectorEnv` still steps. Do not wait
# for Python to close it, whatever the docstring promises: [chapter 25](../trust/25_failures.ipynb#after-the-last-step).

# %% tags=["remove-cell"]
with closing(AsyncVectorEnv([StepCounter])) as envs:
    envs.reset(seed=0)
with expect(gym.error.ClosedEnvironmentError):
    envs.step(np.array([0]))
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

# %% tags=["remove-cell"]
with expect(gym.error.ClosedEnvironmentError):
    envs.get_attr("length")
with closing(SyncVectorEnv([StepCounter])) as envs:
    envs.reset(seed=0)
assert envs.closed and envs.step(np.array([0]))[1][0] == 1

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
with closing(gym.make_vec("CartPole-v1", 4, "async", {"copy": False})) as envs:
    assert envs.reset(seed=0)[0] is envs.step(np.zeros(4, int))[0]

# %% [markdown]
# `worker` gets eight arguments, one more than before version 1.4, and an old one is refused. Rarely does it need
# writing anew: let it prepare its process and hand over to the built-in one, as in one of the traps below.


# %% tags=["remove-cell"]
def old_worker(index, env_fn, pipe, parent_pipe, shared_memory, errors, mode):
    raise NotImplementedError


with expect(ValueError):
    AsyncVectorEnv([StepCounter], worker=old_worker)

# %% [markdown]
# ## Start methods, and the main guard
#
# Python has three ways to start a process, its [start methods](../../book/glossary.md#start-method).
#
# - `fork` copies your running process. It is quick, and the default on Linux up to Python 3.13. A copy of a process
#   with busy threads, or with a GPU in use, can hang.
# - `spawn` starts a fresh Python, which *imports your script again* to find what it needs. The default on macOS and
#   Windows.
# - `forkserver` forks the workers from one fresh process. They, too, import your script. The default on Linux from
#   Python 3.14.
#
# The import has a consequence. We run this as a script of its own, `train.py`, and look at what it prints. One row is
# enough.

# %% tags=["hide-input"]
import subprocess
import tempfile


def run_script(source):
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/train.py", "w") as file:
            file.write(source)
        command = [sys.executable, f"{folder}/train.py"]
        return subprocess.run(command, capture_output=True, text=True, timeout=120)


# %%
unguarded = """
import gymnasium as gym

envs = gym.make_vec("CartPole-v1", 1, vectorization_mode="async",
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

# %% tags=["remove-cell"]
assert "bootstrapping phase" in lines[at + 1]
seen = ("EOFError", "ConnectionResetError", "BrokenPipeError")
assert any(line.startswith(seen) for line in lines)

# %% [markdown]
# The worker imported the script, came to `make_vec`, and tried to start a worker of its own. Python stops that with
# a `RuntimeError`, printed by the *worker* in the middle of a long output. Your own process sees only that the worker
# is gone: an `EOFError`, a `ConnectionResetError` or a `BrokenPipeError`. The cure is the main guard. What stands
# under it does not run when a worker imports the script.

# %%
guarded = """
import multiprocessing, time
import gymnasium as gym

if __name__ == "__main__":
    for method in multiprocessing.get_all_start_methods():
        start = time.perf_counter()
        envs = gym.make_vec("CartPole-v1", 1, vectorization_mode="async",
                            vector_kwargs={"context": method})
        print(f"{method:10s} {envs.reset(seed=0)[0].shape}", end=" ")
        print(f"{time.perf_counter() - start:.2f} s")
        envs.close()
"""

# %% tags=["timing"]
result = run_script(guarded)
print(result.stdout)
assert result.returncode == 0 and not result.stderr
assert result.stdout.count("(1, 4)") == len(multiprocessing.get_all_start_methods())

# %% [markdown]
# All the methods of this platform work, one after the other in one program. The times are those of the start: a
# fresh process imports NumPy and Gymnasium anew. Write the guard even where you do not need it. A notebook needs
# none, since it is not imported.
#
# `context` holds for this one vector environment, so there is no need for
# `multiprocessing.set_start_method(..., force=True)`. It takes a *name*. One that the platform does not have is
# refused; so, in the same words, is a context object such as `torch.multiprocessing`.

# %%
with expect(ValueError):
    AsyncVectorEnv([StepCounter], context="thread")

# %% tags=["remove-cell"]
default = multiprocessing.get_start_method()
try:
    AsyncVectorEnv([StepCounter], context=multiprocessing.get_context("spawn"))
except ValueError as error:
    assert str(error).startswith("cannot find context for <")
else:
    raise AssertionError("a context object is accepted now")
with closing(AsyncVectorEnv([StepCounter], context="fork")) as envs:
    envs.reset(seed=0)
assert multiprocessing.get_start_method() == default

# %% [markdown]
# **Threads inside workers.** NumPy and PyTorch start threads of their own, commonly one for each core: eight workers
# on eight cores are then 64 threads. Set `OMP_NUM_THREADS=1` in the shell, before Python starts. Set inside the
# script, after the imports, it reaches spawned workers only; forked ones have the library as your process loaded it.

# %% tags=["remove-cell"]
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
        envs = gym.vector.AsyncVectorEnv([Product], context=method)
        print(method, envs.reset()[1]["threads"].max())
        envs.close()
"""

# %% tags=["remove-cell"]
if sys.platform == "linux":
    result = run_script(threads)
    forked, spawned = (int(line.split()[1]) for line in result.stdout.splitlines())
    assert spawned == 1 <= forked and (forked > 1 or cores == 1), result

# %% [markdown]
# ## What trips people up
#
# **"After my own `reset`, one step does nothing."** You turned shared memory off, and reset when an episode had
# just ended. Three times the same calls: three steps to the end of the episode, a reset, one step. The observation
# is `[episode, step]`, so all should say step 1.

# %%
piped = partial(AsyncVectorEnv, shared_memory=False)
for name, make in {
    "loop": SyncVectorEnv,
    "shared": AsyncVectorEnv,
    "piped": piped,
}.items():
    with closing(make([StepCounter])) as envs:
        envs.reset(seed=0)
        for _ in range(3):
            terminated = envs.step(np.array([0]))[2]
        envs.reset(seed=0)
        observations, rewards, *_ = envs.step(np.array([0]))
    print(f"{name:6s} observation {observations[0]} reward {rewards[0]}")
    assert terminated.all() and rewards[0] == (name != "piped")
assert observations.tolist() == [[1, 0]]

# %% [markdown]
# In the last line the step was thrown away, and a second reset took its place. A worker remembers that its episode
# has ended and that the next step is to be a reset. Your own reset should make it forget, and in this version does
# so only with shared memory. Leave that on, or use an autoreset mode other than `NEXT_STEP`.

# %% tags=["remove-cell"]
for mode in ("SameStep", "Disabled"):
    with closing(piped([StepCounter], autoreset_mode=mode)) as envs:
        envs.reset(seed=0)
        for _ in range(3):
            envs.step(np.array([0]))
        envs.reset(seed=0)
        assert envs.step(np.array([0]))[1][0] == 1

# %% [markdown]
# **"My text observation never changes."** Here shared memory must be off. It is turned into a string once, when the
# environment is made, and that string is what you get for ever.


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
# The same holds for `OneOf`, and for a `Text` inside a `Dict`. A `Sequence`, a `Graph` or a space class of your own
# cannot be shared at all, and the constructor says so: chapter 10,
# [space utilities](10_space_utilities.ipynb).


# %% tags=["remove-cell"]
class Spaced(StepCounter):
    def __init__(self, space):
        super().__init__()
        self.observation_space = space

    def _observation(self):
        choices = {"OneOf": (0, 1), "Dict": {"text": f"step{self.step_count}"}}
        return choices[type(self.observation_space).__name__]


class OwnSpace(gym.Space):
    pass


# %% tags=["remove-cell"]
one_of = gym.spaces.OneOf([gym.spaces.Discrete(9)])
nested = gym.spaces.Dict(text=gym.spaces.Text(5))
for space, stale in [(one_of, ((0, 0),)), (nested, {"text": ("00000",)})]:
    with closing(AsyncVectorEnv([partial(Spaced, space)])) as envs:
        envs.reset(seed=0)
        assert envs.step(np.array([0]))[0] == stale
with expect(ValueError):
    AsyncVectorEnv([partial(Spaced, OwnSpace((), np.int64))])
with expect(TypeError):
    AsyncVectorEnv([partial(Spaced, gym.spaces.Sequence(gym.spaces.Discrete(2)))])

# %% [markdown]
# **"All my rows see the same random numbers."** The environment draws from a generator outside itself. In a loop the
# rows take turns with it; each worker has a copy, and all copies say the same.

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
# The seed of `reset` does not reach that generator. Draw from `self.np_random`, which is what `reset` seeds. If the
# environment is not yours to change, a `worker` can give each process a generator of its own first.


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
# **A worker failed.** Chapter 25, [failures](../trust/25_failures.ipynb), has each failure and the way back. The ones
# you may meet first:
#
# - "daemonic processes are not allowed to have children": the environment starts a process. Pass `daemon=False`, and
#   closing becomes your duty all the more.
# - `BrokenPipeError`, `EOFError` or `ConnectionResetError` in `step`: a worker has died. Nobody restarts it.
# - An error inside a worker, even a misspelt name in `get_attr`, ends that worker.
# - After a timeout, each step returns the answer to the step *before*. After too short a batch of actions, some rows
#   do. Rebuild the environment.

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
envs = AsyncVectorEnv([partial(Wait, 0.1, "sleep")])
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


# %% tags=["remove-cell"]
class Simulator(StepCounter):
    def reset(self, *, seed=None, options=None):
        child = multiprocessing.Process(target=int)
        child.start()
        child.join()
        return super().reset(seed=seed)


# %% tags=["remove-cell"]
level, gym.logger.min_level = gym.logger.min_level, 50  # it warns of errors in workers
with closing(AsyncVectorEnv([Simulator])) as envs, expect(AssertionError):
    envs.reset(seed=0)
with closing(AsyncVectorEnv([Simulator], daemon=False)) as envs:
    assert envs.reset(seed=0)[0].tolist() == [[0, 0]]
with closing(AsyncVectorEnv([StepCounter])) as envs:
    with expect(AttributeError):
        envs.get_attr("lengths")
    envs.processes[0].join()
    assert not envs.processes[0].is_alive()
gym.logger.min_level = level

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
# - Each sub-environment has a process. The data are those of the loop; only the time differs.
# - A call lasts as long as its slowest row, plus a round trip for each row. Processes pay for long steps: about as
#   many as there are free cores if this machine does the work, more if it is done elsewhere.
# - Observations come through shared memory, all else through pipes.
# - `step_async` and `step_wait` let you work in between. After a timeout, close with `terminate=True`.
# - Put the start of your script under the main guard, and `closing` around the environment.
#
# **Back:** [spaces](07_spaces.ipynb). **Next:** [vector wrappers](09_vector_wrappers.ipynb); when things go wrong,
# [failures](../trust/25_failures.ipynb).
# **Reference:** [`AsyncVectorEnv`](https://gymnasium.farama.org/api/vector/async_vector_env/), and Python's
# [contexts and start methods](https://docs.python.org/3/library/multiprocessing.html#contexts-and-start-methods).
