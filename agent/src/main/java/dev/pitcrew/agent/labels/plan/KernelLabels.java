package dev.pitcrew.agent.labels.plan;

import dev.pitcrew.core.names.NodeLabels;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The kernel's version, whole and in parts. A version of another form, such as one of four
/// numbers, has no parts.
final class KernelLabels {
  private static final String VERSION = NodeLabels.FEATURE_PREFIX + "kernel-version.";
  private static final Pattern PARTS =
      Pattern.compile("(?<major>\\d+)(\\.(?<minor>\\d+))?(\\.(?<revision>\\d+))?(-.*)?");

  private KernelLabels() {}

  static Map<String, String> of(String release) {
    String full = FeatureValue.legal(release.strip().replaceAll("[^-A-Za-z0-9_.]", "_"));
    if (full.isEmpty()) {
      return Map.of();
    }
    var labels = new TreeMap<String, String>();
    labels.put(VERSION + "full", full);
    Matcher parts = PARTS.matcher(full);
    if (parts.matches()) {
      put(labels, parts, "major");
      put(labels, parts, "minor");
      put(labels, parts, "revision");
    }
    return labels;
  }

  /// NFD writes an absent part as an empty label.
  private static void put(Map<String, String> labels, Matcher parts, String name) {
    labels.put(VERSION + name, Objects.requireNonNullElse(parts.group(name), ""));
  }
}
