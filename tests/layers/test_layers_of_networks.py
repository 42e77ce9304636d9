"""Layers: names, values, moving averages, subclasses."""

import numpy as np
import pytest

import tpuref as tf

IMAGES = np.sin(np.arange(2 * 7 * 6 * 3) * 1.3).reshape(2, 7, 6, 3).astype("f")


def names(collection):
    return [v.name for v in tf.get_collection(collection)]


def test_variables_and_operations_are_named_as_in_1_15():
    y = tf.layers.conv2d(tf.placeholder(tf.float32, [4, 8, 8, 3]), 4, 3)
    y = tf.layers.batch_normalization(y, training=True)
    y = tf.layers.flatten(tf.layers.max_pooling2d(y, 2, 2))
    assert y.name == "flatten/Reshape:0"
    assert tf.layers.dense(y, 5).name == "dense/BiasAdd:0"
    tf.layers.dense(y, 5, name="named")
    tf.layers.dense(y, 5)
    with tf.variable_scope("a"):
        tf.layers.dense(y, 2)
    assert names(tf.GraphKeys.GLOBAL_VARIABLES) == [
        f"{layer}/{variable}:0"
        for layer, variables in {
            "conv2d": ["kernel", "bias"],
            "batch_normalization": ["gamma", "beta", "moving_mean", "moving_variance"],
            "dense": ["kernel", "bias"],
            "named": ["kernel", "bias"],
            "dense_1": ["kernel", "bias"],
            "a/dense": ["kernel", "bias"],
        }.items()
        for variable in variables
    ]
    assert [tensor.op.name for tensor in tf.get_collection("update_ops")] == [
        "batch_normalization/AssignMovingAvg",
        "batch_normalization/AssignMovingAvg_1",
    ]
    assert not [n for n in names("trainable_variables") if "moving" in n]


def test_an_object_counts_from_one_and_its_scope_from_none():
    first, second = tf.layers.Dense(3), tf.layers.Dense(3)
    assert [first.name, second.name] == ["dense_1", "dense_2"]
    second(tf.ones([2, 3]))
    assert [v.name for v in second.variables] == ["dense/kernel:0", "dense/bias:0"]
    assert second.scope_name == "dense"
    with pytest.raises(ValueError, match="call it"):
        assert first.scope_name


def test_a_second_call_shares_variables_and_names_go_on():
    layer = tf.layers.Dense(3)
    outputs = [layer(tf.ones([2, 3])) for _ in range(2)]
    assert [y.name for y in outputs] == ["dense/BiasAdd:0", "dense/BiasAdd_1:0"]
    assert len(tf.global_variables()) == 2


def test_reuse_shares_what_a_name_has():
    x = tf.ones([2, 3])
    tf.layers.dense(x, 4, name="d")
    with pytest.raises(ValueError, match="already exists"):
        tf.layers.dense(x, 4, name="d")
    tf.layers.dense(x, 4, name="d", reuse=True)
    with tf.variable_scope("", reuse=tf.AUTO_REUSE):
        tf.layers.dense(x, 4, name="d")
    with pytest.raises(ValueError, match="does not exist"):
        tf.layers.dense(x, 4, name="other", reuse=True)
    assert len(tf.global_variables()) == 2


def test_scopes_give_initializer_and_regularizer(evaluate):
    with tf.variable_scope(
        "s", initializer=tf.ones_initializer(), regularizer=tf.nn.l2_loss
    ):
        y = tf.layers.dense(tf.ones([1, 4]), 2, use_bias=False)
    assert evaluate(y).tolist() == [[4.0, 4.0]]
    assert evaluate(tf.losses.get_regularization_loss()) == 4.0


