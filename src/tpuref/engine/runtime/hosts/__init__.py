"""Several machines that run one program: how they meet, what happens if one dies."""
