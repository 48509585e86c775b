"""What a lock installs on a Spark and where: extras, groups, forks, workspaces, images, indexes, and which requirements it decides."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from spark_lint.check import check_texts
from spark_lint.config import Config
from spark_lint.facts import Index, Locked, Need, Package
from spark_lint.load import RuleSet, load
from spark_lint.locks import Installed, Root, installed
from spark_lint.project import Project
from spark_lint.text import Span
from spark_lint.why import why

RULES: RuleSet = load()
PROJECT = '[project]\nname = "app"\nversion = "0"\nrequires-python = ">=3.12"\n'
ARM, X86 = "cp312-cp312-manylinux_2_28_aarch64", "cp312-cp312-manylinux_2_28_x86_64"
PYPI = "https://pypi.org/simple"


def entry(name: str, version: str = "1.0", deps: str = "", index: str = PYPI, more: str = "", wheel: str = ARM) -> str:
    return (
        f'[[package]]\nname = "{name}"\nversion = "{version}"\nsource = {{ registry = "{index}" }}\n'
        + (f"dependencies = [{deps}]\n" if deps else "")
        + f'wheels = [{{ url = "https://example.invalid/{name}-{version}-{wheel}.whl", hash = "sha256:00" }}]\n{more}\n'
    )


def app(deps: str, more: str = "", folder: str = ".") -> str:
    return f'[[package]]\nname = "app"\nversion = "0"\nsource = {{ editable = "{folder}" }}\ndependencies = [{deps}]\n{more}\n'


def uv(*entries: str) -> str:
    return "\n".join(['version = 1\nrequires-python = ">=3.12"\n', *entries])


def seen(texts: Mapping[str, str]) -> Project:
    (found,) = check_texts(texts, Config(), rules=RULES).projects
    return found


def packages(project: Project, path: str = "uv.lock") -> dict[str, Package]:
    """What is installed from a lock on a Spark, by name and version."""
    found = (fact for fact in project.facts[path] if isinstance(fact, Package))
    return {fact.written: fact for fact in found if not all(scope.elsewhere for scope in fact.scopes)}


def codes(texts: Mapping[str, str]) -> list[str]:
    report = check_texts(texts, Config(), rules=RULES).report()
    return [f"{each.span.path}:{each.span.line} {each.severity} {each.code}" for each in report.findings]


# ---- the walk ---------------------------------------------------------------------------------------------------------------------


SPAN = Span("uv.lock", 1, 1, 1, 2)


def locked(
    name: str, version: str = "1", *needs: Need, marker: str = "", asked: frozenset[str] = frozenset(), root: bool = False
) -> Locked:
    return Locked(
        name=name, span=SPAN, origin=SPAN, written=name, version=version, needs=needs, marker=marker, asked=asked, root=root
    )


def need(name: str, version: str = "", marker: str = "", extra: str = "", extras: frozenset[str] = frozenset()) -> Need:
    return Need(name, SPAN, version, extras, marker, extra)


def walked(entries: list[Locked], *needs: Need) -> dict[str, Installed]:
    return {f"{each.entry.name} {each.entry.version}": each for each in installed(entries, Root(".", needs), "3.12")}


def test_the_walk_follows_needs_that_hold_on_a_spark() -> None:
    entries = [
        locked(
            "a", "1", need("b"), need("c", marker="platform_machine == 'x86_64'"), need("d", marker="sys_platform == 'linux'")
        ),
        locked("b"),
        locked("c"),
        locked("d", "1", need("e", marker="python_version < '3.12'")),
        locked("e"),
        locked("never"),
    ]
    found = walked(entries, need("a"))
    assert list(found) == ["a 1", "b 1", "d 1"]
    assert found["a 1"].through == ()
    assert found["d 1"].through == ("a",)
    assert found["a 1"].needs == (need("a"),)


def test_a_circle_and_an_unknown_name_end_the_walk() -> None:
    assert list(walked([locked("a", "1", need("b")), locked("b", "1", need("a"), need("gone"))], need("a"), need("gone"))) == [
        "a 1",
        "b 1",
    ]


def test_of_several_versions_the_one_asked_for_or_the_one_whose_marker_holds() -> None:
    entries = [
        locked("a", "1", marker="platform_machine == 'x86_64'"),
        locked("a", "2", marker="platform_machine == 'aarch64'"),
        locked("b", "1"),
        locked("b", "2"),
    ]
    assert list(walked(entries, need("a"), need("b", "2"))) == ["a 2", "b 2"]


def test_extras_of_packages_are_followed_where_they_are_asked_for() -> None:
    entries = [locked("a", "1", need("b", extra="cuda"), need("c", extra="docs")), locked("b"), locked("c")]
    assert list(walked(entries, need("a"))) == ["a 1"]
    found = walked(entries, need("a", extras=frozenset({"cuda"})))
    assert list(found) == ["a 1", "b 1"]
    assert found["a 1"].extras == frozenset({"cuda"})


def test_for_whom_each_package_is() -> None:
    entries = [locked("a", "1", need("b")), locked("b"), locked("c", "1", need("b"), need("d")), locked("d")]
    found = walked(entries, need("a"), need("c", extra="gpu"), need("d", extra="group:dev"))
    assert {name: each.asked for name, each in found.items()} == {
        "a 1": frozenset({""}),
        "b 1": frozenset({""}),
        "c 1": frozenset({"gpu"}),
        "d 1": frozenset({"gpu", "group:dev"}),
    }


def test_extras_of_which_only_one_can_be_installed() -> None:
    entries = [locked("torch", "2.9+cu128"), locked("torch", "2.9+cu130"), locked("torch", "2.9")]
    old, new = (f"extra == 'extra-3-app-{name}'" for name in ("cu128", "cu130"))
    found = walked(
        entries,
        need("torch", "2.9+cu128", old, "cu128"),
        need("torch", "2.9+cu130", new, "cu130"),
        need("torch", "2.9", "extra != 'extra-3-app-cu128' and extra != 'extra-3-app-cu130'"),
    )
    assert {name: set(each.asked) for name, each in found.items()} == {
        "torch 2.9+cu128": {"cu128"},
        "torch 2.9+cu130": {"cu130"},
        "torch 2.9": {""},
    }


def test_groups_of_which_only_one_can_be_installed() -> None:
    entries = [locked("torch", "1"), locked("torch", "2")]
    found = walked(
        entries,
        need("torch", "1", "extra == 'group-6-my-app-old'", "group:old"),
        need("torch", "2", "extra != 'group-6-my-app-old'", "group:new"),
    )
    assert {name: set(each.asked) for name, each in found.items()} == {"torch 1": {"group:old"}, "torch 2": {"group:new"}}


def test_a_lock_that_says_for_whom_needs_no_walk() -> None:
    entries = [
        locked("a", asked=frozenset({""})),
        locked("b", asked=frozenset({"group:dev"})),
        locked("c", asked=frozenset({""}), marker="platform_machine == 'x86_64'"),
        locked("d", asked=frozenset({"gpu"}), marker="extra == 'gpu' and sys_platform == 'linux'"),
    ]
    assert {name: set(each.asked) for name, each in walked(entries).items()} == {
        "a 1": {""},
        "b 1": {"group:dev"},
        "d 1": {"gpu"},
    }


# ---- where it is installed -----------------------------------------------------------------------------------------------------------


def test_what_is_installed_from_a_lock() -> None:
    found = packages(
        seen(
            {
                "pyproject.toml": PROJECT + 'dependencies = ["a>=1"]\n',
                "uv.lock": uv(
                    app('{ name = "a", extra = ["cuda"] }'), entry("a", deps='{ name = "b" }'), entry("b", "2.0"), entry("z")
                ),
            }
        )
    )
    assert list(found) == ["a==1.0", "b==2.0"]
    a, b = found.values()
    assert (a.name, a.specifier, a.version, a.manager, a.through, a.extras) == (
        "a",
        "==1.0",
        "1.0",
        "uv",
        (),
        frozenset({"cuda"}),
    )
    assert (b.specifier, b.through, b.locked.offered if b.locked else "") == ("==2.0", ("a",), "wheel")
    assert a.span.path == "uv.lock"


def test_an_extra_is_there_where_somebody_asks_for_it() -> None:
    lock = uv(app("", '[package.optional-dependencies]\ngpu = [{ name = "a" }]'), entry("a"))
    files = {"pyproject.toml": PROJECT + '[project.optional-dependencies]\ngpu = ["a"]\n', "uv.lock": lock}
    (alone,) = packages(seen(files)).values()
    assert [scope.optional for scope in alone.scopes] == [True]
    assert alone.context.extra == "gpu"
    (asked,) = packages(seen({**files, "run.sh": "uv sync --extra gpu\n"})).values()
    assert [(scope.optional, scope.installer) for scope in asked.scopes] == [(False, "uv")]


def test_the_image_where_the_project_is_installed() -> None:
    files = {
        "pyproject.toml": PROJECT + 'dependencies = ["a"]\n',
        "uv.lock": uv(app('{ name = "a" }'), entry("a")),
        "Dockerfile": "FROM nvcr.io/nvidia/pytorch:25.11-py3\nWORKDIR /app\nCOPY . .\nRUN uv sync --frozen\n",
    }
    (a,) = packages(seen(files)).values()
    assert [scope.label for scope in a.scopes] == ["nvcr.io/nvidia/pytorch:25.11-py3"]


def test_pip_reads_no_lock() -> None:
    files = {
        "pyproject.toml": PROJECT + 'dependencies = ["torch>=2.4,<2.11"]\n',
        "uv.lock": uv(app('{ name = "torch" }'), entry("torch", "2.12.0")),
        "Dockerfile": "FROM nvidia/cuda:13.0.2-devel-ubuntu24.04\nCOPY . /app\nRUN pip install /app\n",
    }
    assert codes(files) == ["pyproject.toml:5 error G1/torch-cpu-only-on-aarch64"]
    assert codes(
        {**files, "Dockerfile": "FROM nvidia/cuda:13.0.2-devel-ubuntu24.04\nCOPY . /app\nRUN cd /app && poetry install\n"}
    )[:1] == ["pyproject.toml:5 error G1/torch-cpu-only-on-aarch64"]


def test_a_workspace() -> None:
    lock = uv(
        '[manifest]\nmembers = ["app", "member", "other"]\n',
        app('{ name = "member" }'),
        '[[package]]\nname = "member"\nversion = "0"\nsource = { editable = "packages/member" }\ndependencies = [{ name = "a" }]\n',
        '[[package]]\nname = "other"\nversion = "0"\nsource = { editable = "packages/other" }\ndependencies = [{ name = "b" }]\n',
        entry("a"),
        entry("b"),
    )
    member = '[project]\nname = "{}"\nversion = "0"\ndependencies = ["{}"]\n'
    files = {
        "pyproject.toml": PROJECT + 'dependencies = ["member"]\n[tool.uv.workspace]\nmembers = ["packages/*"]\n',
        "packages/member/pyproject.toml": member.format("member", "a"),
        "packages/other/pyproject.toml": member.format("other", "b"),
        "uv.lock": lock,
    }
    found = packages(seen(files))
    assert list(found) == ["a==1.0", "b==1.0"]
    assert found["a==1.0"].through == ()  # its own project asks for it


# ---- what it decides -----------------------------------------------------------------------------------------------------------------


def test_a_lock_beats_the_loose_requirement_beside_it() -> None:
    files = {
        "pyproject.toml": PROJECT + 'dependencies = ["torch>=2.4"]\n',
        "uv.lock": uv(app('{ name = "torch" }'), entry("torch", "2.9.1")),
    }
    (finding,) = check_texts(files, Config(), rules=RULES).report().findings
    assert (finding.span.path, finding.code) == ("uv.lock", "G1/torch-cpu-only-on-aarch64")
    assert finding.instead == 'uv lock --upgrade-package "torch>=2.11.0"'
    assert codes({**files, "uv.lock": uv(app('{ name = "torch" }'), entry("torch", "2.12.1"))}) == []


def test_a_requirement_that_keeps_the_version_is_where_it_is_said() -> None:
    for specifier in ("==2.9.1", "~=2.9.0", "<2.11", "<=2.9.1", "==2.9.*"):
        files = {
            "pyproject.toml": PROJECT + f'dependencies = ["torch{specifier}"]\n',
            "uv.lock": uv(app('{ name = "torch" }'), entry("torch", "2.9.1")),
        }
        (finding,) = check_texts(files, Config(), rules=RULES).report().findings
        assert (finding.span.path, finding.span.line) == ("pyproject.toml", 5), specifier
        assert finding.instead == "torch>=2.11.0"
        assert [(each.span.path, each.message) for each in finding.related] == [("uv.lock", "locked here")]
    files = {
        "pyproject.toml": PROJECT + 'dependencies = ["torch>=2,<3"]\n',
        "uv.lock": uv(app('{ name = "torch" }'), entry("torch", "2.9.1")),
    }
    assert codes(files) == ["uv.lock:12 error G1/torch-cpu-only-on-aarch64"]


def test_what_a_reported_package_brings_is_told_with_it() -> None:
    files = {
        "pyproject.toml": PROJECT + 'dependencies = ["vllm"]\n',
        "uv.lock": uv(
            app('{ name = "vllm" }'),
            entry("cupy-cuda12x", "13.6.0"),
            entry("torch", "2.8.0"),
            entry("vllm", "0.10.2", deps='{ name = "cupy-cuda12x" }, { name = "torch" }'),
        ),
    }
    (finding,) = check_texts(files, Config(), rules=RULES).report().findings
    assert finding.code == "G1/vllm-before-cuda13"
    assert [each.message for each in finding.related] == ["brings cupy-cuda12x==13.6.0", "brings torch==2.8.0"]


def test_who_asks_for_a_package_is_named() -> None:
    files = {
        "pyproject.toml": PROJECT + 'dependencies = ["a"]\n',
        "uv.lock": uv(
            app('{ name = "a" }'),
            entry("a", deps='{ name = "b" }'),
            entry("b", deps='{ name = "torch" }'),
            entry("torch", "2.9.1"),
        ),
    }
    (finding,) = check_texts(files, Config(), rules=RULES).report().findings
    assert finding.message.endswith("(asked for by a > b)")


def test_the_index_of_most_packages_is_the_default_one() -> None:
    mirror, other = "https://pypi.example.invalid/simple", "https://wheels.example.invalid/spark/simple"
    roots = app('{ name = "a" }, { name = "b" }, { name = "torch" }')
    rest = [entry("a", index=mirror), entry("b", index=mirror)]
    project = PROJECT + 'dependencies = ["a", "b", "torch"]\n'
    assert codes({"pyproject.toml": project, "uv.lock": uv(roots, *rest, entry("torch", "2.9.1", index=mirror))}) == [
        "uv.lock:26 error G1/torch-cpu-only-on-aarch64"
    ]
    # What comes from an index of its own may be another build of it.
    assert codes({"pyproject.toml": project, "uv.lock": uv(roots, *rest, entry("torch", "2.9.1", index=other))}) == []


def test_an_index_of_a_lock_is_said_where_the_project_names_it() -> None:
    index = "https://download.pytorch.org/whl/cu128"
    named = f'[tool.uv.sources]\ntorch = {{ index = "x" }}\n[[tool.uv.index]]\nname = "x"\nurl = "{index}/"\nexplicit = true\n'
    lock = uv(app('{ name = "a" }, { name = "torch" }'), entry("a"), entry("b"), entry("torch", "2.9.1+cu128", index=index))
    files = {"pyproject.toml": PROJECT + 'dependencies = ["a", "torch"]\n' + named, "uv.lock": lock}
    (finding,) = check_texts(files, Config(), rules=RULES).report().findings
    assert (finding.code, finding.span.path, finding.span.line) == ("G1/torch-index-cuda12", "pyproject.toml", 10)
    (found,) = (fact for fact in seen(files).facts["uv.lock"] if isinstance(fact, Index))
    assert (found.name, found.explicit, found.span.path) == ("cu128", True, "uv.lock")


def test_why_a_requirement_is_not_judged_itself() -> None:
    files = {
        "pyproject.toml": PROJECT + 'dependencies = ["torch>=2.4"]\n',
        "uv.lock": uv(app('{ name = "torch" }'), entry("torch", "2.12.1")),
    }
    (torch,) = (fact for fact in seen(files).facts["pyproject.toml"] if isinstance(fact, Package))
    assert [scope.described for scope in torch.scopes] == ["no container, decided by uv.lock"]


def test_two_locks_are_each_for_their_own_manager() -> None:
    poetry = (
        '[[package]]\nname = "torch"\nversion = "2.9.1"\ndescription = ""\noptional = false\npython-versions = ">=3.10"\ngroups = ["main"]\n'
        'files = [{file = "torch-2.9.1-cp312-cp312-manylinux_2_28_aarch64.whl", hash = "sha256:00"}]\n\n'
        '[metadata]\nlock-version = "2.1"\npython-versions = ">=3.12"\ncontent-hash = "0"\n'
    )
    files = {
        "pyproject.toml": PROJECT + 'dependencies = ["torch>=2.4"]\n',
        "uv.lock": uv(app('{ name = "torch" }'), entry("torch", "2.12.1")),
        "poetry.lock": poetry,
    }
    assert codes(files) == ["poetry.lock:2 error G1/torch-cpu-only-on-aarch64"]
    assert codes({**files, "run.sh": "uv sync\n"}) == ["poetry.lock:2 error G1/torch-cpu-only-on-aarch64"]


def test_a_broken_lock_costs_what_is_broken() -> None:
    texts = {"uv.lock": uv(app('{ name = "torch" }'), entry("torch", "2.9.1"), '[[package]]\nname = "x\n', entry("y"))}
    report = check_texts(texts, Config(), rules=RULES).report()
    assert [each.code for each in report.findings] == ["G1/torch-cpu-only-on-aarch64"]
    assert [(each.path, each.line) for each in report.problems] == [("uv.lock", 19)]
    assert re.match("not valid TOML", report.problems[0].message)


# ---- compiled requirements -----------------------------------------------------------------------------------------------------------


COMPILED = (
    "accelerate==1.0\n    # via -r requirements.in\ntorch==2.9.1\n    # via\n    #   accelerate\n    #   -r requirements.in\n"
)


def test_a_compiled_file_beats_what_it_was_made_from() -> None:
    files = {"requirements.in": "accelerate\ntorch>=2\n", "requirements.txt": COMPILED}
    assert codes(files) == ["requirements.txt:3 error G1/torch-cpu-only-on-aarch64"]
    # What keeps the version is in the file that people write.
    assert codes({**files, "requirements.in": "accelerate\ntorch==2.9.1\n"}) == [
        "requirements.in:2 error G1/torch-cpu-only-on-aarch64"
    ]
    # It was raised since.
    assert codes({**files, "requirements.in": "accelerate\ntorch>=2.11\n"}) == [
        "requirements.in:2 info G9/stale-lock",
        "requirements.txt:3 error G1/torch-cpu-only-on-aarch64",
    ]
    # Somebody installs it as it is.
    assert codes(
        {**files, "requirements.in": "torch<2.11\n", "Dockerfile": "FROM ubuntu:24.04\nRUN pip install -r requirements.in\n"}
    ) == [
        "requirements.in:1 error G1/torch-cpu-only-on-aarch64",
    ]


def test_who_asks_for_a_compiled_package() -> None:
    text = (
        "accelerate==1.0  # via -r requirements.in\n"
        "nvidia-cublas-cu12==12.8.4.1 \\\n    --hash=sha256:aa\n    # via\n    #   nvidia-cudnn-cu12\n    #   torch\n"
        "nvidia-cudnn-cu12==9.10.2.21\n    # via torch\n# a comment\n#   accelerate\n"
        "torch==2.9.1\n    # via accelerate[extra], my-project\n"
    )
    found = {
        fact.name: fact.through
        for fact in seen({"requirements.txt": text}).facts["requirements.txt"]
        if isinstance(fact, Package)
    }
    assert found == {
        "accelerate": (),
        "nvidia-cublas-cu12": ("nvidia-cudnn-cu12", "torch"),
        "nvidia-cudnn-cu12": ("torch",),
        "torch": (),
    }
    (finding,) = check_texts({"requirements.txt": text}, Config(), rules=RULES).report().findings
    assert finding.code == "G1/torch-cpu-only-on-aarch64"
    assert [each.message for each in finding.related] == [
        "brings nvidia-cublas-cu12==12.8.4.1",
        "brings nvidia-cudnn-cu12==9.10.2.21",
    ]


def test_a_circle_of_askers_hides_nothing() -> None:
    text = (
        "nvidia-cublas-cu12==12.8.4.1\n    # via nvidia-cudnn-cu12\nnvidia-cudnn-cu12==9.10.2.21\n    # via nvidia-cublas-cu12\n"
    )
    assert len(codes({"requirements.txt": text})) == 2


def test_why_a_locked_package_is_not_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pyproject.toml").write_text(PROJECT + 'dependencies = ["a"]\n')
    Path("uv.lock").write_text(uv(app('{ name = "a" }'), entry("a"), entry("z", "3.0")))
    assert list(why("uv.lock", 20, Config(), rules=RULES)) == [
        "z==3.0 is not installed on a Spark: nothing that is leads to it, or its marker does not hold."
    ]
    told = list(why("uv.lock", 12, Config(), rules=RULES))
    assert told[:3] == ["Package a: a==1.0", f"  a Spark gets the wheel a-1.0-{ARM}.whl", "  scope: no container"]


def test_what_a_spark_gets_of_a_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pyproject.toml").write_text(PROJECT + 'dependencies = ["torch", "vllm", "x"]\n')
    Path("uv.lock").write_text(
        uv(app('{ name = "torch" }, { name = "x" }, { name = "y" }'), entry("torch", "2.12.1"), entry("x", wheel=X86), entry("y"))
    )
    assert (
        list(why("uv.lock", 2, Config(), rules=RULES))[1]
        == "  a Spark gets 3 packages from it: 2 as wheels, 1 with nothing to install"
    )
    assert list(why("uv.lock", 12, Config(), rules=RULES))[1] == (
        f"  a Spark gets the wheel torch-2.12.1-{ARM}.whl, a build for CUDA 13"
    )
    line = Path("uv.lock").read_text().splitlines().index('name = "x"') + 1
    assert list(why("uv.lock", line, Config(), rules=RULES))[1] == "  a Spark gets nothing: no wheel, no source"
