"""What changed between two reports."""

from .outcome import OUTCOMES


def differences(old, new):
    """Return one line for each clause and subject whose outcome changed."""
    lines = []
    for name in _names(old, new):
        before, after = _outcomes(old, name), _outcomes(new, name)
        if before is None or after is None:
            where = "new" if before is None else "old"
            lines.append(f"{name}: only in the {where} report")
            continue
        for id in dict.fromkeys([*before, *after]):
            was, now = before.get(id, "not there"), after.get(id, "not there")
            if was != now:
                lines.append(f"{name}: {id}: {was} -> {now}")
    return lines


def summary(old, new):
    """Return one line for each subject of both with the counts that changed."""
    lines = []
    for column in new.columns:
        was = [c for c in old.columns if c.name == column.name]
        if was:
            before, after = old.counts(was[0]), new.counts(column)
            changed = [
                f"{one} {before[one]} -> {after[one]}"
                for one in OUTCOMES
                if before[one] != after[one]
            ]
            lines.append(f"{column.name}: {', '.join(changed) or 'the same counts'}")
    return lines


def _names(old, new):
    return list(dict.fromkeys(c.name for c in old.columns + new.columns))


def _outcomes(report, name):
    for column in report.columns:
        if column.name == name:
            return {id: result.outcome for id, result in column.results.items()}
    return None
