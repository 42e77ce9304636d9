"""Deliberately wrong variants of tpuref, each with the clause that must notice."""

from . import (
    bfloat16_and_cores,
    cross_replica_sum,
    families,
    held_out,
    outside_compilation,
    padding,
    replicas,
    replicate_inputs,
    replicate_outputs,
    resolver,
    shard,
    strategy,
    system,
    training_loops,
)

MUTANTS = (
    *replicate_inputs.MUTANTS,
    *replicate_outputs.MUTANTS,
    *padding.MUTANTS,
    *cross_replica_sum.MUTANTS,
    *shard.MUTANTS,
    *outside_compilation.MUTANTS,
    *bfloat16_and_cores.MUTANTS,
    *system.MUTANTS,
    *resolver.MUTANTS,
    *strategy.MUTANTS,
    *replicas.MUTANTS,
    *training_loops.MUTANTS,
    *families.MUTANTS,
    *held_out.MUTANTS,
)
