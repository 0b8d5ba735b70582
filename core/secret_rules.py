"""What secrets look like: the shapes that issuers publish, and where others are written. Pure."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from core.secret_values import is_example, is_password, is_placeholder, is_token

_VALUE = (
    r"(?:\\?\"(?P<double>[^\"\n]{1,512}?)\\?\"|'(?P<single>[^'\n]{1,512})'"
    r"|`(?P<ticks>[^`\n]{1,512})`|(?P<bare>(?:[^\s\"'`,;|&<>()]++|&(?!&|\w{1,40}=)){1,64}))"
)
_ASSIGNED = (
    r"(?:_?(?:b64|base64|key|value|[0-9]{1,3}))?[\\*\"'`\]]{0,4}"
    r"[ \t]{0,8}(?:=>|:=|=|:)\*{0,2}[ \t]{0,8}" + _VALUE
)
_PASSWORD = r"(?:passwor[dt]|passwd|passphrase|passcode|pwd|(?<![a-z])pass)"  # noqa: S105
_KEYS = (
    "access", "account", "api", "auth", "encryption", "integration", "private", "routing",
    "service", "signing",
)  # fmt: skip
_TOKEN = rf"(?:secret|(?<!publickey)token|(?:{'|'.join(_KEYS)}|secret)[_-]?key)"
_LONG = 64  # a longer value that is no secret is not looked into: time stays linear
_FLAG = r"(?<=\s)--(?:[a-z-]{0,20}-)?"
# "-----BEGIN RSA PRIVATE KEY" and its kin in base64, as a Kubernetes secret holds them.
_ENCODED_KEY = r"LS0tLS1CRUdJTi(?:BSU0Eg|BQUklW|BFQyBQ|BPUEVO|BFTkNS)[\w+/=]{20,}"


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret: the last named group of `pattern` that matched goes, if it `counts`.

    The pattern is tried only where one of `starts` (lower case) stands, and everywhere if there
    are none: to look for a word is much cheaper than to try a pattern.
    """

    kind: str
    starts: tuple[str, ...]
    pattern: re.Pattern[str]
    counts: Callable[[str], bool]

    def spans(self, text: str, lowered: str) -> Iterator[tuple[int, int]]:
        """Yield where secrets of this kind stand; `lowered` is the text in lower case."""
        done = 0
        for at in self._candidates(text, lowered):
            found = self.pattern.match(text, at) if at >= done else None
            if found is None or found.lastgroup is None:
                continue
            start, end = found.span(found.lastgroup)
            counts = self.counts(text[start:end])
            if counts:
                yield start, end
            if counts or end - start > _LONG:
                done = end

    def _candidates(self, text: str, lowered: str) -> Iterable[int]:
        if not self.starts:
            return [found.start() for found in self.pattern.finditer(text)]
        return sorted({at for start in self.starts for at in _places(lowered, start)})


def _places(text: str, word: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)


def _no_example(value: str) -> bool:
    return not is_example(value)


def _literal(value: str) -> bool:
    return not is_placeholder(value)


def _shape(kind: str, starts: str, shape: str, counts: Callable[[str], bool] = _no_example) -> Rule:
    pattern = re.compile(rf"(?<![A-Za-z0-9_-])(?P<secret>{shape})(?![A-Za-z0-9_])")
    return Rule(kind, tuple(starts.split()), pattern, counts)


def _written(
    kind: str, starts: tuple[str, ...], pattern: str, counts: Callable[[str], bool]
) -> Rule:
    return Rule(kind, starts, re.compile(pattern, re.IGNORECASE), counts)


