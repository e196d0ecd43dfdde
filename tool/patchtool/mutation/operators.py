"""The mutation operators, one table: a name and the function that makes its edits.

The order is the order in which mutants of one place are listed, and decides which operator names
a mutant that two of them make.
"""

from __future__ import annotations

from collections.abc import Mapping

from patchtool.mutation import conditions, expressions, statements
from patchtool.mutation.syntax import Operator

OPERATORS: Mapping[str, Operator] = {
    "negated-condition": conditions.negated_condition,
    "forced-condition": conditions.forced_condition,
    "dropped-operand": conditions.dropped_operand,
    "swapped-logical": conditions.swapped_logical,
    "swapped-relational": conditions.swapped_relational,
    "removed-negation": conditions.removed_negation,
    "removed-else": conditions.removed_else,
    "removed-statement": statements.removed_statement,
    "removed-jump": statements.removed_jump,
    "removed-result": statements.removed_result,
    "removed-handler": statements.removed_handler,
    "removed-value": statements.removed_value,
    "emptied-iteration": statements.emptied_iteration,
    "reversed-iteration": statements.reversed_iteration,
    "swapped-arithmetic": expressions.swapped_arithmetic,
    "weakened-assignment": expressions.weakened_assignment,
    "changed-number": expressions.changed_number,
    "shifted-index": expressions.shifted_index,
    "changed-string": expressions.changed_string,
    "changed-literal": expressions.changed_literal,
    "changed-pattern": expressions.changed_pattern,
    "dropped-item": expressions.dropped_item,
    "swapped-name": expressions.swapped_name,
    "dropped-call": expressions.dropped_call,
    "removed-optional-chain": expressions.removed_optional_chain,
}
