"""What Keras asks of TensorFlow's eager context."""


class Context:
    """The context of eager mode of the process."""

    def clear_kernel_cache(self) -> None:
        """Do nothing: operations of eager mode leave no kernels behind."""


_context = Context()


def context() -> Context:
    """Return the context of the process."""
    return _context


def async_wait() -> None:
    """Return at once: calls return when their operations have run."""


def enabled() -> bool:
    """Return True: who asks runs in TensorFlow 2's mode."""
    return True


def enable_op_determinism() -> None:
    """Do nothing: operations are always deterministic."""


def disable_op_determinism() -> None:
    """Do nothing: operations are always deterministic."""


def is_op_determinism_enabled() -> bool:
    """Return True: operations always give the same bits for the same seeds."""
    return True
