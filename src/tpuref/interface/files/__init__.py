"""Files, local or not, and the format of records in them."""
