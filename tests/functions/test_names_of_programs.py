"""Functions that public programs use, as TensorFlow 1.15.5 computes them."""

import numpy as np
import pytest

import tpuref as tf
from tpuref.base import error_codes as codes

from .values import run, same

X, Y = [0.0, 2.0, 0.0, 3.0], [0.0, 3.0, 5.0, 0.0]
INF = np.inf


def test_truncating_division():
    assert run(tf.truncatediv([7, -7, 6, -6], [2, 2, 3, -4])).tolist() == [3, -3, 2, 1]
    # 2.21; 1.15.5 leaves the fraction of floating-point numbers
    assert run(tf.truncatediv([7.5, -7.5], [2.0, 2.0])).tolist() == [3.0, -3.0]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ("xlogy", [[0, 2.1972, 0, -INF], [0, 1.0986, 0, -INF], [0, 0.6667, 0, INF]]),
        ("xdivy", [[0, 0.6667, 0, INF], [0, 0.3333, 0, INF], [0, -0.2222, 0, -INF]]),
    ],
)
def test_zeros_win_over_poles(function, expected):
    x, y = tf.constant(X), tf.constant(Y)
    found = getattr(tf.math, function)(x, y)
    for one, other in zip(
        run([found, *tf.gradients(found, [x, y])]), expected, strict=True
    ):
        np.testing.assert_allclose(one, other, atol=5e-5)


def test_products_without_nan():
    a, b = tf.constant([1.0, INF, np.nan, 2.0]), tf.constant([3.0, 0.0, 0.0, 0.0])
    found = tf.math.multiply_no_nan(a, b)
    same(run([found, tf.gradients(found, a)[0]]), [[3.0, 0, 0, 0]] * 2)


@pytest.mark.parametrize(
    ("function", "expected"),
    [("max", [[3, 2], [3, 4], [7, 6]]), ("min", [[1, 0.5], [3, 4], [5, -1]]),
     ("mul", [[6, 1], [3, 4], [35, -6]]), ("div", [[1 / 6, 4], [3, 4], [5 / 7, -6]])],
)  # fmt: skip
def test_rows_of_variables(function, expected, evaluate):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    updates = [[2.0, 1.0], [7.0, -1.0], [3.0, 0.5]]
    evaluate(getattr(tf, f"scatter_{function}")(v, [0, 2, 0], updates))
    np.testing.assert_allclose(evaluate(v), expected)


def test_rows_of_integers_are_divided_towards_zero(evaluate):
    v = tf.Variable([7, -7, 9])
    evaluate(tf.scatter_div(v, [0, 1, 0], [2, 2, 2]))
    assert evaluate(v).tolist() == [1, -3, 9]


TABLES = [np.arange(6.0).reshape(3, 2), 10 + np.arange(4.0).reshape(2, 2)]
TABLES.append(TABLES[1] + 10)


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [("mod", [[0, 10, 20], [2, 12, 4]]), ("div", [[0, 2, 4], [10, 12, 22]])],
)
def test_rows_of_several_tables(strategy, expected):
    tables, ids = [tf.constant(t) for t in TABLES], [[0, 1, 2], [3, 4, 6]]
    for given in (tables, [tf.placeholder_with_default(t, [None, 2]) for t in TABLES]):
        found = run(tf.nn.embedding_lookup(given, ids, strategy))
        assert found[..., 0].tolist() == expected
        with pytest.raises(tf.errors.InvalidArgumentError):
            run(tf.nn.embedding_lookup(given, [7], strategy))
    with pytest.raises(ValueError, match=r"expected tables with \[3, 2, 2\] rows"):
        tf.nn.embedding_lookup(tables[::-1], ids, strategy)


RANDOM = np.random.RandomState(1)
A, B = RANDOM.randn(5, 3), RANDOM.randn(5, 2)


def test_solutions_by_a_factor():
    matrix = A[:3] @ A[:3].T + np.eye(3)
    found = run(tf.cholesky_solve(tf.cholesky(tf.constant(matrix)), tf.constant(B[:3])))
    np.testing.assert_allclose(found, np.linalg.solve(matrix, B[:3]), atol=1e-12)
    assert tf.matrix_solve is tf.linalg.solve
    assert tf.self_adjoint_eigvals is tf.linalg.eigvalsh


class Length:
    """Has a number."""

    meters = 3.0


class Nothing(Length):
    """No function converts it."""


