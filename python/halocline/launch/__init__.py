"""Start programs under their MPI, and know the machine that they run on and what disturbs them."""
