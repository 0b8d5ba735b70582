"""The shapes of tokens that their issuers publish, so that scanners may know them. Pure.

Chosen for what an operations team holds: clouds, code hosts, CI, chat, paging, monitoring, package
registries, secret stores, databases, mail, payments and models. What has no shape (a Datadog key is
32 hexadecimal digits, an Opsgenie key a UUID) is known by what it is assigned to.
"""

from core.secret_rule import shape, written
from core.secret_values import is_token, is_unbroken_token

UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
# "-----BEGIN RSA PRIVATE KEY" and its kin in base64, as a Kubernetes secret holds them.
_ENCODED_KEY = r"LS0tLS1CRUdJTi(?:BSU0Eg|BQUklW|BFQyBQ|BPUEVO|BFTkNS)[\w+/=]{20,}"
# Where a text is SK and a hexadecimal digit: "sk" alone stands in every "disk".
_TWILIO = " ".join(f"sk{digit}" for digit in "0123456789abcdef")

_KEYS = (
    shape("private key", "ls0tls1crudjti", _ENCODED_KEY),
    shape("age key", "age-secret-key-", r"AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{40,}"),
    shape("jwt", "eyj", r"eyJ[\w-]{10,}+\.eyJ[\w-]{10,}+\.[\w-]{10,}"),
    # {"auths": in base64, as a Kubernetes secret of the registry kind holds it.
    shape("registry login", "eyjhdxrocyi6", r"eyJhdXRocyI6[\w+/]{20,}={0,2}"),
)

_CLOUDS = (
    shape("aws key", "akia asia abia acca", r"A(?:KI|SI|BI|CC)A[0-9A-Z]{16}"),
    shape("aws key", "absk", r"ABSK[A-Za-z0-9+/]{100,}={0,2}"),
    shape("azure secret", "q~", r"[\w.~]{3}[0-9]Q~[\w.~-]{31,34}", lead=4),
    shape("azure devops token", "azdo", r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}", lead=76),
    shape("google key", "aiza gocspx- ya29.", r"(?:AIza|GOCSPX-|ya29\.)[\w-]{24,}"),
    shape("google key", "1//0", r"1//0[\w-]{40,}", is_token),
    shape("alibaba key", "ltai", r"LTAI[A-Za-z0-9]{12,24}", is_token),
    shape("digitalocean token", "doo_v1_ dop_v1_ dor_v1_", r"do[opr]_v1_[a-f0-9]{64}"),
    shape("cloudflare token", "cfat_ cfk_ cfut_", r"cf(?:at|k|ut)_\w{40,}"),
    shape("cloudflare token", "v1.0-", r"v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}"),
    shape("heroku key", "hrku-", r"HRKU-[\w-]{30,}"),
    shape("fly token", "fo1_ fm1a_ fm1r_ fm2_", r"f(?:o1|m1a|m1r|m2)_[\w+/-]{40,}={0,3}"),
    shape("netlify token", "nfp_", r"nfp_[A-Za-z0-9]{36,}"),
    shape("openshift token", "sha256~", r"sha256~[\w-]{43}"),
    shape("tailscale key", "tskey-", r"tskey-[a-z]+-[\w-]{16,}", is_token),
)

