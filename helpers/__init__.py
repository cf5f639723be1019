"""What several chapters share: logging, toy environments, figures, timelines, exercise checks.

What a chapter teaches is written out in that chapter; these modules hold only what would distract from it.
"""

from importlib.metadata import version as _version

_found = _version("gymnasium")
if not _found.startswith("1.4."):
    raise ImportError(
        f"gymnasium {_found} is installed, the book needs 1.4, whose behaviour it describes; "
        'run: pip install "gymnasium==1.4.*"'
    )
