"""The mutants of cosmic-ray that no clause notices, each of them judged.

``survivors/`` has a file for each package. A heading ``## module`` is followed by
reasons, ``### reason``, and under each of them by the changes that it excuses::

    - `the line`
      `what it becomes`
"""

import os

DIRECTORY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "survivors")


def judged(directory=DIRECTORY):
    """Return a dict from (module, line, changed line) to the reason.

    Parameters
    ----------
    directory : str, optional
    """
    reasons = {}
    for name in sorted(os.listdir(directory)) if os.path.isdir(directory) else ():
        with open(os.path.join(directory, name), encoding="utf-8") as file:
            for change, reason in _read(file, name):
                if change in reasons:
                    raise ValueError(f"{name}: judged twice: {change}")
                reasons[change] = reason
    return reasons


def _read(lines, name):
    module = reason = before = None
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if text.startswith("## "):
            module, reason, before = text[3:], None, None
        elif text.startswith("### "):
            reason = text[4:]
        elif text.startswith("- `") and text.endswith("`"):
            before = text[3:-1]
        elif text.startswith("`") and text.endswith("`"):
            if None in (module, reason, before):
                raise ValueError(f"{name}:{number}: a change without line or reason")
            yield (module, before, text[1:-1]), reason
