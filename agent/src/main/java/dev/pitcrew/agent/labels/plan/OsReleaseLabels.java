package dev.pitcrew.agent.labels.plan;

import dev.pitcrew.core.names.NodeLabels;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The distribution of the host, from os-release(5). The keys of OpenShift are shown where they are
/// there, which NFD leaves to OpenShift's edition of it.
final class OsReleaseLabels {
  private static final String PREFIX = NodeLabels.FEATURE_PREFIX + "system-os_release.";
  private static final String VERSION_ID = "VERSION_ID";
  private static final Set<String> SHOWN =
      Set.of("ID", VERSION_ID, "OSTREE_VERSION", "RHEL_VERSION", "OPENSHIFT_VERSION");
  private static final Pattern VERSION =
      Pattern.compile("(?<major>\\d+)(\\.(?<minor>\\d+))?(\\..*)?");

  private OsReleaseLabels() {}

  static Map<String, String> of(String text) {
    Map<String, String> entries = OsRelease.of(text).entries();
    var labels = new TreeMap<String, String>();
    entries.forEach((key, value) -> {
      if (SHOWN.contains(key)) {
        labels.put(PREFIX + key, FeatureValue.legal(value));
      }
    });
    Matcher version = VERSION.matcher(entries.getOrDefault(VERSION_ID, ""));
    if (version.matches()) {
      put(labels, version, "major");
      put(labels, version, "minor");
    }
    return labels;
  }

  private static void put(Map<String, String> labels, Matcher version, String part) {
    String value = version.group(part);
    if (value != null) {
      labels.put(PREFIX + VERSION_ID + "." + part, value);
    }
  }
}
