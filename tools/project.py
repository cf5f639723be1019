"""Where things are, and which pages the book has."""

import sys
from pathlib import Path
from typing import NoReturn

import yaml

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"
TOC = ROOT / "_toc.yml"
BUILD = ROOT / "build"  # what is kept between builds; not called _build, which nbmake passes over
EXECUTED = BUILD / "executed"
HTML = ROOT / "_build" / "html"


def stop(*problems: str) -> NoReturn:
    """End with a line for each problem; each names the file and the remedy."""
    sys.exit("\n".join(problems))


def settings() -> dict:
    """Return what _config.yml says."""
    return yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))


def notebooks() -> list[str]:
    """Return the names of all notebooks without ending, such as ``notebooks/primitives/01_vector_env``, sorted."""
    found = {path.with_suffix("") for suffix in ("py", "ipynb") for path in NOTEBOOKS.glob(f"*/*.{suffix}")}
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


def toc_pages() -> list[str]:
    """Return the pages that _toc.yml lists, in the order of the book.

    Exits with one line if _toc.yml cannot be read or names a page twice.
    """
    try:
        toc = yaml.safe_load(TOC.read_text(encoding="utf-8"))
        pages = [toc["root"], *(chapter["file"] for part in toc["parts"] for chapter in part["chapters"])]
    except (yaml.YAMLError, KeyError, TypeError) as error:
        where = f"line {error.problem_mark.line + 1}" if getattr(error, "problem_mark", None) else repr(error)
        stop(f"_toc.yml: cannot be read ({where}); it needs root, and parts with chapters with file")
    for page in pages:
        if pages.count(page) > 1:
            stop(f"_toc.yml: {page} is listed twice; keep one of the lines")
    return pages


def check_toc() -> list[str]:
    """Return one problem for each notebook that is not in _toc.yml and each page of it that does not exist."""
    pages = toc_pages()
    problems = [
        f"{name}: not in _toc.yml; add a line 'file: {name}' to its part" for name in notebooks() if name not in pages
    ]
    for page in pages:
        suffixes = ("ipynb", "py") if page.startswith("notebooks/") else ("md",)
        if not any((ROOT / f"{page}.{suffix}").exists() for suffix in suffixes):
            problems.append(f"_toc.yml: {page} does not exist; remove its line or restore the file")
    return problems
