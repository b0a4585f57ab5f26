package dev.pitcrew.operator.runtime;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.kube.client.KubernetesJson;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.ArrayList;
import java.util.List;

/// The conditions that a custom resource has now.
final class StatusConditions {
  private StatusConditions() {}

  static List<Condition> of(GenericKubernetesResource resource) {
    var conditions = new ArrayList<Condition>();
    for (JsonNode condition : Documents.tree(resource).path("status").path("conditions")) {
      conditions.add(KubernetesJson.MAPPER.convertValue(condition, Condition.class));
    }
    return conditions;
  }
}
