"""What the settings of a Qdrant server take, and what is remarked of them."""

import pytest
from pydantic import ValidationError

from bots.vectors import EMBEDDED, remarks, vectors_at
from core.settings_groups import QdrantSettings

UNENCRYPTED = "its key goes unencrypted over the network: give it an https:// address"


def settings(**values: object) -> QdrantSettings:
    return QdrantSettings.model_validate(values)


@pytest.mark.parametrize(
    "values",
    [
        {"url": "qdrant:6333"},
        {"url": "ftp://qdrant"},
        {"url": "https://key:secret@qdrant"},
        {"url": "https://qdrant/?api-key=secret"},
        {"url": "http://"},
        {"timeout": 0},
        {"collection": ""},
        {"collection": "a/b"},
        {"collection": ".."},
        {"shards": 0},
        {"replicas": 0},
        {"replicas": 2, "write_consistency": 3},
        {"read_consistency": "some"},
        {"read_consistency": "0"},
    ],
    ids=repr,
)
def test_a_value_that_means_nothing_is_refused(values: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        settings(**values)


@pytest.mark.parametrize(
    "values",
    [
        {"url": "https://qdrant.example.com"},
        {"url": "http://[::1]:6333"},
        {"url": "https://gateway.example.com:443/vectors"},
        {"replicas": 3, "write_consistency": 3},
        {"read_consistency": "2"},
        {"read_consistency": "quorum"},
    ],
    ids=repr,
)
def test_a_value_that_means_something_is_taken(values: dict[str, object]) -> None:
    assert settings(**values).model_dump().items() >= values.items()


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"url": "http://10.0.0.7:6333", "api_key": "k"}, [UNENCRYPTED]),
        ({"url": "https://10.0.0.7:6333", "api_key": "k"}, []),
        ({"url": "http://127.0.0.1:6333", "api_key": "k"}, []),
        ({"url": "http://[::1]:6333", "api_key": "k"}, []),
        ({"url": "http://localhost:6333", "api_key": "k"}, []),
        ({"url": "http://10.0.0.7:6333"}, []),
        ({"url": "http://h", "shards": 3, "replicas": 2}, ["3 shards of 2 replicas"]),
    ],
)
def test_a_key_that_others_can_read_is_remarked_on(
    values: dict[str, object], said: list[str]
) -> None:
    assert list(remarks(settings(**values))) == said


async def test_without_a_server_the_vectors_are_in_the_data_folder() -> None:
    assert await vectors_at(settings()) == EMBEDDED
