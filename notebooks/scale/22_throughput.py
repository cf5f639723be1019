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
# # Throughput: where the time goes
#
# After this chapter you can measure vector environments so that you believe the result, say where the time of a
# step goes, and choose a vectoriser and a number of rows for your own environment on your own machine.
#
# **You need:** [SyncVectorEnv](../primitives/02_sync_vector_env.ipynb) and
# [AsyncVectorEnv](../primitives/08_async_vector_env.ipynb). **Time:** about 27 minutes.

# %% tags=["alone"]
import subprocess
import sys
import time
from functools import partial

import gymnasium as gym
import numpy as np
from gymnasium.utils.performance import benchmark_vector_step
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

from helpers.contenders import OPTIONAL, against_single, installed, maker, stored_ladder
from helpers.environments import StepCounter, Wait
from helpers.exercises import check
from helpers.figures import INK, PALETTE, figure, show
from helpers.pages import say, table
from helpers.timing import busy, cores, interleave, machine, opened, race, stepping

# %% [markdown]
# ## The same measurement, five times
#
# How many times as fast is a native environment as the loop, with eight cart-poles? We time 200 calls of one, then
# 200 calls of the other, and divide. Then we do it four more times. Then five times again, while other programs
# keep the same machine busy. A good measurement gives the same answer ten times.


# %%
def one_after_the_other(steps):
    seconds = {}
    for name, step in steps.items():
        start = time.perf_counter()
        for _ in range(200):
            step()
        seconds[name] = time.perf_counter() - start
    return seconds["sync"] / seconds["our native"]


# %% [markdown]
# The second way asks the same question. It lets the two take turns of half a millisecond, divides turn by turn, and
# takes the median of the ratios.


# %%
def in_turns(steps):
    return interleave(steps, rounds=31, turn=0.0005).ratio("our native", "sync").median


# %% tags=["timing"]
ways = [one_after_the_other, in_turns]
answers = {}
pair = {name: maker(name, rows=8) for name in ("sync", "our native")}
with opened(pair) as envs:
    steps = {name: stepping(env) for name, env in envs.items()}
    for way in ways:
        answers[way, "as it is"] = [way(steps) for _ in range(5)]
    with busy(2 * cores()):
        for way in ways:
            answers[way, "neighbours"] = [way(steps) for _ in range(5)]

# %% tags=["hide-input", "timing"]
fig, ax = figure(2.9)
for shift, when in enumerate(["as it is", "neighbours"]):
    style = {"color": PALETTE[shift], "marker": "os"[shift], "ls": ""}
    for place, way in enumerate(ways):  # the five one below the other, to be seen
        height = 2 * place + shift + np.linspace(-0.3, 0.3, 5)
        label = None if place else when
        ax.plot(answers[way, when], height, fillstyle="none", label=label, **style)
ax.set_yticks([0.5, 2.5], ["one after\nthe other", "in turns"])
ax.axhline(1.5, color=PALETTE[5], ls=":", lw=1, marker="")
ax.set(xscale="log", xlabel="native: times as fast as the loop", ylim=(3.5, -0.5))
ax.set_title("Ten answers from each way to measure")
_ = fig.legend(loc="outside lower center", ncols=2)

# %% tags=["hide-input", "timing"]
every = np.concatenate(list(answers.values()))
low, high = min(1, every.min()) / 1.1, max(3, every.max()) * 1.1
ticks = [t for t in (0.25, 0.5, 1, 1.5, 2, 3, 4, 8, 16) if low < t < high]
ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
ax.set_xlim(low, high)
ax.minorticks_off()
alt = """Five results for each of two ways to measure, on the machine as it is and with
busy neighbours. Those taken in turns lie close together, with and without them."""
show(fig, alt)

# %% tags=["timing"]
for (way, when), found in answers.items():
    low, high = min(found), max(found)
    print(f"{way.__name__:20s} {when:11s} {low:5.2f} to {high:5.2f}")
both = [np.median(answers[in_turns, when]) for when in ("as it is", "neighbours")]
assert 1 / 2 < both[0] / both[1] < 2

# %% [markdown]
# Turns give one answer, neighbours or not. The other way depends on who else wanted the processor, and when. The
# reason is how it is shared: a program runs for some milliseconds, then it waits for others. A turn that is much
# shorter mostly falls into one of those slices, and what does not, the median throws away.
#
# ## The harness
#
# `helpers.timing`, which the rest of this chapter uses, does the second, with a few rules of common sense:
#
# 1. **The same game.** Contenders that return different data do not compete. We check that next.
# 2. **Turns, short and equally long.** A contender that is a hundred times as fast makes a hundred times as many
#    calls in its turn.
# 3. **Who goes first changes** from round to round.
# 4. **Ratios, turn by turn.** Absolute rates depend on the hour; ratios hardly.
# 5. **The median, and the middle half around it.** A mean follows its outliers.
# 6. **Outside the clock:** making environments, the first calls, drawing the actions.
# 7. **Every number names its machine.** This one:

# %% tags=["timing"]
say(f"{machine()}.")

# %% [markdown]
# And the same game? Would processes collect other data than the loop? With the same seeds and the same actions, not
# in a bit:

