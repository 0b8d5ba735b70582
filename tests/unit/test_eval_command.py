import json
import shlex
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from core.errors import UsageError
from core.settings import Settings
from eval.cli import main
from eval.dataset import DatasetError
from eval.gates import Gates, broken_gates, gates_from, pairs_from
from eval.intervals import Interval
from eval.run import Plan, Run, evaluate
from eval.summary import Summary
from tests.fakes import ScriptedEmbedder

ROOT = Path(__file__).parents[2]
PAGES = {
    "disk.md": "# Disk full\n\nDelete old logs first.\n\n## Afterwards\n\nCall the storage team.\n",
    "lag.md": "# Consumer lag\n\nRestart the kafka consumer group.\n",
}
QUESTIONS = (
    {
        "id": "q1",
        "category": "lookup",
        "question": "disk full, which logs",
        "relevant": [{"doc": "disk.md", "evidence": "Delete old logs first."}],
    },
    {"id": "q2", "category": "unrelated", "question": "best pasta recipe", "relevant": []},
)


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for name, text in PAGES.items():
        (corpus / name).write_text(text, encoding="utf-8")
    questions = tmp_path / "questions.jsonl"
    questions.write_text("\n".join(map(json.dumps, QUESTIONS)), encoding="utf-8")
    settings = Settings(_env_file=None)  # type: ignore[call-arg]
    return Plan(settings, tmp_path / "data", (corpus,), (questions,))


def _silent(phase: str, done: int, total: int) -> None:
    pass


async def run(plan: Plan) -> tuple[Run, list[dict[str, Any]]]:
    kept: list[Any] = []
    finished = await evaluate(plan, kept.append, _silent, ScriptedEmbedder())
    return finished, [{**line, "ms": 0} for line in kept]


# --- the whole way ------------------------------------------------------------------------------


async def test_the_right_section_is_found_over_a_folder(plan: Plan) -> None:
    finished, _ = await run(plan)
    assert [(one.id, one.rank, one.failed) for one in finished.scores] == [
        ("q1", 1, False),
        ("q2", None, False),
    ]


async def test_a_run_says_what_was_measured(plan: Plan) -> None:
    finished, _ = await run(plan)
    measured = {**finished.measured, "fingerprint": "", "calibration": ""}
    assert measured == {
        "questions": ["questions.jsonl"],
        "fingerprint": "",
        "calibration": "",
        "calibration_fitted": False,
        "documents": 2,
        "sections": 3,
        "passages": 3,
    }


async def test_two_runs_of_one_build_agree_but_for_the_time(plan: Plan) -> None:
    assert (await run(plan))[1] == (await run(plan))[1]


async def test_builds_lie_beside_the_live_index_never_in_it(plan: Plan) -> None:
    await run(plan)
    assert [entry.name for entry in plan.data.iterdir()] == ["eval"]


async def test_a_page_that_changed_is_indexed_before_it_is_asked(plan: Plan) -> None:
    await run(plan)
    page = plan.corpus[0] / "disk.md"
    page.write_text(f"# Before\n\nNothing.\n\n{PAGES['disk.md']}", encoding="utf-8")
    finished, _ = await run(plan)
    assert finished.scores[0].rank == 1


async def test_a_broken_set_is_told_before_anything_is_indexed(plan: Plan) -> None:
    plan.questions[0].write_text("{", encoding="utf-8")
    with pytest.raises(DatasetError):
        await run(plan)
    assert not plan.data.exists()


async def test_a_folder_without_documents_is_wrong_use(plan: Plan) -> None:
    for page in plan.corpus[0].iterdir():
        page.unlink()
    plan.questions[0].write_text(json.dumps(QUESTIONS[1]), encoding="utf-8")
    with pytest.raises(UsageError, match="hold no documents"):
        await run(plan)


async def test_documents_of_several_tenants_are_wrong_use(plan: Plan) -> None:
    folder = {"path": str(plan.corpus[0])}
    sources = [{**folder, "name": name, "tenant": name} for name in ("acme", "globex")]
    settings = Settings(_env_file=None, sources=sources)  # type: ignore[call-arg,arg-type]
    plan.questions[0].write_text(json.dumps(QUESTIONS[1]), encoding="utf-8")
    with pytest.raises(UsageError, match=r"several tenants \(acme, globex\)"):
        await run(replace(plan, settings=settings, corpus=()))


# --- what is typed ------------------------------------------------------------------------------


