"""What a report over a crowd may take; time is measured by hand (docs/gaps.md)."""

import re
import subprocess
import sys

import pytest

from tests.gap_crowd import ASKED, UNANSWERED

MOST_MB = 300


@pytest.mark.slow
def test_a_report_over_a_hundred_thousand_questions_fits_its_memory() -> None:
    assert (ASKED, UNANSWERED) == (100_000, 5_000)
    command = [sys.executable, "-m", "tests.gap_crowd", "2000"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    (most,) = re.findall(r"(\d+) MB at most", done.stdout)
    assert int(most) < MOST_MB
