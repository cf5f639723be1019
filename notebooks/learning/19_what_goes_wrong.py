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
# # What goes wrong: bugs that learn anyway
#
# After this chapter you know what seven common mistakes with vector environments cost, on which tasks they cost
# nothing, and how to find them when the return looks fine.
#
# **You need:** [rollouts](17_rollouts.ipynb): the mask, the bootstrap, the final observation. PPO, the algorithm of
# [training](18_training.ipynb), is used here, not explained. **Time:** about 33 minutes.


# %% tags=["experiment"]
from copy import deepcopy
from pathlib import Path

import gymnasium as gym
import jupytext
import numpy as np
import pandas as pd
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import NormalizeObservation

import helpers
from helpers.exercises import check
from helpers.figures import INK, LINESTYLES, MARKERS, PALETTE, figure, show
from helpers.native_cartpole import NativeCartPole
from helpers.pages import expect, say, table
from helpers.rollouts import collect, next_observations

# %% [markdown]
# ## One of these programs has a bug
#
# Two programs train an agent on CartPole, and then on a small task of our own, each from ten seeds. They differ in
# one line. Which one is broken?

# %%
DATA = Path(helpers.__file__).parent / "data"
stored = pd.read_csv(DATA / "bugs.csv", comment="#")


def numbers(where, bug, measure):
    rows = stored[(stored.experiment == where) & (stored.bug == bug)]
    return rows[rows.measure == measure].sort_values("seed").value.to_numpy()


# %%
rows = []
for program, bug in [("A", "filler rows kept"), ("B", "none")]:
    cartpole = numbers("PPO, CartPole", bug, "return")
    corridor = numbers("PPO, corridor cut at 5", bug, "pay")
    both = {
        "CartPole, return": cartpole.mean(),
        "our task, pay a step": corridor.mean(),
    }
    rows.append({"program": program} | {name: round(x, 2) for name, x in both.items()})
table(rows, "Two programs after training, means of ten seeds")
assert len(cartpole) == len(corridor) == 10
assert all(row["CartPole, return"] > 495 for row in rows)
assert rows[0]["our task, pay a step"] < 0.95 * rows[1]["our task, pay a step"]

# %% [markdown]
# On CartPole you cannot tell. 500 is the most there is to get, and both get it, from every seed. On the second task
# program A leaves a tenth of the pay behind. It learns from the [filler rows](../../book/glossary.md#filler-row),
# the rows of `NEXT_STEP` mode in which nothing happened but a reset.
#
# So "it learns" proves little. This page switches on one mistake at a time and measures.
#
# ## How to measure a bug
#
# Three rules:
#
# 1. **One bug at a time**, with everything else the same, seeds included.
# 2. **A task on which it can be seen**, better still one whose true answer is known. On a task where all goes well
#    for any program, no bug can show.
# 3. **Many seeds and an interval.** We take ten. The *standard error* of their mean is their deviation divided by the
#    root of ten, and the interval reaches 2.262 of it to each side (why 2.262 is told in
#    [evaluation](20_evaluation.ipynb#two-confidence-intervals)). Of 100 intervals made in this way, 95 hold the true
#    mean, if the ten numbers are independent and not too far from a normal distribution.


# %% tags=["experiment"]
def half_width(ten):
    return 2.262 * np.std(ten, ddof=1) / 10**0.5


# %% [markdown]
# The full measurement takes minutes, so it was made beforehand by `tools/measure_bugs.py`, and the numbers are in
# `helpers/data/bugs.csv`. Its first lines say how, where and with which seeds. After `algorithm` stands a digest of
# the code that was run; `tests/test_measure_bugs.py` fails when the code on these pages has another.

# %%
heading = (DATA / "bugs.csv").read_text().splitlines()
print(*[line for line in heading if line.startswith("#")], sep="\n")

# %% [markdown]
# The tool runs the cells of this page that define an experiment, and the PPO of the last chapter, cell by cell from
# that page. Further down, `SEEDS` says which of the seeds are repeated here and now: two, to keep the building of
# this book short.
#
# ## A task with a known answer
#
# A corridor of nine places. Whoever pushes left at the left end is paid 0.4, whoever pushes right at the right end
# is paid 1. It goes on for ever, and starts anywhere.


# %% tags=["experiment"]
class Corridor(gym.Env):
    def __init__(self):
        self.observation_space = gym.spaces.Discrete(9)
        self.action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = int(self.np_random.integers(9))
        return self.place, {}

    def step(self, action):
        reward = {(0, 0): 0.4, (8, 1): 1.0}.get((self.place, int(action)), 0.0)
        self.place = min(max(self.place + 2 * int(action) - 1, 0), 8)
        return self.place, reward, False, False, {}


# %% [markdown]
# With a [discount](../../book/glossary.md#discount) of 0.95, being paid 1 for ever is worth `1 / (1 - 0.95) = 20`.
# From `k` places left of the right end it takes `k` steps to get there, so the
# [value](../../book/glossary.md#value) is `20 * 0.95**k`. Even at the left end that is 13.3, while staying there is
# worth `0.4 * 20 = 8`. So going right is best, everywhere. But it asks for patience: from the left end the walk pays
# nothing for eight steps.
#
# We watch the corridor through a time limit of five steps, so that ends are common. Nobody can walk from end to end
# within one episode, and nobody needs to, since a [bootstrap](../../book/glossary.md#bootstrap) joins the pieces.
# The actions are drawn at random.


# %% tags=["experiment"]
GAMMA = 0.95


def cut_corridor(limit):
    return gym.wrappers.TimeLimit(Corridor(), limit)


def play(seed, mode, limit=5, seeded=True):
    envs = SyncVectorEnv([lambda: cut_corridor(limit)] * 32, autoreset_mode=mode)
    start = envs.reset(seed=1000 * seed)[0], np.zeros(32, bool)
    if seeded:
        envs.action_space.seed(seed)
    rollout, _ = collect(envs, lambda _: envs.action_space.sample(), 200, start)
    envs.close()
    return rollout


# %% [markdown]
# From such a rollout we fit a table `q[place, action]`: what taking this action here is worth, if one chooses well
# afterwards. Each row of the rollout says what it should be, `reward + gamma * best value of what it led to`. Take
# the mean over all rows with the same place and action (`np.bincount` adds them up), and repeat until nothing
# changes. The best entry of a place is its value, and no network is in the way.


