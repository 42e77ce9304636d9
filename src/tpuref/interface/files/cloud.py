"""The names under ``tf.contrib.cloud``."""

import json
from collections.abc import Mapping
from typing import Any

from tpuref.base.extras import optional_module


def configure_gcs(
    session: Any,
    credentials: str | Mapping[str, Any] | None = None,
    block_cache: Any = None,
    device: Any = None,
) -> None:
    """Let paths ``gs://`` be opened with credentials, from then on.

    The credentials are a JSON text or a mapping, as `google.auth` writes it.  It raises
    ImportError if fsspec is not installed.
    """
    settings = optional_module(
        "fsspec.config", "tf.contrib.cloud.configure_gcs", "tpuref[cloud]"
    )
    if credentials is not None:
        token = json.loads(credentials) if isinstance(credentials, str) else credentials
        settings.conf.setdefault("gcs", {})["token"] = dict(token)
