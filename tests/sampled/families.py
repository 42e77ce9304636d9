"""The families of operations that a sampled program is made of.

Each function adds one statement of its family to a block, or nothing where no value in
scope suits it.
"""

from .block import FLOATS, INTEGERS, LARGEST, SUMMABLE, broadcast, elements
from .program import Value, indented

LARGEST_PRODUCT = 9000
"""The most multiplications of a product of matrices."""

_REAL = (
    *("tf.abs", "tf.negative", "tf.square", "tf.sign", "tf.exp", "tf.tanh"),
    *("tf.sigmoid", "tf.sin", "tf.cos", "tf.floor", "tf.rint", "tf.erf"),
    *("tf.nn.relu", "tf.nn.softplus", "tf.nn.elu"),
)
_WHOLE = ("tf.square", "tf.identity")
_SIGNED = (*_WHOLE, "tf.abs", "tf.negative", "tf.sign")


def _number(value):
    return value.dtype != "bool"


def _static(value):
    return value.is_static


def _wide(value):
    """Whether a value has an element along every axis, and an axis."""
    return value.is_static and bool(value.shape) and 0 not in value.shape


def anything(value):
    return True


FAMILIES = []
"""What draws a statement of each family, and how often."""


def family(weight, suits=None):
    """Register a family, whose first value is one that suits."""

    def register(add):
        def draw(block):
            if suits is None:
                add(block)
            elif (x := block.pick(suits)) is not None:
                add(block, x)

        FAMILIES.append((draw, weight))
        return add

    return register


# -- elementwise ---------------------------------------------------------------


@family(4, anything)
def unary(block, x):
    if x.dtype == "bool":
        function = "tf.logical_not"
    elif x.dtype in FLOATS:
        function = block.random.choice(_REAL)
    else:
        function = block.random.choice(_WHOLE if x.dtype == "uint32" else _SIGNED)
    block.let("unary", f"{function}({x.name})", [x], x.dtype, x.shape)


@family(6, _number)
def binary(block, x):
    partners = [
        (y, shape)
        for y in block.values
        if y.dtype == x.dtype
        and (shape := broadcast(x.shape, y.shape)) is not None
        and elements(shape) <= LARGEST
    ]
    y, shape = block.random.choice(partners)
    functions = ["tf.add", "tf.subtract", "tf.multiply", "tf.maximum", "tf.minimum"]
    if x.dtype in FLOATS:
        functions += ["tf.realdiv", "tf.squared_difference"]
    function = block.random.choice(functions)
    block.let("binary", f"{function}({x.name}, {y.name})", [x, y], x.dtype, shape)


@family(3, _number)
def with_number(block, x):
    operators = ["+ 2", "* 3", "- 1"]
    operators += ["/ 7", "** 2"] if x.dtype in FLOATS else ["// 3", "% 5"]
    operator = block.random.choice(operators)
    block.let("number", f"{x.name} {operator}", [x], x.dtype, x.shape)


@family(2, _number)
def compare(block, x):
    y = block.pick(lambda y: (y.dtype, y.shape) == (x.dtype, x.shape))
    functions = ("tf.less", "tf.equal", "tf.greater_equal", "tf.not_equal")
    function = block.random.choice(functions)
    block.let("compare", f"{function}({x.name}, {y.name})", [x, y], "bool", x.shape)


@family(2, _number)
def where(block, x):
    y = block.pick(lambda y: (y.dtype, y.shape) == (x.dtype, x.shape))
    expression = f"tf.where({x.name} > {y.name}, {y.name}, {x.name})"
    block.let("where", expression, [x, y], x.dtype, x.shape)


@family(4, anything)
def cast(block, x):
    # What lies outside of the range of integers has no value there.
    target = block.random.choice([*FLOATS, *INTEGERS, "bool"])
    source = x.name
    if x.dtype in FLOATS and target in INTEGERS:
        clipped = f"tf.clip_by_value({x.name}, 0, 9)"
        source = f"tf.where(tf.is_nan({x.name}), tf.zeros_like({x.name}), {clipped})"
    block.let("cast", f"tf.cast({source}, tf.{target})", [x], target, x.shape)


# -- along axes ----------------------------------------------------------------


