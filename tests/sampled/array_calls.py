"""Random arguments for functions of arrays."""

from .draft import (
    ANY,
    CALLS,
    COMPLEX,
    FLOATS,
    INDICES,
    INTEGERS,
    MOSTLY_FLOATS,
    NUMBERS,
    add,
    drawn,
)

SIMPLE = {
    "nn.top_k": lambda d: (d.x((*FLOATS, *INTEGERS), least=1), d.choice(0, 1, 2)),
    "unique": lambda d: (
        d.x((*FLOATS, *INTEGERS), (d.choice(0, 3, 6),), low=0, high=3),
    ),
    "fill": lambda d: (d.vector(*d.sizes()), d.x(ANY, ())),
    "ones zeros": lambda d: (d.vector(*d.sizes()), "tf." + d.random.choice(ANY)),
    "expand_dims": lambda d: (d.x(ANY), d.axis((*d.last(), 1))),
    "tile": lambda d: (d.x(ANY), d.vector(*(d.choice(0, 1, 2, 3) for _ in d.last()))),
    "trace matrix_transpose matrix_diag_part": lambda d: (d.x(ANY, least=2),),
    "matrix_diag linalg.diag": lambda d: (d.x(ANY, least=1),),
    "matrix_band_part": lambda d: (
        *(d.x(ANY, least=2), d.choice(-1, 0, 1), d.choice(-1, 0, 2)),
    ),
    "ensure_shape": lambda d: (
        *(d.x(ANY), d.choice(None, [None if d.one_in(2) else s for s in d.last()])),
    ),
    "bitwise.left_shift bitwise.right_shift": lambda d: (
        d.given(dtype := d.dtype(INTEGERS)),
        d.given(dtype, d.fitting(d.last()), low=0, high=7),
    ),
    "cast saturate_cast": lambda d: (
        d.x(ANY, **({} if d.one_in(2) else {"low": 0, "high": 100})),
        "tf." + d.random.choice(ANY),
    ),
    "complex": lambda d: (
        d.given(dtype := d.dtype(("float32", "float64"))),
        d.given(dtype, d.fitting(d.last())),
    ),
    "scalar_mul": lambda d: (
        d.choice(2, 0.5, d.given(dtype := d.dtype(NUMBERS), ())),
        d.given(dtype),
    ),
    "broadcast_to": lambda d: (
        d.x(ANY, d.fitting(sizes := d.sizes())),
        d.vector(*sizes),
    ),
    "linspace lin_space": lambda d: (
        *(d.given(dtype := d.dtype(FLOATS), ()), d.given(dtype, ())),
        d.choice(1, 2, 5, 0),
    ),
    "nn.bias_add": lambda d: (
        d.given(dtype := d.dtype(NUMBERS), least=2),
        d.given(dtype, d.last()[-1:]),
    ),
    "batch_gather": lambda d: (
        d.x(ANY, least=2),
        d.index(((sizes := d.last()) or (1,))[-1], (*sizes[:-1], d.size())),
    ),
    "boolean_mask": lambda d: (d.x(ANY, least=1), d.given("bool", d.front(d.last()))),
    "unsorted_segment_sum": lambda d: (
        *(d.x(NUMBERS, least=1), d.index(3, d.front(d.last()))),
        d.choice(3, 4),
    ),
    "nn.in_top_k": lambda d: (
        d.given("float32", (rows := d.size(), columns := d.choice(2, 3))),
        *(d.index(columns, (rows,)), d.choice(1, 2)),
    ),
    "confusion_matrix": lambda d: (
        *(d.index(3, sizes := (d.size(),)), d.index(3, sizes)),
        *([d.choice(3, 4)] if d.one_in(2) else []),
    ),
    "reverse": lambda d: (
        d.x(ANY),
        d.vector(*{d.axis(d.last()) % len(d.last()) for _ in range(2) if d.last()}),
    ),
    "add_n accumulate_n": lambda d: (d.alike(d.dtype(NUMBERS), d.sizes()),),
    "linalg.matvec": lambda d: (
        d.given(
            dtype := d.dtype(FLOATS),
            (*(batch := d.sizes(0, 1)), d.size(), columns := d.size()),
        ),
        d.given(dtype, (*batch, columns)),
    ),
    "abs acos acosh angle asin asinh atan atanh ceil conj cos cosh erf erfc exp expm1 "
    "floor imag is_finite is_inf is_nan lgamma log log1p negative ones_like real "
    "reciprocal rint round rsqrt sigmoid sign sin sinh sqrt square tan tanh zeros_like "
    "identity stop_gradient rank shape size to_double to_float to_int32 to_int64 "
    "to_bfloat16 bitwise.invert math.softplus math.softsign nn.elu nn.leaky_relu "
    "nn.relu nn.relu6 nn.selu nn.swish nn.crelu nn.l2_loss convert_to_tensor "
    "linalg.norm transpose logical_not": lambda d: (d.x(MOSTLY_FLOATS),),
}
"""The arguments of calls that take nothing else."""

