"""One requirement, and the address of an index."""

import pytest

from spark_lint.facts import Condition, Context, Package
from spark_lint.read.requirement import accelerator_tag, fault, index, project, requirement
from spark_lint.text import UNKNOWN, Source, Text

U = UNKNOWN
WHEELS = "https://download.pytorch.org/whl"


def package(value: str) -> Package:
    found = requirement(Text.of(Source("requirements.txt", value)))
    assert found is not None
    return found


NAMED = {
    "a name": ("torch", "torch", ""),
    "an underscore": ("flash_attn", "flash-attn", ""),
    "capitals and a dot": ("Ruamel.YAML", "ruamel-yaml", ""),
    "a digit first": ("3d-tools", "3d-tools", ""),
    "a pin": ("torch==2.9.1", "torch", "==2.9.1"),
    "a pin with a local tag": ("torch==2.10.0+cu128", "torch", "==2.10.0+cu128"),
    "an epoch": ("a==1!2.0", "a", "==1!2.0"),
    "arbitrary equality": ("a===1.0-custom", "a", "===1.0-custom"),
    "two clauses": ("torch>=2.2,<=2.5.1", "torch", ">=2.2,<=2.5.1"),
    "blanks everywhere": ("torch < 2.0, >=1.12", "torch", "<2.0,>=1.12"),
    "parentheses": ("torch (>=1.0, <2)", "torch", ">=1.0,<2"),
    "a comma at the end": ("torch>=2,", "torch", ">=2"),
    "a development release": ("torch==2.0.1.dev", "torch", "==2.0.1.dev"),
    "any patch release": ("torch==2.*", "torch", "==2.*"),
    "a star where it may not be": ("torch>=2.*", "torch", ">=2.*"),
    "a version from before PEP 440": ("pytz==2004d", "pytz", "==2004d"),
    "a version no integer can hold": ("a==" + "9" * 5000, "a", "==" + "9" * 5000),
    "a variable as version": (f"torch=={U}", "torch", f"=={U}"),
    "a variable inside the version": (f"torch>=2.{U},<3", "torch", f">=2.{U},<3"),
    "a variable as specifier": (f"torch {U}", "torch", U),
    "a variable behind extras": (f"torch[gpu]{U}", "torch", U),
    "a second clause in a variable": (f"torch>=2,{U}", "torch", f">=2,{U}"),
}


@pytest.mark.parametrize(("value", "name", "specifier"), NAMED.values(), ids=NAMED.keys())
def test_name_and_specifier(value: str, name: str, specifier: str) -> None:
    found = package(value)
    assert (found.name, found.specifier, found.url, found.marker) == (name, specifier, "", "")
    assert Source("", value).cut(found.span) == value


PLACES = {
    "a wheel's address": (f"{WHEELS}/cu124/torch-2.6.0%2Bcu124-cp312-cp312-linux_x86_64.whl", "torch", "==2.6.0+cu124"),
    "a wheel with a hash and a query": ("https://h/a_b-1.0-py3-none-any.whl?x=1#sha256=00", "a-b", "==1.0"),
    "a wheel with a build number": ("https://h/a-1.0-2cu13-py3-none-any.whl", "a", "==1.0"),
    "a wheel with a long local tag": (
        "https://h/flash_attn-2.7.4.post1+cu12torch2.6cxx11abiFALSE-cp312-cp312-linux_x86_64.whl",
        "flash-attn",
        "==2.7.4.post1+cu12torch2.6cxx11abifalse",
    ),
    "a wheel in a folder": ("dist/torch-2.0-cp312-cp312-linux_aarch64.whl", "torch", "==2.0"),
    "a wheel in this folder": ("torch-2.0-cp312-cp312-linux_aarch64.whl", "torch", "==2.0"),
    "a wheel on Windows": (r"C:\wheels\torch-2.0-cp312-cp312-win_amd64.whl", "torch", "==2.0"),
    "any wheel of a name": ("./dist/torch-*.whl", "torch", f"=={U}"),
    "a wheel of any version": (f"{U}/torch-{U}-cp312-cp312-linux_x86_64.whl", "torch", f"=={U}"),
    "a wheel with a version that is none": ("https://h/a-x.y-py3-none-any.whl", "a", ""),
    "a wheel with too few parts": ("https://h/a-1.0.whl", "a", "==1.0"),
    "a wheel with too many tags": ("https://h/a-1-" + "-".join([".".join("x" * 999)] * 3) + ".whl", "a", "==1"),
    "a source archive": ("https://h/llama_cpp_python-0.2.tar.gz", "llama-cpp-python", "==0.2"),
    "a repository": ("git+https://github.com/org/Some.Name.git", "some-name", ""),
    "a repository at a branch": ("git+https://github.com/org/name@feat/x", "name", ""),
    "a repository over ssh": ("git+ssh://git@github.com/org/name.git@v1", "name", ""),
    "a repository behind a secret": (f"git+https://{U}@github.com/org/name.git", "name", ""),
    "a repository's archive": ("https://github.com/org/name/archive/refs/tags/v1-2.tar.gz", "name", ""),
    "a repository that says its name": ("git+https://github.com/org/mono@x#egg=real_name&subdirectory=py", "real-name", ""),
    "an egg with an unknown rest": (f"git+https://github.com/org/name#egg=ab[x]{U}", "ab", ""),
}