# %% tags=["experiment"]
def solve(places, saw, action, reward, discount, led_to, sweeps=400):
    pair = 2 * saw + action
    count = np.bincount(pair, minlength=2 * places)
    q = np.zeros((places, 2))
    for _ in range(sweeps):
        target = reward + discount * q[led_to].max(axis=1)
        sums = np.bincount(pair, target, 2 * places)
        q = (sums / np.maximum(count, 1)).reshape(places, 2)
    return q


# %% [markdown]
# Three decisions have to be made about a rollout: which rows count, whether anything follows, and what each step led
# to. The first three bugs are one wrong line each.


# %% tags=["experiment"]
def fit(rollout, bug=None):
    led_to, rows = next_observations(rollout), rollout.valid
    follows = ~rollout.terminated
    if bug == "filler rows kept":
        rows = np.ones_like(rows)
    if bug == "cut taken as end":
        follows = ~rollout.done
    if bug == "reset observation":
        led_to = rollout.observations[1:]
    saw, discount = rollout.observations[:-1], GAMMA * follows
    columns = saw, rollout.actions, rollout.rewards, discount, led_to
    return solve(9, *(column[rows] for column in columns))


# %% [markdown]
# - **Filler rows kept.** In `NEXT_STEP` mode the call after an end only resets, and leaves a [filler
#   row](../../book/glossary.md#filler-row): an action that did nothing, a reward of 0.
# - **Cut taken as end.** An episode that was [truncated](../../book/glossary.md#truncated) is treated as if it had
#   [terminated](../../book/glossary.md#terminated).
# - **Reset observation.** In `SAME_STEP` mode the batch holds the first observation of the *next* episode. Whoever
#   takes it for what the step led to has forgotten the [final
#   observation](../../book/glossary.md#final-observation) in info.
#
# Last, the choices are paid what they are worth: a hundred steps from each place, without any cut.


# %% tags=["experiment"]
def pay(choices, steps=100):
    corridor, total = Corridor(), 0.0
    for corridor.place in range(9):
        for _ in range(steps):
            total += corridor.step(choices[corridor.place])[1]
    return total / (9 * steps)


# %%
NEXT_STEP, SAME_STEP = AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP
CASES = {
    "none": (None, NEXT_STEP),
    "filler rows kept": ("filler rows kept", NEXT_STEP),
    "cut taken as end": ("cut taken as end", NEXT_STEP),
    "none, SAME_STEP": (None, SAME_STEP),
    "reset observation": ("reset observation", SAME_STEP),
}
q = fit(play(0, NEXT_STEP))
print("value of each place:", q.max(axis=1).round(1))
print(
    "0 left, 1 right:    ", q.argmax(axis=1), " pay a step:", round(pay(q.argmax(1)), 2)
)
assert np.allclose(q.max(axis=1), 20 * GAMMA ** np.arange(8, -1, -1), atol=1e-6)

# %% [markdown]
# Without a bug, one rollout of five-step pieces is enough to get every value right to six decimals.
#
# Now all five cases, for the seeds that you choose. The last column is the difference to the stored number.

# %%
SEEDS = (0, 1)

rows = []
for case, (bug, mode) in CASES.items():
    found = [pay(fit(play(seed, mode), bug).argmax(axis=1)) for seed in SEEDS]
    before = numbers("table, corridor cut at 5", case, "pay")[list(SEEDS)]
    pairs = zip(SEEDS, found, strict=True)
    row = {"bug": case} | {f"seed {seed}": round(paid, 3) for seed, paid in pairs}
    rows.append(row | {"differs by": f"{np.abs(found - before).max():.3f}"})
    assert np.allclose(found, before, atol=1e-4)
table(rows, "Pay a step of the choices that were learnt here and now")

# %% [markdown]
# Here are all ten seeds.


# %% tags=["hide-input"]
def plus_minus(values, digits=2):
    return f"{values.mean():.{digits}f} ± {half_width(values):.{digits}f}"


# %% tags=["hide-input"]
HEADS = {"pay": "pay a step", "value 0": "value, place 0", "value 8": "value, place 8"}


def summary(where, *measures, digits=2, first="bug"):
    rows = []
    for case in stored[stored.experiment == where].bug.unique():
        row = {first: case}
        for measure in measures:
            values = numbers(where, case, measure)
            row[HEADS.get(measure, measure)] = plus_minus(values, digits)
        rows.append(row)
    return rows


# %% tags=["hide-input"]
where = "table, corridor cut at 5"
table(
    summary(where, "pay", "value 0", "value 8"),
    "The corridor cut at 5, fitted by a table: mean of ten seeds with its interval",
)

# %% tags=["remove-cell"]
assert (numbers(where, "none", "pay") == numbers(where, "none, SAME_STEP", "pay")).all()
for case in ("filler rows kept", "cut taken as end", "reset observation"):
    lost = numbers(where, "none", "pay") - numbers(where, case, "pay")
    assert lost.mean() > 2 * half_width(lost) and lost.mean() > 0.03, case
    assert numbers(where, case, "value 8").max() < 15

# %% [markdown]
# Each of the three costs pay, and gets the values at both ends wrong. The two correct programs agree, although one
# has filler rows to drop and the other has to look for final observations.
#
# ### A bug is a correct answer to another question
#
# The damage can be computed. Each bug changes the task, and the table solves the changed task well.
#
# - A kept filler row says: one time in six, whatever you do, you are paid nothing and wake up in a random place.
# - A cut taken as an end says: one time in five, the world ends.
# - A reset observation says: one time in five, you are paid and then wake up in a random place.
#
# In each of them a long walk pays less, since it is likely to be broken off. Write the three down as tasks and
# solve them exactly, without any rollout:

# %%
place = np.arange(9)[:, None]
leads_to = np.clip(place + np.array([-1, 1]), 0, 8)
reward = np.zeros((9, 2))
reward[0, 0], reward[8, 1] = 0.4, 1.0


# %%
def changed_task(bug, limit=5):
    q = np.zeros((9, 2))
    for _ in range(600):
        best = q.max(axis=1)
        after, woken = best[leads_to], best.mean()
        q = reward + GAMMA * after
        if bug == "filler rows kept":
            q = (limit * q + GAMMA * woken) / (limit + 1)
        if bug == "cut taken as end":
            q = reward + GAMMA * (1 - 1 / limit) * after
        if bug == "reset observation":
            q = reward + GAMMA * (after + (woken - after) / limit)
    return q


