"""What people do with the bot and what they get, written once for every platform.

Each scenario is one story over the pages in `pages/`; `SCENARIOS` has them all, by name. A platform
runs them through its own `ChatDriver`.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bots.card import ButtonKind, Tone
from bots.cards import NOT_SURE
from core.models import Vote
from tests.e2e.chat import ChatDriver, Shown
from tests.e2e.world import ANN, BEN, OPS, PAYMENTS, PLANT

UNKNOWN = "how do I bake bread"
UNSURE = "is the disk of the mail server full again"
CRASH = "pod keeps crashing"
CRASH_CODE = """
kubectl logs deploy/api --previous | grep -iE "fatal|panic" \\
  || kubectl describe pod -l app=api
```"""

Play = Callable[[ChatDriver], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A story, and whether the app is to have a model whose distances can be trusted."""

    play: Play
    trusted: bool = True

    @property
    def name(self) -> str:
        """Return the story in words."""
        return self.play.__name__


SCENARIOS: list[Scenario] = []


def scenario(play: Play) -> Play:
    """Add a story."""
    SCENARIOS.append(Scenario(play))
    return play


def untrusted_scenario(play: Play) -> Play:
    """Add a story in which the embedding model is not trusted on a corpus this small."""
    SCENARIOS.append(Scenario(play, trusted=False))
    return play


# --- answers --------------------------------------------------------------------------------------


@scenario
async def a_strong_answer_is_the_section_verbatim_with_its_link(chat: ChatDriver) -> None:
    shown = await chat.ask(ANN, "fatal panic in the logs of the pod that crashes")
    assert shown.tone is Tone.ANSWER
    assert shown.title == "Pod keeps crashing › Diagnosis"
    assert CRASH_CODE in shown.text
    assert "`kubectl get pod -o jsonpath='{.status}'`" in shown.text
    assert "https://acme.example/pod-crash.md#diagnosis" in shown.links


@scenario
async def an_answer_says_whose_it_is_how_near_and_what_it_may_destroy(chat: ChatDriver) -> None:
    shown = await chat.ask(ANN, "free space: remove what is old on the disk")
    assert shown.title == "Disk full › Free space"
    for said in ("team-storage", "storage", "possibly stale", "distance 0.", shown.exchange_id):
        assert said in shown.text
    assert "Careful, this can destroy or interrupt: drain, --force, rm -rf" in shown.text
    assert "rm -rf /var/log/archive\nkubectl drain node-1 --force\n```" in shown.text


@scenario
async def a_weak_answer_says_that_it_is_not_sure(chat: ChatDriver) -> None:
    shown = await chat.ask(ANN, UNSURE)
    assert shown.tone is Tone.WEAK
    assert NOT_SURE in shown.text
    assert shown.title.startswith("Disk full › ")
    assert {ButtonKind.LOG_GAP, ButtonKind.ASK_HUMAN} <= set(shown.buttons)


@scenario
async def an_exact_alert_name_is_answered(chat: ChatDriver) -> None:
    shown = await chat.ask(ANN, "[FIRING:1] PostgresReplicaDown 2030-01-07T03:12:55Z pg-2")
    assert (shown.tone, shown.title) == (Tone.ANSWER, "Postgres failover › Promote the replica")


@scenario
async def a_long_section_comes_in_parts_that_lose_nothing(chat: ChatDriver) -> None:
    shown = await chat.ask(ANN, "dns timeouts: check every resolver")
    commands = [line.split("`")[1] for line in page_lines(chat, "dns-timeouts.md", "`dig @")]
    assert shown.title == "DNS timeouts › Check every resolver"
    assert 1 < shown.parts <= 3
    assert [command for command in commands if f"`{command}`" not in shown.text] == []
    assert len(commands) == 40


