"""Arguments, drawn by what a parameter is called and annotated with, or at random."""

import inspect

import numpy as np

import tpuref as tf

from . import specimens


def _itself():
    """A list that contains itself."""
    contained = [1]
    contained.append(contained)
    return contained


def _deep():
    """A thousand lists in each other."""
    nested = 1.0
    for _ in range(1000):
        nested = [nested]
    return nested


INTEGERS = (0, 1, 2, 3, -1, -2, 7, np.int32(1), np.int64(2), True)
HUGE = (2**31 - 1, 2**31, 2**63 - 1, 2**63, -(2**63) - 1, 10**30)
REALS = (0.0, 0.5, -1.5, 1e30, float("inf"), float("nan"))
TEXTS = (
    "x",
    "",
    "a/b",
    "x:0",
    "NHWC",
    "NCHW",
    "SAME",
    "VALID",
    "REFLECT",
    "float32",
    "/cpu:0",
    "/device:TPU:1",
    "\udcff",
    "\0",
    "ü" * 9,
    "ij,jk->ik",
    b"x",
)
FUNCTIONS = (
    lambda: 1.0,
    lambda: tf.constant(1.0),
    lambda x: x,
    lambda x, y: x,
    lambda *values: values[0] if values else 1.0,
    lambda *values, **named: None,
    lambda *values: tf.constant(True),
    len,
    int,
)
SHAPES = (
    lambda: [],
    lambda: [2],
    lambda: [2, 2],
    lambda: (1, None),
    lambda: None,
    lambda: [-1],
    lambda: [-1, -1],
    lambda: [2**31, 2**31],
    lambda: [2**63],
    lambda: ["a"],
    lambda: [[2]],
    lambda: [0],
    lambda: tf.TensorShape([2, None]),
    lambda: tf.TensorShape(None),
    lambda: tf.Dimension(2),
)
ARRAYS = (
    lambda: np.ones((2, 2), np.float32),
    lambda: np.arange(3),
    lambda: np.array(["a", "b"]),
    lambda: np.array([None, {}], object),
    lambda: np.zeros((0, 3)),
    lambda: np.array(True),
    lambda: np.ones((1, 2, 2, 1), np.float32),
    lambda: np.array([1 + 2j]),
    lambda: np.array("2001-01-01", np.datetime64),
)
TENSORS = (
    specimens.tensor,
    lambda: tf.constant([1, 2, 3]),
    lambda: tf.constant(2),
    lambda: tf.constant("text"),
    lambda: tf.constant([True, False]),
    lambda: tf.constant(1.0),
    lambda: tf.ones([1, 2, 2, 1]),
    specimens.variable,
)
NESTS = (
    lambda: [1.0, 2.0],
    lambda: [[1.0], [2.0]],
    lambda: [[1.0, 2.0], [3.0]],
    lambda: (1, "a"),
    lambda: {"a": 1, "b": [2]},
    lambda: {1: 2, "b": 3},
    lambda: [specimens.tensor(), specimens.tensor()],
    lambda: [()],
    _itself,
    _deep,
)
DTYPES = (
    *(tf.float32, tf.int32, tf.int64, tf.bool, tf.string, tf.bfloat16, tf.complex64),
    *(np.float64, "int8", float, int, np.dtype("M8[s]"), 99),
)
INSTANCES = tuple(make for _, make in specimens.SPECIMENS.values())
FEATURES = (
    lambda: {"a": tf.FixedLenFeature([], tf.int64)},
    lambda: {"a": tf.VarLenFeature(tf.string)},
    lambda: {"a": tf.FixedLenSequenceFeature([2], tf.float32, True)},
    lambda: {"a": tf.FixedLenFeature([2], tf.float32, ["x", None])},
    lambda: {"a": tf.FixedLenFeature(None, None)},
    lambda: {"a": 5},
    lambda: {5: tf.VarLenFeature(tf.string)},
)
OPTIMIZERS = (
    lambda: tf.train.GradientDescentOptimizer(0.1),
    lambda: tf.train.GradientDescentOptimizer,
)
HOOKS = (
    lambda: [tf.train.StopAtStepHook(1)],
    lambda: [tf.train.StopAtStepHook],
    lambda: tf.train.StopAtStepHook(1),
    lambda: [5],
)
PAIRS = (
    lambda: [(specimens.tensor(), specimens.variable())],
    lambda: [(tf.constant([1.0, 2.0]), specimens.variable())],
    lambda: [(None, specimens.variable())],
    lambda: [(1.0, 2.0, 3.0)],
)
MESSAGES = (
    lambda: tf.Summary(value=[tf.Summary.Value(tag="a", simple_value=1.0)]),
    tf.Event,
    lambda: b"\x0a\xff",
)
ODD = (None, object(), ..., slice(None), int, np, Exception("x"))

