"""Documents of a search campaign: made safe, with the words of the query marked."""

import re
from html import escape

import nh3

STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;margin:1rem;max-width:48rem}"
    "mark{background:#ffe58a;color:inherit}img{max-width:100%}"
)
APART = re.compile(r"""(<[^>"]*(?:"[^"]*"[^>"]*)*>|&#?\w+;)""")  # tags and entities: what is no text
UNSEEN = {"script", "style", "title", "head", "template", "noscript", "textarea", "select", "svg", "math"}
ATTRIBUTES = {"a": set[str](), "*": {"title", "lang", "dir"}, "td": {"colspan", "rowspan"}}
SHORT = 3  # letters: shorter words are in every document, …
EVERYWHERE = re.compile(  # … and so are these
    "and|are|but|can|did|does|for|from|had|has|have|how|into|its|not|off|one|our|out|the|their|them|they|this|that|"
    "was|were|what|when|where|which|who|why|will|with|you|your"
)


def marked(page: str, query: str) -> str:
    """A page without scripts, forms and addresses that load, its words of the query in ``<mark>``.

    >>> "<mark>cake</mark>" in marked("<p>A cake<script>x</script></p>", "best cake")
    True
    """
    safe = nh3.clean(page, attributes=ATTRIBUTES, clean_content_tags=UNSEEN, link_rel=None)
    told = [word for word in re.findall(r"\w+", query) if len(word) >= SHORT and not EVERYWHERE.fullmatch(word.lower())]
    words = [re.escape(escape(word)) for word in told]
    if words:
        found = re.compile(rf"\b({'|'.join(words)})\w{{0,3}}\b", re.IGNORECASE)
        safe = "".join(
            part if part[:1] in {"<", "&"} else found.sub(r"<mark>\g<0></mark>", part) for part in APART.split(safe)
        )
    head = f'<meta charset="utf-8"><title>Document</title><style>{STYLE}</style>'
    # Without something to focus, Tab passes a sandboxed frame by, and whoever has no mouse cannot scroll it.
    return f'<!doctype html><html><head>{head}</head><body tabindex="0">{safe}</body></html>'
