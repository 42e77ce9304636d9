"""Checks of tf.distribute.cluster_resolver.ClusterResolver, the base of the resolvers.

The page names it and says no more. What is checked is what releases 1.15, 2.2 and 2.4
were seen to do.
"""

from ..clause import expect_raises, same
from .page import Page

page = Page("tf.distribute.cluster_resolver.ClusterResolver")


@page.clause("/behaviour/own-resolvers")
def own_resolvers(tf):
    base = tf.distribute.cluster_resolver.ClusterResolver

    class Half(base):
        def cluster_spec(self):
            return tf.train.ClusterSpec({"worker": ["localhost:8470"]})

    class OtherHalf(base):
        def master(self, task_type=None, task_id=None, rpc_layer=None):
            return "grpc://localhost:8470"

    class Whole(Half, OtherHalf):
        pass

    for incomplete in (base, Half, OtherHalf):
        expect_raises(TypeError, incomplete)
    made = Whole()
    same(made.master(), "grpc://localhost:8470")
    same(made.cluster_spec().as_dict(), {"worker": ["localhost:8470"]})
    same(made.environment, "")
