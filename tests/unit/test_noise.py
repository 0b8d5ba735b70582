import pytest

from core.noise import without_noise


@pytest.mark.parametrize(
    ("pasted", "kept"),
    [
        (
            "2026-03-11 01:52:07 +0000 search-worker-5cc69854b4-4x7bk WARN ignored",
            ["search-worker", "WARN", "ignored"],
        ),
        ("pull 225d80c5-01bb-47d0-b57c-6862efbed7b3 failed", ["pull", "failed"]),
        ("closing <0.4410.0> (10.20.3.8:51022 -> 10.20.3.40:5672)", ["closing", "(", "->", ")"]),
    ],
)
def test_times_hashes_addresses_and_suffixes_go(pasted: str, kept: list[str]) -> None:
    assert without_noise(pasted).split() == kept


@pytest.mark.parametrize(
    "text",
    ["node 10.0.0.5 is down", "at 03:10:44 it broke", "kube-proxy-metrics", "error PAY-1042", ""],
)
def test_what_saves_little_is_left_as_typed(text: str) -> None:
    assert without_noise(text) == text


def test_text_of_nothing_but_noise_stays() -> None:
    assert without_noise("2026-03-11 01:52:07.123") == "2026-03-11 01:52:07.123"
