"""Tokens that are known by their own shape, wherever they stand."""

import pytest

from core.models import Redaction
from core.redaction import redact
from core.secret_shapes import SHAPES

HEX = "3f786850e387550fdab836ed7e6dc881de23001b9c41d2a07be5f6c8912d4e7a"
MIXED = "q9Zx7LmT2vKp4RwB8sNd3HfY6jGc5XuE1aQiW0oZrVtCyMkPnSbDhJlUgFeA"
UPPER = "Q9ZX7LMT2VKP4RWB8SND3HFY6JGC5XUE1AQIW0OZRVTCYMKPNSBDHJLUGFEA"
LOWER = MIXED.lower()
UUID = "5f8e7d6c-1b4a-4928-9706-f5e4d3c2b1a0"

# Written in halves, so that no scanner takes this file for a leak.
TOKENS = [
    ("1password key", "A3-", "Q9ZX7L-MT2VKP-4RWB8-SND3H-FY6JG-C5XUE"),
    ("1password token", "ops_" + "eyJ", MIXED * 3),
    ("age key", "AGE-SECRET-KEY-1", UPPER[:58]),
    ("alibaba key", "LTAI", MIXED[:20]),
    ("anthropic key", "sk-ant-", f"api03-{MIXED}"),
    ("artifactory key", "AKCp", (MIXED + MIXED)[:69]),
    ("atlassian token", "ATATT3", f"xFfGF0{MIXED}={UPPER[:8]}"),
    ("atlassian token", "ATBB", MIXED[:32]),
    ("aws key", "ABSK", MIXED * 2),
    ("aws key", "ASIA", UPPER[:16]),
    ("azure devops token", MIXED + MIXED[:16], "AZDO" + MIXED[:4]),
    ("azure secret", "q9Z8", f"Q~{MIXED[:33]}"),
    ("brevo key", "xkeysib-", f"{HEX}-{MIXED[:16]}"),
    ("buildkite token", "bkua_", HEX[:40]),
    ("circleci token", "CCIPAT_", f"{MIXED[:22]}_{HEX[:40]}"),
    ("circleci token", "CCIPRJ_", f"{MIXED[:22]}_{HEX[:40]}"),
    ("cloudflare token", "cfut_", MIXED[:48]),
    ("cloudflare token", "v1.0-", f"{HEX[:24]}-{HEX}{HEX}{HEX[:18]}"),
    ("crates token", "cio", MIXED[:32]),
    ("databricks token", "dapi", HEX[:32]),
    ("datadog key", "ddapp_", MIXED[:34]),
    ("digitalocean token", "dop_v1_", HEX),
    ("discord token", "mfa.", MIXED + MIXED[:24]),
    ("docker token", "dckr_pat_", MIXED[:27]),
    ("doppler token", "dp.pt.", MIXED[:43]),
    ("doppler token", "dp.st.prd.", MIXED[:43]),
    ("dynatrace token", "dt0c01.", f"{UPPER[:24]}.{UPPER}{UPPER[:4]}"),
    ("figma token", "figd_", MIXED[:40]),
    ("fly token", "fm2_", MIXED * 2 + "=="),
    ("github token", "ghs_", MIXED[:36]),
    ("gitlab token", "glpat-", f"{MIXED[:27]}.01.1a2b3c4d5"),
    ("gitlab token", "GR1348941", MIXED[:20]),
    ("google key", "1//0", MIXED[:60]),
    ("google key", "ya29.", MIXED),
    ("grafana token", "eyJrIjoi", MIXED),
    ("grafana token", "glc_", f"{MIXED}="),
    ("grafana token", "glsa_", f"{MIXED[:32]}_{HEX[:8]}"),
    ("groq key", "gsk_", MIXED[:52]),
    ("harness token", "pat.", f"{MIXED[:22]}.{MIXED[:24]}.{MIXED[:20]}"),
    ("heroku key", "HRKU-", MIXED),
    ("honeycomb key", "hcaik_", LOWER[:58]),
    ("hugging face token", "api_org_", MIXED[:34]),
    ("hugging face token", "hf_", MIXED[:34]),
    ("langsmith key", "lsv2_pt_", f"{HEX[:32]}_{HEX[:10]}"),
    ("launchdarkly key", "sdk-", UUID),
    ("linear key", "lin_api_", MIXED[:40]),
    ("mailchimp key", HEX[:32], "-us12"),
    ("mailgun key", "key-", HEX[:32]),
    ("netlify token", "nfp_", MIXED[:36]),
    ("new relic key", HEX[:36], "NRAL"),
    ("new relic key", "NRAK-", UPPER[:27]),
    ("notion token", "ntn_", MIXED[:46]),
    ("notion token", "secret_", MIXED[:43]),
    ("npm token", "npm_", MIXED[:36]),
    ("nuget key", "oy2", LOWER[:43]),
    ("octopus key", "API-", UPPER[:26]),
    ("openai key", "sk-", f"proj-{MIXED}"),
    ("openshift token", "sha256~", MIXED[:43]),
    ("pagerduty key", "u+", MIXED[:18]),
    ("perplexity key", "pplx-", MIXED[:48]),
    ("plaid token", "access-production-", UUID),
    ("planetscale token", "pscale_tkn_", MIXED[:43]),
    ("postman key", "PMAK-", f"{HEX[:24]}-{HEX[:34]}"),
    ("pulumi token", "pul-", HEX[:40]),
    ("pypi token", "pypi-AgE", f"IcHlwaS5vcmc{MIXED}"),
    ("registry login", "eyJhdXRo" + "cyI6", f"{MIXED}=="),
    ("replicate token", "r8_", MIXED[:37]),
    ("resend key", "re_", f"{MIXED[:8]}_{MIXED[:24]}"),
    ("rubygems key", "rubygems_", HEX[:48]),
    ("sendgrid key", "SG.", f"{MIXED[:22]}.{MIXED[:43]}"),
    ("sentry token", "sntrys_" + "eyJ", f"{MIXED}=_{MIXED[:43]}"),
    ("sentry token", "sntryu_", HEX),
    ("shopify token", "shpat_", HEX[:32]),
    ("slack token", "xoxd-", f"{MIXED[:30]}%2B{MIXED}"),
    ("sonar token", "squ_", HEX[:40]),
    ("sourcegraph token", "sgp_", f"{HEX[:16]}_{HEX[:40]}"),
    ("square token", "sq0atp-", MIXED[:22]),
    ("stripe key", "rk_live_", MIXED[:24]),
    ("stripe key", "whsec_", f"{MIXED[:40]}+/="),
    ("supabase key", "sb_secret_", MIXED[:31]),
    ("tailscale key", "tskey-", f"auth-{MIXED[:12]}CNTRL-{MIXED[:32]}"),
    ("terraform token", MIXED[:14], f".atlasv1.{(MIXED + MIXED)[:67]}"),
    ("twilio key", "SK", HEX[:32]),
    ("vault token", "hvs.", MIXED),
    ("xai key", "xai-", (MIXED + MIXED)[:80]),
]


