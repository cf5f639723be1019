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
# # Testing a vector environment: a contract checker
#
# After this chapter you can test any vector environment, yours or a library's, promise by promise, and you know
# which faults such a test does not see. You can also save one in mid-run and go on from there.
#
# **You need:** [reset](../primitives/04_reset.ipynb), [step](../primitives/05_step.ipynb) and
# [autoreset](../primitives/06_autoreset.ipynb). **Time:** about 35 minutes.

# %%
import pickle
import subprocess
import sys
from collections import namedtuple
from copy import deepcopy

import cloudpickle
import gymnasium as gym
import numpy as np
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv, utils

from helpers.environments import DictCounter, Reporter, StepCounter
from helpers.exercises import ch24, check
from helpers.figures import PALETTE, figure, show
from helpers.pages import expect, say, table

# %% [markdown]
# ## One of these two is broken
#
# Here are two vector environments of three cart-poles, cut off after 15 steps. One is right. Their classes are folded
# away, so that you judge by what they return.

# %%
NEXT_STEP, SAME_STEP, DISABLED = AutoresetMode


def cart_poles(n=3, kind=SyncVectorEnv, mode=NEXT_STEP):
    def factory():
        return gym.make("CartPole-v1", max_episode_steps=15)

    return kind([factory] * n, autoreset_mode=mode)


# %% tags=["hide-input"]
class A(SyncVectorEnv):
    pass


class B(SyncVectorEnv):
    def step(self, actions):
        return super().step(actions[::-1])


# %% tags=["hide-input"]
rows = []
for kind in [A, B]:
    envs = cart_poles(kind=kind)
    envs.action_space.seed(0)
    envs.reset(seed=0)
    steps = [envs.step(envs.action_space.sample()) for _ in range(200)]
    rows.append({"environment": kind.__name__, "observations": steps[0][0].shape})
    rows[-1]["mean reward"] = f"{np.mean([step[1] for step in steps]):.3f}"
    rows[-1]["episodes"] = int(np.sum([step[2] | step[3] for step in steps]))
table(rows, "200 calls of each")

# %% [markdown]
# Nothing raises, the shapes agree, the numbers are as close as two random runs are. Yet B hands the actions out from
# the back: row 0 moves by the action that was chosen for row 2. An agent trained on B learns from the consequences of
# somebody else's actions, and nothing on the screen will ever say so.
#
# Gymnasium has a checker, `check_env`, but for single environments. It refuses a batch.

# %%
with expect(TypeError):
    check_env(cart_poles(kind=B))

# %% [markdown]
# So we write one for batches: a list of clauses, each a function of about ten lines that tests one promise. A test
# that has never failed proves nothing, so each clause comes with an environment that breaks it.
#
# ## What a clause is
#
# A clause is a function of `make`, and `make(n)` returns a *new* vector environment of `n` rows. The clause raises
# `AssertionError` if the promise is broken, `NotApplicable` if it has nothing to test, and else returns nothing. Its
# docstring is the promise.

# %%
CLAUSES = {}


class NotApplicable(Exception):
    pass


def clause(function):
    CLAUSES[function.__name__] = function
    return function


# %% [markdown]
# `judge` turns what happened into a verdict. Any exception counts as a failure, not only ours: an environment may
# break so badly that the clause cannot finish. (`run`, folded away, closes afterwards whatever the clause made.)


# %% tags=["hide-input"]
def run(function, make):
    made = []

    def tracked(n=3):
        made.append(make(n))
        return made[-1]

    try:
        function(tracked)
    finally:
        for envs in made:
            envs.close()


# %%
def judge(function, make):
    try:
        run(function, make)
    except NotApplicable as reason:
        return "n/a", str(reason)
    except AssertionError as broken:
        return "FAIL", str(broken)
    except Exception as error:
        return "FAIL", repr(error)
    return "ok", ""


# %% [markdown]
# The broken environments are cart-poles of a subclass that does one thing wrong; `@fault("...")` gives it a label.
# `demonstrate` shows that a clause accepts the right environment and finds the fault.

# %% tags=["hide-input"]
FAULTS = {}


def fault(label, mode=NEXT_STEP):
    def register(kind):
        FAULTS[label] = mode, lambda n=3: cart_poles(n, kind, mode)
        return kind

    return register


# %% tags=["hide-input"]
def demonstrate(function, *labels):
    mode = FAULTS[labels[0]][0]
    cases = {"no fault": lambda n=3: cart_poles(n, mode=mode)}
    cases |= {label: FAULTS[label][1] for label in labels}
    for label, make in cases.items():
        result, note = judge(function, make)
        print(f"{label}: {result} {note}".rstrip())
        assert result == ("ok" if label == "no fault" else "FAIL")


# %% [markdown]
# ## What comes back
#
# The first promises are about form. Of the four spaces two say how one row looks, two how a batch looks, and the pairs
# must agree: code allocates a buffer from one and fills it from the other. First the broken environment, then the
# clause, then both together.


# %%
@fault("space of one row for the batch")
class SingleSpace(SyncVectorEnv):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.observation_space = self.single_observation_space


# %%
@clause
def spaces_agree(make):
    """The batched spaces are the single ones, `num_envs` times."""
    envs = make(3)
    assert envs.num_envs == 3, f"num_envs is {envs.num_envs}"
    for kind in ["observation_space", "action_space"]:
        batched = utils.batch_space(getattr(envs, f"single_{kind}"), 3)
        assert getattr(envs, kind) == batched, f"{kind} is no batch of the single one"


demonstrate(spaces_agree, "space of one row for the batch")

# %% [markdown]
# From here on the broken classes are folded away. Their labels say what they do; open one to see how little it takes.
#
# For everything else the environment must run. `play` seeds it and its action space, steps with random actions, and
# yields what each call took and gave. `ended` says which rows were done on the call before. Forty calls of episodes
# cut off at 15 pass through several ends.

# %%
Call = namedtuple(
    "Call", "ended actions observations rewards terminated truncated infos"
)


def ends(call):
    return np.ravel(call.terminated | call.truncated).astype(bool)


def mode_of(envs):
    return envs.metadata.get("autoreset_mode")


# %%
def play(envs, seed=0, calls=40, restart=None, options=None):
    envs.action_space.seed(seed)
    envs.reset(seed=seed, options=options)
    ended, rows = np.zeros(envs.num_envs, bool), np.arange(envs.num_envs)
    for t in range(calls):
        mask = ended & (mode_of(envs) is DISABLED) | (rows == 0) & (t == restart)
        if mask.any():
            envs.reset(options={"reset_mask": mask})
            ended = ended & ~mask
        actions = envs.action_space.sample()
        call = Call(ended, deepcopy(actions), *envs.step(actions))
        ended = ends(call)
        yield call


# %% [markdown]
# In `DISABLED` the rows that ended are reset by [mask](../../book/glossary.md#masked-reset), as every caller of that
# mode must do. `restart` and `options` are for two of the clauses below.
#
# An observation has a shape, a dtype and limits. To ask `observation in space` is not enough: a `Box` of float32
# accepts float16, which has lost most of its digits. So we compare with an empty batch of the declared kind first. We
# do it for three rows and for one, since a stray `squeeze` shows for one only.


# %%
def describe(batch):
    if isinstance(batch, dict):
        batch = tuple(batch.values())
    if isinstance(batch, tuple):
        return [leaf for part in batch for leaf in describe(part)]
    if isinstance(batch, np.ndarray):
        return [f"{batch.dtype}{list(batch.shape)}"]
    return [type(batch).__name__]