@family(5, anything)
def reduce(block, x):
    if x.dtype == "bool":
        functions = ["tf.reduce_any", "tf.reduce_all"]
    else:
        functions = ["tf.reduce_sum", "tf.reduce_sum", "tf.reduce_prod"]
        functions += ["tf.reduce_max", "tf.reduce_min"] if _wide(x) else []
        functions += ["tf.reduce_mean"] if x.dtype in FLOATS else []
    axes = sorted(a for a in range(len(x.shape)) if block.drawing.one_in(2))
    axis = axes
    if block.drawing.one_in(3):
        axes, axis = list(range(len(x.shape))), None
    keep = block.drawing.one_in(3)
    shape = tuple(
        1 if a in axes else size
        for a, size in enumerate(x.shape)
        if keep or a not in axes
    )
    function = block.random.choice(functions)
    expression = f"{function}({x.name}, axis={axis}, keepdims={keep})"
    block.let("reduce", expression, [x], x.dtype, shape)


@family(3, lambda v: _wide(v) and _number(v))
def along_axis(block, x):
    axis = block.random.randrange(len(x.shape))
    choices = [
        ("tf.argmax", "int64", x.shape[:axis] + x.shape[axis + 1 :]),
        ("tf.cumsum", x.dtype, x.shape),
        ("tf.sort", x.dtype, x.shape),
    ]
    if x.dtype in FLOATS:
        choices.append(("tf.nn.softmax", x.dtype, x.shape))
    function, dtype, shape = block.random.choice(choices)
    block.let("axis", f"{function}({x.name}, axis={axis})", [x], dtype, shape)


@family(6)
def matmul(block):
    # BLAS divides large products among its threads, and rounds as they are divided;
    # a core has fewer threads than the host.
    def suits(value):
        return value.dtype in (*FLOATS, "int32") and len(value.shape) >= 2

    x = block.pick(suits)
    if x is None:
        return
    partners = [
        (y, flip)
        for y in block.values
        for flip in (False, True)
        if suits(y) and y.dtype == x.dtype and y.shape[:-2] == x.shape[:-2]
        if y.shape[-1 if flip else -2] == x.shape[-1]
        if elements((*x.shape, y.shape[-2 if flip else -1])) <= LARGEST_PRODUCT
        if elements((*x.shape[:-1], y.shape[-2 if flip else -1])) <= LARGEST
    ]
    if not partners:
        return
    y, flip = block.random.choice(partners)
    shape = (*x.shape[:-1], y.shape[-2 if flip else -1])
    expression = f"tf.matmul({x.name}, {y.name}, transpose_b={flip})"
    block.let("matmul", expression, [x, y], x.dtype, shape)


# -- arrangement ---------------------------------------------------------------


@family(3, lambda value: _static(value) and bool(value.shape))
def concat(block, x):
    axis = block.random.randrange(len(x.shape))

    def fits(y):
        if y.dtype != x.dtype or len(y.shape) != len(x.shape) or not y.is_static:
            return False
        return all(
            a == axis or m == n
            for a, (m, n) in enumerate(zip(x.shape, y.shape, strict=True))
        )

    y = block.pick(fits) or x
    shape = list(x.shape)
    shape[axis] = int(x.shape[axis]) + int(y.shape[axis])
    if elements(tuple(shape)) > LARGEST:
        return
    expression = f"tf.concat([{x.name}, {y.name}], axis={axis})"
    block.let("concat", expression, [x, y], x.dtype, tuple(shape))


@family(2, anything)
def stack(block, x):
    y = block.pick(lambda y: (y.dtype, y.shape) == (x.dtype, x.shape)) or x
    if elements(x.shape) * 2 > LARGEST:
        return
    axis = block.random.randint(0, len(x.shape))
    shape = (*x.shape[:axis], 2, *x.shape[axis:])
    expression = f"tf.stack([{x.name}, {y.name}], axis={axis})"
    block.let("stack", expression, [x, y], x.dtype, shape)


@family(3, _wide)
def split(block, x):
    axis = block.random.randrange(len(x.shape))
    size = int(x.shape[axis])
    first = block.random.randint(0, size)
    names = [block.drawing.fresh() for _ in range(2)]
    parts = [
        Value(name, x.dtype, (*x.shape[:axis], part, *x.shape[axis + 1 :]), x.uniform)
        for name, part in zip(names, (first, size - first), strict=True)
    ]
    line = f"{', '.join(names)} = tf.split({x.name}, {[first, size - first]}, {axis})"
    block.add("split", [line], frozenset({x.name}), parts)


@family(3, lambda value: _static(value) and bool(value.shape))
def slice_(block, x):
    text, shape = [], []
    for size in x.shape:
        taken = block.random.choice(
            [slice(None), slice(1, None), slice(None, None, -1), slice(None, 5, 2)]
        )
        text.append(f"{taken.start}:{taken.stop}:{taken.step}".replace("None", ""))
        shape.append(len(range(int(size))[taken]))
    block.let("slice", f"{x.name}[{', '.join(text)}]", [x], x.dtype, tuple(shape))