# %%
fns = [partial(gym.make, "CartPole-v1")] * 3
kinds = {kind: partial(kind, fns) for kind in (SyncVectorEnv, AsyncVectorEnv)}
with opened(kinds, seed=5) as envs:
    space, equal, ends = envs[SyncVectorEnv].action_space, True, 0
    space.seed(5)
    for _ in range(200):
        actions = space.sample()
        one, other = (each.step(actions) for each in envs.values())
        equal &= all(map(np.array_equal, one[:4], other[:4]))
        ends += (one[2] | one[3]).sum()
print("identical:", equal, "| episodes that ended:", ends)
assert equal and ends > 20

# %% [markdown]
# The native classes draw other episodes, but play the same game: [chapter 21](21_native_vector_env.ipynb) has the
# proof.
#
# ## The ladder
#
# CartPole in four ways, from one row to 1024. Each takes turns with one plain environment,
# `gym.make("CartPole-v1")`, stepped in a loop of our own. That one is the same in every race, so all the ratios are
# on one scale. Before you look: which of them are ever faster than the plain environment?

# %% tags=["timing"]
rungs = [1, 4, 16, 64, 256, 1024]
ladder = {}
for name in ["sync", "async", "Gymnasium's native", "our native"]:
    for rows in rungs[: {"sync": 4, "async": 3}.get(name)]:
        result = against_single(name, rows, rounds=31)
        ladder[name, rows] = result.ratio(name, to="single"), result.rate(name)

# %% tags=["hide-input", "timing"]
fig, ax = figure(3.8)
names = dict.fromkeys(name for name, _ in ladder)
for name, style in zip(names, ["s--", "D:", "^-.", "o-"], strict=True):
    found = {rows: ratio for (n, rows), (ratio, _) in ladder.items() if n == name}
    middle = np.array([ratio.median for ratio in found.values()])
    low = middle - [ratio.low for ratio in found.values()]
    high = [ratio.high for ratio in found.values()] - middle
    ax.errorbar(list(found), middle, [low, high], fmt=style, capsize=3, label=name)
ax.axhline(1, color=PALETTE[5], ls=":", lw=1.2, marker="")
ax.set(xscale="log", yscale="log", ylabel="times as fast as one environment")
ax.set(xlabel="rows", title="CartPole in four ways")
labels = [str(rows) for rows in rungs]

# %% tags=["hide-input", "timing"]
ax.set_xticks(rungs, labels)
ax.minorticks_off()
ax.legend()
alt = """Speed in environment steps against the number of rows, both logarithmic. The
loop and the processes stay below one environment; both native classes rise past it."""
show(fig, alt)

# %% tags=["hide-input", "timing"]
rows_of_table = []
for name in names:
    cells = {"contender": name}
    for rows in rungs:
        rate = ladder[name, rows][1].median / 1000 if (name, rows) in ladder else None
        cells[f"{rows:,}"] = f"{rate:,.0f}" if rate else "-"
    rows_of_table.append(cells)
table(rows_of_table, "Thousand environment steps a second, by number of rows")

# %% [markdown]
# Only the native ones. A loop of many is never faster than a loop of one: it does the same steps and adds its own
# work. Processes are far below, since a CartPole step is shorter than sending a message about it.

# %% tags=["timing"]
best = max(ladder["sync", rows][0].median for rows in rungs[:4])
many = ladder["our native", 1024][0].median / best
few = ladder["async", 4][0].median / ladder["sync", 4][0].median
say(
    f"Our native class with 1024 rows does about **{float(f'{many:.2g}'):.0f} times** "
    "as many steps as the loop at its best; a loop of four does about "
    f"**{1 / few:.0f} times** as many as four processes."
)
assert few < 0.5 and many > 20
assert all(
    ladder[name, rows][0].median < 1.2
    for name in ("sync", "async")
    for rows in (1, 4, 16)
)

# %% tags=["remove-cell", "timing"]
pair = {name: maker(name, 256) for name in ("sync", "our native")}
assert race(pair, rounds=15).ratio("our native", "sync").median > 5
pair = {name: maker(name, 4) for name in ("sync", "async")}
assert race(pair).ratio("async", "sync").median < 0.5

# %% [markdown]
# **How many rows, then?** In the loop, the speed is flat after a few rows: take as many as your algorithm wants in a
# batch. A native call takes a fixed time `a` and a little time `b` for each row, so its speed grows with every row,
# and reaches half of what it can ever be at `a / b` rows. From the first and the last rung:

# %% tags=["timing"]
growth = ladder["sync", 64][0].median / ladder["sync", 4][0].median
first, last = (n * 1e6 / ladder["our native", n][1].median for n in (1, rungs[-1]))
half = float(f"{first / ((last - first) / (rungs[-1] - 1)):.2g}")  # two digits
ahead = next(
    n
    for n in rungs[:4]
    if ladder["our native", n][0].median > ladder["sync", n][0].median
)
say(
    f"The loop with 64 rows is {growth:.1f} times as fast as with 4. A native call "
    f"takes {first:.0f} µs for one row and {last:.0f} µs for {rungs[-1]}: half of its "
    f"top speed at about **{half:,.0f} rows**. It passes the loop at {ahead} or before."
)
assert growth < 3 and 100 < half < 20_000 and ahead <= 64

