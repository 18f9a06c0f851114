"""Numbers: what a problem is, how far floats may err, long sums, integrals, machine code."""
