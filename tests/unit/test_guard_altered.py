"""What a section says passes word for word; the least alteration of it never does."""

import re
import string
from functools import cache

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.guard import Rule, Source, guarded
from core.guard.code import Fence, apart, statements
from core.guard.pieces import ITEM, Kind, Piece, pieces
from core.models import Document
from corpus.loader import load
from corpus.splitter import cut
from corpus.starter import StarterSource

QUICK = 8
"""Documents that are read in the quick suite; all of them are in the slow one."""


@cache
def documents() -> tuple[Document, ...]:
    source = StarterSource()
    listed = source.listing().files
    return tuple(load(source.read(path), path, source.settings).document for path in listed)


@cache
def sections(path: str) -> tuple[Source, ...]:
    document = next(one for one in documents() if one.path == path)
    return tuple(
        Source(1, section.text, section.breadcrumb)
        for section in cut(document, fits=lambda _: True).sections
    )


def paths() -> list[str]:
    return [one.path for one in documents()]


@cache
def commands() -> tuple[tuple[Source, str], ...]:
    """Return every command of the quick documents that stands on one line, with its section."""
    return tuple(
        (source, one)
        for path in paths()[::QUICK]
        for source in sections(path)
        for fence in fences(source)
        for one in statements(fence)
        if "\n" not in one and "`" not in one
    )


@cache
def sequences() -> tuple[tuple[Source, Fence], ...]:
    """Return every shell fence of the quick documents with several different commands."""
    return tuple(
        (source, fence)
        for path in paths()[::QUICK]
        for source in sections(path)
        for fence in fences(source)
        if fence.language in {"bash", "sh"} and len(set(statements(fence))) > 1
    )


def fences(source: Source) -> list[Fence]:
    return [fence for piece in pieces(source.text) for fence in piece.fences]


def is_kept(source: Source, text: str) -> bool:
    return bool(guarded(text, (source,)).kept)


def block(commands_: str, language: str = "bash") -> str:
    return f"It is this [1]:\n```{language}\n{commands_}\n```"


# --- verbatim passes ----------------------------------------------------------------------------


def quoted(piece: Piece) -> str:
    item = ITEM.match(piece.text)
    text = " ".join(piece.text[item.end() :].split() if item else piece.text.split())
    return f"- {text.rstrip(':')} [1]"


def refused(path: str) -> list[tuple[Rule, str]]:
    """Return what of a document does not pass when it is quoted with its citation."""
    found: list[tuple[Rule, str]] = []
    for source in sections(path):
        for piece in pieces(source.text):
            texts = [block(one.text, one.language) for one in piece.fences]
            texts += [f"- It is `` {span} `` [1]" for span in apart(piece.text)[1]]
            if piece.kind not in {Kind.HEADING, Kind.ROW} and piece.text.strip():
                texts.append(quoted(piece))
            for text in texts:
                found += [(one.rule, one.sentence) for one in guarded(text, (source,)).dropped]
    return found


@pytest.mark.parametrize("path", paths()[::QUICK])
def test_every_sentence_fence_and_code_span_of_a_document_passes(path: str) -> None:
    assert [one for one in refused(path) if one[0] is not Rule.NEGATION] == []


@pytest.mark.slow
@pytest.mark.parametrize("path", paths())
def test_every_sentence_fence_and_code_span_of_the_corpus_passes(path: str) -> None:
    assert [one for one in refused(path) if one[0] is not Rule.NEGATION] == []


@pytest.mark.slow
def test_what_does_not_pass_was_taken_out_of_what_forbids_it() -> None:
    whole = [sentence for path in paths() for _, sentence in refused(path)]
    prose = [one for one in whole if not one.startswith("- It is `")]
    assert len(whole) <= 30
    assert sorted(one[2:30] for one in prose) == [
        "Delete a database, a volume,",
        "Fail over a database by hand",
        "Turn off an alert for good. ",
    ]


