"""maximum_shapes, padding_spec and the report of what was padded."""

from __future__ import annotations

import collections
import enum
from typing import Any

import numpy as np
import pytest

import tpuref as tf

AUTO = tf.compat.v1.tpu.PaddingSpec.AUTO
POWER_OF_TWO = tf.compat.v1.tpu.PaddingSpec.POWER_OF_TWO

Pair = collections.namedtuple("Pair", ["first", "second"])


def vectors(count: int = 2) -> list[Any]:
    return [tf.placeholder(tf.float32, [None]) for _ in range(count)]


def padded_shapes() -> list[tuple[int, ...]]:
    return [record.padded_shape for record in tf.padding_report().inputs]


def run_sizes(sizes: list[int], maximum: Any, spec: Any = None) -> Any:
    """Sum vectors of ones of the given sizes and return the padded shape."""
    inputs = vectors(len(sizes))
    out = tf.tpu.replicate(
        tf.reduce_sum,
        [[x] for x in inputs],
        maximum_shapes=maximum,
        padding_spec=spec,
    )
    feed = {x: np.ones([size]) for x, size in zip(inputs, sizes, strict=True)}
    with tf.Session() as session:
        assert session.run(out, feed) == [(float(size),) for size in sizes]
    return padded_shapes()[-1]


# -- the forms of maximum_shapes -----------------------------------------------


@pytest.mark.parametrize(
    "maximum",
    [
        4,
        np.int64(4),
        tf.TensorShape([4]),
        tf.compat.v1.Dimension(4),
        np.array([4]),
        np.array(4, np.int32),
        [4],
        [tf.TensorShape([4])],
        (tf.TensorShape([4]),),
        [tf.compat.v1.Dimension(4)],
        [np.array([4])],
    ],
)
def test_forms_of_a_known_size(maximum: Any) -> None:
    assert run_sizes([2, 3], maximum) == (4,)


@pytest.mark.parametrize(
    "maximum",
    [
        -1,
        tf.TensorShape([None]),
        tf.TensorShape([tf.compat.v1.Dimension(None)]),
        tf.compat.v1.Dimension(None),
        [np.array([-1])],
        [-1],
        [tf.compat.v1.Dimension(None)],
        [tf.TensorShape([None])],
    ],
)
def test_forms_of_an_unknown_size(maximum: Any) -> None:
    assert run_sizes([2, 3], maximum) == (3,)


def test_a_constant_tensor_is_a_shape() -> None:
    assert run_sizes([2, 3], [tf.constant([-1])]) == (3,)
    assert run_sizes([2, 3], tf.constant([4])) == (4,)


def test_a_tensor_without_a_known_value_is_no_shape() -> None:
    shape = tf.placeholder(tf.int32, [1])
    with pytest.raises(TypeError, match=r"maximum_shapes\[0\].*unknown when"):
        tf.tpu.replicate(lambda x: x, [[x] for x in vectors()], maximum_shapes=[shape])


def test_nested_shapes_follow_nested_inputs(evaluate: Any) -> None:
    a, b, c, d = vectors(4)
    inputs = [[{"k": a, "p": Pair(b, [b])}], [{"k": c, "p": Pair(d, [d])}]]
    shape = tf.TensorShape([None])
    maximum = [{"p": Pair(tf.TensorShape([9]), [shape]), "k": 5}]
    out = tf.tpu.replicate(
        lambda t: tf.nest.map_structure(tf.reduce_sum, t),
        inputs,
        maximum_shapes=maximum,
    )
    feed = {x: np.ones(k + 1) for k, x in enumerate((a, b, c, d))}
    assert evaluate(out, feed) == [
        [{"k": 1.0, "p": Pair(2.0, [2.0])}][0],
        {"k": 3.0, "p": Pair(4.0, [4.0])},
    ]
    names = {r.name: r.padded_shape for r in tf.padding_report().inputs}
    assert names == {
        "input[0]['k']": (5,),
        "input[0]['p'].first": (9,),
        "input[0]['p'].second[0]": (4,),
    }


def test_none_leaves_an_input_unpadded(evaluate: Any) -> None:
    x, y = vectors()
    out = tf.tpu.replicate(
        lambda a, b: (tf.reduce_sum(a), b),
        [[x, [1.0]], [y, [2.0]]],
        maximum_shapes=[tf.TensorShape([4]), [None]],
    )
    first, second = evaluate(out, {x: [1.0], y: [1.0, 2.0]})
    assert first[0] == 1.0 and second[0] == 3.0
    assert [record.index for record in tf.padding_report().inputs] == [0]


