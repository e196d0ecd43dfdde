"""The only printing: results and problems as text and as JSON. Decides nothing."""
