"""The command line. Only click is imported here, everything else where it is needed: `--version` costs nothing more."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar

import click

from spark_lint import __version__
from spark_lint.console import colored, failed, say, show, write

if TYPE_CHECKING:
    from spark_lint.config import Config
    from spark_lint.findings import Report
    from spark_lint.load import RuleSet

Command = TypeVar("Command", bound=Callable[..., Any])

FORMATS: Final = ("text", "concise", "json", "github")
FOLDER: Final = click.Path(exists=True, file_okay=False, path_type=Path)
FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)


class _Group(click.Group):
    """Without a command it is `check`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or args[0] not in (*self.commands, "--help", "-h", "--version"):
            args = ["check", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="spark-lint %(version)s")
def cli() -> None:
    """Say what in a repository will fail, run slowly or silently differ on an NVIDIA DGX Spark, before anything runs.

    `spark-lint [PATH]...` is `spark-lint check [PATH]...`; see `spark-lint check --help` for its options.
    """


def rules_option(command: Command) -> Command:
    """`--rules DIR`, only here and never in a configuration: it runs the code in that folder."""
    text = "Also use the rules in DIR, as `rules/README.md` describes them. Their code is run. Repeatable."
    return click.option("--rules", "folders", type=FOLDER, metavar="DIR", multiple=True, help=text)(command)


def settings_options(command: Command) -> Command:
    """Where settings come from, and those that say what the files run on."""
    for option in reversed((
        click.option("--config", "config_file", type=FILE, metavar="FILE", help="Read this configuration and no other."),
        click.option("--isolated", is_flag=True, help="Read no configuration."),
        click.option("--image", metavar="IMAGE", help="The container image in which files run that name none."),
        click.option("--sparks", type=click.IntRange(min=1), metavar="N", help="How many Sparks there are."),
        click.option("--python", metavar="X.Y", help="The Python on the Spark."),
    )):  # fmt: skip
        command = option(command)
    return command


@cli.command(short_help="Lint files and folders. What happens without a command.")
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path())
@click.option("--select", multiple=True, metavar="RULE", help="Only these rules: G1, G1/torch-index-cuda12, lint or ALL.")
@click.option("--ignore", multiple=True, metavar="RULE", help="Not these rules, beside those the configuration ignores.")
@click.option("--exclude", multiple=True, metavar="PATTERN", help="Leave paths out, as .gitignore writes them.")
@click.option("--force-exclude", is_flag=True, help="Leave them out even when they are given.")
@click.option(
    "--fail-on", type=click.Choice(["error", "warning", "info", "never"]), help="The least severity that fails [warning]."
)
@click.option("--min-confidence", type=click.Choice(["possible", "likely", "certain"]), help="Show no finding below [likely].")
@click.option("--strict", is_flag=True, help="Fail when something could not be read.")
@settings_options
@click.option("--output-format", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option("--output-file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write the report there.")
@click.option("--stdin-filename", metavar="NAME", help="Read `-` (standard input) as the file NAME.")
@click.option("--show-files", is_flag=True, help="List the files that would be read, and their kinds.")
@click.option("--show-settings", is_flag=True, help="List the settings and where they come from.")
@rules_option
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)
@click.option("-q", "--quiet", is_flag=True, help="Findings and problems only, no summary.")
def check(paths: tuple[str, ...], folders: tuple[Path, ...], **options: Any) -> int:
    """Lint files, and the files below folders; without a PATH the working directory.

    A file named like a command needs the command's name: `spark-lint check -- rules`.

    Options replace what the configuration says; --ignore and --exclude add to it. RULE and PATTERN may be several, with commas
    between them.

    Exit status: 0 nothing to fail for, 1 findings at or above --fail-on, 2 a usage, configuration or internal error, a path that
    does not exist, or a given file that can't be read.
    """
    named = options["stdin_filename"]
    if (named is None and "-" in paths) or (named is not None and paths not in ((), ("-",))):
        raise click.UsageError("`-` and --stdin-filename NAME go together, without other paths.")
    if "" in (*paths, named):
        raise click.UsageError("A PATH is empty.")
    if named and sys.stdin is None:
        raise click.UsageError("There is no standard input to read.")
    paths = paths or (os.curdir,)
    rules = _rules(folders)
    config = _config(rules, [named] if named else paths, options)
    if options["show_settings"]:
        from spark_lint.config import shown_settings

        show(shown_settings(config))
        return 0
    if options["show_files"]:
        return _show_files(paths, config)

    from spark_lint.check import check as lint

    # One byte more than is read, so that what is too large is seen to be.
    stdin = (named, sys.stdin.buffer.read(config.max_file_size + 1)) if named else None
    report = lint([] if stdin else paths, config, rules=rules, stdin=stdin)
    _write(report, rules, options)
    if not any(config.wants(rule.code) for rule in rules.rules):
        say("The settings select no rule, so none was asked.")
    return exit_status(report, config)