def test_one_shape_per_input(evaluate: Any) -> None:
    x, y = vectors()
    m, n = (tf.placeholder(tf.float32, [None, 2]) for _ in range(2))
    out = tf.tpu.replicate(
        lambda a, b: tf.reduce_sum(a) + tf.reduce_sum(b),
        [[x, m], [y, n]],
        maximum_shapes=(tf.TensorShape([4]), tf.TensorShape([3, 2])),
    )
    feed = {x: [1.0], y: [1.0, 1.0], m: np.ones([3, 2]), n: np.ones([1, 2])}
    assert evaluate(out, feed) == [(7.0,), (4.0,)]
    assert padded_shapes() == [(4,), (3, 2)]


def test_scalars_have_nothing_to_pad(evaluate: Any) -> None:
    out = tf.tpu.replicate(
        lambda x: x, [[1.0], [2.0]], maximum_shapes=[tf.TensorShape([])]
    )
    assert evaluate(out) == [(1.0,), (2.0,)]
    (record,) = tf.padding_report().inputs
    assert (record.padded_shape, record.waste, record.forced_by) == ((), 0.0, ())


# -- errors while the graph is built -------------------------------------------


@pytest.mark.parametrize(
    "maximum",
    [
        [tf.TensorShape([4])],
        [tf.TensorShape([4])] * 3,
        [],
        tf.TensorShape([4]),
        4,
        tf.compat.v1.Dimension(4),
        {"a": tf.TensorShape([4]), "b": tf.TensorShape([4])},
    ],
)
def test_the_structure_for_two_inputs(maximum: Any) -> None:
    x, y = vectors()
    with pytest.raises(ValueError, match="maximum_shapes"):
        tf.tpu.replicate(lambda a, b: None, [[x, y]] * 2, maximum_shapes=maximum)


@pytest.mark.parametrize(
    ("make", "maximum"),
    [
        (lambda x: x, {"a": tf.TensorShape([4])}),
        (lambda x: x, [tf.TensorShape([4])]),
        (lambda x: {"a": x}, tf.TensorShape([4])),
        (lambda x: {"a": x}, {"b": tf.TensorShape([4])}),
        (lambda x: {"a": x}, {"a": tf.TensorShape([4]), "b": tf.TensorShape([4])}),
        (lambda x: {"a": x}, {}),
        (lambda x: [x, x], [tf.TensorShape([4])]),
        (lambda x: [x], (tf.TensorShape([4]),)),
        (lambda x: (x,), [tf.TensorShape([4])]),
        (lambda x: Pair(x, x), (tf.TensorShape([4]), tf.TensorShape([4]))),
    ],
)
def test_the_structure_of_each_input(make: Any, maximum: Any) -> None:
    x, y = vectors()
    with pytest.raises(ValueError, match=r"structure of maximum_shapes\[0\]"):
        tf.tpu.replicate(
            lambda v: None, [[make(x)], [make(y)]], maximum_shapes=[maximum]
        )


def test_a_bare_shape_needs_a_bare_input() -> None:
    x, y = vectors()
    with pytest.raises(ValueError, match="structure of maximum_shapes"):
        tf.tpu.replicate(
            lambda v: None, [[[x]], [[y]]], maximum_shapes=tf.TensorShape([4])
        )


@pytest.mark.parametrize("maximum", ["4", 4.0, True, np.array([4.0]), object(), int])
def test_what_is_no_shape(maximum: Any) -> None:
    with pytest.raises(TypeError, match="maximum_shapes"):
        tf.tpu.replicate(
            lambda v: None, [[x] for x in vectors()], maximum_shapes=[maximum]
        )


def test_a_class_is_no_shape() -> None:
    with pytest.raises(TypeError, match="maximum_shapes"):
        tf.tpu.replicate(
            lambda v: None, [[x] for x in vectors()], maximum_shapes=tf.TensorShape
        )


def test_negative_sizes_other_than_minus_one() -> None:
    with pytest.raises(ValueError, match=r"maximum_shapes\[0\] has the dimension -2"):
        tf.tpu.replicate(lambda v: None, [[x] for x in vectors()], maximum_shapes=[-2])


def test_a_shape_of_unknown_rank() -> None:
    with pytest.raises(ValueError, match=r"maximum_shapes\[0\].*unknown rank"):
        tf.tpu.replicate(
            lambda v: None,
            [[x] for x in vectors()],
            maximum_shapes=[tf.TensorShape(None)],
        )


def test_an_input_of_unknown_rank() -> None:
    x = tf.placeholder(tf.float32)
    with pytest.raises(ValueError, match=r"inputs\[0\]\[0\].*unknown rank.*set_shape"):
        tf.tpu.replicate(lambda v: None, [[x]], maximum_shapes=[4])


