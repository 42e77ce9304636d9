"""The outcome of one clause in this process."""

import sys
from types import ModuleType, SimpleNamespace

import pytest
from tpuref_conformance.clause import (
    Clause,
    Unavailable,
    beyond_the_words,
    expect_raises,
    expect_refused,
    same,
)
from tpuref_conformance.judge import judge
from tpuref_conformance.probes import with_optional_packages
from tpuref_conformance.report import Column
from tpuref_conformance.statements import Statement
from tpuref_conformance.subject import sessions_on_a_server

import tpuref as tf


def doubles(tf):
    same(tf.double(2), 4, call="double(2)")


def counts_calls(tf):
    if not hasattr(tf, "calls"):
        raise Unavailable("no tf.calls")


def clause(id, tier, check, versions=(None, None)):
    stated = Statement(id, "document", "0.txt", tier, "Says.", versions=versions)
    return Clause(stated, check)


DOUBLES = clause("tf.double/returns/twice", "run", doubles)
COUNTS = clause("tf.double/probe/calls", "build", counts_calls)
OF_115 = clause("tf.x/y/z", "run", doubles, ("1.15", "1.15"))


def subject(double=None, **names):
    module = ModuleType("fake_subject")
    vars(module).update(names)
    if double is not None:
        module.double = double
    return module


def fall(number):
    raise MemoryError("no room")


@pytest.mark.parametrize(
    ("double", "outcome", "message"),
    [
        (lambda number: 2 * number, "pass", ""),
        (lambda number: number, "fail", "double(2): expected 4, got 2"),
        (fall, "error", "MemoryError: no room"),
        (lambda number: sys.exit(3), "error", "SystemExit: 3"),
        (None, "absent", "there is no tf.double"),
    ],
)
def test_outcome_of_each_kind_of_subject(double, outcome, message):
    result = judge(DOUBLES, subject(double))
    assert (result.id, result.outcome) == (DOUBLES.id, outcome)
    assert result.message == message


def test_what_cannot_be_observed_is_not_applicable():
    result = judge(COUNTS, subject(abs))
    assert result.outcome == "not-applicable"
    assert result.message == "cannot be observed: no tf.calls"


def test_a_missing_package_fails_no_run():
    def needs_package(tf):
        with with_optional_packages():
            raise ImportError("it needs the module 'a'\n  built at: b.py:1")

    checks = [needs_package, counts_calls]
    results = [
        judge(clause("tf.double/x/y", "build", check), subject(abs)) for check in checks
    ]
    assert [one.outcome for one in results] == ["not-applicable"] * 2
    said = "an optional package is missing: it needs the module 'a'"
    assert results[0].message == said
    fields = dict.fromkeys(Column.FIELDS, "")
    assert [
        bool(Column([one], **{**fields, "strict": True}).failures()) for one in results
    ] == [False, True]


@pytest.mark.parametrize("kind", [ModuleType, SimpleNamespace])
def test_another_name_that_is_missing_is_no_failure(kind):
    def refuses_zero(tf):
        expect_raises(ValueError, lambda: tf.tpu.double(tf.tpu.zero))

    tpu = kind("tpu") if kind is ModuleType else kind()
    tpu.double = abs
    result = judge(clause("tf.tpu.double/x/y", "build", refuses_zero), subject(tpu=tpu))
    assert result.outcome == "not-applicable"
    assert result.message == "cannot be observed: there is no tf.tpu.zero"


def test_a_check_that_fails_in_its_own_code_says_so():
    def unpacks(tf):
        first, second = tf.double(1)
        return first + second

    def calls(tf):
        tf.double("1")

    for check, said in ((unpacks, True), (calls, False)):
        check.__code__ = check.__code__.replace(
            co_filename=sys.modules[judge.__module__].__file__
        )
        judged = judge(
            clause("tf.double/x/y", "build", check), subject(lambda x: x / 1)
        )
        assert judged.outcome == "error"
        assert ("in the check itself" in judged.message) is said


def test_a_run_clause_needs_cores_and_is_not_run_without():
    assert judge(DOUBLES, subject(fall), cores=False).outcome == "needs-tpu"
    assert judge(COUNTS, subject(abs, calls=1), cores=False).outcome == "pass"


def test_a_document_holds_for_its_release_only():
    later = subject(abs, __version__="2.4.4")
    assert judge(OF_115, later, release=True).outcome == "not-applicable"
    assert judge(OF_115, later).outcome == "absent"
    own = subject(abs, __version__="1.15.5")
    assert judge(OF_115, own, release=True).outcome == "absent"


def test_attributes_of_instances_are_left_to_the_check():
    class Thing:
        pass

    size = clause("tf.Thing.size/x/y", "build", lambda tf: None)
    assert judge(size, subject(Thing=Thing)).outcome == "pass"


def test_a_failure_shows_where_it_happened():
    result = judge(DOUBLES, subject(lambda number: number))
    assert any("in doubles: same(tf.double(2), 4" in call for call in result.trace)


def test_each_check_has_a_graph_of_its_own():
    entered = []

    class Graph:
        def as_default(self):
            entered.append(self)
            return memoryview(b"")

    tf = subject(lambda number: 2 * number, Graph=Graph)
    judge(DOUBLES, tf)
    judge(DOUBLES, tf)
    assert len(set(entered)) == 2


def test_sessions_on_a_server_are_there_only_within_the_block():
    pytest.importorskip("grpc", reason="sessions on a server need tpuref[cloud]")
    seen = []
    with tf.Graph().as_default():
        with sessions_on_a_server(tf), tf.Session() as session:
            seen.append(session.sess_str)
            assert session.run(tf.constant(3)) == 3
        with tf.Session() as session:
            seen.append(session.sess_str)
    assert seen[0].startswith("grpc://") and seen[1] == ""


def refuses_text(tf):
    expect_refused(ValueError, tf.double, "text")
    beyond_the_words()
    same(tf.double(2), 4)


def takes_anything(number):
    return number


def gives_no_number(number):
    return int(number)


@pytest.mark.parametrize(
    ("double", "outcome", "beyond"),
    [
        (takes_anything, "fail", False),
        (fall, "fail", True),
        (gives_no_number, "fail", True),
        (lambda number: 2 * int(number), "pass", False),
    ],
)
def test_where_a_check_goes_beyond_the_words_its_failure_does(double, outcome, beyond):
    one = clause("tf.double/raises/text", "run", refuses_text)
    result = judge(one, subject(double))
    assert (result.outcome, result.beyond) == (outcome, beyond), result.message
    assert not judge(DOUBLES, subject(takes_anything)).beyond, "it was not forgotten"


def test_failures_beyond_the_words_do_not_fail_a_stranger():
    one = clause("tf.double/raises/text", "run", refuses_text)
    stranger = SimpleNamespace(
        name="any", module="any", strict=False, settings={}, beyond=False
    )
    for double, fails in ((fall, 0), (takes_anything, 1)):
        run = SimpleNamespace(
            subject=stranger,
            results=[judge(one, subject(double))],
            clauses=[one],
            header={},
            reason="",
            seconds=1.0,
        )
        column = Column.of(run)
        assert len(column.failures()) == fails
        assert len(column.excused_failures()) == 1 - fails