@scenario
async def another_result_is_shown_by_picking_it(chat: ChatDriver) -> None:
    shown = await chat.ask(ANN, "disk full")
    index = shown.picks.index("March outage: disk full on every node")
    other = await chat.choose(BEN, shown, index)
    assert other.title == "March outage: disk full on every node"
    assert "The archive had not been rotated." in other.text
    assert shown.title in other.picks
    assert [one.title for one in await chat.messages(OPS)] == [other.title]
    assert (await chat.counts())["choices"] == 1


@scenario
async def a_page_that_is_gone_cannot_be_picked_any_more(chat: ChatDriver) -> None:
    shown = await chat.ask(ANN, "disk full")
    chat.world.remove("acme/postmortems/2029-03-disk.md")
    await chat.reindex()
    index = shown.picks.index("March outage: disk full on every node")
    refused = await chat.choose(ANN, shown, index)
    assert refused.tone is Tone.ERROR
    assert "archive had not been rotated" not in refused.all


@scenario
async def similar_finds_past_incidents_alone(chat: ChatDriver) -> None:
    shown = await chat.similar(ANN, "disk full")
    assert shown.title == "March outage: disk full on every node"
    assert "Grow the volume" not in shown.all


@scenario
async def runbooks_lists_what_can_be_seen_there(chat: ChatDriver) -> None:
    ops, payments = await chat.runbooks(ANN), await chat.runbooks(ANN, PAYMENTS)
    assert "13 documents" in ops.title
    assert "15 documents" in payments.title
    assert "Certificate renewal" in ops.text
    assert "Manual refunds by ledger entry" not in ops.all
    assert "Manual refunds by ledger entry" in payments.text


# --- no answer ------------------------------------------------------------------------------------


@scenario
async def a_refusal_shows_the_nearest_misses_and_takes_a_gap(chat: ChatDriver) -> None:
    shown = await chat.ask(ANN, UNKNOWN)
    assert shown.tone is Tone.REFUSAL
    assert shown.title == "No runbook answers this"
    assert shown.picks
    assert fine(await chat.press(ANN, shown, ButtonKind.LOG_GAP))
    assert fine(await chat.press(ANN, shown, ButtonKind.LOG_GAP))
    assert (await chat.counts())["logged_gaps"] == 1


@scenario
async def a_near_miss_can_be_picked(chat: ChatDriver) -> None:
    shown = await chat.ask(ANN, UNKNOWN)
    other = await chat.choose(ANN, shown, 1)
    assert other.title == shown.picks[1]
    assert (await chat.counts())["choices"] == 1


@scenario
async def a_human_is_called_once_and_it_is_resolved_once(chat: ChatDriver) -> None:
    shown = await chat.ask(ANN, UNKNOWN)
    assert fine(await chat.press(ANN, shown, ButtonKind.ASK_HUMAN))
    assert fine(await chat.press(BEN, shown, ButtonKind.ASK_HUMAN))
    assert (chat.calls(), (await chat.counts())["escalations"]) == (1, 1)
    await chat.restart()
    assert await chat.resolve(BEN, shown, "flour, water, salt")
    assert not await chat.resolve(ANN, shown, "me too")


@scenario
async def a_greeting_and_an_empty_question_get_help(chat: ChatDriver) -> None:
    for text in ("good morning!", "", "   ", "🙏"):
        shown = await chat.ask(ANN, text)
        assert (shown.tone, shown.title) == (
            Tone.INFO,
            "Ask me about an alert, an error or a symptom",
        )


@scenario
async def odd_text_is_answered_like_any_other(chat: ChatDriver) -> None:
    for text in ("\u202edisk full\u202c", "disk full 💾", "disk full\n\n\n", "DISK  FULL!!!"):
        assert (await chat.ask(ANN, text)).tone is Tone.ANSWER
    for text in ("القرص", "ディスク", "x" * 3000):
        assert (await chat.ask(ANN, text)).tone is Tone.REFUSAL


