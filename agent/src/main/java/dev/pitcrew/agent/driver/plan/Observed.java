package dev.pitcrew.agent.driver.plan;

import dev.pitcrew.api.node.DriverRelease;
import dev.pitcrew.core.names.NodeLabels;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Everything that the plan looks at.
///
/// @param pods of the node; empty while they were not read, as the plan does not need them
public record Observed(Asked asked, Host host, Node node, Optional<Pods> pods) {

  /// What the driver pod's settings say.
  ///
  /// @param digest of the driver that is wanted; empty where it has none, which equals no other
  /// @param forces whether the same driver is reloaded, too
  public record Asked(String digest, boolean forces, OperandLabels operands) {}

  /// The node without its cluster.
  ///
  /// @param ownDriver the version of the driver that the host itself brings
  /// @param installedDigest of the driver that is loaded; empty where it is unknown
  /// @param lacks what else has to come before a driver may start, such as network drivers
  /// @param machines devices that virtual machines have, and who that is, such as `0000:0a:00.0:
  ///   /dev/vfio/12 is open by process 4711 (qemu-kvm)`
  /// @param release the agent's last word on whether it uses the driver
  public record Host(
      Optional<String> ownDriver,
      LoadedModules modules,
      String installedDigest,
      String bootId,
      Optional<String> lacks,
      List<String> machines,
      Optional<StuckDriver> stuckDriver,
      Optional<DriverRelease> release,
      Processes processes) {
    public Host {
      machines = List.copyOf(machines);
    }

    /// Whether certainly no program uses the driver, whatever the kernel counts.
    public boolean isDriverUnused() {
      return processes.areAll() && processes.users().isEmpty() && modules.foreignUser().isEmpty();
    }
  }

  /// @param users that have a file of the driver open
  /// @param areAll whether none could be hidden
  public record Processes(List<String> users, boolean areAll) {
    public Processes {
      users = List.copyOf(users);
    }
  }

  /// @param version the `resourceVersion` of what was read
  public record Node(Map<String, String> labels, Map<String, String> annotations, String version) {
    private static final String CONTAINER = "pitcrew";
    private static final String VFIO_MANAGER = NodeLabels.DEPLOY_PREFIX + "vfio-manager";

    public Node {
      labels = Map.copyOf(labels);
      annotations = Map.copyOf(annotations);
    }

    /// What a manager waits for, or waited for when it was killed.
    public Optional<String> waitsFor() {
      return Optional.ofNullable(annotations.get(NodeLabels.DRIVER_MANAGER_WAITS));
    }

    /// Whether a user wants a driver container here, whatever the host brings.
    public boolean isToHaveContainer() {
      return CONTAINER.equals(labels.get(NodeLabels.OWNER_OF_DRIVER));
    }

    /// Whether its GPUs are handed to virtual machines.
    public boolean isForMachines() {
      return "true".equals(labels.get(VFIO_MANAGER));
    }

    boolean isUpgradedByOperator() {
      return "true".equals(annotations.get(NodeLabels.AUTO_UPGRADE));
    }
  }

  /// @param gpuHolders that hold a GPU, as `namespace/name`
  /// @param selecting by label of the Node, the operands that go when it changes
  /// @param hasAgent whether an agent runs here, which then reports when it has released the driver
  public record Pods(
      List<String> gpuHolders, Map<String, Set<String>> selecting, boolean hasAgent) {
    public Pods {
      gpuHolders = List.copyOf(gpuHolders);
      selecting = Map.copyOf(selecting);
    }
  }

  /// The version of the host's own driver, unless it has to make way in any case.
  Optional<String> driverToKeep() {
    return host.ownDriver().filter(_ -> !node.isToHaveContainer());
  }

  /// Whether what is wanted is what runs.
  public boolean isTheSame() {
    return host.modules().hasDriver()
        && !asked.forces()
        && !asked.digest().isEmpty()
        && asked.digest().equals(host.installedDigest());
  }

  /// Whether a driver has to make way, which its users have a say in.
  public boolean isReplacement() {
    return driverToKeep().isEmpty() && host.modules().hasDriver() && !isTheSame();
  }
}
