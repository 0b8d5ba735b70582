"""A small Discord on loopback: REST and gateway for the real client, with faults to order.

It keeps messages, takes one acknowledgement of an interaction and none that comes late, replays
missed events on a resume, and refuses wrong tokens.
"""

import asyncio
import itertools
import json
import re
import time
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any

import discord
import yarl
from aiohttp import WSMsgType, web

from tests.waiting import LOOK, PATIENT

APP, BOT, GUILD, CHANNEL, OWNER, ANN, DIRECT = 1000, 1001, 2000, 3000, 4000, 5000, 7000
TOKEN = "token-of-the-fake"  # noqa: S105 - nothing but this fake takes it
WITH_CONTENT = 1 << 19
JOINED = "2026-01-01T00:00:00+00:00"
ALL = str((1 << 53) - 1 & ~0x8)
DEADLINE = PATIENT
"""Seconds to acknowledge an interaction. Discord gives three, and knows of no busy machine."""

Json = dict[str, Any]
Fault = tuple[int, Json, Mapping[str, str]]


@asynccontextmanager
async def fake_discord() -> AsyncIterator["FakeDiscord"]:
    """Run the fake, and point the real client at it."""
    fake = FakeDiscord()
    app = web.Application(client_max_size=32 * 2**20)
    app.router.add_get("/gw/", fake.gateway)
    app.router.add_route("*", "/api/v10/{tail:.*}", fake.rest)
    runner = web.AppRunner(app, shutdown_timeout=1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    fake.port = runner.addresses[0][1]
    try:
        with _pointed_at(fake.port):
            yield fake
    finally:
        await fake.hang_up()
        await runner.cleanup()


@contextmanager
def _pointed_at(port: int) -> Iterator[None]:
    """Let the client's two addresses be the fake's: the only things that are exchanged."""
    route, socket = discord.http.Route, discord.gateway.DiscordWebSocket
    before = route.BASE, socket.DEFAULT_GATEWAY
    route.BASE = f"http://127.0.0.1:{port}/api/v10"
    socket.DEFAULT_GATEWAY = yarl.URL(f"ws://127.0.0.1:{port}/gw/")
    try:
        yield
    finally:
        route.BASE, socket.DEFAULT_GATEWAY = before


class FakeDiscord:
    """One guild with one channel. What a test looks at stands in the attributes."""

    def __init__(self) -> None:
        self.port = 0
        self.flags = WITH_CONTENT
        self.denied = 0
        self.calls: list[tuple[str, str, Json]] = []
        self.identified: list[Json] = []
        self.resumed: list[Json] = []
        self.closed: list[int | None] = []
        self.commands: list[Json] = []
        self.messages: dict[str, Json] = {}
        self.interactions: dict[str, Json] = {}
        self.originals: dict[str, str] = {}
        self.missed: dict[tuple[str, str], list[int]] = defaultdict(list)
        self.takes_resume = True
        self.acknowledges_heartbeats = True
        self.refuses_intents = False
        self.hangs_up_on = ""
        self.never_answers = ""
        self._socket: web.WebSocketResponse | None = None
        self._faults: dict[tuple[str, str], deque[Fault]] = defaultdict(deque)
        self._sequence = 0
        self._sent: list[Json] = []
        # As Discord's: no id comes twice, not even from a fake that was started before.
        self._ids = itertools.count(time.time_ns())
        self._something = asyncio.Event()

    async def until(self, true: Callable[[], object], seconds: float = PATIENT) -> None:
        """Wait until something is so, looked at after each call and now and then."""
        async with asyncio.timeout(seconds):
            while not true():
                self._something.clear()
                with suppress(TimeoutError):
                    async with asyncio.timeout(LOOK):
                        await self._something.wait()

    def fail(
        self,
        method: str,
        path: str,
        status: int,
        body: Json | None = None,
        headers: Mapping[str, str] | None = None,
        *,
        times: int = 1,
    ) -> None:
        """Answer the next calls of a path (a pattern) with a failure."""
        fault = (status, body or {"code": 0, "message": "ordered"}, headers or {})
        self._faults[method, path].extend([fault] * times)

    # --- gateway --------------------------------------------------------------------------------

    async def gateway(self, request: web.Request) -> web.WebSocketResponse:
        """Serve one connection."""
        socket = web.WebSocketResponse(max_msg_size=0)
        await socket.prepare(request)
        self._socket = socket
        await socket.send_json(_op(10, {"heartbeat_interval": 41250}))
        async for message in socket:
            if message.type in (WSMsgType.TEXT, WSMsgType.BINARY):
                await self._received(socket, json.loads(message.data))
                self._something.set()
        self.closed.append(socket.close_code)
        self._something.set()
        return socket

    async def _received(self, socket: web.WebSocketResponse, payload: Json) -> None:
        match payload["op"]:
            case 1 if self.acknowledges_heartbeats:
                await socket.send_json(_op(11))
            case 2:
                await self._identify(socket, payload["d"])
            case 6:
                await self._resume(socket, payload["d"])

    async def _identify(self, socket: web.WebSocketResponse, data: Json) -> None:
        self.identified.append(data)
        if data["token"] != TOKEN or self.refuses_intents:
            code = 4014 if self.refuses_intents else 4004
            await socket.close(code=code)
            return
        self._sequence, self._sent = 0, []
        ready = {
            "v": 10,
            "user": user(BOT, "nightlamp", bot=True),
            "guilds": [{"id": str(GUILD), "unavailable": True}],
            "session_id": f"session-{len(self.identified)}",
            "application": {"id": str(APP), "flags": self.flags},
            "resume_gateway_url": f"ws://127.0.0.1:{self.port}/gw/",
            "private_channels": [],
            "relationships": [],
        }
        await self.dispatch("READY", ready)
        await self.dispatch("GUILD_CREATE", guild())

    async def _resume(self, socket: web.WebSocketResponse, data: Json) -> None:
        self.resumed.append(data)
        if not self.takes_resume:
            await socket.send_json(_op(9, False))
            return
        for event in [one for one in self._sent if one["s"] > data["seq"]]:
            await socket.send_json(event)
        await self.dispatch("RESUMED", {})

    async def dispatch(self, name: str, data: Json) -> None:
        """Send an event; while nobody is connected it is kept for the resume."""
        self._sequence += 1
        event = {"op": 0, "t": name, "s": self._sequence, "d": data}
        self._sent.append(event)
        if self._socket is not None and not self._socket.closed:
            await self._socket.send_json(event)

    async def reconnect(self) -> None:
        """Tell the client to connect again (op 7)."""
        assert self._socket is not None
        await self._socket.send_json(_op(7))

    async def close(self, code: int) -> None:
        """Close the connection with a code."""
        assert self._socket is not None
        await self._socket.close(code=code)

    def cut(self) -> None:
        """Cut the connection without a word; what is sent from now on is missed."""
        assert self._socket is not None
        transport = self._socket._req.transport  # type: ignore[union-attr]
        self._socket = None
        assert transport is not None
        transport.abort()

    async def hang_up(self) -> None:
        """End the connection at the end of a test."""
        if self._socket is not None and not self._socket.closed:
            await self._socket.close()

    # --- people ---------------------------------------------------------------------------------

    async def command(self, name: str, **options: Any) -> str:
        """Use a command; returns the interaction's token."""
        command = next(one for one in self.commands if one["name"] == name)
        given = [{"name": key, "type": 3, "value": value} for key, value in options.items()]
        data = {"id": command["id"], "name": name, "type": 1, "options": given}
        return await self.interact(2, data)

    async def interact(self, kind: int, data: Json, *, who: int = ANN, **more: Any) -> str:
        """Send an interaction; returns its token."""
        token = f"interaction-{next(self._ids)}"
        channel = {"id": str(CHANNEL), "type": 0, "guild_id": str(GUILD), "name": "oncall"}
        event = {
            "id": str(next(self._ids)),
            "application_id": str(APP),
            "type": kind,
            "token": token,
            "version": 1,
            "data": data,
            "guild_id": str(GUILD),
            "channel_id": str(CHANNEL),
            "channel": channel | {"permissions": ALL},
            "member": member(who) | {"permissions": ALL},
            "locale": "en-US",
            "app_permissions": ALL,
            "entitlements": [],
            "authorizing_integration_owners": {"0": str(GUILD)},
            "context": 0,
            "attachment_size_limit": 10 << 20,
            **more,
        }
        self.interactions[token] = {"event": event, "at": time.monotonic(), "response": None}
        await self.dispatch("INTERACTION_CREATE", event)
        return token

    async def react(self, message_id: str, emoji: str, *, who: int = ANN) -> None:
        """Put up a reaction."""
        event = {
            "user_id": str(who),
            "channel_id": str(CHANNEL),
            "message_id": message_id,
            "guild_id": str(GUILD),
            "emoji": {"id": None, "name": emoji},
            "burst": False,
            "type": 0,
            "member": member(who),
        }
        await self.dispatch("MESSAGE_REACTION_ADD", event)

    def answer(self, token: str) -> Json | None:
        """Return the message that answers an interaction, once it has an embed."""
        message = self.messages.get(self.originals.get(token, ""))
        return message if message and message["embeds"] else None

    # --- REST -----------------------------------------------------------------------------------

    async def rest(self, request: web.Request) -> web.Response:
        """Answer one call."""
        path = f"/{request.match_info['tail']}"
        body = await request.json() if request.can_read_body else {}
        self.calls.append((request.method, path, body))
        self._something.set()
        if self.never_answers and re.fullmatch(self.never_answers, f"{request.method} {path}"):
            await asyncio.sleep(3600)
        if self.hangs_up_on and re.fullmatch(self.hangs_up_on, path):
            assert request.transport is not None
            request.transport.abort()
        if fault := self._fault(request.method, path):
            status, said, headers = fault
            return _json(said, status, {"Via": "1.1 fake", **headers})
        by_token = path.startswith(("/webhooks/", "/interactions/"))
        if not by_token and request.headers.get("Authorization") != f"Bot {TOKEN}":
            return _json({"code": 0, "message": "401: Unauthorized"}, 401)
        answer = self._answered(request.method, path.strip("/").split("/"), body)
        self._something.set()
        return answer

    def _fault(self, method: str, path: str) -> Fault | None:
        for (ordered, pattern), faults in self._faults.items():
            if faults and ordered == method and re.fullmatch(pattern, path):
                return faults.popleft()
        return None

    def _answered(self, method: str, path: list[str], body: Any) -> web.Response:
        match (method, *path):
            case ("PUT", "applications", _, "commands"):
                return _json(self._told(body))
            case ("POST", "interactions", _, token, "callback"):
                return self._acknowledged(token, body)
            case ("PATCH", "webhooks", _, token, "messages", "@original"):
                return _json(self._edited(self.originals[token], body))
            case ("POST", "users", "@me", "channels"):
                return _json({"id": str(DIRECT), "type": 1, "recipients": [user(ANN, "ann")]})
            case ("POST", "webhooks", _, _) | ("POST", "channels", _, "messages"):
                return _json(self.new_message(body))
            case ("PUT", "channels", _, "messages", id_, "reactions", emoji, "@me"):
                self.messages[id_]["reactions"].append(emoji)
                return web.Response(status=204)
        return self._looked_up(path)

    def _looked_up(self, path: list[str]) -> web.Response:
        match path:
            case ["users", "@me"]:
                return _json(user(BOT, "nightlamp", bot=True))
            case ["oauth2" | "applications", *_]:
                return _json(application(self.flags))
            case ["channels", _, "messages", id_, *rest]:
                return self._message(id_, rest)
            case ["channels", id_] if id_ == str(CHANNEL):
                overwrite = {"id": str(GUILD), "type": 0, "allow": "0", "deny": str(self.denied)}
                return _json(guild()["channels"][0] | {"permission_overwrites": [overwrite]})
            case ["guilds", _]:
                return _json(guild())
            case ["guilds", _, "members", id_]:
                return _json(member(int(id_)))
        return _json({"code": 10003, "message": f"{path} is not known here"}, 404)

    def _message(self, id_: str, rest: list[str]) -> web.Response:
        """Look up a message or, where the path goes on, who put up one of its reactions."""
        if id_ not in self.messages:
            return _json({"code": 10008, "message": "Unknown Message"}, 404)
        if rest:
            return _json([user(who, "somebody") for who in self.missed[id_, rest[-1]]])
        return _json(self.messages[id_] | {"reactions": list(self._reactions(id_))})

    def _reactions(self, id_: str) -> Iterator[Json]:
        """Yield a message's reactions: the bot's own and those that it was not told of."""
        for emoji in self.messages[id_]["reactions"]:
            count = 1 + len(self.missed[id_, emoji])
            yield {
                "emoji": {"id": None, "name": emoji},
                "count": count,
                "count_details": {"burst": 0, "normal": count},
                "me": True,
                "me_burst": False,
                "burst_colors": [],
            }

    def _told(self, commands: list[Json]) -> list[Json]:
        given = {
            "application_id": str(APP),
            "version": "1",
            "description": "",
            "default_member_permissions": None,
        }
        self.commands = [{**given, **one, "id": str(next(self._ids))} for one in commands]
        return self.commands

    def _acknowledged(self, token: str, body: Json) -> web.Response:
        known = self.interactions.get(token)
        if known is None or time.monotonic() - known["at"] > DEADLINE:
            return _json({"code": 10062, "message": "Unknown interaction"}, 404)
        if known["response"]:
            return _json({"code": 40060, "message": "Already acknowledged"}, 400)
        known["response"] = body
        said: Json = {"id": known["event"]["id"], "type": known["event"]["type"]}
        answer: Json = {"interaction": said}
        if body["type"] in (4, 5):
            message = self.new_message(body.get("data") or {})
            self.originals[token] = said["response_message_id"] = message["id"]
            answer["resource"] = {"type": body["type"], "message": message}
        return _json(answer)

    def new_message(self, body: Json) -> Json:
        """Keep a message of the bot's."""
        message = {
            "id": str(next(self._ids)),
            "channel_id": str(CHANNEL),
            "author": user(BOT, "nightlamp", bot=True),
            "content": body.get("content") or "",
            "timestamp": JOINED,
            "edited_timestamp": None,
            "tts": False,
            "mention_everyone": False,
            "mentions": [],
            "mention_roles": [],
            "attachments": [],
            "embeds": body.get("embeds") or [],
            "components": body.get("components") or [],
            "pinned": False,
            "type": 0,
            "flags": body.get("flags") or 0,
            "reactions": [],
        }
        self.messages[message["id"]] = message
        return message

    def _edited(self, id_: str, body: Json) -> Json:
        message = self.messages[id_]
        kept = {"content", "embeds", "components"}
        message.update(
            {key: value or type(message[key])() for key, value in body.items() if key in kept}
        )
        return message | {"reactions": []}


def user(id_: int, name: str, *, bot: bool = False) -> Json:
    return {
        "id": str(id_),
        "username": name,
        "discriminator": "0",
        "global_name": None,
        "avatar": None,
        "bot": bot,
    }


def member(id_: int) -> Json:
    bot = id_ == BOT
    return {
        "user": user(id_, "nightlamp" if bot else f"person-{id_}", bot=bot),
        "roles": [],
        "joined_at": JOINED,
        "deaf": False,
        "mute": False,
        "flags": 0,
    }


def application(flags: int) -> Json:
    return {
        "id": str(APP),
        "name": "nightlamp",
        "icon": None,
        "description": "",
        "bot_public": True,
        "bot_require_code_grant": False,
        "summary": "",
        "verify_key": "00",
        "flags": flags,
        "owner": user(OWNER, "owner"),
        "team": None,
    }


def guild() -> Json:
    everyone = {
        "id": str(GUILD),
        "name": "@everyone",
        "color": 0,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
        "hoist": False,
        "position": 0,
        "permissions": ALL,
        "managed": False,
        "mentionable": False,
        "flags": 0,
    }
    channel = {
        "id": str(CHANNEL),
        "type": 0,
        "name": "oncall",
        "position": 0,
        "permission_overwrites": [],
        "guild_id": str(GUILD),
        "parent_id": None,
        "nsfw": False,
        "topic": None,
    }
    lists = ("emojis", "stickers", "features", "threads", "voice_states", "presences",
             "stage_instances", "guild_scheduled_events", "soundboard_sounds")  # fmt: skip
    numbers = ("verification_level", "default_message_notifications", "explicit_content_filter",
               "mfa_level", "afk_timeout", "nsfw_level", "premium_tier",
               "system_channel_flags")  # fmt: skip
    return {
        "id": str(GUILD),
        "name": "Acme",
        "owner_id": str(OWNER),
        "roles": [everyone],
        "channels": [channel],
        "members": [member(BOT)],
        "member_count": 2,
        "preferred_locale": "en-US",
        "large": False,
        "unavailable": False,
        **{name: [] for name in lists},
        **dict.fromkeys(numbers, 0),
    }


def _op(op: int, data: object = None) -> Json:
    return {"op": op, "d": data, "s": None, "t": None}


def _json(
    data: object, status: int = 200, headers: Mapping[str, str] | None = None
) -> web.Response:
    """Return JSON of exactly the content type that the client compares with."""
    return web.Response(
        body=json.dumps(data).encode(),
        status=status,
        headers={"Content-Type": "application/json", **(headers or {})},
    )
