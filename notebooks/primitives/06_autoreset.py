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
# # Autoreset: which episode owns which row
#
# After this chapter you can say, for every row of every call, which episode it belongs to and whether it is a
# transition to learn from, and you can choose the autoreset mode that suits your code.
#
# **You need:** [reset](04_reset.ipynb) and [step](05_step.ipynb). **Time:** about 25 minutes.

# %%
import gymnasium as gym
import numpy as np
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv
from gymnasium.vector.utils import concatenate, create_empty_array, iterate

from helpers.environments import DictCounter, Reporter, StepCounter
from helpers.exercises import check
from helpers.figures import show
from helpers.pages import expect, table
from helpers.timeline import draw, record, stepper

# %% [markdown]
# ## An episode ends, and nothing shows
#
# The rows of a batch end their episodes at different times, and the batch has to go on. When the vector environment
# resets the finished row itself, we call it [autoreset](../../book/glossary.md#autoreset). The
# [autoreset mode](../../book/glossary.md#autoreset-mode) says when that happens:
#
# - `NEXT_STEP`, the default: the next call of `step` resets the row instead of stepping it.
# - `SAME_STEP`: the call of `step` that ends the episode resets the row before it returns.
# - `DISABLED`: never. You reset the row yourself.
#
# Three different moments ought to look different. Here is a first toy, a frozen lake whose episodes are one step
# long (importing `helpers.environments` registers its id). The same actions go to each mode; look for the difference.

# %%
NEXT_STEP, SAME_STEP, DISABLED = AutoresetMode


def lake(mode):
    return gym.make_vec(
        "book/ShortFrozenLake-v0",
        num_envs=2,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": mode},
    )


# %%
printed = set()
for mode in AutoresetMode:
    envs = lake(mode)
    envs.reset(seed=0)
    observations, rewards, terminated, truncated, infos = envs.step(np.array([0, 0]))
    line = f"{observations} {rewards} {terminated} {truncated}"
    print(f"{mode.name:9s}", line)
    printed.add(line)
assert len(printed) == 1

# %% [markdown]
# There is none: three modes, the same observations, rewards and flags. Yet in `SAME_STEP` the observation printed is the first one of a
# new episode, and in the other two it is the last one of an old episode. On this lake every observation and every
# reward is 0, so nobody can tell. The `terminated` flags of the first row, over four calls, show a little more:

# %%
flags = {}
for mode in [NEXT_STEP, SAME_STEP]:
    envs = lake(mode)
    envs.reset(seed=0)
    flags[mode] = [bool(envs.step(np.array([0, 0]))[2][0]) for _ in range(4)]
    print(f"{mode.name:9s}", flags[mode])
assert flags[NEXT_STEP] == [True, False, True, False]
assert flags[SAME_STEP] == [True, True, True, True]

# %% [markdown]
# `NEXT_STEP` says that every other step does not end an episode, in an environment where every step does. So half
# of its rows are something else than steps. Nothing tells a training loop either: it takes these rows for data and
# learns from them.
#
# ## An environment that says who it is
#
# To see what happens, we need an environment whose observation names its owner. `StepCounter` returns
# `[episode, step]` as its observation and the step as its reward; its actions have no effect. We take three, of
# different lengths. Rows 0 and 2 end [terminated](../../book/glossary.md#terminated), row 1 ends
# [truncated](../../book/glossary.md#truncated), cut off as by a time limit. Either way the row is then
# [done](../../book/glossary.md#done).

# %%
KINDS = [(2, "terminated"), (3, "truncated"), (4, "terminated")]


def make(mode, vector_class=SyncVectorEnv):
    factories = [lambda n=n, end=end: StepCounter(n, end) for n, end in KINDS]
    return vector_class(factories, autoreset_mode=mode)


# %% [markdown]
# Row 0 in the default mode, five calls. Its episodes have two steps, so the second call ends one. Look at the
# third.

# %%
envs = make(NEXT_STEP)
observations, infos = envs.reset(seed=0)
print("reset ", observations[0])
for call in range(1, 6):
    observations, rewards, terminated, _, _ = envs.step(np.zeros(3, int))
    row = f"reward {rewards[0]} terminated {terminated[0]}"
    print("step", call, observations[0], row)
    if call == 3:
        assert observations[0].tolist() == [1, 0]
        assert rewards[0] == 0 and not terminated[0]

# %% [markdown]
# The third call returned `[1, 0]`: episode 1, step 0. Nothing was stepped; that row is what a reset returned. The
# same five calls for all rows and modes, with the same seeds and actions, make the picture of this chapter.

# %%
actions = np.random.default_rng(0).integers(2, size=(5, 3))
timelines = {mode: record(make, mode, actions) for mode in AutoresetMode}

