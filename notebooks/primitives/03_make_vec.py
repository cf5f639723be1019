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
# # `make_vec`: one line, three kinds
#
# After this chapter you can turn any registered environment into the kind of vector environment you mean, put each
# argument where it belongs, and rebuild the result from its record.
#
# **You need:** chapters 1, [VectorEnv](01_vector_env.ipynb), and 2, [SyncVectorEnv](02_sync_vector_env.ipynb).
# **Time:** about 20 minutes.

# %%
import copy
import inspect
from contextlib import closing
from itertools import product

import gymnasium as gym
import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import FlattenObservation, TimeAwareObservation, TimeLimit
from matplotlib.patches import Rectangle

from helpers.environments import StepCounter
from helpers.exercises import check
from helpers.figures import PALETTE, figure, show
from helpers.pages import expect, table

# %% [markdown]
# ## The same line, two different things
#
# Here is one line, run for two ids. Look at the type of what comes back.

# %%
cartpoles = gym.make_vec("CartPole-v1", num_envs=3)
pendulums = gym.make_vec("Pendulum-v1", num_envs=3)
print(cartpoles)
print(pendulums)
assert type(cartpoles).__name__ == "CartPoleVectorEnv"
assert type(pendulums) is SyncVectorEnv

# %% [markdown]
# The second is the loop of chapter 2. The first is a
# [native vector environment](../../book/glossary.md#native-vector-environment): one object that advances arrays and
# has no sub-environments. So code that works for one id may not work for the other.

# %%
print("gravity of the pendulums:", pendulums.get_attr("g"))
with expect(AttributeError):
    cartpoles.get_attr("gravity")

# %% [markdown]
# Even for one and the same id the two kinds are not the same thing. They differ in the dtype of the rewards, for
# instance, and in how they take a seed ([reset](04_reset.ipynb)).

# %%
for mode, dtype in {None: np.float32, "sync": np.float64}.items():
    with closing(gym.make_vec("CartPole-v1", 3, vectorization_mode=mode)) as envs:
        envs.reset(seed=0)
        _, rewards, *_ = envs.step(np.array([0, 1, 0]))
        print(f"{type(envs).__name__:18s}{rewards.dtype}")
        assert rewards.dtype == dtype

# %% tags=["remove-cell"]
cartpoles.close()
pendulums.close()

# %% [markdown]
# What decided? Not the call, which was the same. The registry did.
#
# ## What the registry knows
#
# An id such as `"CartPole-v1"` is a key of a dictionary. Its value is a [spec](../../book/glossary.md#spec), an
# `EnvSpec`, the record from which an environment is made. `gym.spec` looks it up.

# %%
for name in ["CartPole-v1", "Pendulum-v1"]:
    spec = gym.spec(name)
    print(name)
    print("  entry_point        ", spec.entry_point)
    print("  vector_entry_point ", spec.vector_entry_point)
    print("  max_episode_steps  ", spec.max_episode_steps)
assert gym.spec("CartPole-v1").vector_entry_point is not None
assert gym.spec("Pendulum-v1").vector_entry_point is None

# %% [markdown]
# `entry_point` says where the environment's class is. `vector_entry_point` is the one field of a spec that is for
# vector environments: where a class is that is a vector environment already. Most ids have none. Gymnasium 1.4
# itself registers these:

# %%
native_ids = sorted(id for id, spec in gym.registry.items() if spec.vector_entry_point)
print(native_ids)
assert {"CartPole-v0", "CartPole-v1"} <= set(native_ids)

# %% tags=["remove-cell"]
jax = [gym.spec(id).vector_entry_point for id in native_ids if id.startswith("phys2d/")]
assert len(jax) == 3 and all("Jax" in entry_point for entry_point in jax)
about_vectors = [name for name in EnvSpec.__dataclass_fields__ if "vector" in name]
assert about_vectors == ["vector_entry_point"]

# %% [markdown]
# (Those whose name begins with `phys2d/` need JAX.) An id may also have the second field and not the first. Then it
# exists only as a vector environment. You do not have to register anything to try that: `make_vec` takes a spec in
# place of an id.

