package dev.pitcrew.operator.cluster;

import dev.pitcrew.core.names.NodeLabels;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;

/// Operating system of a node, from `/etc/os-release` by way of feature discovery.
public record OsRelease(String id, String versionId) implements Comparable<OsRelease> {
  // Their driver images are built once per major release.
  private static final Set<String> BY_MAJOR_VERSION = Set.of("ol", "rocky", "rhel");
  private static final Comparator<OsRelease> ORDER =
      Comparator.comparing(OsRelease::id).thenComparing(OsRelease::versionId);

  /// The suffix of driver image tags, for example `ubuntu22.04`, `rhel9`, `rhcos4.14`.
  public String imageTag() {
    return isBuiltPerMajorVersion() ? id + majorVersion() : name();
  }

  /// Labels of exactly the nodes that can run images of this tag. A whole version that is no more
  /// than the major one is what the node is known by.
  public Map<String, String> nodeSelector() {
    return !name().equals(imageTag())
        ? Map.of(NodeLabels.OS_ID, id, NodeLabels.OS_MAJOR_VERSION, majorVersion())
        : Map.of(NodeLabels.OS_ID, id, NodeLabels.OS_VERSION_ID, versionId);
  }

  private boolean isBuiltPerMajorVersion() {
    return BY_MAJOR_VERSION.contains(id);
  }

  private String majorVersion() {
    return versionId.split("\\.", 2)[0];
  }

  /// Id and full version, for example `rocky9.6`.
  public String name() {
    return id + versionId;
  }

  public boolean isSuse() {
    return id.equals("sles") || id.equals("sl-micro");
  }

  @Override
  public int compareTo(OsRelease other) {
    return ORDER.compare(this, other);
  }
}