# %% [markdown]
# More rows are not free for the *algorithm*: with the same amount of data for an update, each row contributes fewer
# steps in a row, and what is learnt from is more alike in time. Speed is one half of the answer.
#
# ## Where the time of the loop goes
#
# A cart-pole in `SyncVectorEnv` costs more than its physics. To see what the rest is, we take it apart: the same
# eight carts with one layer more each time, all in one race. What a layer costs is the difference of two
# contenders, round by round.


# %%
def looping(make):
    envs = [make() for _ in range(8)]
    steps = []
    for env in envs:
        env.reset(seed=0)
        steps.append(stepping(env))
    return lambda: [step() for step in steps]


class Talkative(gym.Wrapper):
    def step(self, action):
        return *self.env.step(action)[:4], {"speed": 1.0, "count": 2}


# %%
def in_sync(make, **kwargs):
    envs = SyncVectorEnv([make] * 8, **kwargs)
    envs.reset(seed=0)
    return stepping(envs)


def bare():
    return gym.make("CartPole-v1").unwrapped


made = partial(gym.make, "CartPole-v1")
unchecked = partial(gym.make, "CartPole-v1", disable_env_checker=True)

# %% tags=["timing"]
layers = {
    "physics": looping(bare),
    "two wrappers": looping(unchecked),
    "checker": looping(made),
    "vector machinery": in_sync(made),
    "added: two info keys": in_sync(lambda: Talkative(made())),
    "no copy": in_sync(made, copy=False),
}
apart = interleave(layers, work=8, rounds=201)

# %% tags=["timing"]
costs = {"physics": apart.cost("physics")}
order = list(layers)[:5]
for name, below in zip(order[1:], order, strict=False):
    costs[name] = apart.extra(name, to=below)
total = apart.cost("vector machinery").median
rows = [
    {"layer": name, "µs a step (middle half)": f"{cost:.2f}"}
    for name, cost in costs.items()
]
where = "One of eight CartPole rows in SyncVectorEnv"
table(rows, f"{where}: {total:.1f} µs a step before info keys are added")

# %% tags=["hide-input", "timing"]
fig, ax = figure(2.7)
left = 0.0
for place, (name, cost) in enumerate(costs.items()):
    width = max(cost.median, 0)
    hatch = ["", "//", "..", "xx", "--"][place]
    colour = PALETTE[place]
    ax.barh(0, width, left=left, color=colour, hatch=hatch, edgecolor=INK, label=name)
    left += width
ax.set(yticks=[], xlabel="µs for one step of one row", title="The layers of a step")
fig.legend(ncols=2, loc="outside lower center")
alt = """One bar made of five pieces. Physics is by far the longest; wrappers and
checker are thin; vector machinery and two added info keys are clearly visible."""
show(fig, alt)

# %% tags=["timing"]
share = apart.cost("physics").median / total
copied = apart.extra("vector machinery", to="no copy")
say(
    f"Physics is {100 * share:.0f} % of the step, added info keys not counted. With "
    f"`copy=False` the copy of the observations would be spared: {copied:.2f} µs."
)
assert share > 0.4
assert costs["checker"].median < 0.3 * costs["physics"].median

# %% [markdown]
# So there is little to win by turning things off: the checker and the copy are hardly to be found. The last layer is
# the one that you add yourself. Every key that an environment puts into its
# [info](../../book/glossary.md#info) is written into an array, row by row, in Python. Leave out what nobody reads.
#
# What does the machinery do with its time? Three of its parts can be called by themselves.

# %% tags=["hide-input", "timing"]
space, batch = bare().observation_space, np.zeros((8, 4), np.float32)
rows, many = [space.sample() for _ in range(8)], gym.spaces.MultiDiscrete([2] * 8)
actions, flags = many.sample(), np.zeros(8, bool)
parts = {
    "concatenate": lambda: gym.vector.utils.concatenate(space, rows, batch),
    "iterate": lambda: list(gym.vector.utils.iterate(many, actions)),
    "copies of rewards and flags": lambda: [np.copy(flags) for _ in range(3)],
}
found = interleave(parts, work=8)
for name in parts:
    print(f"{name:28s} {found.cost(name).median:.2f} µs a row")
assert max(parts, key=lambda name: found.cost(name).median) == "concatenate"

# %% [markdown]
# `concatenate` writes eight observations into one array, and is the dearest. For observations that are large, this is
# where the copying is; we come to frames [below](#frames-and-copies).
#
# ## When processes pay
#
# `AsyncVectorEnv` sends an action to a [worker](../../book/glossary.md#worker) and receives an answer. That takes the
# same time whatever the step does, so we measure it with a step that does nothing, and compare with the loop.

# %% tags=["timing"]
nothing = {
    "loop": lambda: SyncVectorEnv([StepCounter] * 4),
    "processes": lambda: AsyncVectorEnv([StepCounter] * 4),
}
quickest = {name: 1e6 * found.min() for name, found in race(nothing).seconds.items()}
least = quickest["processes"] - quickest["loop"]
say(
    f"At its quickest, a row costs {quickest['loop']:.1f} µs in the loop and "
    f"{quickest['processes']:.1f} µs with processes: **a step shorter than about "
    f"{least:.0f} µs gains nothing from processes** on this machine."
)
assert quickest["processes"] > 2 * quickest["loop"]

# %% [markdown]
# Compare this bound with your environment: put its name into the list.

