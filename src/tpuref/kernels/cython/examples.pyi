from collections.abc import Sequence

def features(
    record: bytes, names: Sequence[bytes]
) -> list[tuple[int, list[bytes] | bytes] | None] | None: ...