# %% tags=["remove-cell"]
print(describe(utils.create_empty_array(DictCounter().observation_space, 3)))
assert np.zeros(3, np.float16) in gym.spaces.Box(-1, 1, (3,), np.float32)


# %% tags=["hide-input"]
@fault("a batch of one is squeezed")
class Squeezes(SyncVectorEnv):
    def step(self, actions):
        observations, *rest = super().step(actions)
        return observations.squeeze(), *rest


# %% tags=["hide-input"]
@fault("limits that the speeds leave")
class NarrowLimits(SyncVectorEnv):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.single_observation_space = gym.spaces.Box(-0.5, 0.5, (4,))
        self.observation_space = gym.spaces.Box(-0.5, 0.5, (self.num_envs, 4))


# %%
@clause
def observations_fit(make):
    """Observations have the shape, dtype and limits of their space."""
    for n in [1, 3]:
        envs = make(n)
        want = describe(utils.create_empty_array(envs.single_observation_space, n))
        seen = [envs.reset(seed=0)[0], *(call.observations for call in play(envs))]
        for observations in seen:
            have = describe(observations)
            assert have == want, f"observations are {have}, not {want}"
            assert observations in envs.observation_space, "outside of their space"


# %%
demonstrate(
    observations_fit, "a batch of one is squeezed", "limits that the speeds leave"
)

# %% [markdown]
# Rewards and flags look harmless. But `~` of flags that are uint8 gives 255 and 254, both true, and a column of
# rewards added to a row of values gives a square without an error.

# %%
flags, column = np.array([0, 1], np.uint8), np.ones((2, 1))
print("not done:", ~flags, "| reward + value:", (column + np.ones(2)).shape)
assert (~flags).astype(bool).all() and (column + np.ones(2)).shape == (2, 2)


# %% tags=["hide-input"]
@fault("flags are uint8")
class ByteFlags(SyncVectorEnv):
    def step(self, actions):
        observations, rewards, *flags, infos = super().step(actions)
        return observations, rewards, *(flag.astype(np.uint8) for flag in flags), infos


# %% tags=["hide-input"]
@fault("rewards are a column")
class ColumnRewards(SyncVectorEnv):
    def step(self, actions):
        observations, rewards, *rest = super().step(actions)
        return observations, rewards[:, None], *rest


# %%
@clause
def rewards_and_flags(make):
    """Rewards are floats and flags are booleans, one for each row."""
    for n in [1, 3]:
        for call in play(make(n)):
            assert call.rewards.shape == (n,), (
                f"rewards have shape {call.rewards.shape}"
            )
            assert call.rewards.dtype.kind == "f", f"rewards are {call.rewards.dtype}"
            for flags in [call.terminated, call.truncated]:
                assert describe(flags) == [f"bool[{n}]"], f"flags are {describe(flags)}"


# %%
demonstrate(rewards_and_flags, "flags are uint8", "rewards are a column")

# %% [markdown]
# The [info](../../book/glossary.md#info) of a batch has a mask beside every key. Without it, nobody can tell a
# reported 0 from a row that reported nothing ([step](../primitives/05_step.ipynb)). A cart-pole reports nothing at
# all, so the clause has nothing to test, and says so: "n/a" is not "ok".


# %% tags=["hide-input"]
@fault("an info key without a mask")
class NoMask(SyncVectorEnv):
    def step(self, actions):
        observations, *rest, infos = super().step(actions)
        return observations, *rest, infos | {"speed": observations[:, 1].copy()}


# %%
@clause
def info_masks(make):
    """Every key of `infos` has a boolean mask, `_key`, one entry for each row."""
    keys = set()
    for call in play(make(3)):
        assert isinstance(call.infos, dict), f"infos is a {type(call.infos).__name__}"
        for key in [key for key in call.infos if not key.startswith("_")]:
            keys.add(key)
            mask = describe(call.infos.get(f"_{key}"))
            assert mask == ["bool[3]"], f"the mask of {key!r} is {mask}"
    if not keys:
        raise NotApplicable("nothing was reported")


# %%
for label, make in {
    "no fault": cart_poles,
    "reports": lambda n=3: SyncVectorEnv([Reporter] * n),
    "broken": FAULTS["an info key without a mask"][1],
}.items():
    print(f"{label}:", *judge(info_masks, make))

# %% tags=["remove-cell"]
assert judge(info_masks, cart_poles) == ("n/a", "nothing was reported")
assert judge(info_masks, lambda n: SyncVectorEnv([Reporter] * n))[0] == "ok"
assert judge(info_masks, FAULTS["an info key without a mask"][1])[0] == "FAIL"

# %% [markdown]
# ## Randomness
#
# Same seed, same actions, same run, in two separate copies. All later clauses that compare two copies build on this
# one. The runs must pass through the end of an episode: in the broken environment the first episodes repeat, and a
# test of ten calls would call it deterministic.
#
# `same` is Gymnasium's own comparison, which goes into dicts and tuples; `difference` names the part of a call in
# which two differ.


# %%
def same(one, two, exact=True):
    return data_equivalence(one, two, exact=exact)


def difference(one, two):
    pairs = zip(Call._fields, one, two, strict=True)
    return next((name for name, a, b in pairs if not same(a, b)), None)


# %% tags=["hide-input"]
@fault("later episodes have no seed")
class UnseededLater(SyncVectorEnv):
    def reset(self, *, seed=None, options=None):
        result = super().reset(seed=seed, options=options)
        for env in self.envs:
            env.unwrapped.np_random = np.random.default_rng()
        return result


# %%
@clause
def same_seed_same_run(make):
    """The same seed and actions give the same run, in two copies."""
    runs = zip(play(make(3)), play(make(3)), strict=True)
    for t, (one, two) in enumerate(runs):
        name = difference(one, two)
        assert name is None, f"{name} of call {t} differ between two runs"


demonstrate(same_seed_same_run, "later episodes have no seed")

# %% [markdown]
# A seeded reset must also give the same run in an environment that has been *used*. What it forgets to clear, a step
# counter most of all, leaks from one run into the next.


# %% tags=["hide-input"]
@fault("a clock survives the reset")
class OldClock(SyncVectorEnv):
    def reset(self, *, seed=None, options=None):
        clocks = self.get_attr("_elapsed_steps")
        result = super().reset(seed=seed, options=options)
        if None not in clocks:
            self.set_attr("_elapsed_steps", clocks)
        return result


# %%
@clause
def reset_starts_over(make):
    """A seeded reset gives the same run in a used environment as in a new one."""
    used, new = make(3), make(3)
    for _ in play(used, seed=1, calls=7):
        pass
    for t, (one, two) in enumerate(zip(play(used), play(new), strict=True)):
        name = difference(one, two)
        assert name is None, f"{name} of call {t} depend on what came before"


# %%
demonstrate(reset_starts_over, "a clock survives the reset")

# %% [markdown]
# The next three promises are about which seed goes where, and they ask about first observations only. Three functions,
# folded away, help: `starts` collects first observations, `split` takes a batch apart into its rows, and
# `need_random_starts` says "n/a" if the start does not depend on the seed at all.


# %% tags=["hide-input"]
def starts(envs, *seeds):
    return [deepcopy(envs.reset(seed=seed)[0]) for seed in seeds]


def split(envs, observations):
    return list(utils.iterate(envs.observation_space, observations))


def need_random_starts(envs):
    if same(*starts(envs, 0, 100)):
        raise NotApplicable("starts do not depend on the seed")


# %% [markdown]
# With one integer the rows must not all start alike: a batch of identical rows is one environment at the price of
# many. And a reset *without* a seed goes on with the generator: it neither starts the same episode again nor draws
# something that cannot be repeated.


