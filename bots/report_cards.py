"""What the bot says of the runbooks as a whole: what there is, changed, is running. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from bots.behind import source_says, update_says
from bots.card import Card, Listing, Row, Tone
from bots.check import Check, Level
from bots.counted import counted
from bots.digest_status import said
from bots.status import Status
from bots.writer_status import writer_rows
from core.points import IndexedDocument
from core.reports import IndexReport, RankMove

LONGEST = 20
"""Rows of a list in a message; a pipe gets them all."""


def runbooks_card(documents: Sequence[IndexedDocument], *, longest: int | None = LONGEST) -> Card:
    """List documents, which come sorted by service, under their services."""
    if not documents:
        return Card(Tone.INFO, "No runbooks", lead="There is none that can be seen here.")
    listings = tuple(
        _listing(service or "Without a service", [_document(one) for one in group], longest)
        for service, group in groupby(documents, key=lambda one: one.metadata.service)
    )
    return Card(Tone.INFO, title=counted(len(documents), "document"), listings=listings)


def index_card(report: IndexReport, *, longest: int | None = LONGEST) -> Card:
    """Say what an indexing run changed and what failed, source by source and file by file."""
    changed = len(report.added) + len(report.changed) + len(report.removed)
    title = "Nothing has changed" if not changed else "The index is up to date"
    if report.dry_run:
        title = "Nothing would change" if not changed else "This would change"
    if report.complete and not (changed or report.unchanged):
        title = "The sources hold no Markdown files: correct path, include or --corpus"
    return Card(
        Tone.INFO if report.complete else Tone.ERROR,
        title=title if report.complete else f"{title}, but {' and '.join(_lacking(report))}",
        lead=", ".join(_figures(report)) + ".",
        warning=f"Without --dry-run this is refused: {report.refused}" if report.refused else "",
        listings=tuple(_lists(report, longest)),
        footer=" · ".join(_running(report)),
    )


def shortened(card: Card, longest: int = LONGEST) -> Card:
    """Return a card whose lists have at most so many rows, for a screen."""
    listings = tuple(
        replace(one, rows=one.rows[:longest], more=one.more + len(one.rows[longest:]))
        for one in card.listings
    )
    return replace(card, listings=listings)


def status_card(status: Status) -> Card:
    """Say what is indexed and running."""
    return Card(
        Tone.INFO,
        title="Nightlamp",
        lead="" if status.build else "Nothing is indexed yet: run `nightlamp index`.",
        listings=(
            Listing("Index", tuple(_index_rows(status))),
            *_journal(status.journal),
            *_written(status),
            *_digests(status),
            Listing("Running", tuple(_running_rows(status))),
        ),
    )


def doctor_card(checks: Sequence[Check]) -> Card:
    """Say what was checked, what is wrong and what to do about it."""
    problems = sum(check.level is Level.PROBLEM for check in checks)
    rows = tuple(Row(f"{check.level.value:<7}  {check.name}", check.says) for check in checks)
    return Card(
        Tone.ERROR if problems else Tone.INFO,
        title=counted(problems, "problem") if problems else "All is well",
        listings=(Listing("Checked", rows),),
    )


def _journal(counts: Mapping[str, int] | None) -> Iterator[Listing]:
    if rows := tuple(_journal_rows(counts)):
        yield Listing("Journal", rows)


def _digests(status: Status) -> Iterator[Listing]:
    if status.digests:
        rows = (Row(f"{one.tenant} in {one.channel}", said(one)) for one in status.digests)
        yield Listing("Digests", tuple(rows))


def _document(document: IndexedDocument) -> Row:
    return Row(document.metadata.title, f"{document.source}/{document.path}")


def _lacking(report: IndexReport) -> Iterator[str]:
    if report.lagging:
        yield f"{counted(len(report.lagging), 'source')} cannot be read anew"
    if report.failed_files:
        yield f"{counted(len(report.failed_files), 'file')} failed"


def _figures(report: IndexReport) -> Iterator[str]:
    for name, found in (
        ("added", report.added),
        ("changed", report.changed),
        ("removed", report.removed),
        ("unchanged", report.unchanged),
        ("failed", report.failed_files),
    ):
        yield f"{len(found)} {name}"


def _lists(report: IndexReport, longest: int | None) -> Iterator[Listing]:
    lagging = [Row(name, why) for name, why in report.lagging.items()]
    failed = [Row(_at(one.path, one.line), one.reason) for one in report.failed_files]
    remarked = [Row(_at(one.path, one.line), one.reason) for one in report.warned_files]
    redacted = [Row(_at(one.path, one.line), one.kind) for one in report.redacted]
    for heading, rows, most in (
        ("Sources that cannot be read anew", lagging, None),
        ("Failed", failed, None),
        ("Indexed, with a remark", remarked, longest),
        ("Secrets replaced in the index", redacted, longest),
        ("Added", [Row(path) for path in report.added], longest),
        ("Changed", [Row(path) for path in report.changed], longest),
        ("Removed", [Row(path) for path in report.removed], longest),
        ("Other files, not read", _kinds(report.skipped), longest),
        ("Known questions whose answers moved", [_moved(one) for one in report.moved], longest),
    ):
        if rows:
            yield _listing(heading, rows, most)


def _moved(move: RankMove) -> Row:
    return Row(move.question, f"rank {move.before or 'none'} → {move.now or 'none'}")


def _kinds(skipped: Mapping[str, int]) -> list[Row]:
    return [Row(kind, str(count)) for kind, count in sorted(skipped.items())]


def _running(report: IndexReport) -> Iterator[str]:
    yield counted(report.sections, "section")
    yield counted(report.passages, "passage")
    if report.build:
        yield f"build {report.build}"
    yield f"{report.seconds:.1f} s"


def _index_rows(status: Status) -> Iterator[Row]:
    if build := status.build:
        yield Row("build", f"{build.id}, {build.created_at:%Y-%m-%d %H:%M} UTC")
        yield Row(
            "holds",
            f"{counted(build.documents, 'document')}, {counted(build.sections, 'section')}, "
            f"{counted(build.passages, 'passage')}",
        )
        for name, commit in build.sources.items():
            yield Row("source", f"{name} at {commit[:12]}" if commit else name)
    if status.unfinished:
        yield Row("update", update_says(status.unfinished))
    for one in status.lagging:
        yield Row("not read", f"{one.name}, {source_says(one)}")
    yield Row("vectors", status.vectors)
    yield Row("model", status.model)
    yield Row("dense search", "on" if status.gate.dense else f"off: {status.gate.reason}")
    if status.reranker:
        yield Row("reranker", status.reranker)
    fitted = "" if status.fitted else "not fitted for this index; "
    yield Row("calibration", f"{fitted}{status.calibration}")


def _running_rows(status: Status) -> Iterator[Row]:
    if status.data:
        yield Row("data folder", status.data)
        yield Row("held by", status.holder.removeprefix("in use by "))
    for name, channel in status.channels.items():
        since = f"{channel.state} since {channel.since:%Y-%m-%d %H:%M} UTC"
        yield Row(name, f"{since}: {channel.sentence}" if channel.sentence else since)
    if status.indexing_since:
        yield Row("indexing", f"since {status.indexing_since:%Y-%m-%d %H:%M:%S} UTC")


def _written(status: Status) -> Iterator[Listing]:
    if status.written is not None:
        rows = tuple(Row(name, says) for name, says in writer_rows(status.written))
        yield Listing("Written answers", rows)


def _journal_rows(counts: Mapping[str, int] | None) -> Iterator[Row]:
    if counts is None:
        yield Row("not readable", "nightlamp doctor says why")
        return
    for name, count in counts.items():
        if count:
            yield Row(name.replace("_", " "), f"{count:,}")


def _listing(heading: str, rows: Sequence[Row], longest: int | None) -> Listing:
    shown = tuple(rows[:longest])
    return Listing(heading, shown, more=len(rows) - len(shown))


def _at(path: str, line: int | None) -> str:
    return path if line is None else f"{path}:{line}"
