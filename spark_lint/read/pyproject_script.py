"""What the TOML in the header of a Python script says (PEP 723)."""

from collections.abc import Iterator

from spark_lint.facts import Context, Distribution, Read
from spark_lint.read.pyproject_uv import builds, uv
from spark_lint.read.toml_packages import Place, requirements
from spark_lint.read.toml_tree import Table


def script(root: Table, context: Context) -> Iterator[Read]:
    """For which Pythons it is, its packages, and uv's settings for them, which only uv reads."""
    place = Place(context)
    python = root.string("requires-python")
    if python is not None:
        yield Distribution(
            name="", span=python.span, origin=python.origin, written=python.written, context=context, python=python.value
        )
    settings = root.table("tool", "uv")
    found = [*requirements(root.strings("dependencies"), place, manager="uv"), *uv(settings, place)]
    yield from builds(settings).applied(iter(found))