def test_regularization_losses_join_once(evaluate):
    decay = tf.contrib.layers.l2_regularizer(0.5)
    layer = tf.layers.Dense(
        2, kernel_regularizer=decay, kernel_initializer=tf.ones_initializer()
    )
    for _ in range(2):
        layer(tf.ones([1, 4]))
    tf.layers.conv2d(
        tf.ones([1, 3, 3, 1]),
        1,
        3,
        activity_regularizer=lambda y: 2.0 + 0.0 * tf.reduce_sum(y),
        trainable=False,
    )
    found = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    assert found[:1] == layer.losses
    assert evaluate(found) == [2.0, 2.0]
    assert names("trainable_variables") == ["dense/kernel:0", "dense/bias:0"]


def convolved(images, kernel, strides, padding, rate=1):
    """Convolve by tf.nn, whose values tests/ops compares with their definition."""
    with tf.Graph().as_default(), tf.Session() as session:
        y = tf.nn.conv2d(images, kernel, strides, padding.upper(), dilations=rate)
        return session.run(y)


@pytest.mark.parametrize("data_format", ["channels_last", "channels_first"])
@pytest.mark.parametrize("padding", ["same", "valid"])
@pytest.mark.parametrize(("strides", "rate"), [((1, 1), 1), ((2, 3), 1), ((1, 1), 2)])
def test_conv2d_is_that_of_nn(padding, strides, rate, data_format, evaluate):
    kernel = np.cos(np.arange(3 * 2 * 3 * 4) * 0.7).reshape(3, 2, 3, 4)
    lead = data_format == "channels_first"
    y = tf.layers.conv2d(
        tf.constant(np.moveaxis(IMAGES, 3, 1) if lead else IMAGES),
        4,
        (3, 2),
        strides,
        padding,
        data_format,
        rate,
        kernel_initializer=tf.constant_initializer(kernel),
        bias_initializer=tf.constant_initializer(0.5),
    )
    wanted = convolved(IMAGES, kernel, strides, padding, rate) + 0.5
    found = np.moveaxis(evaluate(y), 1, 3) if lead else evaluate(y)
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
    assert y.shape.as_list() == list(evaluate(y).shape)


@pytest.mark.parametrize("padding", ["same", "valid"])
@pytest.mark.parametrize("strides", [1, 2, (3, 2)])
def test_conv2d_transpose_is_the_gradient_of_conv2d(padding, strides, evaluate):
    kernel = np.cos(np.arange(3 * 3 * 4 * 3) * 0.7).reshape(3, 3, 4, 3)
    start = tf.constant_initializer(kernel)
    layer = tf.layers.Conv2DTranspose(
        4, 3, strides, padding, use_bias=False, kernel_initializer=start
    )
    batch = tf.placeholder(tf.float32, [None, 7, 6, 3])
    y = layer(batch)
    assert y.shape.as_list()[0] is None
    x = tf.zeros([2, *y.shape.as_list()[1:]])
    forward = tf.nn.conv2d(x, kernel.astype("f"), strides, padding.upper())
    assert forward.shape.as_list() == [2, 7, 6, 3]
    (wanted,) = tf.gradients(forward, x, grad_ys=tf.constant(IMAGES))
    found, gradient = evaluate([y, wanted], {batch: IMAGES})
    np.testing.assert_allclose(found, gradient, rtol=1e-5, atol=1e-5)


def test_separable_conv2d_is_one_convolution_per_channel_and_one_across(evaluate):
    layer = tf.layers.SeparableConv2D(5, 3, 2, "same", depth_multiplier=2)
    found, depthwise, pointwise = evaluate(
        [layer(tf.constant(IMAGES)), layer.depthwise_kernel, layer.pointwise_kernel]
    )
    each = [
        convolved(IMAGES[..., c : c + 1], depthwise[:, :, c : c + 1], (2, 2), "same")
        for c in range(3)
    ]
    wanted = np.concatenate(each, -1) @ pointwise[0, 0]
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


def test_conv1d_is_conv2d_with_one_row(evaluate):
    kernel = np.cos(np.arange(3 * 3 * 4) * 0.7).reshape(3, 3, 4)
    start = tf.constant_initializer(kernel)
    y = tf.layers.conv1d(
        tf.constant(IMAGES[0]), 4, 3, 2, "same", kernel_initializer=start
    )
    wanted = convolved(IMAGES[0][:, None], kernel[None], (1, 2), "same")[:, 0]
    np.testing.assert_allclose(evaluate(y), wanted, rtol=1e-4, atol=1e-5)


