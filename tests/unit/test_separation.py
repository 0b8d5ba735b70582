"""Calibrating says what the regression adds to the best cosine alone."""

import io

from rich.console import Console

from core.outcomes import Finding, Gate
from eval.calibrate import labelled, told_apart
from eval.calibration_tables import print_labelled
from eval.dataset import Kind
from eval.samples import Sample


def finding(cos: float, *, qlen: float) -> Finding:
    signals = {"cos": cos, "gap20": 0.3, "dcover": 0.5, "agree": 0.0, "qlen": qlen, "tokens": 12.0}
    return Finding((), signals, Gate(dense=True))


def asked() -> list[Sample]:
    """Return questions whose cosines say nothing, but for one, and whose lengths say all."""
    kinds = ((Kind.ANSWERABLE, 4.0, 42), (Kind.NEAR, 2.0, 21), (Kind.UNRELATED, 2.0, 21))
    found = [
        Sample(kind, finding(0.5 + 0.001 * (n % 7), qlen=qlen))
        for kind, qlen, count in kinds
        for n in range(count)
    ]
    return [*found[:-1], Sample(Kind.UNRELATED, finding(0.1, qlen=2.0))]


def test_the_regression_is_compared_with_the_cosine_alone() -> None:
    found = told_apart(labelled(asked(), "all", "test"))
    assert list(found) == [Kind.NEAR, Kind.UNRELATED]
    assert (found[Kind.NEAR].confidence, found[Kind.NEAR].cosine) == (1.0, 0.5)
    assert found[Kind.UNRELATED].cosine > 0.5


def test_how_well_the_kinds_are_told_apart_is_printed() -> None:
    console = Console(file=io.StringIO(), width=80, force_terminal=False)
    print_labelled(console, labelled(asked(), "all", "test"))
    assert isinstance(console.file, io.StringIO)
    told = " ".join(console.file.getvalue().split())
    assert "AUROC, answerable against regression best cosine alone near 1.000 0.500" in told
