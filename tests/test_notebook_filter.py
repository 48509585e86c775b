"""What of a notebook is looked through for names: its cells, not what they printed; all of it where the file is out of the ordinary."""

import json

import pytest

from spark_lint.read.funnel import Interests
from spark_lint.read.notebook_filter import worth_reading

FLASH = Interests(((b"flash-attn",),), frozenset({"flash-attn"}))
CODE = {"cell_type": "code", "metadata": {}, "outputs": [], "source": ["!pip install flash_attn\n"]}
OTHER = {**CODE, "source": ["x = 1\n"]}


def saved(*cells: object, **others: object) -> str:
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **others})


def case(name: str, *values: object) -> object:
    return pytest.param(*values, id=name)


@pytest.mark.parametrize(
    "text",
    [
        case("code", saved(OTHER, CODE)),
        case("one string", saved({**CODE, "source": "import flash_attn"})),
        case("a word over two lines of the file", saved({**CODE, "source": ["!pip install flash", "-attn\n"]})),
        case("example in a text", saved({"cell_type": "markdown", "source": ["```sh\n", "pip install flash-attn\n"]})),
        case(
            "before version 4", json.dumps({"worksheets": [{"cells": [{"cell_type": "code", "input": ["import flash_attn"]}]}]})
        ),
        case("escapes", saved(CODE).replace("flash", "\\u0066lash")),
        case("two lists of cells", saved(CODE)[:-1] + ', "cells": []}'),
        case("another list of cells behind an escape", saved(CODE)[:-1] + ', "\\u0063ells": []}'),
        case("another source behind an escape", saved(CODE).replace("]}", '], "sourc\\u0065": []}', 1)),
        case("cut off", saved(CODE)[:-20]),
        case("with a mark", "\ufeff" + saved(CODE)),
    ],
)
def test_the_words_of_cells_count(text: str) -> None:
    assert worth_reading(text.encode(), FLASH)


@pytest.mark.parametrize(
    "text",
    [
        case("no cells", saved()),
        case("other code", saved(OTHER)),
        case("output", saved({**OTHER, "outputs": [{"output_type": "stream", "text": ["import flash_attn"]}]})),
        case("saved state of widgets", saved(OTHER, metadata={"widgets": {"a": {"value": "flash_attn"}}})),
        case("no notebook", '["cells"]'),
        case("no object", "1"),
        case("numbers nobody counts to", saved(OTHER, x=[])[:-2] + "9" * 10_000 + "]}"),
        case("nesting", '{"cells": ' + "[" * 100_000 + "]" * 100_000 + "}"),
    ],
)
def test_what_cells_printed_does_not(text: str) -> None:
    assert not worth_reading(text.encode(), FLASH)