# %% tags=["hide-input"]
def show_values(ax, bug, k):
    case = "none" if bug is None else bug
    means = [numbers(where, case, f"value {p}").mean() for p in range(9)]
    style = {"color": PALETTE[k]}
    ax.plot(changed_task(bug).max(axis=1), ls=LINESTYLES[k], marker="", **style)
    ax.plot(means, ls="", marker=MARKERS[k], label=case, **style)


# %% tags=["hide-input"]
fig, ax = figure(3.6)
for k, bug in enumerate([None, "filler rows kept", "reset observation"]):
    show_values(ax, bug, k)
show_values(ax, "cut taken as end", 3)
ax.set(xlabel="place", ylabel="value", xticks=range(9), ylim=(-0.5, 25))
ax.set_title("Values learnt (marks), and of the changed task (lines)")
ax.legend(loc="upper left", ncols=2)
alt = (
    "Values of the nine places. Without a bug they rise from 13 to 20. With filler "
    "rows kept or reset observations they lie near 8 to 12, dipping on the left, with "
    "a cut taken as an end between 1 and 4. The marks lie on or just above the lines."
)
show(fig, alt)

# %% tags=["remove-cell"]
for case, (bug, _) in CASES.items():
    means = [numbers(where, case, f"value {p}").mean() for p in range(9)]
    assert np.abs(means - changed_task(bug).max(axis=1)).max() < 0.35, case
assert changed_task("filler rows kept")[0].argmax() == 0
assert changed_task(None)[0].argmax() == 1

# %% tags=["remove-cell"]
envs = SyncVectorEnv([lambda: cut_corridor(5)] * 32, autoreset_mode=NEXT_STEP)
start = envs.reset(seed=0)[0], np.zeros(32, bool)
envs.action_space.seed(0)
longer, _ = collect(envs, lambda _: envs.action_space.sample(), 6000, start)
envs.close()
bug = "filler rows kept"
line = changed_task(bug).max(axis=1)
assert numbers(where, bug, "value 8").mean() - line[8] > 0.2
assert np.abs(fit(longer, bug).max(axis=1) - line).max() < 0.1

# %% [markdown]
# The marks lie on the lines, but for the squares: 200 calls are few, and with 6,000 they lie on theirs too. The dip is
# the point at which patience runs out: left of it, the program prefers 0.4 now.
#
# This also says when a bug hurts. All three weigh with the share of rows at an end, so they fade as episodes become
# longer.

# %% tags=["hide-input"]
rows = []
for limit in (5, 10, 20, 50):
    at = f"table, corridor cut at {limit}"
    row = {"cut at": limit}
    for case in ("filler rows kept", "cut taken as end", "reset observation"):
        good = "none, SAME_STEP" if case == "reset observation" else "none"
        pays = numbers(at, case, "pay").mean() / numbers(at, good, "pay").mean()
        value = numbers(at, case, "value 8").mean()
        row[case] = f"{100 * pays:.0f} %, {value:.1f}"
    rows.append(row)
table(
    rows,
    "What each bug leaves: the pay, in per cent of the pay without it, and the value "
    "of the right end, which should be 20",
)

# %% tags=["remove-cell"]
for case in ("filler rows kept", "cut taken as end", "reset observation"):
    values = [
        numbers(f"table, corridor cut at {limit}", case, "value 8").mean()
        for limit in (5, 10, 20, 50)
    ]
    assert values == sorted(values) and values[-1] < 19.9
    good = numbers("table, corridor cut at 50", "none", "pay")
    assert (numbers("table, corridor cut at 50", case, "pay") == good).all()
    assert (numbers("table, corridor cut at 20", case, "pay") == good).sum() >= 7
assert numbers("table, corridor cut at 50", "cut taken as end", "value 8").mean() < 17

# %% [markdown]
# Cut at 20, nearly all seeds choose rightly again, and cut at 50 all of them do, with every bug. The *values* are
# still wrong. The order of two numbers survives a good deal of distortion.
#
# ### Where filler rows do nothing at all
#
# Here every end was a cut, in a place through which episodes also pass. Where episodes *terminate*, the filler row
# starts from a place in which nobody ever acts. A table gives it an entry of its own, and since nothing bootstraps
# from a terminated step, no other entry reads it. To show it, let the first place be an exit, and fit the same
# rollout with the filler rows dropped and kept.


# %%
class Exit(Corridor):
    def step(self, action):
        place, reward, _, truncated, info = super().step(action)
        return place, reward, place == 0, truncated, info


envs = SyncVectorEnv([Exit] * 32)
start = envs.reset(seed=0)[0], np.zeros(32, bool)
envs.action_space.seed(0)
rollout, _ = collect(envs, lambda _: envs.action_space.sample(), 200, start)
envs.close()
dropped, kept = fit(rollout), fit(rollout, "filler rows kept")
print("filler rows:", (~rollout.valid).sum())
changed = np.flatnonzero((dropped != kept).any(axis=1))
print("places whose entries changed:", changed)
assert (~rollout.valid).sum() > 50 and changed.tolist() == [0]

# %% [markdown]
# Only place 0 has changed: starts there aside, nobody acts in it. In a network, what is learnt in one place moves the
# answers in others, so there the argument does not hold, and one has to measure.
#
# ## One word changed in PPO
#
# Does a real algorithm suffer in the same way? We take the code of [training](18_training.ipynb) from its page and
# replace one stretch of text. A replacement that finds nothing would report "no harm". So `switch` insists on
# finding its text exactly once.


# %% tags=["experiment"]
def code_of(chapter, tag):
    folder = Path(helpers.__file__).parents[1] / "notebooks" / "learning"
    cells = jupytext.read(folder / chapter).cells
    return "\n\n".join(c.source for c in cells if tag in c.metadata.get("tags", []))


def switch(code, old, new):
    if code.count(old) != 1:
        raise ValueError(f"{old!r} is in the code {code.count(old)} times, not once")
    return code.replace(old, new)


# %% tags=["remove-cell"]
with expect(ValueError):
    switch("keep = rollout.valid", "rollout.valids", "everything")

# %% [markdown]
# Here are the bugs, as what is replaced by what:


# %% tags=["experiment"]
CHANGES = {
    "filler rows kept": ("flatnonzero(rollout.valid)", "arange(rollout.valid.size)"),
    "cut taken as end": ("ends = rollout.terminated", "ends = rollout.done"),
    "reset observation": (
        "values, next_values = value_steps(rollout, agent.value)",
        "v = agent.value(rollout.observations); values, next_values = v[:-1], v[1:]",
    ),
    "unseeded actions": (
        "partial(agent.act, rng=rng)",
        "partial(agent.act, rng=np.random.default_rng())",
    ),
}


