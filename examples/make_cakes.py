"""Makes examples/cakes.csv: the answers of a simulated crowd that was asked which of two cakes looks better.

Run it again and the same file comes out. The crowd has forty honest workers, six who answer at random
and four one-sided ones who nearly always say the same side; the true scores are written to examples/cakes-truth.csv.
"""

import csv
from pathlib import Path

from sidewise.simulate import crowd

CAKES = """angel cake, apple strudel, baba, baked Alaska, baklava, banana bread, Battenberg, black forest, brownie,
cannoli, carrot cake, cassata, charlotte, cheesecake, chiffon cake, Christmas log, croquembouche, Dobos torte,
Eccles cake, fruit cake, gingerbread, honey cake, king cake, lamington, Linzer torte, macaroon, marble cake,
medovik, mille-feuille, opera cake, pavlova, pineapple cake, pound cake, red velvet, sachertorte, scone, stollen,
tiramisu, tres leches, Victoria sponge"""

ODD = {"random": 0.12, "one-sided": 0.08}

HERE = Path(__file__).parent


def main() -> None:
    """Simulate the crowd and write both files."""
    names = [" ".join(name.split()) for name in CAKES.split(",")]
    made = crowd(names, workers=50, comparisons=4000, spread=1.2, kinds=ODD, ties=0.1, seed=7)
    with (HERE / "cakes.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["left", "right", "label", "worker"])
        for row in made.comparisons.to_frame().to_pylist():
            label = {1.0: row["left"], 0.0: row["right"]}.get(row["outcome"], "tie")
            writer.writerow([row["left"], row["right"], label, row["worker"]])
    with (HERE / "cakes-truth.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["item", "score"])
        writer.writerows((name, round(score, 6)) for name, score in made.truth.items())


if __name__ == "__main__":
    main()