def test_static_sizes_have_to_fit() -> None:
    small, large = tf.zeros([2, 3]), tf.zeros([2, 5])
    with pytest.raises(ValueError, match=r"exceeds.*\[None, 4\].*dimension 1: 5 > 4"):
        tf.tpu.replicate(
            lambda v: None, [[small], [large]], maximum_shapes=[np.array([-1, 4])]
        )
    with pytest.raises(ValueError, match=r"inputs\[0\]\[0\]\['k'\]"):
        tf.tpu.replicate(
            lambda v: None, [[{"k": large}]], maximum_shapes=[{"k": np.array([2, 4])}]
        )


def test_all_replicas_too_large_is_an_error_too() -> None:
    with pytest.raises(ValueError, match="exceeds"):
        tf.tpu.replicate(
            lambda v: None, [[tf.zeros([5])]] * 2, maximum_shapes=[tf.TensorShape([4])]
        )


@pytest.mark.parametrize("maximum", [[2], [2, 2, 2], []])
def test_ranks_have_to_agree(maximum: Any) -> None:
    with pytest.raises(ValueError, match=f"has rank 2, .*has rank {len(maximum)}"):
        tf.tpu.replicate(
            lambda v: None,
            [[tf.zeros([2, 2])]],
            maximum_shapes=[np.array(maximum, int)],
        )


@pytest.mark.parametrize("spec", ["POWER_OF_TWO", 1.0, True, object(), [1]])
def test_what_is_no_padding_spec(spec: Any) -> None:
    with pytest.raises(TypeError, match="padding_spec must be"):
        tf.tpu.replicate(lambda v: None, [[1.0]], padding_spec=spec)


@pytest.mark.parametrize("spec", [2, -1, 7])
def test_an_unknown_padding_spec(spec: int) -> None:
    with pytest.raises(ValueError, match=f"padding_spec must be one of.*{spec}"):
        tf.tpu.replicate(lambda v: None, [[1.0]], padding_spec=spec)


# -- errors at evaluation ------------------------------------------------------


def test_fed_sizes_have_to_fit(session: Any) -> None:
    x, y = vectors()
    out = tf.tpu.replicate(lambda v: v, [[x], [y]], maximum_shapes=[4])
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        session.run(out, {x: np.ones(2), y: np.ones(5)})
    message = str(raised.value)
    assert "input[0]: replica 1 has shape [5]" in message
    assert "exceeds the 4 of maximum_shapes [4]" in message


def test_the_rank_is_checked_at_evaluation_too(session: Any) -> None:
    x = tf.placeholder(tf.float32, [None])
    y = tf.py_func(lambda a: a.reshape([1, -1]), [x], tf.float32)
    y.set_shape([None])  # which is wrong
    out = tf.tpu.replicate(lambda v: v, [[x], [y]], maximum_shapes=[4])
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected rank 1"):
        session.run(out, {x: [1.0]})


# -- policies ------------------------------------------------------------------


def test_the_policies_are_an_integer_enumeration() -> None:
    assert issubclass(tf.compat.v1.tpu.PaddingSpec, enum.IntEnum)
    assert [(m.name, m.value) for m in tf.tpu.PaddingSpec] == [
        ("AUTO", 0),
        ("POWER_OF_TWO", 1),
    ]


@pytest.mark.parametrize("spec", [None, AUTO, 0])
def test_auto_pads_to_the_largest_replica(spec: Any) -> None:
    assert run_sizes([3, 5, 1], [tf.TensorShape([None])], spec) == (5,)


@pytest.mark.parametrize(
    ("largest", "bucket"),
    [(0, 2), (1, 2), (2, 2), (3, 4), (4, 4), (5, 8), (8, 8), (9, 16), (17, 32)],
)
@pytest.mark.parametrize("spec", [POWER_OF_TWO, 1])
def test_power_of_two_rounds_the_largest_up(
    largest: int, bucket: int, spec: Any
) -> None:
    assert run_sizes([0, largest], [tf.TensorShape([None])], spec) == (bucket,)


def test_a_known_maximum_is_not_rounded() -> None:
    assert run_sizes([2, 3], [tf.TensorShape([5])], POWER_OF_TWO) == (5,)


