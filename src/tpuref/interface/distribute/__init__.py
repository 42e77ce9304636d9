"""Distribution strategies: one program for several towers, or replicas.

See 001_66db0865fe92828f.txt; the names of TensorFlow 2 are in `replicas`.
"""
