"""A pack is known by its content, adds and never hides, and its faults are its own."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path

import pytest

from inplace_tui.common.run.program import Origin
from inplace_tui.common.trust import Trust
from inplace_tui.tutorial.drive.lessons import MAX_FILES, MAX_TOTAL_BYTES, read_course
from inplace_tui.tutorial.drive.packs import MAX_BYTES, Library, read_library, read_pack
from support.packs import write_pack

BUILT_IN = Path(__file__).parents[1] / "lessons" / "planted"


def library(packs: Path) -> Library:
    return read_library(None, BUILT_IN, packs)


def ids(found: Library) -> list[str]:
    return [each.lesson.id for each in found.course.lessons]


def said(found: Library) -> list[str]:
    return [each.message.en for each in found.course.problems]


def test_a_pack_is_shown_below_the_built_in_lessons_and_may_require_what_they_teach(
    tmp_path: Path,
) -> None:
    pack = write_pack(tmp_path / "theirs", "new-idea")
    file = pack / "01-mine/01-new-idea.yaml"
    file.write_text(file.read_text("utf-8").replace("requires: []", "requires: [saved-output]"))

    found = library(tmp_path)

    assert ids(found) == ["version-counter", "saved-output", "new-idea"]
    assert said(found) == []
    assert found.pack_of(found.course.lessons[0]) is None
    assert found.pack_of(found.course.lessons[2]) == found.packs[0]


def test_a_lesson_with_a_built_in_id_is_named_and_hides_nothing(tmp_path: Path) -> None:
    write_pack(tmp_path / "theirs", "saved-output")

    found = library(tmp_path)

    assert ids(found) == ["version-counter", "saved-output"]
    assert found.course.lessons[1].path.startswith(BUILT_IN.as_posix())
    assert said(found) == [
        f"a lesson 'saved-output' is there already: {found.course.lessons[1].path}"
    ]


def _link(pack: Path) -> None:
    (pack / "01-mine/02-link.yaml").symlink_to("/etc/hostname")


def _linked_folder(pack: Path) -> None:
    (pack / "02-more").symlink_to("/etc")


def _huge(pack: Path) -> None:
    (pack / "huge.bin").write_bytes(bytes(MAX_BYTES + 1))


def _many(pack: Path) -> None:
    for number in range(MAX_FILES):
        (pack / str(number)).touch()


def _heavy(pack: Path) -> None:
    for number in range(MAX_TOTAL_BYTES // MAX_BYTES):
        with (pack / str(number)).open("wb") as file:
            file.truncate(MAX_BYTES)


def _folders(pack: Path) -> None:
    for number in range(MAX_FILES):
        (pack / str(number)).mkdir()


def _socket(pack: Path) -> None:
    here = Path.cwd()
    os.chdir(pack)  # a socket's name is short
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind("socket")
    finally:
        os.chdir(here)


def _itself(pack: Path) -> None:
    (pack / "01-mine/02-itself.yaml").symlink_to("02-itself.yaml")


def _pipe(pack: Path) -> None:
    os.mkfifo(pack / "pipe")


def _deep(pack: Path) -> None:
    (pack / "/".join("abcdefghij")).mkdir(parents=True)


REFUSED = [
    (_link, "a symbolic link"),
    (_linked_folder, "a symbolic link"),
    (_huge, f"more than {MAX_BYTES} bytes"),
    (_many, f"more than {MAX_FILES} files"),
    (_folders, f"more than {MAX_FILES} files"),
    (_socket, "neither a file nor a folder"),
    (_itself, "a symbolic link"),
    (_heavy, f"more than {MAX_TOTAL_BYTES} bytes"),
    (_pipe, "neither a file nor a folder"),
    (_deep, "nested deeper"),
]


@pytest.mark.parametrize(("spoil", "why"), REFUSED, ids=[each[0].__name__ for each in REFUSED])
@pytest.mark.whole
def test_a_pack_that_cannot_be_read_whole_has_problems_and_no_lessons(
    tmp_path: Path, spoil: object, why: str
) -> None:
    pack = write_pack(tmp_path / "theirs", "new-idea")
    assert callable(spoil)
    spoil(pack)

    found = library(tmp_path)

    assert ids(found) == ["version-counter", "saved-output"]
    assert [each.startswith(why) for each in said(found)] == [True]


def test_a_broken_file_of_a_pack_leaves_the_others(tmp_path: Path) -> None:
    pack = write_pack(tmp_path / "theirs", "new-idea")
    (pack / "01-mine/02-broken.yaml").write_text("schema: [")

    found = library(tmp_path)

    assert ids(found) == ["version-counter", "saved-output", "new-idea"]
    assert said(found)[0].startswith("not YAML")


def test_any_change_makes_another_pack_and_moving_it_does_not(tmp_path: Path) -> None:
    pack = write_pack(tmp_path / "theirs", "new-idea")
    digests = [read_pack(pack).digest]

    shutil.copytree(pack, tmp_path / "moved")
    digests.append(read_pack(tmp_path / "moved").digest)
    (pack / "notes.txt").write_text("a")
    digests.append(read_pack(pack).digest)
    (pack / "notes.txt").rename(pack / "note.txt")
    digests.append(read_pack(pack).digest)

    assert digests[0] == digests[1]
    assert len(set(digests)) == 3


def test_what_was_read_is_what_is_trusted_and_run(tmp_path: Path) -> None:
    """Whoever changes a file while the question stands there gets another question."""
    pack = write_pack(tmp_path / "theirs", "new-idea")
    asked = read_pack(pack)
    before = asked.course.lessons[0].program()
    file = pack / "01-mine/01-new-idea.yaml"
    file.write_text(file.read_text("utf-8").replace("code: |\n", "code: |\n  import os\n"))

    Trust(tmp_path / "trusted.json").add(asked.digest, pack)

    assert asked.course.lessons[0].program() == before
    assert read_pack(pack).digest not in Trust(tmp_path / "trusted.json").digests


def test_a_course_has_as_many_files_as_a_pack(tmp_path: Path) -> None:
    chapter = write_pack(tmp_path, "new-idea") / "01-mine"
    for number in range(MAX_FILES):
        (chapter / f"{number}.yaml").touch()

    problems = read_course(tmp_path, origin=Origin.BUILT_IN).problems

    assert f"more than {MAX_FILES} files" in problems[0].text("en")
    assert len(problems) <= MAX_FILES + 1


def test_a_pack_whose_name_is_no_text_is_trusted(tmp_path: Path) -> None:
    trust = Trust(tmp_path / "trusted.json")

    trust.add("one", tmp_path / "\udcff\x1b]0;x")

    assert Trust(trust.path).digests == {"one"}
    assert "\\\\udcff" in trust.path.read_text("utf-8")


def test_trust_is_kept_by_content_across_sessions(tmp_path: Path) -> None:
    file = tmp_path / "home" / "trusted.json"

    Trust(file).add("one", tmp_path)
    Trust(file).add("two", tmp_path)

    assert Trust(file).digests == {"one", "two"}


@pytest.mark.parametrize(
    "content",
    [b"{", b"[]", b'{"schema": 2}', b'{"schema": 1, "packs": {"a": {}}}', b'{"schema": 1, "x": 1}'],
)
def test_a_foreign_file_is_set_aside_and_trusts_nothing(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "trusted.json"
    file.write_bytes(content)

    trust = Trust(file)

    assert trust.digests == frozenset()
    assert trust.notice is not None
    assert (tmp_path / "trusted.broken-1.json").read_bytes() == content


def test_what_cannot_be_kept_holds_for_the_session(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file where the folder should be")
    trust = Trust(tmp_path / "home" / "trusted.json")

    trust.add("one", tmp_path)

    assert trust.digests == {"one"}
    assert trust.notice is not None


def test_what_is_no_pack_is_named_where_packs_are(tmp_path: Path) -> None:
    write_pack(tmp_path / "theirs", "new-idea")
    shutil.copytree(tmp_path / "theirs" / "01-mine", tmp_path / "02-bare")
    shutil.copytree(tmp_path / "theirs", tmp_path / "double" / "theirs")
    (tmp_path / "empty").mkdir()
    (tmp_path / "theirs.zip").write_bytes(b"PK")
    (tmp_path / "03-lesson.yaml").write_text("schema: 1")
    (tmp_path / "gone").symlink_to("nowhere")
    (tmp_path / "README.md").write_text("not ours to judge")

    found = library(tmp_path)

    assert ids(found)[-1] == "new-idea"
    assert {
        Path(each.path).name: each.message.en.partition(":")[0] for each in found.course.problems
    } == {
        "02-bare": "a chapter, not a pack",
        "03-lesson.yaml": "not a pack",
        "double": "no lesson in it",
        "empty": "no lesson in it",
        "gone": "not a pack",
        "theirs.zip": "not a pack",
    }
