"""The names under ``tf.compat.v2.strings``."""

from tpuref.compat.v1.strings import *
from tpuref.interface.data.ragged_texts import bytes_split as bytes_split
from tpuref.interface.data.ragged_texts import ngrams as ngrams
from tpuref.interface.data.ragged_texts import split as split
from tpuref.interface.data.ragged_texts import unicode_split as unicode_split
from tpuref.interface.functions.texts import as_string as as_string
from tpuref.interface.functions.texts import format as format
from tpuref.interface.functions.texts import length as length
from tpuref.interface.functions.texts import lower as lower
from tpuref.interface.functions.texts import strip as strip
from tpuref.interface.functions.texts import substr as substr
from tpuref.interface.functions.texts import to_hash_bucket_fast as to_hash_bucket_fast
from tpuref.interface.functions.texts import to_hash_bucket_strong as to_hash_bucket_strong
from tpuref.interface.functions.texts import upper as upper
