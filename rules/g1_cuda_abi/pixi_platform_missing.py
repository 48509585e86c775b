from collections.abc import Iterator
from itertools import islice
from posixpath import basename

from spark_lint.facts import Entry
from spark_lint.project import Project
from spark_lint.rule import ERROR, Advice, rule
from spark_lint.text import UNKNOWN

TABLES = ("workspace", "project", "tool.pixi.workspace", "tool.pixi.project")
# "linux-64", or with what else is known of the machine: { platform = "linux-64", cuda = "13.0" }
NAMES = tuple(f"{table}.platforms{end}" for table in TABLES for end in ("", ".platform"))
SPARK = "linux-aarch64"
MOST = 50
"""Platforms of one list that are looked at; there are fewer."""


@rule(on=Entry, named=NAMES, severity=ERROR)
def pixi_platform_missing(platform: Entry, project: Project) -> Iterator[Advice]:
    if not platform.name.startswith("tool.pixi.") and basename(platform.span.path).lower() != "pixi.toml":
        return
    # A workspace that is for no Linux at all is for other machines.
    if platform.value != "linux-64":
        return
    listed = [each for name in NAMES for each in islice(project.near(platform, Entry, name), MOST)]
    values = [str(each.value) for each in listed]
    if SPARK in values or any(UNKNOWN in value for value in values):
        return
    if min((each.span for each in listed if each.value == "linux-64"), default=platform.span) == platform.span:
        yield Advice(
            f"{platform.written} without {SPARK}: pixi resolves nothing for a Spark, and installs nothing on it",
            f'"{SPARK}" beside it',
        )
