"""Stand-ins for what surrounds a resolver: Cloud TPU API, metadata, client, master.

Nothing leaves the machine: every other connection is refused while one is in place.
"""

import contextlib
import functools
import importlib
import io
import os
import socket
import sys
import time
import types

from ..clause import Unavailable

VARIABLES = (
    "TPU_NAME",
    "TPU_CONFIG",
    "COLAB_TPU_ADDR",
    "KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS",
    "TPU_API_DISCOVERY_URL",
    "TPUREF_TOKEN",
    "GCE_METADATA_HOST",
    "GCE_METADATA_IP",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_CLOUD_PROJECT",
    "http_proxy",
    "HTTP_PROXY",
    "all_proxy",
    "ALL_PROXY",
)

METADATA_HOSTS = ("metadata", "metadata.google.internal", "169.254.169.254")


class HttpError(Exception):
    """An error answer of the API, shaped like the one of googleapiclient."""

    def __init__(self, status, reason):
        super().__init__(f"<HttpError {status} {reason}>")
        self.resp = types.SimpleNamespace(status=status, reason=reason)
        self.status_code = status
        self.reason = reason


class NodesAPI:
    """An API object, as far as the way to its nodes."""

    def projects(self):
        return self

    def locations(self):
        return self

    def nodes(self):
        return self


class CloudTPU(NodesAPI):
    """An API object that answers ``projects().locations().nodes().get(name=...)``.

    ``nodes`` has the answer for each TPU by its last name, or an exception to raise;
    other names are answered by an HTTP error 404. It may be changed as ``answers``. The
    full names that were asked for are in ``requested``.
    """

    def __init__(self, nodes):
        self.answers = nodes
        self.requested = []

    def get(self, name):
        self.requested.append(name)
        return _Request(self.answers.get(name.split("/nodes/")[-1], NOT_FOUND))

    def __deepcopy__(self, memo):
        raise TypeError("an API object cannot be copied")


class _Request:
    def __init__(self, answer):
        self._answer = answer

    def execute(self, **options):
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


NOT_FOUND = HttpError(404, "Resource was not found")


class UntouchableAPI:
    """An API object that must not be used: the first attribute taken is an error."""

    def __getattr__(self, name):
        raise AssertionError(f"the Cloud TPU API was used: {name} was asked for")


def node(*addresses, **fields):
    """Return the answer of the API for a healthy TPU with these ``host:port``.

    ``fields`` are added; one that is None is left out.
    """
    endpoints = [address.rsplit(":", 1) for address in addresses]
    answer = {
        "state": "READY",
        "health": "HEALTHY",
        "networkEndpoints": [
            {"ipAddress": host, "port": int(port)} for host, port in endpoints
        ],
    }
    answer.update(fields)
    return {name: value for name, value in answer.items() if value is not None}


class Metadata:
    """The metadata server of a virtual machine.

    ``requested`` has the path of each request behind ``/computeMetadata/v1/``, and
    ``connected`` the host and port of each connection.
    """

    def __init__(
        self, project="proj-m", zone="projects/123/zones/europe-x", address="10.128.1.2"
    ):
        self.requested = []
        self.connected = []
        self._answers = {
            "project/project-id": project,
            "instance/zone": zone,
            "instance/network-interfaces/0/ip": address,
        }

    def answer(self, request):
        """Return the bytes that answer the HTTP request in ``request``."""
        head = request.decode("latin-1").split("\r\n\r\n")[0]
        path = head.split(" ")[1].split("?")[0].split("/computeMetadata/v1")[-1]
        path = path.strip("/")
        if path:
            self.requested.append(path)
        if path and "metadata-flavor: google" not in head.lower():
            return _response("403 Forbidden", "the header Metadata-Flavor is missing")
        if path and path not in self._answers:
            return _response("404 Not Found", path)
        return _response("200 OK", self._answers.get(path, ""))


def _response(status, text):
    return (
        f"HTTP/1.1 {status}\r\nMetadata-Flavor: Google\r\nServer: Metadata Server\r\n"
        f"Content-Type: application/text\r\nContent-Length: {len(text)}\r\n"
        f"Connection: close\r\n\r\n{text}"
    ).encode("latin-1")


class _Connection:
    """A socket whose other end is the metadata server."""

    def __init__(self, metadata):
        self._metadata = metadata
        self._request = b""

    def sendall(self, data):
        self._request += data

    def makefile(self, mode, *buffering):
        return io.BytesIO(self._metadata.answer(self._request))

    def settimeout(self, seconds):
        pass

    def setsockopt(self, *option):
        pass

    def close(self):
        pass


