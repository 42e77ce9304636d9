"""A TPU of the local Cloud TPU service."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Mapping, Sequence
from typing import Any

from tpuref.interface.cluster_resolver.addresses import DEFAULT_PORT, split


class Node:
    """A TPU of the local service.  The next answer reflects changed attributes.

    `*addresses` are ``host:port`` of each host, in order.  `state` and `health` are the
    reported state and health; None omits them.  `old_form` says whether the address is
    given as ``ipAddress`` and ``port`` instead of in ``networkEndpoints``; for one
    address.  `**fields` are further fields of the answer, such as
    ``acceleratorType="v2-8"``; they override the other arguments.  It raises ValueError
    if an address does not have the form ``host:port``.

    Examples
    --------
    >>> node = Node("10.1.2.3:8470", state="CREATING")
    >>> node.answer("projects/p/locations/z/nodes/n")["state"]
    'CREATING'
    """

    def __init__(
        self,
        *addresses: str,
        state: str | None = "READY",
        health: str | None = "HEALTHY",
        old_form: bool = False,
        **fields: Any,
    ) -> None:
        for address in addresses:
            split(address, "testing.Node", DEFAULT_PORT)
        if old_form and len(addresses) != 1:
            raise ValueError(
                f"testing.Node: old_form allows only one address, got {addresses}"
            )
        self.addresses: Sequence[str] = addresses
        self.state = state
        self.health = health
        self.old_form = old_form
        self.fields = fields

    def answer(self, path: str) -> dict[str, Any]:
        """Return the JSON answer for the full name ``projects/.../nodes/...``."""
        endpoints = [self._endpoint(address) for address in self.addresses]
        answer: dict[str, Any] = {"name": path}
        if self.state is not None:
            answer["state"] = self.state
        if self.health is not None:
            answer["health"] = self.health
        if self.old_form:
            answer |= {**endpoints[0], "port": str(endpoints[0]["port"])}
        else:
            answer["networkEndpoints"] = endpoints
        return answer | self.fields

    @staticmethod
    def _endpoint(address: str) -> dict[str, Any]:
        host, port = split(address, "testing.Node", DEFAULT_PORT)
        return {"ipAddress": host, "port": port}


class Nodes(UserDict[str, Node]):
    """TPUs by name; an address, or a list of addresses, becomes a `Node`."""

    def __init__(self, nodes: Mapping[str, Any]) -> None:
        super().__init__()
        self.update(nodes)

    def __ior__(self, other: Any) -> Nodes:  # type: ignore[misc,override]
        self.update(other)
        return self

    def __setitem__(self, name: str, node: Node | str | Sequence[str]) -> None:
        if not isinstance(name, str):
            raise TypeError(f"FakeCloudTPU: nodes must be named by text, got {name!r}")
        self.data[name] = _node(name, node)


def _node(name: str, node: Any) -> Node:
    if isinstance(node, Node):
        return node
    addresses = [node] if isinstance(node, str) else node
    is_list = isinstance(addresses, (list, tuple))
    if not is_list or not all(isinstance(address, str) for address in addresses):
        raise TypeError(
            f"FakeCloudTPU: nodes[{name!r}] must be a testing.Node, an address or a "
            f"list of addresses, got {node!r}"
        )
    return Node(*addresses)
