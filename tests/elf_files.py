"""Small ELF files and wheels of them, made without a compiler: the header, one dynamic segment, the sections."""

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

AARCH64, X86_64, CUDA = 183, 62, 190
_BASE = 64  # the header's size, and where the first program header is


def elf(machine: int = AARCH64, needed: Sequence[str] = (), sections: Sequence[str] = ()) -> bytes:
    """A 64-bit library that asks for others by name, and has empty sections of some names."""
    texts, names = b"\0", []
    for name in needed:
        names.append(len(texts))
        texts += name.encode() + b"\0"
    dynamic_at = _BASE + 2 * 56
    dynamic = b"".join(struct.pack("<qQ", 1, at) for at in names)
    texts_at = dynamic_at + len(dynamic) + 3 * 16
    dynamic += struct.pack("<qQ", 5, texts_at) + struct.pack("<qQ", 10, len(texts)) + struct.pack("<qQ", 0, 0)
    labels, rows = b"\0", [bytes(64)]
    for name in (*sections, ".shstrtab"):
        rows.append(struct.pack("<IIQQQQIIQQ", len(labels), 3 if name == ".shstrtab" else 1, 0, 0, 0, 0, 0, 0, 1, 0))
        labels += name.encode() + b"\0"
    labels_at = texts_at + len(texts)
    rows[-1] = struct.pack("<IIQQQQIIQQ", len(labels) - len(".shstrtab") - 1, 3, 0, 0, labels_at, len(labels), 0, 0, 1, 0)
    sections_at = labels_at + len(labels)
    size = sections_at + 64 * len(rows)
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    header = ident + struct.pack("<HHIQQQIHHHHHH", 3, machine, 1, 0, 64, sections_at, 0, 64, 56, 2, 64, len(rows), len(rows) - 1)
    load = struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, size, size, 1)
    segment = struct.pack("<IIQQQQQQ", 2, 4, dynamic_at, dynamic_at, dynamic_at, len(dynamic), len(dynamic), 8)
    return header + load + segment + dynamic + texts + labels + b"".join(rows)


def wheel(path: Path, files: Mapping[str, bytes]) -> Path:
    """A wheel of some files."""
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path
