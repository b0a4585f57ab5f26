package dev.pitcrew.api.clusterpolicy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.ServiceMonitorSpec;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import java.util.Objects;

/// Monitoring of the operator itself.
public record OperatorMetricsSpec(
    ServiceMonitorSpec serviceMonitor, @Unknown Map<String, JsonNode> unknown) implements Section {

  /// The section where the resource has none.
  public static final OperatorMetricsSpec ABSENT = Absent.of(OperatorMetricsSpec.class);

  public OperatorMetricsSpec {
    serviceMonitor = Objects.requireNonNullElse(serviceMonitor, ServiceMonitorSpec.ABSENT);
    unknown = Absent.orUnknown(unknown);
  }
}