def test_dense_of_more_axes_and_of_bfloat16(evaluate):
    x = tf.placeholder(tf.float32, [None, 5, 3])
    y = tf.layers.dense(x, 4, "relu", kernel_initializer="ones", name="d")
    assert y.shape.as_list() == [None, 5, 4]
    given = IMAGES[0, :2, :5]
    wanted = np.maximum(given.sum(-1, keepdims=True), 0).repeat(4, -1)
    np.testing.assert_allclose(evaluate(y, {x: given}), wanted, rtol=1e-5, atol=1e-6)
    with tf.tpu.bfloat16_scope():
        narrow = tf.layers.dense(tf.ones([2, 3], tf.bfloat16), 4)
    assert narrow.dtype == tf.bfloat16
    assert {v.dtype for v in tf.global_variables()} == {tf.float32}


def test_pooling_and_flatten_of_channels_first(evaluate):
    lead = tf.constant(np.moveaxis(IMAGES, 3, 1))
    pooled = tf.layers.max_pooling2d(lead, 2, 2, data_format="channels_first")
    blocks = IMAGES[:, :6].reshape(2, 3, 2, 3, 2, 3)
    assert (np.moveaxis(evaluate(pooled), 1, 3) == blocks.max((2, 4))).all()
    means = tf.layers.average_pooling2d(tf.constant(IMAGES), 2, 2)
    np.testing.assert_allclose(evaluate(means), blocks.mean((2, 4)), rtol=1e-6)
    flat = tf.layers.flatten(lead, data_format="channels_first")
    assert (evaluate(flat) == IMAGES.reshape(2, -1)).all()


def test_dropout_keeps_the_mean_and_drops_only_while_training(evaluate):
    x, training = tf.ones([10_000]), tf.placeholder(tf.bool, [])
    y = tf.layers.dropout(x, 0.25, seed=1, training=training)
    kept = evaluate(y, {training: True})
    assert set(kept.tolist()) == {0.0, np.float32(4 / 3)}
    assert abs(kept.mean() - 1) < 0.03
    assert (evaluate(y, {training: False}) == 1).all()
    rows = tf.layers.Dropout(0.5, [None, 1], 1)(tf.ones([50, 3]), training=True)
    assert all(len(set(row)) == 1 for row in evaluate(rows).tolist())


# TensorFlow 1.15.5, momentum 0.9, after two updates.
AVERAGES = {
    True: ([0.018346, 0.027627], [0.917135, 0.909865]),
    False: ([0.018346, 0.027627], [0.903743, 0.897382]),
}


@pytest.mark.parametrize("fused", [True, False])
@pytest.mark.parametrize("known", [True, False])
def test_moving_averages_are_those_of_1_15(fused, known, evaluate):
    x = tf.constant(np.sin(np.arange(16)).reshape(2, 2, 2, 2).astype("f"))
    training = True if known else tf.placeholder(tf.bool, [])
    feeds = [None, None] if known else [{training: k} for k in (True, False)]
    layer = tf.layers.BatchNormalization(momentum=0.9, fused=fused)
    y = layer(x, training=training)
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    assert updates == layer.updates
    found = evaluate([y, updates], feeds[0])[0]
    np.testing.assert_allclose(found.mean((0, 1, 2)), 0, atol=1e-6)
    evaluate(updates, feeds[0])
    averages = [layer.moving_mean, layer.moving_variance]
    for found, wanted in zip(evaluate(averages), AVERAGES[fused], strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-6)
    if not known:
        before = evaluate(averages)
        plain = evaluate([y, updates], feeds[1])[0]
        assert all(map(np.array_equal, before, evaluate(averages)))
        wanted = (np.sin(np.arange(16)).reshape(2, 2, 2, 2) - before[0]) / np.sqrt(
            before[1] + 1e-3
        )
        np.testing.assert_allclose(plain, wanted, rtol=1e-5, atol=1e-6)


