"""Distribution strategies."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.OUTSIDE_SCOPE,
        "A method of a strategy is used outside its scope",
        meaning="The method works on values and variables of the strategy, so it must "
        "be called in the strategy's scope.",
        remedy="Call it within `with strategy.scope():`.",
        document="001_66db0865fe92828f.txt",
    ),
    Entry(
        codes.IN_TOWER_CONTEXT,
        "A method for all towers is called in one of them",
        meaning="reduce, broadcast, update and others work on the values of all "
        "towers at once, which a single tower does not have.",
        remedy="Use tf.get_tower_context().merge_call(merge_fn, value) and call the "
        "method in merge_fn(strategy, value).",
        document="001_66db0865fe92828f.txt",
    ),
    Entry(
        codes.NOT_REDUCIBLE,
        "This value cannot be reduced over the towers",
        meaning="reduce takes one component per tower, numbers of one dtype and "
        "shape, as call_for_each_tower returns them. A mirrored or plain value is the "
        "same everywhere and needs no reduction.",
        remedy="Return the value from the function that call_for_each_tower runs. "
        "strategy.unwrap(value)[0] is the value of a mirrored one.",
        document="001_66db0865fe92828f.txt",
    ),
    Entry(
        codes.PER_DEVICE_AS_TENSOR,
        "A per-device value is used as if it were one tensor",
        meaning="It has one component per tower, and these may differ.",
        remedy="Combine it with strategy.reduce, list its components with "
        "strategy.unwrap, or pass it to call_for_each_tower.",
        document="001_66db0865fe92828f.txt",
    ),
    Entry(
        codes.NO_AGGREGATION,
        "No valid aggregation says how to combine the values of the towers",
        meaning="A variable is assigned in towers, or read outside them, but has no "
        "aggregation; or a value is none of the aggregations or synchronizations that "
        "are supported here.",
        remedy="Use aggregation=tf.VariableAggregation.SUM, MEAN or ONLY_FIRST_TOWER, "
        "or combine the values first with strategy.reduce.",
        document="001_66db0865fe92828f.txt",
        replaces="E089",
    ),
)
