package dev.pitcrew.agent.realnode;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/// See [WithGpuNode].
final class GpuNodeExtension implements ParameterResolver {
  private static final Namespace STORE = Namespace.create(GpuNodeExtension.class);

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == GpuNode.class;
  }

  /// Kept in the session's store, so that classes that run one after another share it.
  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return context
        .getStore(StoreScope.LAUNCHER_SESSION, STORE)
        .computeIfAbsent(GpuNode.class, _ -> GpuNode.boot(), GpuNode.class);
  }
}
