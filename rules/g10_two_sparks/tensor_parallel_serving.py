import re
from collections.abc import Iterator

from spark_lint.facts import Entry, EnvVar, Setting
from spark_lint.project import Project
from spark_lint.rule import INFO, WARNING, Advice, rule

# The port's Ethernet name for the start, both of its RDMA halves for the data.
WIRING = {"NCCL_SOCKET_IFNAME": "enp1s0f0np0", "NCCL_IB_HCA": "rocep1s0f0,roceP2p1s0f0"}
# Keys of the recipes of spark-vllm-docker and sparkrun.
RECIPE = ("recipe_version", "sparkrun_version")
# A trainer's own engine: trl's vllm_tensor_parallel_size, verl's rollout.tensor_model_parallel_size.
GENERATES = re.compile(r"vllm|sglang|\brollout(?![a-z])", re.IGNORECASE)


@rule(on=Setting, named="tensor_parallel_size", severity=INFO, reads=WIRING)
def tensor_parallel_serving(setting: Setting, project: Project) -> Iterator[Advice]:
    trains = setting.scope.workload == "train" and not GENERATES.search(project.path(setting))
    if setting.number <= 1 or trains or not setting.scope.has_gpus(project.launch_gpus(setting)):
        return
    # A recipe's launcher finds the interfaces itself.
    if any(project.near(setting, Entry, *RECIPE)):
        return
    # They may be set in another script than the one that starts the server.
    if missing := [name for name in WIRING if not any(project.every(EnvVar, name))]:
        yield Advice(
            f"{setting.written} sends every layer over the cable, and without {' and '.join(missing)} NCCL may take a slower way",
            f"export {' '.join(f'{name}={WIRING[name]}' for name in missing)}  # on each Spark, before the server starts",
            WARNING if len(missing) == len(WIRING) else None,
        )
