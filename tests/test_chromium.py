import subprocess
from types import SimpleNamespace

import pytest

from tools import chromium


class Browsers:
    """Stands in for Playwright: notes with which program a browser is started."""

    def __init__(self):
        self.started = []
        self.chromium = SimpleNamespace(launch=lambda executable_path, args: self.started.append(executable_path))


@pytest.mark.parametrize("found", ["chromium", "chrome"])
def test_the_browser_of_the_system_is_taken_without_fetching_one(monkeypatch, found):
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}" if name == found else None)
    monkeypatch.setattr(subprocess, "run", None)
    browsers = Browsers()
    chromium.launch(browsers)
    assert browsers.started == [f"/bin/{found}"]


def test_without_one_playwrights_own_is_fetched(monkeypatch):
    commands = []
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr(
        subprocess, "run", lambda command, **_: commands.append(command) or SimpleNamespace(returncode=0)
    )
    browsers = Browsers()
    chromium.launch(browsers)
    assert browsers.started == [None]
    assert commands[0][1:] == ["-m", "playwright", "install", "--only-shell", "chromium"]


def test_if_it_cannot_be_fetched_the_message_says_what_to_do(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr(subprocess, "run", lambda command, **_: SimpleNamespace(returncode=1))
    with pytest.raises(chromium.NoChromium, match="apt install chromium"):
        chromium.launch(Browsers())