for names, arguments in SIMPLE.items():
    add(names, lambda d, name, arguments=arguments: d.step(name, *arguments(d)))


# -- elementwise ---------------------------------------------------------------


def _binary(d, name):
    options = INTEGERS if "bitwise" in name or d.one_in(3) else MOSTLY_FLOATS
    dtype = d.dtype(("bool",) if "logical" in name else options)
    first = d.given(dtype)
    sizes = d.fitting(d.last())
    second = d.given(d.dtype((dtype,)), sizes)
    if d.one_in(6) and dtype != "bool":
        second = d.choice(2, 0, -1, 2.5, 300)
    d.step(name, *(first, second) if d.one_in(2) else (second, first))


add(
    "add atan2 div div_no_nan divide equal floor_div floordiv floormod greater "
    "greater_equal less less_equal math.nextafter maximum minimum mod multiply "
    "not_equal pow squared_difference subtract truediv truncatemod logical_and "
    "logical_or math.logical_xor bitwise.bitwise_and bitwise.bitwise_or "
    "bitwise.bitwise_xor math.divide_no_nan",
    _binary,
)


@drawn("operators")
def _operators(d, name):
    operators = "add sub mul truediv floordiv mod pow lt le gt ge and or xor matmul"
    dtype = d.dtype((*INTEGERS, *MOSTLY_FLOATS, "bool", "bool"))
    value = d.given(dtype)
    operator = d.random.choice(operators.split())
    other = d.choice(2, -1, 0.5, 7, True) if d.one_in(3) else None
    if other is None:
        other = d.given(d.dtype((dtype,)), d.fitting(d.last()))
    mirrored = "" if operator[1] in "te" else d.choice("", "", "r")
    d.step(f".__{mirrored}{operator}__", value, other)


@drawn("clip_by_value")
def _clip(d, name):
    dtype = d.dtype(NUMBERS)
    value = d.given(dtype)
    low = d.choice(-1, 0) if d.one_in(2) else d.given(dtype, d.choice((), d.last()))
    d.step(name, value, low, d.choice(1, 2) if d.one_in(2) else d.given(dtype, ()))


@drawn("clip_by_norm", "clip_by_average_norm")
def _clip_by_norm(d, name):
    value = d.x(FLOATS)
    axes = {"axes": [d.axis(d.last())]} if d.one_in(2) and "average" not in name else {}
    d.step(name, value, d.choice(0.5, 1.0, 2), **axes)


@drawn("clip_by_global_norm", "global_norm")
def _global_norm(d, name):
    dtype = d.dtype(FLOATS)
    values = [d.given(dtype) for _ in range(d.choice(1, 2, 3))]
    d.step(name, values, *([1.5] if "clip" in name else []))


# -- reductions and scans ------------------------------------------------------


def _axes(d, sizes):
    kind = d.choice("none", "one", "several", "tensor")
    if kind == "none":
        return None
    if kind == "one":
        return d.axis(sizes)
    axes = [a for a in range(len(sizes)) if d.one_in(2)]
    axes = [a - len(sizes) if d.one_in(3) else a for a in axes]
    if d.slip():
        axes.append(d.axis(sizes))
    return axes if kind == "several" else d.vector(*axes)


