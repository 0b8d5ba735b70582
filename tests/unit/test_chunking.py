import json
from pathlib import Path

import pytest

from core.errors import SettingsError, UsageError
from core.settings import Settings
from corpus.library import HASHING
from eval.chunking import Comparison, compare
from eval.run import Plan
from eval.ways import CUTTINGS, SEARCHES

PAGES = {
    "disk.md": "---\nservice: storage\n---\n# Disk full\n\nDelete old logs first.\n",
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


def silent(phase: str, done: int, total: int) -> None:
    pass


@pytest.mark.slow
async def test_every_way_is_asked_every_answerable_question(plan: Plan) -> None:
    few = (CUTTINGS[0], CUTTINGS[-1])
    found = await compare(Comparison(plan, (HASHING,), ("none",), few), silent)
    assert len(found["rows"]) == 3 * len(SEARCHES) * 2
    assert {row["questions"] for row in found["rows"]} == {1}
    assert {row["failed"] for row in found["rows"]} == {0}
    default = found["rows"][found["default"]]
    assert (default["shown"], default["breadcrumb"], default["search"]) == (
        "page cards",
        True,
        "mix",
    )
    assert found["filter"]["services"]["storage"]["mrr10_on"] == 1.0
    assert found["fake"]
    assert sorted(entry.name for entry in plan.data.iterdir()) == ["eval"]


async def test_a_reranker_that_the_settings_do_not_know_is_wrong(plan: Plan) -> None:
    with pytest.raises(SettingsError, match=r"retrieval\.reranker"):
        await compare(Comparison(plan, (HASHING,), ("none", "magic")), silent)


async def test_questions_without_an_answer_cannot_be_compared(plan: Plan) -> None:
    plan.questions[0].write_text(json.dumps(QUESTIONS[1]), encoding="utf-8")
    with pytest.raises(UsageError, match="nothing to compare"):
        await compare(Comparison(plan, (HASHING,), ("none",)), silent)