# %% tags=["hide-input"]
@fault("one seed for all rows")
class OneSeed(SyncVectorEnv):
    def reset(self, *, seed=None, options=None):
        seeds = [seed] * self.num_envs if isinstance(seed, int) else seed
        return super().reset(seed=seeds, options=options)


# %% tags=["hide-input"]
@fault("an unseeded reset repeats")
class RemembersSeed(SyncVectorEnv):
    def reset(self, *, seed=None, options=None):
        self.seed = getattr(self, "seed", None) if seed is None else seed
        return super().reset(seed=self.seed, options=options)


# %%
@clause
def rows_start_apart(make):
    """One integer seed gives the rows different starts."""
    envs = make(3)
    need_random_starts(envs)
    first, *others = split(envs, envs.reset(seed=0)[0])
    assert not all(same(first, other) for other in others), "all rows start alike"


# %%
@clause
def unseeded_reset_goes_on(make):
    """A reset without a seed continues the generator."""
    envs = make(3)
    need_random_starts(envs)
    first, second, again, repeated = starts(envs, 0, None, 0, None)
    assert not same(first, second), "it starts the same episode again"
    assert same(first, again) and same(second, repeated), "it cannot be repeated"


# %%
demonstrate(rows_start_apart, "one seed for all rows")
demonstrate(unseeded_reset_goes_on, "an unseeded reset repeats")

# %% [markdown]
# A list of seeds is an extra of `SyncVectorEnv` and `AsyncVectorEnv`; the base class promises an integer. So an
# environment that *refuses* a list has said so, and the clause does not apply. One that takes it and does something
# else with it is broken: the list in the other order must give the rows in the other order.


# %% tags=["hide-input"]
@fault("the first seed of a list for all")
class FirstSeed(SyncVectorEnv):
    def reset(self, *, seed=None, options=None):
        seed = seed[0] if isinstance(seed, list) else seed
        return super().reset(seed=seed, options=options)


# %%
@clause
def seed_list(make):
    """A list of seeds gives each row its own, or is refused."""
    envs = make(3)
    need_random_starts(envs)
    try:
        up, down = starts(envs, [5, 6, 7], [7, 6, 5])
    except Exception as error:
        raise NotApplicable(f"refused: {error}") from None
    assert same(split(envs, up), split(envs, down)[::-1]), (
        "the rows do not follow the order of the seeds"
    )


# %%
demonstrate(seed_list, "the first seed of a list for all")

# %% [markdown]
# ## When an episode ends
#
# What happens to a finished row depends on the [autoreset mode](../../book/glossary.md#autoreset-mode), which training
# code and wrappers read in `metadata`, as a member of `AutoresetMode`. Some wrappers refuse a string; a plain
# `mode == AutoresetMode.NEXT_STEP` takes it for another mode, without a word.


# %% tags=["hide-input"]
@fault("the mode is a string")
class StringMode(SyncVectorEnv):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.metadata["autoreset_mode"] = self.autoreset_mode.value


# %% tags=["remove-cell"]
stringly = cart_poles(kind=StringMode)
assert stringly.metadata["autoreset_mode"] == "NextStep" != AutoresetMode.NEXT_STEP
with expect(TypeError):
    gym.wrappers.vector.RecordEpisodeStatistics(stringly)


# %%
@clause
def mode_declared(make):
    """`metadata["autoreset_mode"]` is an `AutoresetMode`."""
    mode = mode_of(make(3))
    assert isinstance(mode, AutoresetMode), f"the mode is {mode!r}"


demonstrate(mode_declared, "the mode is a string")

# %% [markdown]
# Declaring is one thing, doing another. In `NEXT_STEP` the call after an end gives a
# [filler row](../../book/glossary.md#filler-row): it resets the row, pays nothing, ends nothing. A filler row that
# pays 1 looks like a slightly better agent. An environment that declares `NEXT_STEP` and does `SAME_STEP` makes code
# throw away real steps.


# %% tags=["hide-input"]
@fault("a filler row pays 1")
class FillerPays(SyncVectorEnv):
    def step(self, actions):
        filler = self._autoreset_envs
        observations, rewards, *rest = super().step(actions)
        return observations, np.where(filler, 1.0, rewards), *rest


# %% tags=["hide-input"]
@fault("declares one mode, does another")
class WrongMode(SyncVectorEnv):
    def __init__(self, factories, autoreset_mode):
        super().__init__(factories, autoreset_mode=SAME_STEP)
        self.metadata["autoreset_mode"] = autoreset_mode


# %%
@clause
def filler_rows(make):
    """`NEXT_STEP`: the call after an end pays nothing and ends nothing."""
    envs, seen = make(3), False
    if mode_of(envs) is not NEXT_STEP:
        raise NotApplicable("only in NEXT_STEP")
    for call in play(envs):
        seen |= call.ended.any()
        assert "final_obs" not in call.infos, "final_obs belongs to SAME_STEP"
        for name in ["rewards", "terminated", "truncated"]:
            found = getattr(call, name)[call.ended]
            assert not found.any(), f"{name} of filler rows: {found}"
    if not seen:
        raise NotApplicable("no episode ended")


# %%
demonstrate(filler_rows, "a filler row pays 1", "declares one mode, does another")

# %% [markdown]
# The filler call ignores its action. An implementation that resets the row and then steps it too looks right: the
# reward is 0, the flags are down. Only the start of the episode is missing from the data. To see it we play two copies
# side by side and give the second other actions, in filler rows only. `mix` makes such a batch for any action space.


# %% tags=["hide-input"]
def mix(envs, rows, theirs, ours):
    batches = [utils.iterate(envs.action_space, batch) for batch in (ours, theirs)]
    picked = [b if row else a for row, a, b in zip(rows, *batches, strict=True)]
    empty = utils.create_empty_array(envs.single_action_space, envs.num_envs)
    return utils.concatenate(envs.single_action_space, picked, empty)


# %%
mixed = mix(cart_poles(), [True, False, False], np.array([1, 1, 1]), np.zeros(3, int))
print("row 0 from all ones, the others from all zeros:", mixed)


# %% tags=["hide-input"]
@fault("resets and steps in one call")
class StepsAtOnce(SyncVectorEnv):
    def step(self, actions):
        filler = np.flatnonzero(self._autoreset_envs)
        observations, *rest = super().step(actions)
        for row in filler:
            observations[row], *_ = self.envs[row].step(actions[row])
        return observations, *rest


# %%
@clause
def filler_ignores_action(make):
    """`NEXT_STEP`: the call that resets a row ignores its action."""
    one, two = make(3), make(3)
    if mode_of(one) is not NEXT_STEP:
        raise NotApplicable("only in NEXT_STEP")
    two.action_space.seed(1)
    two.reset(seed=0)
    for t, call in enumerate(play(one)):
        others = mix(two, call.ended, two.action_space.sample(), call.actions)
        agree = same(call.observations, two.step(others)[0])
        assert agree, f"a different action in a filler row changed call {t}"


# %%
demonstrate(filler_ignores_action, "resets and steps in one call")

# %% [markdown]
# In `SAME_STEP` the last observation of an episode is in the info, for the rows that ended and no others. Without
# it a truncated episode cannot be [bootstrapped](../../book/glossary.md#bootstrap), that is, continued by an
# estimate of what would have followed.


# %% tags=["hide-input"]
@fault("the final observation is lost", SAME_STEP)
class NoFinal(SyncVectorEnv):
    def step(self, actions):
        *rest, infos = super().step(actions)
        return *rest, {key: infos[key] for key in infos if "final_obs" not in key}


