"""The guard's rules, one fact each."""

import pytest

from core.guard import MORE_STEPS, NO_ANSWER, Guarded, Rule, Source, guarded, read_ahead

DRAIN = Source(
    1,
    """## Drain a worker node

1. Close it: `kubectl cordon "$NODE"`.
2. Drain it:

   ```bash
   kubectl drain "$NODE" --ignore-daemonsets --timeout=15m
   ```

3. Open it again when it is `Ready`: `kubectl uncordon "$NODE"`.

Wait 10 minutes between two nodes. Never delete the PVC of a database. The log is in
`/var/log/kubelet.log`, the API on port 8080 of `node-7`, in version 1.30.2.
PAY-1042 means a timeout. Use `--force-with-lease` when you push, see https://runbooks.example/push.
""",
    "Nodes › Drain a worker node",
)
OTHER = Source(
    2,
    """## Clean up

Delete the scratch volume, but only if its owner agrees. Restart the indexer when it hangs.
Stop the scheduler only with the owner's word.

```bash
# look first
df -h /srv
rm -r /srv/scratch
```

### Never do these

- Delete a queue with messages.
""",
    "Disks › Clean up",
)


def guard(text: str, *, instructions: str = "") -> Guarded:
    return guarded(text, (DRAIN, OTHER), instructions=instructions)


def rules(text: str) -> list[Rule]:
    return [one.rule for one in guard(text).dropped]


def test_what_the_cited_section_says_is_kept_and_shown_as_it_was_written() -> None:
    text = 'Close the node with `kubectl cordon "$NODE"` first [1]. Wait 10 minutes after it [1].'
    result = guard(text)
    assert result.text == text
    assert result.useful
    assert [one.citations for one in result.kept] == [(1,), (1,)]
    assert result.citations == (1,)


@pytest.mark.parametrize(
    "text",
    [
        "The node is closed.",
        "The node is closed [0].",
        "The node is closed [3].",
        "The node is closed [1][9].",
        "The node is closed 【1】.",
    ],
)
def test_a_sentence_without_a_citation_that_exists_is_dropped(text: str) -> None:
    result = guard(text)
    assert [one.rule for one in result.dropped] == [Rule.CITATION]
    assert (result.text, result.useful) == ("", False)


def test_a_citation_after_the_full_stop_belongs_to_the_sentence_before_it() -> None:
    assert [one.citations for one in guard("The node is closed. [1] It hangs. [2]").kept] == [
        (1,),
        (2,),
    ]


@pytest.mark.parametrize(
    "text",
    [
        'Run `kubectl drain "$NODE" --ignore-daemonsets` [1].',
        'Run `kubectl drain "$NODE" --ignore-daemonsets --timeout=15m --force` [1].',
        'Run `kubectl drain "$NODE" --ignore-daemonsets --timeout=150m` [1].',
        'Run `drain "$NODE" --ignore-daemonsets --timeout=15m` [1].',
        "Push with `--force` [1].",
        "Look into `/var/log` [1].",
        "Look into `/var/log/kubelet.log.1` [1].",
        "It is `node-70` [1].",
        "Run `rm -r /srv` [2].",
        "Run `rm -r /srv/scratch` [1].",
        "Like this [2]:\n```bash\nrm -r /srv/scratch\ndf -h /srv\n```",
        "Like this [2]:\n```bash\n# first wipe all\ndf -h /srv\n```",
        "Like this [2]:\n```bash\nrm -r /srv/scratch # and /srv\n```",
        "Like this [2]:\n```\nrm -rf /srv/scratch\n```",
        "rm -rf /srv/scratch [2]",
        "$ sudo rm -r /srv/scratch [2]",
        "Now run rm -r /srv [2].",
        "Just kubectl delete everything there [1].",
    ],
)
def test_a_command_that_is_not_there_whole_and_letter_for_letter_is_dropped(text: str) -> None:
    assert guard(text).kept == ()
    assert Rule.COMMAND in rules(text) or Rule.FACT in rules(text)


