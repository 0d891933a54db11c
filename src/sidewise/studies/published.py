"""What others have reported, where it could be recovered. Figures 1 to 3 of the factorBT paper themselves are lost."""

from collections.abc import Mapping

# Table 1 of the factorBT paper (Bugakova et al. 2019).
TABLE_1 = {"ranking accuracy": 0.51, "Pearson r₁": 0.50, "Pearson r₂": 0.47, "Pearson γ": 0.81, "Pearson s": 0.92}

# Reading difficulty, 11,763 comparisons: pair accuracy by the share of spammers, from the result files of a public
# repository. The first by always-left ones, the second by an equal mix of kinds that are not named there.
Published = Mapping[str, Mapping[float, float]]
LEFT: Published = {
    "bradley-terry": {0.0: 0.680, 0.2: 0.663, 0.4: 0.630, 0.6: 0.604, 0.8: 0.583, 1.0: 0.568},
    "crowd-bt": {0.0: 0.700, 0.2: 0.699, 0.4: 0.700, 0.6: 0.699, 0.8: 0.700, 1.0: 0.524},
}
MIXED: Published = {
    "factor-bt": {1.0: 0.693, 2.33: 0.694, 4.0: 0.688, 9.0: 0.664},
    "crowd-bt": {1.0: 0.691, 2.33: 0.687, 4.0: 0.623, 9.0: 0.540},
    "bradley-terry": {1.0: 0.648, 2.33: 0.593, 4.0: 0.511, 9.0: 0.398},
}
CLEAN = {"bradley-terry": 0.6804, "factor-bt": 0.6947, "crowd-bt": 0.7002}
