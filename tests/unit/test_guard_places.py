"""Numbers stand together in their place, and what is said is not turned round, one fact each."""

import pytest

from core.guard import Guarded, Rule, Source, guarded

RETRY = Source(
    1,
    """## When the provider is slow

Retry 3 times after 5 minutes. The breaker opens at 20 failures and closes after 30 seconds.
Ask the owner before you purge the topic. Never move the offset by hand.
Jumping forwards is safe for every program. The lease must be longer than the timeout.
The source is wrong, not the hosts. Refunds cannot be taken back.
Take two of the three replicas out at 02:00, and put them back at 04:00.

| part | good | bad |
|---|---|---|
| fsync | 10 ms | 50 ms |
| commit | 25 ms | 100 ms |

1. Export the ledger.
2. Freeze the account.
3. Notify finance. Then archive the case file.

Never rewind a group to cure slowness. Readers of a group can then see old records in the wrong
order. Do not delete the budget: set its limits and log the old ones.
The safe opens with two of the six keys.
Never "fix" a stall by restarting all workers.

| host | up to 2 s | more |
|---|---|---|
| reader | wait | restart |

Drain it first:

```bash
queuectl scale readers --count=9
```
""",
    "Payments › When the provider is slow",
)
OTHER = Source(
    2,
    """## Alerts

The queue alert fires above 500 messages for 15 minutes. The disk alert fires at 85 %.
""",
    "Queues › Alerts",
)


def guard(text: str) -> Guarded:
    return guarded(text, (RETRY, OTHER))


@pytest.mark.parametrize(
    "text",
    [
        "Retry 3 times after 5 minutes [1].",
        "Retry three times, after 5 minutes [1].",
        "After 5 minutes retry, 3 times in all [1].",
        "The breaker closes after 30 seconds and opens at 20 failures [1].",
        "A good fsync takes 10 ms, and a bad one takes 50 ms [1].",
        "Two of the three replicas come out at 02:00 and go back at 04:00 [1].",
        "The breaker opens at 20 failures [1], and the disk alert fires at 85 % [2].",
        "More than 500 messages for 15 minutes fire the queue alert [2].",
        "A reader that is off by more than 2 s is restarted [1].",
        "The safe opens with two of the six keys [1].",
    ],
)
def test_numbers_that_stand_together_in_their_places_are_kept(text: str) -> None:
    assert [one.text for one in guard(text).kept] == [text]


@pytest.mark.parametrize(
    "text",
    [
        "Retry 5 times after 3 minutes [1].",
        "Retry 5 times after 5 minutes [1].",
        "Retry 3 times after 30 minutes [1].",
        "Retry three times after 3 minutes [1].",
        "The breaker opens at 30 failures [1].",
        "The breaker opens at 20 failures and closes after 20 seconds [1].",
        "An fsync of 50 ms is good and one of 10 ms is bad [1].",
        "A commit is good at 10 ms [1].",
        "Three of the two replicas come out at 02:00 [1].",
        "Two of the three replicas come out at 04:00 and go back at 02:00 [1].",
        "The breaker opens at 85 failures [1], and the disk alert fires at 20 % [2].",
        "More than 15 messages for 500 minutes fire the queue alert [2].",
        "Retry 3 times after 30 seconds [1].",
        "The breaker opens at 20 failures and closes after 5 minutes [1].",
        "A reader that is off by more than 3 s is restarted [1].",
        "The safe opens with one of the six keys [1].",
    ],
)
def test_numbers_from_another_place_or_swapped_are_dropped(text: str) -> None:
    assert [one.rule for one in guard(text).dropped] == [Rule.FACT]


@pytest.mark.parametrize(
    "text",
    [
        "Ask the owner first, and purge the topic after that [1].",
        "Before you purge the topic, ask its owner [1].",
        "Do not move the offset by hand [1].",
        "The lease has to be longer than the timeout [1].",
        "The hosts are not wrong, the source is [1].",
        "Refunds can never be taken back [1].",
        "Export the ledger before you notify finance [1].",
        "Notify finance before anything else, then archive the case file [1].",
        "Never rewind a group: readers of a group can then see old records in the wrong order [1].",
        "Set the limits of the budget and log the old ones [1].",
        "Restarting all workers is no fix for a stall [1].",
        "Drain it with `queuectl scale readers --count=9` [1].",
    ],
)
def test_what_says_the_same_in_other_words_is_kept(text: str) -> None:
    assert [one.text for one in guard(text).kept] == [text]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Jumping forwards is dangerous for every program [1].", Rule.NEGATION),
        ("Jumping forwards is not safe for every program [1].", Rule.NEGATION),
        ("The lease must be shorter than the timeout [1].", Rule.NEGATION),
        ("The hosts are wrong, not the source [1].", Rule.NEGATION),
        ("Refunds can be taken back [1].", Rule.NEGATION),
        ("Ask the owner after you have purged the topic [1].", Rule.PROCEDURE),
        ("Notify finance before you export the ledger [1].", Rule.PROCEDURE),
        ("Archive the case file before you notify finance [1].", Rule.PROCEDURE),
        ("Delete the budget and log its limits [1].", Rule.NEGATION),
        ("Restarting all workers is a fix for a stall [1].", Rule.NEGATION),
    ],
)
def test_what_turns_its_place_round_is_dropped(text: str, rule: Rule) -> None:
    assert [one.rule for one in guard(text).dropped] == [rule]


def test_code_that_no_word_tells_apart_from_its_like_may_be_any_of_it() -> None:
    source = Source(1, "- Query `dig @10.0.0.1`.\n- Query `dig @10.0.0.2`.\n", "DNS")
    text = "Ask with `dig @10.0.0.2` [1]."
    assert [one.text for one in guarded(text, (source,)).kept] == [text]
    assert guarded("Ask with `dig @10.0.0.3` [1].", (source,)).kept == ()
