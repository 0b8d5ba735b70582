import asyncio
import gc

from bots.turns import Turns


async def test_one_exchange_is_edited_by_one_at_a_time_and_others_meanwhile() -> None:
    turns, order = Turns(), list[str]()

    async def edit(exchange_id: str, name: str) -> None:
        async with turns.of(exchange_id):
            order.append(f"{name} begins")
            await asyncio.sleep(0)
            order.append(f"{name} ends")

    await asyncio.gather(edit("x", "first"), edit("x", "second"), edit("y", "other"))
    assert order.index("first ends") < order.index("second begins")
    assert order.index("other begins") < order.index("first ends")


async def test_nothing_is_kept_of_an_exchange_that_nobody_edits() -> None:
    turns = Turns()
    async with turns.of("x"):
        pass
    gc.collect()
    assert len(turns._locks) == 0
