"""What the package clients are asked, and what is made of what they say."""

import os
from datetime import timedelta
from pathlib import Path

import pytest
from recorded_clients import RecordedClients

from spark_lint.refresh.answers import Answers
from spark_lint.refresh.available import available
from spark_lint.refresh.clients import ClientError, Clients, File, RegistryError

NOTHING = "ERROR: No matching distribution found for decord\n"
WHEELS = "pip --only-binary=:all: --python-version=3.12 decord"


@pytest.fixture
def recorded(tmp_path: Path) -> RecordedClients:
    return RecordedClients(tmp_path / "bin")


def clients(recorded: RecordedClients, *, max_age: timedelta = timedelta(days=1), time_out: float = 60) -> Clients:
    answers = Answers(recorded.folder / "kept", max_age)
    return Clients(answers, pip=[recorded.pip], uv=[recorded.uv], time_out=time_out)


def test_versions(recorded: RecordedClients) -> None:
    asked = clients(recorded)
    assert asked.wheel_versions("sgl-kernel")[:2] == ("0.3.12", "0.3.13")
    assert asked.source_versions("sgl-kernel") == ()
    assert asked.wheel_versions("hqq") == ()
    assert asked.source_versions("hqq")[-2:] == ("0.2.8", "0.2.8.post1")
    assert asked.all_versions("decord")[-1] == "0.6.0"
    assert len(asked.all_versions("decord")) == 17


def test_versions_are_for_the_machine_whatever_asks(recorded: RecordedClients) -> None:
    clients(recorded).versions("sgl-kernel", "3.13")
    ((_, args, _),) = recorded.asked()
    platforms = [each.removeprefix("--platform=") for each in args if each.startswith("--platform=")]
    assert {"manylinux_2_39_aarch64", "manylinux_2_17_aarch64", "manylinux2014_aarch64", "linux_aarch64"} <= set(platforms)
    assert all(each.endswith("_aarch64") for each in platforms)
    assert {"--python-version=3.13", "--implementation=cp"} <= set(args)


def test_the_middle_is_asked_only_where_the_ends_differ(recorded: RecordedClients) -> None:
    asked = clients(recorded)
    assert asked.all_versions("hqq")[0] == "0.1.1"
    assert asked.calls == 2
    assert asked.all_versions("sgl-kernel")[0] == "0.1.0"
    assert asked.calls == 2 + 6


def test_files(recorded: RecordedClients) -> None:
    asked = clients(recorded)
    assert asked.files("decord", "0.6.0") == (
        File("decord-0.6.0-py3-none-manylinux2010_x86_64.whl", 13602299, "2021-06-14", False),
        File("decord-0.6.0-py3-none-win_amd64.whl", 24733380, "2021-06-14", False),
    )
    (source,) = asked.files("hqq", "0.2.8.post1")
    assert (source.name, source.is_source) == ("hqq-0.2.8.post1.tar.gz", True)


def test_resolved(recorded: RecordedClients) -> None:
    found = clients(recorded).resolved(["jax[cuda12]==0.7.2"])
    assert found.packages["jax"] == "0.7.2"
    assert found.packages["nvidia-cublas-cu12"] == "12.9.3.13"
    assert found.via["nvidia-cublas-cu12"] == ("jax-cuda12-plugin", "nvidia-cudnn-cu12", "nvidia-cusolver-cu12")
    assert found.via["jax-cuda12-plugin"] == ("jax",)
    assert found.via["jax"] == ()
    assert found.error == ""


def test_not_resolved(recorded: RecordedClients) -> None:
    found = clients(recorded).resolved(["decord==0.6.0"])
    assert found.packages == {}
    assert found.error.startswith("Because decord==0.6.0 has no wheels with a matching platform tag")
    assert "hint" not in found.error


