"""Small campaigns for tests in a browser, each with something of its own."""

from pathlib import Path

from parts.campaigns import written

PICTURE = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200">'
    '<circle cx="100" cy="100" r="{}" fill="{}"/></svg>'
)
WAVE = b"RIFF" + (36 + 800).to_bytes(4, "little") + b"WAVEfmt " + bytes.fromhex(
    "10000000" "0100" "0100" "401f0000" "401f0000" "0100" "0800"
) + b"data" + (800).to_bytes(4, "little") + b"\x80\xa0" * 400  # fmt: skip
EXAMPLES = Path(__file__).parents[2] / "src/sidewise/collect/campaign/examples"


def texts(count=8):
    return {"items.csv": "id,text,system\n" + "".join(f"item-{n},text {n},system-{n % 2}\n" for n in range(count))}


def plain(name, **tables):
    """A campaign of texts."""
    own = {"name": name, "title": "Cakes", "question": "Which is better?", "instructions": "Read **both**."}
    items = {"source": "items.csv", "kind": "text", "text": "text", "attributes": ["system"]}
    return {"campaign": own, "items": items, "sampling": {"method": "random"}, **tables}


def faces(folder):
    """Pictures whose names tell where they come from, with every kind of answer."""
    files = {f"secret-system-{n}.svg": PICTURE.format(20 + 8 * n, "teal") for n in range(8)}
    files["items.csv"] = "id,media,maker\n" + "".join(f"known-{n},secret-system-{n}.svg,acme-{n}\n" for n in range(8))
    tables = {
        "campaign": {"name": "faces", "title": "Which is larger?", "question": "Which is larger?"},
        "items": {"source": "items.csv", "kind": "image", "attributes": ["maker"]},
        "answers": {"tie": True, "skip": True, "reasons": ["It does not load", "Something else"],
                    "keys": {"left": "ArrowLeft", "right": "ArrowRight"}},
        "serving": {"overlap": 50}, "sampling": {"method": "random"},
    }  # fmt: skip
    return written(folder / "faces", tables, files)


def pages(folder, name, overlap=50, **search):
    """Documents of two queries, with scripts in them."""
    body = "<title>Shop</title><h1>Salt &amp; sea</h1><p>The sea is salty.</p><script>x()</script><img src=x>"
    files = {
        f"page-{n}.html": f"<html><body>{body}<p>number {n}</p>{'<p>more</p>' * 40}</body></html>" for n in range(8)
    }
    files["items.csv"] = "id,media,query\n" + "".join(f"d{n},page-{n}.html,{'ab'[n // 4]}\n" for n in range(8))
    files["queries.csv"] = "id,query,description\na,why is the sea salty,Where does salt come from?\nb,amp salt,Again\n"
    tables = {
        "campaign": {"name": name, "title": "Pages", "question": "Which page would you rather find?"},
        "items": {"source": "items.csv", "kind": "page", "group": "query"},
        "search": {"queries": "queries.csv", **search},
        "serving": {"overlap": overlap, "undo_seconds": 600}, "answers": {"tie": True},
    }  # fmt: skip
    return written(folder / name, tables, files)


def sounds(folder):
    tables = {
        "campaign": {"name": "sounds", "question": "Which sounds better?"},
        "items": {"source": "clips", "kind": "audio"}, "sampling": {"method": "random"}, "serving": {"overlap": 50},
    }  # fmt: skip
    path = written(folder / "sounds", tables, {})
    (path.parent / "clips").mkdir()
    for n in range(3):
        (path.parent / "clips" / f"clip-{n}.wav").write_bytes(WAVE)
    return path


def write_all(folder):
    """All of them; their files."""
    paid = {"completion_code": "C0DE", "redirect": "https://panel.example/done?cc={code}&who={worker}"}
    simple = {
        "cakes": {"serving": {"overlap": 50}},
        "short": {"serving": {"overlap": 50, "tasks_per_worker": 2}},
        "paid": {"serving": {"overlap": 50, "tasks_per_worker": 2}, "access": paid},
        "lonely": {"budget": {"answers": 1}, "serving": {"lease_seconds": 10, "undo_seconds": 0, "preload": 0}},
        "stopped": {"serving": {"overlap": 50}},
        "barring": {"serving": {"overlap": 50}},
        "outage": {"serving": {"overlap": 50}},
        "invited": {"access": {"open": False, "workers": "workers.txt"}},
        "watched": {"serving": {"overlap": 3}, "stopping": {"top": 1}, "budget": {"answers": 200}},
    }  # fmt: skip
    workers = {"workers.txt": "ann\nbob\n"}
    files = [written(folder / name, plain(name, **tables), {**texts(), **workers}) for name, tables in simple.items()]
    markdown = plain("answers", serving={"overlap": 50})
    markdown["items"] = {**markdown["items"], "format": "markdown"}
    rows = [f'item-{n},"**bold {n}** <img src=x onerror=alert(1)> [x](javascript:alert(1))",s\n' for n in range(4)]
    files.append(written(folder / "answers", markdown, {"items.csv": "id,text,system\n" + "".join(rows)}))
    files += [faces(folder), sounds(folder), EXAMPLES / "video" / "campaign.toml"]
    files += [
        pages(folder, "pages"),
        pages(folder, "held", hold=True),
        pages(folder, "implied", overlap=1, hold=True, transitivity=True),
    ]
    return files
