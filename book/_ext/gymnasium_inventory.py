"""Lets names in code cells and `{py:obj}` roles link to Gymnasium's reference, without asking its site at build time.

The names come from the installed package; the pages they are on follow the reference's own layout.
"""

import importlib
from pathlib import Path

import gymnasium as gym
from sphinx.util.inventory import InventoryFile

SITE = "https://gymnasium.farama.org/"
FUNDAMENTAL = ("Box", "Discrete", "MultiBinary", "MultiDiscrete", "Text")
CALLS = ("reset", "step", "close", "call", "get_attr", "set_attr")
METHODS = {  # those that the reference has an entry for
    "gymnasium.vector.VectorEnv": ("reset", "step", "close"),
    "gymnasium.vector.SyncVectorEnv": CALLS,
    "gymnasium.vector.AsyncVectorEnv": CALLS,
    "gymnasium.vector.VectorWrapper": ("reset", "step", "render", "close"),
    "gymnasium.vector.VectorObservationWrapper": ("observations",),
    "gymnasium.vector.VectorActionWrapper": ("actions",),
    "gymnasium.vector.VectorRewardWrapper": ("rewards",),
}
WITHOUT_ENTRY = ("batch_differing_spaces", "HumanRendering", "RecordVideo")
COMPOSITE = ("Dict", "Tuple", "Sequence", "Graph", "OneOf")


def pages() -> dict[str, str]:
    """Return the page of the reference for each public name."""
    found = {
        f"gymnasium.{name}": "api/registry/" for name in ("make", "make_vec", "register", "spec", "pprint_registry")
    }
    found |= {"gymnasium.Env": "api/env/", "gymnasium.Wrapper": "api/wrappers/"}
    found |= {f"gymnasium.spaces.{name}": "api/spaces/fundamental/" for name in FUNDAMENTAL}
    found |= {f"gymnasium.spaces.{name}": "api/spaces/composite/" for name in COMPOSITE}
    found |= {"gymnasium.Space": "api/spaces/", "gymnasium.spaces.Space": "api/spaces/"}
    found["gymnasium.vector.VectorEnv"] = "api/vector/"
    found["gymnasium.vector.AsyncVectorEnv"] = "api/vector/async_vector_env/"
    found["gymnasium.vector.SyncVectorEnv"] = "api/vector/sync_vector_env/"
    bases = ("VectorWrapper", "VectorObservationWrapper", "VectorActionWrapper", "VectorRewardWrapper")
    found |= {f"gymnasium.vector.{name}": "api/vector/wrappers/" for name in bases}
    found |= {f"gymnasium.vector.utils.{name}": "api/vector/utils/" for name in gym.vector.utils.__all__}
    found |= {f"gymnasium.wrappers.vector.{name}": "api/vector/wrappers/" for name in gym.wrappers.vector.__all__}
    return {name: page for name, page in found.items() if not name.endswith(WITHOUT_ENTRY)}


def defined_as(name: str) -> str:
    """Return the name by the module that defines it, by which sphinx-codeautolink looks classes up."""
    module, leaf = name.rsplit(".", 1)
    try:
        found = getattr(importlib.import_module(module), leaf)
    except (ImportError, AttributeError):  # not here, or not without other packages
        return name
    return f"{found.__module__}.{leaf}"


class _Inventory:
    """What Sphinx's writer of inventories asks of an environment and its domains."""

    def __init__(self, config) -> None:
        self.config = type("Config", (), {"project": "Gymnasium", "version": gym.__version__})
        self.domains = {"py": self}
        self.pages = pages()

    def get_objects(self):
        for name, page in self.pages.items():
            # By its spelling: some wrappers cannot be imported without packages the book does not need.
            kind = "class" if name.rsplit(".", 1)[1][0].isupper() else "function"
            for alias in {name, defined_as(name)}:
                yield alias, alias, kind, page, name, 1
                for method in METHODS.get(name, ()):
                    yield f"{alias}.{method}", f"{alias}.{method}", "method", page, f"{name}.{method}", 1

    def get_target_uri(self, page: str) -> str:
        return page


def write(app, config):
    """Write the inventory beside the built book and point intersphinx to it."""
    path = Path(app.doctreedir) / "gymnasium.inv"
    path.parent.mkdir(parents=True, exist_ok=True)
    inventory = _Inventory(config)
    InventoryFile.dump(str(path), inventory, inventory)
    config.intersphinx_mapping["gymnasium"] = (SITE, str(path))


def setup(app):
    """Run before intersphinx reads its setting."""
    app.connect("config-inited", write, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