# %%
@clause
def final_observations(make):
    """`SAME_STEP`: `final_obs` holds the last observation of the rows that ended."""
    envs = make(3)
    if mode_of(envs) is not SAME_STEP:
        raise NotApplicable("only in SAME_STEP")
    for call in play(envs):
        ended = ends(call)
        mask = call.infos.get("_final_obs", np.zeros(3, bool))
        assert same(mask, ended), f"rows {ended} ended, _final_obs is {mask}"
        for row in np.flatnonzero(ended):
            final = call.infos["final_obs"][row]
            assert final in envs.single_observation_space, f"row {row}: {final}"


# %%
demonstrate(final_observations, "the final observation is lost")

# %% [markdown]
# The clause trusts that the observation is the right one. The start of another episode in that place would pass; we
# come back to it.
#
# ## Rows and arrays
#
# What a call returned must stay as it was. If the environment writes the next observations into the same array,
# every observation you stored is the last one (`SyncVectorEnv(copy=False)` does this, on demand). And what you gave it
# must stay as it was: your actions go into a buffer too.


# %% tags=["hide-input"]
@fault("one array for all calls")
class OneArray(SyncVectorEnv):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, copy=False, **kwargs)


# %% tags=["hide-input"]
@fault("converts the caller's actions")
class InPlace(SyncVectorEnv):
    def step(self, actions):
        result = super().step(actions)
        np.multiply(actions, 20, out=actions)
        return result


# %%
@clause
def results_stay(make):
    """What a call returned is not changed by later calls."""
    kept = [(call, deepcopy(call)) for call in play(make(3), calls=5)]
    for t, (call, copy) in enumerate(kept):
        name = difference(call, copy)
        assert name is None, f"{name} of call {t} changed afterwards"


# %%
@clause
def actions_stay(make):
    """`step` does not write into the caller's actions."""
    envs = make(3)
    envs.action_space.seed(0)
    for seed in range(5):
        envs.reset(seed=seed)
        actions = envs.action_space.sample()
        before = deepcopy(actions)
        envs.step(actions)
        assert same(actions, before), f"{before} became {actions}"


# %%
demonstrate(results_stay, "one array for all calls")
demonstrate(actions_stay, "converts the caller's actions")

# %% [markdown]
# Now the fault from the top of the page. Row `i` acts on action `i`, and on no other. So change the action of one
# row: the other rows must not notice. (`row_pairs`, folded away, sets each row of one copy beside the same row of the
# other: observation, reward, flags, final observation.)


# %% tags=["hide-input"]
def rows_of(envs, call):
    observations = split(envs, call.observations)
    rewards = np.asarray(call.rewards, float).reshape(-1, 1)
    finals = call.infos.get("final_obs", [None] * envs.num_envs)
    columns = observations, rewards, call.terminated, call.truncated, finals
    return list(zip(*columns, strict=True))


def row_pairs(envs, calls):
    return list(zip(*map(rows_of, envs, calls), strict=True))


# %% tags=["remove-cell"]
_ = fault("actions in reverse order")(B)


# %%
@clause
def rows_keep_apart(make):
    """The action of one row does not touch the others."""
    one, two = make(3), make(3)
    for row in range(3):
        two.action_space.seed(1)
        two.reset(seed=0)
        for t, call in enumerate(play(one, calls=20)):
            chosen = np.arange(3) == row
            actions = mix(two, chosen, two.action_space.sample(), call.actions)
            other = Call(None, actions, *two.step(actions))
            pairs = row_pairs((one, two), (call, other))
            for i in np.flatnonzero(~chosen):
                assert same(*pairs[i]), f"action {row} changed row {i} in call {t}"
            if (ends(call) | ends(other)).any():
                break


# %%
demonstrate(rows_keep_apart, "actions in reverse order")

# %% [markdown]
# The comparison stops at the first end of an episode on purpose: a
# [native](../../book/glossary.md#native-vector-environment) environment may draw all starts from one generator, and
# then a row's *next* start rightly depends on when the others ended.
#
# A masked reset restarts the chosen rows and leaves the others alone. A row that looks untouched may still have lost
# its clock. So we play the same actions in two copies, restart row 0 in one of them, and demand that the other rows
# never notice.


# %% tags=["hide-input"]
@fault("the mask is ignored")
class NoMaskedReset(SyncVectorEnv):
    def reset(self, *, seed=None, options=None):
        return super().reset(seed=seed)


# %% tags=["hide-input"]
@fault("a masked reset clears all clocks")
class ClearsClocks(SyncVectorEnv):
    def reset(self, *, seed=None, options=None):
        result = super().reset(seed=seed, options=options)
        self.set_attr("_elapsed_steps", 0)
        return result


# %%
@clause
def reset_mask(make):
    """A masked reset restarts the chosen rows; the others never notice."""
    one, two, noticed = make(3), make(3), False
    for t, calls in enumerate(zip(play(one), play(two, restart=5), strict=True)):
        pairs = row_pairs((one, two), calls)
        noticed |= not same(*pairs[0])
        for row in [1, 2]:
            assert same(*pairs[row]), f"a reset of row 0 changed row {row} in call {t}"
    assert noticed, "row 0 was not restarted"


# %%
demonstrate(reset_mask, "the mask is ignored", "a masked reset clears all clocks")

# %% [markdown]
# The second fault is found late, when a kept row fails to end on time.
#
# What a masked reset *returns* is a promise of its own: the kept rows repeat their last observation, on which an agent
# acts next.


# %% tags=["hide-input"]
@fault("a masked reset blanks the others")
class Blanks(SyncVectorEnv):
    def reset(self, *, seed=None, options=None):
        mask = (options or {}).get("reset_mask", np.ones(self.num_envs, bool))
        observations, infos = super().reset(seed=seed, options=options)
        observations[~mask] = 0
        return observations, infos


# %%
@clause
def kept_rows_repeat(make):
    """A masked reset returns the rows it kept as they were."""
    envs = make(3)
    *_, last = play(envs, calls=5)
    before = deepcopy(split(envs, last.observations))
    mask = np.array([True, False, False])
    after, _ = envs.reset(options={"reset_mask": mask})
    assert same(before[1:], split(envs, after)[1:]), "kept rows came back different"


# %%
demonstrate(kept_rows_repeat, "a masked reset blanks the others")

# %% [markdown]
# One promise is left, on which every `finally` relies: `close` sets `closed`, and closing again does no harm.


# %% tags=["hide-input"]
@fault("close leaves closed False")
class NeverClosed(SyncVectorEnv):
    def close(self, **kwargs):
        self.close_extras(**kwargs)


# %%
@clause
def closes(make):
    """`close` sets `closed`, and may be called twice."""
    envs = make(3)
    envs.reset(seed=0)
    assert not envs.closed, "closed before it was closed"
    envs.close()
    assert envs.closed, "closed is False after close"
    envs.close()


# %%
demonstrate(closes, "close leaves closed False")

# %% [markdown]
# ## A reference
#
# All clauses so far ask whether the environment agrees with itself. None knows what a cart-pole is. That takes a
# second implementation, slow if need be, that is known to be right: for a native class, a `SyncVectorEnv` of the
# single environment. Two implementations may add in another order and differ in the last digit, so this comparison
# has a tolerance: `exact=False` allows 1e-5.


# %%
def matches(reference, options=None):
    def matches_reference(make):
        """Row by row, it does what the reference does."""
        envs, live = (make(3), reference(3)), np.ones(3, bool)
        runs = zip(*(play(each, options=options) for each in envs), strict=True)
        for t, calls in enumerate(runs):
            pairs = row_pairs(envs, calls)
            for row in np.flatnonzero(live):
                agree = same(*pairs[row], exact=False)
                assert agree, f"row {row} of call {t} is not what the reference returns"
            if options is not None:
                live &= ~ends(calls[1])
        envs[1].close()

    return matches_reference


