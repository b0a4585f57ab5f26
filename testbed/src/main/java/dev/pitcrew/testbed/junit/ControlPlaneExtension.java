package dev.pitcrew.testbed.junit;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.controlplane.ControlPlaneOptions;
import dev.pitcrew.testbed.nodes.PodsOnNodes;
import dev.pitcrew.testbed.nodes.SimulatedNodes;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Set;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/// Starts the control plane at the first test that needs it and closes it after the last test of
/// the run. See [WithControlPlane].
public final class ControlPlaneExtension
    implements ParameterResolver,
        BeforeAllCallback,
        BeforeEachCallback,
        AfterEachCallback,
        AfterAllCallback {
  private static final Namespace STORE = Namespace.create(ControlPlaneExtension.class);
  private static final Set<Class<?>> PARAMETERS =
      Set.of(ControlPlane.class, KubernetesClient.class, TestNamespace.class, SimulatedNodes.class);

  @Override
  public void beforeAll(ExtensionContext context) {
    remember(context);
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    if (!isSharedByTests(context)) {
      remember(context);
    }
  }

  @Override
  public void afterEach(ExtensionContext context) {
    deleteLeftovers(context);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    deleteLeftovers(context);
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return PARAMETERS.contains(parameter.getParameter().getType());
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    var controlPlane = controlPlane(context);
    var type = parameter.getParameter().getType();
    if (type == ControlPlane.class) {
      return controlPlane;
    }
    if (type == KubernetesClient.class) {
      return controlPlane.client();
    }
    return type == TestNamespace.class
        ? namespace(context, controlPlane.client())
        : simulatedNodes(context, controlPlane);
  }

  private static TestNamespace namespace(ExtensionContext context, KubernetesClient client) {
    return context
        .getStore(STORE)
        .computeIfAbsent(
            TestNamespace.class, _ -> TestNamespace.create(client), TestNamespace.class);
  }

  private static SimulatedNodes simulatedNodes(ExtensionContext context, ControlPlane plane) {
    return context
        .getStore(STORE)
        .computeIfAbsent(
            SimulatedNodes.class,
            _ -> SimulatedNodes.start(plane, PodsOnNodes.START),
            SimulatedNodes.class);
  }

  /// Where tests share their instance, what one leaves is the class's to undo: a controller of the
  /// class may own it and would write it again.
  private static boolean isSharedByTests(ExtensionContext context) {
    return context.getTestInstanceLifecycle().filter(Lifecycle.PER_CLASS::equals).isPresent();
  }

  private static void remember(ExtensionContext context) {
    var before = ClusterContents.of(controlPlane(context).client());
    context.getStore(STORE).put(ClusterContents.class, before);
  }

  private static void deleteLeftovers(ExtensionContext context) {
    var before = context.getStore(STORE).remove(ClusterContents.class, ClusterContents.class);
    if (before != null) {
      ClusterContents.of(controlPlane(context).client()).deleteAllBut(before);
    }
  }

  /// Kept in the session's store, so that classes that run one after another share it.
  private static ControlPlane controlPlane(ExtensionContext context) {
    return context
        .getStore(StoreScope.LAUNCHER_SESSION, STORE)
        .computeIfAbsent(
            ControlPlane.class,
            _ -> ControlPlane.start(ControlPlaneOptions.defaults()),
            ControlPlane.class);
  }
}
