"""Checks of tf.contrib.tpu.InfeedQueue: how a queue is set up, and frozen.

The page of tf.tpu names the queue and does not describe it; these statements are what
release 1.15.5 does.
"""

from ..clause import expect_raises, same
from .page import Page

page = Page("tf.contrib.tpu.InfeedQueue")


def two_elements(tf, **more):
    """Return a queue of float32 of shape [4, 3] and int32 of shape [8]."""
    return tf.contrib.tpu.InfeedQueue(
        tuple_types=[tf.float32, tf.int32], tuple_shapes=[[4, 3], [8]], **more
    )


def sizes(shape):
    """Return the list of a shape's dimensions, None where the rank is unknown."""
    return None if shape.ndims is None else shape.as_list()


def facts(queue):
    """Return the whole configuration: names of types, sizes, dimensions, shards."""
    types, shapes = queue.tuple_types, queue.tuple_shapes
    return {
        "elements": queue.number_of_tuple_elements,
        "types": None if types is None else [one.name for one in types],
        "shapes": None if shapes is None else [sizes(one) for one in shapes],
        "dimensions": [getattr(d, "value", d) for d in queue.shard_dimensions],
        "shards": queue.number_of_shards,
    }


def configured(elements, types=None, shapes=None, dimensions=None, shards=None):
    """Return what `facts` gives; a dimension that is not set is None."""
    return {
        "elements": elements,
        "types": types,
        "shapes": shapes,
        "dimensions": dimensions or [None] * elements,
        "shards": shards,
    }


@page.clause("/args:number_of_tuple_elements/number")
def number_of_elements(tf):
    queue = tf.contrib.tpu.InfeedQueue
    same(facts(queue(3)), configured(3))
    same(facts(queue(number_of_tuple_elements=1)), configured(1))
    same(
        facts(queue(tuple_types=[tf.float32, tf.int32])),
        configured(2, types=["float32", "int32"]),
    )
    same(facts(queue(tuple_shapes=[[2, 3]])), configured(1, shapes=[[2, 3]]))
    same(facts(queue(shard_dimensions=[0, 1])), configured(2, dimensions=[0, 1]))
    for unfit in (0, -1, -2):
        expect_raises(ValueError, queue, number_of_tuple_elements=unfit)
    for unfit in (1.5, "2"):
        expect_raises(TypeError, queue, number_of_tuple_elements=unfit)
    expect_raises(ValueError, queue)
    expect_raises(ValueError, queue, tuple_types=[])


@page.clause("/args:number_of_tuple_elements/lengths-agree")
def lengths_agree(tf):
    queue = tf.contrib.tpu.InfeedQueue
    expect_raises(ValueError, queue, 2, tuple_types=[tf.float32])
    expect_raises(ValueError, queue, 1, tuple_types=[tf.float32, tf.int32])
    expect_raises(ValueError, queue, tuple_types=[tf.float32], tuple_shapes=[[4], [4]])
    expect_raises(ValueError, queue, tuple_types=[tf.float32], shard_dimensions=[0, 0])
    pair = two_elements(tf)
    expect_raises(ValueError, pair.set_tuple_types, [tf.float32])
    expect_raises(ValueError, pair.set_tuple_shapes, [[1]])
    expect_raises(ValueError, pair.set_shard_dimensions, [0])
    expect_raises(
        ValueError, pair.set_configuration_from_input_tensors, [tf.zeros([4, 2])]
    )
    expect_raises(
        ValueError,
        pair.set_configuration_from_sharded_input_tensors,
        [[tf.zeros([2])], [tf.zeros([2])]],
    )


@page.clause("/args:tuple_types/types")
def tuple_types(tf):
    queue = tf.contrib.tpu.InfeedQueue
    names = ["float32", "bfloat16", "int64"]
    mixed = queue(tuple_types=("float32", tf.bfloat16, "int64"))
    same(facts(mixed), configured(3, types=names))
    for unfit in (["foo"], [None], [[4]]):
        expect_raises(TypeError, queue, tuple_types=unfit)


@page.clause("/args:tuple_shapes/shapes")
def tuple_shapes(tf):
    queue = tf.contrib.tpu.InfeedQueue
    infeed = queue(tuple_shapes=([2, 3], [], 4, [None, 3], None, tf.TensorShape([5])))
    same(facts(infeed), configured(6, shapes=[[2, 3], [], [4], [None, 3], None, [5]]))
    for unfit in (["x"], [5.5], [[1.5, 2]], [[-2]]):
        expect_raises(TypeError, queue, tuple_shapes=unfit)


