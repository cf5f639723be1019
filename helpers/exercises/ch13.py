"""Checks of chapter 13, mixed environments."""

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.envs.toy_text.frozen_lake import generate_random_map

from helpers.exercises import Hint, exercise


@exercise(
    "13.1",
    wrong=[
        ("answer = ((8.0, 12.0), (8.0, 12.0))", "a tuple is spread"),
        ("answer = [(8.0, 12.0), (8.0, 12.0)]", "a tuple is spread"),
        ("answer = ((5.0, 15.0), (5.0, 15.0))", "has been changed"),
        ("answer = 'ValueError'", "two rows"),
    ],
)
def _tuple_value(answer):
    if isinstance(answer, str | type):
        raise Hint("a tuple of any other length would be refused; this one has two entries, and there are two rows")
    if not isinstance(answer, tuple | list):
        raise Hint("get_attr returns a tuple with one entry for each row")
    if list(answer) == [(8.0, 12.0)] * 2:
        raise Hint("a tuple is spread over the rows, one entry each, and this value is a tuple with two entries")
    if list(answer) == [(5.0, 15.0)] * 2:
        raise Hint("the range has been changed, though not as intended")
    if list(answer) != [8.0, 12.0]:
        raise Hint("row 0 gets the first entry of the tuple, row 1 the second")


@exercise(
    "13.2",
    wrong=[
        (
            "def lake_pair(sides):\n"
            "    squares = [s * s for s in sides]\n"
            "    return spaces.Discrete(max(squares)), spaces.MultiDiscrete(squares)",
            "batched space comes first",
        ),
        (
            "def lake_pair(sides):\n"
            "    squares = [s * s for s in sides]\n"
            "    return spaces.MultiDiscrete(squares), spaces.Discrete(squares[0])",
            "largest",
        ),
        (
            "def lake_pair(sides):\n    return spaces.MultiDiscrete(sides), spaces.Discrete(max(sides))",
            "squares",
        ),
        (
            "def lake_pair(sides):\n"
            "    squares = [s * s for s in sides]\n"
            "    return [spaces.MultiDiscrete(squares), spaces.Discrete(max(squares))]",
            "a tuple",
        ),
        (
            "def lake_pair(sides):\n"
            "    squares = [s * s for s in sides]\n"
            "    return spaces.MultiDiscrete(squares), spaces.Discrete(sum(squares))",
            "more entries than",
        ),
    ],
)
def _lake_pair(answer):
    for sides in ([4, 8], [5, 4, 6], [8]):
        squares = [side * side for side in sides]
        pair = answer(list(sides))
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise Hint("observation_mode takes a tuple of two spaces; a list is refused")
        batched, single = pair
        if isinstance(batched, spaces.Discrete):
            raise Hint("the batched space comes first, the single one second")
        if batched == spaces.MultiDiscrete(sides):
            raise Hint("a lake with side 4 has 4 times 4 squares, and each is an observation")
        if batched != spaces.MultiDiscrete(squares):
            raise Hint(f"for sides {sides} the batched space is MultiDiscrete with one number of squares for each row")
        if not isinstance(single, spaces.Discrete):
            raise Hint("the single space is that of one row: a Discrete")
        if single.n < max(squares):
            raise Hint(f"for sides {sides} the single space must have room for the largest lake, wherever it stands")
        if single.n > max(squares):
            raise Hint("the single space has more entries than the largest lake needs")


