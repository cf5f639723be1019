"""Notes which functions of Gymnasium a script calls, and with which arguments; works from PYTHONPATH.

At exit writes a JSON file, named by the environment variable CALLS: from ``file:qualified name`` to the values that
each argument had; of a value that is not a constant, only its type.
"""

import atexit
import enum
import json
import os
import sys
import threading

calls: dict[int, tuple] = {}  # by id: to hash a code object takes long
CONSTANT = str | bool | int | float | None | enum.Enum


def note(frame, _event, _):
    """Note the call; asks for no events within it."""
    code = frame.f_code
    if id(code) not in calls:
        calls[id(code)] = (code, {} if "gymnasium" in code.co_filename else None)
    given = calls[id(code)][1]
    if given is not None and code.co_name in ("__init__", "make_vec"):
        keywords = bool(code.co_flags & 8)  # takes **kwargs
        for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + keywords]:
            value = frame.f_locals.get(name)
            given.setdefault(name, set()).add(str(value) if isinstance(value, CONSTANT) else type(value).__name__)


def write(path: str, process: int) -> None:
    """Write what was noted; a forked worker leaves that to its parent."""
    sys.settrace(None)
    if os.getpid() == process:
        noted = {
            f"{code.co_filename}:{code.co_qualname}": {name: sorted(values) for name, values in given.items()}
            for code, given in calls.values()
            if given is not None
        }
        with open(path, "w", encoding="utf-8") as file:
            json.dump(noted, file)


if path := os.environ.pop("CALLS", None):  # processes that the script starts are not traced
    atexit.register(write, path, os.getpid())
    sys.settrace(note)
    threading.settrace(note)
