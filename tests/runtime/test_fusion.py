"""Several operations in one step: the same bits as one by one, for every layout."""

import itertools

import numpy as np
import pytest

import tpuref as tf
from tpuref.base.dtypes import DTYPES
from tpuref.engine.ops.definition import Operand, outputs_of
from tpuref.engine.ops.registry import REGISTRY
from tpuref.engine.runtime.pool.columns import APART, SAME, STACKED, Stacked, layout
from tpuref.engine.runtime.pool.process import fusion as fusions
from tpuref.engine.runtime.pool.process import plan_calls, product
from tpuref.engine.runtime.pool.process.fusion_operation import GATHERED_BYTES
from tpuref.engine.runtime.pool.process.fusion_plan import FusionPlan
from tpuref.kernels import convolution, products
from tpuref.kernels.python import convolution as by_products

from .programs import fused, fusion_of, instr, one_by_one, require_same

CORES = 3
SIZES = (*range(68), None)
"""The lengths of vectors, around those of vector registers; None for a scalar."""

FEW = (0, 1, 17, 64, None)


@pytest.fixture(autouse=True)
def as_in_a_process_of_the_pool():
    with np.errstate(all="ignore"):
        yield


STACKING = [
    REGISTRY[name] for name in REGISTRY.names() if REGISTRY[name].batching.elementwise
]
SPECIAL = [np.inf, -np.inf, np.nan, 0.0, -0.0, 1e30, -1e30, 1e-40, 2.0, 0.5, 3e5]
ATTRS = {
    "NanToNum": {"nan": 0.0, "high": None, "low": None},
    "IsClose": {"rtol": 1e-5, "atol": 1e-8, "equal_nan": True},
    "LeakyRelu": {"alpha": 0.2},
}


def sample(draw, dtype, shape):
    count = int(np.prod(shape))
    if dtype.kind in "iub":
        return draw.integers(1, 9, count).astype(dtype).reshape(shape)
    values = draw.standard_normal(count) * 10.0 ** draw.integers(-3, 4, count)
    chosen = draw.random(count) < 0.15
    values[chosen] = draw.choice(SPECIAL, chosen.sum())
    return values.astype(dtype).reshape(shape)


def taken(definition, dtype):
    """The element types of the inputs, None if it does not take this one."""
    given = [dtype] * definition._arity[0]
    if definition.name == "SelectV2":
        given[0] = tf.bool
    if definition.name == "Ldexp":
        given[1] = tf.int32
    operands = [Operand(tf.TensorShape([3]), each) for each in given]
    try:
        definition.infer(*operands, **ATTRS.get(definition.name, {}))
    except (TypeError, ValueError):
        return None
    return given


def bits(array):
    """The bits of an array; which NaN remains of two, IEEE 754 leaves open."""
    parts = [array.real, array.imag] if array.dtype.kind == "c" else [array]
    if array.dtype.kind in "iub":
        return array.tobytes()
    return b"".join(
        np.where(np.isnan(part), part.dtype.type(np.nan), part).tobytes()
        for part in parts
    )


@pytest.mark.parametrize("definition", STACKING, ids=lambda d: d.name)
def test_stacked_operations_give_the_bits_of_single_ones(definition):
    draw, compared = np.random.default_rng(0), 0
    for dtype, size in itertools.product(DTYPES, SIZES):
        dtypes = None if dtype == tf.string else taken(definition, dtype)
        if dtypes is None or (size not in FEW and not dtype.is_floating):
            continue
        shape = () if size is None else (size,)
        stacks = [sample(draw, d.np, (CORES, *shape)) for d in dtypes]
        if size and size % 2:  # one number for each core
            stacks[-1] = sample(draw, dtypes[-1].np, (CORES, 1))
        attrs = ATTRS.get(definition.name, {})
        function = definition.function([d.np for d in dtypes])
        whole = outputs_of(function(*stacks, **attrs))
        for core in range(CORES):
            single = [np.array(stack[core]) for stack in stacks]
            for a, b in zip(whole, outputs_of(function(*single, **attrs)), strict=True):
                assert bits(a[core]) == bits(np.asarray(b)), (dtype, size)
                compared += 1
    assert compared >= CORES * len(FEW)


