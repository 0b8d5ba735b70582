"""Whoever asks is told how it ended, whatever fails."""

from types import SimpleNamespace
from typing import cast

import pytest

from bots.app import App
from bots.card import Tone
from bots.desk import Desk
from tests.asking import desk


async def test_a_fault_that_nobody_expected_is_said_with_its_reference_and_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    at = await desk()
    at.index.documents = None  # type: ignore[method-assign,assignment]
    question = at.question("disk full service:storage")
    exchange_id = await at.nightlamp.received(question)
    assert exchange_id is not None
    app = cast("App", SimpleNamespace(service=at.nightlamp))
    worded = await Desk(app).answer(exchange_id, question)
    assert (worded.card.tone, worded.reply) == (Tone.ERROR, None)
    assert worded.card.footer == f"reference {exchange_id}"
    assert f"reference {exchange_id}" in caplog.text
    assert "TypeError" in caplog.text
