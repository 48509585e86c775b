"""What is known of a package, an image or a model, as text for people: made of the objects of `explain_known`."""

import textwrap
from collections.abc import Iterable, Iterator
from typing import Any, Final

from spark_lint.known import EVIDENCE

_WIDTH: Final = 100
_VERDICTS: Final = {
    "wheel": "a wheel",
    "sdist": "source, which pip builds",
    "none": "nothing",
    "foreign": "a wheel with libraries for x86-64, which do not load",
}
_BUILDS: Final = {"cpu": "the CPU alone", "cu11": "CUDA 11", "cu12": "CUDA 12", "cu13": "CUDA 13"}
_WHY: Final = {
    "nothing-for-aarch64": "instead of {0}, of which there is nothing for aarch64",
    "cuda-13-name": "the name of {0} for CUDA 13",
    "cuda-12-extra": "instead of {0}, which is for CUDA 12",
    "first-for-cuda-13": "from there on {0} is built for CUDA 13",
}


def shown(found: dict[str, Any]) -> Iterator[str]:
    """The lines for an object of `explain_known.known_of`."""
    yield from {"package": _package, "image": _image, "model": _model}[found["kind"]](found)


def _package(found: dict[str, Any]) -> Iterator[str]:
    yield f"{found['name']}, as of {found['as_of']}"
    if found["asked"] is not None:
        yield from _filled(_asked(found["asked"]))
    if found["note"]:
        yield from _filled(found["note"])
    yield from _says(found["says"])
    yield from _headed("Write", [_instead(each) for each in found["instead"]])
    if "availability" in found:
        yield from _measured(found)
    else:
        yield from _filled("What the default package index has for a Spark was not looked at.")
    if found["harmless"]:
        yield from _filled("It looks like a package for CUDA 12 and does no harm beside CUDA 13.")
    yield from _headed("Other indexes with builds for a Spark", found["elsewhere"])
    if found["build"] is not None:
        yield from _headed("Built on a Spark", list(_build(found["build"])))
    yield from _headed("Goes with", found["partners"])
    yield from _headed("Asks for torch", [f"{each['versions']}: torch{each['torch']}" for each in found["pairs"][-3:]])
    caps = [
        f"{each['versions']}: torch{each['torch']}, so that pip takes {each['pip']} and uv {each['uv']}" for each in found["caps"]
    ]
    yield from _headed("Caps torch", caps)
    yield from _headed("Installed from wheels alone, for", [_resolution(each) for each in found["resolutions"]])
    if others := sorted(set(found["rules"]) - {each["code"] for each in found["says"]}):
        yield from _headed("Rules that look at it", [", ".join(others)])


def _asked(asked: dict[str, Any]) -> str:
    written, version = asked["requirement"], asked["version"]
    if asked["elsewhere"]:
        return f"{written}: nothing on a Spark, where its marker does not hold."
    if not version:
        return f"{written}: no known release meets that."
    if asked["verdict"] == "none":
        return f"{written}: a Spark gets nothing{' with CPython 3.12, something with another Python' if asked['other_python'] else ''}."
    if "+" in version:
        return f"{written}: a Spark gets nothing from the default index, which holds no such build{_for(asked)}."
    if asked["known"]["assumed"]:
        verdict = _VERDICTS.get(asked["verdict"], "nothing that is known")
        return f"{written}: no such release is known; like those before it, it is taken to be {verdict}{_for(asked)}."
    verdict = _VERDICTS.get(asked["verdict"], "what nobody looked at")
    return f"{written}: a Spark gets {'' if written.endswith(f'=={version}') else f'{version}, '}{verdict}{_for(asked)}."


def _for(asked: dict[str, Any]) -> str:
    return f", built for {_BUILDS[asked['built_for']]}" if asked["built_for"] else ""


def _measured(found: dict[str, Any]) -> Iterator[str]:
    rows = [
        (
            _versions(each),
            "nothing for CPython 3.12, something for other Pythons" if each["other_python"] else _VERDICTS[each["verdict"]],
        )
        for each in found["availability"]
    ]
    yield from _table("On a Spark pip finds", rows)
    yield from _table("Built for", [(_versions(each), _BUILDS[each["built_for"]]) for each in found["cuda"]])
    newest = found["newest"]
    day = f" of {newest['day']}" if newest["day"] else ""
    how = f" How that is known: {EVIDENCE[found['evidence']]}{_source(found['source'])}." if found["cuda"] else ""
    checked = ", ".join(found["checked"])
    yield ""
    yield from _filled(f"The newest release is {newest['version']}{day}. Looked at: {checked}.{how}")


def _versions(each: dict[str, Any]) -> str:
    return "every version" if each["versions"] == ">=0" else str(each["versions"])


def _instead(each: dict[str, Any]) -> str:
    if not each["write"]:
        return f"nothing: {each['for']} has no counterpart for CUDA 13"
    return f"{each['write']}: {_WHY[each['why']].format(each['for'])}"


def _build(build: dict[str, Any]) -> Iterator[str]:
    if build["repository"]:
        yield f"from {build['repository']}: the default index does not hold it"
    if build["needs_torch"]:
        yield "after torch, and without build isolation: it is compiled for the torch that is installed"
    if build["one_of"]:
        missing = "the build fails" if build["fails_without"] else "it comes out without GPU code"
        yield f"where no GPU is seen, as in docker build, with {' or '.join(build['one_of'])}: without, {missing}"
    if build["cmake_args"]:
        yield f"with {' or '.join(build['cmake_args'])} in CMAKE_ARGS: without, it comes out for the CPU"
    if build["forced_by"]:
        yield f"with {build['forced_by']}=TRUE: without, this version fetches a wheel for x86-64"
    if build["better"]:
        yield f"or not at all: {build['better']}"
    if build["note"]:
        yield build["note"]


