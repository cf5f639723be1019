"""The book as one PDF, from two of its pages."""

from pypdf import PdfReader

from tools.pdf import write

PAGES = ["book/intro", "notebooks/primitives/01_vector_env"]


def test_pages_follow_each_other_and_links_between_them_stay_inside(tmp_path):
    sheets = write(PAGES, tmp_path / "book.pdf")
    pdf = PdfReader(tmp_path / "book.pdf")
    assert len(pdf.pages) == sheets > len(PAGES)
    starts = [pdf.get_destination_page_number(item) for item in pdf.outline]
    assert starts[0] == 0 and len(starts) == len(PAGES)
    assert "VectorEnv" in pdf.pages[starts[1]].extract_text()
    actions = [a.get_object().get("/A", {}) for sheet in pdf.pages for a in sheet.get("/Annots", ())]
    addresses = [str(action["/URI"]) for action in actions if "/URI" in action]
    assert any("gymnasium.farama.org" in address for address in addresses)
    assert not [address for address in addresses if "127.0.0.1" in address]
    targets = {
        pdf.get_page_number(action["/D"][0].get_object())
        for action in actions
        if action.get("/S") == "/GoTo" and isinstance(action["/D"], list)
    }
    assert starts[1] in targets