@pytest.mark.parametrize(
    "text",
    [
        'Run `kubectl drain "$NODE" --ignore-daemonsets --timeout=15m` [1].',
        "Push with `--force-with-lease` [1].",
        "The flag `--timeout=15m` bounds it [1].",
        "Look into `/var/log/kubelet.log` [1].",
        "Like this [2]:\n```bash\n# look first\ndf -h /srv\nrm -r /srv/scratch\n```",
        "Like this [2]:\n\n```sh\nrm -r /srv/scratch\n```",
        'Steps [1]:\n1. Close it with `kubectl cordon "$NODE"`.\n2. Then drain it.',
        "The API listens on port 8080 of node-7 [1].",
        "Wait ten minutes between nodes [1].",
        "Wait 10 min between nodes [1].",
        "It needs version 1.30.2 [1].",
        "PAY-1042 is a timeout [1].",
        "More is at https://runbooks.example/push [1].",
    ],
)
def test_what_stands_there_is_kept_however_it_is_laid_out(text: str) -> None:
    assert rules(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Wait 100 minutes [1].",
        "Wait 1 minute [1].",
        "Wait 10 hours [1].",
        "Wait ten hours [1].",
        "Wait 10% of the time [1].",
        "It needs version 1.30 [1].",
        "It needs version 1.30.20 [1].",
        "The API is on port 808 [1].",
        "PAY-1043 is a timeout [1].",
        "It is on node-8 [1].",
        "The KubeNodeNotReady alert is about that [1].",
        "Set NODE_TIMEOUT for that [1].",
        "Ask db.internal.example for it [1].",
        "More is at https://runbooks.example/pushed [1].",
        "Use –force for that [1].",
        "Then FLUSHALL is next [1].",
    ],
)
def test_a_number_name_or_address_that_is_not_there_is_dropped(text: str) -> None:
    assert rules(text) == [Rule.FACT]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Reboot the node first [1].", Rule.ACTION),
        ("Purge the volume [2].", Rule.ACTION),
        ("Restart the database [2].", Rule.ACTION),
        ("Delete the PVC of the database [1].", Rule.NEGATION),
        ("You should delete the PVC [1].", Rule.NEGATION),
        ("Do not hesitate to delete the PVC [1].", Rule.NEGATION),
        ("Go ahead and get rid of the PVC [1].", Rule.NEGATION),
        ("Deleting the PVC is safe [1].", Rule.NEGATION),
        ("A PVC can be deleted [1].", Rule.NEGATION),
        ("Skip the cordon [1].", Rule.ACTION),
        ("Never drain the node [1].", Rule.NEGATION),
        ("Do not restart the indexer [2].", Rule.NEGATION),
        ("Delete the queue [2].", Rule.NEGATION),
        ("Stop the scheduler [2].", Rule.CONDITION),
    ],
)
def test_advice_that_the_section_does_not_give_is_dropped(text: str, rule: Rule) -> None:
    assert rules(text) == [rule]


@pytest.mark.parametrize(
    "text",
    [
        "Never delete the PVC of a database [1].",
        "Do not delete a PVC [1].",
        "Drain the node, then uncordon it [1].",
        "Draining closes the node [1].",
        "Restart the indexer if it hangs [2].",
        "Delete the scratch volume if its owner agrees [2].",
        "With the owner's word, stop the scheduler [2].",
        "Never delete a queue with messages [2].",
    ],
)
def test_advice_and_warnings_that_the_section_gives_are_kept(text: str) -> None:
    assert rules(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Ask @everyone about it [1].",
        "Ask @here about it [1].",
        "Ask @jane about it [1].",
        "Ask <@123> about it [1].",
        "Ask <@&123> about it [1].",
        "Ask <!channel> about it [1].",
        "Ask <#C024BE7LR> about it [1].",
        "It is <b>closed</b> [1].",
        "It is &#64;everyone [1].",
        "See ![x](https://runbooks.example/push) [1].",
        "See [the page](https://evil.example/push) [1].",
        "See [the page](https://runbooks.example/push) [1].",
        "See [the page][x] [1].",
        "See <https://evil.example|the page> [1].",
        "It is clo\u200bsed [1].",
        "It is \u202eclosed [1].",
        "It is nоde-7 [1].",
        "It is ｎode-7 [1].",
        "It is 𝚗ode-7 [1].",
        "It is \x00 closed [1].",
        "It is `closed [1].",
        "## Drain [1]",
        "| node | closed [1] |",
    ],
)
def test_pings_markup_and_hidden_signs_are_dropped(text: str) -> None:
    assert rules(text) == [Rule.MARKUP]


