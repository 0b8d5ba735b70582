"""The chat benchmark itself, on two questions over a small corpus by the hashing model."""

import asyncio
from pathlib import Path

from tests.bench_chat import bench, questions_of
from tests.e2e.world import PAGES


def test_both_platforms_answer_everybody_who_asks_at_once(folder: Path) -> None:
    small = {"embedding": {"model": "hashing"}}
    found = asyncio.run(bench([PAGES / "acme"], folder / "data", ["disk full", "pod"], small))
    assert [found[one]["at_once"]["answered"] for one in ("discord", "slack")] == [50, 50]


def test_questions_without_an_answer_are_not_asked(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text(
        '{"question": "a", "relevant": [{"doc": "x"}]}\n{"question": "b", "relevant": []}\n',
        encoding="utf-8",
    )
    assert questions_of(file, 5) == ["a"]
