"""What an indexing run reports."""

from core.reports import FailedFile, IndexReport, RankMove, of_sources


def test_of_a_report_a_tenant_sees_its_own_sources_alone() -> None:
    report = IndexReport(
        added=("acme/a.md", "globex/b.md"),
        unchanged=("acme-2/c.md",),
        failed=(FailedFile("globex/d.md", "broken"),),
        skipped={".png": 3},
        sections=7,
        moved=(RankMove("q", "globex/b.md", 1, 4),),
        lagging={"acme": "It is away.", "globex": "It is away, too."},
        refused="10 of the 20 documents of the source globex are gone.",
    )
    assert of_sources(report, {"acme"}) == IndexReport(
        added=("acme/a.md",), sections=7, lagging={"acme": "It is away."}
    )
