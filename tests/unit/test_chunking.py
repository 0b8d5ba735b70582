import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
import typer
from rich.console import Console

from core.errors import EmbedderMissing, UsageError
from core.settings import Settings, with_values
from core.settings_groups import EmbeddingSettings
from corpus.library import HASHING
from eval.chunking import Comparison, compare
from eval.cli import main
from eval.commands import conclude
from eval.comparison_tables import print_comparison
from eval.run import Plan
from eval.ways import CUTTINGS, DOCUMENTS, SEARCHES
from tests.scripted_embeddings import ScriptedEmbeddings
from tests.tiny_cross_encoder import scores, tiny_cross_encoder

PAGES = {
    "disk.md": "---\nservice: storage\n---\n# Disk full\n\nDelete old logs first.\n",
    "lag.md": "# Consumer lag\n\nRestart the kafka consumer group.\n",
}
SECTIONS = {"disk.md": "Disk full", "lag.md": "Consumer lag"}
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


def body(name: str) -> str:
    """Return a page's one section: all that stands below its frontmatter."""
    return PAGES[name][PAGES[name].index("# ") :]


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


@pytest.mark.slow
async def test_rerankers_are_asked_on_page_cards_and_the_whole_mix(
    plan: Plan, tmp_path: Path
) -> None:
    """Two that rank the two pages in opposite ways: one of them contradicts the search."""
    names = tuple(str(tiny_cross_encoder(tmp_path / str(seed), seed=seed)) for seed in (0, 8))
    near = {"retrieval.dense_min_documents": "0"}  # each question finds both pages
    asked = replace(plan, settings=with_values(plan.settings, near))
    found = await compare(Comparison(asked, (HASHING,), ("none", *names), CUTTINGS[-1:]), silent)
    rows = [row for row in found["rows"] if row["reranker"] != "none"]
    assert [row["reranker"] for row in rows] == list(names)
    assert {(row["shown"], row["breadcrumb"], row["search"]) for row in rows} == {
        ("page cards", True, "mix")
    }
    for row in rows:
        texts = [f"{SECTIONS[name]}\n{body(name)}" for name in PAGES]
        disk, lag = scores(Path(row["reranker"]), "disk full, which logs", texts)
        assert row["means"]["mrr10"] == (1.0 if disk > lag else 0.5)
    assert [row["means"]["mrr10"] for row in rows] == [1.0, 0.5]
    assert found["rows"][found["default"]]["reranker"] == "none"


@pytest.mark.slow
async def test_a_reranker_that_is_late_for_a_chat_is_compared_all_the_same_and_told(
    plan: Plan, tmp_path: Path
) -> None:
    name = str(tiny_cross_encoder(tmp_path / "tiny", seed=8))
    hasty = {"retrieval.dense_min_documents": "0", "retrieval.reranker_seconds": "1e-9"}
    asked = replace(plan, settings=with_values(plan.settings, hasty))
    found = await compare(Comparison(asked, (HASHING,), ("none", name), CUTTINGS[-1:]), silent)
    assert {(row["reranker"], row["late"]) for row in found["rows"]} == {("none", 0), (name, 1)}
    assert [row["means"]["mrr10"] for row in found["rows"] if row["reranker"] == name] == [0.5]
    printed = io.StringIO()
    print_comparison(Console(file=printed, width=80), found)
    said = "in a chat 1 of 1 questions would keep the order of the search"
    assert said in printed.getvalue()


async def test_a_reranker_that_cannot_be_loaded_is_told_before_anything_is_embedded(
    plan: Plan, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    told: list[str] = []
    with pytest.raises(UsageError, match="does not hold a cross-encoder"):
        await compare(
            Comparison(plan, (HASHING,), ("none", str(tmp_path / "empty"))),
            lambda phase, done, total: told.append(phase),
        )
    assert told == []
    assert not plan.data.exists()


async def test_a_model_that_is_not_there_is_told_before_the_first_is_measured(
    plan: Plan, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    told: list[str] = []
    with pytest.raises(EmbedderMissing, match="does not hold a sentence-transformers model"):
        await compare(
            Comparison(plan, (HASHING, str(tmp_path / "empty")), ("none",)),
            lambda phase, done, total: told.append(phase),
        )
    assert told == []


def test_models_that_a_fake_run_would_not_ask_are_wrong_use(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as left:
        main(["chunking", "--fake", "--models", "all-MiniLM-L6-v2"])
    assert left.value.code == 2
    assert capsys.readouterr().err == "--fake asks no model: leave it out, or --models.\n"


@pytest.mark.slow
async def test_a_fake_run_asks_no_server_and_loads_no_model_whatever_is_configured(
    plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NIGHTLAMP_EMBEDDING_MODEL", "all-MiniLM-L6-v2")
    with ScriptedEmbeddings().running() as server:
        served = EmbeddingSettings(
            model="any", base_url=server.base_url, dimensions=server.dimension
        )
        asked = replace(plan, settings=plan.settings.model_copy(update={"embedding": served}))
        found = await compare(Comparison(asked, (HASHING,), ("none",), CUTTINGS[-1:]), silent)
        assert server.requests == []
    assert found["fake"]
    assert {row["model"] for row in found["rows"]} == {HASHING}


@pytest.mark.slow
async def test_splitters_that_are_compared_are_not_those_of_the_environment(
    plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = plan.corpus[0]
    text = PAGES["disk.md"] + "\n## Then\n\nGrow the volume by a half.\n"
    (pages / "disk.md").write_text(text, encoding="utf-8")
    monkeypatch.setenv("NIGHTLAMP_SPLITTER_KIND", "document")
    found = await compare(Comparison(plan, (HASHING,), ("none",), CUTTINGS[-2:]), silent)
    passages = {row["shown"]: row["passages"] for row in found["rows"]}
    assert passages == {DOCUMENTS: 2, "sections with passages": 3, "page cards": 3}


@pytest.mark.parametrize(("failed", "said"), [(1, "once"), (3, "3 times")])
def test_a_comparison_in_which_a_question_failed_says_so_and_leaves_with_3(
    failed: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit) as left:
        conclude(Path("found.json"), failed)
    assert left.value.exit_code == 3
    assert capsys.readouterr().err == (
        f"Written to found.json.\nA question got no outcome {said}; it counts as failed.\n"
    )


async def test_questions_without_an_answer_cannot_be_compared(plan: Plan) -> None:
    plan.questions[0].write_text(json.dumps(QUESTIONS[1]), encoding="utf-8")
    with pytest.raises(UsageError, match="nothing to compare"):
        await compare(Comparison(plan, (HASHING,), ("none",)), silent)
