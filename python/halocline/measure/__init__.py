"""Measure programs and schemes: result files, comparisons, benchmarks, soundness and choices."""
