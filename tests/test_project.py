"""Where does a fact run? Images, machines, indexes and Sparks, as the files of a project say together."""

import pytest
from projects import facts, found

from spark_lint.facts import EnvVar, Image, Package, Setting

NGC = "nvcr.io/nvidia/pytorch:25.11-py3"
FLASH = "flash-attn\n"


def images(files: dict[str, str], path: str = "requirements.txt", name: str = "flash-attn", **settings: object) -> list[str]:
    return [scope.label for scope in facts(files, path, Package, name, **settings)[0].scopes]


def test_a_requirements_file_alone_runs_on_the_host() -> None:
    assert images({"requirements.txt": FLASH}) == [""]


def test_the_configured_image_is_assumed_where_none_is_named() -> None:
    assert images({"requirements.txt": FLASH}, image=NGC) == [NGC]


@pytest.mark.parametrize(
    "install",
    [
        "COPY requirements.txt .\nRUN pip install -r requirements.txt",
        "WORKDIR /app\nCOPY . .\nRUN pip install -r requirements.txt",
        "COPY requirements.txt /tmp/r.txt\nRUN python -m pip install -r /tmp/r.txt",
        "ADD ./requirements.txt /opt/\nRUN uv pip install --system -r /opt/requirements.txt",
        "WORKDIR /app\nCOPY requirements*.txt deps/\nRUN pip install -r deps/requirements.txt",
        "RUN --mount=type=bind,source=requirements.txt,target=requirements.txt pip install -r requirements.txt",
        "RUN cd /app && pip install -r requirements.txt",
    ],
)
def test_a_stage_that_installs_a_requirements_file_gives_it_its_image(install: str) -> None:
    assert images({"requirements.txt": FLASH, "Dockerfile": f"FROM {NGC}\n{install}\n"}) == [NGC]


def test_a_dockerfile_in_a_folder_finds_the_file_through_its_build_context() -> None:
    files = {
        "requirements.txt": FLASH,
        "docker/Dockerfile": f"FROM {NGC}\nCOPY requirements.txt .\nRUN pip install -r requirements.txt\n",
    }
    assert images(files) == [NGC]


def test_a_file_that_a_copy_overwrites_is_not_the_one_that_is_installed() -> None:
    copies = "COPY service/requirements.txt requirements.txt"  # the folder is not in the repository
    files = {
        "requirements.txt": FLASH,
        "sub/Dockerfile": f"FROM {NGC}\nWORKDIR /app\n{copies}\nRUN pip install -r requirements.txt\n",
    }
    assert images(files) == [""]
    everything = files | {"sub/Dockerfile": f"FROM {NGC}\nWORKDIR /app\nCOPY . .\nRUN pip install -r requirements.txt\n"}
    assert images(everything) == [NGC]


def test_two_stages_with_different_images_are_two_scopes() -> None:
    docker = f"FROM {NGC} AS gpu\nCOPY requirements.txt .\nRUN pip install -r requirements.txt\nFROM python:3.12\nCOPY requirements.txt .\nRUN pip install -r requirements.txt\n"
    assert images({"requirements.txt": FLASH, "Dockerfile": docker}) == [NGC, "python:3.12"]


def test_a_file_that_nobody_installs_is_not_given_the_image_of_a_copy() -> None:
    assert images({"requirements.txt": FLASH, "Dockerfile": f"FROM {NGC}\nCOPY . .\n"}) == [""]


def test_included_files_get_the_scopes_of_what_includes_them() -> None:
    files = {
        "requirements.txt": "-r reqs/base.txt\n",
        "reqs/base.txt": "-r gpu.txt\n",
        "reqs/gpu.txt": FLASH,
        "Dockerfile": f"FROM {NGC}\nCOPY . .\nRUN pip install -r requirements.txt\n",
    }
    assert images(files, "reqs/gpu.txt") == [NGC]


def test_a_file_included_beside_another_is_installed_from_that_ones_index() -> None:
    index = "--index-url https://download.pytorch.org/whl/cu130\n"
    files = {"requirements.txt": "-r index.txt\n-r base.txt\n", "index.txt": index, "base.txt": FLASH}
    assert [each.name for each in facts(files, "base.txt", Package)[0].scope.indexes] == ["cu130"]


