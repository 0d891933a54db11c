"""Markdown that a requester or a model wrote, as HTML that can do no harm on a worker's page."""

from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from typing import Any

from sidewise.extras import need

TAGS = {
    "a", "blockquote", "br", "code", "em", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "strong",
    "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
HEADINGS = 2  # a heading of the first level is an h3: the page has its own title and a heading above the instructions


def instructions_html(text: str) -> str:
    r"""HTML of a text in Markdown: no HTML of its own, no images, links only to https and in a tab of their own.

    It is for texts that are compared, too, where they are in Markdown.

    >>> instructions_html("Choose the **better** one.")
    '<p>Choose the <strong>better</strong> one.</p>\n'
    >>> instructions_html("<script>alert(1)</script>")
    '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n'
    """
    cleaner: Any = _cleaner()
    cleaned: str = cleaner.clean(_parser().render(text))
    return cleaned


def images(text: str) -> list[int]:
    """The lines of a text in Markdown that show an image."""
    return [line for line, token in _inline(_parser().parse(text)) if token.type == "image"]


@cache
def _parser() -> Any:
    parser = need("markdown_it", extra="server").MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.add_render_rule("heading_open", _heading)
    parser.add_render_rule("heading_close", _heading)
    parser.add_render_rule("image", _image)
    return parser


def _heading(renderer: Any, tokens: Sequence[Any], position: int, options: Any, env: Any) -> str:
    token = tokens[position]
    token.tag = f"h{min(int(token.tag[1]) + HEADINGS, 6)}"
    shown: str = renderer.renderToken(tokens, position, options, env)
    return shown


def _image(_renderer: Any, tokens: Sequence[Any], position: int, _options: Any, _env: Any) -> str:
    """What an image shows, in words."""
    return escape(str(tokens[position].content))


@cache
def _cleaner() -> Any:
    return need("nh3", extra="server").Cleaner(
        tags=TAGS,
        attributes={"a": {"href", "title"}, "ol": {"start"}},
        attribute_filter=_only_https,
        url_schemes={"https"},
        link_rel="noopener noreferrer nofollow",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )


def _only_https(_tag: str, attribute: str, value: str) -> str | None:
    """Links that are relative, or that leave the scheme out, would lead into the server's own pages or anywhere."""
    return value if attribute != "href" or value.lower().startswith("https://") else None


def _inline(tokens: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    """The tokens inside paragraphs and the like, with the line on which their block begins."""
    for token in tokens:
        for child in token.children or ():
            yield (token.map or [0])[0] + 1, child