def test_without_training_there_are_no_updates():
    tf.layers.batch_normalization(tf.ones([2, 3]), training=False)
    assert not tf.get_collection(tf.GraphKeys.UPDATE_OPS)


class AcrossReplicas(tf.layers.BatchNormalization):
    """Batch normalization as programs write it for several cores."""

    def _moments(self, inputs, reduction_axes, keep_dims):
        mean, variance = super()._moments(inputs, reduction_axes, keep_dims)
        mean_of_squares = tf.tpu.cross_replica_sum(variance + mean * mean) / 8
        mean = tf.tpu.cross_replica_sum(mean) / 8
        return mean, mean_of_squares - mean * mean


def test_moments_across_replicas_are_those_of_the_whole_batch(evaluate):
    parts = np.split(np.sin(np.arange(192.0)).reshape(16, 4, 3).astype("f"), 8)

    def computation(x):
        layer = AcrossReplicas(fused=False, epsilon=0.0, momentum=0.5, name="bn")
        y = layer(x, training=True)
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            return tf.identity(y)

    y = tf.tpu.replicate(computation, [[tf.constant(part)] for part in parts])
    whole = np.concatenate(parts).astype(float)
    mean, variance = whole.mean((0, 1)), whole.var((0, 1))
    found = np.concatenate([part for (part,) in evaluate(y)])
    averages = evaluate(tf.global_variables()[2:])
    np.testing.assert_allclose(
        found, (whole - mean) / np.sqrt(variance), rtol=1e-3, atol=1e-5
    )
    np.testing.assert_allclose(averages[0], mean / 2, atol=1e-6)
    np.testing.assert_allclose(averages[1], variance / 2 + 0.5, atol=1e-6)


# TensorFlow 1.15.5, third step: outputs, gradient of beta, then all variables
RENORMALIZED = [
    [[0.6345, 1.6479], [-0.4609, 0.3419], [-0.6567, 0.1566], [1.0489, -0.7757]],
    [6.439, 10.376],
    [[1.0, 1.0], [0.0, 0.0], [0.0492, 0.2377], [1.2346, 1.7119], [1.1156, 1.3122],
     [0.174, 0.5911], [1.2199, 1.7139]],
]  # fmt: skip


@pytest.mark.parametrize("fed", [False, True])
def test_renormalization_is_that_of_1_15(fed, evaluate):
    batches = np.random.RandomState(2).randn(3, 4, 2).astype("f") * 2 + 1
    x = tf.placeholder(tf.float32, [4, 2])
    training = tf.placeholder(tf.bool, []) if fed else True
    y = tf.layers.batch_normalization(
        x,
        momentum=0.9,
        epsilon=0.01,
        training=training,
        renorm=True,
        renorm_clipping={"rmin": 0.5, "rmax": 1.5, "dmax": 0.4},
        renorm_momentum=0.7,
    )
    gradient = tf.gradients(tf.reduce_sum(y**3), tf.trainable_variables()[1])[0]
    assert names(tf.GraphKeys.GLOBAL_VARIABLES)[4:] == [
        f"batch_normalization/{name}:0"
        for name in ("moving_stddev", "renorm_mean", "renorm_stddev")
    ]
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    for batch in batches:
        feeds = {x: batch, training: True} if fed else {x: batch}
        found = evaluate([y, gradient], feeds)
        evaluate(updates, feeds)
    variables = evaluate(tf.global_variables())
    if fed:
        moments = batches[2] - variables[2], variables[3] + 0.01
        expected = moments[0] / np.sqrt(moments[1])
        feeds[training] = False
        evaluate(updates, feeds)
        np.testing.assert_array_equal(evaluate(tf.global_variables()), variables)
        np.testing.assert_allclose(evaluate(y, feeds), expected, atol=1e-6)
    np.testing.assert_allclose(found[0], RENORMALIZED[0], atol=6e-5)
    np.testing.assert_allclose(found[1], RENORMALIZED[1], atol=6e-4)
    np.testing.assert_allclose(variables, RENORMALIZED[2], atol=6e-5)