@pytest.mark.parametrize("exponent", [-1.0, -0.5, 0.5, 1.0, 2.0, 3.0])
def test_known_powers_stack(exponent):
    power, known = REGISTRY["Pow"], np.array(exponent, np.float32)
    stacks = power.batching.elementary
    assert stacks is not None and power.kernel is not None
    scalar, vector = tf.TensorShape([]), tf.TensorShape([7])
    operand = Operand(scalar, tf.float32, known)
    assert stacks(Operand(vector, tf.float32), operand)
    assert not stacks(Operand(vector, tf.float32), Operand(scalar, tf.float32))
    assert not stacks(Operand(vector, tf.int32), operand)
    assert not stacks(Operand(scalar, tf.float32), Operand(vector, tf.float32))
    stack = sample(np.random.default_rng(2), np.dtype(np.float32), (CORES, 67))
    for row, part in zip(stack, power.kernel(stack, known), strict=True):
        assert bits(power.kernel(np.array(row), known)) == bits(part)


# Numbers of rank 0, 1 and 2, one of them known, on operations that stack, that go from
# core to core, that write into memory and that give parts of their input.
PROGRAM = [
    instr("Mul", [0, 1], 3),  # [4, 5] by a number for each core
    instr("AddV2", [3, 2], 4),  # the same [5] everywhere
    instr("Relu", [4], 5),
    instr("Identity", [5], 6),
    instr("MatMul", [6, 7], 8),
    instr("Reshape", [8, 9], 10),
    instr("Sigmoid", [10], 11),
    instr("Neg", [8], 12),
    instr("Sub", [11, 10], 13),
    instr("Greater", [13, 1], 14, gives=tf.bool),
    instr("Cast", [14], 15, dtype="float32"),
    instr("Neg", [18], 19),
    instr("Square", [2], 16),
    instr("Mul", [16, 19], 20),
    instr("AddN", [20, 16, 20], 21),
    instr("RealDiv", [15, 16], 17),
]
KNOWN = {9: np.array([-1, 5], np.int32)}
WANTED = [6, 10, 12, 13, 16, 17, 21]


def given(turn, rows=4):
    draw = np.random.default_rng(turn)

    def normal(*shape):
        return draw.standard_normal(shape).astype(np.float32)

    same, square = normal(5), normal(5, 5)
    return {
        0: [normal(rows, 5) for _ in range(CORES)],
        1: [np.asarray(normal()) for _ in range(CORES)],
        2: [same] * CORES,
        7: [square] * CORES,
        18: [np.asarray(normal())] * CORES,
    }


def by_core(columns):
    """What each core gets by itself."""
    return one_by_one(PROGRAM, CORES, columns, KNOWN)


@pytest.fixture
def counter():
    return memoryview(bytearray(8)).cast("Q")


@pytest.fixture(params=[plan_calls.BLOCK_BYTES, 16, 100], ids="in blocks of {}".format)
def fusion(request, counter, monkeypatch):
    monkeypatch.setattr(plan_calls, "BLOCK_BYTES", request.param)
    return fusion_of(PROGRAM, CORES, WANTED, KNOWN, counter)


def test_a_program_gives_what_each_core_gets_by_itself(fusion):
    kept = []
    for turn, rows in enumerate((4, 4, 4, 300, 4)):  # 300 rows stay where they are
        columns = given(turn, rows)
        kept.append((fused(fusion, columns), by_core(columns)))
    for values, expected in kept:  # later runs wrote over no earlier result
        require_same(values, expected, WANTED)


def test_values_that_come_as_a_stack_or_are_equal(fusion):
    columns = given(0)
    columns[0] = Stacked(np.array(columns[0]))
    require_same(fused(fusion, columns), by_core(columns), WANTED)
    columns = given(1)
    columns[0], columns[1] = [columns[0][0]] * CORES, [columns[1][0]] * CORES
    values = fused(fusion, columns)
    require_same(values, by_core(columns), WANTED)
    assert all(layout(values[slot])[0] == SAME for slot in WANTED)


def test_what_stays_inside_is_not_given_out(fusion):
    values = fused(fusion, given(0))
    inside = {each.outputs[0] for each in PROGRAM} - set(WANTED)
    assert inside and all(values[slot] is None for slot in inside)
    assert layout(values[16])[0] == SAME
    assert layout(values[13])[0] in (STACKED, APART)


def test_cores_that_differ_in_shape_are_left_to_others(fusion):
    columns = given(0)
    columns[0][1] = np.zeros((2, 5), np.float32)
    assert not fusion.run([columns.get(slot) for slot in range(20)])
    require_same(fused(fusion, given(1)), by_core(given(1)), WANTED)


def test_only_what_a_plan_cannot_take_ends_it(fusion, monkeypatch):
    def refuse(error):
        def fail(*_):
            raise error

        with monkeypatch.context() as patch:
            patch.setattr(FusionPlan, "run", fail)
            return fusion.run([given(0).get(slot) for slot in range(20)])

    fused(fusion, given(0))
    assert not refuse(MemoryError)  # which there may be again in the next run
    with pytest.raises(AttributeError):
        refuse(AttributeError)  # a mistake in the plan
    require_same(fused(fusion, given(1)), by_core(given(1)), WANTED)
    assert not refuse(ValueError)
    assert not fusion.run([given(1).get(slot) for slot in range(20)])


