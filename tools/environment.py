"""Create or renew .venv from requirements.txt; does nothing when it is already right.

Runs on the reader's own Python before anything is installed: standard library only, and no syntax that an old
Python could not parse, so that it can say which Python is needed.
"""

import hashlib
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OLDEST = (3, 11)
SIGNS = (  # what an installer says, and what it means
    (("No space left on device", "os error 28"), "the disk is full; free some space"),
    (
        ("name resolution", "dns error", "Failed to fetch", "NewConnectionError", "Retrying (Retry"),
        "the package index cannot be reached; connect to a network (or set PIP_INDEX_URL / UV_INDEX_URL)",
    ),
    (("ensurepip is not",), "this Python cannot make environments; on Debian: apt install python3-venv"),
    (("No matching distribution", "No solution found"), "a pinned package has no release for this Python or system"),
)


def stop(problem):
    """End with one line that says what is wrong and what to do."""
    sys.exit("environment: " + problem + ". Then run the same command again.")


def fingerprint():
    """Return what .venv/ready must say: the pins and the Python they were installed for."""
    digest = hashlib.sha256(sys.version.encode())
    for name in ("requirements.txt", "pyproject.toml"):
        with open(os.path.join(ROOT, name), "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def works(*command):
    """Return whether a command of the environment is there and runs."""
    try:
        return subprocess.call(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) == 0
    except OSError:
        return False


def run(command):
    """Run an installer; when it fails, name the cause if its output shows one."""
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True
    )
    output, _ = process.communicate()
    if process.returncode:
        for signs, meaning in SIGNS:
            if any(sign in output for sign in signs):
                stop(meaning)
        sys.stderr.write(output)
        stop("%s failed as shown above; mend that" % " ".join(command[:3]))


def main():
    """Make .venv hold exactly what requirements.txt pins."""
    if sys.version_info < OLDEST:
        found = ".".join(map(str, sys.version_info[:3]))
        stop("found Python %s, the book needs %d.%d or newer; name one, as in PYTHON=python3.12" % ((found,) + OLDEST))
    venv = os.path.join(ROOT, ".venv")
    ready = os.path.join(venv, "ready")
    python = os.path.join(venv, "Scripts" if os.name == "nt" else "bin", "python")
    wanted = fingerprint()
    if os.path.exists(ready) and works(python, "-c", ""):
        with open(ready) as file:
            if file.read() == wanted:
                return
    uv = shutil.which("uv")
    print("environment: installing requirements.txt into .venv with %s" % ("uv" if uv else "venv and pip"))
    sys.stdout.flush()
    # An environment that uv made has no pip of its own.
    if not works(*([python, "-c", ""] if uv else [python, "-m", "pip", "--version"])):
        shutil.rmtree(venv, ignore_errors=True)
        run([uv, "venv", "--python", sys.executable, venv] if uv else [sys.executable, "-m", "venv", venv])
    if os.path.exists(ready):
        os.remove(ready)
    if uv:
        run([uv, "pip", "sync", "--python", python, "--allow-empty-requirements", "requirements.txt"])
    else:
        run([python, "-m", "pip", "install", "--disable-pip-version-check", "--no-deps", "-r", "requirements.txt"])
    with open(ready, "w") as file:
        file.write(wanted)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        stop("interrupted; nothing is lost")
    except OSError as error:
        stop("%s" % error)
