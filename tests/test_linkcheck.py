"""The check of links to other sites, against a server of our own."""

import http.server
import threading

import pytest

from tools.linkcheck import check, external_links
from tools.project import HTML


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        found, refused = self.path == "/there", self.path == "/private"
        self.send_response(200 if found else 403 if refused else 404)
        self.end_headers()
        self.wfile.write(b"<html><body><h2 id='here'>x</h2></body></html>" if found else b"")

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_dead_pages_dead_sections_and_silent_hosts_are_found_and_nothing_else(tmp_path, server, capsys):
    good = [f"{server}/there", f"{server}/there#here", f"{server}/private"]
    bad = [f"{server}/gone", f"{server}/there#nowhere", "http://127.0.0.1:9/silent"]
    (tmp_path / "page.html").write_text("".join(f"<a href='{address}'>x</a>" for address in [*good, *bad, "own.html"]))
    dead = check(tmp_path)
    assert sorted(line.split(": ", 1)[0] for line in dead) == sorted(bad)
    assert [line for line in dead if "gone" in line] == [f"{server}/gone: answers 404 (in page.html)"]
    assert len(capsys.readouterr().out.splitlines()) == len(good) + len(bad)


def test_the_book_has_links_to_the_reference():
    links = external_links(HTML)
    assert any("gymnasium.farama.org/api/vector" in address for address in links)
    sync = "https://gymnasium.farama.org/api/vector/sync_vector_env/#gymnasium.vector.SyncVectorEnv"
    assert "notebooks/primitives/02_sync_vector_env.html" in links[sync], "names in code are linked"
