"""The ways of asking on Discord, and where the answers go."""

from collections.abc import AsyncIterator
from pathlib import Path

import discord
import pytest
from simcord.builders import ChannelHandle

from bots.card import ButtonKind, Tone
from bots.discord_bot.bot import NightlampBot
from bots.discord_bot.controls import PICK, control_id
from core.models import Platform, Question, Vote, Where
from tests.e2e.discord_driver import DiscordDriver, open_discord
from tests.e2e.discord_screen import shown_of
from tests.e2e.world import ANN, BEN, OPS, PAYMENTS, World

CRASH = "Pod keeps crashing › "


@pytest.fixture
async def chat(folder: Path, indexed_world: World) -> AsyncIterator[DiscordDriver]:
    async with open_discord(World.at(folder, like=indexed_world)) as driver:
        yield driver


@pytest.fixture
async def plain(folder: Path, indexed_world: World) -> AsyncIterator[DiscordDriver]:
    """A Discord where answers go to the channel itself."""
    async with open_discord(World.at(folder, like=indexed_world), answers="channel") as driver:
        yield driver


def room(chat: DiscordDriver) -> ChannelHandle:
    return chat.rooms[OPS.name]


def own(chat: DiscordDriver) -> discord.ClientUser:
    user = chat.env.bot.user
    assert user is not None
    return user


def bodies(chat: DiscordDriver) -> list[dict[str, object]]:
    """Return every message that the bot has sent or edited, as it was sent."""
    return [
        request.json
        for request in chat.env.http_requests
        if request.method in {"POST", "PATCH"}
        and isinstance(request.json, dict)
        and {"embeds", "content"} & request.json.keys()
    ]


async def test_a_command_is_deferred_before_anything_else(plain: DiscordDriver) -> None:
    await plain.ask(ANN, "disk full")
    first = next(one for one in plain.env.http_requests if "/interactions/" in one.path)
    assert isinstance(first.json, dict)
    assert (first.path.endswith("/callback"), first.json["type"]) == (True, 5)


async def test_an_answer_in_a_channel_is_the_reply_to_the_command(plain: DiscordDriver) -> None:
    shown = await plain.ask(ANN, "disk full")
    assert shown.handle == room(plain).id
    assert room(plain).threads == []


async def test_thumbs_are_put_up_under_a_public_answer_alone(plain: DiscordDriver) -> None:
    shown = await plain.ask(ANN, "disk full")
    private = await plain.ask(ANN, "disk full", private=True)
    (message,) = await plain.standing(shown)
    (hidden,) = await plain.standing(private)
    assert [str(one.emoji) for one in message.reactions] == ["👍", "👎"]
    assert hidden.reactions == []


async def test_a_mention_is_answered_as_a_reply(plain: DiscordDriver) -> None:
    asked = await plain.actor(ANN).send(room(plain), f"<@{own(plain).id}> pod keeps crashing")
    answer = room(plain).last_message
    assert answer is not None
    assert answer.reference is not None
    assert answer.reference.message_id == asked.id
    assert shown_of([answer]).title.startswith(CRASH)


async def test_a_mention_is_answered_in_a_thread_of_its_own(chat: DiscordDriver) -> None:
    await chat.actor(ANN).send(room(chat), f"<@{own(chat).id}> pod keeps crashing")
    (thread,) = room(chat).threads
    assert thread.name == "pod keeps crashing"
    assert thread.last_message is not None
    assert shown_of([thread.last_message]).title.startswith(CRASH)


async def test_what_does_not_mention_the_bot_is_left_alone(plain: DiscordDriver) -> None:
    await plain.actor(ANN).send(room(plain), "the disk is full again")
    assert (await plain.counts())["exchanges"] == 0


async def test_the_menu_of_a_message_asks_with_its_text(plain: DiscordDriver) -> None:
    alert = await plain.actor(BEN).send(room(plain), "[FIRING:1] PostgresReplicaDown pg-2")
    await plain.actor(ANN).context_menu(room(plain), "Find runbook", alert)
    answer = room(plain).last_message
    assert answer is not None
    assert shown_of([answer]).title == "Postgres failover › Promote the replica"


async def test_a_direct_message_is_answered_after_asking_whose_runbooks(
    chat: DiscordDriver,
) -> None:
    ann = chat.actor(ANN)
    asked = await ann.send_dm("robot controller disk full: clear the spool")
    dm = ann.user.dm_channel
    assert dm.last_message is not None
    assert dm.last_message.content == "Whose runbooks shall I search?"
    menu = control_id("tenant", str(asked.id))
    await ann.user.select(dm.last_message, [str(chat.globex.id)], custom_id=menu)
    shown = shown_of([dm.last_message])
    assert shown.title == "Robot controller disk full › Clear the spool"
    assert set(shown.buttons) == {ButtonKind.UP, ButtonKind.DOWN, ButtonKind.TELL_WHY}


