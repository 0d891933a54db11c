"""What the page of the factorBT studies says: every number in it comes from the tables."""

from collections.abc import Mapping, Sequence
from typing import Any

from sidewise.studies.contenders import OF_THE_PAPER, OURS, SIDE_ALONE
from sidewise.studies.factor_bt_words import ASIDE, CONFOUNDED
from sidewise.studies.lines import dots, lines
from sidewise.studies.parts import Rows, Shown
from sidewise.studies.published import CLEAN, LEFT, MIXED
from sidewise.studies.tables import by_share, cell_of, of_models, table_of, three, trials_of, with_sd

MIXING, ADDING = "biased workers now and then answer to the factor", "biases of workers add to the scores"
BETTER, WORSE = "the better system has the brand", "the worse system has the brand"
COUNT = "number of comparisons"
LEAST, MOST = 30, 20
Cell = tuple[str, str, float]  # data, kind of spammers, their share
WITHIN = 0.002  # how far from the best worker_bt may be


def table_1(rows: Rows) -> Shown:
    """Beside the paper's own."""
    own = [row for row in rows if row["model"] == "factor-bt"]
    shown = table_of(
        ["", "factor-bt here", "the paper"],
        [[row["figure"], with_sd(row["ours"], row["ours_sd"]), f"{row['paper']:.2f}"] for row in own],
    )
    models = list(dict.fromkeys(row["model"] for row in rows))
    beside = table_of(
        ["", *models],
        [[figure, *(cell_of(rows, "ours", model=model, figure=figure) for model in models)]
         for figure in ("ranking accuracy", "Pearson s")],
    )  # fmt: skip
    text = f"""
100 items, 400 pairs, each judged by 10 of 100 workers, two factors a pair; answers follow the factorBT model with γ
and r from N(0, 1). {trials_of(rows)}

{shown}

Scores and γ come out as they do in the paper, the biases r better; here they have a prior, N(0, 2²), and every worker a
credit of five answers, which the paper has not and which may be why. The accuracy is Eq. 3 as written. The 0.51 of the
paper does not fit scores that correlate by 0.92 with the truth, since a random order has 0.5; we do not know what it
measures.

True scores are 0 to 99, so that whoever looks at the items is nearly always right. The other models on the same
answers:

{beside}

`worker-bt` does worse than `factor-bt` and `crowd-bt` here. It assumes that biases add to scores, while these workers
now and then answer to the factors alone, however far the items are apart.

![Table 1](table-1.svg)
"""
    values = [
        {"line": row["figure"], "who": "factor-bt", "value": row["ours"]} | _bar(row["ours"], row["ours_sd"])
        for row in own
    ]
    values += [{"line": row["figure"], "who": "the paper", "value": row["paper"]} for row in own]
    return Shown(
        text, {"table-1": dots(values, title="accuracy or correlation, and its standard deviation", domain=(0.4, 1))}
    )


def figure_1(rows: Rows) -> Shown:
    """Reading difficulty and convincing arguments."""
    published = [{"data": "reading", "model": model, "percent": 100 * share, "value": value}
                 for model, by_share in LEFT.items() for share, value in by_share.items()]  # fmt: skip
    data = {"reading": "Reading difficulty", "arguments": "Convincing arguments"}
    panels = {name: title for name, title in data.items() if any(row["data"] == name for row in rows)}
    picture = lines(
        of_models(rows, OF_THE_PAPER), y="accuracy", panels=panels, panel="data", others=published,
        titles=("spammers who always choose left, in % of the workers", "pair accuracy"),
    )  # fmt: skip
    theirs, ours = three(LEFT["crowd-bt"][1.0]), cell_of(rows, "accuracy", data="reading", model="crowd-bt", share=1)
    arguments = by_share([row for row in rows if row["data"] == "arguments"], {}) if "arguments" in panels else ""
    text = f"""
624 workers have given 11,763 answers about the difficulty of 472 passages. The file has lost which passage was shown
on the left, so we draw sides at random, anew in each trial: real workers then have no bias to a side, whatever they
had. {trials_of(rows)}

![Figure 1](figure-1.svg)

Dashed: others' Bradley–Terry and CrowdBT on the same data, from *a public repository*. Reading difficulty, accuracy:

{by_share([row for row in rows if row["data"] == "reading"], LEFT)}

From no spammers to as many as workers, accuracy on the reading data falls by {_falls(rows)}. The paper says that only
factorBT is stable; here all models that know workers are nearly so, but for pairwise HITS.

Without spammers, others have {_listed(CLEAN)} (*a public repository*). With as many spammers as workers, their CrowdBT
falls to {theirs}; ours keeps {ours}. How they drew the sides is not known, nor is the reason why their Bradley–Terry
falls faster. `page-rank` is a case [of its own](#ours-why-pagerank-looks-good-on-the-reading-data).

For convincing arguments the position is real: 84,445 answers of 3,815 workers on 1,052 arguments about 32 topics, the
first argument was shown first. Accuracy, and tau in the CSV, are means over topics. The reference is the published
score of each argument, which we take to be lower for what convinces more: read the other way, all models would be wrong
about seven pairs in eight. As far as we know its authors derived it from the same answers; it is no independent truth.

{arguments}
"""
    return Shown(text, {"figure-1": picture})


