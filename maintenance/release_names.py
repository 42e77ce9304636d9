#!/usr/bin/env python3
"""Measure which names releases of TensorFlow have, for messages about missing names.

    python maintenance/release_names.py 1.15=venv-1.15/bin/python 2.4=... 2.21=...

Each interpreter has one release installed; releases are given from the oldest to the
newest.  The script runs itself in each of them, so it keeps to Python 3.6.  It writes
`src/tpuref/names/releases.txt.gz`, which `tpuref.names.releases` reads: a line
with the columns, each a spelling (``tf`` or ``tf.compat.v1``) in a release, then a
line for each name: the name, the columns that have it as bits, and, where another
name stands for the same object in a release, that name.
"""

import collections
import gzip
import importlib
import json
import os
import pkgutil
import subprocess
import sys
import types

FILE = os.path.join(
    os.path.dirname(os.path.abspath(__file__)),
    *("..", "src", "tpuref", "names", "releases.txt.gz"),
)

PACKAGES = ("tensorflow", "tensorflow_estimator", "keras", "tensorboard")
"""The packages whose modules are TensorFlow's."""

INSIDE = ("compiler", "core", "examples", "python", "pywrap_tensorflow", "tools")
"""Modules that are reached as attributes, and are no interface."""

CLASSES = """
    ConfigProto DType Dimension Graph GraphKeys Operation RunMetadata RunOptions
    Session SparseTensor Tensor TensorShape TensorSpec Variable VariableAggregation
    VariableScope VariableSynchronization
    contrib.cluster_resolver.ClusterResolver
    contrib.cluster_resolver.TPUClusterResolver
    contrib.distribute.DistributionStrategy contrib.distribute.OneDeviceStrategy
    contrib.distribute.TPUStrategy contrib.distribute.TowerContext
    contrib.tpu.DeviceAssignment contrib.tpu.InfeedQueue contrib.tpu.Topology
    data.Dataset data.Iterator data.Options
    distribute.ReplicaContext distribute.Strategy distribute.StrategyExtended
    distribute.TPUStrategy
    distribute.cluster_resolver.ClusterResolver
    distribute.cluster_resolver.TPUClusterResolver
    distribute.experimental.TPUStrategy errors.OpError
    tpu.PaddingSpec tpu.XLAOptions tpu.experimental.DeviceAssignment
    tpu.experimental.Topology train.ClusterSpec train.Server
"""
"""The classes whose members are listed: those of which programs hold objects."""


def measure():
    """Return the names of the release that is installed, by spelling.

    Each name has a number that stands for its object, None for modules and values.
    """
    import tensorflow as tf

    found = {"tf": named(tf)}
    if hasattr(tf, "compat") and hasattr(tf.compat, "v1"):
        found["tf.compat.v1"] = named(tf.compat.v1)
    private = defined_inside(found.get("tf.compat.v1", found["tf"]))
    return {"names": found, "private": private}


def named(root):
    """Return the public names below a module, each with the number of its object."""
    names = {}
    times = collections.Counter()
    waiting = collections.deque([("", root)])
    while waiting:
        prefix, module = waiting.popleft()
        times[id(module)] += 1
        if times[id(module)] > (1 if prefix.startswith("contrib.") else 2):
            continue  # tf.flags is tf.app.flags too, contrib has many more of them
        if prefix.startswith("contrib."):
            load_modules(module)
        for attribute, value in attributes(module):
            name = prefix + attribute
            if not isinstance(value, types.ModuleType):
                names[name] = number(value)
                if name in CLASSES.split() and isinstance(value, type):
                    names.update((name + "." + m, None) for m in public(dir(value)))
            elif is_public(name, attribute, value):
                names[name] = None
                if name not in ("compat.v1", "compat.v2"):
                    waiting.append((name + ".", value))
    return names


def load_modules(package):
    """Import the modules of a package, which its ``__init__`` need not do."""
    for found in pkgutil.iter_modules(getattr(package, "__path__", [])):
        if found.name not in INSIDE and not found.name.endswith("_test"):
            try:
                importlib.import_module(package.__name__ + "." + found.name)
            except Exception as error:  # some need what is not installed
                print(package.__name__, found.name, error, file=sys.stderr)


