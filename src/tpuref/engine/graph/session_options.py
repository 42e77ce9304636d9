"""Options of a session and its runs, and the metadata of a run."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

from tpuref.base import error_codes as codes
from tpuref.base.masking import MASK
from tpuref.engine.runtime.meaning.trace import CoreTrace


@dataclass
class RPCOptions:
    """Options of the connection to a server.

    `token` is the token to send to a server that requires one; by default the
    environment variable ``TPUREF_TOKEN``.  It is left out of ``repr``.  `credentials`
    is a ``grpc.ChannelCredentials``, such as ``grpc.ssl_channel_credentials(...)``, for
    a server that uses TLS; None for a plain connection.  `max_message_bytes` is the
    size of the largest message accepted from the server.
    """

    token: str | None = None
    credentials: Any = None
    max_message_bytes: int = 1 << 29

    def __repr__(self) -> str:
        token = None if self.token is None else MASK
        return (
            f"RPCOptions(token={token}, credentials={self.credentials!r}, "
            f"max_message_bytes={self.max_message_bytes!r})"
        )


@dataclass
class GPUOptions:
    """Options of GPUs, accepted for programs that set them: there are none here."""

    per_process_gpu_memory_fraction: float = 0.0
    allow_growth: bool = False
    allocator_type: str = ""
    deferred_deletion_bytes: int = 0
    visible_device_list: str = ""
    polling_active_delay_usecs: int = 0
    polling_inactive_delay_msecs: int = 0
    force_gpu_compatible: bool = False


@dataclass
class OptimizerOptions:
    """Options of TensorFlow's graph optimizer, accepted without effect."""

    DEFAULT: ClassVar[int] = 0
    L0: ClassVar[int] = -1
    L1: ClassVar[int] = 0
    OFF: ClassVar[int] = -1
    ON_1: ClassVar[int] = 1
    ON_2: ClassVar[int] = 2

    do_common_subexpression_elimination: bool = False
    do_constant_folding: bool = False
    max_folded_constant_in_bytes: int = 0
    do_function_inlining: bool = False
    opt_level: int = 0
    global_jit_level: int = 0


@dataclass
class RewriterConfig:
    """Options of TensorFlow's graph rewriter, accepted without effect."""

    DEFAULT: ClassVar[int] = 0
    ON: ClassVar[int] = 1
    OFF: ClassVar[int] = 2
    AGGRESSIVE: ClassVar[int] = 3

    disable_meta_optimizer: bool = False
    disable_model_pruning: bool = False
    arithmetic_optimization: int = 0
    auto_mixed_precision: int = 0
    constant_folding: int = 0
    debug_stripper: int = 0
    dependency_optimization: int = 0
    function_optimization: int = 0
    layout_optimizer: int = 0
    loop_optimization: int = 0
    memory_optimization: int = 0
    meta_optimizer_iterations: int = 0
    min_graph_nodes: int = 0
    pin_to_host_optimization: int = 0
    remapping: int = 0
    scoped_allocator_optimization: int = 0
    shape_optimization: int = 0


@dataclass
class GraphOptions:
    """Options of TensorFlow's graphs, accepted: they have no effect here."""

    optimizer_options: OptimizerOptions = field(default_factory=OptimizerOptions)
    rewrite_options: RewriterConfig = field(default_factory=RewriterConfig)
    enable_recv_scheduling: bool = False
    build_cost_model: int = 0
    build_cost_model_after: int = 0
    infer_shapes: bool = False
    place_pruned_graph: bool = False
    enable_bfloat16_sendrecv: bool = False
    timeline_step: int = 0


@dataclass
class ConfigProto:
    """Options of a session.

    Attributes
    ----------
    cluster_def
        The jobs of the cluster, as `tf.train.ClusterSpec.as_cluster_def` gives them.
    allow_soft_placement
        Whether operations on unknown devices run on the host's CPU.
    log_device_placement
        Accepted for programs that set it; it has no effect here.
    isolate_session_state
        Whether a session with a server has variables of its own, instead of those that
        all its sessions share.  With a `cluster_def` it has.
    rpc_options
        An `RPCOptions`: how a server is spoken to.
    gpu_options, graph_options
        `GPUOptions` and `GraphOptions`, accepted for programs that set them.
    device_count, intra_op_parallelism_threads, inter_op_parallelism_threads, \
use_per_session_threads, placement_period, device_filters, operation_timeout_in_ms
        Accepted for programs that set them; they have no effect here.
    """

    cluster_def: Any = None
    allow_soft_placement: bool = False
    log_device_placement: bool = False
    isolate_session_state: bool = False
    rpc_options: RPCOptions | None = None
    gpu_options: GPUOptions = field(default_factory=GPUOptions)
    graph_options: GraphOptions = field(default_factory=GraphOptions)
    device_count: dict[str, int] = field(default_factory=dict)
    intra_op_parallelism_threads: int = 0
    inter_op_parallelism_threads: int = 0
    use_per_session_threads: bool = False
    placement_period: int = 0
    device_filters: list[str] = field(default_factory=list)
    operation_timeout_in_ms: int = 0


@dataclass
class RunOptions:
    """Options of one run.

    `trace_level` is `NO_TRACE`, or `FULL_TRACE` to learn what ran on which core.
    """

    NO_TRACE: ClassVar[int] = 0
    SOFTWARE_TRACE: ClassVar[int] = 1
    HARDWARE_TRACE: ClassVar[int] = 2
    FULL_TRACE: ClassVar[int] = 3

    trace_level: int = 0


class RunMetadata:
    """The metadata of one run.

    If the run was traced, `core_trace` has a record of each operation on a core, with
    ``operation``, ``replica``, ``logical_core``, ``core``, ``task`` and ``device``.
    """

    def __init__(self) -> None:
        self.core_trace: tuple[CoreTrace, ...] = ()


def checked_config(config: Any, function: str) -> ConfigProto | None:
    """Return the options of a session, or raise TypeError for anything else."""
    if config is None:
        return None
    _require("config", config, ConfigProto, function)
    if config.rpc_options is not None:
        _require("rpc_options of the config", config.rpc_options, RPCOptions, function)
    if config.cluster_def is not None and not _is_cluster(config.cluster_def):
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            f"{function}: cluster_def of the config must be a tf.train.ClusterDef, as "
            "tf.train.ClusterSpec(...).as_cluster_def() returns it, got "
            f"{type(config.cluster_def).__name__}"
        )
    checked: ConfigProto = config
    return checked


def _require(name: str, value: Any, kind: type, function: str) -> None:
    if not isinstance(value, kind):
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            f"{function}: {name} must be a tf.{kind.__name__}, got "
            f"{type(value).__name__}"
        )


def _is_cluster(value: Any) -> bool:
    """Whether it looks like a ClusterDef, whose class is in a higher layer."""
    jobs = getattr(value, "job", None)
    return isinstance(jobs, (list, tuple)) and all(
        isinstance(getattr(job, "name", None), str) for job in jobs
    )