async def test_who_is_in_one_guild_alone_is_answered_at_once_in_direct_messages(
    chat: DiscordDriver,
) -> None:
    eve = chat.acme.add_member(chat.env.create_user("eve"))
    await eve.send_dm("disk full")
    answer = eve.user.dm_channel.last_message
    assert answer is not None
    assert shown_of([answer]).title == "Disk full › Grow the volume"


async def test_a_direct_message_sees_what_everyone_sees(chat: DiscordDriver) -> None:
    eve = chat.acme.add_member(chat.env.create_user("eve"))
    await eve.send_dm("refund a charge by hand in the ledger")
    answer = eve.user.dm_channel.last_message
    assert answer is not None
    assert "refunds by ledger" not in shown_of([answer]).all


async def test_a_stranger_is_told_in_direct_messages_that_there_is_nothing(
    chat: DiscordDriver,
) -> None:
    stranger = chat.env.create_user("mallory")
    chat.env.create_guild("Elsewhere").add_member(stranger)
    await stranger.send_dm("disk full")
    answer = stranger.dm_channel.last_message
    assert answer is not None
    assert shown_of([answer]).title == "This place has no runbooks yet"


async def test_an_unmapped_guild_gets_a_sentence_and_nothing_else(chat: DiscordDriver) -> None:
    guild = chat.env.create_guild("Initech")
    channel = guild.create_text_channel("general")
    milton = guild.add_member(chat.env.create_user("milton"))
    done = await milton.slash(channel, "query", text="disk full")
    assert chat.said(done, "milton").title == "This place has no runbooks yet"
    assert done.ephemeral
    assert (await chat.counts())["exchanges"] == 0


async def test_services_and_headings_are_suggested_that_can_be_seen_there(
    chat: DiscordDriver,
) -> None:
    ann = chat.actor(ANN)
    services = await ann.autocomplete(room(chat), "query", "service", "stor", text="x")
    ops = await ann.autocomplete(room(chat), "query", "text", "refund")
    payments = await ann.autocomplete(chat.rooms[PAYMENTS.name], "query", "text", "refund a")
    assert [one["value"] for one in services] == ["storage"]
    assert [one["value"] for one in ops] == []
    assert [one["value"] for one in payments] == ["Refund a charge"]


async def test_a_chosen_service_narrows_the_search(chat: DiscordDriver) -> None:
    await chat.actor(ANN).slash(room(chat), "query", text="roll back", service="database")
    (shown,) = await chat.messages(OPS)
    assert (shown.title, shown.picks) == ("Postgres failover › Roll back", ())


async def test_more_than_the_limit_is_answered_with_a_sentence(plain: DiscordDriver) -> None:
    for _ in range(10):
        await plain.ask(ANN, "disk full")
    done = await plain.actor(ANN).slash(room(plain), "query", text="disk full")
    assert (plain.said(done, ANN).title, done.ephemeral) == ("Too many questions", True)
    assert (await plain.counts())["exchanges"] == 10


async def test_nothing_that_is_sent_may_notify_anybody(plain: DiscordDriver) -> None:
    await plain.ask(ANN, "login broken: tell everyone")
    await plain.ask(ANN, "@everyone <@&1> is the disk full", private=True)
    await plain.actor(ANN).send(room(plain), f"<@{own(plain).id}> @everyone pod keeps crashing")
    await plain.runbooks(ANN)
    sent = bodies(plain)
    assert len(sent) >= 4
    assert [body for body in sent if _pinging(body)] == []


def _pinging(body: dict[str, object]) -> bool:
    allowed = body.get("allowed_mentions")
    return not (isinstance(allowed, dict) and allowed.get("parse") == [])


async def test_a_reply_whose_token_has_expired_goes_to_the_channel(plain: DiscordDriver) -> None:
    plain.env.inject_error("PATCH", "/webhooks/*", status=401, code=50027)
    shown = await plain.ask(ANN, "disk full")
    assert (shown.tone, shown.handle) == (Tone.ANSWER, room(plain).id)


async def test_what_cannot_be_posted_in_the_channel_is_sent_to_the_asker(
    plain: DiscordDriver,
) -> None:
    plain.env.inject_error("PATCH", "/webhooks/*", status=401, code=50027)
    plain.env.inject_error("POST", f"/channels/{room(plain).id}/messages", status=403, code=50013)
    await plain.actor(ANN).slash(room(plain), "query", text="disk full")
    answer = plain.actor(ANN).user.dm_channel.last_message
    assert answer is not None
    assert shown_of([answer]).title == "Disk full › Grow the volume"