def test_objects_become_tensors():
    def convert(value, dtype=None, name=None, as_ref=False):
        if isinstance(value, Nothing):
            return NotImplemented
        return tf.constant(value.meters, dtype, name=name)

    tf.register_tensor_conversion_function(Length, convert)
    sums = [tf.constant(2.0) * Length(), tf.add(Length(), Length()), Length()]
    assert run([*sums[:2], tf.convert_to_tensor(sums[2])]) == [6.0, 6.0, 3.0]
    assert tf.add(tf.constant(1.0, tf.float64), Length()).dtype == tf.float64
    with pytest.raises(TypeError, match="tensor form"):
        tf.convert_to_tensor(Nothing())


@pytest.mark.parametrize(("kind", "function"), [(int, len), (Length, 3)])
def test_numbers_keep_their_conversion(kind, function):
    with pytest.raises(TypeError, match=codes.WRONG_ARGUMENT_TYPE):
        tf.register_tensor_conversion_function(kind, function)


def test_a_dataset_function_is_called_once():
    assert tf.distribute.InputOptions(experimental_fetch_to_device=False)
    mode = tf.distribute.InputReplicationMode.PER_REPLICA
    with pytest.raises(ValueError, match="expected PER_WORKER"):
        tf.distribute.InputOptions(experimental_replication_mode=mode)


def test_a_value_that_was_read_stays(session):
    tf.enable_resource_variables()
    v = tf.get_variable("v", initializer=1.0)
    read = v.value()
    with tf.control_dependencies([read]), tf.control_dependencies([v.assign(5.0)]):
        later = tf.identity(read)
    check = tf.assert_variables_initialized()
    with pytest.raises(tf.errors.FailedPreconditionError):
        session.run(check)
    session.run(v.initializer)
    session.run(check)
    assert session.run(later) == 1.0
    assert session.run(v) == 5.0
    with tf.Graph().as_default():
        assert tf.assert_variables_initialized() is None


@pytest.mark.parametrize("exclusive", [False, True])
def test_the_first_true_case(exclusive, session):
    """TensorFlow 1.15.5 returned the same, and raised where this does."""
    x = tf.placeholder(tf.int32, [])
    pairs = [(x < 5, lambda: tf.constant(1)), (x < 10, lambda: tf.constant(2))]
    found = tf.case(pairs, lambda: tf.constant(3), exclusive), tf.case(pairs)
    expected = {3: [1, 1], 7: [2, 2], 12: [3, None]}
    if exclusive:
        expected[3][0] = None
    for value, results in expected.items():
        for tensor, result in zip(found, results, strict=True):
            if result is None:
                with pytest.raises(tf.errors.InvalidArgumentError, match="true"):
                    session.run(tensor, {x: value})
            else:
                assert session.run(tensor, {x: value}) == result


def test_former_names():
    rows = tf.constant([[1.0, 3.0, 2.0]])
    assert run(tf.arg_max(rows, 1)).tolist() == [1]
    assert run(tf.arg_min(rows, dimension=1, output_type=tf.int32)).tolist() == [0]
    assert run(tf.nn.xw_plus_b(rows, [[1.0], [2.0], [0.5]], [3.0])).tolist() == [[11.0]]
    assert run(tf.random_crop(np.arange(4.0), [4])).tolist() == [0, 1, 2, 3]
    assert not tf.compat.v1.keras.backend.is_sparse(rows)


def test_a_mask_of_numbers():
    """TensorFlow 1.15.5 returned the same."""
    assert run(tf.boolean_mask([1, 2, 3], [0.0, 2.0, 1.0])).tolist() == [2, 3]
    rows = tf.boolean_mask([[1, 2], [3, 4]], tf.one_hot([1, 0], 2))
    assert run(rows).tolist() == [2, 3]


def test_data_files(tmp_path):
    for name in "ab":
        (tmp_path / name).touch()
    files = tf.contrib.slim.parallel_reader.get_data_files
    assert files([f"{tmp_path}/*", "c"]) == [f"{tmp_path}/a", f"{tmp_path}/b", "c"]
    with pytest.raises(ValueError, match="no file matches"):
        files(f"{tmp_path}/c*")


def test_convolution_takes_padding_third_as_1_15_5_does():
    convolution = tf.compat.v1.nn.convolution
    x = np.arange(7.0, dtype="f").reshape(1, 7, 1)
    w = np.array([1.0, 2.0], "f").reshape(2, 1, 1)
    dilated = convolution(x, w, "VALID", dilation_rate=[3])
    first = convolution(x.reshape(1, 1, 7), w, "VALID", data_format="NCW")
    assert run(convolution(x, w, "SAME", [2])).ravel().tolist() == [2, 8, 14, 6]
    assert run(dilated).ravel().tolist() == [6, 9, 12, 15]
    assert run(first).ravel().tolist() == [2, 5, 8, 11, 14, 17]
