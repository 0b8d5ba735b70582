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


def test_a_heading_of_symbols_has_no_anchor_however_often_it_occurs() -> None:
    assert anchors(["🔥", "Impact", "🔥"]) == ["", "impact", ""]