def _resolution(each: dict[str, Any]) -> str:
    asked = " ".join(each["requirements"])
    if each["error"]:
        return f"{asked}: nothing, since {each['error']}"
    torch = [f"torch {each['torch']}"] if each["torch"] else []
    built = [f"for {_BUILDS[each['built_for']]}"] if each["built_for"] else []
    picked = [pick for pick in each["picked"] if not pick.startswith("torch==")]
    what = ", ".join([" ".join([*torch, *built]), *picked, *each["cuda12"]]).lstrip(", ") or "no CUDA"
    return f"{asked}: {what}{'. ' + each['note'] if each['note'] else ''}"


def _image(found: dict[str, Any]) -> Iterator[str]:
    yield f"{found['name']}{found['tag'] and ':' + found['tag']}, as of {found['as_of']}"
    cuda = found["cuda"] or ("unknown" if found["for_gpu"] or not found["family"] else "none")
    arm64 = {True: "yes", False: "no", None: "unknown"}[found["arm64"]]
    rows = [
        ("CUDA", cuda + (_behind(found["known"]) if found["cuda"] else "")),
        ("aarch64", arm64 + (_behind(found["arm64_known"]) if found["arm64"] is not None else "")),
        ("driver", found["driver"] and f"{found['driver']} or later"),
        ("Python", found["python"]),
        ("made for", found["made_for"]),
        ("ships", ", ".join(f"{each['name']} {each['version']}".rstrip() for each in found["ships"])),
        ("torch", "NVIDIA's own build, which no index has" if found["nvidia_torch"] else ""),
        ("tag", "moves: the same one is pushed again and again" if found["moving"] else ""),
        ("drawback", found["drawback"]),
        ("note", found["note"]),
        ("instead", found["instead"] if found["severity"] or found["arm64"] is False or found["drawback"] else ""),
    ]
    yield from _table("", [(name, text) for name, text in rows if text])
    yield from _says(found["says"])


def _model(found: dict[str, Any]) -> Iterator[str]:
    yield f"{found['name']}, as of {found['as_of']}"
    number, active, bits = found["parameters"], found["active"], found["bits"]
    of = f" (of the {found['part']} alone)" if found["part"] else ""
    weights = (
        f", {number * bits / 8:.3g} GB of weights{' without their scales' if bits < 16 else ''}"
        if number is not None and bits is not None
        else ""
    )
    how = (
        "assumed: its name goes on from one that is known" if found["known"]["assumed"] else EVIDENCE[found["known"]["evidence"]]
    )
    stored = ", ".join([*([f"{bits} bits"] if bits is not None else []), *filter(None, [found["quantisation"]])])
    shape = [
        (found["layers"], "layers"),
        (found["kv_heads"], "KV heads"),
        (found["head_dim"], "wide each"),
        (found["hidden"], "hidden"),
    ]
    kind = {True: "a mixture of experts", False: "dense", None: ""}[found["mixture_of_experts"]]
    rows = [
        ("parameters", f"{number:g} billion{of}" if number is not None else ""),
        ("active", f"{active:g} billion for each token" if active not in (None, number) else ""),
        ("kind", kind),
        ("shape", ", ".join(f"{value} {what}" for value, what in shape if value is not None)),
        ("stored", f"{stored}{weights}"),
        ("Unsloth", {"llama": "its llama-family loader", "vision": "FastModel"}.get(found["unsloth_loader"], "")),
        ("known", how + _source(found["known"]["source"])),
    ]
    yield from _table("", [(name, text) for name, text in rows if text])


def _says(found: list[dict[str, Any]]) -> Iterator[str]:
    yield from _headed("spark-lint says", [_finding(each) for each in found])


def _finding(each: dict[str, Any]) -> str:
    advice = f" => {each['advice']}" if each["advice"] else ""
    return f"{each['severity']} {each['code']}: {each['message']}{advice}"


def _behind(known: dict[str, Any]) -> str:
    """` (documented, https://…)`; nothing for what is written in the name itself."""
    how = "assumed from its neighbours" if known["assumed"] else EVIDENCE[known["evidence"]]
    return "" if known["evidence"] == "name" and not known["assumed"] else f" ({how}{_source(known['source'])})"


def _source(source: str) -> str:
    return f", {source}" if source else ""


def _headed(title: str, lines: Iterable[str]) -> Iterator[str]:
    lines = list(lines)
    if lines:
        yield ""
        yield f"{title}:"
        for line in lines:
            yield from _filled(line, indent="  ", more="    ")


def _table(title: str, rows: list[tuple[str, str]]) -> Iterator[str]:
    if not rows:
        return
    if title:
        yield ""
        yield f"{title}:"
    width = max(len(name) for name, _ in rows)
    for name, text in rows:
        yield from _filled(text, indent=f"  {name.ljust(width)}  ", more=" " * (width + 4))


def _filled(text: str, indent: str = "", more: str = "") -> Iterator[str]:
    yield from textwrap.wrap(
        text, _WIDTH, initial_indent=indent, subsequent_indent=more, break_long_words=False, break_on_hyphens=False
    )
