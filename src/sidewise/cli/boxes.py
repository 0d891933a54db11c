"""``sidewise boxes``: score boxes against the truth, and join many workers' boxes into one."""

from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sidewise.cli.columns import Delimiter, one_character
from sidewise.cli.console import err, explained, out, plain
from sidewise.cli.places import check_apart, check_place, write_place
from sidewise.errors import SidewiseError
from sidewise.ranking.display import counted

if TYPE_CHECKING:
    from sidewise.boxes import Boxes, Consensus

BoxFile = Annotated[
    str,
    typer.Argument(
        help="CSV, TSV, Parquet or JSON Lines: image, left, top, right, bottom, and maybe width, height, worker.",
        show_default=False,
    ),
]
Image = Annotated[str | None, typer.Option(help="Column of the image.", rich_help_panel="Columns")]
Worker = Annotated[str | None, typer.Option(help="Column of the worker.", rich_help_panel="Columns")]
Clip = Annotated[
    bool, typer.Option("--clip", help="Cut boxes that reach out of their image, instead of refusing them.")
]
SkipBad = Annotated[
    Path | None,
    typer.Option("--skip-bad", help="Go on without bad rows, and write them to this CSV file with the reason."),
]
Seed = Annotated[int, typer.Option(help="The same seed gives the same intervals.", min=0)]

app = typer.Typer(no_args_is_help=True, help="Boxes on images: score them, or join many workers' boxes into one.")


@app.command()
def score(
    predicted: BoxFile,
    truth: BoxFile,
    threshold: Annotated[list[float] | None, typer.Option(help="Accuracy above this IoU, 0.5 and 0.7 if not said; may be repeated.")] = None,  # noqa: E501
    several: Annotated[bool, typer.Option("--several", help="Images may have several boxes: match them one to one.")] = False,  # noqa: E501
    missing: Annotated[str, typer.Option(help="Images of the truth without a prediction: error, zero (count as 0) or drop.")] = "error",  # noqa: E501
    worst: Annotated[int, typer.Option(help="Also print so many images with the lowest IoU.", min=0)] = 0,
    output: Annotated[Path | None, typer.Option("--out", help="Write the IoU of every image, or the matches: .csv or .parquet.")] = None,  # noqa: E501
    image: Image = None, clip: Clip = False, delimiter: Delimiter = None,
    confidence: Annotated[float, typer.Option(help="Of the intervals.")] = 0.95,
    seed: Seed = 0,
) -> None:  # fmt: skip
    """Score boxes against the true ones: average IoU (× 100) and accuracy, with intervals.

    With --several: precision, recall, F1 and the mean IoU of the matches, for each threshold.
    """
    from sidewise.measures.box_matching import match_boxes
    from sidewise.measures.boxes import score_boxes

    with explained():
        check_place(output, predicted, truth)
        sides = [
            _read(file, None, image=image, clip=clip, several=several, delimiter=delimiter)
            for file in (predicted, truth)
        ]
        if several:
            _refuse(worst, "--worst is for one box an image: leave out --several")
            for at in threshold or [0.5]:
                found = match_boxes(*sides, threshold=at, confidence=confidence, seed=seed)
                _say(f"IoU > {100 * at:g}\n{found}")
            write_place("matches", found.matches, output)
            return
        unscored: Any = missing
        scores = score_boxes(
            *sides, thresholds=threshold or (0.5, 0.7), missing=unscored, confidence=confidence, seed=seed
        )
        _say(f"{counted(len(scores.images), 'image')}\n{scores}")
        for row in scores.images.slice(0, worst).to_pylist():
            _say(f"  {100 * row['iou']:7.3f}  {row['image']}")
        write_place("scores", scores.images, output)


@app.command()
def consensus(
    answers: BoxFile,
    output: Annotated[Path, typer.Option("--out", help="Write one box for each image: .csv or .parquet.")],
    method: Annotated[str, typer.Option(help="weighted (knows workers), median or medoid.")] = "weighted",
    drop_below: Annotated[float, typer.Option(help="Leave out answers whose IoU with the consensus is lower.")] = 0.25,
    workers_out: Annotated[Path | None, typer.Option(help="Write what was found out about the workers: .csv or .parquet.")] = None,  # noqa: E501
    dropped_out: Annotated[Path | None, typer.Option(help="Write the answers that were left out: .csv or .parquet.")] = None,  # noqa: E501
    image: Image = None, worker: Worker = None, clip: Clip = False, delimiter: Delimiter = None,
    skip_bad: SkipBad = None,
) -> None:  # fmt: skip
    """Join several workers' boxes of each image into one, without looking at the truth."""
    from sidewise.boxes import consensus as join

    with explained():
        for path in (output, workers_out, dropped_out):
            check_place(path, answers)
        check_apart(output, workers_out, dropped_out, skip_bad)
        boxes = _read(answers, skip_bad, image=image, worker=worker, clip=clip, delimiter=delimiter)
        found = join(boxes, method=method, drop_below=drop_below)  # type: ignore[arg-type]
        _refuse(workers_out and found.workers is None, "--workers-out: no column says who drew")
        _print_consensus(found)
        write_place("boxes", found.images, output)
        write_place("workers", found.workers, workers_out)
        write_place("dropped answers", found.dropped, dropped_out)


def _print_consensus(found: "Consensus") -> None:
    who = f" by {counted(len(found.answers.workers), 'worker')}" if found.answers.worker is not None else ""
    _say(f"{counted(len(found.boxes), 'image')}, {counted(len(found.answers), 'box').replace('boxs', 'boxes')}{who}")
    _say(f"{'method':<34}{found.method}")
    _say(f"{'answers left out':<34}{found.dropped.num_rows:,}")
    alpha = found.alpha
    known = f"{alpha:.3f}" if not isnan(alpha) else "not defined: no image has two boxes that differ"
    name = "Krippendorff's alpha (1 − IoU)"
    _say(f"{name:<34}{known}")
    lonely = int((found.images["answers"].to_numpy() == 1).sum())
    if lonely:
        _say(f"{'images with one answer':<34}{lonely:,}")


def _read(file: str, skip_bad: Path | None, *, delimiter: str | None, **options: Any) -> "Boxes":
    from sidewise.boxes import read_boxes

    on_bad: Any = "raise" if skip_bad is None else "skip"
    check_place(skip_bad, file, endings=None, flag="--skip-bad")
    found = read_boxes(file, delimiter=one_character(delimiter), on_bad=on_bad, **options)
    if found.clipped:
        err.print(f"{file}: cut {found.clipped:,} to their frames", highlight=False, markup=False)
    if found.rejects and skip_bad is not None:
        found.rejects.write(skip_bad)
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in found.rejects.counts.most_common())
        err.print(f"[yellow]left out[/] {counted(len(found.rejects), 'row')} ({plain(kinds)}); see {plain(skip_bad)}")
    return found


def _refuse(given: object, message: str) -> None:
    if given:
        raise SidewiseError(message)


def _say(line: str) -> None:
    out.print(plain(line), highlight=False, soft_wrap=True)
