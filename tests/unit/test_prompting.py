"""Prompts are files with versions, and a released one is never edited."""

from hashlib import sha256

import pytest

from core.guard import NO_ANSWER, guarded
from core.prompting import ANSWER, JUDGE, PROMPTS, answer_prompt, template
from tests.test_architecture import ROOT

RELEASED = {
    "answer.v1": "7b505d5def413343a574593f3a8cb8dc95a3c992d0a570668051e5cd82cfaee2",
    "judge.v1": "baf54f6b0bcbf2c22bbe6c11e2e02d4dc2a08348d930f90ea0d546c223cf9d50",
}


def test_every_prompt_is_as_it_was_released() -> None:
    sums = {path.stem: sha256(path.read_bytes()).hexdigest() for path in PROMPTS.glob("*.txt")}
    assert sums == RELEASED


@pytest.mark.parametrize("name", [ANSWER, JUDGE])
def test_the_newest_version_is_used(name: str) -> None:
    kind = name.partition(".")[0]
    assert name == max(one for one in RELEASED if one.startswith(kind))


def test_prompts_are_part_of_the_package() -> None:
    assert PROMPTS.relative_to(ROOT).as_posix() == "core/prompts"
    assert "$mark" in template(ANSWER).template


def test_a_model_that_repeats_its_rules_is_not_shown() -> None:
    rules = answer_prompt("why?", [], "f00d", 100).instructions
    said = [
        line.removeprefix("- ") for line in rules.splitlines() if line and NO_ANSWER not in line
    ]
    for line in said:
        assert guarded(f"{line} [1]", [], instructions=rules).text == ""
