package dev.pitcrew.testbed.scenario.facts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/// Facts of a pod template: where its pods run, as which user, and what is in them.
final class PodTemplateFacts {
  private static final String[] AS_WRITTEN = {
    "nodeSelector",
    "affinity",
    "priorityClassName",
    "serviceAccountName",
    "hostPID",
    "hostNetwork",
    "hostIPC",
    "runtimeClassName",
    "shareProcessNamespace",
    "securityContext",
    "automountServiceAccountToken",
    "resourceClaims",
    "topologySpreadConstraints",
    "terminationGracePeriodSeconds"
  };

  /// @param digest gives a configuration digest its number
  static ObjectNode of(JsonNode template, UnaryOperator<String> digest) {
    var metadata = template.path("metadata");
    var spec = template.path("spec");
    var initContainers = spec.path("initContainers");
    var containers = spec.path("containers");
    return new FactObject()
        .withAll(KindFacts.fields(spec, AS_WRITTEN))
        .with("labels", MetadataFacts.labels(metadata))
        .with("annotations", MetadataFacts.annotations(metadata))
        .with("dnsPolicy", dnsPolicy(spec))
        .with("tolerations", FactObject.setOf(tolerations(spec)))
        .with("imagePullSecrets", FactObject.namesOf(spec.path("imagePullSecrets")))
        .with("initContainerOrder", FactObject.namesOf(initContainers))
        .with("containerOrder", FactObject.namesOf(containers))
        .with(
            "initContainers",
            FactObject.named(initContainers, container -> ContainerFacts.of(container, digest)))
        .with(
            "containers",
            FactObject.named(containers, container -> ContainerFacts.of(container, digest)))
        .with("volumes", FactObject.named(spec.path("volumes"), VolumeFacts::of))
        .build();
  }

  private static String dnsPolicy(JsonNode spec) {
    var policy = spec.path("dnsPolicy").asText();
    return policy.equals("ClusterFirst") ? "" : policy;
  }

  private static Stream<String> tolerations(JsonNode spec) {
    return StreamSupport.stream(spec.path("tolerations").spliterator(), false)
        .map(PodTemplateFacts::toleration);
  }

  private static String toleration(JsonNode toleration) {
    return Stream.of("key", "operator", "value", "effect", "tolerationSeconds")
        .map(field -> toleration.path(field).asText())
        .collect(Collectors.joining(":"))
        .replaceFirst(":+$", "");
  }

  private PodTemplateFacts() {}
}
