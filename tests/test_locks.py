"""What a lock installs on a Spark and where: extras, groups, forks, workspaces, images, indexes, and which requirements it decides."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from dates import undated

from spark_lint.check import check_texts
from spark_lint.config import Config
from spark_lint.facts import Index, Locked, Need, Package
from spark_lint.load import RuleSet, load
from spark_lint.locks import Graph, Installed, Root, installed, judged
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
    graph = Graph([*entries, locked("app", "0", *needs, root=True)])
    return {f"{each.entry.name} {each.entry.version}": each for each in installed(graph, Root(".", needs, "app"), "3.12")}


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
        need("torch", "1", "extra == 'group-3-app-old'", "group:old"),
        need("torch", "2", "extra != 'group-3-app-old'", "group:new"),
    )
    assert {name: set(each.asked) for name, each in found.items()} == {"torch 1": {"group:old"}, "torch 2": {"group:new"}}


def test_an_extra_that_takes_another_build_of_what_is_always_there() -> None:
    gpu = "extra-3-app-gpu"
    entries = [
        locked("torch", "2.9", need("filelock")),
        locked("torch", "2.9+cu130", need("triton")),
        locked("filelock"),
        locked("triton"),
        # What needs torch is always there, and gets the one or the other.
        locked("peft", "1", need("torch", "2.9", f"extra != '{gpu}'"), need("torch", "2.9+cu130", f"extra == '{gpu}'")),
    ]
    found = walked(entries, need("peft"), need("torch", "2.9+cu130", extra="gpu"), need("peft", extra="docs"))
    assert {name: (set(each.asked), set(each.barred)) for name, each in found.items()} == {
        "torch 2.9": ({""}, {"gpu"}),
        "torch 2.9+cu130": ({"gpu"}, set()),
        "filelock 1": ({""}, {"gpu"}),
        "triton 1": ({"gpu"}, set()),
        "peft 1": ({""}, set()),
    }


def test_an_extra_of_another_project_that_an_extra_brings() -> None:
    chosen = "extra-4-core-cu130"
    core = locked("core", "1", need("torch", "2.9+cu130", f"extra == '{chosen}'", "cu130"), root=True)
    entries = [locked("torch", "2.9"), locked("torch", "2.9+cu130"), core]
    found = walked(
        entries,
        need("torch", "2.9", f"extra != '{chosen}'"),
        need("core", marker=f"extra == '{chosen}'", extra="gpu", extras=frozenset({"cu130"})),
    )
    assert {name: (set(each.asked), set(each.barred)) for name, each in found.items()} == {
        "torch 2.9": ({""}, {"gpu"}),
        "torch 2.9+cu130": ({"gpu"}, set()),
    }


def test_projects_of_which_only_one_can_be_installed() -> None:
    entries = [locked("torch", "1"), locked("torch", "2")]
    found = walked(entries, need("torch", "1", "extra == 'project-3-app'"), need("torch", "2", "extra != 'project-3-app'"))
    assert found.keys() == {"torch 1"}


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


def test_an_extra_that_a_lock_says_to_keep_a_package_out() -> None:
    files = {
        "pyproject.toml": PROJECT + 'dependencies = ["torch"]\noptional-dependencies.cuda = ["torch"]\n',
        "poetry.lock": '[[package]]\nname = "torch"\nversion = "2.9.1"\ngroups = ["main"]\nmarkers = "extra != \\"cuda\\""\n'
        f'files = [{{file = "torch-2.9.1-{ARM}.whl", hash = "sha256:00"}}]\n\n[metadata]\nlock-version = "2.1"\n',
    }
    assert codes(files) == ["poetry.lock:2 error G1/torch-cpu-only-on-aarch64"]
    assert codes(files | {"setup.sh": "poetry install -E cuda\n"}) == []


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


def test_what_another_extra_takes_the_place_of_is_not_there() -> None:
    gpu = "extra == 'extra-3-app-gpu'"
    files = {
        "pyproject.toml": PROJECT + 'dependencies = ["torch"]\noptional-dependencies.gpu = ["torch"]\n',
        "uv.lock": uv(
            app(
                f'{{ name = "torch", version = "2.9.1", marker = "{gpu.replace("==", "!=")}" }}',
                f'[package.optional-dependencies]\ngpu = [{{ name = "torch", version = "2.9.1+cu130", marker = "{gpu}" }}]\n',
            ),
            entry("torch", "2.9.1"),
            entry("torch", "2.9.1+cu130", index="https://download.pytorch.org/whl/cu130"),
        ),
    }
    bare = ["uv.lock:14 error G1/torch-cpu-only-on-aarch64"]
    assert codes(files) == bare
    assert codes(files | {"Makefile": "gpu:\n\tuv sync --extra gpu\n"}) == []
    assert codes(files | {"Makefile": "gpu:\n\tuv sync --extra gpu\nplain:\n\tuv sync\n"}) == bare


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


def test_what_an_outdated_requirement_brought_along_is_resolved_anew() -> None:
    bare = entry("decord", "0.6.0", wheel="py3-none-manylinux2010_x86_64")
    files = {
        "pyproject.toml": PROJECT + 'dependencies = ["accelerate>=1.0"]\n',
        "uv.lock": uv(app('{ name = "accelerate" }'), entry("accelerate", "1.0", '{ name = "decord" }'), bare),
    }
    assert codes(files) == ["uv.lock:20 error G1/package-without-aarch64-wheel"]
    assert codes({**files, "pyproject.toml": PROJECT + 'dependencies = ["accelerate>=2.0"]\n'}) == []


def test_an_outdated_lock_is_said_once_for_each_package() -> None:
    extras = '[project.optional-dependencies]\nserve = ["vllm>=0.20"]\ntest = ["vllm>=0.20"]\n'
    files = {"pyproject.toml": PROJECT + extras, "uv.lock": uv(app("")), "run.sh": "uv sync --all-extras\n"}
    assert codes(files) == ["pyproject.toml:6 info G9/stale-lock"]
    assert codes({**files, "run.sh": "uv sync --extra test\n"}) == ["pyproject.toml:7 info G9/stale-lock"]


def test_overrides_beat_what_a_project_asks_for() -> None:
    asked = PROJECT + 'dependencies = ["torch==2.9.1"]\n'
    held = uv(app('{ name = "torch" }'), entry("torch", "2.12.1"))
    assert "pyproject.toml:5 info G9/stale-lock" in codes({"pyproject.toml": asked, "uv.lock": held})
    overrides = asked + '[tool.uv]\noverride-dependencies = ["torch>=2.11"]\n'
    assert codes({"pyproject.toml": overrides, "uv.lock": held}) == []
    # Kept out of the lock, it is not installed.
    never = overrides.replace(">=2.11", "; sys_platform == 'never'")
    assert codes({"pyproject.toml": never, "uv.lock": uv(app(""))}) == []


def test_an_override_of_what_the_torch_of_a_lock_brings() -> None:
    libraries = entry("nvidia-cudnn-cu12", "9.15")
    torch = entry("torch", "2.9.1+cu128", '{ name = "nvidia-cudnn-cu12" }', "https://download.pytorch.org/whl/cu128")
    files = {
        "pyproject.toml": PROJECT
        + 'dependencies = ["torch>=2.9"]\n[tool.uv]\noverride-dependencies = ["nvidia-cudnn-cu12>=9.15"]\n'
        + '[tool.uv.sources]\ntorch = { index = "cu128" }\n'
        + '[[tool.uv.index]]\nname = "cu128"\nurl = "https://download.pytorch.org/whl/cu128"\nexplicit = true\n',
        "uv.lock": uv(app('{ name = "torch" }'), torch, libraries),
    }
    assert {code.split()[-1] for code in codes(files)} == {"G1/torch-index-cuda12"}


def test_a_package_that_takes_any_torch_is_not_told_to_bring_it() -> None:
    files = {
        "pyproject.toml": PROJECT + 'dependencies = ["bitsandbytes"]\n',
        "uv.lock": uv(
            app('{ name = "bitsandbytes" }'),
            entry("bitsandbytes", "0.45.2", '{ name = "torch" }', wheel="py3-none-manylinux_2_24_x86_64"),
            entry("torch", "2.7.0"),
        ),
    }
    assert codes(files) == ["uv.lock:12 error G1/bitsandbytes-too-old", "uv.lock:20 error G1/torch-cpu-only-on-aarch64"]


def test_a_triton_without_a_wheel_changes_with_the_torch_that_pins_it() -> None:
    files = {
        "pyproject.toml": PROJECT + 'dependencies = ["torch"]\n',
        "uv.lock": uv(
            app('{ name = "torch" }'),
            entry("torch", "2.7.0+cu128", '{ name = "triton" }', "https://download.pytorch.org/whl/cu128"),
            entry("triton", "3.3.0", wheel=X86),
        ),
    }
    report = check_texts(files, Config(), rules=RULES).report()
    (finding,) = (each for each in report.findings if each.code == "G1/package-without-aarch64-wheel")
    assert finding.message.endswith("uv stops before it installs anything (asked for by torch)")
    assert finding.instead == 'uv lock --upgrade-package "torch>=2.11.0"'


def test_of_several_entries_the_one_of_the_address_or_the_version_is_meant() -> None:
    address = "https://example.invalid/torch-2.11.0-cp312-cp312-{}.whl"
    old = (
        '[[package]]\nname = "torch"\nversion = "2.11.0"\ndescription = ""\noptional = false\npython-versions = "*"\n'
        'files = []\n[package.source]\ntype = "url"\nurl = "{}"\n\n'
    )
    arm, mac = address.format("manylinux_2_28_aarch64"), address.format("macosx_11_0_arm64")
    head = '[tool.poetry]\nname = "app"\n[tool.poetry.dependencies]\npython = "^3.12"\ntorch = [\n'
    end = '[metadata]\nlock-version = "2.0"\npython-versions = "^3.12"\n'
    project = seen(
        {
            "pyproject.toml": f"{head}{{ url = '{arm}', markers = \"sys_platform == 'linux'\" }},\n{{ url = '{mac}', markers = \"sys_platform == 'darwin'\" }}]\n",
            "poetry.lock": old.format(arm) + old.format(mac) + end,
        }
    )
    assert [each.url for each in packages(project, "poetry.lock").values()] == [arm]
    several = [Locked(name="x", span=SPAN, origin=SPAN, written=f"x=={version}", version=version) for version in ("1.0", "2.0")]
    for specifier, expected in (("<2", ["1.0"]), (">=2", ["2.0"]), ("", ["1.0", "2.0"]), (">=3", ["1.0", "2.0"])):
        found = installed(Graph(several), Root(".", (Need("x", SPAN, specifier=specifier),)), "3.12")
        assert [each.entry.version for each in found] == expected, specifier


def test_what_no_machine_has_for_this_python_is_not_said_to_be_missing_on_a_spark() -> None:
    def offered(wheels: tuple[str, ...], python: str) -> str:
        return judged(Locked(name="x", span=SPAN, origin=SPAN, written="x==1", version="1", wheels=wheels), python).offered

    older = ("x-1-cp310-cp310-manylinux_2_28_aarch64.whl", "x-1-cp310-cp310-manylinux_2_28_x86_64.whl")
    assert offered(older, "3.10") == "wheel"
    assert offered(older, "3.12") == ""
    # There it is the Spark that lacks one, or there is none for it at all.
    assert offered((*older, f"x-1-{X86}.whl"), "3.12") == "none"
    assert offered(older[1:], "3.12") == "none"


def test_a_package_for_pixi_is_told_as_pixi_writes_it() -> None:
    pixi = (
        '[workspace]\nname = "app"\nchannels = ["conda-forge"]\nplatforms = ["linux-aarch64"]\n'
        '[dependencies]\ncuda-toolkit = "12.6.*"\ncuda-version = "==12.6"\n[pypi-dependencies]\n'
        'torch = { version = "==2.10.0+cu130", index = "https://download.pytorch.org/whl/cu130" }\ntorchaudio = "==2.10.0"\n'
    )
    findings = check_texts({"pixi.toml": pixi}, Config(), rules=RULES).report().findings
    assert {each.span.line: each.instead for each in findings if each.rule in ("conda-cuda12-toolkit", "torch-index-split")} == {
        6: 'cuda-toolkit = "13.0.*"',
        7: 'cuda-version = "13.0.*"',
        10: 'torchaudio = { version = "==2.10.0", index = "https://download.pytorch.org/whl/cu130" }',
    }


def test_a_lock_of_other_platforms_is_not_out_of_date_for_that() -> None:
    pixi = '[workspace]\nname = "app"\nchannels = ["conda-forge"]\nplatforms = {}\n[pypi-dependencies]\ntorch = "==2.12.0"\n'
    lock = (
        "version: 6\nenvironments:\n  default:\n    channels:\n    - url: https://conda.anaconda.org/conda-forge/\n    packages:\n"
        "      {0}:\n      - conda: https://conda.anaconda.org/conda-forge/{0}/python-3.12.3-h0_0.conda\n"
        "packages:\n- conda: https://conda.anaconda.org/conda-forge/{0}/python-3.12.3-h0_0.conda\n  sha256: '00'\n"
    )
    stale = "pixi.toml:6 info G9/stale-lock"
    other = {"pixi.toml": pixi.format('["linux-64"]'), "pixi.lock": lock.format("linux-64")}
    assert stale not in codes(other)
    assert stale in codes({"pixi.toml": pixi.format('["linux-aarch64"]'), "pixi.lock": lock.format("linux-aarch64")})


def test_a_wheel_that_has_an_address_is_not_upgraded_by_its_version() -> None:
    address = "https://example.invalid/vllm-0.26.0+cu129-cp38-abi3-manylinux_2_28_aarch64.whl"
    vllm = f'[[package]]\nname = "vllm"\nversion = "0.26.0+cu129"\nsource = {{ url = "{address}" }}\n'
    files = {
        "pyproject.toml": PROJECT + f'dependencies = ["vllm>=0.26"]\n[tool.uv.sources]\nvllm = {{ url = "{address}" }}\n',
        "uv.lock": uv(app('{ name = "vllm" }'), vllm),
    }
    (finding,) = (each for each in check_texts(files, Config(), rules=RULES).report().findings if each.span.path == "uv.lock")
    assert finding.code == "G1/torch-local-version-cuda12"
    assert finding.instead == "vllm>=0.20.0  # in the project's requirements, and no address for vllm beside it"


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


def test_of_several_requirements_the_one_that_is_installed_keeps_the_version() -> None:
    extras = '[project.optional-dependencies]\ncpu = ["torch==2.9.1"]\ncuda = ["torch==2.9.1"]\n'
    project = PROJECT + 'dependencies = ["torch>=2.7,<3"]\n' + extras
    files = {"pyproject.toml": project, "uv.lock": uv(app('{ name = "torch" }'), entry("torch", "2.9.1"))}
    assert codes({**files, "run.sh": "uv sync --extra cuda\n"}) == ["pyproject.toml:8 error G1/torch-cpu-only-on-aarch64"]
    assert codes(files) == ["uv.lock:12 error G1/torch-cpu-only-on-aarch64"]


def test_a_requirement_of_another_machine_decides_nothing() -> None:
    files = {
        "pyproject.toml": PROJECT
        + "dependencies = [\"torch<2.3; sys_platform == 'darwin'\", \"torch>=2.4; sys_platform != 'darwin'\"]\n",
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
    assert undated(finding.message).endswith("(asked for by a > b; as of a month, its metadata)")
    # Nothing that the project names asks for the GPU: what does works on the CPU too.
    assert (finding.code, str(finding.severity)) == ("G1/torch-cpu-only-on-aarch64", "warning")
    lock = uv(app('{ name = "b" }'), entry("b", deps='{ name = "torch" }'), entry("torch", "2.9.1"))
    assert codes({"pyproject.toml": PROJECT + 'dependencies = ["b"]\n', "uv.lock": lock}) == [
        "uv.lock:20 error G1/torch-cpu-only-on-aarch64"
    ]


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


def test_why_no_rule_says_anything_of_a_requirement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text(PROJECT + 'dependencies = ["torch>=2.4"]\n', encoding="utf-8")
    (tmp_path / "uv.lock").write_text(uv(app('{ name = "torch" }'), entry("torch", "2.12.1")), encoding="utf-8")
    said = "\n".join(why("pyproject.toml", 5, Config(), rules=RULES))
    assert "G1/torch-cpu-only-on-aarch64: uv.lock is judged in its place" in said
    assert "elsewhere" not in said


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


@pytest.mark.parametrize(
    ("lock", "problem"),
    [
        ("version = 2\n", "version 2 of uv.lock is not known, not read"),
        ("<!DOCTYPE html>\n", "not valid TOML: invalid statement"),
        (
            "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n",
            "a pointer of Git LFS: the file itself is not here",
        ),
        (uv(entry("torch")).replace('version = "1.0"', "<<<<<<< HEAD\nversion ="), "an unresolved merge conflict"),
    ],
)
def test_what_a_lock_that_cannot_be_read_holds_is_not_known(lock: str, problem: str) -> None:
    texts = {"pyproject.toml": PROJECT + 'dependencies = ["torch"]\n', "uv.lock": lock}
    report = check_texts(texts, Config(), rules=RULES).report()
    assert [each.message for each in report.problems] == [problem]
    assert "G9/stale-lock" not in [each.code for each in report.findings]


def test_a_lock_of_too_many_projects_is_cut_off_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark_lint.locks.MOST_STEPS", 30)
    members = [f"m{number}" for number in range(20)]
    head = f"[manifest]\nmembers = {members}\n"
    texts = {
        "uv.lock": uv(head, *(app('{ name = "a" }', folder=name).replace('"app"', f'"{name}"') for name in members), entry("a"))
    }
    assert not check_texts(texts, Config(), rules=RULES).report().problems
    monkeypatch.setattr("spark_lint.locks.MOST_STEPS", 10)
    (problem,) = check_texts(texts, Config(), rules=RULES).report().problems
    assert (problem.path, problem.line) == ("uv.lock", 2)
    assert problem.message.endswith("steps from package to package: the rest is not followed")


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
    # Any line of an entry stands for it.
    assert [next(why("uv.lock", line, Config(), rules=RULES)) for line in (11, 15)] == ["Package a: a==1.0"] * 2
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
    assert undated(list(why("uv.lock", 12, Config(), rules=RULES))[1]) == (
        f"  a Spark gets the wheel torch-2.12.1-{ARM}.whl, a build for CUDA 13 (as of a month, its metadata)"
    )
    line = Path("uv.lock").read_text().splitlines().index('name = "x"') + 1
    assert list(why("uv.lock", line, Config(), rules=RULES))[1] == "  a Spark gets nothing: no wheel, no source"


def test_an_empty_lock_is_out_of_date_for_nothing() -> None:
    assert codes({"pyproject.toml": PROJECT + 'dependencies = ["torch>=2.11", "vllm>=0.20"]\n', "uv.lock": ""}) == []


def test_attention_for_which_a_lock_has_a_wheel_is_an_info() -> None:
    files = {
        "pyproject.toml": PROJECT + 'dependencies = ["flash-attn"]\n',
        "uv.lock": uv(app('{ name = "flash-attn" }'), entry("flash-attn", "2.8.3")),
        "train.py": 'from transformers import AutoModel\nAutoModel.from_pretrained("m", attn_implementation="flash_attention_2")\n',
    }
    assert "train.py:2 info G2/attn-flash-attention-2" in codes(files)


def test_of_a_lock_that_is_read_in_part_nothing_is_said_by_what_is_missing() -> None:
    whole = uv(app('{ name = "bitsandbytes" }'), entry("bitsandbytes", "0.46.1", deps='{ name = "torch" }'))
    files = {"pyproject.toml": PROJECT + 'dependencies = ["bitsandbytes>=0.46"]\n'}
    assert codes({**files, "uv.lock": whole + '\n[[package]]\nname = "torch'}) == []
    assert codes({**files, "uv.lock": whole + "\n" + entry("torch", "2.12.1")}) == ["uv.lock:12 error G1/bitsandbytes-too-old"]


def test_what_an_extra_asks_of_a_package_that_is_always_there_is_asked_with_the_extra() -> None:
    cuda = need("jax", extra="gpu", extras=frozenset({"cuda12"}))
    entries = [locked("jax", "1", need("plugin", extra="cuda12")), locked("plugin")]
    found = walked(entries, need("jax"), cuda)
    assert (found["jax 1"].extras, found["plugin 1"].asked) == (frozenset(), frozenset({"gpu"}))
    assert walked(entries, cuda)["jax 1"].extras == frozenset({"cuda12"})
