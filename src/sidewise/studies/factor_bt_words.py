"""What the page of the factorBT studies says that has no number in it."""

from sidewise.studies.contenders import SIDE_ALONE

TEXT = """
These are the studies of the factorBT paper (Bugakova et al. 2019), run with Sidewise, and three of our own. Accuracy
is the share of pairs of items whose truth differs that a model puts in the right order (Eq. 3 of the paper; equal
scores count as wrong). Every figure is a mean over trials; in brackets, and as bands in the pictures, the standard
deviation over trials, which tells what the draw of sides, spammers and held-out answers does, and not what other
items or workers would. All models see the same answers in a trial.

```bash
sidewise reproduce list
```

lists the parts. `sidewise reproduce factor-bt --out docs/studies` runs them all, with seed 0, in a quarter of an hour,
and writes this page; `--only figure-1` runs one part and makes the page anew from all tables in the folder; `--quick`
has fewer trials, models and data.

Figures 1 to 3 of the paper are lost in the text that we have, so that there are no numbers of theirs to stand beside
ours. Where others' figures are shown, it is said where they come from: *the paper*, or *a public repository*'s result
files on the same data.

Models have the settings they are known by: `bradley-terry`, `crowd-bt` and `factor-bt` a virtual item with λ = 1, `elo`
the mean of three random orders, all others their defaults.
"""

CONFOUNDED = f"""
All models see the better system ahead at every share of spammers, and most see less of its lead as they come in.
`worker-bt` loses next to nothing on the way, but begins low, far below the truth. The design may be why: one system
always has the brand, so that its lead and a bias of all workers to the brand say the same about every answer. Told of
the side alone (`factors=["side"]`, here *{SIDE_ALONE}*) it sees more of the lead. Figure 3 shows what that costs.
"""

ASIDE = """
Three data sets need a word. `page-rank` is ahead on the reading data for
[a reason that has nothing to do with answers](#ours-why-pagerank-looks-good-on-the-reading-data). Of the answers about
*language models* four in ten are ties, which contrary workers do not take for tasks: 60 % of them give about as many
decided answers as all real workers do, so that no model can tell who is contrary, and which way up the ranking comes
out is a toss of a coin. The scenes of *light field* were never compared with one another, and 29 observers have given
hundreds of answers each.
"""
