import json

from core.answering import Answered
from core.models import Metadata, Section, Span
from core.outcomes import Answer, Cutoffs, Evidence, Gate, Help, Hit, Ranks, Refusal, Result, Timing
from core.results_json import answered_json


def section(heading: str, start: int, text: str) -> Section:
    return Section(
        id=f"id-{heading}",
        document_id="d",
        document_hash="h",
        tenant="acme",
        source="runbooks",
        path="k8s/disk.md",
        metadata=Metadata("Disk full", service="storage"),
        headings=("Disk full", heading),
        anchor=heading,
        span=Span(start, start + len(text)),
        line_start=start + 3,
        line_end=start + 4,
        text=text,
    )


RESULT = Result(
    (
        Hit(section("steps", 20, "Delete."), 0.25, 0.75, 1.5, Ranks(1, 1, 1), Span(20, 26)),
        Hit(section("meaning", 0, "Full."), None, 0.5, 1.0, Ranks(), Span(0, 5)),
    )
)
EVIDENCE = Evidence(
    confidence=0.875,
    cutoffs=Cutoffs(weak=0.4, answer=0.75),
    distance=0.25,
    signals={"cos": 0.75},
    timing=Timing(1.0, 2.0, 3.0),
)


def link(of: Section) -> str:
    return f"https://runbooks.example/{of.path}#{of.anchor}"


def test_an_answer_as_json_has_evidence_results_and_every_offset() -> None:
    assert answered_json("disk?", Answered(Answer((RESULT,), EVIDENCE)), link) == {
        "question": "disk?",
        "outcome": "answer",
        "confidence": 0.875,
        "distance": 0.25,
        "cutoffs": {"weak": 0.4, "answer": 0.75},
        "signals": {"cos": 0.75},
        "gate": {"dense": True, "reason": ""},
        "ms": {"embed": 1.0, "search": 2.0, "total": 3.0},
        "results": [
            {
                "rank": 1,
                "source": "runbooks",
                "path": "k8s/disk.md",
                "title": "Disk full",
                "link": "https://runbooks.example/k8s/disk.md#steps",
                "text": "Delete.\n\nFull.",
                "distance": 0.25,
                "keyword_score": 0.75,
                "document_id": "d",
                "parts": [
                    {
                        "section_id": "id-steps",
                        "heading": ["Disk full", "steps"],
                        "anchor": "steps",
                        "link": "https://runbooks.example/k8s/disk.md#steps",
                        "start": 20,
                        "end": 27,
                        "line_start": 23,
                        "line_end": 24,
                        "passage": {"start": 20, "end": 26},
                    },
                    {
                        "section_id": "id-meaning",
                        "heading": ["Disk full", "meaning"],
                        "anchor": "meaning",
                        "link": "https://runbooks.example/k8s/disk.md#meaning",
                        "start": 0,
                        "end": 5,
                        "line_start": 3,
                        "line_end": 4,
                        "passage": {"start": 0, "end": 5},
                    },
                ],
            }
        ],
    }


def test_a_refusal_by_keywords_has_its_nearest_misses_and_no_distance() -> None:
    evidence = Evidence(
        0.25, Cutoffs(0.45, 0.8), None, gate=Gate(dense=False, reason="the embedding model failed")
    )
    as_json = answered_json("?", Answered(Refusal((RESULT, RESULT), evidence)), link)
    assert (as_json["outcome"], as_json["distance"]) == ("refusal", None)
    assert as_json["gate"] == {"dense": False, "reason": "the embedding model failed"}
    assert [result["rank"] for result in as_json["results"]] == [1, 2]


def test_help_has_the_same_shape_with_nothing_in_it() -> None:
    assert answered_json("hi", Answered(Help()), link) == {
        "question": "hi",
        "outcome": "help",
        "confidence": 0.0,
        "distance": None,
        "cutoffs": {},
        "signals": {},
        "gate": {"dense": True, "reason": ""},
        "ms": {"embed": 0.0, "search": 0.0, "total": 0.0},
        "results": [],
    }


def test_an_answer_can_be_written_as_json() -> None:
    answered = answered_json("q", Answered(Answer((RESULT,), EVIDENCE)), link)
    assert json.loads(json.dumps(answered)) == answered
