"""Record which episode owns which row at which call, and draw it."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from helpers.explorables import explorable, grid
from helpers.figures import PALETTE, figure


@dataclass(frozen=True)
class Cell:
    """What one row of one call returned: ``[episode, step]`` observations are read as such."""

    episode: int
    step: int
    reward: float = 0.0
    terminated: bool = False
    truncated: bool = False
    action_ignored: bool = False
    kept: bool = False
    """True where a masked reset left this row alone and returned its last observation again."""
    final: tuple[int, int] | None = None
    """``(episode, step)`` of the observation in `info["final_obs"]`, if this row has one."""


@dataclass(frozen=True)
class Timeline:
    """The recorded calls of one vector environment: ``rows[i][t]`` is what sub-environment i returned at call t.

    Call 0 is `reset`. `masked_resets` are the calls before which the recorder reset finished rows by hand.
    """

    mode: AutoresetMode
    rows: list[list[Cell]] = field(default_factory=list)
    masked_resets: tuple[int, ...] = ()


def record(
    make: Callable[[AutoresetMode], VectorEnv], mode: AutoresetMode, actions: np.ndarray, seed: int = 0
) -> Timeline:
    """Run the vector environment that `make` returns for `mode` and record every row of every call.

    Under `DISABLED`, finished rows are reset by `reset_mask` before the next step, and what that reset returned
    is a call of its own in the timeline.

    Args:
        make: from an autoreset mode to a vector environment of `helpers.environments.StepCounter`.
        mode: the autoreset mode to record.
        actions: one action for each step and row, shape ``(steps, num_envs)``.
        seed: base seed of the first reset.

    Raises:
        ValueError: if `actions` has not one column for each sub-environment.
    """
    envs = make(mode)
    try:
        if np.ndim(actions) != 2 or np.shape(actions)[1] != envs.num_envs:
            raise ValueError(f"actions has shape {np.shape(actions)}; it needs (steps, {envs.num_envs})")
        observation, _ = envs.reset(seed=seed)
        rows = [[Cell(*map(int, row))] for row in observation]
        done = np.zeros(envs.num_envs, bool)
        masked = []
        for action in actions:
            if mode is AutoresetMode.DISABLED and done.any():
                masked.append(len(rows[0]))
                observation, _ = envs.reset(options={"reset_mask": done.copy()})
                for row, values, reset in zip(rows, observation, done, strict=True):
                    row.append(Cell(*map(int, values), kept=not reset))
                done[:] = False
            observation, reward, terminated, truncated, info = envs.step(action)
            final = info.get("final_obs", [None] * envs.num_envs)
            for i, row in enumerate(rows):
                row.append(
                    Cell(
                        *map(int, observation[i]),
                        reward=float(reward[i]),
                        terminated=bool(terminated[i]),
                        truncated=bool(truncated[i]),
                        action_ignored=bool(mode is AutoresetMode.NEXT_STEP and done[i]),
                        final=None if final[i] is None else tuple(map(int, final[i])),
                    )
                )
            done = terminated | truncated
    finally:
        envs.close()
    return Timeline(mode, rows, tuple(masked))


def draw(timelines: list[Timeline]) -> Figure:
    """Draw timelines one under the other: rows are sub-environments, columns are calls.

    The colour and the number before the dot both say which episode owns the returned observation; the number after
    the dot is its step. Below it stand the marks: T terminated, C truncated (cut off), x action
    ignored, = kept by a masked reset, F with the final observation that `info` holds.
    """
    columns = max(len(timeline.rows[0]) for timeline in timelines)
    height = sum(0.55 * len(timeline.rows) + 1 for timeline in timelines) + 0.5
    fig, axes = figure(height, nrows=len(timelines), squeeze=False)
    fig.get_layout_engine().set(h_pad=0.08)
    episodes = 0
    for ax, timeline in zip(axes[:, 0], timelines, strict=True):
        for i, row in enumerate(timeline.rows):
            for t, cell in enumerate(row):
                episodes = max(episodes, cell.episode)
                ax.add_patch(
                    Rectangle(
                        (t - 0.48, i - 0.45),
                        0.96,
                        0.9,
                        facecolor=_tint(cell.episode),
                        edgecolor=_ink(cell.episode),
                        linewidth=1.2,
                        gid=f"cell-{timeline.mode.name}-{i}-{t}",
                    )
                )
                ax.text(t, i - 0.16, f"{cell.episode}.{cell.step}", ha="center", va="center", weight="bold")
                ax.text(t, i + 0.22, _marks(cell), ha="center", va="center", size=10)
        ax.set(xlim=(-0.6, columns - 0.4), ylim=(len(timeline.rows) - 0.45, -0.55))
        ax.set_title(timeline.mode.name, loc="left", weight="bold")
        calls = range(len(timeline.rows[0]))
        kinds = ["reset" if t == 0 or t in timeline.masked_resets else "step" for t in calls]
        ax.set_xticks(calls, [f"{kind}\n{t}" for t, kind in enumerate(kinds)])
        ax.set_yticks(range(len(timeline.rows)), [f"row {i}" for i in range(len(timeline.rows))])
        ax.tick_params(length=0)
        for spine in ax.spines.values():
            spine.set_visible(False)
    fig.legend(
        handles=[Patch(facecolor=_tint(e), edgecolor=_ink(e), label=f"episode {e}") for e in range(episodes + 1)],
        loc="outside lower left",
        ncols=min(episodes + 1, 4),
    )
    return fig


def _ink(episode: int) -> str:
    return PALETTE[episode % len(PALETTE)]


def _tint(episode: int) -> tuple[str, float]:
    return (_ink(episode), 0.25)


def _marks(cell: Cell) -> str:
    marks = ["T"] * cell.terminated + ["C"] * cell.truncated + ["x"] * cell.action_ignored + ["="] * cell.kept
    if cell.final is not None:
        marks.append(f"F {cell.final[0]}.{cell.final[1]}")
    return " ".join(marks)


def stepper(timelines: list[Timeline], start: int = 0) -> None:
    """Display timelines as an explorable: one call at a time, what each row of each mode returned.

    Args:
        timelines: the recorded timelines, one for each mode.
        start: the call to show first, and for good where there is no script.
    """
    calls = max(len(timeline.rows[0]) for timeline in timelines)

    def frame(call: int) -> str:
        return "".join(_table(timeline, call) for timeline in timelines)

    caption = "Step through the three modes: what every row returned, and whose it is"
    explorable(caption, {"call": [str(call) for call in range(calls)]}, frame, (start,))


def _table(timeline: Timeline, call: int) -> str:
    header = ["row", "observation", "reward", "what happened"]
    if call >= len(timeline.rows[0]):
        return grid(f"{timeline.mode.name}: the recording has ended", header, [["-"] * len(header)])
    is_reset = call == 0 or call in timeline.masked_resets
    cells = [row[call] for row in timeline.rows]
    rows = [
        [
            f"row {i}",
            f"[{cell.episode}, {cell.step}]",
            "-" if is_reset else f"{cell.reward:g}",
            _happened(cell, is_reset),
        ]
        for i, cell in enumerate(cells)
    ]
    marked = [i for i, cell in enumerate(cells) if cell.terminated or cell.truncated or cell.action_ignored]
    return grid(f"{timeline.mode.name}: {'reset' if is_reset else 'step'}", header, rows, marked)


def _happened(cell: Cell, is_reset: bool) -> str:
    """Say in words what the marks of a cell mean."""
    if cell.kept:
        return "left alone by the reset of other rows"
    if is_reset:
        return f"episode {cell.episode} starts"
    if cell.action_ignored:
        return f"action ignored: the row was reset, episode {cell.episode} starts; no transition"
    how = "terminated" if cell.terminated else "truncated"
    if cell.final is not None:
        ended = f'{how}: episode {cell.final[0]} ended; info["final_obs"] holds {list(cell.final)}'
        return f"{ended}, and the observation is the start of episode {cell.episode}"
    if cell.terminated or cell.truncated:
        return f"{how}: episode {cell.episode} ended, and this is its final observation; info is empty"
    return f"a step of episode {cell.episode}"
