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
# # Beyond one machine: rollouts on a cluster
#
# After this chapter you can spread rollouts over many machines, lose some of these machines half-way, and still get
# the numbers that one machine would have given you, bit for bit. You can also calculate beforehand whether it pays.
#
# **You need:** [rollouts](../learning/17_rollouts.ipynb), and
# [AsyncVectorEnv](../primitives/08_async_vector_env.ipynb) for the first rung of the same ladder. This chapter
# alone needs [Ray](https://docs.ray.io). **Time:** about 34 minutes.

# %%
import os
import pickle
import signal
import time
from collections import deque
from dataclasses import dataclass
from functools import partial

import gymnasium as gym
import numpy as np

from helpers.exercises import check
from helpers.figures import INK, PALETTE, figure, show
from helpers.pages import expect, say, table
from helpers.rollouts import Rollout, collect, gae
from helpers.timing import interleave

# %% [markdown]
# ## Work that may be done twice
#
# A machine that is far away can be slow, or die. Then another must do its work, and nobody knows how far it had come.
# So before any talk of clusters, a question: which pieces of work can be done twice, anywhere, with the same result?
#
# A [rollout](../../book/glossary.md#rollout) can, if we write it as a function of its arguments. This one takes a
# vector environment, a [seed](../../book/glossary.md#seed), a number of steps, and an agent: anything with a method
# `act`. `collect` is the function that chapter 17 writes out.


# %%
def play(envs, seed, num_steps, agent):
    rng = np.random.default_rng([seed, 1])
    observations, _ = envs.reset(seed=seed)
    start = observations, np.zeros(envs.num_envs, bool)
    rollout, _ = collect(envs, partial(agent.act, rng=rng), num_steps, start)
    rollout.infos.clear()  # the learner does not read them
    return rollout


# %% [markdown]
# Our agent is four weights. They say how likely it is to push the cart to the right.


# %%
@dataclass(frozen=True)
class Linear:
    weights: np.ndarray

    def chance_of_right(self, observations):
        return 1 / (1 + np.exp(-observations @ self.weights))

    def act(self, observations, rng):
        chance = self.chance_of_right(observations)
        return (rng.random(len(chance)) < chance).astype(int)


# %% [markdown]
# Three things make `play` repeatable. It resets the environments, with the seed, so that nothing is left of what
# they did before. It makes its own random generator for the actions, from the same seed. (Why `[seed, 1]`?
# `default_rng(seed)` is the very generator that `reset(seed=seed)` gives to row 0: its actions would be drawn from the
# numbers its start was drawn from.) And the agent comes in from outside.

# %% tags=["remove-cell"]
envs = gym.make_vec("CartPole-v1", num_envs=8, vectorization_mode="sync")
observations, _ = envs.reset(seed=5)
same_stream = np.random.default_rng(5).uniform(-0.05, 0.05, 4)
assert np.array_equal(observations[0], same_stream.astype(np.float32))

# %% [markdown]
# What we will send to other machines we call a *shard*: one share of the work. It is an ordinary class that holds a
# vector environment, made where the shard lives, and offers a few calls. Nothing in it knows of Ray. (The last method
# calls any function in the shard's process; it is for looking around on this page.)


# %%
class Shard:
    def __init__(self, make_envs):
        self.envs = make_envs()

    def reset(self, seed):
        return self.envs.reset(seed=seed)

    def step(self, actions):
        return self.envs.step(actions)

    def rollout(self, seed, num_steps, agent):
        return play(self.envs, seed, num_steps, agent)

    def call(self, function, *args):
        return function(*args)


# %%
ARRAYS = ["observations", "actions", "rewards", "terminated", "truncated", "valid"]


def same(one, other):
    return all(np.array_equal(getattr(one, a), getattr(other, a)) for a in ARRAYS)


def make_envs():
    return gym.make_vec("CartPole-v1", num_envs=8, vectorization_mode="sync")


# %% [markdown]
# `same` compares two rollouts array by array. Now two shards, one of them fresh, the other with a past. We ask both for
# the same step, and for the same rollout.

# %%
START = Linear(np.zeros(4))  # tosses a coin
fresh, used = Shard(make_envs), Shard(make_envs)
for shard in (fresh, used):
    shard.reset(seed=0)
used.step(np.ones(8, int))
steps = [shard.step(np.zeros(8, int))[0] for shard in (fresh, used)]
rollouts = [shard.rollout(96, 200, START) for shard in (fresh, used)]
same_step, same_rollout = np.array_equal(*steps), same(*rollouts)
print("same step:", same_step, "| same rollout:", same_rollout)
assert same_rollout and not same_step

# %% [markdown]
# A step depends on all the steps before it. A rollout depends on what stands in its call, so a lost one is simply
# ordered again. Everything in this chapter follows from that difference.
#
# ## A cluster on one machine
#
# Ray runs Python objects on other machines. Four words are enough:
#
# - a *node* is one machine of the cluster, with a scheduler and a memory of its own;
# - the *driver* is the program that gives the orders: here, this notebook;
# - an *actor* is an object that lives in a process of its own, on some node;
# - the *object store* is the part of a node's memory that holds results until somebody fetches them.
#
# `Loopback`, from this book's helpers, starts two nodes on this machine, each at an address of its own on the loopback
# interface, with all the processes they would have on two machines. What they lack is only the distance. (It wants
# Linux, where the addresses 127.0.0.2 and 127.0.0.3 exist without further ado. On [real machines](#a-real-cluster)
# you do not need it.)
#
# Nothing above this line needs Ray; these are the imports of the rest.