BY_NAME = (
    ("features", (), FEATURES),
    ("optimizer", (), OPTIMIZERS),
    ("hooks", (), HOOKS),
    ("grads_and_vars", (), PAIRS),
    ("summary event", (), MESSAGES),
    ("var_list variable", (), (specimens.variable, lambda: [specimens.variable()])),
    ("rate decay epsilon momentum rho beta stddev gain scale secs", REALS, ()),
    ("name scope prefix device path dir", TEXTS, ()),
    ("dtype type", DTYPES, ()),
    ("shape size coord", (), SHAPES),
    ("fn func computation callable creator initializer", FUNCTIONS, ()),
    ("graph session strategy topology queue assignment dataset resolver", (),
     INSTANCES),
    ("axis axes dim num count n k depth seed index replica core shard", INTEGERS, ()),
    ("format mode padding method ord equation target", TEXTS, ()),
    ("inputs values tensors structure args list", (), NESTS),
    ("", (), (*TENSORS, *ARRAYS)),
)  # fmt: skip
"""Values by parts of a parameter's name; the first that fits."""

BY_ANNOTATION = {
    "bool": (True, False),
    "int": INTEGERS,
    "float": REALS,
    "str": TEXTS,
    "Callable": FUNCTIONS,
}


def arguments(drawing, called):
    """Draw what the signature takes: all of the right kind, or one of any."""
    positional = []
    named = {}
    parameters = _parameters(called)
    odd = drawing.choice(parameters) if parameters and drawing.random() < 0.6 else None

    def value(parameter):
        if parameter is odd:
            return anything(drawing)
        return fitting(drawing, parameter)

    for parameter in parameters:
        optional = parameter.default is not inspect.Parameter.empty
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            positional += [value(parameter) for _ in range(drawing.randrange(3))]
        elif parameter.kind is inspect.Parameter.VAR_KEYWORD or (
            optional and parameter is not odd and drawing.random() < 0.7
        ):
            continue
        elif parameter.kind is inspect.Parameter.POSITIONAL_ONLY or (
            not optional and parameter.kind is not inspect.Parameter.KEYWORD_ONLY
        ):
            positional.append(value(parameter))
        else:
            named[parameter.name] = value(parameter)
    return positional, named


def _parameters(called):
    try:
        return list(inspect.signature(called).parameters.values())
    except ValueError:  # of C, without a signature
        return []


def fitting(drawing, parameter):
    """Draw a value of the kind that a parameter says it is."""
    annotation = str(parameter.annotation)
    for kind, values in BY_ANNOTATION.items():
        if kind in annotation and drawing.random() < 0.7:
            return drawing.choice(values)
    for parts, values, makers in BY_NAME:
        if not parts or any(part in parameter.name for part in parts.split()):
            return _one(drawing, values, makers)
    raise AssertionError(parameter.name)


def anything(drawing):
    """Draw a value of any kind."""
    plain = (INTEGERS, HUGE, REALS, TEXTS, FUNCTIONS, DTYPES, ODD)
    made = (
        *(SHAPES, ARRAYS, TENSORS, NESTS, INSTANCES),
        *(FEATURES, OPTIMIZERS, HOOKS, PAIRS, MESSAGES),
    )
    kind = drawing.randrange(len(plain) + len(made))
    if kind < len(plain):
        return drawing.choice(plain[kind])
    return drawing.choice(made[kind - len(plain)])()


def _one(drawing, values, makers):
    number = drawing.randrange(len(values) + len(makers))
    if number < len(values):
        return values[number]
    return makers[number - len(values)]()
