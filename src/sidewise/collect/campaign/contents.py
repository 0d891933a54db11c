"""Whether a file is what its name says, by what it begins with."""

import re
from pathlib import Path

from sidewise.collect.campaign.media import media_type

HEAD = 4096
STARTS = {
    "image/png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/gif": re.compile(rb"GIF8[79]a"),
    "image/webp": re.compile(rb"RIFF.{4}WEBP", re.DOTALL),
    "image/avif": re.compile(rb".{4}ftyp(avif|avis|mif1)", re.DOTALL),
    "image/svg+xml": re.compile(rb"[^\x00]*?<svg[\s>]"),
    "text/plain": re.compile(rb"[^\x00]*\Z"),
    "text/markdown": re.compile(rb"[^\x00]*\Z"),
    "text/html": re.compile(rb"[^\x00]*<[^\x00]*\Z"),
    "video/mp4": re.compile(rb".{4}ftyp", re.DOTALL),
    "video/webm": re.compile(rb"\x1aE\xdf\xa3"),
    "video/ogg": re.compile(rb"OggS"),
    "audio/mpeg": re.compile(rb"ID3|\xff[\xe0-\xff]"),
    "audio/ogg": re.compile(rb"OggS"),
    "audio/wav": re.compile(rb"RIFF.{4}WAVE", re.DOTALL),
    "audio/mp4": re.compile(rb".{4}ftyp", re.DOTALL),
    "audio/flac": re.compile(rb"fLaC"),
    "audio/aac": re.compile(rb"\xff[\xf0-\xff]"),
}


def contents_trouble(kind: str, path: Path) -> str | None:
    """What is wrong with what a file holds, if anything; a text is read whole, of others the beginning."""
    kind_of_file = media_type(kind, path.name)
    assert kind_of_file is not None
    try:
        with path.open("rb") as file:
            head = file.read() if kind == "text" else file.read(HEAD)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if not head.strip():
        return "is empty; mend the file or take the item out"
    if not STARTS[kind_of_file].match(head):
        return f"is named {path.suffix}, but it is no {kind_of_file}; name it after what it is, or mend it"
    if kind == "text":
        try:
            head.decode("utf-8")
        except UnicodeDecodeError:
            return "is not UTF-8 text; save it as UTF-8"
    return None
