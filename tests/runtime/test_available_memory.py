"""How much memory can still be taken."""

from tpuref.engine.runtime import available_memory as module

MEBIBYTE = 1 << 20


def test_what_a_control_group_leaves(tmp_path):
    def left(**files):
        for name, content in files.items():
            (tmp_path / name.replace("__", ".")).write_text(f"{content}\n")
        return module._left_in(str(tmp_path)) / MEBIBYTE

    assert left(memory__max="max") == module.UNLIMITED / MEBIBYTE
    stat = f"anon 5\nactive_file {10 * MEBIBYTE}\ninactive_file {20 * MEBIBYTE}"
    used, most = 90 * MEBIBYTE, 100 * MEBIBYTE
    assert left(memory__max=most, memory__current=used, memory__stat=stat) == 40
    assert left(memory__current=190 * MEBIBYTE) == 0
    assert module._left_in(str(tmp_path / "none")) == module.UNLIMITED


def test_what_an_older_control_group_leaves(tmp_path):
    (tmp_path / "memory.limit_in_bytes").write_text(f"{100 * MEBIBYTE}\n")
    (tmp_path / "memory.usage_in_bytes").write_text(f"{90 * MEBIBYTE}\n")
    (tmp_path / "memory.stat").write_text(f"active_file {MEBIBYTE}\nrss 3\n")
    assert module._left_in(str(tmp_path)) == 11 * MEBIBYTE
    (tmp_path / "memory.limit_in_bytes").write_text("9223372036854771712\n")
    assert module._left_in(str(tmp_path)) == module.UNLIMITED
    assert 0 < module.available_bytes() < module.UNLIMITED
