"""Runs clauses against subjects, each subject in a process of its own."""

import concurrent.futures
import contextlib
import os
import time

from .connection import Broken, CannotStart, Connection, Crashed, TimedOut
from .outcome import CRASH, ERROR, TIMEOUT, Result

#: Seconds for one clause, and for the import of a subject.
CLAUSE_TIME = 60.0
START_TIME = 120.0
#: A subject whose process was lost this often in a row is given up.
PATIENCE = 10


class Run:
    """The results of one subject: one for each clause that it is judged by, in order.

    ``header`` is what the subject says about itself, or empty with the ``reason`` why
    it could not be run.
    """

    def __init__(self, subject, clauses):
        self.subject = subject
        self.clauses = clauses
        self.header = {}
        self.results = []
        self.reason = ""
        self.seconds = 0.0


def judging(subject, clauses):
    """Return those of the clauses that ``subject`` is judged by."""
    return [one for one in clauses if one.source in subject.sources]


class Line:
    """The line to a subject, whose process is started again after it was lost.

    ``clause_time`` is the time for one clause, in seconds; ``header`` is empty before
    the first question.
    """

    def __init__(self, subject, known, clause_time=CLAUSE_TIME):
        self.header = {}
        self._subject = subject
        self._known = known
        self._clause_time = clause_time
        self._connection = None
        self._losses = 0

    def ask(self, clause):
        """Return the result of ``clause``, with the recorded verdict if there is one.

        Raise CannotStart if the subject does not start, or was lost ten times in a row.
        """
        if self._losses == PATIENCE:
            raise CannotStart(f"it was lost {PATIENCE} times in a row")
        if self._connection is None:
            self._connection = Connection(self._subject, START_TIME)
            self.header = self._connection.header
        return self._known.judge(self._subject, self._answer(clause))

    def _answer(self, clause):
        start = time.perf_counter()
        connection = self._connection
        try:
            result = connection.run(clause, self._clause_time)
        except (Crashed, TimedOut) as loss:
            self._connection = None
            self._losses += 1
            outcome = CRASH if isinstance(loss, Crashed) else TIMEOUT
            seconds = time.perf_counter() - start
            detail = connection.take_printed()
            return Result(clause.id, outcome, str(loss), (), seconds, detail)
        self._losses = 0
        return result

    def close(self):
        """Let the process end by itself."""
        if self._connection is not None:
            # Every result has arrived; the footer only counts them.
            with contextlib.suppress(Broken):
                self._connection.close()
            self._connection = None

    def kill(self):
        """End the process at once if it has not ended."""
        if self._connection is not None:
            self._connection.kill()
            self._connection = None


class Runner:
    """Runs the clauses.

    ``progress`` is called with the subject and each result; ``clause_time`` is the time
    for one clause, in seconds.
    """

    def __init__(self, clauses, known, progress=None, clause_time=CLAUSE_TIME):
        self._clauses = clauses
        self._known = known
        self._progress = progress
        self._clause_time = clause_time
        self._stop = False

    def run(self, subjects):
        """Run all ``subjects``, as many at a time as there are processors."""
        width = min(len(subjects), _processors())
        with concurrent.futures.ThreadPoolExecutor(width) as threads:
            try:
                return list(threads.map(self.run_subject, subjects))
            except KeyboardInterrupt:
                self._stop = True  # or the threads would go on to the end
                raise

    def run_subject(self, subject):
        """Run the clauses that judge ``subject`` and return the Run."""
        run = Run(subject, judging(subject, self._clauses))
        start = time.perf_counter()
        try:
            self._start_and_run(subject, run)
        except CannotStart as reason:
            run.reason = str(reason)
            said = f"the subject cannot be run: {reason}"
            for clause in run.clauses[len(run.results) :]:
                run.results.append(Result(clause.id, ERROR, said))
        run.seconds = time.perf_counter() - start
        return run

    def _start_and_run(self, subject, run):
        line = Line(subject, self._known, self._clause_time)
        try:
            for clause in run.clauses:
                if self._stop:
                    return
                result = line.ask(clause)
                run.header = line.header
                self._add(run, result)
            line.close()
        finally:
            line.kill()

    def _add(self, run, result):
        run.results.append(result)
        if self._progress is not None:
            self._progress(run.subject, result)


def _processors():
    if hasattr(os, "sched_getaffinity"):  # Linux
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
