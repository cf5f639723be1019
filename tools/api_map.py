"""The table of `book/api_map`: every public name around vector environments, and the chapters whose cells use it.

The names come from the installed package and must be exactly those described here: a new or a vanished one stops the
build. A name is used where a cell's code calls it, passes it on, catches it or reads it; an import alone does not
count, and prose does not either.
"""

import ast
import dataclasses
import functools
import inspect
from collections import defaultdict
from collections.abc import Iterable, Iterator

import gymnasium as gym
import nbformat
from gymnasium.envs.registration import EnvSpec

from tools.project import ROOT, notebooks, stop

NEEDS = {
    "ResizeObservation": "OpenCV",
    "RecordVideo": "moviepy",
    "HumanRendering": "OpenCV and a display",
    "ArrayConversion": "array-api-compat",
    "JaxToNumpy": "JAX",
    "JaxToTorch": "JAX and PyTorch",
    "NumpyToTorch": "PyTorch",
}

ABOUT = {
    "gymnasium.make_vec": "make a vector environment from an id or a spec",
    "gymnasium.VectorizeMode": "the three ways `make_vec` can vectorise",
    "gymnasium.vector.VectorEnv": "the base class of all vector environments",
    "gymnasium.vector.SyncVectorEnv": "sub-environments in one process, one after the other",
    "gymnasium.vector.AsyncVectorEnv": "sub-environments in processes of their own",
    "gymnasium.vector.AutoresetMode": "when a finished row is reset",
    "gymnasium.vector.VectorWrapper": "base class of wrappers around a whole batch",
    "gymnasium.vector.VectorObservationWrapper": "base class: changes the observations",
    "gymnasium.vector.VectorActionWrapper": "base class: changes the actions",
    "gymnasium.vector.VectorRewardWrapper": "base class: changes the rewards",
    "gymnasium.vector.async_vector_env.AsyncState": "what an `AsyncVectorEnv` is waiting for",
    "gymnasium.vector.utils.batch_space": "the space of n rows, from the space of one",
    "gymnasium.vector.utils.batch_differing_spaces": "the space of rows whose bounds differ",
    "gymnasium.vector.utils.iterate": "a batch, row by row",
    "gymnasium.vector.utils.concatenate": "rows into a batch",
    "gymnasium.vector.utils.create_empty_array": "the arrays a batch goes into",
    "gymnasium.vector.utils.create_shared_memory": "memory that processes share, for a space",
    "gymnasium.vector.utils.read_from_shared_memory": "that memory as arrays",
    "gymnasium.vector.utils.write_to_shared_memory": "one row's observation into that memory",
    "gymnasium.vector.utils.CloudpickleWrapper": "lets a factory travel to another process",
    "gymnasium.vector.utils.clear_mpi_env_vars": "hides MPI's variables while a process starts",
    "gymnasium.wrappers.vector.VectorizeTransformObservation": "a single-environment observation wrapper, row by row",
    "gymnasium.wrappers.vector.VectorizeTransformAction": "a single-environment action wrapper, row by row",
    "gymnasium.wrappers.vector.VectorizeTransformReward": "a single-environment reward wrapper, row by row",
    "gymnasium.wrappers.vector.DictInfoToList": "infos as one dict for each row",
    "gymnasium.wrappers.vector.TransformObservation": "a function of the batch of observations",
    "gymnasium.wrappers.vector.FilterObservation": "keep some keys of a `Dict` or `Tuple`",
    "gymnasium.wrappers.vector.FlattenObservation": "one flat vector a row",
    "gymnasium.wrappers.vector.GrayscaleObservation": "images without colour",
    "gymnasium.wrappers.vector.ResizeObservation": "images of another size",
    "gymnasium.wrappers.vector.ReshapeObservation": "the same numbers in another shape",
    "gymnasium.wrappers.vector.RescaleObservation": "observations between other bounds",
    "gymnasium.wrappers.vector.DtypeObservation": "observations of another dtype",
    "gymnasium.wrappers.vector.NormalizeObservation": "observations by a running mean and variance",
    "gymnasium.wrappers.vector.TransformAction": "a function of the batch of actions",
    "gymnasium.wrappers.vector.ClipAction": "actions within the bounds",
    "gymnasium.wrappers.vector.RescaleAction": "actions between other bounds",
    "gymnasium.wrappers.vector.TransformReward": "a function of the rewards",
    "gymnasium.wrappers.vector.ClipReward": "rewards within bounds",
    "gymnasium.wrappers.vector.NormalizeReward": "rewards divided by the deviation of their return",
    "gymnasium.wrappers.vector.RecordEpisodeStatistics": "return, length and time of finished episodes",
    "gymnasium.wrappers.vector.RecordVideo": "videos of row 0",
    "gymnasium.wrappers.vector.HumanRendering": "the rows' frames in a window",
    "gymnasium.wrappers.vector.ArrayConversion": "arrays of one library as those of another",
    "gymnasium.wrappers.vector.JaxToNumpy": "JAX arrays as NumPy arrays",
    "gymnasium.wrappers.vector.JaxToTorch": "JAX arrays as PyTorch tensors",
    "gymnasium.wrappers.vector.NumpyToTorch": "NumPy arrays as PyTorch tensors",
    "gymnasium.error.AlreadyPendingCallError": "a call was made while another was under way",
    "gymnasium.error.NoAsyncCallError": "a wait without a call to wait for",
    "gymnasium.error.ClosedEnvironmentError": "a call after `close`",
    "gymnasium.error.CustomSpaceError": "a space that shared memory or batching does not know",
    "gymnasium.utils.performance.benchmark_vector_step": "environment steps a second",
}

