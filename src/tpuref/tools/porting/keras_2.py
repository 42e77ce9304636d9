"""Idioms of Keras 2 that Keras 3 refuses, and their replacements."""

import ast
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, TypeGuard

from tpuref.names.message import Missing

METHODS = {
    "fit_generator": "fit(...), which takes generators",
    "evaluate_generator": "evaluate(...), which takes generators",
    "predict_generator": "predict(...), which takes generators",
    "reset_states": "reset_state(), of a metric or a recurrent layer",
    "predict_classes": "predict(x).argmax(axis=-1)",
    "predict_proba": "predict(x)",
}

_LOADING = "give it to a keras.utils.PyDataset, or use tf.data"
KEYWORDS = {
    "batch_input_shape": (None, "a first layer keras.Input(batch_shape=...)"),
    "experimental_aggregate_gradients": (None, "no such argument"),
    "experimental_run_tf_function": (None, "no such argument"),
    "fused": ("BatchNormalization", "no such argument"),
    "max_queue_size": ("fit evaluate predict", _LOADING),
    "period": ("ModelCheckpoint", "save_freq=, in batches"),
    "reset_metrics": ("train_on_batch test_on_batch", "model.reset_metrics() before"),
    "sample_weight_mode": ("compile", "sample weights of the shape of the losses"),
    "time_major": ("RNN LSTM GRU", "a transposed input"),
    "use_multiprocessing": ("fit evaluate predict", _LOADING),
    "weights": ("Embedding Dense Conv2D", "an initializer, or set_weights once built"),
    "workers": ("fit evaluate predict", _LOADING),
}
"""The functions with the argument, or None for all, and what to write."""

OPTIMIZERS = (
    "Adadelta",
    "Adagrad",
    "Adam",
    "Adamax",
    "Ftrl",
    "Nadam",
    "RMSprop",
    "SGD",
)

FILES = {
    "save_weights": ((".weights.h5",), "a file name that ends in .weights.h5"),
    "load_weights": (
        (".weights.h5", ".keras", ".h5"),
        "a file that ends in .weights.h5, or tf.train.Checkpoint(model=model)",
    ),
    "load_model": (
        (".keras", ".h5", ".hdf5"),
        "a .keras or .h5 file; SavedModels are not supported",
    ),
}
"""The ends of the names of files that functions take."""


class Idiom(NamedTuple):
    """A call or an attribute of Keras 2."""

    line: int
    text: str
    instead: str


def uses_keras(tree: ast.Module) -> bool:
    """Return whether a program imports Keras, or takes ``keras`` from a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            modules = [node.attr] if isinstance(node, ast.Attribute) else []
        if any("keras" in module.split(".") for module in modules):
            return True
    return False


def idioms_of(tree: ast.Module) -> Iterator[Idiom]:
    """Yield the idioms that Keras 3 refuses in a program."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from _of_call(node, _last_name(node.func))
        elif _is_learning_rate(node):
            yield Idiom(node.lineno, "optimizer.lr", "optimizer.learning_rate")


def _is_learning_rate(node: ast.AST) -> TypeGuard[ast.Attribute]:
    is_lr = isinstance(node, ast.Attribute) and node.attr == "lr"
    return is_lr and _last_name(node, 1).endswith("optimizer")


def _of_call(call: ast.Call, name: str) -> Iterator[Idiom]:
    if isinstance(call.func, ast.Attribute) and name in METHODS:
        yield Idiom(call.lineno, f"{name}()", METHODS[name])
    words = {word.arg: word.value for word in call.keywords if word.arg}
    for word in words:
        functions, instead = KEYWORDS.get(word, ("", ""))
        if functions is None or name in functions.split():
            yield Idiom(call.lineno, f"{name}({word}=)", instead)
    if name in OPTIMIZERS and "lr" in words:
        yield Idiom(call.lineno, f"{name}(lr=)", "learning_rate=")
    path = call.args[0] if call.args else words.get("filepath")
    ends, instead = FILES.get(name, ((), ""))
    weights_only = getattr(words.get("save_weights_only"), "value", None) is True
    if name == "ModelCheckpoint" and weights_only:
        ends, instead = FILES["save_weights"]
    if name == "save" and _last_name(call.func, 1).endswith("model"):
        ends, instead = FILES["load_model"]
    text = path.value if isinstance(path, ast.Constant) else None
    if ends and isinstance(text, str) and not text.endswith(ends):
        yield Idiom(call.lineno, f"{name}({text!r})", instead)


def _last_name(node: ast.AST, before: int = 0) -> str:
    """Return the last name of a chain of attributes, or the one before it."""
    if before and isinstance(node, ast.Attribute):
        return _last_name(node.value)
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


NAMES = {
    "keras.layers.CuDNNGRU": "Use tf.keras.layers.GRU.",
    "keras.layers.CuDNNLSTM": "Use tf.keras.layers.LSTM.",
    "keras.layers.experimental": "Use the layers of tf.keras.layers.",
    "keras.optimizers.legacy": "Use the optimizers of tf.keras.optimizers.",
    "keras.optimizers.experimental": "Use the optimizers of tf.keras.optimizers.",
    "keras.mixed_precision.experimental": "Use tf.keras.mixed_precision.",
    "keras.experimental": "Use tf.keras.optimizers.schedules, or tf.keras.layers.",
    "keras.utils.multi_gpu_model": "Build the model in strategy.scope().",
    "keras.wrappers.scikit_learn": "Use tf.keras.wrappers.SKLearnClassifier.",
    "keras.backend": "Use tf, or keras.ops.",
}
"""Names of Keras 2, or beginnings of them, with what to write."""


def lacks(missing: Missing) -> Missing | None:
    """Return the advice for a name below ``tf.keras`` that the installed Keras lacks.

    None if that Keras has the name.  Without Keras, tpuref's own answer stays.
    """
    spec = importlib.util.find_spec("keras")
    name = missing.name.removeprefix("tf.")
    if spec is None or spec.origin is None or not name.startswith("keras."):
        return missing
    if _is_in(Path(spec.origin).parent / "_tf_keras" / "keras", name.split(".")[1:]):
        return None
    ways = [way for old, way in NAMES.items() if f"{name}.".startswith(f"{old}.")]
    way = ways[0] if ways else "Keras 3 has no such name."
    return Missing(missing.name, missing.origin, (), (), way)


def _is_in(folder: Path, parts: list[str]) -> bool:
    """Return whether a package of Keras exports a name; its files only import."""
    if parts[0] == "legacy":  # there, but refuses each call
        return False
    if (folder / parts[0]).is_dir():
        return len(parts) == 1 or _is_in(folder / parts[0], parts[1:])
    ends = f" as {parts[0]}", f"import {parts[0]}", f" as {parts[0]},"
    lines = (folder / "__init__.py").read_text().splitlines()
    return any(line.endswith(ends) for line in lines)
