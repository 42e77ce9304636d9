"""Stand-ins for time that passes, and for others that fail before they answer."""

import contextlib

from tpuref_conformance.suite.cloud_stand_ins import HttpError, Metadata, NodesAPI

from tpuref.testing import FakeClock, patience


@contextlib.contextmanager
def unhurried(**limits):
    """Yield the clock of the resolvers that are made meanwhile: nobody waits for it.

    `limits` says how long they wait by that clock: ``metadata`` and ``api`` in
    seconds, ``attempts`` for a master.
    """
    clock = FakeClock()
    with patience(clock=clock, **limits):
        yield clock


class Answers(NodesAPI):
    """An API object whose answers come one after the other; the last one stays.

    An exception among them is raised. ``asked`` counts the questions.
    """

    def __init__(self, *answers):
        self._answers = list(answers)
        self.asked = 0

    def get(self, name):
        return self

    def execute(self):
        self.asked += 1
        one = self._answers[0]
        if len(self._answers) > 1:
            del self._answers[0]
        if isinstance(one, Exception):
            raise one
        return one


def busy(status=503):
    """Return the error of a service that answers with that HTTP status."""
    return HttpError(status, "try again")


class TroubledMetadata(Metadata):
    """A metadata server that answers with status lines such as ``503 Busy`` first."""

    def __init__(self, troubles, **answers):
        super().__init__(**answers)
        self._troubles = list(troubles)

    def answer(self, request):
        answered = super().answer(request)
        if not self._troubles:
            return answered
        rest = answered.partition(b"\r\n")[2]
        return b"HTTP/1.1 " + self._troubles.pop(0).encode() + b"\r\n" + rest
