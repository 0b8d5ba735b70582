"""What becomes of an export that is fused, and of one that cannot be."""

from pathlib import Path

import pytest

from core.engines.onnx_fusing import compare, fuse
from tests.tiny_onnx import ROWS, write_export


def test_a_fused_export_is_in_the_place_of_the_plain_one(tmp_path: Path) -> None:
    write_export(tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    fuse(tmp_path, heads=0, width=0)
    compare(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == names


def test_an_export_that_comes_out_otherwise_stays_as_it_was(tmp_path: Path) -> None:
    write_export(tmp_path, rows=ROWS + 0.001)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(ValueError, match="cannot be fused"):
        fuse(tmp_path, heads=0, width=0)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
