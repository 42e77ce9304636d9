"""The HTML report in a real browser, without a network and without a mouse."""

import importlib.util
from pathlib import Path

import pytest
from tpuref_conformance.html import as_html
from tpuref_conformance.outcome import Result
from tpuref_conformance.report import Column, Report
from tpuref_conformance.reproduction import snippet
from tpuref_conformance.suite import load_clauses

spec = importlib.util.spec_from_file_location(
    "browser_of_tests", Path(__file__).with_name("browser.py")
)
driving = importlib.util.module_from_spec(spec)
spec.loader.exec_module(driving)

pytestmark = pytest.mark.skipif(
    driving.CHROMIUM is None or driving.DRIVER is None,
    reason="no chromium and chromedriver on the path "
    "(Debian: apt install chromium chromium-driver)",
)


def column(name, clauses, wrong):
    results = [
        Result(one.id, "fail", "<got> & lost", ["a.py:3 in f: x"])
        if one.id == wrong
        else Result(one.id, "pass")
        for one in clauses
    ]
    header = {"version": "1.0", "python": "3.11", "numpy": "2.0"}
    return Column(
        results,
        name=name,
        module="tpuref",
        strict=True,
        header=header,
        reason="",
        seconds=1.0,
        settings={},
        clauses=len(clauses),
    )


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    clauses = [one for one in load_clauses() if one.api.startswith("tf.tpu.")]
    by_id = {one.id: one for one in clauses}
    wrong = next(one.id for one in clauses if one.api == "tf.tpu.core")
    columns = [column("good", clauses, None), column("bad", clauses, wrong)]
    report = Report(clauses, columns)
    text = as_html(report, lambda id, column: snippet(by_id[id], column.module))
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(text, encoding="utf-8")
    return path.as_uri(), wrong, len(clauses)


@pytest.fixture(scope="module")
def browser():
    with driving.Browser() as opened:
        yield opened


SHOWN = """
return [...document.querySelectorAll('details')].filter(
  (one) => one.checkVisibility()).map(
  (one) => one.querySelector('summary').firstChild.textContent);
"""


def test_the_page_opens_with_what_is_contradicted(page, browser):
    url, wrong, total = page
    browser.open(url)
    assert browser.run(SHOWN) == [wrong]
    counter = browser.run("return document.getElementById('shown').textContent")
    assert counter == f"1 of {total} clauses"
    row = "return [...document.querySelectorAll('tbody tr')].find((row) => "
    row += "row.textContent.startsWith('tf.tpu.core')).lastChild"
    assert browser.run(f"{row}.className") == "fail"
    assert "1 fail" in browser.run(f"{row}.title")


def test_the_keyboard_filters_expands_and_shows_the_reproduction(page, browser):
    url, wrong, _ = page
    browser.open(url)
    browser.press("/")
    focus = "return document.activeElement.id"
    assert browser.run(focus) == "words"
    browser.press(*"no such words")
    assert browser.run(SHOWN) == []
    browser.press("Escape")
    assert browser.run(SHOWN) == [wrong]
    browser.press("Tab", "Tab", "Tab", "Tab")
    assert browser.run("return document.activeElement.tagName") == "SUMMARY"
    browser.press("Enter")
    opened = "return document.querySelector('details[open]')"
    assert browser.run(f"{opened}.checkVisibility()")
    code = browser.run(f"{opened}.querySelector('pre').innerText")
    assert f"# {wrong}" in code and "import tpuref as tf" in code
    compile(code, "reproduction", "exec")
    assert "<got> & lost" in browser.run(f"{opened}.innerText")


def test_a_name_of_the_table_chooses_its_clauses(page, browser):
    url, _, _ = page
    browser.open(url)
    browser.run(
        "[...document.querySelectorAll('td button')].find("
        "(one) => one.textContent === 'tf.tpu.shard').focus()"
    )
    browser.press("Enter")
    shown = browser.run(SHOWN)
    assert shown and all(id.startswith("tf.tpu.shard/") for id in shown)


def test_the_outcome_and_the_document_are_filters(page, browser):
    url, wrong, total = page
    browser.open(url)
    choose = (
        "const box = document.getElementById('{}'); box.value = '{}';"
        "box.dispatchEvent(new Event('input', {{bubbles: true}}));"
    )
    browser.run(choose.format("outcome", "pass"))
    assert len(browser.run(SHOWN)) == total
    browser.run(choose.format("outcome", "fail"))
    assert browser.run(SHOWN) == [wrong]
    browser.run(choose.format("document", "003_0632b6613bf28dbc.txt"))
    assert browser.run(SHOWN) == []
    browser.run(choose.format("document", ""))
    browser.run(choose.format("outcome", ""))
    counts = {}
    for source in ("document", "release"):
        browser.run(choose.format("source", source))
        counts[source] = len(browser.run(SHOWN))
    assert sum(counts.values()) == total and min(counts.values()) > 0


def test_nothing_is_fetched(page, browser):
    url, _, _ = page
    browser.open(url)
    entries = "return performance.getEntriesByType('resource').map((one) => one.name)"
    assert browser.run(entries) == []