def _reduce(d, name):
    value = d.x(("bool",) if name[-3:] in ("all", "any") else (*FLOATS, *NUMBERS))
    kwargs = {"axis": _axes(d, d.last())}
    if d.one_in(2):
        kwargs["keepdims"] = d.one_in(2)
    d.step(name, value, **kwargs)


add(
    "count_nonzero reduce_all reduce_any reduce_logsumexp reduce_max reduce_mean "
    "reduce_min reduce_prod reduce_sum math.reduce_euclidean_norm math.reduce_std "
    "math.reduce_variance",
    _reduce,
)


@drawn("cumsum", "cumprod")
def _scan_axis(d, name):
    value = d.x((*FLOATS, *NUMBERS), least=1)
    flags = {key: True for key in ("exclusive", "reverse") if d.one_in(2)}
    d.step(name, value, d.axis(d.last()), **flags)


@drawn("argmax", "argmin")
def _arg(d, name):
    value = d.x((*FLOATS, *NUMBERS), least=1)
    kwargs = {"output_type": "tf." + d.choice("int32", "int64")} if d.one_in(2) else {}
    d.step(name, value, d.axis(d.last()) if d.one_in(3) else None, **kwargs)


@drawn("norm")
def _norm(d, name):
    value = d.x((*FLOATS, *COMPLEX))
    axis = d.choice(None, d.axis(d.last()), [-2, -1])
    order = d.choice("euclidean", 1, 2, 3, float("inf"), "fro", 0.5)
    d.step(name, value, order, axis, keepdims=d.one_in(2))


@drawn("nn.moments")
def _moments(d, name):
    value = d.x(FLOATS, least=1)
    axes = [a for a in range(len(d.last())) if d.one_in(2)]
    d.step(name, value, axes, keep_dims=d.one_in(2))


@drawn("nn.sufficient_statistics")
def _statistics(d, name):
    value = d.x(FLOATS, least=1)
    axes = sorted({d.axis(d.last()) % max(len(d.last()), 1)})
    shift = d.given(d.inputs[-1][1], ()) if d.one_in(2) else None
    d.step(name, value, axes, shift, keep_dims=d.one_in(2))


@drawn("nn.normalize_moments")
def _normalize_moments(d, name):
    dtype, sizes = d.dtype(FLOATS), d.sizes()
    mean, square = d.given(dtype, sizes), d.given(dtype, sizes)
    shift = d.given(dtype, sizes) if d.one_in(2) else None
    d.step(name, d.given(dtype, (), low=1, high=9), mean, square, shift)


@drawn("math.softmax", "math.log_softmax", "math.l2_normalize")
def _softmax(d, name):
    value = d.x(FLOATS, least=1)
    d.step(name, value, *([d.axis(d.last())] if d.one_in(2) or "l2" in name else []))


# -- shapes --------------------------------------------------------------------


@drawn("reshape")
def _reshape(d, name):
    value = d.x(ANY)
    sizes = list(d.last())
    d.random.shuffle(sizes)
    if sizes and d.one_in(2):
        sizes[d.random.randrange(len(sizes))] = -1
    if d.one_in(3):
        sizes = d.choice([-1], [*sizes, 1], [1, -1], [])
    d.step(name, value, d.vector(*sizes))


@drawn("squeeze")
def _squeeze(d, name):
    sizes = tuple(1 if d.one_in(2) else size for size in d.sizes(0, 4))
    value = d.x(ANY, sizes)
    ones = [a for a, size in enumerate(sizes) if size == 1 and d.one_in(2)]
    d.step(name, value, *([ones] if d.one_in(2) else []))


@drawn("transpose")
def _transpose(d, name):
    value = d.x(ANY)
    order = list(range(len(d.last())))
    d.random.shuffle(order)
    flags = {"conjugate": True} if d.one_in(4) else {}
    d.step(name, value, *([] if d.one_in(4) else [d.vector(*order)]), **flags)