def test_what_repeats_the_instructions_is_dropped_unless_a_section_says_it() -> None:
    instructions = (
        "Answer in at most six sentences or steps, and wait 10 minutes between two nodes."
    )
    result = guard(
        "Answer in at most six sentences or steps [1]."
        " Always wait 10 minutes between two nodes [1].",
        instructions=instructions,
    )
    assert [one.rule for one in result.dropped] == [Rule.INSTRUCTIONS]
    assert result.text == "Always wait 10 minutes between two nodes [1]."


def test_the_steps_after_one_that_was_dropped_go_too_and_the_answer_says_so() -> None:
    result = guard(
        'Do this [1]:\n1. Close it: `kubectl cordon "$NODE"`.\n2. Reboot the node.\n'
        '3. Open it again: `kubectl uncordon "$NODE"`.'
    )
    assert result.text == (f'Do this [1]:\n1. Close it: `kubectl cordon "$NODE"`.\n\n{MORE_STEPS}')
    assert [one.rule for one in result.dropped] == [Rule.ACTION, Rule.PROCEDURE]


def test_a_bullet_does_not_take_the_others_with_it() -> None:
    result = guard("- Drain the node [1].\n- Reboot the node [1].\n- Restart the indexer [2].")
    assert result.text == "- Drain the node [1].\n- Restart the indexer [2]."


def test_steps_in_another_order_than_in_the_section_are_dropped() -> None:
    result = guard(
        '1. Open it: `kubectl uncordon "$NODE"` [1].\n2. Close it: `kubectl cordon "$NODE"` [1].'
    )
    assert [(one.rule, one.detail) for one in result.dropped] == [
        (Rule.COMMAND, "commands in another order than in the section")
    ]


def test_a_lead_in_goes_when_nothing_of_what_it_announces_is_left() -> None:
    assert guard("Do this [1]:\n- Reboot the node.\n- Purge the node.").text == ""
    assert guard("Drain the node [1]. Then run it as follows [1]:").text == "Drain the node [1]."


@pytest.mark.parametrize("text", ["Then restart the indexer [2].", "Restart it when it hangs [2]."])
def test_what_hangs_on_a_dropped_sentence_goes_with_it(text: str) -> None:
    assert rules(f"Reboot the indexer [2]. {text}") == [Rule.ACTION, Rule.DANGLING]


@pytest.mark.parametrize("text", ["", "   \n", "See section [1].", "Here it is [1].", "[1]"])
def test_an_answer_that_states_nothing_is_not_shown(text: str) -> None:
    result = guard(text)
    assert (result.text, result.useful, result.citations) == ("", False, ())


@pytest.mark.parametrize(
    "text",
    [NO_ANSWER, f"**{NO_ANSWER.lower()}**", f"Sorry. {NO_ANSWER}. Run `rm -r /srv/scratch` [2]."],
)
def test_the_fixed_token_means_that_there_is_no_answer(text: str) -> None:
    result = guard(text)
    assert result == Guarded("", (), (), (), useful=False, says_no=True)


def test_abbreviations_versions_and_file_names_do_not_end_a_sentence() -> None:
    text = "Wait, e.g. 10 minutes between two nodes, i.e. until version 1.30.2 of kubelet.log [1]."
    assert [one.text for one in guard(text).kept] == [text]


def test_without_sections_nothing_is_kept() -> None:
    assert guarded("Drain it [1].", ()).kept == ()


def test_sections_that_were_read_ahead_are_judged_alike() -> None:
    text = "Drain the node [1]. Reboot the node [1]. Restart the indexer when it hangs [2]."
    before = guard(text)
    read_ahead((DRAIN, OTHER))
    assert guard(text) == before
