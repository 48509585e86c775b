"""Writes expected.toml beside the locks: what uv itself finds for a Spark. A maintainer runs it, with a package registry in reach:

    python truth.py breaks works

It needs Python 3.11, `packaging`, `py-rattler`, and uv, poetry (with poetry-plugin-export) and pdm on the PATH. What of uv.lock and of an
old poetry.lock is in force is resolved anew, from the project's requirements and the versions of the lock, and not read off the lock's
graph; of Poetry's and PDM's newer ones Poetry and PDM say it, of pixi's its library. Whether there is a wheel of a version is what uv says
when it may not build. Locks that hold no graph (Pipfile.lock, requirements) install each of their lines whose marker holds, so there the
markers alone are asked.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import tomllib
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

HERE = Path(__file__).parent
PYTHON = "3.12"
SPARK = {
    "implementation_name": "cpython",
    "implementation_version": "3.12.3",
    "os_name": "posix",
    "platform_machine": "aarch64",
    "platform_python_implementation": "CPython",
    "platform_release": "",
    "platform_system": "Linux",
    "platform_version": "",
    "python_full_version": "3.12.3",
    "python_version": PYTHON,
    "sys_platform": "linux",
}
GRAPHS = {"uv": "uv.lock", "pylock": "pylock.gpu.toml", "poetry1": "poetry.lock"}
NOT_THERE = re.compile(
    r"no (?:matching |compatible |usable )?wheels|no source distribution|only available as|building source distributions is disabled"
)


def uv(*arguments: str, given: str = "", constraints: str = "") -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryDirectory() as folder:
        asked, bounds = Path(folder, "asked.in"), Path(folder, "bounds.txt")
        asked.write_text(given, encoding="utf-8")
        bounds.write_text(constraints, encoding="utf-8")
        command = [
            "uv",
            "pip",
            "compile",
            "--no-config",
            "--no-header",
            "--no-annotate",
            "--python-version",
            PYTHON,
            "-c",
            str(bounds),
            *arguments,
            str(asked),
        ]
        return subprocess.run(command, capture_output=True, text=True, check=False)


def locked(path: Path) -> dict[str, set[str]]:
    """The versions of each name in a TOML lock."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    found: dict[str, set[str]] = defaultdict(set)
    for package in data.get("package", data.get("packages", [])):
        if "version" in package:
            found[canonicalize_name(package["name"])].add(package["version"])
    return found


def in_force(lines: str) -> set[str]:
    """`name==version` of each requirement whose marker holds on a Spark."""
    joined = lines.replace("\\\n", " ")
    requirements = [
        Requirement(re.split(r"\s+--|\s+#", line)[0])
        for line in joined.splitlines()
        if line.strip() and not line.lstrip().startswith(("#", "-"))
    ]
    return {
        f"{canonicalize_name(each.name)}{each.specifier}"
        for each in requirements
        if each.marker is None or each.marker.evaluate(SPARK)
    }


def requirements(folder: Path, extra: str, group: str) -> list[str]:
    """What a project asks for itself. Of Poetry's own table the names and markers, since the lock has one version of each there."""
    data = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    if "project" in data:
        optional, groups = data["project"]["optional-dependencies"], data["dependency-groups"]
        return [*data["project"]["dependencies"], *(optional[extra] if extra else []), *(groups[group] if group else [])]
    poetry = data["tool"]["poetry"]
    tables = {
        name: value if isinstance(value, dict) else {} for name, value in poetry["dependencies"].items() if name != "python"
    }
    tables = {
        name: value for name, value in tables.items() if not value.get("optional") or (extra and name in poetry["extras"][extra])
    }
    tables |= {name: {} for name in poetry["group"][group]["dependencies"]} if group else {}
    return [name + (f" ; {value['markers']}" if "markers" in value else "") for name, value in tables.items()]


def resolved(project: Path, lock: Path, extra: str = "", group: str = "") -> set[str]:
    """What uv resolves from the project's requirements with the versions of a lock, for every machine, and of it what a Spark gets."""
    asked = requirements(lock.parent if lock.parent.name == "poetry1" else project / "uv", extra, group)
    versions = locked(lock)
    roots = [Requirement(each) for each in asked]
    for root in roots:
        # The lock decides, not the project: another tool may have chosen another version. Of several versions the project says which is whose.
        if len(versions[canonicalize_name(root.name)]) == 1:
            root.specifier = SpecifierSet()
    bounds = [f"{name}=={version}" for name, (version, *more) in versions.items() if not more]
    answer = uv("--universal", given="\n".join(map(str, roots)), constraints="\n".join(bounds))
    if answer.returncode:
        sys.exit(answer.stderr)
    found = in_force(answer.stdout)
    strange = {each for each in found if each.partition("==")[2] not in versions[each.partition("==")[0]]}
    if strange:
        sys.exit(f"{lock} does not hold {sorted(strange)}")
    return found


def kind(pin: str) -> str:
    """`wheel`, `sdist` or `none`: what there is of a version for Linux on aarch64 with glibc 2.39."""
    spark = ("--no-deps", "--python-platform", "aarch64-manylinux_2_39")
    name = pin.partition("==")[0]
    for found, arguments in (("wheel", ("--no-build",)), ("sdist", ("--no-binary", name))):
        answer = uv(*spark, *arguments, given=pin)
        if not answer.returncode:
            return found
        if not NOT_THERE.search(" ".join(answer.stderr.split())):
            sys.exit(answer.stderr)
    return "none"