# %%
native_only = EnvSpec(
    "NativeOnly-v0", vector_entry_point=gym.spec("CartPole-v1").vector_entry_point
)
print(gym.make_vec(native_only, num_envs=2))
with expect(gym.error.Error):
    gym.make_vec(native_only, num_envs=2, vectorization_mode="sync")

# %% [markdown]
# ## The mode
#
# `vectorization_mode` chooses the kind. There are three, and `None`, the default, which means: the native class if
# the spec names one, else the loop. We ask for all of them, for three ids.

# %%
ids = ["CartPole-v1", "Pendulum-v1", "FrozenLake-v1"]
modes = [None, "sync", "async", "vector_entry_point"]
grid = {}
for name, mode in product(ids, modes):
    try:
        with closing(gym.make_vec(name, num_envs=2, vectorization_mode=mode)) as envs:
            grid[name, mode] = type(envs).__name__
    except gym.error.Error:
        grid[name, mode] = "refused"

# %% tags=["hide-input"]
kinds = ["SyncVectorEnv", "AsyncVectorEnv", "CartPoleVectorEnv", "refused"]
fig, ax = figure(3.2)
for (i, name), (j, mode) in product(enumerate(ids), enumerate(modes)):
    made = grid[name, mode]
    lines = made.replace("VectorEnv", "\nVectorEnv")
    ink = PALETTE[5] if made == "refused" else PALETTE[kinds.index(made)]
    box = Rectangle((j - 0.48, i - 0.45), 0.96, 0.9, fc=(ink, 0.16), ec=ink, lw=1.2)
    ax.add_patch(box)
    ax.text(j, i, lines, ha="center", va="center", size=10)
ax.set(xlim=(-0.55, 3.55), ylim=(2.55, -0.55), xlabel="vectorization_mode")
ax.set_xticks(range(4), [repr(mode).replace("_e", "_\ne") for mode in modes])
ax.set_yticks(range(3), ids)
ax.tick_params(length=0)
ax.spines[:].set_visible(False)
_ = ax.set_title("What make_vec returns")

# %% tags=["hide-input"]
show(
    fig,
    "A grid of three ids and four modes. The default gives a CartPoleVectorEnv for "
    "CartPole and a SyncVectorEnv for the others; sync and async work for all three; "
    "vector_entry_point works for CartPole and is refused for the others.",
)

# %% tags=["remove-cell"]
sync, asynchronous, native, refused = kinds
expected = {
    "CartPole-v1": [native, sync, asynchronous, native],
    "Pendulum-v1": [sync, sync, asynchronous, refused],
    "FrozenLake-v1": [sync, sync, asynchronous, refused],
}
assert grid == {(n, m): expected[n][j] for n in ids for j, m in enumerate(modes)}

# %% [markdown]
# Read it by column. In the first one, the id decides without a word which kind you get. In the last one, an id
# without a native class is refused instead. And async never comes by itself.
#
# That has not always been so. In versions 0.28 and 0.29 the default was `"async"`, and a cheap environment paid for
# messages between processes on every step: chapter 8, [AsyncVectorEnv](08_async_vector_env.ipynb), measures how much.
# A program of that time that was "far slower than a loop of single environments" was slow for this reason. Today the
# surprise is another one, the change of kind from id to id. Against both there is one cure: say the mode.
#
# ### Strings and members
#
# A mode is a string, or a member of the enum `gym.VectorizeMode`. It lives at the top level, beside `make_vec`, not
# in `gym.vector`.

# %%
for mode in gym.VectorizeMode:
    print(f"gym.VectorizeMode.{mode.name:19s}{mode.value!r}")
assert {mode.value for mode in gym.VectorizeMode} == set(modes[1:])
with closing(gym.make_vec("Pendulum-v1", 2, gym.VectorizeMode.SYNC)) as envs:
    assert type(envs) is SyncVectorEnv
assert not hasattr(gym.vector, "VectorizeMode")

# %% [markdown]
# The string is the member's value, in lower case. Anything else is refused, and the message lists the three.

# %%
for mode in ["threads", "SYNC"]:
    with expect(ValueError):
        gym.make_vec("Pendulum-v1", num_envs=2, vectorization_mode=mode)

# %% [markdown]
# ## Where each argument goes
#
# `make_vec` builds things inside things, and each argument is meant for one of them.

