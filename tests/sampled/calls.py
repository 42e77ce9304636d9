"""Programs of one call of TensorFlow with random arguments, and what uses it."""

from . import array_calls, network_calls
from .draft import ANY, CALLS, FLOATS, NUMBERS, Draft, drawn

FAMILIES = (array_calls, network_calls)
"""The modules that add their calls to `CALLS`."""


def function(takes, call, *args, **kwargs):
    """Return a function of one call."""
    step = {"to": "out", "call": call, "args": list(args), "kwargs": kwargs}
    return {"lambda": list(takes), "steps": [step], "gives": "%out"}


MAPS = ("tf.tanh", "tf.square", "tf.negative", "tf.exp", "tf.identity", "tf.abs")


@drawn("cond")
def _cond(d, name):
    value = d.x((*FLOATS, *ANY))
    branches = [function([], d.random.choice(MAPS), value) for _ in range(2)]
    if d.one_in(3):
        branches[1] = function([], "tf.reduce_sum", value)
    d.step(name, d.given("bool", ()), *branches)


@drawn("while_loop")
def _while_loop(d, name):
    value = d.x((*FLOATS, *NUMBERS))
    counted = function(["i", "x"], "tf.less", "%i", d.choice(0, 1, 3))
    body = {
        "lambda": ["i", "x"],
        "steps": [
            {"to": "j", "call": "tf.add", "args": ["%i", 1]},
            {"to": "y", "call": d.random.choice(MAPS), "args": ["%x"]},
        ],
        "gives": ["%j", "%y"],
    }
    if d.one_in(4):
        body["steps"][1] = {"to": "y", "call": "tf.concat", "args": [["%x", "%x"], 0]}
    d.step(name, counted, body, [0, value])


@drawn("map_fn")
def _map_fn(d, name):
    value = d.x((*FLOATS, *NUMBERS), least=1)
    call = d.random.choice((*MAPS, "tf.reduce_sum"))
    d.step(name, function(["x"], call, "%x"), value)


@drawn("TensorArray")
def _tensor_array(d, name):
    dtype, sizes, count = d.dtype((*FLOATS, *ANY)), d.sizes(), d.choice(1, 2, 3)
    array = d.step(
        name,
        "tf." + dtype,
        size=count,
        clear_after_read=False,
        **({"dynamic_size": True} if d.one_in(3) else {}),
    )
    if d.one_in(3):
        array = d.step(".unstack", array, d.given(dtype, (count, *sizes)))
    else:
        for index in range(count):
            array = d.step(".write", array, index, d.given(dtype, sizes))
    for _ in range(d.choice(1, 2)):
        d.step(d.choice(".stack", ".concat", ".size"), array)
    d.step(".read", array, d.choice(0, count - 1))
    d.step(".gather", array, [0, count - 1])


# -- whole programs ------------------------------------------------------------

AFTER = ("tf.tanh", "tf.square", "tf.shape", "tf.reduce_sum", "tf.identity", "tf.abs")


def _differentiate(d, made):
    """Add first, and sometimes second, gradients of a result."""
    sources = [
        f"%{name}" for name, dtype, _ in d.inputs if "float" in dtype or "comp" in dtype
    ]
    if not sources:
        return
    first = d.step("tf.gradients", made, sources)
    if d.one_in(3):
        d.step("tf.gradients", first + ".0", sources)


def draw(seed):
    """Return the program of a seed."""
    d = Draft(seed)
    names = sorted(CALLS)
    CALLS[names[seed % len(names)]](d)
    made = "%" + d.steps[-1]["to"]
    if d.one_in(3):
        made = d.step(d.random.choice(AFTER), made)
    if d.one_in(2):
        _differentiate(d, made)
    return d.steps