def test_a_version_is_no_status_of_the_network(recorded: RecordedClients) -> None:
    question = "uv --python-platform aarch64-manylinux_2_39 --python-version 3.12 --no-build < some==1.2.552"
    said = (
        "error: No solution found when resolving dependencies\n  cause: Because some==1.2.552 has no usable wheels, it fails.\n"
    )
    recorded.answer({question: [1, "", said]})
    assert clients(recorded).resolved(["some==1.2.552"]).error == "Because some==1.2.552 has no usable wheels, it fails."


def test_a_package_that_is_not_there_has_nothing(recorded: RecordedClients) -> None:
    asked = clients(recorded)
    assert asked.wheel_versions("no-such-package-at-all") == ()
    assert asked.all_versions("no-such-package-at-all") == ()


def test_nothing_is_an_answer(recorded: RecordedClients) -> None:
    assert clients(recorded).wheel_versions("decord") == ()
    again = clients(recorded)
    assert again.wheel_versions("decord") == ()
    assert (again.calls, again.answers.found) == (0, 1)


@pytest.mark.parametrize(
    "debug",
    [
        "Could not fetch URL https://mirror.example/simple/decord/: connection error: Connection refused - skipping\n",
        "Could not fetch URL https://mirror.example/simple/decord/: 503 Server Error: Unavailable for url: https://mirror.example/x - skipping\n",
    ],
)
def test_an_index_out_of_reach_is_no_answer(recorded: RecordedClients, debug: str) -> None:
    recorded.answer({WHEELS: [1, debug, NOTHING]})
    with pytest.raises(RegistryError) as caught:
        clients(recorded).wheel_versions("decord")
    assert "mirror.example" not in str(caught.value)
    recorded.answer({})
    assert clients(recorded).wheel_versions("decord") == ()


@pytest.mark.parametrize(
    "said",
    [
        "error: Request failed after 3 retries in 5.2s\n  cause: Failed to fetch: `https://mirror.example/simple/decord/`\n",
        "error: No solution found when resolving dependencies\n  cause: Because decord was not found\n\nhint: An index returned a 403 Forbidden error\n",
        "",
    ],
)
def test_a_resolver_out_of_reach_is_no_answer(recorded: RecordedClients, said: str) -> None:
    question = "uv --python-platform aarch64-manylinux_2_39 --python-version 3.12 --no-build < decord==0.6.0"
    recorded.answer({question: [2, "", said]})
    with pytest.raises(RegistryError):
        clients(recorded).resolved(["decord==0.6.0"])


def test_what_takes_too_long_is_asked_again_and_is_no_answer(recorded: RecordedClients) -> None:
    slow = clients(recorded)
    slow._time_out = 0.05  # the programs had to say their version first
    recorded.answer({WHEELS: ["sleep", "", ""]})
    with pytest.raises(RegistryError, match="three times"):
        slow.wheel_versions("decord")
    assert slow.calls == 3
    assert not list((recorded.folder / "kept").glob("*"))


def test_answers_age(recorded: RecordedClients) -> None:
    clients(recorded).wheel_versions("decord")
    again = clients(recorded, max_age=timedelta())
    again.wheel_versions("decord")
    assert again.calls == 1


def test_a_broken_answer_is_asked_again(recorded: RecordedClients) -> None:
    clients(recorded).wheel_versions("decord")
    (kept,) = (recorded.folder / "kept").iterdir()
    kept.write_text(kept.read_text()[:-9])
    again = clients(recorded)
    assert again.wheel_versions("decord") == ()
    assert again.calls == 1


@pytest.mark.parametrize("answer", ["null", '["zz"]', '[["x"]]', '{"a": 1}', "[" * 100_000])
def test_what_cannot_be_an_answer_is_asked_again(recorded: RecordedClients, answer: str) -> None:
    clients(recorded).wheel_versions("decord")
    (kept,) = (recorded.folder / "kept").iterdir()
    text = kept.read_text()
    kept.write_text(text.replace('"answer": []', f'"answer": {answer}'))
    again = clients(recorded)
    assert again.wheel_versions("decord") == ()
    assert again.calls == 1
    assert kept.read_text().endswith('"answer": []\n}\n')


