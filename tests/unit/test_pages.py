from core.models import Metadata, Section, Span
from core.outcomes import Hit, Ranks, Result
from core.pages import page_results


def hit(name: str, page: str, length: int) -> Hit:
    section = Section(
        id=name,
        document_id=page,
        document_hash="h",
        tenant="default",
        source="runbooks",
        path=f"{page}.md",
        metadata=Metadata(page),
        headings=(name,),
        anchor=name,
        span=Span(0, length),
        line_start=1,
        line_end=1,
        text="x" * length,
    )
    return Hit(section, 0.5, 0.0, 1.0, Ranks(), Span(0, length))


A1, A2, A3, A4 = hit("a1", "a", 40), hit("a2", "a", 50), hit("a3", "a", 10), hit("a4", "a", 1)
B1 = hit("b1", "b", 200)


def test_a_page_shows_its_best_sections_as_far_as_they_fit() -> None:
    assert page_results([A1, B1, A2, A3], card_chars=104, limit=10) == (
        Result((A1, A2, A3)),
        Result((B1,)),
    )


def test_a_section_that_does_not_fit_leaves_its_place_to_the_next() -> None:
    assert page_results([A1, A2, A3, B1], card_chars=60, limit=10) == (
        Result((A1, A3)),
        Result((A2,)),
        Result((B1,)),
    )


def test_no_result_has_more_than_three_sections() -> None:
    assert page_results([A1, A2, A3, A4], card_chars=1000, limit=10) == (
        Result((A1, A2, A3)),
        Result((A4,)),
    )


def test_a_single_section_is_shown_whole_however_long() -> None:
    assert page_results([B1], card_chars=100, limit=10) == (Result((B1,)),)


def test_no_more_results_than_asked_for() -> None:
    assert page_results([A1, B1], card_chars=10, limit=1) == (Result((A1,)),)
