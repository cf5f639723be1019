"""A Ray cluster of several real nodes on this one machine, for chapter 23 and its tests.

Each node has a scheduler, an object store and workers of its own, and an address of its own on the loopback interface.
On real machines nothing of this is needed: there, ``ray start`` makes the nodes and ``ray.init(address)`` joins them.
"""

import atexit
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

# Ray reads these once, when it is imported or first used. Its ports listen on every interface, whatever the address of
# the node: without a token, anybody who can reach this machine could run code on it.
SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_AUTH_MODE": "token",
    "RAY_AUTH_TOKEN": secrets.token_hex(32),
}
if "ray" in sys.modules and os.environ.get("RAY_AUTH_MODE") != "token":
    raise ImportError(
        'set os.environ["RAY_AUTH_MODE"] = "token" before you import ray, or import helpers.loopback first'
    )
for _name, _value in SETTINGS.items():
    os.environ.setdefault(_name, _value)

import ray  # noqa: E402
from ray._private import services, worker  # noqa: E402
from ray._private.node import Node  # noqa: E402
from ray._raylet import (  # noqa: E402
    DASHBOARD_AGENT_LISTEN_PORT_NAME,
    METRICS_AGENT_PORT_NAME,
    METRICS_EXPORT_PORT_NAME,
    persist_port,
)
from ray.cluster_utils import Cluster  # noqa: E402

from helpers import janitor  # noqa: E402

# On a busy machine a node may take minutes to start; Ray would give up after half a minute.
PATIENCE = 180  # seconds
_SYSTEM_CONFIG = {
    "agent_register_timeout_ms": 1000 * PATIENCE,
    "worker_register_timeout_seconds": PATIENCE,
    # By default the workers give way to all other programs.
    "worker_niceness": 0,
    # A node is given up after three checks half a second apart, if its connections are refused. One that only answers
    # late, because the machine is busy, has ten seconds for each.
    "health_check_initial_delay_ms": 500,
    "health_check_period_ms": 500,
    "health_check_timeout_ms": 10_000,
    "health_check_failure_threshold": 3,
}
_NODE = {"object_store_memory": 100_000_000, "include_log_monitor": False, "no_monitor": True}


def _start_raylet(node: Node, *args) -> None:
    """Start the scheduler of a node, without waiting for its agents to say which ports they have.

    They say so in files, and if a busy machine takes more than 15 seconds to start them, the node ends. What the
    agents of this installation, which has no dashboard, will write is known: -1, no port.
    """
    for name in (METRICS_AGENT_PORT_NAME, METRICS_EXPORT_PORT_NAME, DASHBOARD_AGENT_LISTEN_PORT_NAME):
        persist_port(node.get_session_dir_path(), node.node_id, name, -1)
    _RAYS_START_RAYLET(node, *args)


_RAYS_START_RAYLET = Node.start_raylet


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("", 0))
        return found.getsockname()[1]


def _patiently(function):
    """Return `function`, retried for as long as it raises a `RuntimeError` and `PATIENCE` lasts."""

    def retried(*args):
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return function(*args)
            except RuntimeError:
                if time.monotonic() > deadline:
                    raise
            time.sleep(0.1)

    return retried


@contextmanager
def _variable(name: str, value: str) -> Iterator[None]:
    """Set an environment variable for the block."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        del os.environ[name]
        if before is not None:
            os.environ[name] = before


@contextmanager
def _silent() -> Iterator[None]:
    """Drop what is written to standard error below Python: Ray announces there that it will be silent."""
    sys.stderr.flush()
    kept = os.dup(2)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _drop(*_, **__) -> None:
    """Drop what Ray would print, at any time, about processes and nodes that died."""


class Loopback:
    """A running cluster that this program has joined; leave it with `stop`, which also happens at exit.

    Args:
        nodes: how many nodes; node 0 is the head, which this program is connected to.
        cpus: how many processors each node says it has. Ray counts what is asked for, it does not measure.

    Attributes:
        address: what `ray.init` takes to join the cluster.
        folder: where the cluster keeps its logs and sockets; gone when it has stopped.

    Raises:
        OSError: on other systems than Linux.
        RuntimeError: if this program has joined a cluster already.
    """

    def __init__(self, nodes: int = 2, cpus: int = 1) -> None:
        if sys.platform != "linux":
            raise OSError("a loopback cluster needs Linux, where each address 127.x.y.z is this machine")
        if ray.is_initialized():
            raise RuntimeError("this program has joined a cluster already; call ray.shutdown() first")
        # A short path, since the names of sockets may not be long.
        self.folder = tempfile.mkdtemp(prefix="ray-", dir="/tmp")
        self._janitor = self._hire()
        self._cluster: Cluster | None = None
        self._undo = ExitStack()
        try:
            self._start(nodes, cpus)
        except BaseException:
            self.stop()
            self._janitor = self._hire()  # a node that never started may write into the folder when this program ends
            raise
        # After Ray's own functions, so that it runs before them: they end the nodes first, and this program with them.
        atexit.register(self.stop)

    def _hire(self) -> subprocess.Popen:
        """Start the process that cleans up after this one."""
        command = [sys.executable, "-I", janitor.__file__, self.folder]
        return subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)

    def _start(self, nodes: int, cpus: int) -> None:
        self._undo.enter_context(_variable("RAY_TMPDIR", self.folder))
        self._undo.enter_context(patch.object(worker, "print_to_stdstream", _drop))
        with (
            patch.object(services, "get_node", _patiently(services.get_node)),
            patch.object(Node, "start_raylet", _start_raylet),
            patch.object(Node, "start_api_server"),
        ):
            self._cluster = Cluster()
            self._nodes = {
                number: self._cluster.add_node(
                    **_NODE,
                    runtime_env_agent_port=_free_port(),
                    num_cpus=cpus,
                    node_ip_address=f"127.0.0.{number + 2}",  # not 127.0.0.1, which Ray replaces
                    **({} if number else {"_system_config": dict(_SYSTEM_CONFIG)}),
                )
                for number in range(nodes)
            }
        self.address = self._cluster.address
        self._undo.enter_context(_variable("RAY_BACKEND_LOG_LEVEL", "fatal"))
        with _silent():
            ray.init(self.address, _node_ip_address="127.0.0.2", log_to_driver=False, logging_level="ERROR")

    def lose(self, number: int) -> None:
        """Kill all processes of a node at once, as a power cut would; node 0 cannot be lost.

        Raises:
            ValueError: if there is no such node, or it was lost before.
        """
        left = sorted(set(self._nodes) - {0})
        if number not in left:
            raise ValueError(f"number={number}; the nodes that can be lost are {left}")
        self._cluster.remove_node(self._nodes.pop(number), allow_graceful=False)

    def stop(self) -> None:
        """Leave the cluster, end its processes and remove its files; do nothing the second time."""
        if self._janitor.returncode is not None:
            return
        atexit.unregister(self.stop)
        ray.shutdown()
        if self._cluster is not None:
            self._cluster.shutdown()
            self._cluster = None
        self._undo.close()
        self._janitor.stdin.close()
        self._janitor.wait()
