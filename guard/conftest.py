"""Puts `guard/` on the import path, so that guards share the streams in `tool_call_shapes`."""
