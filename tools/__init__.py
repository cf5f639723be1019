"""What the Makefile calls. Nothing here is needed to read or run a notebook."""
