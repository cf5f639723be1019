"""Planted faults: each must turn the build red, with a message that names the file and what to do."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

GOOD = "print('hello')"


def built(project):
    assert project.run("tools.pairs", "write").returncode == 0
    return project.run("tools.execute")


def test_every_kind_of_bad_notebook_is_named_and_good_ones_are_kept(project):
    execute = project.root / "tools/execute.py"
    execute.write_text(execute.read_text().replace("CELL_TIME_LIMIT = 300", "CELL_TIME_LIMIT = 10"))
    project.add("01_good", GOOD)
    project.add("02_raises", "assert 1 + 1 == 3, 'arithmetic'")
    project.add("03_warns", "import warnings\nwarnings.warn('old ways')")
    project.add("04_bare_figure", "import matplotlib.pyplot as plt\nplt.plot([1, 2]);")
    child = project.root / "child"
    hang = "import pathlib, subprocess, time\nchild = subprocess.Popen(['sleep', '60'])\n"
    hang += f"pathlib.Path({str(child)!r}).write_text(str(child.pid))\ntime.sleep(60)"
    project.add("05_hangs", hang)
    done = built(project)
    assert done.returncode == 1
    for message in [
        "02_raises: cell 2 raises AssertionError: arithmetic",
        "03_warns: cell 2 writes to standard error; mend the cause:",
        "04_bare_figure: cell 2 shows a figure without a text; use helpers.figures.show(fig, alt)",
        "05_hangs: cell 2 ran for more than 10 s and was ended",
        "notebooks: 4 problems",
    ]:
        assert message in done.stdout
    deadline = time.monotonic() + 10
    while Path(f"/proc/{child.read_text()}").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not Path(f"/proc/{child.read_text()}").exists(), "the hanging cell's child is still running"
    # What went well is not run again; what failed is.
    again = project.run("tools.execute")
    assert "executing 4 of 5" in again.stdout


def test_each_notebook_is_executed_once_and_prose_makes_none_stale(project):
    marks = project.root / "marks"
    for name in ("01_first", "02_second"):
        project.add(name, f"with open({str(marks)!r}, 'a') as file:\n    file.write('{name} ')\nprint('ran')")
    assert built(project).returncode == 0
    assert project.run("tools.render").returncode == 0
    assert sorted(marks.read_text().split()) == ["01_first", "02_second"]

    assert "all 2 are up to date" in project.run("tools.execute").stdout
    assert "book: up to date" in project.run("tools.render").stdout

    # Prose, in a page and in a notebook: rendered, not executed.
    (project.root / "book/intro.md").write_text("# A small book\n\nWith another page.\n")
    first = project.root / "notebooks/primitives/01_first.py"
    first.write_text(first.read_text().replace("# # A chapter", "# # A chapter\n#\n# New prose."))
    assert "all 2 are up to date" in built(project).stdout
    assert "book: built" in project.run("tools.render").stdout
    html = project.root / "_build/html"
    assert "With another page" in (html / "book/intro.html").read_text()
    page = (html / "notebooks/primitives/01_first.html").read_text()
    assert "New prose" in page
    assert "ran" in page

    # Code: that one. A helper: all.
    first.write_text(first.read_text().replace("print('ran')", "print('ran again')"))
    assert "executing 1 of 2" in built(project).stdout
    (project.root / "helpers/hdbg.py").write_text("# changed\n")
    assert "executing 2 of 2" in project.run("tools.execute").stdout


def test_a_warning_in_a_page_is_red_and_stays_red_until_it_is_mended(project):
    project.add("01_good", GOOD)
    page = project.root / "book/intro.md"
    page.write_text("# A small book\n\nSee [nothing](nowhere.md) and [no section](#not-here).\n")
    assert built(project).returncode == 0
    for _ in range(2):
        done = project.run("tools.render")
        assert done.returncode == 1
        assert "book/intro.md" in done.stdout
        assert "nowhere.md" in done.stdout
        assert "book: not built; the whole log is build/book.log" in done.stdout
    page.write_text("# A small book\n\nNothing to see.\n")
    done = project.run("tools.render")
    assert done.returncode == 0, done.stdout
    assert "open " in done.stdout


def test_a_notebook_without_output_is_red(project):
    project.add("01_silent", "x = 1")
    assert built(project).returncode == 0
    done = project.run("tools.render")
    assert done.returncode == 1
    assert "notebooks/primitives/01_silent: its page shows no output" in done.stdout


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (
            lambda toc: toc.replace("      - file: notebooks/primitives/02_second\n", ""),
            "02_second: not in _toc.yml; add",
        ),
        (
            lambda toc: toc + "      - file: notebooks/primitives/03_gone\n",
            "_toc.yml: notebooks/primitives/03_gone does not",
        ),
        (lambda toc: toc + "      - file: notebooks/primitives/02_second\n", "02_second is listed twice"),
        (lambda toc: toc.replace("parts:", "parts: ["), "_toc.yml: cannot be read (line"),
        (lambda toc: "format: jb-book\n", "_toc.yml: cannot be read (KeyError('root'))"),
    ],
)
def test_a_wrong_toc_is_one_clear_line(project, damage, message):
    project.add("01_first", GOOD)
    project.add("02_second", GOOD)
    project.run("tools.pairs", "write")
    toc = project.root / "_toc.yml"
    toc.write_text(damage(toc.read_text()))
    done = project.run("tools.execute")
    assert done.returncode == 1
    assert message in done.stdout
    assert "Traceback" not in done.stdout


def test_an_unpaired_edit_stops_the_build_before_anything_runs(project):
    project.add("01_first", GOOD)
    project.run("tools.pairs", "write")
    project.add("01_first", "print('edited')")
    project.chapters.pop()
    project.write_toc()
    done = project.run("tools.execute")
    assert done.returncode == 1
    assert "01_first: .py and .ipynb differ" in done.stdout
    assert not (project.root / "build").exists()


def test_an_unsupported_gymnasium_is_named(project):
    execute = project.root / "tools/execute.py"
    execute.write_text(execute.read_text().replace('GYMNASIUM = "1.4."', 'GYMNASIUM = "0.29."'))
    project.add("01_first", GOOD)
    done = project.run("tools.execute")
    assert done.returncode == 1
    assert "is installed, the book is about 0.29.x" in done.stdout


@pytest.mark.skipif(os.name == "nt", reason="signals differ")
def test_an_interrupted_run_keeps_what_is_done_and_the_next_one_goes_on(project):
    project.add("01_quick", GOOD)
    project.add("02_slow", "import time\ntime.sleep(8)\nprint('done')")
    project.run("tools.pairs", "write")
    command = [sys.executable, "-m", "tools.execute"]
    with subprocess.Popen(
        command, cwd=project.root, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
    ) as process:
        next(line for line in process.stdout if "01_quick" in line)
        os.killpg(process.pid, signal.SIGINT)
    assert process.returncode != 0
    done = project.run("tools.execute")
    assert done.returncode == 0, done.stdout
    assert "executing 1 of 2" in done.stdout


def test_a_full_disk_is_one_clear_line(project):
    project.add("01_first", GOOD)
    project.run("tools.pairs", "write")
    (project.root / "build").write_text("a file where the build folder should be: every write fails with OSError")
    done = project.run("tools.execute")
    assert done.returncode == 1
    assert "free some space if the disk is full" in done.stdout
    assert "Traceback" not in done.stdout
    (project.root / "build").unlink()
    assert project.run("tools.execute").returncode == 0


def test_a_notebook_that_measures_is_executed_alone_after_the_others(project):
    wait = "import time\ntime.sleep(0.5)\nprint(time.time())"
    project.add("01_measures", f'{wait}\n\n# %% tags=["alone"]\nprint(1)')
    project.add("02_other", wait)
    project.add("03_other", wait)
    project.run("tools.pairs", "write")
    done = project.run("tools.execute")
    assert done.returncode == 0, done.stdout
    lines = [line for line in done.stdout.splitlines() if line.endswith(" ok")]
    assert lines[-1].startswith("  [ 3/3] notebooks/primitives/01_measures")
    start = {}
    for name in project.chapters:
        notebook = json.loads((project.root / f"build/executed/{name}.ipynb").read_text())
        start[name] = float("".join(notebook["cells"][1]["outputs"][0]["text"]))
    assert start[project.chapters[0]] > max(start[name] for name in project.chapters[1:]) + 0.5
