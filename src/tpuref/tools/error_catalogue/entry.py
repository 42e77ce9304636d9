"""The catalogue's entry for one error code."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """An error or a warning that a user can meet."""

    code: str  # its code, one of `tpuref.base.error_codes`
    title: str  # the fault, in a few words
    meaning: str
    remedy: str
    # A program that raises it; most codes have none here: tests raise them
    program: str = ""
    document: str | None = None  # the file of the document that states the rule, if any
    # numbers of codes that this one replaced, such as ``"E002 E069"``.  Messages of
    # older releases end with them, so they still lead here and are never reassigned
    replaces: str = ""
    needs: tuple[str, ...] = ()  # modules that the program needs

    @property
    def former(self) -> tuple[str, ...]:
        """The codes that this one replaced."""
        return tuple(f"TPUREF-{number}" for number in self.replaces.split())
