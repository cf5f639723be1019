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
# # Rendering: pictures and films of a batch
#
# After this chapter you can see what a vector environment is doing: frames of all rows in one picture, films that
# are complete, and all of it on a machine without a screen.
#
# **You need:** [VectorEnv](../primitives/01_vector_env.ipynb) and [autoreset](../primitives/06_autoreset.ipynb).
# **Time:** about 25 minutes.

# %%
import os
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from unittest.mock import patch

import gymnasium as gym
import numpy as np
from PIL import Image

from helpers.environments import StepCounter
from helpers.exercises import check
from helpers.figures import INK, PALETTE, figure, show
from helpers.pages import expect, say, table

# %% [markdown]
# This page is made on a machine without a screen. The first line below says so to pygame, the library that draws
# Gymnasium's small environments; a [later section](#headless-without-a-display) explains it. The second line turns
# off a greeting that pygame prints.

# %%
os.environ["SDL_VIDEODRIVER"] = "dummy"
os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"

# %% [markdown]
# ## One call, a batch of frames
#
# Six cart-poles have taken some random steps. What do they look like? An environment draws if it was made with a
# `render_mode`, and `make_vec` passes that on. Then `render()` answers for the whole batch.

# %%
envs = gym.make_vec(
    "CartPole-v1", 6, vectorization_mode="sync", render_mode="rgb_array"
)
with closing(envs):
    envs.action_space.seed(0)
    envs.reset(seed=0)
    for _ in range(16):
        envs.step(envs.action_space.sample())
    frames = envs.render()
print(type(frames).__name__, "of", len(frames), "frames:", frames[0].shape)
assert len(frames) == 6 and frames[0].shape == (400, 600, 3)
assert frames[0].dtype == np.uint8

# %% [markdown]
# A frame is an array of height, width and the three colours. To look at all of them at once, lay them out in a
# grid. The trick is to view the stack as a grid of frames, and to bring the two heights and the two widths
# together.


