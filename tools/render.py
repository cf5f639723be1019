"""Build the HTML from the executed notebooks and the Markdown pages; executes nothing.

usage: python -m tools.render

The book is put together in build/source: the Markdown pages as they are, the notebooks with the outputs of their one
execution. Jupyter Book reads it there, so that a page is rebuilt exactly when its text or its outputs changed.
Exits with 1 and the warnings if there is any, and with a line for each page that is missing.
"""

import contextlib
import hashlib
import importlib.metadata
import io
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time
import zipfile
from urllib.parse import urlsplit

import nbformat
import yaml

from helpers import checkup
from tools import api_map
from tools.execute import ANSI
from tools.folds import fold
from tools.project import BUILD, EXECUTED, HTML, ROOT, TOC, notebooks, settings, stop, toc_pages

SOURCE = BUILD / "source"
OUTPUT = BUILD / "output"
LOG = BUILD / "book.log"
NOT_CONTENT = ["404.html", "genindex.html", "py-modindex.html", "search.html"]  # pages that nobody looks for
BOOK = "vector-environments-book"
NOT_FOUND = """<h1>There is no such page</h1>
<p>It may have been renamed. Go to <a href="{root}book/intro.html">the start of the book</a>, look a symptom up in
<a href="{root}notebooks/trust/27_field_guide.html">the field guide</a>,
or <a href="{root}search.html">search</a>.</p>"""
# What the built HTML was made from: of all pages (BUILT), and of what is part of every page (FRAME).
BUILT, FRAME = BUILD / "built", BUILD / "frame"


def whole(outputs: list[nbformat.NotebookNode]) -> list[nbformat.NotebookNode]:
    """Return the outputs with what was printed in several pieces as one, as it came."""
    joined = []
    for output in outputs:
        if joined and output.output_type == joined[-1].output_type == "stream" and output.name == joined[-1].name:
            joined[-1].text += output.text
        else:
            joined.append(output)
    return joined


def with_outputs(name: str) -> str:
    """Return the notebook as it is now, with the outputs of its execution.

    Prose may have changed since; code has not, or the notebook would have been executed again.
    """
    notebook = nbformat.read(ROOT / f"{name}.ipynb", as_version=4)
    executed = nbformat.read(EXECUTED / f"{name}.ipynb", as_version=4)
    done = iter([cell for cell in executed.cells if cell.cell_type == "code"])
    for cell in notebook.cells:
        if cell.cell_type == "code":
            ran = next(done)
            cell.outputs, cell.execution_count = whole(ran.outputs), ran.execution_count
    fold(notebook)
    return nbformat.writes(notebook)


def config() -> str:
    """Return _config.yml with execution turned off, and with what the address of the site implies."""
    configuration = settings()
    configuration["execute"] = {"execute_notebooks": "off"}
    address = configuration["html"]["baseurl"]
    sphinx = configuration["sphinx"]["config"]
    sphinx["notfound_urls_prefix"] = root = urlsplit(address).path or "/"
    sphinx["notfound_context"] = {"title": "Not found", "body": NOT_FOUND.format(root=root)}
    sphinx["ogp_site_url"] = address
    if address:
        sphinx |= {"sitemap_url_scheme": "{link}", "sitemap_show_lastmod": False, "sitemap_excludes": NOT_CONTENT}
        sphinx["extensions"] = [*sphinx["extensions"], "sphinx_sitemap"]
    return yaml.safe_dump(configuration)


def folder() -> bytes:
    """Return the book's own folder as a zip file, for readers who have only the pages; the same bytes on any day."""
    tops = [top for top in sorted(ROOT.iterdir()) if top.suffix != ".egg-info" and top.name not in ("build", "_build")]
    paths = [path for top in tops if top.name[0] != "." for path in (top, *sorted(top.rglob("*"))) if path.is_file()]
    with io.BytesIO() as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in paths:
                if "__pycache__" not in path.parts:
                    name = zipfile.ZipInfo(f"{BOOK}/{path.relative_to(ROOT).as_posix()}")
                    archive.writestr(name, path.read_bytes(), zipfile.ZIP_DEFLATED)
        return file.getvalue()


