"""Which clauses execute which lines of tpuref."""

import sys
import threading

from . import forks


class Lines:
    """Notes the lines of some files that are executed while it is entered.

    Attributes
    ----------
    seen : set of (str, int)
        File and line.
    """

    def __init__(self, paths):
        self._paths = frozenset(paths)
        self.seen = set()

    def __enter__(self):
        threading.settrace(self._call)
        sys.settrace(self._call)
        return self

    def __exit__(self, *error):
        sys.settrace(None)
        threading.settrace(None)

    def _call(self, frame, event, argument):
        return self._line if frame.f_code.co_filename in self._paths else None

    def _line(self, frame, event, argument):
        self.seen.add((frame.f_code.co_filename, frame.f_lineno))
        return self._line


class Covering:
    """The clauses that may notice a change.

    Parameters
    ----------
    paths : list of str
        The files that are changed.
    clauses : list of Clause
    imports, run : callable
        ``imports()`` imports the files; ``run(clause)`` runs a clause. Both are
        called in forks.
    """

    def __init__(self, paths, clauses, imports, run):
        self._clauses = clauses

        def record():
            with Lines(paths) as lines:
                imports()
            return lines.seen, _lines_of_each(paths, clauses, run)

        (recorded,) = forks.all_of([record])
        if recorded is None:
            raise RuntimeError("the lines of the clauses could not be recorded")
        self._at_import, self._of_each = recorded

    def of(self, mutant):
        """Return those that execute its line, then those that enter its function.

        Every clause may notice what changes while the module is imported; those that
        enter the module come first.
        """
        place = (mutant.path, mutant.line)
        if place in self._at_import:
            inside = self._that(
                lambda lines: mutant.path in {path for path, _ in lines}
            )
            return inside + [one for one in self._clauses if one not in inside]
        body = {(mutant.path, line) for line in mutant.function}
        exact = self._that(lambda lines: place in lines)
        near = self._that(lambda lines: body & lines)
        return exact + [clause for clause in near if clause not in exact]

    def _that(self, condition):
        pairs = zip(self._clauses, self._of_each, strict=True)
        return [clause for clause, lines in pairs if condition(lines)]


def _lines_of_each(paths, clauses, run):
    """Each clause in a fork: what it leaves in a cache would hide lines from others."""

    def lines_of(clause):
        forks.silence()
        with Lines(paths) as lines:
            run(clause)
        return lines.seen

    found = forks.all_of([lambda clause=clause: lines_of(clause) for clause in clauses])
    for clause, lines in zip(clauses, found, strict=True):
        if lines is None:
            raise RuntimeError(f"{clause.id} ended the process that it was run in")
    return found
