"""One package with a fault, in every format: places have files, and SARIF keeps to 2.1.0."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from support.command import Command

pytestmark = pytest.mark.usefixtures("warm_torch")

FILES = {
    "train.py": "from lib.net import Net\nfrom lib.loop import fit\n\nfit(Net())\n",
    "lib/__init__.py": "",
    "lib/loop.py": (
        "import torch\n\n\ndef fit(net):\n"
        "    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "    loss = net(torch.ones(2, 3)).sum()\n    loss.backward()\n    optimizer.step()\n"
    ),
    "lib/net.py": (
        "import torch\n\n\nclass Net(torch.nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.one = torch.nn.Linear(3, 3)\n\n"
        "    def forward(self, x):\n        h = torch.sigmoid(self.one(x))\n"
        "        h += 1\n        return h\n"
    ),
}
FAULT, SAVER, READER = ("lib/net.py", 11), ("lib/net.py", 10), ("lib/loop.py", 7)

LEVELS = {"none", "note", "warning", "error"}
URI_BASE_FREE = re.compile(r"[A-Za-z0-9._~!$&'()*+,;=:@%/-]+")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    for name, source in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(source)
    return tmp_path


@pytest.mark.whole
def test_every_place_of_the_json_has_its_file_and_libraries_are_no_headline(
    command: Command, package: Path
) -> None:
    done = command("explain", "--json", "--budget", "300", "train.py")

    assert done.returncode == 1
    assert done.stderr == ""
    found = json.loads(done.stdout)
    (culprit,), victim, error = found["culprits"], found["victim"], found["error"]
    places = [(each["file"], each["line"]) for each in (culprit, victim, error)]
    assert places == [FAULT, SAVER, READER]
    assert all(re.fullmatch(r"\S.*:\d+ \S+", place) for place in culprit["chain"])
    assert culprit["chain"][-1] == "lib/net.py:11 forward"
    assert found["fixes"]
    assert {fix["file"] for fix in found["fixes"]} == {"lib/net.py"}
    assert (found["cut_short"], found["not_tried"]) == (False, [])


def test_what_there_was_no_time_for_is_in_the_json(command: Command, package: Path) -> None:
    done = command("explain", "--json", "--budget", "0.01", "train.py")

    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert (found["culprits"][0]["file"], found["culprits"][0]["line"]) == FAULT
    assert found["cut_short"]
    assert "fixes" in found["not_tried"]  # how far the recording came depends on the machine
    assert found["fixes"] == []


@pytest.mark.whole
def test_the_page_folds_the_frames_of_libraries(command: Command, package: Path) -> None:
    page = " ".join(command("explain", "train.py").stdout.replace("│", " ").split())

    assert "through train.py:4 <module> → lib/loop.py:6 fit → … → lib/net.py:11 forward" in page
    assert "torch/nn/modules" not in page


@pytest.mark.whole
def test_annotations_of_github_stand_in_the_files(command: Command, package: Path) -> None:
    done = command("explain", "--format", "github", "train.py")

    assert (done.returncode, done.stderr) == (1, "")
    said = [re.match(r"::(\w+) file=([^,]+),line=(\d+),title=", row) for row in lines(done.stdout)]
    places = [(each[1], each[2], int(each[3])) for each in said if each]
    assert places == [("error", *FAULT), ("notice", *SAVER), ("notice", *READER)]


def lines(text: str) -> list[str]:
    found = text.splitlines()
    assert all(each.startswith("::") for each in found)
    return found


@pytest.mark.whole
def test_sarif_is_a_document_of_its_schema(command: Command, package: Path) -> None:
    done = command("explain", "--format", "sarif", "train.py")

    assert (done.returncode, done.stderr) == (1, "")
    document = json.loads(done.stdout)
    assert list(wrong_in(document)) == []
    (result,) = document["runs"][0]["results"]
    assert place_of(result["locations"][0]) == FAULT
    assert [place_of(each) for each in result["relatedLocations"]] == [SAVER, READER]
    (change,) = result["fixes"][0]["artifactChanges"]
    assert change["artifactLocation"]["uri"] == "lib/net.py"


@pytest.mark.whole
def test_a_document_that_breaks_the_schema_is_seen(command: Command, package: Path) -> None:
    document = json.loads(command("explain", "--format", "sarif", "train.py").stdout)

    document["runs"][0]["results"][0]["level"] = "fatal"
    document["runs"][0]["results"][0]["fixes"][0]["artifactChanges"] = []
    document["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0

    assert len(list(wrong_in(document))) == 3


def place_of(location: dict[str, Any]) -> tuple[str, int]:
    physical = location["physicalLocation"]
    return physical["artifactLocation"]["uri"], physical["region"]["startLine"]


def wrong_in(document: dict[str, Any]) -> Iterator[str]:
    """Yield what the schema of SARIF 2.1.0 forbids, of the parts that `explain` writes.

    Each object has the properties that the schema requires and none that it does not know.
    """
    yield from unknown(document, {"version", "runs"}, {"$schema"})
    if document["version"] != "2.1.0":
        yield "version"
    for run in document["runs"]:
        yield from unknown(run, {"tool"}, {"columnKind", "results"})
        if run["columnKind"] not in ("utf16CodeUnits", "unicodeCodePoints"):
            yield "columnKind"
        yield from unknown(run["tool"], {"driver"}, set())
        driver = run["tool"]["driver"]
        yield from unknown(driver, {"name"}, {"version", "rules"})
        for rule in driver["rules"]:
            yield from unknown(rule, {"id"}, {"fullDescription"})
            yield from wrong_in_message(rule["fullDescription"])
        rules = [rule["id"] for rule in driver["rules"]]
        if len(rules) != len(set(rules)):
            yield "rules are unique"
        for result in run["results"]:
            yield from wrong_in_result(result, rules)


def wrong_in_result(result: dict[str, Any], rules: list[str]) -> Iterator[str]:
    optional = {"level", "locations", "relatedLocations", "fixes", "ruleId"}
    yield from unknown(result, {"message"}, optional)
    yield from wrong_in_message(result["message"])
    if result["level"] not in LEVELS:
        yield f"level {result['level']}"
    if result["ruleId"] not in rules:
        yield f"no rule {result['ruleId']}"
    for location in (*result["locations"], *result["relatedLocations"]):
        yield from wrong_in_location(location)
    numbers = [each["id"] for each in result["relatedLocations"]]
    if len(numbers) != len(set(numbers)) or not all(number >= 0 for number in numbers):
        yield "id"
    for fix in result["fixes"]:
        yield from unknown(fix, {"artifactChanges"}, {"description", "properties"})
        yield from wrong_in_message(fix["description"])
        if not fix["artifactChanges"]:
            yield "a fix without changes"
        for change in fix["artifactChanges"]:
            yield from unknown(change, {"artifactLocation", "replacements"}, set())
            yield from wrong_in_uri(change["artifactLocation"])
            if not change["replacements"]:
                yield "a change without replacements"
            for replacement in change["replacements"]:
                yield from unknown(replacement, {"deletedRegion"}, {"insertedContent"})
                yield from wrong_in_region(replacement["deletedRegion"])
                yield from unknown(replacement["insertedContent"], set(), {"text"})


def wrong_in_location(location: dict[str, Any]) -> Iterator[str]:
    yield from unknown(location, set(), {"physicalLocation", "id", "message"})
    if "message" in location:
        yield from wrong_in_message(location["message"])
    physical = location["physicalLocation"]
    yield from unknown(physical, {"artifactLocation"}, {"region"})
    yield from wrong_in_uri(physical["artifactLocation"])
    yield from wrong_in_region(physical["region"])


def wrong_in_message(message: dict[str, Any]) -> Iterator[str]:
    yield from unknown(message, {"text"}, set())
    if not isinstance(message["text"], str) or not message["text"]:
        yield "a message without text"


def wrong_in_uri(artifact: dict[str, Any]) -> Iterator[str]:
    yield from unknown(artifact, {"uri"}, set())
    if not URI_BASE_FREE.fullmatch(artifact["uri"]) or urlsplit(artifact["uri"]).fragment:
        yield f"uri {artifact['uri']!r}"


def wrong_in_region(region: dict[str, Any]) -> Iterator[str]:
    yield from unknown(region, {"startLine"}, {"startColumn", "endLine", "endColumn"})
    if not all(isinstance(number, int) and number >= 1 for number in region.values()):
        yield f"region {region}"
    if region.get("endLine", region["startLine"]) < region["startLine"]:
        yield f"region {region}"


def unknown(part: dict[str, Any], required: set[str], optional: set[str]) -> Iterator[str]:
    if missing := required - part.keys():
        yield f"{missing} missing"
    if more := part.keys() - required - optional:
        yield f"{more} not known"