# %% tags=["timing"]
names = ["CartPole-v1", "Pendulum-v1", "Acrobot-v1", "FrozenLake-v1", "book/Wait-v0"]
singles = race({name: partial(gym.make, name) for name in names}, rounds=21)
rows = []
for name in names:
    cost = singles.cost(name).median
    verdict = "no" if cost < least else "perhaps"
    rows.append({"id": name, "µs a step": f"{cost:.0f}", "processes?": verdict})
table(rows, f"Steps of single environments, against the bound of {least:.0f} µs")

# %% [markdown]
# Above the bound it depends on the cores, and on what a step does with its time. `Wait`, of this book's helpers,
# burns processor time or sleeps, as long as it is told. Four rows, and in between two rows that burn for 20 ms: that
# is too long for messages to matter, so `together` says how many cores two processes got.


# %% tags=["timing"]
def gain(make, rows=4, rounds=11):
    """Cost of a step in the loop, in µs, and how many times as fast processes are."""
    kinds = {
        kind: partial(kind, [make] * rows) for kind in (SyncVectorEnv, AsyncVectorEnv)
    }
    result, (loop, procs) = race(kinds, rounds), kinds
    return result.cost(loop).median - quickest["loop"], result.ratio(procs, loop)


plan = [25, 50, 100, 200, 400, 800, 1600]
sweep = {"burn": [gain(partial(Wait, cost / 1e6, "burn")) for cost in plan]}
together = gain(partial(Wait, 0.02, "burn"), rows=2, rounds=5)[1].median
sweep["sleep"] = [gain(partial(Wait, cost / 1e6, "sleep")) for cost in plan]

# %% tags=["hide-input", "timing"]
fig, ax = figure(3.6)
for (how, found), style in zip(sweep.items(), ["o-", "s--"], strict=True):
    costs = [cost for cost, _ in found]
    middle = np.array([g.median for _, g in found])
    bounds = [middle - [g.low for _, g in found], [g.high for _, g in found] - middle]
    ax.errorbar(costs, middle, bounds, fmt=style, capsize=3, label=how)
ax.axhline(1, color=PALETTE[5], ls=":", lw=1.2, marker="")
ax.axvline(least, color=PALETTE[5], ls=":", lw=1.2, marker="")
ax.set(xscale="log", yscale="log", xlabel="µs a step, measured", title="Four rows")
ax.set(ylabel="times as fast as the loop")
labels = [str(cost) for cost in plan]

# %% tags=["hide-input", "timing"]
ax.set_xticks(plan, labels)
ax.set_yticks([0.125, 0.25, 0.5, 1, 2, 4], ["1/8", "1/4", "1/2", "1", "2", "4"])
ax.minorticks_off()
ax.legend()
ends = [[f"{found[i][1].median:.1f}" for i in (0, -1)] for found in sweep.values()]
alt = f"""Speed of four processes against the cost of a step, both logarithmic. From the
shortest step to the longest, burning goes from {" to ".join(ends[0])} times the speed
of the loop, sleeping from {" to ".join(ends[1])} times."""
show(fig, alt)

# %% [markdown]
# The vertical dotted line is the bound from above, the horizontal one is the loop. Where a curve crosses the
# horizontal line, processes begin to pay; if it starts above, they pay from the shortest step measured, or before. (A
# sleep takes longer than it is told.)


# %%
def break_even(costs, ratios):
    """The cost from which the ratio stays above 1; None if there is none."""
    below = max((i for i, ratio in enumerate(ratios) if ratio <= 1), default=-1)
    if below == -1:
        return costs[0]
    if below == len(costs) - 1:
        return None
    share = np.log(ratios[below]) / np.log(ratios[below] / ratios[below + 1])
    return costs[below] * (costs[below + 1] / costs[below]) ** share


assert np.isclose(break_even([10, 1000], [0.1, 10]), 100)

# %% tags=["timing"]
pays = {}
for how, found in sweep.items():
    costs, ratios = zip(*[(cost, g.median) for cost, g in found], strict=True)
    pays[how] = break_even(costs, ratios)
    text = f"pay from about {pays[how]:.0f} µs" if pays[how] else "do not pay"
    if pays[how] == costs[0]:
        text = f"pay at {costs[0]:.0f} µs, the shortest measured, or below"
    print(f"{how:5s} processes {text}; at the last cost {ratios[-1]:.1f} times as fast")
assert sweep["burn"][0][1].median < 1


# %% tags=["remove-cell", "timing"]
assert gain(partial(Wait, 0.001, "sleep"))[1].median > 1.5


# %% tags=["hide-input", "timing"]
def reason(cost):
    """Why processes do not pay at this cost of a step that computes, in µs."""
    if least > cost / 2:  # then not even two cores make up for it
        return f"The reason is the price: {least:.0f} µs a row."
    return (
        f"It is not the price, {least:.0f} µs a row, but the cores: no second was free."
    )


say(
    f"Two processes that compute at once did **{together:.1f} times** the work of one: "
    f"so much did they get of {cores()} cores. "
    + ("" if pays["burn"] else f"Burning did not pay. {reason(plan[-1])}")
)

# %% tags=["remove-cell"]
assert "the reason is the price" in reason(1.99 * least).lower()
assert "no second was free" in reason(2.01 * least)

