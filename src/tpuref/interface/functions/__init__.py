"""The public functions, by family.

The argument `name`, which most of them take, names the operation in the graph.  The
default is the operation's type, made unique: ``Add``, ``Add_1``, ...
"""
