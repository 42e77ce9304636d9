"""Tiny data for the programs, written into a folder: their formats, our contents."""

import gzip
import json
import random
import textwrap

WORDS = ["a", "the", "cat", "dog", "bird", "king", "sails", "runs", "sees", "old"]
WORDS += ["small", "red", "sea", "hill", "house", "road", "at", "over", "under", "and"]
WORDS += ["then", "never", "slowly", "Ann", "Ben", "Rome", "river", "stone", "bread"]
WORDS += ["milk", "it", ","]


SIZES = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "hidden_act": "gelu",
    "hidden_dropout_prob": 0.0,
    "attention_probs_dropout_prob": 0.0,
    "max_position_embeddings": 64,
    "initializer_range": 0.02,
}
"""A transformer of two layers without dropout."""


def sentences(count, seed=1):
    """Return sentences of 6 to 12 words, the same ones for a seed."""
    draw = random.Random(seed)
    return [
        " ".join(draw.choice(WORDS) for _ in range(draw.randint(6, 12))) + " ."
        for _ in range(count)
    ]


def _write(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def bert(data):
    """Write a vocabulary, a configuration of two layers without dropout, and a text."""
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "."]
    vocabulary += [word.lower() for word in WORDS]
    _write(data / "vocab.txt", vocabulary)
    sizes = {**SIZES, "vocab_size": len(vocabulary), "type_vocab_size": 2}
    _write(data / "bert_config.json", [json.dumps(sizes)])
    text = sentences(40)
    _write(data / "text.txt", [*text[:20], "", *text[20:]])


def sentence_pairs(data):
    """Write what `bert` does, and pairs of sentences with labels as MRPC has them."""
    bert(data)
    for split, count in (("train", 16), ("dev", 8), ("test", 8)):
        text = sentences(2 * count, seed=count)
        rows = ["Quality\t#1 ID\t#2 ID\t#1 String\t#2 String"]
        for i in range(count):
            rows.append("\t".join([str(i % 2), "1", "2", text[2 * i], text[2 * i + 1]]))
        _write(data / f"{split}.tsv", rows)


def labelled_sentences(data):
    """Write what `bert` does, and sentences with labels as BioBERT's corpora have."""
    bert(data)
    for split in ("train", "dev", "test"):
        rows = ["index\tsentence\tlabel"] if split == "test" else []
        for i, text in enumerate(sentences(16, seed=len(split))):
            row = [str(i), text] if split == "test" else [text]
            rows.append("\t".join([*row, str(i % 2)]))
        _write(data / f"{split}.tsv", rows)


def questions(data):
    """Write what `bert` does, and questions on paragraphs as SQuAD has them."""
    bert(data)
    paragraphs = []
    for i, context in enumerate(sentences(8, seed=3)):
        answer = context.split()[2]
        found = {"text": answer, "answer_start": context.index(" " + answer) + 1}
        asked = {"id": f"q{i}", "question": "the old king sees it", "answers": [found]}
        paragraphs.append({"context": context, "qas": [asked]})
    document = {"title": "t", "paragraphs": paragraphs}
    _write(data / "squad.json", [json.dumps({"version": "1", "data": [document]})])


def _features(**values):
    """Return an Example; integers and bytes tell the kind of a feature."""
    from tpuref.compat import v1 as tf

    feature = {}
    for name, value in values.items():
        if isinstance(value, bytes):
            kind = {"bytes_list": tf.train.BytesList(value=[value])}
        elif isinstance(value[0], float):
            kind = {"float_list": tf.train.FloatList(value=value)}
        else:
            kind = {"int64_list": tf.train.Int64List(value=value)}
        feature[name] = tf.train.Feature(**kind)
    example = tf.train.Example(features=tf.train.Features(feature=feature))
    return example.SerializeToString()


def _records(path, examples):
    from tpuref.compat import v1 as tf

    path.parent.mkdir(parents=True, exist_ok=True)
    with tf.io.TFRecordWriter(str(path)) as writer:
        for example in examples:
            writer.write(example)


def digits(data):
    """Write small numbers of 28 x 28 pictures with labels, in three files."""
    draw = random.Random(2)
    for split in ("train", "validation", "test"):
        pictures = [bytes(draw.randrange(256) for _ in range(784)) for _ in range(32)]
        examples = [
            _features(image_raw=picture, label=[i % 10])
            for i, picture in enumerate(pictures)
        ]
        _records(data / f"{split}.tfrecords", examples)


def tokens(data):
    """Write records of 33 tokens, and a configuration of a small GPT-2."""
    draw = random.Random(4)
    examples = [
        _features(input_ids=[draw.randrange(1, 50) for _ in range(33)])
        for _ in range(16)
    ]
    _records(data / "tokens.tfrecord", examples)
    _write(data / "config.json", [json.dumps({**SIZES, "vocab_size": 50})])


