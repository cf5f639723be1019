"""Print the built book as one PDF, in the order of its contents: _build/vector-environments.pdf.

usage: python -m tools.pdf
"""

import functools
import http.server
import io
import threading

from playwright.sync_api import sync_playwright
from pypdf import PdfReader, PdfWriter

from tools.chromium import launch
from tools.project import HTML, stop, toc_pages

PDF = HTML.parent / "vector-environments.pdf"
MARGIN = dict.fromkeys(("top", "bottom", "left", "right"), "16mm")


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves the built book without a line for each request."""

    def log_message(self, *arguments) -> None:
        """Say nothing."""


def main() -> None:
    """Print each page, put them together, with an outline of their titles."""
    if not HTML.exists():
        stop("the book is not built; run: make book")
    book = PdfWriter()
    with (
        http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=HTML)) as server,
        sync_playwright() as playwright,
    ):
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = launch(playwright)
        page = browser.new_page()
        pages = toc_pages()
        for number, name in enumerate(pages, start=1):
            page.goto(f"http://127.0.0.1:{server.server_port}/{name}.html")
            page.evaluate("document.querySelectorAll('details:not(.hide)').forEach((folded) => (folded.open = true))")
            printed = PdfReader(io.BytesIO(page.pdf(format="A4", margin=MARGIN)))
            title = page.title().split(" - ")[0]
            first = len(book.pages)
            book.append(printed, import_outline=False)
            book.add_outline_item(title=title, page_number=first)
            print(f"  [{number:2d}/{len(pages)}] {name}, {len(printed.pages)} pages", flush=True)
        browser.close()
        server.shutdown()
    book.write(PDF)
    print(f"\nopen {PDF} ({len(book.pages)} pages, {PDF.stat().st_size / 1e6:.1f} MB)")


if __name__ == "__main__":
    main()
