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
# # Failures: what breaks, how it looks, and the way back
#
# After this chapter you can tell from an error's words what has happened to a vector environment, whether it can
# still be used, and how to carry on with a run without spoiling its data.
#
# **You need:** [SyncVectorEnv](../primitives/02_sync_vector_env.ipynb) and
# [AsyncVectorEnv](../primitives/08_async_vector_env.ipynb). **Time:** about 35 minutes.

# %%
import multiprocessing
import subprocess
import sys
import tempfile
import threading
from contextlib import closing, contextmanager, redirect_stderr, suppress
from functools import partial

import gymnasium as gym
import numpy as np
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

from helpers.environments import StepCounter, Wait
from helpers.exercises import check
from helpers.figures import PALETTE, figure, show
from helpers.pages import expect, shown_errors, table

# %% [markdown]
# ## Look up a symptom
#
# If you came with an error message, start here.
#
# | what you see | what has happened |
# |---|---|
# | `zip() argument 2 is longer than argument 1`, or `shorter` | [the batch of actions has the wrong length, and some rows have moved](#check-before-you-step) |
# | `AssertionError: self._autoreset_envs=array([...])` | [a finished row was stepped in `DISABLED` mode](#a-failed-call-has-half-happened) |
# | `'NoneType' object has no attribute 'send'` | [an earlier error has ended a worker](#a-worker-that-raises) |
# | `missing 1 required positional argument` | [a worker's error lost its shape on the way to you](#errors-that-arrive-as-something-else) |
# | `not enough arguments for format string` | [there is a percent sign in the worker's traceback](#errors-that-arrive-as-something-else) |
# | `BrokenPipeError`, `EOFError`, `ConnectionResetError` in `step` | [a worker is dead](#a-worker-that-dies) |
# | the same three while the environment is being made | [a factory failed, or there is no main guard](#failures-before-the-first-step) |
# | `An attempt has been made to start a new process` | [there is no main guard](#failures-before-the-first-step) |
# | `cannot pickle ...` | [a factory holds something that cannot travel](#failures-before-the-first-step) |
# | `cannot find context for ...` | [`context` wants a name](#failures-before-the-first-step) |
# | `The call to step_wait has timed out` | [a worker is late, and from now on so is every answer](#a-worker-that-hangs) |
# | `too many values to unpack (expected 2)`, `tuple index out of range` | [the answer to an older question was read](#a-worker-that-hangs) |
# | `AlreadyPendingCallError` out of nowhere | [an error left a call open](#a-worker-that-hangs) |
# | `ClosedEnvironmentError` | [use after `close`](#after-the-last-step) |
# | `setting an array element with a sequence` | [a reward is an array](#what-trips-people-up) |
# | `daemonic processes are not allowed to have children` | [the environment starts a process](#what-trips-people-up) |
# | no error: the program does not end | [`daemon=False` and no `close`](#after-the-last-step) |
# | no error: an attribute was set, nothing changed | [a new name, or a number worked out earlier](#what-trips-people-up) |
#
# The rest of the chapter brings about each of them on purpose, looks at what is left of the environment, and builds
# the way back.
#
# ## A failed call has half happened
#
# We need an environment that fails when told to. `StepCounter` says in its observation `[episode, step]` which step it
# is at; in this child of it, action 1 sets off a fault.


# %%
class Faulty(StepCounter):
    def __init__(self, fault, length=9):
        super().__init__(length)
        self.fault = fault

    def step(self, action):
        if action == 1:
            self.fault()
        return super().step(action)


def snap():
    raise ValueError("the rope snapped")


# %% [markdown]
# Three of them in a loop. One good step, then a step in which row 1 fails, which we catch, then another good step.
# How many steps has each row taken: one for each good call, so two?

# %%
with closing(SyncVectorEnv([partial(Faulty, snap)] * 3)) as envs:
    envs.reset(seed=0)
    envs.step(np.array([0, 0, 0]))
    with expect(ValueError):
        envs.step(np.array([0, 1, 0]))
    observations, rewards, *_ = envs.step(np.array([0, 0, 0]))
    print(observations.tolist())
    assert observations[:, 1].tolist() == [3, 2, 2]

# %% [markdown]
# Row 0 has taken three. `SyncVectorEnv` steps its rows in order. When row 1 raised, row 0 had already moved, and
# row 2 had not been reached. What the call would have returned is lost. So between two batches you hold there is now a
# step of row 0 that you never saw. Stored as one [transition](../../book/glossary.md#transition), from observation
# through action and reward to the next observation, it is false.
#
# There are more ways to stop half-way. We count the steps of each row after one good call and one that failed.


# %%
class ArrayReward(StepCounter):
    def step(self, action):
        observation, reward, *rest = super().step(action)
        return observation, np.array([reward]), *rest


def steps_taken(fns, mode="NextStep", good=(0, 0, 0), bad=(0, 0, 0)):
    with closing(SyncVectorEnv(fns, autoreset_mode=mode)) as envs:
        envs.reset(seed=0)
        envs.step(np.array(good)) if good else None
        with expect(ValueError, AssertionError):
            envs.step(np.array(bad))
        return envs.get_attr("step_count")


# %% tags=["hide-input"]
three, ends = [StepCounter] * 3, partial(StepCounter, length=1)
taken = {
    "row 1 raises": steps_taken([partial(Faulty, snap)] * 3, bad=(0, 1, 0)),
    "2 actions for 3 rows": steps_taken(three, bad=(0, 0)),
    "4 actions for 3 rows": steps_taken(three, bad=(0, 0, 0, 0)),
    "row 1 is done (DISABLED)": steps_taken([three[0], ends, three[2]], "Disabled"),
    "row 1 has an array reward": steps_taken(
        [three[0], ArrayReward, three[2]], good=()
    ),
}
rows = [{"failure": name, **dict(enumerate(s))} for name, s in taken.items()]
table(rows, "Steps taken by rows 0, 1 and 2 when the call failed")

# %% tags=["remove-cell"]
assert list(taken.values()) == [(2, 1, 1), (2, 2, 1), (2, 2, 2), (2, 1, 1), (1, 1, 0)]

# %% [markdown]
# The messages are printed above the table, in its order.
#
# - With too few actions, the rows that have one move, and then the loop notices. With too many, all rows move
#   first.
# - `DISABLED` mode asks you to reset finished rows yourself. The assertion that catches a forgotten reset is inside
#   the loop: here it stopped at row 1, when row 0 had taken its step.
# - In the last line there was no good call, since an array as a reward fails on the first step. Row 1 has moved, too.
#
# The flags are lost as well: an episode that ended in the failed call has no recorded end. What to do? In a loop,
# nothing is broken but the count. `reset` for *all* rows gives you a sound environment, and the unfinished episodes
# are lost. Do not catch the error and carry on.