# %% tags=["experiment"]
def ppo(bug=None):
    code = code_of("18_training.py", "algorithm")
    if bug is not None:
        code = switch(code, *CHANGES[bug])
    names = {"__name__": "algorithm"}
    exec(code, names)
    return names


# %% tags=["remove-cell"]
for change in CHANGES.values():
    assert switch(code_of("18_training.py", "algorithm"), *change)

# %% [markdown]
# PPO wants an observation of numbers, so the place becomes a row of nine, with a single 1. Otherwise the corridor
# is the same.


# %% tags=["experiment"]
def one_hot_corridor(limit=5):
    flat = gym.wrappers.FlattenObservation(cut_corridor(limit))
    return gym.wrappers.DtypeObservation(flat, np.float32)


def ppo_on_corridor(seed, mode, bug=None):
    chapter = ppo(bug)
    envs = SyncVectorEnv([one_hot_corridor] * 32, autoreset_mode=mode)
    settings = chapter["Settings"](updates=60, gamma=GAMMA)
    agent, _ = chapter["train"](envs, settings, seed)
    envs.close()
    places = np.eye(9, dtype=np.float32)
    return agent.best(places), agent.value(places)


# %%
for case in ("none", "cut taken as end"):
    bug, mode = CASES[case]
    choices, _ = ppo_on_corridor(SEEDS[0], mode, bug)
    found = pay(choices)
    before = numbers("PPO, corridor cut at 5", case, "pay")[SEEDS[0]]
    print(f"{case:17s} {choices}  pay {found:.3f}, stored {before:.3f}")
    assert abs(found - before) < 0.1

# %%
where = "PPO, corridor cut at 5"
table(
    summary(where, "pay", "value 0", "value 8"),
    "The corridor cut at 5, learnt by PPO: mean of ten seeds with its interval",
)

# %% tags=["remove-cell"]
for case in ("filler rows kept", "cut taken as end", "reset observation"):
    good = "none, SAME_STEP" if case == "reset observation" else "none"
    lost = numbers(where, good, "pay") - numbers(where, case, "pay")
    assert lost.mean() > 2 * half_width(lost) and lost.mean() > 0.03, case
    assert lost.min() > 0, case
assert np.allclose(numbers(where, "none", "value 8"), 20, atol=0.2)
cut = numbers(where, "cut taken as end", "pay") / numbers(where, "none", "pay")
assert np.allclose(cut, 0.75, atol=0.03)
for place in (where, "table, corridor cut at 5"):
    pays = {case: numbers(place, case, "pay").mean() for case in CASES}
    assert pays["filler rows kept"] > pays["cut taken as end"] + 0.03
    assert abs(pays["reset observation"] - pays["cut taken as end"]) < 0.01

# %% [markdown]
# Filler rows again cost the least pay, the other two bugs as much as each other. Every seed pays for each of the three.
#
# ### Where PPO does not mind
#
# Now CartPole, whose early episodes last 20 steps and whose late ones 500. We need it in two autoreset modes, so we
# take the `NativeCartPole` that [a native vector environment](../scale/21_native_vector_env.ipynb) writes: the same
# physics as Gymnasium's native class, in every mode. `value of the start` is what the critic says of the
# observations that `reset` returns; with a discount of 0.99, a pole that is kept up for ever is worth 100.


# %% tags=["experiment"]
def ppo_on_cartpole(seed, mode, bug=None, limit=500):
    chapter = ppo(bug)
    envs = NativeCartPole(32, limit, autoreset_mode=mode)
    agent, _ = chapter["train"](envs, chapter["Settings"](), seed)
    envs = NativeCartPole(100, 500)
    returns, value = chapter["evaluate"](envs, agent, 1_000_000 + 1000 * seed)
    return returns.mean(), float(value)


# %% tags=["hide-input"]
rows = []
for limit, at in [(500, "PPO, CartPole"), (200, "PPO, CartPole cut at 200")]:
    for row in summary(at, "return", "value of the start", digits=1):
        if "again" not in row["bug"] and "unseeded" not in row["bug"]:
            rows.append({"cut at": limit} | row)
table(
    rows, "CartPole, PPO: mean of ten seeds with its interval, evaluated on 500 steps"
)
lost = numbers(at, "none", "return") - numbers(at, "cut taken as end", "return")
print("lost by a cut taken as end, seed by seed:", lost.round())

# %% tags=["remove-cell"]
assert (numbers("PPO, CartPole", "filler rows kept", "return") == 500).all()
found = numbers("PPO, CartPole", "filler rows kept", "value of the start")
assert abs(found.mean() - 100) < 1
assert (numbers(at, "reset observation", "return") == 500).all()
assert abs(numbers(at, "reset observation", "value of the start").mean() - 100) < 1
assert numbers(at, "cut taken as end", "value of the start").max() < 80
assert (lost == 0).sum() == 7 and 0 < lost.mean() < half_width(lost)
assert 0.01 < lost.mean() / 500 < 0.03 and (lost[lost > 0] > 20).all()
low = 1 - numbers(at, "cut taken as end", "value of the start") / 100
assert low.min() > 0.2 and low.mean() > 0.25

# %% [markdown]
# Two of the bugs cost nothing at all, and there is a reason for each.
#
# - **Filler rows** begin with a fallen pole here. What the critic learns about fallen poles is not used, since they
#   are terminated; as far as the network carries it over to poles that are about to fall, the value of the start
#   does not show it. For the policy, the advantage of a filler row does not depend on the action, so it pushes each
#   action up as often as down: noise, in one row of 20 at first and in one of 500 at last.
# - **A reset observation** stands for a pole that was balanced when it was cut, and after a reset the pole is
#   upright again. The two are worth the same. This is luck: in the corridor a random place was not worth the same.
#
# **A cut taken as an end** makes the critics wrong by more than a quarter on average. Yet seven of ten seeds return
# 500 all the same, since a push to the left and a push to the right are devalued alike. Three seeds lose what the
# last line above says. The chapter on [training](18_training.ipynb#what-the-cut-costs) found the same on Gymnasium's
# own CartPole: most seeds lose nothing, some do. The interval of the mean loss includes 0, so by our own rule ten
# seeds do not settle how much the returns suffer. They do settle that the value is wrong, in each of them. That is
# the number to plot, wherever you know what it should be.
#
# Pendulum lies in between. All its episodes are cut, at 200, but `gamma = 0.95` looks ahead 20 steps only.


