package dev.pitcrew.agent.process;

import dev.pitcrew.agent.mig.plan.GpuPlan;
import dev.pitcrew.agent.mig.plan.Step;
import dev.pitcrew.agent.pods.HoldingPod;
import dev.pitcrew.agent.pods.HoldingPods;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.MigDevice;
import dev.pitcrew.device.inventory.MigPlace;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Who holds what a change would take away: pods, whether they compute or not, and processes.
record MigHolders(HoldingPods pods) {

  /// One line for each GPU that somebody is in the way on; none where the way is free.
  List<String> of(List<GpuPlan.Steps> plans, Inventory inventory) {
    return plans.stream().flatMap(plan -> of(plan, inventory).stream()).toList();
  }

  private Optional<String> of(GpuPlan.Steps plan, Inventory inventory) {
    Set<String> devices = devices(plan, inventory);
    Optional<List<HoldingPod>> holders =
        devices.isEmpty() ? Optional.of(List.of()) : pods.of(devices);
    if (holders.isEmpty()) {
      return Optional.of(
          "the kubelet does not tell which pods hold GPU %d".formatted(plan.gpu().index()));
    }
    if (!holders.get().isEmpty()) {
      return Optional.of(
          "GPU %d is held by pod %s"
              .formatted(
                  plan.gpu().index(),
                  holders.get().stream()
                      .map(pod -> pod.namespace() + "/" + pod.name())
                      .distinct()
                      .collect(Collectors.joining(", "))));
    }
    return Optional.of(plan.processesInTheWay())
        .filter(processes -> !processes.isEmpty())
        .map(processes ->
            "GPU %d is in use by process %s"
                .formatted(
                    plan.gpu().index(),
                    processes.stream().map(String::valueOf).collect(Collectors.joining(", "))));
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