# %%
parameters = list(inspect.signature(gym.make_vec).parameters)
print(*parameters, sep=", ")

# %% tags=["hide-input"]
meaning = {
    "id": ("the registry", "an id, 'module:id' to import first, or an EnvSpec"),
    "num_envs": ("the vector environment", "how many rows; 1 if you do not say"),
    "vectorization_mode": ("make_vec", "which kind; see above"),
    "vector_kwargs": ("SyncVectorEnv or AsyncVectorEnv", "a dict for its constructor"),
    "wrappers": ("each sub-environment", "callables, the first one innermost"),
    "kwargs": ("each sub-environment", "all other keywords, passed on to gym.make"),
}
assert list(meaning) == parameters
rows = [{"argument": n, "goes to": w, "is": m} for n, (w, m) in meaning.items()]
table(rows, "Arguments of make_vec, and whom they reach")

# %% [markdown]
# One call that uses all of them:

# %%
envs = gym.make_vec(
    "Pendulum-v1",
    num_envs=2,
    vectorization_mode="sync",
    vector_kwargs={"autoreset_mode": "SameStep", "copy": False},
    wrappers=[TimeAwareObservation, FlattenObservation],
    g=3.71,
    max_episode_steps=50,
)

# %% [markdown]
# Follow the pieces into the result. The vectorizer got its two settings, the pendulum its gravity, `gym.make` the
# time limit, and each sub-environment its two wrappers.

# %%
print(envs.metadata["autoreset_mode"].name, "| copy:", envs.copy)
print("g:", envs.get_attr("g"))
print(str(envs.envs[0]).replace("<OrderEnf", "\n  <OrderEnf"))
assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
assert envs.copy is False
assert envs.get_attr("g") == (3.71, 3.71)

# %% tags=["remove-cell"]
assert str(envs.envs[0]).startswith(
    "<FlattenObservation<TimeAwareObservation<TimeLimit<"
)
observation, _ = envs.reset(seed=0)
cuts = [envs.step(np.zeros((2, 1), np.float32))[3] for _ in range(50)]
assert np.array(cuts).any(axis=1).nonzero()[0].tolist() == [49]
assert envs.reset(seed=0)[0] is envs.step(np.zeros((2, 1), np.float32))[0]

# %% [markdown]
# Read the wrappers from the inside. `gym.make` builds the environment with its checker, order guard and time limit.
# Then come `wrappers`, in the order of the list: the first is next to the environment, the last is outermost.
# A wrapper that needs arguments is given as a function, such as
# `lambda env: TimeAwareObservation(env, normalize_time=True)`. These are wrappers of single environments. A
# [vector wrapper](../../book/glossary.md#vector-wrapper) goes around the result instead, and
# [nested wrappers](../compositions/15_nested_wrappers.ipynb) compares the two sides.
#
# `autoreset_mode` takes a string or a member of `AutoresetMode`, as in chapter 2. Beside `copy`, `observation_mode`
# and this one there are settings that only `"async"` knows, such as `shared_memory` and `context`: chapter 8,
# [AsyncVectorEnv](08_async_vector_env.ipynb). A name in `vector_kwargs` that its class does not know is refused.

# %%
with expect(TypeError):
    gym.make_vec("Pendulum-v1", num_envs=2, vector_kwargs={"shared_memory": False})

# %% [markdown]
# And a setting of the vectorizer that is put among the keywords travels all the way to the pendulum. When a message
# names your environment's class and a setting it never had, this is why.

# %%
with expect(TypeError):
    gym.make_vec("Pendulum-v1", num_envs=2, autoreset_mode="SameStep")

# %% [markdown]
# ### Native: keywords only
#
# A native class has no vectorizer and no sub-environments, so there is nobody to take `vector_kwargs` or `wrappers`.
# Both are refused. As `None` picks the native class for CartPole, a call that works for every other id fails here.

# %%
with expect(gym.error.Error):
    gym.make_vec("CartPole-v1", 2, vector_kwargs={"autoreset_mode": "SameStep"})
with expect(gym.error.Error):
    gym.make_vec("CartPole-v1", 2, wrappers=[TimeAwareObservation])

# %% [markdown]
# The cure is to say `vectorization_mode="sync"`. What the native class does take is the keywords of its own
# constructor, and the time limit of the spec, which `make_vec` hands it as one of them.

