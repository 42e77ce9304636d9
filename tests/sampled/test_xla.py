"""Programs drawn at random: XLA gives what lockstep gives."""

import os

import pytest

import tpuref as tf

from .compiled import difference, refused
from .program import smallest
from .sampler import draw

jax = pytest.importorskip("jax", reason="JAX is not installed")
MOST_DEVICES = 8
jax.config.update("jax_num_cpu_devices", MOST_DEVICES)  # before JAX starts

SAMPLES = int(os.environ.get("TPUREF_SAMPLES", "300"))
REFUSED = ("TPUREF-E274", "TPUREF-E275", "TPUREF-E278")
"""Sizes that data decide, replicas that differ in shape, several logical cores."""

DRAWN = sorted(map(draw, range(SAMPLES)), key=lambda drawn: (drawn.cores, drawn.seed))


def runs(sample):
    """Whether a program has one logical core, and inputs of one shape."""
    body = "\n".join(line for s in sample.statements for line in s.source())
    return "tf.tpu.core(" not in body and "maximum_shapes" not in sample.source()


RUN = list(filter(runs, DRAWN))
PER_DEVICE = 8
"""One in so many programs also runs on several devices."""


@pytest.mark.parametrize(
    ("sample", "devices"),
    [
        *((sample, 1) for sample in RUN),
        *((sample, MOST_DEVICES) for sample in RUN[::PER_DEVICE]),
    ],
    ids=lambda value: getattr(value, "label", value),
)
def test_xla_gives_what_lockstep_gives(sample, devices):
    try:
        found = difference(sample, devices)
    except tf.errors.UnimplementedError as error:
        if "TPUREF-E274" not in str(error):  # a host function of unknown size
            raise
        return
    if found is None:
        return
    smaller = smallest(sample, lambda one: difference(one, devices) is not None)
    pytest.fail(
        f"seed {sample.seed}, {devices} devices: {found}\n"
        "The smallest program that differs:\n\n"
        f"{smaller.script()}"
    )


def test_what_xla_refuses_is_told_by_the_source():
    others = [sample for sample in map(draw, range(80)) if not runs(sample)]
    assert {refused(sample) for sample in others} <= {*REFUSED, None}
    assert any(refused(sample) == "TPUREF-E278" for sample in others)


def test_most_programs_run():
    assert sum(map(runs, DRAWN)) > len(DRAWN) // 2
