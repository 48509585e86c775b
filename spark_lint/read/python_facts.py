"""Facts of a Python file: one walk over its libcst tree that knows under which tests it stands."""

from typing import Final

from spark_lint.facts import Condition

TRIED: Final = Condition("try: ImportError")
FAILED: Final = Condition("except ImportError")
_MOST_CONDITIONS: Final = 100
_SUPPRESS: Final = "contextlib.suppress"
