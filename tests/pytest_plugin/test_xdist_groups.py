"""How tests on several systems are shared out among processes."""

from types import SimpleNamespace

import pytest

pytest.importorskip("xdist")

from tpuref.tools.testing.xdist_groups import LoadOfSystems, system_of


class Process:
    """Stands for a process of xdist, which runs what it is sent."""

    def __init__(self, name):
        self.gateway = SimpleNamespace(id=name)
        self.ran = []
        self.waiting = []
        self.shutting_down = False

    def send_runtest_some(self, tests):
        assert not self.shutting_down
        self.waiting += tests

    def shutdown(self):
        self.shutting_down = True

    def run_one(self):
        # It starts a test when it knows the next one, or that there is none.
        if len(self.waiting) > 1 or (self.waiting and self.shutting_down):
            self.ran.append(self.waiting.pop(0))
            return self.ran[-1]
        return None


class Run:
    """A test run: every process runs a test in each round."""

    def __init__(self, tests, processes=2):
        config = SimpleNamespace(
            getvalue=lambda name: [f"{processes}*popen"], getoption=lambda name: None
        )
        self.tests = tests
        self.scheduling = LoadOfSystems(config, None)
        self.processes = [Process(f"gw{k}") for k in range(processes)]
        for process in self.processes:
            self.add(process)
        self.scheduling.schedule()

    def add(self, process):
        self.scheduling.add_node(process)
        self.scheduling.add_node_collection(process, self.tests)

    def round(self, seconds):
        """Let every process run a test, and return whether one did."""
        done = [(process, process.run_one()) for process in self.processes]
        for process, test in done:
            if test is not None:
                self.scheduling.mark_test_complete(process, test, seconds)
        if self.scheduling.tests_finished:
            for process in self.processes:
                process.shutdown()
        return any(process.waiting for process in self.processes)

    def finish(self, seconds):
        """Return the systems of the tests that each process ran."""
        while self.round(seconds):
            pass
        ran = [test for process in self.processes for test in process.ran]
        assert sorted(ran) == list(range(len(self.tests)))
        return [
            [str(system_of(self.tests[test])) for test in process.ran]
            for process in self.processes
        ]


def on(cores, count):
    return [f"test_x.py::test_sum[cores={cores}-{k}]" for k in range(count)]


def starts(systems):
    """Return the systems that a process starts, in order."""
    return [
        system for k, system in enumerate(systems) if k == 0 or system != systems[k - 1]
    ]


@pytest.mark.parametrize("processes", [2, 3])
def test_each_system_starts_once(processes):
    tests = on(1, 9) + on(2, 14) + on(4, 9) + on(8, 31)
    ran = Run(tests, processes).finish(seconds=0.01)
    started = [system for process in ran for system in starts(process)]
    assert sorted(started) == ["cores=1", "cores=2", "cores=4", "cores=8"]


def test_a_process_helps_with_long_tests():
    first, second = Run(on(8, 12), 2).finish(seconds=1.0)
    assert min(len(first), len(second)) >= 4
    assert min(map(len, Run([*on(2, 4), *on(8, 20)]).finish(seconds=1.0))) >= 8


def test_tests_without_a_system_are_shared_as_always():
    first, second = Run([f"test_x.py::test_{k}" for k in range(20)]).finish(0.01)
    assert abs(len(first) - len(second)) <= 2


def test_a_process_that_dies_is_replaced():
    run = Run(on(1, 3) + on(2, 12), 2)
    while not run.processes[0].shutting_down:  # it has no more of its own
        assert run.round(0.01)
    dead = run.processes[1]
    crashed = run.scheduling.remove_node(dead)
    assert crashed == run.tests[dead.waiting.pop(0)]
    successor = Process("gw2")
    successor.ran = [*dead.ran, run.tests.index(crashed)]
    run.processes[1] = successor
    run.add(successor)
    run.scheduling.schedule()
    run.finish(0.01)
