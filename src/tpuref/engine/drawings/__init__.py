"""Drawings of meshes and placements.

The classes that are drawn are in higher layers, so this folder declares Protocols of
what it reads, and the classes pass themselves in.
"""
