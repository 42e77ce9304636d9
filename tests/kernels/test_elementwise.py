"""Chains of elementwise operations, and each of them, against NumPy."""

import numpy as np
import pytest

SPECIAL = np.float32([0, -0.0, np.inf, -np.inf, np.nan, 1e-40, 3e38, -3e38])
ALONE = {
    "cube": lambda x: (x * x.astype(np.float64) * x).astype(np.float32),
    "relu": lambda x: np.where(x <= 0, np.float32(0), x),
    "relu_gradient": lambda dy, x: dy * (x > 0).astype(dy.dtype),
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "squared_difference": lambda x, y: (x - y) * (x - y),
}
SHAPES = [(), (1,), (7,), (1025,), (5, 1), (0, 3), (4, 33, 64), (3, 1, 5000)]


@pytest.fixture(autouse=True)
def as_in_a_process_of_the_pool():
    with np.errstate(all="ignore"):
        yield


def sample(draw, *shape):
    values = 10 * draw.standard_normal(shape).astype(np.float32)
    special = draw.choice(SPECIAL, shape)
    return np.where(draw.random(shape) < 0.1, special, values)


def equal(found, wanted):
    bits, wanted_bits = (
        np.asarray(x, np.float32).view(np.int32) for x in (found, wanted)
    )
    return bool(((bits == wanted_bits) | (np.isnan(found) & np.isnan(wanted))).all())


def repeated(draw, shape):
    """Arrays that broadcast to a shape: numbers, rows, columns and matrices."""
    yield from (sample(draw, *shape), sample(draw))
    for rank in range(1, len(shape)):
        yield sample(draw, *shape[rank:])
        yield sample(draw, *shape[:rank], *(1,) * (len(shape) - rank))


def test_each_operation_has_the_bits_of_numpy(kernels, compiled):
    draw = np.random.default_rng(1)
    for name, num_inputs in compiled.elementwise.OPERATIONS.items():
        alone = ALONE.get(name) or getattr(np, name)
        chain = kernels.elementwise.Chain([(name, range(num_inputs + 1))])
        for shape in SHAPES:
            for other in repeated(draw, shape):
                x, y = sample(draw, *shape), other
                pairs = [(x, y), (y, x), (y, y)]
                for inputs in pairs if num_inputs == 2 else [(x,), (y,)]:
                    result = np.empty(shape, np.float32)
                    chain(*inputs, result)
                    assert equal(result, alone(*inputs)), (name, shape, other.shape)


def test_steps_read_what_earlier_ones_wrote(kernels, compiled):
    draw = np.random.default_rng(2)
    names = list(compiled.elementwise.OPERATIONS.items())
    for _ in range(60):
        shape = SHAPES[draw.integers(len(SHAPES))]
        arrays = [sample(draw, *shape), *repeated(draw, shape)]
        inputs, steps = len(arrays), []
        values = list(arrays)
        for _ in range(draw.integers(1, 20)):
            name, count = names[draw.integers(len(names))]
            places = [int(draw.integers(inputs, len(values))) if steps else 0]
            places += [int(p) for p in draw.integers(0, len(values), count - 1)]
            steps.append((name, [*places, len(values)]))
            alone = ALONE.get(name) or getattr(np, name)
            values.append(alone(*(values[place] for place in places)))
        inner = {p for p in range(inputs, len(values) - 1) if draw.random() < 0.7}
        memory = [np.full(shape, 7, np.float32) for _ in steps]
        kernels.elementwise.Chain(steps, inner)(*arrays, *memory)
        for place, found in enumerate(memory, inputs):
            assert place in inner or equal(found, values[place])


def test_an_output_may_be_an_input(kernels):
    x, y = np.float32([1, 2, 3]), np.float32([5, 7, 9])
    kernels.elementwise.Chain([("add", (0, 1, 0)), ("square", (0, 0))])(x, y)
    np.testing.assert_array_equal(x, [36, 81, 144])


def test_other_types_and_layouts(kernels):
    chain = kernels.elementwise.Chain(
        [("add", (0, 1, 2)), ("multiply", (2, 0, 3))], {2}
    )
    draw = np.random.default_rng(3)
    for dtype in ("float32", "float64", "float16"):
        x, y = (draw.standard_normal((6, 5)).astype(dtype).T for _ in range(2))
        for a, b in [(x, y), (x[::2], y[::2]), (x[:, ::2], y[:, :1])]:
            inner, result = (np.empty(a.shape, dtype) for _ in range(2))
            chain(a, b, inner, result)
            np.testing.assert_array_equal(result, (a + b) * a)
    with pytest.raises(ValueError, match="broadcast"):
        chain(*(np.zeros(n, np.float32) for n in (3, 2, 3, 3)))


def test_a_chain_is_not_too_long(compiled):
    elementwise = compiled.elementwise
    steps = [("square", (n, n + 1)) for n in range(elementwise.MOST_STEPS)]
    elementwise.Chain(steps)
    with pytest.raises(ValueError, match="at most 32"):
        elementwise.Chain([*steps, ("square", (32, 33))])
    with pytest.raises(TypeError, match="expected 33 arrays, got 1"):
        elementwise.Chain(steps)(np.zeros(3, np.float32))
