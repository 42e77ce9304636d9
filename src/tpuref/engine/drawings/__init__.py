"""Drawings and tables of meshes, placements and graphs.

Their classes lie above this folder, and hand themselves over.  What a drawing reads of
them is a Protocol here.
"""