def figure_2(rows: Rows) -> Shown:
    """Left spammers."""
    text = f"""
The paper's data are proprietary. `simulate.two_systems` has their design: 133 queries, 194 workers, 20 answers a
query; the worse system has a look that some workers like. How strong such biases were is not known, ours are made up,
so this is about the models and says nothing of the paper's figures. Shown is the mean chance that the better system's
page wins, by the estimated scores. {trials_of(rows)} The dotted line is the truth.

![Figure 2](figure-2.svg)

{_systems(rows)}

{CONFOUNDED}
"""
    return Shown(text, {"figure-2": _chances(rows, "spammers who always choose left, in % of the workers")})


def figure_3(rows: Rows) -> Shown:
    """Left and brand spammers."""
    text = f"""
125 queries, 194 workers, 20 answers a query; half of the spammers choose left, half the system with the brand. In the
paper's second data set that is the better system. Since such spammers then help it, we also show the case where it is
the worse one. {trials_of(rows)}

![Figure 3](figure-3.svg)

{_systems(rows)}

Where the better system has the brand, all models see it ahead, with or without spammers, who help it. Where the worse
one has it, every model is below one half in the end. Models that learn from agreement whom to trust fall furthest:
spammers for the brand all agree with one another. `worker-bt`, told of the brand, ends nearest to one half, and told of
the side alone it falls with the others: to name a factor that one system always has costs some of the lead, and saves
from those who go by it.
"""
    return Shown(text, {"figure-3": _chances(rows, "spammers, half left, half brand, in % of the workers")})


def spammers(rows: Rows) -> Shown:
    """Others than left."""
    clean = [row for row in rows if row["spammers"] == "none"]
    kinds = {"contrary": "contrary", "random": "random", "always-left": "always left", "mixed": "mixed, equal parts"}
    found = [*rows, *(dict(row) | {"spammers": kind} for row in clean for kind in kinds)]
    picture = lines(
        of_models(found, OF_THE_PAPER), y="accuracy", panels=kinds, panel="spammers",
        others=[{"spammers": "mixed", "model": model, "percent": 100 * share, "value": value}
                for model, by_share in MIXED.items() for share, value in by_share.items()],
        titles=("spammers, in % of the workers", "pair accuracy"),
    )  # fmt: skip
    tables = "\n\n".join(
        f"{title[0].upper()}{title[1:]}:\n\n"
        + by_share([row for row in found if row["spammers"] == kind], MIXED if kind == "mixed" else {})
        for kind, title in kinds.items()
    )
    cells, by_cell = _cells(rows)
    text = f"""
Reading difficulty again, with other spammers: contrary ones say the opposite of what a worker said, random ones toss
a coin; a mixture has equal parts of always left, always right, random and contrary. {trials_of(rows)}

![Other spammers](spammers.svg)

{tables}

The dashed lines and the last rows of the mixture are *a public repository*'s; it does not say what its equal mix is
made of, but its Bradley–Terry does as ours does. In ours, at 400 % there are as many contrary workers as real ones,
and nothing in the answers says which are which; at 900 % there are more of them, and whoever follows the majority ranks
the other way round: an accuracy of .3 for the question is one of .7 for the opposite question. How factorBT and CrowdBT
of that repository stay the right way up we do not know. That `page-rank` does shows that it
[hardly goes by the answers](#ours-why-pagerank-looks-good-on-the-reading-data).

{_unsettled(cells, by_cell)}
"""
    return Shown(text, {"spammers": picture})


