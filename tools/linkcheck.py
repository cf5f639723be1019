"""Ask every page outside the book that the book links to whether it is there, and has the section meant.

usage: python -m tools.linkcheck

Needs the network, so it is no part of the tests. Prints each address with the pages that link to it; exits with 1 and
the dead ones if there are any. A server that refuses us (401, 403, 429) proves nothing and is only named.
"""

import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import unquote, urldefrag

import requests
from lxml import html

from tools.project import HTML, stop

TIMEOUT = 20  # seconds
REFUSED = (401, 403, 429)


def external_links(root: Path) -> dict[str, list[str]]:
    """Return every address outside the book, with the pages that link to it."""
    found = defaultdict(set)
    for path in sorted(root.rglob("*.html")):
        for address in html.document_fromstring(path.read_bytes()).xpath("//a/@href"):
            if address.startswith(("http://", "https://")):
                found[address].add(path.relative_to(root).as_posix())
    return {address: sorted(pages) for address, pages in sorted(found.items())}


def ask(page: str) -> tuple[str, set[str]]:
    """Return what is wrong with a page ('' if nothing), and the names of its sections."""
    try:
        answer = requests.get(page, timeout=TIMEOUT, headers={"User-Agent": "Mozilla/5.0 (link check)"})
    except requests.RequestException as error:
        return f"no answer ({type(error).__name__})", set()
    if answer.status_code in REFUSED:
        return "refused", set()
    if not answer.ok:
        return f"answers {answer.status_code}", set()
    tree = html.document_fromstring(answer.content or b"<html/>")
    return "", {*tree.xpath("//@id"), *tree.xpath("//a/@name")}


def check(root: Path) -> list[str]:
    """Print every link and what was found; return a line for each that is dead."""
    links = external_links(root)
    pages = sorted({urldefrag(address).url for address in links})
    with ThreadPoolExecutor(8) as pool:
        answers = dict(zip(pages, pool.map(ask, pages), strict=True))
    dead = []
    for address, where in links.items():
        page, section = urldefrag(address)
        problem, sections = answers[page]
        if not problem and section and unquote(section) not in sections:
            problem = "has no such section"
        line = f"{address}: {problem or 'ok'} (in {', '.join(where[:3])}{' and others' if len(where) > 3 else ''})"
        print(line)
        if problem not in ("", "refused"):
            dead.append(line)
    return dead


if __name__ == "__main__":
    if dead := check(HTML):
        stop("", *dead, f"links: {len(dead)} are dead")
    sys.exit()