# %% tags=["remove-cell"]
with closing(SyncVectorEnv([StepCounter] * 3)) as envs:
    envs.reset(seed=0)
    with expect(ValueError):
        envs.step(np.array([0, 0]))
    assert envs.reset(seed=0)[0].tolist() == [[0, 0]] * 3
    assert envs.step(np.zeros(3, int))[0].tolist() == [[0, 1]] * 3
fns = [partial(StepCounter, 3), partial(StepCounter, 2)]
with closing(SyncVectorEnv(fns, autoreset_mode="Disabled")) as envs:
    envs.reset(seed=0)
    for _ in range(2):
        envs.step(np.zeros(2, int))
    with expect(AssertionError):
        envs.step(np.zeros(2, int))
    envs.reset(options={"reset_mask": np.array([False, True])})
    assert envs.step(np.zeros(2, int))[0][0].tolist() == [0, 4]  # it has three steps

# %% [markdown]
# ## Check before you step
#
# Better not to fail in the middle. A native environment can look at the whole batch first, and Gymnasium's CartPole
# does: it refuses, and nothing has moved. For the other two classes you can ask the action space. It answers once
# for the batch.

# %%
envs = gym.make_vec("CartPole-v1", 3, vectorization_mode="vector_entry_point")
with closing(envs):
    before, _ = envs.reset(seed=0)
    with expect(AssertionError):
        envs.step(np.array([0, 1]))
    assert np.array_equal(envs.unwrapped.state.T.astype(np.float32), before)
    for actions in (np.array([0, 1, 1]), np.array([0, 1]), np.array([0, 7, 0])):
        print(actions, "in the action space:", actions in envs.action_space)
    assert np.array([0, 1, 1]) in envs.action_space
    assert np.array([0, 1]) not in envs.action_space

# %% [markdown]
# It is a strict question: a float64 array, NumPy's default, is not in a float32 box, though such an environment
# steps it without complaint. So ask it in tests. In a long run the length alone is cheap to check, and it is what goes
# wrong after a filter such as `actions[~done]`. Exercise 25.3 makes the check.

# %% tags=["remove-cell"]
with closing(gym.make_vec("Pendulum-v1", 3, vectorization_mode="sync")) as envs:
    envs.reset(seed=0)
    assert np.zeros((3, 1)) not in envs.action_space
    assert np.zeros((3, 1), np.float32) in envs.action_space
    envs.step(np.zeros((3, 1)))

# %% [markdown]
# ### The same mistake with processes
#
# Long ago, too few actions made `AsyncVectorEnv` wait for ever. Now it raises the same kind of error, and leaves
# something worse behind. From here on we break environments that have processes, so we need an end for them that works
# in *any* state. `close` does not, as a [later section](#closing-what-is-broken) shows. This does:


# %%
def stop(envs):
    """End every worker, whatever state the environment is in."""
    for process in envs.unwrapped.processes:
        process.kill()
        process.join()
    envs.unwrapped.closed = True  # nothing is left for close() to do


@contextmanager
def stopping(envs):
    try:
        yield envs
    finally:
        stop(envs)


# %% [markdown]
# Gymnasium also logs what goes wrong in a worker. We look at that log once, further down, and otherwise turn it
# off.

# %%
gym.logger.min_level = 50
with stopping(AsyncVectorEnv([StepCounter] * 3)) as envs:
    envs.reset(seed=0)
    with expect(ValueError):
        envs.step(np.array([0, 0]))
    envs.step(np.zeros(3, int))
    rewards = envs.step(np.zeros(3, int))[1]
    while envs.observations[:2, 1].min() < 3:
        pass  # until the workers have written their observations
    print("steps taken:", envs.observations[:, 1])
    print("rewards:    ", rewards)
    assert envs.observations[:, 1].tolist() == [3, 3, 2]
    assert rewards.tolist() == [2, 2, 2]

# %% [markdown]
# `StepCounter` pays its step number as the reward, so the two lines should agree. The actions went out one by one,
# and two had gone before the third was missed. The [workers](../../book/glossary.md#worker) of rows 0 and 1, the
# processes that hold the sub-environments, stepped and answered, but nobody collected the answers. They lie in the
# channel to each worker, its [pipe](../../book/glossary.md#pipe), and each later call reads the answer to the call
# before it. Observations do not take that way: a worker writes them to memory that your process sees as well
# ([shared memory](../../book/glossary.md#shared-memory)), as soon as it is done. So for rows 0 and 1 every batch
# from now on pairs a new observation with an old reward, old flags and an old info, and no error says so.
#
# Keep this picture in mind: **a pipe is a queue, and one uncollected answer shifts everything after it.**
#
# ## A worker that raises
#
# Now an error in a worker. The same three rows, the same failure as in the beginning.

# %%
with stopping(AsyncVectorEnv([partial(Faulty, snap)] * 3)) as envs:
    envs.reset(seed=0)
    with expect(ValueError):
        envs.step(np.array([0, 1, 0]))
    envs.processes[1].join()
    print("alive:", [process.is_alive() for process in envs.processes])
    with expect(AttributeError):
        envs.step(np.array([0, 0, 0]))
    with expect(AttributeError):
        envs.reset(seed=0)
    assert not envs.processes[1].is_alive() and envs.processes[0].is_alive()

# %% [markdown]
# The error reaches you under its own name, as it would from a loop. But the worker that raised has closed its
# environment and ended. Its pipe has become `None`, and whatever you call next fails on that. An invalid action, an
# assertion, a division by zero in one reward: each costs you a worker. There is nothing to reset.
#
# The traceback you see ends in Gymnasium's own code, not in the environment. The worker's traceback, with the line
# that failed, is in the log, which consists of Python warnings: `python -W ignore`, or a filter somewhere in your
# libraries, takes it away. To see the log we run a script of its own and look for some words in what it prints.


# %% tags=["hide-input"]
def run_script(source):
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/train.py", "w") as file:
            file.write(source)
        command = [sys.executable, f"{folder}/train.py"]
        return subprocess.run(command, capture_output=True, text=True, timeout=120)


# %% tags=["hide-input"]
start = """
import gymnasium as gym, numpy as np
from functools import partial
from gymnasium.vector import AsyncVectorEnv
from helpers.environments import StepCounter
"""

# %%
raising = """
class Rope(StepCounter):
    def step(self, action):
        raise ValueError("the rope snapped")

if __name__ == "__main__":
    envs = AsyncVectorEnv([Rope, StepCounter, Rope])
    envs.reset(seed=0)
    envs.step(np.array([0, 0, 0]))
"""
log = run_script(start + raising).stderr
print("raised:", log.splitlines()[-1])
for words in ("UserWarning", "Worker-0", "Worker-2", 'raise ValueError("the rope'):
    print(f"{words:26s} in the log: {words in log}")
    assert words in log

