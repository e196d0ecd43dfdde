"""Measures patchtool beside the tools that do comparable work: `python -m benchmarks`."""
