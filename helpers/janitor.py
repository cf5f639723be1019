"""Clean up after a process, however it ends: wait for it, end what it left behind, remove its folder.

usage: python janitor.py FOLDER, started by the process in question with a pipe as standard input.

The pipe closes when that process ends, also when it is killed and can clean up nothing itself. A process belongs to it
if it holds a file in FOLDER open, as all of Ray's do: each writes its log there.
"""

import contextlib
import os
import shutil
import signal
import sys
import time
from pathlib import Path

PATIENCE = 5.0  # seconds in which processes may end by themselves


def holders(folder: str) -> list[int]:
    """Return the ids of the other processes that hold a file in `folder` open (none where there is no /proc)."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if any(os.readlink(file).startswith(f"{folder}/") for file in (process / "fd").iterdir()):
                found.append(int(process.name))
    return sorted(set(found) - {os.getpid()})


def clean(folder: str, keep: int) -> None:
    """End the processes that hold files in `folder`, except the process `keep`; then remove it."""
    deadline = time.monotonic() + PATIENCE
    while left := set(holders(folder)) - {keep}:
        for process in left if time.monotonic() > deadline else ():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        time.sleep(0.05)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    master = os.getppid()
    sys.stdin.read()
    clean(sys.argv[1], keep=master)
