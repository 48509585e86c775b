"""A refresh: every package asked, the rows merged with those there were, and what takes something away put before a person."""

from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, TypeAlias

from spark_lint.refresh.changes import Change, changes
from spark_lint.refresh.clients import Clients, RegistryError
from spark_lint.refresh.rows import Looking, NoReleaseError, Row, row_of
from spark_lint.refresh.traps import changed, measured

Table: TypeAlias = Mapping[str, Any]
Answer: TypeAlias = Row | NoReleaseError | RegistryError


@dataclass(frozen=True, slots=True)
class Options:
    """What is asked for. names: the packages. workers: how many at a time. accept: those that may lose something; `all` for each."""

    names: tuple[str, ...]
    workers: int = 2
    accept: Collection[str] = ()

    def accepts(self, name: str) -> bool:
        """Whether a person has said that this package may lose something."""
        return name in self.accept or "all" in self.accept


@dataclass(slots=True)
class Outcome:
    """What came of it.

    table: the new one. changes: from the old one, also those that were refused. refused: the packages that are as they were because of
    those. traps: what is different for sets of requirements. errors: what could not be asked, by package; its row is as it was. absent:
    what the index does not hold.
    """

    table: dict[str, Any]
    changes: list[Change] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    traps: list[str] = field(default_factory=list)
    errors: dict[str, str] = field(default_factory=dict)
    absent: list[str] = field(default_factory=list)


def refreshed(
    old: Table, about: Table, clients: Clients, options: Options, looking: Looking, *, today: date, done: Callable[[str], None]
) -> Outcome:
    """Asks for packages, and merges what comes of it with the table there was.

    about: `packages.toml`. done: told the name of each package that is through. An interruption ends the clients and is passed on.
    """
    rows: dict[str, Row] = {}
    outcome = Outcome({})
    for name, result in _asked(old, about, clients, options, looking):
        if isinstance(result, NoReleaseError):
            outcome.absent.append(name)
        elif isinstance(result, RegistryError):
            outcome.errors[name] = str(result)
        else:
            rows[name] = result
        done(name)
    _merge(outcome, rows, old, about["package"], options, today)
    if set(options.names) >= set(about["package"]):  # a look at a few packages is no look at what goes together
        was = old.get("trap", {})
        traps, errors = measured(about.get("trap", {}), clients, about.get("allow", {}), was, old["as_of"])
        outcome.errors |= errors
        outcome.traps += changed(was, traps)
        outcome.table["trap"] = traps
    outcome.absent.sort()
    outcome.errors = dict(sorted(outcome.errors.items()))
    return outcome


def _asked(old: Table, about: Table, clients: Clients, options: Options, looking: Looking) -> Iterator[tuple[str, Answer]]:
    """Each package and its new row, or why it has none, in the order in which they come."""

    def ask(name: str) -> Answer:
        if name not in about["package"]:
            return NoReleaseError(name)  # to be taken out of the table
        try:
            return row_of(name, about["package"][name], clients, old["package"].get(name), looking)
        except (NoReleaseError, RegistryError) as error:
            return error

    with ThreadPoolExecutor(options.workers) as pool:
        waiting: dict[Future[Answer], str] = {pool.submit(ask, name): name for name in options.names}
        try:
            while waiting:
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    yield waiting.pop(future), future.result()
        except BaseException:
            clients.stop()
            pool.shutdown(cancel_futures=True)
            raise


def _merge(outcome: Outcome, rows: Mapping[str, Row], old: Table, listed: Table, options: Options, today: date) -> None:
    """Puts the table together: new rows, and old ones where there is no new one or where it takes something away."""
    whole = set(options.names) >= set(listed)
    day: date = today if whole else old["as_of"]
    before: Mapping[str, Row] = old["package"]
    # What packages.toml does not name any more goes, and what the index does not hold any more.
    dropped = {name for name in before if name in outcome.absent or (whole and name not in listed)}
    kept: dict[str, Row] = {}
    for name in dict.fromkeys((*listed, *before)):
        was, now = before.get(name), rows.get(name)
        if was is None and now is None:
            continue
        found = list(changes(name, was, now)) if now is not None or name in dropped else []
        refused = any(change.refused for change in found) and not options.accepts(name)
        outcome.changes += found if refused else [replace(change, refused=False) for change in found]
        if refused:
            outcome.refused.append(name)
        if now is not None and not refused:
            kept[name] = _dated(now, today, day)
        elif was is not None and (refused or name not in dropped):
            kept[name] = _dated(was, was.get("as_of", old["as_of"]), day)
    outcome.table = {**old, "as_of": day, "package": kept}


def _dated(row: Row, day: date, of_table: date) -> Row:
    """A row with its own day, where that is not the table's."""
    values = {key: value for key, value in row.items() if key != "as_of"}
    return values if day == of_table else {"as_of": day, **values}
