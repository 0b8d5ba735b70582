import json
import unicodedata
from pathlib import Path

import pytest

from corpus.anchors import anchors, slug


@pytest.mark.parametrize(
    ("text", "anchor"),
    [
        ("CrashLoopBackOff / OOMKilled", "crashloopbackoff--oomkilled"),
        ("heading with a - dash", "heading-with-a---dash"),
        ("2.1. What kubectl get po shows", "21-what-kubectl-get-po-shows"),
        (
            "exchange.bind_headers(exchange, routing [, bindCallback])",
            "exchangebind_headersexchange-routing--bindcallback",
        ),
        ("en–dash", "endash"),
        ("apostrophe’s", "apostrophes"),
        ("😄 unicode emoji", "-unicode-emoji"),
        ("I ♥ unicode", "i--unicode"),
        (":ok_hand: Single", "ok_hand-single"),
        ("test🤷🏻‍♀️test", "test\ufe0ftest"),
        ("Привет non-latin 你好", "привет-non-latin-你好"),
        ("流量管理（Traffic）", "流量管理traffic"),
        ("Overview {#overview}", "overview-overview"),
        ("<%= current_page.data.title %>", "-current_pagedatatitle-"),
        ("ΘΕΣΣΑΛΟΝΙΚΗ", "θεσσαλονικη"),
        ("layout: blog\ntitle: x", "layout-blogtitle-x"),
        ("tab\there, no\u00a0break", "tabhere-nobreak"),
        ("Ⓐ and ½", "ⓐ-and-"),
        ("🔥", ""),
    ],
)
def test_a_heading_has_the_anchor_that_github_gives_it(text: str, anchor: str) -> None:
    assert slug(text) == anchor


def test_a_repeated_heading_gets_the_next_free_number() -> None:
    found = anchors(["echo", "echo", "echo 1", "echo-1", "echo"])

    assert found == ["echo", "echo-1", "echo-1-1", "echo-1-2", "echo-2"]


def test_a_number_that_a_heading_was_given_is_not_given_to_one_that_is_called_so() -> None:
    assert anchors(["echo", "echo", "Echo 1"]) == ["echo", "echo-1", "echo-1-1"]
    assert anchors(["Echo 1", "echo", "echo"]) == ["echo-1", "echo", "echo-2"]


def test_a_heading_of_symbols_has_no_anchor_and_is_counted_like_any() -> None:
    assert anchors(["🔥", "Impact", "🔥", "-1"]) == ["", "impact", "-1", "-1-1"]


def kept_by_github_slugger() -> set[int]:
    """Return what the npm package keeps, in the Unicode of its time."""
    lines = (Path(__file__).parents[1] / "github_slugger.txt").read_text().splitlines()
    ranges = [part.partition("-") for line in lines[1:] for part in line.split()]
    return {
        code
        for first, _, last in ranges
        for code in range(int(first, 16), int(last or first, 16) + 1)
    }


@pytest.mark.slow
def test_every_character_is_kept_or_dropped_as_github_slugger_does() -> None:
    kept = kept_by_github_slugger()
    assigned = [c for c in range(0x110000) if unicodedata.category(chr(c)) not in {"Cn", "Cs"}]
    ours = {c for c in assigned if slug(f"x{chr(c)}y") != "xy"}

    assert kept & set(assigned) <= ours
    # What only we keep came to Unicode after the package's tables: whole blocks of new scripts.
    assert {unicodedata.category(chr(c))[0] for c in ours - kept} <= {"L", "M", "N"}
    assert len(ours - kept) < len(ours) / 100


@pytest.mark.slow
def test_published_headings_have_the_anchors_that_github_slugger_gives_them() -> None:
    place = Path(__file__).parents[1] / "github_slugger_headings.jsonl"
    with place.open(encoding="utf-8") as file:
        documents = [json.loads(line) for line in file]
    texts = [[text for text, _ in document["headings"]] for document in documents]

    given = [[anchor for _, anchor in document["headings"]] for document in documents]
    assert [anchors(page) for page in texts] == given
    assert len({text for page in texts for text in page}) >= 5_000
