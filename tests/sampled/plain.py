"""Run programs that are plain data, with any module that has TensorFlow 1's names.

The module runs alone under the Python 3.7 of TensorFlow 1.15.5 too, hence its syntax:
``python plain.py < programs.json`` prints a line of outcomes for each program.

A program is a list of steps ``{"to": name, "call": function, "args": [...],
"kwargs": {...}}``; the call ``"input"`` makes a constant or a placeholder. In
arguments, ``"%name"`` and ``"%name.1"`` are earlier results, ``"tf.float32"`` and
``"..."`` what they say, and one-key dictionaries are slices, tuples, arrays, and
functions with steps of their own.
"""

import base64
import json
import os
import sys
import warnings

import numpy as np


class Interpreter:
    """Build the steps of one program, and keep what each gives."""

    def __init__(self, tf):
        self.tf = tf
        self.feeds = {}

    def build(self, steps, values):
        """Build steps in turn and return the exception of each that raises."""
        failures = {}
        for step in steps:
            try:
                values[step["to"]] = self.step(step, values)
            except Missing:
                pass
            except Exception as error:
                failures[step["to"]] = error
        return failures

    def step(self, step, values):
        if step["call"] == "input":
            return self.input(step)
        args = [self.argument(one, values) for one in step.get("args", ())]
        kwargs = {
            key: self.argument(one, values)
            for key, one in step.get("kwargs", {}).items()
        }
        return self.function(step["call"], args)(*args, **kwargs)

    def function(self, name, args):
        """Return the function of a name, which a dot before it makes a method."""
        if name.startswith("."):
            return getattr(args.pop(0), name[1:])
        if name == "[]":
            return lambda value, key: value[key]
        if name == "list":
            return lambda *parts: list(parts)
        return self.attribute(name)

    def attribute(self, name):
        found = self.tf
        for part in name.split(".")[1:]:
            found = getattr(found, part)
        return found

    def input(self, step):
        dtype = getattr(self.tf, step["dtype"])
        value = array(step, dtype.as_numpy_dtype)
        if step["static"] == "constant":
            return self.tf.constant(value, dtype)
        placed = self.tf.placeholder(dtype, step["static"])
        self.feeds[placed] = value
        return placed

    def argument(self, one, values):
        if isinstance(one, list):
            return [self.argument(part, values) for part in one]
        if isinstance(one, dict):
            return self.structured(one, values)
        if not isinstance(one, str):
            return one
        if one.startswith("%"):
            name, _, index = one[1:].partition(".")
            if name not in values:
                raise Missing(name)
            found = values[name][int(index)] if index else values[name]
            if found is None:
                raise Missing(name)  # a gradient that there is not
            return found
        if one == "...":
            return Ellipsis
        return self.attribute(one) if one.startswith("tf.") else one

    def structured(self, one, values):
        if "tuple" in one:
            return tuple(self.argument(one["tuple"], values))
        if "slice" in one:
            return slice(*self.argument(one["slice"], values))
        if "array" in one:
            return array(one["array"], np.dtype(one["array"]["dtype"]))

        def function(*given):
            inner = dict(values)
            inner.update({name: given[k] for k, name in enumerate(one["lambda"])})
            for step in one["steps"]:
                inner[step["to"]] = self.step(step, inner)
            return self.argument(one["gives"], inner)

        return function

    def outcomes(self, steps):
        """Return what each step gives: values, or what is raised."""
        values = {}
        failures = self.build(steps, values)
        told = {name: [raised(error)] for name, error in failures.items()}
        tensors = {}
        for name, value in values.items():
            try:
                tensors[name] = [self.tensor(part) for part in flat(value)]
            except Exception as error:
                told[name] = [raised(error)]
        fetched = [t for some in tensors.values() for t in some if t is not None]
        with self.tf.Session(config=plain_session(self.tf)) as session:
            try:
                ran = iter(session.run(fetched, self.feeds))
            except Exception:
                ran = (self.alone(session, tensor) for tensor in fetched)
            for name, some in tensors.items():
                told[name] = [
                    None if t is None else told_of(t, next(ran)) for t in some
                ]
        return told

    def alone(self, session, tensor):
        try:
            return session.run(tensor, self.feeds)
        except Exception as error:
            return error

    def tensor(self, part):
        """Return the tensor to fetch for a result, None where it is none."""
        if part is None or not hasattr(part, "dtype"):
            return None
        if hasattr(part, "indices"):
            return self.tf.convert_to_tensor(part)
        return part if hasattr(part, "get_shape") else None


class Missing(Exception):
    """A step reads the result of a step that raises."""


def array(given, dtype):
    """Return the array of a dictionary with data and sizes."""
    data = given["data"]
    if np.dtype(dtype).kind == "c":
        data = [complex(*pair) for pair in data]
    return np.array(data).astype(dtype).reshape(given["sizes"])


def flat(value):
    if isinstance(value, (list, tuple)):
        return [part for one in value for part in flat(one)]
    return [value]


def told_of(tensor, value):
    """Return dtype, static shape and bytes of a tensor, or what is raised."""
    static = tensor.get_shape()
    told = {
        "dtype": tensor.dtype.base_dtype.name,
        "static": None if static.dims is None else static.as_list(),
    }
    if isinstance(value, Exception):
        told.update(raised(value))
        return told
    value = np.asarray(value)
    told["sizes"] = list(value.shape)
    if value.dtype.kind == "O":
        told["data"] = [str(one) for one in value.reshape(-1)]
    else:
        if told["dtype"] == "bfloat16":
            value = value.astype(np.float32)
        told["bytes"] = base64.b64encode(value.tobytes()).decode()
    return told


def raised(error):
    return {"raises": type(error).__name__, "says": str(error)[:400]}


def plain_session(tf):
    """Return a configuration that runs the operations as they were built."""
    if not hasattr(tf, "OptimizerOptions"):
        return None
    config = tf.ConfigProto(
        inter_op_parallelism_threads=1, intra_op_parallelism_threads=1
    )
    config.graph_options.optimizer_options.opt_level = -1
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    return config


def run(tf, programs):
    """Yield the outcomes of each program."""
    for steps in programs:
        with tf.Graph().as_default(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield Interpreter(tf).outcomes(steps)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import tensorflow

    tensorflow.get_logger().setLevel("ERROR")
    for outcomes in run(tensorflow, json.load(sys.stdin)):
        print(json.dumps(outcomes), flush=True)
