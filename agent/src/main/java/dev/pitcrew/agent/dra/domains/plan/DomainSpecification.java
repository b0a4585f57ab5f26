package dev.pitcrew.agent.dra.domains.plan;

import dev.pitcrew.agent.cdi.CdiDevice;
import dev.pitcrew.agent.cdi.CdiKind;
import dev.pitcrew.agent.cdi.CdiSpecification;
import dev.pitcrew.agent.cdi.ContainerEdits;
import dev.pitcrew.agent.cdi.ContainerEdits.DeviceNodeEdit;
import dev.pitcrew.agent.cdi.ContainerEdits.Mount;
import dev.pitcrew.agent.cdi.ContainerEdits.NodeDetails;
import dev.pitcrew.agent.dra.domains.plan.DomainPlan.Assigned;
import dev.pitcrew.device.dra.DomainDevice;
import dev.pitcrew.hardware.driver.DeviceNodes;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// The CDI specification of a claim for a ComputeDomain.
public final class DomainSpecification {
  /// Of claims.
  public static final CdiKind KIND = new CdiKind("k8s.compute-domain.nvidia.com", "claim");

  /// Of the device `all`, which IMEX daemons get besides that of their claim.
  public static final CdiKind BASE = new CdiKind("k8s.compute-domain.nvidia.com", "device");

  private static final String ALL = "all";

  /// The driver makes as many, by default and in the recordings.
  private static final int CHANNELS = 2048;

  private static final int READ_AND_WRITE_BY_ALL = 0666;
  private static final int READABLE_BY_ALL = 0444;
  private static final String CHARACTER = "c";
  private static final List<String> FOLDER = List.of("rw", "nosuid", "nodev", "bind");

  private DomainSpecification() {}

  /// As kubelet hands them to the container runtime; none for a channel on a node whose GPUs are in
  /// no NVLink fabric.
  static List<String> ids(String uid, Assigned assigned, DomainNode node) {
    return switch (assigned.device()) {
      case CHANNEL ->
          node.clique().isPresent() ? List.of(id(uid, DomainDevice.CHANNEL)) : List.of();
      case DAEMON -> List.of(BASE + "=" + ALL, id(uid, DomainDevice.DAEMON));
    };
  }

  static String id(String uid, DomainDevice device) {
    return KIND + "=" + name(uid, device);
  }

  private static String name(String uid, DomainDevice device) {
    return uid + "-" + device.device();
  }

  /// @param folder of the domain on the host
  /// @return empty where containers of the claim get nothing
  public static Optional<CdiSpecification> of(
      String uid, DomainPlan plan, Domain domain, DomainNode node, String folder) {
    List<CdiDevice> devices =
        plan.devices().stream()
            .filter(it -> it.device() == DomainDevice.DAEMON || node.clique().isPresent())
            .map(it -> new CdiDevice(name(uid, it.device()), edits(it, domain, node, folder)))
            .distinct()
            .toList();
    return devices.isEmpty()
        ? Optional.empty()
        : Optional.of(new CdiSpecification(KIND, devices, ContainerEdits.NONE, Optional.of(uid)));
  }

  private static ContainerEdits edits(
      Assigned assigned, Domain domain, DomainNode node, String folder) {
    return switch (assigned.device()) {
      case CHANNEL ->
          nodes(
              IntStream.range(0, assigned.allChannels() ? CHANNELS : 1)
                  .mapToObj(number -> channel(node, number)));
      case DAEMON ->
          ContainerEdits.ofEnv(
                  "CLIQUE_ID=" + node.clique().orElse(""),
                  "COMPUTE_DOMAIN_UUID=" + domain.uid(),
                  "COMPUTE_DOMAIN_NAME=" + domain.name(),
                  "COMPUTE_DOMAIN_NAMESPACE=" + domain.namespace())
              .and(
                  nodes(
                      node.management().stream()
                          .filter(_ -> node.clique().isPresent())
                          .map(DomainSpecification::capability)))
              .and(ContainerEdits.ofMounts(List.of(new Mount(folder, "/imexd", FOLDER))));
    };
  }

  private static ContainerEdits nodes(Stream<DeviceNodeEdit> nodes) {
    return new ContainerEdits(List.of(), nodes.toList(), List.of(), List.of(), List.of());
  }

  private static DeviceNodeEdit channel(DomainNode node, int number) {
    String path = DeviceNodes.imexChannel(number);
    return new DeviceNodeEdit(
        path,
        Optional.of(path),
        Optional.of(
            new NodeDetails(node.channels(), number, READ_AND_WRITE_BY_ALL, 0, CHARACTER, "")));
  }

  private static DeviceNodeEdit capability(DomainNode.Capability capability) {
    String path = "/dev/nvidia-caps/nvidia-cap" + capability.minor();
    return new DeviceNodeEdit(
        path,
        Optional.of(path),
        Optional.of(
            new NodeDetails(
                capability.major(), capability.minor(), READABLE_BY_ALL, 0, CHARACTER, "")));
  }

  /// @param made the specification of the device `all` under any name, see
  ///   [dev.pitcrew.agent.cdi.CdiClass#MANAGEMENT]
  public static CdiSpecification base(CdiSpecification made) {
    return new CdiSpecification(BASE, made.devices(), made.common(), Optional.of("base"));
  }
}