@drawn("pad")
def _pad(d, name):
    value = d.x(ANY, least=1)
    mode = d.choice("CONSTANT", "CONSTANT", "REFLECT", "SYMMETRIC")
    pads = [[d.choice(0, 1, 2), d.choice(0, 1)] for _ in d.last()]
    kwargs = {"mode": mode}
    if mode == "CONSTANT" and d.one_in(2):
        kwargs["constant_values"] = d.choice(0, 1)
    d.step(name, value, pads, **kwargs)


@drawn("roll")
def _roll(d, name):
    value = d.x(ANY, least=1)
    if d.one_in(2):
        d.step(name, value, d.choice(-2, 1, 7), d.axis(d.last()))
    else:
        d.step(name, value, [1, -2], [d.axis(d.last()), d.axis(d.last())])


@drawn("concat")
def _concat(d, name):
    dtype, sizes = d.dtype(ANY), d.sizes(1)
    axis = d.axis(sizes)
    parts = []
    for _ in range(d.choice(1, 2, 3)):
        own = list(sizes)
        if own:
            own[axis % len(own)] = d.size()
        parts.append(d.given(dtype, tuple(own)))
    d.step(name, parts, axis)


@drawn("stack")
def _stack(d, name):
    dtype, sizes = d.dtype(ANY), d.sizes()
    d.step(name, d.alike(dtype, sizes), d.axis((*sizes, 1)))


@drawn("unstack")
def _unstack(d, name):
    value = d.x(ANY, least=1)
    sizes = d.last()
    axis = d.axis(sizes)
    num = {"num": sizes[axis]} if sizes and -len(sizes) <= axis < len(sizes) else {}
    d.step(name, value, axis=axis, **(num if d.one_in(2) else {}))


@drawn("split")
def _split(d, name):
    sizes = d.sizes(1)
    axis = d.axis(sizes) if sizes else 0
    where = axis % len(sizes) if sizes else 0
    if d.one_in(2):
        count = d.choice(1, 2, 3)
        own = [*sizes[:where], count * d.size(), *sizes[where + 1 :]]
        d.step(name, d.x(ANY, tuple(own)), count, axis)
        return
    parts = [d.size() for _ in range(d.choice(1, 2, 3))]
    own = [*sizes[:where], sum(parts), *sizes[where + 1 :]]
    d.step(name, d.x(ANY, tuple(own)), parts, axis)


@drawn("[]")
def _item(d, name):
    value = d.x(ANY, least=1)
    key = []
    for size in d.last():
        if d.one_in(8):
            key.append(d.choice("...", None) if "..." not in key else None)
        ends = [d.choice(None, 0, 1, -1, 2, size, -5, 9) for _ in range(2)]
        stride = d.choice(None, None, 1, 2, -1, -2)
        number = d.random.randrange(-size, size) if size else 0
        key.append(d.choice({"slice": [*ends, stride]}, number))
    key = key[: d.random.randint(1, len(key))] if key else [None]
    d.step("[]", value, {"tuple": key})


CALLS["[]"] = CALLS.pop("tf.[]")


@drawn("slice")
def _slice(d, name):
    value = d.x(ANY)
    begin = [d.random.randint(0, size) for size in d.last()]
    size = [
        d.choice(-1, d.random.randint(0, s - b))
        for s, b in zip(d.last(), begin, strict=True)
    ]
    d.step(name, value, d.vector(*begin), d.vector(*size))


@drawn("strided_slice")
def _strided_slice(d, name):
    value = d.x(ANY, least=1)
    count = d.random.randint(1, max(len(d.last()), 1))
    begin = [d.choice(0, 1, -1, -2) for _ in range(count)]
    end = [d.choice(1, 2, -1, 3) for _ in range(count)]
    strides = [[d.choice(1, 1, 2, -1) for _ in range(count)]] if d.one_in(2) else []
    masks = {
        key: d.random.randrange(4)
        for key in ("begin_mask", "end_mask", "shrink_axis_mask", "new_axis_mask")
        if d.one_in(4)
    }
    d.step(name, value, begin, end, *strides, **masks)


