"""Hyperparameters; what they hold and refuse was recorded with TensorFlow 1.15.5."""

import pytest

import tpuref as tf

from ..messages import refused


def sizes():
    return tf.contrib.training.HParams(a=1, b=0.5, c="x", d=[1, 2], e=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a=3,b=2,e=false,c=hey", {"a": 3, "b": 2.0, "c": "hey", "e": False}),
     ("d=[3, 4,5]", {"d": [3, 4, 5]}),
     ("e=2", {"e": True}),
     ("a=1.5", None),
     ("q=1", None),
     ("d=4", None),
     ("a=[1]", None),
     ("b=x", None),
     ("a", None)],
)  # fmt: skip
def test_parsing(text, expected):
    before = sizes().values()
    if expected is None:
        with pytest.raises(ValueError, match=r"tf\.contrib\.training\.HParams"):
            sizes().parse(text)
    else:
        assert sizes().parse(text).values() == before | expected


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [("a", 2.5, None), ("b", 3, 3.0), ("c", 4, None), ("d", 5, None), ("e", 1, None)],
)
def test_setting(name, value, expected):
    given = sizes()
    if expected is None:
        with pytest.raises(ValueError, match=f"{name}: expected"):
            given.set_hparam(name, value)
    else:
        given.set_hparam(name, value)
        assert given.get(name) == expected
        assert type(given.get(name)) is type(expected)


def test_the_rest():
    given = sizes()
    assert "a" in given
    assert given.get("z", 7) == 7
    refused(ValueError, ["another type"], given.get, "d", 7)
    refused(ValueError, ["is taken"], given.add_hparam, "a", 2)
    refused(ValueError, ["needs an element"], given.add_hparam, "f", [])
    given.del_hparam("a")
    assert "a" not in given
    text = given.parse_json('{"b": 1}').to_json(sort_keys=True)
    assert text == '{"b": 1.0, "c": "x", "d": [1, 2], "e": true}'
