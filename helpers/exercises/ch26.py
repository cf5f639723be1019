"""Checks of chapter 26, rendering."""

import numpy as np
from gymnasium.vector import SyncVectorEnv

from helpers.environments import StepCounter
from helpers.exercises import Hint, exercise


@exercise(
    "26.1",
    wrong=[
        ("answer = (7, 7)", "reset"),
        ("answer = (8, 8)", "SAME_STEP"),
        ("answer = (7, 6)", "reset"),
        ("answer = (6, 5)", "row 0"),
        ("answer = (7, 8)", "the other way"),
        ("answer = 8", "two numbers"),
    ],
)
def _film_length(answer):
    if not isinstance(answer, tuple) or len(answer) != 2:
        raise Hint("answer with two numbers, (NEXT_STEP, SAME_STEP)")
    if answer == (7, 8):
        raise Hint("it is the other way round: SAME_STEP is the mode that loses a frame")
    if answer[0] in (5, 6):
        raise Hint("row 1 has no say: a film begins and ends with the episode of row 0, which has seven steps")
    if answer[0] != 8:
        raise Hint("in NEXT_STEP there is a frame for each of the seven steps, and one for the reset before them")
    if answer[1] != 7:
        raise Hint("in SAME_STEP row 0 has been reset when the last step is drawn, so that frame is not in the film")


_SHEET = """def sheet(frames):
    height = max(len(frame) for frame in frames)
    width = max(frame.shape[1] for frame in frames)
    picture = np.full((height, width * len(frames), 3), 255, np.uint8)
    for i, frame in enumerate(frames):
        left = i * width
        picture[: len(frame), left : left + frame.shape[1]] = frame
    return picture"""


@exercise(
    "26.2",
    wrong=[
        ("def sheet(frames):\n    return np.concatenate(frames, axis=1)", "different heights"),
        (_SHEET.replace("255", "0"), "white"),
        (_SHEET.replace(", 255, np.uint8", ", 255"), "uint8"),
        (_SHEET.replace("max(frame.shape[1] for frame in frames)", "frames[0].shape[1]"), "largest"),
        (_SHEET.replace("[: len(frame), left", "[height - len(frame) :, left"), "top left"),
        (_SHEET.replace("    return picture", ""), "return"),
    ],
)
def _sheet(answer):
    frames = [np.full((h, w, 3), c, np.uint8) for h, w, c in ((2, 3, 10), (4, 2, 20), (3, 5, 30))]
    try:
        picture = answer(frames)
    except ValueError as error:
        if "concat" in str(error):
            raise Hint("frames of different heights cannot be joined; put each into a place of the same size") from None
        raise Hint("a frame did not fit; each place must be as large as the largest height and width") from None
    if not isinstance(picture, np.ndarray):
        raise Hint("return the picture, an array")
    if picture.shape != (4, 15, 3):
        raise Hint(f"three places of the largest size, 4 by 5, make (4, 15, 3); the picture has {picture.shape}")
    if picture.dtype != np.uint8:
        raise Hint(f"a picture has the dtype uint8; this one has {picture.dtype}")
    for i, frame in enumerate(frames):
        height, width = frame.shape[:2]
        place = picture[:, 5 * i : 5 * i + 5].copy()
        if not np.array_equal(place[:height, :width], frame):
            raise Hint(f"frame {i} is not at the top left of its place")
        place[:height, :width] = 255
        if (place != 255).any():
            raise Hint("what stays empty must be white, which is 255")


class _Numbered(StepCounter):
    def __init__(self, length: int, ending: str) -> None:
        super().__init__(length, ending)
        self.render_mode = "rgb_array"

    def render(self):
        return np.full((1, 1, 3), 40 * self.episode + self.step_count, np.uint8)


_FILM = """def film_row(envs, row, choose):
    observations, _ = envs.reset(seed=0)
    film, over = [envs.render()[row]], False
    while not over:
        results = envs.step(choose(observations))
        observations, _, terminated, truncated, _ = results
        film.append(envs.render()[row])
        over = terminated[row] or truncated[row]
    return film"""


@exercise(
    "26.3",
    wrong=[
        (_FILM.replace("[envs.render()[row]], False", "[], False"), "reset"),
        (_FILM.replace(" or truncated[row]", ""), "truncated"),
        (_FILM.replace("terminated[row] or truncated[row]", "terminated[0] or truncated[0]"), "row 1"),
        (_FILM.replace("terminated[row] or truncated[row]", "(terminated | truncated).any()"), "row 1"),
        (_FILM.replace("film.append(envs.render()[row])", "film.append(envs.render()[0])"), "frames of row 1"),
        (_FILM.replace("choose(observations)", "envs.action_space.sample()"), "choose"),
        (
            _FILM.replace("        film.append(envs.render()[row])\n", "").replace(
                "    return film", "        if not over:\n            film.append(envs.render()[row])\n    return film"
            ),
            "last frame",
        ),
    ],
)
def _film_row(answer):
    for ending in ("terminated", "truncated"):
        envs = SyncVectorEnv([lambda n=n, e=ending: _Numbered(n, e) for n in (2, 4, 9)])
        chosen = []

        def choose(observations, chosen=chosen, ending=ending):
            if len(chosen) > 8:
                raise Hint(f"the episode of row 1 was {ending}, and the film goes on; look at both flags of the row")
            chosen.append(observations.copy())
            return np.zeros(3, int)

        film = answer(envs, 1, choose)
        shown = [int(np.ravel(frame)[0]) for frame in film]
        if not chosen:
            raise Hint("take the actions from choose(observations)")
        if shown and shown[0] != 0:
            raise Hint("the film begins with the frame of the reset")
        if len(shown) < 4 and shown == [0, 1, 2]:
            raise Hint("the film ends when row 0 does; it is row 1 that was asked for, wherever the others are")
        if shown != list(range(len(shown))):
            raise Hint("these are not the frames of row 1, in order")
        if shown == [0, 1, 2, 3]:
            raise Hint("the last frame is missing: draw after the step that ends the episode, too")
        if shown != [0, 1, 2, 3, 4]:
            raise Hint(
                f"the episode of row 1 has a reset and four steps, which makes five frames; there are {len(shown)}"
            )
