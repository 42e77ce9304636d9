"""Replicas on the devices of several processes, which run the same script."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tpuref as tf
from tpuref.tools.cli.launch import _free_port

from . import joint_programs as programs
from .conftest import ONE_DEVICE, require_near

pytest.importorskip("jax", reason="JAX is not installed")
pytestmark = ONE_DEVICE

PROCESSES = 2
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """Return what each process was given by a program; all programs run once."""
    folder = tmp_path_factory.mktemp("joint")
    coordinator = f"127.0.0.1:{_free_port()}"
    command = [sys.executable, "-m", programs.__name__, coordinator, str(PROCESSES)]
    started = [
        subprocess.Popen(
            [*command, str(process), str(folder)],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for process in range(PROCESSES)
    ]
    try:
        said = [process.communicate(timeout=300)[1] for process in started]
    finally:
        for process in started:
            process.kill()
    assert [process.returncode for process in started] == [0, 0], "\n".join(said)

    def read(name, process):
        with np.load(folder / f"{name}-{process}.npz") as file:
            return [file[key] for key in file]

    return read


@pytest.mark.parametrize("program", programs.AS_IN_LOCKSTEP)
def test_each_process_is_given_what_lockstep_gives(given, program):
    with tf.config.override(executor="lockstep"):
        expected = programs.evaluated(program, 0)
    for process in range(PROCESSES):
        require_near(expected, given(program.__name__, process))


def test_small_sums_and_random_numbers_have_the_bits_of_lockstep(given):
    for program, each in ((programs.sums, (1, 2)), (programs.branches_and_loops, (2,))):
        with tf.config.override(executor="lockstep"):
            expected = programs.evaluated(program, 0)
        got = given(program.__name__, 1)
        per_replica = len(expected) // 2 // programs.REPLICAS
        for k in range(len(expected)):
            if k % per_replica in each:
                assert expected[k].tobytes() == got[k].tobytes()


def test_each_process_feeds_and_serves_its_own_replicas(given):
    for process in range(PROCESSES):
        got = [float(value) for value in given("own_processes", process)]
        assert got == [0.0] * 8 + [1.0] * 8 + [0.0] * 8 + [1.0] * 8


def test_without_seeds_the_processes_agree(given):
    first, second = (given("without_seeds", process) for process in range(PROCESSES))
    assert len(first) == 2 * 2 * programs.REPLICAS + 1
    for a, b in zip(first, second, strict=True):
        assert a.tolist() == b.tolist()
    assert len({tuple(draw) for draw in first[1:-1:2]}) == 2 * programs.REPLICAS


def test_sampled_programs(given):
    for process in range(PROCESSES):
        said = [str(one) for one in given("sampled", process)]
        assert said == ["None"] * len(programs.SAMPLED)
