"""What the disk is asked for while a build is made, and by whom."""

import os
import threading
from pathlib import Path

import pytest

from core.engines.edge_index import EdgeIndex


@pytest.mark.parametrize("reserved", [False, True])
async def test_the_event_loop_makes_no_folder_of_a_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reserved: bool
) -> None:
    index = await EdgeIndex.open(tmp_path / "index", 3)
    makers: list[int] = []
    make = os.mkdir

    def noted(path: str, *mode: int, **more: int) -> None:
        makers.append(threading.get_ident())
        make(path, *mode, **more)

    monkeypatch.setattr(os, "mkdir", noted)
    await (index.reserve if reserved else index.begin)(from_live=False)
    assert makers
    assert threading.get_ident() not in makers
    await index.aclose()
