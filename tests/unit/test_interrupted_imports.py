"""Ctrl-C while a command's modules are still being loaded."""

import subprocess
import sys

import pytest

PROGRAM = """
import runpy, sys

class Stop:
    def find_spec(self, name, path=None, target=None):
        if name == f"{sys.argv[1]}.cli":
            raise {"interrupt": KeyboardInterrupt, "fault": ImportError}[sys.argv[2]]

sys.meta_path.insert(0, Stop())
runpy.run_module(sys.argv[1], run_name="__main__")
"""


def started(package: str, stopped_by: str) -> tuple[int, str]:
    command = [sys.executable, "-c", PROGRAM, package, stopped_by]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize("package", ["eval", "bots"])
def test_an_interrupt_while_modules_are_loaded_is_quiet_and_130(package: str) -> None:
    assert started(package, "interrupt") == (130, "")


@pytest.mark.parametrize("package", ["eval", "bots"])
def test_an_error_while_modules_are_loaded_is_shown(package: str) -> None:
    code, said = started(package, "fault")
    assert (code, said.strip().splitlines()[-1]) == (1, "ImportError")
