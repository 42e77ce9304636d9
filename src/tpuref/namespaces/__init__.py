"""The dotted names of ``tf`` that gather functions from several modules."""
