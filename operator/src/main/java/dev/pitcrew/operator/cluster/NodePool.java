package dev.pitcrew.operator.cluster;

import java.util.Comparator;

/// GPU nodes that can share one driver image: the same operating system, kernel and, on OpenShift,
/// CoreOS release.
///
/// @param kernel full kernel version, for example `5.15.0-78-generic`
/// @param coreOsRelease OSTree version on OpenShift, empty elsewhere
public record NodePool(OsRelease os, String kernel, String coreOsRelease)
    implements Comparable<NodePool> {
  private static final Comparator<NodePool> ORDER =
      Comparator.comparing(NodePool::os)
          .thenComparing(NodePool::kernel)
          .thenComparing(NodePool::coreOsRelease);

  @Override
  public int compareTo(NodePool other) {
    return ORDER.compare(this, other);
  }
}
