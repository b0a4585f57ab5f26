package dev.pitcrew.api.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What happens to a GPU that is not well.
public record HealthSpec(
    List<Integer> ignoredXids,
    @Nullable Integer recoverAfterSeconds,
    @Nullable HealthLevel taintFrom,
    @Nullable TaintEffect taintEffect,
    @Nullable DeviceTaintEffect deviceTaintEffect,
    @Nullable Boolean resetGpus,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final HealthSpec ABSENT = Absent.of(HealthSpec.class);

  public HealthSpec {
    ignoredXids = Absent.orList(ignoredXids);
    unknown = Absent.orUnknown(unknown);
  }

  /// How long a degraded GPU must give no new evidence to count as healthy again, five minutes
  /// unless set.
  public Duration recoverAfter() {
    return Duration.ofSeconds(Objects.requireNonNullElse(recoverAfterSeconds, 300));
  }

  /// The level from which on a node is tainted; empty for never.
  public Optional<HealthLevel> taintLevel() {
    return Optional.ofNullable(taintFrom);
  }

  /// What the taint does, `NoSchedule` unless set.
  public TaintEffect taintEffectOrDefault() {
    return Objects.requireNonNullElse(taintEffect, TaintEffect.NO_SCHEDULE);
  }

  /// What the taint of an unhealthy device in a ResourceSlice does, `NoSchedule` unless set.
  public DeviceTaintEffect deviceTaintEffectOrDefault() {
    return Objects.requireNonNullElse(deviceTaintEffect, DeviceTaintEffect.NO_SCHEDULE);
  }

  /// Whether a GPU that needs it is reset as soon as no pod uses it.
  public boolean isResettingGpus() {
    return Boolean.TRUE.equals(resetGpus);
  }
}
