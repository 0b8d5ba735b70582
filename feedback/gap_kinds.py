"""What the runbooks lack where a gap is, and where its page would go. Pure."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.exchanges import Choice, Exchange, Reason, ReasonKind, ShownHit
from core.keywords import tokens
from core.points import IndexedDocument
from feedback.grouping import keywords
from feedback.models import Evidence, GapKind, SectionRef
from feedback.quoting import quotable, seen_now
from feedback.unanswered import folded, net

NEAR = 0.45
"""A page at this distance or less is about the same thing, and the place to write it down."""
_LONGEST_NAME = 6
"""Words in the name of a new page."""
_PREFERRED = (GapKind.STALE, GapKind.FINDABLE, GapKind.WRONG, GapKind.MISSING)


@dataclass(frozen=True, slots=True)
class Said:
    """What people said of exchanges, by exchange, and how sections stand now and before."""

    reasons: Mapping[str, Sequence[Reason]]
    choices: Mapping[str, Sequence[Choice]]
    votes: Mapping[str, int]
    fallen: Collection[str]


def said_in(evidence: Evidence, earlier: Evidence) -> Said:
    """Gather what was said in a window; `fallen` are sections once liked and now voted down."""
    reasons: dict[str, list[Reason]] = {}
    choices: dict[str, list[Choice]] = {}
    for reason in evidence.reasons:
        reasons.setdefault(reason.exchange_id, []).append(reason)
    for choice in evidence.choices:
        choices.setdefault(choice.exchange_id, []).append(choice)
    now, before = _by_section(evidence), _by_section(earlier)
    fallen = {section for section, votes in now.items() if votes < 0 < before[section]}
    votes = {id_: net(evidence, id_) for id_ in evidence.votes}
    return Said(reasons, choices, votes, fallen)


def kind_of(members: Iterable[Exchange], said: Said) -> GapKind:
    """Return what most members lack; of as many, what is the least work to put right."""
    found = Counter(_kind(one, said) for one in members)
    return min(_PREFERRED, key=lambda kind: (-found[kind], _PREFERRED.index(kind)))


def nearest_of(
    members: Sequence[Exchange],
    said: Said,
    visibility: Collection[str],
    documents: Mapping[str, IndexedDocument],
) -> SectionRef | None:
    """Return the section that most members came near to, that these readers may see.

    Only questions that they may read count: else the section would tell what was asked. What
    somebody chose is nearer than what was shown first.
    """
    near: Counter[str] = Counter()
    best: dict[str, ShownHit] = {}
    for exchange in members:
        quoted = quotable(exchange, visibility)
        hit = _hit(exchange, said, visibility, documents) if quoted else None
        if hit is not None:
            section = hit.section_ids[0]
            near[section] += 1
            if section not in best or _far(hit) < _far(best[section]):
                best[section] = hit
    if not near:
        return None
    most = min(near, key=lambda section: (-near[section], _far(best[section]), section))
    return reference(best[most])


def sample_of(members: Sequence[Exchange], visibility: Collection[str]) -> Exchange | None:
    """Return the exchange that words a gap as most do, of those that readers may read."""
    readable = [one for one in members if quotable(one, visibility)]
    if not readable:
        return None
    words = Counter(word for one in readable for word in keywords(one.question.text))
    texts = Counter(folded(one.question.text) for one in readable)

    def typical(exchange: Exchange) -> tuple[float, ...]:
        own = keywords(exchange.question.text)
        shared = sum(words[word] for word in own) / max(len(own), 1)
        return (texts[folded(exchange.question.text)], shared, len(own))

    return max(readable, key=typical)


def place_of(
    nearest: SectionRef | None, kind: GapKind, sample: str, documents: Mapping[str, IndexedDocument]
) -> tuple[str, str]:
    """Return the path of the page to write in, and who owns it, each empty where unknown."""
    owner = ""
    if nearest and (document := documents.get(nearest.document_id)):
        owner = document.metadata.owner
    if nearest and (kind is not GapKind.MISSING or _is_near(nearest)):
        return nearest.path, owner
    return (new_page(sample) if sample else ""), owner if nearest and _is_near(nearest) else ""


def new_page(text: str) -> str:
    """Return a file name made from a question's words; empty where it has none that carry it."""
    carrying = keywords(text)
    words = dict.fromkeys(
        word.strip("-_").casefold()
        for word in _words(text)
        if not carrying.isdisjoint(tokens(word))
    )
    name = "-".join([word for word in words if word][:_LONGEST_NAME])
    return f"{name[:60].rstrip('-')}.md" if name else ""


def reference(hit: ShownHit) -> SectionRef:
    """Return what names a result's first section."""
    return SectionRef(
        section_id=hit.section_ids[0],
        document_id=hit.document_id,
        source=hit.source,
        path=hit.path,
        breadcrumb=hit.breadcrumb,
        visibility=hit.visibility,
        distance=hit.distance,
    )


def _kind(exchange: Exchange, said: Said) -> GapKind:
    reasons = said.reasons.get(exchange.id, ())
    first = _first(exchange)
    if any(one.kind is ReasonKind.OUTDATED for one in reasons):
        return GapKind.STALE
    if any(one.right_section for one in reasons) or _chosen(exchange, said):
        return GapKind.FINDABLE
    if said.votes.get(exchange.id, 0) < 0:
        return GapKind.STALE if first in said.fallen else GapKind.WRONG
    return GapKind.MISSING


def _hit(
    exchange: Exchange,
    said: Said,
    visibility: Collection[str],
    documents: Mapping[str, IndexedDocument],
) -> ShownHit | None:
    if exchange.recorded is None:
        return None
    shown = exchange.recorded.results
    chosen = _chosen(exchange, said)
    wanted = [one for one in shown if chosen and chosen in one.section_ids]
    for hit in (*wanted, *shown):
        if hit.section_ids and seen_now(hit, visibility, documents):
            return hit
    return None


def _chosen(exchange: Exchange, said: Said) -> str:
    """Return the section that somebody looked at last below the first result."""
    lower = [one for one in said.choices.get(exchange.id, ()) if one.index > 0]
    return max(lower, key=lambda one: one.at).section_id if lower else ""


def _first(exchange: Exchange) -> str:
    results = exchange.recorded.results if exchange.recorded else ()
    return results[0].section_ids[0] if results and results[0].section_ids else ""


def _by_section(evidence: Evidence) -> Counter[str]:
    found: Counter[str] = Counter()
    for exchange in evidence.exchanges:
        if exchange.id in evidence.votes and (section := _first(exchange)):
            found[section] += net(evidence, exchange.id)
    return found


def _far(hit: ShownHit) -> float:
    return 2.0 if hit.distance is None else hit.distance


def _is_near(section: SectionRef) -> bool:
    return section.distance is not None and section.distance <= NEAR


def _words(text: str) -> list[str]:
    return "".join(c if c.isalnum() or c in "-_" else " " for c in text).split()
