"""What files say, as values: the only thing rules ever see.

Readers (`spark_lint.read`) yield facts about what is written; `spark_lint.names` adds what it means; `spark_lint.project`
adds the scopes in which it runs. A fact is never changed, only replaced.
"""

from spark_lint.facts.code import Argument, Assign, Call, Entry, Import
from spark_lint.facts.fact import LARGEST, LONGEST_VERSION, Condition, Context, Fact, Value
from spark_lint.facts.files import Include, ParseProblem, Read, Stage
from spark_lint.facts.installs import Binding, Distribution, Index, Lock, Locked, Need, Package, Stale
from spark_lint.facts.runs import Code, Command, EnvVar, Image, Option, Setting

__all__ = [
    "LARGEST",
    "LONGEST_VERSION",
    "Argument",
    "Assign",
    "Binding",
    "Call",
    "Code",
    "Command",
    "Condition",
    "Context",
    "Distribution",
    "Entry",
    "EnvVar",
    "Fact",
    "Image",
    "Import",
    "Include",
    "Index",
    "Lock",
    "Locked",
    "Need",
    "Option",
    "Package",
    "ParseProblem",
    "Read",
    "Setting",
    "Stage",
    "Stale",
    "Value",
]