def attributes(module):
    """Give the public attributes of a module, none where it cannot be loaded."""
    try:
        names = public(dir(module))
    except ImportError:  # a lazy module whose package is not installed
        return
    for name in names:
        try:
            value = getattr(module, name)
        except (AttributeError, ImportError):
            continue
        if type(value).__name__ != "_Feature":  # from __future__ import
            yield name, value


def public(names):
    return [name for name in names if not name.startswith("_")]


def is_public(name, attribute, module):
    """Return whether a module belongs to the interface."""
    try:
        path = path_of(module)
    except (AttributeError, ImportError):
        return False
    if attribute in INSIDE or path.split(".")[0] not in PACKAGES:
        return False
    if not name.startswith("contrib."):
        return True
    return attribute != "ops" and path.startswith("tensorflow.contrib.")


def path_of(module):
    """Return the name of a module; 1.15 keeps most of them in another package."""
    return module.__name__.replace("tensorflow_core", "tensorflow", 1)


def number(value):
    """Return what tells the object of a name from others, None for plain values."""
    known = isinstance(value, type) or callable(value)
    return id(value) if known or type(value).__name__ == "DType" else None


def defined_inside(names):
    """Return names of private modules that stand for an object with a public name."""
    numbers = {
        number
        for name, number in names.items()
        if number is not None and name.split(".")[0] not in ("keras", "raw_ops")
    }
    found = {}
    for module in list(sys.modules.values()):
        if not isinstance(module, types.ModuleType):
            continue
        own = vars(module).get("__name__", "")
        path = own.replace("tensorflow_core", "tensorflow", 1)
        if not path.startswith("tensorflow.python."):
            continue
        for name, value in list(vars(module).items()):
            if id(value) in numbers and (
                getattr(value, "__module__", None) == own
                or path == "tensorflow.python.framework.dtypes"
            ):
                found[path.split(".", 1)[1] + "." + name] = id(value)
    return found


def main(arguments):
    if arguments == ["--measure"]:
        print("\n" + json.dumps(measure()))
        return
    releases = [argument.partition("=")[::2] for argument in arguments]
    if not releases or not all(python for _, python in releases):
        sys.exit(__doc__)
    columns = []
    rows = collections.defaultdict(int)
    same = {}
    for release, python in releases:
        measured = run(python)
        for spelling, names in sorted(measured["names"].items()):
            for name in names:
                rows[name] |= 1 << len(columns)
            columns.append(spelling + " " + release)
            same = without_parted(same, names)
            same.update(same_objects(names, measured["private"]))
        for name in measured["private"]:
            rows[name] |= 1 << columns.index("tf " + release)
    write(columns, rows, same)


def run(python):
    """Return what another interpreter measures."""
    quiet = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", PYTHONWARNINGS="ignore")
    output = subprocess.check_output([python, __file__, "--measure"], env=quiet)
    return json.loads(output.decode().splitlines()[-1])


def same_objects(names, private):
    """Return for each name the simplest other name of the same object."""
    groups = collections.defaultdict(list)
    for name, object_number in [*names.items(), *private.items()]:
        if object_number is not None:
            groups[object_number].append(name)
    return {
        name: min(group, key=simplicity)
        for group in groups.values()
        for name in group
        if name != min(group, key=simplicity)
    }


def without_parted(same, objects):
    """Return `same` without layers of contrib that are now functions of their own.

    Until 1.8 ``contrib.slim.conv3d`` was ``conv2d``, for images of any rank.
    """
    return {
        name: first
        for name, first in same.items()
        if not (name.startswith("contrib.") and first.startswith("contrib."))
        or objects.get(name) == objects.get(first)
        or not {name, first} <= objects.keys()
    }


def simplicity(name):
    """Return a key by which the plainest of several names comes first."""
    family = name.split(".")[0]
    order = ("", "raw_ops", "keras", "contrib", "python")
    rank = order.index(family) if family in order else 0
    return rank, name.count("."), len(name), name


def write(columns, rows, same):
    lines = [", ".join(columns)]
    for name in sorted(rows):
        lines.append(" ".join([name, "%x" % rows[name], same.get(name, "")]).rstrip())
    text = "\n".join(lines) + "\n"
    with open(FILE, "wb") as file:
        file.write(gzip.compress(text.encode("ascii"), 9, mtime=0))
    print("%d names, %d bytes" % (len(rows), os.path.getsize(FILE)))


if __name__ == "__main__":
    main(sys.argv[1:])