@family(4, _wide)
def gather(block, x):
    axis = block.random.randrange(len(x.shape))
    size = int(x.shape[axis])
    indices = [block.random.randrange(size) for _ in range(block.random.randint(0, 4))]
    places = (len(indices),)
    text, reads = f"np.array({indices}, np.int32)", [x]
    found = block.pick(lambda v: v.dtype in ("int32", "int64") and len(v.shape) < 2)
    if found is not None:
        places, reads = found.shape, [x, found]
        text = f"tf.mod({found.name}, {size})"
    shape = (*x.shape[:axis], *places, *x.shape[axis + 1 :])
    if elements(shape) <= LARGEST:
        expression = f"tf.gather({x.name}, {text}, axis={axis})"
        block.let("gather", expression, reads, x.dtype, shape)


@family(3, lambda value: len(value.shape) > 1)
def transpose(block, x):
    order = block.random.sample(range(len(x.shape)), len(x.shape))
    shape = tuple(x.shape[axis] for axis in order)
    block.let("transpose", f"tf.transpose({x.name}, {order})", [x], x.dtype, shape)


@family(3, _static)
def rearrange(block, x):
    total, rank = elements(x.shape), len(x.shape)
    choices = [
        (f"tf.reshape({x.name}, [{total}])", (total,)),
        (f"tf.expand_dims({x.name}, {rank})", (*x.shape, 1)),
        (f"tf.reverse({x.name}, {list(range(rank))})", x.shape),
    ]
    if rank and total * 2 <= LARGEST:
        doubled = (*x.shape[:-1], 2 * int(x.shape[-1]))
        choices.append((f"tf.tile({x.name}, {[1] * (rank - 1) + [2]})", doubled))
    if _number(x):
        padded = tuple(int(size) + 1 for size in x.shape)
        if rank and elements(padded) <= LARGEST:
            paddings = [[axis % 2, 1 - axis % 2] for axis in range(rank)]
            choices.append((f"tf.pad({x.name}, {paddings})", padded))
    expression, shape = block.random.choice(choices)
    block.let("arrange", expression, [x], x.dtype, shape)


@family(1, lambda value: bool(value.shape))
def shape_of(block, x):
    block.let(
        "shape", f"tf.shape({x.name})", [x], "int32", (len(x.shape),), x.is_static
    )


# -- random draws --------------------------------------------------------------


@family(5, anything)
def draw(block, x):
    seed = block.random.randrange(100)
    if block.drawing.one_in(3) and x.shape:
        expression = f"tf.random_shuffle({x.name}, seed={seed})"
        block.let("random", expression, [x], x.dtype, x.shape, uniform=False)
        return
    function = block.random.choice(
        ["tf.random_uniform", "tf.random_normal", "tf.truncated_normal"]
    )
    dtype = x.dtype if x.dtype in FLOATS else "float32"
    expression = f"{function}(tf.shape({x.name}), dtype=tf.{dtype}, seed={seed})"
    block.let("random", expression, [x], dtype, x.shape, uniform=False)


# -- between replicas, and to the host -----------------------------------------


@family(12)
def cross_replica(block):
    x = block.pick(lambda value: value.is_static and value.dtype in SUMMABLE)
    if x is None or not block.together:
        return
    replicas = block.drawing.replicas
    sizes = [size for size in range(1, replicas + 1) if replicas % size == 0]
    order = block.random.sample(range(replicas), replicas)
    size = block.random.choice([replicas, *sizes])
    groups = [order[start : start + size] for start in range(0, replicas, size)]
    if size == replicas and block.drawing.one_in(2):
        groups = None
    name = block.drawing.fresh()
    value = Value(name, x.dtype, x.shape, x.uniform or size == replicas)
    line = f"{name} = tf.tpu.cross_replica_sum({x.name}, {groups})"
    kind = "sum" if size == replicas else "groups"
    block.add(kind, [line], frozenset({x.name}), [value])


@family(3, _number)
def host_call(block, x):
    call = f"tf.py_func(doubled, [{x.name}], tf.{x.dtype})"
    if block.drawing.one_in(2):
        call = f"tf.tpu.outside_compilation(lambda: {call})"
    name = block.drawing.fresh()
    value = Value(name, x.dtype, x.shape, x.uniform)
    lines = [f"{name} = {call}", f"{name}.set_shape({x.name}.shape)"]
    block.add("host", lines, frozenset({x.name}), [value])


