"""What the book shows once its repository and its site have addresses: launch links, sitemap, canonical links."""

import re
import sys
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml
from lxml import etree
from lxml import html as lxml_html

from tools.project import HTML, ROOT, toc_pages

sys.path.append(str(ROOT / "book" / "_ext"))
import launch

REPOSITORY = "https://github.com/someone/book"
SITE = "https://someone.example/book/"
GLOSSARY = "# Glossary\n\n## Words\n\n### Row\n\nOne of many.\n\n### Base seed\n\nThe first.\n\n### Seed\n\nA number.\n"
PROSE = "# A small book\n\nTwo rows of `row` and a base seed. A seed, a row, seedling.\n\n- [seed](glossary.md#seed)\n"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Build a small book with both addresses set; return where its pages are."""
    from tests.conftest import Project

    project = Project(tmp_path_factory.mktemp("addresses"))
    config = project.root / "_config.yml"
    text = config.read_text().replace('book_repository: ""', f"book_repository: {REPOSITORY}")
    config.write_text(text.replace('baseurl: ""', f"baseurl: {SITE}"))
    (project.root / "book/intro.md").write_text(PROSE)
    (project.root / "book/glossary.md").write_text(GLOSSARY)
    project.chapters.append("book/glossary")
    project.add("01_first", "print(1)")
    for command in (["tools.pairs", "write"], ["tools.execute"], ["tools.render"]):
        done = project.run(*command)
        assert done.returncode == 0, done.stdout
    return project.root / "_build" / "html"


def links(page, css_class: str) -> dict[str, str]:
    tree = lxml_html.document_fromstring(page.read_bytes())
    return {
        a.text_content(): a.get("href")
        for a in tree.xpath(f"//a[contains(@class, '{css_class}')] | //p[@class='{css_class}']/a")
    }


def test_each_page_links_to_where_it_can_be_opened(built):
    chapter = "notebooks/primitives/01_first"
    assert links(built / f"{chapter}.html", "launch") == launch.addresses(REPOSITORY, chapter)
    assert links(built / "book/intro.html", "launch") == {"GitHub": f"{REPOSITORY}/blob/main/book/intro.md"}


def test_no_address_no_button():
    assert launch.addresses("", "book/intro") == {}
    if not yaml.safe_load((ROOT / "_config.yml").read_text())["sphinx"]["config"]["book_repository"]:
        assert not [page for page in toc_pages() if links(HTML / f"{page}.html", "launch")]


@pytest.mark.parametrize("page", toc_pages())
def test_every_address_resolves_to_a_file_of_the_tree(page):
    places = launch.addresses(REPOSITORY, page)
    for place, address in places.items():
        parts = urlsplit(address)
        if place == "Binder":
            assert parts.path == "/v2/gh/someone/book/main"
            path = parse_qs(parts.query)["urlpath"][0].removeprefix("lab/tree/")
        else:
            path = re.fullmatch(r"(?:/github)?/someone/book/blob/main/(.+)", parts.path)[1]
        assert (ROOT / path).is_file(), address
    assert list(places) == (["GitHub", "Colab", "Binder"] if page.startswith("notebooks/") else ["GitHub"])


def test_binder_finds_its_environment():
    folder = ROOT / ".binder"
    assert (folder / "requirements.txt").read_text() == "-r ../requirements.txt\n"
    assert re.search(r"^-e \.$", (ROOT / "requirements.txt").read_text(), re.MULTILINE), "the helpers come with it"
    assert re.fullmatch(r"python-3\.1[1-3]\n", (folder / "runtime.txt").read_text())


def test_what_colab_installs_holds_every_file_of_the_helpers():
    import tomllib

    globs = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]["helpers"]
    packaged = {path for glob in globs for path in (ROOT / "helpers").glob(glob)}
    files = {path for path in (ROOT / "helpers").rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert {path for path in files if path.suffix != ".py"} == packaged


@pytest.mark.parametrize("address", ["github.com/a/b", "https://gitlab.com/a/b", "https://github.com/a"])
def test_what_is_no_address_is_refused(address):
    with pytest.raises(ValueError, match="give it as https://github"):
        launch.slug(address)


def test_sitemap_names_every_page_once_and_pages_name_themselves(built):
    tree = etree.fromstring((built / "sitemap.xml").read_bytes())
    listed = sorted(element.text for element in tree.iter("{*}loc"))
    pages = {f"{SITE}{name}.html" for name in ("book/intro", "book/glossary", "notebooks/primitives/01_first")}
    assert listed == sorted(pages)
    page = lxml_html.document_fromstring((built / "book/glossary.html").read_bytes())
    assert page.xpath("//link[@rel='canonical']/@href") == [f"{SITE}book/glossary.html"]
    assert page.xpath("//meta[@property='og:url']/@content") == [f"{SITE}book/glossary.html"]


def test_the_page_for_what_is_not_found_works_below_the_sites_folder(built):
    page = lxml_html.document_fromstring((built / "404.html").read_bytes())
    inner = [a for a in page.xpath("//a/@href | //link[@rel='stylesheet']/@href") if not re.match("https?:|#", a)]
    assert inner and all(address.startswith("/book/") for address in inner)


def test_terms_are_linked_where_a_page_first_uses_them_and_nowhere_else(built):
    tree = lxml_html.document_fromstring((built / "book/intro.html").read_bytes())
    found = [(a.text_content(), a.get("href")) for a in tree.xpath("//article//a[contains(@class, 'term')]")]
    assert found == [
        ("rows", "glossary.html#row"),
        ("base seed", "glossary.html#base-seed"),
        ("seed", "glossary.html#seed"),
    ]
    assert not lxml_html.document_fromstring((built / "book/glossary.html").read_bytes()).xpath(
        "//a[contains(@class, 'term')]"
    )
