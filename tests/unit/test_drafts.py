from dataclasses import replace
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from core.exchanges import Exchange
from corpus.frontmatter import read_frontmatter
from feedback.asked_lines import asked_line
from feedback.drafts import draft, draft_name, fenced, line_to_add
from feedback.models import Evidence, Gap, SectionRef
from tests.gap_world import asked, document, hit, reported, section_ref

TEMPLATE = (Path(__file__).parents[2] / "corpus" / "TEMPLATE.md").read_text(encoding="utf-8")
NASTY = (
    "```\nrm -rf /\n```\n# not a heading\n---\n<@123> @everyone <script>",
    "`````` six\n~~~\n| a | b |\n[x](y)",
    "line one\r\nline two\x00\x1b[31m",
    '"quoted": [yaml, {it}] # not',
    "\u2028@here\u202e ok",
)


def gap_of(*exchanges: Exchange) -> Gap:
    (gap, *_) = reported(Evidence(exchanges), documents=[document(owner="plat: form")]).gaps
    return gap


def link(section: SectionRef) -> str:
    return f"https://example.com/a b/{section.path}#x"


def stub(*exchanges: Exchange, template: str = TEMPLATE, **notes: str) -> str:
    return draft(
        gap_of(*exchanges), exchanges, notes, template, visibility=("everyone",), link=link
    )


def headings(text: str) -> list[str]:
    body = text[read_frontmatter(text).length :]
    tokens = MarkdownIt().parse(body)
    return [tokens[at + 1].content for at, one in enumerate(tokens) if one.type == "heading_open"]


def test_a_draft_has_the_form_of_the_template_and_what_is_known() -> None:
    text = stub(
        asked("x1", "how do I unseal vault", results=[hit("s1", distance=0.3)]),
        asked("x2", "vault is sealed", by="U2"),
        x2="three of us typed our keys",
    )
    front = read_frontmatter(text)
    assert front.values == {
        "title": "how do I unseal vault",
        "type": "runbook",
        "owner": "plat: form",
    }
    assert headings(text)[:5] == [
        "how do I unseal vault",
        "Asked like this",
        "How it was resolved",
        "Near, but not the answer",
        "Symptoms",
    ]
    assert headings(text)[-1] == "Escalation"
    assert "```text\nvault is sealed\n```" in text
    assert "```text\nthree of us typed our keys\n```" in text
    assert "- [page.md › s1](<https://example.com/a%20b/page.md#x>)" in text


@pytest.mark.parametrize("words", NASTY)
def test_whatever_was_asked_the_draft_stays_a_page(words: str) -> None:
    plain, text = stub(asked("x1", "how do I unseal vault")), stub(asked("x1", words), x1=words)
    assert headings(text)[1:3] == ["Asked like this", "How it was resolved"]
    assert headings(text)[3:] == headings(plain)[2:]
    front = read_frontmatter(text)
    assert front.warning == ""
    assert isinstance(front.values["title"], str)
    assert "<script>" not in MarkdownIt().render(text.split("\n## ")[0][front.length :])


@pytest.mark.parametrize("words", NASTY)
def test_nothing_in_a_draft_calls_anybody(words: str) -> None:
    text = stub(asked("x1", words))
    outside = "".join(
        one.content for one in MarkdownIt().parse(text) if one.type in {"inline", "html_block"}
    )
    assert "@everyone" not in outside
    assert "@here" not in outside
    assert "<@123>" not in outside


@pytest.mark.parametrize("words", NASTY)
def test_what_was_asked_stands_in_its_fence_as_it_was_typed(words: str) -> None:
    (fence,) = [one for one in MarkdownIt().parse(fenced(words)) if one.type == "fence"]
    kept = [one for one in words.replace("\r\n", "\n") if one in "\n\t" or one.isprintable()]
    assert fence.content == "".join(kept) + "\n"


def test_what_readers_may_not_read_is_not_in_a_draft() -> None:
    text = stub(
        asked("x1", "how do I unseal vault"),
        asked("x2", "private words", private=True, angle=1),
        asked(
            "x3",
            "board words",
            place=("board",),
            angle=1,
            results=[hit("s9", visibility=("board",))],
        ),
        x2="private note",
        x3="board note",
    )
    for hidden in ("private words", "private note", "board", "s9"):
        assert hidden not in text


def test_a_template_without_frontmatter_or_sections_will_do() -> None:
    text = stub(asked("x1", "how do I unseal vault"), template="# Title\n\nSay what it is.\n")
    assert headings(text) == ["how do I unseal vault", "Asked like this"]
    assert "Say what it is." in text


def test_a_draft_is_named_in_the_words_of_the_question() -> None:
    gap = gap_of(asked("x1", "How do I unseal ../../Vault in eu-west-1, please?"))
    assert draft_name(gap) == "unseal-vault-eu-west-1.md"
    assert draft_name(replace(gap, sample="")) == f"{gap.record.id.casefold()}.md"
    assert draft_name(replace(gap, sample="密钥 封存")) == "密钥-封存.md"


def above(*exchanges: Exchange, link: str = "https://example.com/page.md#s1") -> str:
    return line_to_add(section_ref(), exchanges, visibility=("everyone",), link=link)


def test_where_the_answer_is_there_already_the_line_to_add_stands_above_the_draft() -> None:
    assert above(asked("x1", "how do I unseal vault")) == (
        "## The answer is there already\n\n"
        "- [page.md › s1](<https://example.com/page.md#s1>)\n\n"
        "Put this line at the end of that section, with an empty line above it, and have the page "
        "indexed: whoever asks like this next finds it.\n\n"
        "```text\n<!-- asked: how do I unseal vault -->\n```\n\n"
        "If a page is wanted all the same, it begins below, with `---`: delete what is above.\n\n"
    )


def test_a_section_without_a_link_is_named_by_its_path() -> None:
    assert "- [page.md › s1](<page.md>)" in above(asked("x1"), link="")


def test_where_nothing_may_stand_in_the_page_nothing_stands_above_the_draft() -> None:
    assert above(asked("x1", private=True), asked("x2", place=("board",))) == ""


@pytest.mark.parametrize("words", NASTY)
def test_the_line_to_add_stands_in_its_fence_as_it_is_to_be_written(words: str) -> None:
    tokens = MarkdownIt().parse(above(asked("x1", words)) + stub(asked("x1", words)))
    fence = next(one for one in tokens if one.type == "fence")
    written = asked_line([asked("x1", words)], section_ref(), visibility=("everyone",))
    assert fence.content == f"{written}\n"
    assert [one.type for one in tokens].index("hr") > tokens.index(fence)
