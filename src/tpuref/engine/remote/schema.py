"""The messages between a session and its server, field by field.

One session is one stream in both directions.  The client sends `Request`, the first
one with `open`; the server sends `Reply`.  A reply has the number that the client chose
for its request, so several runs can be in progress at once.

The code uses the protobuf classes of these messages, ``Request.pb()``: the wrappers
that declare them are slow.
"""

import proto

__protobuf__ = proto.module(package="tpuref.engine.remote")

PROTOCOL = 1
"""The version of the messages.

`Request.open` and `Reply.refused` with their fields are the same in all versions, so
that two releases can tell each other that they do not match.
"""

METHOD = "/tpuref.engine.remote.Sessions/Attend"
"""The path of the only method, a stream in both directions."""


# -- values --------------------------------------------------------------------


class Shape(proto.Message):
    """A static shape; -1 is a dimension of unknown size."""

    unknown_rank = proto.Field(proto.BOOL, number=1)
    sizes = proto.RepeatedField(proto.INT64, number=2)


class Spec(proto.Message):
    """The static information about a tensor; `dtype` is TensorFlow's number."""

    dtype = proto.Field(proto.INT32, number=1)
    shape = proto.Field(Shape, number=2)


class Tensor(proto.Message):
    """An array: its elements in C order, little-endian; strings one by one."""

    dtype = proto.Field(proto.INT32, number=1)
    sizes = proto.RepeatedField(proto.INT64, number=2)
    content = proto.Field(proto.BYTES, number=3)
    texts = proto.RepeatedField(proto.BYTES, number=4)


class Value(proto.Message):
    """The value of an attribute."""

    none = proto.Field(proto.BOOL, number=1, oneof="kind")
    truth = proto.Field(proto.BOOL, number=2, oneof="kind")
    integer = proto.Field(proto.SINT64, number=3, oneof="kind")
    large_integer = proto.Field(proto.STRING, number=4, oneof="kind")  # in decimal
    real = proto.Field(proto.DOUBLE, number=5, oneof="kind")
    text = proto.Field(proto.STRING, number=6, oneof="kind")
    octets = proto.Field(proto.BYTES, number=7, oneof="kind")
    tensor = proto.Field(Tensor, number=8, oneof="kind")
    sequence = proto.Field("Values", number=9, oneof="kind")


class Values(proto.Message):
    """A sequence of values."""

    items = proto.RepeatedField(Value, number=1)


# -- programs ------------------------------------------------------------------


class Attribute(proto.Message):
    """One attribute of an instruction."""

    name = proto.Field(proto.STRING, number=1)
    value = proto.Field(Value, number=2)


class Site(proto.Message):
    """A line of the user's program, and its text."""

    filename = proto.Field(proto.STRING, number=1)
    line = proto.Field(proto.INT32, number=2)
    function = proto.Field(proto.STRING, number=3)
    code = proto.Field(proto.STRING, number=4)


class Instruction(proto.Message):
    """One step; `blocks` are positions of earlier programs of the bundle."""

    op = proto.Field(proto.STRING, number=1)
    name = proto.Field(proto.STRING, number=2)
    inputs = proto.RepeatedField(proto.INT32, number=3)
    outputs = proto.RepeatedField(proto.INT32, number=4)
    attributes = proto.RepeatedField(Attribute, number=5)
    specs = proto.RepeatedField(Spec, number=6)
    core = proto.Field(proto.INT32, number=7)
    site = proto.Field(Site, number=8)
    blocks = proto.RepeatedField(proto.INT32, number=9)
    replica = proto.Field(proto.INT32, number=10, optional=True)


class Components(proto.Message):
    """The handles of a variable's component on each replica."""

    handles = proto.RepeatedField(proto.STRING, number=1)


class Program(proto.Message):
    """Instructions over numbered slots."""

    name = proto.Field(proto.STRING, number=1)
    parameters = proto.RepeatedField(proto.INT32, number=2)
    instructions = proto.RepeatedField(Instruction, number=3)
    results = proto.RepeatedField(proto.INT32, number=4)
    components = proto.RepeatedField(Components, number=5)


class Bundle(proto.Message):
    """A program, the last one, after all programs inside it."""

    programs = proto.RepeatedField(Program, number=1)


# -- faults --------------------------------------------------------------------


class Fault(proto.Message):
    """An error: its status code, its message, and where it was raised.

    If `builtin` is set, it names a built-in exception of Python.
    """

    code = proto.Field(proto.INT32, number=1)
    builtin = proto.Field(proto.STRING, number=2)
    message = proto.Field(proto.STRING, number=3)
    op = proto.Field(proto.STRING, number=4, optional=True)
    site = proto.Field(Site, number=5)
    cause = proto.Field(proto.STRING, number=6)


# -- requests of the client ----------------------------------------------------


