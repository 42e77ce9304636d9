"""Files, records, checkpoints and summaries."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.FILE_FAULT,
        "A file or directory cannot be used",
        meaning="The file system refuses what tf.gfile, a dataset of files or a saver "
        "asks: there is no such file, it exists already, it may not be opened this "
        "way, the path is none, or there is no room for what is written. "
        "The class of the error says which.",
        remedy="Check the path and the mode. Relative paths are those of the directory "
        "in which the program was started. For a ResourceExhaustedError make room; a "
        "save that failed leaves the last checkpoint whole.",
        text="""
            import tpuref as tf

            tf.gfile.GFile("/nowhere/vocabulary.txt").read()
        """,
    ),
    Entry(
        codes.DAMAGED_RECORDS,
        "A file of records is damaged",
        meaning="A length or a checksum of a TFRecord or event file does not fit its "
        "content, or the file ends within a record. Compressed files look the same if "
        "the compression is not given.",
        remedy="Give compression_type='GZIP' or 'ZLIB' for a compressed file; "
        "otherwise write or copy the file again.",
        text="""
            import tempfile

            import tpuref as tf

            with tempfile.NamedTemporaryFile() as file:
                file.write(b"not a record")
                file.flush()
                list(tf.python_io.tf_record_iterator(file.name))
        """,
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
        text="""
            import tpuref as tf

            wanted = {"label": tf.FixedLenFeature([], tf.int32)}
            tf.parse_single_example(b"", wanted)
        """,
    ),
    Entry(
        codes.NO_CHECKPOINT,
        "There is no such checkpoint",
        meaning="A prefix was given to which no checkpoint belongs, or a directory "
        "without one.",
        remedy="Give what Saver.save returned or what tf.train.latest_checkpoint "
        "finds: the prefix without .index or .safetensors.",
        text="""
            import tpuref as tf

            tf.train.load_checkpoint("/nowhere/model.ckpt-100")
        """,
    ),
    Entry(
        codes.FOREIGN_CHECKPOINT,
        "This is a checkpoint of TensorFlow",
        meaning="tpuref stores checkpoints as safetensors with an index in JSON, and "
        "does not read TensorFlow's own format.",
        remedy="Convert it once, in an environment with TensorFlow, with the script on "
        "the page about checkpoints.",
        text="""
            import tempfile

            import tpuref as tf

            with tempfile.NamedTemporaryFile(suffix=".ckpt") as file:
                tf.train.load_checkpoint(file.name)
        """,
    ),
    Entry(
        codes.NOT_IN_CHECKPOINT,
        "A name is not in the checkpoint",
        meaning="A variable is to be restored under a name that the checkpoint does "
        "not have, an assignment map names something that is not there, or an object "
        "was to be restored completely and was not.",
        remedy="tf.train.list_variables lists the names. A dict as var_list of "
        "tf.train.Saver, or the assignment map, says which variable takes which.",
        text="""
            import tempfile

            import tpuref as tf

            v = tf.get_variable("v", initializer=1.0)
            with tf.Session() as sess, tempfile.TemporaryDirectory() as folder:
                sess.run(v.initializer)
                path = tf.train.Saver([v]).save(sess, f"{folder}/model")
                tf.train.Saver({"w": v}).restore(sess, path)
        """,
    ),
    Entry(
        codes.CHECKPOINT_MISMATCH,
        "A variable differs from its value in the checkpoint",
        meaning="The checkpoint has the name with another dtype or another shape.",
        remedy="Build the model as it was when it was saved, leave the variable out, "
        "or give tf.train.Saver(reshape=True) where only the shape differs.",
        text="""
            import tempfile

            import tpuref as tf

            v = tf.get_variable("v", initializer=[1.0, 2.0])
            w = tf.get_variable("w", [3])
            with tf.Session() as sess, tempfile.TemporaryDirectory() as folder:
                sess.run(v.initializer)
                path = tf.train.Saver([v]).save(sess, f"{folder}/model")
                tf.train.Saver({"v": w}).restore(sess, path)
        """,
    ),
    Entry(
        codes.DAMAGED_CHECKPOINT,
        "A checkpoint is damaged",
        meaning="The index, the file of tensors or the state file cannot be read, a "
        "checksum differs, or they do not fit each other; or an index names a file "
        "outside of its folder. A process that dies while it saves cannot cause this: "
        "the index is renamed once the tensors are complete.",
        remedy="Take an earlier checkpoint, or copy both files of this one again.",
        text="""
            import pathlib
            import tempfile

            import tpuref as tf

            with tempfile.TemporaryDirectory() as folder:
                pathlib.Path(folder, "model.index").write_text("not an index")
                tf.train.load_checkpoint(f"{folder}/model")
        """,
    ),
    Entry(
        codes.CANNOT_SAVE,
        "This cannot be saved",
        meaning="A saver was given no variables, two with the same name, something "
        "that is no variable, a variable of text, or a prefix that is the name of the "
        "state file.",
        remedy="Make the variables before the saver, and give var_list where it should "
        "save some of them or under other names.",
        text="""
            import tpuref as tf

            tf.train.Saver()
        """,
    ),
    Entry(
        codes.INVALID_SUMMARY,
        "This cannot be summarized",
        meaning="A summary takes a number, finite numbers, pictures or texts, and got "
        "something else; or two summaries have the same tag, or one has no step.",
        remedy="Give a value as the message describes it, and a name or a step.",
        text="""
            import tpuref as tf

            tf.Session().run(tf.summary.scalar("loss", [1.0, 2.0]))
        """,
    ),
)