# %% [markdown]
# Rows 0 and 2 failed in one call. The log names both; only the last error is raised.
#
# ## Errors that arrive as something else
#
# The error has to travel: the worker turns it into bytes (it [pickles](../../book/glossary.md#pickle) it), and your
# process makes a new one of the same class, from one argument. Not every error survives that. Here is one that an
# environment which runs an external program may well raise.


# %%
def external():
    raise subprocess.CalledProcessError(2, "simulator")


with stopping(AsyncVectorEnv([partial(Faulty, external)])) as envs:
    envs.reset(seed=0)
    with expect(TypeError):
        envs.step(np.array([1]))

# %% [markdown]
# The class wants two arguments and gets one, and a `TypeError` about that is all you see. The log has the true
# error, except in one case. Here is an error with a percent sign in its text, first with the log, then without.


# %%
def half_full():
    raise ValueError("the tank is at 50%")


for level in (30, 50):  # 30 is Gymnasium's default, 50 turns its log off
    gym.logger.min_level = level
    with stopping(AsyncVectorEnv([partial(Faulty, half_full)])) as envs:
        envs.reset(seed=0)
        with redirect_stderr(None), expect(TypeError, ValueError):
            envs.step(np.array([1]))

# %% [markdown]
# The log takes the worker's traceback for a format string and fails on it. A percent sign in the text, or in a line of
# code such as `step % self.period`, is enough, and the true error is nowhere. With the log off it arrives as it should.


# %% tags=["remove-cell"]
import warnings

assert shown_errors[-2:] == [
    "TypeError: not enough arguments for format string",
    "ValueError: the tank is at 50%",
]


# %% tags=["remove-cell"]
class Modulo(StepCounter):
    def step(self, action):
        return self.step_count % int(action)


gym.logger.min_level = 30
with stopping(AsyncVectorEnv([Modulo])) as envs:
    envs.reset(seed=0)
    with warnings.catch_warnings(record=True) as log, expect(TypeError):
        warnings.simplefilter("always")
        envs.step(np.array([0]))
gym.logger.min_level = 50
assert "not enough arguments for format string" in shown_errors[-1]
assert not any("ZeroDivisionError" in str(each.message) for each in log)

# %% [markdown]
# The third kind of bad traveller is an error that cannot be pickled at all, because it holds a lock, a socket, an
# open file. It never arrives. The script hangs, *although it has a timeout*. `faulthandler`, a tool for the question
# "where does it hang?", prints after half a second what the program is doing, innermost call first, and ends it.

# %%
hanging = """
import faulthandler, threading

class Locked(StepCounter):
    def step(self, action):
        error = ValueError("the real reason")
        error.lock = threading.Lock()
        raise error

if __name__ == "__main__":
    envs = AsyncVectorEnv([Locked])
    envs.reset(seed=0)
    envs.step_async(np.array([0]))
    envs.parent_pipes[0].poll(60)  # until the worker has answered
"""

# %%
wait = """
    faulthandler.dump_traceback_later(0.5, exit=True)
    envs.step_wait(timeout=0.1)
"""
result = run_script(start + hanging + wait)
report = result.stderr[result.stderr.index("Timeout (") :].splitlines()
calls = [line.rpartition(" in ")[2] for line in report if " in " in line]
print(" < ".join(calls))
assert "get < _raise_if_errors < step_wait" in " < ".join(calls)
assert "real reason" not in result.stderr

# %% [markdown]
# The worker has said that it failed, which is an answer, so the timeout is content. Then your process waits for the
# details, without a limit, and those never come.
#
# All three have one cure: catch the error inside the worker and raise one that travels, with the other's name and
# words as its text.


# %%
class PlainErrors(gym.Wrapper):
    """Whatever the environment raises in a step becomes a RuntimeError that says so."""

    def step(self, action):
        try:
            return super().step(action)
        except Exception as error:
            raise RuntimeError(f"{type(error).__name__}: {error}") from error


# %%
def plain(fault):
    return PlainErrors(Faulty(fault))


with stopping(AsyncVectorEnv([partial(plain, external)])) as envs:
    envs.reset(seed=0)
    with expect(RuntimeError):
        envs.step(np.array([1]))


# %% tags=["remove-cell"]
def locked():
    error = ValueError("the real reason")
    error.lock = threading.Lock()
    raise error


assert "CalledProcessError: Command 'simulator'" in shown_errors[-1]
for fault, words in {
    locked: "ValueError: the real reason",
    half_full: "ValueError: the tank is at 50%",
}.items():
    with stopping(AsyncVectorEnv([partial(plain, fault)])) as envs:
        envs.reset(seed=0)
        with expect(RuntimeError):
            envs.step(np.array([1]))
    assert words in shown_errors[-1]

# %% [markdown]
# The worker still ends; but now you know why. Give `reset` the same lines.
#
# ## A worker that dies
#
# Some failures raise nothing. The system kills a process when memory runs out, a simulator crashes, a library calls
# `exit`. Then nobody answers the pipe. What you see depends on whether the worker was idle or in the middle of a step.

# %%
with stopping(AsyncVectorEnv([StepCounter] * 3)) as envs:
    envs.reset(seed=0)
    envs.processes[1].kill()  # as the system does when memory runs out
    envs.processes[1].join()
    with expect(BrokenPipeError):
        envs.step(np.zeros(3, int))
with stopping(AsyncVectorEnv([partial(Faulty, sys.exit)] * 3)) as envs:
    envs.reset(seed=0)
    with expect(EOFError):
        envs.step(np.array([0, 1, 0]))

# %% [markdown]
# `ConnectionResetError` is the third in the family. None of them says which row, or why. The processes do, in their
# exit codes. Here each of five rows goes its own way:

# %%
envs = AsyncVectorEnv([partial(Faulty, snap), *[partial(Faulty, sys.exit)] * 4])
with stopping(envs):
    envs.reset(seed=0)
    for pipe in envs.parent_pipes[:2]:
        pipe.send(("step", 1))  # row 0 raises an error, row 1 calls sys.exit
    envs.processes[2].kill()
    envs.processes[3].terminate()
    for process in envs.processes[:4]:
        process.join()
    codes = [process.exitcode for process in envs.processes]
print(codes)
assert codes == [0, 0, -9, -15, None]

# %% [markdown]
# - `None`: alive. Nobody touched the last row.
# - `0`: it went by itself. Row 0 reported its error first, so a 0 is not a sign of health here.
# - A negative number is the signal that killed it: 9 is `SIGKILL`, which is also what you find when the system was
#   out of memory (ask it: `dmesg`, or your cluster's job report); 15 is `SIGTERM`; 11, a segmentation fault, means
#   a crash in compiled code.
# - A positive number is the status it left with: 4 after `sys.exit(4)`, and 1 after an error that nobody in the
#   worker caught, such as one in a factory.

# %% tags=["remove-cell"]
import signal

