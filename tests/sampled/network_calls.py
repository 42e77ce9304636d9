"""Random arguments for the functions of neural networks."""

from .draft import FLOATS, add, drawn


def _image(d):
    return d.choice(1, 2), d.choice(3, 4, 5), d.choice(3, 4, 6), d.choice(1, 2, 3)


@drawn("nn.conv2d", "nn.depthwise_conv2d")
def _conv2d(d, name):
    dtype = d.dtype(("float32", "float32", "float64", "float16"))
    image = _image(d)
    value = d.given(dtype, image)
    window = d.given(
        dtype, (d.choice(1, 2, 3), d.choice(1, 2), image[3], d.choice(1, 2))
    )
    stride = d.choice(1, 1, 2)
    across = stride if "depthwise" in name else d.choice(1, stride)
    kwargs = {"padding": d.choice("SAME", "VALID")}
    if d.one_in(5) and stride == 1 and "depthwise" not in name:
        kwargs["dilations"] = [1, 2, 2, 1]
    d.step(name, value, window, strides=[1, stride, across, 1], **kwargs)


@drawn("nn.conv1d")
def _conv1d(d, name):
    dtype, channels = d.dtype(("float32", "float64")), d.choice(1, 2)
    value = d.given(dtype, (d.choice(1, 2), d.choice(4, 5), channels))
    window = d.given(dtype, (d.choice(1, 2, 3), channels, d.choice(1, 2)))
    d.step(name, value, window, d.choice(1, 2), d.choice("SAME", "VALID"))


@drawn("nn.conv2d_transpose")
def _conv2d_transpose(d, name):
    dtype, stride = d.dtype(("float32", "float64")), d.choice(1, 2)
    n, h, w, c = _image(d)
    value = d.given(dtype, (n, h, w, c))
    out = d.choice(1, 2)
    window = d.given(dtype, (2, 2, out, c))
    shape = [n, h * stride, w * stride, out]
    d.step(name, value, window, shape, [1, stride, stride, 1], "SAME")


@drawn("nn.atrous_conv2d")
def _atrous(d, name):
    image = _image(d)
    value = d.given("float32", image)
    window = d.given("float32", (2, 2, image[3], d.choice(1, 2)))
    d.step(name, value, window, d.choice(1, 2), d.choice("SAME", "VALID"))


@drawn("nn.separable_conv2d")
def _separable(d, name):
    image = _image(d)
    value = d.given("float32", image)
    depthwise = d.given("float32", (2, 2, image[3], 2))
    pointwise = d.given("float32", (1, 1, image[3] * 2, 3))
    stride, padding = d.choice(1, 2), d.choice("SAME", "VALID")
    d.step(name, value, depthwise, pointwise, [1, stride, stride, 1], padding)


@drawn("nn.avg_pool", "nn.max_pool")
def _pool(d, name):
    dtype = d.dtype(("float32", "float64", "float16"))
    window = [1, d.choice(1, 2, 3), d.choice(1, 2), 1]
    strides = [1, d.choice(1, 2), d.choice(1, 2), 1]
    d.step(name, d.given(dtype, _image(d)), window, strides, d.choice("SAME", "VALID"))


@drawn("nn.pool")
def _n_pool(d, name):
    value = d.given("float32", _image(d))
    kind, padding = d.choice("MAX", "AVG"), d.choice("SAME", "VALID")
    kwargs = {"strides": [d.choice(1, 2)] * 2} if d.one_in(2) else {}
    d.step(name, value, [2, d.choice(1, 2)], kind, padding, **kwargs)


@drawn("nn.batch_normalization")
def _batch_normalization(d, name):
    dtype = d.dtype(FLOATS)
    value = d.given(dtype, least=1)
    own = d.last()[-1:]
    mean, variance = d.given(dtype, own), d.given(dtype, own, low=0.1, high=2)
    offset = d.given(dtype, own) if d.one_in(2) else None
    scale = d.given(dtype, own) if d.one_in(2) else None
    d.step(name, value, mean, variance, offset, scale, 0.01)


@drawn("nn.fused_batch_norm")
def _fused_batch_norm(d, name):
    image = _image(d)
    value = d.given("float32", image)
    parts = [d.given("float32", image[3:], low=0.1, high=2) for _ in range(4)]
    if d.one_in(2):
        d.step(name, value, *parts, is_training=False)
    else:
        d.step(name, value, *parts[:2], epsilon=d.choice(0.001, 0.1))


@drawn("nn.local_response_normalization")
def _lrn(d, name):
    kwargs = {"depth_radius": d.choice(1, 2), "alpha": 0.5} if d.one_in(2) else {}
    d.step(name, d.given("float32", _image(d)), **kwargs)


@drawn(
    "nn.softmax_cross_entropy_with_logits",
    "nn.softmax_cross_entropy_with_logits_v2",
    "nn.sigmoid_cross_entropy_with_logits",
)
def _cross_entropy(d, name):
    dtype = d.dtype(FLOATS)
    logits = d.given(dtype, least=1)
    sizes = d.last() if not d.slip() else d.fitting(d.last())
    d.step(name, labels=d.given(dtype, sizes, low=0, high=1), logits=logits)


@drawn("nn.sparse_softmax_cross_entropy_with_logits")
def _sparse_cross_entropy(d, name):
    logits = d.x(FLOATS, least=1)
    sizes = d.last()
    d.step(name, labels=d.index((sizes or (1,))[-1], sizes[:-1]), logits=logits)


def _loss(d, name):
    dtype = d.dtype(FLOATS)
    first = d.given(dtype, least=2, low=0, high=1)
    sizes = d.last()
    args = [first, d.given(dtype, sizes)]
    kwargs = {"axis": -1} if "cosine" in name else {}
    if d.one_in(2):
        shapes = ((), tuple(1 for _ in sizes), sizes, sizes[:-1])
        kwargs["weights"] = d.given("float32", d.choice(*shapes), low=0, high=1)
    if d.one_in(2):
        kwargs["reduction"] = d.choice(
            *("none", "weighted_sum", "weighted_mean"),
            *("weighted_sum_over_batch_size", "weighted_sum_by_nonzero_weights"),
        )
    d.step(name, *args, **kwargs)


add(
    "absolute_difference cosine_distance hinge_loss huber_loss log_loss "
    "mean_squared_error sigmoid_cross_entropy softmax_cross_entropy",
    _loss,
    "tf.losses.",
)


@drawn("nn.dropout", "random_uniform", "random_normal", "truncated_normal")
def _random(d, name):
    """Random numbers, of which dtype, static shape and sizes are compared."""
    if name.endswith("dropout"):
        made = d.step(name, d.x(FLOATS), keep_prob=d.choice(0.5, 1.0))
    else:
        dtype = d.random.choice(FLOATS)
        made = d.step(name, d.vector(*d.sizes()), dtype="tf." + dtype)
    d.steps[-1]["random"] = True
    d.step("tf.shape", made)
