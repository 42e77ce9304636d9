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
