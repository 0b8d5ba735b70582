from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from snowballstemmer.english_stemmer import EnglishStemmer

from core.keywords import (
    identifiers,
    idf,
    passage_vector,
    query_vector,
    section_vector,
    token_number,
    tokens,
)
from core.models import Metadata, Section, Span
from core.points import SparseVector


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("PAY-1042", ["pay", "1042", "pay-1042"]),
        ("INDEXER_BATCH_SIZE", ["index", "batch", "size", "indexer_batch_size"]),
        ("KubePodCrashLooping", ["kube", "pod", "crash", "loop", "kubepodcrashlooping"]),
        ("10.0.0.5", ["10", "0", "0", "5", "10.0.0.5"]),
        ("--dry-run", ["dri", "run", "dry-run"]),
        ("/var/log/x.log", ["var", "log", "x", "log", "var/log/x.log"]),
        ("pod-1", ["pod", "1", "pod-1"]),
        ("E4304", ["e4304"]),
        ("qwen.", ["qwen"]),
        ("the pods are crashing", ["the", "pod", "are", "crash"]),
        ("重启 pod 失败", ["重启", "pod", "失败"]),
        ("数据库故障", ["数据", "据库", "库故", "故障"]),
        ("AND * ? (what) 'is", ["and", "what", "is"]),
        ("", []),
    ],
)
def test_identifiers_stay_whole_and_come_in_parts(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


def test_threads_that_stem_at_once_do_not_mix_their_words() -> None:
    ends = ("ing", "ed", "s", "ation", "ers", "fulness")
    words = [f"{a}{b}{end}" for a in "bcdfglmnprst" for b in ("and", "ork", "ell") for end in ends]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(tokens, words))
    assert found == [[EnglishStemmer().stemWord(word)] for word in words]


def test_zero_width_characters_do_not_divide_a_word() -> None:
    assert tokens("check\u200bpoint") == tokens("checkpoint")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("KubePodCrashLooping fired on node-7", ["kubepodcrashlooping", "node-7"]),
        ("what is PAY-1042?", ["pay-1042"]),
        ("why does the pod restart", []),
        ("OOMKilled", ["oomkilled"]),
        ("DNS", []),
    ],
)
def test_an_identifier_has_a_digit_a_mark_or_a_capital_inside(
    text: str, expected: list[str]
) -> None:
    assert identifiers(text) == expected


def test_idf_is_lucenes() -> None:
    assert idf(0, 0) == pytest.approx(0.6931471805599453)
    assert idf(1, 10) == pytest.approx(1.9924301646902063)
    assert idf(10, 10) == pytest.approx(0.04652001563489282)


def test_a_query_vector_adds_up_and_is_ordered_by_number() -> None:
    vector = query_vector([("disk", 1.0), ("full", 2.0), ("disk", 0.5)])
    expected = sorted([(token_number("disk"), 1.5), (token_number("full"), 2.0)])
    assert vector == SparseVector(
        tuple(number for number, _ in expected), tuple(weight for _, weight in expected)
    )


def test_a_section_is_found_by_headings_file_name_and_alerts_too() -> None:
    section = Section(
        id="s",
        document_id="d",
        document_hash="h",
        tenant="default",
        source="runbooks",
        path="nodes/KubeNodeNotReady.md",
        metadata=Metadata("Node not ready", alerts=("KubeNodeUnreachable",)),
        headings=("Mitigation",),
        anchor="mitigation",
        span=Span(0, 8),
        line_start=1,
        line_end=1,
        text="Cordon.\n",
    )
    found = set(section_vector(section).indices)
    for word in ("mitig", "readi", "kubenodenotready", "kubenodeunreachable", "cordon"):
        assert token_number(word) in found


@settings(deadline=None)
@given(st.text())
def test_any_text_gives_a_valid_vector(text: str) -> None:
    vector = passage_vector(text)
    assert list(vector.indices) == sorted(set(vector.indices))
    assert len(vector.indices) == len(vector.values)
    assert all(0 < value < 1 for value in vector.values)


@settings(deadline=None)
@given(st.text())
def test_question_and_text_are_cut_alike(text: str) -> None:
    assert set(passage_vector(text).indices) == set(map(token_number, tokens(text)))
