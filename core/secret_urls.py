r"""Secrets in URLs: passwords and tokens before the host, webhooks, signatures. Pure.

The standard (RFC 3986, 3.2) wants `@` and `/` in a password written as %40 and %2F; people paste
them as they are. In the URL of a database or broker nothing but the password holds an `@`, so its
last one ends it. Elsewhere a path may hold one (`/@scope/name`), and the last before the first `/`
does; a password with a `/` must look like one there, and a port like none.
"""

import re

from core.secret_rule import written
from core.secret_values import is_password, is_placeholder, is_token

_STORES = (
    "postgres", "postgresql", "pgsql", "mysql", "mariadb", "mssql", "sqlserver", "oracle",
    "mongodb",
    "redis", "rediss", "valkey", "memcached", "cassandra", "clickhouse", "cockroachdb", "couchdb",
    "neo4j", "bolt", "amqp", "amqps", "nats", "mqtt", "mqtts", "kafka", "ldap", "ldaps", "smtp",
    "smtps", "imap", "imaps", "+srv", "+psycopg", "+psycopg2", "+asyncpg", "+pg8000", "+pymysql",
    "+mysqldb", "+aiomysql", "+mysqlconnector", "+pyodbc",
)  # fmt: skip
_STORE = rf"(?:{'|'.join(f'(?<={re.escape(word)})' for word in _STORES)})://"
_USER = r"(?P<user>[^\s/:@\"'<>`]{0,64}):(?!(?P=user)@)"
_MAIL = r"(?P<user>[^\s/:@\"'<>`]{0,64}(?:@[^\s/:@?#,;\"'<>`]{1,64})?):(?!(?P=user)@)"
_HOST = r"(?=[\w.\[{$-])"
_PORT = r"[0-9]{1,5}/"
_LAST_PORT = r"[0-9]{1,5}[,;]"
_SHORTEST = 3


def _literal(value: str) -> bool:
    return len(value) >= _SHORTEST and not is_placeholder(value)


URLS = (
    written(
        "url token",
        ("http://", "https://"),
        rf"https?://(?P<secret>[\w.~%+-]{{16,256}})(?::(?:x-oauth-basic|x)?)?@{_HOST}",
        is_token,
    ),
    written(
        "url password",
        ("://",),
        rf"{_STORE}{_USER}(?!{_PORT})(?P<secret>[^\s?,;|()\"'<>`]{{3,256}})@{_HOST}",
        _literal,
    ),
    written(
        "url password",
        ("://",),
        rf"://{_MAIL}(?!{_LAST_PORT})(?P<secret>[^\s/@\"'<>`]{{1,256}}(?:@[^\s/@?#,;|()\"'<>`]{{1,256}}){{0,4}})"
        rf"@{_HOST}",
        _literal,
    ),
    written(
        "url password",
        ("://",),
        rf"://(?P<user>[^\s/:@.\[\"'<>`]{{0,64}}):(?!{_PORT})"
        r"(?P<secret>[^\s/@\"'<>`]{1,128}/[^\s@?\"'<>`]{1,128})@(?=\w)",
        is_password,
    ),
    written(
        "slack webhook",
        ("hooks.slack.com/",),
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[A-Z]\w{6,}/\w[\w/]{20,})",
    ),
    written(
        "discord webhook",
        ("/webhooks/",),
        r"/webhooks/[0-9]{17,20}/(?P<secret>[\w-]{40,})",
    ),
    written(
        "teams webhook",
        (".webhook.office.com/",),
        r"\.webhook\.office\.com/webhookb2/(?P<secret>[\w@-]{36,}/IncomingWebhook/[\w/-]{32,})",
    ),
    written(
        "chat webhook",
        ("/hooks/",),
        r"/hooks/(?P<secret>[a-z0-9]{26}|[A-Za-z0-9]{17}/[A-Za-z0-9]{40,})(?![\w-])",
        is_token,
    ),
    written(
        "pagerduty key",
        ("events.pagerduty.com/integration/",),
        r"events\.pagerduty\.com/integration/(?P<secret>\w{30,})",
    ),
    written(
        "url signature",
        (
            "sig=",
            "signature=",
        ),
        r"(?:(?<=[?&;])|(?<=x-amz-)|(?<=x-goog-)|(?<=&amp;))sig(?:nature)?="
        r"(?P<secret>[\w%+/-]{40,}={0,2})",
    ),
)
"""In this order: of the readings of a password the widest first."""
