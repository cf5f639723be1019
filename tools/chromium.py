"""The system's Chromium, and a server of pages for it: for the page tests and for printing."""

import contextlib
import functools
import gzip
import http.server
import importlib.resources
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, Playwright

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync")
QUIET = ("--disable-background-networking", "--disable-component-update")  # ask no other host for anything


class NoChromium(RuntimeError):
    """No Chromium is installed and none can be fetched; the message says how to get one."""


class Zipping(http.server.SimpleHTTPRequestHandler):
    """Serves files as a web host does: text compressed, and to be kept by the browser."""

    def do_GET(self) -> None:
        """Send the file, gzipped if it is text."""
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            self.send_error(404)
            return
        content, kind = path.read_bytes(), self.guess_type(path)
        self.send_response(200)
        if path.suffix in (".html", ".css", ".js", ".svg"):
            content, kind = gzip.compress(content, 6), f"{kind}; charset=utf-8"
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "max-age=31536000")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments) -> None:
        """Say nothing."""


class Server(http.server.ThreadingHTTPServer):
    """A server that does not mind a browser that leaves a page before it has all of it."""

    def handle_error(self, request, address) -> None:
        """Report what went wrong, unless the other side hung up."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, address)


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on a free port of this machine; give its address."""
    with Server(("127.0.0.1", 0), functools.partial(Zipping, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def axe_script() -> str:
    """Return the script that holds axe's accessibility rules."""
    return importlib.resources.files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


def launch(playwright: Playwright) -> Browser:
    """Start the system's Chromium, or else Playwright's own, which is fetched at the first use.

    Raises:
        NoChromium: if there is none and none can be fetched.
    """
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        command = [sys.executable, "-m", "playwright", "install", "--only-shell", "chromium"]
        if subprocess.run(command, capture_output=True).returncode:
            raise NoChromium(
                "no Chromium found, and none could be fetched; on Debian or Ubuntu: apt install chromium; "
                f"elsewhere install Chrome, or run: {' '.join(command[1:])}"
            )
    return playwright.chromium.launch(executable_path=path, args=[*FLAGS, *QUIET])