# %% tags=["experiment"]
def make_pendulums(rows):
    return gym.make_vec("Pendulum-v1", num_envs=rows, vectorization_mode="sync")


def ppo_on_pendulum(seed, bug=None):
    chapter = ppo(bug)
    agent, _ = chapter["train"](make_pendulums(32), chapter["PENDULUM"], seed)
    seed = 1_000_000 + 1000 * seed
    returns, value = chapter["evaluate"](make_pendulums(100), agent, seed)
    return returns.mean(), float(value) / chapter["PENDULUM"].reward_scale


# %%
table(
    summary("PPO, Pendulum", "return", "value of the start", digits=0),
    "Pendulum, PPO: mean of ten seeds with its interval",
)
lost = numbers("PPO, Pendulum", "none", "return")
lost = lost - numbers("PPO, Pendulum", "cut taken as end", "return")
say(f"Lost by the bug, mean of the differences: **{plus_minus(lost, 1)}**.")
assert lost.mean() > half_width(lost) and 1 <= (lost < 0).sum() <= 3

# %% [markdown]
# A small loss: its interval excludes 0, though a few seeds did better with the bug. The value hardly moves. One
# step in 200 is cut, so the bug turns `gamma` from 0.95 into `0.95 * (1 - 1/200)`, which is 0.945, and a look ahead
# of 20 steps into one of 18.
#
# ## Seeds that overlap
#
# You repeat an experiment with seeds 0, 1, 2 and so on, and each run resets its batch with its seed. But
# `reset(seed=s)` starts row `i` of a `SyncVectorEnv` with `s + i`; `s` is only the [base
# seed](../../book/glossary.md#base-seed). How many starts do two neighbouring runs share?

# %%
envs = SyncVectorEnv([Corridor] * 32)
seeds = []
for seed in (0, 1):
    envs.reset(seed=seed)
    seeds.append(set(envs.np_random_seed))
envs.close()
print("seeds that both runs use:", len(seeds[0] & seeds[1]), "of 32")
ten = {seed + row for seed in range(10) for row in range(32)}
print("different seeds in ten runs:", len(ten), "instead of 320")
assert len(seeds[0] & seeds[1]) == 31 and len(ten) == 41

# %% [markdown]
# What this breaks is the interval. It is computed as if ten runs were ten independent looks at the truth. To
# measure it we need a truth: in this environment each episode is one step, pays a normal random number, and the
# mean is exactly 0. A "run" is the mean of the first episode of 32 rows, an experiment is ten runs, and the
# question is whether its interval holds 0.


# %% tags=["experiment"]
class Guess(gym.Env):
    observation_space = action_space = gym.spaces.Discrete(1)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return 0, {}

    def step(self, action):
        return 0, float(self.np_random.normal()), True, False, {}


# %% tags=["experiment"]
def ten_runs(first, apart):
    envs = SyncVectorEnv([Guess] * 32)
    means = []
    for run in range(10):
        envs.reset(seed=first + apart * run)
        means.append(envs.step(np.zeros(32, int))[1].mean())
    envs.close()
    return np.array(means)


# %% tags=["experiment"]
def covers_zero(seed, apart):
    means = ten_runs(1_000_000 + 10_000 * seed, apart)
    return abs(means.mean()) <= half_width(means)


# %%
EXPERIMENTS = 20

for bug, apart in [("none", 1000), ("base seeds overlap", 1)]:
    held = numbers("interval of ten runs", bug, "covers the truth")
    now = [covers_zero(number, apart) for number in range(EXPERIMENTS)]
    same = np.array_equal(now, held[:EXPERIMENTS])
    spread = 1.96 * np.sqrt(held.mean() * (1 - held.mean()) / len(held))
    print(
        f"{bug:18s} {100 * held.mean():.0f} ± {100 * spread:.0f} % of "
        f"{len(held)} intervals hold 0;"
    )
    print(f"{'':18s} the first {EXPERIMENTS} repeated now, the same answers: {same}")
    assert same

# %% tags=["remove-cell"]
assert numbers("interval of ten runs", "none", "covers the truth").mean() > 0.9
assert (
    numbers("interval of ten runs", "base seeds overlap", "covers the truth").mean()
    < 0.5
)

# %% [markdown]
# An interval that promises 95 and holds so seldom is worse than none. The remedy costs nothing: keep base seeds at
# least `num_envs` apart, as the experiments of this page do with `1000 * seed`.
#
# Where is it harmless? First, in a [native](../../book/glossary.md#native-vector-environment) environment that has
# one generator for all rows, as `NativeCartPole` has: neighbouring seeds share nothing.

# %%
native = [NativeCartPole(32).reset(seed=seed)[0] for seed in (0, 1)]
shared = (native[0][1:] == native[1][:-1]).all(axis=1).sum()
print("rows that start alike:", shared)
assert shared == 0

# %% [markdown]
# Second, it fades where the environment draws little and the policy draws much. Two CartPole runs with overlapping
# seeds share their starts, and after a few actions of their own hardly anything else.

# %%
runs = []
for seed in (0, 1):
    envs = gym.make_vec("CartPole-v1", num_envs=32, vectorization_mode="sync")
    steps = [envs.reset(seed=seed)[0]]
    envs.action_space.seed(seed)
    steps += [envs.step(envs.action_space.sample())[0] for _ in range(8)]
    runs.append(np.array(steps)[:, slice(1 - seed, 32 - seed)])
    envs.close()
alike = (runs[0] == runs[1]).all(axis=2).sum(axis=1)
print("rows alike after 0 to 8 steps:", alike)
assert alike[0] == 31 and alike[-1] <= 2

# %% [markdown]
# The other overlap, between the seeds of training and those of evaluation, makes an agent look better than it is.
# It is measured in [evaluation](20_evaluation.ipynb).
#
# ## Actions without a seed
#
# `reset(seed=...)` seeds the environments. It does not touch `action_space`, which has a generator of its own.

# %%
for seeded in (True, False):
    first, second = (play(0, NEXT_STEP, seeded=seeded) for _ in range(2))
    same = np.array_equal(first.actions, second.actions)
    print(f"action space seeded: {seeded!s:5s}  the same rollout twice: {same}")
    assert same == seeded

# %% [markdown]
# In PPO the actions come from the policy's own generator, and the bug is a `default_rng()` without a seed. We
# trained CartPole from each of ten seeds twice.

