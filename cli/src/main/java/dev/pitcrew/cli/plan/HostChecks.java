package dev.pitcrew.cli.plan;

import dev.pitcrew.cli.cluster.HostNode.Host;
import dev.pitcrew.cli.plan.Checks.Line;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Whether a machine is one that Pitcrew knows: docs/hosts.md, docs/container-runtime.md and
/// docs/drivers.md.
final class HostChecks {
  private static final Set<String> ARCHITECTURES = Set.of("amd64", "arm64");
  private static final Pattern RUNTIME = Pattern.compile("(?<name>[a-z-]+)://v?(?<version>.*)");
  private static final Pattern VERSION =
      Pattern.compile("v?(?<major>\\d{1,4})\\.(?<minor>\\d{1,4}).*");

  /// Systems whose driver, toolkit or runtime is their own, by a part of the name.
  private static final Map<String, String> OWN =
      Map.of(
          "bottlerocket", "driver, toolkit and runtime are of the image: use an -nvidia variant",
          "talos", "driver, toolkit and runtime come as system extensions",
          "flatcar", "the driver comes by nvidia.service or a system extension",
          "container-optimized", "the driver comes by Google's installer");

  private HostChecks() {}

  /// In words, and what has to be different.
  static Line of(Host host) {
    String words =
        "%s, kernel %s, %s, %s, kubelet %s"
            .formatted(
                orUnknown(host.osImage()),
                orUnknown(host.kernel()),
                orUnknown(host.architecture()),
                orUnknown(host.runtime()).replace("://", " "),
                orUnknown(host.kubelet()));
    if (!host.system().isEmpty() && !host.system().equals("linux")) {
      return Line.warning(words, "Pitcrew manages Linux nodes only: this one is left alone");
    }
    if (!host.architecture().isEmpty() && !ARCHITECTURES.contains(host.architecture())) {
      return Line.blocker(words, "the image is for amd64 and arm64");
    }
    if (isRuntimeOlder(host.runtime())) {
      return Line.blocker(words, "containerd 1.7 or newer is needed: docs/container-runtime.md");
    }
    if (isOlder(host.kubelet(), 1, InstallChecks.OLDEST_MINOR)) {
      return Line.warning(
          words,
          "a kubelet older than 1.%d is not supported".formatted(InstallChecks.OLDEST_MINOR));
    }
    return OWN.entrySet().stream()
        .filter(it -> host.osImage().toLowerCase(Locale.ROOT).contains(it.getKey()))
        .findFirst()
        .map(it -> Line.warning(words, it.getValue() + " (docs/hosts.md)"))
        .orElse(new Line(Checks.Mark.GOOD, words, List.of(), ""));
  }

  private static boolean isRuntimeOlder(String runtime) {
    Matcher parts = RUNTIME.matcher(runtime);
    return parts.matches()
        && parts.group("name").equals("containerd")
        && isOlder(parts.group("version"), 1, 7);
  }

  /// Whether a version is known and lower.
  static boolean isOlder(String version, int major, int minor) {
    Matcher parts = VERSION.matcher(version);
    if (!parts.matches()) {
      return false;
    }
    int found = Integer.parseInt(parts.group("major"));
    return found < major || (found == major && Integer.parseInt(parts.group("minor")) < minor);
  }

  private static String orUnknown(String text) {
    return text.isEmpty() ? "unknown" : text;
  }
}
