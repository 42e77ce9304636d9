"""Evaluate the cases in a release of TensorFlow, and write the values.

    venv-1.15/bin/python measure.py 1 && venv-2.21/bin/python measure.py 2

Each line of `cases.txt` is a name, an expression of ``tf`` and ``np``, which both
releases evaluate, and behind ``=>`` the values in release 1 and in release 2.  An
indented line below it says for which release tpuref's outcome differs, and why.  A name
with ``-`` instead of an expression has a reason alone.  Release 2 needs TensorBoard for
summaries.  The script keeps to Python 3.6.
"""

import json
import os
import sys

import numpy as np

CASES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases.txt")
FAILS = "fails"
_UNKNOWN = "null | null"


def rows():
    """Return the lines of the table that are no comments."""
    with open(CASES) as lines:
        return [line.rstrip() for line in lines if line.strip() and line[0] != "#"]


def cases():
    """Return the names and their expressions."""
    return [(name, expression) for name, expression, _ in measured()]


def measured():
    """Return the names, their expressions and the values in both releases."""
    found = [row.split(None, 1) for row in rows() if row[0] != " "]
    return [(name, *_parts(rest)) for name, rest in found if rest[0] != "-"]


def _parts(rest):
    expression, _, values = rest.partition(" => ")
    return expression, [json.loads(one) for one in (values or _UNKNOWN).split(" | ")]


def reasons():
    """Return why tpuref differs, by release and expression."""
    found, case = {}, ""
    for row in rows():
        number, rest = row.split(None, 1)
        if row[0] == " ":
            found[int(number), case] = rest
        case = _parts(rest)[0] if row[0] not in " " and rest[0] != "-" else case
    return found


def value_of(tf, expression, number):
    """Return the value of an expression as lists and numbers, or `FAILS`."""
    scope = {"tf": tf, "np": np, "share": share(tf), "items": items(tf, number)}
    graph = tf.Graph() if number == 1 else None
    try:
        with graph.as_default() if graph else tf.init_scope():
            return plain(fetched(tf, eval(expression, scope), number))
    except Exception:
        return FAILS


def share(tf):
    """Return a function that tells which tenths of the elements are not zero."""
    return lambda x: tf.round(10.0 * tf.reduce_mean(tf.cast(x > 0.0, tf.float32)))


def items(tf, number):
    """Return a function that lists the elements of a dataset, at most ten."""

    def of(dataset):
        if number == 2:
            return [plain(one) for one in dataset.take(10)]
        following = tf.compat.v1.data.make_one_shot_iterator(dataset).get_next()
        elements = []
        with tf.compat.v1.Session() as session:
            try:
                while len(elements) < 10:
                    elements.append(plain(session.run(following)))
            except tf.errors.OutOfRangeError:
                pass
        return elements

    return lambda dataset: str(of(dataset))


def fetched(tf, result, number):
    """Return what a session gives for the tensors of a result."""
    if number == 1 and not isinstance(result, (bool, int, str)):
        with tf.compat.v1.Session() as session:
            session.run(tf.compat.v1.global_variables_initializer())
            session.run(tf.compat.v1.local_variables_initializer())
            return session.run(result)
    return result


def plain(value):
    """Return a value as JSON has it."""
    if hasattr(value, "numpy"):
        value = value.numpy()
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return value.decode("latin-1") if isinstance(value, bytes) else value


def main():
    import tensorflow as tf

    number = int(sys.argv[1])
    with open(CASES) as lines:
        written = [_written(tf, number, line.rstrip("\n")) for line in lines]
    with open(CASES, "w") as lines:
        lines.write("\n".join(written) + "\n")


def _written(tf, number, line):
    """Return a line of the table with the value in this release."""
    if not line or line[0] in "# " or line.split()[1] == "-":
        return line
    head = line.partition(" => ")[0]
    expression, values = _parts(line.split(None, 1)[1])
    values[number - 1] = value_of(tf, expression, number)
    return head + " => " + " | ".join(json.dumps(value) for value in values)


if __name__ == "__main__":
    main()
