"""The guard of the fix `streamed-tool-calls`: what a turn must give, whatever its labels are."""
