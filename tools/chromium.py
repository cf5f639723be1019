"""The system's Chromium, for the page tests and for printing."""

import importlib.resources
import shutil

from playwright.sync_api import Browser, Playwright

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync")
QUIET = ("--disable-background-networking", "--disable-component-update")  # ask no other host for anything


class NoChromium(RuntimeError):
    """No Chromium is installed; the message says how to get one."""


def axe_script() -> str:
    """Return the script that holds axe's accessibility rules."""
    return importlib.resources.files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


def launch(playwright: Playwright) -> Browser:
    """Start the system's Chromium.

    Raises:
        NoChromium: if there is none.
    """
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        raise NoChromium("no Chromium found; on Debian or Ubuntu: apt install chromium; elsewhere install Chrome")
    return playwright.chromium.launch(executable_path=path, args=[*FLAGS, *QUIET])