# %% tags=["hide-input"]
alt = (
    "Three grids, one for each mode; rows are sub-environments, columns are calls. In "
    "NEXT_STEP each finished row is followed by a cell of the next episode, step 0, "
    "marked as ignoring its action. In SAME_STEP the cell that carries the done mark "
    "already shows step 0 of the next episode, and the old one is kept as final. In "
    "DISABLED there are three extra calls of reset, in which unfinished rows stay."
)
show(draw(list(timelines.values())), alt)

# %% [markdown]
# A cell is what one row of one call returned. `1.0` means episode 1, step 0; the colour repeats the episode. Below
# it: **T** terminated, **C** truncated (cut off), **x** the action was ignored, **F** the final observation that
# `info` holds, **=** left alone by a reset of other rows.
#
# Follow the colours from left to right. In `NEXT_STEP` the colour changes one call after the T, in `SAME_STEP` in the
# very cell of the T, in `DISABLED` in a call of `reset`. And the C of row 1 does what a T does: truncation triggers
# autoreset just as termination does.
#
# The same recording, one call at a time, with the rewards. On the page it has buttons: step to the call where a row
# ends, then one further, and compare the three tables.

# %% tags=["hide-input"]
stepper(list(timelines.values()), start=2)

# %% tags=["remove-cell"]
cells = {mode: timeline.rows for mode, timeline in timelines.items()}
for row, (length, ending) in enumerate(KINDS):
    end = cells[NEXT_STEP][row][length]
    start = cells[NEXT_STEP][row][length + 1]
    assert (end.episode, end.step) == (0, length) and getattr(end, ending)
    assert (start.episode, start.step, start.reward) == (1, 0, 0)
    assert start.action_ignored and not (start.terminated or start.truncated)
    both = cells[SAME_STEP][row][length]
    assert (both.episode, both.step, both.final) == (1, 0, (0, length))
    assert both.reward == length and getattr(both, ending)
    assert [c.terminated for c in cells[NEXT_STEP][row]].count(True) == (2, 0, 1)[row]
assert cells[NEXT_STEP][1][3].truncated and cells[SAME_STEP][1][3].truncated

# %% tags=["remove-cell"]
assert timelines[DISABLED].masked_resets == (3, 5, 7)
assert not timelines[NEXT_STEP].masked_resets
assert [c.kept for c in (row[3] for row in cells[DISABLED])] == [False, True, True]
assert (cells[DISABLED][0][3].episode, cells[DISABLED][0][3].step) == (1, 0)
assert all(c.final is None for row in cells[NEXT_STEP] + cells[DISABLED] for c in row)
assert not any(c.action_ignored for row in cells[SAME_STEP] for c in row)

# %% tags=["remove-cell"]
for mode, timeline in timelines.items():
    in_processes = record(lambda mode: make(mode, AsyncVectorEnv), mode, actions)
    assert in_processes == timeline

# %% [markdown]
# The mode decides, not the kind of vector environment: `AsyncVectorEnv`, with a process for each row, returns
# exactly the same. Here is row 0 alone, for the five calls of `step`.

# %% tags=["hide-input"]
steps = {}
for mode, timeline in timelines.items():
    skip = {0, *timeline.masked_resets}
    steps[mode] = [c for t, c in enumerate(timeline.rows[0]) if t not in skip]
rows = []
for call in range(5):
    rows.append({"step": call + 1})
    for mode, found in steps.items():
        c = found[call]
        seen = f"{c.episode}.{c.step}" + " T" * c.terminated
        rows[-1][mode.name] = f"{seen}, reward {c.reward:g}"
table(rows, "Row 0, call by call: observation and reward")

# %% tags=["remove-cell"]
rewards_of = {mode: [c.reward for c in found] for mode, found in steps.items()}
assert rewards_of[NEXT_STEP] == [1, 2, 0, 1, 2]
assert rewards_of[SAME_STEP] == rewards_of[DISABLED] == [1, 2, 1, 2, 1]

# %% [markdown]
# The rewards of two columns agree: `SAME_STEP` and `DISABLED` get one real reward from every call of `step`;
# `NEXT_STEP` pays one call for each episode. At the T the observations of two columns agree, but not of the same two:
# `NEXT_STEP` and `DISABLED` show the end of the episode, `SAME_STEP` the start of the next.
#
# We now take the modes one at a time, with two questions for each. Which rows are
# [transitions](../../book/glossary.md#transition), that is, an action taken in an observation and what came of it?
# And where is the true next observation, the one that the action led to?
#
# ## Next step: the reset has a call of its own
#
# The row with the done flag holds the [final observation](../../book/glossary.md#final-observation) of the episode.
# A single environment, given the same seed and the same actions, agrees.


# %%
def cart_pole(max_episode_steps):
    envs = gym.make_vec(
        "CartPole-v1",
        num_envs=1,
        vectorization_mode="sync",
        max_episode_steps=max_episode_steps,
    )
    envs.reset(seed=7)
    return envs