@pytest.mark.parametrize(("value", "name", "specifier"), PLACES.values(), ids=PLACES.keys())
def test_address_or_wheel_names_its_package(value: str, name: str, specifier: str) -> None:
    found = package(value)
    assert (found.name, found.specifier, found.url, found.marker) == (name, specifier, value, "")
    assert Source("", value).cut(found.span) == value


NOTHING = {
    "nothing": "",
    "blanks": "  ",
    "a variable": U,
    "an unresolved variable": "${REQUIREMENTS}",
    "a name that starts in a variable": f"{U}torch",
    "a name that ends in a variable": f"torch{U}",
    "a name that goes on in a variable": f"torch{U}==2.0",
    "a name with a hyphen and a variable": f"torch-{U}",
    "this folder": ".",
    "this folder with extras": ".[gpu]",
    "a folder": "./vllm",
    "an absolute folder": "/workspace/vllm",
    "a folder in a variable": f"{U}/vllm",
    "a source archive in this folder": "name-1.0.tar.gz",
    "an option": "-e .",
    "wheels of any name": "dist/*.whl",
    "a wheel whose name is unknown in part": f"dist/flash{U}-1.0-py3-none-any.whl",
    "a repository's folder, which has a name of its own": "git+https://github.com/org/mono#subdirectory=csrc/x",
    "a repository in a variable": f"git+https://github.com/org/{U}",
    "an egg that is unknown in part": f"git+https://github.com/org/name#egg=ab{U}",
    "a page": "https://download.pytorch.org/whl/torch_stable.html",
    "an scp address": "git@github.com:org/name.git",
    "a single equals sign": "torch=2.0",
    "two names": "torch numpy",
    "prose": "then install the rest",
    "punctuation": "@",
    "a semicolon": ";",
}


@pytest.mark.parametrize("value", NOTHING.values(), ids=NOTHING.keys())
def test_no_package_where_none_is_named(value: str) -> None:
    assert requirement(Text.of(Source("x", value))) is None


DIRECT = {
    "as PEP 508 wants it": ("a @ https://h/x.zip ; os_name=='nt'", "a @ https://h/x.zip", "https://h/x.zip", "os_name=='nt'"),
    "without blanks": ("a@git+https://h/o/r.git@v1", "a@git+https://h/o/r.git@v1", "git+https://h/o/r.git@v1", ""),
    "no blank before the semicolon": (
        "a @ https://h/x.zip; os_name=='nt'",
        "a @ https://h/x.zip",
        "https://h/x.zip",
        "os_name=='nt'",
    ),
    "from pip freeze": ("a @ file:///croot/a_1/work", "a @ file:///croot/a_1/work", "file:///croot/a_1/work", ""),
    "beside the file": ("a @ ./a", "a @ ./a", "./a", ""),
    "in a variable": (f"a @ {U}", f"a @ {U}", U, ""),
}


@pytest.mark.parametrize(("value", "cut", "url", "marker"), DIRECT.values(), ids=DIRECT.keys())
def test_direct_reference(value: str, cut: str, url: str, marker: str) -> None:
    found = package(value)
    assert (found.name, found.specifier, found.url, found.marker) == ("a", "", url, marker)
    assert Source("", value).cut(found.span) == cut


def test_direct_reference_to_a_wheel_has_the_wheel_s_version() -> None:
    found = package("torch @ https://h/torch-2.6.0+cu124-cp312-cp312-linux_x86_64.whl")
    assert (found.version, found.local) == ("2.6.0+cu124", "cu124")


