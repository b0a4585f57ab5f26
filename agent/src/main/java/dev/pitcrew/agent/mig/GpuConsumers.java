package dev.pitcrew.agent.mig;

import dev.pitcrew.agent.mig.plan.GpuPlan;
import dev.pitcrew.agent.mig.plan.Step;
import dev.pitcrew.agent.pods.HoldingPod;
import dev.pitcrew.agent.pods.HoldingPods;
import dev.pitcrew.agent.pods.HoldingPods.Holders;
import dev.pitcrew.agent.pods.KubeletPods;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.MigDevice;
import dev.pitcrew.device.inventory.MigPlace;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Who holds what a change would take away: pods, whether they compute or not, and processes.
record GpuConsumers(HoldingPods pods) {
  static final InTheWay NONE = new InTheWay(List.of(), List.of());

  /// Without the kubelet's answer a pod that sleeps would lose its device.
  private static final String UNKNOWN =
      "the kubelet does not report which pods hold %s: check that it runs and serves "
          + KubeletPods.SOCKET;

  /// @param lines one for each GPU that a pod or process blocks
  /// @param held the pods among them, each once
  record InTheWay(List<String> lines, List<HoldingPod> held) {
    boolean isEmpty() {
      return lines.isEmpty();
    }

    String text() {
      return String.join("; ", lines);
    }
  }

  InTheWay of(List<GpuPlan.Steps> plans, Inventory inventory) {
    var held = new LinkedHashSet<HoldingPod>();
    List<String> lines =
        plans.stream().flatMap(plan -> line(plan, inventory, held).stream()).toList();
    return new InTheWay(lines, List.copyOf(held));
  }

  /// Pods that hold any device of the node, or have one by a claim.
  InTheWay ofAny(Inventory inventory) {
    Set<String> devices =
        inventory.gpus().stream()
            .flatMap(gpu ->
                Stream.concat(
                    Stream.of(gpu.uuid()), gpu.mig().migDevices().stream().map(MigDevice::uuid)))
            .collect(Collectors.toUnmodifiableSet());
    return pods.atMost(devices)
        .map(holders -> {
          List<HoldingPod> held = holders.all().stream().distinct().toList();
          return new InTheWay(
              held.stream()
                  .map(pod -> "a GPU is held by pod %s/%s".formatted(pod.namespace(), pod.name()))
                  .distinct()
                  .toList(),
              held);
        })
        .orElseGet(() -> new InTheWay(List.of(UNKNOWN.formatted("the GPUs")), List.of()));
  }

  private Optional<String> line(
      GpuPlan.Steps plan, Inventory inventory, Collection<HoldingPod> held) {
    int gpu = plan.gpu().index();
    Set<String> devices = devices(plan, inventory);
    Optional<Holders> holders =
        devices.isEmpty() ? Optional.of(new Holders(List.of(), List.of())) : pods.atMost(devices);
    if (holders.isEmpty()) {
      return Optional.of(UNKNOWN.formatted("GPU " + gpu));
    }
    if (!holders.get().holding().isEmpty()) {
      held.addAll(holders.get().holding());
      return Optional.of("GPU %d is held by pod %s".formatted(gpu, names(holders.get().holding())));
    }
    // They are waited for and not evicted: the GPU may be another one.
    if (!holders.get().byClaim().isEmpty()) {
      return Optional.of(
          "GPU %d may be held by pod %s, which has a GPU by a ResourceClaim"
              .formatted(gpu, names(holders.get().byClaim())));
    }
    return Optional.of(plan.processesInTheWay())
        .filter(processes -> !processes.isEmpty())
        .map(processes ->
            "GPU %d is in use by process %s"
                .formatted(
                    gpu,
                    processes.stream().map(String::valueOf).collect(Collectors.joining(", "))));
  }

  private static String names(List<HoldingPod> pods) {
    return pods.stream()
        .map(pod -> pod.namespace() + "/" + pod.name())
        .distinct()
        .collect(Collectors.joining(", "));
  }

  /// The UUIDs of what goes: all of a GPU whose mode changes, else the MIG devices that go.
  private static Set<String> devices(GpuPlan.Steps plan, Inventory inventory) {
    Set<MigPlace> gone =
        plan.steps().stream()
            .filter(Step.DestroyCompute.class::isInstance)
            .map(Step.DestroyCompute.class::cast)
            .map(step -> new MigPlace(step.instance().id(), step.compute().id()))
            .collect(Collectors.toUnmodifiableSet());
    var uuids = new HashSet<String>();
    for (Gpu gpu : inventory.gpus()) {
      if (gpu.uuid().equals(plan.gpu().uuid())) {
        gpu.mig().migDevices().stream()
            .filter(part -> plan.changesMode() || gone.contains(part.place()))
            .map(MigDevice::uuid)
            .forEach(uuids::add);
        if (plan.changesMode()) {
          uuids.add(gpu.uuid());
        }
      }
    }
    return uuids;
  }
}
