"""The names under ``tf.compat.v2.lookup``."""

from tpuref.compat.v2.lookup import experimental as experimental
from tpuref.interface.data.tables import KeyValueTensorInitializer as KeyValueTensorInitializer
from tpuref.interface.data.tables import StaticHashTable as StaticHashTable
from tpuref.interface.data.tables import StaticVocabularyTable as StaticVocabularyTable
from tpuref.interface.data.tables import TextFileIndex as TextFileIndex
from tpuref.interface.data.tables import TextFileInitializer as TextFileInitializer
