import re

import pandas as pd
import pytest
from IPython.core.formatters import DisplayFormatter

from helpers.pages import _Table, expect, say, table


def test_expect_prints_the_error_and_goes_on(capsys):
    with expect(ValueError, KeyError):
        int("x")
    assert capsys.readouterr().out.startswith("ValueError: invalid literal")


def test_expect_keeps_what_it_printed_and_nothing_else(monkeypatch, capsys):
    monkeypatch.setattr("helpers.pages.shown_errors", shown := [])
    with expect(ValueError):
        raise ValueError("one")
    with pytest.raises(KeyError), expect(ValueError):
        raise KeyError("two")
    assert shown == ["ValueError: one"] == capsys.readouterr().out.splitlines()


def test_expect_fails_when_the_error_has_gone():
    with (
        pytest.raises(AssertionError, match="expected ValueError or KeyError, but nothing was raised"),
        expect(ValueError, KeyError),
    ):
        pass


def test_expect_lets_other_errors_through():
    with pytest.raises(KeyError), expect(ValueError):
        {}["missing"]


def test_say_prints_its_sentence_in_a_terminal(capsys):
    say("Async took **2.0** times as long.")
    assert capsys.readouterr().out == "Async took **2.0** times as long.\n"


def test_table_names_itself_its_columns_and_escapes_text(capsys):
    rows = [{"mode": "sync", "type": "<class 'int'>"}, {"mode": "async", "type": "x"}]
    html, _ = DisplayFormatter().format(_Table(pd.DataFrame(rows), "Two modes"))
    assert "<caption>Two modes</caption>" in html["text/html"]
    assert html["text/html"].count('<th scope="col">') == 2
    assert "&lt;class" in html["text/html"]
    table(rows, "Two modes")
    assert capsys.readouterr().out.splitlines()[0] == "Two modes"


@pytest.mark.parametrize(("rows", "caption"), [([], "Empty"), ([{"a": 1}], " ")])
def test_a_table_needs_rows_and_a_caption(rows, caption):
    with pytest.raises(ValueError, match="a table needs rows and a caption"):
        table(rows, caption)


def test_the_name_of_the_columns_makes_no_empty_headers():
    frame = pd.DataFrame({"kind": ["sync"], "rows": [1], "shown": [0.5]})
    pivoted = frame.pivot(index="kind", columns="rows", values="shown").reset_index()
    html, _ = DisplayFormatter().format(_Table(pivoted, "Times as fast"))
    assert html["text/html"].count("<th ") == 2


def test_columns_of_numbers_stand_to_the_right_and_no_others():
    rows = [{"n": 1, "mean": "0.96 ± 0.02", "share": "40 %", "none": "-", "kind": "2 rows", "shape": "(2,)"}] * 2
    rows[1] = rows[1] | {"n": "-"}
    html, _ = DisplayFormatter().format(_Table(pd.DataFrame(rows), "Kinds of column"))
    right = re.findall(r'<(th|td)[^>]*class="text-right">([^<]*)<', html["text/html"])
    assert [text for tag, text in right if tag == "th"] == ["n", "mean", "share"]
    assert [text for tag, text in right if tag == "td"] == ["1", "0.96 ± 0.02", "40 %", "-", "0.96 ± 0.02", "40 %"]
