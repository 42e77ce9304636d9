"""The coordinator of a cluster: a server at an address, or one started here."""

import weakref

from tpuref.interface.cluster_resolver import addresses
from tpuref.interface.cluster_resolver.metadata import Metadata, in_google_cloud
from tpuref.interface.cluster_resolver.server import Server


class Coordinator:
    """The coordinator job with its address.

    Without an address it starts a server, which runs until `stop` or until this object
    is garbage collected.  In Google Cloud the server listens on the machine's address
    from `metadata`; elsewhere it is reachable only from this computer.
    """

    def __init__(self, name: str, address: str | None, metadata: Metadata) -> None:
        self.name = name
        self.started = address is None
        if address is not None:
            self.address = address
            return
        host = metadata.address() if in_google_cloud() else "localhost"
        server = start_server(name, host)
        port = addresses.split(server.target.removeprefix(addresses.GRPC), "server")[1]
        self.address = addresses.joined(host, port, "server")
        self._finalizer = weakref.finalize(self, server.stop)

    def stop(self) -> None:
        """Stop the server, if one was started and runs."""
        if self.started:
            self._finalizer()


def start_server(name: str, host: str) -> Server:
    """Start a server for the only task of that job, on a free port of `host`."""
    address = f"[{host}]:0" if ":" in host else f"{host}:0"
    return Server({name: [address]}, name, 0)
