"""Exchanges, votes and windows for tests of gaps, by the few things that matter to each."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import cos, sin

from core.exchanges import Exchange, OutcomeKind, Person, Recorded, ShownHit
from core.models import EVERYONE, Metadata, Platform, Question, Scope, Section, Span, Vote, Where
from core.points import IndexedDocument
from feedback.gaps import report
from feedback.models import Evidence, GapRecord, GapReport, SectionRef

SINCE = datetime(2026, 11, 23, 8, tzinfo=UTC)
UNTIL = SINCE + timedelta(days=7)
NOTHING = Evidence(())
MODEL = "model"


def person(name: str) -> Person:
    return Person(Platform.SLACK, name)


def direction(degrees: float) -> tuple[float, ...]:
    """Return a unit vector: what is a few degrees apart means the same, what is 60 does not."""
    radians = degrees * 3.141592653589793 / 180
    return (cos(radians), sin(radians))


def hit(
    section: str = "s1",
    *,
    path: str = "page.md",
    distance: float | None = 0.6,
    visibility: Sequence[str] = (EVERYONE,),
) -> ShownHit:
    document = f"d-{path}"
    name = f"{path} › {section}"
    return ShownHit(
        (section,), document, "runbooks", path, name, distance, 0.1, Span(0, 1), tuple(visibility)
    )


def section_ref(section: str = "s1", visibility: Sequence[str] = (EVERYONE,)) -> SectionRef:
    path = "page.md"
    return SectionRef(
        section, f"d-{path}", "runbooks", path, f"{path} › {section}", tuple(visibility), 0.1
    )


def asked(
    id_: str,
    text: str = "how do I unseal vault",
    *,
    by: str = "U1",
    at: timedelta = timedelta(hours=1),
    kind: OutcomeKind = OutcomeKind.REFUSAL,
    angle: float | None = 0.0,
    results: Sequence[ShownHit] = (),
    private: bool = False,
    place: Sequence[str] = (EVERYONE,),
    follows: str | None = None,
    event_id: str = "",
    dense: bool = True,
    model: str = MODEL,
    ms: float = 100.0,
) -> Exchange:
    where = Where(Platform.SLACK, "D1" if private else "C1", private=private)
    question = Question(
        text,
        "acme",
        by,
        SINCE + at,
        where,
        Scope(visibility=tuple(place)),
        follows=follows,
        event_id=event_id,
    )
    vector = None if angle is None else direction(angle)
    recorded = Recorded(kind, 0.3, 0.6, tuple(results), dense, ms, vector, model)
    return Exchange(id_, question, recorded)


def earlier(exchange: Exchange, days: int = 7) -> Exchange:
    question = replace(
        exchange.question, asked_at=exchange.question.asked_at - timedelta(days=days)
    )
    return replace(exchange, question=question)


def votes(**given: str) -> Mapping[str, Mapping[Person, Vote]]:
    """Return votes by exchange, each a letter a person: `votes(x1="ud")` is one up, one down."""
    kinds = {"u": Vote.UP, "d": Vote.DOWN}
    return {
        id_: {person(f"V{at}"): kinds[letter] for at, letter in enumerate(letters)}
        for id_, letters in given.items()
    }


def document(
    path: str = "page.md",
    *,
    owner: str = "",
    service: str = "",
    visibility: Sequence[str] = (EVERYONE,),
) -> IndexedDocument:
    metadata = Metadata(path, service=service, owner=owner, visibility=tuple(visibility))
    return IndexedDocument(f"d-{path}", "acme", "runbooks", path, "hash", metadata, (), 1)


def reported(
    evidence: Evidence,
    *records: GapRecord,
    before: Evidence = NOTHING,
    visibility: tuple[str, ...] = (EVERYONE,),
    documents: Sequence[IndexedDocument] = (),
) -> GapReport:
    return report(
        evidence,
        before,
        records,
        tenant="acme",
        since=SINCE,
        until=UNTIL,
        visibility=visibility,
        documents={one.id: one for one in documents},
    )


TEXT = (
    "# Vault\n\nRead this page first, and then the next.\n\n## Unseal\n\n"
    "Call the operator.\n\nRun `vault operator unseal` with three keys.\n\n"
    "## Seal\n\nCall the operator.\n\nRun `vault operator seal` as an admin.\n"
)


def cut(start: str, end: str | None, id_: str) -> Section:
    begin = TEXT.index(start)
    stop = TEXT.index(end) if end else len(TEXT)
    text = TEXT[begin:stop]
    heading = text.splitlines()[0].lstrip("# ")
    return Section(
        id_, "d1", "hash", "acme", "runbooks", "vault.md", Metadata("Vault"), (heading,),
        heading.casefold(), Span(begin, stop), 1, 2, text,
    )  # fmt: skip


PAGE = (
    cut("# Vault", "## Unseal", "s0"),
    cut("## Unseal", "## Seal", "s1"),
    cut("## Seal", None, "s2"),
)
SECTION = PAGE[1]
