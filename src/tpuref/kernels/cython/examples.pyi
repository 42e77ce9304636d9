from collections.abc import Sequence
from typing import Any

def features(
    record: bytes, names: Sequence[bytes]
) -> list[tuple[int, list[Any]] | None] | None: ...