@scenario
async def an_index_that_cannot_be_read_is_said_with_a_reference_and_is_no_gap(
    chat: ChatDriver,
) -> None:
    await chat.break_index()
    shown = await chat.ask(ANN, "disk full")
    assert shown.tone is Tone.ERROR
    assert "The runbooks cannot be searched right now." in shown.text
    assert f"reference {shown.exchange_id}" in shown.text
    assert (shown.picks, shown.buttons) == ((), ())
    await chat.restart()
    assert (await chat.ask(ANN, "disk full")).tone is Tone.ANSWER
    assert [one.tone for one in await chat.messages(OPS)] == [Tone.ERROR, Tone.ANSWER]


@untrusted_scenario
async def without_trusted_distances_it_says_that_it_searches_by_keywords(chat: ChatDriver) -> None:
    shown = await chat.ask(ANN, "disk full")
    assert (shown.tone, shown.title) == (Tone.ANSWER, "Disk full › Grow the volume")
    assert "Searched by keywords only: untrusted model on a small corpus." in shown.text
    assert "by keywords" in shown.text
    assert "distance" not in shown.text
    assert (await chat.ask(ANN, UNKNOWN)).tone is Tone.REFUSAL


# --- opinions -------------------------------------------------------------------------------------


@scenario
async def a_vote_is_given_changed_and_taken_back_over_restarts(chat: ChatDriver) -> None:
    shown = await chat.ask(ANN, "disk full")
    await chat.react(ANN, shown, Vote.UP)
    await chat.react(BEN, shown, Vote.DOWN)
    assert await chat.votes(shown) == {ANN: Vote.UP, BEN: Vote.DOWN}
    await chat.restart()
    await chat.unreact(ANN, shown, Vote.UP)
    await chat.react(ANN, shown, Vote.DOWN)
    assert await chat.votes(shown) == {ANN: Vote.DOWN, BEN: Vote.DOWN}
    await chat.unreact(BEN, shown, Vote.DOWN)
    await chat.restart()
    assert await chat.votes(shown) == {ANN: Vote.DOWN}


@scenario
async def of_two_thumbs_the_newest_that_stands_is_the_vote(chat: ChatDriver) -> None:
    shown = await chat.ask(ANN, "disk full")
    await chat.react(ANN, shown, Vote.UP)
    await chat.react(ANN, shown, Vote.DOWN)
    assert await chat.votes(shown) == {ANN: Vote.DOWN}
    await chat.unreact(ANN, shown, Vote.DOWN)
    assert await chat.votes(shown) == {ANN: Vote.UP}


@scenario
async def a_vote_on_any_part_is_one_vote_on_the_answer(chat: ChatDriver) -> None:
    shown = await chat.ask(ANN, "dns timeouts: check every resolver")
    await chat.react(ANN, shown, Vote.UP)
    await chat.react(ANN, shown, Vote.UP, part=1)
    await chat.react(BEN, shown, Vote.DOWN, part=shown.parts - 1)
    assert await chat.votes(shown) == {ANN: Vote.UP, BEN: Vote.DOWN}


@scenario
async def a_reason_can_be_told_and_told_better_after_a_restart(chat: ChatDriver) -> None:
    shown = await chat.ask(ANN, "disk full")
    why = ButtonKind.TELL_WHY
    assert fine(await chat.press(ANN, shown, why, kind="outdated", text="moved in 2029"))
    await chat.restart()
    assert fine(await chat.press(ANN, shown, why, kind="incomplete", text="no inodes"))
    assert (await chat.counts())["reasons"] == 1
    assert fine(await chat.press(BEN, shown, why, kind="other", text=""))
    assert (await chat.counts())["reasons"] == 2


# --- who sees what --------------------------------------------------------------------------------


@scenario
async def a_private_answer_is_for_the_asker_until_it_is_shared(chat: ChatDriver) -> None:
    shown = await chat.ask(ANN, "disk full", private=True)
    assert shown.only_for == ANN
    assert await chat.messages(OPS) == []
    assert fine(await chat.press(ANN, shown, ButtonKind.UP))
    assert await chat.votes(shown) == {ANN: Vote.UP}
    assert fine(await chat.press(ANN, shown, ButtonKind.SHARE))
    (shared,) = await chat.messages(OPS)
    assert (shared.title, shared.only_for) == (shown.title, "")
    assert fine(await chat.press(ANN, shown, ButtonKind.SHARE))
    assert len(await chat.messages(OPS)) == 1


