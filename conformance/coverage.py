"""Compares the documented statements with the clauses of the suite."""


class Coverage:
    """What is missing on either side.

    Parameters
    ----------
    statements : list of DocumentedStatement
    clauses : list of Clause
    changes : list of Change
        The recorded differences.

    Attributes
    ----------
    unchecked : list of str
        Statements without a check.
    undocumented : list of str
        Checks without a statement.
    idle : list of str
        Recorded differences that are none.
    """

    def __init__(self, statements, clauses, changes):
        listed = {statement.id for statement in statements}
        checked = {clause.id for clause in clauses}
        moved = {c.id: c for c in changes if c.kind != "added"}
        added = {c.id for c in changes if c.kind == "added"}
        added |= {id for change in moved.values() for id in change.into}
        self.unchecked = [
            id for id in sorted(listed - checked) if not _decided(moved, id, checked)
        ]
        self.undocumented = sorted(checked - listed - added)
        self.idle = [id for id in moved if id not in listed or id in checked]
        self.idle += [id for id in added if id not in checked]

    @property
    def complete(self):
        """Whether nothing is missing and no recorded difference is idle."""
        return not (self.unchecked or self.undocumented or self.idle)

    def lines(self):
        """Return the report as lines of text."""
        return (
            _section("documented statements without a check", self.unchecked)
            + _section("checks without a documented statement", self.undocumented)
            + _section("recorded changes that are none", self.idle)
        )


def _decided(moved, id, checked):
    return id in moved and all(target in checked for target in moved[id].into)


def _section(title, ids):
    return [f"{title}: {len(ids) or 'none'}"] + ["  " + id for id in ids]
