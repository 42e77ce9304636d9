"""The Cloud TPU API, through Google's client or an object instead of it."""

import importlib
import json
import logging
import re
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded
from tpuref.base.extras import install_line
from tpuref.base.masking import masked, shown_cause
from tpuref.interface.cluster_resolver.api_errors import (
    has_status,
    is_connection_error,
    is_own,
    is_transient,
    refusal,
    unknown,
)
from tpuref.interface.cluster_resolver.patience import Budget, Patience

API, VERSION = "tpu", "v1"
HOST = "tpu.googleapis.com"
SCOPES = ("https://www.googleapis.com/auth/cloud-platform",)

_LONGEST_ATTEMPT = 10.0
_NO_DEFAULT = "DefaultCredentialsError"
_UNFIT = re.compile(r"[\x00-\x20\x7f?#%]")


class CloudAPI:
    """A client of the Cloud TPU API that looks up TPUs by name.

    The parameters are those of `TPUClusterResolver`.  Without a `service`, Google's
    client builds one at the first request.
    """

    def __init__(
        self,
        service: Any,
        credentials: Any,
        discovery_url: str | None,
        patience: Patience,
    ) -> None:
        self._passed_service = service
        self._credentials = credentials
        self._discovery_url = discovery_url
        self._patience = patience
        self._built: Any = None
        self._last_uri = ""
        if service is None:
            client_module("googleapiclient.discovery")
            client_module("google.auth")

    def describe(self) -> str:
        """Return a description of the service."""
        if self._passed_service is not None:
            return f"the given service {type(self._passed_service).__name__}"
        default = self._credentials is None or self._credentials == "default"
        return (
            f"{self._host()}, with {'default' if default else 'the given'} credentials"
        )

    def budget(self) -> Budget:
        """Return the time budget for the requests of one call."""
        return Budget(self._patience.api, self._patience.clock)

    def node(self, path: str, name: str, budget: Budget) -> Any:
        """Request the description of the TPU at ``projects/...``."""
        if _UNFIT.search(path):
            raise unknown(path, name, "a TPU name cannot contain these characters")
        try:
            return budget.ask(
                f"TPU {name!r}",
                self._host,
                lambda: self._attempt(path, name),
                self._may_retry,
                _LONGEST_ATTEMPT,
            )
        except Exception as error:
            if is_own(error):
                raise
            raise refusal(path, name, self.describe(), error) from shown_cause(error)

    def _attempt(self, path: str, name: str) -> Any:
        service = self._service()
        try:
            request = _request(service, path, name)
            address = getattr(request, "uri", "")
            self._last_uri = address if isinstance(address, str) else ""
            return request.execute()
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise codes.SERVER_UNREACHABLE.runtime_error(
                f"TPU {name!r}: the answer of {self._host()} is malformed: it is not "
                f"JSON: {error}"
            ) from error
        finally:
            if service is not self._passed_service and hasattr(service, "close"):
                service.close()

    def _service(self) -> Any:
        if self._passed_service is not None:
            return self._passed_service
        if self._built is None:
            self._built = self._build()
        return self._built

    def _build(self) -> Any:
        options: dict[str, Any] = {"cache_discovery": False, "num_retries": 0}
        options["credentials"] = self._credentials_object()
        # This library logs a warning about timeouts with each request for a token.
        logging.getLogger("google_auth_httplib2").setLevel(logging.ERROR)
        if self._discovery_url:
            options["discoveryServiceUrl"] = self._discovery_url
        discovery = client_module("googleapiclient.discovery")
        try:
            return discovery.build(API, VERSION, **options)
        except Exception as error:
            if has_status(error) or is_connection_error(error):
                raise
            raise codes.SERVER_UNREACHABLE.runtime_error(
                f"{self._host()} does not describe the Cloud TPU API {VERSION}: "
                f"{type(error).__name__}: {masked(str(error))}; check discovery_url "
                "and TPU_API_DISCOVERY_URL"
            ) from shown_cause(error)

    def _credentials_object(self) -> Any:
        if not (self._credentials is None or self._credentials == "default"):
            return self._credentials
        auth = client_module("google.auth")
        try:
            credentials, _ = auth.default(scopes=SCOPES)
        except Exception as error:
            if is_connection_error(error):
                raise
            kind = type(error).__name__
            reason = str(error) if kind == _NO_DEFAULT else f"{kind}: {error}"
            raise codes.TPU_ACCESS_DENIED.runtime_error(
                f"there are no default credentials for {self._host()}: "
                f"{masked(reason)}; pass credentials= or service="
            ) from shown_cause(error)
        return credentials

    def _may_retry(self, error: Exception) -> bool:
        """Return whether another attempt may succeed."""
        if self._passed_service is None and isinstance(error, TimeoutError):
            self._built = None  # an abandoned attempt may still be using it
        return is_transient(error)

    def _host(self) -> str:
        """Return the host of the last request, or the expected one."""
        if self._last_uri:
            return _netloc(self._last_uri)
        if self._passed_service is not None:
            return "the given service"
        if self._discovery_url:
            return _netloc(self._discovery_url) or masked(self._discovery_url)
        return HOST


def _netloc(url: str) -> str:
    """Return host and port of a URL, without the user."""
    return urlsplit(url).netloc.rpartition("@")[2]


def _request(service: Any, path: str, name: str) -> Any:
    try:
        return service.projects().locations().nodes().get(name=path)
    except TypeError as error:  # Google's client raises it for an invalid name
        raise unknown(path, name, str(error)) from shown_cause(error)
    except AttributeError as error:
        raise codes.SERVER_UNREACHABLE.runtime_error(
            "the service does not answer projects().locations().nodes().get(name=): "
            f"{error}"
        ) from error


def client_module(name: str) -> ModuleType:
    """Return a module of Google's client; ImportError says how to install it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise coded(
            ImportError,
            f"TPUClusterResolver: finding a TPU by name needs {name}; "
            f"{install_line('tpuref[cloud]')}, or pass service=, or an address "
            "tpu='grpc://host:port', or tpu='local' for this computer",
            code=codes.NOT_INSTALLED,
        ) from error