def pipenv(lock: Path) -> dict[str, set[str]]:
    """The categories of a Pipfile.lock: what everybody gets, and what the others add."""
    data = json.loads(lock.read_text(encoding="utf-8"))

    def lines(category: str) -> str:
        entries = data.get(category, {}).items()
        return "\n".join(
            f"{name}{entry['version']}" + (f" ; {entry['markers']}" if "markers" in entry else "") for name, entry in entries
        )

    everybody = in_force(lines("default"))
    return {"default": everybody, "gpu": in_force(lines("gpu")) - everybody, "dev": in_force(lines("develop")) - everybody}


def exported(folder: Path) -> dict[str, set[str]]:
    """What Poetry and PDM say themselves that is installed from their lock, with markers that are asked here."""
    command, groups = {
        "poetry": (
            ["poetry", "export", "--without-hashes"],
            {"default": [], "gpu": ["--extras", "gpu"], "dev": ["--with", "dev"]},
        ),
        "pdm": (["pdm", "export", "--without-hashes"], {"default": ["--prod"], "gpu": ["--prod", "-G", "gpu"], "dev": []}),
    }[folder.name]
    found: dict[str, set[str]] = {}
    for who, asked in groups.items():
        with tempfile.TemporaryDirectory() as copy:
            for path in folder.iterdir():  # with the host back: Poetry compares the hash of its pyproject.toml
                Path(copy, path.name).write_text(
                    path.read_text(encoding="utf-8").replace("example.invalid", "pypi.org"), encoding="utf-8"
                )
            answer = subprocess.run([*command, *asked], capture_output=True, text=True, check=True, cwd=copy)
        found[who] = in_force(answer.stdout) - found.get("default", set())
    return found


def pixi(lock: Path) -> dict[str, set[str]]:
    """The environments of a pixi.lock for linux-aarch64, as pixi's own library reads them: what comes from PyPI."""
    from rattler import LockFile

    found: dict[str, set[str]] = {}
    for name, environment in LockFile.from_path(str(lock)).environments():
        packages = (
            each
            for platform in environment.platforms()
            if "aarch64" in str(platform)
            for each in environment.packages(platform) or []
        )
        found[name] = {
            f"{canonicalize_name(each.name)}=={each.version}" for each in packages if "conda" not in str(each.location)
        }
    return {"default": found["default"], **{name: found.get(name, set()) - found["default"] for name in ("gpu", "dev")}}


def pylock(lock: Path) -> str:
    """A pylock.toml that PDM made: each package is for everybody, under its marker, since PDM exports what it is asked for."""
    packages = tomllib.loads(lock.read_text(encoding="utf-8"))["packages"]
    return "\n".join(
        f"{each['name']}=={each['version']}" + (f" ; {each['marker']}" if "marker" in each else "") for each in packages
    )


def expected(project: Path) -> dict[str, dict[str, set[str]]]:
    """For each lock: who gets what. `gpu` and `dev` are what the extra and the group add."""
    found: dict[str, dict[str, set[str]]] = {}
    for tool, name in GRAPHS.items():
        lock = project / tool / name
        everybody = resolved(project, lock)
        found[tool] = {"default": everybody, "gpu": resolved(project, lock, extra="gpu") - everybody}
        if tool != "pylock":  # uv's export is for whom it is asked
            found[tool]["dev"] = resolved(project, lock, group="dev") - everybody
    for tool in ("poetry", "pdm"):
        found[tool] = exported(project / tool)
    found["pylock-pdm"] = {"default": in_force(pylock(project / "pylock-pdm" / "pylock.toml"))}
    found["pipenv"] = pipenv(project / "pipenv" / "Pipfile.lock")
    found["pip-compile"] = {"default": in_force((project / "pip-compile" / "requirements.txt").read_text(encoding="utf-8"))}
    exports = [
        in_force((project / "uv-export" / name).read_text(encoding="utf-8"))
        for name in ("requirements.txt", "requirements-gpu.txt")
    ]
    found["uv-export"] = {"default": exports[0], "gpu": exports[1] - exports[0]}
    found["pixi"] = pixi(project / "pixi" / "pixi.lock")
    return found


def write(project: Path) -> None:
    found = expected(project)
    pins = sorted(set().union(*(each for tool in found.values() for each in tool.values())))
    kinds = {pin: kind(pin) for pin in pins}
    lines = [
        "# Written by truth.py. What of each lock a Spark gets (Linux, aarch64, glibc 2.39, CPython 3.12): everybody, and what `gpu` and `dev` add."
    ]
    for tool, sets in found.items():
        lines += ["", f"[{tool}]"]
        for who, names in sets.items():
            lines += [f"{who} = [", *(f'    "{each}",' for each in sorted(names)), "]"] if names else [f"{who} = []"]
    lines += [
        "",
        "# What there is of each version for it.",
        "[kinds]",
        *(f'"{pin}" = "{each}"' for pin, each in kinds.items()),
        "",
    ]
    (project / "expected.toml").write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    for each in sys.argv[1:]:
        write(HERE / each)