@pytest.mark.parametrize(
    "mount",
    ["type=bind,source=reqs/r.txt,target=/tmp/r.txt", "source=reqs/r.txt,dst=/tmp/r.txt", "target=/tmp,src=reqs", "type=cache,target=/c --mount=target=/tmp,source=reqs"],
)  # fmt: skip
def test_a_file_mounted_into_the_build_gets_its_image(mount: str) -> None:
    docker = f"FROM {NGC}\nRUN --mount={mount} pip install -r /tmp/r.txt\n"
    assert images({"Dockerfile": docker, "reqs/r.txt": FLASH}, "reqs/r.txt") == [NGC]


def test_a_script_that_is_only_mounted_into_the_build_does_not_run_in_the_image() -> None:
    files = {
        "Dockerfile": f"FROM {NGC}\nRUN --mount=target=/src pip install /src\n",
        "train.py": "import os\nos.system('pip install flash-attn')\n",
    }
    assert images(files, "train.py") == [""]


def test_files_that_include_each_other_come_to_an_end() -> None:
    files = {"requirements.txt": "-r other-requirements.txt\nflash-attn\n", "other-requirements.txt": "-r requirements.txt\n"}
    assert "" in images(files)


def test_a_circle_of_files_with_indexes_of_their_own_comes_to_an_end() -> None:
    names = [f"requirements-{number}.txt" for number in range(12)]
    includes = "".join(f"-r {name}\n" for name in names)
    files = {name: f"--extra-index-url https://example.com/{name}\n{includes}flash-attn\n" for name in names}
    assert "" in images(files, names[0])


def test_inherited_stages_reach_the_image_at_the_bottom() -> None:
    docker = "ARG TAG=25.11-py3\nFROM nvcr.io/nvidia/pytorch:${TAG} AS base\nFROM base AS dev\nRUN pip install flash-attn\n"
    assert images({"Dockerfile": docker}, "Dockerfile") == [NGC]


@pytest.mark.parametrize(
    ("path", "elsewhere"),
    [
        ("requirements.txt", False),
        ("requirements-x86.txt", True),
        ("requirements_macos_arm64.txt", True),
        ("requirements-windows-arm64.txt", True),
        ("requirements-linux-macos-arm64.txt", False),
        ("requirements_rocm.txt", True),
        ("azure-pipelines/requirements.txt", False),
        ("azure/requirements.txt", True),
        ("requirements/macos.txt", True),
        ("requirements-cpu.txt", True),
        ("requirements-cuda.txt", False),
        ("requirements-spark-x86.txt", False),
        ("docker/h100/requirements.txt", True),
        ("station-vllm/requirements.txt", True),
    ],
)
def test_a_file_named_after_another_machine_runs_there(path: str, elsewhere: bool) -> None:
    assert facts({path: FLASH}, path, Package)[0].scopes[0].elsewhere is elsewhere


def test_the_folders_above_the_repository_do_not_count() -> None:
    assert not facts({"requirements.txt": FLASH}, "requirements.txt", Package)[0].scope.elsewhere


@pytest.mark.parametrize(
    ("marker", "elsewhere"),
    [
        ('platform_machine == "x86_64"', True),
        ('platform_machine != "aarch64"', True),
        ('platform_machine == "aarch64"', False),
        ('sys_platform == "linux"', False),
        ('sys_platform == "darwin"', True),
        ('python_version < "3.11"', True),
        ('python_version >= "3.11"', False),
        ('extra == "gpu"', True),
        ('sys_platform == "linux" and platform_machine == "x86_64"', True),
    ],
)
def test_markers_are_evaluated_for_the_spark(marker: str, elsewhere: bool) -> None:
    package = facts({"requirements.txt": f"flash-attn; {marker}\n"}, "requirements.txt", Package)[0]
    assert package.scope.elsewhere is elsewhere


def test_a_marker_follows_the_configured_python() -> None:
    files = {"requirements.txt": 'flash-attn; python_version < "3.11"\n'}
    assert not facts(files, "requirements.txt", Package, python="3.10")[0].scope.elsewhere


