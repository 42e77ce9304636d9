"""Lists of mutants: files of ``lists/``, each with a kind of slips or a part of tpuref.

An entry has a name and what is wrong; the target, with the clauses that must notice, on
the same line if it fits; the pattern in it; and what replaces it (see ``Mutant``)::

    always-from-all-shards: outputs_from_all_shards=False changes nothing
      @ _choices = tf.tpu.shard/name/outputs-from-all-shards-false
      [from_all] => [True]

Longer ones stand on lines of their own, each line with ``-`` or ``+`` before it. An
entry of a list that is measured has ``?`` for the clauses: any may notice.
"""

import pathlib
import re

from .mutant import Mutant

DIRECTORY = pathlib.Path(__file__).with_name("lists")
_ENTRY = re.compile(
    r"([\w-]+): (.+?)(?:\n  | )@ (\S+) = (.+)\n"
    r"(?:  (.+) => (.+)\n|((?:  - .+\n)+)((?:  \+ .+\n)+))"
)


def read_list(path):
    """Return the mutants of a file."""
    lines = path.read_text("utf-8").splitlines(keepends=True)
    entries = []
    for line in lines:
        if line[0] == " " and entries:
            entries[-1] += line
        elif line[0] not in "#\n":
            entries.append(line)
    return [_mutant(path, entry) for entry in entries]


def _mutant(path, entry):
    match = _ENTRY.fullmatch(entry)
    if match is None:
        raise ValueError(f"{path}: not an entry of a list of mutants: {entry!r}")
    name, says, target, clauses, *short, was, becomes = match.groups()
    if was is not None:
        short = [
            "\n".join(one[4:] for one in text.splitlines()) for text in (was, becomes)
        ]
    return Mutant(name, says, clauses.replace("?", "").split(), target, *short)