class Open(proto.Message):
    """Begin the session."""

    protocol = proto.Field(proto.INT32, number=1)
    version = proto.Field(proto.STRING, number=2)
    jobs = proto.RepeatedField(proto.STRING, number=3)  # of a separate cluster
    isolated = proto.Field(proto.BOOL, number=4)
    message_bytes = proto.Field(proto.INT64, number=5)  # the limit of a reply


class Run(proto.Message):
    """Run a program; the first request contains the program itself."""

    program = proto.Field(proto.INT64, number=1)
    bundle = proto.Field(Bundle, number=2)
    inputs = proto.RepeatedField(Tensor, number=3)
    traced = proto.Field(proto.BOOL, number=4)
    forgotten = proto.RepeatedField(proto.INT64, number=5)  # programs no longer used


class Returned(proto.Message):
    """The results of a host call, or its fault."""

    call = proto.Field(proto.INT64, number=1)
    outputs = proto.RepeatedField(Tensor, number=2)
    fault = proto.Field(Fault, number=3)


class Cancel(proto.Message):
    """Abandon the run with that number."""


class ListDevices(proto.Message):
    """Request the devices."""


class Reset(proto.Message):
    """Drop the variables of the server and end all its other sessions."""


class Request(proto.Message):
    """A request; replies repeat its `number`."""

    number = proto.Field(proto.INT64, number=1)
    open = proto.Field(Open, number=2, oneof="kind")
    run = proto.Field(Run, number=3, oneof="kind")
    returned = proto.Field(Returned, number=4, oneof="kind")
    cancel = proto.Field(Cancel, number=5, oneof="kind")
    list_devices = proto.Field(ListDevices, number=6, oneof="kind")
    reset = proto.Field(Reset, number=7, oneof="kind")


# -- replies of the server -----------------------------------------------------


class Opened(proto.Message):
    """The session has begun."""

    version = proto.Field(proto.STRING, number=1)
    jobs = proto.RepeatedField(proto.STRING, number=2)
    message_bytes = proto.Field(proto.INT64, number=3)  # the limit of a request


class Record(proto.Message):
    """An operation that ran on a core."""

    operation = proto.Field(proto.STRING, number=1)
    replica = proto.Field(proto.INT32, number=2)
    logical_core = proto.Field(proto.INT32, number=3)
    core = proto.Field(proto.INT32, number=4)
    task = proto.Field(proto.INT32, number=5)
    device = proto.Field(proto.STRING, number=6)


class Padded(proto.Message):
    """The padding of one input of a replicated computation; -1 is no replica."""

    operation = proto.Field(proto.STRING, number=1)
    index = proto.Field(proto.INT32, number=2)
    name = proto.Field(proto.STRING, number=3)
    true_shapes = proto.RepeatedField(Shape, number=4)
    padded_shape = proto.Field(Shape, number=5)
    forced_by = proto.RepeatedField(proto.INT32, number=6)
    waste = proto.Field(proto.DOUBLE, number=7)
    compilations = proto.Field(proto.INT32, number=8)
    hits = proto.Field(proto.INT32, number=9)


class Done(proto.Message):
    """The run is over."""

    outputs = proto.RepeatedField(Tensor, number=1)
    trace = proto.RepeatedField(Record, number=2)
    padded = proto.RepeatedField(Padded, number=3)


class HostCall(proto.Message):
    """Run an instruction on the client: a Python function, a dataset.

    `instruction` is a position among all instructions of the program, each followed by
    those of its blocks.
    """

    call = proto.Field(proto.INT64, number=1)
    instruction = proto.Field(proto.INT32, number=2)
    replica = proto.Field(proto.INT32, number=3)
    inputs = proto.RepeatedField(Tensor, number=4)


class Device(proto.Message):
    """One device."""

    name = proto.Field(proto.STRING, number=1)
    device_type = proto.Field(proto.STRING, number=2)
    memory_limit_bytes = proto.Field(proto.INT64, number=3)
    incarnation = proto.Field(proto.UINT64, number=4)


class Devices(proto.Message):
    """The devices."""

    devices = proto.RepeatedField(Device, number=1)


class Alive(proto.Message):
    """A sign of life."""


class Reply(proto.Message):
    """A reply; `number` is that of the request."""

    number = proto.Field(proto.INT64, number=1)
    refused = proto.Field(Fault, number=2, oneof="kind")  # ends the session
    opened = proto.Field(Opened, number=3, oneof="kind")
    done = proto.Field(Done, number=4, oneof="kind")
    failed = proto.Field(Fault, number=5, oneof="kind")
    host_call = proto.Field(HostCall, number=6, oneof="kind")
    devices = proto.Field(Devices, number=7, oneof="kind")
    alive = proto.Field(Alive, number=8, oneof="kind")