@pytest.mark.parametrize(
    ("run", "elsewhere"),
    [
        ('if [ "$(uname -m)" = "x86_64" ]; then pip install flash-attn; fi', True),
        ('if [ "$(uname -m)" != "aarch64" ]; then pip install flash-attn; fi', True),
        ('if [ "$(uname -m)" = "aarch64" ]; then pip install flash-attn; fi', False),
        ('if [ "$(uname -m)" = "aarch64" ]; then true; else pip install flash-attn; fi', True),
        ('[ "$TARGETARCH" = amd64 ] && pip install flash-attn', True),
        ('if [[ "${TARGETARCH:-amd64}" == "amd64" && "$X" != "1" ]]; then pip install flash-attn; fi', True),
        ('if [[ "$X" != "1" && "${TARGETARCH}" == "arm64" ]]; then pip install flash-attn; fi', False),
        ('if [ "${TARGETARCH:-amd64}" = arm64 ]; then true; else pip install flash-attn; fi', True),
        ('if [ "${TARGETARCH:-amd64}" = arm64 ]; then pip install flash-attn; fi', False),
        ('case "$(uname -m)" in x86_64) pip install flash-attn ;; esac', True),
        ('case "$(uname -m)" in aarch64) pip install flash-attn ;; esac', False),
        ('if [ "$X" = 1 ]; then pip install flash-attn; fi', False),
    ],
)
def test_branches_for_another_machine_run_there(run: str, elsewhere: bool) -> None:
    package = facts({"Dockerfile": f"FROM python:3.12\nRUN {run}\n"}, "Dockerfile", Package)[0]
    assert package.scope.elsewhere is elsewhere


def test_a_stage_named_after_another_machine_runs_there() -> None:
    docker = "FROM nvidia/cuda:12.4.1-devel-ubuntu22.04 AS base-amd64\nFROM nvidia/cuda:13.0.1-devel-ubuntu24.04 AS base-arm64\n"
    assert [image.scope.elsewhere for image in facts({"Dockerfile": docker}, "Dockerfile", Image)] == [True, False]


def test_what_only_another_machines_image_installs_is_still_judged_for_the_host() -> None:
    files = {
        "requirements.txt": FLASH,
        "Dockerfile.rocm": "FROM rocm/pytorch\nCOPY requirements.txt .\nRUN pip install -r requirements.txt\n",
    }
    scopes = facts(files, "requirements.txt", Package)[0].scopes
    assert [scope.elsewhere for scope in scopes] == [True, False]


def test_an_index_in_a_requirements_file_is_in_force_for_all_its_lines() -> None:
    package = facts(
        {"requirements.txt": "torch\n--index-url https://download.pytorch.org/whl/cu130\n"}, "requirements.txt", Package
    )[0]
    assert [index.name for index in package.scope.indexes] == ["cu130"]


def test_an_index_of_the_installing_command_is_in_force_for_the_file() -> None:
    docker = "FROM python:3.12\nCOPY requirements.txt .\nRUN pip install -r requirements.txt --index-url https://download.pytorch.org/whl/cu130\n"
    package = facts({"requirements.txt": "torch\n", "Dockerfile": docker}, "requirements.txt", Package)[0]
    assert [index.name for index in package.scope.indexes] == ["cu130"]


def test_an_index_of_one_command_is_not_in_force_for_the_next() -> None:
    docker = "FROM python:3.12\nRUN pip install a --index-url https://download.pytorch.org/whl/cu130\nRUN pip install torch\n"
    assert facts({"Dockerfile": docker}, "Dockerfile", Package, "torch")[0].scope.indexes == ()


@pytest.mark.parametrize(
    "line",
    [
        "ENV PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cu130",
        "RUN pip config set global.index-url https://download.pytorch.org/whl/cu130",
    ],
)
def test_an_index_set_for_good_is_in_force_for_the_whole_stage(line: str) -> None:
    package = facts({"Dockerfile": f"FROM python:3.12\n{line}\nRUN pip install torch\n"}, "Dockerfile", Package)[0]
    assert [index.name for index in package.scope.indexes] == ["cu130"]


