"""The names under ``tf.contrib``; the stubs beside this file list them."""

from tpuref.names.namespace import attach

attach(__name__, holds_code=False)
