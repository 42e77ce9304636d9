"""Every small change that cosmic-ray makes to tpuref, held against the suite."""
