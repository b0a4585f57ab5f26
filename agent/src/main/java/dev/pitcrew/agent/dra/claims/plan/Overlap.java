package dev.pitcrew.agent.dra.claims.plan;

import dev.pitcrew.agent.dra.claims.plan.ClaimAllocation.Result;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Whether another claim that is in use holds a device of a claim. Admin access and devices that
/// may be shared do not count, and neither do claims of which only a CDI file is left: their admin
/// access is not known, and the scheduler has allocated the device to the new claim.
public final class Overlap {
  /// What a claim was prepared with may be switched off since.
  private static final SettingsDecoder ALL_ON =
      new SettingsDecoder(new FeatureSwitches(true, true, true));

  private Overlap() {}

  /// @param claims of the checkpoint, by UID
  /// @return why the claim is refused
  public static Optional<String> refusal(
      ClaimObject claim,
      ClaimAllocation allocation,
      Map<String, PreparedClaim> claims,
      NodeDevices node) {
    return claims.entrySet().stream()
        .filter(other -> !other.getKey().equals(claim.uid()))
        .filter(other -> other.getValue().isCompleted() && !other.getValue().isRebuilt())
        .flatMap(other ->
            allocation.results().stream()
                .filter(own -> !node.shareable().contains(own.device()))
                .filter(
                    own -> other.getValue().results().stream().anyMatch(it -> excludes(it, own)))
                .map(own ->
                    "claim %s, request %s: device %s is in use by another claim, %s; delete the pods of that claim, or wait until they end"
                        .formatted(claim.text(), own.request(), own.device(), other.getKey())))
        .findFirst();
  }

  /// Claims that share a device have equal settings for it, since these are the GPU's.
  ///
  /// @return why the claim is refused
  public static Optional<String> conflict(
      ClaimObject claim, ClaimPlan plan, Map<String, PreparedClaim> claims, NodeDevices node) {
    Map<String, DeviceSettings> own = shared(plan, node);
    return claims.entrySet().stream()
        .filter(other -> !other.getKey().equals(claim.uid()))
        .filter(other -> other.getValue().isCompleted() && !other.getValue().isRebuilt())
        .flatMap(other ->
            shared(planOf(other.getKey(), other.getValue(), node), node).entrySet().stream()
                .filter(it ->
                    own.containsKey(it.getKey()) && !it.getValue().equals(own.get(it.getKey())))
                .map(it ->
                    "claim %s: its settings for device %s differ from those of claim %s, which shares the device; use equal settings"
                        .formatted(claim.text(), it.getKey(), other.getKey())))
        .findFirst();
  }

  /// Of a claim that was planned before.
  private static ClaimPlan planOf(String uid, PreparedClaim claim, NodeDevices node) {
    var object = new ClaimObject("", uid, uid, claim.status());
    return ClaimAllocation.of(object, node.node())
                instanceof ClaimAllocation.Reading.Allocated(var allocation)
            && ClaimPlan.of(object, allocation, node, ALL_ON)
                instanceof ClaimPlan.Planned.Ready(var plan)
        ? plan
        : new ClaimPlan(List.of());
  }

  private static Map<String, DeviceSettings> shared(ClaimPlan plan, NodeDevices node) {
    var settings = new HashMap<String, DeviceSettings>();
    for (ClaimPlan.Group group : plan.groups()) {
      group.devices().stream()
          .map(ClaimPlan.Assigned::result)
          .filter(result -> !result.adminAccess() && node.shareable().contains(result.device()))
          .forEach(result -> settings.put(result.device(), group.settings()));
    }
    return settings;
  }

  private static boolean excludes(Result other, Result own) {
    return other.device().equals(own.device()) && !other.adminAccess() && !own.adminAccess();
  }
}
