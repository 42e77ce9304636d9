"""Several hosts that run one program: rendezvous, and the loss of a host."""
