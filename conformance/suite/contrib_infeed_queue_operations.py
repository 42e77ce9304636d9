"""Checks of tf.contrib.tpu.InfeedQueue: the operations that it makes.

They are those of release 1.15.5.
"""

from ..clause import expect_raises, same
from ..probes import eager_mode, fixed_system
from .contrib_infeed_queue import configured, facts, page, two_elements
from .tpu_strategy_page import size


def placed(operations):
    """Return name, device and device ordinal of each operation."""
    return [(op.name, op.device, op.get_attr("device_ordinal")) for op in operations]


def fed_by(operations):
    """Return the names of the tensors that each operation takes."""
    return [[tensor.name for tensor in op.inputs] for op in operations]


def one_element(tf, shards=None, **settings):
    """Return a queue of one element, split into so many shards."""
    queue = tf.contrib.tpu.InfeedQueue(number_of_tuple_elements=1, **settings)
    if shards is not None:
        queue.set_number_of_shards(shards)
    return queue


@page.clause(".generate_dequeue_op/returns/shards")
def dequeue(tf):
    queue = two_elements(tf)
    queue.set_number_of_shards(2)
    first, second = queue.generate_dequeue_op()
    same(first.op.type, "InfeedDequeueTuple")
    same(first.op is second.op, True)
    same([first.name, second.name], ["InfeedQueue/dequeue:0", "InfeedQueue/dequeue:1"])
    same([first.dtype.name, second.dtype.name], ["float32", "int32"])
    same([first.shape.as_list(), second.shape.as_list()], [[2, 3], [4]])
    same(first.device, "/device:TPU_REPLICATED_CORE:0")
    # It froze the queue.
    same(facts(queue)["dimensions"], [0, 0])
    expect_raises(ValueError, queue.set_number_of_shards, 4)
    expect_raises(ValueError, tf.contrib.tpu.InfeedQueue(2).generate_dequeue_op)


@page.clause(".generate_dequeue_op/args:tpu_device/core")
def dequeue_core(tf):
    def device(**settings):
        (tensor,) = tf.contrib.tpu.InfeedQueue(
            tuple_types=["int32"], tuple_shapes=[[4]], name="fed"
        ).generate_dequeue_op(**settings)
        return tensor.device

    same(device(tpu_device=0), "/device:TPU_REPLICATED_CORE:0")
    same(device(tpu_device=1), "/device:TPU_REPLICATED_CORE:1")
    same(device(tpu_device=None), "")
    with tf.device("/device:TPU:3"):
        same(device(tpu_device=None), "/device:TPU:3")
        same(device(), "/device:TPU_REPLICATED_CORE:0")


@page.clause(".generate_dequeue_op/args:shard_dimensions/shape")
def dequeue_shapes(tf):
    def shard(shape, dimension, shards):
        queue = tf.contrib.tpu.InfeedQueue(
            tuple_types=[tf.float32], tuple_shapes=[shape], shard_dimensions=[dimension]
        )
        queue.set_number_of_shards(shards)
        (tensor,) = queue.generate_dequeue_op()
        return tensor.shape.as_list()

    same(shard([4, 3], 0, 2), [2, 3])
    same(shard([4, 3], 1, 3), [4, 1])
    same(shard([None, 6], 1, 2), [None, 3])
    same(shard([5], 0, 1), [5])
    same(shard([None, 3], 0, 1), [None, 3])


@page.clause(".generate_dequeue_op/raises/twice")
def operations_once(tf):
    queue = tf.contrib.tpu.InfeedQueue(tuple_types=[tf.float32], tuple_shapes=[[2]])
    queue.generate_dequeue_op()
    # Another queue of the same name has its own.
    other = tf.contrib.tpu.InfeedQueue(tuple_types=[tf.float32], tuple_shapes=[[2]])
    (tensor,) = other.generate_dequeue_op()
    same(tensor.name, "InfeedQueue/dequeue_1:0")
    other.generate_enqueue_ops([[tf.zeros([2])]])
    queue.generate_enqueue_ops([[tf.zeros([2])]])
    expect_raises(ValueError, queue.generate_dequeue_op)
    expect_raises(ValueError, queue.generate_enqueue_ops, [[tf.zeros([2])]])
    split = queue.split_inputs_and_generate_enqueue_ops
    expect_raises(ValueError, split, [tf.zeros([2])])
    expect_raises(ValueError, other.generate_dequeue_op)


@page.clause(".generate_enqueue_ops/returns/operation-for-each-shard")
def enqueue(tf):
    queue = one_element(tf, name="images")
    shards = [[tf.zeros([3], name="a")], [tf.ones([3], name="b")]]
    operations = queue.generate_enqueue_ops(shards)
    same([op.type for op in operations], ["InfeedEnqueueTuple"] * 2)
    same(
        placed(operations), [("images/enqueue/0", "", -1), ("images/enqueue/1", "", -1)]
    )
    same(fed_by(operations), [["a:0"], ["b:0"]])
    same(facts(queue), configured(1, ["float32"], [[6]], [0], 2))
    expect_raises(ValueError, queue.set_number_of_shards, 3)


