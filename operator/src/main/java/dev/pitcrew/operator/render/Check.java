package dev.pitcrew.operator.render;

import java.util.List;
import java.util.Optional;

/// A question that is asked before anything is rendered; an answer stops that operand and leaves
/// what runs alone.
@FunctionalInterface
public interface Check {
  Optional<Problem> problem(RenderContext context);

  /// The first problem of a chain, in its order.
  static Optional<Problem> first(List<Check> chain, RenderContext context) {
    return chain.stream().flatMap(check -> check.problem(context).stream()).findFirst();
  }
}
