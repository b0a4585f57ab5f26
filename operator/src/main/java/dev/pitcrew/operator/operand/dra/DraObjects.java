package dev.pitcrew.operator.operand.dra;

import dev.pitcrew.operator.cluster.ClusterFacts;
import dev.pitcrew.operator.render.Identity;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.NodeSelectorTermBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Objects of dynamic resource allocation (KEP-4381), in the version `resource.k8s.io/v1`, which
/// Kubernetes has from 1.34 on.
final class DraObjects {
  static final String API_VERSION = "resource.k8s.io/v1";
  static final String GPU_DRIVER = "gpu.nvidia.com";
  static final String COMPUTE_DOMAIN_DRIVER = "compute-domain.nvidia.com";
  static final PolicyRule READ_CLAIMS =
      Identity.rule("resource.k8s.io", "resourceclaims", "get", "list", "watch");

  private DraObjects() {}

  /// A class of devices that one driver publishes with the attribute `type`.
  ///
  /// @param condition further CEL, or empty
  static GenericKubernetesResource deviceClass(
      String name, String driver, String type, String condition) {
    String expression =
        "device.driver == '%1$s' && device.attributes['%1$s'].type == '%2$s'%3$s"
            .formatted(driver, type, condition);
    return new GenericKubernetesResourceBuilder()
        .withApiVersion(API_VERSION)
        .withKind("DeviceClass")
        .withNewMetadata()
        .withName(name)
        .endMetadata()
        .withAdditionalProperties(
            Map.of(
                "spec",
                Map.of("selectors", List.of(Map.of("cel", Map.of("expression", expression))))))
        .build();
  }

  /// A template of claims with administrator access: it allocates GPUs that others have, too.
  ///
  /// @param count of GPUs, or 0 for all of the node
  static GenericKubernetesResource adminClaimTemplate(
      String name, String request, int count, ClusterFacts facts) {
    var exactly = new LinkedHashMap<String, Object>();
    exactly.put("deviceClassName", GPU_DRIVER);
    exactly.put("allocationMode", count == 0 ? "All" : "ExactCount");
    if (count > 0) {
      exactly.put("count", count);
    }
    exactly.put("adminAccess", true);
    return new GenericKubernetesResourceBuilder()
        .withApiVersion(API_VERSION)
        .withKind("ResourceClaimTemplate")
        .withNewMetadata()
        .withName(name)
        .withNamespace(facts.namespace())
        .endMetadata()
        .withAdditionalProperties(
            Map.of(
                "spec",
                Map.of(
                    "spec",
                    Map.of(
                        "devices",
                        Map.of("requests", List.of(Map.of("name", request, "exactly", exactly)))))))
        .build();
  }

  /// Keeps pods on nodes that have one of these labels.
  static Affinity onNodesWithAny(List<Map.Entry<String, String>> labels) {
    return new AffinityBuilder()
        .withNewNodeAffinity()
        .withNewRequiredDuringSchedulingIgnoredDuringExecution()
        .addAllToNodeSelectorTerms(labels.stream().map(DraObjects::term).toList())
        .endRequiredDuringSchedulingIgnoredDuringExecution()
        .endNodeAffinity()
        .build();
  }

  private static NodeSelectorTerm term(Map.Entry<String, String> label) {
    return new NodeSelectorTermBuilder()
        .addNewMatchExpression()
        .withKey(label.getKey())
        .withOperator("In")
        .withValues(label.getValue())
        .endMatchExpression()
        .build();
  }
}