def test_constraints_request_nothing() -> None:
    files = {"requirements.txt": "-c limits.txt\ntorch\n", "limits.txt": "flash-attn==2.5\n"}
    assert facts(files | {"constraints.txt": FLASH}, "constraints.txt", Package)[0].role == "constraint"
    assert ("limits.txt", 1, "G2/flash-attn-requirement", "error") not in found(files)


@pytest.mark.parametrize(
    ("command", "sparks", "cluster"),
    [
        ("vllm serve m -tp 2", None, False),
        ("vllm serve m -tp 2 --nnodes 2", 2, False),
        ("vllm serve m -tp 2 --distributed-executor-backend ray", None, True),
        ("vllm serve m -tp 2 --node-rank 1", None, True),
        ("vllm serve m -tp 2 --node-rank 0", None, False),
        ("mpirun -H one,two trtllm-serve m --tp_size 2", 2, True),
        ("mpirun -x TOKEN trtllm-llmapi-launch trtllm-serve m --tp_size 2", None, True),
        ("mpirun -np 2 trtllm-llmapi-launch trtllm-serve m --tp_size 2", None, False),
    ],
)
def test_evidence_for_more_than_one_spark(command: str, sparks: int | None, cluster: bool) -> None:
    setting = facts({"Dockerfile": f"FROM x\nCMD {command}\n"}, "Dockerfile", Setting, "tensor_parallel_size")[0]
    assert (setting.scope.sparks, setting.scope.cluster, setting.scope.workload) == (sparks, cluster, "serve")


def test_a_spelling_that_only_trainers_have_is_training() -> None:
    text = "python launch.py --tensor_parallel_degree 2\npython launch.py --tensor_parallel_size 2\n"
    settings = facts({"run.sh": text}, "run.sh", Setting, "tensor_parallel_size")
    assert [setting.scope.workload for setting in settings] == ["train", ""]


def test_the_configured_number_of_sparks_wins() -> None:
    setting = facts({"Dockerfile": "FROM x\nCMD vllm serve m -tp 2\n"}, "Dockerfile", Setting, "tensor_parallel_size", sparks=2)[
        0
    ]
    assert setting.scope.sparks == 2


def test_a_script_copied_into_the_final_image_runs_in_it() -> None:
    files = {
        "train.py": 'import os\nos.environ["TORCH_CUDA_ARCH_LIST"] = "9.0"\n',
        "Dockerfile": f"FROM {NGC}\nCOPY train.py .\n",
    }
    assert [scope.label for scope in facts(files, "train.py", EnvVar)[0].scopes] == [NGC]


def test_one_argument_used_in_three_places_is_one_finding() -> None:
    docker = (
        "ARG V=12.4.1\nFROM nvidia/cuda:${V}-base AS a\nFROM nvidia/cuda:${V}-devel AS b\nFROM nvidia/cuda:${V}-runtime AS c\n"
    )
    assert found({"Dockerfile": docker}) == [("Dockerfile", 1, "G1/cuda12-base-image", "error")]


CU130 = "https://download.pytorch.org/whl/cu130"


@pytest.mark.parametrize(
    ("script", "path"),
    [
        ("install.sh", "requirements.txt"),
        ("scripts/install.sh", "requirements.txt"),  # started from the top of the repository, as most are
        ("scripts/install.sh", "scripts/requirements.txt"),
    ],
)
def test_a_script_gives_the_file_it_installs_its_index(script: str, path: str) -> None:
    files = {script: f"pip install -r requirements.txt --extra-index-url {CU130}\n", path: FLASH}
    assert [each.name for each in facts(files, path, Package)[0].scope.indexes] == ["cu130"]


def test_a_script_installs_from_the_folder_it_changes_to() -> None:
    files = {"install.sh": f"cd backend && pip install -r requirements.txt -i {CU130}\n", "backend/requirements.txt": FLASH, "requirements.txt": FLASH}  # fmt: skip
    assert [each.name for each in facts(files, "backend/requirements.txt", Package)[0].scope.indexes] == ["cu130"]
    assert facts(files, "requirements.txt", Package)[0].scope.indexes == ()


