"""The subjects: what can be put to the test, and how its process is started."""

import importlib.util
import os
import sys

from .description import BadDescription, Description
from .environment import environment_python
from .statements import SOURCES

#: The implementation of the kernels and the executor that each name asks for.
_TPUREF = {
    "tpuref-lockstep": {"TPUREF_EXECUTOR": "lockstep", "TPUREF_KERNELS": "python"},
    "tpuref-pool-python": {"TPUREF_EXECUTOR": "pool", "TPUREF_KERNELS": "python"},
    "tpuref-pool-cython": {"TPUREF_EXECUTOR": "pool", "TPUREF_KERNELS": "cython"},
    "tpuref-remote": {"TPUREF_EXECUTOR": "lockstep", "TPUREF_KERNELS": "python"},
    "tpuref-xla": {"TPUREF_EXECUTOR": "xla", "TPUREF_KERNELS": "python"},
}
RELEASES = ("1.8.0", "1.11.0", "1.15.5", "2.2.0", "2.4.4", "2.21.0")


class UnknownSubject(Exception):
    """No subject has the name."""


class Subject:
    """Something that offers the documented names, and how its process is started.

    A ``release`` of TensorFlow is judged by the documents about that release only; a
    ``strict`` subject must offer a way to observe every statement; the sessions of one
    that is ``served`` are on a server. ``described`` is the path of its subject file,
    ``known`` that of its known deviations, if not the suite's own. ``sources`` are
    those whose statements judge it: all for tpuref, the documents for anything else. If
    ``beyond`` is true, clauses beyond the words of the documents make its run fail: for
    tpuref and the releases, whose deviations are recorded.
    """

    def __init__(
        self,
        name,
        module,
        python,
        settings=None,
        version=None,
        release=False,
        cores=True,
        strict=False,
        suite="tpuref_conformance.suite",
        served=False,
        described=None,
        known=None,
    ):
        self.name = name
        self.module = module
        self.python = python
        self.settings = dict(settings or {})
        self.version = version
        self.release = release
        self.cores = cores
        self.strict = strict
        self.suite = suite
        self.served = served
        self.described = described
        self.known = known
        self.sources = tuple(SOURCES) if module == "tpuref" else ("document",)
        self.beyond = release or module == "tpuref"

    def environment(self):
        """Return the environment variables of the subject's process."""
        variables = dict(os.environ, **self.settings)
        if self.release:
            # Modules meant for this interpreter are not meant for that one.
            variables.pop("PYTHONPATH", None)
        return variables


def subject_names():
    """Return the names of all subjects."""
    return [*_TPUREF, *("tensorflow-" + version for version in RELEASES)]


def find_subject(name):
    """Return the subject called ``name``; ``tensorflow==1.15.5`` is understood too.

    A name may also be that of a subject file, such as ``conformance_mytf.py``, of the
    module that one in the current directory describes, or of any module.
    """
    file = name if name.endswith(".py") else subject_file(name)
    if os.path.isfile(file):
        return described_module(file)
    name = name.replace("==", "-")
    if name in _TPUREF:
        return Subject(
            name,
            "tpuref",
            sys.executable,
            _TPUREF[name],
            strict=True,
            served=name == "tpuref-remote",
        )
    if name in subject_names():
        return Subject(
            name,
            "tensorflow",
            environment_python(name),
            {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"},
            version=name.split("-")[1],
            release=True,
            cores=False,
        )
    if _importable(name):
        return any_module(name)
    raise UnknownSubject(
        f"there is no subject {name!r}; there are {', '.join(subject_names())}, "
        "modules that can be imported, and subject files (tpuref conformance init)"
    )


def subject_file(module):
    """Return the name of the subject file of a module, in the current directory."""
    return f"conformance_{module.replace('.', '_')}.py"


def _importable(module):
    if not all(part.isidentifier() for part in module.split(".")):
        return False
    beside = os.path.join(os.getcwd(), module.split(".")[0])
    if os.path.isdir(beside) or os.path.isfile(beside + ".py"):
        return True
    return importlib.util.find_spec(module.split(".")[0]) is not None


def described_module(path, python=None):
    """Return the subject that the file ``path`` describes."""
    try:
        says = Description(path)
    except BadDescription as error:
        raise UnknownSubject(str(error)) from error
    subject = any_module(says.module, python)
    subject.described, subject.known = says.path, says.known
    return subject


def any_module(module, python=None):
    """Return a subject for any importable module, by default of this interpreter."""
    release = module == "tensorflow"
    return Subject(
        module, module, python or sys.executable, release=release, cores=not release
    )


def default_subject():
    """Return tpuref on the pool, with the compiled kernels where they were built."""
    compiled = importlib.util.find_spec("tpuref.kernels.cython.links") is not None
    return find_subject("tpuref-pool-cython" if compiled else "tpuref-pool-python")