# %%
envs = cart_pole(3)
single = gym.make("CartPole-v1", max_episode_steps=3)
single.reset(seed=7)
for _ in range(3):
    observations, _, _, truncated, infos = envs.step(np.array([1]))
    last = single.step(1)[0]
print("truncated:", truncated[0], "| the row is the last observation:", end=" ")
print(np.array_equal(observations[0], last), "| info:", infos)
assert truncated[0] and np.array_equal(observations[0], last) and infos == {}

# %% [markdown]
# The call after it resets the row. Whatever action you send there is thrown away: two environments that differ in
# that one action return the same.

# %%
filler = []
for action in [0, 1]:
    envs = cart_pole(3)
    for _ in range(3):
        envs.step(np.array([1]))
    observations, *rest = envs.step(np.array([action]))
    print("action", action, observations.round(3), *rest)
    filler.append(observations)
assert np.array_equal(*filler) and [part[0] for part in rest[:3]] == [0, False, False]
assert np.array_equal(filler[0][0], single.reset()[0])

# %% [markdown]
# Such a row is a [filler row](../../book/glossary.md#filler-row): reward 0, both flags False, an action that nobody
# took. **It is no transition.** Stored as one, it claims that some action led from the end of one episode to the
# start of another, for nothing.
#
# So the reading order in `NEXT_STEP` is: *look one call back.* A row is a transition unless it was done on the
# previous call. If it is a transition, its next observation is the row itself.

# %% tags=["remove-cell"]
envs = make(NEXT_STEP)
envs.reset(seed=0)
done = np.zeros(3, bool)
for _ in range(4):
    filler = done
    observations, rewards, terminated, truncated, _ = envs.step(np.zeros(3, int))
    done = terminated | truncated
    assert (rewards[filler] == 0).all() and (rewards[~filler] > 0).all()

# %% tags=["remove-cell"]
# The ignored action must still be there; the native CartPole checks its value too.
envs.reset(seed=0)
with expect(ValueError):
    envs.step(np.zeros(2, int))
native = gym.make_vec(
    "CartPole-v1", 1, vectorization_mode="vector_entry_point", max_episode_steps=1
)
native.reset(seed=0)
assert native.step(np.array([0]))[3][0]
with expect(AssertionError):
    native.step(np.array([5]))

# %% [markdown]
# The ignored action must still be sent: a batch of three rows takes three actions, and an environment that checks
# them, as the native CartPole does, checks this one too. There is one filler row for each episode. For episodes of
# one step, as on our lake, that is half of what you collect.
#
# ## Same step: two episodes in one row
#
# In `SAME_STEP` there is no filler. A finished row is reset within the call, so what you get back for it is mixed:
# the reward and the flags belong to the episode that ended, the observation to the one that begins. What else
# belongs to the old one has moved into `info`, under four keys that exist in this mode only, and only on a call in
# which some row was done.

# %%
envs = make(SAME_STEP)
envs.reset(seed=0)
print("step 1:", envs.step(np.zeros(3, int))[4])
observations, rewards, terminated, truncated, infos = envs.step(np.zeros(3, int))
print("step 2: observation", observations[0], "reward", rewards[0], terminated[0])
for key, value in infos.items():
    print(f"  {key:12s}", value)
assert sorted(infos) == ["_final_info", "_final_obs", "final_info", "final_obs"]

# %% [markdown]
# `infos["final_obs"]` is an array of dtype `object`, one entry for each row: an observation where the row was done,
# `None` where it was not. `infos["_final_obs"]` is its [mask](../../book/glossary.md#mask), True for the rows that
# have an entry. `final_info` is the info of the last step, empty here, with a mask of its own.

# %% tags=["remove-cell"]
assert infos["final_obs"].dtype == object and infos["final_obs"].shape == (3,)
assert infos["final_obs"][0].tolist() == [0, 2]
assert infos["final_obs"][1] is None and infos["final_obs"][2] is None
assert infos["_final_obs"].tolist() == [True, False, False]
assert observations[0].tolist() == [1, 0] and rewards[0] == 2 and terminated[0]

# %% [markdown]
# The reading order in `SAME_STEP` is: *every row is a transition; look into `info` for where it led.* To get a
# batch of true next observations, copy the observations and write the final ones over the masked rows.


# %%
def true_next(observations, infos):
    following = observations.copy()
    if "final_obs" in infos:
        mask = infos["_final_obs"]
        following[mask] = np.stack(infos["final_obs"][mask])
    return following


print(true_next(observations, infos))
assert true_next(observations, infos).tolist() == [[0, 2], [0, 2], [0, 2]]
assert observations[0].tolist() == [1, 0]

