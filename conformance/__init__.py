"""The documented statements of TensorFlow's TPU interface, as checks that run."""

__all__ = ["main"]


def main(argv=None):
    """Run the command with the arguments ``argv`` and return its exit status."""
    # The worker imports this package under Python 3.6 and needs no command.
    from .command import main as command

    return command(argv)
