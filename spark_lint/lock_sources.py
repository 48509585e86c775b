"""Where the packages of a lock come from: the indexes that it names, and where a project's own files name them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from spark_lint.facts import Context, Index, Locked, Package
from spark_lint.read.requirement import accelerator_tag
from spark_lint.scope import Scope


class Sources:
    """Where the packages of a lock come from. The index of most of them stands for the default one, of which companies keep mirrors."""

    def __init__(self, entries: Iterable[Locked], named: dict[str, Index]) -> None:
        counted = Counter(address(entry.index) for entry in entries if entry.index and not entry.root)
        self._main = next((url for url, _ in counted.most_common(1) if not accelerator_tag(url)), "")
        self._named = named
        self._known: dict[str, Index] = {}

    def of(self, entry: Locked) -> Index | None:
        """The index that a package comes from; None for the default one."""
        url = address(entry.index)
        if not url or url == self._main:
            return None
        if url not in self._known:
            own = self._named.get(url)
            # Where the project's own file names it, that is where it is changed.
            self._known[url] = Index(
                name=accelerator_tag(url), span=entry.span, origin=own.origin if own else entry.span, written=own.written if own else url,
                context=Context(), url=entry.index, label=own.label if own else "", explicit=True,
            )  # fmt: skip
        return self._known[url]

    def used(self, packages: Iterable[Package]) -> Iterator[Index]:
        """The indexes that packages come from, with where these are installed."""
        taking: dict[str, dict[Scope, None]] = defaultdict(dict)
        for each in packages:
            for scope in each.scopes:
                for index in scope.indexes:
                    taking[address(index.url)][replace(scope, indexes=())] = None
        for url, index in self._known.items():
            if url in taking:
                yield replace(index, scopes=tuple(taking[url]))


def address(url: str) -> str:
    """The address of an index as it is compared."""
    return url.rstrip("/")
