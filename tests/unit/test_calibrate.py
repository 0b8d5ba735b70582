"""When to answer, fitted from questions or from headings, and judged on what was not fitted on."""

import json
import random
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from core.errors import UsageError
from core.evidence import Calibration
from core.models import Scope
from core.outcomes import Cutoffs, Finding, Gate, Hit, Ranks, Result
from core.ports import SearchableIndex
from core.settings import Settings
from corpus.calibrating import BuildCalibrator, write_calibration
from corpus.calibrations import calibration_for
from corpus.splitter import cut
from eval.calibrate import Labelled, Unlabelled, calibrate, labelled, unlabelled
from eval.dataset import Kind
from eval.fitting import Fitting, at_most_above, at_most_below, cutoffs_for, held_out
from eval.headings import fitted_on, headings_of
from eval.logistic import logistic
from eval.run import Plan
from eval.samples import Sample
from eval.withheld import WithoutDocument
from tests.fakes import ScriptedEmbedder
from tests.indexed import indexed, page, retriever_of

TODAY = date(2030, 1, 7)
MADE = Calibration({"cos": 2.0}, -1.0, Cutoffs(0.4, 0.7), "made by hand")
DISK = page("disk.md", "# Disk full\n\nFree space on the disk.\n")
SECTION = cut(DISK, fits=lambda text: True).sections[0]


def finding(cos: float, *, dense: bool = True) -> Finding:
    hit = Hit(SECTION, 1 - cos, 0.2, 0.9, Ranks(1), SECTION.span)
    signals = {"cos": cos, "gap20": 0.3, "dcover": 0.5, "agree": 0.0, "qlen": 2.5, "tokens": 12.0}
    return Finding((Result((hit,)),), signals, Gate(dense=dense))


def samples(answerable: int = 60, others: int = 40) -> list[Sample]:
    """Return questions whose cosines lie around 0.7 if there is an answer, else around 0.4."""
    draw = random.Random(7)  # noqa: S311 - a test
    right = [draw.gauss(0.7, 0.1) for _ in range(answerable)]
    wrong = [draw.gauss(0.4, 0.1) for _ in range(others)]
    return [
        *(Sample(Kind.ANSWERABLE, finding(cos), rank=1 if cos > 0.6 else 7) for cos in right),
        *(Sample(Kind.NEAR, finding(cos)) for cos in wrong),
    ]


# --- the arithmetic -----------------------------------------------------------------------------


def test_the_regression_finds_the_optimum_of_one_signal() -> None:
    rows = [[0.0], [0.0], [0.0], [0.0], [1.0], [1.0], [1.0], [1.0]]
    labels = [False, False, False, True, True, True, True, False]
    (weight,), intercept = logistic(rows, labels)
    assert (round(weight, 3), round(intercept, 3)) == (1.754, -0.877)


def test_a_regression_needs_both_kinds_of_label() -> None:
    with pytest.raises(ValueError, match="both kinds"):
        logistic([[0.1], [0.2]], [True, True])


def test_what_is_told_apart_without_error_has_finite_weights() -> None:
    (weight,), _ = logistic([[0.0], [0.1], [0.9], [1.0]], [False, False, True, True])
    assert 3 < weight < 4


@pytest.mark.parametrize(("share", "cutoff"), [(0.0, 0.1), (0.25, 0.2), (0.5, 0.3)])
def test_the_lower_cutoff_leaves_at_most_a_share_below(share: float, cutoff: float) -> None:
    assert at_most_below([0.3, 0.1, 0.4, 0.2], share) == cutoff


@pytest.mark.parametrize(("share", "above"), [(0.0, 0), (0.25, 1), (0.5, 2), (0.9, 3)])
def test_the_upper_cutoff_leaves_at_most_a_share_above(share: float, above: int) -> None:
    values = [0.3, 0.1, 0.4, 0.2]
    assert sum(value >= at_most_above(values, share) for value in values) == above


