"""Addresses of hosts and ports."""

import ipaddress
import re
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.masking import MASK

DEFAULT_PORT = 8470
"""The default port of a Cloud TPU."""

GRPC = "grpc://"

_NAME = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?")
# The match starts only at the beginning of a word; otherwise a long word without an @
# would be scanned from each of its characters, in quadratic time.
_USER = re.compile(r"(?<![^/\s'\"])[^/\s'\"]*@")
_EVERYWHERE = ("0.0.0.0", "::")
_SCHEMES = ("external", "unix", "unix-abstract", "vsock")
_DIGITS = re.compile(r"[0-9]{1,5}")


def checked_host(host: Any, where: str) -> str:
    """Return `host` if it is an IP address or a host name, or raise ValueError."""
    if not isinstance(host, str):
        raise codes.INVALID_CLUSTER.value_error(
            f"{where}: a host must be text, got {host!r}"
        )
    labels = host.removesuffix(".").split(".")
    if _is_ip(host) or (len(host) <= 253 and all(map(_NAME.fullmatch, labels))):
        return host
    raise codes.INVALID_CLUSTER.value_error(
        f"{where}: {_shown(host)} is neither an IP address nor a host name"
    )


def checked_port(port: Any, where: str, least: int = 1) -> int:
    """Return `port` as a number from `least` to 65535, or raise ValueError."""
    if isinstance(port, str) and _DIGITS.fullmatch(port):
        port = int(port)
    if isinstance(port, int) and not isinstance(port, bool) and least <= port < 65536:
        return port
    raise codes.INVALID_CLUSTER.value_error(
        f"{where}: a port must be a number from {least} to 65535, got {_shown(port)}"
    )


def joined(host: Any, port: Any, where: str) -> str:
    """Return ``host:port``, an IPv6 address in brackets."""
    host, port = checked_host(host, where), checked_port(port, where)
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def split(address: str, where: str, default: int | None = None) -> tuple[str, int]:
    """Return host and port of ``host:port``; `default` replaces a missing port."""
    host, port = _parts(address)
    if port is None and default is not None:
        return checked_host(host, where), default
    return checked_host(host, where), checked_port(port, where)


def listening(address: str, where: str) -> tuple[str, str]:
    """Return the host for clients, and the address to listen on; port 0 is a free one.

    >>> listening("0.0.0.0:8470", "here")
    ('localhost', '0.0.0.0:8470')
    """
    host, port = _parts(address.removeprefix(GRPC))
    try:
        checked_host(host, where)
        checked_port(port, where, least=0)
        fits = host not in _SCHEMES  # gRPC reads these as the scheme of an address
    except ValueError:
        fits = False
    if not fits:
        raise codes.INVALID_CLUSTER.value_error(
            f"{where}: the address of the task must be 'host:port', with a port from 0 "
            f"to 65535, got {_shown(address)}"
        )
    shown = f"[{host}]" if ":" in host else host
    return "localhost" if host in _EVERYWHERE else shown, f"{shown}:{port}"


def endpoints(text: str, where: str) -> list[str]:
    """Return the addresses of ``grpc://host:port``, separated by commas.

    >>> endpoints("grpc://10.1.2.3:8470,grpc://10.1.2.4", "TPUS")
    ['10.1.2.3:8470', '10.1.2.4:8470']
    """
    parts = [part.strip().removeprefix(GRPC) for part in text.split(",")]
    return [joined(*split(part, where, DEFAULT_PORT), where) for part in parts]


def _parts(address: str) -> tuple[str, str | None]:
    """Split at the last colon that is not part of an IPv6 address."""
    if address.startswith("["):
        host, closing, rest = address[1:].partition("]")
        if closing and rest[:1] in ("", ":"):
            return host, rest[1:] if rest else None
        return address, None
    if address.count(":") != 1:
        return address, None
    host, _, port = address.partition(":")
    return host, port


def _is_ip(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return "%" not in host


def _shown(value: Any) -> str:
    """Return a value for messages: cut to 80 characters, with users masked."""
    text = _USER.sub(f"{MASK}@", repr(value))
    return text if len(text) <= 80 else text[:77] + "..."
