"""Batch scripts: what they ask of Slurm, PBS and LSF, and which nodes and images they are for."""

import pytest

from spark_lint.documents import Document, document
from spark_lint.facts import Command, Image, Setting
from spark_lint.kinds import SHELL
from spark_lint.names.machines import elsewhere
from spark_lint.read.shell import read
from spark_lint.text import Source


def named(text: str) -> Document:
    return document("job.sh", SHELL, read(Source("job.sh", text)), whole_file_is_one_install=False)


def settings(text: str) -> list[tuple[str, object, str]]:
    return [(each.name, each.value, each.written) for each in named(text).facts if isinstance(each, Setting)]


def script(*directives: str) -> str:
    return "\n".join(["#!/bin/bash", *directives, "python train.py"])


@pytest.mark.parametrize(
    ("directive", "expected"),
    [
        ("#SBATCH --nodes=2", [("nodes", "2", "--nodes=2")]),
        ("#SBATCH -N 2", [("nodes", "2", "-N 2")]),
        ("#SBATCH --gres=gpu:8", [("processes_per_node", "8", "--gres=gpu:8")]),
        ("#SBATCH --gpus-per-node=4", [("processes_per_node", "4", "--gpus-per-node=4")]),
        ("#SBATCH -G 8", [("processes", "8", "-G 8")]),
        ("#PBS -l select=2:ncpus=8:ngpus=4", [("nodes", "2", "select=2"), ("processes_per_node", "4", "ngpus=4")]),
        ("#PBS -l nodes=2:ppn=8:gpus=4", [("nodes", "2", "nodes=2"), ("processes_per_node", "4", "gpus=4")]),
        ("#PBS -l walltime=01:00:00", []),
        ('#BSUB -gpu "num=4:mode=exclusive_process"', [("processes_per_node", "4", "num=4")]),
        ("#BSUB -nnodes 2", [("nodes", "2", "-nnodes 2")]),
    ],
)
def test_what_a_job_asks_for(directive: str, expected: list[tuple[str, object, str]]) -> None:
    assert settings(script(directive)) == expected


def test_a_resource_stands_in_its_own_place() -> None:
    text = script("#PBS -l select=2:ncpus=8:ngpus=4")
    (gpus,) = [each for each in named(text).facts if isinstance(each, Setting) and each.name == "processes_per_node"]
    assert Source("job.sh", text).cut(gpus.span) == "ngpus=4"


@pytest.mark.parametrize(
    ("directive", "is_elsewhere"),
    [
        ("#SBATCH --partition=h100", True),
        ("#SBATCH -p a100_short,v100", True),
        ("#SBATCH -px86", True),
        ("#SBATCH --constraint=a100|h100", True),
        ("#SBATCH -C rtx_4090", True),
        ("#SBATCH --nodelist=l40s-[01-04]", True),
        ("#SBATCH --gres=gpu:a100:4", True),
        ("#SBATCH --gres=gpu:3090:4", True),
        ("#SBATCH --gres=nvme:1,gpu:tesla:2", True),
        ("#SBATCH --gpus-per-node=h100:8", True),
        ("#SBATCH -G rtx6000:2", True),
        ("#PBS -q a100", True),
        ("#PBS -l select=1:ngpus=4:gpu_type=v100", True),
        ("#BSUB -gpu num=1:gmodel=NVIDIAA100", True),
        ("#BSUB -q v100_queue", True),
        ("#SBATCH --partition=gpu", False),
        ("#SBATCH --partition=dgx-spark", False),
        ("#SBATCH --constraint=gb10", False),
        ("#SBATCH --gres=gpu:gb10:1", False),
        ("#SBATCH --gres=gpu:nvidia:1", False),
        ("#SBATCH --gres=gpu:8", False),
        ("#SBATCH --gpus=8", False),
        ("#SBATCH --gpus=$N", False),
        ("#SBATCH --job-name=a100", False),
        ("#SBATCH --mail-user=a100@example.org", False),
        ("#SBATCH --output=logs/h100-%j.out", False),
        ("#PBS -N h100", False),
        ("# SBATCH --partition=h100", False),
    ],
)
def test_nodes_that_are_another_machine(directive: str, is_elsewhere: bool) -> None:
    commands = [each for each in named(script(directive)).facts if isinstance(each, Command) and each.name == "python"]
    assert [elsewhere(each.context.conditions) for each in commands] == [is_elsewhere]


def test_a_directive_behind_the_first_command_is_none() -> None:
    text = "#!/bin/bash\npython train.py\n#SBATCH --partition=h100\n"
    assert not any(elsewhere(each.context.conditions) for each in named(text).facts)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("srun -p h100 --gres=gpu:8 torchrun --nproc_per_node 8 t.py", [True] * 3),
        ("sbatch --constraint=a100 train.slurm", [True]),
        ("sbatch --gpus-per-node=a100:4 --wrap 'torchrun t.py'", [True] * 3),
        ("srun --container-image=org/i:1 torchrun t.py", [False] * 3),
        ("srun torchrun --tag h100 t.py", [False] * 3),
    ],
)
def test_nodes_that_a_command_asks_for(line: str, expected: list[bool]) -> None:
    found = named(line + "\npip install x\n")
    commands = [each for each in found.facts if isinstance(each, Command)]
    assert [elsewhere(each.context.conditions) for each in commands] == [*expected, False]
    assert [elsewhere(each.context.conditions) for each in found.includes] == [expected[0]] * len(found.includes)


@pytest.mark.parametrize(
    "line", ["qsub -q gpu -l select=1:ngpus=1 job.pbs", "bsub -q gpu -gpu num=1 ./job.sh", "sbatch -N1 job.slurm"]
)
def test_a_script_that_is_submitted(line: str) -> None:
    assert [each.path.value.lstrip("./") for each in named(line).includes] == [line.split()[-1].lstrip("./")]


def test_the_image_of_a_batch_script() -> None:
    text = script("#SBATCH --container-image=nvcr.io#nvidia/pytorch:24.01-py3")
    facts = named(text).facts
    (image,) = [each for each in facts if isinstance(each, Image)]
    assert image.reference == "nvcr.io/nvidia/pytorch:24.01-py3"
    assert Source("job.sh", text).cut(image.span) == "nvcr.io#nvidia/pytorch:24.01-py3"
    (command,) = [each for each in facts if isinstance(each, Command) and each.name == "python"]
    assert command.context.image is not None
    assert command.context.image.reference == image.reference


def test_a_job_that_a_script_writes() -> None:
    text = "N=8\nsbatch <<EOF\n#!/bin/bash\n#SBATCH --gres=gpu:a100:8\nsrun python x.py\nEOF\npip install y\n"
    commands = [each for each in named(text).facts if isinstance(each, Command)]
    assert [(each.name, elsewhere(each.context.conditions)) for each in commands if each.name in ("python", "pip")] == [
        ("python", True),
        ("pip", False),
    ]


def test_a_thousand_directives() -> None:
    text = "\n".join(["#!/bin/bash", *(f"#SBATCH -p h{number}" for number in range(1000)), *["pip install x"] * 100])
    conditions = {each.context.conditions for each in named(text).facts if each.name == "pip"}
    assert [len(each) for each in conditions] == [20]