# %%
import logging
from importlib.metadata import requires
from pathlib import Path

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # before Ray is imported: no reports,
os.environ["RAY_AUTH_MODE"] = "token"  # no visitors,
logging.getLogger("ray.widgets").setLevel(logging.ERROR)  # no advice on notebooks

import jupytext
import ray
from ray import exceptions

import helpers.environments
from helpers.loopback import Loopback

# %% tags=["remove-cell"]
defaults = ray._raylet.Config  # as they are before a cluster changes them
period, times = (
    defaults.health_check_period_ms(),
    defaults.health_check_failure_threshold(),
)
assert period > 500 and period * times > 5 * 500 * 3

# %% tags=["timing"]
begin = time.perf_counter()
cluster = Loopback(nodes=2)
took = time.perf_counter() - begin
for node in sorted(ray.nodes(), key=lambda node: node["NodeManagerAddress"]):
    print(node["NodeManagerAddress"], "| processors:", node["Resources"]["CPU"])
say(f"Starting the cluster took {took:.0f} s.")

# %% [markdown]
# `ray.remote` turns the class into one whose instances are actors. We make one on each node, by asking for a crumb of a
# resource that only this node has. A call such as `shard.call.remote(os.getpid)` does not wait. It returns a promise,
# in Ray's words an object reference, and `ray.get` waits for what was promised. (`max_restarts` is for
# [later](#a-worker-is-killed).)

# %%
RemoteShard = ray.remote(num_cpus=0.5)(Shard)


def on_node(number, **options):
    where = {f"node:127.0.0.{number + 2}": 0.01}
    return RemoteShard.options(resources=where, **options).remote(make_envs)


shards = [on_node(0), on_node(1, max_restarts=2)]
promises = [shard.call.remote(ray.util.get_node_ip_address) for shard in shards]
pids = ray.get([shard.call.remote(os.getpid) for shard in shards])
print(type(promises[0]).__name__, ray.get(promises))
print("processes, with this one:", len({os.getpid(), *pids}))
assert ray.get(promises) == ["127.0.0.2", "127.0.0.3"] and os.getpid() not in pids

# %% [markdown]
# ## The obvious way: one step at a time
#
# The most natural wish is a vector environment whose rows live on several machines, and whose `step` looks as it
# always did. It is not hard to write: cut the [batch axis](../../book/glossary.md#batch-axis) into as many parts as
# there are shards, and put the results together again. First what every vector environment has, then its two calls.


# %%
class Sharded(gym.vector.VectorEnv):
    def __init__(self, shards, part):
        self.shards, self.num_envs = shards, len(shards) * part.num_envs
        self.metadata = part.metadata
        self.single_observation_space = part.single_observation_space
        self.single_action_space = part.single_action_space
        batch, rows = gym.vector.utils.batch_space, self.num_envs
        self.observation_space = batch(self.single_observation_space, rows)
        self.action_space = batch(self.single_action_space, rows)


