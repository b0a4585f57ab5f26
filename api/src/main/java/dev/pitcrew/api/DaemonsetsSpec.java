package dev.pitcrew.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What all DaemonSets of the operator share.
public record DaemonsetsSpec(
    Map<String, String> labels,
    Map<String, String> annotations,
    List<Toleration> tolerations,
    @Nullable String priorityClassName,
    Map<String, JsonNode> podSecurityContext,
    @Nullable String updateStrategy,
    RollingUpdateSpec rollingUpdate,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final DaemonsetsSpec ABSENT = Absent.of(DaemonsetsSpec.class);

  public DaemonsetsSpec {
    labels = Absent.orMap(labels);
    annotations = Absent.orMap(annotations);
    tolerations = Absent.orList(tolerations);
    podSecurityContext = Absent.orMap(podSecurityContext);
    rollingUpdate = Objects.requireNonNullElse(rollingUpdate, RollingUpdateSpec.ABSENT);
    unknown = Absent.orUnknown(unknown);
  }

  /// `RollingUpdate` unless set to `OnDelete`.
  public String updateStrategyOrDefault() {
    return Objects.requireNonNullElse(updateStrategy, "RollingUpdate");
  }
}
