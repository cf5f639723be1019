"""Print the built book as one PDF, in the order of its contents: _build/vector-environments.pdf.

usage: python -m tools.pdf
"""

import io
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, sync_playwright
from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, DictionaryObject, NameObject

from tools.chromium import NoChromium, launch, served
from tools.project import HTML, stop, toc_pages

PDF = HTML.parent / "vector-environments.pdf"
MARGIN = dict.fromkeys(("top", "bottom", "left", "right"), "16mm")


def lead_inside(book: PdfWriter, site: str, first: dict[str, int]) -> None:
    """Make links to pages of the site lead to their first sheet in the PDF, where `first` knows it."""
    for sheet in book.pages:
        for annotation in sheet.get("/Annots", ()):
            action = annotation.get_object().get("/A", {})
            if str(action.get("/URI", "")).startswith(site):
                name = urlsplit(action["/URI"]).path.strip("/").removesuffix(".html")
                target = book.pages[first[name]].indirect_reference if name in first else sheet.indirect_reference
                where = ArrayObject([target, NameObject("/Fit")])
                annotation.get_object()[NameObject("/A")] = DictionaryObject(
                    {NameObject("/S"): NameObject("/GoTo"), NameObject("/D"): where}
                )


def write(browser: Browser, pages: list[str], path: Path) -> int:
    """Print the built pages, put them together with an outline of their titles; return the number of sheets."""
    book, first = PdfWriter(), {}
    with served(HTML) as site:
        page = browser.new_page()
        for number, name in enumerate(pages, start=1):
            page.goto(f"{site}/{name}.html")
            page.evaluate("document.querySelectorAll('details:not(.hide)').forEach((folded) => (folded.open = true))")
            printed = PdfReader(io.BytesIO(page.pdf(format="A4", margin=MARGIN)))
            first[name] = len(book.pages)
            book.append(printed, import_outline=False)
            book.add_outline_item(title=page.title().split(" - ")[0], page_number=first[name])
            print(f"  [{number:2d}/{len(pages)}] {name}, {len(printed.pages)} sheets", flush=True)
        page.close()
    lead_inside(book, site, first)
    book.write(path)
    return len(book.pages)


if __name__ == "__main__":
    if not HTML.exists():
        stop("the book is not built; run: make book")
    with sync_playwright() as playwright:
        try:
            sheets = write(launch(playwright), toc_pages(), PDF)
        except NoChromium as error:
            stop(str(error))
    print(f"\nopen {PDF} ({sheets} sheets, {PDF.stat().st_size / 1e6:.1f} MB)")
