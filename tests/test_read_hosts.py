"""Files that set up machines: what cloud-init's user data and Ansible's tasks install and run, and under which conditions."""

import pytest

from spark_lint.facts import Command, EnvVar, ParseProblem, Read
from spark_lint.names.machines import elsewhere
from spark_lint.read.yaml import read
from spark_lint.text import UNKNOWN, Source


def ran(text: str, path: str = "roles/gpu/tasks/main.yml") -> list[Command]:
    found: list[Read] = list(read(Source(path, text)))
    assert not [each for each in found if isinstance(each, ParseProblem)]
    return [each for each in found if isinstance(each, Command)]


def words(text: str, path: str = "roles/gpu/tasks/main.yml") -> list[list[str]]:
    return [[word.value for word in command.words] for command in ran(text, path)]


CLOUD = """\
#cloud-config
package_update: true
packages:
  - git
  - [cuda-toolkit-12-4, 12.4.1-1]
  - apt: [nvtop]
bootcmd:
  - [modprobe, nvidia]
runcmd:
  - cd /opt
  - [sh, -c, "pip install a"]
  - pip install b
"""


def test_user_data_of_cloud_init() -> None:
    found = ran(CLOUD, "user-data.yaml")
    assert [[word.value for word in each.words] for each in found] == [
        ["apt-get", "install", "git", "cuda-toolkit-12-4=12.4.1-1", "nvtop"], ["modprobe", "nvidia"], ["cd", "/opt"],
        ["pip", "install", "b"], ["pip", "install", "a"],
    ]  # fmt: skip
    source = Source("user-data.yaml", CLOUD)
    assert [source.cut(word.span) for word in found[0].words[2:]] == ["git", "cuda-toolkit-12-4", "nvtop"]


def test_commands_alone_are_user_data_and_other_packages_are_not() -> None:
    assert words("runcmd: [pip install a]", "init.yml") == [["pip", "install", "a"]]
    assert words("packages: [cuda-toolkit-12-4]", "values.yaml") == []


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        ("apt: {name: a}", ["apt-get", "install", "a"]),
        ("ansible.builtin.apt: {pkg: [a, b=1]}", ["apt-get", "install", "a", "b=1"]),
        ("ansible.builtin.package: {name: a, state: present}", ["apt-get", "install", "a"]),
        ("apt: name=a state=present", ["apt-get", "install", "a"]),
        ("apt: name={{ item }}\n  with_items: [a, b]", ["apt-get", "install", "a", "b"]),
        ('apt: {name: "{{ item }}"}\n  loop: [a, b]', ["apt-get", "install", "a", "b"]),
        ("pip: {name: [a, 'b==2'], extra_args: --index-url x}", ["pip", "install", "--index-url", "x", "a", "b==2"]),
        ("pip: {name: a, version: 2.1.0}", ["pip", "install", "a==2.1.0"]),
        ("pip: {requirements: /srv/a/requirements.txt}", ["pip", "install", "--requirement", "/srv/a/requirements.txt"]),
        ("shell: pip install a | tee log", ["pip", "install", "a"]),
        ("ansible.builtin.shell: {cmd: pip install a}", ["pip", "install", "a"]),
        ("command: pip install a", ["pip", "install", "a"]),
        ("ansible.builtin.command: {argv: [pip, install, a b]}", ["pip", "install", "a b"]),
        ("pip: {name: 'a=={{ version }}'}", ["pip", "install", f"a=={UNKNOWN}"]),
    ],
)
def test_what_a_task_does(task: str, expected: list[str]) -> None:
    assert words(f"- name: one\n  {task}\n")[0] == expected


@pytest.mark.parametrize(
    "task", ["apt: {name: a, state: absent}", "apt: name=a state=absent", "apt: {update_cache: true}", "apt: [~]", "pip:", "debug: {msg: a}"]
)  # fmt: skip
def test_what_installs_nothing(task: str) -> None:
    assert words(f"- name: one\n  {task}\n") == []


PLAY = """\
- hosts: sparks
  vars: {a: 1}
  pre_tasks:
    - shell: pip install a
      environment: {B: c}
  tasks:
    - block:
        - command: pip install b
      when: ansible_architecture == "x86_64"
    - command: pip install c
      when: [gpu, ansible_architecture != "x86_64"]
- hosts: a100_nodes
  tasks: [{command: pip install d}]
"""


def test_a_play_and_where_its_tasks_run() -> None:
    found = ran(PLAY, "site.yml")
    assert [each.words[-1].value for each in found] == ["a", "b", "c", "d"]
    assert [elsewhere(each.context.conditions) for each in found] == [False, True, False, True]
    assert found[0].context.block == found[2].context.block != found[3].context.block
    assert [condition.text for condition in found[2].context.conditions] == [
        "runs-on sparks",
        "gpu",
        'ansible_architecture != "x86_64"',
    ]
    variables = [(each.name, each.value) for each in read(Source("site.yml", PLAY)) if isinstance(each, EnvVar)]
    assert variables == [("B", "c")]


def test_other_lists_are_data() -> None:
    text = "- name: one\n  command: pip install a\n"
    assert words(text, "benchmarks.yml") == []
    assert words(text, "roles/a/tasks/b.yml") == [["pip", "install", "a"]]


@pytest.mark.parametrize(
    "text", ["- hosts: [" + "a, " * 5000 + "]\n  tasks: {a: b}\n", "- block:\n" * 3, "- tasks: *x\n", "- hosts: ~\n  tasks: ~\n", "- apt\n- []\n"]
)  # fmt: skip
def test_wrong_shapes_do_not_fail(text: str) -> None:
    found = list(read(Source("tasks/main.yml", text)))
    assert not [each for each in found if isinstance(each, Command)]
