package dev.pitcrew.testbed.scenario.facts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/// The facts of one object: those of its metadata, and those that its kind adds.
final class KindFacts {

  static ObjectNode of(RecordedKind kind, JsonNode object, String name, Recording recording) {
    var isMadeByOthers = kind == RecordedKind.NODE || kind.isConfiguration();
    var metadata = isMadeByOthers ? MetadataFacts.lifecycle(object) : MetadataFacts.all(object);
    return new FactObject()
        .withAll(metadata)
        .withAll(ofKind(kind, object, name, recording))
        .build();
  }

  private static ObjectNode ofKind(
      RecordedKind kind, JsonNode object, String name, Recording recording) {
    return switch (kind) {
      case SERVICE_ACCOUNT -> ConfigurationFacts.serviceAccount(object);
      case CONFIG_MAP -> ConfigurationFacts.configMap(object, name);
      case SECRET -> fields(object, "type");
      case SERVICE -> ServiceFacts.of(object);
      case ROLE, CLUSTER_ROLE -> RoleFacts.role(object);
      case ROLE_BINDING, CLUSTER_ROLE_BINDING -> RoleFacts.binding(object, recording);
      case DAEMON_SET -> WorkloadFacts.daemonSet(object, name, recording);
      case DEPLOYMENT -> WorkloadFacts.deployment(object, name, recording);
      case SERVICE_MONITOR -> MonitoringFacts.serviceMonitor(object, recording);
      case PROMETHEUS_RULE -> MonitoringFacts.prometheusRule(object);
      case RESOURCE_CLAIM_TEMPLATE -> fields(object.at("/spec/spec"), "devices");
      case RUNTIME_CLASS -> fields(object, "handler", "scheduling", "overhead");
      case PRIORITY_CLASS -> fields(object, "value", "globalDefault");
      case DEVICE_CLASS -> AdmissionFacts.deviceClass(object);
      case ADMISSION_POLICY -> AdmissionFacts.policy(object);
      case ADMISSION_POLICY_BINDING -> AdmissionFacts.binding(object);
      case NODE -> NodeFacts.of(object, recording);
      case CLUSTER_POLICY, NVIDIA_DRIVER, GPU_CLUSTER -> StatusFacts.of(object, recording);
    };
  }

  /// The named fields of an object as they are.
  static ObjectNode fields(JsonNode object, String... names) {
    var fields = JsonNodeFactory.instance.objectNode();
    for (var name : names) {
      fields.set(name, object.get(name));
    }
    return fields;
  }

  private KindFacts() {}
}
