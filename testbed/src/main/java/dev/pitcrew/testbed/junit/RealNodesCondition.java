package dev.pitcrew.testbed.junit;

import dev.pitcrew.testbed.binaries.Progress;
import dev.pitcrew.testbed.node.NodeSupport;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;

/// Looks at the machine once in a run. See [NeedsRealNodes].
public final class RealNodesCondition implements ExecutionCondition {
  private static final Namespace STORE = Namespace.create(RealNodesCondition.class);

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    var support =
        context
            .getStore(StoreScope.LAUNCHER_SESSION, STORE)
            .computeIfAbsent(
                NodeSupport.class,
                _ -> NodeSupport.ofThisMachine(Progress.standardError()),
                NodeSupport.class);
    return support.isAvailable()
        ? ConditionEvaluationResult.enabled(support.explanation())
        : ConditionEvaluationResult.disabled(support.explanation());
  }
}
