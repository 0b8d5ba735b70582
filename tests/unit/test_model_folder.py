"""Where a model comes from, what it says of itself, and what its vectors are named by."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from core.engines.model_folder import find_model
from core.engines.sentence import SentenceEmbedder, find_sentence_model
from core.errors import EmbedderMissing


def no_network(name: str) -> Path:
    raise AssertionError(f"{name} was fetched")


def model(path: Path, *, prompts: dict[str, Any] | None = None, weights: bytes = b"w") -> Path:
    """Write what is read of a model: no more than the names of its files promise."""
    (path / "1_Dense").mkdir(parents=True)
    modules = [{"path": ""}, {"path": "1_Dense"}]
    files = {
        "modules.json": modules,
        "config.json": {"hidden_size": 8, "max_position_embeddings": 512},
        "sentence_bert_config.json": {"max_seq_length": 128},
        "1_Dense/config.json": {"out_features": 4},
        "config_sentence_transformers.json": {"prompts": prompts},
    }
    for name, value in files.items():
        (path / name).write_text(json.dumps(value))
    (path / "model.safetensors").write_bytes(b"backbone")
    (path / "1_Dense" / "model.safetensors").write_bytes(weights)
    return path


@pytest.mark.parametrize("name", ["all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2"])
def test_the_shipped_model_is_never_fetched(name: str) -> None:
    assert find_model(name, no_network).pinned


def test_a_folder_is_never_fetched(tmp_path: Path) -> None:
    found = find_model(str(model(tmp_path / "mine")), no_network)
    assert (found.dimension, found.window, found.pinned) == (4, 128, False)


def test_a_name_of_the_hub_is_fetched(tmp_path: Path) -> None:
    asked: list[str] = []

    def fetch(name: str) -> Path:
        asked.append(name)
        return model(tmp_path / "snapshot")

    found = find_model("intfloat/e5-small-v2", fetch)
    assert (asked, found.name) == (["intfloat/e5-small-v2"], "intfloat/e5-small-v2")


@pytest.mark.parametrize("name", ["~nobody-of-this-name/x", "a" * 5000])
def test_a_name_that_can_be_no_folder_is_one_of_the_hub(name: str, tmp_path: Path) -> None:
    folder = model(tmp_path / "snapshot")
    assert find_model(name, {name: folder}.__getitem__).path == folder


def test_a_folder_without_a_model_says_so(tmp_path: Path) -> None:
    with pytest.raises(EmbedderMissing, match="does not hold a sentence-transformers model"):
        find_model(str(tmp_path), no_network)


@pytest.mark.parametrize("passage", ["document", "passage", "corpus"])
def test_the_models_own_prompts_are_used(tmp_path: Path, passage: str) -> None:
    prompts = {"query": "query: ", passage: "passage: "}
    found = find_model(str(model(tmp_path / "mine", prompts=prompts)), no_network)
    assert (found.query_prompt, found.passage_prompt) == ("query: ", "passage: ")


def test_prefixes_of_the_settings_come_before_the_models_own(tmp_path: Path) -> None:
    prompts = {"query": "query: ", "document": "passage: "}
    found = find_model(str(model(tmp_path / "mine", prompts=prompts)), no_network)
    assert found.prompted("ask: ", "").query_prompt == "ask: "
    assert found.prompted("ask: ", "").passage_prompt == "passage: "


def test_prefixes_and_every_weight_are_in_the_fingerprint(tmp_path: Path) -> None:
    one = find_model(str(model(tmp_path / "a" / "mine")), no_network)
    other = find_model(str(model(tmp_path / "b" / "mine", weights=b"v")), no_network)
    prints = {
        each.fingerprint("torch:fp32")
        for each in (one, one.prompted("q: ", ""), one.prompted("", "p: "), other)
    }
    assert len(prints) == 4


@pytest.mark.slow
async def test_a_local_model_embeds_with_its_prompts(tmp_path: Path) -> None:
    shipped = find_sentence_model("all-MiniLM-L6-v2")
    prompts = {"prompts": {"query": "query: ", "document": "passage: "}}
    for file in shipped.path.rglob("*"):
        copy = tmp_path / "mine" / file.relative_to(shipped.path)
        if file.is_file():
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.symlink_to(file)
    config = tmp_path / "mine" / "config_sentence_transformers.json"
    config.unlink(missing_ok=True)
    config.write_text(json.dumps(prompts))
    plain, prompted = (
        SentenceEmbedder(find_model(name, no_network))
        for name in ("all-MiniLM-L6-v2", str(tmp_path / "mine"))
    )
    asked = await prompted.embed_question("disk full")
    [passage] = await prompted.embed_passages(["disk full"])
    expected = [
        await plain.embed_question("query: disk full"),
        await plain.embed_question("passage: disk full"),
    ]
    await plain.aclose()
    await prompted.aclose()
    assert math.dist(asked, expected[0]) == pytest.approx(0.0, abs=1e-5)
    assert math.dist(passage, expected[1]) == pytest.approx(0.0, abs=1e-5)
    assert prompted.count_tokens("disk full") == plain.count_tokens("passage: disk full")
