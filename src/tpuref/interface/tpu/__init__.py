"""The documented interface to TPUs: ``tf.tpu``.

See 000_04abb9e9288042d8.txt and 003_0632b6613bf28dbc.txt.
"""
