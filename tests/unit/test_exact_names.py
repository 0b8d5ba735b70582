import pytest

from corpus.exact_names import exact_names


@pytest.mark.parametrize(
    ("heading", "names"),
    [
        ("KubePodCrashLooping", ("kubepodcrashlooping",)),
        ("PAY-1042: provider timeout, outcome unknown", ("pay-1042",)),
        ("PAY-1040 to PAY-1046: Corvid or Merle", ("pay-1040", "pay-1046")),
        ("`INDEXER_BATCH_SIZE` is too large", ("indexer_batch_size",)),
        ("Members do not see each other (AlertmanagerMembersInconsistent)",
         ("alertmanagermembersinconsistent",)),
        ("CPUThrottlingHigh", ("cputhrottlinghigh",)),
        ("E4304", ("e4304",)),
        ("JupyterHub and PostgreSQL on GitHub", ()),
        ("repo2docker", ()),
        ("Mitigation", ()),
        ("HTTP 502", ()),
        ("SEV1", ()),
    ],
)  # fmt: skip
def test_a_name_is_an_alert_a_code_or_a_setting(heading: str, names: tuple[str, ...]) -> None:
    assert exact_names(heading) == names