@page.clause("/args:shard_dimensions/dimensions")
def shard_dimensions(tf):
    queue = tf.contrib.tpu.InfeedQueue
    infeed = queue(shard_dimensions=[0, None, 2])
    same(facts(infeed), configured(3, dimensions=[0, None, 2]))
    for unfit in ([-1], [0, -2], ["x"]):
        expect_raises(ValueError, queue, shard_dimensions=unfit)


@page.clause(".set_tuple_types/behaviour/replaces")
def types_and_shapes_replaced(tf):
    queue = two_elements(tf)
    queue.set_tuple_types([tf.int64, "bfloat16"])
    queue.set_tuple_shapes([[2], [None]])
    expected = configured(2, types=["int64", "bfloat16"], shapes=[[2], [None]])
    same(facts(queue), expected)
    expect_raises(TypeError, queue.set_tuple_types, ["foo", tf.float32])
    expect_raises(TypeError, queue.set_tuple_shapes, ["x", [1]])
    same(facts(queue), expected)


@page.clause(".set_number_of_shards/behaviour/positive")
def number_of_shards(tf):
    queue = two_elements(tf)
    for shards in (1, 2, 3):
        queue.set_number_of_shards(shards)
        same(queue.number_of_shards, shards)
    for unfit in (0, -1):
        expect_raises(ValueError, queue.set_number_of_shards, unfit)
    for unfit in ("2", None):
        expect_raises(TypeError, queue.set_number_of_shards, unfit)
    same(queue.number_of_shards, 3)


@page.clause(".set_shard_dimensions/raises/shape-does-not-divide")
def shapes_that_cannot_be_split(tf):
    def split(shape, dimension, shards):
        queue = tf.contrib.tpu.InfeedQueue(
            tuple_types=[tf.float32], tuple_shapes=[shape], shard_dimensions=[dimension]
        )
        queue.set_number_of_shards(shards)
        queue.freeze()

    for shape, dimension in (
        ([5, 3], 0),
        ([4, 3], 1),
        ([4, 3], 2),
        ([4, 3], 5),
        ([None, 3], 0),
        ([], 0),
        (None, 0),
    ):
        expect_raises(ValueError, split, shape, dimension, 2)
    split([4, 3], 0, 2)
    split([4, 3], 1, 3)
    split([None, 4], 1, 2)
    split([2], 0, 2)
    expect_raises(ValueError, split, [2], 0, 4)
    # A single shard is the whole, so nothing has to divide.
    split([5], 0, 1)
    split([None, 3], 0, 1)
    split([], 0, 1)


@page.clause(".freeze/behaviour/fills-in-the-sharding")
def freeze_fills_in(tf):
    queue = two_elements(tf)
    queue.freeze()
    expected = configured(
        2, types=["float32", "int32"], shapes=[[4, 3], [8]], dimensions=[0, 0], shards=1
    )
    same(facts(queue), expected)
    queue.freeze()
    same(facts(queue), expected)
    columns = two_elements(tf, shard_dimensions=[1, 0])
    columns.freeze()
    same(facts(columns)["dimensions"], [1, 0])


@page.clause(".freeze/raises/types-or-shapes-missing")
def freeze_needs_types_and_shapes(tf):
    for settings in (
        {"number_of_tuple_elements": 1},
        {"tuple_shapes": [[4]]},
        {"tuple_types": [tf.float32]},
        {"tuple_types": [tf.float32], "tuple_shapes": [None]},
        {"tuple_types": [tf.float32] * 2, "tuple_shapes": [[4], None]},
    ):
        expect_raises(ValueError, tf.contrib.tpu.InfeedQueue(**settings).freeze)


@page.clause(".freeze/behaviour/same-settings-again")
def frozen(tf):
    queue = two_elements(tf)
    queue.set_number_of_shards(2)
    queue.freeze()
    before = facts(queue)
    queue.set_tuple_types([tf.float32, tf.int32])
    queue.set_tuple_shapes([[4, 3], [8]])
    queue.set_number_of_shards(2)
    queue.set_shard_dimensions([0, 0])
    expect_raises(ValueError, queue.set_tuple_types, [tf.float32, tf.int64])
    expect_raises(ValueError, queue.set_tuple_types, [tf.float32, tf.float32])
    expect_raises(ValueError, queue.set_tuple_shapes, [[4, 3], [9]])
    expect_raises(ValueError, queue.set_tuple_shapes, [[4, 3], [6]])
    for shards in (1, 4):
        expect_raises(ValueError, queue.set_number_of_shards, shards)
    for dimensions in ([1, 0], [0, 1]):
        expect_raises(ValueError, queue.set_shard_dimensions, dimensions)
    same(facts(queue), before)
    columns = two_elements(tf, shard_dimensions=[1, 0])
    columns.freeze()
    for dimensions in ([0, 0], [0, 1], [2, 0]):
        expect_raises(ValueError, columns.set_shard_dimensions, dimensions)


