"""The table of written answers. Called by one step of the migrations, and never edited again."""

from sqlite_utils import Database


def create_writings(db: Database) -> None:
    """Create what is remembered of the language model: one row an exchange, no text, no person."""
    ended = {"outcome": str, "prompt": str, "model": str, "reason": str}
    figures = {"tokens_in": int, "tokens_out": int, "ms": float, "kept": int, "dropped": int}
    writings = db.table("writings").create(
        {"exchange_id": str, "at": str} | ended | figures,
        pk="exchange_id",
        foreign_keys=[("exchange_id", "exchanges", "id")],
        not_null={"at"} | ended.keys() | figures.keys(),
        strict=True,
    )
    writings.create_index(["at"])
