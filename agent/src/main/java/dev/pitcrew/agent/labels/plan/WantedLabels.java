package dev.pitcrew.agent.labels.plan;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.core.names.NodeLabels;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// The labels that a Node should have, also while its driver does not answer: a label goes because
/// the node has changed, never because the agent or the driver restarted.
public final class WantedLabels {
  private static final String TIMESTAMP = "nvidia.com/gfd.timestamp";

  private WantedLabels() {}

  /// @param features the feature labels
  /// @param gpuLabels empty while the driver does not answer
  /// @param hasGpu whether a GPU is on the PCI bus, or the bus was not read yet
  public static SortedMap<String, String> of(
      JsonNode node,
      Map<String, String> features,
      Optional<? extends Map<String, String>> gpuLabels,
      boolean hasGpu) {
    SortedMap<String, String> last = LabelApply.owned(node);
    last.keySet().removeIf(LabelSyntax::isFeature);
    // No word of the hardware: it is as it is said at this moment.
    last.remove(NodeLabels.MIG_CONFIG_STATE);
    var wanted = new TreeMap<>(features);
    if (gpuLabels.isPresent()) {
      wanted.putAll(sameTimestamp(gpuLabels.get(), last));
    } else if (hasGpu) {
      last.forEach(wanted::putIfAbsent);
    }
    return Collections.unmodifiableSortedMap(wanted);
  }

  /// The time is that of the last change, so that a restart of the agent changes nothing.
  private static Map<String, String> sameTimestamp(
      Map<String, String> labels, SortedMap<String, String> last) {
    if (!labels.containsKey(TIMESTAMP) || !last.containsKey(TIMESTAMP)) {
      return labels;
    }
    var withLastTime = new TreeMap<>(labels);
    withLastTime.put(TIMESTAMP, last.get(TIMESTAMP));
    return last.equals(withLastTime) ? withLastTime : labels;
  }
}
