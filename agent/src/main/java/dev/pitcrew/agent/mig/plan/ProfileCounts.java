package dev.pitcrew.agent.mig.plan;

import dev.pitcrew.device.inventory.MigProfile;
import dev.pitcrew.device.mig.MigPartitioning;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/// What a configuration wants of one GPU.
///
/// @param counts how many MIG devices of each shape
public record ProfileCounts(boolean isEnabled, Map<MigProfile, Integer> counts) {
  public ProfileCounts {
    counts = new LinkedHashMap<>(counts);
  }

  /// By name: `1c.1g.5gb` is `1g.5gb`.
  Map<String, Integer> byName() {
    var named = new TreeMap<String, Integer>();
    counts.forEach((profile, count) -> named.merge(profile.name(), count, Integer::sum));
    return named;
  }

  /// Whether the MIG mode is as it is wanted.
  public boolean isMetInMode(MigPartitioning division) {
    return switch (division) {
      case MigPartitioning.NotCapable() -> !isEnabled;
      case MigPartitioning.Capable capable -> capable.isEnabled() == isEnabled;
    };
  }

  /// Whether the MIG mode and devices are as requested. A GPU without MIG counts as disabled.
  public boolean isMet(MigPartitioning division) {
    return switch (division) {
      case MigPartitioning.NotCapable() -> !isEnabled;
      case MigPartitioning.Capable capable ->
          capable.isEnabled() == isEnabled && capable.counts().equals(byName());
    };
  }
}
