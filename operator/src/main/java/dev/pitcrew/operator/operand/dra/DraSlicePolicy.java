package dev.pitcrew.operator.operand.dra;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.List;
import java.util.Map;

/// Holds the DRA driver's account to the ResourceSlices of the node that its token names: a token
/// that leaves a node publishes no device for another. NVIDIA's policy lets it publish slices for
/// all nodes, or for those of a selector, too; its driver publishes none such.
public final class DraSlicePolicy {
  /// Of the policy and of its binding.
  public static final String NAME = "resourceslices-policy-nvidia-dra-driver";

  private static final String API_VERSION = "admissionregistration.k8s.io/v1";

  private DraSlicePolicy() {}

  static List<HasMetadata> of(String namespace) {
    return List.of(
        object(
            "ValidatingAdmissionPolicy",
            Map.of(
                "failurePolicy",
                "Fail",
                "matchConstraints",
                Map.of(
                    "resourceRules",
                    List.of(
                        Map.of(
                            "apiGroups", List.of("resource.k8s.io"),
                            "apiVersions", List.of("v1", "v1beta1", "v1beta2"),
                            "operations", List.of("CREATE", "UPDATE", "DELETE"),
                            "resources", List.of("resourceslices")))),
                "matchConditions",
                List.of(
                    Map.of(
                        "name",
                        "sent-by-the-dra-driver",
                        "expression",
                        "request.userInfo.username == 'system:serviceaccount:%s:%s'"
                            .formatted(namespace, DraRights.PLUGIN))),
                "variables",
                List.of(
                    variable(
                        "sender",
                        "request.userInfo.?extra[?'authentication.kubernetes.io/node-name'][?0].orValue('')"),
                    variable("slices", "[object, oldObject].filter(slice, slice != null)")),
                "validations",
                List.of(
                    Map.of(
                        "expression",
                        "variables.sender != ''",
                        "message",
                        "the token names no node: use the token that the kubelet gives to a pod",
                        "reason",
                        "Forbidden"),
                    Map.of(
                        "expression",
                        "variables.slices.all(slice, slice.spec.?nodeName.orValue('') == variables.sender)",
                        "messageExpression",
                        "'the DRA driver on ' + variables.sender + ' may write the ResourceSlices of its node only'",
                        "reason",
                        "Forbidden")))),
        object(
            "ValidatingAdmissionPolicyBinding",
            Map.of("policyName", NAME, "validationActions", List.of("Deny"))));
  }

  private static Map<String, String> variable(String name, String expression) {
    return Map.of("name", name, "expression", expression);
  }

  private static GenericKubernetesResource object(String kind, Map<String, Object> spec) {
    return new GenericKubernetesResourceBuilder()
        .withApiVersion(API_VERSION)
        .withKind(kind)
        .withNewMetadata()
        .withName(NAME)
        .endMetadata()
        .withAdditionalProperties(Map.of("spec", spec))
        .build();
  }
}
