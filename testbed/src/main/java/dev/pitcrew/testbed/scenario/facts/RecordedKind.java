package dev.pitcrew.testbed.scenario.facts;

/// The kinds of objects whose facts are recorded, and where the API server serves them.
///
/// Workloads number their configuration digests in the order of this list.
public enum RecordedKind {
  SERVICE_ACCOUNT("ServiceAccount", "v1", "serviceaccounts", Scope.NAMESPACE),
  CONFIG_MAP("ConfigMap", "v1", "configmaps", Scope.NAMESPACE),
  SECRET("Secret", "v1", "secrets", Scope.NAMESPACE),
  SERVICE("Service", "v1", "services", Scope.NAMESPACE),
  ROLE("Role", Group.RBAC, "roles", Scope.NAMESPACE),
  ROLE_BINDING("RoleBinding", Group.RBAC, "rolebindings", Scope.NAMESPACE),
  DAEMON_SET("DaemonSet", "apps/v1", "daemonsets", Scope.NAMESPACE),
  DEPLOYMENT("Deployment", "apps/v1", "deployments", Scope.NAMESPACE),
  SERVICE_MONITOR("ServiceMonitor", Group.MONITORING, "servicemonitors", Scope.NAMESPACE),
  PROMETHEUS_RULE("PrometheusRule", Group.MONITORING, "prometheusrules", Scope.NAMESPACE),
  RESOURCE_CLAIM_TEMPLATE(
      "ResourceClaimTemplate", Group.RESOURCE, "resourceclaimtemplates", Scope.NAMESPACE),
  CLUSTER_ROLE("ClusterRole", Group.RBAC, "clusterroles", Scope.CLUSTER),
  CLUSTER_ROLE_BINDING("ClusterRoleBinding", Group.RBAC, "clusterrolebindings", Scope.CLUSTER),
  RUNTIME_CLASS("RuntimeClass", "node.k8s.io/v1", "runtimeclasses", Scope.CLUSTER),
  PRIORITY_CLASS("PriorityClass", "scheduling.k8s.io/v1", "priorityclasses", Scope.CLUSTER),
  DEVICE_CLASS("DeviceClass", Group.RESOURCE, "deviceclasses", Scope.CLUSTER),
  ADMISSION_POLICY(
      "ValidatingAdmissionPolicy", Group.ADMISSION, "validatingadmissionpolicies", Scope.CLUSTER),
  ADMISSION_POLICY_BINDING(
      "ValidatingAdmissionPolicyBinding",
      Group.ADMISSION,
      "validatingadmissionpolicybindings",
      Scope.CLUSTER),
  NODE("Node", "v1", "nodes", Scope.CLUSTER),
  CLUSTER_POLICY("ClusterPolicy", "nvidia.com/v1", "clusterpolicies", Scope.CUSTOM),
  NVIDIA_DRIVER("NVIDIADriver", "nvidia.com/v1alpha1", "nvidiadrivers", Scope.CUSTOM),
  GPU_CLUSTER("GPUCluster", "nvidia.com/v1alpha1", "gpuclusters", Scope.CUSTOM);

  private final String kind;
  private final String apiVersion;
  private final String plural;
  private final Scope scope;

  RecordedKind(String kind, String apiVersion, String plural, Scope scope) {
    this.kind = kind;
    this.apiVersion = apiVersion;
    this.plural = plural;
    this.scope = scope;
  }

  /// The kind as written in manifests and in the first segment of a fact's path.
  public String kind() {
    return kind;
  }

  /// The plural name in API paths.
  public String plural() {
    return plural;
  }

  /// The `group/version`, or only the version in the core group.
  public String apiVersion() {
    return apiVersion;
  }

  /// Whether objects of the kind live in a namespace; then only the operator's own one is recorded.
  public boolean isNamespaced() {
    return scope == Scope.NAMESPACE;
  }

  /// Whether the kind is a custom resource in which users configure the operator.
  public boolean isConfiguration() {
    return scope == Scope.CUSTOM;
  }

  /// Whether a definition of custom resources brings the kind, so that it can come and go.
  public boolean isDefined() {
    return isConfiguration() || apiVersion.equals(Group.MONITORING);
  }

  /// The API path of the kind's objects, `namespace` counting only for namespaced kinds.
  public String path(String namespace) {
    var root = apiVersion.contains("/") ? "/apis/" + apiVersion : "/api/" + apiVersion;
    return isNamespaced() ? root + "/namespaces/" + namespace + "/" + plural : root + "/" + plural;
  }

  private enum Scope {
    NAMESPACE,
    CLUSTER,
    CUSTOM
  }

  private static final class Group {
    static final String RBAC = "rbac.authorization.k8s.io/v1";
    static final String MONITORING = "monitoring.coreos.com/v1";
    static final String RESOURCE = "resource.k8s.io/v1";
    static final String ADMISSION = "admissionregistration.k8s.io/v1";
  }
}
