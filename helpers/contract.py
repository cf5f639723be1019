"""What a vector environment promises, as clauses that test it.

Chapter 24, testing vector environments, writes these functions out and breaks an environment on purpose for each
clause. A hidden cell of that chapter fails if its code and this code differ.

The file needs NumPy and Gymnasium alone: copy it into your own tests, or import it. A clause takes `make`, and
``make(n)`` returns a *new* vector environment of `n` rows, whose episodes should end within some twenty steps.
"""

from collections import namedtuple
from copy import deepcopy

import numpy as np
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, utils

NEXT_STEP, SAME_STEP, DISABLED = AutoresetMode

CLAUSES = {}  # by name, in the order in which they build on one another

# What one call to `step` took and gave; `ended` are the rows that were done before it.
Call = namedtuple("Call", "ended actions observations rewards terminated truncated infos")


class NotApplicable(Exception):
    """The clause has nothing to test here."""


def clause(function):
    """Register a clause."""
    CLAUSES[function.__name__] = function
    return function


def run(function, make):
    """Run a clause, and close whatever it made."""
    made = []

    def tracked(n=3):
        made.append(make(n))
        return made[-1]

    try:
        function(tracked)
    finally:
        for envs in made:
            envs.close()


def judge(function, make):
    """Return the verdict on one clause, ``"ok"``, ``"n/a"`` or ``"FAIL"``, and a note."""
    try:
        run(function, make)
    except NotApplicable as reason:
        return "n/a", str(reason)
    except AssertionError as broken:
        return "FAIL", str(broken)
    except Exception as error:
        return "FAIL", repr(error)
    return "ok", ""


@clause
def spaces_agree(make):
    """The batched spaces are the single ones, `num_envs` times."""
    envs = make(3)
    assert envs.num_envs == 3, f"num_envs is {envs.num_envs}"
    for kind in ["observation_space", "action_space"]:
        batched = utils.batch_space(getattr(envs, f"single_{kind}"), 3)
        assert getattr(envs, kind) == batched, f"{kind} is no batch of the single one"


def ends(call):
    """Return which rows this call ended."""
    return np.ravel(call.terminated | call.truncated).astype(bool)


def mode_of(envs):
    """Return the declared autoreset mode."""
    return envs.metadata.get("autoreset_mode")


def play(envs, seed=0, calls=40, restart=None, options=None):
    """Seed the environment and its action space, and yield a `Call` for each random step.

    Args:
        envs: the vector environment. In `DISABLED`, rows that ended are reset by mask.
        seed: of the reset and of the actions.
        calls: how many steps.
        restart: the step before which row 0 is reset by mask; None for never.
        options: of the first reset.
    """
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


def describe(batch):
    """Return the kind, shape and dtype of each part of a batch."""
    if isinstance(batch, dict):
        batch = tuple(batch.values())
    if isinstance(batch, tuple):
        return [leaf for part in batch for leaf in describe(part)]
    if isinstance(batch, np.ndarray):
        return [f"{batch.dtype}{list(batch.shape)}"]
    return [type(batch).__name__]


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


@clause
def rewards_and_flags(make):
    """Rewards are floats and flags are booleans, one for each row."""
    for n in [1, 3]:
        for call in play(make(n)):
            assert call.rewards.shape == (n,), f"rewards have shape {call.rewards.shape}"
            assert call.rewards.dtype.kind == "f", f"rewards are {call.rewards.dtype}"
            for flags in [call.terminated, call.truncated]:
                assert describe(flags) == [f"bool[{n}]"], f"flags are {describe(flags)}"


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


def same(one, two, exact=True):
    """Return whether two nested values are equal, to 1e-5 if not `exact`."""
    return data_equivalence(one, two, exact=exact)


def difference(one, two):
    """Return the name of the part in which two calls differ, or None."""
    pairs = zip(Call._fields, one, two, strict=True)
    return next((name for name, a, b in pairs if not same(a, b)), None)


@clause
def same_seed_same_run(make):
    """The same seed and actions give the same run, in two copies."""
    runs = zip(play(make(3)), play(make(3)), strict=True)
    for t, (one, two) in enumerate(runs):
        name = difference(one, two)
        assert name is None, f"{name} of call {t} differ between two runs"


@clause
def reset_starts_over(make):
    """A seeded reset gives the same run in a used environment as in a new one."""
    used, new = make(3), make(3)
    for _ in play(used, seed=1, calls=7):
        pass
    for t, (one, two) in enumerate(zip(play(used), play(new), strict=True)):
        name = difference(one, two)
        assert name is None, f"{name} of call {t} depend on what came before"