# --- altered never does -------------------------------------------------------------------------


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_command_with_one_sign_altered_is_never_kept(data: st.DataObject) -> None:
    source, command = data.draw(st.sampled_from(commands()))
    at = data.draw(st.integers(0, len(command) - 1))
    sign = data.draw(st.sampled_from(string.ascii_letters + string.digits + "-/_.=$*"))
    altered = command[:at] + sign + command[at + 1 :]
    assume(altered != command and not stands_in(source, altered))
    assert not is_kept(source, block(altered))
    assert not is_kept(source, f"Run `{altered}` [1].")


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_command_with_a_word_left_out_or_added_is_never_kept(data: st.DataObject) -> None:
    source, command = data.draw(st.sampled_from(commands()))
    words = command.split(" ")
    at = data.draw(st.integers(0, len(words) - 1))
    added = data.draw(st.sampled_from(["--force", "-f", "--all", "-A", "; reboot", "&& rm -rf /"]))
    for changed in (words[:at] + words[at + 1 :], [*words[: at + 1], added, *words[at + 1 :]]):
        altered = " ".join(changed)
        if altered.strip() and " " in altered and not stands_in(source, altered):
            assert not is_kept(source, block(altered))


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_commands_in_another_order_are_never_kept(data: st.DataObject) -> None:
    source, fence = data.draw(st.sampled_from(sequences()))
    told = list(dict.fromkeys(statements(fence)))
    shuffled = data.draw(st.permutations(told))
    assume(list(shuffled) != told)
    assume(len(statements(fence)) == len(told))
    others = [one for other in fences(source) if other != fence for one in statements(other)]
    assume(not set(told) & set(others))
    assert not is_kept(source, block("\n".join(shuffled)))


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_sentence_with_one_digit_altered_added_or_taken_away_is_never_kept(
    data: st.DataObject,
) -> None:
    source, sentence = data.draw(st.sampled_from(sentences_with_digits()))
    digits = [found.start() for found in re.finditer(r"\d", sentence)]
    at = data.draw(st.sampled_from(digits))
    sign = data.draw(st.sampled_from(string.digits))
    taken = [at] if re.search(r"\d\d", sentence[max(0, at - 1) : at + 2]) else []
    altered = data.draw(
        st.sampled_from(
            [
                sentence[:at] + sign + sentence[at + 1 :],
                sentence[:at] + sign + sentence[at:],
                *(sentence[:one] + sentence[one + 1 :] for one in taken),
            ]
        )
    )
    assume(altered != sentence)
    assume(not is_quoted(source, altered))
    assert not is_kept(source, f"- {altered} [1]")


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_a_sentence_with_two_numbers_swapped_is_never_kept(data: st.DataObject) -> None:
    source, sentence = data.draw(st.sampled_from(sentences_with_digits()))
    numbers = [found.span() for found in re.finditer(r"\d+(?:[.,:]\d+)*", sentence)]
    assume(len(numbers) > 1)
    one, other = sorted(data.draw(st.permutations(numbers))[:2])
    first, second = sentence[slice(*one)], sentence[slice(*other)]
    swapped = "".join(
        (sentence[: one[0]], second, sentence[one[1] : other[0]], first, sentence[other[1] :])
    )
    assume(not is_quoted(source, swapped))
    assert not is_kept(source, f"- {swapped} [1]")


def is_quoted(source: Source, sentence: str) -> bool:
    """Return whether an alteration happens to be what the section says word for word."""
    return " ".join(sentence.split()).rstrip(".:") in " ".join(source.text.split())


@cache
def sentences_with_digits() -> tuple[tuple[Source, str], ...]:
    return tuple(
        (source, quoted(piece)[2:-4])
        for path in paths()[::QUICK]
        for source in sections(path)
        for piece in pieces(source.text)
        if piece.kind in {Kind.SENTENCE, Kind.ITEM, Kind.STEP}
        and re.search(r"\d", quoted(piece)[2:-4])
        and is_kept(source, quoted(piece))
    )


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_a_path_that_is_cut_or_lengthened_is_never_kept(data: st.DataObject) -> None:
    source, path = data.draw(st.sampled_from(stored_paths()))
    head, _, tail = path.rpartition("/")
    altered = data.draw(st.sampled_from([head, f"{path}/x", f"{path}x", f"{head}/x{tail}"]))
    assume(len(altered) > 1 and altered not in source.text.replace(path, "|"))
    assert not is_kept(source, f"Look into {altered} [1].")
    assert not is_kept(source, f"Look into `{altered}` [1].")


@cache
def stored_paths() -> tuple[tuple[Source, str], ...]:
    return tuple(
        (source, found[0])
        for path in paths()[::QUICK]
        for source in sections(path)
        for found in re.finditer(
            r"(?<![\w}/.:~$\"*-])/(?:[\w-]+/)+[\w-]+(?![\w/.*$-])", source.text
        )
    )


def stands_in(source: Source, command: str) -> bool:
    """Return whether a command, altered by chance into another of the section, is one of it.

    What a command begins with, up to a pipe or another operator, is one as well.
    """
    known = {one for fence in fences(source) for one in statements(fence)}
    known |= {span for piece in pieces(source.text) for span in apart(piece.text)[1]}
    begun = {
        one[: found.start()].strip()
        for one in known
        for found in re.finditer(r"\s(?:\|\|?|&&)\s|;|\s#", one)
    }
    return command.strip() in known | begun


# --- anything at all ----------------------------------------------------------------------------


@settings(max_examples=300, deadline=None)
@given(
    st.text(alphabet=st.sampled_from("ab1 .,:;!?`~[]()<>@#*_-/|$\n\t\"'\\é\u200b"), max_size=120)
)
def test_no_text_makes_it_raise_or_show_what_it_dropped(text: str) -> None:
    source = sections("runbooks/linux-disk-full.md")[1]
    result = guarded(text, (source,), instructions=text[:40])
    assert result.useful == bool(result.text)
    assert all(one.citations for one in result.kept)


@pytest.mark.parametrize(
    "unit",
    ["a", "`", "``` ", "[1]", "[1] ", "(", "<", "@", "- ", "1. ", "|", "a.", "\n", "> ", "--a ",
     "delete the pod ", "not delete, or ", "1,000 ", "1.1.", "/a", "**", "e.g. ", "it. [1]\n"],
)  # fmt: skip
def test_long_runs_of_the_same_do_not_slow_it_down(unit: str) -> None:
    text = (unit * 60_000)[:60_000]
    section = Source(1, text, "x")
    result = guarded(f"It is so [1].\n\n{text}", (section,), instructions=text)
    assert result.kept or result.dropped
