"""Where TensorFlow's tests find the names that they import, all of them tpuref's.

TensorFlow's tests import from its private modules.  Each such module is a `View`: its
names are those of tpuref's module of the same path, or of the public namespace that
has what the private module defines.  What tpuref does not have is `Absent`: it fails
the test that uses it, and not the whole file.
"""

import contextlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from fnmatch import fnmatchcase
from types import ModuleType

import tpuref
from tpuref.names.namespace import is_public

from . import machinery, servers

SOURCES = {
    "tensorflow.contrib.cluster_resolver.*": "contrib.cluster_resolver",
    "tensorflow.contrib.data.*": "contrib.data",
    "tensorflow.contrib.distribute.*": "contrib.distribute",
    "tensorflow.contrib.tpu.python.tpu.*": "python.tpu.{last} tpu",
    "tensorflow.core.*": "compat.v1",
    "tensorflow.python.data.ops.*": "python.data.ops.{last} compat.v1.data",
    "tensorflow.python.distribute.cluster_resolver*": "distribute.cluster_resolver",
    "tensorflow.python.distribute.*": "distribute",
    "tensorflow.python.framework.*": "compat.v1 dtypes errors config",
    "tensorflow.python.keras.optimizer_v2.*": "keras.optimizers",
    "tensorflow.python.layers.*": "layers",
    "tensorflow.python.lib.io.*": "python_io",
    "tensorflow.python.ops.losses.*": "losses",
    "tensorflow.python.platform.gfile": "gfile",
    "tensorflow.python.tpu.ops.*": "python.tpu.ops.{last}",
    "tensorflow.python.tpu.*": "tpu",
    "tensorflow.python.training.distribut*": "contrib.distribute",
    "tensorflow.python.training.*": "train",
    "tensorflow.python.util.nest": "nest",
    "tensorflow*": "compat.v1 math",
}
"""The public namespaces below ``tf`` that have the names of private modules."""

RENAMED = {
    "tensorflow.python.keras.optimizer_v2.optimizer_v2.OptimizerV2": "Optimizer",
    "tensorflow.python.ops.math_ops.mat_mul": "matmul",
    "tensorflow.python.ops.variable_v1.VariableV1": "Variable",
    "tensorflow.python.ops.variables.VariableV1": "Variable",
}

STAND_INS = {
    "absl": ModuleType("absl"),
    "absl.testing": ModuleType("absl.testing"),
    "absl.testing.parameterized": machinery.parameterized,
    "six": machinery.six,
    "six.moves": machinery.six.moves,
    "six.moves.urllib": machinery.six.moves.urllib,
    "six.moves.urllib.error": machinery.six.moves.urllib.error,
    "tensorflow.contrib.distribute.python.combinations": machinery.contrib_combinations,
    "tensorflow.python.distribute.combinations": machinery.combinations,
    "tensorflow.python.distribute.strategy_combinations": machinery.combinations,
    "tensorflow.python.eager.test": machinery.eager_test,
    "tensorflow.python.framework.test_util": machinery.test_util,
    "tensorflow.python.platform.test": machinery.test,
    "tensorflow.python.tpu.client.client": servers.client,
}
"""What is test machinery and not tested: it stands in for TensorFlow's."""


NAMES = {**machinery.NAMES, **servers.NAMES}
"""Modules of which some names are machinery, with these names."""


class Absent(ModuleType):
    """A name that tpuref does not have."""

    def __call__(self, *args, **kwargs):
        raise AttributeError(f"tpuref has no {self.__name__}")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{self.__name__}.{name}")


class View(Absent):
    """One of TensorFlow's private modules, with what tpuref has of it."""

    def __init__(self, name, folder):
        super().__init__(name)
        self._folder = folder

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        full = f"{self.__name__}.{name}"
        if full in STAND_INS:
            return STAND_INS[full]
        if file_of(full, self._folder).exists():
            return importlib.import_module(full)
        stood_in = vars(NAMES.get(self.__name__, object)).get(name)
        if stood_in is not None:
            return stood_in
        if name == "TPUClusterResolver":
            return servers.resolver_of(_namespace(_sources(self.__name__)[-1]))
        for source in _sources(self.__name__):
            value = getattr(_namespace(source), RENAMED.get(full, name), None)
            if isinstance(value, ModuleType) or value is tpuref.config:
                return importlib.import_module(full)
            if value is not None:
                return value
        return importlib.import_module(full) if name.islower() else Absent(full)


def file_of(module, folder):
    """Return where a module of TensorFlow is if the folder has it."""
    return folder / f"{module.replace('.', '/')}.py"


def _sources(module):
    """Return where names of a module are looked for, the module's own path first."""
    last = module.rpartition(".")[2]
    found = next(to for name, to in SOURCES.items() if fnmatchcase(module, name))
    return [module.removeprefix("tensorflow."), *found.format(last=last).split()]


def _namespace(name):
    """Return a public namespace of tpuref, None if there is none."""
    value = tpuref
    for part in name.split("."):
        value = getattr(value, part, None)
        if value is None:
            break
    return value if is_public(value) else None


class _Finder(importlib.abc.MetaPathFinder):
    """Finds TensorFlow's modules: tests and their libraries in a folder, or views."""

    def __init__(self, folder):
        self._folder = folder

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in ("absl", "six", "tensorflow"):
            return None
        file = file_of(name, self._folder)
        if file.exists():
            return importlib.util.spec_from_file_location(name, file)
        loader = _Loader(self._folder)
        return importlib.machinery.ModuleSpec(name, loader, is_package=True)


class _Loader(importlib.abc.Loader):
    def __init__(self, folder):
        self._folder = folder

    def create_module(self, spec):
        return STAND_INS.get(spec.name) or View(spec.name, self._folder)

    def exec_module(self, module):
        """Leave the module as it is; its names are found when they are used."""


@contextlib.contextmanager
def tensorflow_is_tpuref(folder):
    """Let imports of TensorFlow mean tpuref for a block, and its tests a folder's."""
    kept = {name: sys.modules.pop(name) for name in _imported()}
    finder = _Finder(folder)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in _imported():
            del sys.modules[name]
        sys.modules.update(kept)


def _imported():
    packages = ("absl", "six", "tensorflow")
    return [name for name in sys.modules if name.partition(".")[0] in packages]
