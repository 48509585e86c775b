"""Real references to images, each with what it holds: see image_tags.toml. Where the tables and the grammar say something, it is right."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import tomli

from spark_lint import knowledge
from spark_lint.facts import Image
from spark_lint.knowledge import ImageFacts
from spark_lint.read.dockerfile import read
from spark_lint.text import Source

Tag = dict[str, Any]
TAGS: list[Tag] = tomli.loads((Path(__file__).parent / "image_tags.toml").read_text("utf-8"))["tag"]
MOST_OF_ONE = 30
UNKNOWN = "?"


def image(tag: Tag) -> Image:
    """The image of a Dockerfile that says FROM it."""
    source = Source("Dockerfile", "\n".join([*tag.get("args", ()), f"FROM {tag['ref']}"]) + "\n")
    [found] = [fact for fact in read(source) if isinstance(fact, Image)]
    return found


def described(tag: Tag) -> ImageFacts:
    return knowledge.describe(image(tag))


def agree(said: str, label: str) -> bool:
    """Whether two releases are the same as far as both go: 12.4 and 12.4.1."""
    return all(ours == theirs for ours, theirs in zip(said.split("."), label.split("."), strict=False))


@pytest.mark.parametrize("tag", TAGS, ids=lambda tag: tag["ref"][:100])
def test_what_is_said_of_an_image_is_right(tag: Tag) -> None:
    facts = described(tag)
    if facts.cuda:
        assert tag["cuda"] not in ("", UNKNOWN)
        assert agree(facts.cuda, tag["cuda"])
    if facts.arm64 is not None and "arm64" in tag:
        assert facts.arm64 == (tag["arm64"] == "yes")
    if facts.other_machine:
        assert facts.other_machine == tag.get("machine")
    if facts.moving:
        assert tag.get("moving") != "no"


def test_much_is_said() -> None:
    """So that saying nothing of any image is no way to be right."""
    with_cuda = [tag for tag in TAGS if tag["cuda"] not in ("", UNKNOWN)]
    assert sum(bool(described(tag).cuda) for tag in with_cuda) >= 0.85 * len(with_cuda)
    with_arm64 = [tag for tag in TAGS if "arm64" in tag]
    assert sum(described(tag).arm64 is not None for tag in with_arm64) >= 0.9 * len(with_arm64)
    with_machine = [tag for tag in TAGS if "machine" in tag]
    assert sum(bool(described(tag).other_machine) for tag in with_machine) >= 0.9 * len(with_machine)
    moving = [tag for tag in TAGS if tag.get("moving") == "yes"]
    assert sum(described(tag).moving for tag in moving) >= 0.9 * len(moving)


def test_the_references_are_many_and_of_many_repositories() -> None:
    names = Counter(image(tag).name for tag in TAGS if "args" not in tag)
    assert sum(tag["cuda"] != UNKNOWN for tag in TAGS) >= 500
    assert len(names) >= 200
    assert max(names.values()) <= MOST_OF_ONE
    assert all(tag["found"] and tag["why"] for tag in TAGS)
