"""Jobs in forks of this process, as many at a time as there are processors."""

import os
import pickle
import selectors
import signal
import time
import traceback

#: Seconds that a job may take.
PATIENCE = 300


def all_of(jobs):
    """Return the results of the jobs, in their order.

    Parameters
    ----------
    jobs : list of callable
        What a job returns is pickled. None stands for a job that ended otherwise.
    """
    results = [None] * len(jobs)
    for number, result in as_completed(jobs):
        results[number] = result
    return results


def as_completed(jobs):
    """Yield the number and the result of each job when it is done."""
    width = len(os.sched_getaffinity(0))
    waiting = list(enumerate(jobs))[::-1]
    running = selectors.DefaultSelector()
    while waiting or running.get_map():
        while waiting and len(running.get_map()) < width:
            number, job = waiting.pop()
            pipe, child = _start(job)
            deadline = time.monotonic() + PATIENCE
            running.register(
                pipe, selectors.EVENT_READ, [number, child, bytearray(), deadline]
            )
        for key, _ in running.select(timeout=1):
            data = os.read(key.fd, 1 << 16)
            key.data[2].extend(data)
            if not data:
                running.unregister(key.fd)
                os.close(key.fd)
                number, child, answer, _ = key.data
                os.waitpid(child, 0)
                yield number, pickle.loads(bytes(answer)) if answer else None
        for key in list(running.get_map().values()):
            if time.monotonic() > key.data[3]:
                os.kill(key.data[1], signal.SIGKILL)


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
