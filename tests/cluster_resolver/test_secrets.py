"""Passwords and tokens in addresses appear in no message."""

import pytest

import tpuref as tf

from .api_object import CONTRIB, DISTRIBUTE, PLACE, answered

SECRET = "s3cret"


@pytest.mark.parametrize("resolver", [CONTRIB, DISTRIBUTE])
def test_explain(resolver, capsys):
    made = resolver(f"grpc://me:{SECRET}@h:1")
    assert made.master() == f"grpc://me:{SECRET}@h:1"
    made.explain()
    told = capsys.readouterr().out
    assert "tpu: 'grpc://***@h:1', passed on" in told and SECRET not in told


def test_who_is_asked(capsys):
    url = f"http://me:{SECRET}@127.0.0.1:9/{{api}}?key={SECRET}"
    DISTRIBUTE("n", discovery_url=url, **PLACE).explain()
    told = capsys.readouterr().out
    assert "asks: 127.0.0.1:9, with" in told and SECRET not in told


def test_an_error_that_repeats_the_address(clock):
    error = ConnectionError(f"http://me:{SECRET}@h/?access_token={SECRET} no route")
    with pytest.raises(RuntimeError, match="E075") as raised:
        answered(error).master()
    assert "http://***@h/?access_token=*** no route" in str(raised.value)
    assert raised.value.__cause__ is None  # a traceback would show it


@pytest.mark.parametrize(
    "use",
    [
        lambda: tf.Session(f"grpc://me:{SECRET}@h:1"),
        lambda: tf.Session(f"grpc://{SECRET}@h:1"),
        lambda: tf.train.Server({"worker": [f"me:{SECRET}@h:1"]}),
        lambda: tf.train.Server({"worker": [f"{SECRET}@h:1"]}),
    ],
)
def test_an_address_with_a_password_is_refused(use):
    with pytest.raises(ValueError, match="E070") as raised:
        use()
    assert "***@h:1" in str(raised.value) and SECRET not in str(raised.value)


def test_a_master_that_cannot_be_reached(monkeypatch, clock):
    def unreachable(*arguments, **options):
        raise tf.errors.UnavailableError("nobody there")

    monkeypatch.setattr(
        "tpuref.interface.cluster_resolver.devices.Session", unreachable
    )
    with pytest.raises(RuntimeError, match="E075") as raised:
        DISTRIBUTE(f"grpc://me:{SECRET}@h:1").num_accelerators()
    assert "'grpc://***@h:1'" in str(raised.value) and SECRET not in str(raised.value)


def test_options_do_not_show_their_token():
    options = tf.RPCOptions(token=SECRET, max_message_bytes=5)
    config = tf.ConfigProto(rpc_options=options)
    for holder in (options, config, tf.train.ServerDef(default_session_config=config)):
        for text in (repr(holder), str(holder), f"{holder}", f"{[holder]}"):
            assert SECRET not in text
            assert "token=***" in text and "max_message_bytes=5" in text
    assert "token=None" in repr(tf.RPCOptions())


def test_a_server_does_not_show_its_token():
    pytest.importorskip("grpc", reason="needs the extra: pip install tpuref[cloud]")
    server = tf.train.Server({"worker": ["localhost:0"]}, token=SECRET)
    server.stop()
    assert SECRET not in repr(server) and SECRET not in repr(server._serving)
