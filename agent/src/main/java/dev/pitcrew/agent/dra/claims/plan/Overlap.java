package dev.pitcrew.agent.dra.claims.plan;

import dev.pitcrew.agent.dra.claims.plan.ClaimAllocation.Result;
import dev.pitcrew.device.dra.ClaimDevice;
import dev.pitcrew.device.inventory.MigPlacement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Whether another claim that is in use holds a device of a claim, or one that overlaps it: a GPU
/// and its parts, or two parts of a GPU with the same memory slices. Admin access and shares of the
/// same device do not count, and neither do claims of which only a CDI file is left: their admin
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
    List<Result> exclusive =
        allocation.results().stream().filter(own -> !own.adminAccess()).toList();
    if (exclusive.isEmpty()) {
      return Optional.empty();
    }
    for (Map.Entry<String, PreparedClaim> other : claims.entrySet()) {
      for (Result own : exclusive) {
        for (Result held : other.getValue().results()) {
          if (excludes(held, own, node) && isOther(other, claim)) {
            return Optional.of(text(claim, own, held, other.getKey()));
          }
        }
      }
    }
    return Optional.empty();
  }

  private static boolean isOther(Map.Entry<String, PreparedClaim> other, ClaimObject claim) {
    return !other.getKey().equals(claim.uid())
        && other.getValue().isCompleted()
        && !other.getValue().isRebuilt();
  }

  private static String text(ClaimObject claim, Result own, Result other, String uid) {
    String what =
        own.device().equals(other.device())
            ? "device %s is in use".formatted(own.device())
            : "device %s overlaps device %s, which is in use"
                .formatted(own.device(), other.device());
    return "claim %s, request %s: %s by another claim, %s; delete the pods of that claim, or wait until they end"
        .formatted(claim.text(), own.request(), what, uid);
  }

  /// Shares of a device have equal settings, since these are the GPU's.
  ///
  /// @return why the claim is refused
  public static Optional<String> conflict(
      ClaimObject claim, ClaimPlan plan, Map<String, PreparedClaim> claims, NodeDevices node) {
    Map<String, DeviceSettings> own = shared(plan, node);
    return within(claim, plan, own, node).or(() -> between(claim, own, claims, node));
  }

  private static Optional<String> within(
      ClaimObject claim, ClaimPlan plan, Map<String, DeviceSettings> settings, NodeDevices node) {
    return plan.groups().stream()
        .flatMap(group ->
            shared(new ClaimPlan(List.of(group)), node).entrySet().stream()
                .filter(it -> !it.getValue().equals(settings.get(it.getKey())))
                .map(it ->
                    "claim %s: its requests have different settings for device %s, of which they have a share each; use equal settings"
                        .formatted(claim.text(), it.getKey())))
        .findFirst();
  }

  private static Optional<String> between(
      ClaimObject claim,
      Map<String, DeviceSettings> own,
      Map<String, PreparedClaim> claims,
      NodeDevices node) {
    if (own.isEmpty()) {
      return Optional.empty();
    }
    return claims.entrySet().stream()
        // A plan takes longer than all the rest, and few claims have a device in common.
        .filter(other ->
            other.getValue().results().stream().anyMatch(it -> own.containsKey(it.device())))
        .filter(other -> isOther(other, claim))
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
    return ClaimAllocation.of(object, ClaimDevice.DRIVER, node.node())
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
          .filter(result -> !result.adminAccess() && node.isShared(result))
          .forEach(result -> settings.put(result.device(), group.settings()));
    }
    return settings;
  }

  /// One that has the whole device shares it with no other.
  private static boolean areShares(Result other, Result own, NodeDevices node) {
    return other.device().equals(own.device())
        && other.shareId().isPresent() == own.shareId().isPresent()
        && node.isShared(own);
  }

  private static boolean excludes(Result other, Result own, NodeDevices node) {
    return !other.adminAccess()
        && !areShares(other, own, node)
        && (other.device().equals(own.device())
            || overlaps(node.devices().get(other.device()), node.devices().get(own.device())));
  }

  /// A device that the node does not have any longer overlaps no other.
  private static boolean overlaps(@Nullable ClaimDevice one, @Nullable ClaimDevice other) {
    return one != null
        && other != null
        && one.gpu().uuid().equals(other.gpu().uuid())
        && place(one)
            .flatMap(taken -> place(other).map(taken::overlaps))
            // A whole GPU overlaps all of its parts.
            .orElse(true);
  }

  private static Optional<MigPlacement> place(ClaimDevice device) {
    return switch (device) {
      case ClaimDevice.WholeGpu _, ClaimDevice.Passthrough _ -> Optional.empty();
      case ClaimDevice.MigPart part -> Optional.of(part.placement());
      case ClaimDevice.Partition partition -> Optional.of(partition.placement());
    };
  }
}
