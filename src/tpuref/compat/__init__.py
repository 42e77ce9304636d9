"""The names under ``tf.compat``; the stubs beside this file list them."""

from tpuref.names.namespace import attach

attach(__name__, holds_code=False)