@scenario
async def what_may_no_longer_be_seen_there_is_not_shared(chat: ChatDriver) -> None:
    shown = await chat.ask(ANN, "rebuild stale search results", private=True)
    page = chat.world.read("acme/search-reindex.md")
    hidden = page.replace("service: search", "service: search\nvisibility: [payments-team]")
    chat.world.write("acme/search-reindex.md", hidden)
    await chat.reindex()
    refused = await chat.press(ANN, shown, ButtonKind.SHARE)
    assert refused is not None
    assert (refused.tone, refused.only_for) == (Tone.ERROR, ANN)
    assert "searchctl" not in refused.all
    assert await chat.messages(OPS) == []


@scenario
async def a_page_that_a_place_may_not_see_is_not_even_named_there(chat: ChatDriver) -> None:
    ops = await chat.ask(ANN, "refund a charge by hand in the ledger")
    payments = await chat.ask(ANN, "refund a charge by hand in the ledger", PAYMENTS)
    assert payments.title == "Manual refunds by ledger entry › Refund a charge"
    assert ops.tone is Tone.REFUSAL
    assert "refunds by ledger" not in ops.all
    assert "booked twice" not in ops.all


@scenario
async def a_tenant_never_sees_the_pages_of_another(chat: ChatDriver) -> None:
    acme = await chat.ask(ANN, "robot controller disk full: clear the spool")
    globex = await chat.ask(ANN, "robot controller disk full: clear the spool", PLANT)
    assert globex.title == "Robot controller disk full › Clear the spool"
    assert "Robot" not in "\n".join((acme.title, *acme.picks, *acme.links))
    assert "spoolctl" not in acme.all
    assert "Disk full › " not in globex.all


@scenario
async def secrets_of_a_page_are_never_shown(chat: ChatDriver) -> None:
    shown = await chat.ask(ANN, "renew an expired certificate")
    assert shown.title == "Certificate renewal › Renew by hand"
    assert "export VAULT_TOKEN=[redacted: vault token]\n" in shown.text
    assert "curl -u renewer:[redacted: password] https://vault.acme.example" in shown.text
    assert "CAESIJq7vT2mXw0bL4kRzP9sYdE1fGh8" not in shown.all
    assert "Vq8zT1-mmK2x" not in shown.all


@scenario
async def neither_a_page_nor_a_question_pings_anybody(chat: ChatDriver) -> None:
    page = await chat.ask(ANN, "login broken: tell everyone")
    asked = await chat.ask(ANN, "@everyone <!channel> <@U012AB3CD> is the disk full")
    assert page.title == "Login broken › Tell everyone"
    assert "\n@everyone <!here> login by sso is down & we know\n```" in page.text
    assert "<!channel>" in page.text
    assert (page.pings, asked.pings) == ((), ())


# --- talks ----------------------------------------------------------------------------------------


@scenario
async def a_follow_up_is_about_the_page_before_it(chat: ChatDriver) -> None:
    first = await chat.ask(ANN, "promote the postgres replica")
    assert first.title == "Postgres failover › Promote the replica"
    then = await chat.follow_up(ANN, "and how do I roll back?", first)
    assert then is not None
    assert then.title == "Postgres failover › Roll back"


@scenario
async def once_a_second_person_joins_a_talk_the_bot_is_quiet(chat: ChatDriver) -> None:
    first = await chat.ask(ANN, "disk full")
    assert await chat.follow_up(BEN, "was that not node 7?", first) is None
    assert await chat.follow_up(ANN, "yes, and how do I grow it?", first) is None
    assert len(await chat.messages(OPS)) == 1