# %% tags=["hide-input"]
rows = []
for bug in ("none", "unseeded actions"):
    once = numbers("PPO, CartPole", bug, "value of the start")
    again = numbers("PPO, CartPole", f"{bug}, again", "value of the start")
    row = {"bug": bug, "return": plus_minus(numbers("PPO, CartPole", bug, "return"), 1)}
    row["value of the start"] = plus_minus(once, 1)
    rows.append(row | {"same in both runs": f"{(once == again).sum()} of 10"})
    assert (once == again).sum() == (10 if bug == "none" else 0)
table(rows, "PPO on CartPole, each seed trained twice")

# %% tags=["remove-cell"]
unseeded = numbers("PPO, CartPole", "unseeded actions", "return")
assert unseeded.min() > 480

# %% [markdown]
# The agents are as good as before: random actions are as random without a seed. But no run can be repeated, so the
# failure that you saw once cannot be looked at again, and of two versions of the code you cannot say whether they do
# the same. The test is one line: run twice, compare exactly. Run it in two processes, for a reason that is told at
# the end of this page.
#
# ## Statistics that move, or are missing
#
# `NormalizeObservation` subtracts a running mean and divides by a running deviation. Again, first a task whose answer
# we can compute. A thermostat must heat below 20 degrees. It reads the temperature through the wrapper, and was set
# up in a year with a mean of 20, so "below 20" reads "below 0".


