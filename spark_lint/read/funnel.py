r"""Which Python files are worth reading in full? libcst reads 0.3 MB/s, so two cheaper questions stand before it.

1. `worth_parsing`: do the file's bytes hold what some rule needs at all?
2. `holds`: does its `ast` hold it as code, not as a comment, a docstring or a message?

A file that a rule could say something about always passes both. What is put together at run time (`"flash_" + "attn"`) or written
with escapes (`"\x66lash"`) is out of reach of the first question, and of the linter.
"""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from spark_lint.read.nesting import nesting

__all__ = [
    "Interests",
    "begins_name",
    "encoding",
    "fold",
    "fold_text",
    "holds",
    "nesting",
    "of_file",
    "relevant",
    "worth_parsing",
]

if TYPE_CHECKING:
    import ast

_FOLD: Final = bytes(ord("-") if chr(byte) in "_." else byte + 32 if 65 <= byte <= 90 else byte for byte in range(256))
_FOLD_TEXT: Final = {ord("_"): "-", ord("."): "-"}
_COOKIE: Final = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK: Final = re.compile(rb"[ \t\f]*(?:#.*)?\r?$")
# Printable ASCII, the backslash where it makes an escape: an encoding that reads it otherwise is none that source code is in.
_ASCII: Final = bytes(byte for byte in range(32, 127) if byte != 92) + rb"\n\u0041 xn--a"
_SHORT: Final = 4
_INTERPRETER: Final = b"executable"
"""`sys.executable` in a command is the program `python`."""


@dataclass(frozen=True, slots=True)
class Interests:
    """What the rules look for.

    clauses: an OR of ANDs of folded literals: a file that fulfils no clause says nothing to any rule.
    words: folded names, or parts of names, that a rule names (`from-pretrained`, `attn-implementation`). A word of fewer than
        four characters counts only where a name begins: `tp` is in `--tp` and `tp_size`, not in `http`.
    commands: words that count only in the text of a command (`torch` in `pip install torch`, not in `import torch`), beside all else
        that their clause asks for.
    packages: further clauses for a file whose texts are requirements, a `setup.py`. installs: it is such a file.
    """

    clauses: tuple[tuple[bytes, ...], ...]
    words: frozenset[str]
    commands: frozenset[str] = frozenset()
    packages: tuple[tuple[bytes, ...], ...] = ()
    installs: bool = False


def fold(data: bytes) -> bytes:
    """Lower case, and `-` for `_` and `.`, as names are compared."""
    return data.translate(_FOLD)


def fold_text(text: str) -> str:
    """`fold` for text."""
    return text.lower().translate(_FOLD_TEXT)


def of_file(path: str, interests: Interests) -> Interests:
    """What is looked for in one Python file: in a `setup.py` any text may be a requirement, or the name of a file of them."""
    if path.rpartition("/")[2] != "setup.py":
        return interests
    words = {clause[-1].decode() for clause in interests.packages if clause}
    return replace(
        interests, clauses=(*interests.clauses, *interests.packages), commands=interests.commands | words, installs=True
    )


def worth_parsing(data: bytes, interests: Interests) -> bool:
    """Whether a file's bytes hold every literal of at least one clause."""
    if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) or data[:4] == codecs.BOM_UTF32_BE:
        return True  # the literals are ASCII
    return any(_fulfilled(data, interests))


def relevant(data: bytes, interests: Interests) -> Interests:
    """The interests without the words whose clauses a file's bytes do not fulfil: `model` asks for a file that mentions FP4 too."""
    if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) or data[:4] == codecs.BOM_UTF32_BE:
        return interests
    fulfilled = tuple(clause for clause, holds in zip(interests.clauses, _fulfilled(data, interests), strict=True) if holds)
    idle = {clause[-1].decode() for clause in interests.clauses} - {clause[-1].decode() for clause in fulfilled}
    return replace(interests, clauses=fulfilled, words=interests.words - idle, commands=interests.commands - idle)


def _fulfilled(data: bytes, interests: Interests) -> Iterator[bool]:
    """For each clause, whether the bytes hold all of its literals."""
    folded = fold(data)
    if _INTERPRETER in folded:
        folded += b"\npython"
    seen: dict[bytes, bool] = {}  # clauses share literals, and most of them the word `install`
    for clause in interests.clauses:
        for literal in clause:
            held = seen.get(literal)
            if held is None:
                held = seen[literal] = literal in folded
            if not held:
                yield False
                break
        else:
            yield True


def holds(tree: "ast.Module", interests: Interests) -> bool:
    """Whether a name that the code imports, calls, sets or passes holds one of the words, or its commands all that a clause asks for."""
    from spark_lint.read.funnel_names import holds_any

    commands = [clause for clause in interests.clauses if clause and clause[-1].decode() in interests.commands]
    asked = [tuple(literal.decode() for literal in clause) for clause in commands]
    return holds_any(tree, interests.words, asked, runs=interests.installs)


def begins_name(word: str, name: str) -> bool:
    """Whether a folded name holds a folded word, as `Interests` says."""
    if len(word) >= _SHORT or not word[:1].isalnum():
        return word in name
    return re.search(rf"(?<![a-z0-9]){re.escape(word)}", name) is not None


def encoding(data: bytes) -> str:
    """The encoding that a Python file names (PEP 263), `utf-8` where it names none or none that exists."""
    lines = data[:1024].split(b"\n", 2)[:2]
    for line in lines:
        if match := _COOKIE.match(line):
            return _known(match[1].decode("ascii", "replace"))
        if not _BLANK.match(line):
            break
    return "utf-8"


def _known(name: str) -> str:
    try:
        return name if _ASCII.decode(name) == _ASCII.decode("ascii") else "utf-8"
    except Exception:  # a codec may raise whatever it likes for bytes that it cannot read
        return "utf-8"
