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

        ((self._at_import, self._of_each),) = forks.all_of([record])

    def of(self, mutant):
        """Return those that execute its line, then those that enter its function.

        Every clause may notice what changes while the module is imported.
        """
        place = (mutant.path, mutant.line)
        if place in self._at_import:
            return self._clauses
        body = {(mutant.path, line) for line in mutant.function}
        pairs = list(zip(self._clauses, self._of_each))
        exact = [clause for clause, lines in pairs if place in lines]
        near = [clause for clause, lines in pairs if body & lines]
        return exact + [clause for clause in near if clause not in exact]


def _lines_of_each(paths, clauses, run):
    """Each clause in a fork: what it leaves in a cache would hide lines from others."""

    def lines_of(clause):
        with Lines(paths) as lines:
            run(clause)
        return lines.seen

    return forks.all_of([lambda clause=clause: lines_of(clause) for clause in clauses])
