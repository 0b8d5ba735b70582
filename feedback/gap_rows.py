"""Gaps and what was decided on them, to rows of the journal and back. Pure."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from core.exchanges import Person
from feedback.models import GapRecord, GapStatus, SectionRef
from feedback.rows import Row, as_json, instant, moment, person_from, storable

OPEN = {
    "status": str(GapStatus.OPEN),
    "owner_platform": None,
    "owner_user_id": None,
    "snoozed_until": None,
    "section": None,
    "build": "",
}
"""The columns of a gap that nothing was decided on."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What somebody, or a build, decided on a gap."""

    status: GapStatus
    by: Person | None
    at: datetime
    until: datetime | None = None
    section: SectionRef | None = None
    build: str = ""


def new_gap_row(gap_id: str, tenant: str, at: datetime) -> dict[str, Any]:
    """Return the row of a gap that was only just named."""
    return storable({"id": gap_id, "tenant": tenant, "created_at": instant(at)} | OPEN)


def decided(row: Row, decision: Decision) -> dict[str, Any]:
    """Return the columns of a gap's row after a decision.

    An owner stays through all that follows but a reopening; what belongs to another status goes.
    """
    after = OPEN | {"status": str(decision.status)}
    if decision.status is GapStatus.OWNED:
        after |= person_columns("owner_", decision.by)
    elif decision.status is not GapStatus.OPEN:
        after |= {name: row[name] for name in ("owner_platform", "owner_user_id")}
    if decision.status is GapStatus.SNOOZED and decision.until:
        after["snoozed_until"] = instant(decision.until)
    if decision.status in {GapStatus.DONE, GapStatus.CLOSED}:
        after |= {"section": _section_json(decision.section), "build": decision.build}
    return storable(after)


def stands(row: Row, after: Row) -> bool:
    """Return whether a gap's row says already what it would say after a decision.

    A section counts as the same whatever distance it was found at.
    """
    return _compared(row) == _compared(after)


def change_row(decision: Decision) -> dict[str, Any]:
    """Return the columns that say who changed a gap last, and when."""
    return storable(person_columns("changed_", decision.by) | {"changed_at": instant(decision.at)})


def decision_row(gap_id: str, decision: Decision) -> dict[str, Any]:
    """Return the row of a decision in a gap's history."""
    until = decision.until
    return storable(
        person_columns("", decision.by)
        | {
            "gap_id": gap_id,
            "status": str(decision.status),
            "section": _section_json(decision.section),
            "build": decision.build,
            "snoozed_until": instant(until) if until else None,
            "at": instant(decision.at),
        }
    )


def record_from(row: Row, exchange_ids: Sequence[str]) -> GapRecord:
    """Read a gap from its row and the exchanges that belong to it, in their order."""
    return GapRecord(
        id=row["id"],
        tenant=row["tenant"],
        created_at=moment(row["created_at"]),
        exchange_ids=tuple(exchange_ids),
        status=GapStatus(row["status"]),
        owner=_person_or_none(row, "owner_"),
        snoozed_until=_moment_or_none(row["snoozed_until"]),
        section=_section_from(row["section"]),
        build=row["build"],
        changed_at=_moment_or_none(row["changed_at"]),
        changed_by=_person_or_none(row, "changed_"),
    )


def person_columns(prefix: str, person: Person | None) -> dict[str, str | None]:
    """Return the columns `platform` and `user_id` behind a prefix; both NULL for nobody."""
    platform = None if person is None else str(person.platform)
    return {f"{prefix}platform": platform, f"{prefix}user_id": person.user_id if person else None}


def _compared(row: Row) -> list[Any]:
    section = json.loads(row["section"])["section_id"] if row["section"] else None
    return [section, *(row[name] for name in OPEN if name != "section")]


def _section_json(section: SectionRef | None) -> str | None:
    return as_json(asdict(section)) if section else None


def _section_from(text: str | None) -> SectionRef | None:
    if text is None:
        return None
    stored = json.loads(text)
    return SectionRef(**{**stored, "visibility": tuple(stored["visibility"])})


def _person_or_none(row: Row, prefix: str) -> Person | None:
    return None if row[f"{prefix}user_id"] is None else person_from(row, prefix)


def _moment_or_none(text: str | None) -> datetime | None:
    return moment(text) if text else None