names = {number: signal.Signals(number).name for number in (9, 11, 15)}
assert names == {9: "SIGKILL", 11: "SIGSEGV", 15: "SIGTERM"}
with stopping(AsyncVectorEnv([partial(Faulty, partial(sys.exit, 4))])) as envs:
    envs.reset(seed=0)
    with expect(EOFError):
        envs.step(np.array([1]))
    envs.processes[0].join()
    assert envs.processes[0].exitcode == 4

# %% [markdown]
# Gymnasium does not restart workers. One dead worker ends the vector environment; the [way back](#the-way-back) is to
# build a new one.
#
# ### After you pressed stop
#
# Control-C, or the stop button of a notebook, interrupts the workers too, and each of them ends. The variable `envs`
# still looks fine. Here the workers get the interrupt, and we go on as one does:

# %%
with stopping(AsyncVectorEnv([StepCounter] * 2)) as envs:
    envs.reset(seed=0)
    for process in envs.processes:
        subprocess.run(["kill", "-INT", str(process.pid)], check=True)
        process.join()
    with expect(BrokenPipeError):
        envs.reset(seed=0)
    assert [process.exitcode for process in envs.processes] == [0, 0]

# %% [markdown]
# So after an interruption run the cell that makes the environment again.
#
# ## A worker that hangs
#
# A worker may also be alive and silent: a server does not answer. Plain `step` waits with it, for ever.
# `step_wait(timeout=...)` turns the silence into an error. That is what the timeout is good for, and it is tempting to
# use it for more: catch the error, skip the step, go on.
#
# Row 1 is slow on its third step, once. We allow 0.05 seconds for the third call, catch the timeout, and continue to
# the eighth.


# %%
class Hiccup(Wait):
    def step(self, action):
        self.seconds = 0.4 if self.step_count == 2 else 0
        return super().step(action)


slow = partial(Hiccup, how="sleep")

# %%
# The step of row 1, as said by its observation and by its reward, for each call.
results = np.full((2, 9), np.nan)
with stopping(AsyncVectorEnv([partial(StepCounter, 9), slow])) as envs:
    envs.reset(seed=0)
    for call in range(1, 9):
        envs.step_async(np.zeros(2, int))
        if call == 3:
            with expect(multiprocessing.TimeoutError):
                envs.step_wait(timeout=0.05)
            continue
        while call > 3 and envs.observations[1, 1] < call:
            pass  # until the worker has written its observation
        observations, rewards, *_ = envs.step_wait()
        results[:, call] = observations[1, 1], rewards[1]

# %% tags=["remove-cell"]
assert results[0, 4:].tolist() == [4, 5, 6, 7, 8]
assert results[1, 4:].tolist() == [3, 4, 5, 6, 7]
assert rewards.tolist() == [7, 7]  # row 0, which was in time, is late as well

# %% tags=["hide-input"]
fig, ax = figure(3.6)
calls = np.arange(9)
ax.axvspan(2.5, 3.5, color=PALETTE[5], alpha=0.2, lw=0)
ax.text(3, 7.6, "timed out", ha="center")
ax.plot(calls, results[0], "o-", label="observation (shared memory)")
ax.plot(calls, results[1], "s--", label="reward, flags, info (pipe)")
ax.set(xticks=range(1, 9), yticks=range(1, 9))
ax.set(xlabel="call to step", ylabel="step the result belongs to")
ax.set_title("Off by one after a timeout")
ax.legend(loc="lower right")
alt = """The step that a result belongs to, against the number of the call. Observation
and reward agree for calls 1 and 2. Call 3 times out. From call 4 on the observation is
that of the call and the reward that of the call before."""
show(fig, alt)

# %% [markdown]
# It is the queue again. The worker was late, not dead: it finished step 3 and answered, after we had stopped
# listening. Call 4 read that answer, call 5 the answer to call 4, and so on to the end of the run. Both rows are
# affected, also the one that was in time. Each action is paid with the reward of the one before, and a learning
# curve is all that would tell you.
#
# (The cell waits for the observation before it calls `step_wait`. Without that, it is a matter of luck whether a call
# returns the new observation or the old one. With `shared_memory=False` the observation is late, like the rest.)
#
# Can the queue be emptied by some other call? We bring about the same timeout twice more.


# %% tags=["hide-input"]
@contextmanager
def after_timeout():
    with stopping(AsyncVectorEnv([slow, slow])) as envs:
        envs.reset(seed=0)
        for _ in range(2):
            envs.step(np.zeros(2, int))
        envs.step_async(np.zeros(2, int))
        with suppress(multiprocessing.TimeoutError):
            envs.step_wait(timeout=0.05)
        yield envs


# %%
with after_timeout() as envs:
    print("get_attr:", envs.get_attr("length"))
    assert envs.get_attr("length") == (100, 100)  # the answer to the first get_attr
with after_timeout() as envs:
    with expect(ValueError):
        envs.reset(seed=0)
    with expect(gym.error.AlreadyPendingCallError):
        envs.step(np.zeros(2, int))

# %% tags=["remove-cell"]
with stopping(AsyncVectorEnv([slow], shared_memory=False)) as envs:
    envs.reset(seed=0)
    for _ in range(2):
        envs.step(np.zeros(1, int))
    envs.step_async(np.zeros(1, int))
    with suppress(multiprocessing.TimeoutError):
        envs.step_wait(timeout=0.05)
    assert envs.step(np.zeros(1, int))[0].tolist() == [[0, 3]]  # late, too

# %% [markdown]
# - `get_attr("length")` should return 100, twice. It returned the answers to step 3.
# - `reset` wants two things from each worker, an observation and an info. It got the five of a step.
# - That error came before the state was set back, so the next call is told that a reset is still pending.
#
# A timeout in `reset_wait` is no better: the next step finds an observation and an info where it wants a reward, and
# says `IndexError: tuple index out of range`.


# %% tags=["remove-cell"]
class SlowReset(StepCounter):
    def reset(self, **kwargs):
        threading.Event().wait(0.4)
        return super().reset(**kwargs)


with stopping(AsyncVectorEnv([SlowReset] * 2)) as envs:
    envs.reset_async(seed=0)
    with expect(multiprocessing.TimeoutError):
        envs.reset_wait(timeout=0.05)
    with expect(IndexError):
        envs.step(np.zeros(2, int))

# %% [markdown]
# So a timeout says two things: a worker is late, and this environment is finished. Choose it far above the slowest
# step that is still all right, in seconds or minutes, and act on it as on a death.
#
# Only the bare `AsyncVectorEnv` has `step_wait`; vector wrappers pass on `step` alone, without a limit. There a timer
# can take the part of the timeout. It stops the workers, whereupon `step` raises:


# %%
def hang():
    threading.Event().wait()  # for something that never happens


