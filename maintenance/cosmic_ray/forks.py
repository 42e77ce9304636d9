"""Jobs in forks of this process, as many at a time as there are processors."""

import os
import pickle
import selectors
import signal
import time
import traceback

#: Seconds that a job may take, unless it is given another time.
PATIENCE = 1800


class _Fork:
    """A job in a process of its own, and what it has answered so far."""

    def __init__(self, number, job, patience):
        self.number = number
        self.pipe, self.child = _start(job)
        self.answer = bytearray()
        self.deadline = time.monotonic() + patience

    def read(self):
        """Take in what there is; return whether more may come."""
        data = os.read(self.pipe, 1 << 16)
        self.answer.extend(data)
        return bool(data)

    def result(self):
        """Return the answer of a job that has ended, None if it gave none."""
        os.waitpid(self.child, 0)
        return pickle.loads(bytes(self.answer)) if self.answer else None

    def kill(self):
        """End the job, whatever it does."""
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)


def all_of(jobs, patience=PATIENCE):
    """Return the results of the jobs, in their order.

    Parameters
    ----------
    jobs : list of callable
        What a job returns is pickled. None stands for a job that ended otherwise.
    patience : float, optional
        Seconds that each of them may take.
    """
    results = [None] * len(jobs)
    for number, result in as_completed(jobs, patience):
        results[number] = result
    return results


def as_completed(jobs, patience=PATIENCE):
    """Yield the number and the result of each job when it is done."""
    width = len(os.sched_getaffinity(0))
    waiting = list(enumerate(jobs))[::-1]
    running = selectors.DefaultSelector()
    try:
        while waiting or running.get_map():
            while waiting and len(running.get_map()) < width:
                fork = _Fork(*waiting.pop(), patience)
                running.register(fork.pipe, selectors.EVENT_READ, fork)
            for key, _ in running.select(timeout=1):
                if not key.data.read():
                    _forget(running, key.data)
                    yield key.data.number, key.data.result()
            for fork in _forks(running):
                if time.monotonic() > fork.deadline:
                    _forget(running, fork)
                    fork.kill()
                    yield fork.number, None
    finally:
        for fork in _forks(running):
            _forget(running, fork)
            fork.kill()


def _forks(running):
    return [key.data for key in running.get_map().values()]


def _forget(running, fork):
    running.unregister(fork.pipe)
    os.close(fork.pipe)


def silence():
    """Send what this process prints from now on nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)


def _start(job):
    receiving, sending = os.pipe()
    child = os.fork()
    if child:
        os.close(sending)
        return receiving, child
    try:
        os.close(receiving)
        answer = pickle.dumps(job())
        with os.fdopen(sending, "wb") as pipe:
            pipe.write(answer)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)