def starts(envs, *seeds):
    """Return the first observations after a reset with each of the seeds."""
    return [deepcopy(envs.reset(seed=seed)[0]) for seed in seeds]


def split(envs, observations):
    """Return the observations as a list, one for each row."""
    return list(utils.iterate(envs.observation_space, observations))


def need_random_starts(envs):
    """Raise `NotApplicable` if all seeds start alike."""
    if same(*starts(envs, 0, 100)):
        raise NotApplicable("starts do not depend on the seed")


@clause
def rows_start_apart(make):
    """One integer seed gives the rows different starts."""
    envs = make(3)
    need_random_starts(envs)
    first, *others = split(envs, envs.reset(seed=0)[0])
    assert not all(same(first, other) for other in others), "all rows start alike"


@clause
def unseeded_reset_goes_on(make):
    """A reset without a seed continues the generator."""
    envs = make(3)
    need_random_starts(envs)
    first, second, again, repeated = starts(envs, 0, None, 0, None)
    assert not same(first, second), "it starts the same episode again"
    assert same(first, again) and same(second, repeated), "it cannot be repeated"


@clause
def seed_list(make):
    """A list of seeds gives each row its own, or is refused."""
    envs = make(3)
    need_random_starts(envs)
    try:
        up, down = starts(envs, [5, 6, 7], [7, 6, 5])
    except Exception as error:
        raise NotApplicable(f"refused: {error}") from None
    assert same(split(envs, up), split(envs, down)[::-1]), "the rows do not follow the order of the seeds"


@clause
def mode_declared(make):
    """`metadata["autoreset_mode"]` is an `AutoresetMode`."""
    mode = mode_of(make(3))
    assert isinstance(mode, AutoresetMode), f"the mode is {mode!r}"


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


def mix(envs, rows, theirs, ours):
    """Return a batch of actions: `theirs` in the chosen rows, `ours` in the others."""
    batches = [utils.iterate(envs.action_space, batch) for batch in (ours, theirs)]
    picked = [b if row else a for row, a, b in zip(rows, *batches, strict=True)]
    empty = utils.create_empty_array(envs.single_action_space, envs.num_envs)
    return utils.concatenate(envs.single_action_space, picked, empty)


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


@clause
def results_stay(make):
    """What a call returned is not changed by later calls."""
    kept = [(call, deepcopy(call)) for call in play(make(3), calls=5)]
    for t, (call, copy) in enumerate(kept):
        name = difference(call, copy)
        assert name is None, f"{name} of call {t} changed afterwards"


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


def rows_of(envs, call):
    """Return for each row what the call gave it, its final observation included."""
    observations = split(envs, call.observations)
    rewards = np.asarray(call.rewards, float).reshape(-1, 1)
    finals = call.infos.get("final_obs", [None] * envs.num_envs)
    columns = observations, rewards, call.terminated, call.truncated, finals
    return list(zip(*columns, strict=True))


def row_pairs(envs, calls):
    """Return each row of one copy beside the same row of the other."""
    return list(zip(*map(rows_of, envs, calls), strict=True))


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


@clause
def kept_rows_repeat(make):
    """A masked reset returns the rows it kept as they were."""
    envs = make(3)
    *_, last = play(envs, calls=5)
    before = deepcopy(split(envs, last.observations))
    mask = np.array([True, False, False])
    after, _ = envs.reset(options={"reset_mask": mask})
    assert same(before[1:], split(envs, after)[1:]), "kept rows came back different"


@clause
def closes(make):
    """`close` sets `closed`, and may be called twice."""
    envs = make(3)
    envs.reset(seed=0)
    assert not envs.closed, "closed before it was closed"
    envs.close()
    assert envs.closed, "closed is False after close"
    envs.close()


def matches(reference, options=None):
    """Return a clause that compares with `reference`, which takes a number of rows as `make` does.

    Args:
        reference: makes an environment that is known to be right.
        options: of the first reset; with them, each row is compared up to its first end.
    """

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


def check_contract(make, waived=(), also=()):
    """Return a report on every clause: its name, the result and a note.

    Args:
        make: returns a new vector environment of as many rows as it is told.
        waived: the reasons of clauses that may fail, by name; one that does not fail is reported.
        also: further clauses, such as the one that `matches` returns.
    """
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
