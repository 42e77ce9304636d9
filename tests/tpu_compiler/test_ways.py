"""All ways to write a program: the examples, with what they move counted by hand."""

import json
from pathlib import Path

import pytest

from .test_command import command

EXAMPLES = Path(__file__).parents[2] / "examples"
IMAGE = 4 * 64

pytestmark = pytest.mark.usefixtures("compiler")


def compiled(folder, script, *words):
    pytest.importorskip("sklearn", reason="the examples need scikit-learn")
    file = folder / "report.json"
    status, _, error = command(
        "--for", "v3-8", "--json", file, EXAMPLES / script, *words
    )
    assert status == 0, error
    return json.loads(file.read_text())["targets"][0]["programs"]


def moved(program):
    """Return the bytes that the host gives to a core, by kind."""
    return {t["kind"]: t["from_host"] for t in program["host_transfers"]}


def test_the_strategy_of_1_11(tmp_path):
    (program,) = compiled(tmp_path, "strategy_digits.py")
    # Each tower takes 20 rows with a bias and their classes; a step is two products.
    assert moved(program) == {"infeed": 20 * 4 * (65 + 10)}
    assert 2 * 2 * 20 * 65 * 10 < program["flops"] < 1.3 * 2 * 2 * 20 * 65 * 10


def test_the_strategy_of_tensorflow_2(tmp_path):
    pytest.importorskip("keras", reason="its metrics are Keras's")
    (program,) = compiled(tmp_path, "tf2_digits.py")
    assert moved(program) == {"feeds": 20 * (IMAGE + 4)}
    products = 2 * 20 * (2 * 64 * 64 + 3 * 64 * 10)  # two and three with gradients
    assert products < program["flops"] < 1.3 * products


def test_a_training_function_of_keras(tmp_path):
    pytest.importorskip("keras")
    (program,) = compiled(tmp_path, "keras_digits.py")
    assert "keras_digits.py:52 in main: model.fit(" in program["site"]
    assert moved(program)["feeds"] == 20 * (IMAGE + 8)
    assert "keras_digits.py:52 in main" in program["products"][0]["site"]
    assert program["hbm"]["slots"] > 1.5 * program["hbm"]["weights"]  # Adam has two


def test_the_programs_of_an_estimator(tmp_path):
    words = (f"--folder={tmp_path}", "--steps=50")
    train, evaluate, predict = compiled(tmp_path, "estimator_digits.py", *words)
    loops = [any(t["in_loop"] for t in p["host_transfers"]) for p in (train, evaluate)]
    assert loops == [True, True]
    assert moved(train) == {"infeed": 16 * (IMAGE + 4), "host call": 0, "fetches": 0}
    assert moved(evaluate)["infeed"] == 6 * (IMAGE + 4)
    assert moved(predict) == {"feeds": 6 * IMAGE, "fetches": 0}
    assert train["hbm"]["slots"] == pytest.approx(train["hbm"]["weights"], rel=0.05)
    assert evaluate["hbm"]["slots"] == predict["hbm"]["slots"] == 0
