import pytest

from core.reports import FailedFile
from corpus.git_tree import Entry, Folder, TreeBroken, entries_in, followed, named
from corpus.globs import is_hidden


def test_a_listing_gives_mode_object_and_size_by_path() -> None:
    listed = b"".join(
        line + b"\0"
        for line in (
            b"100644 blob aaaa      12\tdocs/a b\tc.md",
            b"120000 blob bbbb       4\tlink",
            b"160000 commit cccc       -\tmodule",
        )
    )
    assert list(entries_in(listed)) == [
        (b"docs/a b\tc.md", Entry("100644", "aaaa", 12)),
        (b"link", Entry("120000", "bbbb", 4)),
        (b"module", Entry("160000", "cccc", 0)),
    ]


def test_a_file_of_which_git_knows_no_size_is_not_there() -> None:
    with pytest.raises(TreeBroken):
        list(entries_in(b"100644 blob aaaa     BAD\ta.md\0"))


@pytest.mark.parametrize("path", ["../a.md", "a/../../b.md", "/etc/x.md", "./a.md", "a//b.md", ""])
def test_a_path_that_leads_out_is_refused(path: str) -> None:
    assert named(path.encode()) == FailedFile(path, "its path leads out of the source")


def test_a_name_with_dots_in_it_is_a_name() -> None:
    assert named(b"a/..b/c...md") == "a/..b/c...md"


def test_hidden_is_what_stands_below_a_dot() -> None:
    assert [is_hidden(path) for path in (".a/b", "a/.b", "a/b.c")] == [True, True, False]


OUT = "it is a symbolic link that leads out of the source"
NOWHERE = "it is a symbolic link that leads nowhere"


@pytest.mark.parametrize(
    ("target", "leads"),
    [
        ("a/in.md", "a/in.md"),
        ("./a/./in.md", "a/in.md"),
        ("a/../a/in.md", "a/in.md"),
        ("folder/in.md", "a/in.md"),
        ("again", "a/in.md"),
        ("a", Folder("a")),
        (".", Folder("")),
        ("folder", Folder("a")),
        ("..", FailedFile("link", OUT)),
        ("a/../../x", FailedFile("link", OUT)),
        ("/a/in.md", FailedFile("link", OUT)),
        ("link", FailedFile("link", NOWHERE)),
        ("ring", FailedFile("link", NOWHERE)),
        ("gone", FailedFile("link", NOWHERE)),
        ("a/in.md/x", FailedFile("link", NOWHERE)),
    ],
)
def test_a_link_leads_to_a_file_or_folder_of_the_commit_or_is_refused(
    target: str, leads: str | Folder | FailedFile
) -> None:
    targets = {"link": target, "folder": "a", "again": "folder/in.md", "ring": "link"}

    assert followed("link", sorted(["a/in.md", *targets]), targets) == leads
