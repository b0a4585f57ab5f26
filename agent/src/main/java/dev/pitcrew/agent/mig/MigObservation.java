package dev.pitcrew.agent.mig;

import dev.pitcrew.agent.settings.NodeFunction;
import dev.pitcrew.agent.settings.Settings;
import dev.pitcrew.agent.status.plan.MigFacts;
import dev.pitcrew.agent.status.plan.MigFacts.Phase;
import dev.pitcrew.agent.status.plan.StatusApply;
import dev.pitcrew.api.node.BlockedEviction;
import dev.pitcrew.api.node.GpuNodeStatus;
import dev.pitcrew.api.node.MigBusy;
import dev.pitcrew.device.inventory.Inventory;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/// The view of the node in one round, for the partitioning of its GPUs.
///
/// @param silent the GPUs that do not answer, by NVML index
/// @param withheldByKubelet the GPUs that the kubelet knows to be withheld
/// @param kept what the operator reports about pods that it was to evict and did not
/// @param isRebootAnnounced whether the Node and its GPUNode report the reboot
record MigObservation(
    Basis basis,
    Settings settings,
    Inventory inventory,
    Set<Integer> silent,
    Set<String> withheldByKubelet,
    List<String> kept,
    boolean isRebootAnnounced) {

  /// What a conclusion is drawn from.
  ///
  /// @param byClaims the GPUs whose MIG devices are made for claims, by UUID
  record Basis(
      MigLayoutChoice choice,
      HostClients clients,
      MigBusy busy,
      Map<String, String> layouts,
      Set<Integer> silent,
      Set<String> byClaims) {}

  static MigObservation of(MigController.Wanted wanted, Inventory inventory, Basis basis) {
    GpuNodeStatus status = StatusApply.read(wanted.gpuNode());
    List<String> kept = status.eviction().blocked().stream().map(BlockedEviction::message).toList();
    return new MigObservation(
        basis,
        wanted.settings(),
        inventory,
        basis.silent(),
        wanted.withheld(),
        kept,
        MigReboot.isAnnounced(wanted.stateLabel(), status));
  }

  MigLayoutChoice choice() {
    return basis.choice();
  }

  MigBusy busy() {
    return basis.busy();
  }

  /// The kubelet no longer allocates devices that are reported to it as withheld.
  boolean isWithheldByKubelet(Set<String> gpus) {
    return !settings.isOn(NodeFunction.DEVICE_PLUGIN) || withheldByKubelet.containsAll(gpus);
  }

  /// @param message with a place for the layout's name, `%s`, where it is to be named
  MigFacts facts(Phase phase, String reason, String message) {
    return facts(phase, reason, message, GpuConsumers.NONE);
  }

  private MigFacts facts(
      Phase phase, String reason, String message, GpuConsumers.InTheWay inTheWay) {
    String layout = choice().layout();
    return new MigFacts(phase, layout, reason, message.replace("%s", layout), inTheWay.held());
  }

  /// The facts while the change waits for blocking pods, which the operator evicts if configured.
  MigFacts waiting(GpuConsumers.InTheWay inTheWay, Instant deadline) {
    String until = "it is waited for until " + deadline;
    return busy() == MigBusy.EVICT
        ? facts(
            Phase.PENDING,
            "EvictingPods",
            inTheWay.text() + "; the operator evicts pods; " + until + keptText(),
            inTheWay)
        : facts(Phase.PENDING, "WaitingForPods", inTheWay.text() + "; " + until, inTheWay);
  }

  /// After other words.
  String keptText() {
    return kept.stream().map(it -> "; " + it).collect(Collectors.joining());
  }
}
