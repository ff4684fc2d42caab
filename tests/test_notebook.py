"""The analysts' notebook runs from top to bottom, and is kept without what it gives."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[1] / "notebooks" / "as_of.ipynb"
PLOTS = 6


@pytest.fixture
def notebook():
    return nbformat.read(NOTEBOOK, as_version=4)


def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_it_is_kept_without_outputs(notebook):
    assert [cell.outputs for cell in code(notebook) if cell.outputs] == []
    assert {cell.execution_count for cell in code(notebook)} == {None}


@pytest.mark.spark
@pytest.mark.long
def test_it_runs_from_top_to_bottom_and_leaves_nothing(notebook, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.delenv("REGESTA_WAREHOUSE", raising=False)
    NotebookClient(notebook, timeout=1800, kernel_name="python3").execute()
    outputs = [output for cell in code(notebook) for output in cell.outputs]
    pictures = [each for each in outputs if "image/png" in each.get("data", {})]
    assert len(pictures) == PLOTS
    assert not [each for each in outputs if each.output_type == "error"]
    said = "".join(each.text for each in outputs if each.output_type == "stream")
    assert "rows in both" in said
    assert not list(tmp_path.glob("*/desk"))