def web_texts(data):
    """Write texts of 12 tokens, as many as one batch stitches, and the settings."""
    draw = random.Random(5)
    for number in range(93):
        examples = []
        for _ in range(16):
            text = [draw.randrange(50) for _ in range(12)]
            examples.append(_features(hash=b"", text=text))
        _records(data / "web" / f"openwebtext-newspaper_{number}.tfrecords", examples)
    settings = {
        "model": "GPT2",
        "input": "openwebtext",
        "data_path": str(data / "web"),
        "model_path": str(data / "model"),
        "predict_path": "predictions.txt",
        "encoder_path": "",
        "n_head": 2,
        "n_vocab": 50257,
        "n_embd": 8,
        "n_ctx": 16,
        "n_layer": 2,
        "embed_dropout": 0.0,
        "attn_dropout": 0.0,
        "res_dropout": 0.0,
        "lr": 0.00025,
        "warmup_steps": 5,
        "beta1": 0.9,
        "beta2": 0.98,
        "epsilon": 1e-9,
        "opt_name": "adam",
        "weight_decay": 0.01,
        "train_batch_size": 8,
        "eval_batch_size": 2,
        "predict_batch_size": 1,
        "train_steps": 20,
        "eval_steps": 1,
        "max_steps": 19,
        "iterations": 5,
        "scale_by_depth": True,
        "scale_by_in": True,
    }
    _write(data / "tiny.json", [json.dumps(settings)])
    _write(data / "one_step.json", [json.dumps({**settings, "iterations": 1})])


def corpus(data):
    """Write what `bert` does, the text in a folder, and settings of ELECTRA."""
    bert(data)
    text = sentences(120, seed=6)
    _write(data / "corpus" / "a.txt", text[:60])
    _write(data / "corpus" / "b.txt", text[60:])
    sizes = {key: value for key, value in SIZES.items() if key != "hidden_act"}
    settings = {
        "use_tpu": True,
        "tpu_name": "local",
        "num_tpu_cores": 2,
        "vocab_size": 6 + len(WORDS),
        "max_seq_length": 32,
        "train_batch_size": 8,
        "eval_batch_size": 8,
        "num_train_steps": 20,
        "num_warmup_steps": 5,
        "num_eval_steps": 2,
        "iterations_per_loop": 5,
        "embedding_size": 16,
        "generator_hidden_size": 1.0,
        "model_hparam_overrides": sizes,
    }
    _write(data / "settings.json", [json.dumps(settings)])
    evaluation = {**settings, "do_train": False, "do_eval": True}
    for name, chosen in (("settings", settings), ("evaluation", evaluation)):
        _write(data / f"{name}.json", [json.dumps(chosen)])
        without = {**chosen, "use_tpu": False}
        _write(data / f"{name}_without_tpu.json", [json.dumps(without)])


def albert(data):
    """Write what `sentence_pairs` does, and a configuration of ALBERT."""
    sentence_pairs(data)
    sizes = {
        **SIZES,
        "vocab_size": 6 + len(WORDS),
        "type_vocab_size": 2,
        "embedding_size": 8,
        "num_hidden_groups": 1,
        "inner_group_num": 1,
    }
    _write(data / "albert_config.json", [json.dumps(sizes)])


def rewritten_sentences(data):
    """Write what `bert` does, sentences with shorter ones, and tags of LaserTagger."""
    bert(data)
    config = json.loads((data / "bert_config.json").read_text(encoding="utf-8"))
    extra = {"use_t2t_decoder": False, "decoder_num_hidden_layers": 1}
    _write(data / "tagger_config.json", [json.dumps({**config, **extra})])
    rows = []
    for text in sentences(40, seed=7):
        rows.append(f"{text}\t{' '.join(text.split()[1:])}")
    _write(data / "pairs.tsv", rows)
    _write(data / "labels.txt", ["KEEP", "DELETE", "KEEP|and", "DELETE|and"])


def fashion(data):
    """Write 1280 pictures to train with and 128 to test, as Keras keeps them."""
    draw = random.Random(8)
    folder = data / "keras" / "datasets" / "fashion-mnist"
    folder.mkdir(parents=True)
    for split, count in (("train", 1280), ("t10k", 128)):
        labels = [draw.randrange(10) for _ in range(count)]
        rows = [[(9 * label + k % 28) % 256 for k in range(784)] for label in labels]
        pictures = bytes(draw.randrange(32) ^ x for row in rows for x in row)
        for name, head, body in (("labels-idx1", 8, bytes(labels)),
                                 ("images-idx3", 16, pictures)):  # fmt: skip
            with gzip.open(folder / f"{split}-{name}-ubyte.gz", "wb") as file:
                file.write(bytes(head) + body)


def digits_of_tfds(data):
    """Write a module that stands for tensorflow_datasets, with 64 pictures."""
    code = """
        import numpy as np
        import tensorflow as tf

        def load(name, split, with_info, as_supervised, try_gcs):
            draw = np.random.RandomState(len(split))
            pictures = draw.randint(0, 256, (64, 28, 28, 1)).astype(np.uint8)
            labels = draw.randint(0, 10, 64).astype(np.int64)
            return tf.data.Dataset.from_tensor_slices((pictures, labels)), None
        """
    _write(data / "tensorflow_datasets.py", textwrap.dedent(code).split("\n"))
