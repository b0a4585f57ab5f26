package dev.pitcrew.testbed.nodes;

import java.util.Map;
import java.util.TreeMap;

/// What runs on the machines of a pool, as the kubelet and feature discovery report it.
///
/// @param distribution `ID` of os-release, such as `ubuntu` or `rhcos`
/// @param distributionVersion `VERSION_ID` of os-release
/// @param containerRuntime such as `containerd://2.1.4`
/// @param kubeletVersion such as `v1.36.3`
public record NodeSystem(
    String distribution,
    String distributionVersion,
    String kernelVersion,
    String containerRuntime,
    String kubeletVersion,
    String architecture) {
  private static final String FEATURE = "feature.node.kubernetes.io/";

  public static NodeSystem ubuntu() {
    return new NodeSystem(
        "ubuntu", "22.04", "5.15.0-78-generic", "containerd://2.1.4", "v1.36.3", "amd64");
  }

  public NodeSystem withDistribution(String id, String version) {
    return new NodeSystem(
        id, version, kernelVersion, containerRuntime, kubeletVersion, architecture);
  }

  public NodeSystem withKernelVersion(String version) {
    return new NodeSystem(
        distribution, distributionVersion, version, containerRuntime, kubeletVersion, architecture);
  }

  public NodeSystem withContainerRuntime(String runtime) {
    return new NodeSystem(
        distribution, distributionVersion, kernelVersion, runtime, kubeletVersion, architecture);
  }

  Map<String, String> labels() {
    var labels = new TreeMap<String, String>();
    labels.put("kubernetes.io/os", "linux");
    labels.put("kubernetes.io/arch", architecture);
    labels.put(FEATURE + "system-os_release.ID", distribution);
    labels.put(FEATURE + "system-os_release.VERSION_ID", distributionVersion);
    var dot = distributionVersion.indexOf('.');
    labels.put(
        FEATURE + "system-os_release.VERSION_ID.major",
        dot < 0 ? distributionVersion : distributionVersion.substring(0, dot));
    labels.put(FEATURE + "kernel-version.full", kernelVersion);
    labels.put(FEATURE + "cpu-model.vendor_id", "Intel");
    return labels;
  }
}
