"""`python -m spark_lint.knowledge`: what a maintainer runs to bring `wheels.toml` up to date. Users never do."""

import signal
import sys
import time
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
from packaging.utils import canonicalize_name

from spark_lint.load import rules_folder
from spark_lint.refresh.answers import Answers, replace_file
from spark_lint.refresh.clients import ClientError, Clients, RegistryError
from spark_lint.refresh.cuda import Cuda, established
from spark_lint.refresh.files import measured_table, packages_table
from spark_lint.refresh.opening import Opening
from spark_lint.refresh.rows import Looking, Row
from spark_lint.refresh.run import Options, Outcome, refreshed
from spark_lint.refresh.verify import sampled, verified
from spark_lint.refresh.writing import table_text

FOLDER = click.Path(file_okay=False, path_type=Path)
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
def cli() -> None:
    """Bring what is known of packages up to date, from the default package index."""


@cli.command()
@click.argument("names", metavar="[PACKAGE]...", nargs=-1)
@click.option("--table", type=FILE, metavar="FILE", help="The table to write, by default wheels.toml of this checkout.")
@click.option("--packages", type=FILE, metavar="FILE", help="What is looked at, by default packages.toml of this checkout.")
@click.option("--cache", type=FOLDER, metavar="DIR", help="Where answers are kept, by default ~/.cache/spark-lint.")
@click.option(
    "--max-age",
    type=click.FloatRange(min=0, max=24 * 366),
    default=24,
    metavar="HOURS",
    help="Ask again what is older. [default: 24]",
)
@click.option("--workers", type=click.IntRange(1, 16), default=2, metavar="N", help="How many packages at a time. [default: 2]")
@click.option("--check", is_flag=True, help="Say what would change and write nothing; exit status 1 if anything would.")
@click.option(
    "--accept", multiple=True, metavar="NAME", help="Write also what takes something away from this package; `all` for each."
)
@click.option("--max-download", type=click.IntRange(min=0), default=3000, metavar="MB", help="Of wheels, in all. [default: 3000]")
@click.option("--no-elf", is_flag=True, help="Download no wheel: what was read in libraries stays as it was.")
@click.option("--pip", "pip", metavar="FILE", help="A pip of version 25 or later, by default that of this Python.")
@click.option("--uv", "uv", metavar="FILE", help="The uv to use, by default the one installed here.")
def refresh(
    names: tuple[str, ...], table: Path | None, packages: Path | None, cache: Path | None, max_age: float, workers: int, check: bool,
    accept: tuple[str, ...], max_download: int, no_elf: bool, pip: str | None, uv: str | None,
) -> None:  # fmt: skip
    """Ask what a Spark gets of each package, or of those named, and write it down.

    Says what changes and what that means for users. What takes something away (a wheel, a version, a package) is written only with
    --accept. An answer is kept for a day, so that a run that was interrupted goes on where it stopped.
    """
    begun = time.monotonic()
    path = table or rules_folder() / "knowledge" / "wheels.toml"
    text = path.read_text("utf-8")
    old, about = measured_table(path), packages_table(packages or rules_folder() / "knowledge" / "packages.toml")
    wanted, accepted = dict.fromkeys(map(canonicalize_name, names)), set(map(canonicalize_name, accept))
    if unknown := [
        name for name in (*wanted, *sorted(accepted - {"all"})) if name not in about["package"] and name not in old["package"]
    ]:
        raise click.UsageError(f"neither in packages.toml nor in wheels.toml: {', '.join(unknown)}")
    folder = cache or Path.home() / ".cache" / "spark-lint"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise click.ClickException(f"answers cannot be kept: {error}") from error
    answers = Answers(folder, timedelta(hours=max_age))
    clients = _clients(answers, pip, uv)
    options = Options(tuple(wanted or about["package"]), workers, accepted)
    opening = Opening(clients, max_download)
    looking = _looking(clients, opening, about, elf=not no_elf)
    shown = sys.stderr if sys.stderr.isatty() else StringIO()
    with click.progressbar(length=len(options.names), label="Asking", file=shown) as bar:
        outcome = refreshed(old, about, clients, options, looking, today=date.today(), done=lambda _: bar.update(1))
    for line in (*_said(outcome), *sorted(opening.left_out)):
        click.echo(line)
    new = table_text(outcome.table)
    if not check and new != text:
        if path.read_text("utf-8") != text:
            raise click.ClickException(f"{path} was changed meanwhile, so it was left alone; run it again: the answers are kept")
        replace_file(path, new)
    if not outcome.changes and not outcome.traps:
        click.echo("Nothing is different.")
    asked = "1 package" if len(options.names) == 1 else f"{len(options.names)} packages"
    click.echo(
        f"Asked for {asked}: {clients.calls} client calls, {answers.found} answers from the cache, "
        f"{opening.downloaded / 1e6:.0f} MB downloaded, {time.monotonic() - begun:.0f} s."
    )
    sys.exit(1 if outcome.errors or outcome.refused or (check and (outcome.changes or outcome.traps)) else 0)


