"""The cross-encoder: which folders hold one, its order, and what becomes of its faults."""

import asyncio
import json
import math
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from core.engines.cross_encoder import (
    BATCH,
    CrossEncoderFolder,
    CrossEncoderReranker,
    Scorer,
    find_cross_encoder,
)
from core.errors import RerankerError
from core.outcomes import Hit, Ranks
from corpus.splitter import cut
from tests.indexed import page
from tests.tiny_cross_encoder import (
    WINDOW,
    scores,
    tiny_cross_encoder,
    tiny_encoder,
    tiny_roberta,
)

TEXTS = (
    "Delete old logs first.",
    "Restart the kafka consumer group.",
    "Undo the deploy of the pod.",
    "The disk is full.",
    "Roll back.",
    "The pod restart.",
    "Kafka " * 400,
)
NOWHERE = CrossEncoderFolder("tiny", Path("nowhere"))
Scores = Callable[[list[tuple[str, str]]], list[float]]


def hits(texts: Sequence[str] = TEXTS) -> list[Hit]:
    found = []
    for number, text in enumerate(texts):
        document = page(f"{number}.md", f"# Page\n\n{text}\n")
        [section] = cut(document, fits=lambda _: True).sections
        found.append(Hit(section, None, 0.0, 0.0, Ranks(), section.span))
    return found


def read(hit: Hit) -> str:
    return f"{hit.section.breadcrumb}\n{hit.section.text}"


def scripted(scores: Scores) -> CrossEncoderReranker:
    return CrossEncoderReranker(NOWHERE, load=lambda folder, threads: Scorer(scores, 64))


def threads() -> set[threading.Thread]:
    return {one for one in threading.enumerate() if one.name.startswith("reranker")}


@pytest.mark.slow
async def test_the_order_is_that_of_the_models_scores(tmp_path: Path) -> None:
    folder = tiny_cross_encoder(tmp_path / "tiny")
    found = hits()
    told = scores(folder, "disk full", [read(hit) for hit in found])
    assert len({round(score, 3) for score in told}) == len(found)
    reranker = CrossEncoderReranker(find_cross_encoder(str(folder)))
    ordered = await reranker.rerank("disk full", found)
    await reranker.aclose()
    assert ordered == [found[at] for at in sorted(range(len(found)), key=lambda at: -told[at])]


@pytest.mark.slow
async def test_a_model_whose_positions_begin_beyond_its_padding_reads_long_texts(
    tmp_path: Path,
) -> None:
    folder = tiny_roberta(tmp_path / "roberta")
    reranker = CrossEncoderReranker(find_cross_encoder(str(folder)))
    found = hits(["disk " * words for words in (1, *range(WINDOW - 12, WINDOW + 4), 400)])
    assert len(await reranker.rerank("disk full", found)) == len(found)
    await reranker.aclose()


@pytest.mark.slow
async def test_a_model_of_several_numbers_a_text_is_no_reranker(tmp_path: Path) -> None:
    folder = tiny_cross_encoder(tmp_path / "three", labels=3)
    reranker = CrossEncoderReranker(find_cross_encoder(str(folder)))
    with pytest.raises(RerankerError, match="gives 3 numbers for a text"):
        await reranker.load()
    await reranker.aclose()


@pytest.mark.slow
async def test_a_broken_file_of_weights_says_what_to_do(tmp_path: Path) -> None:
    folder = tiny_cross_encoder(tmp_path / "tiny")
    (folder / "model.safetensors").write_bytes(b"cut off")
    reranker = CrossEncoderReranker(find_cross_encoder(str(folder)))
    with pytest.raises(RerankerError, match=r"cannot be loaded.*NIGHTLAMP_RETRIEVAL_RERANKER"):
        await reranker.load()
    await reranker.aclose()


@pytest.mark.slow
def test_a_model_that_embeds_is_no_cross_encoder(tmp_path: Path) -> None:
    with pytest.raises(RerankerError, match="does not hold a cross-encoder"):
        find_cross_encoder(str(tiny_encoder(tmp_path / "encoder")))


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"config.json": "{"},
        {"config.json": "[]"},
        {"config.json": json.dumps({"architectures": ["BertModel"]})},
        {"config.json": json.dumps({"architectures": "ForSequenceClassification"})},
        {"config_sentence_transformers.json": json.dumps({"model_type": "SentenceTransformer"})},
    ],
)
def test_a_folder_of_something_else_says_so(tmp_path: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(RerankerError, match="does not hold a cross-encoder"):
        find_cross_encoder(str(tmp_path))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("config.json", {"architectures": ["XLMRobertaForSequenceClassification"]}),
        ("config_sentence_transformers.json", {"model_type": "CrossEncoder"}),
    ],
)
def test_a_cross_encoder_is_known_by_what_its_files_say(
    tmp_path: Path, name: str, said: dict[str, object]
) -> None:
    (tmp_path / name).write_text(json.dumps(said))
    assert find_cross_encoder(str(tmp_path)) == CrossEncoderFolder(str(tmp_path), tmp_path)


