package dev.pitcrew.api.fleetpolicy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// How a new driver reaches the nodes.
public record RolloutSpec(
    @Nullable Boolean preflight,
    @Nullable Boolean dryRun,
    @Nullable Boolean paused,
    CanarySpec canary,
    List<WaveSpec> waves,
    List<MaintenanceWindowSpec> maintenanceWindows,
    @Nullable Boolean haltOnFailedHealth,
    @Nullable Integer haltAfterFailedNodes,
    @Nullable Boolean autoRollback,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final RolloutSpec ABSENT = Absent.of(RolloutSpec.class);

  public RolloutSpec {
    canary = Objects.requireNonNullElse(canary, CanarySpec.ABSENT);
    waves = Absent.orList(waves);
    maintenanceWindows = Absent.orList(maintenanceWindows);
    unknown = Absent.orUnknown(unknown);
  }

  /// Whether the images of a new driver are pulled on one node of each pool first: not without the
  /// section.
  public boolean isPreflighted() {
    return !isAbsent() && !Boolean.FALSE.equals(preflight);
  }

  /// Whether no node is started, and each says what would be done with it.
  public boolean isDryRun() {
    return Boolean.TRUE.equals(dryRun);
  }

  /// The same, in earnest.
  public RolloutSpec withoutDryRun() {
    return isDryRun()
        ? new RolloutSpec(
            preflight,
            null,
            paused,
            canary,
            waves,
            maintenanceWindows,
            haltOnFailedHealth,
            haltAfterFailedNodes,
            autoRollback,
            unknown)
        : this;
  }

  /// Whether no further node is started.
  public boolean isPaused() {
    return Boolean.TRUE.equals(paused);
  }

  /// Whether a node that fails its health stops the rollout.
  public boolean isHaltedByFailedHealth() {
    return !Boolean.FALSE.equals(haltOnFailedHealth);
  }

  /// How many nodes have to fail their health for that.
  public int haltAfterFailedNodesOrDefault() {
    return Objects.requireNonNullElse(haltAfterFailedNodes, 1);
  }

  /// Whether failed nodes get the driver back that they had.
  public boolean isRollingBack() {
    return Boolean.TRUE.equals(autoRollback);
  }
}
