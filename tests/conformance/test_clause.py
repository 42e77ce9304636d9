"""The clause decorator and the assertions that checks use."""

import numpy as np
import pytest
from tpuref_conformance import clause as clause_module
from tpuref_conformance.clause import (
    DuplicateClause,
    Unavailable,
    UnknownStatement,
    checks,
    clause,
    expect_raises,
    registered,
    same,
)
from tpuref_conformance.statements import Statement

TWICE = "tf.double/returns/twice"


@pytest.fixture(autouse=True)
def one_statement(monkeypatch):
    stated = Statement(TWICE, "document", "000.txt", "run", "Doubles.", "None?")
    monkeypatch.setattr(clause_module, "_REGISTRY", {})
    monkeypatch.setattr(clause_module, "statements", lambda: {TWICE: stated})


def test_a_check_and_its_statement_are_a_clause():
    @clause(TWICE)
    def doubles(tf):
        return tf

    (only,) = registered()
    assert (only.id, only.api, only.part) == (TWICE, "tf.double", "returns")
    assert (only.document, only.tier, only.says) == ("000.txt", "run", "Doubles.")
    assert only.doubt == "None?"
    assert only.check is doubles and doubles(3) == 3


def test_a_clause_id_can_be_used_once():
    clause(TWICE)(print)
    with pytest.raises(DuplicateClause, match=TWICE):
        clause(TWICE)(print)


def test_a_check_needs_a_statement():
    clause("tf.treble/returns/thrice")(print)
    with pytest.raises(UnknownStatement, match="tf.treble/returns/thrice"):
        registered()


def test_one_check_may_decide_two_statements():
    clause("tf.a/name/exists")(clause(TWICE)(print))
    assert checks() == {TWICE: print, "tf.a/name/exists": print}


def test_expect_raises_returns_the_error():
    assert "ten" in str(expect_raises((KeyError, ValueError), int, "ten"))


def test_expect_raises_names_call_expectation_and_value():
    with pytest.raises(
        AssertionError, match=r"int\('10'\): expected ValueError, but it returned 10"
    ):
        expect_raises(ValueError, int, "10")


def test_expect_raises_names_the_other_error():
    with pytest.raises(AssertionError, match="expected KeyError, got ValueError: inv"):
        expect_raises(KeyError, int, "ten")


def test_expect_raises_lets_unavailable_pass():
    def no_probe():
        raise Unavailable("no probe")

    with pytest.raises(Unavailable):
        expect_raises(Exception, no_probe)


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (3, 3),
        (np.float32(2.5), 2.5),
        ([(1.0,), (2.0,)], [[1.0], [2.0]]),
        ({"a": np.arange(3, dtype=np.int32)}, {"a": [0, 1, 2]}),
        (np.arange(3), np.arange(3)),
        (np.array([True]), [True]),
        (float("nan"), float("nan")),
        (b"abc", b"abc"),
        (None, None),
        (np.array([], np.float32), []),
    ],
)
def test_same_accepts_equal_values(actual, expected):
    same(actual, expected)


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (3, 4),
        (np.array([3], np.int32), 3),
        ([1.0], [1.0, 2.0]),
        ([1.0], 1.0),
        ({"a": 1}, {"b": 1}),
        ("abc", b"abc"),
        (0, None),
        (None, 0),
        (2**62, 2**62 + 1),
        (1.0000001, 1.0),
    ],
)
def test_same_refuses_different_values(actual, expected):
    with pytest.raises(AssertionError, match="expected .*, got "):
        same(actual, expected)


@pytest.mark.parametrize(
    ("actual", "expected", "dtypes"),
    [
        (np.float64(2.0), 2.0, "float64, not float32"),
        (np.array([2.0, 3.0]), [2.0, 3.0], "float64, not float32"),
        (np.float32(2.0), 2, "float32, not int32"),
        (np.arange(2), [0, 1], "int64, not int32"),
        (np.int32(1), True, "int32, not bool"),
        (np.float32(2.0), np.float64(2.0), "float32, not float64"),
    ],
)
def test_what_is_expected_states_the_dtype(actual, expected, dtypes):
    with pytest.raises(AssertionError, match=f"of {dtypes}$"):
        same(actual, expected)
    with pytest.raises(AssertionError, match=f"of {dtypes}$"):
        same(actual, expected, tolerance=1)


def test_same_keeps_to_the_tolerance():
    same(1.05, 1.0, tolerance=0.1)
    with pytest.raises(AssertionError, match=r"expected 1.0 \(within 0.1\), got 1.2"):
        same(1.2, 1.0, tolerance=0.1)


def test_same_names_call_and_place():
    with pytest.raises(AssertionError, match=r"f\(x\) at \['a'\]\[1\]: expected 2"):
        same({"a": [1, 3]}, {"a": [1, 2]}, call="f(x)")
