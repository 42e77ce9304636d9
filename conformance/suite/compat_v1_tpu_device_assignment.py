"""Checks of device assignments on meshes of four axes, as releases from 2.4 have them.

A word such as ``0000 0001`` is a replica on these two cores: x, y and z of the chip,
and core in it.
"""

from ..clause import expect_raises, same
from .meshes import built
from .page import Page

page = Page("tf.tpu.experimental.DeviceAssignment.build")


@page.clause("/behaviour/four-axes")
def four_axes(tf):
    same(built(tf, [2, 2, 1, 2]), ["0000"])
    same(built(tf, [2, 2, 1, 2], replicas=5), ["0000", "0001", "1000", "1001", "0100"])
    same(
        built(tf, [2, 2, 2, 1], replicas=8),
        ["0000", "1000", "0100", "1100", "0010", "1010", "0110", "1110"],
    )
    rows = ["0000", "1000", "2000", "0100", "1100", "2100", "0200", "1200", "2200"]
    same(built(tf, [4, 4, 1, 1], replicas=9), rows)
    same(
        built(tf, [2, 2, 1, 2], [1, 1, 1, 2], replicas=3),
        ["0000 0001", "1000 1001", "0100 0101"],
    )


@page.clause("/behaviour/ring-of-four-axes")
def ring_of_four_axes(tf):
    ring = ["0000 0001", "1000 1001", "1100 1101", "0100 0101"]
    same(built(tf, [2, 2, 1, 2], [1, 1, 1, 2], replicas=4), ring)
    same(built(tf, [2, 2, 1, 2], [2, 2, 1, 2]), [" ".join(ring)])
    same(
        built(tf, [3, 1, 1, 2], [1, 1, 1, 2], replicas=3),
        ["0000 0001", "1000 1001", "2000 2001"],
    )


@page.clause("/behaviour/several-layers")
def several_layers(tf):
    pairs = built(tf, [2, 2, 2, 2], [1, 1, 1, 2], replicas=8)
    chips = ["000", "001", "010", "011", "100", "101", "110", "111"]
    same(sorted(pairs), [f"{chip}0 {chip}1" for chip in chips])


@page.clause("/raises/numbers-for-four-axes")
def numbers_for_four_axes(tf):
    for wrong in ([1, 1, 2], [1] * 5, [1, 1, 1, 0]):
        expect_raises(ValueError, built, tf, [2, 2, 1, 2], wrong)
        expect_raises(ValueError, built, tf, [2, 2, 1, 2], None, wrong)
