"""Tables 1 to 3 of Ustalov et al., *Toloka Visual Question Answering Benchmark* (2023)."""

from collections.abc import Mapping

# Table 1: what is measured → the ends of its 95 % interval, by split.
WIDTH, HEIGHT = "image width", "image height"
BOX_WIDTH, BOX_HEIGHT, LENGTH = "box width", "box height", "question length"
TABLE_1: Mapping[str, Mapping[str, tuple[int, int]]] = {
    "train": {
        WIDTH: (578, 581), HEIGHT: (486, 489), BOX_WIDTH: (103, 105), BOX_HEIGHT: (97, 99), LENGTH: (36, 38),
    },
    "test_public": {
        WIDTH: (573, 583), HEIGHT: (483, 493), BOX_WIDTH: (91, 100), BOX_HEIGHT: (88, 97), LENGTH: (36, 39),
    },
    "test_private": {
        WIDTH: (578, 584), HEIGHT: (480, 487), BOX_WIDTH: (95, 101), BOX_HEIGHT: (89, 94), LENGTH: (36, 38),
    },
}  # fmt: skip
INSTANCES = {"train": 38_990, "test_public": 1_705, "test_private": 4_504}

# Table 2, on test_private: IoU × 100, IoU > 50, IoU > 70.
CROWD = "Crowdsourcing"
TABLE_2: Mapping[str, tuple[float, float, float]] = {
    CROWD: (87.154, 0.954, 0.914),
    "1st place: wztxy89": (76.347, 0.834, 0.786),
    "2nd place: jinx, Zhouyang_Chi": (76.342, 0.841, 0.779),
    "3rd place: komleva.ep": (75.591, 0.756, 0.772),
    "OFA + SAM": (44.851, 0.470, 0.431),
    "OFA + SAM (VQA without image)": (39.075, 0.407, 0.370),
    "OVSeg + SAM": (35.073, 0.372, 0.309),
    "Kosmos-2": (22.571, 0.243, 0.073),
    "YOLOR + CLIP": (21.292, 0.209, 0.201),
}
ALPHA = {"test_public": 0.68, "test_private": 0.66}  # section 5: of the raw answers, which were not published

# Table 3: of 100 instances on which the crowd and the three best systems all had an IoU below 80.
METHODS = ("Crowdsourcing", "1st place", "2nd place", "3rd place")
TABLE_3: Mapping[str, tuple[int, int, int, int]] = {
    "small object": (26, 13, 13, 11),
    "insignificant error": (19, 13, 12, 16),
    "wrong object predicted": (5, 24, 24, 20),
    "inaccurate ground truth": (11, 9, 9, 7),
    "inaccurate prediction": (7, 6, 7, 8),
    "wrong question, correct prediction": (20, 12, 13, 14),
    "wrong question, incorrect prediction": (0, 8, 7, 8),
    "question ambiguity": (12, 15, 15, 16),
}
POOL = 355  # the instances from which the 100 were drawn
