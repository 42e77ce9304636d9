"""The example scripts, each in a fresh interpreter: what they print, and how well."""

import math
import re
from pathlib import Path

import pytest

from ..pythons import python

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
DOCUMENTS = EXAMPLES / "documents"
PRINTED = {
    "replicate_basic.py": ["replica 0: 3.0", "replica 1: 6.0"],
    "replicate_advanced.py": [
        f"{rows} rows: 2.0 and 4.0" for rows in ("3 and 5", "7 and 1", "4 and 4")
    ],
    "captured_constant_shard.py": ["[10, 10]"],
    "captured_constant_batch_parallel.py": ["[10, 10]"],
}


def printed(*command, **environment):
    done = python("-W", "error", *command, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_bert_starts_with_equal_chances_and_learns():
    words = "--layers=1 --width=16 --heads=2 --vocabulary=50 --length=24 --steps=3"
    lines = printed(EXAMPLES / "bert.py", *words.split(), "--batch_size=8").splitlines()
    first, _, last = (float(line.removeprefix("loss ")) for line in lines)
    assert first == pytest.approx(math.log(50), rel=0.01) and last < first


@pytest.mark.parametrize("script", sorted(PRINTED))
def test_the_documents_own_examples(script):
    assert printed(DOCUMENTS / script).splitlines() == PRINTED[script]


def test_every_example_of_the_documents_is_tested():
    assert sorted(path.name for path in DOCUMENTS.glob("*.py")) == sorted(PRINTED)


TRAINED = [
    # command, executor, accuracy, whether it is compared with NumPy, what it says
    ("digits.py --model softmax --epochs 12", None, 0.92, True, []),
    ("digits.py --model perceptron --epochs 15", None, 0.95, True, []),
    ("strategy_digits.py --compare-speed --turns 1", "pool", 0.96, True,
     ["steps on 8 cores: 540", "ratio: "]),
    ("tf2_digits.py --epochs 8 --time", "pool", 0.94, False,
     ["replicas: 8", "ms per step"]),
    ("resolver.py --epochs 1", None, 0.85, True,
     ["tpu: 'my-tpu', the name of a Cloud TPU",
      "not yet: TPU 'my-tpu' is not ready: state 'CREATING'",
      r"grpc://localhost:\d+ has 8 cores"]),
]  # fmt: skip


@pytest.mark.parametrize(("command", "executor", "least", "compared", "words"), TRAINED)
def test_training(command, executor, least, compared, words):
    pytest.importorskip("sklearn", reason="the examples need the extra 'examples'")
    script, *options = command.split()
    for module in ("googleapiclient", "grpc") if script == "resolver.py" else ():
        pytest.importorskip(module, reason="it needs the extras 'gcp' and 'grpc'")
    chosen = {"TPUREF_EXECUTOR": executor} if executor else {}
    output = printed(EXAMPLES / script, *options, **chosen)
    assert float(re.search(r"test accuracy: ([0-9.]+)", output)[1]) >= least
    if compared:
        largest = re.search(r"largest difference to NumPy: (\S+)", output)
        assert float(largest[1]) <= 1e-5
    for word in words:
        assert re.search(word, output), word


@pytest.mark.parametrize("script", sorted(EXAMPLES.glob("*_digits.py")))
def test_without_scikit_learn(script, tmp_path):
    (tmp_path / "sklearn.py").write_text("raise ModuleNotFoundError('sklearn')")
    done = python(script, env={"PYTHONPATH": str(tmp_path)})
    assert done.returncode == 1
    assert done.stderr.endswith("pip install scikit-learn\n")