# %% [markdown]
# Sleepers share a core without noticing, so their gain goes towards four, the number of rows. Burners need cores:
# with `k` of them *free*, the gain cannot pass `k`. A core that another program uses, or that a quota holds back, is
# not free, and that may change within seconds.
#
# ### Whose processor does the work?
#
# A step that calls into a compiled library computes. And one that asks a simulator in another program? That of `Asks`,
# folded away, sends a line to a program beside it on this machine, which computes for 3 ms and answers. We set it
# beside the two others, with four rows for each core (sixteen at most), and note for what share of a step Python
# itself is at work.

# %% tags=["hide-input"]
PROGRAM = """
import sys, time
for line in sys.stdin:
    until = time.thread_time() + float(line)
    while time.thread_time() < until: pass
    print(flush=True)
"""


# %% tags=["hide-input"]
class Asks(StepCounter):
    def __init__(self):
        super().__init__(length=10_000)
        command, pipe = [sys.executable, "-c", PROGRAM], subprocess.PIPE
        self.program = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)

    def step(self, action):
        print(0.003, file=self.program.stdin, flush=True)
        self.program.stdout.readline()
        return super().step(action)

    def close(self):
        self.program.kill()
        self.program.communicate()


# %% tags=["hide-input"]
def share_of_python(make, steps=20):
    env = make()
    env.reset(seed=0)
    begin = np.array([time.thread_time(), time.perf_counter()])
    for _ in range(steps):
        env.step(0)
    computed, passed = np.array([time.thread_time(), time.perf_counter()]) - begin
    env.close()
    return computed / passed


# %% tags=["timing"]
kinds = {
    "sleeps": partial(Wait, 0.003, "sleep"),
    "burns": partial(Wait, 0.003, "burn"),
    "asks": Asks,
}
many = min(4 * cores(), 16)
shares = {name: share_of_python(make) for name, make in kinds.items()}
gains = {name: gain(make, many, rounds=7)[1] for name, make in kinds.items()}

# %% tags=["hide-input", "timing"]
rows = [
    {
        "a step that": name,
        "Python at work": f"{100 * share:.0f} %",
        "processes: times as fast as the loop": f"{gains[name]:.1f}",
    }
    for name, share in shares.items()
]
table(rows, f"Steps of 3 ms, {many} rows: median and middle half")

# %% tags=["remove-cell", "timing"]
assert 3 * max(shares["asks"], shares["sleeps"]) < shares["burns"]
assert gains["asks"].median < 0.7 * gains["sleeps"].median or cores() > 8

# %% [markdown]
# For Python the third step only waits, like the first. But what it waits for is done on this machine, so it can gain
# no more than free cores allow, like the second. Do not ask whether your step waits; ask **whose processor does the
# work**. If it is this machine's, take as many rows as there are free cores. If the work is done elsewhere, by a
# robot, a server, another machine, take more.
#
# ### Stragglers
#
# A call waits for its slowest row. If one row of four takes four times as long, the loop takes 7 units instead of
# 4, and processes take 4 instead of 1: a gain of 7/4 at best, where it was 4.


# %% tags=["timing"]
def gain_of(costs):
    fns = [partial(Wait, cost, "sleep") for cost in costs]
    kinds = {"loop": lambda: SyncVectorEnv(fns), "procs": lambda: AsyncVectorEnv(fns)}
    return race(kinds, rounds=15).ratio("procs", to="loop")


even, uneven = gain_of([0.001] * 4), gain_of([0.001] * 3 + [0.004])
print(f"all alike:     {even:.1f} times as fast, of 4")
print(f"one straggler: {uneven:.1f} times as fast, of 7/4")
assert uneven.median < even.median

# %% [markdown]
# Steps that vary by *chance* do the same thing on every call, only each time to another row. We need no clock to
# see it: draw durations, and compare the longest of each call with the average.

# %%
rng = np.random.default_rng(0)
rows = []
for n in (2, 4, 16, 64):
    durations = rng.exponential(size=(10_000, n))
    efficiency = durations.mean() / durations.max(axis=1).mean()
    rows.append(
        {"rows": n, "busy share of a worker's time": f"{100 * efficiency:.0f} %"}
    )
table(rows, "Steps with exponentially distributed durations: a worker waits the rest")
assert efficiency < 0.25

# %% [markdown]
# With 64 workers whose steps vary that much, four fifths of the time is waiting. The remedy is to meet less often:
# whole rollouts instead of single steps, the subject of chapter 23, [beyond one
# machine](23_beyond_one_machine.ipynb).
#
# Many environments that compute, on few cores, get in each other's way. `max_concurrency` limits how many workers
# are at work at a time: [chapter 8](../primitives/08_async_vector_env.ipynb).
#
# ## Frames and copies
#
# So far an observation was four numbers. Images are another matter: somebody has to copy them. This camera returns
# a frame that it has at hand, so all that is measured is moving it.


# %%
class Camera(StepCounter):
    def __init__(self, shape):
        super().__init__(length=10_000)
        self.observation_space = gym.spaces.Box(0, 255, shape, np.uint8)
        self.frame = np.zeros(shape, np.uint8)

    def _observation(self):
        return self.frame