def test_a_file_is_installed_in_the_image_that_a_script_starts() -> None:
    files = {"run.sh": f"docker run --gpus all {NGC} bash -c 'pip install -r requirements.txt'\n", "requirements.txt": FLASH}
    assert images(files) == [NGC]


def test_the_number_of_sparks_reaches_what_a_script_runs() -> None:
    files = {"launch.sh": "export NNODES=2\nbash run.sh\n", "run.sh": "python serve.py\n", "serve.py": "from vllm import LLM\nLLM('m', tensor_parallel_size=2)\n"}  # fmt: skip
    assert [scope.sparks for scope in facts(files, "serve.py", Setting, "tensor_parallel_size")[0].scopes] == [2]


def test_scripts_that_run_one_file_alike_are_one_scope() -> None:
    files = {f"run{number}.sh": "python train.py --lr 1\n" for number in range(5)}
    files["train.py"] = "import os\nos.environ['NCCL_IB_HCA'] = 'rocep1s0f0'\n"
    assert len(facts(files, "train.py", EnvVar)[0].scopes) == 1


def test_scripts_that_run_each_other_come_to_an_end() -> None:
    files = {f"{name}.sh": "".join(f"bash {other}.sh\n" for other in "abcdef") + f"export WHO={name}\n" for name in "abcdef"}
    assert facts(files, "a.sh", EnvVar)


def test_each_block_of_a_document_has_its_own_work() -> None:
    text = "```bash\ntorchrun --nnodes 2 train.py\n```\n\n```bash\nvllm serve m --tensor-parallel-size 2\n```\n"
    assert facts({"README.md": text}, "README.md", Setting, "tensor_parallel_size")[0].scope.workload == "serve"


@pytest.mark.parametrize(
    "build",
    ["build: .", "build: {context: ., dockerfile: Dockerfile}", "build: {context: ., target: gpu}"],
)
def test_a_service_runs_in_the_stage_it_is_built_by(build: str) -> None:
    files = {
        "compose.yaml": f"services:\n  train:\n    {build}\n    command: bash -c 'pip install -r requirements.txt && pip install flash-attn'\n",
        "Dockerfile": f"FROM python:3.12 AS base\nFROM {NGC} AS gpu\n",
        "requirements.txt": FLASH,
    }
    assert images(files, "compose.yaml") == [NGC]
    assert images(files) == [NGC]


def test_a_service_that_names_a_stage_runs_in_that_one() -> None:
    files = {
        "compose.yaml": "services:\n  train:\n    build: {context: docker, target: host}\n    command: pip install flash-attn\n",
        "docker/Dockerfile": f"FROM python:3.12 AS host\nFROM {NGC} AS gpu\n",
    }
    assert images(files, "compose.yaml") == ["python:3.12"]


def test_what_the_image_of_a_service_installs_comes_before_the_service() -> None:
    files = {
        "compose.yaml": "services:\n  train:\n    build: .\n    command: pip install --no-build-isolation flash-attn\n",
        "Dockerfile": "FROM nvidia/cuda:13.0.2-devel-ubuntu24.04\nENV MAX_JOBS=4\nRUN pip install torch==2.11.0 ninja\n",
    }
    assert found(files) == []


def test_flags_in_a_variable_may_be_none() -> None:
    compose = "services:\n  a:\n    image: example/a\n    environment:\n      VLLM_ARGS: ''\n      MORE_ARGS: --tensor-parallel-size 2\n"
    assert [each.value for each in facts({"compose.yaml": compose}, "compose.yaml", Setting, "tensor_parallel_size")] == ["2"]


@pytest.mark.parametrize(
    ("command", "work"),
    [
        ("swift rollout --model m --vllm_tensor_parallel_size 2", "serve"),
        ("swift sft --model m --tensor_parallel_size 2", "train"),
        ("trl vllm-serve --model m --tensor_parallel_size 2", "serve"),
        ("python tool.py --tensor-parallel-size 2", ""),
    ],
)
def test_a_trainer_that_serves_is_no_training(command: str, work: str) -> None:
    assert facts({"run.sh": command + "\n"}, "run.sh", Setting, "tensor_parallel_size")[0].scope.workload == work