# %% [markdown]
# Here are two faults that only a reference sees. In the first, a time limit is reported as a termination, and
# everything about it is well-formed. The other is the one we promised to come back to.


# %% tags=["hide-input"]
@fault("a time limit terminates")
class LimitTerminates(SyncVectorEnv):
    def step(self, actions):
        observations, rewards, terminated, truncated, infos = super().step(actions)
        none = np.zeros_like(truncated)
        return observations, rewards, terminated | truncated, none, infos


# %% tags=["hide-input"]
@fault("the final observation is a start", SAME_STEP)
class FinalIsStart(SyncVectorEnv):
    def step(self, actions):
        observations, *rest, infos = super().step(actions)
        for row in np.flatnonzero(infos.get("_final_obs", np.zeros(0))):
            infos["final_obs"][row] = observations[row].copy()
        return observations, *rest, infos


# %%
for label in ["a time limit terminates", "the final observation is a start"]:
    mode, broken = FAULTS[label]
    by_itself = [judge(function, broken)[0] for function in CLAUSES.values()]
    reference = matches(lambda n, mode=mode: cart_poles(n, mode=mode))
    print(f"{label}: {by_itself.count('FAIL')} clauses fail by themselves;")
    print("   reference:", *judge(reference, broken))
    assert "FAIL" not in by_itself and judge(reference, broken)[0] == "FAIL"

# %% [markdown]
# ## Every fault against every clause
#
# Each clause has been shown its own fault. Now all against all. When several clauses fail, the first says most, since
# the later ones build on it.

# %%
verdicts = {}
for label, (mode, make) in FAULTS.items():
    reference = matches(lambda n, mode=mode: cart_poles(n, mode=mode))
    clauses = CLAUSES | {"matches_reference": reference}
    verdicts[label] = {name: judge(c, make)[0] for name, c in clauses.items()}
    assert "FAIL" in verdicts[label].values()
print(
    len(FAULTS), "broken environments,", len(clauses), "clauses: every fault is found"
)

# %% [markdown]
# Faults downwards, clauses across, numbered as in the [table below](#the-contract-on-one-page). Look for a column
# without a square: it would be a clause that has never been the first to find anything.

# %% tags=["hide-input"]
names, labels = list(clauses), list(FAULTS)
fig, ax = figure(7.4)
for y, label in enumerate(labels):
    failed = [x for x, name in enumerate(names) if verdicts[label][name] == "FAIL"]
    unused = [x for x, name in enumerate(names) if verdicts[label][name] == "n/a"]
    ax.axhline(y, color=PALETTE[5], linewidth=0.5, zorder=0)
    ax.plot(failed[:1], [y], "s", color=PALETTE[1], markersize=10)
    ax.plot(
        failed[1:], [y] * (len(failed) - 1), "o", color=PALETTE[0], fillstyle="none"
    )
    ax.plot(unused, [y] * len(unused), "x", color=PALETTE[5], markersize=4)

# %% tags=["hide-input"]
numbers = [str(n) if n % 2 else f"\n{n}" for n in range(1, len(names) + 1)]
ax.set_xticks(range(len(names)), numbers, fontsize=10)  # the even ones a line lower
ax.set_xlabel("clause: its number in\nthe table of promises")
ax.grid(axis="x", color=PALETTE[5], linewidth=0.3)
ax.set_yticks(range(len(labels)), labels, fontsize=10)
ax.set(ylim=(len(labels) - 0.5, -0.5), xlim=(-0.6, len(names) - 0.4))
ax.tick_params(length=0)

# %% tags=["hide-input"]
for marker, text, size in [("s", "fails first", 10), ("o", "fails too", 5)]:
    colour, fill = (PALETTE[1], "full") if marker == "s" else (PALETTE[0], "none")
    ax.plot([], [], marker, color=colour, fillstyle=fill, markersize=size, label=text)
ax.plot([], [], "x", color=PALETTE[5], markersize=4, label="does not apply")
fig.legend(loc="outside upper center", ncols=3)
alt = (
    "A grid of faults (rows) against clauses (columns). In each row a filled square "
    "marks the first clause that fails; the squares form a staircase from the top left "
    "to the bottom right. Open circles mark clauses that fail as well: most stand in "
    "the last column, the reference, and in the row of the unseeded episodes. Small "
    "crosses mark clauses that do not apply."
)
show(fig, alt)

# %% [markdown]
# There is none. The one crowded row is the environment whose later episodes have no seed, where nothing that compares
# two runs can succeed. The crosses say that most of these environments report nothing, and that each is in one mode
# only.

# %% tags=["remove-cell"]
for name in clauses:
    firsts = [
        next(n for n, v in row.items() if v == "FAIL") for row in verdicts.values()
    ]
    assert name in firsts, f"no fault is caught by {name} first"
for mode in AutoresetMode:
    clean = matches(lambda n, mode=mode: cart_poles(n, mode=mode))
    for function in [*CLAUSES.values(), clean]:
        found = judge(function, lambda n=3, mode=mode: cart_poles(n, mode=mode))
        assert found[0] != "FAIL", (mode, function.__name__, found)

# %% tags=["hide-input"]
alone = sum(row["matches_reference"] == "FAIL" for row in verdicts.values())
by_clauses = sum("FAIL" in list(row.values())[:-1] for row in verdicts.values())
say(
    f"The reference alone finds {alone} of {len(FAULTS)} faults, the other clauses "
    f"find {by_clauses}. Together they find all."
)
assert alone < len(FAULTS) and by_clauses < len(FAULTS)

# %% [markdown]
# Neither replaces the other. A comparison of numbers does not see a shared array or a mode that is a string, and what
# it sees, it calls "row 1 of call 14". The clauses say what is wrong, but know nothing of the task.
#
# ## The contract on one page
#
# The docstrings are the contract. Some of it the base class promises, such as an integer seed and `closed`. The rest
# is what `SyncVectorEnv` and `AsyncVectorEnv` have in common and what code written for them takes for granted.

# %% tags=["hide-input"]
rows = []
for number, (name, function) in enumerate(clauses.items(), start=1):
    promise = function.__doc__.replace("`", "").rstrip(".")
    rows.append({"no.": number, "clause": name, "promise": promise})
table(rows, "What a vector environment promises")

# %% [markdown]
# "`reset` does not change the caller's `options`" is missing on purpose: Gymnasium's own classes take the mask out of
# that dict ([selective reset](../compositions/14_selective_reset.ipynb)), and a contract that nobody keeps is a wish.
#
# ## Gymnasium's own
#
# Does Gymnasium keep it? Its native CartPole ignores `reset_mask`. Is that a fault or a missing feature? The checker
# cannot know; you can. So you may waive a clause, with a reason. A waived clause is run all the same, and *must* fail:
# once the environment is repaired, the waiver is out of date and says so.


# %%
def check_contract(make, waived=(), also=()):
    report = []
    for function in [*CLAUSES.values(), *also]:
        name, (result, note) = function.__name__, judge(function, make)
        if name in waived and result == "FAIL":
            result, note = "waived", f"{waived[name]}: {note}"
        elif name in waived:
            result, note = "FAIL", "waived, but it does not fail"
        report.append({"clause": name, "result": result, "note": note})
    assert set(waived) <= {row["clause"] for row in report}, "no such clause"
    return report


# %%
report = check_contract(cart_poles, {"closes": "does not set closed"})
failed = {row["clause"]: row["note"] for row in report if row["result"] == "FAIL"}
print("FAIL:", *(f"{name}, {note}" for name, note in failed.items()))
assert list(failed) == ["closes"]

