"""What is fetched from an address, and which flags of compilers are for x86-64 alone."""

import pytest
from projects import facts

from spark_lint.facts import Setting


def values(files: dict[str, str], name: str) -> list[str]:
    path = next(iter(files))
    return [str(each.value) for each in facts(files, path, Setting, name)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("wget https://a.org/x", ["https://a.org/x"]),
        ("sudo curl -fsSLo /tmp/x https://a.org/x", ["https://a.org/x"]),
        ("curl --url=https://a.org/x", ["https://a.org/x"]),
        ("wget -O https://a.org/y https://a.org/x", ["https://a.org/x"]),
        ("aria2c -x 16 https://a.org/x ftp://b.org/y", ["https://a.org/x", "ftp://b.org/y"]),
        ("curl -H 'Referer: https://a.org' https://a.org/x", ["https://a.org/x"]),
        ('add-apt-repository "deb https://a.org/repo /"', ["https://a.org/repo"]),
        ('echo "deb [arch=amd64] https://a.org/repo /" > /etc/apt/sources.list.d/a.list', ["https://a.org/repo"]),
        ("printf 'deb https://a.org/repo /' | sudo tee a.list", ["https://a.org/repo"]),
        ("echo see https://a.org/x", []),
        ("dnf install -y https://a.org/x.rpm", ["https://a.org/x.rpm"]),
        ("bash -c 'wget https://a.org/x'", ["https://a.org/x"]),
        ("wget --spider https://a.org/x", []),
        ("curl -I https://a.org/x", []),
        ("curl -X POST https://a.org/x", []),
        ("echo wget https://a.org/x", []),
        ("git clone https://a.org/x", []),
        ("dnf install $HOME/x.rpm", []),
    ],
)
def test_what_a_command_fetches(line: str, expected: list[str]) -> None:
    assert values({"a.sh": line}, "download") == expected


def test_the_file_is_known_where_the_server_is_not() -> None:
    (found,) = values({"a.sh": 'wget "$MIRROR/tool-linux-x86_64.tar.gz"'}, "download")
    assert found.endswith("/tool-linux-x86_64.tar.gz")


def test_an_address_stands_at_the_variable_that_decides() -> None:
    script = "ARCH=amd64\nwget https://a.org/tool-$ARCH\n"
    (found,) = facts({"a.sh": script}, "a.sh", Setting, "download")
    assert (found.value, found.origin.line, found.span.line) == ("https://a.org/tool-amd64", 1, 2)


@pytest.mark.parametrize(
    "script", ["V=1.2\nwget https://a.org/tool-$V-x86_64.sh\n", "B=https://a.org\nwget $B/tool-linux-amd64\n"]
)
def test_an_address_stands_at_itself_where_a_variable_does_not_say_the_machine(script: str) -> None:
    (found,) = facts({"a.sh": script}, "a.sh", Setting, "download")
    assert (found.origin, found.span.line) == (found.span, 2)


def test_what_a_dockerfile_adds() -> None:
    dockerfile = "FROM a AS b\nADD https://a.org/x /x\nADD local.tar /y\nCOPY --from=b https://a.org/z /z\n"
    assert values({"Dockerfile": dockerfile}, "download") == ["https://a.org/x"]


def test_what_python_fetches() -> None:
    code = 'import urllib.request\n\nurllib.request.urlretrieve("https://a.org/x", "x")\nopen_("https://a.org/y")\n'
    assert values({"a.py": code}, "download") == ["https://a.org/x"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("g++ -O3 -mavx2 -mfma a.cpp", ["-mavx2 -mfma"]),
        ("make CFLAGS='-O3 -march=haswell'", ["-march=haswell"]),
        ("cmake -DCMAKE_C_FLAGS=-msse4.2 .", ["-msse4.2"]),
        ("nvcc -Xcompiler -mavx512f,-mfma a.cu", ["-mavx512f -mfma"]),
        ("gcc -march=x86-64-v3 -mtune=skylake-avx512 a.c", ["-march=x86-64-v3 -mtune=skylake-avx512"]),
        ("gcc -march=armv8-a -mcpu=neoverse-v2 -mtune=native a.c", []),
        ("gcc -mfancy -march=haswellish a.c", []),
        ("gcc -I/opt/x-mavx2 a.c", []),
        ("sed -i s/-mavx2// Makefile", []),
        ("grep -e -mavx2 Makefile", []),
        ("git commit -m 'drop the -mavx2 flag of the build'", []),
    ],
)
def test_flags_that_only_compilers_for_x86_know(line: str, expected: list[str]) -> None:
    assert values({"a.sh": line}, "x86_flag") == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ('flags = ["-O3", "-mavx2"]\n', ["-mavx2"]),
        ('flags.append("-mavx2")\n', ["-mavx2"]),
        ('load(name="x", extra_cflags="-mavx2")\n', ["-mavx2"]),
        ('import os\n\nos.environ["CFLAGS"] = "-O2 -msse4.1"\n', ["-msse4.1"]),
        ('if has_flag("-mavx2"):\n    pass\n', []),
        ('flags = {"x86_64": "-mavx2"}\n', []),
        ('HELP = "-mavx2 is handed on to the compiler"\n', []),
    ],
)
def test_flags_in_python(code: str, expected: list[str]) -> None:
    assert values({"a.py": code}, "x86_flag") == expected


def test_a_long_line_of_dashes_is_read_in_time_to_be_useful() -> None:
    words = "-m" * 20_000 + " " + "-mavx" * 20_000
    assert values({"a.sh": f"gcc {words}"}, "x86_flag") == []
