"""What a document shows in order to say that it is wrong, or that it was so once: no advice to anybody."""

import re
from typing import Final

from spark_lint.text import Text

_SIGNS: Final = re.compile("[❌✗✘🚫⛔👎]")
# "Wrong:", "Before", "Old way (slow):", "Not recommended". A good example may follow a sentence with more in it.
_LABEL: Final = re.compile(
    r"\W*(?:the[ ])?(?:wrong|incorrect|bad|broken|before|old|older|deprecated|obsolete|legacy|anti-?patterns?|not (?:recommended|supported|working)|unsupported"
    r"|previously)(?:[ ](?:way|examples?|usage|code|versions?|configs?|configurations?|commands?|approach|install(?:ation)?|practices?|options?|setup|syntax))?"
    r"(?:[ ]*\([^()]*\))?\W*$"
    r"|\W*(?:please[ ])?(?:don['’]?t|do not|never|avoid)\b(?![ ]+(?:forget|worry|hesitate|mind|miss))",
    re.IGNORECASE,
)
# "Do not use pip; install the wheel:" ends in what to do.
_CLAUSE: Final = re.compile(r"[.;!?—–][ ]+|,[ ]+(?=(?:but|use|run|try|install|do|instead|rather|so|and)\b)", re.IGNORECASE)
_FAILS: Final = re.compile(
    r"\b(?:(?:does|do|did|will|would|can|is|are)(?: not|n['’]t)|won['’]t|cannot|can['’]t|no longer|not to)\s+(?:\w+\s+)?(?:work|run|install|start|supported|build|load|compatible)\w*\b"
    r"[^.,;!?]{0,40}\W*$"
    r"|\b(?:fails?|will fail|crash(?:es)?|breaks?|hangs?|is (?:wrong|broken|incorrect)|errors? out)\b[^.,;!?]{0,40}\W*$|\b(?:instead of|rather than|as opposed to)\W*$",
    re.IGNORECASE,
)
# "If the install fails, run:" introduces what helps.
# The same in Japanese, Chinese and Korean.
_FAILS_TOO: Final = re.compile(
    r"(?:動きません|動作しません|動かない|使えません|対応していません|不支持|无法(?:运行|安装|使用|工作)|不能(?:运行|安装|使用|工作)|会(?:失败|报错)|동작하지 않|지원하지 않)[^。；;.]{0,20}$"
)
_REMEDY: Final = re.compile(
    r"\b(?:if|when|whenever|in case|unless|should|where|or|otherwise|solution|fix|try|use|run|instead)\b(?!\W*of\b)",
    re.IGNORECASE,
)
# "Output:", "Example output:", "You should see:"
_OUTPUT: Final = re.compile(
    r"\W*(?:(?:the|an?|example|sample|expected|console|typical) ){0,3}outputs?(?: (?:is|looks like(?: this)?|should be|will be))?\W*$|\W*(?:and )?you (?:should|will) see\W*$",
    re.IGNORECASE,
)
_HISTORY: Final = re.compile(
    r"\W*(?:change[\s_-]?logs?|(?:dev|work|lab)[\s_-]?logs?|log|changes|history|news|release[\s_-]?notes?|releases|what['’]?s[\s_-]?new|latest news|news & updates)\b[^a-z]*(?:\.\w+)?$",
    re.IGNORECASE,
)
_COMMENT: Final = re.compile(r"[ \t]*(?:#|//)+(?!!)[ \t]*(.*)")
_BEHIND: Final = re.compile(r"\s(?:#+|//)[ \t]+(.*)")
_MOST_COMMENTS: Final = 5


def is_wrong(line: str) -> bool:
    """Whether a line of prose (without markup) says that what follows is not to be done."""
    if _SIGNS.search(line):
        return "✅" not in line
    line = _CLAUSE.split(line.strip())[-1]
    return bool(_LABEL.match(line)) or bool(_FAILS_TOO.search(line)) or (bool(_FAILS.search(line)) and not _REMEDY.search(line))


def is_output(line: str) -> bool:
    """Whether a line of prose (without markup) says that what follows was printed."""
    return _OUTPUT.match(line) is not None


def is_history(title: str) -> bool:
    """Whether a heading, or the name of a file, is that of a list of past changes."""
    return _HISTORY.match(title) is not None


def remarks(text: Text) -> dict[int, tuple[str, ...]]:
    """The comments that say something about a line of code: line of the file -> those above it and the one behind it.

    A comment speaks about the lines below it up to a blank line or the next comment.
    """
    found: dict[int, tuple[str, ...]] = {}
    above: list[str] = []
    commented = False
    at = 0
    for line in text.value.splitlines(keepends=True):
        if comment := _COMMENT.match(line):
            above = [*(above if commented else ()), comment[1].strip()][-_MOST_COMMENTS:]
        elif not line.strip():
            above = []
        else:
            behind = _BEHIND.search(line) if "#" in line or "//" in line else None
            if above or behind:
                own = [behind[1].strip()] if behind else []
                found[text[at : at + len(line)].span.line] = (*above, *own)
        commented = comment is not None
        at += len(line)
    return found