@contextlib.contextmanager
def surroundings(metadata=None, **variables):
    """Let the process see these environment variables and this metadata server only.

    Every variable that a resolver reads is unset unless it is given; without
    ``metadata`` this is no virtual machine of Google Cloud. Any other connection is
    refused. Yields the metadata server.
    """

    def connect(address, *options, **more):
        if metadata is not None and address[0] in METADATA_HOSTS:
            metadata.connected.append(address)
            return _Connection(metadata)
        raise ConnectionRefusedError(f"no connection to {address} in a check")

    def address_of(host, *options, **more):
        if metadata is None or host not in METADATA_HOSTS:
            raise socket.gaierror(f"no address of {host} in a check")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("169.254.169.254", 80))]

    if metadata is not None:
        variables.setdefault("GCE_METADATA_HOST", METADATA_HOSTS[1])
    with environment(variables), contextlib.ExitStack() as replaced:
        replaced.enter_context(replace(socket, "create_connection", connect))
        replaced.enter_context(replace(socket, "getaddrinfo", address_of))
        yield metadata


def isolated(check):
    """Run the decorated check without variables, metadata server and network."""

    @functools.wraps(check)
    def check_alone(*subjects, **fixtures):
        with surroundings():
            check(*subjects, **fixtures)

    return check_alone


@contextlib.contextmanager
def environment(variables):
    """Set these environment variables, and unset what a resolver reads besides."""
    before = {name: os.environ.get(name) for name in set(VARIABLES) | set(variables)}
    for name in before:
        os.environ.pop(name, None)
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


@contextlib.contextmanager
def replace(owner, name, value):
    """Set an attribute of a module or class, and put it back afterwards."""
    there = name in vars(owner)
    before = vars(owner).get(name)
    setattr(owner, name, value)
    try:
        yield value
    finally:
        if there:
            setattr(owner, name, before)
        else:
            delattr(owner, name)


@contextlib.contextmanager
def imported(module):
    """Let a module be what an import of its name gives."""
    before = sys.modules.get(module.__name__)
    sys.modules[module.__name__] = module
    try:
        yield
    finally:
        del sys.modules[module.__name__]
        if before is not None:
            sys.modules[module.__name__] = before


_CLIENT_MODULES = (
    "googleapiclient", "googleapiclient.discovery", "googleapiclient.errors",
    "apiclient", "apiclient.discovery", "oauth2client", "oauth2client.client",
    "google.auth",
)  # fmt: skip


class GoogleClient:
    """Google's API client and its credentials.

    ``default`` stands for the application default credentials, which were ``fetched``
    so many times; ``built`` has the arguments of each call that built an API object.
    """

    def __init__(self, service):
        self.fetched = 0
        self.default = types.SimpleNamespace(name="application default credentials")
        self.built = []
        self._service = service

    def application_default(self):
        self.fetched += 1
        return self.default

    def build(self, serviceName, version, **options):
        """Build an API object, with the default credentials unless others are given."""
        if options.get("credentials") is None:
            options["credentials"] = self.application_default()
        self.built.append(dict(options, serviceName=serviceName, version=version))
        return self._service

    def modules(self):
        """Return the modules of the client by name."""
        made = {name: types.ModuleType(name) for name in _CLIENT_MODULES}
        credentials = types.SimpleNamespace(
            get_application_default=self.application_default
        )
        for package in ("googleapiclient", "apiclient"):
            made[package].discovery = made[package + ".discovery"]
            made[package + ".discovery"].build = self.build
        made["googleapiclient"].errors = made["googleapiclient.errors"]
        made["googleapiclient.errors"].HttpError = HttpError
        made["oauth2client"].client = made["oauth2client.client"]
        made["oauth2client.client"].GoogleCredentials = credentials
        made["google.auth"].default = lambda *scopes, **more: (
            self.application_default(),
            "proj-m",
        )
        return made


@contextlib.contextmanager
def installed(client, authentication=False):
    """Make ``client`` the Google client of this process; None: there is none.

    With ``authentication`` the packages that find credentials are there without it.
    """
    made = dict.fromkeys(_CLIENT_MODULES) if client is None else client.modules()
    if authentication:
        whole = GoogleClient(None).modules()
        made.update({name: whole[name] for name in made if "api" not in name})
    if _google() is None:
        made["google"] = types.ModuleType("google")
    before = {name: sys.modules[name] for name in made if name in sys.modules}
    sys.modules.update(made)
    try:
        with replace(_google(), "auth", made["google.auth"]), _remembered(client, made):
            yield client
    finally:
        for name in made:
            del sys.modules[name]
        sys.modules.update(before)


