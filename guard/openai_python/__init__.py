"""The guard of the fix `openai-python-tool-calls`: what a streamed turn must give its reader."""
