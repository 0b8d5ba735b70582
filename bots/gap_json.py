"""Gaps as JSON: what `--json` prints. Pure."""

from typing import Any

from core.exchanges import Person
from core.wire import to_plain
from feedback.models import Gap, GapRecord, GapReport, Numbers, SectionRef


def report_json(report: GapReport) -> dict[str, Any]:
    """Return a report: gaps, what closed, the numbers of this window and of the one before."""
    return {
        "tenant": report.tenant,
        "since": report.since.isoformat(),
        "until": report.until.isoformat(),
        "visibility": list(report.visibility),
        "numbers": _numbers(report.numbers),
        "before": _numbers(report.before),
        "gaps": [gap_json(gap) for gap in report.gaps],
        "closed": [gap_json(gap) for gap in report.closed],
        "useful": to_plain(report.useful),
        "voted_down": to_plain(report.voted_down),
        "never_found": list(report.never_found),
        "days": [
            {"day": day, "asked": asked, "unanswered": unanswered}
            for day, asked, unanswered in report.days
        ],
    }


def gap_json(gap: Gap) -> dict[str, Any]:
    """Return one gap with its figures; no exchange's id and nobody's name but the owner's."""
    return record_json(gap.record) | {
        "kind": gap.kind.value,
        "count": gap.count,
        "askers": gap.askers,
        "before": gap.before,
        "sample": gap.sample,
        "nearest": _section(gap.nearest),
        "suggested_path": gap.suggested_path,
        "suggested_owner": gap.suggested_owner,
        "visibility": list(gap.visibility),
        "last_asked": gap.last_asked.isoformat(),
    }


def record_json(record: GapRecord) -> dict[str, Any]:
    """Return what was decided on a gap."""
    return {
        "id": record.id,
        "tenant": record.tenant,
        "status": record.status.value,
        "owner": _person(record.owner),
        "snoozed_until": record.snoozed_until.isoformat() if record.snoozed_until else None,
        "section": _section(record.section),
        "build": record.build,
        "created_at": record.created_at.isoformat(),
        "changed_at": record.changed_at.isoformat() if record.changed_at else None,
    }


def _numbers(numbers: Numbers) -> dict[str, Any]:
    return {**to_plain(numbers), "answer_rate": numbers.answer_rate}


def _section(section: SectionRef | None) -> dict[str, Any] | None:
    return to_plain(section) if section else None


def _person(person: Person | None) -> str | None:
    return f"{person.platform}:{person.user_id}" if person else None
