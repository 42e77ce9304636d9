"""What a server refuses: strangers, other versions, what makes no sense, too much."""

import socket
import subprocess
from concurrent import futures

import numpy as np
import pytest

import tpuref as tf

grpc = pytest.importorskip("grpc", reason="needs the extra: pip install tpuref[cloud]")

from tpuref.engine.remote.wire import Request  # noqa: E402 - needs gRPC

from .streams import answers, opening  # noqa: E402


def still_serves(server, config=None):
    with tf.Session(server.target, config=config) as session:
        return bool(session.run(tf.constant(3)) == 3)


def with_token(token):
    return tf.ConfigProto(rpc_options=tf.RPCOptions(token=token))


def test_a_token_is_wanted(monkeypatch):
    cluster = {"worker": ["localhost:0"]}
    monkeypatch.setenv("TPUREF_TOKEN", "a")
    by_environment = tf.train.Server(cluster)
    monkeypatch.delenv("TPUREF_TOKEN")
    server = tf.train.Server(cluster, token="open sesame")
    for token, shown in ((None, "none"), ("open", "a wrong one")):
        for each in (server, by_environment):
            with pytest.raises(tf.errors.UnauthenticatedError, match=f"sent {shown}"):
                tf.Session(each.target, config=with_token(token))
    assert still_serves(server, with_token("open sesame"))
    assert still_serves(by_environment, with_token("a"))
    monkeypatch.setenv("TPUREF_TOKEN", "open sesame")
    assert still_serves(server)
    server.stop()
    by_environment.stop()


@pytest.mark.parametrize("token", ["", " ", " a", "s3cret\n", "ключ", "a\x00"])
def test_a_token_that_no_header_can_carry(token, server, monkeypatch):
    def serve(**arguments):
        tf.train.Server({"worker": ["localhost:0"]}, **arguments)

    refused = r"token must be printable ASCII.*TPUREF-E001"
    with pytest.raises(ValueError, match=refused) as raised:
        serve(token=token)
    assert "s3cret" not in str(raised.value)
    with pytest.raises(ValueError, match=refused):
        tf.Session(server.target, config=with_token(token))
    if "\0" in token:
        return  # no variable can hold it
    monkeypatch.setenv("TPUREF_TOKEN", token)
    for use in (serve, lambda: tf.Session(server.target)):
        with pytest.raises(ValueError, match="TPUREF_TOKEN must be printable.*E001"):
            use()


@pytest.mark.parametrize("token", [5, b"a", ["a"], object()])
def test_a_token_of_another_type(token, server):
    message = r"token must be text, got (int|bytes|list|object) \[TPUREF-E014\]"
    with pytest.raises(TypeError, match=message):
        tf.train.Server({"worker": ["localhost:0"]}, token=token)
    with pytest.raises(TypeError, match=message):
        tf.Session(server.target, config=with_token(token))


@pytest.mark.parametrize(
    ("host", "token", "lacks"),
    [
        ("0.0.0.0", None, "without a token and without TLS"),
        ("[::]", None, "without a token and without TLS"),
        ("0.0.0.0", "a", "without TLS"),
        *((host, None, None) for host in ("127.0.0.1", "127.1.2.3", "[::1]")),
        ("localhost", None, None),
    ],
)
def test_a_server_without_protection(host, token, lacks, caplog):
    tf.train.Server({"worker": [f"{host}:0"]}, token=token, start=False).stop()
    found = [(r.levelname, r.name, r.getMessage()) for r in caplog.records]
    if lacks is None:
        assert found == []
        return
    ((level, name, message),) = found
    assert (level, name) == ("WARNING", "tpuref.server")
    assert f"{lacks}:" in message and "TPUREF-W070" in message


def test_a_server_with_tls_alone(certificate, caplog):
    credentials = grpc.ssl_server_credentials([certificate])
    cluster = {"worker": ["0.0.0.0:0"]}
    tf.train.Server(cluster, credentials=credentials, start=False).stop()
    assert "without a token:" in caplog.text
    caplog.clear()
    tf.train.Server(cluster, credentials=credentials, token="a", start=False).stop()
    assert caplog.text == ""


