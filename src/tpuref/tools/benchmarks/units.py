"""Bytes and seconds in readable units."""


def size_text(size: int) -> str:
    """Write a number of bytes.

    >>> [size_text(size) for size in (4, 1 << 10, 64 << 20)]
    ['4 B', '1 KiB', '64 MiB']
    """
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size} {unit}"
        size //= 1024
    return f"{size} GiB"


def time_text(seconds: float) -> str:
    """Write a time with three digits.

    >>> [time_text(seconds) for seconds in (4.321e-6, 0.0123, 1.5)]
    ['4.32 us', '12.3 ms', '1.50 s']
    """
    for unit, factor in (("us", 1e6), ("ms", 1e3)):
        if seconds * factor < 1000:
            return f"{_three_digits(seconds * factor)} {unit}"
    return f"{_three_digits(seconds)} s"


def _three_digits(value: float) -> str:
    decimals = 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0
    return f"{value:.{decimals}f}"
