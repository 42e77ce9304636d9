"""Cannot be imported."""

raise OSError("a library is missing")
