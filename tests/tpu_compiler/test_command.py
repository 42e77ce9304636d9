"""The command ``tpuref compile``."""

import json
from html import escape
from pathlib import Path

import pytest

from tpuref.tools.tpu_compiler.text import size

from ..pythons import python

PROGRAMS = Path(__file__).with_name("programs.py")


def command(*words):
    """Return the exit status and what the command prints."""
    ended = python("-m", "tpuref", "compile", *words)
    return ended.returncode, ended.stdout, ended.stderr


def test_report_of_a_training_step(tmp_path, compiler):
    file, page = tmp_path / "report.json", tmp_path / "report.html"
    words = ("--steps", "3", "--json", file, "--html", page)
    status, said, error = command("--for", "v3-8,v5e-4", *words, PROGRAMS, "train")
    assert status == 0
    assert error.count("step") == 3 * 2  # once for 8 cores and once for 4
    assert said.count("compiles and fits") == 2
    report = json.loads(file.read_text())
    cores = [(target["target"], target["cores"]) for target in report["targets"]]
    assert cores == [("v3-8", 8), ("v5e-4", 4)]
    drawn = page.read_text()
    assert drawn.count("<svg") == drawn.count("</svg>")
    for target in report["targets"]:
        (program,) = target["programs"]
        assert f"of {size(program['hbm']['capacity'])}" in drawn
        tiles = program["padding"][0]
        assert f"{escape(tiles['shape'])}: {size(tiles['own_bytes'])} take" in drawn
        assert program["compiles"]
        assert program["fits"]
        assert "in shard: outputs = tf.tpu.shard(step, [x, y]" in program["site"]
        hbm = program["hbm"]
        used = hbm["arguments"] + hbm["outputs"] - hbm["shared"] + hbm["temporaries"]
        assert hbm["peak"] == used
        assert hbm["weights"] == hbm["slots"] > 0
        assert hbm["weights"] + hbm["slots"] + hbm["inputs"] == hbm["arguments"]
        assert program["flops"] > 2 * 2 * 4 * 16 * 3
        assert program["bytes"] > 0
        assert program["estimated_seconds"] > 0
        assert program["calls_per_step"] == 1
        kinds = {t["kind"]: t["from_host"] for t in program["host_transfers"]}
        assert kinds == {"feeds": 4 * 4 * (16 + 3), "fetches": 0}
        # The guide to performance: 8 by 128 tiles. A width of 3 takes 128 or 8 columns.
        (weights,) = (p for p in program["padding"] if p["op"] == "layer/w")
        assert weights["own_bytes"] == 4 * 16 * 3
        assert weights["bytes"] > 2 * weights["own_bytes"]
        assert "a size of 3 is padded to" in weights["advice"]
        assert any("in train: loss =" in one["site"] for one in program["products"])


def test_a_program_that_needs_more_memory_than_a_v2_core_has(tmp_path, compiler):
    file, words = tmp_path / "report.json", ("--no-run", "--json")
    status, said, error = command(
        "--for", "v2-8,v5p-16", *words, file, PROGRAMS, "large", "--size=32768"
    )
    assert (status, "step" in error) == (1, False)
    assert "exceeds available HBM (7.48G)" in said
    small, large = (t["programs"][0] for t in json.loads(file.read_text())["targets"])
    assert (small["compiles"], small["fits"]) == (False, False)
    assert small["hbm"]["peak"] > small["hbm"]["capacity"]
    assert "in large: " in small["message_site"]
    assert (large["compiles"], large["fits"]) == (True, True)


def test_sizes_that_depend_on_data_are_refused_with_their_line(compiler):
    status, said, _ = command("--for", "v3-8", PROGRAMS, "masked")
    assert status == 1
    assert "does not compile" in said
    assert "in masked: return tf.reduce_sum(tf.boolean_mask" in said


def test_sweep_over_a_flag(tmp_path, compiler):
    file, words = tmp_path / "report.json", ("--sweep", "size=16,512")
    status, said, _ = command(
        "--for", "v3-8", *words, "--json", file, PROGRAMS, "train", "--size", "5"
    )
    assert status == 0
    head, *rows = said.splitlines()
    assert head.split()[:4] == ["--size", "target", "program", "verdict"]
    assert [row.split()[0] for row in rows] == ["16", "512"]
    small, large = (
        one["targets"][0]["programs"][0]
        for one in json.loads(file.read_text())["sweep"]
    )
    assert large["hbm"]["peak"] > small["hbm"]["peak"]
    assert small["examples"] == 32


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (("--for", "v9-8", PROGRAMS), 2, "the targets are v2-8, v2-32, v3-8"),
        (("--for", "v3-7", PROGRAMS), 2, "TPU v3 comes as v3-8, v3-32"),
        (("--for", "v3-8", "no.py"), 2, "there is no file 'no.py'"),
        (("--for", "v3-8", "--steps", "0", PROGRAMS), 2, "--steps must be at least 1"),
        (("--for", "v3-8", "--sweep", "size", PROGRAMS), 2, "and values, got 'size'"),
        (("--for", "v3-8", PROGRAMS, "nothing"), 1, "4 operations (2 Const, 1 Fill"),
    ],
)
def test_wrong_calls(words, status, message, compiler):
    found, said, error = command(*words)
    assert (found, said) == (status, "")
    assert message in error


def test_a_missing_compiler_is_one_clear_error(monkeypatch, capsys):
    from importlib import metadata

    from tpuref.tools.cli import main

    def version(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", version)
    assert main(["compile", "--for", "v3-8", str(PROGRAMS), "train"]) == 2
    assert "pip install 'tpuref[tpu]'" in capsys.readouterr().err
