"""Numbers of things, in words."""


def counted(number: int, one: str, many: str = "") -> str:
    """A number of things, in the right form.

    >>> counted(1, "query", "queries"), counted(2000, "document")
    ('1 query', '2,000 documents')
    """
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
