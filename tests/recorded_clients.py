"""pip and uv as programs that say what the real ones said, so that a refresh runs without a network."""

import json
import sys
from pathlib import Path

RECORDED = Path(__file__).parent / "recorded" / "package_clients.json"
"""What pip 26.3 and uv 0.13.9 answered on 2026-11-30, by their arguments without those that are the same for all."""

_PROGRAM = r"""#!{python}
import json, os, sys, time
from pathlib import Path

here, args = Path(__file__).parent, sys.argv[1:]
if args == ["--version"]:
    print((here / "version").read_text())
    sys.exit()
with (here / "log").open("a") as log:
    log.write(json.dumps([Path(__file__).name, args, {{k: v for k, v in os.environ.items() if k.startswith(("PIP_", "UV_"))}}]) + "\n")
same = {{"--no-config", "pip", "compile", "--no-header", "index", "versions", "--json", "-vv", "--implementation=cp", "-", "--python", sys.executable}}
known = [each for each in args if each not in same and not each.startswith("--platform=")]
known += ["x86_64"] if "--platform=manylinux2014_x86_64" in args else []
known += ["<", sys.stdin.read().strip()] if Path(__file__).name == "uv" else []
question = " ".join([Path(__file__).name, *known])
answers = json.loads(Path({recorded!r}).read_text())
answers |= json.loads((here / "answers").read_text())
if question not in answers:
    sys.exit("not recorded: " + question)
code, out, said = answers[question]
if code == "sleep":
    time.sleep(60)
print(out, end="")
print(said, end="", file=sys.stderr)
sys.exit(code)
"""


class RecordedClients:
    """The two programs in a folder. answers: further ones, or others; `version`: what pip says of itself."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        for name in ("pip", "uv"):
            program = folder / name
            program.write_text(_PROGRAM.format(python=sys.executable, recorded=str(RECORDED)))
            program.chmod(0o755)
        self.version("26.3")
        self.answer({})

    @property
    def pip(self) -> str:
        return str(self.folder / "pip")

    @property
    def uv(self) -> str:
        return str(self.folder / "uv")

    def version(self, version: str) -> None:
        (self.folder / "version").write_text(f"pip {version} from somewhere (python 3.12)")

    def answer(self, answers: dict[str, list[object]]) -> None:
        (self.folder / "answers").write_text(json.dumps(answers))

    def asked(self) -> list[tuple[str, list[str], dict[str, str]]]:
        """Every call: the program, its arguments, and the variables about pip and uv that it saw."""
        log = self.folder / "log"
        return [tuple(json.loads(line)) for line in log.read_text().splitlines()] if log.exists() else []
