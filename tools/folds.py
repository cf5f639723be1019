"""How a page folds what it hides: neighbours together, and each fold says what is in it."""

import ast

from nbformat import NotebookNode

HIDDEN = "hide-input"
LONG = 30  # lines of an output that are too many to show at once
# What a call in a cell displays, for the name of its fold.
SHOWN = {
    "show": "the figure",
    "draw": "the figure",
    "explorable": "the figure",
    "stepper": "the figure",
    "table": "the table",
    "say": "this sentence",
}


def fold(notebook: NotebookNode) -> None:
    """Fold long outputs, join neighbours of hidden code, name each fold; code that makes nothing is removed."""
    cells, last = [], None
    for cell in notebook.cells:
        tags = cell.metadata.get("tags", [])
        if any(output.get("text", "").count("\n") > LONG for output in cell.get("outputs", [])):
            cell.metadata["tags"] = tags = [*tags, "hide-output"]
        if HIDDEN in tags and last is not None and not last.outputs:
            last.source += f"\n\n{cell.source}"
            last.outputs, last.execution_count = cell.outputs, cell.execution_count
            continue
        cells.append(cell)
        if "remove-cell" not in tags:
            last = cell if HIDDEN in tags else None
    for cell in cells:
        tags = cell.metadata.get("tags", [])
        what = "the output"
        if HIDDEN in tags:
            name = name_of(cell.source, bool(cell.outputs))
            if name is None:
                cell.metadata["tags"] = ["remove-cell"]
                continue
            what = f"the code of {name}"
        if HIDDEN in tags or "hide-output" in tags:
            cell.metadata["mystnb"] = {"code_prompt_show": f"Show {what}", "code_prompt_hide": f"Hide {what}"}
    notebook.cells = cells


def name_of(source: str, has_output: bool) -> str | None:
    """Say in a few words what the code of a fold makes: what it shows, or else the names it defines.

    None if it makes nothing: it would show something in another run.
    """
    tree = ast.parse(source)
    calls = [node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    shown = [SHOWN[call] for call in calls if call in SHOWN]
    if has_output:
        return shown[0] if shown else "this output"
    definitions = [node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    stored = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    stored.sort(key=lambda node: (node.lineno, node.col_offset))
    names = list(dict.fromkeys(definitions or [node.id for node in stored]))
    if not names:
        return None
    return names[0] if len(names) == 1 else f"{', '.join(names[:3][:-1])} and {names[:3][-1]}"
