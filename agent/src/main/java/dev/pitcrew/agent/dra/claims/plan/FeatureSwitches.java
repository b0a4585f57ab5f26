package dev.pitcrew.agent.dra.claims.plan;

import static java.util.Objects.requireNonNullElse;

import dev.pitcrew.device.dra.ConsumableShares;
import java.util.Map;

/// Which features of the DRA driver are on. The names are those of the feature gates of NVIDIA's
/// DRA driver, where all of them are off by default.
///
/// @param timeSlicing whether claims may set the time slice of their GPUs
/// @param mps whether claims may share their devices by MPS
/// @param dynamicMig whether MIG devices are made when a claim is prepared
/// @param passthrough whether claims can give GPUs to virtual machines; not together with
///   `dynamicMig`, as in NVIDIA's DRA driver
/// @param shares how several claims can hold one device at the same time
/// @param resetsReturned whether each GPU that a claim returns gets the default time slice,
///   although no claim has set one: two programs run for it, so only where the user has named the
///   gate, as NVIDIA's DRA driver does it then
public record FeatureSwitches(
    boolean timeSlicing,
    boolean mps,
    boolean dynamicMig,
    boolean passthrough,
    ConsumableShares shares,
    boolean resetsReturned) {
  /// Sharing belongs to claims and is undone with them, so it is safe to have on.
  public static final FeatureSwitches DEFAULT =
      new FeatureSwitches(true, true, false, false, new ConsumableShares.Disabled(), false);

  static final String TIME_SLICING = "TimeSlicingSettings";
  static final String MPS = "MPSSupport";
  private static final String DYNAMIC_MIG = "DynamicMIG";
  private static final String PASSTHROUGH = "PassthroughSupport";

  /// As gates that a user has named.
  public FeatureSwitches(boolean timeSlicing, boolean mps, boolean dynamicMig) {
    this(timeSlicing, mps, dynamicMig, false, new ConsumableShares.Disabled(), timeSlicing);
  }

  /// @param gates by name; one that is missing has its default, and others than these have no
  ///   effect: the API server refuses them
  public static FeatureSwitches of(Map<String, Boolean> gates, ConsumableShares shares) {
    return new FeatureSwitches(
        requireNonNullElse(gates.get(TIME_SLICING), DEFAULT.timeSlicing()),
        requireNonNullElse(gates.get(MPS), DEFAULT.mps()),
        requireNonNullElse(gates.get(DYNAMIC_MIG), DEFAULT.dynamicMig()),
        requireNonNullElse(gates.get(PASSTHROUGH), DEFAULT.passthrough()),
        shares,
        requireNonNullElse(gates.get(TIME_SLICING), DEFAULT.resetsReturned()));
  }
}
