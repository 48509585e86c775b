from collections.abc import Iterator

from spark_lint import knowledge
from spark_lint.facts import Assign, Call, Package, Setting
from spark_lint.project import Project
from spark_lint.rule import CERTAIN, INFO, LIKELY, WARNING, Advice, rule

SWITCHES = {"unsloth.models._utils.HAS_FLASH_ATTENTION", "unsloth.utils.attention_dispatch.HAS_FLASH_ATTENTION"}
PATCH = (
    "import unsloth.models._utils as u, unsloth.utils.attention_dispatch as d; "
    "u.HAS_FLASH_ATTENTION = d.HAS_FLASH_ATTENTION = False  # before from_pretrained"
)


@rule(on=Setting, named="attention", severity=WARNING)
def unsloth_sdpa_dropped(setting: Setting, project: Project) -> Iterator[Advice]:
    call = load_of(setting, project) if setting.tool == "unsloth" else None
    if call is None or setting.text != "sdpa" or kept(call):
        return
    off = {each.name for each in project.before(call, Assign, *SWITCHES) if each.value is False}
    if off >= SWITCHES:
        return
    asked = [each for each in project.every(Package, "flash-attn", "conda/flash-attn") if each.role == "requirement"]
    installed = any(not scope.elsewhere for each in asked for scope in each.scopes)
    importable = installed or project.ships(setting, "flash-attn")
    checked = knowledge.note("unsloth-versions")
    message = f"Unsloth's FastLanguageModel drops {setting.written} and uses flash-attn wherever it can import it"
    if "gemma-2-" in model_of(call).lower():
        # The switches would take the cap off its attention logits: knowledge note unsloth-gemma2.
        known = knowledge.note("unsloth-gemma2").known
        yield Advice(f"{message}; Gemma 2 needs it there, SDPA cannot cap its attention logits", severity=INFO, known=known)
    else:
        message = f"{message}, seen in {checked.text}"
        certain = CERTAIN if knowledge.unsloth_loader(model_of(call)) else LIKELY
        yield Advice(message, PATCH, WARNING if importable else INFO, certain, checked.known)


def load_of(setting: Setting, project: Project) -> Call | None:
    """The call of Unsloth's loader that the setting is an argument of."""
    for call in project.near(setting, Call, "unsloth.FastLanguageModel.from_pretrained"):
        given = call.argument("attn_implementation")
        if given is not None and given.span == setting.span:
            return call
    return None


def model_of(call: Call) -> str:
    model = call.argument("model_name", 0)
    return model.value if model is not None and isinstance(model.value, str) else ""


def kept(call: Call) -> bool:
    """Whether Unsloth hands the model to FastModel, which keeps the request: by its type, or for what is asked besides."""
    options = knowledge.note("unsloth-keeps-request").text.split(", ")
    asked = [given for name in options if (given := call.argument(name)) is not None and given.value not in (False, None)]
    return bool(asked) or knowledge.unsloth_loader(model_of(call)) == "vision"
