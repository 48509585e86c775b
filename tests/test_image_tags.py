"""Real references to images, each with what it holds: see image_tags.toml. Where the tables and the grammar say something, it is right."""

from collections import Counter
from pathlib import Path

import pytest
import tomli

from spark_lint import knowledge
from spark_lint.knowledge import ImageFacts
from spark_lint.read.reference import image
from spark_lint.text import Source, Text

TAGS = tomli.loads((Path(__file__).parent / "image_tags.toml").read_text("utf-8"))["tag"]
MOST_OF_ONE = 30
UNKNOWN = "?"


def described(reference: str) -> ImageFacts:
    return knowledge.describe(image(Text.of(Source("Dockerfile", reference))))


def agree(said: str, label: str) -> bool:
    """Whether two releases are the same as far as both go: 12.4 and 12.4.1."""
    return all(ours == theirs for ours, theirs in zip(said.split("."), label.split("."), strict=False))


@pytest.mark.parametrize("tag", TAGS, ids=lambda tag: tag["ref"][:100])
def test_what_is_said_of_an_image_is_right(tag: dict[str, str]) -> None:
    facts = described(tag["ref"])
    if facts.cuda and tag["cuda"] != UNKNOWN:
        assert tag["cuda"]
        assert agree(facts.cuda, tag["cuda"])
    if facts.arm64 is not None and "arm64" in tag:
        assert facts.arm64 == (tag["arm64"] == "yes")
    if facts.other_machine:
        assert facts.other_machine == tag.get("machine")


def test_much_is_said() -> None:
    """So that saying nothing of any image is no way to be right."""
    with_cuda = [tag for tag in TAGS if tag["cuda"] not in ("", UNKNOWN)]
    assert sum(bool(described(tag["ref"]).cuda) for tag in with_cuda) >= 0.85 * len(with_cuda)
    with_machine = [tag for tag in TAGS if "machine" in tag]
    assert sum(bool(described(tag["ref"]).other_machine) for tag in with_machine) >= 0.9 * len(with_machine)


def test_the_references_are_many_and_of_many_repositories() -> None:
    names = Counter(image(Text.of(Source("Dockerfile", tag["ref"]))).name for tag in TAGS)
    assert sum(tag["cuda"] != UNKNOWN for tag in TAGS) >= 200
    assert len(names) >= 100
    assert max(names.values()) <= MOST_OF_ONE
    assert all(tag["found"] and tag["why"] for tag in TAGS)
