"""Inside which container do commands leave one? `docker run -it IMAGE` opens a shell in it, `docker exec -it NAME bash` another."""

from typing import Final

from spark_lint.facts import Command, Image
from spark_lint.names.commands import unwrapped
from spark_lint.names.docker import of_command, started
from spark_lint.names.scripts import SHELLS
from spark_lint.read.reference import image
from spark_lint.text import UNKNOWN, Text

_PROGRAMS: Final = frozenset({"docker", "podman", "nerdctl", "nvidia-docker"})
_SWITCHES: Final = frozenset({"-l", "-i", "-li", "-il", "--login"})
_LEAVES: Final = frozenset({"exit", "logout"})


class Containers:
    """The containers that the commands of one text have started, as far as they have names."""

    def __init__(self) -> None:
        self._images: dict[str, Image] = {}

    def inside(self, command: Command, before: Image | None) -> Image | None:
        """The image of the container in which one is after a command; `before` is that of the one before it."""
        if command.name in _LEAVES:
            return None
        if not any(word.value.rpartition("/")[2] in _PROGRAMS for word in command.words):
            return before
        docker = next((each for each in unwrapped(command) if isinstance(each, Command) and each.name == "docker"), None)
        return before if docker is None else self._entered(docker)

    def _entered(self, docker: Command) -> Image | None:
        """The image of the container whose shell a command opens. In none of them one runs docker: whoever does has left it."""
        if len(docker.arguments) < 2:
            return None
        container = docker.arguments[1]
        if docker.subcommand in ("run", "create"):
            found = next((fact for fact in of_command(docker) if isinstance(fact, Image)), None) or _unknown(container)
            name = docker.option("--name")
            if name is not None:
                self._images[name.value] = found
            return found if _interactive(docker) and _opens_shell(docker, found) else None
        if docker.subcommand in ("exec", "attach") and _opens_shell(docker, None):
            return self._images.get(container.value) or _unknown(container)
        return None


def _unknown(text: Text) -> Image:
    return image(text.as_value(UNKNOWN), role="run")


def _interactive(docker: Command) -> bool:
    letters = "".join(option.name[1:] for option in docker.options if not option.name.startswith("--"))
    return ("i" in letters or docker.has("--interactive")) and not ("d" in letters or docker.has("--detach"))


def _opens_shell(docker: Command, found: Image | None) -> bool:
    """Whether what runs in the container is a shell that reads from the terminal. An image may start something else by itself."""
    given = docker.arguments[2:]
    entry = docker.option("--entrypoint")
    if not given and entry is None:
        probe = docker.arguments[1].as_value("-")
        return len(started(found, (probe,))) == 1
    words = [word.value.rpartition("/")[2] for word in ((entry, *given) if entry is not None else given)]
    return words[0] in SHELLS and all(word in _SWITCHES for word in words[1:])
