from tpuref.kernels.buffers import Buffer

def take_shard(
    source: Buffer,
    destination: Buffer,
    outer: int,
    run_bytes: int,
    num_shards: int,
    shard: int,
) -> int: ...
def put_shard(
    source: Buffer,
    destination: Buffer,
    outer: int,
    run_bytes: int,
    num_shards: int,
    shard: int,
) -> int: ...