# %% [markdown]
# Use both: `true_next(...)` where the [value](../../book/glossary.md#value) of the next observation is asked for,
# what it is worth, and `observations` to choose the next action. That is what the copy is for.
#
# ## Disabled: nothing happens until you ask
#
# In `DISABLED` a row is returned as its episode left it. `SyncVectorEnv` refuses to step a row that is done.

# %%
envs = make(DISABLED)
observations, infos = envs.reset(seed=0)
for _ in range(2):
    observations, rewards, terminated, truncated, infos = envs.step(np.zeros(3, int))
print("done:", terminated | truncated, "| info:", infos)
with expect(AssertionError):
    envs.step(np.zeros(3, int))

# %% [markdown]
# The array in the message says which rows were done. The way on is a
# [masked reset](../../book/glossary.md#masked-reset), a reset of chosen rows.

# %%
envs = make(DISABLED)
envs.reset(seed=0)
envs.step(np.zeros(3, int))
before, _, terminated, truncated, _ = envs.step(np.zeros(3, int))
done = terminated | truncated
after, infos = envs.reset(options={"reset_mask": done})
print("step returned: ", before.tolist())
print("reset returned:", after.tolist())
assert after.tolist() == [[1, 0], [0, 2], [0, 2]]

# %% [markdown]
# The whole batch comes back. Row 0 starts episode 1; the other two repeat the observation they had. There is no
# reward and no flag: a reset is no step, so nothing here is a transition.
#
# Three rules go with the mask. It is a NumPy array of booleans, one for each row, at least one of them True; each
# breach has its error, below. Only the rows that were reset appear in the `info`. And no seed belongs in this call:
# `reset(seed=0, ...)` would give row `i` the seed `0 + i` each time, so that row would start the same episode for
# ever. More about masks is in [selective reset](../compositions/14_selective_reset.ipynb).

# %%
for wrong in [[True, False, False], np.array([1, 0, 0])]:
    with expect(TypeError):
        envs.reset(options={"reset_mask": wrong})
for wrong in [np.zeros(3, bool), np.array([True])]:
    with expect(ValueError):
        envs.reset(options={"reset_mask": wrong})

# %% tags=["remove-cell"]
lakes = gym.make_vec("FrozenLake-v1", 3, vectorization_mode="sync")
lakes.reset(seed=0)
first = np.array([True, False, False])
_, infos = lakes.reset(options={"reset_mask": first})
assert infos["_prob"].tolist() == [True, False, False]
poles = gym.make_vec("CartPole-v1", 3, vectorization_mode="sync")
poles.reset(seed=0)
kept = poles.step(np.array([0, 1, 0]))[0]
seeded = [poles.reset(seed=0, options={"reset_mask": first})[0] for _ in range(2)]
unseeded = [poles.reset(options={"reset_mask": first})[0] for _ in range(2)]
assert np.array_equal(*seeded) and np.array_equal(seeded[0][1:], kept[1:])
assert not np.array_equal(unseeded[0][0], unseeded[1][0])

# %% [markdown]
# So this is what `DISABLED` asks of you: combine both flags, reset those rows before the next `step`, and choose
# the next action from the observations that the reset returned. A loop that does it is [below](#one-loop-for-all-three-modes).
#
# The reading order in `DISABLED` is: *every row that `step` returns is a transition and its own next observation;
# rows that `reset` returns are none.*
#
# ## What the sub-environment sees
#
# From inside, the modes are simpler still. This counter writes down each call it gets.


# %%
class Logbook(StepCounter):
    def __init__(self, length, ending="terminated"):
        super().__init__(length, ending)
        self.calls = []

    def reset(self, *, seed=None, options=None):
        self.calls.append(f"reset(seed={seed}, options={options})")
        return super().reset(seed=seed, options=options)

    def step(self, action):
        self.calls.append(f"step({action})")
        return super().step(action)


# %% [markdown]
# The first reset gets a seed and an option. Then come four steps with the actions 0, 1, 0, 1, and episodes are two
# steps long. Look for the third action, and for the arguments of every reset but the first.

# %%
logs = {}
for mode in [NEXT_STEP, SAME_STEP]:
    factories = [lambda: Logbook(2), lambda: Logbook(2, "truncated")]
    envs = SyncVectorEnv(factories, autoreset_mode=mode)
    envs.reset(seed=7, options={"level": 3})
    for action in [0, 1, 0, 1]:
        envs.step(np.array([action, action]))
    logs[mode] = envs.get_attr("calls")
    print(mode.name, *logs[mode][0], sep="\n  ")

# %% tags=["remove-cell"]
FIRST, AUTO = "reset(seed=7, options={'level': 3})", "reset(seed=None, options=None)"
assert logs[NEXT_STEP][0] == [FIRST, "step(0)", "step(1)", AUTO, "step(1)"]
assert logs[SAME_STEP][0] == [FIRST, *["step(0)", "step(1)", AUTO] * 2]
for mode in [NEXT_STEP, SAME_STEP]:
    assert logs[mode][1][1:] == logs[mode][0][1:]  # truncated: the same calls

