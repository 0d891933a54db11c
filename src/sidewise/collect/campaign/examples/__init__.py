"""Examples of campaigns, which come with the package: a commented file, and media that may be used freely."""

import shutil
from importlib.resources import as_file, files
from pathlib import Path

from sidewise.errors import SidewiseError

KINDS = ("faces", "search", "llm", "video")
DEMO = "dots"  # which is generated


def write_example(kind: str, folder: str | Path) -> Path:
    """Write an example into a folder, and say where the campaign file is."""
    folder = Path(folder)
    if kind == DEMO:
        from sidewise.collect.campaign.demo import demo_campaign

        demo_campaign(folder)
    elif kind in KINDS:
        with as_file(files(__name__) / kind) as example:
            shutil.copytree(example, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("output"))
    else:
        raise SidewiseError(f"no example {kind!r}; there are: {', '.join((*KINDS, DEMO))}")
    return folder / "campaign.toml"
