package dev.pitcrew.agent.dra.slices.plan;

import dev.pitcrew.agent.health.HealthRules;
import dev.pitcrew.agent.health.Sign;
import dev.pitcrew.agent.health.UnhealthyDevices;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.node.AgentMarks;
import dev.pitcrew.api.node.HealthLevel;
import dev.pitcrew.device.dra.ClaimDevice;
import dev.pitcrew.device.dra.DeviceTaint;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The taints of unhealthy devices in ResourceSlices (KEP-5055). One taint for each reason, the
/// worst first; each goes when its evidence goes. The keys are those of NVIDIA's DRA driver where
/// it has one. That driver keeps one taint a key, which a later and harmless Xid replaces.
public final class DeviceTaints {
  /// A critical Xid; the value is its number.
  private static final String XID = "gpu.nvidia.com/xid";

  /// The driver has lost the GPU.
  private static final String LOST = "gpu.nvidia.com/gpu-lost";

  /// The most taints of a device that API servers before 1.35 take (DeviceTaintsMaxLength).
  private static final int MOST = 4;

  private static final Comparator<Sign> WORST_FIRST =
      Comparator.comparing(Sign::level)
          .reversed()
          .thenComparing(Comparator.comparing(Sign::since).reversed())
          .thenComparingLong(Sign::value);

  private DeviceTaints() {}

  /// @return by the names of those devices that have some
  public static Map<String, List<DeviceTaint>> of(
      Collection<ClaimDevice> devices, UnhealthyDevices unhealthy, DeviceTaint.Effect effect) {
    var taints = new HashMap<String, List<DeviceTaint>>();
    for (ClaimDevice device : devices) {
      List<DeviceTaint> own = of(device, unhealthy, effect);
      if (!own.isEmpty()) {
        taints.put(device.name(), own);
      }
    }
    return taints;
  }

  private static List<DeviceTaint> of(
      ClaimDevice device, UnhealthyDevices unhealthy, DeviceTaint.Effect effect) {
    var taints = new ArrayList<DeviceTaint>();
    if (device.failsWith().anyMatch(unhealthy.lost()::contains)) {
      taints.add(new DeviceTaint(LOST, "", effect));
    }
    List<Sign> signs =
        device.failsWith().flatMap(unhealthy.signs()::counting).sorted(WORST_FIRST).toList();
    worstReading(signs)
        .map(level -> new DeviceTaint(AgentMarks.UNHEALTHY, ApiJson.tree(level).asText(), effect))
        .ifPresent(taints::add);
    signs.stream()
        .filter(Sign::isXid)
        .map(sign -> new DeviceTaint(XID, String.valueOf(sign.value()), effect))
        .distinct()
        .forEach(taints::add);
    return taints.stream().limit(MOST).toList();
  }

  /// What the readings of the GPU say, where it can no longer be used.
  private static Optional<HealthLevel> worstReading(List<Sign> signs) {
    return signs.stream()
        .filter(sign -> !sign.isXid())
        .map(Sign::level)
        .filter(HealthRules::isUnfit)
        .findFirst();
  }
}
