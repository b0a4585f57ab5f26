package dev.pitcrew.agent.dra.claims.plan;

import dev.pitcrew.agent.cdi.CdiDevice;
import dev.pitcrew.agent.cdi.CdiKind;
import dev.pitcrew.agent.cdi.CdiSpecification;
import dev.pitcrew.agent.cdi.ContainerEdits;
import dev.pitcrew.agent.dra.claims.plan.ClaimPlan.Assigned;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// The CDI specification of a claim: a device for each of its results, named by claim and device.
public final class ClaimSpecification {
  public static final CdiKind KIND = new CdiKind("k8s.gpu.nvidia.com", "claim");

  private ClaimSpecification() {}

  public sealed interface Made {
    record Specification(CdiSpecification specification) implements Made {}

    /// The node lacks files that a container cannot work without.
    record Incomplete(String reason) implements Made {}
  }

  /// As kubelet hands it to the container runtime.
  static String id(String uid, String device) {
    return KIND + "=" + name(uid, device);
  }

  private static String name(String uid, String device) {
    return uid + "-" + device;
  }

  /// @param daemons the folder of the MPS control daemons of claims, on the host
  public static Made of(ClaimObject claim, ClaimPlan plan, NodeDevices node, String daemons) {
    var devices = new ArrayList<CdiDevice>();
    var missing = new ArrayList<String>();
    for (ClaimPlan.Group group : plan.groups()) {
      Optional<ContainerEdits> shared = group.daemon(claim.uid()).map(it -> it.edits(daemons));
      for (Assigned assigned : group.devices()) {
        String device = assigned.result().device();
        Optional<ContainerEdits> more = shared.filter(_ -> !assigned.result().adminAccess());
        node.cdiDevice(name(claim.uid(), device), assigned.device())
            .map(it -> new CdiDevice(it.name(), more.map(it.edits()::and).orElse(it.edits())))
            .ifPresentOrElse(devices::add, () -> missing.add(device));
      }
    }
    if (!missing.isEmpty() || node.common().isEmpty()) {
      return new Made.Incomplete(incomplete(claim, missing, node.omissions()));
    }
    List<CdiDevice> sorted =
        devices.stream().distinct().sorted(Comparator.comparing(CdiDevice::name)).toList();
    return new Made.Specification(
        new CdiSpecification(KIND, sorted, node.common().get(), Optional.of(claim.uid())));
  }

  private static String incomplete(
      ClaimObject claim, List<String> missing, List<String> omissions) {
    String what =
        missing.isEmpty()
            ? "the files of the driver"
            : "the device files of "
                + missing.stream().distinct().collect(Collectors.joining(", "));
    String why = omissions.isEmpty() ? "" : " (" + String.join("; ", omissions) + ")";
    return "claim %s: this node does not have %s%s; check the driver of the node"
        .formatted(claim.text(), what, why);
  }
}
