package dev.pitcrew.operator.operand.driver;

import dev.pitcrew.core.digest.NameHash;
import dev.pitcrew.operator.cluster.DriverPool;
import java.util.Optional;

/// The names of what one pool of an NVIDIADriver gets. They are those of the NVIDIA GPU Operator,
/// so that its DaemonSets and their pods stay when the operator is replaced.
///
/// @param account of everything but the DaemonSet; pools of one operating system share it
/// @param app of the DaemonSet and of the label that its pods are known by
public record DriverNames(String account, String app) {
  static final String HOST_MANAGER = "vgpu-host-manager";
  private static final int LONGEST_ACCOUNT = 253;
  private static final int LONGEST_APP = 63;

  /// @param driver name of the NVIDIADriver
  /// @param uid of the NVIDIADriver
  public static DriverNames of(String driverType, String driver, String uid, DriverPool pool) {
    String tag = pool.os().imageTag();
    String kind =
        driverType.equals(HOST_MANAGER)
            ? "nvidia-vgpu-manager"
            : "nvidia-" + driverType + "-driver";
    String account = kind + "-" + driver + "-" + tag;
    String hash = "-" + NameHash.of(uid + distinction(pool));
    String app = "nvidia-" + driverType + "-driver-" + tag;
    return new DriverNames(
        cut(account, LONGEST_ACCOUNT), cut(app, LONGEST_APP - hash.length()) + hash);
  }

  private static String distinction(DriverPool pool) {
    return Optional.of(pool.kernel().orElseGet(() -> pool.coreOsRelease().orElse("")))
        .filter(text -> !text.isEmpty())
        .map(text -> "-" + text)
        .orElse("");
  }

  private static String cut(String text, int longest) {
    return text.length() <= longest ? text : text.substring(0, longest);
  }
}
