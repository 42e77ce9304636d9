"""Wrong host parts."""

from .mutant import Mutant

MUTANTS = (
    Mutant(
        "stays-on-the-core",
        "the computation is not taken out of the replicated one",
        "tf.tpu.outside_compilation/behaviour/runs-on-host",
        "outside_compilation",
        "with graph.on_host(label):",
        "if True:",
    ),
    Mutant(
        "arguments-reversed",
        "the arguments arrive from the last to the first",
        "tf.tpu.outside_compilation/args:args/forwarded-in-order",
        "outside_compilation",
        "with graph.on_host(label): return computation(*args, **kwargs)",
        "with graph.on_host(label): return computation(*args[::-1], **kwargs)",
    ),
    Mutant(
        "keywords-dropped",
        "keyword arguments are not passed on",
        "tf.tpu.outside_compilation/args:kwargs/forwarded-by-name",
        "outside_compilation",
        "with graph.on_host(label): return computation(*args, **kwargs)",
        "with graph.on_host(label): return computation(*args)",
    ),
    Mutant(
        "keywords-become-positional",
        "keyword arguments are passed on by position",
        "tf.tpu.outside_compilation_dyn/behaviour/kwargs-overload",
        "outside_compilation",
        "with graph.on_host(label): return computation(*args, **kwargs)",
        "with graph.on_host(label): return computation(*args, *kwargs.values())",
    ),
    Mutant(
        "result-becomes-a-list",
        "the result comes back in a list",
        "tf.tpu.outside_compilation/returns/structure-kept",
        "outside_compilation",
        "with graph.on_host(label): return computation(*args, **kwargs)",
        "with graph.on_host(label): return [computation(*args, **kwargs)]",
    ),
    Mutant(
        "result-lost",
        "the result is not returned",
        "tf.tpu.outside_compilation/returns/tensors-of-computation",
        "outside_compilation",
        "with graph.on_host(label): return computation(*args, **kwargs)",
        "with graph.on_host(label): computation(*args, **kwargs)",
    ),
    Mutant(
        "error-outside-of-replicas",
        "outside of a replicated computation it is an error",
        "tf.tpu.outside_compilation/behaviour/without-replicate-scope",
        "outside_compilation",
        "if replicated is None: return computation(*args, **kwargs)",
        'if replicated is None: raise ValueError("outside")',
    ),
)
