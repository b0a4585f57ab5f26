package dev.pitcrew.core.rollout;

/// Where driver pods and the templates of their DaemonSets have the digest of all that they install
/// a driver by. Two with the same digest install the same driver.
public final class DriverDigest {
  /// On a pod that was taken over: the digest that counts in place of the one in its environment.
  public static final String ANNOTATION = "pitcrew.dev/driver-config-digest";

  /// Of the container [#CONTAINER].
  public static final String VARIABLE = "DRIVER_CONFIG_DIGEST";

  /// The container that installs the driver.
  public static final String CONTAINER = "nvidia-driver-ctr";

  /// Label of driver pods and of their DaemonSets.
  public static final String SELECTOR = "app.kubernetes.io/component=nvidia-driver";

  private DriverDigest() {}
}