envs = AsyncVectorEnv([partial(Faulty, hang)] * 2)
with stopping(gym.wrappers.vector.RecordEpisodeStatistics(envs)) as envs:
    envs.reset(seed=0)
    print("has step_wait:", hasattr(envs, "step_wait"))
    timer = threading.Timer(0.3, stop, [envs])
    timer.start()
    with expect(EOFError):
        envs.step(np.array([0, 1]))
    timer.cancel()  # for the case that the step was in time
    timer.join()
    assert envs.closed and not hasattr(envs, "step_wait")

# %% [markdown]
# ## Closing what is broken
#
# Why not simply `close()`? Because closing is a conversation with the workers, too. Two attempts, with a dead worker
# and with one that hangs:

# %%
with stopping(AsyncVectorEnv([StepCounter] * 2)) as envs:
    envs.reset(seed=0)
    envs.processes[0].kill()
    envs.processes[0].join()
    with expect(BrokenPipeError):
        envs.close()
    print("closed:", envs.closed, "| row 1 alive:", envs.processes[1].is_alive())
    assert not envs.closed and envs.processes[1].is_alive()

# %% tags=["remove-cell"]
with stopping(AsyncVectorEnv([partial(Faulty, snap)] * 2)) as envs:
    envs.reset(seed=0)
    envs.step_async(np.array([0, 1]))
    for pipe in envs.parent_pipes:
        pipe.poll(60)  # until both have answered; one answer is an error
    with expect(ValueError):
        envs.close(terminate=True)
    print("closed:", envs.closed, "| row 0 alive:", envs.processes[0].is_alive())
    assert not envs.closed and envs.processes[0].is_alive()


# %%
def close(envs):
    with suppress(EOFError, OSError):
        envs.close(timeout=0.05)


with stopping(AsyncVectorEnv([partial(Faulty, hang)] * 2)) as envs:
    envs.reset(seed=0)
    envs.step_async(np.array([0, 1]))
    with expect(multiprocessing.TimeoutError):
        envs.step_wait(timeout=0.05)
    thread = threading.Thread(target=close, args=[envs])
    thread.start()
    thread.join(0.3)
    print("close(timeout=0.05) waits on after 0.3 s:", thread.is_alive())
    assert thread.is_alive()
thread.join()  # stopping() has set it free

# %% [markdown]
# - A plain `close()` fails at the dead worker; the rows after it are never told.
# - `close(timeout=...)` limits the wait for a *pending* call. After a timeout nothing counts as pending, and the
#   polite goodbye that follows has no limit.
#
# `close(terminate=True)` is right after a timeout and nearly always elsewhere. (It first collects a pending answer; if
# that is an error, the error is what you get, and the workers live on.) `stop` asks nobody. It uses `SIGKILL`, which a
# process cannot ignore, and then tells the object that it is closed, so that neither `close` nor the garbage collector
# tries again. The price is the same for both: the `close` of your environments does not run. Files they were writing
# stay incomplete, and programs they started go on.

# %% tags=["remove-cell"]
import os

with after_timeout() as envs:
    envs.close(terminate=True)
    assert envs.closed and not any(process.is_alive() for process in envs.processes)
if sys.platform == "linux":
    files = len(os.listdir("/proc/self/fd"))
    for _ in range(2):
        stop(AsyncVectorEnv([StepCounter] * 2))
    assert len(os.listdir("/proc/self/fd")) == files  # pipes and memory are given back
wrapped = gym.wrappers.vector.RecordEpisodeStatistics(AsyncVectorEnv([StepCounter]))
stop(wrapped)
assert wrapped.closed


# %% tags=["remove-cell"]
class Starts(StepCounter):
    def reset(self, **kwargs):
        program = subprocess.Popen(["sleep", "20"])
        return super().reset(**kwargs)[0], {"program": program.pid}


with stopping(AsyncVectorEnv([Starts])) as envs:
    program = int(envs.reset(seed=0)[1]["program"][0])
os.kill(program, 0)  # raises if it has ended
os.kill(program, 9)

# %% [markdown]
# ## The way back
#
# What we know by now: an exception from a loop asks for a reset of all rows; an exception from processes, of
# whatever type, asks for a new environment. Some would be harmless, but telling them apart needs the state of every
# pipe, and a rebuild is cheap next to a run on wrong data.
#
# What about the data? A [rollout](../../book/glossary.md#rollout), the steps between two updates, that was
# interrupted can be *done again*, exactly, if all that it depends on is in its arguments: the seed of the reset, the
# seed of the actions, the policy. So it starts with a seeded `reset` and keeps no generator outside.


# %%
def rollout(envs, seed, steps=10):
    """Observations, shape (steps + 1, rows, ...); depends on its arguments alone."""
    rng = np.random.default_rng(seed)
    batch = [envs.reset(seed=seed)[0]]
    for _ in range(steps):
        envs.step_async(rng.integers(2, size=envs.num_envs))
        batch.append(envs.step_wait(timeout=1)[0])
    return np.array(batch)


# %% [markdown]
# Then try the work; if it fails, for whatever reason, stop the environment, make another, and do the work again; if
# that keeps failing, it is a bug and not an accident, so give up with the error.


# %%
class Replaceable:
    """A vector environment that is made again when a piece of work on it fails."""

    def __init__(self, make):
        self.make, self.envs = make, make()

    def run(self, work, tries=3):
        for left in reversed(range(tries)):
            try:
                return work(self.envs)
            except Exception as error:
                print("   stopped after", type(error).__name__)
                stop(self.envs)
                if not left:
                    raise
                self.envs = self.make()


# %% [markdown]
# (For a loop, put `close` in the place of `stop`.) Does it work? We need accidents that happen once, in the middle
# of a rollout. `Fused`, folded away, is a wrapper with a fuse: after so many steps the fault goes off. A new
# environment comes without one.


# %% tags=["hide-input"]
class Fused(gym.Wrapper):
    fuse, fault = -1, None

    def step(self, action):
        self.fuse -= 1
        if self.fuse == 0:
            self.fault()
        return super().step(action)


# %%
def make():
    return AsyncVectorEnv([lambda: Fused(gym.make("CartPole-v1"))] * 3)


# %% [markdown]
# First three rollouts without an accident, for reference. Then the same with each kind of accident, which strikes row 1
# in the second rollout at its fifth step.


# %%
def three_rollouts(fault=None):
    supply = Replaceable(make)
    batches = []
    try:
        for seed in (0, 100, 200):
            if seed == 100 and fault:
                supply.envs.set_attr("fault", [None, fault, None])
                supply.envs.set_attr("fuse", [-1, 5, -1])
            batches.append(supply.run(partial(rollout, seed=seed)))
    finally:
        stop(supply.envs)
    return np.array(batches)


# %%
reference = three_rollouts()
accidents = {
    "raises": partial(int, "not a number"),
    "dies": sys.exit,
    "hangs": hang,
}
for name, fault in accidents.items():
    print("a worker", name)
    same = np.array_equal(three_rollouts(fault), reference)
    print("   same data as without:", same)
    assert same
