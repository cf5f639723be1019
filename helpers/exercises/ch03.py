"""Checks of chapter 3, `make_vec`."""

from contextlib import closing

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv

from helpers.environments import StepCounter
from helpers.exercises import Hint, exercise


@exercise(
    "03.1",
    wrong=[
        ('answer = ["SyncVectorEnv", "CartPoleVectorEnv", "SyncVectorEnv"]', "wrappers"),
        ('answer = ["SyncVectorEnv", "SyncVectorEnv", "SyncVectorEnv"]', "does not look at the wrappers"),
        ('answer = ["AsyncVectorEnv", "refused", "SyncVectorEnv"]', "never"),
        ('answer = ["SyncVectorEnv", "refused", "CartPoleVectorEnv"]', "third call says"),
        ('answer = ["AcrobotVectorEnv", "refused", "SyncVectorEnv"]', "gym.spec"),
        ('answer = "SyncVectorEnv"', "three"),
    ],
)
def _predict_the_kind(answer):
    if not isinstance(answer, list | tuple) or len(answer) != 3:
        raise Hint("give a list of three names")
    first, second, third = (name.__name__ if isinstance(name, type) else name for name in answer)
    if first == "AsyncVectorEnv":
        raise Hint("the default never makes workers; async has to be asked for")
    if first != "SyncVectorEnv":
        raise Hint("Acrobot has no native class: look at gym.spec('Acrobot-v1').vector_entry_point")
    if second == "CartPoleVectorEnv":
        raise Hint("the default does choose the native class here, but that has nobody to give the wrappers to")
    if second != "refused":
        raise Hint("the default does not look at the wrappers before it chooses; CartPole has a native class")
    if third != "SyncVectorEnv":
        raise Hint("the third call says which kind it wants")


_MARS = 'lambda n: gym.make_vec("Pendulum-v1", num_envs=n, vectorization_mode="sync", '


@exercise(
    "03.2",
    wrong=[
        (f'make_on_mars = {_MARS}autoreset_mode="SameStep", g=3.71, max_episode_steps=400)', "vector_kwargs"),
        (f"make_on_mars = {_MARS}g=3.71, max_episode_steps=400)", "NEXT_STEP"),
        (
            f'make_on_mars = {_MARS}vector_kwargs={{"autoreset_mode": "SameStep"}}, g=3.71, '
            "wrappers=[lambda env: TimeLimit(env, 400)])",
            "second TimeLimit",
        ),
        (
            f'make_on_mars = {_MARS}vector_kwargs={{"autoreset_mode": "SameStep"}}, max_episode_steps=400)',
            "gravity",
        ),
        (
            'make_on_mars = lambda n: gym.make_vec("Pendulum-v1", 1, "sync", {"autoreset_mode": "SameStep"}, g=3.71)',
            "asked for 2 rows",
        ),
        ('make_on_mars = lambda n: gym.make("Pendulum-v1", g=3.71, max_episode_steps=400)', "make_vec"),
    ],
)
def _make_on_mars(answer):
    try:
        envs = answer(2)
    except TypeError as error:
        if "autoreset_mode" in str(error):
            raise Hint(
                "the pendulum was given `autoreset_mode` and does not know it; the vectorizer's settings go into "
                "vector_kwargs"
            ) from None
        raise
    if not isinstance(envs, VectorEnv):
        raise Hint("that is not a vector environment; gym.make_vec makes one")
    with closing(envs):
        if not isinstance(envs, SyncVectorEnv):
            raise Hint(f"looped means SyncVectorEnv, got {type(envs).__name__}")
        if envs.num_envs != 2:
            raise Hint(f"asked for 2 rows with n=2, got {envs.num_envs}")
        if envs.get_attr("g") != (3.71, 3.71):
            raise Hint(f"the gravity g should be 3.71 in each row, found {envs.get_attr('g')}")
        mode = envs.metadata["autoreset_mode"]
        if mode is not AutoresetMode.SAME_STEP:
            raise Hint(f"the autoreset mode is {mode.name}; the exercise asks for SAME_STEP")
        envs.reset(seed=0)
        still = np.zeros((2, 1), np.float32)
        cut = next((step for step in range(1, 402) if envs.step(still)[3].any()), None)
    if cut == 200:
        raise Hint("episodes still end at step 200, the registered limit; a second TimeLimit cannot lengthen it")
    if cut != 400:
        raise Hint(f"episodes should be cut off at step 400, found {cut or 'no cut in 401 steps'}")


@exercise(
    "03.3",
    wrong=[
        ("resize = lambda envs, n: gym.make_vec(envs.spec, num_envs=n)", "the record wins"),
        (
            "def resize(envs, n):\n    envs.spec.kwargs['num_envs'] = n\n    return gym.make_vec(envs.spec)",
            "spec was changed",
        ),
        (
            "def resize(envs, n):\n"
            "    spec = copy.copy(envs.spec)\n"
            "    spec.kwargs['num_envs'] = n\n"
            "    return gym.make_vec(spec)",
            "shallow",
        ),
        ("resize = lambda envs, n: gym.make_vec(envs.spec.id, num_envs=n)", "settings"),
    ],
)
def _resize(answer):
    original = gym.make_vec("Pendulum-v1", 2, "sync", {"autoreset_mode": "SameStep"}, g=1.62)
    with closing(original):
        resized = answer(original, 5)
        with closing(resized):
            if original.spec.kwargs["num_envs"] != 2:
                raise Hint("the spec was changed; work on a copy, and not a shallow one, which shares its kwargs")
            if resized is original:
                raise Hint("return a new vector environment")
            if resized.num_envs == 2:
                raise Hint("there are still 2 rows: the record wins over the call, so the number must change in it")
            if resized.num_envs != 5:
                raise Hint(f"asked for 5 rows, got {resized.num_envs}")
            if resized.metadata != original.metadata or resized.get_attr("g") != (1.62,) * 5:
                raise Hint("the settings of the first one, such as its gravity, were lost; start from envs.spec")


@exercise(
    "03.4",
    wrong=[
        (
            'def make_apart(make, n):\n    board = {"resets": 0}\n    return SyncVectorEnv([lambda: make(board)] * n)',
            "same object",
        ),
        (
            'def make_apart(make, n):\n    env = make({"resets": 0})\n    return SyncVectorEnv([lambda: env] * n)',
            "same environment",
        ),
        (
            'def make_apart(make, n):\n    return SyncVectorEnv([make({"resets": 0}) for _ in range(n)])',
            "not callable",
        ),
        ("def make_apart(make, n):\n    return SyncVectorEnv([lambda: make({})] * n)", "resets"),
    ],
)
def _make_apart(answer):
    class Holder(StepCounter):
        def __init__(self, board):
            super().__init__()
            self.board = board

    envs = answer(Holder, 3)
    if not isinstance(envs, SyncVectorEnv):
        raise Hint(f"return a SyncVectorEnv, not a {type(envs).__name__}")
    with closing(envs):
        if envs.num_envs != 3:
            raise Hint(f"asked for 3 rows, got {envs.num_envs}")
        if len({id(env) for env in envs.envs}) < 3:
            raise Hint("all rows are the same environment; the factory must make one each time it is called")
        boards = envs.get_attr("board")
        if len({id(board) for board in boards}) < 3:
            raise Hint("all rows hold the same object; write the dictionary inside the factory")
        if boards != ({"resets": 0},) * 3:
            raise Hint(f'each row should hold {{"resets": 0}}, found {boards}')