def test_a_folder_in_the_place_of_an_answer_harms_nothing(recorded: RecordedClients) -> None:
    clients(recorded).wheel_versions("decord")
    (kept,) = (recorded.folder / "kept").iterdir()
    kept.unlink()
    kept.mkdir()
    assert clients(recorded).wheel_versions("decord") == ()


def test_the_user_has_no_say_in_what_there_is(recorded: RecordedClients, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_CONSTRAINT", "/etc/constraints.txt")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "https://mirror.example/simple")
    monkeypatch.setenv("UV_DEFAULT_INDEX", "https://mirror.example/simple")
    monkeypatch.setenv("PIP_CERT", "/etc/ssl/certs/our-own.crt")
    asked = clients(recorded)
    asked.wheel_versions("decord")
    asked.files("decord", "0.6.0")
    for _, _, environment in recorded.asked():
        assert environment["PIP_CONFIG_FILE"] == "/dev/null"
        assert environment["PIP_CERT"] == "/etc/ssl/certs/our-own.crt"
        assert not environment.keys() & {"PIP_CONSTRAINT", "PIP_EXTRA_INDEX_URL", "UV_DEFAULT_INDEX"}


@pytest.mark.parametrize("name", ["--index-url=https://mirror.example", "-r", "../decord", "decord @ file:///x", ""])
def test_a_name_is_a_name(recorded: RecordedClients, name: str) -> None:
    asked = clients(recorded)
    with pytest.raises(ValueError, match="not the name of a package"):
        asked.wheel_versions(name)
    with pytest.raises(ValueError, match="not the name of a package"):
        asked.files(name, "1.0")
    assert asked.calls == 0


def test_old_or_missing_clients_are_said(recorded: RecordedClients) -> None:
    recorded.version("23.2.1")
    with pytest.raises(ClientError, match=r"pip 23\.2\.1 is too old"):
        clients(recorded)
    recorded.version("26.3")
    Path(recorded.uv).unlink()
    with pytest.raises(ClientError, match="uv does not run"):
        clients(recorded)


def test_after_a_stop_nothing_is_asked(recorded: RecordedClients) -> None:
    asked = clients(recorded)
    asked.stop()
    with pytest.raises(RegistryError):
        asked.wheel_versions("decord")
    assert recorded.asked() == []


def test_available(recorded: RecordedClients) -> None:
    asked = clients(recorded)
    decord, kernel, hqq = (available(name, asked) for name in ("decord", "sgl-kernel", "hqq"))
    assert set(decord.verdicts.values()) == {"none"}
    assert decord.newest_day == "2021-06-14"
    assert (kernel.verdicts["0.3.11"], kernel.verdicts["0.3.12"]) == ("none", "wheel")
    assert list(kernel.verdicts)[-1] == "0.3.21"
    assert not kernel.by_python
    assert set(hqq.verdicts.values()) == {"sdist"}


def test_nothing_available(recorded: RecordedClients) -> None:
    assert available("no-such-package-at-all", clients(recorded)).verdicts == {}


@pytest.mark.skipif(
    "SPARK_LINT_INDEX" not in os.environ, reason="asks the default index: SPARK_LINT_INDEX=1, and spark-lint[refresh]"
)
def test_the_real_clients(tmp_path: Path) -> None:
    asked = Clients(Answers(tmp_path))
    assert set(available("decord", asked).verdicts.values()) == {"none"}
    found = available("torch", asked)
    assert (found.verdicts["2.1.2"], found.verdicts["2.2.0"], found.verdicts["2.11.0"]) == ("none", "wheel", "wheel")
    assert "2.1.2" in found.by_python
    assert asked.resolved(["torch==2.10.0"]).packages.keys() & {"nvidia-cublas", "nvidia-cublas-cu12", "cuda-toolkit"} == set()
    assert asked.wheel_versions("no-such-package-at-all") == ()