# %%
class LockStep(Sharded):
    def reset(self, *, seed=None, options=None):
        first_rows = range(0, self.num_envs, self.num_envs // len(self.shards))
        seeds = [None if seed is None else seed + row for row in first_rows]
        calls = [s.reset.remote(n) for s, n in zip(self.shards, seeds, strict=True)]
        return np.concatenate([observations for observations, _ in ray.get(calls)]), {}

    def step(self, actions):
        parts = np.split(actions, len(self.shards))
        calls = [s.step.remote(p) for s, p in zip(self.shards, parts, strict=True)]
        *batches, _ = zip(*ray.get(calls), strict=True)
        return *map(np.concatenate, batches), {}


# %% [markdown]
# Look at the line with the seeds. Row 8 of the whole is row 0 of the second shard, and in a `SyncVectorEnv` it would
# be given the [base seed](../../book/glossary.md#base-seed) plus 8. So that is the base seed of the second shard.
# (The infos are left out, since CartPole has none.)
#
# Is it the same environment? Sixteen rows, 300 steps, every array compared.

# %%
spread = LockStep(shards, part=envs)
loop = gym.make_vec("CartPole-v1", num_envs=16, vectorization_mode="sync")
loop.action_space.seed(0)
equal = np.array_equal(spread.reset(seed=7)[0], loop.reset(seed=7)[0])
ends = 0
for _ in range(300):
    actions = loop.action_space.sample()
    one, other = spread.step(actions), loop.step(actions)
    equal &= all(map(np.array_equal, one[:4], other[:4]))
    ends += int((one[2] | one[3]).sum())
print("identical:", equal, "| episodes that ended on the way:", ends)
assert equal and ends > 100
assert [array.dtype for array in one[:4]] == [array.dtype for array in other[:4]]

# %% [markdown]
# Identical, through every automatic reset. Now for the price. Both take the same 320 environment steps in turns, so
# that neither has a quieter machine than the other.

# %% tags=["timing"]
batches = [loop.action_space.sample() for _ in range(20)]
race = interleave(
    {
        "one process": lambda: [loop.step(actions) for actions in batches],
        "two nodes": lambda: [spread.step(actions) for actions in batches],
    },
    rounds=9,
    work=20 * 16,
)

# %% tags=["timing"]
slower = race.ratio("one process", to="two nodes")
say(
    f"An environment step costs {race.cost('one process').median:.0f} µs in one "
    f"process and {race.cost('two nodes').median:.0f} µs on two nodes: the cluster is "
    f"{slower:.1f} times **slower**, with twice the processors and no network between."
)
assert slower.low > 1.5

# %% [markdown]
# Nothing is wrong with the code. Each step waits for two messages there and two messages back, and sixteen steps of
# CartPole are done sooner than that.
#
# ## One crossing for many steps
#
# The remedy is to cross less often: send the policy to the environments, instead of every observation to the policy.
# That is what `rollout` does. One call crosses once, however many steps it takes.
#
# We ask the shard on the other node for rollouts of 1, 4, 16 steps and so on, and do the same rollouts at home.

# %% tags=["timing"]
lengths = [1, 4, 16, 64, 256]
far, home = [], []
for num_steps in lengths:
    race = interleave(
        {
            "far": lambda t=num_steps: ray.get(shards[1].rollout.remote(0, t, START)),
            "home": lambda t=num_steps: fresh.rollout(0, t, START),
        },
        rounds=5,
        work=8 * num_steps,
    )
    far.append(race.cost("far").median)
    home.append(race.cost("home").median)

# %% tags=["hide-input", "timing"]
fig, ax = figure(3.2)
ax.plot(lengths, np.transpose([far, home]), label=["another node", "this process"])
ax.set(
    xscale="log", yscale="log", xticks=lengths, xticklabels=lengths,
    yticks=[10, 30, 100, 300], yticklabels=[10, 30, 100, 300],
    xlabel="steps in one rollout", ylabel="µs an environment step",
    title="The crossing is paid once a rollout",
)  # fmt: skip
ax.legend()
ax.minorticks_off()
alt = (
    "Two falling lines over the length of a rollout. An environment step on another "
    f"node costs {far[0]:.0f} µs in rollouts of one step, {far[-1]:.0f} µs in those of "
    f"256; in this process {home[0]:.0f} and {home[-1]:.0f} µs."
)
show(fig, alt)

# %% tags=["timing"]
say(
    "In rollouts of one step, an environment step on the other node costs "
    f"{far[0] / home[0]:.1f} times what it costs at home; in rollouts of "
    f"{lengths[-1]} steps {far[-1] / home[-1]:.1f} times."
)
assert far[-1] < far[0] / 3

# %% [markdown]
# Both lines fall, since a rollout begins with a reset and that, too, is paid once. The gap between them is the
# crossing, and it closes. With whole rollouts, the two shards work at the same time, so a second processor is worth
# something, provided that it is idle.

# %% tags=["hide-input", "timing"]
race = interleave(
    {
        "both": lambda: ray.get([s.rollout.remote(0, 200, START) for s in shards]),
        "home": lambda: [fresh.rollout(0, 200, START) for _ in shards],
    },
    rounds=5,
    work=2 * 200 * 8,
)
longer = 1 / race.ratio("both", to="home").median
say(
    f"Two rollouts of 200 steps, one on each node, take {longer:.2f} times as long as "
    "the same two one after the other at home (0.5 would be perfect, and needs two "
    f"idle processors). {'A gain' if longer < 1 else 'No gain'} in this run."
)

# %% [markdown]
# ## A queue of seeds
#
# With many rollouts and several shards, who does what? If each shard gets its portion in advance, the slowest decides
# when all is done. Better: the driver keeps a list of seeds, and whoever is idle gets the next one. The list is also
# the whole memory of what remains to be done. That will matter when a machine is lost.


# %%
def run_queue(seeds, shards, *args, log=None):
    todo, idle, busy = deque(seeds), deque(shards), {}
    while todo or busy:
        hand_out(todo, idle, busy, args)
        [call], _ = ray.wait(list(busy), num_returns=1)
        seed, shard, begin = busy.pop(call)
        rollout = fetch(call)
        if log is not None:
            log.append((seed, shard, begin, time.perf_counter(), rollout))
        if rollout is None:
            shards.remove(shard)
            todo.append(seed)
        else:
            idle.append(shard)
            yield seed, rollout


# %%
LOST = exceptions.RayActorError, exceptions.ObjectLostError  # the shard, the result


def hand_out(todo, idle, busy, args):
    while todo and idle:
        seed, shard = todo.popleft(), idle.popleft()
        busy[shard.rollout.remote(seed, *args)] = seed, shard, time.perf_counter()
    if not busy:
        raise RuntimeError(f"no shard is left to do the seeds {list(todo)}")


def fetch(call):
    try:
        return ray.get(call)
    except LOST:
        return None


# %% [markdown]
# `ray.wait` returns the first promise that has been kept. Its shard is idle again, and gets the next seed. If the
# promise was broken, the shard is struck off the list and its seed goes back into the queue. Any other error, such
# as one that your environment raises, is passed on: doing it again would not help.
#
# The results arrive in the order in which they get done, which is another one on each run. So each comes with its
# seed.

# %%
SEEDS = range(0, 96, 8)  # one for each rollout, as far apart as a shard has rows
wanted = {seed: fresh.rollout(seed, 200, START) for seed in SEEDS}
rollouts = dict(run_queue(SEEDS, shards, 200, START))
equal = [same(rollouts[seed], wanted[seed]) for seed in SEEDS]
print(f"{len(rollouts)} rollouts, equal to those made at home: {sum(equal)}")
assert all(equal) and len(rollouts) == len(SEEDS) == 12

# %% [markdown]
# ## What travels
#
# The agent goes out, the rollouts come back, and orders and promises go both ways. A rollout of 200 steps of 8 rows
# weighs this much:

# %%
size = len(pickle.dumps(rollouts[0], protocol=5))
print(f"a rollout: {size:,} bytes, {size / 1600:.0f} for each environment step")
print(f"the agent: {START.weights.nbytes} bytes of weights")
assert 25 < size / 1600 < 60

# %% [markdown]
# Small results travel with the reply, into the memory of the driver; Ray's limit is 100 kB. Larger ones stay in the
# object store of the node where they were made until somebody fetches them. It makes a difference when [a node is
# lost](#a-node-is-lost).
#
# Going out, the agent is an argument, and an argument is packed anew for each call. For four numbers that does not
# matter. A network goes into the object store once, with `ray.put`, and its promise is passed on: Ray hands the shard
# what it stands for.

# %% tags=["timing"]
network = np.zeros(1_000_000, np.float32)  # 4 MB


def sent(argument):
    return ray.get([shards[0].call.remote(np.size, argument) for _ in range(8)])


# %% tags=["timing"]
sending = {
    "each time": lambda: sent(network),
    "once": lambda: sent(ray.put(network)),
}
ratio = interleave(sending, rounds=5).ratio("once", to="each time").median
say(
    f"Sending 4 MB of weights with each of 8 calls takes {ratio:.1f} times as long as "
    "putting them into the store once."
)
assert sent(network) == sent(ray.put(network)) == [1_000_000] * 8 and ratio > 1

# %% [markdown]
# ## A training loop that does not know where its rollouts come from
#
# To train, we need rollouts of some agent for some seeds. Where they are made is the business of one function, so the
# loop takes that function as an argument.
#
# The learner is as small as one can be that learns: the policy gradient, with the discounted rewards-to-go of `gae`
# (λ = 1, no value estimates) as the weight of each action. A better one comes [below](#the-agent-of-chapter-18).
# Each update takes four rollouts, with seeds that no other rollout has.


# %%
def gradient(rollout, agent):
    zeros = np.zeros_like(rollout.rewards)
    to_go = gae(
        rollout.rewards, zeros, zeros, rollout.terminated, rollout.done, 0.98, 1
    )
    to_go = to_go[rollout.valid]
    advantages = (to_go - to_go.mean()) / to_go.std()
    observations = rollout.observations[:-1][rollout.valid]
    surprise = rollout.actions[rollout.valid] - agent.chance_of_right(observations)
    return (advantages * surprise) @ observations / len(advantages)


# %%
def train(rollouts_for, iterations=range(10), agent=START):
    curve = []
    for i in iterations:
        seeds = range(32 * i, 32 * (i + 1), 8)
        rollouts = dict(rollouts_for(seeds, agent))
        gradients = [gradient(rollouts[seed], agent) for seed in seeds]
        agent = Linear(agent.weights + 20 * sum(gradients) / len(gradients))
        curve.append(length_of_episodes(rollouts.values()))
    return agent, curve


# %% tags=["hide-input"]
def length_of_episodes(rollouts):
    steps = sum(rollout.valid.sum() for rollout in rollouts)
    return steps / max(1, sum(rollout.done.sum() for rollout in rollouts))


# %%
def at_home(seeds, agent):
    for seed in seeds:
        yield seed, fresh.rollout(seed, 200, agent)


def on_cluster(seeds, agent):
    return run_queue(seeds, shards, 200, ray.put(agent))


# %%
trained, curve = train(at_home)
print("steps an episode:", *(f"{length:.0f}" for length in curve))
assert curve[-1] > 4 * curve[0]

# %% [markdown]
# It learns. And on the cluster?


# %%
def identical(one, other):
    return one.weights.tobytes() == other.weights.tobytes()


agent, curve_there = train(on_cluster)
print("at home:       ", trained.weights.round(3))
print("on the cluster:", agent.weights.round(3))
print("identical:", identical(agent, trained))
assert identical(agent, trained) and curve_there == curve

# %% [markdown]
# Identical, to the last bit, although the rollouts came back in an order of their own. One line sees to that: the
# gradients are added up in the order of the seeds. Sums of floating-point numbers depend on the order, as the
# [traps](#what-trips-people-up) show.
#
# Two things to know before you copy this loop. A rollout that begins with a reset never sees what comes after its
# last step, so make it as long as the part of an episode that matters. And the driver waits for all the rollouts of
# an iteration. Algorithms that do not wait, such as IMPALA, use the machines better and learn from rollouts of older
# agents; they give up the sameness that this chapter is about.
#
# ### The agent of chapter 18
#
# Chapter 18, [training](../learning/18_training.ipynb), writes out PPO, and marks the cells of the algorithm. We run
# these very cells, and give its `update` the rollouts of our shards, side by side as one. Its agents have the method
# `act` that `play` asks for.

# %%
chapter = Path(helpers.__file__).parents[1] / "notebooks/learning/18_training.py"
ppo = {"__name__": "__main__"}
for cell in jupytext.read(chapter).cells:
    if "algorithm" in cell.metadata.get("tags", []):
        exec(cell.source, ppo)


def side_by_side(rollouts):
    parts = [[getattr(rollout, a) for rollout in rollouts] for a in ARRAYS]
    return Rollout(*(np.concatenate(part, axis=1) for part in parts), [], [])


# %%
def train_ppo(rollouts_for, updates=8):
    settings, rng = ppo["Settings"](), np.random.default_rng(0)
    agent = ppo["make_agent"](envs, rng)
    adams = ppo["Adam"](agent.policy), ppo["Adam"](agent.critic)
    lengths = []
    for i in range(updates):
        seeds = range(32 * i, 32 * (i + 1), 8)
        rollouts = dict(rollouts_for(seeds, agent))
        merged = side_by_side([rollouts[seed] for seed in seeds])
        ppo["update"](agent, adams, merged, settings, settings.learning_rate, rng)
        lengths.append(length_of_episodes([merged]))
    return agent, lengths


# %%
mine, lengths = train_ppo(at_home)
theirs, _ = train_ppo(on_cluster)
equal = mine.policy.theta.tobytes() == theirs.policy.theta.tobytes()
print("steps an episode:", *(f"{length:.0f}" for length in lengths))
print(f"{mine.policy.theta.size} weights, identical:", equal)
assert equal and mine.critic.theta.tobytes() == theirs.critic.theta.tobytes()
assert lengths[-1] > 3 * lengths[0]

# %% [markdown]
# One thing differs from chapter 18: there, each rollout goes on where the last one ended, here each begins with a
# reset, so that it depends on its arguments alone.
#
# ## A worker is killed
#
# Processes die. We arrange it: `interrupted` passes results on, and after the third one it lets an accident happen. The
# process of the second shard is killed.


# %% tags=["hide-input"]
def interrupted(results, after, accident):
    for number, result in enumerate(results, start=1):
        yield result
        if number == after:
            accident()


def kill(pid):
    return lambda: os.kill(pid, signal.SIGKILL)


# %%
victim = shards[1]
results = run_queue(SEEDS, shards, 200, START)
rollouts = dict(interrupted(results, after=3, accident=kill(pids[1])))
equal = [same(rollouts[seed], wanted[seed]) for seed in SEEDS]
print(
    f"shards left: {len(shards)} | rollouts equal to those made at home: {sum(equal)}"
)
assert all(equal) and len(equal) == 12 and victim not in shards

# %% [markdown]
# All twelve rollouts. The one that was lost with the process was simply done by the shard that was left.
#
# The killed shard is not gone for good, since we made it with `max_restarts=2`. Ray starts a new process and calls
# `Shard(make_envs)` there, as at first. A call with `max_task_retries=-1` is made again until it gets through.

# %%
patient = {"max_task_retries": -1}
new_pid = ray.get(victim.call.options(**patient).remote(os.getpid))
print("back, in another process:", new_pid != pids[1])
assert new_pid != pids[1]

# %% [markdown]
# But it has forgotten everything. Its environments were in the middle of an episode; the next `step` finds
# environments that have never been reset.


# %%
def cause_of(call):
    try:
        ray.get(call)
    except exceptions.RayTaskError as error:
        return error.cause
    raise AssertionError("expected an error, but nothing was raised")


cause = cause_of(victim.step.remote(np.zeros(8, int)))
print(f"{type(cause).__name__}: {cause}")
assert isinstance(cause, gym.error.ResetNeeded)

# %% [markdown]
# So a lock-step environment cannot be mended in this way. A rollout can. We order one, and kill the process while it is
# being made.

# %%
call = victim.rollout.options(**patient).remote(96, 2000, START)
time.sleep(0.1)
kill(new_pid)()
rollout = ray.get(call)
third_pid = ray.get(victim.call.options(**patient).remote(os.getpid))
equal = same(rollout, fresh.rollout(96, 2000, START))
print("another process again:", third_pid != new_pid, "| same rollout:", equal)
assert third_pid != new_pid and equal

# %% [markdown]
# The caller saw nothing of it, except that it took longer. Restarts and retries are enough where processes die and
# machines do not.
#
# ## A node is lost
#
# Now the whole second machine goes: scheduler, object store, workers, all at once. The shard that was killed twice
# lives there, and has used up its restarts. Before that, we leave two finished rollouts without fetching them, a
# small one of 50 steps and a large one of 1000.

# %%
small = victim.rollout.remote(96, 50, START)
large = victim.rollout.remote(96, 1000, START)
finished, _ = ray.wait([small, large], num_returns=2, fetch_local=False)
print("finished:", len(finished), "of 2")
assert len(finished) == 2

# %% [markdown]
# Then we train again, with both shards. In the fourth of the ten iterations, after its first rollout has arrived,
# the power fails.

# %%
shards.append(victim)
log = []


def on_failing_cluster(seeds, agent):
    results = run_queue(seeds, shards, 200, ray.put(agent), log=log)
    if seeds[0] == 3 * 32:
        results = interrupted(results, 1, accident=lambda: cluster.lose(1))
    return results


# %%
agent, curve_there = train(on_failing_cluster)
lost = [seed for seed, *_, rollout in log if rollout is None]
print("identical:", identical(agent, trained), "| lost on the way:", len(lost))
print("shards left:", len(shards))
assert identical(agent, trained) and curve_there == curve
assert len(lost) == 1 and lost[0] in range(96, 128) and len(shards) == 1

# %% [markdown]
# Half of the cluster is gone, and the trained weights are those of the undisturbed run. Each bar below is one rollout,
# as the driver saw it. The hatched bar is the rollout that never came.

# %% tags=["hide-input", "timing"]
[waited] = [end - begin for *_, begin, end, rollout in log if rollout is None]
zero, names = log[0][2], {shards[0]: "node 0", victim: "node 1"}
fig, ax = figure(2.2)
for _, shard, begin, end, rollout in log:
    gone, bar = rollout is None, (names[shard], end - begin, 0.6, begin - zero)
    ax.barh(*bar, color=PALETTE[gone], hatch="//" * gone, edgecolor=INK, linewidth=0.5)
ax.set(xlabel="seconds", title="Rollouts before and after the loss of node 1")
ax.invert_yaxis()
alt = (
    "Two rows of bars over time. Both nodes work at first; then a long hatched bar on "
    f"node 1, {waited:.1f} seconds, is the lost rollout; then only node 0 works."
)
show(fig, alt)

# %% tags=["timing"]
say(
    f"It took {waited:.1f} s until Ray was sure that the node was dead, and the "
    "iteration could not end before."
)

# %% [markdown]
# How long this takes is a setting. A node has to answer health checks; `Loopback` lets Ray ask twice a second and give
# up after three refusals. By default, Ray asks less often and gives up later. A shorter fuse finds a dead node sooner,
# and takes a busy one for dead more often.
#
# And the two rollouts that were finished, but not fetched?

# %%
equal = same(ray.get(small), fresh.rollout(96, 50, START))
print("small: equal to the one made at home:", equal)
try:
    ray.get(large)
except LOST as error:
    print("large: lost,", type(error).__name__)
else:
    raise AssertionError("the large result has survived")
assert equal

# %% [markdown]
# The small one had travelled with its reply; the large one lay in the memory of the node. That is the second of the
# two errors in `LOST`, and the queue would have ordered the rollout again. The first one you get from a shard whose
# node is gone.

# %% tags=["remove-cell"]
try:
    ray.get(victim.call.remote(os.getpid))
except exceptions.ActorDiedError as error:
    assert isinstance(error, LOST[0])
else:
    raise AssertionError("a dead actor answers")

# %% [markdown]
# One process is left that must not die: the driver. Since everything follows from the seeds, it need not remember
# much. Save the agent (and what else the learner keeps, such as Adam's averages) and the number of the iteration, and
# the run can go on from there.

# %%
half, _ = train(at_home, range(5))
resumed, _ = train(at_home, range(5, 10), agent=half)
print("resumed run identical:", identical(resumed, trained))
assert identical(resumed, trained)

# %% [markdown]
# ## A real cluster
#
# On real machines the shell starts the nodes, and `Loopback` goes. All machines need the same token first:
#
# ```bash
# export RAY_AUTH_MODE=token RAY_AUTH_TOKEN=...  # on every machine; keep it secret
# ray start --head --port=6379                   # on the first machine
# ray start --address=10.0.0.1:6379              # on each of the others
# ```
#
# Then, on one of them:
#
# ```python
# ray.init(address="10.0.0.1:6379")  # or set RAY_ADDRESS and call ray.init()
# RemoteShard = ray.remote(num_cpus=1, scheduling_strategy="SPREAD")(Shard)
# shards = [RemoteShard.remote(make_envs) for _ in range(number_of_cores)]
# ```
#
# The rest of this page stays as it is. What has to be right:
#
# - **The network.** Whoever reaches Ray's ports can run code on your machines, and without a token everybody may. So
#   set `RAY_AUTH_MODE`, as this page does, and put the cluster into a network of its own as well.
# - **The software.** The same Python and the same Ray everywhere: a node with other versions is refused. Nobody
#   checks the versions of Gymnasium and NumPy. Use one image for all.
# - **The code.** A class or function from a notebook or a script travels whole. One from a module travels as a
#   name, and the module must be installed on each node: here, `helpers`.
# - **The processors.** `num_cpus=1` reserves one for each shard, and keeps NumPy to one thread in it.
# - **The bits.** NumPy picks its instructions by the processor it finds, so machines of different kinds may differ in
#   the last digit. Compare one rollout from each node, as `same` does, before you rely on it.

# %% tags=["remove-cell"]
threads = ray.get(shards[0].call.remote(os.getenv, "OMP_NUM_THREADS"))
assert threads == "1"

# %% [markdown]
# ## Ten, a hundred, a thousand nodes
#
# We cannot measure a hundred nodes on one machine. But we can measure what one rollout costs each of those who touch
# it, and calculate. A *shard* has to make the rollout. The *driver* has to order it, take it in and learn from it. The
# *network* has to carry it. `process_time` counts the processor time of this process alone, the driver's.


# %% tags=["timing"]
def seconds(function, times=20):
    begin = time.process_time()
    for _ in range(times):
        function()
    return (time.process_time() - begin) / times


seeds, agent = range(0, 256, 8), ray.put(START)
collecting = seconds(lambda: dict(run_queue(seeds, shards, 200, agent)), times=1)

# %% tags=["timing"]
ordering = collecting / len(seeds)
making = seconds(lambda: fresh.rollout(0, 200, START))
learning = seconds(lambda: gradient(wanted[0], START))
driving = ordering + learning
say(
    f"A rollout of 1600 environment steps costs a shard {1000 * making:.1f} ms and the "
    f"driver {1000 * driving:.2f} ms, of which {1000 * learning:.2f} ms are the "
    f"gradient. It weighs {size / 1000:.0f} kB. So **{making / driving:.0f} shards** "
    "keep the driver busy all the time. More than that wait for it."
)
assert making > 2 * driving

# %% [markdown]
# That number of shards decides, more than any property of the cluster. It grows with the cost of a step, and falls to
# next to nothing for an environment that computes all its rows at once. Here is the calculation for three: CartPole in
# a loop, an environment of 1 ms a step, and the native CartPole, 512 rows wide.

# %% tags=["hide-input", "timing"]
native = Shard(lambda: gym.make_vec("CartPole-v1", num_envs=512))
rollout = native.rollout(0, 200, START)
native_making = seconds(lambda: native.rollout(0, 200, START), times=5)
native_learning = seconds(lambda: gradient(rollout, START), times=5)
native_size = len(pickle.dumps(rollout, protocol=5))

# %% [markdown]
# For the network we assume 10 gigabits a second at the driver, and for a node 16 processors, one shard on each.
# Both are assumptions, not measurements; put in your own.

# %% tags=["timing"]
BANDWIDTH, CORES = 10e9 / 8, 16  # bytes a second; processors a node
KINDS = {  # seconds of a shard, seconds of the driver, bytes: each for one rollout
    "CartPole": (making, driving, size),
    "1 ms a step": (1600 * 1e-3, driving, size),
    "native": (native_making, ordering + native_learning, native_size),
}


def useful_shards(shards, making, driving, size):
    return min(shards, making / driving, making / (size / BANDWIDTH))


# %% tags=["hide-input", "timing"]
rows = []
for nodes in [1, 10, 100, 1000]:
    busy = {k: useful_shards(nodes * CORES, *costs) for k, costs in KINDS.items()}
    rows.append({"nodes": f"{nodes:,}", "shards": f"{nodes * CORES:,}"})
    rows[-1] |= {k: f"{n:,.0f}" if n >= 10 else f"{n:.1f}" for k, n in busy.items()}
table(rows, "Calculated, not measured: how many of the shards have work at any time")
assert useful_shards(16, *KINDS["1 ms a step"]) == 16
assert useful_shards(16_000, *KINDS["native"]) < 16 < 16_000

# %% tags=["hide-input", "timing"]
fig, ax = figure(3.4)
counts = np.geomspace(CORES, 1000 * CORES, 50)
for kind, costs in KINDS.items():
    working = [useful_shards(shards, *costs) for shards in counts]
    kind += f": {working[-1]:,.0f} at most"
    ax.plot(counts / CORES, working, label=kind, markevery=7)
ax.plot(counts / CORES, counts, color=INK, linewidth=0.8, linestyle=":", marker="")
ax.set(
    xscale="log", yscale="log", ylim=(0.8, 30_000),
    xlabel="nodes of 16 shards (dotted: all of them)", ylabel="shards with work",
    title="Calculated from the measured costs of one rollout",
)  # fmt: skip
ax.legend()
labels = "; ".join(ax.get_legend_handles_labels()[1])
show(fig, f"Lines that turn flat at a number of shards with work. {labels}.")

# %% [markdown]
# Where a line is flat, more machines change nothing but the bill. The native environment is flat from the start: a few
# shards make more than the driver can learn from. It does not belong on a cluster at all.
#
# What raises the ceiling is less work for the driver. Ordering is paid once a rollout, whatever its length, so make
# rollouts longer. And let the shard compute the gradient and send that: four numbers, in place of 1600 steps.

# %% tags=["hide-input", "timing"]
longer = 10 * making / (ordering + 10 * learning)
lighter = (making + learning) / ordering
say(
    f"From {making / driving:.0f} shards to {longer:.0f} with rollouts ten times as "
    f"long, to {lighter:.0f} with gradients computed in the shards: calculated as "
    "above, for CartPole."
)
assert making / driving < min(longer, lighter)

# %% [markdown]
# One more limit follows from arithmetic alone: an update of four rollouts cannot keep five shards busy. To use the
# 16,000 shards of a thousand nodes, this training would need 16,000 rollouts, 25.6 million steps, *for each update*.
#
# ## So, when a cluster?
#
# - **Is the environment written in NumPy, or could it be?** Then one process: chapter 21, [a native vector
#   environment](21_native_vector_env.ipynb).
# - **Will one machine be done by tomorrow?** Then one machine, all its cores. Chapter 22,
#   [throughput](22_throughput.ipynb), finds from which cost of a step on `AsyncVectorEnv` pays on yours. Below that,
#   whole rollouts may still pay: this page's shards, with `ray.init()` and no address.
# - **Would it take days?** Then a cluster, with whole rollouts, a queue of seeds, and as many shards as the
#   calculation above allows for the cost of *your* step.
#
# Ray is not the only way. `concurrent.futures` and joblib run a function like `play` on all cores of one machine, and
# need no cluster. Dask runs it on many. RLlib, which is built on Ray, brings rollouts, learners and recovery ready
# made; look at which Gymnasium it wants:

# %%
pins = [line for line in requires("ray") if line.startswith("gymnasium")]
print(f"here: Ray {ray.__version__}, Gymnasium {gym.__version__}")
print("RLlib asks for:", pins[0].split(";")[0])
assert all("==1.2.2" in pin for pin in pins)

# %% [markdown]
# ## What trips people up
#
# **"output array is read-only."** The arrays of a rollout that Ray delivers are views of the object store, which
# other processes may be reading. Normalising in place fails. Make a new array, or copy first.

# %%
rollout = ray.get(shards[0].rollout.remote(0, 20, START))
with expect(ValueError):
    rollout.rewards *= 0.1
scaled = rollout.rewards * 0.1
assert not rollout.rewards.flags.writeable and scaled.flags.writeable

# %% [markdown]
# **"More shards do not make it learn any better."** Perhaps they collect the same data. A seed is a *base* seed:
# row `i` gets the seed plus `i`. Shards with the seeds 0 and 1 share seven of their eight starts, so space the
# seeds by the number of rows, as `SEEDS` does.

# %%
starts = {seed: fresh.reset(seed)[0] for seed in (0, 1, 8)}
for seed in (1, 8):
    common = np.isin(starts[seed], starts[0]).all(axis=1).sum()
    print(f"seeds 0 and {seed} have {common} of 8 starts in common")
assert np.array_equal(starts[0][1:], starts[1][:-1])
assert not np.isin(starts[8], starts[0]).any()

# %% [markdown]
# **"The seeds are set, and two runs differ in the last digits."** Something is added up in the order of arrival.
# Floating-point addition depends on the order. Sort by seed first, as `train` does. The same twelve gradients,
# added forwards and backwards:

# %%
gradients = [gradient(wanted[seed], trained) for seed in SEEDS]
difference = sum(gradients) - sum(reversed(gradients))
print("weights that differ:", np.count_nonzero(difference), "of", difference.size)
assert difference.any() and np.abs(difference).max() < 1e-12

# %% [markdown]
# **"Namespace ... not found", but only on the cluster.** An environment is registered in the process that ran
# `gym.register`, and the shard is another process. Name the module in the id, and `make_vec` imports it there.


# %%
def count_rows(name):
    return gym.make_vec(name, num_envs=2).num_envs


name = "book/StepCounter-v0"
assert count_rows(name) == 2 and helpers.environments is not None
cause = cause_of(shards[0].call.remote(count_rows, name))
print(f"{type(cause).__name__}: {cause}")
rows = ray.get(shards[0].call.remote(count_rows, f"helpers.environments:{name}"))
print("with the module in the id, rows made:", rows)
assert isinstance(cause, gym.error.NamespaceNotFound)

# %% [markdown]
# **"It hangs."** Ray waits, without a word, for processors that no node has: you asked for more shards than there
# are cores, or for a graphics card. Give `ray.get` a timeout while you develop, and look at
# `ray.cluster_resources()`.

# %%
greedy = RemoteShard.options(num_cpus=64).remote(make_envs)
call = greedy.call.remote(os.getpid)
with expect(exceptions.GetTimeoutError):
    ray.get(call, timeout=0.5)
assert ray.wait([call], timeout=0.1) == ([], [call])
print("processors in the cluster:", ray.cluster_resources()["CPU"])
ray.kill(greedy)

# %% [markdown]
# At the end, leave. `stop` ends the processes of the cluster, with their ports, sockets and shared memory. It would
# happen, too, if a cell above had failed. On a real cluster you call `ray.shutdown()`: your shards end, the nodes stay.

# %%
cluster.stop()
print("joined:", ray.is_initialized(), "| files left:", os.path.exists(cluster.folder))
assert not ray.is_initialized() and not os.path.exists(cluster.folder)

# %% [markdown]
# ## Exercises
#
# None of them needs a cluster.
#
# ### Exercise 23.1: predict the seeds
#
# Three shards of four rows each form a `LockStep` of twelve rows, which is reset with `seed=100`. Which base seeds
# does it give to its shards, so that the batch is that of a `SyncVectorEnv` of twelve? Answer with a list.
#
# <details><summary>Hint</summary>
#
# Write down the seeds of all twelve rows, and draw a line after each four.
#
# </details>

# %% tags=["exercise"]
answer = ...

# %%
check("23.1", answer)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# answer = [100, 104, 108]
# ```
#
# </details>
#
# ### Exercise 23.2: a queue that loses nothing
#
# Write `do_all(seeds, shards)` for shards that are plain objects: `shard.rollout(seed)` returns a result, or raises
# `ConnectionError`, and then this shard is gone for good. Use the shards in turn. Return a dict from each seed to
# its result. If no shard is left and there is work to do, raise a `RuntimeError`.
#
# <details><summary>Hint</summary>
#
# Keep two deques, one of seeds and one of shards. Which of the two must get back what you took out, when the call
# succeeds, and which when it fails?
#
# </details>


# %% tags=["exercise"]
def do_all(seeds, shards):
    raise NotImplementedError


# %%
check("23.2", do_all)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def do_all(seeds, shards):
#     todo, idle, done = deque(seeds), deque(shards), {}
#     while todo:
#         if not idle:
#             raise RuntimeError(f"no shard is left to do the seeds {list(todo)}")
#         seed, shard = todo.popleft(), idle.popleft()
#         try:
#             done[seed] = shard.rollout(seed)
#         except ConnectionError:
#             todo.append(seed)
#         else:
#             idle.append(shard)
#     return done
# ```
#
# </details>
#
# ### Exercise 23.3: does it pay?
#
# Write `speed_up(shards, making, driving)`: how many times as fast as *one process that does everything itself* is
# a driver with so many shards? One process spends `making + driving` seconds on a rollout. With shards, making and
# driving go on at the same time, and the slower of the two sets the pace.
#
# <details><summary>Hint</summary>
#
# Calculate the seconds between two rollouts: those of the shards together, and those of the driver.
#
# </details>


# %% tags=["exercise"]
def speed_up(shards, making, driving):
    raise NotImplementedError


# %%
check("23.3", speed_up)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def speed_up(shards, making, driving):
#     return (making + driving) / max(making / shards, driving)
# ```
#
# </details>
#
# ## Recap
#
# - A piece of work that depends on its arguments alone may be done twice, anywhere. A rollout can be written so; a
#   step cannot.
# - A vector environment that crosses to another process at each step is exact, and slow. Cross once a rollout.
# - A queue of seeds in the driver spreads the work, and is all the memory that is needed when a process or a node
#   is lost. Add up in the order of the seeds, and the trained weights are the same to the last bit.
# - Restarts mend processes, not the state they held.
# - How many shards are worth having is the cost of making a rollout over the cost of dealing with it. Calculate it
#   before you rent anything.
#
# **Back:** [throughput](22_throughput.ipynb) for what one machine can do. **Next:**
# [testing vector environments](../trust/24_testing_vector_envs.ipynb).
# **Reference:** [`gymnasium.vector.VectorEnv`](https://gymnasium.farama.org/api/vector/); Ray on
# [actors](https://docs.ray.io/en/latest/ray-core/actors.html) and their
# [fault tolerance](https://docs.ray.io/en/latest/ray-core/fault_tolerance/actors.html).
