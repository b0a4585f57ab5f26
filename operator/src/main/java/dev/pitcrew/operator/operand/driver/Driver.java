package dev.pitcrew.operator.operand.driver;

import static dev.pitcrew.operator.render.Identity.READ_CLUSTER_VERSION;
import static dev.pitcrew.operator.render.Identity.rule;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.operator.cluster.OpenShift;
import dev.pitcrew.operator.render.Check;
import dev.pitcrew.operator.render.Identity;
import dev.pitcrew.operator.render.OpenShiftConstraint;
import dev.pitcrew.operator.render.Operand;
import dev.pitcrew.operator.render.RenderContext;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The driver of the ClusterPolicy, on every GPU node.
public final class Driver implements Operand {
  private static final Identity IDENTITY = identity(DriverShape.ACCOUNT);

  /// What the pods of a driver may do; its driver manager evicts the pods that use GPUs.
  static Identity identity(String name) {
    return Identity.named(name)
        .mayInCluster(
            READ_CLUSTER_VERSION,
            rule("", "nodes", "get", "list", "patch", "update", "watch"),
            rule("", "pods", "get", "list", "watch"),
            rule("", "pods/eviction", "create"),
            rule("resource.k8s.io", "resourceclaims", "get", "list"),
            rule("apps", "daemonsets", "get"));
  }

  @Override
  public String state() {
    return "state-driver";
  }

  @Override
  public String daemonSetName() {
    return DriverShape.NAME;
  }

  @Override
  public boolean isEnabled(ClusterPolicySpec spec) {
    return spec.driver().isEnabled() && !spec.driver().isLeftToNvidiaDrivers();
  }

  @Override
  public boolean isHandedOver(ClusterPolicySpec spec) {
    return spec.driver().isLeftToNvidiaDrivers();
  }

  @Override
  public List<Check> checks() {
    return DriverChecks.ALL;
  }

  @Override
  public List<HasMetadata> resources(RenderContext context) {
    String namespace = context.namespace();
    var objects = new ArrayList<>(IDENTITY.objects(namespace));
    objects.add(
        DriverShape.probeScript(
            Map.of("app", DriverShape.NAME, DriverShape.COMPONENT_LABEL, DriverShape.COMPONENT),
            namespace));
    if (context.facts().isOpenShift()) {
      objects.add(OpenShiftConstraint.named(DriverShape.ACCOUNT).withHostPid().object(namespace));
    }
    if (context.facts().openShift().flatMap(OpenShift::trustedCa).isPresent()) {
      objects.add(OpenShiftSettings.trustedCa(namespace));
    }
    return objects;
  }

  @Override
  public List<DaemonSet> daemonSets(RenderContext context) {
    DriverSettings settings = DriverSettings.of(context.spec());
    return DriverVariants.of(DriverShape.NAME, settings.precompiled(), context).stream()
        .map(variant -> DriverRenderer.render(settings, variant, context))
        .toList();
  }
}