# %%
cartpoles = gym.make_vec("CartPole-v1", num_envs=2, sutton_barto_reward=True)
cartpoles.reset(seed=0)
_, rewards, *_ = cartpoles.step(np.array([0, 1]))
print("rewards:", rewards, "| limit:", cartpoles.max_episode_steps)
assert rewards.tolist() == [0, 0]
assert cartpoles.max_episode_steps == gym.spec("CartPole-v1").max_episode_steps == 500
cartpoles.close()

# %% [markdown]
# There is no keyword for the autoreset mode of this class: it has one mode and says so in its metadata.
#
# ## One object for all rows
#
# Suppose an environment is given an object, not a number: a configuration, a player, a table of levels. How many of
# them are there when the batch has three rows? To find out, this environment writes into its object.


# %%
class Scored(StepCounter):
    def __init__(self, board):
        super().__init__()
        self.board = board

    def reset(self, *, seed=None, options=None):
        self.board["resets"] += 1
        return super().reset(seed=seed)


scored = EnvSpec("Scored-v0", entry_point=Scored)

# %% [markdown]
# Three rows, one reset each. What will each row's board say?

# %%
board = {"resets": 0}
envs = gym.make_vec(scored, num_envs=3, vectorization_mode="sync", board=board)
envs.reset(seed=0)
print(envs.get_attr("board"))
assert all(row is board for row in envs.get_attr("board"))
assert board == {"resets": 3}
envs.close()

# %% [markdown]
# One board, yours, with everybody's resets on it. The keywords are copied for each row, but only as a dictionary: the
# objects in it are the same ones. Workers behave differently, since an object cannot be in two processes. Each has a
# copy, and yours is left as it was.

# %%
board = {"resets": 0}
envs = gym.make_vec(scored, num_envs=3, vectorization_mode="async", board=board)
envs.reset(seed=0)
print("in the workers:", envs.get_attr("board"))
print("here:          ", board)
assert envs.get_attr("board") == ({"resets": 1},) * 3
assert board == {"resets": 0}
envs.close()

# %% [markdown]
# So a program may change its meaning when only the mode changes. An object in the spec's own `kwargs`, registered
# once for all, is shared in the same way.

# %%
registered = EnvSpec("Scored-v0", entry_point=Scored, kwargs={"board": {"resets": 0}})
together = gym.make_vec(registered, num_envs=3, vectorization_mode="sync")
together.reset(seed=0)
print("make_vec:           ", together.get_attr("board"))
apart = SyncVectorEnv([lambda: gym.make(registered)] * 3)
apart.reset(seed=0)
print("factories of make():", apart.get_attr("board"))
assert together.get_attr("board") == ({"resets": 3},) * 3
assert apart.get_attr("board") == ({"resets": 1},) * 3

# %% tags=["remove-cell"]
assert registered.kwargs == {"board": {"resets": 0}}
together.close()
apart.close()

# %% [markdown]
# The second line shows the cure: whatever a row may change, let it be made once for each row. Write a
# [factory](../../book/glossary.md#factory) that makes it, and give the list to `SyncVectorEnv`. Or pass the recipe,
# such as a file name or a dictionary of plain settings, and let the environment make the object in its `__init__`.

# %%
envs = SyncVectorEnv([lambda: gym.make(scored, board={"resets": 0})] * 3)
envs.reset(seed=0)
print(envs.get_attr("board"))
assert envs.get_attr("board") == ({"resets": 1},) * 3
envs.close()

# %% [markdown]
# ## The way back: `envs.spec`
#
# What `make_vec` returns carries a spec of its own. It is the registered one with the arguments of the call written
# into its `kwargs`.

# %%
envs = gym.make_vec(
    "Pendulum-v1", 2, "sync", vector_kwargs={"autoreset_mode": "SameStep"}, g=3.71
)
print(envs.spec.id)
for key, value in envs.spec.kwargs.items():
    print(f"  {key}: {value}")
assert list(envs.spec.kwargs) == [
    "g",
    "num_envs",
    "vectorization_mode",
    "vector_kwargs",
]
assert gym.spec("Pendulum-v1").kwargs == {}

# %% [markdown]
# That is enough to build the same thing again: the same kind, the same number of rows, the same settings.

