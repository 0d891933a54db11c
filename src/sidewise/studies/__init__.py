"""Is the paper right? Each study's tables and figures, one module each."""

from sidewise.errors import SidewiseError
from sidewise.studies import asap, coverage, factor_bt, imdb_wiki_sbs, preference_judgments, toloka_vqa
from sidewise.studies.parts import Setting, StudyInParts
from sidewise.studies.study import Result, Study

STUDIES: dict[str, Study | StudyInParts] = {
    "asap": asap.STUDY,
    "coverage": Study("do 95 % intervals hold the truth 95 % of the time?", coverage.run),
    "factor-bt": factor_bt.STUDY,
    "imdb-wiki-sbs": imdb_wiki_sbs.STUDY,
    "preference-judgments": preference_judgments.STUDY,
    "toloka-vqa": toloka_vqa.STUDY,
}


def find_study(name: str) -> Study | StudyInParts:
    """A study by its name."""
    if name not in STUDIES:
        raise SidewiseError(f"no study {name!r}; there are: {', '.join(STUDIES)}")
    return STUDIES[name]


__all__ = ["STUDIES", "Result", "Setting", "Study", "StudyInParts", "find_study"]
