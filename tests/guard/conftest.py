"""Puts guard/ on the path, as a guard's own run does."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "guard"))