# %% tags=["experiment"]
class Weather(gym.Env):
    observation_space = gym.spaces.Box(-100, 100, (1,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def __init__(self, mean):
        self.mean = mean

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.degrees = self.np_random.normal(self.mean, 5)
        return np.array([self.degrees], np.float32), {}

    def step(self, action):
        right = action == (self.degrees < 20)
        return self.reset()[0], float(right), False, False, {}


# %% tags=["experiment"]
def thermostat(mean, seed, rms=None, update=True, steps=100):
    envs = NormalizeObservation(SyncVectorEnv([lambda: Weather(mean)] * 32))
    if rms is not None:
        envs.obs_rms = deepcopy(rms)
    envs.update_running_mean = update
    seen, _ = envs.reset(seed=seed)
    right = []
    for _ in range(steps):
        seen, reward, *_ = envs.step((seen[:, 0] < 0).astype(int))
        right.append(reward.mean())
    envs.close()
    return np.array(right), envs.obs_rms


# %% [markdown]
# Now it is winter, with a mean of 12. Nothing about the task has changed: below 20, heat. We evaluate in three
# ways: with the statistics of the training frozen; with the same, but updated by what the evaluation sees; with a
# fresh wrapper.

# %%
_, learnt = thermostat(20, seed=0)
ways = {
    "frozen": (learnt, False),
    "updated": (learnt, True),
    "fresh": (None, True),
}
winter = {}
for way, (rms, update) in ways.items():
    seeds = 1_000_000 + 1000 * np.arange(10)
    curves = [thermostat(12, int(seed), rms, update)[0] for seed in seeds]
    winter[way] = np.mean(curves, axis=0)
    print(f"{way:8s} right in {100 * winter[way].mean():.1f} % of the answers")
assert winter["fresh"].mean() < winter["updated"].mean() < winter["frozen"].mean()

# %% [markdown]
# The threshold is wherever the running mean is. After `n` observations with a mean of 20 and `m` with a mean of 12
# it is the mean of them all, and the answers between there and 20 are wrong. How many those are, we count in
# 100,000 temperatures. That is the line in the picture.

# %% tags=["hide-input"]
degrees = np.random.default_rng(0).normal(12, 5, 100_000)
n, m = learnt.count, 32 * np.arange(1, 101)
thresholds = (n * learnt.mean[0] + m * 12) / (n + m)
wrong = [((degrees < at) != (degrees < 20)).mean() for at in thresholds]
predicted = 1 - np.array(wrong)
assert np.abs(predicted - winter["updated"]).mean() < 0.02

# %% tags=["hide-input"]
fig, ax = figure(3)
for k, (way, right) in enumerate(winter.items()):
    at = np.arange(0, 100, 4)
    ax.plot(at, right[at], MARKERS[k], color=PALETTE[k], label=way, ls="")
line = {"ls": "-", "marker": "", "color": PALETTE[1], "lw": 1.2}
ax.plot(predicted, label="updated, computed", **line)
ax.set(xlabel="call to step", ylabel="share of right answers", ylim=(0.4, 1.03))
ax.set(title="A thermostat in winter, ten seeds")
ax.legend(loc="center left", ncols=2)
alt = (
    "Share of right answers over a hundred calls in winter. Frozen stays near 1, "
    "updated falls from 1 to about 0.84 along the computed line, fresh is near 0.55."
)
show(fig, alt)

# %% [markdown]
# An evaluation changed the agent. And it gets worse the longer one measures.
#
# Where does updating do no harm? Where the evaluation sees what the training saw, and little of it. Evaluated at a
# mean of 20, all three ways are right:

# %% tags=["hide-input"]
rows = []
for degrees in (20, 12):
    at = f"thermostat at {degrees}"
    shares = {way: plus_minus(numbers(at, way, "share right")) for way in ways}
    rows.append({"mean of the weather": degrees} | shares)
table(rows, "The thermostat: share of right answers, ten seeds")

# %% tags=["remove-cell"]
assert all(numbers("thermostat at 20", way, "share right").min() > 0.95 for way in ways)
assert numbers("thermostat at 12", "frozen", "share right").mean() > 0.98
assert numbers("thermostat at 12", "updated", "share right").mean() < 0.95
assert numbers("thermostat at 12", "fresh", "share right").mean() < 0.7

# %% [markdown]
# ### The same with an agent that learnt
#
# PPO on Pendulum, trained behind `NormalizeObservation`, then evaluated on a hundred rows in five ways. "Stale" are
# the statistics as they were after five of the hundred updates of the training, as if they had been saved too early.


# %% tags=["experiment"]
def train_normalised(seed):
    chapter, kept = ppo(), {}
    envs = NormalizeObservation(make_pendulums(32))

    def keep(done, of, returns):
        kept["early" if done <= 5 else "last"] = deepcopy(envs.obs_rms)

    agent, _ = chapter["train"](envs, chapter["PENDULUM"], seed, keep)
    return agent, kept, chapter["evaluate"]


# %% tags=["experiment"]
WAYS = {  # of wrapping an evaluation: whose statistics, and are they updated
    "frozen": ("last", False),
    "updated in evaluation": ("last", True),
    "stale": ("early", False),
    "fresh, updated": ("none", True),
    "fresh, frozen": ("none", False),
}


# %% tags=["experiment"]
def evaluate_normalised(seed, agent, kept, evaluate):
    found = {}
    for way, (which, update) in WAYS.items():
        envs = NormalizeObservation(make_pendulums(100))
        envs.obs_rms = deepcopy(kept.get(which, envs.obs_rms))
        envs.update_running_mean = update
        returns, _ = evaluate(envs, agent, 1_000_000 + 1000 * seed)
        found[way] = returns.mean()
    return found


# %%
where = "PPO, normalised Pendulum"
table(
    summary(where, "return", digits=0, first="statistics"),
    "Return of one agent for each of ten seeds, by the statistics it is evaluated with",
)

# %% tags=["remove-cell"]
frozen = numbers(where, "frozen", "return")
moved = numbers(where, "updated in evaluation", "return") - frozen
assert abs(moved).max() < 25
for way in ("stale", "fresh, updated", "fresh, frozen"):
    lost = frozen - numbers(where, way, "return")
    assert lost.mean() > 200 and lost.mean() > half_width(lost), way

# %% [markdown]
# Updating is harmless here: 204,800 observations stand against 20,000 more of the same task. Everything else ruins
# the agent. Fresh and frozen statistics take it back to about what random actions get. Stale ones look plausible.
# But a first policy whirls the pendulum about and a good one holds it still, so the scale has moved meanwhile:

# %%
for way in ("stale", "frozen"):
    deviation = numbers(where, way, "deviation of the speed")
    print(f"deviation of the speed, {way:7s} {plus_minus(deviation)}")
assert numbers(where, "stale", "deviation of the speed").min() > deviation.max()

# %% [markdown]
# How to copy and freeze is shown in [evaluation](20_evaluation.ipynb).
#
# ## All at once
#
# Each line is one bug on one task, as a percentage of what the same code reaches without it: pay, return, covered
# intervals or right answers. Returns of Pendulum are negative, so they are counted from what random actions get.

# %% tags=["hide-input"]
envs = make_pendulums(100)
envs.reset(seed=0)
envs.action_space.seed(0)
steps = [envs.step(envs.action_space.sample())[1] for _ in range(200)]
envs.close()
PENDULUM_FLOOR = np.sum(steps, axis=0).mean()
say(f"Random actions on Pendulum return {PENDULUM_FLOOR:.0f}.")
unfit = numbers("PPO, normalised Pendulum", "fresh, frozen", "return")
assert abs(unfit.mean() - PENDULUM_FLOOR) < half_width(unfit)

# %% tags=["hide-input"]
THREE = ["filler rows kept", "cut taken as end", "reset observation"]
GROUPS = {  # where: (measure, bugs)
    "table, corridor cut at 5": ("pay", THREE),
    "PPO, corridor cut at 5": ("pay", THREE),
    "PPO, CartPole cut at 200": ("return", THREE[1:]),
    "PPO, CartPole": ("return", ["filler rows kept", "unseeded actions"]),
    "PPO, Pendulum": ("return", ["cut taken as end"]),
    "interval of ten runs": ("covers the truth", ["base seeds overlap"]),
    "thermostat at 20": ("share right", ["updated", "fresh"]),
    "thermostat at 12": ("share right", ["updated", "fresh"]),
    "PPO, normalised Pendulum": ("return", list(WAYS)[1:]),
}


# %% tags=["hide-input"]
def without(where, bug):
    if bug == "reset observation":
        return "none, SAME_STEP"
    return (
        "none"
        if len(stored.query("experiment == @where & bug == 'none'"))
        else "frozen"
    )


# %% tags=["hide-input"]
def per_cent(where, measure, bug, which):
    floor = PENDULUM_FLOOR if "Pendulum" in where else 0
    full = numbers(where, without(where, bug), measure).mean() - floor
    values = 100 * (numbers(where, which, measure) - floor) / full
    if len(values) == 10:
        return values.mean(), half_width(values)
    return values.mean(), 1.96 * values.std() / len(values) ** 0.5


right_look = {"fmt": "o", "mfc": "none", "color": PALETTE[5]}
wrong_look = {"fmt": "s", "color": PALETTE[1]}
right_look["label"], wrong_look["label"] = "without the bug", "with the bug"

# %% tags=["hide-input"]
fig, ax = figure(8.2)
ticks, line = {}, 0
for where, (measure, bugs) in GROUPS.items():
    title = where.replace("table,", "fitted table,")
    ax.text(-15, line, title, size=10, va="center", weight="bold")
    for bug in bugs:
        line += 1
        pair = (without(where, bug), right_look, -0.15), (bug, wrong_look, 0.15)
        for which, look, shift in pair:
            mean, half = per_cent(where, measure, bug, which)
            ax.errorbar(mean, line + shift, xerr=half, capsize=3, lw=1.4, **look)
            look.pop("label", None)
        ticks[line] = f"{bug}: {mean:.0f}"
    line += 1

# %% tags=["hide-input"]
ax.set_yticks([line + 0.15 for line in ticks], list(ticks.values()), size=10)
ax.set(ylim=(line - 0.4, -0.8), xlim=(-17, 110))
ax.yaxis.tick_right()
ax.tick_params(axis="y", length=0)
ax.set(xlabel="per cent of what the correct code reaches")
ax.axvline(100, color=INK, linewidth=0.6, linestyle=":", marker="")
ax.set_title("Each bug alone: 95 % interval, and mean with the bug", loc="left")
fig.legend(loc="outside lower left", ncols=2)
alt = (
    "Twenty pairs of a bug and a task, with intervals. In the corridor filler rows, "
    "cuts and reset observations lose between a tenth and a quarter; on CartPole "
    "nothing or two per cent. Overlapping base seeds, fresh and stale statistics lose "
    "most."
)
show(fig, alt)

# %% tags=["remove-cell"]
assert len(ticks) == 20

# %% [markdown]
# Read the figure by tasks, not by bugs. The same word, `done` for `terminated`, costs PPO a quarter of the pay in the
# corridor, from every seed, and on CartPole nothing from seven seeds of ten. Whoever tries out a change on CartPole
# alone learns little about it.
#
# Two limits of what was measured. An interval of no width says that ten seeds agreed, not that an eleventh must. And
# the tasks were chosen so that a bug shows if it can; how often *your* task is like the corridor, this page cannot
# know. What to look for: short episodes, many cuts, value far from where an episode starts.
#
# ## What trips people up
#
# **"My return is fine, so my code is right."** See CartPole. Have one task whose value you know. An environment
# that pays 1 for ever has the value `1 / (1 - gamma)`, and with a bug it has another, which is known as well:

# %%
for limit in (200, 500):
    print(f"cut at {limit}: 100 becomes {1 / (1 - 0.99 * (1 - 1 / limit)):.0f}")
found = numbers("PPO, CartPole cut at 200", "cut taken as end", "value of the start")
print("PPO's critic on CartPole cut at 200:", plus_minus(found, 1))
assert 67 - 5 < found.mean() < 67 + 8

# %% [markdown]
# **"With the fix it got worse, so I left the bug in."** That was one seed. Take the difference seed by seed, and
# its interval. This is what fixing the cut gained on Pendulum:

# %%
gained = numbers("PPO, Pendulum", "none", "return")
gained = gained - numbers("PPO, Pendulum", "cut taken as end", "return")
print("gained, seed by seed:", gained.round())
print("mean:", plus_minus(gained, 1), " seeds that lost:", (gained < 0).sum())
assert (gained < 0).any() and gained.mean() > half_width(gained)

# %% [markdown]
# **"All rows do the same."** A list of equal seeds is the extreme of an overlap: 32 rows, one episode. Give an
# integer, and the rows count up from it.

# %%
envs = SyncVectorEnv([Corridor] * 6)
print("seed=[7] * 6:", envs.reset(seed=[7] * 6)[0], " seed=7:", envs.reset(seed=7)[0])
assert len(set(envs.reset(seed=[7] * 6)[0])) == 1
assert len(set(envs.reset(seed=7)[0])) > 1
envs.close()

# %% [markdown]
# **"I forgot the seed, and it is reproducible all the same."** Until you start Python again. A batched space begins
# with a *copy* of the generator of the single space. If the environment keeps its space on the class, all vector
# environments of the process copy the same generator, which nobody has seeded, and repeat the same actions. So
# compare two runs of two processes.


# %%
class OnTheClass(Corridor):
    action_space = gym.spaces.Discrete(2)

    def __init__(self):
        self.observation_space = gym.spaces.Discrete(9)


def unseeded_actions(kind):
    envs = SyncVectorEnv([kind] * 64)
    return envs.action_space.sample()


for kind in (Corridor, OnTheClass):
    same = np.array_equal(unseeded_actions(kind), unseeded_actions(kind))
    print(f"{kind.__name__:10s} unseeded, twice the same in one process: {same}")
    assert same == (kind is OnTheClass)

# %% [markdown]
# ## Exercises
#
# ### Exercise 19.1: predict the share
#
# Episodes last exactly 4 steps, in `NEXT_STEP` mode. What share of all rows are filler rows, in the long run?
#
# <details><summary>Hint</summary>
#
# Count the calls from one start of an episode to the next.
#
# </details>

# %% tags=["exercise"]
answer = ...

# %%
check("19.1", answer)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# answer = 1 / 5
# ```
#
# Four steps and the call that resets: one filler row in five.
#
# </details>
#
# ### Exercise 19.2: the value of a wrong critic
#
# A task pays `reward` at every step, for ever. Episodes are cut at `limit`, the cut is taken as an end, and the
# critic cannot see the time. Write the function that returns the value it learns. It is then one number `v` for
# every step.
#
# <details><summary>Hint</summary>
#
# In one step of `limit` nothing follows, in the others `v` follows. So `v = reward + gamma * (1 - 1 / limit) * v`.
# Solve for `v`.
#
# </details>


# %% tags=["exercise"]
def wrong_value(reward, gamma, limit):
    raise NotImplementedError


# %%
check("19.2", wrong_value)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def wrong_value(reward, gamma, limit):
#     return reward / (1 - gamma * (1 - 1 / limit))
# ```
#
# </details>
#
# ### Exercise 19.3: seeds that do not overlap
#
# You want `runs` training runs of `num_envs` rows in a `SyncVectorEnv`, and after each an evaluation in another one
# of `num_envs` rows. Return two lists of base seeds, one for training and one for evaluation, such that no two of
# all these resets share a seed.
#
# <details><summary>Hint</summary>
#
# Base seed `s` uses up `s` to `s + num_envs - 1`. There are `2 * runs` resets in all.
#
# </details>


# %% tags=["exercise"]
def base_seeds(runs, num_envs):
    raise NotImplementedError


# %%
check("19.3", base_seeds)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def base_seeds(runs, num_envs):
#     training = [run * num_envs for run in range(runs)]
#     evaluation = [(runs + run) * num_envs for run in range(runs)]
#     return training, evaluation
# ```
#
# </details>
#
# ### Exercise 19.4: the line that forgets
#
# This function makes the targets of a critic from a rollout in `SAME_STEP` mode, and has one of the bugs of this
# page. Rewrite it without the bug. `value` is a function of observations; `next_observations` of `helpers.rollouts`
# is imported.
#
# ```python
# def targets(rollout, value, gamma):
#     follows = ~rollout.terminated
#     return rollout.rewards + gamma * follows * value(rollout.observations[1:])
# ```
#
# <details><summary>Hint</summary>
#
# The flags are right. What does `observations[1:]` hold in the step that ends an episode?
#
# </details>


# %% tags=["exercise"]
def targets(rollout, value, gamma):
    raise NotImplementedError


# %%
check("19.4", targets)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def targets(rollout, value, gamma):
#     follows = ~rollout.terminated
#     return rollout.rewards + gamma * follows * value(next_observations(rollout))
# ```
#
# </details>
#
# ## Recap
#
# - A good return proves little. Filler rows, cuts taken as ends and reset observations each cost pay in the
#   corridor. On CartPole the first and the last cost nothing, and the second costs three seeds of ten.
# - Each of them is a correct answer to a changed task. It weighs with the share of rows at an end, and shows in the
#   values first.
# - Base seeds that overlap leave the agents alone and make their interval a lie. Unseeded actions leave both alone,
#   and nothing can be repeated.
# - A normaliser is part of the agent: frozen, and its own. Fresh or stale statistics ruin it; updating them ruins
#   it where the evaluation differs from the training.
# - One bug at a time, ten seeds, an interval, and a task whose answer you know.
#
# **Back:** [training](18_training.ipynb). **Next:** [evaluation](20_evaluation.ipynb).
# **Reference:** [`AutoresetMode`](https://gymnasium.farama.org/api/vector/),
# [`NormalizeObservation`](https://gymnasium.farama.org/api/vector/wrappers/).
