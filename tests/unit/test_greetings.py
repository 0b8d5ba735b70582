import pytest

from core.greetings import asks_for_help


@pytest.mark.parametrize(
    "text",
    ["", "  ", "?", "🙏🏽", "hello?", "hello, are you awake?", "help", "Thanks, that fixed it!",
     "thanks, that sorted it!", "good morning all", "ok"],
)  # fmt: skip
def test_greetings_and_thanks_ask_nothing(text: str) -> None:
    assert asks_for_help(text)


@pytest.mark.parametrize(
    "text",
    ["CrashLoopBackOff", "is it down", "how do i restart kafka", "hello, the disk is full",
     "thanks, and how do I roll it back", "who is on call", "that fixed it but now redis is slow"],
)  # fmt: skip
def test_a_question_stays_a_question(text: str) -> None:
    assert not asks_for_help(text)
