"""What is said of the machine that something was measured on."""

import platform
from pathlib import Path

import pytest

from eval.machine import machine


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (
            "model name\t: Fast 3\ncpu family : 6\nflags : fpu avx512f\n",
            ", Fast 3, family 6, AVX-512",
        ),
        ("model name\t: Fast 3\nflags : fpu\n\nmodel name : Other\n", ", Fast 3, family ?"),
        ("processor : 0\n", ""),
    ],
)
def test_the_processor_has_its_name_where_the_system_tells_it(
    tmp_path: Path, told: str, expected: str
) -> None:
    (tmp_path / "cpuinfo").write_text(told)
    assert machine(tmp_path / "cpuinfo")["processor"] == platform.machine() + expected


def test_without_it_there_is_its_kind(tmp_path: Path) -> None:
    found = machine(tmp_path / "none")
    assert found["processor"] == platform.machine()
    assert set(found) == {"cores", "processor", "system", "python"}
