"""Judges the patch engine on patches and trees that nobody of this project made.

`python -m benchmarks.corpus` takes Debian's patch series, the steps between published releases,
and patches that ship inside packages, and compares patchtool with git, GNU patch and patch-package.
"""
