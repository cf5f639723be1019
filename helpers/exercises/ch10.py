"""Checks of chapter 10, space utilities."""

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.vector import SyncVectorEnv
from gymnasium.vector.utils import (
    batch_space,
    concatenate,
    create_empty_array,
    create_shared_memory,
    iterate,
    read_from_shared_memory,
    write_to_shared_memory,
)

from helpers.exercises import Hint, exercise


@exercise(
    "10.1",
    wrong=[
        ("answer = (16, 5)", "one row"),
        ("answer = (48, 5)", "label"),
        ("answer = (16, 15)", "image"),
        ("answer = 63", "tuple of two"),
        ("answer = (384, 15)", "one byte"),
        ("answer = (48, 3)", "maximal length"),
    ],
)
def _memory(answer):
    if not isinstance(answer, tuple) or len(answer) != 2:
        raise Hint("give a tuple of two numbers: bytes of image, codes of label")
    image, label = answer
    if (image, label) == (16, 5):
        raise Hint("that is the memory of one row; there are three")
    if image > 48:
        raise Hint("a uint8 takes one byte, not eight")
    if image != 48:
        raise Hint("image has 4 times 4 numbers of one byte, for each of three rows")
    if label == 3:
        raise Hint("a word is stored character by character, at the maximal length of the Text")
    if label != 15:
        raise Hint("label has room for 5 codes in each of three rows")


_NO_COPY = """def take_rows(single, batched, batch, chosen):
    rows = list(utils.iterate(batched, batch))
    return utils.concatenate(single, [rows[i] for i in chosen], batch)
"""
_ALL_ROWS = """def take_rows(single, batched, batch, chosen):
    rows = list(utils.iterate(batched, batch))
    return utils.concatenate(single, [rows[i] for i in chosen], utils.create_empty_array(single, n=len(rows)))
"""
_LIST = """def take_rows(single, batched, batch, chosen):
    rows = list(utils.iterate(batched, batch))
    return [rows[i] for i in chosen]
"""
_SORTED = """def take_rows(single, batched, batch, chosen):
    rows = [row for i, row in enumerate(utils.iterate(batched, batch)) if i in chosen]
    return utils.concatenate(single, rows, utils.create_empty_array(single, n=len(rows)))
"""
_SINGLE = """def take_rows(single, batched, batch, chosen):
    rows = list(utils.iterate(single, batch))
    return utils.concatenate(single, [rows[i] for i in chosen], utils.create_empty_array(single, n=len(chosen)))
"""


@exercise(
    "10.2",
    wrong=[
        ("def take_rows(single, batched, batch, chosen):\n    return batch[chosen]", "a dict"),
        (_NO_COPY, "wrong shape"),
        (_ALL_ROWS, "wrong shape"),
        (_LIST, "not a list"),
        (_SORTED, "order"),
        (_SINGLE, "batched space"),
    ],
)
def _take_rows(answer):
    # Each case once with two rows, once with as many as there are, so that a reused batch shows.
    single = spaces.Dict(a=spaces.Box(0, 1, (2,)), b=spaces.Tuple((spaces.Discrete(99), spaces.Text(4))))
    single.seed(0)
    rows = [single.sample() for _ in range(4)]
    for chosen in ([0, 2], [3, 0], [3, 2, 1, 0]):
        batch = concatenate(single, rows, create_empty_array(single, n=4))
        try:
            found = answer(single, batch_space(single, 4), batch, chosen)
        except (KeyError, TypeError, ValueError) as error:
            if "unhashable" in str(error) or isinstance(error, KeyError):
                raise Hint("the batch is a dict here: it cannot be indexed by row numbers") from error
            if "zip()" in str(error) or "Unable to iterate" in str(error):
                raise Hint("iterate wants the batched space, not the single one") from error
            raise
        if isinstance(found, list):
            raise Hint("return a batch, not a list of rows: concatenate them")
        if found not in batch_space(single, len(chosen)):
            raise Hint(f"the result for rows {chosen} is no member of batch_space(single, {len(chosen)})")
        if not np.array_equal(batch["a"], [row["a"] for row in rows]):
            raise Hint("the batch that came in was changed; give concatenate memory of its own")
        for i, row in zip(chosen, iterate(batch_space(single, len(chosen)), found), strict=True):
            if not np.array_equal(row["a"], rows[i]["a"]) or row["b"] != rows[i]["b"]:
                raise Hint(f"for rows {chosen} the result has other rows, or has them in another order")