@drawn("ones_like", "zeros_like", "shape", "size")
def _like(d, name):
    key, dtypes = ("dtype", ANY) if "like" in name else ("out_type", INDICES)
    d.step(name, d.x(ANY), **{key: "tf." + d.random.choice(dtypes)})


@drawn("eye")
def _eye(d, name):
    kwargs = {"dtype": "tf." + d.random.choice(ANY)}
    if d.one_in(2):
        kwargs["num_columns"] = d.size()
    if d.one_in(3):
        kwargs["batch_shape"] = list(d.sizes(0, 2))
    d.step(name, d.size(), **kwargs)


@drawn("range")
def _range(d, name):
    dtype = d.dtype(("int32", "int64", "float32", "float64"))
    numbers = [
        d.given(dtype, (), low=low, high=high)
        for low, high in ((-3, 2), (-1, 7), (-3, 3))
    ]
    d.step(name, *numbers[: d.choice(1, 2, 3)])


@drawn("meshgrid")
def _meshgrid(d, name):
    dtype = d.dtype(ANY)
    parts = [d.given(dtype, (d.size(),)) for _ in range(d.choice(1, 2, 3))]
    d.step(name, *parts, **({"indexing": d.choice("xy", "ij")} if d.one_in(2) else {}))


@drawn("one_hot")
def _one_hot(d, name):
    indices = d.x((*INDICES, "uint8"), low=-1, high=4)
    kwargs = {}
    if d.one_in(2):
        kwargs.update(on_value=d.choice(2, 1.5), off_value=d.choice(0, -1.5))
    if d.one_in(2):
        kwargs["axis"] = d.axis((*d.last(), 1))
    if d.one_in(3):
        kwargs["dtype"] = "tf." + d.random.choice(ANY)
    d.step(name, indices, d.choice(0, 1, 3, 4), **kwargs)


@drawn("sequence_mask")
def _sequence_mask(d, name):
    args = [d.choice(0, 2, 4)] if d.one_in(2) else []
    kwargs = {"dtype": "tf." + d.random.choice(ANY)} if d.one_in(3) else {}
    d.step(name, d.x(INDICES, low=0, high=4), *args, **kwargs)


@drawn("repeat")
def _repeat(d, name):
    value = d.x(ANY)
    axis = d.axis(d.last()) if d.last() and d.one_in(2) else None
    d.step(name, value, d.choice(0, 1, 2, 3), axis=axis)


# -- gather, scatter, segments, sorting ----------------------------------------


@drawn("gather")
def _gather(d, name):
    value = d.x(ANY, least=1)
    sizes = d.last()
    axis = d.axis(sizes) if d.one_in(2) and sizes else 0
    size = sizes[axis] if -len(sizes) <= axis < len(sizes) else 1
    indices = d.index(size, d.sizes(0, 2) if size else (0,))
    d.step(name, value, indices, **({"axis": axis} if axis or d.one_in(2) else {}))


@drawn("gather_nd")
def _gather_nd(d, name):
    value = d.x(ANY, tuple(d.choice(2, 3) for _ in range(d.choice(1, 2, 3))))
    rank = d.random.randint(0, len(d.last()))
    d.step(name, value, d.index(2, (*d.sizes(0, 2), rank)))


@drawn("scatter_nd")
def _scatter_nd(d, name):
    shape = tuple(d.choice(2, 3) for _ in range(d.choice(1, 2, 3)))
    rank = d.random.randint(1, len(shape))
    outer = d.sizes(1, 2)
    dtype = d.dtype(("int32", "int64"))
    indices = d.given(dtype, (*outer, rank), low=0, high=1 + (2 if d.slip() else 0))
    d.step(name, indices, d.x(NUMBERS, outer + shape[rank:]), list(shape))


@drawn("tensor_scatter_add", "tensor_scatter_sub", "tensor_scatter_update")
def _tensor_scatter(d, name):
    shape = tuple(d.choice(2, 3) for _ in range(d.choice(1, 2, 3)))
    rank = d.random.randint(1, len(shape))
    outer = d.sizes(1, 2)
    dtype = d.dtype(NUMBERS)
    value = d.given(dtype, shape)
    d.step(
        name, value, d.index(2, (*outer, rank)), d.given(dtype, outer + shape[rank:])
    )