def gather() -> dict[str, bytes]:
    """Return the content of every file of the book's source, by its path."""
    files = {"_toc.yml": TOC.read_bytes(), "_config.yml": config().encode()}
    for path in sorted((ROOT / "book").rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            files[path.relative_to(ROOT).as_posix()] = path.read_bytes()
    for page, make in GENERATED.items():
        if page in files:
            files[page] = files[page].replace(b"<!-- generated -->", make().encode())
    for name in notebooks():
        files[f"{name}.ipynb"] = with_outputs(name).encode()
        files[f"_downloads/{name}.py"] = (ROOT / f"{name}.py").read_bytes()
        files[f"_downloads/{name}.ipynb"] = (ROOT / f"{name}.ipynb").read_bytes()
    files[f"_downloads/{BOOK}.zip"] = folder()
    return files


def seconds() -> dict[str, float]:
    """Return how long each notebook took when it was executed."""
    read = {name: json.loads((EXECUTED / f"{name}.ipynb").read_text(encoding="utf-8")) for name in notebooks()}
    return {name: notebook["metadata"]["book"]["seconds"] for name, notebook in read.items()}


def status() -> str:
    """Return the versions the book was made with and what each notebook took, as Markdown tables."""
    packages = ("gymnasium", "numpy", "pandas", "matplotlib", "jupyter-book", "sphinx", "furo", "nbmake")
    facts = {"Python": platform.python_version(), "system": platform.system(), "cores": os.cpu_count()}
    facts |= {package: importlib.metadata.version(package) for package in packages}
    measured = seconds()
    taken = {f"[{name.split('/', 1)[1]}](../{name}.ipynb)": measured[name] for name in toc_pages() if name in measured}
    taken["together"] = sum(taken.values())
    lines = ["| what | value |", "| --- | --- |", *(f"| {name} | {fact} |" for name, fact in facts.items()), ""]
    lines += [
        "| notebook | seconds |",
        "| --- | ---: |",
        *(f"| {name} | {value:.1f} |" for name, value in taken.items()),
    ]
    return "\n".join(lines)


def checked() -> str:
    """Return what the check of this machine prints, as a block of text."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        checkup.main()
    return f"```text\n{printed.getvalue()}```"


# Pages with a part that is made at build time, in place of a comment that says so.
GENERATED = {
    "book/api_map.md": lambda: "\n".join(api_map.tables()),
    "book/running.md": checked,
    "book/status.md": status,
}


def digest(files: dict[str, bytes]) -> str:
    """Return one hash for all of `files`, names and contents."""
    result = hashlib.sha256()
    for name, content in sorted(files.items()):
        result.update(name.encode() + b"\0" + hashlib.sha256(content).digest())
    return result.hexdigest()


def frame_of(files: dict[str, bytes]) -> str:
    """Return a hash of what every page shows: the configuration, the style, the titles in the contents, the terms."""
    shared = {name: content for name, content in files.items() if re.match(r"_toc|_config|book/_", name)}
    shared["terms"] = b"".join(re.findall(rb"^### .*", files.get("book/glossary.md", b""), re.MULTILINE))
    for name, content in files.items():
        if name.endswith((".md", ".ipynb")) and (title := re.search(rb"^\W*# .*", content, re.MULTILINE)):
            shared[f"title of {name}"] = title[0]
    shared["installed"] = (ROOT / "requirements.txt").read_bytes()
    return digest(shared)


def stage(files: dict[str, bytes]) -> None:
    """Make build/source hold `files` and nothing else; what is the same is not touched."""
    for path in SOURCE.rglob("*"):
        if path.is_file() and path.relative_to(SOURCE).as_posix() not in files:
            path.unlink()
    for name, content in files.items():
        path = SOURCE / name
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def build(everything: bool) -> None:
    """Run Jupyter Book; exit with its warnings if it gives any."""
    command = [
        sys.executable,
        "-c",
        "from jupyter_book.cli.main import main; main()",
        "build",
        str(SOURCE),
        "--path-output",
        str(OUTPUT),
    ]
    command += ["-W", "-n", "--keep-going"] + ["--all"] * everything
    environment = {**os.environ, "NO_COLOR": "1", "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    log = re.sub(ANSI, "", done.stdout).replace(f"{SOURCE}{os.sep}", "")
    LOG.write_text(log, encoding="utf-8")
    warnings = [line for line in log.splitlines() if re.search(r"\b(WARNING|ERROR|CRITICAL)\b", line)]
    if done.returncode or warnings:
        # Sphinx gives a warning once, when it reads the page: the next build must read all pages again.
        FRAME.unlink(missing_ok=True)
        stop(*(warnings or log.splitlines()[-15:]), f"book: not built; the whole log is {LOG.relative_to(ROOT)}")


def missing() -> list[str]:
    """Return one problem for each page that is not in the HTML, and each notebook page without an output."""
    problems = []
    for page in toc_pages():
        path = OUTPUT / "_build" / "html" / f"{page}.html"
        if not path.exists():
            problems.append(f"{page}: is in _toc.yml, but the HTML has no such page")
        elif page.startswith("notebooks/") and 'class="cell_output' not in path.read_text(encoding="utf-8"):
            problems.append(f"{page}: its page shows no output; does a cell print or show something?")
    return problems


def publish() -> None:
    """Put the new HTML in the place of the last good one, which a build that fails leaves alone."""
    new = HTML.with_name("html.new")
    shutil.rmtree(new, ignore_errors=True)
    shutil.copytree(OUTPUT / "_build" / "html", new)
    shutil.rmtree(HTML, ignore_errors=True)
    new.replace(HTML)


def render() -> None:
    """Build the HTML if anything changed."""
    start = time.perf_counter()
    files = gather()
    built, frame = digest(files), frame_of(files)
    if BUILT.exists() and BUILT.read_text() == built and (HTML / "index.html").exists():
        print("book: up to date")
        return
    BUILT.unlink(missing_ok=True)
    everything = not FRAME.exists() or FRAME.read_text() != frame
    FRAME.unlink(missing_ok=True)
    if everything:
        shutil.rmtree(OUTPUT, ignore_errors=True)
    stage(files)
    build(everything)
    if problems := missing():
        stop(*problems)
    publish()
    FRAME.write_text(frame)
    BUILT.write_text(built)
    print(f"book: built in {time.perf_counter() - start:.1f} s")


def times() -> None:
    """Print how long each notebook took when it was executed."""
    print("\nseconds  notebook")
    for name, taken in sorted(seconds().items(), key=lambda item: -item[1]):
        print(f"{taken:7.1f}  {name}")
    print(f"{sum(seconds().values()):7.1f}  together")


if __name__ == "__main__":
    try:
        render()
        times()
    except OSError as error:
        stop(f"book: {error}; free some space if the disk is full, then run the same command again")
    print(f"\nopen {HTML / 'index.html'}")
