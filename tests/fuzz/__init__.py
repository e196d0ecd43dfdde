"""Fuzz targets for everything that reads foreign bytes, and the engine against other patch tools.

`python -m tests.fuzz --seconds 60` runs them all and says how often each was executed.
"""
