"""Stand-ins for time that passes, and for others that fail before they answer."""

import contextlib
import importlib

from .cloud_stand_ins import HttpError, Metadata, NodesAPI


class Clock:
    """A clock that moves only when somebody sleeps.

    Attributes
    ----------
    slept : list of float
        The seconds of each sleep.
    """

    def __init__(self):
        self.slept = []

    def now(self):
        return 0.25 + sum(self.slept)

    def sleep(self, seconds):
        self.slept.append(seconds)


def testing(tf):
    """Return what tpuref offers to tests."""
    return importlib.import_module(tf.__name__ + ".testing")


@contextlib.contextmanager
def unhurried(tf, **patience):
    """Yield the clock of the resolvers that are made meanwhile: nobody waits for it.

    ``patience`` says how long they wait by that clock: ``metadata`` and ``api`` in
    seconds, ``attempts`` for a master.
    """
    with testing(tf).patience(clock=Clock(), **patience) as held:
        yield held.clock


class Answers(NodesAPI):
    """An API object whose answers come one after the other; the last one stays.

    Parameters
    ----------
    answers : list
        An exception is raised.

    Attributes
    ----------
    asked : int
        How often it was asked.
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
    """A metadata server that answers in other words first.

    Parameters
    ----------
    troubles : list of str
        Status lines, such as ``"503 Busy"``.
    """

    def __init__(self, troubles, **answers):
        super().__init__(**answers)
        self._troubles = list(troubles)

    def answer(self, request):
        answered = super().answer(request)
        if not self._troubles:
            return answered
        rest = answered.partition(b"\r\n")[2]
        return b"HTTP/1.1 " + self._troubles.pop(0).encode() + b"\r\n" + rest
