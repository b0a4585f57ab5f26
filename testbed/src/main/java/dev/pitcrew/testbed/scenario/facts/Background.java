package dev.pitcrew.testbed.scenario.facts;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Set;

/// Distinguishes the operator's objects from those of Kubernetes, of the operator's chart and of a
/// scenario's own input.
public final class Background {

  /// Marks what a scenario created beside its custom resources.
  public static final String INPUT_LABEL = "parity/input";

  private static final Set<String> DEFAULT_CLUSTER_ROLES =
      Set.of("cluster-admin", "admin", "edit", "view");

  /// Whether an object is not the operator's, so no fact of it counts.
  public static boolean isBackground(RecordedKind kind, JsonNode object) {
    return isInput(object) || isThere(kind, object);
  }

  /// Whether a scenario created the object as its input.
  public static boolean isInput(JsonNode object) {
    return object.path("metadata").path("labels").has(INPUT_LABEL);
  }

  /// Whether an object belongs to the cluster or to the operator's chart, so it outlives scenarios.
  public static boolean isThere(RecordedKind kind, JsonNode object) {
    return isOfChart(kind, object) || isOfKubernetes(kind, object);
  }

  private static boolean isOfChart(RecordedKind kind, JsonNode object) {
    var manager = MetadataFacts.label(object, "app.kubernetes.io/managed-by");
    return manager.equals("Helm") && !kind.isConfiguration();
  }

  private static boolean isOfKubernetes(RecordedKind kind, JsonNode object) {
    var name = MetadataFacts.name(object);
    return switch (kind) {
      case CONFIG_MAP -> name.equals("kube-root-ca.crt");
      case SERVICE_ACCOUNT -> name.equals("default");
      case PRIORITY_CLASS -> name.startsWith("system-");
      case CLUSTER_ROLE, CLUSTER_ROLE_BINDING -> isDefaultRole(name, object);
      case SECRET,
          SERVICE,
          ROLE,
          ROLE_BINDING,
          DAEMON_SET,
          DEPLOYMENT,
          SERVICE_MONITOR,
          PROMETHEUS_RULE,
          RESOURCE_CLAIM_TEMPLATE,
          RUNTIME_CLASS,
          DEVICE_CLASS,
          ADMISSION_POLICY,
          ADMISSION_POLICY_BINDING,
          NODE,
          CLUSTER_POLICY,
          NVIDIA_DRIVER,
          GPU_CLUSTER ->
          false;
    };
  }

  private static boolean isDefaultRole(String name, JsonNode object) {
    return name.startsWith("system:")
        || name.startsWith("kubeadm:")
        || object.path("metadata").path("labels").has("kubernetes.io/bootstrapping")
        || DEFAULT_CLUSTER_ROLES.contains(name);
  }

  private Background() {}
}
