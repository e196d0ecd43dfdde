"""Mutation testing of exactly the lines a patch adds.

`generator` makes mutants, `acceptance` matches them with those accepted by name, and `analysis`
has each judged. Nothing here runs a guard: the judge is handed in.
"""