def test_the_counter_is_at_the_last_operation(fusion, counter):
    fused(fusion, given(0))
    assert counter[0] == len(PROGRAM)


ELEMENTS = {
    **dict.fromkeys(["AddV2", "Sub", "Mul", "RealDiv", "SquaredDifference"], 2),
    **dict.fromkeys(["Neg", "Square", "Rsqrt", "Relu", "Tanh", "Sigmoid"], 1),
    "ReluGrad": 2,
}


def chained(draw):
    """A program of elementwise operations, and the slots that others read."""
    # A matrix, a number and a column of each core, and what all share; 5 is 3.
    program, sizes = [], {0: "mn", 1: "", 2: "m", 3: "n", 4: ""}
    constants = {5: np.float32(3), 6: np.float32([3, -1, 2, 4, 0])}
    for slot in range(7, 40):
        op = str(draw.choice([*ELEMENTS, "Pow", "BiasAdd"]))
        whole = [s for s, size in sizes.items() if size == "mn"]
        x, y = int(draw.choice(whole[-4:])), int(draw.choice([*sizes]))
        attrs = {"data_format": "NHWC"} if op == "BiasAdd" else {}
        if op == "ReluGrad":
            y = int(draw.choice(whole))
        y = {"Pow": 5, "BiasAdd": 6}.get(op, y)
        inputs = [x] if ELEMENTS.get(op) == 1 else [x, y]
        program.append(instr(op, inputs, slot, **attrs))
        sizes[slot] = "mn"
    return program, constants, [39, *map(int, draw.integers(7, 39, 4))]


@pytest.mark.parametrize("seed", range(12))
def test_chains_of_elementwise_operations(seed, monkeypatch):
    draw = np.random.default_rng(seed)
    block_bytes = int(draw.choice([64, 1000, 1 << 16]))
    monkeypatch.setattr(plan_calls, "BLOCK_BYTES", block_bytes)
    program, constants, wanted = chained(draw)
    fusion = fusion_of(program, CORES, wanted, constants)
    for rows in (7, 600, 7):
        shapes = [(rows, 5), (), (rows, 1)]
        columns = {
            slot: [sample(draw, np.dtype(np.float32), shape) for _ in range(CORES)]
            for slot, shape in enumerate(shapes)
        }
        shared = [sample(draw, np.dtype(np.float32), shape) for shape in [(5,), ()]]
        columns |= {3 + k: [array] * CORES for k, array in enumerate(shared)}
        values = fused(fusion, columns)
        expected = one_by_one(program, CORES, columns, constants)
        for slot in wanted:
            for found, right in zip(values[slot], expected[slot], strict=True):
                np.testing.assert_array_equal(found, right)


@pytest.fixture
def pool():
    settings = tf.config.override(executor="pool", cores=4, processes=2)
    with settings, tf.Session() as session:
        session.run(tf.tpu.initialize_system())
        yield session