# %% [markdown]
# So a clause that does not say "ok" says one of three things:
#
# - **n/a, found by the clause**: there was nothing to test (no info, another mode), or the environment refuses the
#   feature with an error, as the native CartPole does with a list of seeds. Loud refusal is honest.
# - **waived, declared by you**: the environment takes the argument and ignores it, and you know.
# - **FAIL**: neither of the two, and it needs an answer.
#
# The native CartPole needs a special reference. It draws all starts from one generator, so the same seed gives other
# starts than the loop. But both take the limits of the start as `options`; with equal limits there is only one start,
# and the rows differ by their actions alone. Autoreset passes no options on, so each row is compared up to its first
# end. A start of 0.17 is close to the edge: two rows fall and one runs out of time, so both kinds of end are compared.


# %%
def native(n=3):
    return gym.make_vec(
        "CartPole-v1",
        num_envs=n,
        vectorization_mode="vector_entry_point",
        max_episode_steps=15,
    )


# %%
known = {
    "reset_mask": "restarts all rows",
    "kept_rows_repeat": "restarts all rows",
    "closes": "overrides close",
}
fixed_start = matches(cart_poles, options={"low": 0.17, "high": 0.17})
report = check_contract(native, known, [fixed_start])
not_ok = [row for row in report if row["result"] != "ok"]
table(not_ok, "CartPoleVectorEnv: not ok")

# %% tags=["remove-cell"]
found = {row["clause"]: row["result"] for row in report}
assert list(found.values()).count("waived") == 3 and "FAIL" not in found.values()
assert found["seed_list"] == "n/a" and found["matches_reference"] == "ok"
assert judge(matches(cart_poles), native)[0] == "FAIL"
edge = {"low": 0.17, "high": 0.17}
compared = list(play(cart_poles(), options=edge))[:15]
first_ends = np.argmax([ends(call) for call in compared], axis=0)
kinds = {bool(compared[t].terminated[row]) for row, t in enumerate(first_ends)}
assert kinds == {True, False}

# %% [markdown]
# The ignored mask was known to this book. The third waiver the checker found: `CartPoleVectorEnv` has a `close` of its
# own, which never sets `closed`. Everything else holds, the physics included, as far as it was compared.
#
# Now the others: the three modes of `SyncVectorEnv`, some other kinds of spaces and infos, and `AsyncVectorEnv`. (That
# in one mode only, as each clause starts processes; [autoreset](../primitives/06_autoreset.ipynb) compares all three.)


# %% tags=["hide-input"]
def one_of(mode, kind=SyncVectorEnv):
    return lambda n=3: cart_poles(n, kind, mode)


# %% tags=["hide-input"]
same_as = {mode: matches(one_of(mode)) for mode in AutoresetMode}
reports = {
    f"SyncVectorEnv, {mode.name}": check_contract(one_of(mode), also=[same_as[mode]])
    for mode in AutoresetMode
}
reports["AsyncVectorEnv, NEXT_STEP"] = check_contract(
    one_of(NEXT_STEP, AsyncVectorEnv), also=[same_as[NEXT_STEP]]
)
reports["CartPoleVectorEnv"] = report

# %% tags=["hide-input"]
for name in ["Pendulum-v1", "FrozenLake-v1", "Blackjack-v1", "book/DictCounter-v0"]:
    limit = None if name.startswith("book/") else 15

    def make(n=3, name=name, limit=limit):
        single = [lambda: gym.make(name, max_episode_steps=limit)] * n
        return SyncVectorEnv(single, autoreset_mode=SAME_STEP)

    reports[f"SyncVectorEnv of {name}, SAME_STEP"] = check_contract(make)

# %% tags=["hide-input"]
rows = []
for label, report in reports.items():
    results = [row["result"] for row in report]
    counts = {key: results.count(key) for key in ["ok", "n/a", "waived", "FAIL"]}
    rows.append({"vector environment": label, **counts})
    assert counts["FAIL"] == 0
table(rows, "The contract, kept")

# %% [markdown]
# The first five have a reference to match, and 20 clauses; the last four have none, and 19. Read the column "n/a" as
# carefully as the last. A cart-pole that reports no info has not shown that its masks are
# right, and in each mode the clauses about the others do not apply.
#
# ## What the checker does not see
#
# Four faults, all real, all passed. Try to say why before you read on. (The wrapper in the last one reports the time an
# episode took. A clock does not repeat, so two clauses are waived.)


# %%
class Late(SyncVectorEnv):
    count = 0

    def step(self, actions):
        self.count += 1
        observations, rewards, *rest = super().step(actions)
        return observations, rewards if self.count <= 100 else -rewards, *rest


# %%
class Double(SyncVectorEnv):
    def step(self, actions):
        observations, rewards, *rest = super().step(actions)
        return observations, 2 * rewards, *rest


# %%
class Narrow(type(native())):
    def reset(self, *, seed=None, options=None):
        options = {"low": -0.01, "high": 0.01} if options is None else options
        return super().reset(seed=seed, options=options)


def forgetful(n=3):
    return gym.wrappers.vector.RecordEpisodeStatistics(cart_poles(n))


# %%
to_reference = [same_as[NEXT_STEP]]
clock = dict.fromkeys(["same_seed_same_run", "reset_starts_over"], "reports the time")
missed = {
    "Late": check_contract(lambda n=3: cart_poles(n, Late), also=to_reference),
    "Double": check_contract(lambda n=3: cart_poles(n, Double)),
    "Narrow": check_contract(lambda n=3: Narrow(n, 15), known, [fixed_start]),
    "forgetful": check_contract(forgetful, clock, to_reference),
}
for name, report in missed.items():
    failed = [row["clause"] for row in report if row["result"] == "FAIL"]
    print(f"{name}: {len(failed)} of {len(report)} clauses fail")
    assert failed == []

# %% [markdown]
# - **`Late`**: from the 101st call on, rewards are negative. A test sees the calls it makes, and ours makes forty.
#   Play as long as your training does, at least once.
# - **`Double`**: every reward is doubled. Without a reference no clause knows what a step is worth. And a reference
#   written by the same hand may hold the same mistake.
# - **`Narrow`**: the starts are drawn from a fifth of the right range. We fixed the starts to compare the physics, so
#   nobody looked at how they are drawn.
# - **`forgetful`**: `RecordEpisodeStatistics`, whose counters a masked reset clears in all rows
#   ([selective reset](../compositions/14_selective_reset.ipynb)). The clause compares what it was told to compare:
#   observations, rewards, flags. It reads no values in infos.
#
# `Narrow` is a question about a distribution, not about a run. It takes many samples and a tolerance:

# %%
spreads = {}
for name, envs in {
    "loop": cart_poles(300),
    "native": native(300),
    "Narrow": Narrow(300),
}.items():
    spreads[name] = np.ptp(envs.reset(seed=0)[0])
    print(f"{name:6s} starts spread over {spreads[name]:.3f}")
assert abs(spreads["native"] / spreads["loop"] - 1) < 0.05
assert spreads["Narrow"] < 0.3 * spreads["loop"]

# %% tags=["remove-cell"]
envs = cart_poles(kind=Late)
paid = [call.rewards.sum() for call in play(envs, calls=150)]
assert min(paid[:100]) >= 0 and max(paid[100:]) <= 0
late, right = play(cart_poles(kind=Late), calls=150), play(cart_poles(), calls=150)
assert not all(same(one, two) for one, two in zip(late, right, strict=True))
assert judge(same_as[NEXT_STEP], lambda n=3: cart_poles(n, Double))[0] == "FAIL"

