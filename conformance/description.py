"""Subject files: how the suite reaches somebody else's module.

A subject file is a few lines of Python that name a module and say how a program of it
gets cores and is run. ``tpuref conformance init`` writes one to begin with.
"""

import ast
import contextlib
import fnmatch
import os

import numpy as np

from .clause import Unavailable

#: What ``constant`` makes of its result where the module has no such function.
_MADE = {
    "constant": lambda value, dtype=None: _narrow(value, dtype),
    "convert_to_tensor": lambda value, dtype=None: _narrow(value, dtype),
    "zeros": lambda shape, dtype=np.float32: np.zeros(shape, dtype),
    "ones": lambda shape, dtype=np.float32: np.ones(shape, dtype),
}
#: The names that a subject file may assign, each a plain value.
_VALUES = {"MODULE": str, "SKIP": dict, "KNOWN": str}


class BadDescription(Exception):
    """The file is not a subject file."""


class Description:
    """What can be read of a subject file without running it.

    ``skip`` has the patterns of the clauses that are not asked, with the reasons;
    ``known`` is the path of the file of known deviations, or None.
    """

    def __init__(self, path):
        values = _read(path)
        if "MODULE" not in values:
            raise BadDescription(f"{path}: expected a line MODULE = 'name', found none")
        self.path = os.path.abspath(path)
        self.module = values["MODULE"]
        self.skip = values.get("SKIP", {})
        known = values.get("KNOWN")
        self.known = known and os.path.join(os.path.dirname(self.path), known)


def _read(path):
    """Return the plain values that the file assigns to the names that it may."""
    try:
        with open(path, encoding="utf-8") as stream:
            tree = ast.parse(stream.read(), path)
    except (OSError, SyntaxError) as error:
        raise BadDescription(f"{path} cannot be read: {error}") from error
    values = {}
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [None]
        name = getattr(targets[0], "id", None)
        if name in _VALUES:
            values[name] = _plain(path, name, node.value)
    return values


def _plain(path, name, node):
    try:
        value = ast.literal_eval(node)
    except ValueError:
        value = None
    if not isinstance(value, _VALUES[name]):
        kind = _VALUES[name].__name__
        raise BadDescription(f"{path}: {name} must be a {kind} written out in full")
    return value


class Described:
    """A module as the subject file at ``path`` describes it."""

    def __init__(self, module, path):
        self.judged_module = module
        self._path = path
        self._says = {}
        with open(path, encoding="utf-8") as stream:
            exec(compile(stream.read(), path, "exec"), self._says)

    def __getattr__(self, name):
        if hasattr(self.judged_module, name) or name not in _MADE:
            return getattr(self.judged_module, name)
        if "constant" not in self._says:
            raise Unavailable(
                f"there is no tf.{name}, and {self._path} does not say how to make a "
                "constant"
            )
        return lambda *args, **kwargs: self._says["constant"](
            self.judged_module, _MADE[name](*args, **kwargs)
        )

    @contextlib.contextmanager
    def cores(self, number):
        """Let programs have that many cores, in the way that the file describes."""
        if "cores" not in self._says:
            raise Unavailable(f"{self._path} does not say how to get {number} cores")
        with self._says["cores"](self.judged_module, number):
            yield

    @property
    def Session(self):
        """What opens a session: the file's, or the module's own."""
        if "session" in self._says:
            return lambda *_, **__: self._says["session"](self.judged_module)
        return self.judged_module.Session

    def skipped(self, id):
        """Return why the file skips the clause ``id``, or None if it does not."""
        for pattern, reason in self._says.get("SKIP", {}).items():
            if fnmatch.fnmatchcase(id, pattern):
                return reason
        return None


def _narrow(value, dtype):
    """Return the value as an array; Python numbers are 32 bits wide."""
    array = np.asarray(value, dtype)
    if dtype is None and not isinstance(value, (np.ndarray, np.generic)):
        narrow = {"f": np.float32, "i": np.int32}.get(array.dtype.kind)
        return array if narrow is None else array.astype(narrow)
    return array


class Eager:
    """A session over values that are there already; for modules without graphs."""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def run(self, fetches, feed_dict=None):
        """Return the nest ``fetches`` with every value as a NumPy array."""
        if feed_dict:
            raise Unavailable("an eager module has no placeholders to feed")
        if isinstance(fetches, dict):
            return {key: self.run(value) for key, value in fetches.items()}
        if isinstance(fetches, (list, tuple)):
            return [self.run(value) for value in fetches]
        return fetches if fetches is None else np.asarray(fetches)
