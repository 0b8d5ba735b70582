"""Which sections a model is given, and what stands around them."""

from dataclasses import replace

from hypothesis import given as any_of
from hypothesis import strategies as st

from core.given import given
from core.guard import NO_ANSWER, Source
from core.models import Document, Metadata, Section, Span
from core.outcomes import Hit, Ranks, Result
from core.prompting import answer_prompt, judge_prompt, unforgeable, verdict
from corpus.splitter import cut
from tests.indexed import page

SECRET = "ghp_" + "a1B2" * 9
LONG = "# Long\n\n" + "\n\n".join(f"Paragraph {n} says {'x' * 80}." for n in range(20))


def sections(document: Document) -> tuple[Section, ...]:
    return cut(document, fits=lambda text: len(text) < 2000).sections


def hit(section: Section, *, at: int = 0) -> Hit:
    start = section.span.start + at
    return Hit(section, 0.2, 0.5, 1.0, Ranks(), Span(start, start + 1))


def result(text: str, name: str = "a.md") -> Result:
    return Result(tuple(hit(one) for one in sections(page(name, text))))


def test_whole_sections_are_numbered_best_first_each_once() -> None:
    first, second = result("# Pod crash\n\nUndo it.\n"), result("# Disk\n\nFree it.\n", "b.md")
    found = given((first, second, first), 8000)
    assert [one.source for one in found] == [
        Source(1, "# Pod crash\n\nUndo it.", "Pod crash"),
        Source(2, "# Disk\n\nFree it.", "Disk"),
    ]
    assert found[0].section == first.best.section


def test_no_more_than_six_are_given() -> None:
    many = tuple(result(f"# Page {n}\n\nText.\n", f"{n}.md") for n in range(9))
    assert len(given(many, 8000)) == 6


def test_a_section_that_is_too_long_is_given_in_whole_blocks_from_the_match_on() -> None:
    section = result(LONG).best.section
    at = section.text.index("Paragraph 7")
    (found,) = given((Result((hit(section, at=at + 5),)),), 500)
    assert found.source.text.startswith("Paragraph 7 says")
    assert found.source.text.endswith("x.")
    assert len(found.source.text) <= 500
    assert found.source.text in section.text


def test_a_fence_is_given_whole_or_not_at_all() -> None:
    fence = "```sh\none\n\ntwo " + "y" * 300 + "\n```"
    text = f"# Steps\n\nFirst this, {'x' * 100}.\n\n{fence}\n\nThen that, {'z' * 200}.\n"
    section = result(text).best.section
    for room in range(250, 700, 10):
        shown = "".join(one.source.text for one in given((Result((hit(section),)),), room))
        assert shown.count("```") in {0, 2}
        assert ("one\n\ntwo" in shown) == ("```" in shown)


def test_a_list_that_is_too_long_is_given_by_its_items_with_what_leads_in_to_it() -> None:
    items = "\n".join(f"- delete the volume {n} {'x' * 60}\n  in region {n}" for n in range(20))
    section = result(f"# Do not\n\nA word.\n\nNever do these:\n\n{items}\n").best.section
    at = section.text.index("volume 7")
    (found,) = given((Result((hit(section, at=at),)),), 400)
    lead, first, *_ = found.source.text.split("\n")
    assert lead == "Never do these:"
    assert first.startswith("- delete the volume 7 ")
    assert found.source.text.endswith("  in region 9")


def test_a_fence_is_given_with_what_leads_in_to_it() -> None:
    text = f"# Do not\n\n{'x' * 300}\n\nNever run this:\n\n```sh\nrm -rf /\n```\n\n{'y' * 300}\n"
    section = result(text).best.section
    (found,) = given((Result((hit(section, at=section.text.index("rm")),)),), 400)
    assert found.source.text.startswith("Never run this:\n\n```sh\nrm -rf /")


def test_what_is_left_of_the_room_is_not_filled_with_scraps() -> None:
    big = result("# Big\n\n" + "x" * 350 + "\n")
    assert len(given((big, result("# Next\n\nText.\n", "b.md")), 500)) == 1


def test_a_single_block_that_is_too_long_is_left_out() -> None:
    assert given((result("# Big\n\n" + "x" * 5000),), 1000)[0].source.text == "# Big"
    section = result("# Big\n\n" + "x" * 5000).best.section
    assert given((Result((hit(section, at=100),)),), 1000) == ()


def test_secrets_are_replaced_again() -> None:
    section = result("# Token\n\nUse it.\n").best.section
    leaky = replace(
        section,
        text=f"Use {SECRET} here.",
        metadata=Metadata(title=f"Token {SECRET}"),
        headings=(),
    )
    (found,) = given((Result((hit(leaky),)),), 8000)
    prompt = answer_prompt(f"is {SECRET} valid?", [found.source], "mark", 100)
    assert SECRET not in str(found.source)
    assert SECRET not in prompt.content
    assert "[redacted" in found.source.text


def test_a_prompt_names_its_version_and_keeps_its_rules_apart_from_the_data() -> None:
    prompt = answer_prompt("why?", [Source(1, "Undo it.", "Pod › Fix")], "f00d", 400)
    assert (prompt.name, prompt.max_tokens) == ("answer.v1", 400)
    assert NO_ANSWER in prompt.instructions
    assert "Undo it." not in prompt.instructions
    assert prompt.content == (
        "<<< section 1 f00d Pod › Fix\nUndo it.\n>>> end of section 1 f00d\n\n"
        "<<< question f00d\nwhy?\n>>> end of the question f00d"
    )
    assert judge_prompt("why?", [], "f00d").name == "judge.v1"


@any_of(st.text(), st.text(alphabet="<>= section1f0d\n"), st.sampled_from(["f00d", "beef"]))
def test_no_text_can_forge_a_mark(question: str, text: str, mark: str) -> None:
    sources = [Source(1, text)]
    free = unforgeable(mark, question, sources)
    assert free is (mark not in question and mark not in text)
    if free:
        content = answer_prompt(question, sources, mark, 100).content
        assert content.count(f" {mark}") == 4


def test_a_verdict_is_one_word() -> None:
    said = ["YES", " no.\n", "**Yes**", "I think so", ""]
    assert [verdict(text) for text in said] == [True, False, True, None, None]