def test_what_would_not_be_shown_right_may_be_refused() -> None:
    asked = [Sample(Kind.ANSWERABLE, finding(0.5), rank) for rank in (1, 9)]
    confidences = [0.8, 0.3]
    assert cutoffs_for(asked, confidences, "top3").weak == 0.8
    assert cutoffs_for(asked, confidences, "all").weak == 0.3


def test_no_sample_is_judged_by_what_it_was_fitted_on() -> None:
    asked = samples(10, 10)

    def fit(kept: list[Sample]) -> Calibration:
        return replace(MADE, weights={str(id(one)): 1.0 for one in kept})

    judged = held_out(asked, fit)  # type: ignore[arg-type]
    assert all(
        str(id(sample)) not in fitted.weights for sample, fitted in zip(asked, judged, strict=True)
    )


def test_the_same_samples_give_the_same_calibration() -> None:
    fit = Fitting(("cos", "qlen"), "top3", "test")
    assert fit(samples()) == fit(samples())


# --- from labelled questions --------------------------------------------------------------------


def test_questions_that_differ_are_told_apart() -> None:
    found = labelled(samples(), "all", "test")
    kinds = [sample.kind for sample in found.samples]
    refused = [
        kind for kind, outcome in zip(kinds, found.outcomes, strict=True) if outcome == "refusal"
    ]
    assert refused.count(Kind.NEAR) > 30
    assert refused.count(Kind.ANSWERABLE) <= 6


def test_both_choices_of_the_lower_cutoff_are_reported() -> None:
    found = labelled(samples(), "top3", "test")
    weak = {judged: fitted.cutoffs.weak for judged, (fitted, _) in found.others.items()}
    assert weak["top3"] > weak["all"]
    assert found.calibration == found.others["top3"][0]


def test_too_few_questions_are_wrong_use() -> None:
    with pytest.raises(UsageError, match="not 60 and 5"):
        labelled(samples(60, 5), "top3", "test")


def test_keywords_alone_are_nothing_to_calibrate() -> None:
    asked = [Sample(Kind.NEAR, finding(0.5, dense=False)), *samples()]
    with pytest.raises(UsageError, match="nothing to calibrate"):
        labelled(asked, "top3", "test")


# --- without labels -----------------------------------------------------------------------------


async def test_a_document_that_is_taken_out_is_not_found() -> None:
    embedder = ScriptedEmbedder()
    other = page("lag.md", "# Consumer lag\n\nRestart the consumer.\n")
    index = await indexed(embedder, [DISK, other])
    retriever = retriever_of(WithoutDocument(index, DISK.id), embedder)  # type: ignore[arg-type]
    found = await retriever.find("disk full", tenant="acme", scope=_everyone())
    assert [result.best.section.path for result in found.results] == ["lag.md"]
    assert found.signals["dcover"] == 0.0


async def test_headings_that_two_pages_share_are_not_asked() -> None:
    pages = [
        page("a.md", "# Disk full\n\nText.\n\n## Free some space\n\nText.\n\n## Impact\n\nText.\n"),
        page("b.md", "# Consumer lag\n\nText.\n\n## Free some space\n\nMore.\n"),
    ]
    index = await indexed(ScriptedEmbedder(), pages)
    headings = [one.section.heading for one in await headings_of(index)]
    assert headings == ["Consumer lag", "Disk full"]


def test_another_models_cosines_are_brought_to_the_known_scale() -> None:
    ours = [finding(0.3 + 0.006 * place) for place in range(100)]
    theirs = [finding(0.8 + 0.001 * place) for place in range(100)]
    one, other = fitted_on(ours, TODAY), fitted_on(theirs, TODAY)
    assert one is not None
    assert other is not None
    assert other.weights["cos"] == pytest.approx(6 * one.weights["cos"], rel=1e-3)
    assert other.confidence(theirs[80].signals) == pytest.approx(
        one.confidence(ours[80].signals), abs=1e-3
    )


def test_half_of_the_headings_without_their_page_are_refused() -> None:
    found = unlabelled([finding(0.3 + 0.004 * n) for n in range(100)], [finding(0.9)], TODAY)
    counts = [found.without_page.count(name) for name in ("answer", "weak", "refusal")]
    assert counts == [15, 36, 49]
    assert found.with_page == ("answer",)


