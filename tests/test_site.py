"""The built HTML, without a browser: links lead somewhere, pictures have a text, nothing comes from elsewhere."""

import gzip
import re
import zipfile
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from lxml import html as lxml_html

from tools.project import HTML, toc_pages

PAGES = [*toc_pages(), "search", "genindex", "404"]
SECTIONS = Path(__file__).with_name("sections.txt")  # the addresses that others may have linked to
WEIGHT = 100_000  # bytes, gzipped, everything a first visit loads but image files
RESOURCES = {
    "script": "src",
    "link": "href",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "object": "data",
}
LOADED_LINKS = {"stylesheet", "icon", "shortcut icon", "preload", "prefetch", "manifest", "modulepreload"}


def parse(path: Path) -> lxml_html.HtmlElement:
    return lxml_html.document_fromstring(path.read_bytes())


def resources(tree) -> list[str]:
    """Return the address of everything the page loads by itself."""
    found = []
    for tag, attribute in RESOURCES.items():
        for element in tree.iter(tag):
            if tag == "link" and element.get("rel") not in LOADED_LINKS:
                continue
            if element.get(attribute):
                found.append(element.get(attribute))
    return found


def foreign(tree) -> list[str]:
    """Return what the page would load from another host."""
    return [address for address in resources(tree) if urlsplit(address).netloc]


def nameless(tree) -> list[str]:
    """Return the pictures that have no text: an image without alt, a drawing neither named nor hidden."""
    images = [element for element in tree.iter("img") if element.get("alt") is None]
    drawings = [
        element
        for element in tree.xpath("//article//svg[not(ancestor::svg)]")
        if not element.get("aria-label")
        and not element.xpath("ancestor-or-self::*[@aria-hidden='true' or self::button or self::a]")
    ]
    return [lxml_html.tostring(element, encoding="unicode")[:120] for element in images + drawings]


def dead_links(path: Path, root: Path) -> list[str]:
    """Return the page's links within the site that lead nowhere, the part after # included."""
    dead = []
    for element in parse(path).iter("a"):
        target = urlsplit(element.get("href", ""))
        if target.scheme or target.netloc or element.get("href") in (None, "", "#"):
            continue
        file = (path.parent / unquote(target.path)).resolve() if target.path else path
        file = file / "index.html" if file.is_dir() else file
        if not file.is_file() or not file.is_relative_to(root):
            dead.append(element.get("href"))
        elif target.fragment and file.suffix == ".html":
            ids = {
                id_ for el in parse(file).iter() if isinstance(el.tag, str) for id_ in (el.get("id"), el.get("name"))
            }
            if unquote(target.fragment) not in ids:
                dead.append(element.get("href"))
    return dead


def weight(path: Path) -> int:
    """Return the bytes of a first visit to the page, gzipped; image files aside, but drawings in the page count."""
    tree = parse(path)
    local = {address for address in resources(tree) if not urlsplit(address).scheme}
    # The page for what is not found names its files from the site's root: it is shown at any address.
    files = {HTML / address[1:] if address.startswith("/") else path.parent / address for address in local}
    files = {Path(unquote(urlsplit(str(file)).path)).resolve() for file in files}
    loaded = [
        lxml_html.tostring(tree),
        *(file.read_bytes() for file in files if file.suffix in (".css", ".js", ".woff2")),
    ]
    return sum(len(gzip.compress(content, 6)) for content in loaded)


each = pytest.mark.parametrize("page", PAGES)


@each
def test_page(page):
    path = HTML / f"{page}.html"
    assert path.is_file(), f"{page}: the HTML has no such page; run: make book"
    tree = parse(path)
    assert foreign(tree) == []
    assert nameless(tree) == []
    assert dead_links(path, HTML.resolve()) == [] or page == "404"  # its links start at the site's address
    assert weight(path) <= WEIGHT
    assert tree.findtext(".//title")
    if page in toc_pages():
        assert tree.xpath("//meta[@name='description']/@content"), "no description for search engines and previews"


@each
def test_no_raw_markup_reaches_the_reader(page):
    tree = parse(HTML / f"{page}.html")
    for element in tree.xpath("//pre | //code | //script | //style"):
        element.drop_tree()
    text = tree.text_content()
    for raw in ("{doc}", "{ref}", "{term}", ":::", "```", "[](", "<details", "&lt;"):
        assert raw not in text, raw


@pytest.mark.parametrize("page", [page for page in toc_pages() if page.startswith("notebooks/")])
def test_notebook_page_shows_outputs_no_error_and_can_be_downloaded(page):
    path = HTML / f"{page}.html"
    tree = parse(path)
    assert tree.xpath("//div[contains(@class, 'cell_output')]")
    assert not tree.xpath("//*[contains(@class, 'traceback') or contains(@class, 'stderr')]")
    downloads = [Path(a.get("href")).suffix for a in tree.xpath("//a[@download]")]
    assert downloads == [".ipynb", ".py"]


def sections(page: str) -> list[str]:
    """Return the addresses of the page's sections."""
    ids = parse(HTML / f"{page}.html").xpath("//article//section/section/@id")
    return [f"{page}.html#{id_}" for id_ in ids]


def test_addresses_of_sections_do_not_change():
    built = [address for page in toc_pages() for address in sections(page)]
    kept = SECTIONS.read_text().split()
    lost = [address for address in kept if address not in set(built) and dead_address(address)]
    assert lost == [], "others may link to these: put <span id=...></span> with the old id where the section is now"
    new = sorted(set(built) - set(kept))
    assert new == [], f"new sections: add them to {SECTIONS.name}, and from then on they keep their addresses"


def dead_address(address: str) -> bool:
    page, id_ = address.split("#")
    return not (HTML / page).exists() or not parse(HTML / page).xpath("//*[@id=$id]", id=id_)


def test_planted_faults_are_found(tmp_path):
    page = tmp_path / "page.html"
    page.write_text(
        "<title>t</title><article><script src='https://cdn.example/x.js'></script><img src='a.png'>"
        "<svg><path d=''></path></svg><a href='gone.html'>x</a><a href='#nowhere'>y</a><a href='page.html'>z</a>"
    )
    tree = parse(page)
    assert foreign(tree) == ["https://cdn.example/x.js"]
    assert len(nameless(tree)) == 2
    assert dead_links(page, tmp_path) == ["gone.html", "#nowhere"]


def test_external_links_are_well_formed():
    for page in toc_pages():
        for address in parse(HTML / f"{page}.html").xpath("//article//a/@href"):
            parts = urlsplit(address)
            if parts.scheme and parts.scheme != "mailto":
                assert parts.scheme == "https", address
                assert re.fullmatch(r"[a-z0-9.-]+\.[a-z]+", parts.netloc), address


def test_the_folder_to_download_holds_what_running_it_takes():
    with zipfile.ZipFile(HTML / "vector-environments-book.zip") as archive:
        names = {name.split("/", 1)[1] for name in archive.namelist()}
        assert archive.testzip() is None
    for needed in (
        "Makefile",
        "README.md",
        "LICENSE",
        "requirements.txt",
        "pyproject.toml",
        "_toc.yml",
        "tools/environment.py",
    ):
        assert needed in names
    assert {f"{page}.ipynb" for page in toc_pages() if page.startswith("notebooks/")} <= names
    assert not [name for name in names if name.startswith((".", "build", "_build")) or "__pycache__" in name]
