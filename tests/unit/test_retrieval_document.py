"""docs/retrieval.md against the weights and cut-offs that ship."""

from pathlib import Path

from corpus.calibrations import SHIPPED

TEXT = (Path(__file__).parents[2] / "docs" / "retrieval.md").read_text(encoding="utf-8")


def test_the_formula_has_the_shipped_weights() -> None:
    terms = " + ".join(f"{weight} {name}" for name, weight in SHIPPED.weights.items())
    assert f"z = −{-SHIPPED.intercept} + {terms} " in TEXT


def test_the_cut_offs_are_the_shipped_ones() -> None:
    weak, answer = SHIPPED.cutoffs.weak, SHIPPED.cutoffs.answer
    assert f"Below {weak} it refuses, up to {answer} it says" in TEXT
