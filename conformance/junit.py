"""The report as JUnit XML, one suite for each subject."""

from xml.etree import ElementTree

from .outcome import CONTRADICTIONS, FAIL, PASS, RECORDED


def as_junit(report):
    """Return the report as JUnit XML text."""
    root = ElementTree.Element("testsuites")
    for column in report.columns:
        root.append(_suite(report, column))
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _suite(report, column):
    failing = {result.id for result in column.failures()}
    counts = report.counts(column)
    settled = counts[PASS] + sum(counts[one] for one in RECORDED) + len(failing)
    unfailed = sum(counts.values()) - settled
    errors = sum(
        1 for id in failing if column.results[id].outcome not in (FAIL, "absent")
    )
    suite = ElementTree.Element(
        "testsuite",
        name=column.name,
        tests=str(len(column.results)),
        failures=str(len(failing) - errors),
        errors=str(errors),
        skipped=str(0 if column.reason else unfailed),
        time=f"{column.seconds:.3f}",
    )
    for statement in report.statements:
        if statement.id in column.results:
            result = column.results[statement.id]
            suite.append(_case(statement, result, column, result.id in failing))
    return suite


def _case(statement, result, column, failed):
    case = ElementTree.Element(
        "testcase",
        classname=f"{column.name}.{statement.api}",
        name=statement.id,
        time=f"{result.seconds:.6f}",
    )
    if failed or (column.reason and result.outcome in CONTRADICTIONS):
        tag = "failure" if result.outcome in (FAIL, "absent") else "error"
        node = ElementTree.SubElement(
            case, tag, type=result.outcome, message=_printable(result.message)
        )
        node.text = _printable("\n".join([statement.says] + result.trace))
    elif result.outcome in RECORDED:
        node = ElementTree.SubElement(case, "system-out")
        node.text = _printable(
            f"{result.outcome}: {result.message} ({result.evidence})"
        )
    elif result.outcome != PASS:
        ElementTree.SubElement(
            case, "skipped", message=f"{result.outcome}: {_printable(result.message)}"
        )
    return case


def _printable(text):
    """Return ``text`` without the characters that XML has no way to write."""
    return "".join(c for c in text if c in "\t\n" or c >= " ")
