"""``sidewise reproduce``: run a study and write its tables, its pictures and its page."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidewise.cli.console import err, explained, out, progress
from sidewise.errors import SidewiseError

if TYPE_CHECKING:
    from sidewise.studies import Study, StudyInParts


def reproduce(
    study: Annotated[str, typer.Argument(help="Which study; 'list' names them, and their parts.")],
    only: Annotated[
        list[str] | None, typer.Option("--only", help="A table or figure of the study; may be given again. All if not.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A small setting that ends in seconds.")] = False,
    seed: Annotated[int, typer.Option(help="Of everything random.", min=0)] = 0,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Processes, for studies in parts; one a core if not said.")
    ] = None,
    letor: Annotated[
        Path | None, typer.Option(help="preference-judgments: LETOR's folder of Fold1 to Fold5, with --preferences.")
    ] = None,
    preferences: Annotated[Path | None, typer.Option(help="preference-judgments: the judgments for --letor.")] = None,
    folder: Annotated[Path, typer.Option("--out", help="Where to write the results.")] = Path("reproduced"),
) -> None:
    """Run a study again: the same seed gives the same numbers.

    Studies in parts write each table and picture when it is done, and make their page from all that are in the folder.
    Parts whose data are not here (SIDEWISE_DATA names their folder) are skipped; it is an error where --only names
    them. A study that takes long (asap) keeps
    every run: called again after an interruption, it goes on where it stopped.
    """
    from sidewise.studies import STUDIES, StudyInParts, find_study

    with explained():
        if study == "list":
            for name, known in STUDIES.items():
                _list(name, known)
            return
        chosen = find_study(study) if letor is None and preferences is None else _on(study, letor, preferences)
        if isinstance(chosen, StudyInParts):
            _run_parts(chosen, only or [], folder / study, quick=quick, seed=seed, jobs=jobs or os.cpu_count() or 1)
            return
        if only:
            raise SidewiseError(f"{study} has no parts to choose from: leave out --only")
        with progress(study) as bar:
            result = chosen.run(quick=quick, seed=seed, progress=bar)
        for path in result.write(folder / study):
            err.print(f"wrote {path}", highlight=False)
        out.print(result.markdown(), highlight=False, markup=False, soft_wrap=True)


def _on(study: str, letor: Path | None, preferences: Path | None) -> "StudyInParts":
    """The study of preference judgments, on data that the user has."""
    from sidewise.studies import preference_judgments
    from sidewise.studies.pj_collections import read_collection

    if study != "preference-judgments":
        raise SidewiseError(f"--letor and --preferences go with preference-judgments: {study} has no use for them")
    if letor is None or preferences is None:
        raise SidewiseError(
            "--letor and --preferences go together: features without judgments say nothing, nor do these alone"
        )
    read_collection(letor, preferences)  # what is wrong with them is told before the work, not after it
    return preference_judgments.study(letor, preferences)


def _list(name: str, study: "Study | StudyInParts") -> None:
    out.print(f"{name:<20} {study.about}", highlight=False)
    for part, known in getattr(study, "parts", {}).items():
        out.print(f"  {part:<16} {known.title}", highlight=False)


def _run_parts(
    study: "StudyInParts", only: list[str], folder: Path, *, quick: bool, seed: int, jobs: int
) -> None:  # fmt: skip
    """Part by part, so that what is done is kept whatever happens next; then the page."""
    from sidewise.studies import Setting

    ran, skipped = [], []
    for name in study.chosen(only):
        with progress(name) as bar:
            done = study.run_part(name, folder, Setting(quick=quick, seed=seed, jobs=jobs, progress=bar))
        if done.skipped:
            err.print(f"[yellow]skipped {name}:[/] {done.skipped}", highlight=False)
            skipped.append(name)
            continue
        ran.append(name)
        for path in done.paths:
            err.print(f"wrote {path}", highlight=False)
    if ran:
        err.print(f"wrote {study.write_page(folder, quick=quick)}", highlight=False)
        if quick:
            err.print("[yellow]a quick run:[/] its figures are too few for what is said of them", highlight=False)
        out.print(study.markdown(folder, ran), highlight=False, markup=False, soft_wrap=True)
    if only and skipped:
        raise typer.Exit(1)