def exit_status(report: "Report", config: "Config") -> int:
    """2 where something that was given (or under `strict` anything) could not be read, 1 for findings that fail, else 0."""
    if any(problem.given or config.strict for problem in report.problems):
        return 2
    fail_on = config.fail_on
    return int(fail_on is not None and any(finding.severity >= fail_on for finding in report.findings))


@cli.command(short_help="Show the page of a rule, a gotcha, or what is known of a package or an image.")
@click.argument("name", required=False)
@click.option("--why", "place", metavar="PATH:LINE", help="What is seen at a line, and what each rule made of it.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@settings_options
@rules_option
def explain(name: str | None, place: str | None, output_format: str, folders: tuple[Path, ...], **options: Any) -> None:
    """Show the page of a rule (G1/torch-index-cuda12), a gotcha with its rules (G1), or what is known of a package (torch, "torch<2.11",
    "jax[cuda12]"), an image (nvcr.io/nvidia/pytorch:25.11-py3) or a model (org/name-7B), with dates.
    """
    if (name is None) == (place is None):
        raise click.UsageError("Give a NAME such as G1/torch-index-cuda12, G1 or torch, or --why PATH:LINE.")
    if name is not None and (given := [each for each in ("image", "sparks", "python") if options[each] is not None]):
        raise click.UsageError(f"--{given[0]} is for --why.")
    rules = _rules(folders)
    if place is not None:
        from spark_lint.why import why

        if output_format == "json":
            raise click.UsageError("--why has no JSON.")
        path, line = _place(place)
        if not os.path.isfile(path):  # noqa: PTH113
            raise click.UsageError(f"{path}: no such file.")
        show(why(path, line, _config(rules, [path], options), rules=rules))
    elif name is not None:
        from spark_lint.explain import found, lines

        try:
            known = found(name, rules)
        except LookupError as error:
            raise click.UsageError(str(error.args[0])) from None
        show(lines(known) if output_format == "text" else [json.dumps(known, indent=2)])


def _place(written: str) -> tuple[str, int]:
    """The path and line of `PATH:LINE`, or of the `PATH:LINE:COLUMN` that a report prints."""
    head, _, last = written.rpartition(":")
    path, _, line = head.rpartition(":")
    if path and line.isdecimal() and last.isdecimal():
        return path, int(line)
    if head and last.isdecimal():
        return head, int(last)
    raise click.UsageError(f"{written!r} is not PATH:LINE.")


@cli.command()
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@rules_option
def rules(output_format: str, folders: tuple[Path, ...]) -> None:
    """List the rules."""
    from spark_lint.explain import as_json, listing

    found = _rules(folders)
    if output_format == "text":
        show(listing(found))
        return
    from spark_lint.knowledge import as_of

    write(as_json(found, as_of()))


@cli.command(short_help="Run the pages of a folder of rules as tests.")
@click.argument("folder", type=FOLDER, metavar="DIR")
def test(folder: Path) -> int:
    """Run the pages of a folder of rules: what each claims to flag is flagged, and nothing else. Their code is run."""
    from spark_lint import pages
    from spark_lint.files import shown
    from spark_lint.load import rules_folder

    shipped = rules_folder().resolve() in (folder.resolve(), *folder.resolve().parents)
    outcome = pages.outcome(_rules(() if shipped else (folder,)), folder)
    show(f"{shown(each.page)}{f':{each.line}' if each.line else ''}: {each.message}" for each in outcome.failures)
    show([f"Pages: {outcome.pages}, fences: {outcome.fences}, failures: {len(outcome.failures)}."])
    return int(bool(outcome.failures))


def _rules(folders: Sequence[Path]) -> "RuleSet":
    from spark_lint.load import load

    return load(folders)


def _config(rules: "RuleSet", paths: Sequence[str], options: dict[str, Any]) -> "Config":
    """The settings: the nearest configuration at or above what the paths have in common, then the command line."""
    from spark_lint.config import load_config
    from spark_lint.keys import KEYS
    from spark_lint.selectors import LINT_CODES

    if options["isolated"] and options["config_file"]:
        raise click.UsageError("--isolated reads no configuration, --config does.")
    given = {key: options[name] for key in KEYS if options.get(name := key.replace("-", "_")) not in (None, False, ())}
    overrides = {key: _split(value) if isinstance(value, tuple) else value for key, value in given.items()}
    folders = [path if os.path.isdir(path) else os.path.dirname(path) for path in paths]  # noqa: PTH112, PTH120
    start = os.path.commonpath([os.path.abspath(folder) for folder in folders])  # noqa: PTH100
    codes = rules.codes | rules.gotchas.keys() | LINT_CODES
    return load_config(Path(start), options["config_file"], options["isolated"], overrides, codes=codes)


def _split(values: Iterable[str]) -> list[str]:
    return [part.strip() for value in values for part in value.split(",") if part.strip()]


def _show_files(paths: Sequence[str], config: "Config") -> int:
    from spark_lint.files import discover

    found = discover(paths, config)
    show(f"{each.path}: {each.kind}{' (only to see where the others run)' if each.neighbour else ''}" for each in found.files)
    for problem in found.problems:
        say(f"{problem.path}: {problem.message}")
    _say_unread(found.skipped, bool(found.files))
    return 2 if any(problem.given for problem in found.problems) else 0


def _write(report: "Report", rules: "RuleSet", options: dict[str, Any]) -> None:
    from spark_lint.report import writer

    name, quiet, file = options["output_format"], options["quiet"], options["output_file"]
    titles, knowledge, old = {}, "", ""
    if name in ("text", "github") and not quiet:
        from spark_lint.explain import title

        found = {finding.code for finding in report.findings}
        titles = {each.code: title(each) for each in rules.rules if each.code in found}
    if name == "json" or (name in ("text", "github") and not quiet):
        from spark_lint.knowledge import as_of, stale

        knowledge, old = as_of(), stale(today())
    text = StringIO()
    color = colored(options["color"], to_file=file is not None)
    writer(name)(report, text, color=color, quiet=quiet, titles=titles, knowledge=knowledge, stale=old)
    if file is None:
        write(text.getvalue())
    else:
        file.write_text(text.getvalue(), encoding="utf-8", newline="\n")
    if name in ("concise", "json") or (name == "github" and quiet):  # the others' summary says it
        _say_unread(report.skipped, bool(report.files))


def today() -> date:
    """The day, apart, so that a test may have another."""
    return date.today()


def _say_unread(skipped: Sequence[str], read: bool) -> None:
    for path in skipped:
        say(f"{path}: not a kind of file that is read")
    if not read:
        say("found nothing to read")


def run(arguments: Sequence[str] | None = None) -> int:
    """The command line as a function. arguments: those of the process if none are given. Gives the exit status."""
    try:
        status = cli.main(arguments, prog_name="spark-lint", standalone_mode=False)
    except click.Abort:  # Ctrl-C; 128 + SIGINT, as shells count
        return 130
    except click.ClickException as error:
        from spark_lint.report.terminal import safe_lines

        shown = StringIO()
        error.show(shown)
        click.echo(safe_lines(shown.getvalue()), err=True, nl=False)
        return 2
    except Exception as error:
        return failed(error)
    return status if isinstance(status, int) else 0


def main() -> NoReturn:
    """The `spark-lint` program."""
    sys.exit(run())