# %% tags=["remove-cell"]
# A seeded run repeats across autoresets, and its episodes start differently.
runs = []
for _ in range(2):
    envs = cart_pole(3)
    runs.append([envs.step(np.array([1]))[0].tolist() for _ in range(12)])
assert runs[0] == runs[1] and runs[0][3] != runs[0][7] != runs[0][11]

# %% [markdown]
# Three things can be read off.
#
# - In `NEXT_STEP` the third action never arrived. The sub-environment got `reset` in its place.
# - In `SAME_STEP` all four actions arrived, and two calls of `step` did a reset as well.
# - **Autoreset passes neither seed nor options.** No seed is as it should be: the generator made by the first,
#   seeded reset goes on, so later episodes differ and the run still repeats ([reset](04_reset.ipynb)). No options
#   is a trap: `level` held for the first episode only. What must hold for all of them belongs in the environment's
#   constructor; what changes from episode to episode calls for `DISABLED`, where the reset is yours.
#
# ## One loop for all three modes
#
# If the three reading orders are right, all modes must yield the same transitions. The following loop applies them:
# drop filler rows in `NEXT_STEP`, reset by mask in `DISABLED`, and take `true_next` everywhere, which changes
# nothing where there is no `final_obs`.


# %%
def collect(mode, steps):
    envs = make(mode)
    found = [[] for _ in range(envs.num_envs)]
    observations, _ = envs.reset(seed=0)
    done = np.zeros(envs.num_envs, bool)
    for _ in range(steps):
        if mode is DISABLED and done.any():
            observations, _ = envs.reset(options={"reset_mask": done})
        filler = done & (mode is NEXT_STEP)
        returned, rewards, terminated, truncated, infos = envs.step(np.zeros(3, int))
        following = true_next(returned, infos)
        for i in np.flatnonzero(~filler):
            flags = (bool(terminated[i]), bool(truncated[i]))
            found[i].append((*observations[i], rewards[i], *following[i], *flags))
        observations, done = returned, terminated | truncated
    return found


# %% [markdown]
# Twenty calls of `step` each. The modes get different distances in that time, so we compare as far as the shortest.

# %%
found = {mode: collect(mode, 20) for mode in AutoresetMode}
for i in range(3):
    shortest = min(len(found[mode][i]) for mode in AutoresetMode)
    same = [found[mode][i][:shortest] for mode in AutoresetMode]
    assert same[0] == same[1] == same[2]
counts = {mode.name: sum(map(len, found[mode])) for mode in AutoresetMode}
print("transitions in 60 rows:", counts)
assert counts["SAME_STEP"] == counts["DISABLED"] == 60 > counts["NEXT_STEP"]

# %% tags=["remove-cell"]
for transitions in found.values():
    for row, (length, _) in zip(transitions, KINDS, strict=True):
        for episode, step, reward, next_episode, next_step, *flags in row:
            assert episode == next_episode and next_step == step + 1 == reward
            assert any(flags) == (next_step == length)

# %% [markdown]
# Transition by transition they agree. The modes differ only in where each piece is handed to you.
# [Rollouts](../learning/17_rollouts.ipynb) does the same with arrays, and goes on to returns and advantages.
#
# ## Setting the mode, and reading it
#
# `SyncVectorEnv` and `AsyncVectorEnv` take `autoreset_mode`, as a member of the enum or as its value, a string such
# as `"SameStep"`. Through `make_vec` it travels in `vector_kwargs`. To read it, look into `metadata`. (Writing there
# changes nothing: the entry says what the environment does, and is not a switch.)

# %% tags=["remove-cell"]
for mode in [AutoresetMode.SAME_STEP, "SameStep"]:
    envs = SyncVectorEnv([StepCounter], autoreset_mode=mode)
    assert envs.metadata["autoreset_mode"] is SAME_STEP
with expect(ValueError):
    SyncVectorEnv([StepCounter], autoreset_mode="SAME_STEP")
envs = SyncVectorEnv([lambda: StepCounter(1)])
envs.metadata["autoreset_mode"] = SAME_STEP
envs.reset(seed=0)
observations, *_, infos = envs.step(np.array([0]))
assert infos == {} and observations[0].tolist() == [0, 1]

# %% [markdown]
# A [native](../../book/glossary.md#native-vector-environment) vector environment, one that keeps the state of all
# rows in its own arrays, has the mode its author wrote. Gymnasium's CartPole has `NEXT_STEP`, and asking it for
# another is an error.

# %%
with expect(gym.error.Error):
    gym.make_vec("CartPole-v1", 2, vector_kwargs={"autoreset_mode": "SameStep"})
envs = gym.make_vec("CartPole-v1", 2)
print(type(envs).__name__, envs.metadata["autoreset_mode"].name)
assert envs.metadata["autoreset_mode"] is NEXT_STEP

