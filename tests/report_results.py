"""A small result of every kind that a report is made of."""

import json
from dataclasses import asdict
from typing import Any

from eval.dataset import Kind
from eval.metrics import FIGURES, Score
from eval.runfile import RunLine
from eval.scored import scored
from eval.summary import summarize
from eval.ways import Row, Way, filter_json, row_json

README = "# It\n\n<!-- figures:begin -->\nold\n<!-- figures:end -->\n\nThe end.\n"


def score(number: int, kind: Kind, rank: int | None) -> Score:
    answerable = kind is Kind.ANSWERABLE
    return Score(
        id=f"q{number}",
        category="lookup" if answerable else "near",
        kind=kind,
        outcome="answer" if answerable else "refusal",
        confidence=0.75 if answerable else 0.25,
        ms=5.0,
        rank=rank,
        figures=dict.fromkeys(FIGURES, 1.0) if answerable else {},
    )


SCORES = (score(1, Kind.ANSWERABLE, 1), score(2, Kind.NEAR, None))
LINES = (
    RunLine("q1", "answer", 0.33333, 0.75, 5.0, ()),
    RunLine("q2", "refusal", None, 0.25, 5.0, ()),
)
EACH = scored(SCORES, LINES)
RUN: dict[str, Any] = json.loads(
    json.dumps(
        {
            "kind": "run",
            "questions": ["q.jsonl"],
            "fingerprint": "model | splitter",
            "calibration": "some questions",
            "documents": 3,
            "sections": 9,
            "passages": 12,
            "set": {},
            "scored": EACH,
            **summarize(SCORES).as_json(),
        }
    )
)
ROW = Row(Way("model", "page cards", True, "mix", "none"), 12, SCORES[:1])
CHUNKING: dict[str, Any] = {
    "kind": "chunking",
    "fake": False,
    "documents": 3,
    "models": ["model"],
    "default": 0,
    "chosen": 0,
    "rows": [row_json(ROW, ROW)],
    "filter": filter_json(ROW, ROW, ["pay"]),
}
MS = {"p50": 2.0, "p95": 4.0}
ONE = asdict(summarize(SCORES).figures["mrr10"])
MEANS = {
    **dict.fromkeys(("mrr10", "recall5", "read2500"), ONE),
    "chars5": {"mean": 7204.4, "low": 7100.0, "high": 7300.0, "n": 1},
}
BENCH: dict[str, Any] = {
    "kind": "bench",
    "fake": False,
    "machine": {"cores": 2, "system": "Linux", "processor": "x86_64", "python": "3.11.7"},
    "questions": 2,
    "embedding": {"passages": 256, "per_second": 100.0},
    "sizes": [
        {
            "size": 1000,
            "nightlamp": {
                "passages": 990,
                "index_per_second": 100.0,
                "unchanged_seconds": 0.5,
                "changed_seconds": 1.0,
                "ms": {"embed": MS, "search": MS, "total": MS},
                "peak_mb": 300.0,
            },
            "bm25": {"rows": 900, "ms": {"p50": 1.0, "p95": 1.0}},
            "windows": {"rows": 900, "ms": {"p50": 1.0, "p95": 1.0}},
            "local": {"rows": 30_000, "skipped": "too many"},
        }
    ],
    "quality": {
        "questions": 1,
        "nightlamp": MEANS,
        "bm25": {**MEANS, "ours_minus_theirs": MEANS},
        "windows": {**MEANS, "ours_minus_theirs": MEANS},
    },
}
NEWER: dict[str, Any] = {
    **BENCH,
    "sizes": [
        {
            "size": 1000,
            "nightlamp": {
                **BENCH["sizes"][0]["nightlamp"],
                "serving_mb": 240.4,
                "serving_memory": "resident",
            },
        }
    ],
    "serving": {
        "documents": 455,
        "ms": {"embed": MS, "search": MS, "total": MS},
        "serving_mb": 301.2,
        "serving_memory": "peak",
    },
    "ask": {"commands": 5, "median_seconds": 1.5, "slowest_seconds": 1.75},
    "stall": {
        name: {"runs": 1, "seconds": 3.0, "gap_ms": 60.0, "questions": 9, "ms": MS}
        for name in ("embedding", "build", "update")
    },
    "backends": {
        "onnxruntime": {"passages": 256, "per_second": 60.0},
        "torch": {"passages": 256, "per_second": 40.0},
        "ratio": 1.5,
    },
}
ALONE: dict[str, Any] = {
    "kind": "bench",
    "fake": False,
    "sizes": [],
    "quality": BENCH["quality"],
}
