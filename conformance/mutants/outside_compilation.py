"""Wrong host parts."""

from .mutant import Mutant

_FILE = "tpu/host_calls.py"
_CALL = "    with graph.on_host(label):\n        return computation(*args, **kwargs)\n"

MUTANTS = (
    Mutant(
        "stays-on-the-core",
        "the computation is not taken out of the replicated one",
        "tf.tpu.outside_compilation/behaviour/runs-on-host",
        _FILE,
        _CALL,
        "    return computation(*args, **kwargs)\n",
    ),
    Mutant(
        "arguments-reversed",
        "the arguments arrive from the last to the first",
        "tf.tpu.outside_compilation/args:args/forwarded-in-order",
        _FILE,
        _CALL,
        "    with graph.on_host(label):\n"
        "        return computation(*args[::-1], **kwargs)\n",
    ),
    Mutant(
        "keywords-dropped",
        "keyword arguments are not passed on",
        "tf.tpu.outside_compilation/args:kwargs/forwarded-by-name",
        _FILE,
        _CALL,
        "    with graph.on_host(label):\n        return computation(*args)\n",
    ),
    Mutant(
        "keywords-become-positional",
        "keyword arguments are passed on by position",
        "tf.tpu.outside_compilation_dyn/behaviour/kwargs-overload",
        _FILE,
        _CALL,
        "    with graph.on_host(label):\n"
        "        return computation(*args, *kwargs.values())\n",
    ),
    Mutant(
        "result-becomes-a-list",
        "the result comes back in a list",
        "tf.tpu.outside_compilation/returns/structure-kept",
        _FILE,
        _CALL,
        "    with graph.on_host(label):\n"
        "        return [computation(*args, **kwargs)]\n",
    ),
    Mutant(
        "result-lost",
        "the result is not returned",
        "tf.tpu.outside_compilation/returns/tensors-of-computation",
        _FILE,
        _CALL,
        "    with graph.on_host(label):\n        computation(*args, **kwargs)\n",
    ),
    Mutant(
        "error-outside-of-replicas",
        "outside of a replicated computation it is an error",
        "tf.tpu.outside_compilation/behaviour/without-replicate-scope",
        _FILE,
        "    if replicated is None:\n        return computation(*args, **kwargs)\n",
        "    if replicated is None:\n        raise ValueError('outside')\n",
    ),
)