# %% [markdown]
# With `vectorization_mode="sync"` the same call is granted, as we did above.
#
# ## The three modes side by side
#
# | question | `NEXT_STEP` | `SAME_STEP` | `DISABLED` |
# |---|---|---|---|
# | the row is reset | by the next `step` | by the `step` that ends it | by your masked `reset` |
# | the done row shows | the final observation | the next episode's first | the final observation |
# | the true next observation | the row itself | `info["final_obs"]` where masked | the row itself |
# | rows of `step` that are transitions | all but those after a done | all | all |
# | the last step's info | in `info` | in `info["final_info"]` | in `info` |
# | seed and options for later episodes | none | none | yours |
#
# ## What trips people up
#
# **`KeyError: 'final_observation'`.** That was the key before Gymnasium 1.0 (and `terminal_observation` in older
# versions of Gym). Now it is `final_obs`, and it exists in `SAME_STEP` only. Code written as
# `if "final_observation" in infos` is worse off: it raises nothing, and the branch is never taken.

# %%
for mode in AutoresetMode:
    envs = make(mode)
    envs.reset(seed=0)
    for _ in range(2):
        infos = envs.step(np.zeros(3, int))[4]
    print(f"{mode.name:9s}", sorted(infos))
    assert ("final_obs" in infos) == (mode is SAME_STEP)
    with expect(KeyError):
        infos["final_observation"]

# %% [markdown]
# In the other two modes the final observation is row `i` of `observations`, on the call whose flag for row `i` is
# True.
#
# **"No episode returns are printed any more", or `TypeError: string indices must be integers`.** Many training
# scripts walk over `infos["final_info"]` as a list of dicts. In `NEXT_STEP` the key is missing and the loop never
# runs; what the last step reported is in `infos`. In `SAME_STEP` the key holds a dict of arrays, so the loop walks
# over its keys, which are strings.

# %%
episodes = gym.wrappers.RecordEpisodeStatistics
for mode in [NEXT_STEP, SAME_STEP]:
    factories = [lambda n=n: episodes(StepCounter(n)) for n in (2, 3)]
    envs = SyncVectorEnv(factories, autoreset_mode=mode)
    envs.reset(seed=0)
    for _ in range(2):
        infos = envs.step(np.zeros(2, int))[4]
    last = infos["final_info"] if mode is SAME_STEP else infos
    print(f"{mode.name} returns:", last["episode"]["r"][last["_episode"]])
    assert last["episode"]["r"][last["_episode"]].tolist() == [3]
with expect(TypeError):
    [item["episode"]["r"] for item in infos["final_info"]]

# %% [markdown]
# A key of your own follows the same rule: in `SAME_STEP` the `info` of a finished row is that of the new episode's
# reset, and what the last step reported is one level down, in `final_info`.

# %% tags=["remove-cell"]
envs = SyncVectorEnv(
    [lambda n=n: Reporter(report_on=(1, 2), length=n) for n in (2, 3)],
    autoreset_mode=SAME_STEP,
)
envs.reset(seed=0)
envs.step(np.zeros(2, int))
infos = envs.step(np.zeros(2, int))[4]
assert infos["_score"].tolist() == [False, True]
assert infos["final_info"]["_score"].tolist() == [True, False]

# %% [markdown]
# **`ValueError: all input arrays must have the same shape`.** `np.stack(infos["final_obs"])` meets the `None` of
# the rows that go on. Select with the mask first, as `true_next` does. Other libraries may hold a full array here, as
# [the Atari environments do](https://github.com/Farama-Foundation/Arcade-Learning-Environment/pull/614).

# %%
envs = make(SAME_STEP)
envs.reset(seed=0)
for _ in range(2):
    observations, _, _, _, infos = envs.step(np.zeros(3, int))
with expect(ValueError):
    np.stack(infos["final_obs"])

# %% [markdown]
# **`TypeError: unhashable type: 'numpy.ndarray'`.** The observation is a dict, and `following[mask]` asks it for a
# key. Here `final_obs` holds one *unbatched* dict for each finished row. Take the batch apart into rows, replace,
# and put it together again, which works for every kind of observation space.


# %%
def true_next_of_any(envs, observations, infos):
    rows = list(iterate(envs.observation_space, observations))
    for i in np.flatnonzero(infos.get("_final_obs", [])):
        rows[i] = infos["final_obs"][i]
    space = envs.single_observation_space
    return concatenate(space, rows, create_empty_array(space, n=envs.num_envs))


# %%
envs = SyncVectorEnv(
    [lambda n=n: DictCounter(n) for n in (2, 3)], autoreset_mode="SameStep"
)
envs.reset(seed=0)
for _ in range(2):
    observations, _, _, _, infos = envs.step(np.zeros(2, int))
