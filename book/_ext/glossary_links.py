"""Links each term of the glossary where a page first uses it, so that no author has to.

Words that also mean something else in plain English are left to the author's own links.
"""

import re
from pathlib import Path

from docutils import nodes
from sphinx import addnodes

GLOSSARY = "book/glossary"
AMBIGUOUS = {"Action", "Discount", "Done", "Environment", "Return", "Spec", "Value"}
UNLINKED = (
    nodes.reference,
    nodes.title,
    nodes.literal,
    nodes.literal_block,
    nodes.raw,
    nodes.caption,
    nodes.rubric,
    nodes.thead,
)
UNLINKED += (addnodes.desc_signature, addnodes.pending_xref)


def terms(source: Path) -> dict[str, str]:
    """Return the anchor of each term, the longest first, so that 'base seed' is not taken for 'seed'."""
    glossary = source / f"{GLOSSARY}.md"
    text = glossary.read_text(encoding="utf-8") if glossary.exists() else ""
    headings = re.findall(r"^### (.+)$", text, re.MULTILINE)
    chosen = sorted(set(headings) - AMBIGUOUS, key=len, reverse=True)
    return {term.lower(): term.lower().replace(" ", "-") for term in chosen}


def split(text: str, pattern: re.Pattern, anchors: dict[str, str], linked: set[str], page: str) -> list[nodes.Node]:
    """Return `text` as nodes, with a link at each term that is not in `linked`, and add it there."""
    parts, end = [], 0
    for match in pattern.finditer(text):
        anchor = anchors[re.sub(r"\s+", " ", match["term"].lower())]
        if anchor not in linked:
            linked.add(anchor)
            parts += [nodes.Text(text[end : match.start()])]
            parts += [nodes.reference("", match[0], internal=True, refuri=f"{page}#{anchor}", classes=["term"])]
            end = match.end()
    return [*parts, nodes.Text(text[end:])]


def link(app, doctree, docname):
    """Walk through a page as a reader does and link what was neither linked nor used before."""
    anchors = terms(Path(app.srcdir))
    if not anchors or docname == GLOSSARY or app.builder.format != "html":
        return
    words = "|".join(re.escape(term).replace(r"\ ", r"\s+") for term in anchors)
    pattern = re.compile(rf"(?<![\w-])(?P<term>{words})s?(?![\w-])", re.IGNORECASE)
    page, linked = app.builder.get_relative_uri(docname, GLOSSARY), set()
    for node in list(doctree.findall()):
        if isinstance(node, nodes.reference) and node.get("refuri", "").startswith(f"{page}#"):
            linked.add(node["refuri"].partition("#")[2])
        elif isinstance(node, nodes.Text) and not inside(node, UNLINKED):
            node.parent.replace(node, split(node.astext(), pattern, anchors, linked, page))


def inside(node: nodes.Node, kinds: tuple[type, ...]) -> bool:
    """Say whether `node` stands within a node of one of the `kinds`."""
    while node := node.parent:
        if isinstance(node, kinds):
            return True
    return False


def setup(app):
    """Connect the above to Sphinx."""
    app.connect("doctree-resolved", link, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