@cli.command()
@click.argument("names", metavar="[PACKAGE]...", nargs=-1)
@click.option("--table", type=FILE, metavar="FILE", help="The table to check, by default wheels.toml of this checkout.")
@click.option("--sample", type=click.IntRange(min=1), default=40, metavar="N", help="How many releases. [default: 40]")
@click.option("--seed", type=int, default=0, metavar="N", help="Another one draws others. [default: 0]")
@click.option("--pip", "pip", metavar="FILE", help="A pip of version 25 or later, by default that of this Python.")
@click.option("--uv", "uv", metavar="FILE", help="The uv to use, by default the one installed here.")
def verify(names: tuple[str, ...], table: Path | None, sample: int, seed: int, pip: str | None, uv: str | None) -> None:
    """Ask pip and uv for some releases, or for one of each package named, and compare what they say with the table.

    The exit status is 1 where they differ. What was read in libraries is not read again.
    """
    rows = measured_table(table or rules_folder() / "knowledge" / "wheels.toml")["package"]
    if unknown := [name for name in names if canonicalize_name(name) not in rows]:
        raise click.UsageError(f"not in the table: {', '.join(unknown)}")
    rows = {name: rows[name] for name in (map(canonicalize_name, names) if names else rows)}
    if not rows:
        raise click.UsageError("the table is empty")
    differ, harmless = 0, packages_table(rules_folder() / "knowledge" / "packages.toml").get("allow", ())
    try:
        with TemporaryDirectory(prefix="spark-lint-") as folder:  # what a refresh has kept proves nothing
            pairs = sampled(rows, len(rows) if names else sample, seed)
            for each in verified(rows, pairs, _clients(Answers(Path(folder)), pip, uv), harmless):
                click.echo(each)
                differ += not each.agrees
    except RegistryError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"Asked for {len(pairs)} releases: {differ} differ.")
    sys.exit(1 if differ else 0)


def _clients(answers: Answers, pip: str | None, uv: str | None) -> Clients:
    try:
        return Clients(answers, pip=[pip] if pip else None, uv=[uv] if uv else None)
    except ClientError as error:
        raise click.ClickException(str(error)) from error


def _looking(clients: Clients, opening: Opening, about: Mapping[str, Any], *, elf: bool) -> Looking:
    """How to look behind the names of files, without a download where nobody wants one."""

    def cuda(name: str, how: str, available: Mapping[str, str], old: Row | None) -> Cuda:
        return established(name, how, available, clients, old, opening, about.get("allow", ()))

    return Looking(cuda, opening.foreign if elf else None, elf)


def _said(outcome: Outcome) -> Iterator[str]:
    """What came of a refresh, for people."""
    yield from (f"{'refused: ' if change.refused else ''}{change}" for change in outcome.changes)
    yield from (
        f"{name}: no stable release on the index, or no such package, so it has no row"
        for name in outcome.absent
        if name not in outcome.refused
    )
    yield from outcome.traps
    yield from (f"{name}: could not be asked, its row stays as it was: {why}" for name, why in outcome.errors.items())
    if outcome.refused:
        names = " ".join(f"--accept {name}" for name in outcome.refused)
        yield f"Left as they were, since something would be taken away. If that is right: {names}"


def main() -> None:
    """The command line."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that no client is left behind
    cli(prog_name="python -m spark_lint.knowledge")
