package dev.pitcrew.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Where things lie on the host. GPUCluster has no `rootFS`: its host root is `/`.
public record HostPathsSpec(
    @Nullable String rootFS,
    @Nullable String driverInstallDir,
    @Nullable String kubeletRootDir,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final HostPathsSpec ABSENT = Absent.of(HostPathsSpec.class);

  private static final String DEFAULT_KUBELET_ROOT_DIR = "/var/lib/kubelet";

  public HostPathsSpec {
    unknown = Absent.orUnknown(unknown);
  }

  /// The kubelet's root directory, `/var/lib/kubelet` unless set, without a slash at its end. Its
  /// folder of device plugins is not in it: that is `/var/lib/kubelet/device-plugins` always
  /// (`DevicePluginPath` of k8s.io/kubelet).
  public String kubeletRootDirOrDefault() {
    String given = Objects.requireNonNullElse(kubeletRootDir, "");
    return given.isEmpty() ? DEFAULT_KUBELET_ROOT_DIR : given.replaceFirst("/+$", "");
  }
}
