import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tools.folds import fold, name_of

PRINTED = [new_output("stream", text="1")]


def hidden(source, outputs=()):
    return new_code_cell(source, outputs=list(outputs), metadata={"tags": ["hide-input"]})


def test_neighbours_are_joined_up_to_the_first_that_shows_something():
    removed = new_code_cell("assert a", metadata={"tags": ["remove-cell"]})
    cells = [
        hidden("a = 1"),
        removed,
        hidden("print(a)", PRINTED),
        hidden("b = 2"),
        new_markdown_cell("x"),
        hidden("c"),
    ]
    notebook = new_notebook(cells=cells)
    fold(notebook)
    assert [cell.source for cell in notebook.cells] == ["a = 1\n\nprint(a)", "assert a", "b = 2", "x", "c"]
    assert notebook.cells[0].outputs == PRINTED
    nbformat.validate(notebook)


def test_a_long_output_is_folded():
    printed = [new_output("stream", text="line\n" * count) for count in (20, 40)]
    notebook = new_notebook(cells=[new_code_cell("print(x)", outputs=[output]) for output in printed])
    fold(notebook)
    assert [cell.metadata.get("tags") for cell in notebook.cells] == [None, ["hide-output"]]


def test_code_that_shows_nothing_in_this_run_is_not_on_the_page():
    notebook = new_notebook(cells=[hidden("if False:\n    say('x')")])
    fold(notebook)
    assert notebook.cells[0].metadata["tags"] == ["remove-cell"]


def test_each_fold_says_what_is_in_it():
    shown = new_code_cell("print(1)", outputs=PRINTED, metadata={"tags": ["hide-output"]})
    notebook = new_notebook(cells=[hidden("show(fig, alt)", PRINTED), shown, new_code_cell("x = 1")])
    fold(notebook)
    prompts = [cell.metadata.get("mystnb", {}).get("code_prompt_show") for cell in notebook.cells]
    assert prompts == ["Show the code of the figure", "Show the output", None]


@pytest.mark.parametrize(
    ("source", "has_output", "name"),
    [
        ("fig, ax = figure()\nshow(fig, alt)", True, "the figure"),
        ("def row(): ...\ntable(row(), 'Rows')", True, "the table"),
        ("print(1)", True, "this output"),
        ("def one():\n    x = 1\ndef two(): ...", False, "one and two"),
        ("class A: ...", False, "A"),
        ("a, b = 1, 2\nc = d = 3", False, "a, b and c"),
        ("if False:\n    say('x')", False, None),
    ],
)
def test_a_fold_is_named_after_what_it_shows_or_defines(source, has_output, name):
    assert name_of(source, has_output) == name
