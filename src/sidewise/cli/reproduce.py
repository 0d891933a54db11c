"""``sidewise reproduce``: run a study and write its table, its picture and its page."""

from pathlib import Path
from typing import Annotated

import typer

from sidewise.cli.console import err, explained, out, progress


def reproduce(
    study: Annotated[str, typer.Argument(help="Which study; 'list' names them.")],
    quick: Annotated[bool, typer.Option("--quick", help="A small setting that ends in seconds.")] = False,
    seed: Annotated[int, typer.Option(help="Of everything random.")] = 0,
    folder: Annotated[Path, typer.Option("--out", help="Where to write the results.")] = Path("reproduced"),
) -> None:
    """Run a study again: the same seed gives the same numbers."""
    from sidewise.studies import STUDIES, find_study

    with explained():
        if study == "list":
            for name, known in STUDIES.items():
                out.print(f"{name:<12} {known.about}", highlight=False)
            return
        with progress(study) as bar:
            result = find_study(study).run(quick=quick, seed=seed, progress=bar)
        for path in result.write(folder / study):
            err.print(f"wrote {path}", highlight=False)
        out.print(result.markdown(), highlight=False, markup=False, soft_wrap=True)
