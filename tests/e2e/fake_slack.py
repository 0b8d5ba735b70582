"""A Slack on loopback: Web API, Socket Mode, response URLs, signed HTTP, and Slack's own limits.

The real slack_sdk and slack_bolt talk to it. It knows no more than the bot uses, and refuses what
Slack refuses.
"""

import asyncio
import contextlib
import hashlib
import hmac
import json
import time
import uuid
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import aiohttp
from aiohttp import WSMsgType, web

from tests.e2e.blockkit import wrong_message, wrong_view
from tests.e2e.slack_payloads import APP, BOT_ID, BOT_USER, TEAM, Payload, next_ts, unique
from tests.waiting import LOOK, PATIENT

SCOPES = (
    "app_mentions:read,channels:history,chat:write,commands,files:write,groups:history,"
    "im:history,im:write,"
    "reactions:read,reactions:write,usergroups:read,users:read"
)
NEEDS = {
    "chat.postMessage": "chat:write",
    "chat.postEphemeral": "chat:write",
    "chat.update": "chat:write",
    "chat.delete": "chat:write",
    "conversations.open": "im:write",
    "files.getUploadURLExternal": "files:write",
    "files.completeUploadExternal": "files:write",
    "reactions.add": "reactions:write",
    "reactions.get": "reactions:read",
    "users.info": "users:read",
    "usergroups.users.list": "usergroups:read",
}
LONGEST_TEXT, LONGEST_UPDATE = 40_000, 4_000
TRIGGERS = PATIENT
"""Seconds for which a trigger opens a form. Slack gives three, and knows of no busy machine."""
_USES = 5


class Refused(Exception):
    """Slack answers `ok: false`."""

    def __init__(self, code: str, **more: Any) -> None:
        super().__init__(code)
        self.payload = {"ok": False, "error": code, **more}


@dataclass
class Fault:
    """What one call gets instead of its answer."""

    status: int = 200
    body: Payload = field(default_factory=lambda: {"ok": False, "error": "internal_error"})
    headers: Mapping[str, str] = field(default_factory=dict)


