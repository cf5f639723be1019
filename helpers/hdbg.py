"""Logging set up in one line: ``hdbg.init_logger(verbosity=logging.INFO)``."""

import logging
import sys

_NAMES = ("helpers", "__main__")


class _StdoutHandler(logging.StreamHandler):
    """Write to whatever `sys.stdout` is now: a notebook replaces it, and standard error fails the build."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self):
        return sys.stdout


def init_logger(verbosity: int | str = logging.INFO) -> None:
    """Show the log of the book's own modules and of the running notebook or script.

    Safe to call again, as happens when a cell is re-run: the last call's verbosity holds and nothing is
    printed twice. The root logger and those of other libraries are left as they are.

    Args:
        verbosity: the least severe level to show, as a number or a name, such as ``logging.DEBUG`` or ``"DEBUG"``.

    Raises:
        ValueError: if `verbosity` is a name that `logging` does not know.
    """
    if isinstance(verbosity, str) and verbosity not in logging.getLevelNamesMapping():
        known = ", ".join(logging.getLevelNamesMapping())
        raise ValueError(f"verbosity={verbosity!r} is not a logging level; use one of {known}")
    for name in _NAMES:
        log = logging.getLogger(name)
        log.setLevel(verbosity)
        log.propagate = False
        if not any(isinstance(handler, _StdoutHandler) for handler in log.handlers):
            handler = _StdoutHandler()
            handler.setFormatter(logging.Formatter("%(levelname)-7s %(name)s: %(message)s"))
            log.addHandler(handler)
