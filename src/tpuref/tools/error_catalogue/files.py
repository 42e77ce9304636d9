"""Datasets, files and checkpoints."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.END_OF_SEQUENCE,
        "The dataset has no more elements",
        meaning="An iterator returned all elements, or several steps need more input "
        "than there is. Variables keep the values from before these steps.",
        remedy="Catch tf.errors.OutOfRangeError at the end of a pass, restart the "
        "iterator, or use dataset.repeat().",
    ),
    Entry(
        codes.FILE_FAULT,
        "A file or directory cannot be used",
        meaning="The file system refuses what tf.gfile, a dataset of files or a saver "
        "asks: there is no such file, it exists already, it may not be opened this "
        "way, the path is none, or there is no room for what is written. The class of "
        "the error says which.",
        remedy="Check the path and the mode. Relative paths are those of the "
        "directory in which the program was started. For a ResourceExhaustedError "
        "make room; a save that failed leaves the last checkpoint whole.",
    ),
    Entry(
        codes.DAMAGED_FILE,
        "A file is damaged or does not fit its description",
        meaning="A checksum, a length or the content of a TFRecord, event, checkpoint "
        "or vocabulary file is wrong. Compressed records look the same if the "
        "compression is not given. A process that dies while it saves does not damage "
        "a checkpoint.",
        remedy="Take an earlier checkpoint, copy or write the file again, give "
        "compression_type='GZIP' or 'ZLIB', or correct the arguments that describe "
        "the vocabulary.",
        replaces="E211 E267",
    ),
    Entry(
        codes.INVALID_FEATURE,
        "A feature does not describe the example",
        meaning="tf.parse_single_example, tf.parse_example or tf.decode_raw was told "
        "of features that the example lacks or has with another type or number of "
        "values, or that no example can have.",
        remedy="Describe each feature as it was written: examples hold lists of "
        "float32, int64 and bytes. Give default_value for a feature that may be "
        "missing, and tf.VarLenFeature for one of any length.",
    ),
    Entry(
        codes.NO_CHECKPOINT,
        "There is no such checkpoint",
        meaning="A prefix was given to which no checkpoint belongs, or a directory "
        "without one.",
        remedy="Give what Saver.save returned or what tf.train.latest_checkpoint "
        "finds: the prefix without .index or .safetensors.",
    ),
    Entry(
        codes.FOREIGN_CHECKPOINT,
        "This is a checkpoint of TensorFlow",
        meaning="tpuref stores checkpoints as safetensors with an index in JSON, and "
        "does not read TensorFlow's own format.",
        remedy="Convert it once, in an environment with TensorFlow, with the script "
        "on the page about checkpoints.",
    ),
    Entry(
        codes.NOT_IN_CHECKPOINT,
        "A name is not in the checkpoint",
        meaning="A variable is to be restored under a name that the checkpoint does "
        "not have, an assignment map names something that is not there, or an object "
        "was to be restored completely and was not.",
        remedy="tf.train.list_variables lists the names. A dict as var_list of "
        "tf.train.Saver, or the assignment map, says which variable takes which.",
    ),
    Entry(
        codes.CANNOT_SAVE,
        "This cannot be saved",
        meaning="A saver was given no variables, two with the same name, something "
        "that is no variable, a variable of text, or a prefix that is the name of the "
        "state file.",
        remedy="Make the variables before the saver, and give var_list where it "
        "should save some of them or under other names.",
    ),
)