# %%
again = gym.make_vec(envs.spec)
print(again, again.get_attr("g"), again.metadata["autoreset_mode"].name)
assert again.spec == envs.spec
assert type(again) is type(envs) and again.num_envs == envs.num_envs
assert again.metadata == envs.metadata
again.close()

# %% [markdown]
# The same *settings*. The record knows nothing of seeds, of states, or of what `set_attr` changed since.

# %%
envs.set_attr("g", 24.79)
again = gym.make_vec(envs.spec)
print("changed:", envs.get_attr("g"), "| rebuilt:", again.get_attr("g"))
assert again.get_attr("g") == (3.71, 3.71)
again.close()

# %% [markdown]
# There is an exception. An object among the keywords is not written down but kept, and with it whatever the rows have
# done to it since.

# %%
used = gym.make_vec(scored, 3, "sync", board={"resets": 0})
used.reset(seed=0)
again = gym.make_vec(used.spec)
print("rebuilt, before any reset:", again.get_attr("board"))
assert again.get_attr("board") == ({"resets": 3},) * 3
assert again.get_attr("board")[0] is not used.get_attr("board")[0]
used.close()
again.close()

# %% [markdown]
# ### The record wins
#
# The obvious next wish is "the same, but eight rows". Look at what comes back.

# %%
more = gym.make_vec(envs.spec, num_envs=8, vectorization_mode="async", g=1.62)
print(more, "| g:", more.get_attr("g"))
assert more.num_envs == 2
assert type(more) is SyncVectorEnv
assert more.get_attr("g") == (1.62, 1.62)
more.close()

# %% [markdown]
# Two rows, and sync, without a warning. What the record holds for `num_envs`, `vectorization_mode`, `vector_kwargs`
# and `wrappers` wins over the call. Only environment keywords, here `g`, can be overridden. (One row is not written
# down, because it is the default; then the call's number counts.) To change the rest, edit a deep copy of the record.

# %%
larger = copy.deepcopy(envs.spec)
larger.kwargs["num_envs"] = 8
larger.kwargs["vector_kwargs"]["copy"] = False
more = gym.make_vec(larger)
print(more, "| copy:", more.copy)
assert (more.num_envs, more.copy, envs.spec.kwargs["num_envs"]) == (8, False, 2)
assert "copy" not in envs.spec.kwargs["vector_kwargs"]
more.close()

# %% tags=["remove-cell"]
alone = gym.make_vec("Pendulum-v1")
assert alone.num_envs == 1
assert alone.spec.kwargs == {"vectorization_mode": "sync"}
assert gym.make_vec(alone.spec, num_envs=4).num_envs == 4
plain = gym.make_vec("Pendulum-v1", 2)
with closing(gym.make_vec(plain.spec, wrappers=[TimeAwareObservation])) as wrapped:
    assert "TimeAwareObservation" in str(wrapped.envs[0])
recorded = gym.make_vec("Pendulum-v1", 2, wrappers=[FlattenObservation])
with closing(gym.make_vec(recorded.spec, wrappers=[TimeAwareObservation])) as wrapped:
    assert "TimeAwareObservation" not in str(wrapped.envs[0])
with closing(gym.make_vec(envs.spec, vector_kwargs={"copy": False})) as other:
    assert other.copy is True

# %% [markdown]
# ### On disk
#
# A spec can be written as JSON beside the results of a run. JSON knows strings, not enum members and not classes. So
# the string form of the autoreset mode pays off here.

# %%
text = envs.spec.to_json()
restored = EnvSpec.from_json(text)
print(restored.kwargs)
assert restored == envs.spec
member = gym.make_vec(
    "Pendulum-v1", 2, vector_kwargs={"autoreset_mode": AutoresetMode.SAME_STEP}
)
with expect(TypeError):
    member.spec.to_json()

# %% tags=["remove-cell"]
with expect(TypeError):
    recorded.spec.to_json()
again = gym.make_vec(restored)
assert again.spec == envs.spec
for vector_env in [alone, plain, recorded, member, again]:
    vector_env.close()

# %% [markdown]
# ### From a single environment's spec
#
# The spec of a wrapped single environment lists its wrappers, and `make_vec` puts them around each row. So an
# environment that was set up and tried out alone can become a batch in one step.

