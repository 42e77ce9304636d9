"""The source of a resolver's TPU: its argument or the environment."""

import json
import os
from dataclasses import dataclass
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded
from tpuref.base.masking import masked
from tpuref.interface.cluster_resolver import addresses

ENDPOINTS_VARIABLE = "KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS"
NAME_VARIABLE = "TPU_NAME"
CONFIG_VARIABLE = "TPU_CONFIG"
COLAB_VARIABLE = "COLAB_TPU_ADDR"


@dataclass(frozen=True)
class Master:
    """The address for a session, which is not the name of a Cloud TPU."""

    target: str


@dataclass(frozen=True)
class Endpoints:
    """The addresses that Kubernetes Engine sets in the environment."""

    addresses: tuple[str, ...]


@dataclass(frozen=True)
class Names:
    """Names of Cloud TPUs, and their location if the environment has it."""

    names: tuple[str, ...]
    project: str | None = None
    zone: str | None = None


Source = Master | Endpoints | Names


class Trace:
    """The sources that were tried, a line each, without passwords and tokens."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def note(self, line: str) -> None:
        """Add a line with secrets masked."""
        self.lines.append(masked(line))

    def __str__(self) -> str:
        return "\n  ".join(self.lines)


class Search:
    """A search for the requested TPU, which records the result of each source.

    `prefixes` are those of strings that are passed through as the session's master;
    `several` tells whether a list may contain several names.
    """

    def __init__(self, function: str, prefixes: tuple[str, ...], several: bool) -> None:
        self._function = function
        self._prefixes = prefixes
        self._several = several
        self.trace = Trace()

    def find(self, tpu: Any) -> Source:
        """Return the TPU of the argument, or else of the environment."""
        if isinstance(tpu, list):
            return self._from_list(tpu)
        if tpu is not None:
            return self._from_text("tpu", text_of(tpu, "tpu", self._function))
        self.trace.note("tpu: not given")
        # The documented order: Kubernetes Engine, then TPU_NAME, then TPU_CONFIG.
        source = self._from_endpoints() or self._from_name() or self._from_config()
        if source is None:
            self._mention_colab()
            raise ValueError(
                f"{self._function}: no TPU is specified. Tried in turn:\n  "
                f"{self.trace}\n"
                "Give tpu= the name of a Cloud TPU or 'grpc://host:port'; "
                "tpu='local', or TPU_NAME=local in the environment, is this computer "
                f"[{codes.TPU_NOT_SPECIFIED}]"
            )
        return source

    def _from_list(self, tpus: list[Any]) -> Source:
        if not tpus:
            raise codes.TPU_NOT_SPECIFIED.value_error(
                f"{self._function}: no TPU is specified: tpu is an empty list; give at "
                "least one name"
            )
        if len(tpus) == 1:
            return self.find(*tpus)
        if not self._several:
            raise coded(
                NotImplementedError,
                f"{self._function}: tpu is a list of {len(tpus)}, but only one TPU can "
                "be used; give one name (tf.contrib.cluster_resolver accepts several)",
                code=codes.TPU_NOT_SPECIFIED,
            )
        names = tuple(text_of(tpu, "tpu", self._function) for tpu in tpus)
        for name in names:
            if self._is_master(name):
                raise codes.TPU_NOT_SPECIFIED.value_error(
                    f"{self._function}: tpu lists {name!r}, which is not the name of a "
                    "Cloud TPU; pass such a string alone"
                )
        self.trace.note(f"tpu: {list(names)}, names of Cloud TPUs")
        return Names(names)

    def _from_text(self, source: str, text: str) -> Source:
        if self._is_master(text):
            self.trace.note(f"{source}: {text!r}, passed on as the session's master")
            return Master(text)
        self.trace.note(f"{source}: {text!r}, the name of a Cloud TPU")
        return Names((text,))

    def _is_master(self, text: str) -> bool:
        return text in ("", "local") or text.startswith(self._prefixes)

    def _from_endpoints(self) -> Source | None:
        text = self._variable(ENDPOINTS_VARIABLE)
        if text is None:
            return None
        hosts = tuple(addresses.endpoints(text, ENDPOINTS_VARIABLE))
        self.trace.note(f"{ENDPOINTS_VARIABLE}: {', '.join(hosts)}")
        return Endpoints(hosts)

    def _from_name(self) -> Source | None:
        text = self._variable(NAME_VARIABLE)
        return None if text is None else self._from_text(NAME_VARIABLE, text)

    def _from_config(self) -> Source | None:
        text = self._variable(CONFIG_VARIABLE)
        if text is None:
            return None
        entries = _json_object(text)
        name, project, zone = (
            _entry(entries, key) for key in ("tpu_node_name", "project", "zone")
        )
        if not name:
            self.trace.note(f"{CONFIG_VARIABLE}: set, but has no tpu_node_name")
            return None
        source = self._from_text(CONFIG_VARIABLE, name)
        if isinstance(source, Names):
            return Names(source.names, project, zone)
        return source

    def _variable(self, name: str) -> str | None:
        text = os.environ.get(name)
        if not text:
            self.trace.note(f"{name}: {'not set' if text is None else 'empty'}")
        return text or None

    def _mention_colab(self) -> None:
        address = os.environ.get(COLAB_VARIABLE)
        if address:
            self.trace.note(
                f"{COLAB_VARIABLE}: {address!r}, which is ignored; to connect to it "
                f"use tpu={addresses.GRPC + address!r}"
            )


def text_of(value: Any, argument: str, function: str) -> str:
    """Return text or bytes as text."""
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise codes.WRONG_ARGUMENT_TYPE.value_error(
                f"{function}: {argument} is {value!r}, which is not UTF-8"
            ) from None
    if not isinstance(value, str):
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            f"{function}: {argument} must be text, got {type(value).__name__} {value!r}"
        )
    return value


def _json_object(text: str) -> dict[str, Any]:
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise codes.INVALID_SETTING.value_error(
            f"{CONFIG_VARIABLE} is not JSON: {error}"
        ) from None
    if not isinstance(entries, dict):
        raise codes.INVALID_SETTING.value_error(
            f"{CONFIG_VARIABLE} must be a JSON object, got {type(entries).__name__}"
        )
    return entries


def _entry(entries: dict[str, Any], key: str) -> str | None:
    value = entries.get(key)
    if value is not None and not isinstance(value, str):
        raise codes.INVALID_SETTING.value_error(
            f"{CONFIG_VARIABLE}: {key} must be text, got {value!r}"
        )
    return value
