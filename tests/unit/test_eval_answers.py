"""`python -m eval answers`: written answers measured by an oracle that is not the guard."""

import json
from pathlib import Path

import pytest

from core.answering import Answered
from core.composing import Composer, Rules
from core.errors import SettingsError, WriterError
from core.guard import NO_ANSWER
from core.outcomes import Help
from core.settings import Settings
from core.written import Prompt
from eval.answers import Reading, figures, measure_answers, measure_scripted, reading
from eval.answers_report import answers_blocks
from eval.blocks import markdown
from eval.cli import app, main
from eval.dataset import Record
from eval.grounding import citations, ungrounded
from eval.run import Plan
from tests.fake_embedder import ScriptedEmbedder
from tests.fake_writer import FakeWriter, Said
from tests.indexed import page

SECTION = (
    "Undo it with `kubectl rollout undo deploy/api --to-revision=2`, see /etc/hosts, port 8080."
)
PAGES = {
    "disk.md": "# Disk full\n\n"
    "Delete old logs of the disk first, with `journalctl --vacuum-size=1G`.\n",
    "lag.md": "# Consumer lag\n\nRestart the kafka consumer group.\n",
}
QUESTIONS = (
    {
        "id": "q1",
        "category": "lookup",
        "question": "disk full, which logs",
        "relevant": [{"doc": "disk.md", "evidence": "Delete old logs of the disk first"}],
    },
    {"id": "q2", "category": "unrelated", "question": "best pasta recipe", "relevant": []},
)
GOOD = "Delete old logs of the disk first with `journalctl --vacuum-size=1G` [1]."
BAD = "Format the disk with `mkfs.ext4 /dev/sda1` [1]."


@pytest.mark.parametrize(
    ("text", "made_up"),
    [
        ("Undo it with `kubectl rollout undo deploy/api --to-revision=2` [1].", ()),
        (
            "Undo it with `kubectl rollout undo deploy/web` [1].",
            ("kubectl rollout undo deploy/web",),
        ),
        ("```sh\nkubectl rollout undo deploy/api\nrm -rf /\n```", ("rm -rf /",)),
        ("Look at /etc/passwd, then use --force on port 9090.", ("/etc/passwd", "--force", "9090")),
        ("1. See `/etc/hosts` [1].\n2. Port 8080 [12].", ()),
        ("Delete the whole database at once.", ()),
    ],
)
def test_the_oracle_finds_code_and_technical_words_that_no_section_has(
    text: str, made_up: tuple[str, ...]
) -> None:
    assert ungrounded(text, [SECTION]) == made_up


def test_citations_are_read_wherever_they_stand() -> None:
    assert citations("a [1][3], `b [9]`, [x] [10]") == {1, 3, 9, 10}


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


async def measured(plan: Plan, *says: Said) -> dict[str, object]:
    def told(phase: str, done: int, total: int) -> None:
        pass

    return await measure_answers(plan, FakeWriter(*says), Rules(), told, ScriptedEmbedder())


async def test_a_good_answer_cites_its_evidence_and_makes_nothing_up(plan: Plan) -> None:
    found = await measured(plan, GOOD)
    assert found["model"] == "scripted"
    assert found["ends"] == {"shown": 1, "refused": 1}
    assert found["citation_precision"] == found["citation_recall"] == {"mean": 1.0, "of": 1}
    assert found["unsupported_before"] == found["unsupported_after"] == {"share": 0.0, "of": 1}
    assert found["wrong_refusals"] == {"share": 0.0, "of": 1}
    assert found["right_refusals"] == {"share": 1.0, "of": 1}
    assert found["tokens_in"] == {"mean": 100.0, "of": 1}


async def test_what_is_made_up_counts_before_the_guard_and_not_after_it(plan: Plan) -> None:
    found = await measured(plan, f"{GOOD} {BAD}")
    assert found["unsupported_before"] == {"share": 1.0, "of": 1}
    assert found["unsupported_after"] == {"share": 0.0, "of": 1}


@pytest.mark.parametrize(("said", "end"), [(NO_ANSWER, "no_answer"), (BAD, "dropped")])
async def test_nothing_shown_where_evidence_was_given_is_a_wrong_refusal(
    plan: Plan, said: str, end: str
) -> None:
    found = await measured(plan, said)
    assert found["ends"] == {end: 1, "refused": 1}
    assert found["wrong_refusals"] == {"share": 1.0, "of": 1}


async def test_a_failure_is_named_and_is_no_refusal(plan: Plan) -> None:
    found = await measured(plan, WriterError("deadline"))
    assert (found["ends"], found["failures"]) == ({"failed": 1, "refused": 1}, {"deadline": 1})
    assert found["wrong_refusals"] is None


async def test_a_fault_of_any_kind_is_that_of_its_question_alone(
    plan: Plan, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(prompt: Prompt) -> str:
        raise RuntimeError("the guard")

    found = await measured(plan, fails)
    assert found["ends"] == {"failed": 1, "refused": 1}
    assert found["failures"] == {"RuntimeError": 1}
    assert "The question 'q1' failed of RuntimeError" in caplog.text


async def test_a_follow_up_is_asked_with_the_breadcrumb_of_what_it_follows() -> None:
    asked: list[tuple[str, str]] = []

    async def ask(text: str, context: str) -> Answered:
        asked.append((text, context))
        return Answered(Help())

    record = Record("q1", "follow-up", "and then?", follows="disk full, which logs")
    await reading(record, ask, Composer(FakeWriter(GOOD), Rules()))
    assert asked == [("disk full, which logs", ""), ("and then?", "")]


def test_a_share_over_nothing_is_none() -> None:
    found = figures([Reading("q", "near", "refused")])
    assert (found["citation_precision"], found["ms_median"]) == (None, None)
    assert found["right_refusals"] == {"share": 1.0, "of": 1}


def test_times_are_told_as_everywhere_interpolated_between_two() -> None:
    found = figures([Reading("q", "near", "shown", ms=ms) for ms in (100.0, 400.0, 200.0)])
    assert (found["ms_median"], found["ms_p95"]) == (200.0, 380.0)


def test_without_a_model_it_says_what_to_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SettingsError, match="NIGHTLAMP_LLM_BASE_URL"):
        app(["answers", "--out", "x.json"], standalone_mode=False)


def test_the_labelled_texts_are_replayed_without_a_model(tmp_path: Path) -> None:
    out = tmp_path / "scripted.json"
    main_ends(["answers", "--scripted", "--out", str(out)])
    result = json.loads(out.read_text(encoding="utf-8"))
    assert result["model"].startswith("none")
    assert result["asked"] >= 60
    assert result["labels"]["invented"]["shown"] == 0
    faithful = result["labels"]["faithful"]
    assert faithful["shown"] >= 0.95 * faithful["of"]
    assert result["unsupported_after"]["share"] < result["unsupported_before"]["share"]
    report = markdown(answers_blocks("answers-scripted", result))
    assert "| invented commands, numbers, names | 0 |" in report
    assert "no model was asked" in report


def test_labelled_texts_need_their_documents() -> None:
    with pytest.raises(Exception, match="there is no document"):
        measure_scripted([page("a.md", "# A\n\nText.\n")])


def main_ends(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as leaving:
        main(arguments)
    assert not leaving.value.code
