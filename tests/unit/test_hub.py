"""Models of a hub: one whose download was cut off is asked for again."""

import json
from pathlib import Path

import pytest

from core.engines.hub import hub_folder, local_folder

NAME = "team/model"
MODEL = {
    "config.json": {},
    "model.safetensors": {},
    "tokenizer.json": {},
    "modules.json": [{"path": "", "type": "Transformer"}, {"path": "1_Pooling", "type": "Pooling"}],
    "1_Pooling/config.json": {},
}


class Hub:
    """A cache of one snapshot, and a network that completes it, fails, or says it is complete."""

    def __init__(self, folder: Path, *files: str) -> None:
        self._folder = folder
        self.network: str = "up"
        self.asked: list[bool] = []
        for name in files:
            self.hold(name, MODEL.get(name, {}))

    def hold(self, name: str, value: object) -> None:
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value), encoding="utf-8")

    def snapshot(self, name: str, offline: bool) -> Path:
        self.asked.append(offline)
        if not offline and self.network == "down":
            raise OSError("no network")
        if not offline and self.network == "up":
            for file, value in MODEL.items():
                self.hold(file, value)
        if not self._folder.is_dir():
            raise OSError("not in the cache")
        return self._folder


def test_a_whole_model_is_taken_from_the_cache_and_nobody_is_asked(tmp_path: Path) -> None:
    hub = Hub(tmp_path / "a", *MODEL)
    assert hub_folder(NAME, "modules.json", snapshot=hub.snapshot) == tmp_path / "a"
    assert hub.asked == [True]


@pytest.mark.parametrize("lost", MODEL)
def test_one_that_lacks_a_file_is_fetched_to_its_end(lost: str, tmp_path: Path) -> None:
    hub = Hub(tmp_path / "a", *(name for name in MODEL if name != lost))
    assert hub_folder(NAME, "modules.json", snapshot=hub.snapshot) == tmp_path / "a"
    assert hub.asked == [True, False]
    assert (tmp_path / "a" / lost).is_file()


def test_one_that_lacks_a_part_of_its_weights_is_fetched_to_its_end(tmp_path: Path) -> None:
    hub = Hub(tmp_path / "a", *MODEL)
    parts = {"one": "model-1.safetensors", "two": "model-2.safetensors"}
    hub.hold("model.safetensors.index.json", {"weight_map": parts})
    hub.hold("model-1.safetensors", {})
    hub_folder(NAME, snapshot=hub.snapshot)
    hub.hold("model-2.safetensors", {})
    hub_folder(NAME, snapshot=hub.snapshot)
    assert hub.asked == [True, False, True]


@pytest.mark.parametrize("torn", ["[", "[1]", '{"weight_map": 1}', "{}"])
def test_a_list_that_cannot_be_read_is_no_whole_model(torn: str, tmp_path: Path) -> None:
    hub = Hub(tmp_path / "a", *MODEL)
    (tmp_path / "a" / "model.safetensors.index.json").write_text(torn, encoding="utf-8")
    hub_folder(NAME, snapshot=hub.snapshot)
    assert hub.asked == [True, False]


@pytest.mark.parametrize(
    ("weights", "tokenizer"),
    [("pytorch_model.bin", "vocab.txt"), ("model.safetensors", "sentencepiece.bpe.model")],
)
def test_older_names_of_the_files_are_as_good(weights: str, tokenizer: str, tmp_path: Path) -> None:
    hub = Hub(tmp_path / "a", "config.json", weights, tokenizer)
    hub_folder(NAME, snapshot=hub.snapshot)
    assert hub.asked == [True]


def test_a_link_to_what_was_never_fetched_is_no_file(tmp_path: Path) -> None:
    hub = Hub(tmp_path / "a", "config.json", "tokenizer.json")
    (tmp_path / "a" / "model.safetensors").symlink_to(tmp_path / "blobs" / "gone")
    hub.network = "answers"
    hub_folder(NAME, snapshot=hub.snapshot)
    assert hub.asked == [True, False]


def test_a_model_of_another_make_that_the_hub_calls_complete_is_taken(tmp_path: Path) -> None:
    hub = Hub(tmp_path / "a", "odd.json")
    hub.network = "answers"
    assert hub_folder(NAME, snapshot=hub.snapshot) == tmp_path / "a"


def test_one_that_is_neither_whole_nor_can_be_fetched_cannot_be_had(tmp_path: Path) -> None:
    hub = Hub(tmp_path / "a", "config.json")
    hub.network = "down"
    assert hub_folder(NAME, snapshot=hub.snapshot) is None


def test_a_folder_is_found_by_its_name_and_no_name_is_a_fault(tmp_path: Path) -> None:
    assert local_folder(str(tmp_path)) == tmp_path
    assert local_folder("~") == Path.home()
    for name in ("~nobody-of-this-name/x", "a\0b", "a" * 5000, str(tmp_path / "gone")):
        assert local_folder(name) is None