def interval(mean: float) -> Interval:
    return Interval(mean, mean, mean, 1)


SUMMARY = Summary(
    questions=2,
    failed=0,
    keywords_only=0,
    figures={"mrr10": interval(0.75)},
    categories={},
    outcomes={},
    shares={"refused_near": interval(0.5), "refused": interval(0.05)},
    auroc={"near": 0.8},
    ms={},
)


def test_of_a_setting_that_is_typed_twice_the_last_counts() -> None:
    assert pairs_from(["a.b=1", "a.b = x=y"], "--set") == {"a.b": "x=y"}


def test_a_setting_without_a_value_is_wrong_use() -> None:
    with pytest.raises(UsageError, match="--set wants name=value, not 'fusion'"):
        pairs_from(["fusion"], "--set")


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("mrr=0.8", "knows no figure mrr; it knows mrr10, hit1"),
        ("chars5=9000", "knows no figure chars5"),
        ("mrr10=high", "mrr10 wants a number, not 'high'"),
        ("mrr10=nan", "mrr10 wants a number from 0 to 1, not nan"),
        ("mrr10=80", "mrr10 wants a number from 0 to 1, not 80"),
    ],
)
def test_a_gate_that_cannot_be_held_is_wrong_use(typed: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        gates_from([typed])


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("mrr10=0.8", "--fail-over knows no figure mrr10; it knows chars1, chars5, refused"),
        ("refused=5", "refused wants a number from 0 to 1, not 5"),
        ("chars5=-1", "chars5 wants a number of characters, not -1"),
        ("chars5=nan", "chars5 wants a number of characters, not nan"),
    ],
)
def test_an_upper_gate_that_cannot_be_held_is_wrong_use(typed: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        gates_from([], [typed])


def test_every_change_is_held_to_what_is_found_refused_and_made_up() -> None:
    words = shlex.split((ROOT / ".ci" / "run").read_text(encoding="utf-8"), comments=True)
    options = next(one for one in words if one.startswith("EVAL_ARGS=")).partition("=")[2].split()
    pairs = list(pairwise(options))
    under = [value for option, value in pairs if option == "--fail-under"]
    over = [value for option, value in pairs if option == "--fail-over"]
    assert gates_from(under, over) == Gates(
        {"mrr10": 0.85, "recall5": 0.93, "hit1": 0.75}, {"refused": 0.05, "strong_unrelated": 0.0}
    )


def test_one_strong_answer_to_an_unrelated_question_breaks_a_gate_of_none() -> None:
    summary = replace(SUMMARY, shares={"strong_unrelated": interval(1 / 24)})
    assert broken_gates(gates_from([], ["strong_unrelated=0"]), summary) == [
        "strong_unrelated is 0.0417, above 0."
    ]


def test_gates_that_are_reached_say_nothing() -> None:
    gates = gates_from(["mrr10=0.75", "refused_near=0.5", "auroc_near=0.8"], ["refused=0.05"])
    assert broken_gates(gates, SUMMARY) == []


def test_a_gate_that_is_not_reached_says_by_how_much() -> None:
    gates = gates_from(["mrr10=0.8"], ["refused=0.04"])
    assert broken_gates(gates, SUMMARY) == [
        "mrr10 is 0.7500, below 0.8.",
        "refused is 0.0500, above 0.04.",
    ]


def test_a_gate_on_what_was_not_measured_is_broken() -> None:
    gates = gates_from(["auroc_unrelated=0.9"], ["strong_near=0.1"])
    assert broken_gates(gates, SUMMARY) == [
        "auroc_unrelated could not be measured: no question of its kind got an outcome.",
        "strong_near could not be measured: no question of its kind got an outcome.",
    ]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--set", "fusion=rrf"], "There is no setting named fusion."),
        (["--fail-under", "speed=1"], "--fail-under knows no figure speed"),
        (["--fail-over", "mrr10=1"], "--fail-over knows no figure mrr10"),
        (["--out", "."], ". is not a file that a result could be written to."),
        ([], "questions.jsonl: it cannot be read (No such file or directory)."),
    ],
)
def test_wrong_use_is_one_sentence_and_exit_code_2(
    arguments: list[str],
    reason: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as left:
        main(["--corpus", ".", "run", "--questions", "questions.jsonl", *arguments])
    said = capsys.readouterr()
    assert left.value.code == 2
    assert said.out == ""
    assert said.err.startswith(reason)
    assert said.err.count("\n") == 1
