"""Masking of passwords and tokens in addresses, headers and messages."""

import re

MASK = "***"

_USER = re.compile(r"(?<=://)[^/\s,?#'\"]*@")
_PARAMETER = re.compile(
    r"(?<=[?&])([\w.-]*(?:token|key|password|passwd|secret|signature|sig)=)[^&#\s'\"]*",
    re.IGNORECASE,
)
_HEADER = re.compile(r"\b([Aa]uthorization: \w+|Bearer) [\w.~+/=-]+")


def masked(text: str) -> str:
    """Return a text with ``***`` instead of tokens and the users of URLs.

    >>> masked("no answer from http://me:secret@host/?access_token=secret")
    'no answer from http://***@host/?access_token=***'
    """
    text = _USER.sub(f"{MASK}@", text)
    text = _PARAMETER.sub(rf"\1{MASK}", text)
    return _HEADER.sub(rf"\1 {MASK}", text)


def shown_cause(error: Exception) -> Exception | None:
    """Return an error as a cause, or None if its traceback would show secrets.

    >>> shown_cause(ValueError("http://host/")), shown_cause(ValueError("ftp://a:b@c"))
    (ValueError('http://host/'), None)
    """
    return error if masked(str(error)) == str(error) else None
