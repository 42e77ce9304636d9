"""Evaluate the cases in a release of TensorFlow, and write the values.

    venv-1.15/bin/python measure.py 1 && venv-2.21/bin/python measure.py 2

Each line of `cases.txt` is a name and an expression of ``tf`` and ``np``, which both
releases evaluate.  An indented line below it says for which release tpuref's outcome
differs, and why.  A name with ``-`` instead of an expression has a reason alone.
`values.json` has the values of both releases by expression.  Release 2 needs
TensorBoard for summaries.  The script keeps to Python 3.6.
"""

import json
import os
import sys

import numpy as np

FOLDER = os.path.dirname(os.path.abspath(__file__))
CASES, VALUES = (os.path.join(FOLDER, name) for name in ("cases.txt", "values.json"))
FAILS = "fails"


def rows():
    """Return the lines of the table that are no comments."""
    with open(CASES) as lines:
        return [line.rstrip() for line in lines if line.strip() and line[0] != "#"]


def cases():
    """Return the names and their expressions."""
    found = [row.split(None, 1) for row in rows() if row[0] != " "]
    return [row for row in found if row[1][0] != "-"]


def reasons():
    """Return why tpuref differs, by release and expression."""
    found, case = {}, ""
    for row in rows():
        number, rest = row.split(None, 1)
        if row[0] == " ":
            found[int(number), case] = rest
        case = rest if row[0] != " " else case
    return found


def unmeasured():
    """Return the patterns of names that have a reason instead of an expression."""
    return [row.split()[0] for row in rows() if row.split()[1] == "-"]


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

    def of(x):
        return tf.round(10.0 * tf.reduce_mean(tf.cast(x > 0.0, tf.float32)))

    return of


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
    with open(VALUES) as values:
        known = json.load(values)
    found = {e: known.get(e, [FAILS, FAILS]) for _, e in cases()}
    for expression in found:
        found[expression][number - 1] = value_of(tf, expression, number)
    parts = (json.dumps(case) + ": " + json.dumps(found[case]) for case in found)
    with open(VALUES, "w") as values:
        values.write("{\n" + ",\n".join(parts) + "\n}\n")


if __name__ == "__main__":
    main()
