package dev.pitcrew.agent.dra.claims.plan;

import dev.pitcrew.agent.cdi.CdiDevice;
import dev.pitcrew.agent.cdi.CdiInput;
import dev.pitcrew.agent.cdi.CdiOptions;
import dev.pitcrew.agent.cdi.CdiSpecification;
import dev.pitcrew.agent.cdi.CdiSpecifications;
import dev.pitcrew.agent.cdi.ContainerEdits;
import dev.pitcrew.device.dra.ClaimDevice;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/// The devices of a node that claims may be allocated, and what a container gets with each, at one
/// moment. It is made once for each inventory and serves all claims until the next.
///
/// @param node its name, which is the name of the pool
/// @param devices by their names in ResourceSlices
/// @param edits by the UUID of the device
/// @param common what a container gets with any device; empty where the driver's files are missing
/// @param omissions why devices have no edits, or why there are no common ones
/// @param shareable the names of devices that several claims may hold at the same time
public record NodeDevices(
    String node,
    Map<String, ClaimDevice> devices,
    Map<String, ContainerEdits> edits,
    Optional<ContainerEdits> common,
    List<String> omissions,
    Set<String> shareable) {
  public NodeDevices {
    devices = Map.copyOf(devices);
    edits = Map.copyOf(edits);
    omissions = List.copyOf(omissions);
    shareable = Set.copyOf(shareable);
  }

  /// @param input the files and nodes of the inventory that the devices are of
  /// @param options see [CdiOptions#ofClaims]
  public static NodeDevices of(
      String node, List<ClaimDevice> devices, CdiInput input, CdiOptions options) {
    return of(
        node,
        devices.stream().collect(Collectors.toMap(ClaimDevice::name, Function.identity())),
        input,
        options);
  }

  public static NodeDevices of(
      String node, Map<String, ClaimDevice> devices, CdiInput input, CdiOptions options) {
    var generated = CdiSpecifications.generate(input, options);
    var edits = new HashMap<String, ContainerEdits>();
    generated.specifications().stream()
        .flatMap(specification -> specification.devices().stream())
        .forEach(device -> edits.put(device.name(), device.edits()));
    return new NodeDevices(
        node,
        devices,
        edits,
        generated.specifications().stream().map(CdiSpecification::common).findFirst(),
        generated.omissions().stream().map(CdiSpecifications.Omission::text).toList(),
        Set.of());
  }

  /// The same where several claims may hold these devices.
  public NodeDevices withShareable(Set<String> names) {
    return new NodeDevices(node, devices, edits, common, omissions, names);
  }

  /// What a container gets with a device of a claim.
  Optional<CdiDevice> cdiDevice(String name, ClaimDevice device) {
    return Optional.ofNullable(edits.get(device.uuid()))
        .map(ContainerEdits::withCapabilitiesOfHost)
        .map(it -> new CdiDevice(name, it));
  }
}