MARKERS = {
    "behind a specifier": ("  a >=1 ; python_version < '3.9' ", "a >=1", "python_version < '3.9'"),
    "without blanks": ("a==1;os_name=='nt'", "a==1", "os_name=='nt'"),
    "behind a wheel": ("./x-1-py3-none-any.whl ; os_name=='nt'", "./x-1-py3-none-any.whl", "os_name=='nt'"),
    "a semicolon that belongs to the address": ("https://h/x-1-py3-none-any.whl?a;b", "https://h/x-1-py3-none-any.whl?a;b", ""),
    "an empty one": ("a ;", "a", ""),
    "a broken one": ("a ; and and", "a", "and and"),
    "a variable in it": (f"a ; platform_machine == '{U}'", "a", f"platform_machine == '{U}'"),
}


@pytest.mark.parametrize(("value", "cut", "marker"), MARKERS.values(), ids=MARKERS.keys())
def test_span_ends_before_the_marker(value: str, cut: str, marker: str) -> None:
    found = package(value)
    assert (Source("", value).cut(found.span), found.written, found.marker) == (cut, cut, marker)


EXTRAS = {
    "one": ("jax[cuda12]", {"cuda12"}),
    "several, spelled freely": ("a [B_c, d.e]>=1", {"b-c", "d-e"}),
    "an empty list": ("a[]", set()),
    "one that is unknown": (f"a[{U},b]", {"b"}),
    "with an address": ("a[b] @ https://h/x.zip", {"b"}),
    "in an egg": ("git+https://h/o/r#egg=a[b]", {"b"}),
    "behind a wheel": ("a-1.0-py3-none-any.whl[b]", {"b"}),
}


@pytest.mark.parametrize(("value", "extras"), EXTRAS.values(), ids=EXTRAS.keys())
def test_extras(value: str, extras: set[str]) -> None:
    found = package(value)
    assert found.name == ("jax" if value.startswith("jax") else "a")
    assert found.extras == extras


def test_what_the_caller_knows_is_kept() -> None:
    context = Context(stage=2, conditions=(Condition("x"),))
    found = requirement(
        Text.of(Source("x", "a")),
        context=context,
        manager="uv",
        role="constraint",
        flags=frozenset({"--no-deps"}),
        environment=(("MAX_JOBS", "4"),),
    )
    assert found is not None
    assert (found.context, found.manager, found.role) == (context, "uv", "constraint")
    assert found.flags == {"--no-deps"}
    assert found.environment == (("MAX_JOBS", "4"),)


def test_a_variable_alone_is_shown_by_its_value() -> None:
    source = Source("a.sh", "for p in decord; do pip install $p; done")
    definition, use = source.span(9, 15), source.text.index("$p")
    found = requirement(Text.of(source, use, use + 2).as_value("decord", definition))
    assert found is not None
    assert (found.written, source.cut(found.span), found.origin) == ("decord", "$p", definition)


def test_origin_is_where_the_variable_is_defined() -> None:
    source = Source("Dockerfile", "ARG V=2.6.0\nRUN pip install torch==${V} numpy")
    definition, use = source.span(6, 11), source.text.index("${V}")
    text = Text.join(
        [Text.of(source, use - 7, use), Text.of(source, use, use + 4).as_value("2.6.0", definition)]  # the `torch==` before it
    )
    found = requirement(text)
    assert found is not None
    assert (found.version, found.origin, found.written) == ("2.6.0", definition, "torch==${V}")
    assert source.cut(found.span) == "torch==${V}"


def test_origin_of_a_marker_is_not_the_requirement_s() -> None:
    source = Source("x", "V torch ; ${M}")
    found = requirement(
        Text.join([Text.of(source, 2, 10), Text.of(source, 10, 14).as_value("os_name == 'nt'", source.span(0, 1))])
    )
    assert found is not None
    assert (found.origin, found.marker) == (found.span, "os_name == 'nt'")


PROJECTS = {
    "this folder": (".", "."),
    "extras": (" ./vllm[cuda] ", "./vllm[cuda]"),
    "a marker": ("./vllm ; os_name == 'posix'", "./vllm"),
    "a folder without a dot": ("third_party/vllm", "third_party/vllm"),
    "a folder in a variable": (f"{U}/vllm", f"{U}/vllm"),
    "a name": ("vllm", None),
    "a name with an address": ("vllm @ https://h/vllm", None),
    "an address": ("git+https://h/vllm", None),
    "an archive": ("./vllm.tar.gz", None),
    "a wheel with extras": ("./vllm-1-py3-none-any.whl[x]", None),
    "prose with a slash": ("this and/or that", None),
    "a backslash that continues nothing": ("torch\\", None),
}


@pytest.mark.parametrize(("value", "path"), PROJECTS.values(), ids=PROJECTS.keys())
def test_local_project(value: str, path: str | None) -> None:
    found = project(Text.of(Source("x", value)))
    assert (found.value if found else None) == path


