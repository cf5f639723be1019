from helpers import checkup


def test_this_machine_is_right(capsys):
    assert checkup.main() == 0
    out = capsys.readouterr().out
    assert "OK       gymnasium 1.4" in out
    assert "start methods" in out


def test_a_missing_and_a_wrong_package_name_the_remedy():
    assert checkup.check_package("no-such-package>=1") == (
        False,
        'MISSING  no-such-package: run  pip install "no-such-package>=1"',
    )
    right, line = checkup.check_package("numpy>=99")
    assert not right
    assert line.startswith("WRONG    numpy ")
    assert line.endswith('run  pip install "numpy>=99"')


def test_what_the_project_requires_is_what_is_checked():
    import tomllib

    from packaging.requirements import Requirement

    from tools.project import ROOT

    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    required = {Requirement(text).name: Requirement(text).specifier for text in declared}
    for text in checkup.NEEDED:
        wanted = Requirement(text)
        assert wanted.name == "ipython" or required[wanted.name] == wanted.specifier
