import logging

import pytest

from helpers import hdbg


@pytest.fixture(autouse=True)
def _restore():
    logs = [logging.getLogger(name) for name in ("helpers", "__main__")]
    before = [(log.level, log.propagate, list(log.handlers)) for log in logs]
    yield
    for log, (level, propagate, handlers) in zip(logs, before, strict=True):
        log.setLevel(level)
        log.propagate, log.handlers = propagate, handlers


def test_a_second_call_prints_nothing_twice_and_its_verbosity_holds(capsys):
    hdbg.init_logger(verbosity=logging.INFO)
    hdbg.init_logger(verbosity="WARNING")
    log = logging.getLogger("helpers.somewhere")
    log.info("quiet")
    log.warning("loud")
    assert capsys.readouterr() == ("WARNING helpers.somewhere: loud\n", "")


def test_the_running_script_is_shown(capsys):
    hdbg.init_logger()
    logging.getLogger("__main__").info("step %d", 3)
    assert capsys.readouterr().out == "INFO    __main__: step 3\n"


def test_other_loggers_are_left_alone(capsys):
    other = logging.getLogger("some.library")
    before = (other.level, other.propagate, list(other.handlers), list(logging.getLogger().handlers))
    hdbg.init_logger(verbosity=logging.DEBUG)
    assert before == (other.level, other.propagate, list(other.handlers), list(logging.getLogger().handlers))
    other.info("not ours")
    assert "not ours" not in capsys.readouterr().out


def test_an_unknown_level_is_named():
    with pytest.raises(ValueError, match=r"verbosity='LOUD' is not a logging level; use one of .*INFO"):
        hdbg.init_logger(verbosity="LOUD")