PARAMETERS = {
    "gymnasium.make_vec": ["id", "num_envs", "vectorization_mode", "vector_kwargs", "wrappers", "kwargs"],
    "gymnasium.vector.SyncVectorEnv": ["env_fns", "copy", "observation_mode", "autoreset_mode"],
    "gymnasium.vector.AsyncVectorEnv": [
        "env_fns", "shared_memory", "copy", "context", "daemon", "worker", "observation_mode", "autoreset_mode",
        "max_concurrency",
    ],
    "gymnasium.envs.registration.EnvSpec": ["vector_entry_point", "kwargs"],
}  # fmt: skip
MOST = 8  # chapters listed in a row
POSITIONAL = {"id", "env_fns"}  # given by place


def public() -> set[str]:
    """Return the public names of the installed package that the map must cover."""
    names = {f"gymnasium.vector.{name}" for name in gym.vector.__all__ if name != "utils"}
    names |= {f"gymnasium.vector.utils.{name}" for name in gym.vector.utils.__all__}
    names |= {f"gymnasium.wrappers.vector.{name}" for name in gym.wrappers.vector.__all__}
    return names


def check_names() -> list[str]:
    """Return one problem for each name that is new or gone, and each parameter that is."""
    problems = [
        f"tools/api_map.py: {name} is public but not described; add it to ABOUT" for name in public() - set(ABOUT)
    ]
    for name in set(ABOUT) - public():
        if not exists(name):
            problems.append(f"tools/api_map.py: {name} is described but not in the installed package; remove it")
    for owner, known in PARAMETERS.items():
        if owner.endswith("EnvSpec"):
            missing = set(known) - {field.name for field in dataclasses.fields(EnvSpec)}
        else:
            missing = set(known) ^ set(inspect.signature(find(owner)).parameters)
        problems += [f"tools/api_map.py: {owner} and PARAMETERS differ in {name}" for name in sorted(missing)]
    return problems


def find(name: str):
    """Return the object a dotted name stands for."""
    module, leaf = name.rsplit(".", 1)
    return getattr(__import__(module, fromlist=[leaf]), leaf)


def exists(name: str) -> bool:
    """Return whether the installed package has a name, without importing what needs other packages."""
    try:
        find(name)
    except (AttributeError, ImportError):
        return False
    return True


class Uses(ast.NodeVisitor):
    """Collects the full names a chapter's code uses, and the keyword arguments it gives."""

    def __init__(self) -> None:
        self.aliases: dict[str, str] = {}
        self.names: set[str] = set()
        self.given: set[tuple[str, str]] = set()  # what is called, by its last name, and a parameter it is given

    def visit_Import(self, node: ast.Import) -> None:
        """Note what a module is called."""
        for alias in node.names:
            self.aliases[alias.asname or alias.name.split(".")[0]] = (
                alias.name if alias.asname else alias.name.split(".")[0]
            )

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Note what a name is called."""
        for alias in node.names:
            self.aliases[alias.asname or alias.name] = f"{node.module}.{alias.name}"

    def visit_Name(self, node: ast.Name) -> None:
        """Note a use of an imported name."""
        if node.id in self.aliases:
            self.names.add(self.aliases[node.id])

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Note a use of a name inside an imported module."""
        parts, inner = [node.attr], node.value
        while isinstance(inner, ast.Attribute):
            parts.append(inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name) and inner.id in self.aliases:
            parts.append(self.aliases[inner.id])
            full = ".".join(reversed(parts))
            pieces = full.split(".")
            self.names |= {".".join(pieces[:count]) for count in range(2, len(pieces) + 1)}
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        """Note what is given to a call by keyword, by place where every call does, and through `vector_kwargs`."""
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if called in ("isinstance", "issubclass"):  # to ask about a class is not to use it
            for argument in node.args:
                if isinstance(argument, ast.Call):
                    self.visit(argument)
            return
        keywords = {keyword.arg: keyword.value for keyword in node.keywords}
        parameters = PARAMETERS.get(next((owner for owner in PARAMETERS if owner.endswith(f".{called}")), ""), [])
        self.given |= {(called, name) for name in parameters if name in keywords or (name in POSITIONAL and node.args)}
        if called == "vector_class":  # how the chapters call either class
            self.given |= {(kind, name) for kind in ("AsyncVectorEnv", "SyncVectorEnv") for name in keywords if name}
        if called in ("make_vec", "register") and keywords.keys() - set(parameters) - {None}:
            self.given.add((called, "kwargs"))
        for key in getattr(keywords.get("vector_kwargs"), "keys", []):
            mode = getattr(keywords.get("vectorization_mode"), "value", "sync")
            self.given.add(("AsyncVectorEnv" if mode == "async" else "SyncVectorEnv", getattr(key, "value", "")))
        self.generic_visit(node)


