import pytest

from core.thoughts import without_thoughts


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Undo it [1].", "Undo it [1]."),
        ("<think>hm</think>Undo it [1].", "Undo it [1]."),
        ("<think>hm\n\nrm -rf /\n</think>\n\nUndo it [1].", "\n\nUndo it [1]."),
        ("hm, the template opened it</think>Undo it [1].", "Undo it [1]."),
        ("Undo it [1]. <think>or delete it", "Undo it [1]. "),
        ("<THINKING>hm</Thinking>Undo <reasoning>x</reasoning>it.", "Undo it."),
        ("<think>a<think>b</think>c</think>Undo it.", "Undo it."),
        ("Say <thinker> to it.", "Say <thinker> to it."),
        ("", ""),
    ],
)
def test_only_what_is_said_is_left(text: str, said: str) -> None:
    assert without_thoughts(text) == said
