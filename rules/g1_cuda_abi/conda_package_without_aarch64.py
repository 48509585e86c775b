from collections.abc import Iterator
from typing import Final

from spark_lint import knowledge
from spark_lint.facts import Package
from spark_lint.names.machines import chosen_by_gpu, may_fail
from spark_lint.project import Project
from spark_lint.rule import ERROR, INFO, LIKELY, Advice, rule

INSTEAD: Final = {
    "conda/bitsandbytes": 'pip install "bitsandbytes>=0.49"  # PyPI has wheels for aarch64',
    "conda/deepspeed": 'pip install "deepspeed>=0.18"  # compiles its kernels when they are first used',
    "conda/xformers": "leave xformers out: PyTorch's own scaled_dot_product_attention takes its place",
}
"""Packages of which conda-forge builds nothing for linux-aarch64."""


@rule(on=Package, named=INSTEAD, severity=ERROR)
def conda_package_without_aarch64(package: Package, project: Project) -> Iterator[Advice]:
    if package.role != "requirement" or chosen_by_gpu(package.context.conditions):
        return
    message = f"{package.written}: conda-forge has no build for a Spark (linux-aarch64): nothing is installed"
    # xformers has a channel of its own, of which only older files for x86-64 were seen.
    confidence = LIKELY if package.name == "conda/xformers" else None
    severity = INFO if may_fail(package.context.conditions) else None
    yield Advice(message, INSTEAD[package.name], severity, confidence, knowledge.note("conda-forge-without-aarch64").known)