_REGISTER_REST = """
    for function in (utils.create_empty_array, utils.concatenate, utils.iterate, utils.create_shared_memory,
                     utils.read_from_shared_memory, utils.write_to_shared_memory):
        function.register(space_type, function.dispatch(spaces.Box))
"""
_ONLY_BATCH = """def teach(space_type):
    def batch(space, n=1):
        return space_type((n, *space.shape), seed=deepcopy(space.np_random))
    utils.batch_space.register(space_type, batch)
"""
_NO_SHARED = (
    _ONLY_BATCH
    + """    for function in (utils.create_empty_array, utils.concatenate, utils.iterate):
        function.register(space_type, function.dispatch(spaces.Box))
"""
)
_TO_BOX = (
    """def teach(space_type):
    utils.batch_space.register(space_type, lambda space, n=1: spaces.Box(-1, 1, (n, *space.shape)))"""
    + _REGISTER_REST
)
_SAME_SHAPE = (
    """def teach(space_type):
    utils.batch_space.register(space_type, lambda space, n=1: space_type(space.shape))"""
    + _REGISTER_REST
)
_ALL_FROM_BOX = (
    """def teach(space_type):
    utils.batch_space.register(space_type, utils.batch_space.dispatch(spaces.Box))"""
    + _REGISTER_REST
)
_NO_GENERATOR = (
    """def teach(space_type):
    utils.batch_space.register(space_type, lambda space, n=1: space_type((n, *space.shape)))"""
    + _REGISTER_REST
)
_SHARED_GENERATOR = (
    """def teach(space_type):
    utils.batch_space.register(space_type, lambda space, n=1: space_type((n, *space.shape), seed=space.np_random))"""
    + _REGISTER_REST
)
_NO_ITERATE = (
    _ONLY_BATCH
    + """    for function in (utils.create_empty_array, utils.concatenate, utils.create_shared_memory,
                     utils.read_from_shared_memory, utils.write_to_shared_memory):
        function.register(space_type, function.dispatch(spaces.Box))
"""
)


@exercise(
    "10.3",
    wrong=[
        ("def teach(space_type):\n    pass", "batch_space gives a Tuple"),
        (_ONLY_BATCH, "create_empty_array"),
        (_NO_ITERATE, "iterate"),
        (_NO_SHARED, "shared memory"),
        (_TO_BOX, "same type"),
        (_SAME_SHAPE, "one more axis"),
        (_ALL_FROM_BOX, "borrowed"),
        (_NO_GENERATOR, "same batches"),
        (_SHARED_GENERATOR, "copy"),
    ],
)
def _teach(answer):
    class UnitVector(gym.Space):
        """Arrays whose last axis has length 1; a new class at every check, so nothing is registered for it."""

        def __init__(self, shape, seed=None):
            super().__init__(shape, np.float32, seed)

        def sample(self, mask=None, probability=None):
            x = self.np_random.normal(size=self.shape).astype(self.dtype)
            return x / np.linalg.norm(x, axis=-1, keepdims=True)

        def contains(self, x):
            fits = isinstance(x, np.ndarray) and (x.shape, x.dtype) == (self.shape, self.dtype)
            return fits and bool(np.allclose(np.linalg.norm(x, axis=-1), 1, atol=1e-5))

        def __eq__(self, other):
            return isinstance(other, UnitVector) and self.shape == other.shape

    class Compass(gym.Env):
        observation_space, action_space = UnitVector((2,)), UnitVector((2,))

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            return UnitVector((2,), seed=seed).sample(), {}

        def step(self, action):
            return action, 0.0, False, False, {}

    answer(UnitVector)
    single = UnitVector((2,), seed=0)
    try:
        batched = batch_space(single, 2)
    except AttributeError as error:
        raise Hint("batch_space cannot be borrowed from Box: the class has no low and no high") from error
    if isinstance(batched, spaces.Tuple):
        raise Hint("batch_space gives a Tuple of rows; register an implementation that returns a space_type")
    if type(batched) is not UnitVector:
        raise Hint("a batch must be of the same type, or it allows rows that the single space does not")
    if batched.shape != (2, 2):
        raise Hint(f"batching (2,) by 2 gave the shape {batched.shape}; put one more axis, n, in front")
    before = single.np_random.bit_generator.state
    if not np.array_equal(batch_space(single, 2).sample(), batch_space(UnitVector((2,), seed=0), 2).sample()):
        raise Hint("two spaces of one seed must give the same batches: pass on the generator as seed=")
    if single.np_random.bit_generator.state != before:
        raise Hint("sampling the batch moved the single space's generator; pass a copy of it")
    rows = [single.sample() for _ in range(2)]
    out = create_empty_array(single, n=2)
    if not isinstance(out, np.ndarray):
        raise Hint("create_empty_array returns None for the class: register it too")
    batch = concatenate(single, rows, out)
    if not isinstance(batch, np.ndarray):
        raise Hint("concatenate returns a tuple of rows: register it too")
    _check_iterate(batched, batch, rows)
    _check_shared_memory(single, rows)
    envs = SyncVectorEnv([Compass, Compass])
    envs.reset(seed=0)
    observation, *_ = envs.step(batch)
    envs.close()
    if observation not in envs.observation_space or not np.array_equal(observation, batch):
        raise Hint("in a SyncVectorEnv, the actions did not reach the rows they belong to")


def _check_iterate(batched, batch, rows):
    try:
        back = list(iterate(batched, batch))
    except gym.error.CustomSpaceError as error:
        raise Hint("iterate does not know the class: register it too, or no action can be passed on") from error
    if not np.array_equal(back, rows):
        raise Hint("iterate(concatenate(rows)) must give the rows back")


def _check_shared_memory(single, rows):
    try:
        memory = create_shared_memory(single, n=2)
        for index, row in enumerate(rows):
            write_to_shared_memory(single, index, row, memory)
        view = read_from_shared_memory(single, memory, n=2)
    except gym.error.CustomSpaceError as error:
        raise Hint("for shared memory there are three more functions to register: create, write, read") from error
    if not np.array_equal(view, rows):
        raise Hint("what is written to shared memory must be read back")
