"""Files here and elsewhere, and the format of records in them."""