def test_a_calibration_without_labels_says_so() -> None:
    found = fitted_on([finding(0.3 + 0.004 * n) for n in range(100)], TODAY)
    assert found is not None
    assert found.source == "100 headings of this corpus, without labels, 2030-01-07"


def test_a_corpus_of_few_headings_says_nothing() -> None:
    assert fitted_on([finding(0.5)] * 10, TODAY) is None
    with pytest.raises(UsageError, match="too few headings"):
        unlabelled([finding(0.5)] * 10, [], TODAY)


# --- where it goes ------------------------------------------------------------------------------


def test_a_calibration_that_is_written_is_the_one_that_is_read(tmp_path: Path) -> None:
    file = tmp_path / "calibration.json"
    write_calibration(file, "other", replace(MADE, intercept=3.0))
    write_calibration(file, "mine", MADE)
    assert calibration_for("mine", file) == MADE
    assert calibration_for("other", file).intercept == 3.0


async def test_a_build_that_nobody_calibrated_is_calibrated_once(tmp_path: Path) -> None:
    index = await indexed(ScriptedEmbedder(), [DISK])
    used: list[Calibration] = []
    asked: list[SearchableIndex] = []

    async def fit(over: SearchableIndex) -> Calibration | None:
        asked.append(over)
        return MADE

    calibrator = BuildCalibrator(tmp_path / "calibration.json", fit, used.append)
    await calibrator.calibrate(index)
    await calibrator.calibrate(index)
    assert used == [MADE, MADE]
    assert asked == [index]


async def test_a_calibration_that_cannot_be_kept_leaves_the_stand_in(tmp_path: Path) -> None:
    index = await indexed(ScriptedEmbedder(), [DISK])
    used: list[Calibration] = []
    file = tmp_path / "calibration.json"
    file.write_text("[]", encoding="utf-8")

    async def fit(over: SearchableIndex) -> Calibration | None:
        return MADE

    await BuildCalibrator(file, fit, used.append).calibrate(index)
    assert used == []


# --- the whole way ------------------------------------------------------------------------------


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for number in range(50):
        text = f"# Disk number {number} full\n\nFree space on volume v{number} at once.\n"
        (corpus / f"{number}.md").write_text(text, encoding="utf-8")
    settings = Settings(_env_file=None)  # type: ignore[call-arg]
    return Plan(settings, tmp_path / "data", (corpus,), ())


async def test_headings_calibrate_the_data_folder(plan: Plan) -> None:
    found = await calibrate(plan, _silent, TODAY, embedder=ScriptedEmbedder())
    assert isinstance(found, Unlabelled)
    stored = json.loads((plan.data / "calibration.json").read_text(encoding="utf-8"))
    assert [one["source"] for one in stored.values()] == [found.calibration.source]


async def test_questions_calibrate_the_data_folder(plan: Plan, tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    records = [
        {
            "id": f"a{number}",
            "category": "lookup",
            "question": f"disk number {number} is full",
            "relevant": [{"doc": f"{number}.md", "evidence": f"Free space on volume v{number} at"}],
        }
        for number in range(20)
    ] + [
        {"id": f"n{n}", "category": "near", "question": f"kafka lag {n}", "relevant": []}
        for n in range(20)
    ]
    file.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    plan = replace(plan, questions=(file,))
    found = await calibrate(plan, _silent, TODAY, embedder=ScriptedEmbedder())
    assert isinstance(found, Labelled)
    assert found.calibration.source == (
        "40 questions of questions.jsonl over 50 documents, 2030-01-07"
    )
    assert set(found.outcomes[20:]) == {"refusal"}
    assert calibration_for(_print(plan), plan.data / "calibration.json") == found.calibration


def _print(plan: Plan) -> str:
    stored = json.loads((plan.data / "calibration.json").read_text(encoding="utf-8"))
    return str(next(iter(stored)))


def _silent(phase: str, done: int, total: int) -> None:
    pass


def _everyone() -> Scope:
    return Scope()
