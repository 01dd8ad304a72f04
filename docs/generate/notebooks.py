"""Pages that are notebooks: executed when the site is built, shown with all that they say and draw.

What is kept in docs/ has no outputs: `jupyter nbconvert --clear-output --inplace FILE` takes them
out again. A cell that fails is an error of the site.
"""

import os
import re
import tempfile
from pathlib import Path

import nbformat
from mkdocs.exceptions import PluginError
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbconvert import MarkdownExporter

LIMIT_S = 60
"""For one cell."""
TABLE = re.compile(r"<style scoped>.*?</style>|(?<=<table) border=\"1\" class=\"dataframe\"", re.S)
"""pandas' own looks; the site has a style for tables, which lets wide ones scroll."""


def page(file, programs):
    """Execute a notebook; return its page, and the pictures that lie beside it by their names."""
    notebook = nbformat.read(file, 4)
    name = file.stem
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook, timeout=LIMIT_S, kernel_name="python3",
            resources={"metadata": {"path": folder}},
        )  # fmt: skip
        cache = str(Path(folder) / "cache")
        variables = {"HALOCLINE_BIN": str(programs), "HALOCLINE_CACHE": cache}
        try:
            client.execute(env={**os.environ, **variables})
        except (CellExecutionError, OSError) as problem:
            raise PluginError(f"{file}: {problem}") from None
    text, made = MarkdownExporter().from_notebook_node(
        notebook, resources={"unique_key": name, "output_files_dir": name}
    )
    return TABLE.sub("", text), made["outputs"]