# %% tags=["timing"]
rows, frames = [], {}
for shape in [(4,), (84, 84, 4), (210, 160, 3)]:
    fns = [partial(Camera, shape)] * 4
    kinds = {
        "loop": partial(SyncVectorEnv, fns),
        "loop, copy=False": partial(SyncVectorEnv, fns, copy=False),
        "shared memory": partial(AsyncVectorEnv, fns),
        "pipe": partial(AsyncVectorEnv, fns, shared_memory=False),
    }
    found = race(kinds, rounds=25).seconds
    frames[shape] = {name: 1e6 * turns.min() for name, turns in found.items()}
    size = f"{np.prod(shape) / 1000:.3g} kB"
    rows.append({"size": size} | {k: f"{v:.1f}" for k, v in frames[shape].items()})
table(rows, "µs a row, at the quickest, by size of one observation")

# %% tags=["timing"]
large = frames[210, 160, 3]
pipe = large["pipe"] / large["shared memory"]
copied = large["loop"] / large["loop, copy=False"]
say(
    f"At 100 kB, the pipe takes {pipe:.2f} times as long as shared memory, and the "
    f"loop with its copy {copied:.2f} times as long as without."
)
assert pipe > 1 and large["loop"] > frames[4,]["loop"]

# %% [markdown]
# For four numbers it makes no difference how they travel; the larger the observation, the more shared memory saves.
# It is the default. `copy=False` saves too, and has a price that no clock shows: the environment reuses its
# observation buffer, and what you stored changes after the next step.

# %%
for copied in (True, False):
    envs = SyncVectorEnv([StepCounter] * 2, copy=copied)
    first, _ = envs.reset(seed=0)
    stored = first.copy()
    second, *_ = envs.step(np.array([0, 0]))
    print(
        f"copy={copied!s:5s} one array: {first is second!s:5s} stored", first.tolist()
    )
    assert (first is second) is not copied
    assert np.array_equal(first, stored) is copied

# %% [markdown]
# Use `copy=False` only if you copy each batch into a rollout buffer of your own before you step again. Then it
# saves one of two copies. (Rewards and flags are new arrays in any case.)
#
# ## Start methods
#
# A worker has to be started once. How long that takes depends on the [start
# method](../../book/glossary.md#start-method). Workers that are not forked import the main program, so this is a
# program of its own. It prints how long two workers take to start, and then how many times as fast they step as the
# workers of the first method.

# %%
program = """
import multiprocessing, time, gymnasium as gym
from helpers.timing import interleave, opened, stepping

def make(method):
    start, how = time.perf_counter(), {"context": method}
    envs = gym.make_vec("CartPole-v1", 2, "async", vector_kwargs=how)
    print(f"{method:10s} {time.perf_counter() - start:.2f} s to start")
    return envs
if __name__ == "__main__":
    methods = multiprocessing.get_all_start_methods()
    with opened({m: lambda m=m: make(m) for m in methods}) as envs:
        race = interleave({m: stepping(env) for m, env in envs.items()}, rounds=31)
    for m in methods[1:]:
        print(f"{m:10s} {race.ratio(m, methods[0]):.2f} times as fast as {methods[0]}")
"""

# %% tags=["timing"]
command = [sys.executable, "-c", program]
result = subprocess.run(command, capture_output=True, text=True, timeout=120)
print(result.stdout)
assert result.returncode == 0 and not result.stderr

# %% [markdown]
# A forked worker is a copy of a process that is already there; the others start Python and import NumPy and
# Gymnasium anew, each of them. For a training run of hours it does not matter. For a test that makes an environment
# and takes ten steps it is everything. [Chapter 8](../primitives/08_async_vector_env.ipynb) says which method is
# right where.
#
# ## Gymnasium's own benchmark
#
# `gymnasium.utils.performance` has `benchmark_vector_step(envs, target_duration, seed)`. It returns environment
# steps a second, leaves [filler rows](../../book/glossary.md#filler-row) out of the count, and knows all three
# autoreset modes. For a first number it is all you need. What it does not do: it has no pairs and no spread, and it
# draws the actions with the clock running. For a fast environment, that counts.

# %% tags=["timing"]
envs = maker("our native", rows=1024)()
envs.reset(seed=0)
both = {
    "step": stepping(envs),
    "draw and step": lambda: envs.step(envs.action_space.sample()),
}
found = interleave(both)
once = benchmark_vector_step(envs, target_duration=0.2, seed=0)
drawing = 100 * (1 - 1 / found.ratio("step", to="draw and step").median)
say(
    f"Gymnasium's benchmark: {once / 1e6:.1f} million steps a second. Of the time that "
    f"it measures, {drawing:.0f} % is spent on drawing actions."
)
assert found.ratio("step", to="draw and step").median > 1

# %% [markdown]
# ## Beyond NumPy: compiled contenders
#
# What is left of a native step is the price of calling NumPy. A compiler takes that away too. Two contenders run if
# they are installed, and this book does not install them: JAX, with the same seven lines of physics
# (`helpers/jax_cartpole.py`), and EnvPool, which is written in C++.

# %% tags=["timing"]
for name in OPTIONAL:
    if not installed(name):
        print(f"{name}: not installed, skipped")
        continue
    few, many = (against_single(name, n, rounds=15) for n in (64, 1024))
    few, many = (result.ratio(name, "single").median for result in (few, many))
    print(f"{name}: {few:.1f} and {many:.1f} times one environment, 64 and 1024 rows")

# %% [markdown]
# `make bench` runs the whole ladder, with them if they are there, in a few minutes. It shows its progress, and
# writes `build/bench/ladder.csv` and a page with your machine beside ours. This is ours, measured earlier, where JAX
# and EnvPool were installed:

