"""patchtool keeps fixes to other people's packages, and says when they can go."""

__version__ = "0.1.0"