@family(2, lambda value: value.dtype in FLOATS)
def outside(block, x):
    expression = f"tf.tpu.outside_compilation(lambda a: tf.sin(a) + a, {x.name})"
    block.let("outside", expression, [x], x.dtype, x.shape)


# -- variables -----------------------------------------------------------------


@family(3)
def read(block):
    if block.drawing.variables:
        v = block.random.choice(block.drawing.variables)
        text = block.random.choice(["tf.identity({})", "{}.read_value()"])
        block.let("read", text.format(v.name), [v], v.dtype, v.shape)


@family(6)
def assign(block):
    if not block.drawing.variables:
        return
    place = block.random.randrange(len(block.drawing.variables))
    v = block.drawing.variables[place]
    x = block.pick(lambda x: (x.dtype, x.shape) == (v.dtype, v.shape))
    if x is None:
        x = block.let("read", f"{v.name}.read_value()", [v], v.dtype, v.shape)
    functions = ["tf.assign"]
    functions += ["tf.assign_add", "tf.assign_sub"] if _number(v) else []
    function = block.random.choice(functions)
    written = block.let(
        "assign", f"{function}({v.name}, {x.name})", [v, x], v.dtype, v.shape
    )
    uniform = block.together and written.uniform
    block.drawing.variables[place] = Value(v.name, v.dtype, v.shape, uniform)


# -- branches and loops --------------------------------------------------------


@family(5)
def branch(block):
    x, p = block.pick(anything), block.pick(anything)
    if x is None or p is None or block.depth > 1:
        return
    lines, reads, uniform = [], {p.name}, p.uniform
    kinds, own = {"cond"}, set[str]()
    functions = [block.drawing.fresh("branch") for _ in range(2)]
    for function in functions:
        inner = block.inner([], p.uniform)
        fill(inner, block.random.randint(0, 2))
        result = inner.latest_like(x)
        lines += _function(function, "", inner, result.name)
        reads |= inner.reads() | {result.name}
        kinds |= inner.kinds()
        own |= inner.writes()
        uniform = uniform and result.uniform
    name = block.drawing.fresh()
    lines.append(f"{name} = tf.cond({_is_large(p)}, {', '.join(functions)})")
    value = Value(name, x.dtype, x.shape, uniform)
    block.add(" ".join(sorted(kinds)), lines, frozenset(reads - own), [value])


@family(5)
def loop(block):
    x, p = block.pick(_static), block.pick(anything)
    if x is None or p is None or block.depth > 1:
        return
    # A value of an earlier turn may differ between the replicas.
    variables = block.drawing.variables
    variables[:] = [Value(v.name, v.dtype, v.shape, False) for v in variables]
    limit, reads, together = str(block.random.randint(0, 3)), {x.name}, True
    if block.drawing.one_in(2):
        reads.add(p.name)
        together = p.uniform
        limit = f"1 + tf.cast({_is_large(p)}, tf.int32)"
    counter = Value(block.drawing.fresh("i"), "int32", (), together)
    carried = Value(block.drawing.fresh("a"), x.dtype, x.shape, False)
    inner = block.inner([counter, carried], together)
    fill(inner, block.random.randint(1, 3))
    result = inner.latest_like(x)
    function, name = block.drawing.fresh("body"), block.drawing.fresh()
    parameters = f"{counter.name}, {carried.name}"
    lines = [
        *_function(function, parameters, inner, f"{counter.name} + 1, {result.name}"),
        f"limit = {limit}",
        f"_, {name} = tf.while_loop(",
        f"    lambda i, a: i < limit, {function}, [tf.constant(0), {x.name}]",
        ")",
    ]
    own = inner.writes() | {counter.name, carried.name}
    reads |= (inner.reads() | {result.name}) - own
    kinds = {"while"} | inner.kinds()
    value = Value(name, x.dtype, x.shape, False)
    block.add(" ".join(sorted(kinds)), lines, frozenset(reads), [value])


def _is_large(value):
    return f"tf.reduce_sum(tf.cast({value.name}, tf.float32)) > 1"


def _function(name, parameters, block, result):
    body = [line for statement in block.statements for line in statement.source()]
    return [f"def {name}({parameters}):", *indented([*body, f"return {result}"])]


def fill(block, count):
    """Add about so many statements."""
    families, weights = zip(*FAMILIES, strict=True)
    for family in block.random.choices(families, weights, k=count):
        family(block)