@pytest.mark.parametrize("credentials", ["x", 5, grpc.ssl_channel_credentials()])
def test_credentials_of_another_type(credentials, server):
    with pytest.raises(TypeError, match=r"a grpc\.ServerCredentials, got .*E014"):
        tf.train.Server({"worker": ["localhost:0"]}, credentials=credentials)
    options = tf.RPCOptions(credentials="x")
    with pytest.raises(TypeError, match=r"a grpc\.ChannelCredentials, got .*E014"):
        tf.Session(server.target, config=tf.ConfigProto(rpc_options=options))


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A key and a certificate for localhost, made just now."""
    folder = tmp_path_factory.mktemp("tls")
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost"
    command += " -keyout key.pem -out cert.pem -addext subjectAltName=DNS:localhost"
    try:
        subprocess.run(command.split(), cwd=folder, check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("there is no openssl to make a certificate with")
    return (folder / "key.pem").read_bytes(), (folder / "cert.pem").read_bytes()


def test_connections_may_use_tls(certificate):
    credentials = grpc.ssl_server_credentials([certificate])
    cluster = {"worker": ["localhost:0"]}
    server = tf.train.Server(cluster, credentials=credentials, token="a")
    trusting = grpc.ssl_channel_credentials(root_certificates=certificate[1])
    options = tf.RPCOptions(token="a", credentials=trusting)
    assert still_serves(server, tf.ConfigProto(rpc_options=options))
    stranger = tf.RPCOptions(token="a", credentials=grpc.ssl_channel_credentials())
    plain = tf.RPCOptions(token="a")
    for refused, why in ((stranger, "cannot be reached"), (plain, "If it uses TLS")):
        with pytest.raises(tf.errors.UnavailableError, match=why):
            tf.Session(server.target, config=tf.ConfigProto(rpc_options=refused))
    server.stop()


def test_another_version_of_the_protocol(server):
    request = opening(protocol=99, version="7.0")
    (reply,) = answers(server.target, [request.SerializeToString()])
    assert reply.refused.code == tf.errors.FAILED_PRECONDITION
    message = "protocol 1, the client is tpuref 7.0 and speaks protocol 99"
    assert message in reply.refused.message
    assert still_serves(server)


def test_a_server_of_another_version(server, monkeypatch):
    monkeypatch.setattr("tpuref.engine.remote.session.schema.PROTOCOL", 2)
    monkeypatch.setattr("tpuref.engine.remote.served_session.PROTOCOL", 1)
    with pytest.raises(tf.errors.FailedPreconditionError, match="install the same"):
        tf.Session(server.target)


def test_a_grpc_server_of_somebody_else():
    other = grpc.server(futures.ThreadPoolExecutor(1))
    port = other.add_insecure_port("localhost:0")
    other.start()
    with pytest.raises(tf.errors.UnimplementedError, match="not a tpuref server"):
        tf.Session(f"grpc://localhost:{port}")
    other.stop(0).wait()


def test_a_server_that_does_not_speak_grpc():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        target = f"grpc://127.0.0.1:{listener.getsockname()[1]}"
        with futures.ThreadPoolExecutor(1) as pool:
            opened = pool.submit(tf.Session, target)
            connection, _ = listener.accept()
            connection.sendall(b"220 mail.example ESMTP\r\n")
            connection.close()
            listener.close()
            with pytest.raises(tf.errors.UnavailableError):
                opened.result(60)


def test_a_client_that_does_not_speak_grpc(server):
    host, _, port = server.target.removeprefix("grpc://").rpartition(":")
    for content in (b"", b"GET / HTTP/1.1\r\n\r\n", bytes(range(256)) * 64):
        with socket.create_connection((host, int(port)), 10) as connection:
            connection.sendall(content)
    assert still_serves(server)


def run_request(program=0):
    request = Request(number=2)
    request.run.program = program
    return request


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        ([b"\xff\xff\xff"], "3 bytes are not a Request"),
        ([b""], "has a kind that protocol 1 does not have"),
        ([run_request().SerializeToString()], "first request must open"),
        ([opening().SerializeToString()] * 2, "already open"),
        ([opening().SerializeToString(), b"\x01"], "1 bytes are not a Request"),
    ],
)
def test_what_makes_no_sense_ends_the_session_alone(contents, message, server, remote):
    *_, last = answers(server.target, contents)
    assert last.refused.code == tf.errors.INVALID_ARGUMENT
    assert message in last.refused.message
    assert remote.run(tf.constant(1)) == 1


def test_a_wrong_program_fails_its_run_alone(server):
    bad, devices = run_request(), Request(number=3)
    bad.run.bundle.programs.add().results.append(7)
    devices.list_devices.SetInParent()
    unknown = run_request(program=5)
    contents = [r.SerializeToString() for r in (opening(), bad, devices, unknown)]
    _, failed, listed, missing = answers(server.target, contents)
    assert failed.failed.code == tf.errors.INVALID_ARGUMENT
    assert "slot 7, which nothing wrote" in failed.failed.message
    assert len(listed.devices.devices) == 3
    assert missing.number == 2 and missing.failed.code == tf.errors.NOT_FOUND


def test_the_lines_of_a_client_are_no_files_of_the_server(server, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("the secret of the server\n")
    request = run_request(program=1)
    program = request.run.bundle.programs.add()
    instruction = program.instructions.add(op="ReadVariableOp", name="v")
    instruction.outputs.append(0)
    instruction.specs.add(dtype=1)
    for name, text in (("handle", "v"), ("dtype", "float32")):
        instruction.attributes.add(name=name).value.text = text
    instruction.attributes.add(name="shape").value.sequence.SetInParent()
    instruction.site.filename, instruction.site.line = str(secret), 1
    stop = program.instructions.add(op="ShutdownDistributedTPU", name="stop")
    stop.attributes.add(name="job").value.none = True
    stop.site.CopyFrom(instruction.site)
    contents = [r.SerializeToString() for r in (opening(), request)]
    replies = answers(server.target, contents)
    assert replies[1].failed.code == tf.errors.FAILED_PRECONDITION
    assert str(secret) in str(replies[1])
    assert "the secret of the server" not in str(replies)


def test_what_is_too_large_for_the_server():
    server = tf.train.Server({"worker": ["localhost:0"]}, max_message_bytes=10_000)
    x = tf.placeholder(tf.float32, None)
    with tf.Session(server.target) as session:
        with pytest.raises(tf.errors.ResourceExhaustedError, match="accepts 10000 in"):
            session.run(x, {x: np.zeros(5000)})
        assert session.run(x, {x: np.ones(500)}).shape == (500,)
        # A result may be larger: the client says for itself what it takes.
        assert session.run(tf.zeros([5000])).shape == (5000,)
    with pytest.raises(grpc.RpcError) as raised:
        answers(server.target, [opening().SerializeToString() + bytes(20_000)])
    assert raised.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert still_serves(server)
    server.stop()


def test_what_is_too_large_for_the_client(server):
    config = tf.ConfigProto(rpc_options=tf.RPCOptions(max_message_bytes=10_000))
    with tf.Session(server.target, config=config) as session:
        with pytest.raises(tf.errors.ResourceExhaustedError, match="result of the run"):
            session.run(tf.zeros([5000]))
        assert session.run(tf.zeros([5])).shape == (5,)


def test_too_many_runs_at_once(remote, monkeypatch):
    monkeypatch.setattr("tpuref.engine.remote.served_session.MAX_RUNS", 1)
    inner = tf.constant(1)
    out = tf.py_func(lambda: remote.run(inner), [], tf.int32)
    with pytest.raises(tf.errors.ResourceExhaustedError, match="1 runs of this"):
        remote.run(out)
    assert remote.run(inner) == 1