# %%
where, records = stored_ladder()
records["shown"] = [f"{x:.2f}" if x < 10 else f"{x:.0f}" for x in records.ratio]
ours = records.pivot(index="contender", columns="rows", values="shown").fillna("-")
table(
    ours.loc[records.contender.unique()].reset_index(),
    "Times as fast as one plain environment, by number of rows",
)
say(f"Measured by `make bench` on {where}.")

# %% tags=["remove-cell"]
stored = records.set_index(["contender", "rows"]).ratio
assert stored["our native", 256] > 5 * stored["sync", 256]
assert stored["async", 4] < 0.5 * stored["sync", 4]
assert stored["our native", 1024] > 1.3 * stored["Gymnasium's native", 1024]
assert stored["JAX", 16] < stored["our native", 16]
assert stored["JAX rollouts", 16] > stored["our native", 16]
assert stored["JAX rollouts", 4096] < 3 * stored["our native", 4096]

# %% [markdown]
# "JAX" is one compiled call for each step, with the observations back in NumPy: it has a fixed part as well, and
# not a smaller one. "JAX rollouts" stay on the device for 100 steps, with the actions drawn there, as they would be
# if the policy were compiled too. Then there is no fixed part to speak of, and few rows are fast already; with
# thousands of rows NumPy has caught up. It is a choice for those who write the whole training program in JAX.
#
# ## Which one do I use?
#
# The questions in their order, with the thresholds of this run.

# %% tags=["timing"]
short = least > plan[-1] / 2  # even the longest step was, for processes to pay
without = "but not here" if short else "but only one was free"
burn, sleep = (
    f"from {cost:.0f} µs {'or less' if cost == sweep[how][0][0] else 'a step'}"
    if cost
    else without
    for how, cost in pays.items()
)

# %% tags=["hide-input", "timing"]
texts = {
    "arrays?": "Can the step be written\nwith arrays, or is there\na native class?",
    "native": f"Native class; beats the\nloop from {ahead} rows, half its\n"
    f"top speed at {half:,.0f}",
    "short?": f"Is a step shorter\nthan {least:.0f} µs?",
    "loop": "The loop;\nas many rows as the\nalgorithm wants",
    "whose?": "Whose processor\ndoes the work\nof a step?",
    "cores": f"Processes,\none for each free core,\n{burn}",
    "more": f"Processes,\nseveral for each core,\n{sleep}",
    "cluster": "A cluster,\nwith whole rollouts:\nchapter 23",
}

# %% tags=["hide-input", "timing"]
places = {"arrays?": (0, 0), "native": (1, 0), "short?": (0, 1), "loop": (1, 1)}
places |= {"whose?": (0, 2), "cores": (1, 2), "more": (0, 3), "cluster": (1, 3)}
arrows = [
    ("arrays?", "native", "yes"),
    ("arrays?", "short?", "no"),
    ("short?", "loop", "yes"),
    ("short?", "whose?", "no"),
    ("whose?", "cores", "this\nmachine's"),
    ("whose?", "more", "another\nmachine's"),
    ("cores", "cluster", "too slow"),
    ("more", "cluster", "too slow"),
]

# %% tags=["hide-input", "timing"]
fig, ax = figure(4.6)
for name, (x, y) in places.items():
    edge = PALETTE[0] if name.endswith("?") else PALETTE[2]
    ax.barh(y, 0.7, 0.66, x - 0.35, color=[(edge, 0.12)], edgecolor=edge)
    lines = texts[name].split("\n")  # each line is centred by itself
    for i, line in enumerate(lines):
        height = y + 0.19 * (i - (len(lines) - 1) / 2)
        ax.text(x, height, line, ha="center", va="center", size=10)

# %% tags=["hide-input", "timing"]
for start, end, label in arrows:
    (x, y), (u, v) = places[start], places[end]
    tail, tip = (
        ((x + 0.36, y), (u - 0.36, v)) if u > x else ((x, y + 0.34), (x, v - 0.34))
    )
    ax.annotate("", tip, tail, arrowprops={"arrowstyle": "->", "color": INK})
    middle = (x + 0.5, y - 0.06) if u > x else (x + 0.03, y + 0.5)
    where = (
        {"ha": "center", "va": "bottom"} if u > x else {"ha": "left", "va": "center"}
    )
    ax.text(*middle, label, size=10, **where)

# %% tags=["hide-input", "timing"]
ax.set(xlim=(-0.4, 1.4), ylim=(3.4, -0.4))
ax.axis("off")
alt = f"""A flow chart. A step that can be written with arrays: a native class.
Otherwise, a step shorter than {least:.0f} µs: the loop. A longer one: processes, one a
free core if this machine does the work, several a core if another one does. Still too
slow: a cluster."""
show(fig, alt)

# %% [markdown]
# Below the cost from which processes pay, the loop is the better one. A cluster is for those whose cores are all
# busy and who still wait: chapter 23, [beyond one machine](23_beyond_one_machine.ipynb), has the calculation for your
# step.
#
# ## What trips people up
#
# **"My environment is ten times as fast now, and training is not."** The environment was never all of it. If it
# takes a share `p` of the time, making it `k` times as fast makes the whole `1 / (1 - p + p / k)` times as fast.
# Let a small policy network choose the actions:


# %%
def speed_up(share, times):
    return 1 / (1 - share + share / times)