def test_a_name_that_nobody_has_says_what_to_correct() -> None:
    with pytest.raises(RerankerError, match=r"nobody/has-it.*NIGHTLAMP_RETRIEVAL_RERANKER"):
        find_cross_encoder("nobody/has-it", lambda name: None)


@pytest.mark.parametrize("name", ["~nobody-of-this-name/x", "a" * 5000])
def test_so_does_one_that_can_be_no_folder(name: str) -> None:
    with pytest.raises(RerankerError, match="correct NIGHTLAMP_RETRIEVAL_RERANKER"):
        find_cross_encoder(name, lambda name: None)


def test_a_name_of_the_hub_is_fetched(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"architectures": ["BertForSequenceClassification"]}')
    found = find_cross_encoder("team/reranker", {"team/reranker": tmp_path}.get)
    assert found == CrossEncoderFolder("team/reranker", tmp_path)


async def test_equal_scores_leave_the_order() -> None:
    found = hits()
    reranker = scripted(lambda pairs: [0.0] * len(pairs))
    assert await reranker.rerank("disk", found) == found
    await reranker.aclose()


async def test_the_model_reads_headings_and_no_more_of_a_text_than_it_could() -> None:
    seen: list[tuple[str, str]] = []

    def scored(pairs: list[tuple[str, str]]) -> list[float]:
        seen.extend(pairs)
        return [0.0] * len(pairs)

    reranker = scripted(scored)
    await reranker.rerank("disk", hits(["Short.", "long " * 10_000]))
    await reranker.aclose()
    assert seen[0] == ("disk", "Page\n# Page\n\nShort.\n")
    assert len(seen[1][1]) == 8 * 64


@pytest.mark.parametrize("wrong", [math.nan, math.inf])
async def test_what_is_no_number_is_no_order(wrong: float) -> None:
    reranker = scripted(lambda pairs: [wrong] * len(pairs))
    with pytest.raises(RerankerError, match="gave no number"):
        await reranker.rerank("disk", hits())
    await reranker.aclose()


async def test_a_fault_of_the_model_is_a_fault_of_the_reranker() -> None:
    def failing(pairs: list[tuple[str, str]]) -> list[float]:
        raise ValueError("out of range")

    reranker = scripted(failing)
    with pytest.raises(RerankerError, match="tiny failed on a text"):
        await reranker.rerank("disk", hits())
    await reranker.aclose()


async def test_a_model_that_cannot_be_loaded_is_not_tried_again() -> None:
    tried: list[str] = []

    def load(folder: CrossEncoderFolder, threads: int) -> Scorer:
        tried.append(folder.name)
        raise RerankerError("It is broken.") from ValueError("out of range")

    reranker = CrossEncoderReranker(NOWHERE, load=load)
    causes: list[str] = []
    for _ in range(3):
        with pytest.raises(RerankerError, match=r"It is broken\.") as told:
            await reranker.rerank("disk", hits())
        causes.append(repr(told.value.__cause__))
    await reranker.aclose()
    assert tried == ["tiny"]
    assert causes == ["ValueError('out of range')", "None", "None"]


async def test_a_question_whose_time_is_up_leaves_the_thread_to_the_next() -> None:
    began, go_on = threading.Event(), threading.Event()
    asked: list[str] = []

    def scored(pairs: list[tuple[str, str]]) -> list[float]:
        asked.append(pairs[0][0])
        began.set()
        go_on.wait(timeout=30)
        return [0.0] * len(pairs)

    reranker = scripted(scored)
    before = threads()
    first = asyncio.create_task(reranker.rerank("first", hits()))
    await asyncio.to_thread(began.wait)
    others = [asyncio.create_task(reranker.rerank("other", hits())) for _ in range(5)]
    last = asyncio.create_task(reranker.rerank("last", hits()))
    await asyncio.sleep(0)
    for given_up in (first, *others):
        given_up.cancel()
    await asyncio.wait([first, *others])
    go_on.set()
    assert await last == hits()
    assert len(threads() - before) == 1
    assert asked == ["first"] + ["last"] * math.ceil(len(TEXTS) / BATCH)
    await reranker.aclose()


async def test_what_was_closed_says_so() -> None:
    reranker = scripted(lambda pairs: [0.0] * len(pairs))
    await reranker.aclose()
    with pytest.raises(RerankerError, match="was closed"):
        await reranker.rerank("disk", hits())
