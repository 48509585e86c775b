from collections.abc import Iterator
from itertools import islice

from spark_lint import knowledge
from spark_lint.facts import Assign, Call, Command, EnvVar, Setting
from spark_lint.names.machines import chosen_by_gpu
from spark_lint.project import Project
from spark_lint.queries.compiled import named_beside
from spark_lint.rule import ERROR, WARNING, Advice, rule
from spark_lint.text import UNKNOWN

MOST = 100
"""Targets of one file that are looked at; where there are more, a machine wrote them."""
LONGEST = 80
"""Characters of the author's spelling that a message quotes: flags are often many, in one text."""


@rule(on=Setting, named="gencode", severity=ERROR)
def gencode_without_12x(setting: Setting, project: Project) -> Iterator[Advice]:
    # The targets of a file belong together: a script that compiles for each GPU in turn names the Spark's in one of its commands.
    targets = [each for each in islice(project.near(setting, Setting, "gencode"), MOST + 1) if not each.scope.elsewhere]
    # What stands under a test of the GPU or of CUDA may not be compiled at all. It is said at the last of the others.
    certain = [target for target in targets if not chosen_by_gpu(target.context.conditions)]
    if len(targets) > MOST or [(each.span, each.origin) for each in certain[-1:]] != [(setting.span, setting.origin)]:
        return
    found = [each for target in targets for each in knowledge.architectures(target.text, target.tool)]
    image = setting.scope.image
    elsewhere = image is not None and knowledge.describe(image).other_machine
    if not found or any(each.usable for each in found) or elsewhere or hidden(setting, project) or named_beside(setting, project):
        return
    shown = setting.written if len(setting.written) <= LONGEST else setting.text
    if any(each.ptx for each in found):
        yield Advice(
            f"{shown} and what stands beside it compile nothing for a Spark (12.1): its kernels are made from PTX at the first "
            "start, slowly",
            knowledge.spark_gencode(),
            WARNING,
            known=knowledge.architectures_known(),
        )
    else:
        yield Advice(
            f'{shown} and what stands beside it compile nothing that a Spark (12.1) can run: "no kernel image is available"',
            knowledge.spark_gencode(),
            known=knowledge.architectures_known(),
        )


def hidden(setting: Setting, project: Project) -> bool:
    """Whether there are targets that only running the code would tell: `f"arch=compute_{cc},code=sm_{cc}"`."""
    texts = [each.value for each in project.near(setting, Assign)]
    texts += [each.value for call in project.near(setting, Call) for each in call.arguments]
    texts += [each.value for each in project.near(setting, EnvVar)]
    texts += [word.value for command in project.near(setting, Command) for word in command.words]
    return any(isinstance(text, str) and UNKNOWN in text and ("arch=" in text or "compute_" in text) for text in texts)
