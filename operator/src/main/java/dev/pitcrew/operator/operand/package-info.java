/// One file per operand: when it is wanted, what must be true before it can be rendered, and its
/// objects. Pure functions of the policy and the facts; [Operands] is the ordered list of all of
/// them.
@NullMarked
package dev.pitcrew.operator.operand;

import org.jspecify.annotations.NullMarked;
