package dev.pitcrew.agent.offer;

import dev.pitcrew.agent.cdi.CdiSpecifications.Omission;
import dev.pitcrew.device.allocatable.Allocatable;
import dev.pitcrew.device.allocatable.Device;
import dev.pitcrew.hardware.driver.DeviceNodes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/// Devices that the configuration offers and that no container could be started with. The kubelet
/// must not have them: the scheduler would place pods that the container runtime refuses.
///
/// With `envvar` and `volume-mounts` alone nothing is left out for a missing file: the runtime
/// makes the files itself (`nvidia-container-cli --load-kmods`).
///
/// @param reasons why, by the UUID of the device
/// @param ofAll why no device at all can be used; empty where some can, or where a failure says it
/// @param isAll whether no device at all can be used
record LeftOut(Map<String, String> reasons, List<String> ofAll, boolean isAll) {
  static final LeftOut NOTHING = new LeftOut(Map.of(), List.of(), false);

  private static final String GPU = "/dev/nvidia";

  LeftOut {
    reasons = Map.copyOf(reasons);
    ofAll = List.copyOf(ofAll);
  }

  /// @param isSpecified whether the file of the GPUs was written
  /// @param hasNodesMade whether the agent makes device nodes
  static LeftOut unspecified(List<Omission> omissions, boolean isSpecified, boolean hasNodesMade) {
    var reasons = new TreeMap<String, String>();
    var ofAll = new ArrayList<String>();
    for (Omission omission : omissions) {
      switch (omission) {
        case Omission.OfDevice(String uuid, String missing) ->
            reasons.put(uuid, reason(missing, hasNodesMade));
        case Omission.WithoutDriver(var _, String reason) ->
            ofAll.add(
                "no device is offered: %s: install the driver's libraries there, or set hostPaths.driverInstallDir to where they are"
                    .formatted(reason));
        // What has no device is not offered; channels do not keep a GPU from being offered.
        case Omission.WithoutDevices _, Omission.OfImexChannel _ -> {}
      }
    }
    return new LeftOut(reasons, ofAll, !isSpecified);
  }

  /// Devices whose files the kubelet would be asked to pass (`passDeviceSpecs`): the runtime
  /// refuses a container with a device file that is not there.
  static LeftOut withoutNodes(Allocatable configured, DeviceNodes nodes, boolean hasNodesMade) {
    var reasons = new TreeMap<String, String>();
    configured.resources().stream()
        .flatMap(resource -> resource.devices().stream())
        .map(Device::physical)
        .forEach(device ->
            device.paths().stream()
                .filter(path -> nodes.node(path).isEmpty())
                .findFirst()
                .ifPresent(path -> reasons.put(device.uuid(), reason(path, hasNodesMade))));
    return new LeftOut(reasons, List.of(), false);
  }

  LeftOut and(LeftOut other) {
    var all = new TreeMap<>(reasons);
    all.putAll(other.reasons);
    return new LeftOut(
        all, Stream.concat(ofAll.stream(), other.ofAll.stream()).toList(), isAll || other.isAll);
  }

  /// What is left of the devices.
  Allocatable from(Allocatable configured) {
    return isAll
        ? new Allocatable(List.of(), configured.problems(), configured.byClaims())
        : configured.without(Set.copyOf(reasons.keySet()));
  }

  /// One for each reason, ordered.
  List<String> lines() {
    return Stream.concat(
            ofAll.stream(),
            new TreeMap<>(reasons)
                .entrySet().stream().map(it -> it.getKey() + " is not offered: " + it.getValue()))
        .toList();
  }

  /// Where the agent makes the nodes, what keeps it from that is said beside this. Else the
  /// remedies of nvidia-modprobe(1): `-c` for a GPU's file, and nvidia-smi, which asks for the
  /// files of all MIG devices.
  private static String reason(String missing, boolean hasNodesMade) {
    if (hasNodesMade) {
      return missing + " is missing; it is offered as soon as the agent has made the file";
    }
    String minor = missing.startsWith(GPU) ? missing.substring(GPU.length()) : "";
    boolean isOfGpu = !minor.isEmpty() && minor.chars().allMatch(Character::isDigit);
    return missing
        + " is missing: "
        + (isOfGpu ? "run nvidia-modprobe -c=" + minor : "run nvidia-smi -L")
        + " as root where the driver is installed (the node, or the driver's pod); it is offered again once the file is there";
  }
}
