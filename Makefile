# The verbs of the book. `make` alone lists them.
PYTHON ?= python3
ifeq ($(OS),Windows_NT)
PY := .venv/Scripts/python
else
PY := .venv/bin/python
endif

.DEFAULT_GOAL := help
.PHONY: help environment book test notebooks from-jupyter new lab serve bench pdf linkcheck check lint requirements clean clean-environment
.DELETE_ON_ERROR:

help: ## list the verbs
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 26

environment:
	@$(PYTHON) tools/environment.py

book: environment ## execute what changed and build the HTML
	@$(PY) -m tools.execute
	@$(PY) -m tools.render

test: book ## everything CI checks: the pairs, the notebooks, the helpers, the pages
	@$(PY) -m pytest -n auto --maxschedchunk 1

notebooks: environment ## write each .ipynb from its .py
	@$(PY) -m tools.pairs write

from-jupyter: environment ## write NAME.py from NAME.ipynb, after an edit made in Jupyter
	@$(PY) -m tools.pairs from-jupyter "$(NAME)"

new: environment ## start the chapter NAME=part/28_title from the template
	@$(PY) -m tools.pairs new "$(NAME)"

lab: environment ## open the notebooks in JupyterLab
	@$(PY) -m jupyterlab notebooks

serve: book ## serve the built book on http://localhost:8000
	@$(PY) -m http.server --bind localhost --directory _build/html 8000

bench: environment ## measure the throughput ladder of chapter 22 on this machine
	@$(PY) -m tools.bench

pdf: book ## print the whole book as one PDF
	@$(PY) -m tools.pdf

linkcheck: book ## ask every other site the book links to (needs the network)
	@$(PY) -m tools.linkcheck

check: environment ## say whether this machine can run the book
	@$(PY) -m helpers.checkup

lint: environment ## check the style of code and the spelling
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m codespell_lib

requirements: environment ## compile requirements.in into requirements.txt
	@$(PY) -m uv pip compile --quiet --universal --python-version 3.11 --custom-compile-command "make requirements" \
		--no-emit-package rfc3987-syntax --no-emit-package lark --output-file requirements.txt requirements.in

clean: ## remove what was built
	rm -rf build _build

clean-environment: ## remove the environment
	rm -rf .venv
