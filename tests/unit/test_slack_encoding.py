"""Slack's encoding, in and out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.slack_bot.encoding import escaped, typed, unescaped


@pytest.mark.parametrize(
    ("sent", "was_typed"),
    [
        ("ping <http://www.google.com|www.google.com>", "ping www.google.com"),
        ("<mailto:a@acme.example|a@acme.example> is locked out", "a@acme.example is locked out"),
        (
            'curl <http://x?a=1&amp;b=2> | grep "&lt;none&gt;"',
            'curl http://x?a=1&b=2 | grep "<none>"',
        ),
        ("a &amp;lt; b", "a &lt; b"),
        ("<@U0BOT> disk full", "disk full"),
        ("is <@U0BOT> alive", "is  alive"),
        ("<@U0BOT|nightlamp> disk full", "disk full"),
        ("ask <@U1> or <@U2|ben>", "ask @U1 or @ben"),
        ("see <#C1|ops> and <#C2>", "see #ops and #C2"),
        ("<!channel> <!here|here> <!subteam^S1|@oncall>", "@channel @here @oncall"),
        ("since <!date^1700000000^{date}|14 Nov>", "since 14 Nov"),
        ("a &lt;b&gt; c", "a <b> c"),
        ("no < angle", "no < angle"),
    ],
)
def test_text_is_what_was_typed(sent: str, was_typed: str) -> None:
    assert typed(sent, without="U0BOT") == was_typed


@given(st.text())
def test_escaping_is_undone_once_to_the_byte(text: str) -> None:
    assert unescaped(escaped(text)) == text


@given(st.text())
def test_what_is_typed_plainly_comes_back(text: str) -> None:
    assert typed(escaped(text)) == text.strip()


@given(st.text())
def test_nothing_escaped_can_open_a_mention(text: str) -> None:
    assert "<" not in escaped(text)
