package dev.pitcrew.api.clusterpolicy;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Settings of the operator. `defaultRuntime`, `initContainer`, `labels` and `annotations` are
/// accepted and ignored.
public record OperatorSpec(
    @Nullable String defaultRuntime,
    @Nullable String runtimeClass,
    InitContainerSpec initContainer,
    Map<String, String> labels,
    Map<String, String> annotations,
    @JsonProperty("use_ocp_driver_toolkit") @Nullable Boolean useOcpDriverToolkit,
    OperatorMetricsSpec metrics,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final OperatorSpec ABSENT = Absent.of(OperatorSpec.class);

  public OperatorSpec {
    initContainer = Objects.requireNonNullElse(initContainer, InitContainerSpec.ABSENT);
    labels = Absent.orMap(labels);
    annotations = Absent.orMap(annotations);
    metrics = Objects.requireNonNullElse(metrics, OperatorMetricsSpec.ABSENT);
    unknown = Absent.orUnknown(unknown);
  }

  /// The RuntimeClass that operands run with.
  public String runtimeClassOrDefault() {
    return Objects.requireNonNullElse(runtimeClass, "nvidia");
  }

  /// Whether OpenShift's driver toolkit builds the driver; means nothing elsewhere.
  public boolean isOcpDriverToolkitWanted() {
    return !Boolean.FALSE.equals(useOcpDriverToolkit);
  }
}