print("processes left:", len(multiprocessing.active_children()))
assert not multiprocessing.active_children()

# %% tags=["remove-cell"]
assert reference.shape == (3, 11, 3, 4)
assert len(np.unique(reference[:, 0, 0, 0])) == 3  # the three rollouts differ
supply = Replaceable(make)
work = partial(rollout, seed=1)
try:
    with expect(IndexError):  # a bug in the work itself: three tries, then the error
        supply.run(lambda envs: work(envs)[99])
    assert supply.envs.closed
    assert np.array_equal(supply.run(work), supply.run(work))
finally:
    stop(supply.envs)

# %% [markdown]
# Bit for bit the same, whether the worker raised, died or hung. What the pattern does not give you:
#
# - **A rollout that continues.** Most training loops do not reset between rollouts. Gymnasium cannot save such a
#   state, so after an accident those episodes are lost and new ones begin. The data is valid, the run is no longer
#   reproducible. The [patterns](../../book/api_patterns.md#carry-on-after-a-death) have the code: a new environment, a
#   new start, no flags carried over.
# - **What lives in wrappers.** A running mean in `NormalizeObservation`, episode statistics, a video in the making:
#   they belong to the environment that you throw away. Save such numbers with your checkpoints and put them back in
#   `make`. And behind a wrapper `rollout` must call `step`, for there is no `step_async`.
# - **The main process.** If that is killed, its workers notice that the pipes have closed, and end. Starting again
#   is a matter for your checkpoints.
#
# Why not always reset at the start of a rollout, with a seed drawn from its number? Here a good policy plays CartPole,
# whose time limit is 500, in rollouts of 128 calls. We note the latest step of an episode that is ever seen:


# %% tags=["hide-input"]
def play_on(reset_each, calls=1024, length=128):
    with closing(gym.make_vec("CartPole-v1", 8, vectorization_mode="sync")) as envs:
        observations, _ = envs.reset(seed=0)
        latest = cut = 0
        for call in range(calls):
            if reset_each and call % length == 0:
                observations, _ = envs.reset(seed=call)
            actions = (observations[:, 2] + observations[:, 3] > 0).astype(int)
            observations, _, _, truncated, _ = envs.step(actions)
            latest = max(latest, *envs.get_attr("_elapsed_steps"))
            cut += int(truncated.sum())
    return {"latest step seen": latest, "cut by the time limit": cut}


# %% tags=["hide-input"]
ways = {"go on": play_on(False), "begin with a reset": play_on(True)}
rows = [{"rollouts that": name, **found} for name, found in ways.items()]
table(rows, "A good policy in CartPole, 8 rollouts of 128 calls")

# %% tags=["remove-cell"]
assert ways["go on"]["latest step seen"] == 500
assert ways["go on"]["cut by the time limit"] > 5
assert list(ways["begin with a reset"].values()) == [128, 0]

# %% [markdown]
# That is the price: late states, and the time limit with them, vanish from the data. Pay it where episodes are
# shorter than a rollout anyway.

# %% tags=["remove-cell"]
normalised = gym.wrappers.vector.NormalizeObservation(make())
with stopping(normalised):
    normalised.reset(seed=0)
    for _ in range(9):
        normalised.step(np.zeros(3, int))
    assert normalised.obs_rms.count > 10
    assert not hasattr(normalised, "step_async")
with stopping(gym.wrappers.vector.NormalizeObservation(make())) as renewed:
    assert renewed.obs_rms.count < 1

# %% [markdown]
# ## Failures before the first step
#
# Here a factory holds a lock, and the [start method](../../book/glossary.md#start-method), the way Python makes a
# process, is `spawn`.

# %%
fns = [partial(lambda lock: StepCounter(), threading.Lock())] * 2
with expect(TypeError):
    AsyncVectorEnv(fns, context="spawn")

# %% [markdown]
# Now two scripts. In the first, the factory of the last row fails inside its worker. In the second, the main guard is
# missing.

# %%
failing_factory = """
def no_port():
    raise OSError("port 5002 is taken")

if __name__ == "__main__":
    AsyncVectorEnv([StepCounter, StepCounter, no_port])
"""
no_guard = """
envs = AsyncVectorEnv([StepCounter], context="spawn")
"""

# %%
pipe_errors = ("EOFError", "ConnectionResetError", "BrokenPipeError")
causes = []
for words, source in {"OSError": failing_factory, "An attempt": no_guard}.items():
    result = run_script(start + source)
    lines = [line.strip() for line in result.stderr.splitlines()]
    causes.append(next(line for line in lines if line.startswith(words)))
    in_parent = any(line.startswith(pipe_errors) for line in lines)
    print(causes[-1], "| a pipe error, too:", in_parent)
    assert in_parent

# %% [markdown]
# - **The lock.** `spawn` and `forkserver` send the factory to the worker, so all that it holds must be picklable: no
#   locks, open files, sockets. With `fork` nothing is sent, which is why it may have worked on Linux until Python 3.14
#   changed the default. Make such things inside the factory. Lambdas and local functions are no problem: Gymnasium
#   pickles with `cloudpickle`.
# - **The factory.** The reason is printed by the worker; your process only notices that the worker has gone. In a log
#   the two can be far apart. Row 0 is special: its factory also runs in your process, so its error reaches you as it
#   is. On a new machine call each factory once yourself: `for fn in fns: fn().close()`.
# - **The guard.** Without `if __name__ == "__main__":` each worker runs the script from the top and tries to start
#   workers of its own. [AsyncVectorEnv](../primitives/08_async_vector_env.ipynb) shows the guard and the start
#   methods.
#
# `context` takes the name of a start method. A context object or a module, such as `torch.multiprocessing`, is
# refused, as is a name that this platform does not have. With `None` it is the platform's default. It holds for this
# vector environment alone.

# %%
with expect(ValueError):
    AsyncVectorEnv([StepCounter], context="thread")

# %% tags=["remove-cell"]
try:
    AsyncVectorEnv([StepCounter], context=multiprocessing.get_context("spawn"))
except ValueError as error:
    assert str(error).startswith("cannot find context for <")
else:
    raise AssertionError("a context object is accepted now")
with closing(AsyncVectorEnv([StepCounter])) as envs:
    assert envs.processes[0]._start_method == multiprocessing.get_start_method()
with closing(AsyncVectorEnv(fns, context="fork")) as envs:
    assert envs.reset(seed=0)[0].shape == (2, 2)
with expect(ValueError):  # the factory of row 0
    AsyncVectorEnv([snap, StepCounter])


# %% tags=["remove-cell"]
def uncaught():
    sys.stderr = open(os.devnull, "w")
    raise OSError("port 5002 is taken")


child = multiprocessing.get_context("fork").Process(target=uncaught)
child.start()
child.join()
assert child.exitcode == 1

