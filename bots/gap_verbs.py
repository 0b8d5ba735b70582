"""What a running bot does about gaps for commands; alone, the commands call the same."""

import os
from collections.abc import Mapping
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar

from bots.app import App
from bots.control import Handler, Tell
from bots.digest_making import Wording
from bots.gap_cards import decided_card
from bots.gap_json import record_json, report_json
from bots.gap_loop import tenants
from bots.gap_pages import draft_page, golden_export
from core.errors import NightlampError, UsageError
from core.exchanges import Person
from core.models import EVERYONE, Platform, Scope
from core.wire import from_plain, to_plain
from feedback.gap_book import Actor
from feedback.gap_csv import gaps_csv
from feedback.gap_filter import GapFilter
from feedback.models import GapKind, GapStatus

T = TypeVar("T")
WEEK = timedelta(days=7)


def gap_verbs(app: App) -> Mapping[str, Handler]:
    """Return what commands can have an app do about gaps, by verb."""
    return {
        "gaps": partial(_gaps, app),
        "gap": partial(_act, app),
        "draft": partial(_draft, app),
        "digest": partial(_digest, app),
        "golden": partial(_golden, app),
    }


async def _gaps(app: App, arguments: Mapping[str, Any], _tell: Tell) -> Mapping[str, Any]:
    until = app.clock.now()
    since = until - timedelta(seconds=_number(arguments, "seconds"))
    narrowed = GapFilter(
        kind=_one_of(GapKind, arguments, "kind"),
        status=_one_of(GapStatus, arguments, "status"),
        owner=_me() if arguments.get("mine") else None,
        text=str(arguments.get("text") or ""),
    )
    report = await app.gaps.listing(
        _tenant(app, arguments), since, until, _visibility(arguments), narrowed
    )
    return {
        "card": to_plain(await _wording(app).gaps(report, narrowed=narrowed != GapFilter())),
        "json": report_json(report),
        "csv": gaps_csv(report.gaps),
    }


async def _act(app: App, arguments: Mapping[str, Any], _tell: Tell) -> Mapping[str, Any]:
    actor = Actor(
        _me(), _tenant(app, arguments), Scope(visibility=_visibility(arguments)), admin=True
    )
    gap_id = str(arguments.get("id"))
    match arguments.get("do"):
        case "own":
            record = await app.gaps.own(gap_id, actor)
        case "snooze":
            record = await app.gaps.snooze(gap_id, actor, _number(arguments, "days"))
        case "dismiss":
            record = await app.gaps.dismiss(gap_id, actor)
        case "reopen":
            record = await app.gaps.reopen(gap_id, actor)
        case "done":
            record = await app.gaps.done(gap_id, actor, str(arguments.get("section")))
        case other:
            raise UsageError(f"Nothing is called {other} that can be done about a gap.")
    return {"card": to_plain(decided_card(record)), "json": record_json(record)}


async def _draft(app: App, arguments: Mapping[str, Any], _tell: Tell) -> Mapping[str, Any]:
    tenant, gap_id = _tenant(app, arguments), str(arguments.get("id"))
    page = await draft_page(app, gap_id, tenant, _visibility(arguments))
    return {"name": page.name, "text": page.text}


async def _digest(app: App, arguments: Mapping[str, Any], _tell: Tell) -> Mapping[str, Any]:
    tenant, visibility = _tenant(app, arguments), _visibility(arguments)
    if arguments.get("post"):
        if app.digests is None:
            raise NightlampError("No bot runs that could post it: start one with nightlamp serve.")
        taken = await app.digests.post_now(tenant)
        if not taken:
            raise UsageError(f"The tenant {tenant} has no digests in nightlamp.toml: add one.")
        return {"posted": taken}
    until = app.clock.now()
    report = await app.gaps.report(tenant, until - WEEK, until, visibility)
    card = await _wording(app).card(report)
    return {"card": to_plain(card), "json": report_json(report)}


async def _golden(app: App, arguments: Mapping[str, Any], _tell: Tell) -> Mapping[str, Any]:
    tenant = _tenant(app, arguments)
    return {"text": await golden_export(app, tenant, _visibility(arguments))}


def _wording(app: App) -> Wording:
    return Wording(app.library.index, app.library.link)


def _tenant(app: App, arguments: Mapping[str, Any]) -> str:
    """Return the tenant that was named, or the only one.

    Raises:
        UsageError: there are several, or none of this name.
    """
    known = sorted({*tenants(app.settings), *(one.settings.tenant for one in app.library.sources)})
    named = arguments.get("tenant")
    if named is None and len(known) == 1:
        return known[0]
    if named not in known:
        raise UsageError(f"Name one of the tenants with --tenant: {', '.join(known)}.")
    return str(named)


def _visibility(arguments: Mapping[str, Any]) -> tuple[str, ...]:
    labels = arguments.get("visibility") or [EVERYONE]
    return _read(tuple[str, ...], labels, "visibility")


def _number(arguments: Mapping[str, Any], name: str) -> int:
    return _read(int, arguments.get(name), name)


def _one_of(kind: type[T], arguments: Mapping[str, Any], name: str) -> T | None:
    return _read(kind, arguments[name], name) if arguments.get(name) else None


def _read(kind: type[T], plain: Any, name: str) -> T:
    """Return one of the arguments that came with a verb.

    Raises:
        UsageError: it is of another kind.
    """
    try:
        return from_plain(kind, plain)
    except (ValueError, TypeError) as error:
        raise UsageError(f"The running bot does not understand {name}: {error}.") from error


def _me() -> Person:
    """Return who is at the terminal: whoever may use the data folder, so an admin."""
    return Person(Platform.TERMINAL, str(os.getuid()) if hasattr(os, "getuid") else "local")
