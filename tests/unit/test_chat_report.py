from typing import Any

from eval.blocks import Table, markdown
from eval.chat_report import chat_blocks, chat_table, written_ratio
from eval.report import figures, report_blocks

WAIT = {"p50": 12.4, "p95": 30.0, "max": 31.0}
ONE: dict[str, Any] = {"acknowledged_ms": WAIT, "answered_ms": WAIT}
CROWD = {"asked": 50, "answered": 50, "seconds": 1.44, "answered_ms": WAIT}
CHAT: dict[str, Any] = {
    "kind": "chat",
    "machine": {"cores": 2},
    "questions": 40,
    "documents": 455,
    "passages": 6781,
    "discord": ONE | {"at_once": CROWD},
    "slack": ONE | {"at_once": CROWD},
    "slack_while_a_build_runs": ONE,
}


def test_a_row_says_median_and_p95_and_how_many_of_a_crowd_were_answered() -> None:
    assert chat_table(CHAT).rows[0] == ("Discord", "12 (30)", "12 (30)", "50 in 1.4 s")


def test_what_was_measured_beside_a_build_has_no_crowd() -> None:
    assert chat_table(CHAT).rows[2][3] == "–"


def test_the_report_says_over_how_many_documents_it_was() -> None:
    assert "455 documents" in markdown(report_blocks({"chat.json": CHAT}))


def test_readme_gets_the_table() -> None:
    assert markdown([chat_table(CHAT)]).strip() in figures({"chat.json": CHAT})


def test_a_ratio_is_said_where_a_model_was_configured() -> None:
    pair = {"with_ms": {"p50": 21.0}, "without_ms": {"p50": 20.0}}
    assert written_ratio(CHAT | {"written": pair}) == 1.05
    assert "× 1.05" in markdown(chat_blocks("chat", CHAT | {"written": pair}))


def test_without_one_nothing_is_said_of_it() -> None:
    blocks = chat_blocks("chat", CHAT)
    assert written_ratio(CHAT) is None
    assert sum(isinstance(block, Table) for block in blocks) == len(blocks) - 2