async def test_where_no_thread_can_be_opened_the_channel_gets_the_answer(
    chat: DiscordDriver,
) -> None:
    chat.env.inject_error("POST", "/channels/*/messages/*/threads", status=403, code=50013)
    shown = await chat.ask(ANN, "disk full")
    assert shown.handle == room(chat).id


async def test_thumbs_that_cannot_be_put_up_do_not_cost_the_answer(plain: DiscordDriver) -> None:
    plain.env.inject_error("PUT", "/channels/*/messages/*/reactions/*", status=403, code=50013)
    shown = await plain.ask(ANN, "disk full")
    assert shown.tone is Tone.ANSWER


async def test_skin_tones_count_and_custom_emoji_do_not(plain: DiscordDriver) -> None:
    shown = await plain.ask(ANN, "disk full")
    (message,) = await plain.standing(shown)
    emoji = plain.acme.create_emoji("thumbsup")
    await plain.actor(ANN).react(message, "👎🏽")
    await plain.actor(BEN).react(message, str(emoji))
    assert await plain.votes(shown) == {ANN: Vote.DOWN}


async def test_only_the_intents_that_are_used_are_asked_for(chat: DiscordDriver) -> None:
    assert {name for name, on in chat.env.bot.intents if on} == {
        "guilds",
        "guild_messages",
        "dm_messages",
        "guild_reactions",
        "dm_reactions",
        "message_content",
    }


async def test_without_message_content_mentions_are_answered_and_talks_are_not(
    folder: Path, indexed_world: World
) -> None:
    async with open_discord(World.at(folder, like=indexed_world)) as chat:
        await chat.env.restart_bot(NightlampBot(chat.app, content=False))
        await chat.actor(ANN).send(room(chat), f"<@{own(chat).id}> promote the postgres replica")
        (shown,) = await chat.messages(OPS)
        assert shown.title == "Postgres failover › Promote the replica"
        assert await chat.follow_up(ANN, "and how do I roll back?", shown) is None


async def test_commands_are_told_to_discord_once(chat: DiscordDriver) -> None:
    await chat.restart()
    told = [one for one in chat.env.http_requests if one.path.endswith("/commands")]
    assert [one.method for one in told] == ["PUT"]


async def test_a_menu_shows_in_private_what_was_picked_in_place(chat: DiscordDriver) -> None:
    shown = await chat.ask(ANN, "disk full", private=True)
    (message,) = await chat.standing(shown)
    menu = control_id(PICK, shown.exchange_id)
    await chat.actor(ANN).select(message, ["1"], custom_id=menu)
    (after,) = await chat.standing(shown)
    assert after.id == message.id
    assert shown_of([after]).title != shown.title


async def test_a_button_of_an_answer_that_is_known_no_more_is_refused_in_a_sentence(
    chat: DiscordDriver,
) -> None:
    message = await _with_button(chat, control_id("up", "abcdef123456"))
    done = await chat.actor(ANN).click(message, custom_id=control_id("up", "abcdef123456"))
    assert chat.said(done, ANN).tone is Tone.ERROR


async def _with_button(chat: DiscordDriver, custom_id: str) -> discord.Message:
    view = discord.ui.View(timeout=None)
    view.add_item(discord.ui.Button(label="old", custom_id=custom_id))
    view.stop()
    channel = chat.env.bot.get_channel(room(chat).id)
    assert isinstance(channel, discord.TextChannel)
    return await channel.send("an answer that is known no more", view=view)


async def test_where_answers_are_private_a_mention_is_answered_to_its_author_alone(
    folder: Path, indexed_world: World
) -> None:
    async with open_discord(World.at(folder, like=indexed_world), answers="private") as chat:
        await chat.actor(ANN).send(room(chat), f"<@{own(chat).id}> pod keeps crashing")
        answer = chat.actor(ANN).user.dm_channel.last_message
        assert answer is not None
        assert shown_of([answer]).title.startswith(CRASH)
        assert await chat.messages(OPS) == []


async def test_who_takes_no_direct_messages_is_told_so_without_a_word_of_the_answer(
    folder: Path, indexed_world: World
) -> None:
    async with open_discord(World.at(folder, like=indexed_world), answers="private") as chat:
        chat.env.inject_error("POST", "/users/@me/channels", status=403, code=50007)
        await chat.actor(ANN).send(room(chat), f"<@{own(chat).id}> pod keeps crashing")
        said = room(chat).last_message
        assert said is not None
        assert shown_of([said]).title == "I cannot write to you"
        assert "kubectl" not in shown_of([said]).all


async def test_what_was_asked_on_another_platform_is_not_answered_here(
    chat: DiscordDriver,
) -> None:
    slack = Where(Platform.SLACK, "C1")
    now = chat.world.clock.now()
    await chat.app.service.received(Question("disk full", "acme", "U1", now, slack))
    await chat.restart()
    assert await chat.messages(OPS) == []
