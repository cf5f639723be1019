"""Links from every page to its source, and from a chapter to Colab and Binder, once the repository has an address.

The address is the setting `book_repository` in _config.yml and stands nowhere else; without it there is no link.
"""

import re

REPOSITORY = re.compile(r"https://github\.com/(?P<owner>[\w.-]+)/(?P<name>[\w.-]+?)(?:\.git)?/?")
BRANCH = "main"


def slug(repository: str) -> str:
    """Return ``owner/name`` of a repository's address; empty for an empty one.

    Raises:
        ValueError: if it is not the address of a repository on GitHub.
    """
    match = REPOSITORY.fullmatch(repository)
    if repository and not match:
        raise ValueError(f"_config.yml: book_repository is {repository!r}; give it as https://github.com/OWNER/NAME")
    return f"{match['owner']}/{match['name']}" if match else ""


def addresses(repository: str, page: str) -> dict[str, str]:
    """Return where else a page can be opened, by the name of the place."""
    where = slug(repository)
    if not where:
        return {}
    if not page.startswith("notebooks/"):
        return {"GitHub": f"https://github.com/{where}/blob/{BRANCH}/{page}.md"}
    return {
        "GitHub": f"https://github.com/{where}/blob/{BRANCH}/{page}.ipynb",
        "Colab": f"https://colab.research.google.com/github/{where}/blob/{BRANCH}/{page}.ipynb",
        "Binder": f"https://mybinder.org/v2/gh/{where}/{BRANCH}?urlpath=lab/tree/{page}.ipynb",
    }


def set_up(repository: str) -> str:
    """Return the code of the cell with which a notebook opened in Colab fetches what it imports."""
    source = f"vector-environments-book @ git+https://github.com/{slug(repository)}@{BRANCH}"
    return (
        "# In Colab, fetch Gymnasium and the book's helpers. Anywhere else this does nothing.\n"
        "import sys\n\n"
        'if "google.colab" in sys.modules:\n'
        f'    get_ipython().run_line_magic("pip", \'install --quiet "{source}"\')'
    )


def offer(app, pagename, templatename, context, doctree):
    """Put the links under the page's title."""
    if doctree is None:
        return
    links = addresses(app.config.book_repository, pagename)
    if links:
        shown = " ".join(f'<a href="{address}">{place}</a>' for place, address in links.items())
        context["body"] = context["body"].replace("</h1>", f'</h1>\n<p class="launch">Open in {shown}</p>', 1)


def setup(app):
    """Connect the above to Sphinx."""
    app.add_config_value("book_repository", "", "html", str)
    app.connect("html-page-context", offer, priority=950)  # after the downloads: so above them
    return {"parallel_read_safe": True, "parallel_write_safe": True}
