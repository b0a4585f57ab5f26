package dev.pitcrew.testbed.scenario.facts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.stream.Stream;

/// Facts of what pods run with: service accounts, and the keys of config maps (never their text).
final class ConfigurationFacts {
  private static final String SHARED_PROBE = "nvidia-driver-startup-probe";

  static ObjectNode serviceAccount(JsonNode object) {
    return new FactObject()
        .with("automountServiceAccountToken", object.path("automountServiceAccountToken"))
        .with("imagePullSecrets", FactObject.namesOf(object.path("imagePullSecrets")))
        .build();
  }

  static ObjectNode configMap(JsonNode object, String name) {
    var keys = Stream.of("data", "binaryData").flatMap(part -> object.path(part).propertyStream());
    return new FactObject()
        .with("labels", labels(object, name))
        .with("keys", FactObject.setOf(keys.map(Map.Entry::getKey)))
        .build();
  }

  /// All pools of all NVIDIADrivers write the one probe map, so whose labels it has is chance.
  private static ObjectNode labels(JsonNode object, String name) {
    var labels = MetadataFacts.labels(object.path("metadata"));
    var controller = MetadataFacts.controller(object);
    if (name.equals(SHARED_PROBE) && controller.equals(RecordedKind.NVIDIA_DRIVER.kind())) {
      labels.put("app", "<driver>");
      labels.put("app.kubernetes.io/component", "<driver>");
    }
    return labels;
  }

  private ConfigurationFacts() {}
}
