package dev.pitcrew.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// How nodes move to a new driver. Where the section is absent a ClusterPolicy upgrades nothing by
/// itself and an NVIDIADriver does ([#AUTOMATIC]).
public record UpgradePolicySpec(
    @Nullable Boolean autoUpgrade,
    @Nullable Long maxParallelUpgrades,
    @Nullable IntOrString maxUnavailable,
    PodDeletionSpec podDeletion,
    WaitForCompletionSpec waitForCompletion,
    DrainSpec drain,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where a ClusterPolicy has none: no automatic upgrade.
  public static final UpgradePolicySpec ABSENT = Absent.of(UpgradePolicySpec.class);

  /// The section where an NVIDIADriver has none: automatic upgrade with the schema's numbers.
  public static final UpgradePolicySpec AUTOMATIC =
      Absent.of(UpgradePolicySpec.class, Map.of("autoUpgrade", true));

  public UpgradePolicySpec {
    podDeletion = Objects.requireNonNullElse(podDeletion, PodDeletionSpec.ABSENT);
    waitForCompletion = Objects.requireNonNullElse(waitForCompletion, WaitForCompletionSpec.ABSENT);
    drain = Objects.requireNonNullElse(drain, DrainSpec.ABSENT);
    unknown = Absent.orUnknown(unknown);
  }

  /// Whether nodes are upgraded without being asked.
  public boolean isAutoUpgrade() {
    return Boolean.TRUE.equals(autoUpgrade);
  }

  /// Nodes that may be upgraded at once, one unless set; zero means any number.
  public long maxParallelUpgradesOrDefault() {
    return Objects.requireNonNullElse(maxParallelUpgrades, 1L);
  }

  /// Nodes that may be unavailable at once, a quarter of them unless set.
  public IntOrString maxUnavailableOrDefault() {
    return Objects.requireNonNullElse(maxUnavailable, IntOrString.of("25%"));
  }
}