@functools.cache
def uses() -> dict[str, Uses]:
    """Return what each chapter's code cells use."""
    found = {}
    for name in notebooks():
        found[name] = Uses()
        for cell in nbformat.read(ROOT / f"{name}.ipynb", as_version=4).cells:
            if cell.cell_type == "code":
                found[name].visit(ast.parse(cell.source))
    return found


def places() -> dict[str, list[str]]:
    """Return the chapters that use each name."""
    # Names are exported in several places: gymnasium.vector.AutoresetMode is gymnasium.vector.vector_env.AutoresetMode.
    by_leaf = defaultdict(list)
    for name in ABOUT:
        by_leaf[name.rsplit(".", 1)[1]].append(name)
    result = {name: [] for name in ABOUT}
    for chapter, used in uses().items():
        for full in used.names:
            owner, _, leaf = full.rpartition(".")
            for name in by_leaf.get(leaf, []):
                # gymnasium.wrappers holds wrappers of the same names for single environments.
                if owner.startswith("gymnasium") and ("wrappers.vector" in full) == ("wrappers.vector" in name):
                    result[name].append(chapter)
    return {name: by_number(chapters) for name, chapters in result.items()}


def by_number(chapters: Iterable[str]) -> list[str]:
    """Return chapters without repeats, in the order of the book."""
    return sorted(set(chapters), key=lambda chapter: chapter.rsplit("/", 1)[1])


def parameter_places(owner: str, parameter: str) -> list[str]:
    """Return the chapters that give `parameter` to `owner`."""
    given = (owner.rsplit(".", 1)[1], parameter)
    return by_number(name for name, used in uses().items() if given in used.given)


def links(chapters: list[str]) -> str:
    """Return links from a page in book/ to the first few chapters, by their numbers."""
    shown = ", ".join(f"[{chapter.rsplit('/', 1)[1][:2]}](../{chapter}.ipynb)" for chapter in chapters[:MOST])
    rest = len(chapters) - MOST
    return f"{shown} and {rest} more" if rest > 0 else shown


def tables() -> Iterator[str]:
    """Yield the map as Markdown, one table for each module.

    Exits with one line for each name that no chapter uses.
    """
    found = places()
    problems = check_names()
    for name, chapters in found.items():
        if not chapters and name.rsplit(".", 1)[1] not in NEEDS:
            problems.append(f"{name}: no chapter's code uses it; the map needs one")
    for owner, parameters in PARAMETERS.items():
        problems += [
            f"{owner}({name}=...): no chapter gives it" for name in parameters if not parameter_places(owner, name)
        ]
    if problems:
        stop(*problems)
    owners = list(dict.fromkeys(name.rsplit(".", 1)[0] for name in ABOUT))
    for owner in owners:
        yield f"\n## `{owner}`\n\n| name | what it is | chapters whose code uses it |\n| --- | --- | --- |"
        for name, about in ABOUT.items():
            if name.rsplit(".", 1)[0] == owner:
                leaf = name.rsplit(".", 1)[1]
                needs = f" (needs {NEEDS[leaf]})" if leaf in NEEDS else ""
                yield f"| `{leaf}` | {about}{needs} | {links(found[name]) or 'not run here'} |"
    yield "\n## Parameters\n\n| of | parameter | chapters |\n| --- | --- | --- |"
    for owner, parameters in PARAMETERS.items():
        for name in parameters:
            yield f"| `{owner.rsplit('.', 1)[1]}` | `{name}` | {links(parameter_places(owner, name))} |"
