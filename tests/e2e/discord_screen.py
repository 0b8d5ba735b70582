"""What a person sees of messages on Discord."""

import re
from collections.abc import Iterator, Sequence

import discord

from bots.card import ButtonKind, GapAction, Tone
from bots.discord_bot.controls import GAP, PICK, Control, control_from
from bots.discord_bot.render import COLOURS
from tests.e2e.chat import Shown

ABOUT_GAPS = {GAP, *GapAction}
TONES = {colour: tone for tone, colour in COLOURS.items()}
CODE = re.compile(r"```.*?```|(?<!\\)(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
ESCAPE = re.compile(r"\\([^0-9A-Za-z\s])")
LINK = re.compile(r"(?<!\\)\]\((https?://[^)]+)\)")


def shown_of(
    messages: Sequence[discord.Message], exchange_id: str = "", *, only_for: str = ""
) -> Shown:
    """Return the messages of one reply as a person sees them."""
    embeds = [embed for message in messages for embed in message.embeds]
    texts = [text for embed in embeds for text in (embed.description, embed.footer.text) if text]
    raw = "\n".join((*(message.content for message in messages), *texts))
    colour = embeds[0].colour
    controls = list(_controls(messages))
    return Shown(
        tone=TONES[colour.value] if colour else Tone.INFO,
        title=unescaped(embeds[0].title or ""),
        text=unescaped("\n".join(texts)),
        raw=raw,
        exchange_id=exchange_id,
        links=tuple(_links(embeds)),
        buttons=tuple(one for one in controls if isinstance(one, ButtonKind)),
        picks=tuple(one for one in controls if not isinstance(one, ButtonKind)),
        gaps=tuple(dict.fromkeys(_gaps(messages))),
        parts=len(messages),
        only_for=only_for,
        pings=tuple(_pings(messages)),
        handle=messages[0].channel.id,
    )


def unescaped(text: str) -> str:
    """Undo escapes outside of code."""
    out: list[str] = []
    at = 0
    for code in CODE.finditer(text):
        out += (ESCAPE.sub(r"\1", text[at : code.start()]), code.group())
        at = code.end()
    return "".join((*out, ESCAPE.sub(r"\1", text[at:])))


def _links(embeds: Sequence[discord.Embed]) -> Iterator[str]:
    for embed in embeds:
        if embed.url:
            yield embed.url
        yield from LINK.findall(embed.description or "")


def _controls(messages: Sequence[discord.Message]) -> Iterator[ButtonKind | str]:
    for control, item in _items(messages):
        if control.name == PICK:
            assert isinstance(item, discord.SelectMenu)
            yield from (option.label for option in item.options)
        elif control.name not in ABOUT_GAPS:
            yield ButtonKind(control.name)


def _gaps(messages: Sequence[discord.Message]) -> Iterator[str]:
    for control, item in _items(messages):
        if isinstance(item, discord.SelectMenu) and control.name == GAP:
            yield from (option.value for option in item.options)
        elif control.name in ABOUT_GAPS:
            yield control.carried


def _items(
    messages: Sequence[discord.Message],
) -> Iterator[tuple[Control, discord.Button | discord.SelectMenu]]:
    for message in messages:
        for row in message.components:
            assert isinstance(row, discord.ActionRow)
            for item in row.children:
                control = control_from(item.custom_id or "")
                assert control is not None
                yield control, item


def _pings(messages: Sequence[discord.Message]) -> Iterator[str]:
    for message in messages:
        if message.mention_everyone:
            yield "everyone"
        yield from (str(one.id) for one in (*message.mentions, *message.role_mentions))
