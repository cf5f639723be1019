import json

import pytest

GOOD = "print('hello')"


@pytest.fixture
def pair(project):
    project.add("01_first", GOOD)
    assert project.run("tools.pairs", "write").returncode == 0
    return project


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_the_books_own_pairs_agree():
    from tools.pairs import check

    assert check() == []


def test_agreeing_files_pass_and_writing_again_changes_nothing(pair):
    ipynb = pair.root / "notebooks/primitives/01_first.ipynb"
    before = ipynb.read_bytes()
    assert pair.run("tools.pairs", "check").returncode == 0
    assert pair.run("tools.pairs", "write").stdout == ""
    assert ipynb.read_bytes() == before


@pytest.mark.parametrize("suffix", ["py", "ipynb"])
def test_an_edit_to_one_side_is_found_and_the_verb_named(pair, suffix):
    edit(pair.root / f"notebooks/primitives/01_first.{suffix}", "hello", "goodbye")
    done = pair.run("tools.pairs", "check")
    assert done.returncode == 1
    assert "01_first: .py and .ipynb differ (text of cell 2)" in done.stdout
    assert "make notebooks" in done.stdout
    assert "make from-jupyter NAME=notebooks/primitives/01_first" in done.stdout


def test_a_missing_side_is_found(pair):
    (pair.root / "notebooks/primitives/01_first.ipynb").unlink()
    assert "01_first.py: no .ipynb beside it; run: make notebooks" in pair.run("tools.pairs", "check").stdout


def test_outputs_are_found(pair):
    path = pair.root / "notebooks/primitives/01_first.ipynb"
    notebook = json.loads(path.read_text())
    notebook["cells"][1]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["hello\n"]}]
    path.write_text(json.dumps(notebook))
    assert "01_first.ipynb: holds outputs" in pair.run("tools.pairs", "check").stdout


def test_writing_keeps_the_ids_of_unchanged_cells(pair):
    path = pair.root / "notebooks/primitives/01_first.ipynb"
    before = [cell["id"] for cell in json.loads(path.read_text())["cells"]]
    edit(pair.root / "notebooks/primitives/01_first.py", "# # A chapter", "# # Another title")
    pair.run("tools.pairs", "write")
    after = [cell["id"] for cell in json.loads(path.read_text())["cells"]]
    assert after[1] == before[1]
    assert after[0] != before[0]


def test_two_equal_cells_have_two_ids_that_stay(project):
    project.add("01_first", "print(1)\n\n# %%\nprint(1)")
    ipynb = project.root / "notebooks/primitives/01_first.ipynb"
    project.run("tools.pairs", "write")
    before = ipynb.read_bytes()
    assert project.run("tools.pairs", "write").stdout == ""
    assert ipynb.read_bytes() == before
    ids = [cell["id"] for cell in json.loads(before)["cells"]]
    assert len(set(ids)) == len(ids) == 3


def test_an_edit_made_in_jupyter_is_carried_to_the_py(pair):
    py = pair.root / "notebooks/primitives/01_first.py"
    edit(pair.root / "notebooks/primitives/01_first.ipynb", "hello", "goodbye")
    assert pair.run("tools.pairs", "from-jupyter", "primitives/01_first").returncode == 0
    assert "print('goodbye')" in py.read_text()
    assert pair.run("tools.pairs", "check").returncode == 0


def test_new_makes_a_paired_chapter_in_the_contents(pair):
    done = pair.run("tools.pairs", "new", "primitives/28_my_title")
    assert done.returncode == 0, done.stdout
    assert "# # My title" in (pair.root / "notebooks/primitives/28_my_title.py").read_text()
    assert (pair.root / "helpers/exercises/ch28.py").exists()
    assert "      - file: notebooks/primitives/28_my_title\n" in (pair.root / "_toc.yml").read_text()
    assert pair.run("tools.pairs", "check").returncode == 0


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "NAME is missing"),
        ("nowhere/28_x", "there is no part 'nowhere'; the parts are primitives"),
        ("primitives/untitled", "a chapter's file starts with its number"),
        ("primitives/01_first", "exists already"),
    ],
)
def test_new_with_a_bad_name_says_what_is_wrong_and_writes_nothing(pair, name, message):
    before = sorted(pair.root.rglob("*.py"))
    done = pair.run("tools.pairs", "new", name)
    assert done.returncode == 1
    assert message in done.stdout
    assert sorted(pair.root.rglob("*.py")) == before


def test_with_an_address_each_notebook_gets_a_set_up_cell_for_colab_and_without_one_none(pair):
    ipynb = pair.root / "notebooks/primitives/01_first.ipynb"
    before = ipynb.read_bytes()
    edit(pair.root / "_config.yml", 'book_repository: ""', "book_repository: https://github.com/someone/book")
    assert (
        "its set-up cell does not fit book_repository; run: make notebooks" in pair.run("tools.pairs", "check").stdout
    )
    pair.run("tools.pairs", "write")
    assert pair.run("tools.pairs", "check").returncode == 0
    cell = json.loads(ipynb.read_text())["cells"][1]
    source = "".join(cell["source"])
    assert 'if "google.colab" in sys.modules:' in source
    assert "vector-environments-book @ git+https://github.com/someone/book@main" in source
    exec(source, {})  # outside Colab it does nothing
    pair.run("tools.pairs", "from-jupyter", "primitives/01_first")
    assert "google.colab" not in (pair.root / "notebooks/primitives/01_first.py").read_text()
    edit(pair.root / "_config.yml", "book_repository: https://github.com/someone/book", 'book_repository: ""')
    pair.run("tools.pairs", "write")
    assert ipynb.read_bytes() == before


def test_an_address_that_is_none_is_one_clear_line(pair):
    edit(pair.root / "_config.yml", 'book_repository: ""', "book_repository: example.org/book")
    done = pair.run("tools.pairs", "write")
    assert done.returncode == 1
    assert done.stdout.startswith("_config.yml: book_repository is 'example.org/book'; give it as https://github.com/")