def every_data_set(rows: Rows) -> Shown:
    """Where worker_bt stands."""
    cells, by_cell = _cells(rows)
    values = [
        {"line": _crowd(cell), "who": _named(row["model"]), "value": row["over_worker_bt"]}
        for cell in cells for row in by_cell[cell]
    ]  # fmt: skip
    picture = dots(
        values,
        title="accuracy above that of worker-bt (what is further off stands at the edge)",
        domain=(-0.1, 0.06),
        zero=WITHIN,
    )
    summary = [_standing(cell, by_cell[cell]) for cell in cells]
    head = ["data", "crowd", "trials", OURS, "best", "its accuracy", "above worker-bt", "standard error"]
    beaten = [line for line in (_beaten(cell, by_cell[cell]) for cell in cells) if line]
    text = f"""
All models on all data sets that say who answered. *reading* are the 11,763 comparisons of pairs of different levels,
*reading, all* the 12,726 of 12,728 that do not compare a passage with itself; *faces* the 48,627 shared comparisons
of IMDB-WIKI-SbS. Nobody knows the truth about *language models* (llmfao) and *light field*: there a fifth of the real
answers is held out, another fifth in the next trial until all have been, and accuracy is the share of its decided
answers that go to the item with the higher score. Sides
of reading and faces are drawn at random; of a pair of light fields, the first in the file counts as the left one.

![Every data set](every-data-set.svg)

Every dot is a model; right of the band it is better than `worker-bt` by more than {three(WITHIN)}.

{table_of(head, summary)}

Better than `worker-bt` by more than {three(WITHIN)} (difference, standard error over trials; a dash where all trials
gave the same). The best of thirteen models is ahead by a standard error or two by chance alone, and two to four trials
say little about the error:

{chr(10).join(beaten) or "- none"}

{_unsettled(cells, by_cell)}

{ASIDE}
"""
    return Shown(text, {"every-data-set": picture})


def page_rank(rows: Rows) -> Shown:
    """The number of comparisons."""
    controls, models = (list(dict.fromkeys(row[name] for row in rows)) for name in ("control", "model"))
    shown = table_of(
        ["", *models],
        [
            [control, *(cell_of(rows, "accuracy", control=control, model=model) for model in models)]
            for control in controls
        ],
    )
    counted = cell_of(rows, "accuracy", control="as collected", model=COUNT)
    tossed = cell_of(rows, "accuracy", control="answers tossed by a coin", model="page-rank")
    values = [{"line": row["control"], "who": row["model"], "value": row["accuracy"]} for row in rows]
    text = f"""
On reading difficulty `page-rank` is ahead of all models. It counts how often an item was compared: who is in more
comparisons has more links that a walker can come by. Passages of level 12 were in 155 comparisons on average, those
of level 1 in 32, so that the mere number of comparisons, with no look at one answer, has an accuracy of {counted}.
{trials_of(rows)}

![PageRank](page-rank.svg)

{shown}

- *Pairs compared about equally often*: Eq. 3 over the pairs of passages of which one was in at most a quarter more
  comparisons than the other.
- *Passages with {LEAST} comparisons or more*: only those count; then they are *thinned*, at random, to at most {MOST}
  comparisons each among themselves. (Equal numbers count as wrong, therefore the last column is below one half.)
- *All passages, thinned*: a control that does not do. Passages with fewer than {LEAST} comparisons were compared with
  frequent ones only, so that the number of those left still goes with difficulty, and `page-rank` still gains by it.
- *The opposite question*: all answers turned round, as if "which is easier?" had been asked. Models of quality do not
  care; `page-rank` still puts first what was compared most.
- *Answers tossed by a coin*: nothing is left to know, and `page-rank` has {tossed}.

Among passages that were compared about equally often, or made so by thinning the frequent ones, `page-rank` is the
worst of the models here; asked the opposite question it is worse than chance. What it knows about reading difficulty
beyond the others is how often the experimenters chose a passage. A prior could know that, too, and [the
decision](../../decisions/0004-worker-model.md) says what that is worth, and why it is not built.
"""
    return Shown(text, {"page-rank": dots(values, title="pair accuracy", domain=(0.25, 0.75))})


