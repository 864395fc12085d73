"""Numbers of things in words."""


def counted(count: int, one: str, many: str | None = None) -> str:
    """Return how many there are of something; of many with an s, if that is not given.

    Examples
    --------
    >>> counted(1, "run"), counted(12_000, "run"), counted(2, "process", "processes")
    ('1 run', '12,000 runs', '2 processes')
    """
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"