class Mixed(tf.layers.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.inner = tf.layers.Dense(2, kernel_initializer="ones")
        self.several = [tf.layers.BatchNormalization()]

    def build(self, input_shape):
        self.shift = self.add_variable("shift", [2], trainable=False)

    def call(self, inputs, twice=False):
        y = self.inner(inputs) + self.shift
        return self.several[0](y, training=True) * (2 if twice else 1)


def test_a_subclass_has_the_variables_of_layers_inside_it():
    layer = Mixed()
    layer(np.ones([2, 3]), twice=True)
    assert layer.built and layer.dtype == "float64"
    assert [v.name for v in layer.trainable_weights] == [
        "mixed/dense/kernel:0",
        "mixed/dense/bias:0",
        "mixed/batch_normalization/gamma:0",
        "mixed/batch_normalization/beta:0",
    ]
    assert [v.name.rsplit("/", 1)[1] for v in layer.non_trainable_variables] == [
        "shift:0",
        "moving_mean:0",
        "moving_variance:0",
    ]
    assert layer.count_params() == 18 and len(layer.updates) == 2
    layer.trainable = False
    assert layer.non_trainable_weights[0].name == "mixed/shift:0"


def test_names_of_classes_are_spelled_in_lower_case():
    class TPUBatchNorm2D(tf.layers.Layer):
        pass

    assert TPUBatchNorm2D().name == "tpu_batch_norm2d_1"
    with pytest.raises(TypeError):
        tf.layers.Layer(size=3)


def test_layer_norm(evaluate):
    y = tf.contrib.layers.layer_norm(tf.constant(IMAGES), begin_norm_axis=-1)
    wanted = IMAGES - IMAGES.mean(-1, keepdims=True)
    wanted /= IMAGES.std(-1, keepdims=True)
    np.testing.assert_allclose(evaluate(y), wanted, rtol=1e-4, atol=1e-5)
    assert names("variables") == ["LayerNorm/beta:0", "LayerNorm/gamma:0"]


def normalized(**given):
    return tf.layers.batch_normalization(tf.ones([2, 3]), training=True, **given)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: normalized(renorm=True, fused=True), "fused=False with renorm=True"),
        (
            lambda: normalized(renorm=True, renorm_clipping={"max": 2.0}),
            "renorm_clipping: expected",
        ),
        (lambda: normalized(virtual_batch_size=2), "virtual_batch_size"),
        (lambda: normalized(fused=True), "fused=True takes images"),
        (lambda: normalized(axis=2), "no axis 2"),
        (lambda: tf.layers.dense(tf.ones([3]), 2), "rank 2 or more"),
        (lambda: tf.layers.Conv2D(2, (3, 3, 3)), "kernel_size"),
        (lambda: tf.layers.Conv2D(2, 3, padding="full"), "'same' or 'valid'"),
        (lambda: tf.layers.Conv2D(2, 3, data_format="NHWC"), "channels_last"),
        (lambda: tf.layers.conv2d(tf.ones([2, 3, 4]), 2, 3), "rank 4"),
        (lambda: tf.layers.Dense(2, "swoosh"), "no activation named 'swoosh'"),
        (lambda: tf.layers.Dense(2, kernel_initializer="x"), "no initializer named"),
        (lambda: tf.contrib.layers.l2_regularizer(-1), "0 or more"),
        (lambda: tf.contrib.layers.layer_norm(tf.ones([3])), "known sizes"),
    ],
)
def test_errors_say_what_is_expected(build, words):
    with pytest.raises(ValueError, match=words):
        build()


def test_a_layer_keeps_its_variables_in_eager_mode(eager):
    layer = tf.layers.Dense(2, kernel_initializer="ones")
    assert layer(tf.ones([1, 3])).numpy().tolist() == [[3.0, 3.0]]
    layer.kernel.assign_add(tf.ones([3, 2]))
    assert layer(tf.ones([1, 3])).numpy().tolist() == [[6.0, 6.0]]