# %% [markdown]
# Nor does the checker look at speed, at memory that grows, at `render`, at what happens after an error in a worker
# ([failures](25_failures.ipynb)), or at spaces of no fixed size (`Graph`, `Sequence`), for which there is no empty
# batch to compare with. A checker that says what it leaves out can be trusted for the rest.
#
# ## Save, restore, branch
#
# Two copies that agree step by step can do more than test. If you could copy a vector environment *in mid-episode*,
# you could save a run and resume it, or branch: try two futures from one present. Gymnasium has no method for it.
# Python has three general ways to copy an object. Which of them works? The copy must go on exactly as the original
# does, through the ends of episodes, where the generators come in.

# %%
WAYS = {
    "deepcopy": deepcopy,
    "cloudpickle": lambda envs: pickle.loads(cloudpickle.dumps(envs)),
    "pickle": lambda envs: pickle.loads(pickle.dumps(envs)),
}


# %%
def survives(way, envs):
    list(play(envs, calls=20))
    try:
        copied = way(envs)
    except Exception as error:
        return type(error).__name__
    actions = np.random.default_rng(0).integers(2, size=(60, envs.num_envs))
    return all(same(envs.step(a), copied.step(a)) for a in actions)


# %% tags=["hide-input"]
rows = []
for label, make in {
    "SyncVectorEnv from make_vec": lambda: gym.make_vec(
        "CartPole-v1", 3, vectorization_mode="sync", max_episode_steps=15
    ),
    "SyncVectorEnv of a class": lambda: SyncVectorEnv([StepCounter] * 3),
    "CartPoleVectorEnv": native,
}.items():
    rows.append({"vector environment": label})
    rows[-1] |= {name: survives(way, make()) for name, way in WAYS.items()}
table(rows, "Does the copy go on as the original? (or the error it raises)")

# %% tags=["remove-cell"]
assert [list(row.values())[1:] for row in rows[1:]] == [[True] * 3] * 2
assert rows[0]["pickle"] in ("AttributeError", "PicklingError")
assert rows[0]["deepcopy"] and rows[0]["cloudpickle"]
for name in ["save", "load", "restore", "clone_state", "get_state", "set_state"]:
    assert not hasattr(SyncVectorEnv, name) and not hasattr(AsyncVectorEnv, name)

# %% [markdown]
# So `deepcopy` makes a branch, and `cloudpickle` makes bytes for a file: both take the state of every row, its clock
# and its generator along. Plain [pickle](../../book/glossary.md#pickle) stumbles over the factories that `make_vec`
# makes, which are local functions; with factories that can be imported by name, such as a class, it works too. None
# of them can copy what Python cannot: an open file, a window, a simulator in another language.

# %% tags=["remove-cell"]
envs = gym.make_vec("CartPole-v1", num_envs=3, vectorization_mode="sync")
with expect(AttributeError, pickle.PicklingError):
    pickle.dumps(envs)
envs.envs[0].unwrapped.log = (line for line in [])
with expect(TypeError):
    deepcopy(envs)

# %% [markdown]
# To resume a run from a file, save more than the environment: the last observations, which the agent needs for its
# next action; the flags, if the mode is `NEXT_STEP`; the agent, and its own generator. The generator of the action
# space is part of the environment and comes along.

# %%
envs = cart_poles()
envs.action_space.seed(0)
observations, _ = envs.reset(seed=0)
saved = cloudpickle.dumps({"envs": envs, "observations": observations})
went_on = [envs.step(envs.action_space.sample())[0] for _ in range(50)]
restored = pickle.loads(saved)["envs"]
resumed = [restored.step(restored.action_space.sample())[0] for _ in range(50)]
print(type(saved).__name__, "| the run is repeated:", same(went_on, resumed))
assert same(went_on, resumed)

# %% [markdown]
# The bytes are for the same versions of Python, Gymnasium and the environment's code. Load only files of your own:
# loading a pickle runs code.
#
# ### With workers: play it again
#
# The state of an `AsyncVectorEnv` is in its [workers](../../book/glossary.md#worker), where no copy reaches. But a run
# is determined by its seed and its actions (that is the clause `same_seed_same_run`), so the two together are a save
# file. To restore it takes as long as the run took.

# %%
actions = np.random.default_rng(0).integers(2, size=(80, 3))


def replay(envs, seed, actions):
    observations, _ = envs.reset(seed=seed)
    for action in actions:
        observations, *_ = envs.step(action)
    return envs, observations


# %%
first, reached = replay(cart_poles(kind=AsyncVectorEnv), 7, actions[:50])
second, restored = replay(cart_poles(kind=AsyncVectorEnv), 7, actions[:50])
same_place = same(reached, restored)
same_future = all(same(first.step(a), second.step(a)) for a in actions[50:])
first.close()
second.close()
print("same place:", same_place, "| same future:", same_future)
assert same_place and same_future

# %% [markdown]
# Going back is quicker if `get_attr` and `set_attr` reach all that makes up the state of a sub-environment. Only its
# author knows what that is. For a cart-pole: `state`, the clock in the `TimeLimit` around it, and the generator.

# %% tags=["remove-cell"]
counters = AsyncVectorEnv([StepCounter] * 3)
counters.reset(seed=0)
state = {name: list(counters.get_attr(name)) for name in ["episode", "step_count"]}
forward = [counters.step(np.zeros(3, int))[0] for _ in range(2)]
for name, values in state.items():
    counters.set_attr(name, values)
again = [counters.step(np.zeros(3, int))[0] for _ in range(2)]
counters.close()
assert same(forward, again) and forward[1].tolist() == [[0, 2]] * 3

# %% [markdown]
# ## What trips people up
#
# **"All green, and it was broken all the same."** Count the "n/a". Pendulum's episodes take 200 steps, and our runs
# have forty, so nothing that happens at an end was tested. Shorten the episodes for the test, with
# `max_episode_steps`.

# %%
for limit in [None, 15]:

    def pendulums(n=3, limit=limit):
        return gym.make_vec(
            "Pendulum-v1", n, vectorization_mode="sync", max_episode_steps=limit
        )

    print(f"max_episode_steps={limit}:", *judge(filler_rows, pendulums))
    assert judge(filler_rows, pendulums)[0] == ("ok" if limit else "n/a")

# %% [markdown]
# **"A right environment fails everything that compares two copies."** `make` must make. If it returns the same
# object each time, the clause plays one environment from both ends.

# %%
shared = cart_poles()
print(*judge(same_seed_same_run, lambda n=3: shared))
assert judge(same_seed_same_run, lambda n=3: shared)[0] == "FAIL"
assert judge(same_seed_same_run, cart_poles)[0] == "ok"

# %% [markdown]
# **"`TypeError: Pickling an AuthenticationString object is disallowed for security reasons`", and from then on
# `OSError: [Errno 9] Bad file descriptor`.** Somebody called `deepcopy` on an `AsyncVectorEnv`. It fails, and what is
# worse, it destroys the original: the half-made copy has copied the handles of the
# [pipes](../../book/glossary.md#pipe), and closes them when it is thrown away. `pickle` and `cloudpickle` fail without
# damage. A script of its own, folded away, calls `deepcopy` and then `step`:

# %% tags=["hide-input"]
CODE = """
import copy, gymnasium as gym, numpy as np
envs = gym.make_vec("CartPole-v1", num_envs=2, vectorization_mode="async")
envs.reset(seed=0)
for attempt in [copy.deepcopy, lambda envs: envs.step(np.array([0, 1]))]:
    try:
        attempt(envs)
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
for process in envs.processes:
    process.terminate()
envs.closed = True
"""

# %%
result = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True)
print(result.stdout.strip())
assert result.stdout.startswith("TypeError: ") and "\nOSError: " in result.stdout

