"""Buttons, menus and forms: what they are called, and what comes back of them. Pure.

Their ids carry all that is needed, so that they work on old messages and after a restart.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import discord

from bots.card import ButtonKind, GapAction, GapLine
from bots.discord_bot.render import Post, option_texts
from core.exchanges import ReasonKind, ShownHit

PICK, TENANT, GAP = "pick", "tenant", "gap"
KIND, RIGHT, TEXT, NOTE = "kind", "right", "text", "note"
"""The fields of the forms."""

_CONTROL = re.compile(r"nl:([a-z_]+):([0-9A-Za-z-]{1,64})")
_BUTTONS_IN_A_ROW = 5
_LABEL, _LONGEST = 100, 1000
_STYLES = {
    ButtonKind.DELETE: discord.ButtonStyle.danger,
    ButtonKind.RESOLVE: discord.ButtonStyle.success,
    ButtonKind.ASK_HUMAN: discord.ButtonStyle.primary,
}
_GAP_STYLES = {
    GapAction.OWN: discord.ButtonStyle.primary,
    GapAction.DONE: discord.ButtonStyle.success,
}
_REASONS = {
    ReasonKind.WRONG_SECTION: "Wrong section",
    ReasonKind.OUTDATED: "Outdated",
    ReasonKind.INCOMPLETE: "Incomplete",
    ReasonKind.OTHER: "Something else",
}


class Form(StrEnum):
    """The forms that open on a button."""

    REASON = "reason"
    RESOLUTION = "resolution"
    GAP_ANSWER = "gap_answer"


@dataclass(frozen=True, slots=True)
class Control:
    """What was pressed, picked or filled in, and the id that it carries."""

    name: str
    carried: str


def control_id(name: str, carried: str) -> str:
    """Return the custom id of a control."""
    return f"nl:{name}:{carried}"


def control_from(custom_id: str) -> Control | None:
    """Read a custom id; None if it is not one of ours."""
    found = _CONTROL.fullmatch(custom_id)
    return Control(found[1], found[2]) if found else None


def view_of(post: Post, exchange_id: str) -> discord.ui.View | None:
    """Return the menu and buttons of a post. Nothing listens to it: see `control_from`."""
    view = discord.ui.View(timeout=None)
    picks = {pick.index: pick for pick in post.picks}
    if picks and exchange_id:
        menu: discord.ui.Select[discord.ui.View] = discord.ui.Select(
            custom_id=control_id(PICK, exchange_id), placeholder="Show another result", row=0
        )
        for index, pick in picks.items():
            label, description = option_texts(pick)
            menu.add_option(label=label, description=description, value=str(index))
        view.add_item(menu)
    _add_gaps(view, post.gaps)
    for at, button in enumerate(post.buttons):
        view.add_item(
            discord.ui.Button(
                label=button.label,
                style=_STYLES.get(button.kind, discord.ButtonStyle.secondary),
                custom_id=control_id(button.kind, button.exchange_id),
                row=1 + at // _BUTTONS_IN_A_ROW,
            )
        )
    view.stop()
    return view if view.children else None


def _add_gaps(view: discord.ui.View, gaps: Sequence[GapLine]) -> None:
    """Add the buttons of one gap, or a menu to pick one of several from."""
    if len(gaps) == 1:
        for button in gaps[0].buttons:
            view.add_item(
                discord.ui.Button(
                    label=button.label,
                    style=_GAP_STYLES.get(button.action, discord.ButtonStyle.secondary),
                    custom_id=control_id(button.action, button.gap_id),
                    row=0,
                )
            )
    elif gaps:
        menu: discord.ui.Select[discord.ui.View] = discord.ui.Select(
            custom_id=control_id(GAP, "menu"),
            placeholder="Decide on a gap",
            row=0,
        )
        for gap in gaps[:25]:
            label = f"{gap.gap_id} {gap.label}"
            menu.add_option(
                label=label if len(label) <= _LABEL else f"{label[: _LABEL - 1]}…",
                description=gap.detail.strip()[:_LABEL] or None,
                value=gap.gap_id,
            )
        view.add_item(menu)


def guild_menu(guilds: Sequence[discord.Guild], message_id: int) -> discord.ui.View:
    """Return the question whose runbooks to search, for a direct message."""
    view = discord.ui.View(timeout=None)
    menu: discord.ui.Select[discord.ui.View] = discord.ui.Select(
        custom_id=control_id(TENANT, str(message_id)), placeholder="Whose runbooks?"
    )
    for guild in guilds[:25]:
        menu.add_option(label=guild.name[:_LABEL], value=str(guild.id))
    view.add_item(menu)
    view.stop()
    return view


# --- forms ----------------------------------------------------------------------------------------


def reason_form(exchange_id: str, results: Sequence[ShownHit]) -> discord.ui.Modal:
    """Return the form that asks why an answer is bad, and which section had been the right one."""
    form = _form(Form.REASON, exchange_id, "What is wrong with it?")
    kinds: discord.ui.Select[discord.ui.View] = discord.ui.Select(custom_id=KIND, required=True)
    for kind, label in _REASONS.items():
        kinds.add_option(label=label, value=kind)
    form.add_item(discord.ui.Label(text="It is", component=kinds))
    if results:
        right: discord.ui.Select[discord.ui.View] = discord.ui.Select(
            custom_id=RIGHT, required=False
        )
        for section_id, label in _sections(results):
            right.add_option(label=label, value=section_id)
        form.add_item(discord.ui.Label(text="The right section, if it is one", component=right))
    form.add_item(_text(TEXT, "In your words, or the right section", required=False))
    return form


def resolution_form(exchange_id: str) -> discord.ui.Modal:
    """Return the form that asks how something was resolved."""
    form = _form(Form.RESOLUTION, exchange_id, "Resolved")
    form.add_item(_text(NOTE, "How was it resolved?", required=True))
    return form


def done_form(gap_id: str) -> discord.ui.Modal:
    """Return the form that asks which section answers a gap."""
    form = _form(Form.GAP_ANSWER, gap_id, f"{gap_id} is answered")
    form.add_item(_text(NOTE, "The section: its link, or path#anchor", required=True))
    return form


def filled_in(data: Mapping[str, Any]) -> dict[str, str]:
    """Return the fields of a form that was sent, by name; a menu's first value."""
    return dict(_fields(data.get("components", ())))


def _fields(components: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    for component in components:
        if "custom_id" in component:
            values = component.get("values") or [component.get("value") or ""]
            yield component["custom_id"], str(values[0])
        yield from _fields(component.get("components", ()))
        if inner := component.get("component"):
            yield from _fields((inner,))


def _form(form: Form, exchange_id: str, title: str) -> discord.ui.Modal:
    modal = discord.ui.Modal(title=title, custom_id=control_id(form, exchange_id), timeout=None)
    modal.stop()
    return modal


def _text(name: str, label: str, *, required: bool) -> discord.ui.Label[discord.ui.View]:
    field: discord.ui.TextInput[discord.ui.View] = discord.ui.TextInput(
        custom_id=name,
        style=discord.TextStyle.paragraph,
        required=required,
        max_length=_LONGEST,
    )
    return discord.ui.Label(text=label, component=field)


def _sections(results: Sequence[ShownHit]) -> list[tuple[str, str]]:
    """Return section ids and names for a menu, each once."""
    named = {hit.section_ids[0]: hit.breadcrumb[:_LABEL] or "…" for hit in results}
    return list(named.items())[:25]
