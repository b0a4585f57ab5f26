package dev.pitcrew.operator.runtime;

import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;

/// Kinds that come with a CRD, or that not every cluster serves.
final class Kinds {
  static final ResourceDefinitionContext CLUSTER_POLICY =
      cluster("nvidia.com", "v1", "ClusterPolicy", "clusterpolicies");
  static final ResourceDefinitionContext NVIDIA_DRIVER =
      cluster("nvidia.com", "v1alpha1", "NVIDIADriver", "nvidiadrivers");
  static final ResourceDefinitionContext GPU_CLUSTER =
      cluster("nvidia.com", "v1alpha1", "GPUCluster", "gpuclusters");
  static final ResourceDefinitionContext FLEET_POLICY =
      cluster("pitcrew.dev", "v1alpha1", "FleetPolicy", "fleetpolicies");
  static final ResourceDefinitionContext GPU_NODE =
      cluster("pitcrew.dev", "v1alpha1", "GPUNode", "gpunodes");
  static final ResourceDefinitionContext CRD =
      cluster(
          "apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions");
  static final ResourceDefinitionContext DEVICE_CLASS =
      cluster("resource.k8s.io", "v1", "DeviceClass", "deviceclasses");
  static final ResourceDefinitionContext CLAIM_TEMPLATE =
      namespaced("resource.k8s.io", "v1", "ResourceClaimTemplate", "resourceclaimtemplates");
  static final ResourceDefinitionContext DEPLOYMENT =
      namespaced("apps", "v1", "Deployment", "deployments");
  static final ResourceDefinitionContext ADMISSION_POLICY =
      cluster(
          "admissionregistration.k8s.io",
          "v1",
          "ValidatingAdmissionPolicy",
          "validatingadmissionpolicies");
  static final ResourceDefinitionContext ADMISSION_POLICY_BINDING =
      cluster(
          "admissionregistration.k8s.io",
          "v1",
          "ValidatingAdmissionPolicyBinding",
          "validatingadmissionpolicybindings");
  static final ResourceDefinitionContext SERVICE_MONITOR =
      namespaced("monitoring.coreos.com", "v1", "ServiceMonitor", "servicemonitors");
  static final ResourceDefinitionContext PROMETHEUS_RULE =
      namespaced("monitoring.coreos.com", "v1", "PrometheusRule", "prometheusrules");
  static final ResourceDefinitionContext CLUSTER_VERSION =
      cluster("config.openshift.io", "v1", "ClusterVersion", "clusterversions");
  static final ResourceDefinitionContext PROXY =
      cluster("config.openshift.io", "v1", "Proxy", "proxies");
  static final ResourceDefinitionContext CONSTRAINT =
      cluster(
          "security.openshift.io",
          "v1",
          "SecurityContextConstraints",
          "securitycontextconstraints");
  static final ResourceDefinitionContext IMAGE_STREAM =
      namespaced("image.openshift.io", "v1", "ImageStream", "imagestreams");

  private Kinds() {}

  /// The name of the definition of a kind.
  static String definition(ResourceDefinitionContext kind) {
    return kind.getPlural() + "." + kind.getGroup();
  }

  private static ResourceDefinitionContext cluster(
      String group, String version, String kind, String plural) {
    return context(group, version, kind, plural, false);
  }

  private static ResourceDefinitionContext namespaced(
      String group, String version, String kind, String plural) {
    return context(group, version, kind, plural, true);
  }

  private static ResourceDefinitionContext context(
      String group, String version, String kind, String plural, boolean namespaced) {
    return new ResourceDefinitionContext.Builder()
        .withGroup(group)
        .withVersion(version)
        .withKind(kind)
        .withPlural(plural)
        .withNamespaced(namespaced)
        .build();
  }
}
