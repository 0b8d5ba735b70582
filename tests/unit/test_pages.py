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


A1, A2, A3 = hit("a1", "a", 40), hit("a2", "a", 50), hit("a3", "a", 10)
B1 = hit("b1", "b", 200)


def test_a_page_shows_its_best_two_sections_where_both_fit() -> None:
    assert page_results([A1, B1, A2, A3], card_chars=92, limit=10) == (
        Result((A1, A2)),
        Result((B1,)),
        Result((A3,)),
    )


def test_a_second_section_that_does_not_fit_comes_as_a_result_of_its_own() -> None:
    assert page_results([A1, A2, B1], card_chars=91, limit=10) == (
        Result((A1,)),
        Result((A2,)),
        Result((B1,)),
    )


def test_a_single_section_is_shown_whole_however_long() -> None:
    assert page_results([B1], card_chars=100, limit=10) == (Result((B1,)),)


def test_no_more_results_than_asked_for() -> None:
    assert page_results([A1, B1], card_chars=10, limit=1) == (Result((A1,)),)