# %% [markdown]
# An environment that fails while it is being made has no name yet, so there is nothing to close. Usually Python
# collects the remains, workers included. If a traceback still holds them, `multiprocessing.active_children()` knows
# every child of your process: kill those.

# %% tags=["remove-cell"]
held = AsyncVectorEnv([StepCounter] * 2)
for child in multiprocessing.active_children():
    child.kill()
    child.join()
stop(held)  # the object, too, should know
assert not multiprocessing.active_children()

# %% tags=["remove-cell"]
other = partial(gym.make, "CartPole-v1")
with expect(RuntimeError):
    AsyncVectorEnv([StepCounter, other])
assert not multiprocessing.active_children()

# %% [markdown]
# ## After the last step
#
# **Use after close.** Processes refuse:

# %%
envs = gym.make_vec("CartPole-v1", 2, vectorization_mode="async")
with closing(envs):
    envs.reset(seed=0)
with expect(gym.error.ClosedEnvironmentError):
    envs.step(np.array([0, 1]))
envs.close()  # a second time is harmless

# %% [markdown]
# Loops and native classes [step on](../compositions/16_playground.ipynb#you-step-after-close), perhaps with a file or a
# connection that is closed. `envs.closed` tells, except where a native class such as Gymnasium's CartPole never sets
# it.

# %% tags=["remove-cell"]
for mode in ("sync", "vector_entry_point"):
    with closing(gym.make_vec("CartPole-v1", 2, vectorization_mode=mode)) as envs:
        envs.reset(seed=0)
    assert envs.step(np.array([0, 1]))[0].shape == (2, 4)
    assert envs.closed == (mode == "sync")

# %% [markdown]
# **What nobody closes.** The docstring of `close` says that it is called "when garbage collected or program
# exited". Not in this version. Here we count how often the `close` of a sub-environment runs.


# %%
class Counted(StepCounter):
    closings = 0

    def close(self):
        Counted.closings += 1


envs = SyncVectorEnv([Counted] * 3)
wrapped = gym.vector.VectorWrapper(envs)
del wrapped
print("a wrapper dropped:    ", Counted.closings)
del envs
print("the loop dropped:     ", Counted.closings)
SyncVectorEnv([Counted] * 3).close()
print("another one closed:   ", Counted.closings)
assert Counted.closings == 3

# %% tags=["remove-cell"]
assert "when garbage collected or program exited" in SyncVectorEnv.close.__doc__

# %%
envs = AsyncVectorEnv([StepCounter] * 2)
wrapped, workers = gym.vector.VectorWrapper(envs), envs.processes
del wrapped
assert workers[0].is_alive()  # dropping a wrapper does nothing here either
del envs
print("processes dropped, exit codes:", [process.exitcode for process in workers])
assert [process.exitcode for process in workers] == [-15, -15]

# %% [markdown]
# Wrappers can come and go; up to version 1.2 a dropped wrapper closed what it wrapped. A dropped loop closes
# nothing. Dropped processes are terminated, which is the 15 of the exit codes, and again no `close` of a
# sub-environment has run. So if yours writes a file or frees a licence, call `close()`, and use `closing` or `try` and
# `finally` so that it happens after an error as well.
#
# **The program does not end.** By default the workers end with the program. With `daemon=False` Python waits at the
# end until they are done, and if nobody closes, they never are. Here is a script with an error of its own in the
# last line, started both ways at once. The second gets half a second more than the first needs:

# %%
forgetful = """
if __name__ == "__main__":
    envs = AsyncVectorEnv([StepCounter], daemon=%s)
    print("about to fail", flush=True)
    raise RuntimeError("not the environment's fault")
"""
pipe = subprocess.PIPE

# %% tags=["hide-input"]
scripts, ended = {}, {}
for daemon in (True, False):
    command = [sys.executable, "-c", start + forgetful % daemon]
    scripts[daemon] = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True)
for (daemon, script), patience in zip(scripts.items(), (60, 0.5), strict=True):
    line = script.stdout.readline().strip()
    with suppress(subprocess.TimeoutExpired):
        script.wait(timeout=patience)
    ended[daemon] = script.poll() is not None
    print(f"daemon={daemon}: {line}, then ended: {ended[daemon]}")
    script.kill()  # its worker notices and ends, else the next line would wait for it
    script.communicate(timeout=60)
assert ended == {True: True, False: False}

# %% [markdown]
# The traceback is printed, and nothing more happens: the job stays on your cluster until its time is up.
#
# ## What trips people up
#
# **"daemonic processes are not allowed to have children."** An environment that starts a process with
# `multiprocessing` needs `daemon=False`, with the consequence you have just seen. A program started with `subprocess`
# does not.


# %%
class WithProcess(StepCounter):
    def reset(self, **kwargs):
        child = multiprocessing.Process(target=int)
        child.start()
        child.join()
        return super().reset(**kwargs)


with stopping(AsyncVectorEnv([WithProcess])) as envs, expect(AssertionError):
    envs.reset(seed=0)
with closing(AsyncVectorEnv([WithProcess], daemon=False)) as envs:
    print("daemon=False:", envs.reset(seed=0)[0])

# %% [markdown]
# **"I changed an attribute and the physics stayed the same."** `set_attr` writes to the object that
# [already has the name](../primitives/02_sync_vector_env.ipynb#which-object-gets-the-value), through all wrappers. If
# none has it, it makes a new attribute on the *outermost* wrapper and says nothing. And a right name does not help
# where the environment has worked out another number from it earlier. Two cart-poles with one seed, and three
# attributes set to different values for the two:


# %% tags=["hide-input"]
def moves_apart(name, values):
    with closing(SyncVectorEnv([partial(gym.make, "CartPole-v1")] * 2)) as envs:
        envs.set_attr(name, values)
        envs.reset(seed=[1, 1])
        for _ in range(3):
            observations, *_ = envs.step(np.array([1, 1]))
        env = envs.envs[0]
        owner = env if name in vars(env) else env.unwrapped
        return type(owner).__name__, not np.array_equal(*observations)


# %%
for name, values in {
    "gravity": [9.8, 0.0],
    "gravty": [9.8, 0.0],
    "masscart": [1.0, 100.0],
}.items():
    owner, apart = moves_apart(name, values)
    print(f"{name:8s} is now in {owner:11s} | the two move apart: {apart}")

# %% tags=["remove-cell"]
assert moves_apart("gravity", [9.8, 0.0]) == ("CartPoleEnv", True)
assert moves_apart("gravty", [9.8, 0.0]) == ("TimeLimit", False)
assert moves_apart("masscart", [1.0, 100.0]) == ("CartPoleEnv", False)
assert moves_apart("total_mass", [1.1, 100.0]) == ("CartPoleEnv", True)
with closing(gym.make_vec("CartPole-v1", 2, vectorization_mode="async")) as envs:
    envs.set_attr("gravity", [9.8, 0.0])
    assert envs.get_attr("gravity") == (9.8, 0.0)
    with expect(ValueError):
        envs.set_attr("gravity", [9.8, 0.0, 1.6])
    envs.set_attr("force_mag", [[1, 2], [3, 4]])
    assert envs.get_attr("force_mag") == ([1, 2], [3, 4])
    envs.set_attr("force_mag", 10.0)
    envs.reset(seed=0)  # nothing was sent, so nothing is late
    assert envs.step(np.zeros(2, int))[1].tolist() == [1, 1]

