"""One report with everything that is awkward to print; `test_report.py` compares it with `golden/`."""

from spark_lint.findings import FileRead, Finding, Problem, Report
from spark_lint.known import Known
from spark_lint.rule import CERTAIN, ERROR, INFO, LIKELY, WARNING, Related
from spark_lint.text import Source, Span

REQUIREMENTS = Source("requirements.txt", "--index-url https://download.pytorch.org/whl/cu124\r\n\tflash-attn\x1b[31m\r\n")
DOCKERFILE = Source(
    "Dockerfile",
    "FROM nvidia/cuda:13.0.1-devel-ubuntu24.04\n"
    "RUN pip install a \\\n  flash-attn\n"
    + "RUN echo "
    + "x" * 90
    + " && pip install --extra-index-url https://download.pytorch.org/whl/cu121 torch && echo "
    + "y" * 90
    + "\n",
)
TRAIN = Source(
    "träin\n\u202egpj.py",
    "模型 = load('模型', attn_implementation='flash_attention_2')  # e\u0301 \u202e 'x'\n\n" + "a" * 300 + "\n",
)


def _span(source: Source, words: str, path: str = "") -> Span:
    start = source.text.index(words)
    return source.span(start, start + len(words))


INDEX = _span(REQUIREMENTS, "https://download.pytorch.org/whl/cu124")

REPORT = Report(
    findings=(
        Finding(
            "G1/torch-index-cuda12",
            ERROR,
            CERTAIN,
            _span(DOCKERFILE, "https://download.pytorch.org/whl/cu121"),
            "cu121 builds of torch hold no code for the Spark's GPU",
            "--extra-index-url https://download.pytorch.org/whl/cu130",
            known=Known("2026-11-30", "quoted", "https://github.com/pytorch/pytorch/issues/160162"),
        ),
        Finding(
            "G2/flash-attn-requirement",
            WARNING,
            LIKELY,
            _span(DOCKERFILE, "pip install a \\\n  flash-attn"),
            "`flash-attn` has no wheel for aarch64,\nso pip compiles it for hours",
            "RUN pip install ninja \\\n && MAX_JOBS=4 pip install --no-build-isolation flash-attn",
            (Related(_span(DOCKERFILE, "nvidia/cuda:13.0.1-devel-ubuntu24.04"), "this image does not ship it"),),
            Known("2026-09-30", "file-list", assumed=True),
        ),
        Finding(
            "G1/torch-index-cuda12",
            ERROR,
            CERTAIN,
            INDEX,
            "cu124 builds of torch hold no code for the Spark's GPU",
            "--index-url https://download.pytorch.org/whl/cu130",
            (Related(_span(DOCKERFILE, "RUN pip install a"), "installed here (nvidia/cuda:13.0.1-devel-ubuntu24.04)"),),
        ),
        Finding(
            "G2/flash-attn-requirement", ERROR, CERTAIN, _span(REQUIREMENTS, "flash-attn\x1b[31m"), "`flash-attn\x1b[31m` fails"
        ),
        Finding("G2/attn-flash-attention-2", INFO, LIKELY, _span(TRAIN, "'flash_attention_2'"), "use `sdpa`", "sdpa"),
        Finding("lint/unused-suppression", WARNING, CERTAIN, _span(TRAIN, "\u202e 'x'"), "this suppression hides nothing"),
        Finding("G10/tensor-parallel-serving", INFO, CERTAIN, _span(TRAIN, "a" * 300), "a span as long as its line"),
        Finding("G10/tensor-parallel-serving", INFO, CERTAIN, Span("no-source.py", 7, 3, 7, 3), "a file that is not at hand"),
    ),
    problems=(
        Problem("broken\x07.py", 3, "'(' was never closed"),
        Problem("data/requirements.txt", 0, "is not a regular file", given=True),
    ),
    files=(
        FileRead("Dockerfile", "Dockerfile", neighbour=True),
        FileRead("docker/Dockerfile.dev", "Dockerfile"),
        FileRead("requirements.txt", "requirements"),
        FileRead(TRAIN.path, "Python"),
        FileRead("a.py", "Python"),
        FileRead("b.py", "Python"),
    ),
    skipped=("notes\x9b.xyz",),
    assumptions=("Assumed one Spark.", "Assumed no container where none is named."),
    hidden=2,
    seconds=0.2149,
    sources={source.path: source for source in (REQUIREMENTS, DOCKERFILE, TRAIN)},
)
TITLES = {
    "G1/torch-index-cuda12": "Torch from a CUDA 12 index",
    "G2/flash-attn-requirement": "A mandatory flash-attn requirement that no wheel for aarch64 can satisfy",
}
