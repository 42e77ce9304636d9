"""How host parts are told apart, and what tpuref says about an invalid one."""

from ..clause import same
from .messages import refused
from .page import Page

page = Page("tf.tpu.outside_compilation")


@page.clause("/behaviour/parts-are-numbered")
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


@page.clause("/messages/cannot-be")
def cannot_be(tf):
    outside = tf.tpu.outside_compilation

    def within_itself():
        return outside(lambda: outside(lambda: tf.constant(1.0)))

    words = ["cannot be nested"]
    refused(NotImplementedError, words, tf.tpu.replicate, within_itself)
    refused(TypeError, ["computation must be callable, got 3"], outside, 3)