@scenario
async def a_muted_thread_stays_quiet_over_a_restart(chat: ChatDriver) -> None:
    first = await chat.ask(ANN, "disk full")
    await chat.mute(ANN, first)
    await chat.restart()
    assert await chat.follow_up(ANN, "and how do I grow it?", first) is None
    assert (await chat.ask(ANN, CRASH)).tone is Tone.ANSWER


@scenario
async def a_thread_that_is_woken_is_followed_again(chat: ChatDriver) -> None:
    first = await chat.ask(ANN, "disk full")
    await chat.mute(ANN, first)
    await chat.mute(ANN, first, muted=False)
    assert await chat.follow_up(ANN, "and how do I grow it?", first) is not None


@scenario
async def what_is_typed_as_scope_narrows_and_what_nobody_has_does_not(chat: ChatDriver) -> None:
    narrowed = await chat.ask(ANN, "roll back service:database")
    assert (narrowed.title, narrowed.picks) == ("Postgres failover › Roll back", ())
    unknown = await chat.ask(ANN, "pod keeps crashing: CrashLoopBackOff service:nginx")
    assert unknown.title.startswith("Pod keeps crashing › ")


# --- nothing is lost ------------------------------------------------------------------------------


@scenario
async def a_slip_in_what_narrows_is_said_with_the_names_that_there_are(chat: ChatDriver) -> None:
    shown = await chat.ask(ANN, "disk full service:storrage")
    assert (shown.tone, shown.title) == (Tone.INFO, "No document names the service storrage")
    assert "storage" in shown.text
    assert "it is no gap" in shown.text
    assert shown.buttons == ()


@scenario
async def a_question_that_a_crash_left_unanswered_is_answered_after_it(chat: ChatDriver) -> None:
    await chat.ask_and_crash(ANN, "disk full")
    await chat.restart()
    assert [one.tone for one in await chat.messages(OPS)] == [Tone.ANSWER]
    await chat.restart()
    assert len(await chat.messages(OPS)) == 1


@scenario
async def an_event_that_is_delivered_twice_is_answered_once(chat: ChatDriver) -> None:
    await chat.ask(ANN, "disk full", deliveries=2)
    assert len(await chat.messages(OPS)) == 1
    assert (await chat.counts())["exchanges"] == 1


@scenario
async def only_the_asker_takes_an_answer_down(chat: ChatDriver) -> None:
    shown = await chat.ask(ANN, "dns timeouts: check every resolver")
    kept = await chat.ask(ANN, "disk full")
    refused = await chat.press(BEN, shown, ButtonKind.DELETE)
    assert refused is not None
    assert (refused.tone, refused.only_for) == (Tone.ERROR, BEN)
    assert len(await chat.messages(OPS)) == 2
    assert fine(await chat.press(ANN, shown, ButtonKind.DELETE))
    assert [one.exchange_id for one in await chat.messages(OPS)] == [kept.exchange_id]


@scenario
async def after_a_reindex_a_changed_page_shows_its_new_text_and_never_the_old(
    chat: ChatDriver,
) -> None:
    before = await chat.ask(ANN, "rebuild stale search results")
    assert "`searchctl rebuild --catalogue`" in before.text
    page = chat.world.read("acme/search-reindex.md")
    chat.world.write("acme/search-reindex.md", page.replace("searchctl rebuild", "findctl redo"))
    await chat.reindex()
    after = await chat.ask(ANN, "rebuild stale search results")
    assert "`findctl redo --catalogue`" in after.text
    assert "searchctl" not in after.all
    chat.world.remove("acme/search-reindex.md")
    await chat.reindex()
    gone = await chat.ask(ANN, "rebuild stale search results")
    assert "Stale search results" not in gone.all


def page_lines(chat: ChatDriver, page: str, word: str) -> list[str]:
    """Return the lines of one of acme's pages that hold a word."""
    return [line for line in chat.world.read(f"acme/{page}").splitlines() if word in line]


def fine(shown: Shown | None) -> bool:
    """Return whether a press was not refused, whatever the platform says on it."""
    return shown is None or shown.tone is not Tone.ERROR