@pytest.mark.parametrize(("kind", "prefix", "rest"), TOKENS)
def test_a_token_with_a_shape_of_its_own_goes_whole(kind: str, prefix: str, rest: str) -> None:
    assert redact(f"run `x {prefix}{rest}`, then") == (
        f"run `x [redacted: {kind}]`, then",
        (Redaction(1, kind),),
    )


def test_every_shape_is_told_here_or_among_the_redactions() -> None:
    elsewhere = {"private key", "jwt", "telegram token"}

    assert {rule.kind for rule in SHAPES} - {kind for kind, *_ in TOKENS} == elsewhere


@pytest.mark.parametrize(
    "text",
    [
        f"sha256:{HEX}",
        f"{HEX}  release.tar.gz",
        f"git show {HEX[:40]}",
        f"trace {HEX[:32]}",
        f"pod/api-{UUID}",
        "api-7d9f8b6c5-x2k4q",
        "ghcr.io/acme/app@sha256:" + HEX,
        "sk-learn, re_create, key-value, task-0123",
        "sk-learn-pipeline-production-2024a",
        "sha256~",
        "hvs.<your token>",
        "glpat-xxxxxxxxxxxxxxxxxxxx",
        f"ghp_{'x' * 36}",
        "AKIAIOSFODNN7EXAMPLE",
        "xoxb-your-bot-token",
        "pat.match(a).group(b)",
        "x.atlasv1.y",
        "a3-tier-network",
        f"sdk-{UUID[:8]}",
        "zone-us-east-1-us1",
        "https://discord.com/channels/123456789012345678/123456789012345678",
    ],
)
def test_hashes_ids_names_and_examples_stay(text: str) -> None:
    assert redact(text) == (text, ())