rng = np.random.default_rng(0)
weights = [rng.normal(size=shape) for shape in [(4, 64), (64, 64), (64, 2)]]


def policy(x):
    for w in weights[:-1]:
        x = np.tanh(x @ w)
    return (x @ weights[-1]).argmax(axis=1)


# %% tags=["timing"]
observations = np.zeros((8, 4), np.float32)
envs = maker("sync", rows=8)()
envs.reset(seed=0)
found = interleave({"step": stepping(envs), "policy": lambda: policy(observations)})
step, choice = found.cost("step").median, found.cost("policy").median
share = step / (step + choice)
say(
    f"The loop of eight takes {100 * share:.0f} % of a step with this policy. Ten "
    f"times as fast, it makes the whole {speed_up(share, 10):.1f} times as fast, and "
    f"for nothing {speed_up(share, np.inf):.1f} times. No learning is counted yet."
)
assert 1 < speed_up(share, 10) < 10

# %% [markdown]
# **"The machine has 64 cores and I gain nothing."** `os.cpu_count()` counts the cores of the *machine*. A container
# or a batch queue may have given you fewer, and then 64 workers share those. This book's `cores()` asks for what
# this process may use. Here a program is confined to a single core and asks both:

# %% tags=["timing"]
code = """
import os
from helpers.timing import cores
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
print(f"os.cpu_count() says {os.cpu_count()}, cores() says {cores()}")
"""
if sys.platform == "linux":
    command = [sys.executable, "-c", code]
    answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    print(answer)
    assert answer.endswith("cores() says 1\n")

# %% [markdown]
# **"My steps a second include steps that nobody took."** In `NEXT_STEP`, the call that resets a row is not an
# environment step. With long episodes it does not matter. With episodes of one step, half of what you count is air.

# %%
envs = SyncVectorEnv([partial(StepCounter, length=1)] * 4)
envs.reset(seed=0)
rewards = np.array([envs.step(np.zeros(4, int))[1] for _ in range(10)])
print("counted:", rewards.size, "| taken:", np.count_nonzero(rewards))
assert np.count_nonzero(rewards) == rewards.size / 2

# %% [markdown]
# ## Exercises
#
# ### Exercise 22.1: read a race
#
# `seconds` is a dictionary with two arrays, the seconds of the turns of "loop" and of "processes"; turns of the
# same number are neighbours in time. Write `how_much_faster(seconds)`: how many times as fast processes are, by the
# method of this chapter.
#
# <details><summary>Hint</summary>
#
# First divide, then take the median. In which direction do you divide, if "times as fast" is to be above 1 when
# processes take *less* time?
#
# </details>


# %% tags=["exercise"]
def how_much_faster(seconds):
    raise NotImplementedError


# %%
check("22.1", how_much_faster)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def how_much_faster(seconds):
#     return np.median(seconds["loop"] / seconds["processes"])
# ```
#
# The ratio of two medians would compare turns that never met.
#
# </details>
#
# ### Exercise 22.2: predict a call
#
# Four rows whose steps compute for 300 µs, on two cores that are otherwise idle. A row costs 5 µs in the loop
# beside its step, and 45 µs with processes. How many µs does a call take in the loop, and how many with processes,
# if the steps share the two cores perfectly and everything else comes on top? Answer with a tuple of two numbers.
#
# <details><summary>Hint</summary>
#
# Two cores do four steps of 300 µs in the time of two. What comes on top is paid for each row.
#
# </details>

# %% tags=["exercise"]
answer = ...

# %%
check("22.2", answer)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# answer = (4 * (300 + 5), 4 * 300 / 2 + 4 * 45)
# ```
#
# 1220 and 780: a gain of 1.6, of at most 2.
#
# </details>
#
# ### Exercise 22.3: what is it worth?
#
# Of each second of your training, the environment takes 0.3 seconds. You rewrite it, and it is 20 times as fast.
# Write `seconds_left(share, times)`: what is left of each second, for any share and any speed-up.
#
# <details><summary>Hint</summary>
#
# What is not the environment stays as it was.
#
# </details>


# %% tags=["exercise"]
def seconds_left(share, times):
    raise NotImplementedError


# %%
check("22.3", seconds_left)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def seconds_left(share, times):
#     return 1 - share + share / times
# ```
#
# `seconds_left(0.3, 20)` is 0.715: twenty times as fast, and the training still takes 71.5 per cent of its time.
#
# </details>
#
# ## Recap
#
# - Measure in pairs, in short turns of equal length, and give the median with its spread and the name of the
#   machine.
# - The loop's speed is flat: batching by a loop is for the algorithm. Most of its time is physics; infos are the part
#   you can change.
# - A native class is far ahead wherever a step can be written with arrays, and gets faster with every row.
# - Processes pay above a break-even that you can measure: about as many as free cores for steps that this machine
#   computes, in Python or beside it, more for work done elsewhere. Stragglers take it back.
# - The environment is one part of training. Ask what share it has before you make it faster.
#
# **Back:** [a native environment](21_native_vector_env.ipynb). **Next:** [beyond one
# machine](23_beyond_one_machine.ipynb).
# **Reference:** [`gymnasium.utils.performance`](https://gymnasium.farama.org/api/utils/),
# [`AsyncVectorEnv`](https://gymnasium.farama.org/api/vector/async_vector_env/).
