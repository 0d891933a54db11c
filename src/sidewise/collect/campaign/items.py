"""Items: what is compared."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a campaign.

    Attributes
    ----------
    id
        Its name in answers and exports.
    media
        What is shown: a path from the campaign's media folder on, an ``https:`` address, or the text itself where
        ``[items]`` names a column of texts (``campaign.items.inline``).
    group
        Items are compared within it; None where all can be compared.
    attributes
        What else is known of it: kept and exported, never shown.
    """

    id: str
    media: str
    group: str | None
    attributes: Mapping[str, object]
