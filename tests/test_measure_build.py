import sys
import time

import pytest

from tools.measure_build import edit, run

HOLD = "import time; held = b'x' * 80_000_000; time.sleep(0.6)"


def test_a_run_is_timed_and_the_memory_of_its_children_counts(tmp_path):
    start = time.perf_counter()
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {HOLD!r}])"
    taken, most = run(sys.executable, "-c", parent, cwd=tmp_path)
    assert 0.6 <= taken <= time.perf_counter() - start
    assert 0.08 < most < 0.3  # GB: what is held, and two interpreters


def test_a_run_that_fails_shows_what_it_printed(tmp_path):
    with pytest.raises(SystemExit, match="no rule to make"):
        run(sys.executable, "-c", "print('no rule to make'); raise SystemExit(2)", cwd=tmp_path)


def test_an_edit_that_finds_nothing_to_change_stops_the_measurement(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("one two two")
    edit(page, "two", "three")
    assert page.read_text() == "one three two"
    with pytest.raises(SystemExit, match="has no 'four' to change"):
        edit(page, "four", "five")
