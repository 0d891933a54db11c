"""Write photos.csv: a table of photographs that never existed, with what a builder of data sets has to cope with."""

from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow.csv import WriteOptions, write_csv

PHOTOS, PEOPLE = 2_000, 500


def main() -> None:
    """People of all ages, most of them in the middle; several photographs of many; some values missing."""
    rng = np.random.default_rng(7)
    person = np.sort(rng.integers(PEOPLE, size=PHOTOS))
    born = rng.integers(1930, 1996, size=PEOPLE)
    gender = np.array(["female", "male"])[(rng.random(PEOPLE) < 0.58).astype(int)]
    taken = np.clip(rng.normal(2004, 12, size=PHOTOS).astype(int), 1965, 2014)
    age = np.maximum(taken - born[person], 1)
    score = np.where(rng.random(PHOTOS) < 0.05, np.nan, rng.gamma(6, 0.6, PHOTOS).round(2))
    table = pa.table(
        {
            "photo": [f"p{number:04d}" for number in range(PHOTOS)],
            "file": [f"{who:03d}/{number:04d}.jpg" for number, who in enumerate(person)],
            "person": [f"person {who:03d}" for who in person],
            "age": age,
            "gender": [None if rng.random() < 0.03 else gender[who] for who in person],
            "score": pa.array(score, from_pandas=True),
        }
    )
    write_csv(table, Path(__file__).parent / "photos.csv", WriteOptions(quoting_style="none"))


if __name__ == "__main__":
    main()
