"""What a test asks for with the marker."""

from types import SimpleNamespace

import pytest

from tpuref.tools.testing.tpu_marker import MarkerError, Wanted, request_of


def tpu(*args, **kwargs):
    """Return what pytest makes of a marker; this run need not know the marker."""
    return SimpleNamespace(args=args, kwargs=kwargs)


def test_each_combination_has_a_name():
    systems = request_of([tpu(cores=[1, 8], executor=["lockstep", "pool"])]).systems
    assert systems[1] == Wanted(cores=1, executor="pool")
    assert [str(system) for system in systems] == [
        "cores=1-lockstep",
        "cores=1-pool",
        "cores=8-lockstep",
        "cores=8-pool",
    ]
    assert list(map(str, request_of([tpu(topology="2x2x1")]).systems)) == [
        "topology=2x2x1"
    ]


def test_a_marker_may_say_nothing():
    request = request_of([tpu()])
    assert request.systems == (Wanted(),) and request.timeout is None
    assert request_of([]).systems == (Wanted(),)


def test_a_closer_marker_says_more():
    closer = tpu(topology="1x1x2", timeout=3)
    request = request_of([closer, tpu(cores=[4, 8], executor="pool", timeout=9)])
    assert request.systems == (Wanted(topology="1x1x2", executor="pool"),)
    assert request.timeout == 3.0


@pytest.mark.parametrize(
    ("marker", "message"),
    [
        (tpu(cores=0), "cores=.* positive integer.* got 0"),
        (tpu(cores=[2, True]), "cores=.* got True"),
        (tpu(cores="2"), "cores=.* got '2'"),
        (tpu(cores=[]), "at least one value"),
        (tpu(cores=[2, None]), "must not repeat values"),
        (tpu(cores=(2, 2)), "must not repeat values"),
        (tpu(topology="2x2"), "topology=.* such as '2x2x2'.* got '2x2'"),
        (tpu(topology=8), "topology=.* got 8"),
        (tpu(executor="thread"), "executor=.* 'pool' or 'lockstep'.* got 'thread'"),
        (tpu(cores=8, topology="2x2x2"), "not both"),
        (tpu(core=8), "no argument core; it has cores, topology, executor, timeout"),
        (tpu(timeout="soon"), "timeout must be a number of seconds.* got 'soon'"),
        (tpu(timeout=-1), "got -1"),
        (tpu(timeout=float("nan")), "got nan"),
        (tpu(8), "keyword arguments"),
    ],
)
def test_arguments_without_meaning(marker, message):
    with pytest.raises(MarkerError, match=message):
        request_of([marker])
