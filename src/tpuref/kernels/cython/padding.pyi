from tpuref.kernels.buffers import Buffer, Extents

def pad(
    source: Buffer,
    source_shape: Extents,
    destination: Buffer,
    destination_shape: Extents,
    item_bytes: int,
) -> int: ...
