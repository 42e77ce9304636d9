"""The state and the endpoints of one TPU, from the Cloud TPU API."""

from collections.abc import Mapping
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.interface.cluster_resolver.addresses import joined

_LONGEST_SHOWN = 200


def endpoints_of(answer: Any, name: str) -> list[str]:
    """Return the addresses of a healthy and ready TPU, in the reported order.

    `answer` is a dictionary with ``state`` and ``health``, and either
    ``networkEndpoints`` or the older ``ipAddress`` and ``port``.
    """
    if not isinstance(answer, Mapping):
        raise _unclear(name, f"expected a dictionary, got {_shown(answer)}")
    _check_health(answer, name)
    entries = _endpoint_entries(answer, name)
    if not entries:
        raise codes.UNKNOWN_TPU.value_error(
            f"TPU {name!r} has no network endpoint to connect to; check the name, the "
            "zone and the project"
        )
    try:
        return [
            joined(entry.get("ipAddress"), entry.get("port"), f"endpoint {index}")
            for index, entry in enumerate(entries)
        ]
    except ValueError as error:
        raise _unclear(name, str(error)) from None


def _check_health(answer: Mapping[str, Any], name: str) -> None:
    state = answer.get("state", "READY")
    health = answer.get("health", "HEALTHY")
    if state == "READY" and health == "HEALTHY":
        return
    trouble = "not ready" if state != "READY" else "not healthy"
    description = answer.get("healthDescription")
    raise RuntimeError(
        f"TPU {name!r} is {trouble}: state {_shown(answer.get('state'))}, health "
        f"{_shown(answer.get('health'))}"
        + (f" ({_shown(description)})" if description else "")
        + "; wait until it is READY and HEALTHY, or restart it"
        f" [{codes.UNKNOWN_TPU}]"
    )


def _endpoint_entries(answer: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """Return the endpoints as dictionaries; the older form counts as one."""
    if "networkEndpoints" not in answer:
        return [answer] if "ipAddress" in answer else []
    entries = answer["networkEndpoints"]
    if not isinstance(entries, list) or not all(
        isinstance(e, Mapping) for e in entries
    ):
        raise _unclear(name, f"networkEndpoints is {_shown(entries)}")
    return entries


def _unclear(name: str, problem: str) -> RuntimeError:
    return codes.SERVER_UNREACHABLE.runtime_error(
        f"TPU {name!r}: the answer of the Cloud TPU API is malformed: {problem}"
    )


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "..."
