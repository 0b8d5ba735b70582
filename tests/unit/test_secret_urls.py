"""Secrets in URLs: passwords, tokens, webhooks, signatures."""

import pytest

from core.redaction import redact

RANDOM = "q9Zx7LmT2vKp4RwB8sNd"
LONG = RANDOM * 3
HEX = "3f786850e387550fdab836ed7e6dc881de23001b9c41d2a07be5f6c8912d4e7a"
UUID = "5f8e7d6c-1b4a-4928-9706-f5e4d3c2b1a0"
SNOWFLAKE = "123456789012345678"
FLOW = f"T02AB3CDE/A02AB3CDE/4711/{RANDOM}"
HOOK = f"{RANDOM.lower()}abc123"
TEAMS = f"{UUID}@{UUID}/IncomingWebhook/{HEX[:32]}/{UUID}"
SIGNED = f"{RANDOM * 2}abc%3D"


@pytest.mark.parametrize(
    ("text", "secret", "kind"),
    [
        ("postgres://app:Tr0ub@dor3x@db/x", "Tr0ub@dor3x", "url password"),
        ("postgres://app:Tr0ub/dor3x@db/x", "Tr0ub/dor3x", "url password"),
        ("postgresql+asyncpg://app:p@ss/w0rd#9@db:5432/x", "p@ss/w0rd#9", "url password"),
        ("jdbc:mysql://app:a/b@c9@db/x?mail=me@x.io", "a/b@c9", "url password"),
        ("https://app:Tr0ub@dor3x@h/@scope/name", "Tr0ub@dor3x", "url password"),
        ("https://user@host:Tr0ubdor3x@db/x", "Tr0ubdor3x", "url password"),
        ("https://app:Tr0ub/dor3x@h/path", "Tr0ub/dor3x", "url password"),
        ("redis://:4y/7zT@cache:6379/0", "4y/7zT", "url password"),
        ("amqp://a:s3cr3tA@h1,amqp://a:[redacted: url password]@h2", "s3cr3tA", "url password"),
        (f"git clone https://{RANDOM}@github.com/a/b", RANDOM, "url token"),
        (f"https://{RANDOM}:x-oauth-basic@github.com/a/b", RANDOM, "url token"),
        (f"https://discord.com/api/webhooks/{SNOWFLAKE}/{LONG}", LONG, "discord webhook"),
        (
            f"https://ptb.discordapp.com/api/v10/webhooks/{SNOWFLAKE}/{LONG}",
            LONG,
            "discord webhook",
        ),
        (f"https://hooks.slack.com/workflows/{FLOW}", FLOW, "slack webhook"),
        (f"https://chat.acme.io/hooks/{HOOK}", HOOK, "chat webhook"),
        (f"https://events.pagerduty.com/integration/{HEX[:32]}/enqueue", HEX[:32], "pagerduty key"),
        (f"https://a.webhook.office.com/webhookb2/{TEAMS}", TEAMS, "teams webhook"),
        (f"https://x.blob.core.windows.net/c?sv=2&sig={SIGNED}", SIGNED, "url signature"),
        (f"https://s3.amazonaws.com/b/k?X-Amz-Signature={HEX}", HEX, "url signature"),
    ],
)
def test_a_secret_in_a_url_goes_whole(text: str, secret: str, kind: str) -> None:
    assert redact(text)[0] == text.replace(secret, f"[redacted: {kind}]", 1)


@pytest.mark.parametrize(
    "text",
    [
        "http://prometheus:9090/@scope/name",
        "postgres://replica:5432/db@eu",
        "http://[::1]:8080/a@b",
        "https://registry.npmjs.org/@scope/pkg@1.2.3",
        "https://user@example.com/",
        "https://svc-deploy-2023@dev.azure.com/acme",
        "https://github.com/acme/x@v1.2.3",
        "oci://ns:team/charts/app@sha256:3f786850e387",
        "amqp://guest:guest@mq",
        "redis://cache:6379,me@example.org",
        "https://user@host:8443/@scope/name",
        "mysql://root:<password>@db/x",
        "postgres://$USER:$PASSWORD@db:5432/x?a=b@c",
        "postgres://app:${PASS}/x@db",
        "mongodb://h1:27017,h2:27017/x?authSource=a@b",
        "redis://cache:6379/0 then mail ops@acme.io",
        "https://discord.com/api/webhooks/123456789012345678/<token>",
        "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
        "curl https://h/x?sig=<signature>",
        "abfss://logs7f3a9c2e1b4d5x@acct.dfs.core.windows.net/a",
    ],
)
def test_a_url_without_a_secret_stays(text: str) -> None:
    assert redact(text) == (text, ())
