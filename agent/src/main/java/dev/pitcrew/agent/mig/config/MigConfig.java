package dev.pitcrew.agent.mig.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What a configuration file says.
///
/// @param layouts entries by label, in the order of the file
public record MigConfig(Map<String, List<MigEntry>> layouts) {
  public MigConfig {
    layouts = new LinkedHashMap<>(layouts);
  }

  /// What is asked for by a label, or by none where the file has one only.
  public sealed interface Selection {
    record Selected(String label, List<MigEntry> entries) implements Selection {}

    record None(String reason) implements Selection {}
  }

  /// @param label an empty text where none was given
  public Selection select(String label) {
    if (label.isEmpty() && layouts.size() != 1) {
      return new Selection.None(
          layouts.isEmpty()
              ? "the file has no mig-configs"
              : "missing required flag 'selected-config' when more than one config available");
    }
    String chosen = label.isEmpty() ? layouts.keySet().iterator().next() : label;
    List<MigEntry> entries = layouts.get(chosen);
    return entries == null
        ? new Selection.None("selected mig-config not present: " + chosen)
        : new Selection.Selected(chosen, entries);
  }

  /// The entries of a label; none where there is no such label.
  public List<MigEntry> entries(String label) {
    return layouts.getOrDefault(label, List.of());
  }
}