FAULTS = {
    "a single equals sign": ("torch=2.0", "`==`, not `=`"),
    "a version from before PEP 440": ("pytz==2004d", "`==2004d` holds no version"),
    "a star where it may not be": ("torch>=2.*", "`>=2.*` holds no version"),
    "a broken marker": ("torch ; python_version <", "the marker is wrong: "),
    "a marker nested too deeply": ("a ; " + "(" * 5000 + "os_name=='nt'" + ")" * 5000, "the marker is wrong: "),
    "a marker with a broken string": ("a ; os_name == '\\x'", "the marker is wrong: "),
    "a marker of a path": ("./a ; nonsense", "the marker is wrong: "),
    "two names": ("torch numpy", "expected"),
    "quotes": ('"torch"', "expected"),
    "a backslash before blanks": ("torch==2 \\", "a backslash continues"),
}


@pytest.mark.parametrize(("value", "reason"), FAULTS.values(), ids=FAULTS.keys())
def test_fault_says_what_is_wrong(value: str, reason: str) -> None:
    assert reason in fault(value)
    assert "\n" not in fault(value)


SOUND = {
    "a name": "torch",
    "a range with a marker": "torch>=2,<3 ; os_name == 'nt'",
    "this folder": ".",
    "a folder": "./vllm",
    "wheels of any name": "dist/*.whl",
    "an address": "https://h/x-1.tar.gz",
    "a name with an address": "a @ https://h/x ; os_name == 'nt'",
    "a variable": U,
    "a variable as version": f"torch=={U}",
    "a variable where none may be": f"torch=2{U}",
    "a variable in the marker": f"torch ; os_name == '{U}'",
}


@pytest.mark.parametrize("value", SOUND.values(), ids=SOUND.keys())
def test_no_fault_where_pip_takes_it_or_nobody_knows(value: str) -> None:
    assert fault(value) == ""


TAGS = {
    "an index": (f"{WHEELS}/cu124", "cu124"),
    "a slash at the end": (f"{WHEELS}/cu130/", "cu130"),
    "nightly": (f"{WHEELS}/nightly/cu126", "cu126"),
    "only a major version": (f"{WHEELS}/cu12", "cu12"),
    "no CUDA": (f"{WHEELS}/cpu", "cpu"),
    "capitals": (f"{WHEELS}/CU128", "cu128"),
    "another vendor": (f"{WHEELS}/rocm6.3", "rocm6.3"),
    "a third": (f"{WHEELS}/xpu", "xpu"),
    "a folder below the tag": ("https://flashinfer.ai/whl/cu124/torch2.6/", "cu124"),
    "a page named by the tag": ("https://data.pyg.org/whl/torch-2.6.0+cu124.html", "cu124"),
    "an encoded plus sign": ("https://h/torch-2.6.0%2Bcpu.html", "cpu"),
    "a query": (f"{WHEELS}/cu124?x=cu130", "cu124"),
    "the name alone": ("cu126", "cu126"),
    "a folder": ("./wheels/cu130", "cu130"),
    "a host in a variable": (f"{U}/whl/cu124", "cu124"),
    "a secret in it": (f"https://{U}:{U}@h/whl/cu124", "cu124"),
    "a page of all": (f"{WHEELS}/torch_stable.html", ""),
    "no tag": ("https://pypi.org/simple", ""),
    "a tag in a variable": (f"{WHEELS}/{U}", ""),
    "a tag that begins as a word": (f"{WHEELS}/cu{U}", ""),
    "a tag that may go on": (f"{WHEELS}/cu12{U}", ""),
    "a host called like a tag": ("https://cu124.example.org/simple", ""),
    "another word": ("https://h/cudnn9", ""),
    "a name with cpu in it": ("https://h/my-cpu-tools/simple", ""),
    "auto": ("auto", ""),
    "nothing": ("", ""),
    "a broken address": ("http://[x", ""),
}


@pytest.mark.parametrize(("url", "tag"), TAGS.values(), ids=TAGS.keys())
def test_accelerator_tag(url: str, tag: str) -> None:
    assert accelerator_tag(url) == tag


def test_index_stands_where_its_address_does() -> None:
    source = Source("run.sh", f"pip install torch --index-url {WHEELS}/cu124")
    found = index(Text.of(source, 30), "extra-index", Context(fenced=True))
    assert (found.name, found.url, found.role, found.context.fenced) == ("cu124", f"{WHEELS}/cu124", "extra-index", True)
    assert source.cut(found.span) == found.written == f"{WHEELS}/cu124"