_DELIVERY = (
    shape("github token", "gho_ ghp_ ghr_ ghs_ ghu_", r"gh[oprsu]_\w{36,255}"),
    shape("github token", "github_pat_", r"github_pat_\w{22,255}"),
    shape(
        "gitlab token",
        "gl",
        r"gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|soat)-[\w-]{20,}(?:\.[0-9a-z.]{9,12})?",
    ),
    shape("gitlab token", "gr1348941", r"GR1348941[\w-]{20}"),
    shape("atlassian token", "atatt3 atctt3 atbb", r"AT(?:ATT3|CTT3|BB)[\w=.-]{20,}"),
    shape("circleci token", "ccipat_ ccipr", r"CCIPR?(?:AT|J)_[A-Za-z0-9]+_[a-f0-9]{40}"),
    shape("buildkite token", "bkua_ bkaj_ bkct_", r"bk(?:ua|aj|ct)_[\w.-]{40,}"),
    shape("octopus key", "api-", r"API-[A-Z0-9]{25,36}", is_token),
    shape("pulumi token", "pul-", r"pul-[a-f0-9]{40}"),
    shape("terraform token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,}", lead=14),
    shape("harness token", "pat. sat.", r"[ps]at\.[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}"),
    shape("sonar token", "squ_ sqp_ sqa_", r"sq[apu]_[a-f0-9]{40}"),
    shape("sourcegraph token", "sgp_", r"sgp_(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}"),
    shape("launchdarkly key", "sdk-", rf"sdk-{UUID}"),
    shape("postman key", "pmak-", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    shape("npm token", "npm_", r"npm_[A-Za-z0-9]{36}"),
    shape("pypi token", "pypi-age", r"pypi-AgE[\w-]{40,}"),
    shape("rubygems key", "rubygems_", r"rubygems_[a-f0-9]{48}"),
    shape("nuget key", "oy2", r"oy2[a-z0-9]{43}"),
    shape("crates token", "cio", r"cio[A-Za-z0-9]{32}", is_token),
    shape("docker token", "dckr_pat_ dckr_oat_", r"dckr_[po]at_[\w-]{20,}"),
    shape("artifactory key", "akcp cmvmd", r"(?:AKCp[A-Za-z0-9]{60,}|cmVmd[A-Za-z0-9]{59})"),
)

_CHAT = (
    shape("slack token", "xox xapp-", r"(?:xox[a-eoprs]|xapp)-[A-Za-z0-9%-]{10,}"),
    shape("discord token", "", r"[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,38}"),
    shape("discord token", "mfa.", r"mfa\.[\w-]{80,}"),
    written("telegram token", (":aa",), r"(?<=[0-9]{8}):(?P<secret>AA[\w-]{33})(?!\w)"),
    shape("pagerduty key", "u+", r"u\+[\w-]{16,20}", is_token),
    shape("linear key", "lin_api_ lin_oauth_", r"lin_(?:api|oauth)_[A-Za-z0-9]{40,}"),
    shape("notion token", "ntn_", r"ntn_[A-Za-z0-9]{40,}"),
    shape("notion token", "secret_", r"secret_[A-Za-z0-9]{43}", is_token),
    shape("figma token", "figd_ figo_ figu_ figr_", r"fig[dour]_[\w-]{36,}"),
)

_MONITORING = (
    shape("datadog key", "ddapp_ ddpat_", r"dd(?:app|pat)_\w{30,}"),
    shape("grafana token", "glsa_ glc_", r"(?:glsa|glc)_[A-Za-z0-9+/=_]{32,}"),
    shape("grafana token", "eyjrijoi", r"eyJrIjoi[A-Za-z0-9+/]{40,}={0,2}"),
    shape("new relic key", "nrak- nrii- nraa- nrra-", r"NR(?:AK|II|AA|RA)-[\w-]{27,40}"),
    shape("new relic key", "nral", r"[a-z0-9]{36}NRAL", lead=36),
    shape(
        "sentry token",
        "sntrys_ sntryu_ sntrya_ sntryi_",
        r"sntry(?:s_eyJ[\w+/=-]{40,}|[aiu]_[a-f0-9]{64})",
    ),
    shape("dynatrace token", "dt0", r"dt0[a-z][0-9]{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    shape(
        "honeycomb key", "hcaik_ hcalk_ hcbik_ hcxik_ hcxlk_", r"hc(?:[ax][il]|bi)k_[a-z0-9]{50,}"
    ),
)

_STORES = (
    shape("vault token", "hvs. hvb. hvr.", r"hv[brs]\.[\w-]{24,}"),
    shape("doppler token", "dp.", r"dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{40,}"),
    shape("1password token", "ops_eyj", r"ops_eyJ[\w+/=-]{100,}"),
    shape("1password key", "a3-", r"A3-[A-Z0-9]{6}-[A-Z0-9]{6}-?[A-Z0-9]{5}(?:-[A-Z0-9]{5}){3}"),
    shape("databricks token", "dapi", r"dapi[a-f0-9]{32}(?:-[0-9])?"),
    shape("planetscale token", "pscale_", r"pscale_(?:tkn|oauth|pw)_[\w=.-]{32,}"),
    shape("supabase key", "sbp_ sb_secret_", r"sb(?:p_[a-f0-9]{40}|_secret_[\w-]{20,})"),
    shape("shopify token", "shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    shape("square token", "sq0", r"sq0(?:atp|csp)-[\w-]{22,}"),
    shape("stripe key", "sk_ rk_", r"[rs]k_(?:live|test|prod)_\w{16,}"),
    shape("stripe key", "whsec_", r"whsec_[\w+/=]{24,}"),
    shape("plaid token", "access-", rf"access-(?:sandbox|development|production)-{UUID}"),
    shape("twilio key", _TWILIO, r"SK[a-f0-9]{32}"),
    shape("sendgrid key", "sg.", r"SG\.[\w-]{22}\.[\w-]{43}"),
    shape("mailgun key", "key-", r"key-[a-f0-9]{32}"),
    shape("mailchimp key", "-us", r"[a-f0-9]{32}-us[0-9]{1,2}", lead=32),
    shape("brevo key", "xkeysib- xsmtpsib-", r"x(?:key|smtp)sib-[a-f0-9]{64}-\w{16}"),
    shape("resend key", "re_", r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}"),
)

_MODELS = (
    shape("anthropic key", "sk-ant-", r"sk-ant-[\w-]{20,}"),
    shape("openai key", "sk-", r"sk-[\w-]{20,}", is_unbroken_token),
    shape("hugging face token", "hf_", r"hf_[A-Za-z0-9]{34}"),
    shape("hugging face token", "api_org_", r"api_org_[A-Za-z0-9]{34}"),
    shape("groq key", "gsk_", r"gsk_[A-Za-z0-9]{50,}"),
    shape("perplexity key", "pplx-", r"pplx-[A-Za-z0-9]{48}"),
    shape("xai key", "xai-", r"xai-[A-Za-z0-9]{70,}"),
    shape("replicate token", "r8_", r"r8_[A-Za-z0-9]{37}"),
    shape("langsmith key", "lsv2_", r"lsv2_[a-z]{2}_[a-f0-9]{32}_[a-f0-9]{10}"),
)

SHAPES = (*_KEYS, *_CLOUDS, *_DELIVERY, *_CHAT, *_MONITORING, *_STORES, *_MODELS)
"""Each is tried in this order; none is a part of another."""