@exercise(
    "13.3",
    wrong=[
        (
            "def make_lakes(seeds):\n"
            "    return SyncVectorEnv([lambda: gym.make('FrozenLake-v1', "
            "desc=generate_random_map(size=4, seed=s)) for s in seeds])",
            "last seed",
        ),
        (
            "def make_lakes(seeds):\n"
            "    return gym.make_vec('FrozenLake-v1', num_envs=len(seeds), vectorization_mode='sync', "
            "desc=generate_random_map(size=4, seed=seeds[0]))",
            "one set of arguments",
        ),
        (
            "def make_lakes(seeds):\n"
            "    return SyncVectorEnv([lambda: gym.make('FrozenLake-v1', "
            "desc=generate_random_map(size=4)) for s in seeds])",
            "its own seed",
        ),
        (
            "def make_lakes(seeds):\n"
            "    envs = SyncVectorEnv([partial(gym.make, 'FrozenLake-v1')] * len(seeds))\n"
            "    envs.reset(seed=list(seeds))\n"
            "    return envs",
            "desc=",
        ),
    ],
)
def _make_lakes(answer):
    seeds = [3, 11, 7]
    envs = answer(list(seeds))
    if not isinstance(envs, gym.vector.VectorEnv):
        raise Hint("return a SyncVectorEnv of a list of factories")
    maps = [["".join(square.decode() for square in line) for line in desc] for desc in envs.get_attr("desc")]
    envs.close()
    expected = [generate_random_map(size=4, seed=seed) for seed in seeds]
    if len(maps) != len(seeds):
        raise Hint(f"{len(seeds)} seeds ask for as many rows, got {len(maps)}")
    if maps == expected:
        return
    if maps == [expected[-1]] * len(seeds):
        raise Hint("every row has the map of the last seed: the lambdas read the variable when the loop was over")
    if maps == [expected[0]] * len(seeds):
        raise Hint("all rows have one map: make_vec has one set of arguments for all of them")
    if all(each == maps[0] for each in maps):
        raise Hint("all rows have one map; give each factory its own with desc=")
    raise Hint("row i must have the map of its own seed, generate_random_map(size=4, seed=seeds[i])")


_SPACE = (
    "        low = np.append(env.observation_space.low, np.float32(0))\n"
    "        high = np.append(env.observation_space.high, np.float32(100))\n"
    "        self.observation_space = spaces.Box(low, high)\n"
)


@exercise(
    "13.4",
    wrong=[
        (
            "class ShowGravity(gym.ObservationWrapper):\n"
            "    def observation(self, observation):\n"
            "        return np.append(observation, np.float32(self.unwrapped.gravity))",
            "observation_space",
        ),
        (
            "class ShowGravity(gym.ObservationWrapper):\n"
            "    def __init__(self, env):\n"
            "        super().__init__(env)\n" + _SPACE + "        self.seen = np.float32(self.unwrapped.gravity)\n"
            "    def observation(self, observation):\n"
            "        return np.append(observation, self.seen)",
            "present gravity",
        ),
        (
            "class ShowGravity(gym.ObservationWrapper):\n"
            "    def __init__(self, env):\n"
            "        super().__init__(env)\n" + _SPACE + "    def observation(self, observation):\n"
            "        return np.append(observation, self.unwrapped.gravity)",
            "float32",
        ),
        (
            "class ShowGravity(gym.ObservationWrapper):\n"
            "    def __init__(self, env):\n"
            "        super().__init__(env)\n" + _SPACE + "    def observation(self, observation):\n"
            "        return np.append(np.float32(self.unwrapped.gravity), observation)",
            "fifth",
        ),
    ],
)
def _show_gravity(answer):
    env = answer(gym.make("CartPole-v1"))
    observation, _ = env.reset(seed=0)
    if np.shape(observation) != (5,):
        raise Hint(f"the observation must have five numbers, got shape {np.shape(observation)}")
    if env.observation_space.shape != (5,):
        raise Hint("the observation has five numbers, but observation_space still promises four: set it in __init__")
    if observation.dtype != np.float32:
        raise Hint("the observation became float64; append np.float32(...) so that it stays float32")
    envs = gym.make_vec("CartPole-v1", 2, vectorization_mode="sync", wrappers=[answer])
    plain = gym.make_vec("CartPole-v1", 2, vectorization_mode="sync")
    for each in (envs, plain):
        each.set_attr("gravity", [3.7, 24.8])
    shown, four = envs.reset(seed=0)[0], plain.reset(seed=0)[0]
    for _ in range(3):
        if not np.array_equal(shown[:, :4], four):
            raise Hint("the first four numbers must stay as they were; gravity is the fifth")
        if not np.allclose(shown[:, 4], [3.7, 24.8]):
            raise Hint("the fifth number must be the row's present gravity, also after set_attr has changed it")
        if shown not in envs.observation_space:
            raise Hint("the observation is outside observation_space; gravity lies between 0 and 100")
        shown, four = envs.step(np.array([0, 1]))[0], plain.step(np.array([0, 1]))[0]
