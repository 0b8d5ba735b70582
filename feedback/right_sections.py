"""Which section was meant, where a gap is one of finding it: what people said of it. Pure."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from core.exchanges import Exchange
from core.models import Section
from feedback.models import Evidence, Gap, GapKind, GapStatus
from feedback.quoting import quotable


def meant_by(
    gap: Gap, exchanges: Sequence[Exchange], evidence: Evidence, visibility: Collection[str]
) -> tuple[tuple[str, ...], ...]:
    """Return what people said to be the right section, by question, the newest question first.

    Each is named by id or as somebody wrote it. Of one question, what was written goes first, the
    newest before the rest, and then what was looked at last below the first result. Only questions
    that these readers may read count: else the section would tell what was asked. Empty for gaps
    of other kinds, unless a person said which section answers them all.
    """
    if gap.record.status is GapStatus.DONE and gap.record.section:
        return ((gap.record.section.section_id,),)
    if gap.kind is not GapKind.FINDABLE:
        return ()
    readable = [one for one in exchanges if quotable(one, visibility)]
    newest = sorted(readable, key=lambda one: one.question.asked_at, reverse=True)
    said: dict[str, list[str]] = {one.id: [] for one in newest}
    for reason in sorted(evidence.reasons, key=lambda one: one.at, reverse=True):
        if reason.right_section and reason.exchange_id in said:
            said[reason.exchange_id].append(reason.right_section)
    lower = sorted((one for one in evidence.choices if one.index > 0), key=lambda one: one.at)
    last = {one.exchange_id: one.section_id for one in lower}
    for exchange_id, names in said.items():
        names += [last[exchange_id]] if exchange_id in last else []
    return tuple(tuple(dict.fromkeys(names)) for names in said.values() if names)


def most_meant(meant: Sequence[Sequence[str]], sections: Mapping[str, Section]) -> Section | None:
    """Return the section that most questions meant, of as many the newest's; None: none is there.

    `sections` has those that are there and seen, by what `meant` names them.
    """
    found = [next((sections[one] for one in names if one in sections), None) for names in meant]
    there = {section.id: section for section in found if section}
    counted = Counter(section.id for section in found if section)
    return there[counted.most_common(1)[0][0]] if counted else None