# %% tags=["remove-cell"]
unharmed = cart_poles(kind=AsyncVectorEnv)
unharmed.reset(seed=0)
with expect(AttributeError, pickle.PicklingError):
    pickle.dumps(unharmed)
with expect(TypeError):
    cloudpickle.dumps(unharmed)
assert unharmed.step(np.zeros(3, int))[0].shape == (3, 4)
unharmed.close()

# %% tags=["remove-cell"]
import ast
import inspect

from helpers import contract


def bare(function, documented):
    tree = ast.parse(inspect.getsource(function)).body[0]
    if ast.get_docstring(tree) and not documented:
        tree.body = tree.body[1:]
    return ast.unparse(tree)


# %% tags=["remove-cell"]
ours = [clause, run, judge, ends, mode_of, play, describe, same, difference, starts]
ours += [split, need_random_starts, mix, rows_of, row_pairs, matches, check_contract]
for function in [*ours, *CLAUSES.values()]:
    name, documented = function.__name__, function.__name__ in CLAUSES
    other = getattr(contract, name)
    assert bare(function, documented) == bare(other, documented), name
assert list(CLAUSES) == list(contract.CLAUSES) and Call._fields == contract.Call._fields
assert (
    contract.check_contract(native, known, [fixed_start])
    == reports["CartPoleVectorEnv"]
)

# %% [markdown]
# ## In your own test suite
#
# The checker of this page is also in `helpers/contract.py`, one file that needs NumPy and Gymnasium alone: copy it into
# your tests, or import it. Let one parametrised test of `pytest` run the clauses, so that each is reported by name:
#
# ```python
# from helpers.contract import CLAUSES, judge
#
#
# @pytest.mark.parametrize("clause", CLAUSES.values(), ids=CLAUSES)
# def test_contract(clause):
#     result, note = judge(clause, make)
#     if result == "n/a":
#         pytest.skip(note)
#     assert result == "ok", note
# ```
#
# A waiver is `pytest.mark.xfail(strict=True, reason=...)`: it must fail, too. (`python -O` removes every `assert`, so do
# not test with it.) And break your environment on purpose once for each clause, as we did: it is the only proof that
# the test tests.
#
# ## Exercises
#
# ### Exercise 24.1: predict
#
# Three more broken subclasses. For each, which clause fails *first* when `check_contract` runs them in order,
# without a reference? Answer with a dict, `{"P": ..., "Q": ..., "R": ...}`, of clause names, or `"none"`.
#
# ```python
# class P(SyncVectorEnv):
#     def step(self, actions):
#         observations, *rest = super().step(actions)
#         noise = np.random.default_rng().normal(0, 1e-3, observations.shape)
#         return (observations + noise).astype(np.float32), *rest
#
#
# class Q(SyncVectorEnv):
#     def step(self, actions):
#         observations, rewards, *rest = super().step(actions)
#         return observations, rewards.astype(int), *rest
#
#
# class R(SyncVectorEnv):
#     def step(self, actions):
#         observations, rewards, *rest = super().step(actions)
#         return observations, 10 * rewards, *rest
# ```
#
# <details><summary>Hint</summary>
#
# Go down the table of promises and ask of each: does this environment still keep it?
#
# </details>

# %% tags=["exercise"]
answer = ...

# %%
check("24.1", answer)


# %% tags=["remove-cell"]
class P(SyncVectorEnv):
    def step(self, actions):
        observations, *rest = super().step(actions)
        noise = np.random.default_rng().normal(0, 1e-3, observations.shape)
        return (observations + noise).astype(np.float32), *rest


# %% tags=["remove-cell"]
class Q(SyncVectorEnv):
    def step(self, actions):
        observations, rewards, *rest = super().step(actions)
        return observations, rewards.astype(int), *rest


class R(SyncVectorEnv):
    def step(self, actions):
        observations, rewards, *rest = super().step(actions)
        return observations, 10 * rewards, *rest


# %% tags=["remove-cell"]
def first_failure(make):
    report = check_contract(make)
    return next((row["clause"] for row in report if row["result"] == "FAIL"), "none")


firsts = [
    first_failure(lambda n=3, kind=kind: cart_poles(n, kind)) for kind in (P, Q, R)
]
assert firsts == ["same_seed_same_run", "rewards_and_flags", "none"]
assert first_failure(ch24.mystery) == "same_seed_same_run"

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# answer = {"P": "same_seed_same_run", "Q": "rewards_and_flags", "R": "none"}
# ```
#
# The noise of P keeps shape, dtype and limits, but its generator has no seed. Q's rewards are integers. R is
# consistent with itself; only a reference knows what a step pays.
#
# </details>
#
# ### Exercise 24.2: find the fault
#
# `ch24.mystery(n)` makes `n` cart-poles. One row of three is broken. Which clause fails first, and which row is it?
# Answer with a pair, such as `("closes", 0)`.

# %%
envs = ch24.mystery(3)
print(envs, "|", mode_of(envs).name)

# %% [markdown]
# <details><summary>Hint</summary>
#
# `table(check_contract(ch24.mystery), "mystery")` names the clause. The clause compares whole batches; make the same
# comparison by hand, row by row.
#
# </details>

# %% tags=["exercise"]
answer = ...

# %%
check("24.2", answer)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# one, two = ch24.mystery(3), ch24.mystery(3)
# print(one.reset(seed=0)[0] == two.reset(seed=0)[0])
# answer = ("same_seed_same_run", 2)
# ```
#
# Rows 0 and 1 repeat, row 2 does not: the loop that hands out the seeds stops one row early.
#
# </details>
#
# ### Exercise 24.3: write a clause
#
# An environment that draws from NumPy's *global* generator (`np.random.random()`, `np.random.seed(...)`) works, and
# disturbs everybody else who uses it. Write the clause: neither `reset(seed=...)` nor `step` moves the global
# generator. It takes `make`, as all clauses do.
#
# <details><summary>Hint</summary>
#
# `np.random.get_state()` returns the state as a tuple, and `data_equivalence(one, two, exact=True)` compares two.
# Some environments draw only when an episode ends, here after 15 steps.
#
# </details>


# %% tags=["exercise"]
def leaves_global_random_alone(make):
    raise NotImplementedError


# %%
check("24.3", leaves_global_random_alone)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def leaves_global_random_alone(make):
#     envs = make(3)
#     envs.action_space.seed(0)
#     before = np.random.get_state()
#     envs.reset(seed=0)
#     for _ in range(40):
#         envs.step(envs.action_space.sample())
#     after = np.random.get_state()
#     assert data_equivalence(before, after, exact=True), "np.random has moved"
# ```
#
# </details>
#
# ## Recap
#
# - A vector environment can be wrong and look right. What it owes its callers can be written down as clauses, each
#   tested in about ten lines.
# - A clause is trusted after it has found the fault that was planted for it, and passed what is right.
# - "n/a" is not "ok": nothing was tested. A waiver is declared, has a reason, and must still fail.
# - Clauses see whether the environment agrees with itself, a reference whether it is right. Neither sees what the
#   runs do not reach, or how the starts are distributed.
# - `deepcopy` and `cloudpickle` save a `SyncVectorEnv` or a native environment in mid-episode. With workers, keep
#   the seed and the actions, and play them again. Never `deepcopy` an `AsyncVectorEnv`.
#
# **Back:** [autoreset](../primitives/06_autoreset.ipynb),
# [selective reset](../compositions/14_selective_reset.ipynb).
# **Next:** [failures](25_failures.ipynb).
# **Reference:** [`gymnasium.vector`](https://gymnasium.farama.org/api/vector/).