def test_an_error_names_its_core(pool):
    x = tf.placeholder(tf.int32, [4])
    shares = tf.split(x, 4)
    quotient = tf.tpu.replicate(lambda y: 12 // (y * 2 - 6) + 1, [[s] for s in shares])
    for _ in range(2):
        assert pool.run(quotient, {x: [4, 5, 6, 0]})[3] == ([-1],)
        with pytest.raises(tf.errors.InvalidArgumentError, match="on replica 2") as e:
            pool.run(quotient, {x: [4, 5, 3, 0]})
        assert e.value.op is not None and "12 // (y" in str(e.value)


def test_what_some_cores_do_not_run(pool):
    def computation(x):
        y = tf.cond(x[0] > 1, lambda: (x + 1) * x, lambda: (x - 1) / (x + 2))
        return y * y + x, tf.while_loop(lambda z: z[0] < 9, lambda z: z * z + 1, [y])

    x = np.arange(8, dtype=np.float32).reshape(4, 2)
    found = pool.run(tf.tpu.replicate(computation, [[row] for row in x]))
    for row, (first, second) in zip(x, found, strict=True):
        y = (row + 1) * row if row[0] > 1 else (row - 1) / (row + 2)
        assert first.tobytes() == (y * y + row).tobytes()
        while y[0] < 9:
            y = y * y + 1
        assert second.tobytes() == y.tobytes()


TURNED = {
    "a": (True, False),
    "b": (False, True),
    "both": (True, True),
    "": (False,) * 2,
}


def test_a_gradient_takes_the_place_of_what_is_read_no_more(monkeypatch):
    plans = []

    def note(*arguments):
        plans.append(FusionPlan(*arguments))
        return plans[-1]

    monkeypatch.setattr(fusions, "FusionPlan", note)
    program = [
        instr("MatMul", [0, 0], 1),
        instr("ReluGrad", [1, 0], 2),
        instr("MatMul", [2, 0], 3),
    ]
    x = Stacked(np.random.default_rng(8).standard_normal((CORES, 7, 7), np.float32))
    values = fused(fusion_of(program, CORES, [3]), {0: x})
    require_same(values, one_by_one(program, CORES, {0: x}, {}), [3])
    assert [plan.kept_bytes for plan in plans] == [x.stack.nbytes]


PRODUCTS = [(4, 256, 10), (1, 7, 1), (5, 1, 3), (1, 1, 1), (17, 33, 2), (3, 0, 2)]


@pytest.mark.parametrize("dtype", ["float32", "float16", "complex64", "int32"])
@pytest.mark.parametrize("shared", ["left", "right", "none"])
@pytest.mark.parametrize("turned", TURNED)
def test_products_of_matrices_for_all_cores_at_once(turned, shared, dtype):
    attrs = dict(zip(("transpose_a", "transpose_b"), TURNED[turned], strict=True))
    doubled = instr("AddV2", [0, 0], 2, gives=dtype)  # lies in the memory of the plan
    multiplied = instr("MatMul", [2, 1], 3, gives=dtype, **attrs)
    draw = np.random.default_rng(3)
    for (m, k, n), batch in itertools.product(PRODUCTS, [(), (2,)]):
        shapes = [(k, m) if TURNED[turned][0] else (m, k)]
        shapes.append((n, k) if TURNED[turned][1] else (k, n))
        left, right = (
            [(3 * draw.standard_normal((*batch, *shape))).astype(dtype)] * CORES
            if shared == side
            else [
                (3 * draw.standard_normal((*batch, *shape))).astype(dtype)
                for _ in range(CORES)
            ]
            for side, shape in zip(("left", "right"), shapes, strict=True)
        )
        fusion = fusion_of([doubled, multiplied], CORES, [3])
        values = fused(fusion, {0: left, 1: right})
        small = max(left[0].nbytes, right[0].nbytes) <= GATHERED_BYTES
        assert not small or layout(values[3])[0] == STACKED
        compute = multiplied.definition.kernel
        assert compute is not None
        for found, a, b in zip(values[3], left, right, strict=True):
            wanted = np.asarray(compute(a + a, b, **attrs), order="C")
            assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
            assert found.tobytes() == wanted.tobytes()


def test_products_with_a_shared_matrix_are_one_where_the_bits_are_the_same(monkeypatch):
    program = [instr("Neg", [0], 2), instr("MatMul", [2, 1], 3, transpose_b=True)]
    draw, sizes = np.random.default_rng(7), []
    multiply = product._multiply

    def note(function, turned, x, y, *, out):
        sizes.append(x.shape)
        return multiply(function, turned, x, y, out=out)

    monkeypatch.setattr(product, "_multiply", note)
    product.joint.cache_clear()
    for rows, inner, columns in ((1, 156, 64), (16, 156, 64), (16, 512, 156)):
        left = Stacked(draw.standard_normal((CORES, rows, inner)).astype(np.float32))
        right = draw.standard_normal((columns, inner)).astype(np.float32)
        values = fused(fusion_of(program, CORES, [3]), {0: left, 1: [right] * CORES})
        for found, x in zip(values[3], left, strict=True):
            assert found.tobytes() == products.multiply(-x, right.T).tobytes()
    assert sizes.count((CORES, 16, 156)) >= 2  # compared, and then computed
    product.joint.cache_clear()
    joint = product.joint.__wrapped__
    shapes = (CORES, (16, 156), (64, 156))
    monkeypatch.setattr(product, "_multiply", lambda *arrays, out: out * 0 + 1)
    assert joint(*shapes, np.dtype(np.float32), True) is None  # other bits
    assert joint(*shapes, np.dtype(np.complex64), True) is None


CONVOLUTIONS = [
    # images, filters, strides, dilations, padding
    ((7, 9, 8, 3), (3, 3, 3, 16), (1, 1), (1, 1), "SAME"),
    ((6, 9, 8, 8), (3, 3, 8, 5), (2, 2), (1, 1), "SAME"),
    ((5, 7, 9, 8), (3, 2, 8, 5), (2, 1), (1, 1), "VALID"),
    ((8, 6, 7, 8), (2, 3, 8, 33), (3, 2), (1, 1), ((1, 2), (2, 0))),
    ((6, 9, 8, 7), (2, 2, 7, 4), (1, 1), (2, 3), "SAME"),
    ((6, 8, 8, 16), (1, 1, 16, 32), (2, 2), (1, 1), "SAME"),
    ((6, 4, 3, 64), (1, 1, 64, 256), (1, 1), (1, 1), "VALID"),
]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("case", CONVOLUTIONS, ids=str)
def test_convolutions_of_the_images_of_all_cores(case, dtype):
    images, filters, strides, dilations, padding = case
    attrs = {"strides": strides, "dilations": dilations, "padding": padding}
    attrs["data_format"] = "NHWC"
    known = {2: np.array(images, np.int32)}
    static = {"gives": dtype, "shape": images}
    program = [
        instr("Conv2D", [0, 1], 3, gives=dtype, **attrs),
        instr("AddV2", [3, 3], 4, gives=dtype),
        instr("Conv2DBackpropInput", [2, 1, 4], 5, **static, **attrs),
    ]
    draw = np.random.default_rng(11)
    weights = draw.standard_normal(filters).astype(dtype)
    several = [draw.standard_normal(images).astype(dtype) for _ in range(CORES)]
    for shared in (weights, np.where(weights > 1.5, np.inf, weights).astype(dtype)):
        columns = {0: Stacked(np.array(several)), 1: [shared] * CORES}
        values = fused(fusion_of(program, CORES, [3, 4, 5], known), columns)
        require_same(values, one_by_one(program, CORES, columns, known), [3, 4, 5])
    apart = {0: several, 1: [weights * k for k in np.arange(1, CORES + 1, dtype=dtype)]}
    values = fused(fusion_of(program, CORES, [3, 4, 5], known), apart)
    require_same(values, one_by_one(program, CORES, apart, known), [3, 4, 5])


SLIDING = {"strides": (1, 1), "dilations": (1, 1), "padding": "SAME"}
SLIDING["data_format"] = "NHWC"


def test_a_convolution_of_images_whose_shape_a_run_decides():
    program = [instr("Reshape", [0, 1], 2), instr("Conv2D", [2, 3], 4, **SLIDING)]
    images = np.random.default_rng(2).standard_normal((CORES, 6, 80)).astype(np.float32)
    columns = {
        0: Stacked(images),
        1: [np.array((6, 5, 4, 4), np.int32)] * CORES,
        3: [np.ones((3, 3, 4, 2), np.float32)] * CORES,
    }
    values = fused(fusion_of(program, CORES, [4]), columns)
    require_same(values, one_by_one(program, CORES, columns, {}), [4])


def test_one_call_convolves_the_images_of_all_cores(monkeypatch):
    if convolution is by_products:
        pytest.skip("BLAS has other bits for more images")
    sizes, correlate = [], convolution.correlate

    def note(images, *others):
        sizes.append(len(images))
        correlate(images, *others)

    monkeypatch.setattr(convolution, "correlate", note)
    for batch in (5, 6):
        program = [instr("Conv2D", [0, 1], 2, **SLIDING)]
        images = Stacked(np.ones((CORES, batch, 5, 5, 8), np.float32))
        filters = np.ones((3, 3, 8, 16), np.float32)
        fused(fusion_of(program, CORES, [2]), {0: images, 1: [filters] * CORES})
    assert sizes == [5] * CORES + [6 * CORES]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("axis", [-1, 1, 0, -2])
@pytest.mark.parametrize("op", ["Softmax", "LogSoftmax"])
def test_softmax_for_all_cores_at_once(op, axis, dtype):
    draw, softmax = np.random.default_rng(5), instr(op, [0], 1, gives=dtype, axis=axis)
    compute = softmax.definition.kernel
    assert compute is not None
    for rows, width in itertools.product((1, 2, 5), (*range(1, 20), 64, 130)):
        column = [3 * draw.standard_normal((rows, width)) for _ in range(CORES)]
        column = [array.astype(dtype) for array in column]
        values = fused(fusion_of([softmax], CORES, [1]), {0: column})
        once = axis == -1 and column[0].nbytes <= GATHERED_BYTES
        # Softmax writes into a stack, be it core by core.
        assert (layout(values[1])[0] == STACKED) == (once or op == "Softmax")
        for found, logits in zip(values[1], column, strict=True):
            wanted = np.asarray(compute(logits, axis=axis), order="C")
            assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
            assert found.tobytes() == wanted.tobytes()
