"""The page on migration holds what the installed release answers; the old releases are measured by hand."""

import re

from tools.measure_migration import BEGIN, END, PAGE, probe


def test_the_column_of_this_release_is_what_it_answers():
    text = PAGE.read_text(encoding="utf-8")
    first = text[text.index(BEGIN) : text.index(END)].split("\n\n")[1]
    rows = [re.split(r" ?\| ?", line)[1:-1] for line in first.splitlines()[2:]]
    said = {row[0]: row[-1] for row in rows if "NumPy" not in row[0]}
    assert said == probe()