@page.clause(".set_configuration_from_input_tensors/behaviour/types-and-shapes")
def configured_from_tensors(tf):
    queue = tf.contrib.tpu.InfeedQueue(number_of_tuple_elements=2)
    queue.set_configuration_from_input_tensors([tf.zeros([4, 2]), tf.range(8)])
    same(facts(queue), configured(2, types=["float32", "int32"], shapes=[[4, 2], [8]]))


@page.clause(".set_configuration_from_sharded_input_tensors/behaviour/joins-shards")
def configured_from_shards(tf):
    queue = tf.contrib.tpu.InfeedQueue(number_of_tuple_elements=2)
    shard = [tf.zeros([2, 2]), tf.range(4)]
    queue.set_configuration_from_sharded_input_tensors([shard, shard])
    expected = configured(
        2, types=["float32", "int32"], shapes=[[4, 2], [8]], dimensions=[0, 0], shards=2
    )
    same(facts(queue), expected)
    columns = tf.contrib.tpu.InfeedQueue(shard_dimensions=[1])
    columns.set_configuration_from_sharded_input_tensors([[tf.zeros([4, 3])]] * 3)
    same(facts(columns)["shapes"], [[4, 9]])
    partly = tf.contrib.tpu.InfeedQueue(number_of_tuple_elements=1)
    partly.set_configuration_from_sharded_input_tensors(
        [[tf.placeholder(tf.float32, [2, None])], [tf.zeros([2, 3])]]
    )
    same(facts(partly)["shapes"], [[4, None]])
    single = tf.contrib.tpu.InfeedQueue(number_of_tuple_elements=1)
    single.set_configuration_from_sharded_input_tensors([[tf.constant(1.0)]])
    same(facts(single), configured(1, ["float32"], [[]], [0], 1))


@page.clause(".set_configuration_from_sharded_input_tensors/behaviour/replaces")
def shards_replace(tf):
    shards = [[tf.zeros([3])], [tf.zeros([3])]]
    queue = tf.contrib.tpu.InfeedQueue(tuple_shapes=[[5]], shard_dimensions=[0])
    queue.set_configuration_from_sharded_input_tensors(shards)
    same(facts(queue), configured(1, ["float32"], [[6]], [0], 2))
    queue.set_configuration_from_sharded_input_tensors(shards[:1])
    same(facts(queue), configured(1, ["float32"], [[3]], [0], 1))
    queue.freeze()
    queue.set_configuration_from_sharded_input_tensors(shards[:1])
    again = queue.set_configuration_from_sharded_input_tensors
    expect_raises(ValueError, again, shards)
    expect_raises(ValueError, again, [[tf.zeros([4])]])
    expect_raises(ValueError, again, [[tf.range(3)]])


@page.clause(".set_configuration_from_sharded_input_tensors/raises/no-equal-parts")
def shards_that_differ(tf):
    def shards(first, second):
        queue = tf.contrib.tpu.InfeedQueue(number_of_tuple_elements=1)
        queue.set_configuration_from_sharded_input_tensors([[first], [second]])

    def placeholder(shape):
        return tf.placeholder(tf.float32, shape)

    expect_raises(ValueError, shards, tf.zeros([2, 2]), tf.zeros([3, 2]))
    expect_raises(ValueError, shards, tf.zeros([2, 2]), tf.zeros([2, 3]))
    expect_raises(ValueError, shards, tf.zeros([]), tf.zeros([]))
    expect_raises(ValueError, shards, placeholder(None), placeholder(None))
    expect_raises(TypeError, shards, placeholder([None, 3]), placeholder([None, 3]))
    expect_raises(TypeError, shards, tf.zeros([2]), tf.range(2))
    expect_raises(TypeError, shards, tf.range(2), tf.zeros([2]))
    empty = tf.contrib.tpu.InfeedQueue(number_of_tuple_elements=1)
    expect_raises(ValueError, empty.set_configuration_from_sharded_input_tensors, [])
