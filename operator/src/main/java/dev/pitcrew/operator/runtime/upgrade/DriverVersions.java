package dev.pitcrew.operator.runtime.upgrade;

import dev.pitcrew.operator.runtime.upgrade.LiveFleet.Drivers;
import io.fabric8.kubernetes.api.model.Container;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Versions of drivers for people, as the images have them: the number that the tag begins with,
/// else the whole tag or the beginning of the digest.
final class DriverVersions {
  private static final Pattern TAG = Pattern.compile(":(?<version>\\d+(\\.\\d+)*)");
  private static final Pattern DIGEST = Pattern.compile("@(sha256:[0-9a-f]{12})");

  private DriverVersions() {}

  /// Of the driver pod of a node and of its DaemonSet.
  static Drivers of(FleetReading reading, String node) {
    String wanted =
        reading
            .daemonSetOf(node)
            .map(it -> version(it.getSpec().getTemplate().getSpec().getContainers()))
            .orElse("");
    String present =
        reading.driverPodOf(node).map(it -> version(it.getSpec().getContainers())).orElse("");
    return new Drivers(present, wanted);
  }

  private static String version(List<Container> containers) {
    String image =
        containers.isEmpty()
            ? ""
            : Objects.requireNonNullElse(containers.getFirst().getImage(), "");
    Matcher digest = DIGEST.matcher(image);
    if (digest.find()) {
      return digest.group(1);
    }
    String name = image.substring(image.lastIndexOf('/') + 1);
    Matcher tag = TAG.matcher(name);
    return tag.find() ? tag.group("version") : name.substring(name.indexOf(':') + 1);
  }
}