# %%
def tile(frames, columns):
    """One picture of all the frames, row by row; what stays empty is white."""
    count, height, width, colours = np.shape(frames)
    rows = -(-count // columns)  # rounded up
    grid = np.full((rows * columns, height, width, colours), 255, np.uint8)
    grid[:count] = frames
    grid = grid.reshape(rows, columns, height, width, colours)
    return grid.swapaxes(1, 2).reshape(rows * height, columns * width, colours)


def shrink(picture, factor):
    """Each block of factor by factor pixels becomes one, their mean."""
    height, width, colours = picture.shape
    blocks = (height // factor, factor, width // factor, factor, colours)
    return picture.reshape(blocks).mean(axis=(1, 3)).astype(np.uint8)


# %% tags=["hide-input"]
def hang(ax, picture, rows, columns):
    """Show a grid of frames; one frame is one unit wide and high."""
    height, width, _ = picture.shape
    look = {"extent": (0, columns, rows, 0), "interpolation": "none"}
    ax.imshow(picture, aspect=height * columns / (width * rows), **look)
    lines = {"color": PALETTE[5], "linewidth": 1, "clip_on": False}
    ax.hlines(range(rows + 1), 0, columns, **lines)
    ax.vlines(range(columns + 1), 0, rows, **lines)
    ax.set(xlim=(0, columns), ylim=(rows, 0), xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    ax.set_facecolor("white")


# %% tags=["hide-input"]
def number_rows(ax, count, columns):
    for row in range(count):
        x, y = row % columns + 0.03, row // columns + 0.14
        ax.text(x, y, f"row {row}", color=PALETTE[0], size=10)


# %% tags=["hide-input"]
fig, ax = figure(2.4)
hang(ax, shrink(tile(frames, 3), 4), 2, 3)
number_rows(ax, 6, 3)
alt = """Six pictures of a cart with a pole, in two rows of three, numbered row 0 to
row 5. The carts stand in slightly different places and the poles lean differently."""
show(fig, alt)

# %% [markdown]
# Frame `i` is the picture of row `i`. The three families agree on that, with one difference in the container:


# %%
def cartpoles(n, render_mode="rgb_array", mode="sync"):
    return gym.make_vec(
        "CartPole-v1", n, vectorization_mode=mode, render_mode=render_mode
    )


pictures = {}
for mode in ("sync", "async", "vector_entry_point"):
    with closing(cartpoles(2, mode=mode)) as envs:
        envs.reset(seed=0)
        pictures[mode] = envs.render()
    print(f"{mode:18s} {type(pictures[mode]).__name__:5s} {pictures[mode][0].shape}")
assert np.array_equal(pictures["sync"], pictures["async"])
assert isinstance(pictures["vector_entry_point"], list)

# %% [markdown]
# Code that does `np.stack(envs.render())` runs on all of them. In the loop and with processes the frames are the
# same to the last pixel. A native class draws by itself, if it draws at all: the base class of all vector
# environments raises `NotImplementedError`.


# %% tags=["remove-cell"]
class Silent(gym.vector.VectorEnv):
    num_envs = 1


with expect(NotImplementedError):
    Silent().render()


# %% [markdown]
# ## Render modes
#
# What `render()` returns depends on the mode. CartPole and FrozenLake between them know all the usual ones.


# %%
def kind_of(value):
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__} of {len(value)}: {kind_of(value[0])}"
    return "frame" if isinstance(value, np.ndarray) else type(value).__name__


# %%
gym.logger.min_level = 50  # asking for a frame without a mode gives a warning
plan = [("CartPole-v1", m) for m in (None, "human", "rgb_array", "rgb_array_list")]
rows = []
for name, mode in [*plan, ("FrozenLake-v1", "ansi")]:
    envs = gym.make_vec(name, 2, vectorization_mode="sync", render_mode=mode)
    with closing(envs):
        envs.reset(seed=0)
        envs.step(np.array([1, 1]))
        result = kind_of(envs.render())
    rows.append({"environment": name, "render_mode": str(mode), "render()": result})
table(rows, "What render() returns for two rows, after a reset and a step")

# %% tags=["remove-cell"]
assert [row["render()"] for row in rows] == [
    "tuple of 2: NoneType",
    "tuple of 2: NoneType",
    "tuple of 2: frame",
    "tuple of 2: list of 2: frame",
    "tuple of 2: str",
]

# %% [markdown]
# - `None`, the default: nothing is drawn, and asking for it gives a warning.
# - `"human"`: each `step` draws into a window. `render()` has nothing to add.
# - `"rgb_array"`: one frame, drawn when you ask. Nothing is drawn in a step.
# - `"rgb_array_list"`: each step draws a frame and keeps it; `render()` hands over what has gathered and forgets
#   it.
# - `"ansi"`: text. For a grid world it is the lightest picture there is.

# %%
envs = gym.make_vec("FrozenLake-v1", 3, vectorization_mode="sync", render_mode="ansi")
with closing(envs):
    envs.reset(seed=0)
    envs.step(np.array([1, 2, 2]))
    texts = [text.splitlines() for text in envs.render()]
for parts in zip(*texts, strict=True):  # the lake marks its position with a colour
    parts = [part.replace("\x1b[41m", "<").replace("\x1b[0m", ">") for part in parts]
    print(*[f"{part:12s}" for part in parts])

# %% [markdown]
# The mode belongs to the sub-environments. `envs.render_mode` tells only what row 0 says, and the rows may differ. So
# a batch in which a single row can be watched needs just two kinds of [factory](../../book/glossary.md#factory), the
# functions that make the sub-environments:

# %%
fns = [lambda: gym.make("CartPole-v1", render_mode="rgb_array")]
fns += [lambda: gym.make("CartPole-v1")] * 3
with closing(gym.vector.SyncVectorEnv(fns)) as envs:
    envs.reset(seed=0)
    result = [type(frame).__name__ for frame in envs.render()]
    print(envs.render_mode, result, "| row 0 alone:", envs.envs[0].render().shape)
    assert result == ["ndarray", "NoneType", "NoneType", "NoneType"]

# %% [markdown]
# In a script of yours that `render()` warns: "You are calling render method without specifying any render mode." Every
# row was asked, and three have no mode to draw in. It does no harm, and this page has turned the log off since the
# table above. In a loop you can ask the watched row alone, which is quiet and quicker.

# %% tags=["remove-cell"]
import warnings

gym.logger.min_level = 30
with (
    closing(gym.vector.SyncVectorEnv(fns)) as envs,
    warnings.catch_warnings(record=True, action="always") as log,
):
    envs.reset(seed=0)
    assert envs.envs[0].render().shape == (400, 600, 3) and not log
    envs.render()
assert len(log) == 3
assert all(
    "calling render method without specifying any" in str(w.message) for w in log
)
gym.logger.min_level = 50

# %% tags=["remove-cell"]
with (
    closing(cartpoles(2)) as envs,
    patch.object(type(envs.envs[0].unwrapped), "render", side_effect=AssertionError),
):
    envs.reset(seed=0)
    envs.step(np.array([0, 1]))  # draws nothing
with closing(gym.vector.SyncVectorEnv(fns[::-1])) as envs:
    assert envs.render_mode is None
for name in ("sync", "vector_entry_point"):
    with closing(cartpoles(2, "film", mode=name)) as envs:
        assert envs.render_mode == "film"

# %% [markdown]
# A mode that does not exist gives a warning and no error; the native CartPole does not even warn.
#
# ## What a frame costs
#
# Drawing is slow next to a step of arithmetic. How slow?


# %% tags=["timing"]
def seconds(function, repeats=7):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return np.median(times)


# %% tags=["timing"]
with closing(cartpoles(4)) as envs:
    envs.reset(seed=0)
    envs.render()  # the first one also sets up pygame
    ratio = seconds(envs.render) / seconds(lambda: envs.step(np.zeros(4, int)))
say(f"Drawing four rows takes **{ratio:.0f} times as long** as stepping them.")
assert ratio > 3

# %% [markdown]
# So do not call `render()` in a training loop, and give a `render_mode` only to environments that are to be seen.
# With processes there is one more cost: observations are written to memory that all processes share
# ([shared memory](../../book/glossary.md#shared-memory)), but frames are copied through the channel to each worker,
# its [pipe](../../book/glossary.md#pipe).

# %%
size = pictures["async"][0].nbytes
print(f"one frame of CartPole: {size / 1000:.0f} kB, its observation: {4 * 4} bytes")
assert size == 720_000

# %% [markdown]
# ## Which moment does a frame show?
#
# To answer exactly, we need frames that can be read. Here is a `StepCounter`, whose observation is
# `[episode, step]`, with a picture of one colour: 40 times the episode, plus the step.


# %%
class Painted(StepCounter):
    def __init__(self, length=3):
        super().__init__(length)
        self.render_mode = "rgb_array"
        self.metadata = {"render_modes": ["rgb_array"], "render_fps": 50}

    def render(self):
        colour = 40 * self.episode + self.step_count
        return np.full((8, 8, 3), colour, np.uint8)


def read(colour):
    return f"{colour // 40}.{colour % 40}"


# %% [markdown]
# An episode of three steps, in two [autoreset modes](../../book/glossary.md#autoreset-mode). We compare what the
# frame shows with the observation that the same step returned.

# %%
MODES = {mode.name: mode for mode in gym.vector.AutoresetMode}
for mode in ("NEXT_STEP", "SAME_STEP"):
    with closing(
        gym.vector.SyncVectorEnv([Painted], autoreset_mode=MODES[mode])
    ) as envs:
        envs.reset(seed=0)
        print(mode)
        for _ in range(4):
            observations, _, terminated, _, info = envs.step(np.array([0]))
            shown = read(envs.render()[0][0, 0, 0])
            row = "{:.0f}.{:.0f}".format(*observations[0])
            final = info["final_obs"][0] if "final_obs" in info else ""
            print("  observation", row, "frame", shown, terminated[0], final)
            assert row == shown

# %% [markdown]
# A frame shows the state in which the environment *is*, which is the one of the returned observation. In
# `NEXT_STEP` mode the step that ends the episode returns its last observation, `0.3`, and the frame shows it. In
# `SAME_STEP` mode the row has been reset before you get to draw it: the frame is `1.0`, the start of the next
# episode. The final *observation* is saved in `info`, the final *picture* is not.
#
# That is easy to miss in a training curve and plain in a film. The last pictures of an episode of CartPole, always
# pushing to the right:


# %%
def last_pictures(mode, count=4):
    envs = gym.make_vec(
        "CartPole-v1",
        1,
        vectorization_mode="sync",
        render_mode="rgb_array",
        vector_kwargs={"autoreset_mode": MODES[mode]},
    )
    with closing(envs):
        envs.reset(seed=0)
        film, terminated = [envs.render()[0]], [False]
        while not terminated[0]:
            terminated = envs.step(np.array([1]))[2]
            film.append(envs.render()[0])
    return film[-count:]


# %%
strips = {mode: last_pictures(mode) for mode in ("NEXT_STEP", "SAME_STEP")}
assert np.array_equal(strips["NEXT_STEP"][:3], strips["SAME_STEP"][:3])
assert not np.array_equal(strips["NEXT_STEP"][3], strips["SAME_STEP"][3])

# %% tags=["hide-input"]
fig, axes = figure(2.9, nrows=2)
for ax, (mode, strip) in zip(axes, strips.items(), strict=True):
    parts = [frame[170:320, 220:420] for frame in strip]
    hang(ax, shrink(tile(parts, 4), 2), 1, 4)
    ax.set_title(mode, loc="left")
alt = """Two strips of four pictures. The first three agree: a pole leans further and
further to the left. In the fourth picture of NEXT_STEP it leans most; in that of
SAME_STEP a pole stands upright on a cart further left."""
show(fig, alt)

# %% [markdown]
# ## Films: `RecordVideo`
#
# `gymnasium.wrappers.vector.RecordVideo` calls `render()` after each reset and step, lays the frames out in a grid
# as we did, and writes a film for each episode. Writing needs the package moviepy, which comes with
# `pip install "gymnasium[other]"`. Without it the wrapper cannot be made:

# %%
with tempfile.TemporaryDirectory() as folder, patch.dict("sys.modules", moviepy=None):
    envs = gym.vector.SyncVectorEnv([Painted])
    with expect(gym.error.DependencyNotInstalled):
        gym.wrappers.vector.RecordVideo(envs, f"{folder}/films")

# %% [markdown]
# Here we do not want files, but to see which frames would be in them. So we put a stand-in into moviepy's place,
# which keeps the frames of each film in a dictionary. All that decides when a film begins, what is in it and when
# it ends is Gymnasium's own.

# %%
films = {}


class Film:
    def __init__(self, frames, fps):
        self.frames = np.array(frames)

    def write_videofile(self, path, logger):
        films[os.path.basename(path)] = self.frames


class StandIn:
    ImageSequenceClip = Film


# %%
NAMES = ["moviepy", "moviepy.video", "moviepy.video.io"]
NAMES += ["moviepy.video.io.ImageSequenceClip"]


def stand_in():
    films.clear()
    return patch.dict("sys.modules", dict.fromkeys(NAMES, StandIn))


# %%
def record(envs, steps, **settings):
    """The films of some steps, by file name."""
    with stand_in(), tempfile.TemporaryDirectory() as folder:
        settings = {"episode_trigger": lambda episode: True} | settings
        envs = gym.wrappers.vector.RecordVideo(envs, folder, **settings)
        with closing(envs):
            envs.reset(seed=0)
            for _ in range(steps):
                envs.step(np.zeros(envs.num_envs, int))
    return dict(films)


# %% [markdown]
# `episode_trigger` says which episodes are wanted; ours wants all. (The default takes episodes 0, 1, 8, 27 and so
# on, the cubes, and from 1000 on each thousandth.) Three rows, whose episodes last four, three and six steps, and
# nine steps in all. What would you expect: a film for each row, or one for all three?


# %%
def rows_of(film):
    """For each row, what its frames show: numbers 40 * episode + step."""
    return film[:, 0, ::8, 0].T


recorded = {}
for mode in ("NEXT_STEP", "SAME_STEP"):
    fns = [lambda n=n: Painted(n) for n in (4, 3, 6)]
    envs = gym.vector.SyncVectorEnv(fns, autoreset_mode=MODES[mode])
    recorded[mode] = record(envs, steps=9)
    print(mode)
    for name, film in recorded[mode].items():
        print("  ", name, len(film), "frames of", film[0].shape)

# %% tags=["hide-input"]
fig, axes = figure(4.4, nrows=2)
for ax, (mode, made) in zip(axes, recorded.items(), strict=True):
    left = 0
    for number, film in enumerate(made.values()):
        ax.text(left, -0.75, f"film {number}", va="center")
        for (row, t), colour in np.ndenumerate(rows_of(film)):
            tint = PALETTE[colour // 40]
            box = ax.barh(row, 0.94, 0.86, left + t, color=(tint, 0.16), ec=tint)
            ax.bar_label(box, [read(colour)], label_type="center", color=INK)
        left += len(film) + 0.5
    ax.set(title=mode, xlim=(-0.6, 11.5), ylim=(2.6, -1.1))
    ax.set(xticks=[], yticks=range(3), yticklabels=["row 0", "row 1", "row 2"])
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)

# %% tags=["hide-input"]
alt = """Each film as a grid of three rows; a cell says episode and step of one frame.
In NEXT_STEP film 0 shows steps 0.0 to 0.4 of row 0 and film 1 shows 1.0 to 1.4; rows
1 and 2 change episode within a film. In SAME_STEP these films end with 0.3 and 1.3."""
show(fig, alt)

# %% tags=["remove-cell"]
lines = {
    mode: [
        [" ".join(map(read, row)) for row in rows_of(film)] for film in made.values()
    ]
    for mode, made in recorded.items()
}
assert lines["NEXT_STEP"][0][0] == "0.0 0.1 0.2 0.3 0.4"
assert lines["NEXT_STEP"][1][0] == "1.0 1.1 1.2 1.3 1.4"
assert lines["NEXT_STEP"][1][1] == "1.1 1.2 1.3 2.0 2.1"
assert len(lines["NEXT_STEP"]) == 2 and len(lines["SAME_STEP"]) == 3
assert lines["SAME_STEP"][0] == [
    "0.0 0.1 0.2 0.3",
    "0.0 0.1 0.2 1.0",
    "0.0 0.1 0.2 0.3",
]
assert (
    lines["SAME_STEP"][1][0].endswith("1.3") and lines["SAME_STEP"][2][0] == "2.0 2.1"
)

# %% [markdown]
# One for all three, and **row 0 decides**. A film begins when row 0 begins an episode and ends when row 0 ends it.
# The other rows are filmed meanwhile, at whatever point of their episodes they are; "episode 1" in a file's name is
# row 0's. If only row 0 is of interest, `record_first_only=True` leaves the others out.
#
# And the last frame? In `NEXT_STEP` it is there, `0.4`. In `SAME_STEP` it is missing, and not in row 0 only: row 1
# goes from `0.2` to `1.0`. That follows from the section before. Gymnasium warns when the wrapper is made:
# "Recorded episodes will not contain the last frame of the episode." In `DISABLED` mode it is there, too, but each
# reset that you make yourself adds a frame, so that a row that was not reset is seen twice.

# %% tags=["remove-cell"]
with stand_in(), tempfile.TemporaryDirectory() as folder:
    fns = [lambda n=n: Painted(n) for n in (4, 3)]
    envs = gym.vector.SyncVectorEnv(fns, autoreset_mode=MODES["DISABLED"])
    trigger = {"episode_trigger": lambda episode: True}
    with closing(gym.wrappers.vector.RecordVideo(envs, folder, **trigger)) as envs:
        envs.reset(seed=0)
        for _ in range(4):
            done = envs.step(np.zeros(2, int))[2]
            if done.any():
                envs.reset(options={"reset_mask": done})
first = rows_of(next(iter(films.values())))[0]
assert " ".join(map(read, first)) == "0.0 0.1 0.2 0.3 0.3 0.4"

# %% tags=["remove-cell"]
gym.logger.min_level = 30
for mode, count in (("sync", 1), ("vector_entry_point", 0)):
    with warnings.catch_warnings(record=True) as log:
        warnings.simplefilter("always")
        cartpoles(1, "film", mode=mode).close()
    assert len(log) == count
with closing(cartpoles(1, None)) as envs:
    envs.reset(seed=0)
    with warnings.catch_warnings(record=True) as log:
        warnings.simplefilter("always")
        envs.render()
assert "without specifying any render mode" in str(log[0].message)

# %% tags=["remove-cell"]
gym.logger.min_level = 30
with warnings.catch_warnings(record=True) as log:
    warnings.simplefilter("always")
    envs = gym.vector.SyncVectorEnv([Painted], autoreset_mode=MODES["SAME_STEP"])
    record(envs, steps=1)
gym.logger.min_level = 50
assert any(
    "will not contain the last frame of the episode" in str(w.message) for w in log
)

# %% tags=["remove-cell"]
only = record(gym.vector.SyncVectorEnv([Painted] * 4), 3, record_first_only=True)
assert [film.shape for film in only.values()] == [(4, 8, 8, 3)]
with stand_in():
    from gymnasium.utils.save_video import capped_cubic_video_schedule as wanted
assert [n for n in range(999) if wanted(n)] == [n**3 for n in range(10)]
assert [n for n in range(999, 3001) if wanted(n)] == [1000, 2000, 3000]

# %% [markdown]
# ### A film that misses nothing
#
# Where frames get lost is between the sub-environment and you. So film *inside*: the single-environment wrapper,
# `gymnasium.wrappers.RecordVideo`, in the factory of the row that you want. There it sees each reset itself.


# %%
def record_inside(mode, names=("row0", None)):
    with stand_in(), tempfile.TemporaryDirectory() as folder:

        def factory(name):
            every = {"episode_trigger": lambda episode: True, "name_prefix": name}
            env = Painted(4)
            return gym.wrappers.RecordVideo(env, folder, **every) if name else env

        fns = [lambda name=name: factory(name) for name in names]
        with closing(gym.vector.SyncVectorEnv(fns, autoreset_mode=MODES[mode])) as envs:
            envs.reset(seed=0)
            for _ in range(9):
                done = envs.step(np.zeros(2, int))[2]
                if mode == "DISABLED" and done.any():
                    envs.reset(options={"reset_mask": done})


# %%
record_inside("SAME_STEP")
for name, film in films.items():
    print(name, " ".join(map(read, rows_of(film)[0])))

# %% tags=["remove-cell"]
for mode in ("NEXT_STEP", "SAME_STEP", "DISABLED"):
    record_inside(mode)
    inside = [" ".join(map(read, rows_of(film)[0])) for film in films.values()]
    assert inside[:2] == ["0.0 0.1 0.2 0.3 0.4", "1.0 1.1 1.2 1.3 1.4"]
record_inside("SAME_STEP", names=("one", "one"))
assert len(films) == 3
record_inside("SAME_STEP", names=("one", "two"))
assert len(films) == 6

# %% [markdown]
# Complete, whatever the autoreset mode. Two rules: a `name_prefix` of its own for each row that is filmed, since
# two rows with one name overwrite each other's files, and `close()` at the end, or the last film is not written.
#
# ### One more frame, lost on the way to the file
#
# The films above are what `RecordVideo` hands to moviepy. In the file there may be one less. moviepy 2.2.1 adds up
# the durations of the frames and takes the whole number of frames that fit; the sum of many rounded numbers can
# come out a little short. Here is the same arithmetic, and the lengths, up to 60 frames, at which the last frame
# falls off.


# %%
def written(frames, fps):
    return int(sum([1 / fps] * frames) * fps)


for fps in (50, 30, 32):
    short = [n for n in range(1, 61) if written(n, fps) < n]
    print(f"fps={fps}: {len(short):2d} lengths, such as {short[:4]}")
assert written(11, fps=50) == 10
assert all(written(n, fps=32) == n for n in range(1, 1000))

# %% [markdown]
# CartPole declares 50 frames a second, so a film of eleven frames ends with the tenth. At a power of two, 32 or 64,
# the sums are exact and nothing is lost: `RecordVideo(envs, folder, fps=32)`. If you need the last frame for
# certain, count the frames of the file.
#
# ### A film without moviepy
#
# Frames are arrays, so you can also collect them yourself and choose the format. Pillow, which matplotlib brings
# along, writes an animated GIF that any browser shows. Draw after the reset and then *after* each step: a loop that
# draws before it steps never shows what the last step led to.

# %%
with closing(cartpoles(4)) as envs:
    envs.action_space.seed(0)
    envs.reset(seed=0)
    film = [envs.render()]
    for _ in range(20):
        envs.step(envs.action_space.sample())
        film.append(envs.render())
pages = [Image.fromarray(shrink(tile(frames, 2), 4)) for frames in film]

# %%
with tempfile.TemporaryDirectory() as folder:
    path = f"{folder}/cartpoles.gif"
    settings = {"save_all": True, "append_images": pages[1:]}
    pages[0].save(path, duration=40, loop=0, **settings)
    size = os.path.getsize(path)
    with Image.open(path) as gif:
        print(gif.n_frames, "frames of", gif.size, "in", round(size / 1000), "kB")
        assert gif.n_frames == 21 and gif.size == (300, 200)

# %% [markdown]
# `duration` is in milliseconds and for each frame; a GIF counts in hundredths of a second. Pillow merges frames
# that are equal, which keeps the duration and lowers the count.
#
# ## Headless: without a display
#
# A server, a container and a job on a cluster have no screen. Does drawing work there? We ask in a script of its
# own, with and without the variable that we set at the beginning, and with all that could point to a screen
# removed.

# %%
script = """
import gymnasium as gym, pygame
kind = {"vectorization_mode": "sync", "render_mode": "rgb_array"}
envs = gym.make_vec("FrozenLake-v1", 2, **kind)
envs.reset(seed=0)
print(envs.render()[0].shape, "by the driver", pygame.display.get_driver())
"""
screen = ("DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "SDL_VIDEODRIVER")
bare = {name: value for name, value in os.environ.items() if name not in screen}

# %%
command = [sys.executable, "-c", script]
for setting in ({}, {"SDL_VIDEODRIVER": "dummy"}):
    result = subprocess.run(command, env=bare | setting, capture_output=True, text=True)
    print(setting or "not set", "|", result.stdout.strip(), "|", result.stderr.strip())
assert "(256, 256, 3) by the driver dummy" in result.stdout and not result.stderr

# %% [markdown]
# Frames are drawn in memory, so they need no screen; pygame only insists on a video driver. With
# `SDL_VIDEODRIVER=dummy` it takes one that shows nothing. Without the variable it looks for something: this version
# finds one called "offscreen" and complains on standard error, others raise an error about a video device. Set the
# variable before pygame is imported, in the shell or at the top of the script, and it is inherited by every worker.
#
# With the dummy driver even `"human"` runs: the window exists, in memory, where nobody sees it. We can look into
# it. Four cart-poles in human mode; whose picture is in the window?

# %%
pygame = sys.modules["pygame"]  # loaded by the environments
human, frames = cartpoles(4, "human"), cartpoles(4)
with closing(human), closing(frames):
    for envs in (human, frames):
        envs.reset(seed=0)
        envs.step(np.array([0, 1, 0, 1]))
    window = pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)
    shown = [bool((window == frame).all()) for frame in frames.render()]
print("the window shows row:", shown)
assert shown == [False, False, False, True]

# %% [markdown]
# Only that of the last row. pygame has one window for each process, and in a loop all rows draw into it, one over
# the other. With processes, each worker opens a window of its own.
#
# And it is slow, on purpose: human mode waits, so that a second of the task takes a second. CartPole declares 50
# frames a second, which makes 20 ms a call.

# %% tags=["timing"]
with closing(cartpoles(1, "human")) as envs:
    envs.reset(seed=0)
    pause = seconds(lambda: envs.step(np.array([0])))
say(f"A step in human mode: {1000 * pause:.0f} ms.")
assert pause > 0.015

# %% [markdown]
# ### All rows in one window: `HumanRendering`
#
# The vector wrapper `HumanRendering` puts the frames of all rows side by side into one window. It goes around an
# environment in `rgb_array` mode, and it needs OpenCV, which also comes with `gymnasium[other]`, to scale them.


# %%
with expect(ValueError):
    gym.wrappers.vector.HumanRendering(cartpoles(4, "human"))
missing = patch.dict("sys.modules", cv2=None)
envs = gym.wrappers.vector.HumanRendering(cartpoles(4))
with closing(envs), missing, expect(gym.error.DependencyNotInstalled):
    envs.reset(seed=0)

# %% [markdown]
# Again a stand-in will do, one that scales by picking pixels. The window, read back from memory, after twelve
# steps:


# %%
class Scaling:
    @staticmethod
    def resize(picture, size):
        (height, width), (columns, rows) = picture.shape[:2], size
        down = np.arange(rows) * height // rows
        across = np.arange(columns) * width // columns
        return picture[down][:, across]


# %%
envs = gym.wrappers.vector.HumanRendering(cartpoles(4))
with closing(envs), patch.dict("sys.modules", cv2=Scaling):
    envs.action_space.seed(2)
    envs.reset(seed=2)
    for _ in range(12):
        envs.step(envs.action_space.sample())
    window = pygame.surfarray.array3d(envs.window).swapaxes(0, 1)
print(envs.render_mode, window.shape)

# %% tags=["hide-input"]
fig, ax = figure(4.1)
hang(ax, shrink(window, 2), 2, 2)
number_rows(ax, 4, 2)
ax.set_title("The window of HumanRendering (lines and numbers are ours)", loc="left")
alt = """A window with four cart-poles in two rows of two, each at its own place and
with a pole at an angle of its own."""
show(fig, alt)

# %% tags=["remove-cell"]
assert envs.render_mode == "human" and window.shape == (400, 600, 3)
corners = [
    window[:200, :300],
    window[:200, 300:],
    window[200:, :300],
    window[200:, 300:],
]
assert len({corner.tobytes() for corner in corners}) == 4
envs = gym.wrappers.vector.HumanRendering(cartpoles(4, "rgb_array_list"))
with closing(envs), expect(AssertionError):
    envs.reset(seed=0)

# %% [markdown]
# Only the size of one frame is used for the window, unless you pass `screen_size`. The wrapper also accepts
# `rgb_array_list`, and then fails at the first reset, in this version.
#
# ## What trips people up
#
# **"Render mode is None, which is incompatible with RecordVideo."** The mode belongs into the making of the
# environment, not into `render()`, and `"human"` will not do either, since it returns nothing.

# %%
for mode in (None, "human"):
    with closing(cartpoles(4, mode)) as envs, expect(ValueError):
        gym.wrappers.vector.RecordVideo(envs, "films")

# %% [markdown]
# **"The last film is missing."** A film is written when row 0 has ended its episode, in `NEXT_STEP` mode even one
# call later, or when the wrapper is closed. Without `close()` what has been recorded is lost, with a warning at
# best: "Unable to save last video! Did you call close()?"

# %% tags=["remove-cell"]
gym.logger.min_level = 30
log = warnings.catch_warnings(record=True, action="always")
with stand_in(), tempfile.TemporaryDirectory() as folder, log as log:
    envs = gym.vector.SyncVectorEnv([Painted])
    envs = gym.wrappers.vector.RecordVideo(envs, f"{folder}/new")
    envs.reset(seed=0)
    for _ in range(3):
        terminated = envs.step(np.array([0]))[2]
    assert terminated[0] and not films
    envs.step(np.array([0]))
    assert len(films) == 1
    del envs
assert len(films) == 1 and "Did you call close()?" in str(log[-1].message)
gym.logger.min_level = 50

# %% [markdown]
# **"My film is a thin strip."** The grid of `RecordVideo` has no empty places, so its rows must divide the number
# of sub-environments. Five is a prime number: one row of five, whatever `video_aspect_ratio` says. Six make two
# rows of three.

# %%
for n in (5, 6):
    film = next(iter(record(gym.vector.SyncVectorEnv([Painted] * n), 4).values()))
    height, width = film.shape[1:3]
    print(f"{n} sub-environments: {height // 8} rows of {width // 8}")
    assert (height, width) == {5: (8, 40), 6: (16, 24)}[n]

# %% [markdown]
# **"I asked for 10 frames and got 11."** `video_length` is compared after a frame was added.

# %%
envs = gym.vector.SyncVectorEnv([lambda: Painted(20)])
film = next(iter(record(envs, 12, video_length=10).values()))
print(len(film), "frames")
assert len(film) == 11

# %% [markdown]
# **"setting an array element with a sequence" in `RecordVideo`.** The frames have different sizes, as with two maps
# of FrozenLake. `render()` itself does not mind. Give all rows the same size, or make the picture yourself:
# exercise 26.2.

# %%
fns = [
    lambda: gym.make("FrozenLake-v1", render_mode="rgb_array"),
    lambda: gym.make("FrozenLake8x8-v1", render_mode="rgb_array"),
]
envs = gym.vector.SyncVectorEnv(fns, observation_mode="different")
envs.reset(seed=0)
print([frame.shape for frame in envs.render()])
with expect(ValueError):
    record(envs, 1)

# %% [markdown]
# **"My window died when I closed another environment."** Closing an environment of this family ends pygame, and
# there is one pygame for each process. Close the evaluation environment last, or give it a process of its own.

# %%
watched, other = cartpoles(4, "human"), cartpoles(4)
with closing(watched):
    watched.reset(seed=0)
    with closing(other):
        other.reset(seed=0)
        other.render()
    with expect(pygame.error):
        watched.step(np.zeros(4, int))

# %% [markdown]
# **"Cannot call `env.render()` before calling `env.reset()`."** There is no state to draw yet.

# %%
with closing(cartpoles(4)) as envs, expect(gym.error.ResetNeeded):
    envs.render()

# %% [markdown]
# ## Exercises
#
# ### Exercise 26.1: predict the length of a film
#
# `RecordVideo` films all episodes of two rows. The first episode of row 0 lasts seven steps, that of row 1 five.
# How many frames does the first film have in `NEXT_STEP` mode, and how many in `SAME_STEP` mode? Answer with two
# numbers. (We mean the frames that go to moviepy.)
#
# <details><summary>Hint</summary>
#
# A reset gives a frame, too. In which mode is the picture of the last step lost?
#
# </details>

# %% tags=["exercise"]
answer = ...

# %%
check("26.1", answer)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# answer = (8, 7)
# ```
#
# </details>
#
# ### Exercise 26.2: frames of different sizes
#
# Write `sheet(frames)`: one picture of frames side by side that may differ in size. Each is put at the top left of
# its place; all places are as large as the largest height and the largest width; what stays empty is white (255).
#
# <details><summary>Hint</summary>
#
# Make a white array of the size that is needed, then write each frame into a slice of it. Its `dtype` is
# `np.uint8`.
#
# </details>


# %% tags=["exercise"]
def sheet(frames):
    raise NotImplementedError


# %%
check("26.2", sheet)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def sheet(frames):
#     height = max(len(frame) for frame in frames)
#     width = max(frame.shape[1] for frame in frames)
#     picture = np.full((height, width * len(frames), 3), 255, np.uint8)
#     for i, frame in enumerate(frames):
#         left = i * width
#         picture[: len(frame), left : left + frame.shape[1]] = frame
#     return picture
# ```
#
# </details>
#
# ### Exercise 26.3: film one row
#
# Write `film_row(envs, row, choose)` for an environment in `NEXT_STEP` mode. It resets with seed 0, steps with
# `choose(observations)` as the actions, and returns the list of frames of the row `row`, from the reset to the last
# frame of its first episode, and no further.
#
# <details><summary>Hint</summary>
#
# An episode ends when either flag of the row is set. In this mode the frame drawn after that step is the last one.
#
# </details>


# %% tags=["exercise"]
def film_row(envs, row, choose):
    raise NotImplementedError


# %%
check("26.3", film_row)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def film_row(envs, row, choose):
#     observations, _ = envs.reset(seed=0)
#     film, over = [envs.render()[row]], False
#     while not over:
#         results = envs.step(choose(observations))
#         observations, _, terminated, truncated, _ = results
#         film.append(envs.render()[row])
#         over = terminated[row] or truncated[row]
#     return film
# ```
#
# </details>
#
# ## Recap
#
# - `render_mode` goes into `make_vec`; `render()` returns one frame for each row, and `np.stack` makes a batch of
#   them.
# - A frame shows the state of the returned observation. In `SAME_STEP` mode the end of an episode is never seen
#   from outside.
# - `RecordVideo` for vector environments follows row 0, loses the last frame in `SAME_STEP`, and a file may lose
#   one more to rounding. Film inside the factory, or collect the frames yourself, to miss nothing.
# - Frames need no screen: `SDL_VIDEODRIVER=dummy`. One window for each process, so use `HumanRendering` to see all
#   rows.
# - Drawing is slow. Give a mode only to what will be seen.
#
# **Back:** [failures](25_failures.ipynb). **Next:** [field guide](27_field_guide.ipynb), questions and answers.
# **Reference:** [vector wrappers](https://gymnasium.farama.org/api/vector/wrappers/) and
# [`Env.render`](https://gymnasium.farama.org/api/env/#gymnasium.Env.render).
