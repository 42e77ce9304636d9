# What tpuref uses of proto-plus, which has no types of its own.
from typing import Any

class Message:
    @classmethod
    def pb(cls) -> Any: ...

class _Attribute:
    def __get__(self, instance: object, owner: type[object]) -> Any: ...

BOOL: int
BYTES: int
DOUBLE: int
INT32: int
INT64: int
SINT64: int
STRING: int
UINT64: int

def module(*, package: str) -> object: ...
def Field(
    kind: int | str | type[Message],
    *,
    number: int,
    oneof: str | None = None,
    optional: bool = False,
) -> _Attribute: ...
def RepeatedField(kind: int | str | type[Message], *, number: int) -> _Attribute: ...
