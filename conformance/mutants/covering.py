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
        called in forks: what one clause leaves in a cache would hide lines from the
        next.
    """

    def __init__(self, paths, clauses, imports, run):
        self._clauses = clauses
        self._paths = paths
        self._imports = imports
        self._run = run
        jobs = [lambda: self._lines_of_imports()]
        jobs += [lambda clause=clause: self._lines_of(clause) for clause in clauses]
        self._at_import, *self._of_each = [set(seen) for seen in forks.all_of(jobs)]

    def _lines_of_imports(self):
        with Lines(self._paths) as lines:
            self._imports()
        return lines.seen

    def _lines_of(self, clause):
        self._imports()
        with Lines(self._paths) as lines:
            self._run(clause)
        return lines.seen

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
