"""Keep each notebook's .py and .ipynb the same: check them, or write one from the other.

usage: python -m tools.pairs check | write | from-jupyter NAME | new NAME

`write` goes from .py to .ipynb, always: going by file times, as `jupytext --sync` does, can overwrite an edited .py
after a checkout. `from-jupyter` carries an edit made in Jupyter the other way.
"""

import hashlib
import itertools
import sys
from collections import defaultdict
from pathlib import Path

import jupytext
import nbformat

from tools.project import NOTEBOOKS, ROOT, TOC, notebooks, settings, stop

sys.path.append(str(ROOT / "book" / "_ext"))
import launch

SET_UP = "set-up-colab"  # the id of the cell that only the .ipynb has, once the repository has an address


def cells(notebook: nbformat.NotebookNode) -> list[tuple[str, str, list[str]]]:
    """Return what must agree between the two files of a pair: kind, source and tags of each cell."""
    own = [cell for cell in notebook.cells if cell.get("id") != SET_UP]
    return [(cell.cell_type, cell.source, cell.metadata.get("tags", [])) for cell in own]


def repository() -> str:
    """Return the repository's address, empty if it has none yet; exit with one line if it is not an address."""
    address = settings()["sphinx"]["config"]["book_repository"]
    try:
        launch.slug(address)
    except ValueError as error:
        stop(str(error))
    return address


def set_up(address: str) -> list[nbformat.NotebookNode]:
    """Return the cell with which a notebook opened in Colab fetches what it needs, if it can be opened there."""
    if not address:
        return []
    return [nbformat.v4.new_code_cell(launch.set_up(address), id=SET_UP, metadata={"tags": ["remove-cell"]})]


def first_difference(left: list, right: list) -> str:
    """Return in words where two lists of cells part."""
    for number, (a, b) in enumerate(zip(left, right, strict=False), start=1):
        if a != b:
            what = next(name for name, x, y in zip(("kind", "text", "tags"), a, b, strict=True) if x != y)
            return f"{what} of cell {number}"
    return f"{len(left)} cells against {len(right)}"


def check() -> list[str]:
    """Return one problem for each pair that does not agree, each with the verb that mends it."""
    problems, first = [], set_up(repository())
    for name in notebooks():
        py, ipynb = ROOT / f"{name}.py", ROOT / f"{name}.ipynb"
        if not py.exists():
            problems.append(f"{name}.ipynb: no .py beside it; run: make from-jupyter NAME={name}")
        elif not ipynb.exists():
            problems.append(f"{name}.py: no .ipynb beside it; run: make notebooks")
        else:
            source, notebook = jupytext.read(py), nbformat.read(ipynb, as_version=4)
            if cells(source) != cells(notebook):
                problems.append(
                    f"{name}: .py and .ipynb differ ({first_difference(cells(source), cells(notebook))}); "
                    f"edited the .py? make notebooks. Edited the .ipynb? make from-jupyter NAME={name}"
                )
            if [cell.source for cell in notebook.cells if cell.id == SET_UP] != [cell.source for cell in first]:
                problems.append(f"{name}.ipynb: its set-up cell does not fit book_repository; run: make notebooks")
            if any(cell.get("outputs") or cell.get("execution_count") for cell in notebook.cells):
                problems.append(f"{name}.ipynb: holds outputs, which belong to the built book; run: make notebooks")
    return problems


def fresh_id(cell: nbformat.NotebookNode, given: set[str]) -> str:
    """Return an id derived from the cell's text: two people who write the same notebook get the same ids."""
    attempts = (f"{attempt}{cell.cell_type}{cell.source}" for attempt in itertools.count())
    digests = (hashlib.sha256(attempt.encode()).hexdigest()[:8] for attempt in attempts)
    return next(digest for digest in digests if digest not in given)


