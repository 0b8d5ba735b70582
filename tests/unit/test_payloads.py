"""What is data and no writing is left out of what is embedded, and nothing else is."""

import base64
import hashlib
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.models import Span
from corpus.payloads import Payloads
from tests.growth import MOST, growth


def data(count: int, seed: int = 7) -> str:
    blocks = (hashlib.sha256(bytes([seed, n])).digest() for n in range(count // 32 + 1))
    return base64.b64encode(b"".join(blocks)[:count]).decode()


def wrapped(text: str, width: int, mark: str = "") -> str:
    return "\n".join(f"{mark}{line}" for line in textwrap.wrap(text, width))


def left(text: str) -> str:
    return Payloads(text).without(Span(0, len(text)))


TEXT = base64.b64encode(b"Call the storage team first, then drain the node. " * 40).decode()
DUMP = "\n".join(
    f"{at:08x}: 7f45 4c46 0201 0100 0000 0000 0000 0000  .ELF............"
    for at in range(0, 160, 16)
)
HEXDUMP = "\n".join(
    f"{at:08x}  7f 45 4c 46 02 01 01 00  00 00 00 00 00 00 00 00  |.ELF............|"
    for at in range(0, 64, 16)
)
MODULUS = "\n".join(":".join(f"{n:02x}" for n in range(15)) + ":" for _ in range(5)) + "\nc3:9b"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"![x](data:a/b;base64,{data(90)}) and after", "![x](data:a/b;base64,) and after"),
        (
            f'<img src="data:image/png;base64,{wrapped(data(2000), 76)}">\nafter',
            '<img src="data:image/png;base64,">\nafter',
        ),
        (
            f"<img src='data:image/png;base64,\n{wrapped(data(2000), 60, '    ')}' alt='x'>",
            "<img src='data:image/png;base64,' alt='x'>",
        ),
        (f"[i]: data:a/b;base64,{wrapped(data(200), 76)}\n\nend", "[i]: data:a/b;base64,\n\nend"),
        (f"(data:a/b;base64,{data(60)}\n{'server_' * 6}", f"(data:a/b;base64,\n{'server_' * 6}"),
        (f"```\n{wrapped(data(3001), 76)}\n```\nafter", "```\n\n```\nafter"),
        (f"```\n{wrapped(TEXT, 64)}\n```", "```\n\n```"),
        (f"> ```\n{wrapped(data(300), 64, '> ')}\n> ```", "> ```\n> \n> ```"),
        (
            f"-----BEGIN CERTIFICATE-----\n{wrapped(data(801), 64)}\n-----END CERTIFICATE-----",
            "-----BEGIN CERTIFICATE-----\n\n-----END CERTIFICATE-----",
        ),
        (f"base64 -d <<EOF\n{wrapped(data(300), 76)}\nEOF", "base64 -d <<EOF\n\nEOF"),
        (f"tls.crt: {data(900)}\nname: x", "tls.crt: \nname: x"),
        (f"at {base64.b64decode(data(200)).hex()} end", "at  end"),
        (f"xxd f\n{DUMP}\nafter", "xxd f\n\nafter"),
        (f"hexdump -C f\n{HEXDUMP}\n00000040\n", "hexdump -C f\n\n00000040\n"),
        (f"Modulus:\n{MODULUS}\nExponent: 65537", "Modulus:\n\nExponent: 65537"),
    ],
)  # fmt: skip
def test_data_is_left_out(text: str, expected: str) -> None:
    assert left(text) == expected


HASHES = [hashlib.sha256(bytes([n])).hexdigest() for n in range(12)]


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(HASHES),
        "\n".join(f"{one}  release-{n}.tar.gz" for n, one in enumerate(HASHES)),
        "\n".join(f"/var/lib/Docker/overlay2/{one[:40]}/merged/Data" for one in HASHES),
        "\n".join(f"TheIdentifierOfTheServiceThatHandlesPayment{n}XYZABCDEFGHIJ" for n in range(9)),
        '{"a":"' + '","b":"'.join(HASHES) + '"}',
        f"ssh-ed25519 {data(51)} ann@host\n" * 4,
        f"{data(57)}\n{data(57, 8)}\n",
        f"a password hash list\n{data(30)}\n{data(30, 2)}\n{data(30, 3)}\n",
        "x" * 5000,
        "A" * 5000,
        "kubernetes" * 60,
        "SHA1 Fingerprint=" + ":".join(f"{n:02X}" for n in range(20)),
        "00000010 12 34 56 78\n00000020 12 34 56 78\n",
        "12345678 10 20 30 40 50\n12345679 10 20 30 40 50\n12345680 10 20 30 40 50\n",
        "see data:image/png;base64,AAAA\nand_the_next_line_is_a_word)",
    ],
)  # fmt: skip
def test_paths_names_hashes_and_few_lines_stay(text: str) -> None:
    assert left(text) == text


WORDS = st.text(alphabet="abcdeXYZ019 /+=.:_-|`>\n", max_size=80)


@given(before=WORDS, after=WORDS, width=st.integers(60, 90), count=st.integers(300, 600))
def test_no_other_text_is_lost(before: str, after: str, width: int, count: int) -> None:
    run = wrapped(data(count), width)
    end = run.rpartition("\n")[2]

    found = left(f"{before}\n\n{run}\n\n{after}")

    assert found in (f"{before}\n\n\n\n{after}", f"{before}\n\n\n{end}\n\n{after}")


@given(WORDS)
def test_short_texts_keep_everything(text: str) -> None:
    assert left(text) == text


@pytest.mark.parametrize(
    "unit", ["A", ">", "00:", ";base64,", f";base64,{'A' * 40}\n", f"{'aB1' * 25}\n", "0000000 00 "]
)
def test_time_grows_no_faster_than_the_text(unit: str) -> None:
    assert growth(Payloads, unit) < MOST
