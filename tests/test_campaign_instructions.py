"""Instructions: Markdown in, harmless HTML out."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidewise.collect.campaign import Campaign, CampaignError, instructions_html
from sidewise.collect.campaign.instructions import TAGS, images


class Parsed(HTMLParser):
    """Tags and attributes as a browser would find them."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *attr) for attr in attrs]


def harmless(text):
    found = Parsed(instructions_html(text))
    assert set(found.tags) <= TAGS
    for tag, name, value in found.attributes:
        assert (tag, name) in {("a", "href"), ("a", "title"), ("a", "rel"), ("a", "target"), ("ol", "start")}
        if name == "href":
            assert value.startswith("https://")
        if name == "rel":
            assert set(value.split()) == {"noopener", "noreferrer", "nofollow"}
    return found


def test_markdown_becomes_html():
    text = "# How\n\nChoose *one*, **never** both:\n\n3. `a`\n4. b\n\n> quote\n\n| x | y |\n|---|---|\n| 1 | 2 |\n"
    html = instructions_html(text)
    for part in ("<h3>How</h3>", "<em>one</em>", "<strong>never</strong>", '<ol start="3">', "<code>a</code>",
                 "<blockquote>", "<th>x</th>", "<td>2</td>"):  # fmt: skip
        assert part in html
    assert "<h6>deep</h6>" in instructions_html("##### deep")


def test_links_open_elsewhere_and_lead_to_https_only():
    found = harmless("[a](https://a.example 'title') <https://b.example>")
    links = [value for _, name, value in found.attributes if name == "href"]
    assert links == ["https://a.example", "https://b.example"]
    assert ("a", "target", "_blank") in found.attributes
    for address in ("http://a.example", "/admin", "//a.example", "mailto:a@b.example", "#x", "ftp://a.example", "a"):
        assert not [name for _, name, _ in harmless(f"[a]({address})").attributes if name == "href"]


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<svg/onload=alert(1)>",
        "<iframe src='https://a.example'></iframe>",
        "<style>*{display:none}</style>",
        "<a href='javascript:alert(1)'>x</a>",
        "<div style='position:fixed'>x</div>",
        "<form action='https://a.example'><input name=x></form>",
        "<!-- --><script>alert(1)</script>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](&#106;avascript:alert(1))",
        "[x](java\nscript:alert(1))",
        "[x](vbscript:x)",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        '[x](https://a.example"onmouseover="alert(1))',
        "[x](https://a.example '\"><script>alert(1)</script>')",
        "![x](https://a.example/track.png)",
        "![<script>alert(1)</script>](x)",
        '![" onerror="alert(1)](x)',
        "<https://a.example/<script>alert(1)</script>>",
        '`<script>`\n\n```html"><script>\n<script>alert(1)</script>\n```',
        "[x]: javascript:alert(1)\n\n[x]",
        "<math><mtext></mtext><mglyph><style></math><img src onerror=alert(1)>",
        "\0<scr\0ipt>alert(1)</scr\0ipt>",
    ],
)
def test_attacks_come_to_nothing(text):
    harmless(text)


pieces = st.sampled_from(
    ["<", ">", '"', "'", "[", "](", ")", "!", "javascript:", "https://a.example", "<script>", "</a>", "onerror=", "`",
     "```", "\n", "|", "&lt;", "&#60;", "<!--", "<![CDATA[", "\\", "x", " ", "#", "*", "\0"]
)  # fmt: skip


@given(st.lists(pieces, max_size=25).map("".join))
def test_whatever_is_written_is_harmless(text):
    harmless(text)


def test_images_are_found_and_refused(tmp_path):
    text = "Look.\n\n- here: ![a](b.png)\n"
    assert images(text) == [3]
    assert instructions_html(text) == "<p>Look.</p>\n<ul>\n<li>here: a</li>\n</ul>\n"
    (tmp_path / "how.md").write_text(text, encoding="utf-8")
    (tmp_path / "items.csv").write_text("id,text\na,x\nb,y\n", encoding="utf-8")
    items = {"source": "items.csv", "kind": "text", "text": "text"}
    made = Campaign(name="x", question="Which?", instructions_file="how.md", items=items, folder=tmp_path)
    with pytest.raises(CampaignError, match=r"how.md line 3: the instructions show an image"):
        made.check()
    (tmp_path / "how.md").write_text("Look.\n", encoding="utf-8")
    assert made.check().instructions == "Look.\n"
    (tmp_path / "how.md").write_bytes(b"\xff")
    with pytest.raises(CampaignError, match="save it as UTF-8"):
        made.check()
    (tmp_path / "how.md").write_text("x" * 50_001, encoding="utf-8")
    with pytest.raises(CampaignError, match="50,000 is the most"):
        made.check()