def _google():
    """Return the package that google.auth would be in; None if nothing is there."""
    try:
        return importlib.import_module("google")
    except ImportError:
        return None


@contextlib.contextmanager
def _remembered(client, made):
    """Do the same in modules that looked for the client when they were imported."""
    with contextlib.ExitStack() as replaced:
        for module in list(sys.modules.values()):
            if not hasattr(module, "_GOOGLE_API_CLIENT_INSTALLED"):
                continue
            names = {"_GOOGLE_API_CLIENT_INSTALLED": client is not None}
            if client is not None:
                names["discovery"] = made["googleapiclient.discovery"]
                names["client"] = made["oauth2client.client"]
                names["GoogleCredentials"] = names["client"].GoogleCredentials
            for name, value in names.items():
                replaced.enter_context(replace(module, name, value))
        yield


def _never_closed(owner):
    """Return ``owner`` without what it does when an object of it goes."""
    return type(owner.__name__, (owner,), {"__del__": lambda self: None})


@contextlib.contextmanager
def counted_servers(tf, port=2222):
    """Yield the list of servers that are started meanwhile, none of them a real one.

    Each has the attributes ``stopped`` and ``definition``, the arguments that it was
    made with, and the target ``grpc://localhost:port``.
    """
    started = []
    server = tf.train.Server
    kind = _never_closed(server)

    def start(self, *definition, **options):
        self.__class__ = kind
        self.stopped = False
        self.definition = definition
        started.append(self)

    def stop(self, *grace):
        self.stopped = True

    with contextlib.ExitStack() as replaced:
        for name, value in (
            ("__init__", start),
            ("stop", stop),
            ("target", property(lambda self: f"grpc://localhost:{port}")),
        ):
            replaced.enter_context(replace(server, name, value))
        yield started


class Device(str):
    """A device of a master: its name, which tells its type too."""

    memory_limit_bytes = 0

    @property
    def name(self):
        return str(self)

    @property
    def device_type(self):
        return self.rsplit("device:", 1)[-1].split(":")[0]


def hosts(*cores, job="worker"):
    """Return the devices of a system with that many cores on each host."""
    devices = []
    for task, count in enumerate(cores):
        place = f"/job:{job}/replica:0/task:{task}/device:"
        devices += [Device(place + "CPU:0"), Device(place + "TPU_SYSTEM:0")]
        devices += [Device(f"{place}TPU:{core}") for core in range(count)]
    return devices


class Master:
    """A master that lists its devices to every session that is opened.

    ``devices`` are what listing them gives, or an exception; ``opened`` has target and
    configuration of each session, and ``listed`` counts the requests.
    """

    def __init__(self, devices):
        self.devices = devices
        self.opened = []
        self.listed = 0


@contextlib.contextmanager
def reachable(tf, devices):
    """Let every session reach one master with these devices; yield the master.

    An exception in place of the devices is what listing them raises. Nobody waits
    meanwhile: sleeping takes no time.
    """
    if not isinstance(tf.Session, type):
        raise Unavailable(
            "no class tf.Session, which a stand-in could take the place of"
        )
    master = Master(devices)
    kind = _never_closed(tf.Session)

    def open_session(self, target="", graph=None, config=None):
        self.__class__ = kind
        master.opened.append((target, config))

    def list_devices(self):
        master.listed += 1
        if isinstance(master.devices, Exception):
            raise master.devices
        return list(master.devices)

    with contextlib.ExitStack() as replaced:
        for name, value in (
            ("__init__", open_session),
            ("list_devices", list_devices),
            ("close", lambda self: None),
            ("__enter__", lambda self: self),
            ("__exit__", lambda self, *error: None),
        ):
            replaced.enter_context(replace(tf.Session, name, value))
        replaced.enter_context(replace(time, "sleep", lambda seconds: None))
        yield master


def too_late(tf):
    """Return the error of a master that does not answer in time."""
    kind = tf.errors.DeadlineExceededError
    try:
        return kind(None, None, "no answer in time")
    except TypeError:  # without the operation, which there is none of
        return kind("no answer in time")
