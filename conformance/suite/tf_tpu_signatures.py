"""Clauses about the names, parameters and twins of the functions of tf.tpu."""

from .tf_tpu import PLAIN, WITH_TWIN
from .tf_tpu_page import defaults, names_exist, orders, same_as_plain

LATER = "tf.compat.v1.tpu.replicate"
_RUN = dict.fromkeys(["infeed_queue", "device_assignment", "name"])
_REPLICATE = ["computation", "inputs", *_RUN, "maximum_shapes"]

names_exist(*("tf.tpu." + name for name in PLAIN), LATER)
names_exist(*("tf.tpu." + name + "_dyn" for name in WITH_TWIN))

orders(
    ["computation", "inputs", "num_shards", *_RUN],
    *("tf.tpu.batch_parallel", "tf.tpu.batch_parallel_dyn"),
)
orders(["computation", "inputs", *_RUN], "tf.tpu.rewrite", "tf.tpu.rewrite_dyn")
orders(_REPLICATE, "tf.tpu.replicate", "tf.tpu.replicate_dyn")
orders([*_REPLICATE, "padding_spec", "xla_options"], LATER)

defaults("tf.tpu.batch_parallel", inputs=None, num_shards=1, **_RUN)
defaults("tf.tpu.rewrite", inputs=None, **_RUN)
defaults("tf.tpu.replicate", inputs=None, maximum_shapes=None, **_RUN)
defaults(LATER, inputs=None, maximum_shapes=None, **_RUN)
defaults(LATER, padding_spec=None, xla_options=None)
defaults("tf.tpu.cross_replica_sum", name=None)
defaults("tf.tpu.initialize_system", embedding_config=None, job=None)
defaults("tf.tpu.shutdown_system", job=None)

same_as_plain("tf.tpu.batch_parallel", "tf.tpu.bfloat16_scope", "tf.tpu.replicate")
same_as_plain("tf.tpu.initialize_system", "tf.tpu.rewrite", "tf.tpu.shutdown_system")
