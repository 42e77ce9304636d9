"""How much memory can still be taken."""

from __future__ import annotations

from pathlib import Path

import pytest

from tpuref.engine.runtime import available_memory as module

MEBIBYTE = 1 << 20


def test_what_a_control_group_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "memory.max").write_text("max\n")
    assert module._left_in(str(tmp_path)) == module.UNLIMITED
    (tmp_path / "memory.max").write_text(f"{100 * MEBIBYTE}\n")
    (tmp_path / "memory.current").write_text(f"{90 * MEBIBYTE}\n")
    (tmp_path / "memory.stat").write_text(
        f"anon 5\nactive_file {10 * MEBIBYTE}\ninactive_file {20 * MEBIBYTE}\n"
    )
    assert module._left_in(str(tmp_path)) == 40 * MEBIBYTE
    (tmp_path / "memory.current").write_text(f"{190 * MEBIBYTE}\n")
    assert module._left_in(str(tmp_path)) == 0
    assert module._left_in(str(tmp_path / "none")) == module.UNLIMITED


def test_what_an_older_control_group_leaves(tmp_path: Path) -> None:
    (tmp_path / "memory.limit_in_bytes").write_text(f"{100 * MEBIBYTE}\n")
    (tmp_path / "memory.usage_in_bytes").write_text(f"{90 * MEBIBYTE}\n")
    (tmp_path / "memory.stat").write_text(f"active_file {MEBIBYTE}\nrss 3\n")
    assert module._left_in(str(tmp_path)) == 11 * MEBIBYTE
    (tmp_path / "memory.limit_in_bytes").write_text("9223372036854771712\n")
    assert module._left_in(str(tmp_path)) == module.UNLIMITED


def test_memory_can_be_had_here() -> None:
    assert 0 < module.available_bytes() < module.UNLIMITED