with expect(TypeError):
    true_next(observations, infos)
print("returned: ", observations["count"].tolist())
following = true_next_of_any(envs, observations, infos)
print("true next:", following["count"].tolist())
assert following["count"].tolist() == [[0, 2], [0, 2]]
assert following in envs.observation_space and observations["count"][0, 0] == 1

# %% [markdown]
# **The final observation looks like the start of the next episode.** The environment returns the same array every
# time and writes into it. `final_obs` holds that very array, and the reset inside the same call has overwritten it.
# The environment is [at fault](https://github.com/Farama-Foundation/Gymnasium/pull/1715): return a copy.


# %%
class OneArray(StepCounter):
    shared = np.zeros(2, np.float32)

    def _observation(self):
        self.shared[:] = self.episode, self.step_count
        return self.shared


envs = SyncVectorEnv([lambda: OneArray(length=1)], autoreset_mode="SameStep")
envs.reset(seed=0)
infos = envs.step(np.array([0]))[4]
print("should be [0. 1.], is", infos["final_obs"][0])
assert infos["final_obs"][0].tolist() == [1, 0]

# %% [markdown]
# **"My agent never sees the reward at the goal."** Filler rows were masked one call too early: the rows that *are*
# done were dropped, not the rows after them. Every last transition goes, with the reward of the goal, and the filler
# stays. Row 0 again:

# %%
row = timelines[NEXT_STEP].rows[0][1:]
done = np.array([cell.terminated for cell in row])
reward = np.array([cell.reward for cell in row])
after_done = np.concatenate([[False], done[:-1]])
print("all rewards      ", reward)
print("dropped done     ", reward[~done])
print("dropped filler   ", reward[~after_done])
assert reward[~done].tolist() == [1, 0, 1]
assert reward[~after_done].tolist() == [1, 2, 1, 2]

# %% [markdown]
# **Episodes in `DISABLED` go on past their end.** A finished row was not reset, often because the mask was made of
# `terminated` alone. `SyncVectorEnv` raises, as we saw. (Reset everything then, since the rows before the finished
# one have already moved.) `AsyncVectorEnv` **does not check**: it keeps stepping the finished environment. Here row 1
# should be cut off after three steps.

# %%
envs = make(DISABLED, AsyncVectorEnv)
envs.reset(seed=0)
for _ in range(5):
    observations, _, terminated, truncated, _ = envs.step(np.zeros(3, int))
    if terminated.any():
        envs.reset(options={"reset_mask": terminated})
print("row 1:", observations[1], "truncated:", truncated[1])
assert observations[1].tolist() == [0, 5] and truncated[1]
envs.close()

# %% tags=["remove-cell"]
envs = SyncVectorEnv(
    [lambda n=n: StepCounter(n) for n in (5, 2, 5)], autoreset_mode=DISABLED
)
envs.reset(seed=0)
for _ in range(2):
    envs.step(np.zeros(3, int))
with expect(AssertionError):
    envs.step(np.zeros(3, int))
assert envs.get_attr("step_count") == (3, 2, 2)

# %% [markdown]
# ## Which mode to choose
#
# Take the first line that applies.
#
# 1. **The environment is native.** It has one mode. Read `metadata["autoreset_mode"]` and write your loop for that.
# 2. **You decide how each episode starts**, by a seed, by options, or by changing an attribute first: `DISABLED`.
#    It costs the extra call, and the duty to reset every finished row in time.
# 3. **An observation wrapper goes around the batch**: `NEXT_STEP`. Vector observation wrappers refuse `SAME_STEP`,
#    and `NormalizeObservation` takes nothing but `NEXT_STEP`.
# 4. **Every row you get must be a transition**, because a buffer or a library cannot leave rows out: `SAME_STEP`. It
#    is also the nearest to what code written before Gymnasium 1.0 expects.
# 5. **Otherwise `NEXT_STEP`**, the default: no wrapper of Gymnasium refuses it. Mask the filler rows.
#
# Whichever it is, let the code say so, in one line at the start of a training loop:

# %%
envs = make(NEXT_STEP)
assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP, "loop masks filler"

# %% tags=["remove-cell"]
with expect(ValueError):
    gym.wrappers.vector.TransformObservation(make(SAME_STEP), lambda rows: rows)
with expect(ValueError):
    gym.wrappers.vector.NormalizeObservation(make(DISABLED))
for wrapper in ["NormalizeObservation", "NormalizeReward", "FlattenObservation"]:
    getattr(gym.wrappers.vector, wrapper)(make(NEXT_STEP))
for wrapper in ["RecordEpisodeStatistics", "DictInfoToList"]:
    getattr(gym.wrappers.vector, wrapper)(make(NEXT_STEP))
for mode in [NEXT_STEP, DISABLED]:
    gym.wrappers.vector.TransformObservation(make(mode), lambda rows: rows)

