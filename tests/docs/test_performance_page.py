"""The page of figures shows the plots that `tpuref bench` has drawn, and needs none."""

TABLES = "<!-- end step -->\n\ntext\n\n<!-- end start -->\n"


def test_a_plot_goes_below_its_table(hooks, written, monkeypatch, tmp_path):
    monkeypatch.setattr(hooks, "PLOTS", tmp_path)
    assert "![" not in written("performance.md", TABLES)
    (tmp_path / "start.svg").touch()
    page = written("performance.md", TABLES)
    assert page.count("![") == 1
    assert "![Plot: start](performance/start.svg)" in page.partition("text")[2]