@pytest.mark.parametrize(
    ("path", "elsewhere"),
    [
        ("tests/e2e/run.sh", True),
        (".github/scripts/run.sh", True),
        ("test/run.sh", True),
        ("run.sh", False),
        ("test_run.sh", False),
        ("latest/run.sh", False),
        ("tests/gpu/worker.py", True),
        ("worker.py", False),
    ],
)
def test_scripts_among_the_tests_are_no_work(path: str, elsewhere: bool) -> None:
    script = (
        "import os\nos.system('torchrun --nproc_per_node=8 train.py')\n"
        if path.endswith(".py")
        else "torchrun --nproc_per_node=8 train.py\n"
    )
    assert facts({path: script}, path, Setting, "processes_per_node")[0].scope.elsewhere is elsewhere


def test_an_index_that_a_script_exports_holds_for_the_files_it_installs() -> None:
    files = {"install.sh": f"export PIP_EXTRA_INDEX_URL={CU130}\npip install -r requirements.txt\n", "requirements.txt": FLASH}
    assert [each.name for each in facts(files, "requirements.txt", Package)[0].scope.indexes] == ["cu130"]


def test_services_do_not_see_what_others_install() -> None:
    care = "pip install torch==2.11.0 && MAX_JOBS=4 pip install --no-build-isolation flash-attn==2.8.3"
    other = "services:\n  a:\n    image: nvidia/cuda:13.0.2-devel-ubuntu24.04\n    command: bash -c 'pip install torch==2.11.0'\n  b:\n    image: nvidia/cuda:13.0.2-devel-ubuntu24.04\n    command: bash -c '{}'\n"
    assert found({"compose.yaml": other.format(care)}) == []
    assert found({"compose.yaml": other.format(care.partition(" && ")[2])}) != []


@pytest.mark.parametrize(("title", "elsewhere"), [("On a DGX Station", True), ("At the weather station", False)])
def test_a_heading_names_another_machine_by_its_whole_name(title: str, elsewhere: bool) -> None:
    text = f"# Train\n\n## {title}\n\n```bash\ntorchrun --nproc_per_node 2 train.py\n```\n"
    assert facts({"README.md": text}, "README.md", Setting, "processes_per_node")[0].scope.elsewhere is elsewhere


def test_what_a_script_installs_before_a_requirements_file_is_there_when_that_is_installed() -> None:
    script = "pip install torch==2.9.1 --index-url https://download.pytorch.org/whl/cu130\npip install -r requirements.txt\n"
    files = {"setup.sh": script, "requirements.txt": "torch==2.9.1\n"}
    assert found(files) == []
    files["setup.sh"] = "\n".join(reversed(script.splitlines()))
    assert found(files) == [("requirements.txt", 1, "G1/torch-cpu-only-on-aarch64", "error")]


@pytest.mark.parametrize(
    ("title", "silent"), [("Bare metal", False), ("Bare-metal install", False), ("Metal", True), ("Apple Metal", True)]
)
def test_bare_metal_is_no_machine_of_apple(title: str, silent: bool) -> None:
    readme = f"# A\n\n## {title}\n\n```bash\npip install flash-attn\n```\n"
    assert (found({"README.md": readme}) == []) is silent


def test_what_only_lies_in_an_image_is_not_run_there() -> None:
    files = {
        "Dockerfile": f"FROM {NGC}\nCOPY . /src\n",
        "README.md": "```bash\npip install flash-attn\n```\n",
        "pyproject.toml": '[project]\nname = "a"\ndependencies = ["flash-attn"]\n',
        "run.sh": "pip install flash-attn\n",
    }
    assert {
        path: [scope.label for fact in facts(files, path, Package) for scope in fact.scopes]
        for path in files
        if path != "Dockerfile"
    } == {
        "README.md": [""],
        "pyproject.toml": [""],
        "run.sh": [NGC],
    }