def write() -> None:
    """Write each .ipynb whose cells differ from its .py, without outputs; unchanged cells keep their ids."""
    first = set_up(repository())
    for name in notebooks():
        py, ipynb = ROOT / f"{name}.py", ROOT / f"{name}.ipynb"
        if not py.exists():
            stop(f"{name}.ipynb: no .py beside it; run: make from-jupyter NAME={name}")
        new = jupytext.read(py, config=jupytext.config.load_jupytext_config(str(py)))
        old = nbformat.read(ipynb, as_version=4) if ipynb.exists() else None
        ids = defaultdict(list)
        for cell in old.cells if old else []:
            ids[cell.cell_type, cell.source].append(cell.id)
        given: set[str] = set()
        for cell in new.cells:
            known = [known for known in ids[cell.cell_type, cell.source] if known not in given]
            cell.id = known[0] if known else fresh_id(cell, given)
            given.add(cell.id)
        new.cells[1:1] = first  # after the title
        text = jupytext.writes(new, fmt="ipynb") + "\n"
        if not ipynb.exists() or ipynb.read_text(encoding="utf-8") != text:
            ipynb.write_text(text, encoding="utf-8")
            print(f"wrote {name}.ipynb")


def from_jupyter(name: str) -> None:
    """Write NAME.py from NAME.ipynb, then drop the outputs of the .ipynb."""
    ipynb = ROOT / f"{locate(name)}.ipynb"
    if not ipynb.exists():
        stop(f"{name}: there is no such .ipynb; NAME is like notebooks/primitives/01_vector_env")
    py = ipynb.with_suffix(".py")
    config = jupytext.config.load_jupytext_config(str(ipynb))
    notebook = jupytext.read(ipynb, config=config)
    notebook.cells = [cell for cell in notebook.cells if cell.get("id") != SET_UP]
    py.write_text(jupytext.writes(notebook, fmt="py:percent", config=config), encoding="utf-8")
    print(f"wrote {py.relative_to(ROOT)}")
    write()


def new(name: str) -> None:
    """Make the chapter NAME, such as primitives/12_title: a .py from the template, its .ipynb, a line in _toc.yml."""
    name = locate(name)
    py = ROOT / f"{name}.py"
    part, stem = Path(name).parent.name, Path(name).name
    if not (NOTEBOOKS / part).is_dir():
        parts = ", ".join(sorted(path.name for path in NOTEBOOKS.iterdir() if path.is_dir()))
        stop(f"NAME={name}: there is no part {part!r}; the parts are {parts}")
    if not stem[:2].isdigit() or stem[2:3] != "_":
        stop(f"NAME={name}: a chapter's file starts with its number, as in {part}/28_title")
    if py.exists():
        stop(f"{name}.py exists already; choose another NAME")
    number, title = stem[:2], stem[3:].replace("_", " ").capitalize()
    template = (Path(__file__).parent / "chapter.py.txt").read_text(encoding="utf-8")
    lines = TOC.read_text(encoding="utf-8").splitlines(keepends=True)
    last = max((i for i, line in enumerate(lines) if f"notebooks/{part}/" in line), default=None)
    if last is None:
        stop(f"_toc.yml: has no chapter of notebooks/{part} to add to; add one line 'file: {name}' by hand")
    lines.insert(last + 1, f"      - file: {name}\n")
    py.write_text(template.replace("TITLE", title).replace("NN", number), encoding="utf-8")
    exercises = ROOT / "helpers" / "exercises" / f"ch{number}.py"
    if not exercises.exists():
        template = (Path(__file__).parent / "exercises.py.txt").read_text(encoding="utf-8")
        exercises.write_text(template.replace("TITLE", title).replace("NN", number), encoding="utf-8")
    TOC.write_text("".join(lines), encoding="utf-8")
    print(f"wrote {name}.py and helpers/exercises/ch{number}.py, and a line in _toc.yml")
    write()


def locate(name: str) -> str:
    """Return NAME without ending and with the notebooks folder in front."""
    name = name.removesuffix(".py").removesuffix(".ipynb").strip("/")
    return name if name.startswith("notebooks/") else f"notebooks/{name}"


def main() -> None:
    """Carry out the verb given on the command line."""
    match sys.argv[1:]:
        case ["check"]:
            if problems := check():
                stop(*problems)
        case ["write"]:
            write()
        case ["from-jupyter", name] if name:
            from_jupyter(name)
        case ["new", name] if name:
            new(name)
        case _:
            stop("NAME is missing; give it as in: make new NAME=primitives/28_title")


if __name__ == "__main__":
    main()