RULES = (
    _shape("private key", "ls0tls1crudjti", _ENCODED_KEY),
    _shape("aws key", "akia asia", r"A[KS]IA[0-9A-Z]{16}"),
    _shape("github token", "gho_ ghp_ ghr_ ghs_ ghu_", r"gh[oprsu]_\w{36,255}"),
    _shape("github token", "github_pat_", r"github_pat_\w{22,255}"),
    _shape("gitlab token", "gl", r"gl(?:agent|cbt|dt|ft|imt|oas|pat|ptt|rt|soat)-[\w-]{20,}"),
    _shape("slack token", "xox xapp-", r"(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}"),
    _shape("anthropic key", "sk-ant-", r"sk-ant-[\w-]{20,}"),
    _shape("openai key", "sk-", r"sk-[\w-]{20,}", is_token),
    _shape("stripe key", "sk_ rk_", r"[rs]k_(?:live|test)_\w{16,}"),
    _shape("stripe key", "whsec_", r"whsec_\w{24,}"),
    _shape("google key", "aiza gocspx- ya29.", r"(?:AIza|GOCSPX-|ya29\.)[\w-]{24,}"),
    _shape("npm token", "npm_", r"npm_[A-Za-z0-9]{36}"),
    _shape("pypi token", "pypi-age", r"pypi-AgE[\w-]{40,}"),
    _shape("jwt", "eyj", r"eyJ[\w-]{10,}+\.eyJ[\w-]{10,}+\.[\w-]{10,}"),
    _shape("sendgrid key", "sg.", r"SG\.[\w-]{22}\.[\w-]{43}"),
    _shape("vault token", "hvs. hvb.", r"hv[sb]\.[\w-]{24,}"),
    _shape("grafana token", "glsa_ glc_", r"(?:glsa|glc)_[A-Za-z0-9+/=_]{32,}"),
    _shape("hugging face token", "hf_", r"hf_[A-Za-z0-9]{34}"),
    _shape("digitalocean token", "doo_v1_ dop_v1_ dor_v1_", r"do[opr]_v1_[a-f0-9]{64}"),
    _shape("discord token", "", r"[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,38}"),
    _written(
        "telegram token", (":aa",), r"(?<=[0-9]{8}):(?P<secret>AA[\w-]{33})(?!\w)", _no_example
    ),
    _written(
        "slack webhook",
        ("hooks.slack.com/services/",),
        r"hooks\.slack\.com/services/(?P<secret>T\w{6,}/B\w{6,}/\w{16,})",
        _no_example,
    ),
    _written(
        "url password",
        ("://",),
        r"://(?P<user>[^\s/:@\"'<>`]{0,64}):(?!(?P=user)@)"
        r"(?P<secret>[^\s/@\"'<>`]{3,256})@(?=[\w.\[{$-])",
        _literal,
    ),
    _written(
        "authorization",
        ("authorization", "bearer"),
        r"(?:authorization[\\\"'`]{0,3}[ \t]{0,8}[:=][ \t]{0,8}[\\\"'`]{0,3}"
        r"(?:basic|bearer|bot|token)|\bbearer)[ \t]{1,8}(?P<secret>[\w.~+/=-]{8,2048})",
        is_password,
    ),
    _written(
        "password",
        ("-u", "--user"),
        r"(?<=\s)(?:-u|--user)[ =][\"']?[^\s:\"'$]{1,64}:(?P<secret>[^\s\"'@]{3,128})",
        is_password,
    ),
    _written("password", ("pass", "pwd"), _PASSWORD + _ASSIGNED, is_password),
    _written(
        "password",
        ("passw", "identified by"),
        r"(?:password|identified by)[ \t]{1,8}'(?P<secret>[^'\n]{1,512})'",
        is_password,
    ),
    _written("password", ("--",), rf"{_FLAG}{_PASSWORD}[ \t]{{1,8}}{_VALUE}", is_password),
    _written("secret", ("secret", "token", *_KEYS), _TOKEN + _ASSIGNED, is_token),
    _written("secret", ("--",), rf"{_FLAG}{_TOKEN}[ \t]{{1,8}}{_VALUE}", is_token),
)

_ANY = re.compile(
    "|".join(
        ("-----begin", r"[mno][\w-]{23}", *{re.escape(s) for rule in RULES for s in rule.starts})
    )
)
"""Where any rule would look, those without a start and whole keys included; for lower case."""


def is_harmless(lowered: str) -> bool:
    """Return whether no rule would look anywhere in a text, given in lower case.

    For short texts: a title or a tag is asked in a hundredth of the time that all rules take.
    """
    return _ANY.search(lowered) is None
