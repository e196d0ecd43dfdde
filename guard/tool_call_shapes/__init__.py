"""Streamed tool calls as data, for the guards: what gateways send, and what they meant by it.

Owns the streams and their truth. Knows no client, no provider and no release.
"""