@page.clause(".generate_enqueue_ops/behaviour/beside-its-tensors")
def enqueue_beside(tf):
    with tf.device("/device:CPU:0"):
        here = tf.zeros([2])
    with tf.device("/device:CPU:1"):
        there = tf.zeros([2])
    with tf.device("/device:CPU:5"):
        operations = one_element(tf).generate_enqueue_ops([[here], [there]])
    same([op.device for op in operations], ["/device:CPU:0", "/device:CPU:1"])
    pair = tf.contrib.tpu.InfeedQueue(number_of_tuple_elements=2)
    expect_raises(ValueError, pair.generate_enqueue_ops, [[here, there]])
    expect_raises(ValueError, pair.generate_enqueue_ops, [[there, here]])
    expect_raises(ValueError, pair.generate_enqueue_ops, [[here, here], [there, here]])
    anew = tf.contrib.tpu.InfeedQueue(number_of_tuple_elements=2)
    (operation,) = anew.generate_enqueue_ops(
        [[here, there]], placement_function=lambda shard: "/device:CPU:7"
    )
    same(operation.device, "/device:CPU:7")


@page.clause(".generate_enqueue_ops/args:tpu_ordinal_function/ordinal")
def enqueue_ordinals(tf):
    operations = one_element(tf).generate_enqueue_ops(
        [[tf.zeros([2])], [tf.zeros([2])]], tpu_ordinal_function=lambda shard: shard + 5
    )
    same([op.get_attr("device_ordinal") for op in operations], [5, 6])


@page.clause(".split_inputs_and_generate_enqueue_ops/behaviour/splits")
def split(tf):
    queue = tf.contrib.tpu.InfeedQueue(
        number_of_tuple_elements=2, shard_dimensions=[1, 0]
    )
    queue.set_number_of_shards(2)
    with tf.device("/device:CPU:3"):
        rows = tf.zeros([3, 4])
    operations = queue.split_inputs_and_generate_enqueue_ops([rows, tf.range(6)])
    same(
        fed_by(operations),
        [
            ["InfeedQueue/split/0:0", "InfeedQueue/split/1:0"],
            ["InfeedQueue/split/0:1", "InfeedQueue/split/1:1"],
        ],
    )
    for operation in operations:
        same([one.shape.as_list() for one in operation.inputs], [[3, 2], [3]])
        same([one.device for one in operation.inputs], ["/device:CPU:3", ""])
    same(facts(queue)["shapes"], [[3, 4], [6]])


@page.clause(".split_inputs_and_generate_enqueue_ops/behaviour/one-shard")
def split_one_shard(tf):
    for shards in (None, 1):
        queue = one_element(tf, shards)
        element = tf.zeros([4])
        operations = queue.split_inputs_and_generate_enqueue_ops([element])
        same(fed_by(operations), [[element.name]])
        same([op.device for op in operations], ["/task:0/device:CPU:0"])
        same(facts(queue), configured(1, ["float32"], [[4]], [0], 1))


@page.clause(".split_inputs_and_generate_enqueue_ops/behaviour/eight-cores-a-host")
def split_hosts(tf):
    queue = one_element(tf, shards=18)
    operations = queue.split_inputs_and_generate_enqueue_ops([tf.zeros([18])])
    same(
        [(device, ordinal) for _, device, ordinal in placed(operations)],
        [("/task:0/device:CPU:0", ordinal) for ordinal in range(8)]
        + [("/task:1/device:CPU:0", ordinal) for ordinal in range(8)]
        + [("/task:2/device:CPU:0", ordinal) for ordinal in range(2)],
    )


@page.clause(
    ".split_inputs_and_generate_enqueue_ops/args:device_assignment/host-and-ordinal"
)
def split_assigned(tf):
    topology = tf.contrib.tpu.Topology(
        mesh_shape=[2, 2, 1],
        device_coordinates=[[[0, 0, 0], [0, 1, 0]], [[1, 0, 0], [1, 1, 0]]],
    )
    cores = [[[1, 1, 0]], [[0, 0, 0]], [[1, 0, 0]], [[0, 1, 0]]]
    operations = one_element(tf, shards=4).split_inputs_and_generate_enqueue_ops(
        [tf.zeros([4])], tf.tpu.experimental.DeviceAssignment(topology, cores)
    )
    same(
        placed(operations),
        [
            ("InfeedQueue/enqueue/0", "/task:1/device:CPU:0", 1),
            ("InfeedQueue/enqueue/1", "/task:0/device:CPU:0", 0),
            ("InfeedQueue/enqueue/2", "/task:1/device:CPU:0", 0),
            ("InfeedQueue/enqueue/3", "/task:0/device:CPU:0", 1),
        ],
    )