@drawn("where", "where_v2")
def _where(d, name):
    dtype, sizes = d.dtype(ANY), d.sizes()
    if d.one_in(4):
        d.step(name, d.x(("bool", "bool", *ANY), sizes))
        return
    condition = d.choice(sizes, sizes, sizes[:1])
    parts = [d.given(d.dtype(("bool",)), condition)]
    for _ in range(2):
        parts.append(d.given(dtype, d.fitting(sizes) if "v2" in name else sizes))
    d.step(name, *parts)


@drawn("sort", "argsort")
def _sort(d, name):
    value = d.x((*FLOATS, *INTEGERS), least=1)
    kwargs = {}
    if d.one_in(2):
        kwargs["axis"] = d.axis(d.last())
    if d.one_in(2):
        kwargs["direction"] = d.choice("ASCENDING", "DESCENDING")
    d.step(name, value, **kwargs)


@drawn("searchsorted")
def _searchsorted(d, name):
    dtype = d.dtype(("float32", "float64", "int32", "int64"))
    batch = d.sizes(0, 1)
    name_in_order = d.given(dtype, (*batch, d.choice(1, 3, 4)), low=0, high=5)
    in_order = d.step("tf.sort", name_in_order)
    values = d.given(dtype, (*batch, d.size()), low=-1, high=6)
    d.step(name, in_order, values, d.choice("left", "right"))


@drawn("nn.embedding_lookup")
def _embedding(d, name):
    dtype, rows, columns = d.dtype(FLOATS), 4, d.size()
    count = d.choice(1, 1, 2)
    tables = [d.given(dtype, (rows // count, columns)) for _ in range(count)]
    kwargs = {"max_norm": 1.0} if d.one_in(3) else {}
    if d.one_in(2):
        kwargs["partition_strategy"] = d.choice("mod", "div")
    d.step(name, tables, d.index(rows, d.sizes(0, 2)), **kwargs)


# -- linear algebra ------------------------------------------------------------


@drawn("matmul")
def _matmul(d, name):
    dtype = d.dtype((*FLOATS, *FLOATS, "int32", "int64", *COMPLEX))
    batch = d.sizes(0, 2) if d.one_in(2) else ()
    n, k, m = d.size(), d.size(), d.size()
    flags = {f: True for f in ("transpose_a", "transpose_b") if d.one_in(3)}
    if dtype in COMPLEX and d.one_in(2):
        flags = {f.replace("transpose", "adjoint"): True for f in flags}
    first = (k, n) if any(f.endswith("a") for f in flags) else (n, k)
    second = (m, k) if any(f.endswith("b") for f in flags) else (k, m)
    other = d.fitting(batch) if d.one_in(3) else batch
    d.step(name, d.given(dtype, batch + first), d.given(dtype, other + second), **flags)


@drawn("einsum")
def _einsum(d, name):
    dtype = d.dtype((*FLOATS, "int32"))
    equations = "ij,jk->ik ij,ij-> bij,bjk->bik ij->ji i,j->ij ij,j->i ij,jk "
    equations += "bi,bj->bij ij-> abc,cd->abd"
    equation = d.random.choice(equations.split())
    sizes = {letter: d.size() for letter in "abcdijk"}
    terms = equation.split("->")[0].split(",")
    d.step(name, equation, *(d.given(dtype, tuple(sizes[c] for c in t)) for t in terms))


@drawn("tensordot")
def _tensordot(d, name):
    dtype = d.dtype(FLOATS)
    a, b, c = d.size(), d.size(), d.size()
    axes, first, second = d.choice(
        (1, (a, b), (b, c)),
        (2, (c, a, b), (a, b)),
        (0, (a,), (b,)),
        ([[1], [0]], (a, b), (b, c)),
        ([[0, 1], [1, 0]], (a, b, c), (b, a)),
        ([[-1], [1]], (a, b), (c, b)),
    )
    d.step(name, d.given(dtype, first), d.given(dtype, second), axes)