def _chances(rows: Rows, title: str) -> Any:
    studies = dict.fromkeys(row["study"] for row in rows)
    level = {study: next(row["truth"] for row in rows if row["study"] == study) for study in studies}
    return lines(
        of_models(rows, (*OF_THE_PAPER, SIDE_ALONE)), y="probability", panel="study", level=level,
        panels={study: study[0].upper() + study[1:] for study in studies},
        titles=(title, "chance that the better system wins"),
    )  # fmt: skip


def _systems(rows: Rows) -> str:
    tables = []
    for study in dict.fromkeys(row["study"] for row in rows):
        own = [row for row in rows if row["study"] == study]
        tables.append(f"{study[0].upper()}{study[1:]} (the truth is {three(own[0]['truth'])}):\n\n"
                      + by_share(own, {}, measure="probability"))  # fmt: skip
    return "\n\n".join(tables)


def _standing(cell: Cell, rows: Rows) -> list[str]:
    best = max(rows, key=lambda row: row["accuracy"])
    ours = next(row for row in rows if row["model"] == OURS)
    return [cell[0], _kind(cell), str(ours["trials"]), with_sd(ours["accuracy"], ours["accuracy_sd"]), best["model"],
            with_sd(best["accuracy"], best["accuracy_sd"]), f"{best['over_worker_bt']:.4f}",
            _fine(best["over_worker_bt_se"])]  # fmt: skip


def _beaten(cell: Cell, rows: Rows) -> str:
    ahead = sorted((row for row in rows if row["over_worker_bt"] > WITHIN), key=lambda row: -row["over_worker_bt"])
    said = (f"{row['model']} {row['over_worker_bt']:.4f} ({_fine(row['over_worker_bt_se'])})" for row in ahead)
    return f"- {_crowd(cell)}: {'; '.join(said)}" if ahead else ""


def _cells(rows: Rows) -> tuple[list[Cell], dict[Cell, Rows]]:
    """The crowds of a table, and the rows of each."""
    found: dict[Cell, list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault((row["data"], row["spammers"], row["share"]), []).append(row)
    return list(found), dict(found)


def _unsettled(cells: Sequence[Cell], by_cell: Mapping[Cell, Rows]) -> str:
    """Where fits of worker_bt have not converged."""
    ours = {cell: next(row["converged"] for row in by_cell[cell] if row["model"] == OURS) for cell in cells}
    said = "; ".join(f"{_crowd(cell)}, {1 - share:.0%}" for cell, share in ours.items() if share < 1)
    return f"Fits of `{OURS}` that did not converge, in % of the trials: {said or 'none'}."


def _fine(value: float | None) -> str:
    return f"{value:.4f}" if value else "–"


def _crowd(cell: Cell) -> str:
    return f"{cell[0]}: {_kind(cell)}"


def _kind(cell: Cell) -> str:
    return "clean" if not cell[2] else f"{100 * cell[2]:.0f} % {cell[1]}"


def _falls(rows: Rows) -> str:
    """By how much the models of the paper lose, from the least share of spammers to the greatest."""
    own = [row for row in of_models(rows, OF_THE_PAPER) if row["data"] == "reading"]
    ends = [{row["model"]: row["accuracy"] for row in own if row["share"] == share} for share in (0, 1)]
    return ", ".join(f"{three(max(ends[0][model] - ends[1][model], 0))} ({model})" for model in ends[0])


def _named(model: str) -> str:
    return model if model in (OURS, "page-rank", "crowd-bt", "factor-bt") else "others"


def _bar(value: float, spread: float | None) -> dict[str, float]:
    return {"low": value - (spread or 0), "high": value + (spread or 0)}


def _listed(figures: Mapping[str, float]) -> str:
    return ", ".join(f"{model} {value:.4f}".replace("0.", ".") for model, value in figures.items())