def test_sizes_known_to_be_equal_are_not_rounded(evaluate: Any) -> None:
    x, y = (tf.placeholder(tf.float32, [None, 3]) for _ in range(2))
    out = tf.tpu.replicate(
        tf.reduce_sum,
        [[x], [y]],
        maximum_shapes=[tf.TensorShape([None, None])],
        padding_spec=POWER_OF_TWO,
    )
    evaluate(out, {x: np.ones([3, 3]), y: np.ones([5, 3])})
    assert padded_shapes() == [(8, 3)]


def test_sizes_known_to_differ_are_rounded(evaluate: Any) -> None:
    out = tf.tpu.replicate(
        tf.reduce_sum,
        [[tf.ones([3])], [tf.ones([5])]],
        maximum_shapes=[tf.TensorShape([None])],
        padding_spec=POWER_OF_TWO,
    )
    assert evaluate(out) == [(3.0,), (5.0,)]
    assert padded_shapes() == [(8,)]


def test_without_maximum_shapes_the_policy_does_nothing(evaluate: Any) -> None:
    x, y = vectors()
    out = tf.tpu.replicate(tf.reduce_sum, [[x], [y]], padding_spec=POWER_OF_TWO)
    assert evaluate(out, {x: [1.0], y: [1.0, 1.0, 1.0]}) == [(1.0,), (3.0,)]
    assert tf.padding_report().inputs == ()


# -- the computation works on true sizes ---------------------------------------


@pytest.mark.parametrize("spec", [AUTO, POWER_OF_TWO])
@pytest.mark.parametrize("maximum", [None, 16])
def test_results_are_those_of_the_unpadded_data(
    spec: Any, maximum: Any, evaluate: Any
) -> None:
    x, y = (tf.placeholder(tf.float32, [None, 2]) for _ in range(2))

    def computation(v: Any) -> Any:
        return {
            "same": v,
            "mean": tf.reduce_mean(v),
            "max": tf.reduce_max(v, axis=0),
            "min": tf.reduce_min(v),
            "product": tf.reduce_prod(v),
            "shape": tf.shape(v),
            "matmul": tf.matmul(v, v, transpose_b=True),
            "softmax": tf.nn.softmax(v, axis=0),
        }

    out = tf.tpu.replicate(
        computation,
        [[x], [y]],
        maximum_shapes=[tf.TensorShape([maximum, None])],
        padding_spec=spec,
    )
    rng = np.random.default_rng(5)
    feed = {x: -1 - rng.random([3, 2]), y: -1 - rng.random([5, 2])}
    with tf.Session() as session:
        for result, data in zip(session.run(out, feed), feed.values(), strict=True):
            alone = tf.Session().run(computation(tf.constant(data, tf.float32)))
            for key, value in alone.items():
                assert np.array_equal(result[key], value), key


def test_the_static_shape_is_what_all_replicas_share() -> None:
    seen: list[Any] = []

    def record(x: Any) -> None:
        seen.append(x.shape.as_list())

    a, b = tf.zeros([2, 3]), tf.zeros([4, 3])
    tf.tpu.replicate(record, [[a], [b]], maximum_shapes=[tf.TensorShape([8, None])])
    tf.tpu.replicate(record, [[a], [a]], maximum_shapes=[tf.TensorShape([8, None])])
    assert seen == [[None, 3], [2, 3]]


@pytest.mark.parametrize("dtype", [tf.bool, tf.int32, tf.bfloat16, tf.complex64])
def test_every_dtype_is_padded_with_zeros(dtype: Any, session: Any) -> None:
    x, y = (tf.placeholder(dtype, [None]) for _ in range(2))
    out = tf.tpu.replicate(lambda v: v, [[x], [y]], maximum_shapes=[-1])
    feed = {x: np.ones(1), y: np.ones(3)}
    feed = {k: v.astype(dtype.as_numpy_dtype) for k, v in feed.items()}
    with tf.config.override(padding_visible=True):
        (first,), (second,) = session.run(out, feed)
    assert first.dtype == dtype.as_numpy_dtype
    assert first.astype(np.complex128).tolist() == [1.0, 0.0, 0.0]
    assert second.astype(np.complex128).tolist() == [1.0, 1.0, 1.0]


