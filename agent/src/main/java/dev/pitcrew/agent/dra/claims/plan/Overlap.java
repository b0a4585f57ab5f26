package dev.pitcrew.agent.dra.claims.plan;

import dev.pitcrew.agent.dra.claims.plan.ClaimAllocation.Result;
import java.util.Map;
import java.util.Optional;

/// Whether another claim that is in use holds a device of a claim. Admin access and devices that
/// may be shared do not count, and neither do claims of which only a CDI file is left: their admin
/// access is not known, and the scheduler has allocated the device to the new claim.
public final class Overlap {
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

  private static boolean excludes(Result other, Result own) {
    return other.device().equals(own.device()) && !other.adminAccess() && !own.adminAccess();
  }
}