# %%
single = TimeAwareObservation(gym.make("CartPole-v1", max_episode_steps=100))
batch = gym.make_vec(single.spec, num_envs=2, vectorization_mode="sync")
print(batch.envs[0])
assert str(batch.envs[0]) == str(single)
assert batch.single_observation_space == single.observation_space
with expect(gym.error.Error):
    gym.make_vec(single.spec, num_envs=2, vectorization_mode="vector_entry_point")
batch.close()

# %% tags=["remove-cell"]
assert single.spec.max_episode_steps == 100
single.close()
envs.close()

# %% [markdown]
# The way back does not work: `gym.make(envs.spec)` passes `num_envs` and its companions on to the environment. For a
# single environment of the same id, `gym.make(envs.spec.id)`.

# %%
with expect(TypeError):
    gym.make(envs.spec)

# %% [markdown]
# ## What trips people up
#
# **"I raised the time limit, and episodes still end at 200."** `gym.make` has already put a `TimeLimit` inside, with
# the limit of the spec. A second one further out can only shorten.


# %%
def first_truncation(**arguments):
    with closing(gym.make_vec("Pendulum-v1", num_envs=1, **arguments)) as envs:
        envs.reset(seed=0)
        still = np.zeros((1, 1), np.float32)
        for step in range(1, 601):
            _, _, _, truncated, _ = envs.step(still)
            if truncated[0]:
                return step
    return "none in 600 steps"


# %%
results = {
    "as registered": first_truncation(),
    "TimeLimit 400 around it": first_truncation(wrappers=[lambda e: TimeLimit(e, 400)]),
    "TimeLimit 50 around it": first_truncation(wrappers=[lambda e: TimeLimit(e, 50)]),
    "max_episode_steps=400": first_truncation(max_episode_steps=400),
    "max_episode_steps=-1": first_truncation(max_episode_steps=-1),
}
rows = [{"made with": k, "first truncation at step": v} for k, v in results.items()]
table(rows, "Pendulum-v1, registered with a limit of 200 steps")
assert list(results.values()) == [200, 200, 50, 400, "none in 600 steps"]

# %% [markdown]
# Pass `max_episode_steps=` to `make_vec`. It replaces the registered limit, and -1 leaves the wrapper out. The record
# has two places for it: `envs.spec.max_episode_steps` goes on naming the registered limit, and yours is in
# `envs.spec.kwargs`.

# %%
with closing(gym.make_vec("Pendulum-v1", num_envs=2, max_episode_steps=400)) as envs:
    print(envs.spec.max_episode_steps, envs.spec.kwargs["max_episode_steps"])
    assert envs.spec.max_episode_steps == 200
    assert envs.spec.kwargs["max_episode_steps"] == 400

# %% [markdown]
# **"Without a limit, every step is truncated."** The -1 is a convention of `gym.make`. A native class makes of it
# what it will, and CartPole's compares it with its step count. Give it a large number, or ask for `"sync"`.

# %%
with closing(gym.make_vec("CartPole-v1", num_envs=2, max_episode_steps=-1)) as envs:
    envs.reset(seed=0)
    *_, truncated, _ = envs.step(np.array([0, 1]))
print("truncated after one step:", truncated)
assert truncated.all()

# %% [markdown]
# **"`module 'gymnasium.vector' has no attribute 'make'`."** `gym.vector.make(id, n, asynchronous=...)` was removed in
# version 1.0. The same call today is `gym.make_vec(id, n, vectorization_mode="async")`, or `"sync"` for
# `asynchronous=False`. Its `step` returns five values: what was `dones` is now `terminated | truncated`.

# %%
with expect(AttributeError):
    gym.vector.make("Pendulum-v1", 2, asynchronous=False)

# %% [markdown]
# **"Namespace not found, though the package is installed."** An id exists once the module that registers it has been
# imported. Import it first, or write `module:id`, and `make_vec` does it for you. What is merely misspelt gets a
# suggestion.

# %%
with expect(gym.error.NamespaceNotFound):
    gym.make_vec("not_imported/Task-v0", num_envs=2)
print(gym.make_vec("helpers.environments:book/StepCounter-v0", num_envs=2))
with expect(gym.error.NameNotFound):
    gym.make_vec("book/StepCountr-v0", num_envs=2)

