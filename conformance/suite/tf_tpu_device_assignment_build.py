"""Checks of DeviceAssignment.build: where it places replicas on a mesh.

The places are those that release 1.15 chooses. A word such as ``000 001`` is a replica
on the cores (0, 0, 0) and (0, 0, 1): column and row of the chip, and core in it.
"""

from ..clause import expect_raises, same
from .meshes import built, mesh, placed
from .page import Page

page = Page("tf.tpu.experimental.DeviceAssignment.build")


@page.clause("/behaviour/one-core-each")
def one_core_each(tf):
    same(built(tf, [2, 2, 2]), ["000"])
    five = ["000", "001", "010", "011", "100"]
    same(built(tf, [2, 2, 2], replicas=5), five)
    same(built(tf, [2, 2, 2], replicas=8), five + ["101", "110", "111"])
    same(
        built(tf, [4, 4, 2], replicas=9),
        ["000", "001", "010", "011", "020", "021", "100", "101", "110"],
    )
    same(built(tf, [2, 8, 1], replicas=5), ["000", "010", "020", "100", "110"])
    same(built(tf, [8, 1, 1], replicas=5), ["000", "100", "200", "300", "400"])
    same(built(tf, [2, 4, 1], replicas=2), ["000", "100"])
    same(built(tf, [4, 4, 1], replicas=4), ["000", "010", "100", "110"])
    same(built(tf, [2, 2, 2], replicas=0), [])


@page.clause("/behaviour/ring")
def ring(tf):
    pair = [1, 1, 2]
    same(
        built(tf, [2, 2, 2], pair, replicas=4),
        ["000 001", "010 011", "110 111", "100 101"],
    )
    same(built(tf, [2, 2, 2], pair, replicas=3), ["000 001", "010 011", "100 101"])
    away = ["000 001", "010 011", "020 021", "030 031"]
    snake = ["130 131", "120 121", "110 111", "210 211", "220 221", "230 231"]
    home = ["330 331", "320 321", "310 311", "300 301", "200 201", "100 101"]
    same(built(tf, [4, 4, 2], pair, replicas=16), away + snake + home)
    same(
        built(tf, [4, 4, 2], pair, replicas=5),
        ["000 001", "010 011", "020 021", "100 101", "110 111"],
    )


@page.clause("/behaviour/ring-of-odd-meshes")
def ring_of_odd_meshes(tf):
    pair = [1, 1, 2]
    same(built(tf, [1, 3, 2], pair, replicas=3), ["000 001", "010 011", "020 021"])
    row = ["000 001", "100 101", "200 201", "300 301"]
    same(built(tf, [4, 1, 2], pair, replicas=4), row)
    same(built(tf, [3, 1, 2], pair, replicas=3), row[:3])
    rows = ["000 001", "100 101", "200 201", "010 011", "110 111", "210 211"]
    same(built(tf, [3, 2, 2], pair, replicas=6), rows)
    columns = ["000 001", "010 011", "020 021", "120 121", "110 111", "100 101"]
    same(built(tf, [2, 3, 2], pair, replicas=6), columns)


@page.clause("/args:computation_shape/blocks")
def blocks(tf):
    same(
        built(tf, [2, 2, 2], [2, 2, 1], replicas=2),
        ["000 010 100 110", "001 011 101 111"],
    )
    same(
        built(tf, [2, 4, 1], [1, 2, 1], replicas=4),
        ["000 010", "020 030", "100 110", "120 130"],
    )
    # What is left of a mesh that the blocks do not fill stays free.
    same(
        built(tf, [5, 2, 1], [2, 1, 1], replicas=4),
        ["000 100", "010 110", "200 300", "210 310"],
    )


@page.clause("/args:computation_shape/ring-within")
def ring_within(tf):
    same(built(tf, [2, 2, 2], [2, 2, 2]), ["000 001 010 011 110 111 100 101"])
    four = built(tf, [4, 4, 2], [2, 2, 2], replicas=4)
    same([words.split()[0] for words in four], ["000", "020", "220", "200"])
    same(four[1], "020 021 030 031 130 131 120 121")
    three = built(tf, [4, 4, 2], [2, 2, 2], replicas=3)
    same([words.split()[0] for words in three], ["000", "020", "200"])
    same(three[1], "020 021 030 031 120 121 130 131")


@page.clause("/args:computation_stride/gaps")
def gaps(tf):
    same(
        built(tf, [2, 2, 2], [2, 1, 1], [1, 1, 2], 4),
        ["000 100", "001 101", "010 110", "011 111"],
    )
    same(
        built(tf, [2, 2, 2], [1, 1, 2], [2, 1, 1], 4),
        ["000 001", "010 011", "100 101", "110 111"],
    )
    same(
        built(tf, [6, 2, 1], [2, 1, 1], [3, 1, 1], 6),
        ["000 300", "010 310", "100 400", "110 410", "200 500", "210 510"],
    )
    line = ["000", "100", "200", "300", "400", "500"]
    same(built(tf, [6, 1, 1], None, [3, 1, 1], 6), line)
    eight = built(tf, [4, 4, 2], [2, 2, 1], [2, 2, 1], 8)
    same(eight[:2], ["000 020 200 220", "001 021 201 221"])
    same(eight[4:6], ["100 120 300 320", "101 121 301 321"])
    same(eight[7], "111 131 311 331")
    # Cores left over at the end of a mesh are not a gap.
    same(built(tf, [5, 1, 1], [2, 1, 1], [2, 1, 1], 2), ["000 200", "100 300"])


@page.clause("/args:topology/serialized")
def serialized(tf):
    topology = mesh(tf, 2, 2, 1)
    build = tf.tpu.experimental.DeviceAssignment.build
    same(placed(build(topology.serialized(), num_replicas=2)), ["000", "010"])
    for wrong in ("mesh", None, [2, 2, 1]):
        expect_raises(ValueError, build, wrong)


@page.clause("/raises/shape-and-stride")
def shape_and_stride(tf):
    for wrong in ([1, 1], [1, 1, 1, 1], [[1, 1, 1]], [1, 0, 1], [1, 1, -1]):
        expect_raises(ValueError, built, tf, [2, 2, 2], wrong)
        expect_raises(ValueError, built, tf, [2, 2, 2], None, wrong)


@page.clause("/raises/no-room")
def no_room(tf):
    for sizes, shape, stride, replicas in (
        ([2, 2, 2], [3, 1, 1], None, 1),
        ([2, 2, 2], [1, 1, 2], [1, 1, 2], 1),
        ([2, 2, 2], None, None, 9),
        ([2, 2, 2], [1, 1, 2], None, 5),
        ([5, 2, 1], [2, 1, 1], None, 5),
        ([7, 1, 1], [2, 1, 1], [2, 1, 1], 3),
    ):
        expect_raises(ValueError, built, tf, sizes, shape, stride, replicas)
    same(len(built(tf, [7, 1, 1], [2, 1, 1], [2, 1, 1], 2)), 2)