# %% [markdown]
# ## Exercises

# %% tags=["remove-cell"]
# The answers to exercises 06.1 and 06.2 are what Gymnasium does.
envs = SyncVectorEnv([lambda: StepCounter(3)])
envs.reset(seed=0)
assert [envs.step(np.array([0]))[1][0] for _ in range(5)] == [1, 2, 3, 0, 1]
envs = gym.make_vec("CartPole-v1", num_envs=8)
assert envs.metadata["autoreset_mode"] is NEXT_STEP

# %% [markdown]
# ### Exercise 06.1: predict the rewards
#
# One `StepCounter` with episodes of three steps, in the default mode. Its reward is its step. Which five rewards do
# the first five calls of `step` return?
#
# <details><summary>Hint</summary>
#
# The third call ends the episode. What does the fourth do?
#
# </details>

# %% tags=["exercise"]
answer = ...

# %%
check("06.1", answer)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# answer = [1, 2, 3, 0, 1]
# ```
#
# </details>
#
# ### Exercise 06.2: choose the mode
#
# Four situations; give an `AutoresetMode` for each, as a dict with the keys `"a"` to `"d"`.
#
# - a: `gym.make_vec("CartPole-v1", num_envs=8)`, with nothing else said.
# - b: A curriculum picks a level for every single episode and passes it as `options`.
# - c: A replay buffer of a library stores whatever rows it is given, all of them. No wrapper is used.
# - d: Observations are to be normalised by `gym.wrappers.vector.NormalizeObservation`.
#
# <details><summary>Hint</summary>
#
# Go through the list of the last section from the top for each of them.
#
# </details>

# %% tags=["exercise"]
answer = ...

# %%
check("06.2", answer)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# answer = {
#     "a": AutoresetMode.NEXT_STEP,
#     "b": AutoresetMode.DISABLED,
#     "c": AutoresetMode.SAME_STEP,
#     "d": AutoresetMode.NEXT_STEP,
# }
# ```
#
# </details>
#
# ### Exercise 06.3: find the filler rows
#
# A rollout in `NEXT_STEP` was collected right after a `reset`: `done` is a boolean array of shape `(T, N)`,
# `done[t, i]` for call `t` and row `i`. Write a function that returns an array of the same shape, True where a row
# is filler.
#
# <details><summary>Hint</summary>
#
# A row is filler on the call after its done. What about the first call?
#
# </details>


# %% tags=["exercise"]
def filler_rows(done):
    raise NotImplementedError


# %%
check("06.3", filler_rows)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def filler_rows(done):
#     filler = np.zeros_like(done)
#     filler[1:] = done[:-1]
#     return filler
# ```
#
# A filler row is never done itself, so two in a row cannot happen.
#
# </details>
#
# ### Exercise 06.4: build `SAME_STEP` yourself
#
# `envs` is a vector environment in `DISABLED`. Write a function that steps it and returns the five things that
# `SAME_STEP` would return: finished rows already reset, their last observations in `infos["final_obs"]` with the
# mask `infos["_final_obs"]`. Leave `final_info` out.
#
# <details><summary>Hint</summary>
#
# `np.full(envs.num_envs, None, dtype=object)` makes the array for the final observations. Fill it before you reset.
#
# </details>


# %% tags=["exercise"]
def same_step(envs, actions):
    raise NotImplementedError


# %%
check("06.4", same_step)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def same_step(envs, actions):
#     observations, rewards, terminated, truncated, infos = envs.step(actions)
#     done = terminated | truncated
#     if done.any():
#         final = np.full(envs.num_envs, None, dtype=object)
#         for i in np.flatnonzero(done):
#             final[i] = observations[i]
#         infos = {**infos, "final_obs": final, "_final_obs": done}
#         observations, _ = envs.reset(options={"reset_mask": done.copy()})
#     return observations, rewards, terminated, truncated, infos
# ```
#
# </details>
#
# ## Recap
#
# - A done row is reset one call later (`NEXT_STEP`), in the same call (`SAME_STEP`) or by you (`DISABLED`).
#   Truncation counts as termination does.
# - `NEXT_STEP`: the row after a done is filler; every other row is a transition and its own next observation.
# - `SAME_STEP`: every row is a transition; where `_final_obs` is set, the next observation is in `final_obs`.
# - `DISABLED`: reset finished rows by mask, without a seed, before the next step.
# - Autoreset passes neither seed nor options.
#
# **Back:** [step](05_step.ipynb). **Next:** [spaces](07_spaces.ipynb); to go on with this subject,
# [selective reset](../compositions/14_selective_reset.ipynb) and [rollouts](../learning/17_rollouts.ipynb).
# **Reference:** [Gymnasium's vector API](https://gymnasium.farama.org/api/vector/) and its article on
# [autoreset modes](https://farama.org/Vector-Autoreset-Mode).