class FakeSlack:
    """One workspace. What stands in its channels outlives any client."""

    bot_token, app_token, signing_secret = "xoxb-local", "xapp-1-local", "s3cr3t"

    def __init__(self) -> None:
        self.scopes = set(SCOPES.split(","))
        self.members = {"C0OPS", "C0PAYMENTS", "C0PLANT"}
        self.refusing: dict[str, str] = {}
        self.admins: set[str] = set()
        self.groups: dict[str, list[str]] = {}
        self.messages: dict[str, dict[str, Payload]] = defaultdict(dict)
        self.ephemerals: list[Payload] = []
        self.reactions: dict[tuple[str, str], list[str]] = defaultdict(list)
        self.thumbs: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
        self.views: list[Payload] = []
        self.homes: dict[str, Payload] = {}
        self.uploads: dict[str, bytes] = {}
        self.files: list[Payload] = []
        self.calls: list[tuple[str, Payload]] = []
        self.faults: dict[str, deque[Fault]] = defaultdict(deque)
        self.wrong: list[Any] = []
        self.triggers: dict[str, float] = {}
        self.urls: dict[str, tuple[str, str, int]] = {}
        self.tickets: set[str] = set()
        self.sockets: list[web.WebSocketResponse] = []
        self.acks: dict[str, tuple[float, Payload]] = {}
        self.answers_pings = True
        self.stuck = False
        self.most_posts = 1_000_000
        self.changed = asyncio.Condition()
        self.port = 0

    @property
    def base_url(self) -> str:
        """Return what the SDK is pointed at."""
        return f"http://127.0.0.1:{self.port}/api/"

    @asynccontextmanager
    async def running(self) -> AsyncIterator["FakeSlack"]:
        """Serve on a free port."""
        served = web.Application(client_max_size=8 << 20)
        served.router.add_route("*", "/api/{method}", self._api)
        served.router.add_get("/link/", self._socket)
        served.router.add_post("/response/{id}", self._response)
        served.router.add_post("/upload/{id}", self._upload)
        runner = web.AppRunner(served, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.port = runner.addresses[0][1]
        try:
            yield self
        finally:
            for socket in self.sockets:
                await socket.close()
            await runner.cleanup()

    async def until(self, holds: Callable[[], Any], seconds: float = PATIENT) -> None:
        """Wait until something holds, looked at after each call and frame, and now and then."""
        async with asyncio.timeout(seconds):
            while not holds():
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(LOOK), self.changed:
                        await self.changed.wait()

    def fail(self, method: str, *faults: Fault) -> None:
        """Let the next calls of a method fail."""
        self.faults[method].extend(faults)

    def react(self, event: Payload) -> None:
        """Let a person's reaction stand, or go, as the event of it says."""
        on, thumb = event["item"], (event["reaction"], event["user"])
        there = self.thumbs[on.get("channel", ""), on.get("ts", "")]
        if thumb in there:
            there.remove(thumb)
        if event["type"] == "reaction_added":
            there.append(thumb)

    def called(self, method: str) -> list[Payload]:
        """Return the arguments of every call of a method."""
        return [arguments for name, arguments in self.calls if name == method]

    async def _notify(self) -> None:
        async with self.changed:
            self.changed.notify_all()

    # --- Web API --------------------------------------------------------------------------------

    async def _api(self, request: web.Request) -> web.Response:
        method, arguments = request.match_info["method"], await _arguments(request)
        self.calls.append((method, arguments))
        posts = len(self.called("chat.postMessage"))
        if method.startswith("chat.") and (self.stuck or posts > self.most_posts):
            await self._notify()
            await asyncio.sleep(3600)
        if self.faults[method]:
            fault = self.faults[method].popleft()
            await self._notify()
            return web.json_response(fault.body, status=fault.status, headers=fault.headers)
        try:
            answer = {"ok": True, **self._answered(method, arguments, _token(request))}
        except Refused as refused:
            answer = refused.payload
        await self._notify()
        headers = {"x-oauth-scopes": ",".join(sorted(self.scopes))}
        return web.json_response(answer, headers=headers)

    def _answered(self, method: str, arguments: Payload, token: str) -> Payload:
        if method == "apps.connections.open":
            return self._open_connection(token)
        if token != self.bot_token:
            raise Refused("invalid_auth")
        if (needed := NEEDS.get(method)) and needed not in self.scopes:
            raise Refused("missing_scope", needed=needed)
        handler = getattr(self, f"_{method.replace('.', '_')}", None)
        if handler is None:
            raise Refused("unknown_method")
        answer: Payload = handler(arguments)
        return answer

    def _open_connection(self, token: str) -> Payload:
        if token != self.app_token:
            raise Refused("invalid_auth")
        ticket = uuid.uuid4().hex
        self.tickets.add(ticket)
        return {"url": f"ws://127.0.0.1:{self.port}/link/?ticket={ticket}&app_id={APP}"}

    def _auth_test(self, _: Payload) -> Payload:
        return {"team_id": TEAM, "user_id": BOT_USER, "bot_id": BOT_ID, "team": "Acme"}

    def _chat_postMessage(self, arguments: Payload) -> Payload:
        channel = self._channel(arguments, opens=True)
        self._check(arguments, LONGEST_TEXT)
        thread = arguments.get("thread_ts")
        if thread and not isinstance(thread, str):
            raise Refused("invalid_thread_ts")
        ts = next_ts()
        message = {
            "type": "message",
            "user": BOT_USER,
            "bot_id": BOT_ID,
            "app_id": APP,
            "text": arguments.get("text", ""),
            "blocks": arguments.get("blocks", []),
            "ts": ts,
            **({"thread_ts": thread} if thread else {}),
        }
        self.messages[channel][ts] = message
        return {"channel": channel, "ts": ts, "message": message}

    def _chat_postEphemeral(self, arguments: Payload) -> Payload:
        channel = self._channel(arguments)
        self._check(arguments, LONGEST_TEXT)
        ts = next_ts()
        self.ephemerals.append({**arguments, "channel": channel, "ts": ts})
        return {"message_ts": ts}

    def _chat_update(self, arguments: Payload) -> Payload:
        channel = self._channel(arguments)
        self._check(arguments, LONGEST_UPDATE)
        message = self._message(channel, arguments["ts"])
        message |= {"text": arguments["text"], "blocks": arguments["blocks"], "edited": {}}
        return {"channel": channel, "ts": arguments["ts"], "message": message}

    def _chat_delete(self, arguments: Payload) -> Payload:
        channel = self._channel(arguments)
        self._message(channel, arguments["ts"])
        del self.messages[channel][arguments["ts"]]
        return {"channel": channel, "ts": arguments["ts"]}

    def _reactions_add(self, arguments: Payload) -> Payload:
        channel, name = self._channel(arguments), arguments["name"]
        self._message(channel, arguments["timestamp"])
        if name.startswith(":") or not name.isascii():
            raise Refused("invalid_name")
        names = self.reactions[channel, arguments["timestamp"]]
        if name in names:
            raise Refused("already_reacted")
        names.append(name)
        return {}

    def _reactions_get(self, arguments: Payload) -> Payload:
        channel, ts = self._channel(arguments), arguments["timestamp"]
        message = self._message(channel, ts)
        people = [(name, BOT_USER) for name in self.reactions[channel, ts]]
        people += self.thumbs[channel, ts]
        names = dict.fromkeys(name for name, _ in people)
        shown = [
            {"name": name, "users": [user for one, user in people if one == name]} for name in names
        ]
        return {"type": "message", "message": {**message, "reactions": shown}}

    def _conversations_open(self, arguments: Payload) -> Payload:
        user = str(arguments["users"])
        if user in self.refusing:
            raise Refused(self.refusing[user])
        return {"channel": {"id": f"D{user[1:]}"}}

    def _files_getUploadURLExternal(self, arguments: Payload) -> Payload:
        name = unique("F")
        self.uploads[name] = b""
        return {"file_id": name, "upload_url": f"http://127.0.0.1:{self.port}/upload/{name}"}

    def _files_completeUploadExternal(self, arguments: Payload) -> Payload:
        files = arguments["files"]
        given = json.loads(files) if isinstance(files, str) else files
        channel = self._channel({"channel": arguments["channel_id"]})
        thread = arguments.get("thread_ts")
        if thread:
            self._message(channel, thread)
        for one in given:
            self.files.append(
                {**one, "channel": channel, "thread": thread, "data": self.uploads[one["id"]]}
            )
        return {"files": given}

    async def _upload(self, request: web.Request) -> web.Response:
        self.uploads[request.match_info["id"]] = await request.read()
        return web.Response(text="OK")

    def _users_info(self, arguments: Payload) -> Payload:
        return {"user": {"id": arguments["user"], "is_admin": arguments["user"] in self.admins}}

    def _usergroups_users_list(self, arguments: Payload) -> Payload:
        if arguments["usergroup"] not in self.groups:
            raise Refused("no_such_subteam")
        return {"users": self.groups[arguments["usergroup"]]}

    def _views_open(self, arguments: Payload) -> Payload:
        opened = self.triggers.pop(arguments.get("trigger_id", ""), None)
        if opened is None:
            raise Refused("invalid_trigger_id")
        if time.monotonic() - opened > TRIGGERS:
            raise Refused("expired_trigger_id")
        self._check_view(arguments["view"])
        self.views.append(arguments["view"])
        return {"view": arguments["view"]}

    def _views_publish(self, arguments: Payload) -> Payload:
        self._check_view(arguments["view"])
        self.homes[arguments["user_id"]] = arguments["view"]
        return {"view": arguments["view"]}

    def _channel(self, arguments: Payload, *, opens: bool = False) -> str:
        channel = str(arguments.get("channel"))
        if channel in self.refusing:
            raise Refused(self.refusing[channel])
        if opens and channel.startswith("U"):
            return f"D{channel[1:]}"
        if not channel.startswith("D") and channel not in self.members:
            raise Refused("channel_not_found")
        return channel

    def _message(self, channel: str, ts: str) -> Payload:
        if ts not in self.messages[channel]:
            raise Refused("message_not_found")
        return self.messages[channel][ts]

    def _check(self, arguments: Payload, longest: int) -> None:
        if len(arguments.get("text") or "") > longest:
            raise Refused("msg_too_long")
        if not (arguments.get("text") or "").strip():
            self.wrong.append("a message without text says nothing in a notification")
        if wrong := wrong_message(arguments.get("blocks") or []):
            self.wrong.append(wrong)
            raise Refused("invalid_blocks", errors=[f"{what} [{where}]" for where, what in wrong])

    def _check_view(self, view: Payload) -> None:
        if wrong := wrong_view(view):
            self.wrong.append(wrong)
            raise Refused("invalid_arguments")

    # --- response URLs --------------------------------------------------------------------------

    def response_url(self, user: str, channel: str) -> str:
        """Return a URL that takes five answers to one person."""
        name = unique("r")
        self.urls[name] = (user, channel, 0)
        return f"http://127.0.0.1:{self.port}/response/{name}"

    async def _response(self, request: web.Request) -> web.Response:
        name, payload = request.match_info["id"], await request.json()
        user, channel, uses = self.urls[name]
        if uses >= _USES:
            return web.json_response({"ok": False, "error": "used_url"}, status=404)
        if wrong := wrong_message(payload.get("blocks") or []):
            self.wrong.append(wrong)
            return web.json_response({"ok": False, "error": "invalid_blocks"}, status=400)
        self.urls[name] = (user, channel, uses + 1)
        self.ephemerals.append({**payload, "user": user, "channel": channel, "ts": next_ts()})
        await self._notify()
        return web.Response(text="ok")

    def trigger(self) -> str:
        """Return a trigger that opens one form, in time."""
        name = unique("trigger")
        self.triggers[name] = time.monotonic()
        return name

    # --- Socket Mode ----------------------------------------------------------------------------

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        ticket = request.query.get("ticket", "")
        if ticket not in self.tickets:
            return web.Response(status=404, text="used")
        self.tickets.discard(ticket)
        socket = web.WebSocketResponse(autoping=self.answers_pings)
        await socket.prepare(request)
        self.sockets.append(socket)
        await socket.send_json({"type": "hello", "num_connections": 1})
        await self._notify()
        async for frame in socket:
            if frame.type is WSMsgType.TEXT:
                answer = json.loads(frame.data)
                self.acks[answer["envelope_id"]] = (time.monotonic(), answer)
                await self._notify()
        await self._notify()
        return socket

    @property
    def connected(self) -> bool:
        """Return whether somebody listens."""
        return any(not socket.closed for socket in self.sockets)

    @property
    def socket(self) -> web.WebSocketResponse:
        """Return the newest open connection."""
        return next(socket for socket in reversed(self.sockets) if not socket.closed)

    async def send(self, kind: str, payload: Payload, *, retry: int = 0) -> str:
        """Send an envelope; returns its id, under which it is acknowledged."""
        name = str(uuid.uuid4())
        envelope = {
            "envelope_id": name,
            "payload": payload,
            "type": kind,
            "accepts_response_payload": kind != "events_api",
        }
        if kind == "events_api":
            envelope |= {"retry_attempt": retry, "retry_reason": "timeout" if retry else ""}
        await self.socket.send_json(envelope)
        return name

    async def hand_over(self, kind: str, payload: Payload, *, retry: int = 0) -> Payload:
        """Send an envelope and return what it is acknowledged with."""
        event = payload.get("event", {})
        if event.get("type") in {"reaction_added", "reaction_removed"}:
            self.react(event)
        name = await self.send(kind, payload, retry=retry)
        await self.until(lambda: name in self.acks)
        return self.acks[name][1]

    # --- HTTP -----------------------------------------------------------------------------------

    def signed(self, body: str, *, secret: str = "", stamp: str = "") -> dict[str, str]:
        """Return the headers by which Slack signs a body."""
        stamp = stamp or str(int(time.time()))
        key = (secret or self.signing_secret).encode()
        digest = hmac.new(key, f"v0:{stamp}:{body}".encode(), hashlib.sha256).hexdigest()
        return {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": f"v0={digest}"}

    async def call(
        self, url: str, kind: str, payload: Payload, headers: Mapping[str, str] | None = None
    ) -> tuple[int, str]:
        """Send what Socket Mode would send, over signed HTTP; returns status and body."""
        if kind == "events_api":
            body, content = json.dumps(payload), "application/json"
        else:
            fields = payload if kind == "slash_commands" else {"payload": json.dumps(payload)}
            body, content = urlencode(fields), "application/x-www-form-urlencoded"
        sent = {"Content-Type": content, **(self.signed(body) if headers is None else headers)}
        async with (
            aiohttp.ClientSession() as session,
            session.post(url, data=body, headers=sent) as answer,
        ):
            return answer.status, await answer.text()


async def _arguments(request: web.Request) -> Payload:
    if request.content_type == "application/json":
        found: Payload = await request.json()
    else:
        found = {**request.query, **await request.post()}
    for key in ("blocks", "view"):
        if isinstance(found.get(key), str):
            with contextlib.suppress(ValueError):
                found[key] = json.loads(found[key])
    return found


def _token(request: web.Request) -> str:
    return request.headers.get("Authorization", "").removeprefix("Bearer ")
