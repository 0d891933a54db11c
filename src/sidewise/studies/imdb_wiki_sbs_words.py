"""What the tables of the study of IMDB-WIKI-SbS call things, and what its page says that has no number in it."""

FULL, SHARED = "imdb-wiki-sbs", "imdb-wiki-sbs-48627"
SIMULATED, TRUE_AGES, SMALL = "simulated", "simulated, all ages right", "simulated, small"

MEASURES = {"ndcg10": "NDCG@10", "ndcg100": "NDCG@100", "accuracy": "accuracy", "tau": "tau"}
WHOLE, ITS_OWN = "all comparisons", "those within the group"
RANDOM, REVERSED = "random", "the truth reversed"

DESIGN = "the paper's design, drawn anew"
WITHIN, ANYONE = "within the group", "with anyone"
EVERY, AS_WITHIN = "all", "as many as within the group"
NARROW, WIDE = "eleven years", "any age"
CAUSE_KEYS = ("data", "simulated", "ages", "whom", "per_item")
LOOKS_OLD = "looks older than the median of 40"

FACTS = ("items", "comparisons", "workers", "parts", "left", "least", "most", "right")
SEEN = "what people see"

TEXT = """
This is the evaluation of Pavlichenko and Ustalov, *IMDB-WIKI-SbS: An Evaluation Dataset for Crowdsourced Pairwise
Comparisons* (2021), run with all our models; an answer to a question that the paper leaves open, why models do so
badly within an age group; and a test with spammers. The data: 9,150 photos, 75 of every age from 10 to 70 and
gender; 250,249 different pairs, each shown to one of 4,091 workers, who said who looks older.

```bash
sidewise reproduce list
```

lists the parts. `sidewise reproduce imdb-wiki-sbs --out docs/studies` runs them all and writes this page, in some
minutes; `--quick` ends in seconds. Which data it runs on depends on what is at hand (`sidewise data get
imdb-wiki-sbs`): the whole file; else 48,627 of its comparisons, whoever has them; else a simulated set of the same
design, [described below](#the-simulated-set). Every section says which it was made from.

**Which way is up.** The gain of a photo is the age on record, linear, and the oldest should come first: NDCG@k is Σ
age / log₂(rank + 1) over the top k of the ranking, divided by the same of the true order. The paper does not say
how it computes NDCG; this is the reading of `sidewise.measures.ndcg`. Accuracy is the share of pairs of different
age that are in the right order, equal scores being wrong (Eq. 3 of the factorBT paper), tau is Kendall's tau-b.

**What is lost.** Tables 2 and 3 of the paper are lost in the text that we have, with the numbers of Bradley–Terry,
PageRank, random and reversed orders. None of them is cited here. What others report on the whole data comes from
the result files of *a public repository*.

Models have the settings of [the other studies](../factor-bt/README.md): `bradley-terry`, `crowd-bt` and `factor-bt`
a virtual item with λ = 1, `elo` the mean of three random orders, all others their defaults. `page-rank` has an arc
from the younger to the older photo of each answer, as in the paper.
"""
NOT_REAL = "no real data were at hand, and these figures say nothing of real people."
USED = {
    FULL: "From the whole file, 250,249 comparisons (`imdb-wiki-sbs`).",
    SHARED: """From 48,627 of the 250,249 comparisons (`imdb-wiki-sbs-48627`), **not the whole file**:
with a fifth of the answers, not drawn at random, figures are lower than on the whole. Sides are lost in it, and are
drawn by chance.""",
    SIMULATED: f"From **the simulated set**: {NOT_REAL}",
    SMALL: f"From **a small simulated set**: {NOT_REAL}",
}