@page.clause(".split_inputs_and_generate_enqueue_ops/args:placement_function/device")
def split_functions(tf):
    operations = one_element(tf, shards=2).split_inputs_and_generate_enqueue_ops(
        [tf.zeros([4])],
        placement_function=lambda shard: "/device:CPU:" + str(shard),
        tpu_ordinal_function=lambda shard: 7 - shard,
    )
    same(
        placed(operations),
        [
            ("InfeedQueue/enqueue/0", "/device:CPU:0", 7),
            ("InfeedQueue/enqueue/1", "/device:CPU:1", 6),
        ],
    )


@page.clause(".split_inputs_and_generate_enqueue_ops/raises/other-tensors")
def split_unfit(tf):
    def split(queue, *tensors):
        queue.split_inputs_and_generate_enqueue_ops(list(tensors))

    expect_raises(ValueError, split, one_element(tf, shards=2), tf.zeros([5]))
    expect_raises(ValueError, split, one_element(tf, shards=2), tf.zeros([]))
    expect_raises(ValueError, split, one_element(tf), tf.zeros([4]), tf.zeros([4]))
    frozen = tf.contrib.tpu.InfeedQueue(tuple_types=[tf.float32], tuple_shapes=[[4]])
    frozen.freeze()
    expect_raises(ValueError, split, frozen, tf.zeros([6]))
    expect_raises(ValueError, split, frozen, tf.zeros([4], tf.int32))
    split(frozen, tf.zeros([4]))


@page.clause(".split_inputs_and_generate_enqueue_ops/behaviour/arrives")
def tuples_arrive(tf):
    with fixed_system(tf, cores=2) as session:
        queue = tf.contrib.tpu.InfeedQueue(
            tuple_types=[tf.float32, tf.int32],
            tuple_shapes=[[2, 2], [4]],
            shard_dimensions=[1, 0],
        )
        fed = tf.tpu.replicate(lambda x, y: [x * 1.0, y * 1], [[], []], queue)
        table = tf.placeholder(tf.float32, [2, 2])
        numbers = tf.constant([5, 6, 7, 8])
        add = queue.split_inputs_and_generate_enqueue_ops([table, numbers])
        same(queue.number_of_shards, 2)
        session.run(add, {table: [[1.0, 2.0], [3.0, 4.0]]})
        session.run(add, {table: [[0.0, 0.0], [0.0, 9.0]]})
        first, second = session.run(fed)
        same(first, [[[1.0], [3.0]], [5, 6]])
        same(second, [[[2.0], [4.0]], [7, 8]])
        same(session.run(fed)[1], [[[0.0], [9.0]], [7, 8]])


@page.clause(".generate_close_op/behaviour/end-of-input")
def close(tf):
    with fixed_system(tf, cores=1, timeout=20.0) as session:
        queues = [
            tf.contrib.tpu.InfeedQueue(tuple_types=["int32"], tuple_shapes=[[]])
            for _ in range(3)
        ]
        # Queues of one name are different ones.
        fed = [tf.tpu.rewrite(lambda x: x * 1, infeed_queue=one) for one in queues]
        for number, queue in enumerate(queues):
            session.run(queue.generate_enqueue_ops([[tf.constant(number)]]))
        ends = [queue.generate_close_op() for queue in queues]
        same(ends[0].type, "InfeedClose")
        same(ends[0].name, "InfeedQueue/close")
        session.run(ends)
        same(session.run(fed), [[0], [1], [2]])
        expect_raises(tf.errors.OutOfRangeError, session.run, fed[0])


@page.clause(".generate_enqueue_ops/behaviour/eager")
def eager(tf):
    with size(tf, 2), eager_mode(tf):
        tf.tpu.initialize_system()
        queue = tf.contrib.tpu.InfeedQueue(tuple_types=["float32"], tuple_shapes=[[2]])
        queue.set_number_of_shards(2)
        tuples = [tf.constant([1.0, 2.0])]
        same(queue.split_inputs_and_generate_enqueue_ops(tuples), [None, None])
        shards = [[tf.constant([3.0])], [tf.constant([4.0])]]
        same(queue.generate_enqueue_ops(shards), [None, None])

        def taken():
            return tf.tpu.replicate(lambda x: [x * 10.0], [[], []], queue)

        for expected in ([10.0, 20.0], [30.0, 40.0]):
            same([float(one.numpy()[0]) for (one,) in taken()], expected)
        same(queue.generate_close_op(), None)
        expect_raises(tf.errors.OutOfRangeError, taken)
        tf.tpu.shutdown_system()
