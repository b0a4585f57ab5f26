package dev.pitcrew.cli.cluster;

import dev.pitcrew.cli.transport.Json;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/// The labels of nodes by which a workload chooses them.
///
/// @param workload such as `Deployment ml/api`
public record NodeSelection(String workload, SortedSet<String> labels) {
  /// @param template of pods
  static NodeSelection of(String workload, Json template) {
    Json spec = template.at("spec");
    var labels = new TreeSet<>(spec.at("nodeSelector").textFields().keySet());
    Json affinity = spec.at("affinity", "nodeAffinity");
    affinity
        .at("requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
        .items()
        .forEach(it -> labels.addAll(keys(it)));
    affinity
        .at("preferredDuringSchedulingIgnoredDuringExecution")
        .items()
        .forEach(it -> labels.addAll(keys(it.at("preference"))));
    return new NodeSelection(workload, labels);
  }

  private static List<String> keys(Json term) {
    return term.at("matchExpressions").items().stream().map(it -> it.at("key").text()).toList();
  }
}
