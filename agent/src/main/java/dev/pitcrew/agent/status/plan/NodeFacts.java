package dev.pitcrew.agent.status.plan;

import dev.pitcrew.agent.host.DriverTraces;
import dev.pitcrew.agent.host.HostProfile;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.validation.Blocker;
import dev.pitcrew.agent.validation.Validation;
import dev.pitcrew.api.node.AgentStatus;
import dev.pitcrew.device.allocatable.Allocatable;
import dev.pitcrew.device.sharing.Sharing;
import dev.pitcrew.hardware.pci.PciDevice;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// All that a report is made of.
///
/// @param agent which pod writes the report, and the functions that run
/// @param snapshot empty before the first look at the driver
/// @param pci all functions on the bus; empty before it was read
/// @param offered what the kubelet was given; empty before it has answered the first offer
/// @param plugin whether it is the agent that offers the devices
/// @param validation what keeps the driver from working, and where the agent validates, the checks;
///   empty before it was looked at
/// @param host what the host is and what of it is left alone; empty before it was looked at
/// @param runtime the container runtime
/// @param mig the division of the GPUs; empty where it is not the agent's to do
/// @param resets what becomes of unhealthy GPUs that the agent is to reset, by UUID
public record NodeFacts(
    AgentStatus agent,
    Optional<NodeSnapshot> snapshot,
    Optional<List<PciDevice>> pci,
    DriverFacts driver,
    Optional<Allocatable> offered,
    SharingFacts sharing,
    List<NodeProblem> problems,
    PluginState plugin,
    Optional<Validation> validation,
    Optional<HostProfile> host,
    RuntimeFacts runtime,
    Optional<MigFacts> mig,
    Map<String, String> resets) {
  public NodeFacts {
    pci = pci.map(List::copyOf);
    problems = List.copyOf(problems);
    resets = Map.copyOf(resets);
  }

  /// @param rootOnHost where the driver's files are, such as `/run/nvidia/driver`; empty where
  ///   there are none
  /// @param pausedBy which program wants the driver for itself, such as
  ///   `nvidia.com/gpu.deploy.device-plugin=paused-for-driver-upgrade`; empty where none does
  /// @param containers what driver containers have left
  public record DriverFacts(
      Optional<String> rootOnHost, Optional<String> pausedBy, DriverTraces containers) {}

  /// @param config the name of the configuration that is in force; empty where there is but one
  public record SharingFacts(Optional<String> config, Sharing sharing) {}

  /// What keeps the driver from working.
  List<Blocker> blockers() {
    return validation.map(Validation::blockers).orElse(List.of());
  }

  boolean isPassedThrough() {
    return validation.filter(Validation::isPassedThrough).isPresent();
  }

  /// The snapshot where the driver answers.
  Optional<NodeSnapshot.WithDriver> withDriver() {
    return snapshot.flatMap(it ->
        it instanceof NodeSnapshot.WithDriver loaded ? Optional.of(loaded) : Optional.empty());
  }
}
