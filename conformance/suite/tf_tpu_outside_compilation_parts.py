"""How host parts are told apart, and what tpuref says about one that cannot be."""

from ..clause import clause, same
from .messages import refused
from .tf_tpu_page import SEED

NAME = "tf.tpu.outside_compilation"


@clause(
    NAME + "/behaviour/parts-are-numbered",
    seed=SEED,
    tier="build",
    says=(
        "The operations of a host part have an attribute with its number, counted "
        "from 0 in each replicated computation."
    ),
    doubt="The page does not say how host parts are marked: as release 1.15 does.",
)
def parts_are_numbered(tf):
    numbers = []

    def computation():
        for _ in range(3):
            part = tf.tpu.outside_compilation(lambda: tf.constant(1.0))
            number = part.op.get_attr("_xla_outside_compilation")
            numbers.append(number.decode() if isinstance(number, bytes) else number)
        return part

    tf.tpu.replicate(computation)
    tf.tpu.replicate(computation)
    same(numbers, ["0", "1", "2", "0", "1", "2"])


@clause(
    NAME + "/messages/cannot-be",
    seed=SEED,
    tier="build",
    says="The messages about a host part within a host part, or of no function.",
    doubt="No document has it: tpuref's own.",
)
def cannot_be(tf):
    outside = tf.tpu.outside_compilation

    def within_itself():
        return outside(lambda: outside(lambda: tf.constant(1.0)))

    words = ["cannot be nested"]
    refused(tf, NotImplementedError, words, tf.tpu.replicate, within_itself)
    refused(tf, TypeError, ["computation must be callable, got 3"], outside, 3)