def test_padding_can_be_made_visible_for_study(session: Any) -> None:
    with tf.config.override(padding_visible=True):
        a, b = tf.constant([[1.0, 2.0]]), tf.constant([[3.0], [4.0], [5.0]])
        out = tf.tpu.replicate(
            lambda v: (v, tf.reduce_mean(v)),
            [[a], [b]],
            maximum_shapes=[np.array([4, -1])],
        )
        (first, mean), (second, _) = session.run(out)
    assert first.tolist() == [[1.0, 2.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]
    assert second.tolist() == [[3.0, 0.0], [4.0, 0.0], [5.0, 0.0], [0.0, 0.0]]
    assert mean == 3.0 / 8.0


def test_visible_padding_is_seen_in_static_and_true_shapes(session: Any) -> None:
    seen: list[Any] = []

    def computation(v: Any) -> Any:
        seen.append(v.shape.as_list())
        return tf.shape(v)

    a = tf.zeros([2, 3])
    with tf.config.override(padding_visible=True):
        out = tf.tpu.replicate(
            computation, [[a], [a]], maximum_shapes=[np.array([4, -1])]
        )
        assert session.run(out)[1][0].tolist() == [4, 3]
    assert seen == [[None, None]]


# -- the report ----------------------------------------------------------------


def test_the_report_tells_shapes_waste_and_the_cause(evaluate: Any) -> None:
    inputs = [tf.placeholder(tf.float32, [None, None]) for _ in range(3)]
    out = tf.tpu.replicate(
        tf.reduce_sum, [[x] for x in inputs], maximum_shapes=[np.array([-1, 4])]
    )
    shapes = [(2, 3), (5, 1), (5, 2)]
    evaluate(out, {x: np.ones(s) for x, s in zip(inputs, shapes, strict=True)})
    (record,) = tf.padding_report().inputs
    assert record.true_shapes == tuple(shapes)
    assert record.padded_shape == (5, 4)
    assert record.forced_by == (1, None)  # the first of the largest; the size was given
    assert record.waste == pytest.approx(1 - (6 + 5 + 10) / (3 * 20))
    assert record.operation.endswith("TPUReplicate")
    text = str(tf.padding_report())
    assert (
        "[5, 4]" in text and "65% waste" in text and "dimension 0 by replica 1" in text
    )


def test_the_report_counts_compilations(evaluate: Any) -> None:
    x, y = vectors()
    out = tf.tpu.replicate(
        tf.reduce_sum,
        [[x], [y]],
        maximum_shapes=[tf.TensorShape([None])],
        padding_spec=POWER_OF_TWO,
    )
    counts = []
    for size in (5, 7, 8, 6, 9, 5):
        evaluate(out, {x: np.ones(size), y: np.ones(1)})
        counts.append(tf.padding_report().compilations)
    assert counts == [1, 1, 1, 1, 2, 2]


def test_unpadded_inputs_count_as_compiled_shapes(evaluate: Any) -> None:
    x, y = vectors()
    out = tf.tpu.replicate(
        lambda a, b: tf.reduce_sum(a) + tf.reduce_sum(b),
        [[x, y], [x, y]],
        maximum_shapes=[tf.TensorShape([8]), None],
    )
    for size in (1, 2, 1):
        evaluate(out, {x: np.ones(3), y: np.ones(size)})
    assert tf.padding_report().compilations == 2


def test_the_report_adds_up_over_computations(evaluate: Any) -> None:
    x, y = vectors()
    assert str(tf.padding_report()) == "no input was padded"
    for _ in range(2):
        out = tf.tpu.replicate(lambda a, b: None, [[x, y]], maximum_shapes=[4, 4])
        evaluate(out, {x: [1.0], y: [1.0]})
    report = tf.padding_report()
    assert len(report.inputs) == 4 and report.compilations == 2


def test_the_report_is_that_of_one_graph(evaluate: Any) -> None:
    graph = tf.get_default_graph()
    out = tf.tpu.replicate(
        lambda a: None, [[tf.zeros([1])]], maximum_shapes=[tf.TensorShape([2])]
    )
    evaluate(out)
    with tf.Graph().as_default():
        assert tf.padding_report().inputs == ()
        assert len(tf.padding_report(graph).inputs) == 1


def test_an_empty_input_wastes_its_whole_buffer(evaluate: Any) -> None:
    x = tf.placeholder(tf.float32, [None])
    out = tf.tpu.replicate(lambda a: a, [[x]], maximum_shapes=[tf.TensorShape([4])])
    assert evaluate(out, {x: []})[0][0].shape == (0,)
    assert tf.padding_report().inputs[0].waste == 1.0
    assert run_sizes([0, 0], [tf.TensorShape([None])]) == (0,)


def test_eager_mode_pads_and_reports() -> None:
    with tf.eager_execution():
        ((a,), (b,)) = tf.tpu.replicate(
            tf.reduce_mean,
            [[tf.ones([3])], [tf.ones([5]) * 2.0]],
            maximum_shapes=[tf.TensorShape([None])],
            padding_spec=POWER_OF_TWO,
        )
        assert (float(a), float(b)) == (1.0, 2.0)
        assert padded_shapes() == [(8,)]
