"""Makes the media of examples/campaigns: drawn faces, and videos compressed more and less.

Run it again and the same files come out; everything else there is written by hand. The videos need PyAV (pip install
av); without it, those that are there are left as they are.
"""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random

import numpy as np

HERE = Path(__file__).parent / "campaigns"
AGES = (4, 9, 15, 22, 28, 35, 42, 51, 58, 66, 74, 85)
SKIN = ("#f6d7bd", "#eabf9f", "#c98f68", "#8d5a3b", "#5f3a26")
HAIR = ("#2b1d14", "#5a3a22", "#8a5a2b", "#c9a15a", "#7b2d1a")
SCENES = {"waves": 0, "disc": 1}
QUALITIES = (62, 52, 42, 30, 12)  # the quantiser of VP9, from poor to good
WIDTH, HEIGHT, FRAMES, RATE = 192, 144, 36, 12


def main() -> None:
    """Write the items of both examples."""
    make_faces(HERE / "faces")
    make_videos(HERE / "video")


def write_table(path: Path, names: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A CSV file that is the same on every system."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([names, *rows])


def make_faces(folder: Path) -> None:
    """Twelve faces, in an order that does not tell their ages."""
    rng = Random(3)  # noqa: S311 - drawings, no secrets
    ages = list(AGES)
    rng.shuffle(ages)
    (folder / "faces").mkdir(exist_ok=True)
    rows = []
    for number, age in enumerate(ages, 1):
        media = f"faces/face-{number:02d}.svg"
        (folder / media).write_text(face(age, rng), encoding="utf-8")
        rows.append((f"face-{number:02d}", media, age))
    write_table(folder / "items.csv", ("id", "media", "age"), rows)


def face(age: int, rng: Random) -> str:
    """A face that looks as old as it is: proportions of a child, then grey hair, a higher hairline, wrinkles."""
    old, young = max(0.0, (age - 30) / 55), max(0.0, (18 - age) / 18)
    skin, hair = rng.choice(SKIN), mixed(rng.choice(HAIR), "#e8e6e1", min(1.0, max(0.0, (age - 35) / 40)))
    line = mixed(skin, "#000000", 0.35)
    wide, high, eyes, eye = 74 + 8 * young - 4 * old, 92 - 12 * young + 6 * old, 122 + 12 * young, 6 + 4 * young
    brow = 3 + 2 * old
    parts = [
        f'<rect width="240" height="280" fill="{rng.choice(("#dfe7ec", "#e9e4d8", "#dde5d5"))}"/>',
        f'<path d="M40 280q80-70 160 0z" fill="{rng.choice(("#4a5a6a", "#7a4b4b", "#4b6a55"))}"/>',
        f'<rect x="98" y="195" width="44" height="50" rx="18" fill="{mixed(skin, "#000000", 0.1)}"/>',
        f'<ellipse cx="120" cy="118" rx="{wide + 9:.0f}" ry="{high + 4:.0f}" fill="{hair}"/>',
        f'<ellipse cx="120" cy="{136 - 8 * old:.0f}" rx="{wide:.0f}" ry="{high - 6 + 6 * old:.0f}" fill="{skin}"/>',
    ]
    for side in (-1, 1):
        x = 120 + side * 28
        parts += [
            f'<ellipse cx="{x}" cy="{eyes:.0f}" rx="{eye + 4:.1f}" ry="{eye:.1f}" fill="#fff"/>',
            f'<circle cx="{x}" cy="{eyes:.0f}" r="{eye * 0.6:.1f}" fill="#33261d"/>',
            f'<path d="M{x - 13} {eyes - 15:.0f}q13-7 26 0" stroke="{hair}" stroke-width="{brow:.1f}" fill="none"/>',
        ]
    parts += [
        f'<path d="M120 {eyes + 8:.0f}q-9 20 0 22" stroke="{line}" stroke-width="2.5" fill="none"/>',
        f'<path d="M98 {eyes + 52:.0f}q22 {14 - 8 * old:.0f} 44 0" stroke="#9b4a44" stroke-width="4" fill="none"/>',
        *wrinkles(old, eyes, line),
    ]
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 280" width="240" height="280">\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def wrinkles(old: float, eyes: float, line: str) -> list[str]:
    """On the forehead, beside the eyes, below them, and from the nose to the mouth; more with the years."""
    paths = [f"M92 {eyes - 34 - 9 * n:.0f}q28-{5 + n} 56 0" for n in range(round(4 * old))]
    for side in (-1, 1):
        x = 120 + side * 46
        paths += [f"M{x} {eyes - 4 + 5 * n:.0f}l{side * 12} {n * 5 - 5}" for n in range(round(3 * old))]
        paths += [
            f"M{120 + side * 40} {eyes + 13 + 5 * n:.0f}q{-side * 12} 7 {-side * 24} 0" for n in range(round(2 * old))
        ]
        paths += [f"M{120 + side * 20} {eyes + 28:.0f}q{side * 14} 12 {side * 12} 26"] * (old > 0.15)
    return [
        f'<path d="{path}" stroke="{line}" stroke-width="{1.2 + old:.1f}" fill="none" opacity=".7"/>' for path in paths
    ]


def mixed(first: str, second: str, share: float) -> str:
    """A colour between two."""
    pairs = [(int(first[place : place + 2], 16), int(second[place : place + 2], 16)) for place in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def make_videos(folder: Path) -> None:
    """Two scenes, each compressed at five qualities."""
    (folder / "videos").mkdir(exist_ok=True)
    rng = Random(5)  # noqa: S311
    rows = []
    for scene, kind in SCENES.items():
        order = list(range(len(QUALITIES)))
        rng.shuffle(order)
        for number, quality in enumerate(order, 1):
            encode(folder / "videos" / f"{scene}-{number}.webm", frames(kind), QUALITIES[quality])
            rows.append((f"{scene}-{number}", f"{scene}-{number}.webm", scene, quality + 1))
    write_table(folder / "items.csv", ("id", "media", "scene", "quality"), rows)


def frames(kind: int) -> np.ndarray:
    """A moving scene with fine lines, which compression spoils first."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(float)
    shown = []
    for step in range(FRAMES):
        turn = 2 * np.pi * step / FRAMES
        if kind == 0:
            ripple = np.hypot(x - WIDTH / 2 - 30 * np.cos(turn), y - HEIGHT / 2 - 20 * np.sin(turn))
            red, green, blue = (0.5 + 0.5 * np.sin(ripple / scale - 2 * turn) for scale in (2.2, 3.1, 5.0))
        else:
            angle = np.arctan2(y - HEIGHT / 2, x - WIDTH / 2) + turn
            inside = np.hypot(x - WIDTH / 2, y - HEIGHT / 2) < 62
            spokes = 0.5 + 0.5 * np.sign(np.sin(24 * angle))
            red, green, blue = (
                np.where(inside, spokes * tone + 0.1, y / HEIGHT * low)
                for tone, low in ((0.9, 0.3), (0.6, 0.5), (0.2, 0.8))
            )
        shown.append(np.stack([red, green, blue], axis=-1))
    return (np.clip(shown, 0, 1) * 255).astype(np.uint8)


def encode(path: Path, pictures: np.ndarray, quantiser: int) -> None:
    """WebM with VP9, which every browser of today plays; one thread, so that the bytes are always the same."""
    try:
        import av
    except ImportError:
        print(f"{path.name} is left as it is: PyAV is not installed")
        return
    with av.open(str(path), "w", container_options={"fflags": "+bitexact"}) as container:
        stream = container.add_stream("libvpx-vp9", rate=RATE)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        stream.options = {
            "crf": str(quantiser),
            "b": "0",
            "threads": "1",
            "cpu-used": "4",
            "row-mt": "0",
            "flags": "+bitexact",
        }
        for picture in pictures:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode())


if __name__ == "__main__":
    main()