# %% [markdown]
# **"`'type' object is not iterable`."** `wrappers` is a list, also when there is only one.

# %%
with expect(TypeError):
    gym.make_vec("Pendulum-v1", num_envs=2, wrappers=TimeAwareObservation)

# %% [markdown]
# ## Exercises
#
# ### Exercise 03.1: predict the kind
#
# Three calls. What is the class of each result? Answer with a list of three names, and write `"refused"` where there
# is an error instead.
#
# ```python
# gym.make_vec("Acrobot-v1", num_envs=4)
# gym.make_vec("CartPole-v1", num_envs=4, wrappers=[TimeAwareObservation])
# gym.make_vec("CartPole-v1", num_envs=4, vectorization_mode="sync")
# ```
#
# <details><summary>Hint</summary>
#
# Find each call's column in the picture first. Then think about who could take the wrapper.
#
# </details>

# %% tags=["exercise"]
answer = ...

# %%
check("03.1", answer)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# answer = ["SyncVectorEnv", "refused", "SyncVectorEnv"]
# ```
#
# </details>
#
# ### Exercise 03.2: everything in its place
#
# Write a function of `n` that returns `n` looped pendulums on Mars (`g=3.71`), whose episodes are cut off after 400
# steps and reset within the same call (`SAME_STEP`).
#
# <details><summary>Hint</summary>
#
# For each of the three settings ask who is to have it: the environment, `gym.make`, or the vectorizer.
#
# </details>


# %% tags=["exercise"]
def make_on_mars(n):
    raise NotImplementedError


# %%
check("03.2", make_on_mars)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def make_on_mars(n):
#     return gym.make_vec(
#         "Pendulum-v1",
#         num_envs=n,
#         vectorization_mode="sync",
#         vector_kwargs={"autoreset_mode": "SameStep"},
#         g=3.71,
#         max_episode_steps=400,
#     )
# ```
#
# </details>
#
# ### Exercise 03.3: the same, with more rows
#
# Write `resize(envs, n)`: it returns a new vector environment made like `envs`, but with `n` rows. It leaves `envs`
# and its spec as they are.
#
# <details><summary>Hint</summary>
#
# `make_vec(envs.spec, num_envs=n)` is what one would like to write. Look again at what it returned above.
#
# </details>


# %% tags=["exercise"]
def resize(envs, n):
    raise NotImplementedError


# %%
check("03.3", resize)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def resize(envs, n):
#     spec = copy.deepcopy(envs.spec)
#     spec.kwargs["num_envs"] = n
#     return gym.make_vec(spec)
# ```
#
# </details>
#
# ### Exercise 03.4: one object for each row
#
# `make` is a function of one argument that returns an environment holding that argument, as `Scored` holds its board.
# Write `make_apart(make, n)`: a `SyncVectorEnv` of `n` rows, in which every row holds a new `{"resets": 0}` of its
# own.
#
# <details><summary>Hint</summary>
#
# Where in your code is the dictionary written? It must be run once for each row, so it belongs inside the factory.
#
# </details>


# %% tags=["exercise"]
def make_apart(make, n):
    raise NotImplementedError


# %%
check("03.4", make_apart)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def make_apart(make, n):
#     return SyncVectorEnv([lambda: make({"resets": 0})] * n)
# ```
#
# </details>
#
# ## Recap
#
# - `make_vec` gives three kinds. `None` means the native class if the spec has a `vector_entry_point`, else the loop:
#   say the mode if you mean one.
# - Keywords reach each environment, `wrappers` go around it, `vector_kwargs` reach the vectorizer. Native classes
#   take keywords only.
# - Sync rows share one and the same keyword object, workers have copies. What a row may change, make in a factory.
# - `envs.spec` rebuilds the same thing, and wins over the arguments of the call. Edit a deep copy.
# - A longer episode is `max_episode_steps=`, not a second `TimeLimit`.
#
# **Back:** [SyncVectorEnv](02_sync_vector_env.ipynb). **Next:** [reset](04_reset.ipynb), seeds and what they do.
# **Reference:** [`gymnasium.make_vec`](https://gymnasium.farama.org/api/registry/#gymnasium.make_vec).
