"""The names under ``tf.contrib``; the stubs beside this file list them."""

from tpuref.names.namespace import attach as _attach

_attach(__name__)
