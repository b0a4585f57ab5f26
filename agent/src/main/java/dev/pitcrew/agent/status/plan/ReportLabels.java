package dev.pitcrew.agent.status.plan;

import dev.pitcrew.agent.labels.plan.LabelValue;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.Condition;
import dev.pitcrew.api.node.GpuNodeStatus;
import dev.pitcrew.api.node.NodeCondition;
import dev.pitcrew.core.names.GpuNodeLabels;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// The labels of a GPUNode, by which users select it: what its status says, as far as it fits into
/// a label.
final class ReportLabels {
  private ReportLabels() {}

  static SortedMap<String, String> of(GpuNodeStatus status) {
    var labels = new TreeMap<String, String>();
    Map.of(
            GpuNodeLabels.HEALTH,
            Optional.ofNullable(status.health()).map(it -> ApiJson.tree(it).asText()).orElse(""),
            GpuNodeLabels.READY,
            status
                .condition(NodeCondition.READY)
                .map(Condition::status)
                .orElse("")
                .toLowerCase(Locale.ROOT),
            GpuNodeLabels.PRODUCT,
            Objects.requireNonNullElse(status.product(), ""),
            GpuNodeLabels.DRIVER,
            Objects.requireNonNullElse(status.driver().version(), ""))
        .forEach((key, text) -> {
          String value = LabelValue.legal(LabelValue.sanitised(text));
          if (!value.isEmpty()) {
            labels.put(key, value);
          }
        });
    return labels;
  }
}
