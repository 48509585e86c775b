"""How long a large uv.lock takes, against one of half the size, and against the parser alone; and how much memory."""

import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import tomli

from spark_lint.check import check
from spark_lint.config import Config
from spark_lint.load import load

URL = "https://example.invalid/packages/07/b7/cb5ce4d1a382cf53c19ef06c5fc29e85f5e129b4da6527dd207d90a5b8ad"
PYTHONS = ("cp310", "cp311", "cp312", "cp313", "cp314")
PLATFORMS = ("manylinux_2_28_aarch64", "manylinux_2_28_x86_64", "macosx_11_0_arm64", "win_amd64")
NEEDS = 3
"""What each package asks for: the ones before it."""


def lock(packages: int, wheels: int) -> str:
    """A uv.lock of so many packages with so many wheels each, that all are needed for the last one."""
    parts = ['version = 1\nrevision = 3\nrequires-python = ">=3.12"\n']
    for number in range(packages):
        needs = "".join(f'    {{ name = "package-{each}" }},\n' for each in range(max(0, number - NEEDS), number))
        tags = [f"{python}-{python}-{platform}" for python in PYTHONS for platform in PLATFORMS][:wheels]
        files = "".join(
            f'    {{ url = "{URL}/package_{number}-1.0-{tag}.whl", hash = "sha256:{number:064x}", size = 1, upload-time = "2026-01-01T00:00:00Z" }},\n'
            for tag in tags
        )
        parts.append(
            f'\n[[package]]\nname = "package-{number}"\nversion = "1.0"\nsource = {{ registry = "https://pypi.org/simple" }}\n'
            f"dependencies = [\n{needs}]\nwheels = [\n{files}]\n"
        )
    parts.append(
        f'\n[[package]]\nname = "app"\nversion = "0"\nsource = {{ editable = "." }}\ndependencies = [{{ name = "package-{packages - 1}" }}]\n'
    )
    return "".join(parts)


def measured(folder: Path) -> tuple[float, float, int]:
    """Seconds of CPU and mebibytes of memory for one run over a folder, in a process of its own; and the number of findings."""
    out = subprocess.run([sys.executable, __file__, str(folder)], check=True, capture_output=True, text=True).stdout
    seconds, memory, findings = out.split()
    return float(seconds), float(memory), int(findings)


def run(folder: Path) -> None:
    """Lint a folder and print what it cost."""
    rules = load()
    os.chdir(folder)
    before, started = peak(), time.process_time()
    report = check(["."], Config(), rules=rules)
    spent = time.process_time() - started
    print(spent, (peak() - before) / 1024, len(report.findings))


def peak() -> int:
    """The most memory that this process has used, in KiB; Linux alone tells it for a process that another one started."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0])


def main() -> None:
    """Print one line a size."""
    print("packages  MB    seconds  x half  x tomli  MiB  x file")
    for packages, wheels in ((10_000, 4), (10_000, 9)):
        costs = []
        for number in (packages // 2, packages):
            with TemporaryDirectory() as name:
                folder = Path(name)
                text = lock(number, wheels)
                (folder / "uv.lock").write_text(text)
                (folder / "pyproject.toml").write_text(
                    f'[project]\nname = "app"\nversion = "0"\ndependencies = ["package-{number - 1}"]\n'
                )
                costs.append((*measured(folder), len(text), text))
        started = time.process_time()
        tomli.loads(costs[1][4])
        parser = time.process_time() - started
        (half, *_), (whole, memory, _, size, _) = costs
        print(
            f"{packages:8,}  {size / 1e6:4.1f}  {whole:7.2f}  {whole / half:6.2f}  {whole / parser:7.2f}  {memory:4.0f}  {memory * 1024 * 1024 / size:5.1f}"
        )


if __name__ == "__main__":
    run(Path(sys.argv[1])) if sys.argv[1:] else main()
