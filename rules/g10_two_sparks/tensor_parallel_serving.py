from collections.abc import Iterator

from spark_lint.facts import EnvVar, Setting
from spark_lint.project import Project
from spark_lint.rule import INFO, Advice, rule

WIRING = ("NCCL_SOCKET_IFNAME", "NCCL_IB_HCA")


@rule(on=Setting, named="tensor_parallel_size", severity=INFO, reads=WIRING)
def tensor_parallel_serving(setting: Setting, project: Project) -> Iterator[Advice]:
    scope = setting.scope
    enough = scope.cluster or (scope.sparks is not None and scope.sparks >= setting.number)
    if setting.number <= 1 or not enough or scope.workload != "serve":
        return
    missing = [name for name in WIRING if not any(project.near(setting, EnvVar, name))]
    if missing:
        yield Advice(
            f"{setting.written} over Sparks runs at the speed of the cable only with {' and '.join(missing)} set",
            "NCCL_SOCKET_IFNAME=enp1s0f1np1 NCCL_IB_HCA=rocep1s0f1,roceP2p1s0f1",
        )