# %% [markdown]
# CartPole adds up `total_mass` when it is made, and steps with that; `masscart` is read no more. Look up what the
# environment's `step` reads. A list or tuple is dealt out, one entry a row; a value that is itself a list has to be
# given once for each row.
#
# **"It trains for a while, and then: inhomogeneous shape."** The environment returns its reward as an array of
# length one. A loop refuses that at the first step. Processes accept it until an automatic reset puts a plain 0 next
# to it.

# %%
with closing(SyncVectorEnv([ArrayReward] * 2)) as envs, expect(ValueError):
    envs.reset(seed=0)
    envs.step(np.zeros(2, int))
fns = [partial(ArrayReward, length=2), partial(ArrayReward, length=9)]
with stopping(AsyncVectorEnv(fns)) as envs:
    envs.reset(seed=0)
    shapes = [envs.step(np.zeros(2, int))[1].shape for _ in range(2)]
    with expect(ValueError):
        envs.step(np.zeros(2, int))
values = np.zeros(2)
print(shapes, "and rewards - values:", (np.zeros(shapes[0]) - values).shape)
assert shapes == [(2, 1), (2, 1)]

# %% [markdown]
# The crash is the lucky case. Until then the rewards have the shape `(rows, 1)`, and taking away values of the
# shape `(rows,)` gives a square, by broadcasting, without a word. Return `float(reward)` from `step`.
#
# ## Exercises
#
# ### Exercise 25.1: predict after a short batch
#
# A `SyncVectorEnv` of four `StepCounter`s is reset. `step` gets three actions; the error is caught. Then `step`
# gets four. What rewards does the last call return? Answer with a list. (A `StepCounter` pays the number of its
# step.)
#
# <details><summary>Hint</summary>
#
# Which rows had moved when the loop noticed that an action was missing?
#
# </details>

# %% tags=["exercise"]
answer = ...

# %%
check("25.1", answer)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# answer = [2, 2, 2, 1]
# ```
#
# With processes it would have been `[1, 1, 1, 1]`: answers that are late.
#
# </details>
#
# ### Exercise 25.2: read the exit codes
#
# `step` has raised `EOFError`, and the processes have the exit codes below. Which row was killed by the system,
# which crashed in compiled code, which called `sys.exit(3)`, and which is alive? Replace each `...` with the number
# of a row.

# %% tags=["exercise"]
exit_codes = [3, None, -11, -9]
answer = {"killed": ..., "crashed": ..., "exited": ..., "alive": ...}

# %%
check("25.2", answer)

# %% [markdown]
# <details><summary>Hint</summary>
#
# A negative number is a signal: 9 is `SIGKILL`, 11 is `SIGSEGV`, the segmentation fault.
#
# </details>
# <details><summary>Solution</summary>
#
# ```python
# answer = {"killed": 3, "crashed": 2, "exited": 0, "alive": 1}
# ```
#
# </details>
#
# ### Exercise 25.3: refuse before anything moves
#
# Write `careful_step(envs, actions)`. It returns the five results of a step. If the number of actions is not that
# of the rows, it raises a `ValueError` that says both numbers, and no row has moved. Float64 actions for a float32
# box are fine.
#
# <details><summary>Hint</summary>
#
# `actions in envs.action_space` is too strict for float64 actions. `len` and `envs.num_envs` are enough.
#
# </details>


# %% tags=["exercise"]
def careful_step(envs, actions):
    raise NotImplementedError


# %%
check("25.3", careful_step)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def careful_step(envs, actions):
#     if len(actions) != envs.num_envs:
#         raise ValueError(f"{len(actions)} actions for {envs.num_envs} rows")
#     return envs.step(actions)
# ```
#
# </details>
#
# ### Exercise 25.4: the way back, as a function
#
# Write `attempt(make, work, tries)`. It makes an environment with `make()`, returns `work(envs)`, and ends the
# environment with `stop(envs)`, whether the work failed or not. If it failed, it starts again with a new
# environment, `tries` times in all; the last error is raised. The check brings its own `make` and `work`; call
# `envs.stop()`, which its environments have, in place of `stop(envs)`.
#
# <details><summary>Hint</summary>
#
# `finally` runs on the way out of a `return` as well as on the way out of an error. The error of the last try must
# not be swallowed.
#
# </details>


# %% tags=["exercise"]
def attempt(make, work, tries):
    raise NotImplementedError


# %%
check("25.4", attempt)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def attempt(make, work, tries):
#     for left in reversed(range(tries)):
#         envs = make()
#         try:
#             return work(envs)
#         except Exception:
#             if not left:
#                 raise
#         finally:
#             envs.stop()
# ```
#
# </details>
#
# ## Recap
#
# - A call that raises has half happened. In a loop, rows before the fault are a step ahead; `reset` all rows.
# - A pipe is a queue. After a short batch or a timeout, rewards, flags and infos are one call late, for good.
# - An error in a worker ends the worker, and may reach you in disguise. A dead one shows as `BrokenPipeError`,
#   `EOFError` or `ConnectionResetError`; the exit codes say how it died.
# - Closing a broken environment can fail or hang. Kill the workers, then make a new environment, then do the
#   interrupted rollout again from its seed: the data is the same to the last bit.
# - Call `close` yourself, on every way out.
#
# **Back:** [AsyncVectorEnv](../primitives/08_async_vector_env.ipynb). **Next:** [rendering](26_rendering.ipynb),
# pictures from a batch.
# **Reference:** [`AsyncVectorEnv`](https://gymnasium.farama.org/api/vector/async_vector_env/), and Python's
# [multiprocessing](https://docs.python.org/3/library/multiprocessing.html).

# %% tags=["remove-cell"]
# Each message in the table of symptoms was shown by this run.
symptoms = """zip() argument 2 is longer|zip() argument 2 is shorter|
AssertionError: self._autoreset_envs=array([|'NoneType' object has no attribute 'send'|
missing 1 required positional argument|not enough arguments for format string|
BrokenPipeError|EOFError|An attempt has been made to start a new process|
cannot pickle|cannot find context for|The call to `step_wait` has timed out|
too many values to unpack (expected 2|tuple index out of range|AlreadyPendingCallError|
ClosedEnvironmentError|setting an array element with a sequence|
daemonic processes are not allowed to have children"""
for words in symptoms.replace("\n", "").split("|"):
    assert any(words in message for message in shown_errors + causes), words
assert not multiprocessing.active_children()
