package dev.pitcrew.agent.health;

import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.gpu.Vital;
import dev.pitcrew.hardware.gpu.Vitals;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/// Looks at the readings of all GPUs again and again, under one load of the driver. A GPU whose
/// readings are not known stays as it is.
public final class Examination {
  private final HealthRules rules;
  private final Map<String, Long> usualLinks = new HashMap<>();

  public Examination(HealthRules rules) {
    this.rules = rules;
  }

  /// @param vitals by the NVML index of the GPU
  public UnhealthyDevices of(
      Inventory inventory, Map<Integer, Vitals> vitals, UnhealthyDevices before, Instant now) {
    UnhealthyDevices unhealthy = before;
    for (Gpu gpu : inventory.gpus()) {
      Vitals read = vitals.get(gpu.index());
      if (read != null && read.uuid().equals(gpu.uuid())) {
        unhealthy =
            unhealthy.seeing(gpu, Symptoms.of(gpu, read, links(gpu, read, unhealthy)), now, rules);
      }
    }
    return unhealthy;
  }

  /// A link counts as down once it was up; who saw that may have been an earlier agent.
  private long links(Gpu gpu, Vitals vitals, UnhealthyDevices unhealthy) {
    if (gpu.mig().isEnabled()) {
      return 0;
    }
    long active = vitals.of(Vital.ACTIVE_NVLINKS);
    long known =
        usualLinks.getOrDefault(gpu.uuid(), active + unhealthy.signs().linksDown(gpu.uuid()));
    long usual = Math.max(known, active);
    usualLinks.put(gpu.uuid(), usual);
    return usual;
  }
}
